# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that another compiler wrote run at the LLVM level as they should: IREE's reductions, for NVPTX and AMDGPU.

The simulator and our code generator come from the same hands, and could share a misunderstanding; IREE's kernels do
not. They use shuffles on NVIDIA, DPP and readlane on AMD, and static and dynamic workgroup memory.
"""

import re
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.lowering.backend.translate import to_llvm_22
from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.llvm.level import lower_llvm

COMPILER = Path(sys.executable).with_name("iree-compile")
STAGES = ("linked", "optimized")
SUM = """
func.func @f(%x: tensor<70x1024xf32>) -> tensor<70xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<70xf32>) -> tensor<70xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<70x1024xf32>) outs(%f : tensor<70xf32>) dimensions = [1]
  return %r : tensor<70xf32>
}
"""
SOFTMAX = """
func.func @f(%x: tensor<70x1024xf32>) -> tensor<70x1024xf32> {
  %e = tensor.empty() : tensor<70x1024xf32>
  %r = linalg.softmax dimension(1) ins(%x : tensor<70x1024xf32>) outs(%e : tensor<70x1024xf32>)
    -> tensor<70x1024xf32>
  return %r : tensor<70x1024xf32>
}
"""
TARGETS = {
    "NVPTX": ("cuda", "--iree-cuda-target=sm_80", 32),
    "AMDGPU": ("hip", "--iree-rocm-target=gfx942", 64),
}


def softmax(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    exponentials = np.exp(x - x.max(1, keepdims=True))
    return exponentials / exponentials.sum(1, keepdims=True)


@lru_cache(maxsize=4)
def compiled_by_iree(source: str, target: str) -> dict[str, str]:
    """Return the LLVM IR of a function's only kernel, by the stage."""
    device, architecture, _ = TARGETS[target]
    with tempfile.TemporaryDirectory() as folder:
        command = [str(COMPILER), f"--iree-hal-target-device={device}", architecture, "-", "-o", f"{folder}/f.vmfb"]
        command.append(f"--iree-hal-dump-executable-intermediates-to={folder}")
        subprocess.run(command, input=source, text=True, check=True, capture_output=True, timeout=600)
        found = {stage: list(Path(folder).glob(f"*.{stage}.ll")) for stage in STAGES}
        assert [len(files) for files in found.values()] == [1, 1]
        return {stage: to_llvm_22(file.read_text()) for stage, (file,) in found.items()}


@pytest.mark.full(every=8)
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("source", "reference"), [(SUM, lambda x: x.sum(1)), (SOFTMAX, softmax)], ids=["sum", "softmax"]
)
def test_kernels_of_iree(source: str, reference: Any, target: str, stage: str) -> None:
    text, subgroup_size = compiled_by_iree(source, target)[stage], TARGETS[target][2]
    name = re.search(r"define \w+_kernel void @(\w+)", text)
    assert name is not None
    kernel = lower_llvm(name[1], text, subgroup_size=subgroup_size)
    (threads,) = {sizes[0] for sizes in kernel.limits.values()}
    simulated = SimulatedKernels(kernel, subgroup_size)
    x = np.random.default_rng(0).integers(-3, 4, (70, 1024)).astype(np.float32)
    expected = reference(x)
    for seed in (None, 0, 1):
        out = np.full_like(expected, np.nan)
        simulated.launch(name[1], 70, threads, 8192, [x, out], seed=seed)
        np.testing.assert_allclose(out, expected, rtol=1e-5)
