# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is weighed before loops are fused is what is planned behind that."""

import pytest

from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.linalg.group.dispatches import named_dispatches
from roller_mlir.lowering.targets.stage import FUSED, NORMALISED
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.rewrite.merge_axes import merge_axes
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

OPS = {
    "a window of one point": ("conv_2d_nchw_fchw", "2x6x5x7", "8x6x1x1", "2x8x5x7", "", 4),
    "with channels last": ("conv_2d_nhwc_hwcf", "2x5x7x6", "1x1x6x8", "2x5x7x8", "", 3),
    "with a stride": ("conv_2d_nchw_fchw", "2x6x5x7", "8x6x1x1", "2x8x3x4", "strides = dense<2> : tensor<2xi64>", 5),
    "a row of a window": ("conv_2d_nchw_fchw", "2x6x5x7", "8x6x1x3", "2x8x5x5", "", 6),
    "no window": ("conv_2d_nchw_fchw", "2x6x5x7", "8x6x3x3", "2x8x3x5", "", 7),
    "one image": ("conv_2d_nhwc_hwcf", "1x5x7x6", "1x1x6x8", "1x5x7x8", "", 3),
    "one row": ("matmul", "1x6", "6x8", "1x8", "", 3),
    "a batch": ("batch_matmul", "3x4x6", "3x6x8", "3x4x8", "", 4),
    "a batch of one": ("batch_matmul", "1x4x6", "1x6x8", "1x4x8", "", 4),
}


def expression_of(text: str, stage: object) -> TensorExpression:
    """Return the expression of the only operator behind a stage."""
    with make_context() as context:
        module = parse_module(lower_until(Source("-", text), "h200", CompileOptions(binaries=False), stage)[0], context)
        (dispatch,) = named_dispatches(module).values()
        return dispatch.expression


def text_of(op: str, image: str, filters: str, result: str, attributes: str = "") -> str:
    x, w, y = (f"tensor<{shape}xf32>" for shape in (image, filters, result))
    return f"""func.func @f(%x: {x}, %w: {w}) -> {y} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {y}
  %i = linalg.fill ins(%z : f32) outs(%e : {y}) -> {y}
  %r = linalg.{op} {{{attributes}}} ins(%x, %w : {x}, {w}) outs(%i : {y}) -> {y}
  return %r : {y}
}}"""


@pytest.mark.parametrize("name", OPS)
def test_loops_are_merged_as_they_are_fused(name: str) -> None:
    *given, loops = OPS[name]
    merged = merge_axes(expression_of(text_of(*given), NORMALISED))
    assert merged == expression_of(text_of(*given), FUSED)
    assert len(merged.loops) == loops


def test_what_reduces_keeps_a_loop() -> None:
    """Behind that it would be another op, which is weighed as it is."""
    given = expression_of(text_of("conv_2d_nchw_fchw", "1x1x5x7", "8x1x1x1", "1x8x5x7"), NORMALISED)
    assert merge_axes(given).reductions()
