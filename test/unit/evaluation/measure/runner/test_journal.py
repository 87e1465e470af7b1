# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The journal: what was noted is read again; what is damaged, or another's, is an error that names the file."""

import json
import resource
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from roller_mlir.evaluation.measure.records import (
    Check,
    Item,
    ItemCandidate,
    Kit,
    MeasuredMachine,
    Reference,
    Timing,
    Trouble,
)
from roller_mlir.evaluation.measure.report.results_file import read_results
from roller_mlir.evaluation.measure.runner.processes.journal import JOURNAL_NAME, Journal, JournalError, write_results
from roller_mlir.evaluation.measure.runner.steps import (
    ITSELF,
    Asked,
    Step,
    StepOutcome,
    base_rank,
    plan_steps,
    right_ranks,
)
from roller_mlir.evaluation.measure.runner.summary import summary, wrong_lines

MACHINE = MeasuredMachine(back_end="cuda", device="d", driver="13.0", started="now", command="run.py")
ITEM = Item(id="x", suite="s", title="x", candidates=tuple(ItemCandidate(rank=r, artifact=f"x/{r}") for r in (1, 2, 5)))
KIT = Kit(target="h200", architecture="sm_90", vendor="nvidia", created="", compiler="0", items=(ITEM,))


def timing(median_s: float, who: str = "ours", rank: int = 1, note: str = "") -> Timing:
    return Timing(item="x", who=who, rank=rank, median_s=median_s, least_s=0, p10_s=0, p90_s=0, samples=1, note=note)


def outcome(step: str, *checks: Check, timings: tuple[Timing, ...] = ()) -> StepOutcome:
    return StepOutcome(
        step=step, checks=checks, timings=timings, troubles=(Trouble(item="x", who="torch", message="no"),)
    )


def test_what_is_noted_is_there_at_once(tmp_path: Path) -> None:
    infinite = Check(item="x", rank=1, ok=False, error=float("inf"), against="numpy")
    with Journal(tmp_path / "new" / "folder", "k") as journal:
        journal.add_machine(MACHINE)
        journal.add(outcome("a", infinite))
        with pytest.raises(JournalError, match="another runner is writing it; wait for it"):
            Journal(tmp_path / "new" / "folder", "k")
        assert len((tmp_path / "new" / "folder" / JOURNAL_NAME).read_text().splitlines()) == 3
    with Journal(tmp_path / "new" / "folder", "k") as again:
        assert again.outcomes == journal.outcomes and again.machines == [MACHINE]
        assert again.checks() == {("x", 1): infinite}


def test_what_was_cut_off_is_dropped(tmp_path: Path) -> None:
    with Journal(tmp_path, "k") as journal:
        journal.add(outcome("a"))
        journal.add(outcome("b"))
    path = tmp_path / JOURNAL_NAME
    whole = path.read_bytes()
    for cut in range(1, len(whole) - whole.rindex(b"\n", 0, -1) - 1, 7):
        path.write_bytes(whole[:-cut])
        with Journal(tmp_path, "k") as again:
            assert list(again.outcomes) == ["a"]
            again.add(outcome("b"))
        assert path.read_bytes() == whole
    path.write_bytes(whole[:10])  # not even its first line
    with Journal(tmp_path, "k") as again:
        assert not again.outcomes


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\xff\n", "line 3 is damaged: "),
        (b"[]\n", "line 3 is damaged: it is neither a machine nor an outcome"),
        (b'{"outcome":{"step":1}}\n', "line 3 is damaged: outcome.step: expected a string, but got 1"),
        (b'{"outcome":{}}\n', "line 3 is damaged: outcome.step: missing"),
        (b"[" * 100_000 + b"\n", "line 3 is damaged: "),
        (b"\0\0\0\n", "line 3 is damaged: "),
    ],
)
def test_what_is_damaged_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    with Journal(tmp_path, "k") as journal:
        journal.add(outcome("a"))
    with open(tmp_path / JOURNAL_NAME, "ab") as stream:
        stream.write(line)
    with pytest.raises(JournalError) as caught:
        Journal(tmp_path, "k")
    assert message in str(caught.value) and f"cannot use journal {tmp_path / JOURNAL_NAME}: " in str(caught.value)
    assert str(caught.value).endswith("; give --fresh to begin anew")
    with Journal(tmp_path, "k", fresh=True) as journal:
        assert not journal.outcomes


def test_what_is_anothers(tmp_path: Path) -> None:
    with Journal(tmp_path, "k") as journal:
        journal.add_machine(MACHINE)
        with pytest.raises(JournalError, match=r"it is of another machine \(device 'd', here 'e'\); choose another"):
            journal.add_machine(MeasuredMachine(back_end="cuda", device="e", driver="13.0"))
        journal.add_machine(replace(MACHINE, versions={"torch": "1"}))
        with pytest.raises(JournalError, match=r"of another machine \(torch '1', here '2'\)"):
            journal.add_machine(replace(MACHINE, versions={"torch": "2", "numpy": "2"}))
    with pytest.raises(JournalError, match="it is of another kit; choose another folder with -o, or give --fresh"):
        Journal(tmp_path, "l")
    (tmp_path / JOURNAL_NAME).write_text("{}\n")
    with pytest.raises(JournalError, match="line 1 is damaged: it must name its kit and schema 1"):
        Journal(tmp_path, "k")
    (tmp_path / "file").write_text("")
    with pytest.raises(JournalError, match=r"cannot use journal .*: (not a directory|file exists)"):
        Journal(tmp_path / "file", "k")


def test_a_full_disk(tmp_path: Path) -> None:
    with Journal(tmp_path, "k") as journal:
        journal.add_machine(MACHINE)
        path = tmp_path / JOURNAL_NAME
        before, limit = path.read_bytes(), resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 10, limit[1]))
        try:
            with pytest.raises(JournalError, match="file too large"):
                journal.add(outcome("a"))
            with pytest.raises(JournalError, match=r"cannot write .*results.json: .*; the journal beside it has all"):
                write_results(tmp_path / "results.json", journal.results(KIT, complete=True))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
            signal.signal(signal.SIGXFSZ, handler)
    assert [one.name for one in tmp_path.iterdir()] == [JOURNAL_NAME]
    with Journal(tmp_path, "k") as again:
        assert not again.outcomes and path.read_bytes() == before


def test_results_are_the_latest(tmp_path: Path) -> None:
    wrong = Check(item="x", rank=1, ok=False, message="late", against="numpy")
    with Journal(tmp_path, "k") as journal:
        journal.add_machine(MACHINE)
        journal.add_machine(MACHINE)
        journal.add(outcome("time x torch", timings=(timing(3e-6), timing(2e-6, "torch", 0))))
        journal.add(outcome("time x", wrong, timings=(timing(1e-6), timing(4e-6, rank=5, note="top-k"))))
        results = journal.results(KIT, complete=False)
    write_results(tmp_path / "results.json", results)
    assert read_results(tmp_path) == results
    assert [(one.who, one.rank, one.median_s) for one in results.timings] == [
        ("ours", 1, 1e-6),
        ("torch", 0, 2e-6),
        ("ours", 5, 4e-6),
    ]
    assert len(results.troubles) == 1 and results.machine.started == "now\nnow"
    assert wrong_lines(results) == ["WRONG x candidate 1: late", "trouble x torch: no"]
    text = summary(results)
    assert text.startswith("WRONG x candidate 1: late\n") and "0 of 1 results are right" in text
    assert text.splitlines()[-3].split() == ["x", "1", "us", "-", "4", "us", "(5)", "2", "us", "-", "-", "2.00"]
    assert json.loads(json.dumps({"complete": False}))["complete"] is results.complete


def test_steps_are_planned_by_rank() -> None:
    keys = [step.key for step in plan_steps(KIT, Asked(peers=("torch", "triton")))]
    top_k = ["check x 2", "check x 5", "time x torch top-k"]
    assert keys == ["check x 1", "time x torch,triton", "time x torch", *top_k]
    asked = Asked(peers=("torch", "triton"), phases=("check", "top1", "topk", "peers"))
    keys = [step.key for step in plan_steps(KIT, asked)]
    assert keys == ["check x 1", "time x torch", *top_k, "time x torch,triton"]
    assert [step.key for step in plan_steps(KIT, Asked(phases=("top1",), peers=()))] == ["check x 1", "time x"]
    assert plan_steps(KIT, Asked(only=("y",))) == []
    convolution = replace(ITEM, id="c", reference=Reference(kind="conv2d"))
    peers = plan_steps(replace(KIT, items=(convolution, ITEM)), Asked(phases=("top1", "peers")))
    assert [step.item for step in peers if step.kind == "time"] == ["c", "x", "x", "c"]
    step = Step(kind="time", item="x", ranks=(1, 2, 5))
    checks = {("x", 1): Check(item="x", rank=1, ok=False), ("x", 5): Check(item="x", rank=5, ok=True, against=ITSELF)}
    assert right_ranks(step, checks) == (5,) and base_rank(ITEM, checks) == 5 and base_rank(ITEM, {}) is None
