# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random cells run as one persistent kernel as numpy does, and graphs of many tasks are scheduled and proven."""

import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "bench" / "rammer"
CELLS: dict[str, Any] = runpy.run_path(str(FOLDER / "random_graphs.py"))
SCHEDULES: dict[str, Any] = runpy.run_path(str(FOLDER / "schedule.py"))
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


def test_tables_of_models(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["models.py", "--targets", "h200", "--only", "seq2seq", "--scale", "64"]
    monkeypatch.setattr(sys, "argv", arguments)
    MODELS["main"]()
    times, gains = (part.splitlines() for part in capsys.readouterr().out.split("\n\n"))
    assert times[0].startswith("| device | model | operators | tasks | waits | launches | line | graph | ahead |")
    assert times[2].startswith("| h200 | seq2seq | ") and gains[2].startswith("| h200 | seq2seq | ")
    assert len({line.count("|") for line in times}) == len({line.count("|") for line in gains}) == 1
    assert gains[3].split("| ")[3:] == gains[2].split("| ")[3:]  # of one model


@pytest.mark.full
def test_growth_with_the_types_of_bodies() -> None:
    one = BODIES["compile_one"](4, "h200", "f16", None)
    assert one["bodies"] == 4
    alone = BODIES["compile_one"](4, "h200", "f16", one["threads"])
    assert one["registers"] <= alone["registers"] + BODIES["MORE_REGISTERS"]
    assert one["spill_bytes"] == 0
