# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random cells run as one persistent kernel as numpy does, and graphs of many tasks are scheduled and proven."""

import itertools
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "bench" / "rammer"
sys.path.append(str(FOLDER))
CELLS: dict[str, Any] = runpy.run_path(str(FOLDER / "random_graphs.py"))
SCHEDULES: dict[str, Any] = runpy.run_path(str(FOLDER / "schedule.py"))
PUBLISHED: dict[str, Any] = runpy.run_path(str(FOLDER / "published.py"))
KINDS = ("figure", "miss")
MODELS: dict[str, Any] = runpy.run_path(str(FOLDER / "models.py"))
BODIES: dict[str, Any] = runpy.run_path(str(FOLDER / "bodies.py"))


@pytest.mark.full(every=60)
@pytest.mark.parametrize("seed", range(60))
def test_random_cells(seed: int) -> None:
    target = ("h200", "a100", "mi300x")[seed % 3]
    assert CELLS["run"](seed, target, "llvm" if seed % 5 == 4 else "gpu") == "equal"


def test_a_wrong_cell_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(CELLS["joined"].__globals__, "joined", lambda cell, a, b: cell.cut(a))
    made = CELLS["random_cell"](5)
    other = CELLS["text_of"](made)
    monkeypatch.undo()
    monkeypatch.setitem(CELLS["run"].__globals__, "text_of", lambda cell: other)
    monkeypatch.setattr(sys, "argv", ["random_graphs.py", "--count", "1", "--seed", "5", "--target", "h200"])
    assert CELLS["main"]() == 1
    assert "1 wrong" in capsys.readouterr().out


def test_times_of_schedules(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["schedule.py", "--steps", "4", "--layers", "3", "--runs", "1", "--blocks", "16"]
    monkeypatch.setattr(sys, "argv", arguments)
    SCHEDULES["main"]()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| wavefront", "| list"]
    assert all(" 408 " in line for line in lines[2:])


@pytest.mark.full
def test_tables_of_models(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["models.py", "--targets", "h200", "--only", "seq2seq", "--scale", "64"]
    monkeypatch.setattr(sys, "argv", arguments)
    MODELS["main"]()
    times, gains = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert times[0].startswith("| device | model | operators | tasks | waits | launches | line | graph | ahead |")
    assert times[2].startswith("| h200 | seq2seq | ") and gains[2].startswith("| h200 | seq2seq | ")
    assert len({line.count("|") for line in times}) == len({line.count("|") for line in gains}) == 1
    assert gains[3].split("| ")[3:] == gains[2].split("| ")[3:]  # of one model


def rows_of(header: str) -> dict[str, list[str]]:
    """Return the rows of a table of docs/rammer.md by its first cells, as far as they are names."""
    lines = iter((FOLDER.parents[1] / "docs" / "rammer.md").read_text().splitlines())
    next(line for line in lines if line.startswith(header))
    next(lines)
    rows = (line.strip("| ").split(" | ") for line in itertools.takewhile(lambda line: line.startswith("|"), lines))
    return {" ".join(itertools.takewhile(str.islower, row)): row for row in rows}


def test_published_times_stand_beside_the_rows_of_the_page() -> None:
    ours, figures = rows_of("| device | model | operators |"), rows_of("| model | base | ours |")
    misses = rows_of("| model | in kernels | ours |")
    assert list(figures) == list(misses) == list(PUBLISHED["PUBLISHED"])
    for name, figure in figures.items():
        row = ours[f"v100 {name}"]
        us = {column: float(row[at].replace(",", "")) for column, at in (("launches", 5), ("waves", 11), ("front", 12))}
        persistent = float(row[14].replace(",", ""))
        record = {
            "launches_s": 1e-6 * us["launches"],
            "waves_s": 1e-6 * us["waves"],
            "front_s": 1e-6 * us["front"],
            "makespan_s": 1e-6 * persistent,
            "kernels_s": 1e-3 * float(misses[name][2]),
            "utilisation": float(row[-1].rstrip("%")) / 100,
        }
        made = [row.strip("| ").split(" | ") for row in (PUBLISHED[f"{one}_row"](name, record) for one in KINDS)]
        for line, again in zip((figure, misses[name]), made, strict=True):
            for one, other in zip(line, again, strict=True):
                numbers, others = ([float(n) for n in re.findall(r"[\d.]+", cell)] for cell in (one, other))
                assert numbers == pytest.approx(others, rel=0.02, abs=1 if "%" in one else 0.011), (name, line, again)


@pytest.mark.full
def test_growth_with_the_types_of_bodies() -> None:
    one = BODIES["compile_one"](4, "h200", "f16", None)
    assert one["bodies"] == 4
    alone = BODIES["compile_one"](4, "h200", "f16", one["threads"])
    assert one["registers"] <= alone["registers"] + BODIES["MORE_REGISTERS"]
    assert one["spill_bytes"] == 0
