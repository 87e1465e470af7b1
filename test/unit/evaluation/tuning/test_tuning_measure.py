# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller tune --measure` over a driver library that is built here: from kernels on "a device" to the data base."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tuning_records import MATMUL, plans_of

sys.path.insert(0, str(Path(__file__).parents[2] / "runtime"))
import fake_drivers

import roller_mlir
from roller_mlir.compiler import CompileOptions
from roller_mlir.plan.files.tuning import read_tuning
from roller_mlir.tools.roller import main

HAS_BINDINGS = importlib.util.find_spec("cuda") is not None and importlib.util.find_spec("cuda.bindings") is not None
pytestmark = [
    pytest.mark.skipif(fake_drivers.COMPILER is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.skipif(not HAS_BINDINGS, reason="needs cuda-bindings"),
]


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the driver library."""
    folder = tmp_path_factory.mktemp("driver")
    fake_drivers.build("fake_cuda.c", folder / "libcuda.so.1")
    return folder


def start(folder: Path, driver: Path, kernels: str, *options: str) -> "subprocess.Popen[str]":
    """Starts a tuning of these kernels in a folder, as the leader of its processes."""
    (folder / "m.mlir").write_text(MATMUL)
    (folder / "tmp").mkdir(exist_ok=True)
    command = [sys.executable, str(Path(__file__).parent / "measure_case.py"), kernels]
    return subprocess.Popen(
        [*command, "tune", "m.mlir", "--measure", *options],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(driver),
            "FAKE_CUDA_BYTES": str(141 << 30),
            "TMPDIR": str(folder / "tmp"),
        },
    )


@pytest.mark.full(every=2)
def test_the_fastest_right_candidate_is_written_and_compiled(tmp_path: Path, driver: Path) -> None:
    process = start(tmp_path, driver, "twice_us40,twice_us20,twice_wrong_us10,twice_us30", "--json")
    said, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    (decided,) = json.loads(said)
    assert (decided["record"]["rank"], decided["data_base"]) == (1, "new")
    assert "WRONG" in errors
    path = tmp_path / "tuning.jsonl"
    ((found),) = read_tuning(path).values()
    record = found.record
    assert (record.measured_s, record.default_s) == (pytest.approx(2e-5), pytest.approx(4e-5))
    assert (record.rank, record.of) == (1, 4)
    assert (record.machine, record.checked) == ("Fake H200", "candidate 0")
    artifact = roller_mlir.compile(MATMUL, "h200", options=CompileOptions(binaries=False, tuning=path))
    assert [kernel.plan for kernel in artifact.kernels] == [plans_of(MATMUL)[1]]
    assert "20 us measured" in artifact.kernels[0].notes[0]
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.full
def test_a_candidate_that_crashes_costs_nothing_but_itself(tmp_path: Path, driver: Path) -> None:
    process = start(tmp_path, driver, "twice_us40,twice_crash,twice_us30", "--keep", "kept")
    said, errors = process.communicate(timeout=600)
    assert process.returncode == 0, errors
    assert "2 of 3" in said
    assert "1.33x" in said
    assert (tmp_path / "kept" / "results" / "results.json").is_file()
    assert (tmp_path / "kept" / "kit" / "index.json").is_file()
    assert main(["tune", "--import", str(tmp_path / "kept" / "results"), "--db", str(tmp_path / "again.jsonl")]) == 0
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "tuning.jsonl").read_bytes()
    process = start(tmp_path, driver, "twice_us40", "--keep", "kept")
    assert "roller: error: kept cannot be made: file exists" in process.communicate(timeout=600)[1]


@pytest.mark.full
def test_one_candidate_leaves_no_choice(tmp_path: Path, driver: Path) -> None:
    process = start(tmp_path, driver, "twice_us40")
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "there is nothing to choose: each operator has 1 candidate; allow more with --top-k" in errors


@pytest.mark.full
def test_nothing_right_writes_nothing(tmp_path: Path, driver: Path) -> None:
    process = start(tmp_path, driver, "twice_wrong_late,twice_fault")
    said, errors = process.communicate(timeout=600)
    assert process.returncode == 1, errors
    assert "no winner: matmul 64x96 f32, 96x32 f32 -> 64x32 f32: no candidate has a valid time: wrong: " in said
    assert not (tmp_path / "tuning.jsonl").exists()


@pytest.mark.full
def test_an_interrupt_leaves_nothing(tmp_path: Path, driver: Path) -> None:
    process = start(tmp_path, driver, "twice_us40,twice_hang")
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line.startswith("[1/"), line  # the first candidate is checked, the second hangs
    time.sleep(0.5)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 130, errors
    assert errors.rstrip().endswith("roller: interrupted")
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert not list((tmp_path / "tmp").iterdir())
    assert not (tmp_path / "tuning.jsonl").exists()
