# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR kernels that several tests of the LLVM level share, and how they run."""

from typing import Any

import numpy as np

from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.llvm.level import lower_llvm


def launch(text: str, args: list[Any], block: Any = 64, subgroup: int = 32, grid: Any = 1, **options: Any) -> None:
    """Runs the kernel @k."""
    lowered = lower_llvm("k", text, subgroup_size=subgroup)
    dynamic = options.pop("dynamic", 0)
    SimulatedKernels(lowered, subgroup).launch("k", grid, block, dynamic, args, **options)


NVIDIA = """
define ptx_kernel void @k(ptr noalias align 16 %0, ptr %1) {{
  %3 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %4 = sext i32 %3 to i64
  %5 = getelementptr inbounds i32, ptr %0, i64 %4
  %6 = load i32, ptr %5, align 4
  {body}
  %out = getelementptr inbounds i32, ptr %1, i64 %4
  store i32 %r, ptr %out, align 4
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
AMD = NVIDIA.replace("ptx_kernel", "amdgpu_kernel").replace(
    "llvm.nvvm.read.ptx.sreg.tid.x", "llvm.amdgcn.workitem.id.x"
)


def lanes(text: str, threads: int = 64, subgroup: int = 32) -> np.ndarray[Any, Any]:
    """Return what each thread finds; each gives 100 plus its number."""
    x, out = np.arange(100, 100 + threads, dtype=np.int32), np.zeros(threads, np.int32)
    launch(text, [x, out], threads, subgroup)
    return out


HELPER = """
define internal float @twice(float %0) {
  %2 = fmul float %0, 2.0
  ret float %2
}
define ptx_kernel void @k(ptr %0) {
  %2 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %3 = getelementptr float, ptr %0, i32 %2
  %4 = load float, ptr %3, align 4
  %5 = call float @twice(float %4)
  store float %5, ptr %3, align 4
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
"""
