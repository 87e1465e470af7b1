# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Artifacts that are opened on this machine: loaded once, called often, and given back."""

import gc
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, product, said_by

from roller_mlir.runtime import Artifact, sequence
from roller_mlir.runtime.cpu import backend as module
from roller_mlir.runtime.cpu.backend import CpuBackend
from roller_mlir.runtime.cpu.program import HostProgram
from roller_mlir.runtime.errors import ArgumentError, BackendError

CHAIN = """func.func @chain(%a: tensor<9x12xf32>, %b: tensor<12x20xf32>, %d: tensor<20x7xf32>) -> tensor<9x7xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<9x20xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<9x20xf32>) -> tensor<9x20xf32>
  %c = linalg.matmul ins(%a, %b : tensor<9x12xf32>, tensor<12x20xf32>) outs(%i : tensor<9x20xf32>) -> tensor<9x20xf32>
  %f = tensor.empty() : tensor<9x7xf32>
  %j = linalg.fill ins(%zero : f32) outs(%f : tensor<9x7xf32>) -> tensor<9x7xf32>
  %g = linalg.matmul ins(%c, %d : tensor<9x20xf32>, tensor<20x7xf32>) outs(%j : tensor<9x7xf32>) -> tensor<9x7xf32>
  return %g : tensor<9x7xf32>
}"""
"""Two products, of which the first has its result in the workspace."""


@pytest.fixture(scope="module")
def artifact() -> Artifact:
    return compiled(CHAIN)


@pytest.fixture
def program(artifact: Artifact) -> HostProgram:
    return _open(artifact, threads=2)


def _open(artifact: Artifact, **options: object) -> HostProgram:
    found = artifact.open("cpu", **options)
    assert isinstance(found, HostProgram)
    return found


def _inputs(seed: int = 0) -> list[np.ndarray]:
    numbers = np.random.default_rng(seed)
    return [numbers.integers(-3, 4, shape).astype(np.float32) for shape in ((9, 12), (12, 20), (20, 7))]


def _expected(arrays: list[np.ndarray]) -> np.ndarray:
    return arrays[0] @ arrays[1] @ arrays[2]


def _mapped() -> int:
    gc.collect()
    return Path("/proc/self/maps").read_text(encoding="utf-8").count("function.so")


def test_a_program_is_loaded_once_and_called_often(artifact: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded, load = list[str](), module._library

    def counted(function: str, content: bytes) -> Any:
        loaded.append(function)
        return load(function, content)

    monkeypatch.setattr(module, "_library", counted)
    program = _open(artifact, threads=1)
    results = [program(*_inputs(seed))[0] for seed in range(3)]
    assert all(np.array_equal(found, _expected(_inputs(seed))) for seed, found in enumerate(results))
    assert not any(np.shares_memory(results[0], other) for other in results[1:])
    assert loaded == ["chain"]


def test_results_go_into_the_arrays_that_are_given(program: HostProgram) -> None:
    arrays, given = _inputs(), np.full((9, 7), np.nan, np.float32)
    (found,) = program(*arrays, outputs=[given])
    assert found is given
    assert np.array_equal(given, _expected(arrays))


def test_a_prepared_call_reads_and_writes_the_same_arrays_each_time(program: HostProgram) -> None:
    arrays, given = _inputs(), np.empty((9, 7), np.float32)
    run = program.prepare(*arrays, outputs=[given])
    for seed in (1, 2):
        for array, other in zip(arrays, _inputs(seed), strict=True):
            array[...] = other
        run()
        assert np.array_equal(given, _expected(arrays))


def test_all_calls_have_one_workspace(artifact: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    made, allocate = list[int](), CpuBackend.allocate

    def counted(self: CpuBackend, size_bytes: int, alignment_bytes: int) -> Any:
        made.append(size_bytes)
        return allocate(self, size_bytes, alignment_bytes)

    monkeypatch.setattr(CpuBackend, "allocate", counted)
    program = _open(artifact)
    given = np.empty((9, 7), np.float32)
    workspace = artifact.manifest.workspace_bytes
    assert workspace and made.count(workspace) == 1
    for _ in range(3):
        program(*_inputs(), outputs=[given])
    program.prepare(*_inputs(), outputs=[given])()
    assert made.count(workspace) == 1


@pytest.mark.parametrize(("threads", "together"), [(1, 64), (2, 64), (2, 1)])
def test_launches_between_others_are_bound_once(threads: int, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They read constants and the workspace alone, which are the same in all calls; so many are one call."""
    monkeypatch.setattr(sequence, "MOST_TOGETHER", together)
    numbers = np.random.default_rng(3)
    weights = [numbers.integers(-2, 3, (16, 16)).astype(np.float32) for _ in range(4)]
    steps, last = list[str](), "%x"
    for number, weight in enumerate(weights):
        steps.append(
            f"""%w{number} = arith.constant dense<{weight.tolist()}> : tensor<16x16xf32>
  %r{number} = linalg.matmul ins({last}, %w{number} : tensor<48x16xf32>, tensor<16x16xf32>)
    outs(%i : tensor<48x16xf32>) -> tensor<48x16xf32>"""
        )
        last = f"%r{number}"
    text = f"""func.func @f(%x: tensor<48x16xf32>) -> tensor<48x16xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<48x16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<48x16xf32>) -> tensor<48x16xf32>
  {"".join(steps)}
  return {last} : tensor<48x16xf32>
}}"""
    artifact, bound, bind = compiled(text), list[list[str]](), CpuBackend.bind

    def counted(self: CpuBackend, launches: Any) -> Any:
        bound.append([launch.kernel for launch, _ in launches])
        return bind(self, launches)

    monkeypatch.setattr(CpuBackend, "bind", counted)
    program = _open(artifact, threads=threads)
    order = [launch.kernel for launch in artifact.manifest.launches]
    assert len(order) == 4 and bound == ([order[1:3]] if together > 1 else [order[1:2], order[2:3]])
    for seed in range(3):
        del bound[:]
        x = np.random.default_rng(seed).integers(-2, 3, (48, 16)).astype(np.float32)
        (found,) = program(x)
        np.testing.assert_array_equal(found, x @ weights[0] @ weights[1] @ weights[2] @ weights[3])
        assert bound == [order[:1], order[3:]]


def test_calls_of_several_threads_take_turns(artifact: Artifact, monkeypatch: pytest.MonkeyPatch) -> None:
    inside, most, launch = list[int](), list[int](), CpuBackend.launch

    def watched(self: CpuBackend, *arguments: Any) -> Any:
        inside.append(0)
        most.append(len(inside))
        time.sleep(0.005)  # others would come in meanwhile
        try:
            return launch(self, *arguments)
        finally:
            inside.pop()

    monkeypatch.setattr(CpuBackend, "launch", watched)
    program = _open(artifact, threads=2)
    found: dict[int, np.ndarray] = {}

    def call(seed: int) -> None:
        if seed % 2:
            found[seed] = program(*_inputs(seed))[0]
        else:
            found[seed] = np.empty((9, 7), np.float32)
            program.prepare(*_inputs(seed), outputs=[found[seed]])()

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(found[seed], _expected(_inputs(seed))) for seed in range(4))
    assert max(most) == 1


def test_libraries_and_threads_are_given_back(artifact: Artifact) -> None:
    before, threads = _mapped(), threading.active_count()
    program = _open(artifact, threads=3)
    assert _mapped() > before
    program(*_inputs())
    assert threading.active_count() == threads + 2
    del program
    assert (_mapped(), threading.active_count()) == (before, threads)
    for _ in range(3):
        artifact.run(*_inputs(), on="cpu", threads=3)
    assert (_mapped(), threading.active_count()) == (before, threads)


def test_a_program_ends_with_its_process(artifact: Artifact, tmp_path: Path) -> None:
    artifact.save(tmp_path / "chain.roller")
    script = (
        "import numpy as np\n"
        "from roller_mlir.runtime import Artifact\n"
        "program = Artifact.load('chain.roller').open('cpu', threads=3)\n"
        "print(program, program(*(np.ones(s, 'f4') for s in ((9, 12), (12, 20), (20, 7))))[0][0, 0])\n"
    )
    assert said_by(script, tmp_path) == (0, "Program('chain' on 3 threads) 240.0\n", "")


def test_bf16_comes_back_as_it_was_given() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")
    program = _open(compiled(product(4, 6, 8, "bf16")))
    a, b = np.ones((4, 8), ml_dtypes.bfloat16), np.ones((8, 6), ml_dtypes.bfloat16)
    (found,) = program(a, b)
    assert found.dtype == ml_dtypes.bfloat16 and (found.astype(np.float32) == 8).all()
    given = np.zeros((4, 6), ml_dtypes.bfloat16)
    program.prepare(a, b, outputs=[given])()
    assert (given.astype(np.float32) == 8).all()


def test_what_does_not_fit_is_refused(artifact: Artifact, program: HostProgram) -> None:
    arrays = _inputs()
    with pytest.raises(ArgumentError, match="takes 3 inputs, but got 2"):
        program(*arrays[:2])
    with pytest.raises(ArgumentError, match="gives 1 outputs, but out has 0"):
        program.prepare(*arrays, outputs=[])
    with pytest.raises(BackendError, match="threads must be a number of threads from 1 to 1024, but is 0"):
        artifact.open("cpu", threads=0)
    device = replace(artifact.manifest.device, name="h200", vendor="nvidia")
    with pytest.raises(BackendError, match="was compiled for h200 of nvidia; cpu runs devices of cpu"):
        Artifact(replace(artifact.manifest, device=device), artifact.files).open("cpu")
