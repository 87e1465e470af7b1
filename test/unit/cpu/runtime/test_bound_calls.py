# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls that are bound to their arrays once: results, what is uploaded how often, and arrays that do not fit."""

from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, product, targets

from roller_mlir.plan.manifest import Launch
from roller_mlir.runtime.cpu.backend import CpuBackend
from roller_mlir.runtime.errors import ArgumentError
from roller_mlir.runtime.sequence import LaunchReport, LoadedSequence

WEIGHTS = np.arange(24, dtype=np.float32).reshape(6, 4) - 11
TEXT = f"""func.func @f(%x: tensor<5x6xf32>) -> tensor<5x4xf32> {{
  %zero = arith.constant 0.0 : f32
  %w = arith.constant dense<{WEIGHTS.tolist()}> : tensor<6x4xf32>
  %e = tensor.empty() : tensor<5x4xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<5x4xf32>) -> tensor<5x4xf32>
  %r = linalg.matmul ins(%x, %w : tensor<5x6xf32>, tensor<6x4xf32>) outs(%i : tensor<5x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}}"""


class Counting(CpuBackend):
    """Counts the bytes that are uploaded."""

    def __init__(self) -> None:
        super().__init__(threads=1)
        self.uploaded: list[int] = []

    def upload(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> Any:
        """Upload and count."""
        self.uploaded.append(data.nbytes)
        return super().upload(data, alignment_bytes)


def test_constants_are_uploaded_once_and_a_bound_call_reads_its_arrays_anew() -> None:
    artifact, backend = compiled(TEXT), Counting()
    loaded = LoadedSequence(artifact.manifest, artifact.files, backend)
    constants = [one.size_bytes for one in artifact.manifest.buffers if one.role == "constant"]
    assert constants and sorted(backend.uploaded) == sorted(constants)
    x, y = np.ones((5, 6), np.float32), np.full((5, 4), np.nan, np.float32)
    call = loaded.bound([x], [y])
    for value in (1, 2):
        x[...] = value
        call()
        assert np.array_equal(y, x @ WEIGHTS)
    assert np.array_equal(loaded.run([x]).outputs[0], y)
    assert sorted(backend.uploaded) == sorted([*constants, x.nbytes, x.nbytes])


class Elsewhere(CpuBackend):
    """Writes no array of the caller's, as a device with memory of its own."""

    def adopt(self, data: np.ndarray[Any, Any], alignment_bytes: int) -> None:
        """Take none."""


def test_outputs_that_launches_cannot_reach_are_copied() -> None:
    artifact = compiled(TEXT)
    loaded = LoadedSequence(artifact.manifest, artifact.files, Elsewhere(threads=1))
    x, y = np.full((5, 6), 3, np.float32), np.empty((5, 4), np.float32)
    loaded.bound([x], [y])()
    assert np.array_equal(y, x @ WEIGHTS)


class Plain:
    """A back end that has no cheaper way for the same arguments, and counts its launches."""

    def __init__(self) -> None:
        self._backend, self.launched = CpuBackend(threads=1), 0

    def __getattr__(self, name: str) -> Any:
        if name == "bind":
            raise AttributeError(name)
        return getattr(self._backend, name)

    def launch(self, launch: Launch, arguments: Any) -> LaunchReport:
        """Launch and count."""
        self.launched += 1
        return self._backend.launch(launch, arguments)


def test_what_binds_nothing_is_launched_each_time() -> None:
    artifact, backend = compiled(TEXT), Plain()
    loaded: LoadedSequence[Any] = LoadedSequence(artifact.manifest, artifact.files, backend)
    x, y = np.zeros((5, 6), np.float32), np.empty((5, 4), np.float32)
    call = loaded.bound([x], [y])
    for value in (1, 2):
        x[...] = value
        call()
        assert np.array_equal(y, x @ WEIGHTS)
    assert backend.launched == 2 * len(artifact.manifest.launches)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.skipif("haswell" not in targets(), reason="this machine runs no code for AVX2")
def test_kernels_that_pack_have_a_scratch_for_each_thread(threads: int) -> None:
    artifact = compiled(product(60, 1024, 128), "haswell")
    (launch,) = artifact.manifest.launches
    size = launch.dynamic_workgroup_bytes
    assert size and prod(launch.static_grid) >= 3
    backend = CpuBackend(threads=threads)
    loaded = LoadedSequence(artifact.manifest, artifact.files, backend)
    rng = np.random.default_rng(3)
    a, b, c = (np.empty(shape, np.float32) for shape in ((60, 128), (128, 1024), (60, 1024)))
    call = loaded.bound([a, b], [c])
    for memory in backend._scratch:
        memory.owner[...] = 0
    for _ in range(3):
        a[...], b[...] = rng.integers(-4, 5, a.shape), rng.integers(-4, 5, b.shape)
        call()
        assert np.array_equal(c, a @ b)
    places = sorted(memory.address for memory in backend._scratch)
    assert len(places) == threads and all(memory.size_bytes >= size for memory in backend._scratch)
    assert all(later - earlier >= size for earlier, later in pairwise(places))
    assert all(memory.owner.any() for memory in backend._scratch)  # each thread packed in its own


def test_arrays_are_checked_when_they_are_bound() -> None:
    artifact = compiled(TEXT)
    loaded = LoadedSequence(artifact.manifest, artifact.files, CpuBackend(threads=1))
    x, y = np.ones((5, 6), np.float32), np.empty((5, 4), np.float32)
    with pytest.raises(ArgumentError, match="must have shape"):
        loaded.bound([x[:4]], [y])
    with pytest.raises(ArgumentError, match="gives 1 outputs, but out has 0"):
        loaded.bound([x], [])
