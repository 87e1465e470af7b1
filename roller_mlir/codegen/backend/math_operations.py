# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the math dialect before the vendors' lowerings, alike for every vendor and for the simulator.

    %r = math.exp %x : bf16                     %w = arith.extf %x      %e = math.exp %w : f32     %r = arith.truncf %e
    %r = math.fpowi %x, 3 : f32, i32            two multiplications; where the exponent is no constant, math.powf

f16 and bf16 are computed in f32 and rounded once: no library has functions of bf16, and those of f16 differ. math.fma
stays as it is, because a sum in f32 would be rounded twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roller_mlir.codegen.backend.kernel_module import gpu_modules, walk
from roller_mlir.support.bindings import ir

MATH_PASSES = "math-expand-ops{ops=fpowi},math-extend-to-supported-types{target-type=f32}"
"""Upstream passes to run on a gpu.module, or on a module of functions, before anything else of a lowering."""

_FLAGS = "fastmath"


def use_intrinsics(module: ir.Module, intrinsics: Mapping[str, str]) -> None:
    """Replaces math operations by operations of the LLVM dialect that compute the same.

    Args:
        module: with gpu.module ops; host code stays as it is.
        intrinsics: an op of the LLVM dialect per math op, of as many operands.
    """
    found: list[Any] = []

    def visit(op: Any) -> None:
        if op.name in intrinsics:
            found.append(op)

    for gpu_module in gpu_modules(module):
        walk(gpu_module, visit)
    for op in found:
        attributes: dict[str, Any] = {}
        if _FLAGS in op.attributes:
            flags = str(op.attributes[_FLAGS]).replace("#arith.fastmath", "#llvm.fastmath")
            attributes["fastmathFlags"] = ir.Attribute.parse(flags, module.context)
        with ir.InsertionPoint(op), op.location:
            new: Any = ir.Operation.create(
                intrinsics[op.name], results=[op.results[0].type], operands=list(op.operands), attributes=attributes
            )
        op.results[0].replace_all_uses_with(new.results[0])
        op.erase()
