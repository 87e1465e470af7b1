# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-normalize`: linalg as users write it becomes linalg as `rtile-construct` takes it.

Precondition: functions of linalg on static tensors. Postcondition: named ops are still named; elementwise arith and
math on tensors are linalg; constants are folded and common subexpressions merged; accumulators that start from a
constant start from `linalg.fill`; loops that every operand runs through contiguously are one loop, except one whose
position the body reads (`linalg.index`); only linalg ops read what a `tensor.pad` or a `tensor.extract_slice` gives;
`linalg.softmax`, `linalg.pack`, `linalg.unpack`, `linalg.winograd_*`, `tensor.concat`, `tensor.insert_slice`,
`tensor.gather` and `tensor.scatter` are linalg ops and paddings; what a body takes by `tensor.extract` is an input at
sums of loops, or an `rtile.gather` of an operand of one dimension at positions that are clamped into their dimensions;
what is written at sums of loops, each element once, is written at loops and reshaped; results that nobody reads are
left out; the largest value of a row and its place are two reductions; each function result is produced by an op of its
own; an `scf.if` of a body is both sides and an `arith.select`; a padding by no constant number is one by zero and an
`arith.select`; operations of affine are arith, those of two results are operations of one; element-wise ops of
constants alone are constants; loops of constant trips are unrolled, those of more than `unroll-limit` steps so that
their steps share kernels; calls are inlined, globals that nothing changes are constants, assertions are left out with a
remark (`roller_mlir.lowering.linalg.front_end` lists these rewrites). Loops of extent 1 stay where nothing is fused:
they cost nothing to plan.

    func.func @f(%x: tensor<8x4x16xf32>, %y: tensor<8x4x16xf32>) -> (tensor<8x4x16xf32>, tensor<8x4x16xf32>) {
      %s = arith.addf %x, %y : tensor<8x4x16xf32>
      return %s, %x
    }
    // becomes
      %cx = tensor.collapse_shape %x [[0, 1, 2]] ...   %cy = ...
      %e = tensor.empty() : tensor<512xf32>
      %c = linalg.generic ins(%cx, %cy : tensor<512xf32>, ...) outs(%e : tensor<512xf32>) { ... arith.addf ... }
      %s = tensor.expand_shape %c [[0, 1, 2]] ...
      %f = tensor.collapse_shape %x [[0, 1, 2]] ...
      %r = linalg.copy ins(%f : tensor<512xf32>) outs(...)
      return %s, (%r, expanded)

Refused: modules without a function, loops of more steps than `launch-limit`, of more steps of different shapes than
`unroll-limit` or of bounds known at run time only, other control flow, calls that cannot be inlined, globals that are
stored to, buffers, dynamic shapes, empty ones that are read, element types that no plan is made for, paddings that are
negative or dynamic, slices of sizes or strides known at run time only, and operations that are neither linalg
structured ops, constants, paddings, slices nor reshapes, and none of those above; each error names its op, type or
function.
Paper: ROLLER section 3.2 (axis fusion).
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.lowering.linalg.accepted_input import check_operations, check_signatures, compiled_functions
from roller_mlir.lowering.linalg.front_end import AFTER_SIMPLIFYING, BEFORE_SIMPLIFYING, rewrite
from roller_mlir.lowering.linalg.front_end.control.unroll import unroll_loops
from roller_mlir.lowering.linalg.reader import is_plain
from roller_mlir.lowering.linalg.rewrite.axis_fusion import fuse_axes
from roller_mlir.lowering.linalg.rewrite.point_loops import add_point_loops
from roller_mlir.lowering.linalg.rewrite.separate import renew_operands, separate_results, separate_views
from roller_mlir.model.options import AxisOptions, LoopOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.foreign.options import option
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.passes.upstream import CLEAN, run_upstream
from roller_mlir.support.values import erase_unread

SIMPLIFY = "builtin.module(convert-elementwise-to-linalg,func.func(canonicalize,cse))"


@register
@dataclass(frozen=True, kw_only=True)
class RTileNormalize(LoopOptions, AxisOptions, Pass):
    """Checks that a module can be compiled and brings it into the form that construction takes."""

    name: ClassVar[str] = "rtile-normalize"
    summary: ClassVar[str] = "check and simplify linalg on tensors for construction"
    requires: ClassVar[frozenset[str]] = frozenset()
    establishes: ClassVar[frozenset[str]] = frozenset({"normalized"})

    point_loops: bool = option(
        False, help="give each op that one thread computes as a whole a loop of one point, for the threads of a block"
    )

    def run(self, module: ir.Module) -> None:
        """Check, simplify, fuse axes and give each result an op of its own."""
        rewrite(module, BEFORE_SIMPLIFYING)
        check_signatures(module)
        run_upstream(SIMPLIFY, module)
        unroll_loops(module, self.unroll_limit, self.launch_limit, lambda: run_upstream(SIMPLIFY, module))
        rewrite(module, AFTER_SIMPLIFYING)
        check_operations(module)
        functions = compiled_functions(module)
        for function in functions:
            renew_operands(function)
            if self.fuse_axes:
                fuse_axes(function)
        run_upstream(CLEAN, module)
        for function in functions:
            if separate_views(function) and self.fuse_axes:
                fuse_axes(function)
            separate_results(function, flat=self.fuse_axes)
            if self.point_loops:
                add_point_loops(function)
            erase_unread(function.entry_block, is_plain)
