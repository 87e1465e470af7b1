# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axis fusion: the groups keep every operand's elements in the same row-major order (checked by enumeration)."""

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import roller_mlir.passes  # noqa: F401 - makes rtile-normalize known
from roller_mlir.lowering.linalg.reader import is_structured, read_structured
from roller_mlir.lowering.linalg.rewrite.axis_groups import OperandIndexing, fusible_groups
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.passes.pipeline import run_pipeline
from roller_mlir.support.values import indexing_maps, operations_inside

PADDING = 2
"""Elements before a padded dimension; as many stand behind it."""

Dimensions = list[tuple[int, bool]]
"""Per dimension of an operand, its loop and whether it is padded."""


@st.composite
def nests(draw: st.DrawFn) -> tuple[list[Dimensions], list[str], list[int]]:
    count = draw(st.integers(1, 4))
    extents = [draw(st.integers(1, 3)) for _ in range(count)]
    operands = [
        [
            (loop, extents[loop] > 1 and draw(st.integers(0, 3)) == 0)
            for loop in draw(st.permutations(sorted(draw(st.sets(st.integers(0, count - 1))))))
        ]
        for _ in range(draw(st.integers(1, 3)))
    ]
    kinds = [draw(st.sampled_from(["parallel", "reduction"])) for _ in range(count)]
    return operands, kinds, extents


def operand_of(dimensions: Dimensions, extents: list[int]) -> OperandIndexing:
    plain = tuple(loop if extents[loop] > 1 else None for loop, _ in dimensions)
    return OperandIndexing(
        plain,
        tuple(loop for loop in plain if loop is not None),
        tuple(not padded for _, padded in dimensions),
        tuple(loop is None for loop in plain),
    )


def linear(at: list[int], sizes: list[int]) -> int:
    position = 0
    for index, size in zip(at, sizes, strict=True):
        position = position * size + index
    return position


@settings(deadline=None, max_examples=3 * settings().max_examples)
@given(nests())
def test_fused_loops_reach_the_same_elements(nest: tuple[list[Dimensions], list[str], list[int]]) -> None:
    operands, kinds, extents = nest
    units = [loop for loop, extent in enumerate(extents) if extent == 1]
    groups = fusible_groups([operand_of(each, extents) for each in operands], kinds, units)
    assert sorted(loop for group in groups for loop in group) == [
        loop for loop in range(len(kinds)) if extents[loop] > 1
    ]
    for group in groups:
        assert len({kinds[loop] for loop in group}) == 1
    group_of = {loop: number for number, group in enumerate(groups) for loop in group}
    for values in product(*(range(extent) for extent in extents)):
        fused_at = [linear([values[i] for i in group], [extents[i] for i in group]) for group in groups]
        for dimensions in operands:
            shifts = [PADDING if padded else 0 for _, padded in dimensions]
            sizes = [extents[loop] + 2 * shift for (loop, _), shift in zip(dimensions, shifts, strict=True)]
            whole = linear([values[loop] + s for (loop, _), s in zip(dimensions, shifts, strict=True)], sizes)
            numbers = list(dict.fromkeys(group_of[loop] for loop, _ in dimensions if loop in group_of))
            own = [[d for d, (loop, _) in enumerate(dimensions) if group_of.get(loop) == number] for number in numbers]
            fused_sizes = [prod(sizes[d] for d in each) for each in own]
            fused_shifts = [shifts[each[0]] * prod(sizes[d] for d in each[1:]) for each in own]
            assert not any(shifts[d] for each in own for d in each[1:])
            assert whole == linear(
                [fused_at[number] + s for number, s in zip(numbers, fused_shifts, strict=True)], fused_sizes
            )


def test_loops_that_every_operand_has_one_behind_the_other_are_fused() -> None:
    plain = OperandIndexing.plain
    assert fusible_groups([plain(0, 1, 2), plain(2)], ["parallel"] * 3) == [[0, 1], [2]]
    assert fusible_groups([plain(0, 1), plain(1, 0)], ["parallel"] * 2) == [[0], [1]]
    assert fusible_groups([plain(0, 1)], ["parallel", "reduction"]) == [[0], [1]]
    assert fusible_groups([plain(0, 1, 2)], ["parallel"] * 3) == [[0, 1, 2]]
    assert fusible_groups([plain(2, 0, 1), plain(2, 0)], ["parallel"] * 3) == [[2, 0], [1]]
    assert fusible_groups([], []) == []


def window(op: str, image: str, padded: str, kernel: str, result: str, attributes: str = "", pad: str = "") -> str:
    source = f"%x = tensor.pad %image {pad} : {image} to {padded}" if pad else ""
    return f"""func.func @f(%image: {image}, %w: {kernel}, %i: {result}) -> {result} {{
  %zero = arith.constant 0.0 : f32
  {source}
  %r = linalg.{op} {attributes} ins({"%x" if pad else "%image"}, %w : {padded}, {kernel})
      outs(%i : {result}) -> {result}
  return %r : {result}
}}"""


BODY = "{ ^bb0(%a: index, %b: index, %c: index, %d: index): tensor.yield %zero : f32 }"
IMAGE = "tensor<2x6x17x11xf32>"
STRIDE_2 = "{strides = dense<2> : tensor<2xi64>}"
ELEMENTWISE = """func.func @f(%x: tensor<17x11x3xf32>, %y: tensor<17x11x3xf32>) -> tensor<17x11x3xf32> {
  %r = arith.addf %x, %y : tensor<17x11x3xf32>
  return %r : tensor<17x11x3xf32>
}"""
BATCH_NORM = """#all = affine_map<(n, c, h, w) -> (n, c, h, w)>
func.func @f(%x: tensor<2x6x17x11xf32>, %y: tensor<6xf32>) -> tensor<2x6x17x11xf32> {
  %e = tensor.empty() : tensor<2x6x17x11xf32>
  %r = linalg.generic {indexing_maps = [#all, affine_map<(n, c, h, w) -> (c)>, #all],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%x, %y : tensor<2x6x17x11xf32>, tensor<6xf32>) outs(%e : tensor<2x6x17x11xf32>) {
  ^bb0(%v: f32, %s: f32, %o: f32):
    %m = arith.mulf %v, %s : f32
    linalg.yield %m : f32
  } -> tensor<2x6x17x11xf32>
  return %r : tensor<2x6x17x11xf32>
}"""
MEAN = """func.func @f(%x: tensor<128x40x11x11xf32>) -> tensor<128x40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<128x40xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<128x40xf32>) -> tensor<128x40xf32>
  %r = linalg.reduce { arith.addf } ins(%x : tensor<128x40x11x11xf32>) outs(%i : tensor<128x40xf32>) dimensions = [2, 3]
  return %r : tensor<128x40xf32>
}"""

CASES: dict[str, tuple[str, list[int], list[tuple[int, ...]]]] = {
    "element-wise 17x11x3 (the paper's example)": (ELEMENTWISE, [561], [(561,), (561,)]),
    "scale of channels": (BATCH_NORM, [2, 6, 187], [(2, 6, 187), (6,)]),
    "mean of the last two axes": (MEAN, [5120, 121], [(5120, 121)]),
    "conv 1x1 nchw": (
        window("conv_2d_nchw_fchw", IMAGE, IMAGE, "tensor<8x6x1x1xf32>", "tensor<2x8x17x11xf32>"),
        [2, 8, 187, 6],
        [(2, 6, 187), (8, 6)],
    ),
    "conv 1x1 nhwc": (
        window(
            "conv_2d_nhwc_hwcf", "tensor<2x17x11x6xf32>", "tensor<2x17x11x6xf32>", "tensor<1x1x6x8xf32>",
            "tensor<2x17x11x8xf32>",
        ),
        [374, 8, 6],
        [(374, 6), (6, 8)],
    ),
    "conv 1x1 nchw, padded": (
        window(
            "conv_2d_nchw_fchw", IMAGE, "tensor<2x6x19x11xf32>", "tensor<8x6x1x1xf32>", "tensor<2x8x19x11xf32>",
            pad=f"low[0, 0, 1, 0] high[0, 0, 1, 0] {BODY}",
        ),
        [2, 8, 209, 6],
        [(2, 6, 187), (8, 6)],
    ),
    "conv 1x1 nchw, padded in rows": (
        window(
            "conv_2d_nchw_fchw", IMAGE, "tensor<2x6x17x13xf32>", "tensor<8x6x1x1xf32>", "tensor<2x8x17x13xf32>",
            pad=f"low[0, 0, 0, 1] high[0, 0, 0, 1] {BODY}",
        ),
        [2, 8, 17, 13, 6],
        [(2, 6, 17, 11), (8, 6)],
    ),
    "conv 1x1 nchw of stride 2": (
        window("conv_2d_nchw_fchw", IMAGE, IMAGE, "tensor<8x6x1x1xf32>", "tensor<2x8x9x6xf32>", STRIDE_2),
        [2, 8, 9, 6, 6],
        [(2, 6, 17, 11), (8, 6)],
    ),
    "max pooling nchw, padded": (
        window(
            "pooling_nchw_max", IMAGE, "tensor<2x6x19x13xf32>", "tensor<3x3xf32>", "tensor<2x6x17x11xf32>",
            pad=f"low[0, 0, 1, 1] high[0, 0, 1, 1] {BODY}",
        ),
        [12, 17, 11, 3, 3],
        [(12, 17, 11)],
    ),
    "depthwise conv nchw": (
        window("depthwise_conv_2d_nchw_chw", IMAGE, IMAGE, "tensor<6x3x3xf32>", "tensor<2x6x15x9xf32>"),
        [2, 15, 9, 6, 3, 3],
        [(2, 6, 17, 11), (6, 3, 3)],
    ),
    "pooling of whole images": (
        window("pooling_nchw_sum", IMAGE, IMAGE, "tensor<17x11xf32>", "tensor<2x6x1x1xf32>"),
        [12, 187],
        [(12, 187)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_normalized_ops(name: str) -> None:
    text, extents, shapes = CASES[name]
    expression = normalized(text)
    assert [loop.extent.static for loop in expression.loops] == extents
    assert [access.shape for access in expression.inputs] == shapes


def test_rows_of_padded_images_move_as_one() -> None:
    image, _ = normalized(CASES["conv 1x1 nchw, padded"][0]).inputs
    assert [index.constant for index in image.indices] == [0, 0, -11]


def normalized(text: str) -> TensorExpression:
    """The expression of the one op that is left of a function."""
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse(text, context)
        run_pipeline(module, "rtile-normalize")
        assert module.operation.verify()
        (function,) = [op for op in module.body.operations if isinstance(op, func.FuncOp)]
        ops = [op.operation for op in function.entry_block.operations if is_structured(op.operation)]
        return read_structured(ops[-1]).expression


def test_where_nothing_fuses_in_one_op_something_may_in_another_that_reads_another_position() -> None:
    kind = "tensor<4x8x16xf32>"
    ops = "\n".join(
        f"""%r{loop} = linalg.generic {{indexing_maps = [#m, #m],
      iterator_types = ["parallel", "parallel", "parallel"]}}
      ins(%x : {kind}) outs(%e : {kind}) {{
    ^bb0(%v: f32, %o: f32):
      %i = linalg.index {loop} : index
      %k = arith.index_cast %i : index to i32
      %f = arith.sitofp %k : i32 to f32
      %s = arith.addf %v, %f : f32
      linalg.yield %s : f32
    }} -> {kind}"""
        for loop in (1, 0)
    )
    text = f"""#m = affine_map<(i, j, k) -> (i, j, k)>
func.func @f(%x: {kind}) -> ({kind}, {kind}) {{
  %e = tensor.empty() : {kind}
  {ops}
  return %r1, %r0 : {kind}, {kind}
}}"""
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse(text, context)
        run_pipeline(module, "rtile-normalize{fuse-axes=false},rtile-fuse{device=h200}")
        found = [op for op in operations_inside(module.operation) if op.name == "linalg.generic"]
        assert [indexing_maps(op)[0].n_dims for op in found] == [3, 2]
