# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/compiling/construction: the script runs, docs/method/construction.md says what its results do; no times."""

import json
import subprocess
from pathlib import Path
from typing import Any

import preloaded
import pytest

from roller_mlir.evaluation.suites import find_suite

ROOT = Path(__file__).parents[3]
SCRIPT = ROOT / "bench" / "compiling" / "construction" / "table.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(preloaded.python(str(SCRIPT), *arguments), capture_output=True, text=True, timeout=600)


def results_of(path: Path) -> dict[str, Any]:
    """Return a file of results, its operators as objects."""
    found: dict[str, Any] = json.loads(path.read_text())
    for sweep in found["sweeps"].values():
        rows = sweep["operators"].items()
        sweep["operators"] = {name: dict(zip(found["columns"], row, strict=True)) for name, row in rows}
    return found


def tables(page: str) -> list[tuple[str, list[list[str]]]]:
    """Return the tables of a page: the nearest line of text before each, and its rows, the rule left out."""
    found: list[tuple[str, list[list[str]]]] = []
    before, current = "", None
    for line in page.splitlines():
        if line.startswith("|"):
            if current is None:
                current = []
                found.append((before, current))
            if not set(line) <= set("|-: "):
                current.append([cell.strip() for cell in line.strip("|").split(" | ")])
        elif line.strip():
            before, current = line, None
        else:
            current = None
    return found


@pytest.mark.full
def test_two_operators_from_measurement_to_page(tmp_path: Path) -> None:
    results, page = tmp_path / "results.json", tmp_path / "page.md"
    given = ("--date", "2026-01-02", "--only", "M1", "--only", "E0", "--device", "h200", "--repeat", "1")
    done = run(*given, "--size-repeat", "1", "--results", str(results), "-o", str(page))
    assert done.returncode == 0, done.stderr
    found = results_of(results)
    assert set(found["sweeps"]) == {"h200"}
    operators = found["sweeps"]["h200"]["operators"]
    assert {name: one["programs"] for name, one in operators.items()} == {"M1": 10, "E0": 10}
    for one in operators.values():
        assert 0 < one["share"] <= 1 and one["predicted_s"] > 0 and one["cpu_s"] > 0
    assert [len(one["cpu_s"]) for one in found["scaling"]] == [6, 7]
    assert found["gains"]["h200"]["all"]["operators"] == 2
    assert found["gains"]["h200"]["all"]["none"] == 1.0
    settings = ["none", "+ memory-transaction", "+ execution-unit", "+ tensor-shape", "+ memory-bank"]
    assert [one["setting"] for one in found["counted"]["h200"]] == settings
    assert all(one["matches"] and one["sectors"] > 0 for one in found["counted"]["h200"])
    text = page.read_text()
    assert "2026-01-02" in text and "### By class on h200" in text
    again = tmp_path / "again.md"
    assert run("--page-only", "--results", str(results), "-o", str(again)).returncode == 0
    assert again.read_text() == text
    for _, rows in tables(text):
        assert len({len(row) for row in rows}) == 1, rows[0]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "--date is required to measure"),
        (("--date", "soon"), "invalid fromisoformat value: 'soon'"),
        (("--date", "2026-01-02", "--device", "b200"), "--device must name one of v100, k80"),
        (("--date", "2026-01-02", "--only", "Q7"), "no operator is 'Q7'"),
        (("--page-only", "--results", "nowhere.json"), "No such file or directory: 'nowhere.json'"),
    ],
)
def test_bad_arguments(arguments: tuple[str, ...], says: str) -> None:
    done = run(*arguments)
    assert done.returncode and says in done.stderr and "Traceback" not in done.stderr


def test_the_page_says_what_the_results_say(tmp_path: Path) -> None:
    page = tmp_path / "construction.md"
    done = run("--page-only", "-o", str(page))
    assert done.returncode == 0, done.stderr
    assert page.read_text() == (ROOT / "docs" / "method" / "construction.md").read_text(), "run table.py --page-only"


def test_the_results_are_of_the_whole_suite() -> None:
    found = results_of(SCRIPT.parent / "results.json")
    ids = [one.id for one in find_suite("roller119")]
    for device in ("v100", "k80", "mi50", "a100-80", "h100", "h200", "mi300x"):
        operators = found["sweeps"][device]["operators"]
        assert list(operators) == ids
        assert [name for name, one in operators.items() if not one["programs"]] == []
    assert [one for rows in found["counted"].values() for one in rows if not one.get("matches", True)] == []
