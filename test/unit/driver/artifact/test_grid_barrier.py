# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel written by hand: two operators in one persistent kernel, with a barrier of the whole grid between them."""

import re
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.runtime import Artifact, find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.tools.roller import main as roller

KERNEL = string.Template(Path(__file__).with_name("persistent.mlir.in").read_text())


def compiled(blocks: int = 6, change: Callable[[str], str] = str, *, binaries: bool = False) -> Artifact:
    text = change(KERNEL.substitute(m=64, n=48, k=32, blocks=blocks))
    return compile_kernel_module(Source("-", text), "h200", CompileOptions(binaries=binaries))


def run(artifact: Artifact, blocks: int, seed: int) -> tuple[Any, Any]:
    """Return what the kernel says and what numpy says."""
    random = np.random.default_rng(0)
    a = random.integers(-4, 5, (64, 32)).astype(np.float32)
    b = random.integers(-4, 5, (32, 48)).astype(np.float32)
    (out,) = artifact.run(a, b, seed=seed)
    return out, np.maximum(a @ b, 0).sum(1)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("blocks", [1, 6, 40])
@pytest.mark.parametrize("seed", [0, 1])
def test_two_operators_in_one_persistent_kernel(blocks: int, seed: int) -> None:
    artifact = compiled(blocks)
    assert artifact.manifest.launches[0].cooperative
    np.testing.assert_array_equal(*run(artifact, blocks, seed))


def test_the_counter_is_state_that_is_zeroed_once_and_kept() -> None:
    artifact = compiled(6)
    manifest = artifact.manifest
    assert [(buffer.role, buffer.shape) for buffer in manifest.buffers if buffer.role == "state"] == [("state", (1,))]
    assert manifest.state_bytes == 4 and manifest.inputs == ("input0", "input1")
    loaded = LoadedSequence(manifest, artifact.files, find_backend("sim", {"seed": 1}))
    random = np.random.default_rng(0)
    for _ in range(10):  # in a row, without a reset
        a = random.integers(-4, 5, (64, 32)).astype(np.float32)
        b = random.integers(-4, 5, (32, 48)).astype(np.float32)
        np.testing.assert_array_equal(loaded.run([a, b]).outputs[0], np.maximum(a @ b, 0).sum(1))


def test_without_the_grid_barrier_the_simulator_finds_it_wrong() -> None:
    def remove_wait(text: str) -> str:
        changed = re.sub(r"scf\.while.*?scf\.yield\n *}\n", "", text, count=1, flags=re.DOTALL)
        assert "%goal = " in changed and "%early" not in changed
        return changed

    artifact = compiled(change=remove_wait)
    found = [run(artifact, 6, seed) for seed in range(4)]
    assert any((out != expected).any() for out, expected in found)


def test_the_grid_barrier_is_ordered_in_ptx() -> None:
    ptx = compiled(binaries=True).text("ptx")
    body = re.findall(r"bar\.sync|fence\.acq_rel\.gpu|atom\.[\w.]+|ld\.acquire\.gpu[\w.]*", ptx)
    at = next(i for i, op in enumerate(body) if op.startswith("atom"))
    assert body[at - 2 : at] == ["bar.sync", "fence.acq_rel.gpu"]
    assert body[at + 1].startswith("ld.acquire.gpu")
    assert body[at + 2 : at + 4] == ["fence.acq_rel.gpu", "bar.sync"]
    assert "ld.global.nc" not in ptx, "what another block writes must not be read through the constant cache"


def test_kernels_written_by_hand_have_no_reference(tmp_path: Path, capsys: Any) -> None:
    compiled(1).save(tmp_path / "persistent")
    assert roller(["run", str(tmp_path / "persistent"), "--random", "--check"]) == 2
    assert "was not compiled from linalg ops" in capsys.readouterr().err
