# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dividing a reduction over tasks: one linalg op becomes two, the parts and what joins them.

    %r = linalg.matmul ins(%a, %b : tensor<16x1000xf32>, tensor<1000x24xf32>) outs(%init : tensor<16x24xf32>)
    // becomes, for 4 parts of 256 points,
    %pa = tensor.pad %a low[0, 0] high[0, 24] { 0.0 }              %pb = tensor.pad %b low[0, 0] high[24, 0] { 0.0 }
    %k = tensor.empty() : tensor<256xf32>                          // says how many points a part has; never read
    %f = linalg.fill ins(%neutral) outs(%e : tensor<4x16x24xf32>)
    %p = linalg.generic {(p, m, n, k) -> (m, 256 * p + k), (256 * p + k, n), (k), (p, m, n)}
           ins(%pa, %pb, %k) outs(%f)                              // the body of the op
    %q = tensor.collapse_shape %p [[0], [1, 2]] : tensor<4x16x24xf32> into tensor<4x384xf32>
    %i = tensor.collapse_shape %init [[0, 1]] : tensor<16x24xf32> into tensor<384xf32>
    %j = linalg.generic {(x, p) -> (p, x), (x)} ins(%q) outs(%i)   // the combiner
    %r = tensor.expand_shape %j [[0, 1]] output_shape [16, 24] : tensor<384xf32> into tensor<16x24xf32>

The two ops read as `plan.rewrite.split.first_expression` and `plan.rewrite.split.join_expression`. Where blocks of the
first are to join the parts (`SplitK.joined`), or other ops go on with the result in the same program, the second keeps
the loops of the result, and needs no reshapes:

    %r = linalg.generic {(m, n, p) -> (p, m, n), (m, n)} ins(%p) outs(%init)    // the combiner

The paddings are read through, the reshapes are views: nothing is copied. Beyond the ROLLER paper, whose small operators
only shrink (section 3.2).
"""

from collections.abc import Sequence
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.affine import affine_sum, map_indices
from roller_mlir.lowering.linalg.body import BodyOp, Local
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, filled
from roller_mlir.lowering.linalg.reader import StructuredOp, fill_constant
from roller_mlir.lowering.linalg.views import padded_behind
from roller_mlir.plan import LinearIndex, SplitK
from roller_mlir.plan.expression import neutral_of
from roller_mlir.plan.rewrite.split import output_loops, split_problem
from roller_mlir.plan.rewrite.uneven import uneven_problem
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op, indexing_maps, number_attribute, replace_op


def split_reduction(root: StructuredOp, split: SplitK, *, tiles: bool) -> tuple[ir.Operation, ir.Operation]:
    """Replace a linalg op by the op of the parts and the op that joins them.

    Args:
        root: The op, read; it is erased.
        split: The loop to divide, and into what; its plan is not looked at.
        tiles: Whether the second op keeps the loops of the result.

    Returns:
        The op of the first stage and that of the second.

    Raises:
        DiagnosedError: The loop cannot be divided so; the error stands at the op.
    """
    _check(root, split)
    operation = root.operation
    with ir.InsertionPoint(operation), operation.location:
        first = _First(root, split).build()
        join, result = _combine(root, split, first.results[0], tiles=tiles)
    replace_op(operation, result)
    return first, join


def _check(root: StructuredOp, split: SplitK) -> None:
    operation, expression = root.operation, root.expression
    if problem := split_problem(expression, split):
        fail(operation, f"'{operation.name}' {problem}")
    whole, parts, extent = (one.static for one in (expression.loops[split.loop].extent, split.parts, split.extent))
    reason = uneven_problem(expression, split.loop) if parts * extent > whole else ""
    pads = {root.body.pad_value(), *expression.pad_values}
    if not reason and parts * extent > whole and len(pads) > 1:
        reason = "its inputs are padded with values that contribute something"
    if reason:
        fail(
            operation,
            f"'{operation.name}' can divide loop d{split.loop} of {whole} points into equal parts only: {reason}; "
            f"choose parts of a size that divides {whole}",
        )


class _First:
    """The op that computes each part."""

    def __init__(self, root: StructuredOp, split: SplitK) -> None:
        self._root, self._split = root, split
        self._parts, self._points = split.parts.static, split.extent.static
        self._extents = [loop.extent.static for loop in root.expression.loops]
        self._extents[split.loop] = self._points
        self._indices = [map_indices(one) for one in indexing_maps(root.operation)]

    def build(self) -> ir.Operation:
        """Build at the insertion point, with its init."""
        root, split = self._root, self._split
        element = ir.Type.parse(root.expression.output.element_type)
        maps = [self._map(each) for each in self._indices]
        inputs = [self._input(number) for number in range(root.body.inputs)]
        points = tensor.empty([self._points], element)
        count = len(self._extents) + 1
        maps.insert(-1, ir.AffineMap.get(count, 0, [ir.AffineDimExpr.get(split.loop + 1)]))
        maps[-1] = ir.AffineMap.get(count, 0, [ir.AffineDimExpr.get(0), *maps[-1].results])
        start = tensor.empty([self._parts, *root.expression.output.static_shape], element)
        start = linalg.fill(_neutral(root, element), outs=[start])
        kinds = ["parallel", *("reduction" if loop.reduction else "parallel" for loop in root.expression.loops)]
        first = bodiless_generic([*inputs, points], [start], maps, kinds)
        block = root.operation.regions[0].blocks[0]
        block.append_to(first.regions[0])
        self._shift_indices(first.regions[0].blocks[0])
        old = block.arguments[root.body.inputs]
        old.replace_all_uses_with(block.add_argument(element, first.location))
        return first

    def _shift_indices(self, block: ir.Block) -> None:
        """Let linalg.index give positions of the whole op: loops count one further, each part has its own start."""
        for op in list(block.operations):
            if op.operation.name != "linalg.index":
                continue
            loop = ir.IntegerAttr(op.operation.attributes["dim"]).value
            with ir.InsertionPoint(op), op.operation.location:
                position: Any = linalg.IndexOp(loop + 1).result
                if loop == self._split.loop:
                    extent = arith.constant(ir.IndexType.get(), self._points)
                    position = arith.addi(arith.muli(linalg.IndexOp(0).result, extent), position)
            replace_op(op.operation, position)

    def _map(self, indices: Sequence[LinearIndex]) -> ir.AffineMap:
        """Return the map of an operand over (part, *loops)."""
        results: list[ir.AffineExpr] = []
        for index in indices:
            coefficients = (index.coefficients[self._split.loop] * self._points, *index.coefficients)
            results.append(affine_sum(dict(enumerate(coefficients)), index.constant))
        return ir.AffineMap.get(len(self._extents) + 1, 0, results)

    def _input(self, number: int) -> ir.Value:
        """Return an input as the first stage takes it: with room for the points behind the loop's end."""
        value, loop = self._root.operation.operands[number], self._split.loop
        indices = self._indices[number]
        if not any(index.coefficients[loop] for index in indices):
            return value
        kind = ir.RankedTensorType(value.type)
        needed = [self._size(index) for index in indices]
        if number not in self._root.inputs:
            return tensor.empty(needed, kind.element_type)
        high = [max(0, size - extent) for size, extent in zip(needed, kind.shape, strict=True)]
        if not any(high):
            return value
        neutral = self._root.body.pad_value()
        assert neutral is not None  # _check
        return padded_behind(value, high, number_attribute(kind.element_type, neutral))

    def _size(self, index: LinearIndex) -> int:
        """Return the extent of a dimension that holds all positions of an index."""
        last = sum(max(0, k) * (self._extents[loop] - 1) for loop, k in index.terms().items())
        return index.constant + last + index.coefficients[self._split.loop] * self._points * (self._parts - 1) + 1


def _combine(root: StructuredOp, split: SplitK, partials: Any, *, tiles: bool) -> tuple[ir.Operation, ir.Value]:
    """Build the second stage at the insertion point; return it and the result in the shape of the op's."""
    if tiles:
        start = root.operation.operands[root.body.inputs]
        join = _joining(root, partials, start, [one.results for one in _output_maps(root)])
        return join, join.results[0]
    output = root.expression.output
    element = ir.Type.parse(output.element_type)
    shape, parts = output.static_shape, split.parts.static
    rank, points = len(shape), prod(shape)
    line = ir.RankedTensorType.get([points], element)
    flat = ir.RankedTensorType.get([parts, points], element)
    axes = [list(range(rank))] if rank else []
    if rank == 0:
        partials = tensor.expand_shape(flat, partials, [[0, 1]], [], [parts, 1])
    elif rank > 1:
        partials = tensor.collapse_shape(flat, partials, [[0], list(range(1, rank + 1))])
    start = _line(root.operation.operands[root.body.inputs], line, axes)
    x, part = ir.AffineDimExpr.get(0), ir.AffineDimExpr.get(1)
    join = _joining(root, partials, start, [[part, x], [x]])
    result: Any = join.results[0]
    if rank == 0:
        result = tensor.collapse_shape(ir.RankedTensorType.get([], element), result, [])
    elif rank > 1:
        result = tensor.expand_shape(ir.RankedTensorType.get(shape, element), result, axes, [], shape)
    return join, result


def _output_maps(root: StructuredOp) -> list[ir.AffineMap]:
    """Return where the second stage finds parts and result, over the loops of the output and that of the parts."""
    kept = output_loops(root.expression)
    moved = [
        ir.AffineDimExpr.get(kept.index(loop) if loop in kept else 0) for loop in range(len(root.expression.loops))
    ]
    place = indexing_maps(root.operation)[-1]
    results = [one.compose(ir.AffineMap.get(len(kept) + 1, 0, moved)) for one in place.results]
    part = ir.AffineDimExpr.get(len(kept))
    return [ir.AffineMap.get(len(kept) + 1, 0, found) for found in ([part, *results], results)]


def _joining(root: StructuredOp, partials: Any, start: Any, places: Sequence[Sequence[ir.AffineExpr]]) -> ir.Operation:
    """Build the op that joins parts: its last loop is that of the parts.

    Args:
        root: The op that is divided.
        partials: What to join.
        start: What the result starts from.
        places: Where both are indexed, by its loops.
    """
    element = ir.Type.parse(root.expression.output.element_type)
    loops = len(places[1]) + 1
    maps = [ir.AffineMap.get(loops, 0, list(place)) for place in places]
    join = bodiless_generic([partials], [start], maps, ["parallel"] * (loops - 1) + ["reduction"])
    block = join.regions[0].blocks.append(element, element, arg_locs=[join.location] * 2)
    with ir.InsertionPoint(block):
        combiner = _combiner(root)
        operands = [block.arguments[1], block.arguments[0]]
        joined = ir.Operation.create(
            combiner.name, results=[element], operands=operands, attributes=combiner.attributes
        )
        linalg.YieldOp([joined.results[0]])
    return join


def _line(value: Any, line: ir.RankedTensorType, axes: list[list[int]]) -> ir.Value:
    """View the init with its dimensions as one; a fill or an empty tensor is made anew in that shape."""
    kind = ir.RankedTensorType(value.type)
    if kind.rank == 1:
        return value
    if defining_op(value, "tensor.empty") is not None:
        return empty_like(line)
    scalar = fill_constant(value)
    if scalar is not None:
        return filled(line, scalar)
    if kind.rank == 0:
        return tensor.expand_shape(line, value, axes, [], line.shape)
    return tensor.collapse_shape(line, value, axes)


def _combiner(root: StructuredOp) -> BodyOp:
    """Return the operation that joins the accumulator with a point's contribution."""
    yielded = root.body.yielded[0]
    assert isinstance(yielded, Local)  # a loop is reduced
    return root.body.ops[yielded.operation]


def _neutral(root: StructuredOp, element: ir.Type) -> Any:
    neutral = neutral_of(_combiner(root).name, str(element))
    assert neutral is not None  # `divisible_loops`
    return arith.constant(element, number_attribute(element, neutral))
