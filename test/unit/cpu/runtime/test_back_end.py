# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The back end of this machine: threads, arrays where they lie, what it refuses, and no compiler at run time."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, product, said_by

from roller_mlir.runtime import Artifact
from roller_mlir.runtime.arguments.checks import first_shared
from roller_mlir.runtime.cpu import features
from roller_mlir.runtime.cpu.threads import thread_count
from roller_mlir.runtime.errors import ArgumentError, BackendError

TEXT = product(37, 70, 24)


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    return compiled(TEXT)


def _inputs() -> tuple[np.ndarray, np.ndarray]:
    numbers = np.random.default_rng(0)
    return tuple(numbers.integers(-4, 5, shape).astype(np.float32) for shape in ((37, 24), (24, 70)))  # pyrefly: ignore


@pytest.mark.parametrize("threads", [1, 2, 3, 64])
def test_any_number_of_threads_gives_the_same(artifact: Artifact, threads: int) -> None:
    a, b = _inputs()
    (found,) = artifact.run(a, b, on="cpu", threads=threads)
    assert np.array_equal(found, a @ b)


@pytest.mark.parametrize(
    ("said", "asked", "message"),
    [
        ("x", None, "ROLLER_NUM_THREADS must be a number of threads from 1 to 1024, but is 'x'"),
        ("0", None, "ROLLER_NUM_THREADS must be a number of threads from 1 to 1024, but is '0'"),
        ("2", 0, "threads must be a number of threads from 1 to 1024, but is 0"),
        ("3", "2", "threads must be a number of threads from 1 to 1024, but is '2'"),
        ("3", 1.5, "threads must be a number of threads from 1 to 1024, but is 1.5"),
        ("2", 1025, "threads must be a number of threads from 1 to 1024, but is 1025"),
    ],
)
def test_a_wrong_number_of_threads_is_refused(
    monkeypatch: pytest.MonkeyPatch, said: str, asked: Any, message: str, artifact: Artifact
) -> None:
    monkeypatch.setenv("ROLLER_NUM_THREADS", said)
    with pytest.raises(BackendError, match=message):
        thread_count(asked)
    with pytest.raises(BackendError, match=message):
        artifact.run(*_inputs(), on="cpu", threads=asked)


def test_the_environment_says_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_NUM_THREADS", "3")
    assert (thread_count(), thread_count(2)) == (3, 2)
    monkeypatch.delenv("ROLLER_NUM_THREADS")
    assert thread_count() >= 1


def test_inputs_are_read_where_they_lie_and_outputs_are_new(artifact: Artifact) -> None:
    a, b = _inputs()
    first, second = (artifact.run(a, b, on="cpu")[0] for _ in range(2))
    assert not np.shares_memory(first, second) and first.flags.writeable


def test_a_misaligned_array_is_refused(artifact: Artifact) -> None:
    a, b = _inputs()
    odd = np.empty(a.nbytes + 4, np.uint8)[4:].view(np.float32).reshape(a.shape)
    if odd.ctypes.data % 16 == 0:
        odd = np.empty(a.nbytes + 8, np.uint8)[8:].view(np.float32).reshape(a.shape)
    with pytest.raises(ArgumentError, match="must begin at a multiple of 16 B, but its address is .* B past one"):
        artifact.run(odd, b, on="cpu")


def test_a_machine_without_the_instructions_is_told(artifact: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(features, "host_flags", lambda: frozenset({"sse2", "avx2", "fma", "bmi2", "f16c"}))
    manifest = artifact.manifest
    newer = replace(manifest, device=replace(manifest.device, name="spr", architecture="sapphirerapids"))
    with pytest.raises(
        BackendError, match=r"for spr: its code for sapphirerapids needs avx512f, .*; compile for 'host'"
    ):
        Artifact(newer, artifact.files).run(*_inputs(), on="cpu")
    other = replace(manifest, device=replace(manifest.device, name="neoverse-v1", architecture="neoverse-v1"))
    with pytest.raises(BackendError, match="for neoverse-v1: its code is for AArch64, but this machine is x86_64"):
        Artifact(other, artifact.files).run(*_inputs(), on="cpu")


def test_an_artifact_of_another_family_is_refused(artifact: Artifact) -> None:
    device = replace(artifact.manifest.device, name="h200", vendor="nvidia")
    with pytest.raises(BackendError, match="was compiled for h200 of nvidia; cpu runs devices of cpu"):
        Artifact(replace(artifact.manifest, device=device), artifact.files).run(*_inputs(), on="cpu")


def test_an_artifact_without_a_library_is_refused() -> None:
    bare = compiled(TEXT, binaries=False)
    with pytest.raises(BackendError, match="'product' has no shared library; compile it with binaries"):
        bare.run(*_inputs(), on="cpu")


def test_a_damaged_library_is_refused(artifact: Artifact) -> None:
    library = artifact.manifest.file("library")
    assert library is not None
    with pytest.raises(BackendError, match="the shared library of 'product' cannot be loaded"):
        Artifact(artifact.manifest, {**artifact.files, library.name: b"nothing"}).run(*_inputs(), on="cpu")


def test_nothing_of_the_compiler_is_imported_to_run(artifact: Artifact, tmp_path: Path) -> None:
    artifact.save(tmp_path / "product.roller")
    script = (
        "import sys\n"
        "for name in ('torch_mlir', 'llvmlite', 'iree'): sys.modules[name] = None\n"
        "import numpy as np\n"
        "from roller_mlir.runtime import Artifact\n"
        "ones = Artifact.load('product.roller').run(np.ones((37, 24), 'f4'), np.ones((24, 70), 'f4'), on='cpu')\n"
        "assert (ones[0] == 24).all() and not any(one.startswith('roller_mlir.compiler') for one in sys.modules)\n"
    )
    assert said_by(script, tmp_path) == (0, "", "")


def test_results_go_into_the_arrays_that_are_given(artifact: Artifact) -> None:
    a, b = _inputs()
    given = np.full((37, 70), np.nan, np.float32)
    (found,) = artifact.run(a, b, on="cpu", out=[given])
    assert found is given
    assert np.array_equal(given, a @ b)
    past = np.empty(37 * 70 * 4 + 4, np.uint8)[4:].view(np.float32).reshape(37, 70)  # perhaps not where vectors begin
    if past.ctypes.data % 16 == 0:
        artifact.run(a, b, on="cpu", out=[past])
        assert np.array_equal(past, a @ b)


def test_the_simulator_fills_given_arrays_too() -> None:
    text = product(8, 32, 4)
    a, b, given = np.ones((8, 4), np.float32), np.ones((4, 32), np.float32), np.zeros((8, 32), np.float32)
    compiled(text, "h200").run(a, b, out=[given])
    assert given.tolist() == [[4.0] * 32] * 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda a: [], r"gives 1 outputs, but out has 0"),
        (lambda a: [np.empty((37, 71), np.float32)], r"output 0 .* must have shape \(37, 70\), but has \(37, 71\)"),
        (lambda a: [np.empty((37, 70))], r"must have dtype float32"),
        (lambda a: [np.empty((70, 37), np.float32).T], r"must be dense and row-major"),
        (lambda a: [_frozen()], r"must be writeable, but the array given as out is not"),
        (lambda a: [a.base[: 37 * 70].reshape(37, 70)], r"must share no memory with inputs and other outputs"),
    ],
)
def test_arrays_that_cannot_be_written_are_refused(
    artifact: Artifact, make: Callable[[np.ndarray], list[np.ndarray]], message: str
) -> None:
    a, b = _inputs()
    memory = np.zeros(37 * 70, np.float32)
    whole = memory[: 37 * 24].reshape(37, 24)
    whole[...] = a
    with pytest.raises(ArgumentError, match=message):
        artifact.run(whole, b, on="cpu", out=make(whole))


def _frozen() -> np.ndarray:
    made = np.zeros((37, 70), np.float32)
    made.flags.writeable = False
    return made


@pytest.mark.parametrize("seed", range(4))
def test_arrays_that_share_memory_are_found_among_many(seed: int) -> None:
    draw, memory = random.Random(seed), np.zeros(48, np.int8)
    for _ in range(1500):
        ends = [sorted(draw.choices(range(49), k=2)) for _ in range(draw.randint(1, 5))]
        arrays = [memory[start:end] for start, end in ends]
        count = draw.randint(0, len(arrays))
        inputs, outputs = arrays[:count], arrays[count:]
        wrong = {
            number
            for number, one in enumerate(outputs)
            if any(np.may_share_memory(one, other) for other in (*inputs, *outputs[:number]))
        }
        found = first_shared(inputs, outputs)
        assert (found is None) == (not wrong), (ends, count)


def test_an_artifact_of_a_cpu_runs_here_by_default(artifact: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roller_mlir.sim.launcher.SimulatorBackend.open", None)
    a, b = _inputs()
    (here,) = artifact.run(a, b)
    np.testing.assert_array_equal(here, artifact.run(a, b, on="cpu")[0])
    np.testing.assert_array_equal(here, artifact.open()(a, b)[0])
