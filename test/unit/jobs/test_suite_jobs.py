# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite` with several processes: the records of one process, in its order, and artifacts that are whole."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from roller_mlir.evaluation.suites import Operator
from roller_mlir.evaluation.suites.stages.each import Crew, each_operator
from roller_mlir.runtime import Artifact
from roller_mlir.tools.commands.suite import command as roller_suite
from roller_mlir.tools.commands.suite import jobs as roller_suite_jobs
from roller_mlir.tools.roller import main

# In the order of the table the first one takes longest, and the third is refused.
MINE = "id,class,M,N,K,shape,axes,file\nbig,matmul,96,64,64,,,\nline,relu,,,,1000,,\nbad,file,,,,,,bad.mlir\n"
MINE += "sums,reduce_sum,,,,40x30,1,\n"
BAD = "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n"


@pytest.fixture
def mine(tmp_path: Path) -> str:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "operators.csv").write_text(MINE)
    (folder / "bad.mlir").write_text(BAD)
    return str(folder)


def printed(capsys: Any, *arguments: str, code: int = 0) -> list[dict[str, Any]]:
    assert main(["suite", *arguments, "--json"]) == code
    shown = capsys.readouterr()
    assert shown.err == ""  # no progress where nobody looks
    return json.loads(shown.out)


def timeless(record: Any) -> Any:
    """Return a record without what a clock says."""
    if isinstance(record, list):
        return [timeless(one) for one in record]
    if not isinstance(record, dict):
        return record
    kept = {key: value for key, value in record.items() if key in ("predicted_s", "published_s") or key[-2:] != "_s"}
    return {key: timeless(value) for key, value in kept.items()}


STAGES = [("construct",), ("compile", "--top-k", "2"), ("run",), ("verify", "--target", "v100")]


@pytest.mark.full(every=4)
@pytest.mark.parametrize("stage", STAGES, ids=" ".join)
def test_two_processes_say_what_one_says(stage: tuple[str, ...], mine: str, capsys: Any) -> None:
    one = printed(capsys, mine, "--stage", *stage, code=1)
    two = printed(capsys, mine, "--stage", *stage, "--jobs", "2", code=1)
    assert timeless(one) == timeless(two)
    assert [list(record) for record in one] == [list(record) for record in two]
    assert list(dict.fromkeys(record["id"] for record in two)) == ["big", "line", "bad", "sums"]
    for record in two:
        assert ("shapes must be static" in record.get("error", "")) == (record["id"] == "bad")


def test_candidates_are_compiled_each(mine: str, capsys: Any, tmp_path: Path) -> None:
    out = tmp_path / "new" / "out"
    (record,) = printed(
        capsys, mine, "--only", "big", "--stage", "compile", "--top-k", "3", "--jobs", "2", "-o", str(out)
    )
    (constructed,) = printed(capsys, mine, "--only", "big", "--top-k", "3")
    candidates = record["candidates"]
    assert record["programs"] == len(candidates) == 3 and [one["rank"] for one in candidates] == [0, 1, 2]
    assert candidates[0]["tiles"] == constructed["tiles"] and record["predicted_s"] == candidates[0]["predicted_s"]
    assert len({json.dumps(one["tiles"]) for one in candidates}) == 3
    assert record["compile_s"] == pytest.approx(sum(one["compile_s"] for one in candidates))
    assert sorted(path.name for path in out.iterdir()) == ["big.0", "big.1", "big.2"]
    for one in candidates:
        artifact = Artifact.load(one["artifact"])
        assert [kernel.name for kernel in artifact.kernels] == [kernel["name"] for kernel in one["kernels"]]
        threads = [kernel.plan.threads for kernel in artifact.kernels if kernel.plan is not None]
        assert threads[0] == one["tiles"]["threads"]


TWICE = """func.func @f(%x: tensor<8x40xf32>, %y: tensor<8x40xf32>) -> (tensor<8x40xf32>, tensor<8x40xf32>) {
  %e = tensor.empty() : tensor<8x40xf32>
  %a = linalg.exp ins(%x : tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) -> tensor<8x40xf32>
  %b = linalg.exp ins(%y : tensor<8x40xf32>) outs(%e : tensor<8x40xf32>) -> tensor<8x40xf32>
  return %a, %b : tensor<8x40xf32>, tensor<8x40xf32>
}
"""
SWAPPED = """func.func @f(%y: tensor<24x16xf32>, %x: tensor<8x24xf32>) -> tensor<8x16xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %r = linalg.matmul ins(%x, %y : tensor<8x24xf32>, tensor<24x16xf32>) outs(%i : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %r : tensor<8x16xf32>
}
"""


def test_candidates_are_the_whole_function_as_it_stands(tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "operators.csv").write_text("id,class,file\ntwice,file,twice.mlir\nswapped,file,swapped.mlir\n")
    (tmp_path / "twice.mlir").write_text(TWICE)
    (tmp_path / "swapped.mlir").write_text(SWAPPED)
    out = str(tmp_path / "out")
    stage = ("--stage", "compile", "-o", out)
    twice, swapped = printed(capsys, str(tmp_path), *stage, "--top-k", "2", code=1)
    assert "'twice' is 2 programs, but candidates are those of 1" in twice["error"]
    assert [one["artifact"] for one in swapped["candidates"]] == [f"{out}/swapped.0", f"{out}/swapped.1"]
    printed(capsys, str(tmp_path), *stage)
    ranked, plain = (Artifact.load(f"{out}/{name}").manifest for name in ("swapped.0", "swapped"))
    shapes = [[one.buffer(name).shape for name in one.inputs] for one in (ranked, plain)]
    assert shapes[0] == shapes[1] == [(24, 16), (8, 24)]


def test_files_are_found_from_any_folder_of_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parser = argparse.ArgumentParser()
    roller_suite.add_arguments(parser)
    given = ["mine", "--stage", "compile", "--tuning", "t.jsonl", "--calibration", "lab.toml"]
    for more, target, tuning in (
        ([], "h200+lab.toml", "t.jsonl"),
        (["--ray", "auto"], f"h200+{tmp_path}/lab.toml", f"{tmp_path}/t.jsonl"),
    ):
        work: Any = roller_suite_jobs._work("compile", parser.parse_args([*given, *more]))
        assert (work.keywords["target"], work.keywords["options"].tuning) == (target, tuning)


def test_tables_have_a_line_for_each_candidate(mine: str, capsys: Any) -> None:
    assert main(["suite", mine, "--only", "sums,line", "--stage", "compile", "--top-k", "2"]) == 0
    shown = capsys.readouterr()
    assert all(name in shown.out for name in ("line.0", "line.1", "sums.0", "sums.1"))
    assert "2 operators compiled for h200" in shown.out and "; 4 candidates; " in shown.out


def test_artifacts_are_written_as_those_of_roller_compile(mine: str, capsys: Any, tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    arguments = (mine, "--only", "line,sums", "--stage", "compile", "-o", out)
    records = printed(capsys, *arguments, "--jobs", "2")
    assert [record["artifact"] for record in records] == [f"{out}/line", f"{out}/sums"]
    assert sorted(os.listdir(out)) == ["line", "sums"]
    assert Artifact.load(f"{out}/line").kernels and "artifacts" not in records[0]
    assert timeless(printed(capsys, *arguments)) == timeless(records)  # once more, over the old ones


def test_what_is_in_the_way_is_found_before_any_work(mine: str, capsys: Any, tmp_path: Path) -> None:
    (tmp_path / "sums").write_text("mine")
    assert main(["suite", mine, "--stage", "compile", "--jobs", "2", "-o", str(tmp_path)]) == 1
    assert "something that is no artifact is there" in capsys.readouterr().err
    assert main(["suite", mine, "--stage", "compile", "-o", str(tmp_path / "sums" / "in")]) == 1
    assert "cannot be made: not a directory" in capsys.readouterr().err
    assert (tmp_path / "sums").read_text() == "mine"


@pytest.mark.full
def test_a_disk_that_is_full_ends_the_command_and_leaves_whole_artifacts(mine: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", FULL_DISK, mine, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 1, done.stderr
    assert "roller: error: cannot write artifact" in done.stderr and "Traceback" not in done.stderr
    assert os.listdir(out) == []


FULL_DISK = """
import resource, signal, sys
from roller_mlir.runtime.artifact import Artifact
from roller_mlir.tools.roller import main
save = Artifact.save
def full(self, path):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    save(self, path)
Artifact.save = full
if __name__ == "__main__":
    sys.exit(main(["suite", sys.argv[1], "--stage", "compile", "-o", sys.argv[2], "--jobs", "2"]))
"""


def die(operator: Operator) -> dict[str, Any]:
    """A stage that ends its process at one operator and has a bug at another."""
    if operator.id == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if operator.id == "bug":
        raise KeyError("no such thing")
    return {"id": operator.id, "fine": True}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bug_is_the_record_of_its_operator(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = _by_name(monkeypatch)
    ids = ["a", "bug", "b"] if workers == 1 else ["a", "bug", "dies", "b"]
    told: list[str] = []
    crew = Crew(workers=workers, done=lambda record: told.append(record["id"]))
    records = list(each_operator([Operator(one, "relu", "f32") for one in ids], stage, crew))
    assert [record["id"] for record in records] == ids and sorted(told) == sorted(ids)
    errors = {record["id"]: record["error"] for record in records if "error" in record}
    assert errors.pop("bug").startswith("bug: KeyError: 'no such thing' (test_suite_jobs.py:")
    assert errors == ({"dies": "bug: the process died: SIGKILL"} if workers == 2 else {})


def _by_name(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the stage above under a name by which another process finds it."""
    monkeypatch.setattr(die, "__module__", "test_suite_jobs")
    monkeypatch.setitem(sys.modules, "test_suite_jobs", sys.modules[__name__])
    return die


def test_a_bug_has_the_exit_code_of_bugs(mine: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise AssertionError("never so")

    monkeypatch.setattr("roller_mlir.evaluation.suites.stages.construct.construct", broken)
    records = printed(capsys, mine, "--only", "line,big", code=70)
    assert all(record["error"].startswith("bug: AssertionError: never so") for record in records)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("late", [False, True])
def test_ctrl_c_at_any_moment_leaves_whole_artifacts_and_no_process(
    late: bool, tmp_path: Path, gone: Callable[[Path], list[str]]
) -> None:
    """As the workers start, or in the middle of work."""
    (tmp_path / "tmp").mkdir()
    moment = random.random() / 2
    roller, out = start(tmp_path, "-o", str(tmp_path / "out"))
    if late:
        _wait_for_artifacts(roller, out)
    else:
        _wait_for_workers(roller)
    time.sleep(moment)
    with suppress(ProcessLookupError):
        os.killpg(roller.pid, signal.SIGINT)
    _, said = roller.communicate(timeout=600)
    assert (roller.returncode, said) in ((130, "roller: interrupted\n"), (0, "")), (moment, said)
    assert gone(tmp_path / "tmp") == [], moment
    for path in out.iterdir() if out.exists() else ():
        Artifact.load(path)


@pytest.mark.full
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])  # the second one reaches all of its processes
def test_a_command_that_is_killed_takes_its_processes_along(
    how: signal.Signals, tmp_path: Path, gone: Callable[[Path], list[str]]
) -> None:
    (tmp_path / "tmp").mkdir()
    roller, out = start(tmp_path, "-o", str(tmp_path / "out"))
    _wait_for_artifacts(roller, out)
    if how == signal.SIGTERM:
        os.killpg(roller.pid, how)
    else:
        os.kill(roller.pid, how)
    said, code = ("roller: terminated\n", 143) if how == signal.SIGTERM else ("", -how)
    assert roller.communicate(timeout=600) == (None, said) and roller.returncode == code
    assert gone(tmp_path / "tmp") == []
    for path in out.iterdir():
        if not path.name.endswith(".partial"):  # what was being written when the process was killed
            Artifact.load(path)


def _wait_for_workers(roller: "subprocess.Popen[str]") -> None:
    while roller.poll() is None and not psutil.Process(roller.pid).children():
        time.sleep(0.01)


def _wait_for_artifacts(roller: "subprocess.Popen[str]", out: Path) -> None:
    while roller.poll() is None and not (out.exists() and os.listdir(out)):
        time.sleep(0.01)


def start(folder: Path, *more: str) -> tuple["subprocess.Popen[str]", Path]:
    """Start a command that has two processes at work for some seconds, in a session of its own."""
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from roller_mlir.tools.roller import main\nif __name__ == '__main__': sys.exit(main())"
    command = [sys.executable, "-c", code, "suite", "roller119", "--only", "M*,E*,R*", "--stage", "compile"]
    roller = subprocess.Popen(
        [*command, "--jobs", "2", *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder / "tmp")},
    )
    assert psutil.pid_exists(roller.pid)
    return roller, folder / "out"
