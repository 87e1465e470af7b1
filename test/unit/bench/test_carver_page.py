# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/peers/carver: the table is made without TileLang, docs/evaluation/carver.md holds the tiles of hints.json."""

import json
import re
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import preloaded
import pytest

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "bench" / "peers" / "carver"
PAGE = ROOT / "docs" / "evaluation" / "carver.md"
OPERATORS = ("M0", "M1", "M3", "C0", "D0", "R0", "matmul-f16", "C0-nhwc")


def run(script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = preloaded.python(str(FOLDER / script), *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def hints() -> dict[str, Any]:
    return json.loads((FOLDER / "hints.json").read_text())


def sections(page: str) -> dict[tuple[str, str], list[list[str]]]:
    """Return the rows of each table by operator and device, header and rule left out."""
    found: dict[tuple[str, str], list[list[str]]] = {}
    current: list[list[str]] = []
    for line in page.splitlines():
        heading = re.fullmatch(r"## (\S+) on (\S+)", line)
        if heading:
            current = found.setdefault((heading[1], heading[2]), [])
        elif line.startswith("|"):
            current.append([cell.strip() for cell in line.strip("|").split("|")])
    return {key: rows[2:] for key, rows in found.items()}


def tile(hint: dict[str, Any]) -> str:
    return f"{'x'.join(map(str, hint['block']))}/{'x'.join(map(str, hint['step']))}, "


def check(page: str, names: tuple[str, ...]) -> None:
    """Check that each table has the first hints, in order, with figures or a reason, and then ours."""
    found, given = sections(page), hints()
    devices = {facts["compared_on"]: arch for arch, facts in given["devices"].items()}
    assert set(found) == {(name, device) for name in names for device in devices}
    for (name, device), rows in found.items():
        listed = given["operators"][name]["hints"][devices[device]]
        assert [row[0] for row in rows[:3]] == ["carver 1", "carver 2", "carver 3"]
        assert rows[-1][0] == "ours"
        for row in rows[:-1]:
            assert row[1].startswith(tile(listed[int(row[0].removeprefix("carver ")) - 1])), (name, device, row)
        for row in rows:
            assert len(row) == 12
            assert row[2].startswith("no plan: ") or all(row[2:]), row


def test_hints_are_of_the_operators_that_are_compared() -> None:
    found = hints()
    assert tuple(found["operators"]) == OPERATORS
    assert re.fullmatch(r"\d+\.\d+\.\d+\S*", found["tilelang"])
    for one in found["operators"].values():
        for listed in one["hints"].values():
            assert 3 <= len(listed) <= 10
            for hint in listed:
                sizes = [*hint["block"], *hint["step"], *hint.get("warp", []), *hint.get("threads", [])]
                assert all(size >= 1 for size in sizes) and hint["stages"] in (1, 2)
                assert ("warp" in hint) == (one["dtype"] == "f16")


def test_the_page_has_the_hints() -> None:
    page = PAGE.read_text()
    check(page, OPERATORS)
    assert f"TileLang\n{hints()['tilelang']}" in page or f"TileLang {hints()['tilelang']}" in page
    assert "faster" not in page


def test_the_page_is_what_the_model_says_today_without_tilelang(tmp_path: Path) -> None:
    page = tmp_path / "carver.md"
    done = run("table.py", "-o", str(page))
    assert done.returncode == 0, done.stderr
    check(page.read_text(), OPERATORS)
    assert page.read_text() == PAGE.read_text(), "run python bench/peers/carver/table.py"


def test_a_hint_that_is_no_plan_has_the_reason() -> None:
    (first, *_) = sections(PAGE.read_text())["M1", "v100"]
    assert "16x25/96" in first[1] and "100 threads, 'v100' runs them in multiples of 32" in first[2]


@pytest.mark.full
@pytest.mark.parametrize(
    ("there", "instead", "says"),
    [
        ('"K": 4032', '"K": 4000', "M1 differs from that of the suite in K"),
        ('"operators": {', '"operators": [', "cannot be used"),
    ],
)
def test_hints_that_cannot_be_used(tmp_path: Path, there: str, instead: str, says: str) -> None:
    path = tmp_path / "hints.json"
    path.write_text((FOLDER / "hints.json").read_text().replace(there, instead))
    done = run("table.py", "--hints", str(path), "-o", str(tmp_path / "page.md"))
    assert done.returncode == 1 and says in done.stderr and "Traceback" not in done.stderr


def test_an_operator_that_is_not_there(tmp_path: Path) -> None:
    done = run("table.py", "--only", "Q1", "-o", str(tmp_path / "page.md"))
    assert done.returncode == 1 and "no operator 'Q1'; known: M0, M1" in done.stderr


@pytest.mark.skipif(find_spec("tilelang") is not None, reason="says what happens where TileLang is not installed")
def test_hints_without_tilelang(tmp_path: Path) -> None:
    done = run("hints.py", "-o", str(tmp_path / "hints.json"))
    assert done.returncode == 1 and "TileLang, which is not installed" in done.stderr
    assert not (tmp_path / "hints.json").exists()
