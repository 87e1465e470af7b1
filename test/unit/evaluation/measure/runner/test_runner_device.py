# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kit's own runner over a driver library for tests: what is done, in what order, and what goes wrong."""

import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import runner_kits
from runner_kits import environment, make_kit, results, run, start

from roller_mlir.evaluation.measure.records import Probe
from roller_mlir.evaluation.measure.report.results_file import read_results

pytestmark = [
    pytest.mark.skipif(
        runner_kits.fake_drivers.COMPILER is None, reason="needs a C compiler, which makes the driver library"
    ),
    pytest.mark.skipif(importlib.util.find_spec("cuda") is None, reason="needs cuda-bindings"),
]
GOOD = {"a": ["twice_us20", "twice_us10", "twice_us30"], "b/f32": ["twice_us40"], "c": ["twice_us50"]}


WORDS: dict[str, Any] = {"fill": ("zero",), "expect": ("",)}


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return runner_kits.library(tmp_path_factory.mktemp("driver") / "lib")


def times(found: Any) -> dict[tuple[str, int, str], int]:
    """Return medians in microseconds by item, rank and note, of kernels those with cleared caches."""
    cold = [one for one in found["timings"] if one["who"] == "probe" or one["note"] != "caches warm"]
    return {(one["item"], one["rank"], one["note"]): round(one["median_s"] * 1e6) for one in cold}


def wrong(found: Any) -> dict[tuple[str, int], str]:
    return {(one["item"], one["rank"]): one["message"] for one in found["checks"] if not one["ok"]}


def test_everything_is_done_once_and_in_order(tmp_path: Path, driver: Path) -> None:
    probes = tuple(
        Probe(name=name, quantity="launch", subject="launch", artifact=f"twice_{name}", work=1.0, **WORDS)
        for name in ("us7", "us8")
    )
    kit = make_kit(tmp_path / "kit", GOOD | {"d": ["twice_us60", "twice_us61"]}, probes)
    said, errors = run(kit, driver, tmp_path / "out", "--repeat", "3")
    assert errors == ""
    steps = re.findall(r"^\[\d+/15\] (.*?):", said, re.MULTILINE)
    smoke = ["check a 0", "time a", "check b/f32 0", "time b/f32", "check c 0", "time c"]
    rest = [
        "check d 0",
        "probe us7",
        "probe us8",
        "time d",
        "check a 1",
        "check a 2",
        "time a top-k",
        "check d 1",
        "time d top-k",
    ]
    assert steps == smoke + rest
    found = results(tmp_path / "out")
    assert found["complete"] and found["kit"] == json.loads((kit / "index.json").read_text())
    assert not found["troubles"] and not wrong(found) and len(found["checks"]) == 7
    assert times(found) == {
        ("a", 0, ""): 20,
        ("b/f32", 0, ""): 40,
        ("c", 0, ""): 50,
        ("d", 0, ""): 60,
        ("us7", 0, "caches warm"): 7,
        ("us8", 0, "caches warm"): 8,
        **{("a", rank, "top-k"): time for rank, time in ((0, 20), (1, 10), (2, 30))},
        # The fastest is timed once more, unless it is the first.
        **{("a", rank, "top-k; again"): time for rank, time in ((0, 20), (1, 10))},
        **{("d", rank, "top-k"): time for rank, time in ((0, 60), (1, 61))},
    }
    machine = found["machine"]
    assert (machine["back_end"], machine["device"], machine["driver"]) == ("cuda", "Fake H200", "13.0")
    assert machine["facts"]["l2_bytes"] == 50 << 20 and machine["versions"]["numpy"]
    assert machine["command"].startswith("run.py -o ") and machine["started"].endswith("+00:00")
    of_c = [one for one in found["timings"] if one["item"] == "c"]  # with cleared caches and with warm ones
    assert [(one["samples"], one["note"]) for one in of_c] == [(3, ""), (3, "caches warm")]
    assert read_results(tmp_path / "out").complete  # as the report reads it
    summary = (tmp_path / "out" / "summary.txt").read_text()
    assert summary in said and "7 of 7 results are right, 4 of them compared with nobody's" in summary
    assert re.search(r"^a +20 us +20 us +10 us \(1\)", summary, re.MULTILINE)


@pytest.mark.full
def test_ways_to_launch_are_raced_and_one_is_launched_many_times(tmp_path: Path, driver: Path) -> None:
    items = {"g": ["twice_us20", "twice_us30"], "h": ["twice_us5_wrong_third"]}
    ways = {"g": ["persistent", "graph"], "h": ["persistent"]}
    kit, log = make_kit(tmp_path / "kit", items, ways=ways), tmp_path / "log"
    process = start(kit, driver, tmp_path / "out", "--phases", "smoke", "--only", "g", more={"FAKE_CUDA_LOG": str(log)})
    said, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert re.findall(r"^\[\d+/\d+\] (.*?):", said, re.MULTILINE)[-4:] == [
        *("time g", "check g 1", "time g top-k", "repeat g 0")
    ]
    found = results(tmp_path / "out")
    cold = times(found)
    assert (cold["g", 0, "top-k"], cold["g", 1, "top-k"]) == (20, 30)
    warm = {one["rank"]: round(one["median_s"] * 1e6) for one in found["timings"] if one["note"] == "caches warm"}
    assert warm == {0: 20, 1: 30}
    (many,) = [one for one in found["timings"] if one["note"] == "10000 launches in a row"]
    assert (many["item"], many["rank"], many["samples"]) == ("g", 0, 10000)
    lines = log.read_text().splitlines()
    assert sum(line.startswith("launch twice_us20") for line in lines) > 10000
    assert "graph of 1 nodes" in lines and any(line.startswith("node twice_us30") for line in lines)
    assert not any(line.startswith("launch twice_us30") for line in lines)
    assert re.search(r"^g +persistent +20 us +20 us +[\d.]+ [um]?s$", said, re.MULTILINE)
    assert re.search(r"^g +graph +30 us +30 us +-$", said, re.MULTILINE)
    said, _ = run(kit, driver, tmp_path / "other", "--phases", "smoke", "--only", "h", code=1)
    late = "the result of the last of 10000 launches differs from the first one's"
    assert wrong(results(tmp_path / "other")) == {("h", 0): late}


@pytest.mark.full
def test_what_is_done_is_not_done_again(tmp_path: Path, driver: Path) -> None:
    kit, out = make_kit(tmp_path / "kit", GOOD), tmp_path / "out"
    said, _ = run(kit, driver, out, "--phases", "check", "--only", "a,b*")
    assert "check a 0" in said and "check b/f32 0" in said and " c " not in said and "time" not in said
    said, _ = run(kit, driver, out)
    assert "check a 0" not in said and "check c 0" in said and "time a top-k" in said
    before = results(out)
    said, _ = run(kit, driver, out)
    assert "[" not in said
    assert results(out) == before
    assert before["machine"]["command"].count("\n") == 1  # of two runs
    said, _ = run(kit, driver, out, "--fresh", "--phases", "check")
    assert "check a 0" in said and not results(out)["timings"]


def test_wrong_results(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(
        tmp_path / "kit",
        {
            "values": ["twice", "twice_wrong", "twice_us5"],
            "race": ["twice_late_wrong"],
            "unwritten": ["idle"],
            "spoils": ["twice_writes", "twice"],
        },
    )
    said, _ = run(kit, driver, tmp_path / "out", code=1)
    found = results(tmp_path / "out")
    messages = wrong(found)
    assert set(messages) == {("values", 1), ("race", 0), ("unwritten", 0), ("spoils", 0)}
    against = {(one["item"], one["rank"]): one["against"] for one in found["checks"]}
    assert against["values", 2] == "candidate 0"
    assert against["spoils", 1].startswith("itself")  # what is wrong is no measure for others
    assert re.search(r"64 of 64 elements are wrong; the worst, at \[\d+\]", messages["values", 1])
    different = "two runs gave different bits: elements that it does not write"
    assert messages["race", 0].startswith(different) and messages["unwritten", 0].startswith(different)
    assert messages["spoils", 0] == "it writes into its inputs"
    # Only what is right is timed: of one item 0 and 2, of another 1 alone, for which there is no second to compare.
    assert {key for key in times(found) if key[0] == "values"} == {
        ("values", 0, ""),
        *(("values", rank, note) for rank in (0, 2) for note in ("top-k", "top-k; again")),
    }
    assert not {key for key in times(found) if key[0] != "values"}
    summary = (tmp_path / "out" / "summary.txt").read_text()
    assert summary.startswith("WRONG ")
    assert "WRONG values candidate 1: the output: 64 of 64 elements are wrong" in said


@pytest.mark.full
def test_a_fault_a_crash_and_a_hang_cost_one_step_each(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(
        tmp_path / "kit",
        {
            "crash": ["twice_crash", "twice_us20"],
            "fault": ["twice_fault"],
            "hang": ["twice_hang"],
            "good": ["twice_us10", "twice_us11"],
        },
    )
    run(kit, driver, tmp_path / "out", "--only", "crash,fault,good", code=1)
    run(kit, driver, tmp_path / "out", "--step-limit", "1", code=1)  # what hangs, and nothing else is left to do
    found = results(tmp_path / "out")
    messages = wrong(found)
    assert messages["crash", 0] == "ours: the process was ended by SIGKILL"
    assert messages["hang", 0] == "ours: the process was ended: nothing was heard of it for 1 s"
    assert "cuLaunchKernel failed" in messages["fault", 0]
    troubles = {(one["item"], one["who"], one["message"]) for one in found["troubles"]}
    assert ("crash", "ours", "candidate 0: the process was ended by SIGKILL") in troubles
    assert {key for key in times(found) if key[0] == "good"} == {
        ("good", 0, ""),
        ("good", 0, "top-k"),
        ("good", 1, "top-k"),
    }
    assert found["complete"]


@pytest.mark.full
def test_a_kernel_that_only_fails_while_it_is_timed(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(tmp_path / "kit", {"x": ["twice_third_fault"], "y": ["twice_third_crash"], "z": ["twice"]})
    run(kit, driver, tmp_path / "out", code=1)
    found = results(tmp_path / "out")
    assert not wrong(found) and set(times(found)) == {("z", 0, "")} and found["complete"]
    troubles = {one["item"]: one["message"] for one in found["troubles"]}
    assert troubles["x"].startswith("while it was timed: CUDA: ")
    assert troubles["y"] == "candidate 0: the process was ended by SIGKILL"


@pytest.mark.full
def test_a_time_limit_is_kept_and_the_next_run_goes_on(tmp_path: Path, driver: Path) -> None:
    kit, out = make_kit(tmp_path / "kit", {"hang": ["twice_hang"], **GOOD}), tmp_path / "out"
    limit, said = 1.0, ""
    while "not complete" not in said:  # a busy machine needs longer to start what hangs
        limit *= 1.5
        began = time.monotonic()
        said, _ = start(kit, driver, out, "--time-limit", str(limit)).communicate(timeout=600)
        assert time.monotonic() - began > limit - 0.5
        assert f"the time limit of {limit:g} s is over" in said
    found = results(out)
    assert not found["complete"] and not found["checks"]
    assert "not complete: call the runner again" in said
    run(kit, driver, out, "--only", ",".join(GOOD))
    run(kit, driver, out, "--step-limit", "1", code=1)
    assert results(out)["complete"] and set(wrong(results(out))) == {("hang", 0)}


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_with_what_is_known(tmp_path: Path, driver: Path, number: signal.Signals) -> None:
    kit, out = make_kit(tmp_path / "kit", {"a": ["twice_us20"], "hang": ["twice_hang"]}), tmp_path / "out"
    process = start(kit, driver, out)
    wait_for(lambda: "time a" in journal(out))
    worker = child_of(process.pid)
    process.send_signal(number)
    said, errors = process.communicate(timeout=600)
    assert process.returncode == 128 + number and errors == ""
    found = results(out)
    assert times(found) == {("a", 0, ""): 20} and not found["complete"] and "not complete" in said
    wait_for(lambda: not is_alive(worker))


@pytest.mark.full
def test_it_survives_kill_at_random_moments(tmp_path: Path, driver: Path) -> None:
    items = {f"i{number}": ["twice_us20", "twice_us10"] for number in range(8)}
    kit, out = make_kit(tmp_path / "kit", items), tmp_path / "out"
    chance, kills = random.Random(7), 0
    for _ in range(5):
        process = start(kit, driver, out, "--repeat", "3")
        enough = journal(out).count("\n") + chance.randrange(1, 6)
        while process.poll() is None and journal(out).count("\n") < enough:
            time.sleep(0.002)
        worker = child_of(process.pid) if process.poll() is None else None
        process.kill()
        process.communicate()
        kills += process.returncode < 0
        wait_for(lambda one=worker: not is_alive(one))
        if chance.random() < 0.5 and (out / "results.jsonl").exists():  # as if the write was cut off
            with open(out / "results.jsonl", "ab") as stream:
                stream.write(b'{"outcome":{"step":"check i3')
    run(kit, driver, out, "--repeat", "3")
    found = results(out)
    assert kills >= 2
    assert found["complete"] and len(found["checks"]) == 16 and len(found["timings"]) == 48
    assert not wrong(found) and not found["troubles"]
    steps = [json.loads(line)["outcome"]["step"] for line in journal(out).splitlines() if '"outcome"' in line]
    assert len(steps) == len(set(steps)) == 32  # none was lost or done again


@pytest.mark.full
def test_it_runs_isolated_and_from_another_folder(tmp_path: Path, driver: Path) -> None:
    make_kit(tmp_path / "the kit", GOOD)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "numpy.py").write_text("raise SystemExit('not the one that is meant')")
    found = environment(driver) | {"PYTHONPATH": str(tmp_path / "other")}
    command = [sys.executable, "-I", "../the kit/run.py", "--phases", "check", "--peers", "none"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path / "other", env=found, timeout=600, check=False
    )
    assert (done.returncode, done.stderr) == (0, "") and "3 of 3 results are right" in done.stdout
    assert results(tmp_path / "other" / "results")["complete"]


@pytest.mark.full
def test_when_the_device_is_not_there(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(tmp_path / "kit", GOOD)
    (tmp_path / "none").mkdir()
    _, errors = run(kit, tmp_path / "none", tmp_path / "out", code=1)
    assert errors.startswith("error: back end 'cuda' needs NVIDIA's driver") and "Traceback" not in errors
    assert not (tmp_path / "out" / "results.json").exists()
    _, errors = run(kit, driver, tmp_path / "out", "--device", "7", code=1)
    assert "error: back end 'cuda': device 7 is not one of the 2 here" in errors
    _, errors = run(kit, driver, tmp_path / "sim", "--on", "sim", code=1)
    assert errors.startswith("error: the kit holds binaries for h200 alone and does not run on 'sim'")


@pytest.mark.full
def test_peers_that_are_missing_are_no_failure(tmp_path: Path, driver: Path) -> None:
    if importlib.util.find_spec("torch") is not None:
        pytest.skip("torch is here")
    kit = make_kit(tmp_path / "kit", {"a": ["twice_us20"]})
    run(kit, driver, tmp_path / "out", "--peers", "torch,triton")
    assert times(results(tmp_path / "out")) == {("a", 0, ""): 20}


def journal(out: Path) -> str:
    path = out / "results.jsonl"
    return path.read_text() if path.exists() else ""


def wait_for(condition: Any) -> None:
    until = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def child_of(parent: int) -> int | None:
    text = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return int(text[0]) if text else None


def is_alive(process: int | None) -> bool:
    if process is None:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().split(") ")[1][0] != "Z"


@pytest.mark.full
def test_nobody_reads_and_the_disk_is_full(tmp_path: Path, driver: Path) -> None:
    kit = make_kit(tmp_path / "kit", GOOD)
    script = f"{sys.executable} -P {kit / 'run.py'} -o {tmp_path / 'out'} --peers none"
    command = ["bash", "-o", "pipefail", "-c", f"{script} | head -1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment(driver), check=False)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("[1/")
    assert results(tmp_path / "out")["complete"]
    limited = f"trap '' XFSZ; ulimit -f 2; exec {script.replace('/out', '/full')}"  # two kilobytes a file
    command = ["bash", "-c", limited]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment(driver), check=False)
    assert done.returncode == 1 and "file too large" in done.stderr and "Traceback" not in done.stderr
    run(kit, driver, tmp_path / "full")
    assert results(tmp_path / "full")["complete"] and not wrong(results(tmp_path / "full"))
