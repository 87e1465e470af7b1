# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One linalg structured op on numpy arrays, from its indexing maps and its body alone.

Three ways, chosen by what the body says, never by the op's name:

1. sum of products of operands that are indexed by plain loops: one matrix product or einsum in float64;
2. `combiner(accumulator, contribution)`: the contribution over the whole (chunked) iteration space, then a reduction;
3. anything else: the body once per reduction point, in order, vectorised over the parallel loops.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any, cast

import numpy as np

from roller_mlir.evaluation.reference.body import BodyEvaluator, Contribution, find_contribution, find_product
from roller_mlir.evaluation.reference.bounds.nests import Bounded, Written
from roller_mlir.evaluation.reference.bounds.sums import bounded_products, bounded_reduction, rounded_factor
from roller_mlir.evaluation.reference.scalars import REDUCERS
from roller_mlir.evaluation.reference.values import Array, is_float, round_to
from roller_mlir.plan.accuracy.accumulation import UNKNOWN, Accumulation
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import indexing_maps

# Points evaluated at a time: 4 Mi float64 temporaries are 32 MiB, and there are a dozen.
_CHUNK_POINTS = 1 << 22


@dataclass(frozen=True)
class _Space:
    """The op's loops and how operands are indexed by them."""

    op: Any
    maps: tuple[Any, ...]
    extents: tuple[int, ...]
    parallel: tuple[int, ...]
    reduction: tuple[int, ...]
    inputs: int
    outputs: tuple[int, ...]
    outer: Mapping[Any, Bounded]


def evaluate_structured(
    op: ir.Operation,
    operands: Sequence[Bounded],
    accumulation: Accumulation = UNKNOWN,
    outer: Mapping[Any, Bounded] = MappingProxyType({}),
) -> list[Bounded]:
    """Evaluate a linalg structured op on tensors.

    Args:
        op: The op; an index, operation or type that the reference does not know is a located error.
        operands: One array per operand (inputs, then initial outputs); scalars are 0-dimensional.
        accumulation: How the kernels sum products.
        outer: Values of the function that the body uses: scalars, and tensors that it takes elements of.

    Returns:
        One value per result, in the result's element type.
    """
    maps = tuple(indexing_maps(op))
    results = len(op.results)
    if not results:  # what only asserted something
        return []
    extents = _extents(op, maps, [one.data for one in operands])
    types = [str(ir.RankedTensorType(result.type).element_type) for result in op.results]
    values: dict[int, Bounded] = {}
    for written, numbers in _output_loops(op, maps[-results:], extents).items():
        rest = tuple(i for i in range(len(extents)) if i not in written)
        space = _Space(op, maps, extents, written, rest, len(maps) - results, tuple(numbers), outer)
        found = _evaluate(space, operands, [types[n] for n in numbers], accumulation)
        values.update(zip(numbers, found, strict=True))
    return [values[number] for number in range(results)]


def _evaluate(
    space: _Space, operands: Sequence[Bounded], types: Sequence[str], accumulation: Accumulation
) -> list[Bounded]:
    """Evaluate the outputs that run over the same loops."""
    block = space.op.regions[0].blocks[0]
    if not prod(space.extents[i] for i in space.reduction):
        return [operands[space.inputs + number] for number in space.outputs]
    by_product = _by_product(space, block, operands, types[0], accumulation)
    return [by_product] if by_product is not None else _by_points(space, block, operands, types, accumulation)


def _extents(op: ir.Operation, maps: Sequence[Any], operands: Sequence[Array]) -> tuple[int, ...]:
    extents: dict[int, int] = {}
    for affine_map, value in zip(maps, operands, strict=True):
        for expression, extent in zip(affine_map.results, value.shape, strict=True):
            if isinstance(expression, ir.AffineDimExpr):
                extents.setdefault(ir.AffineDimExpr(expression).position, extent)
    count: int = maps[0].n_dims
    for loop in range(count):
        if loop not in extents:
            fail(op, f"numpy reference: loop d{loop} of '{op.name}' has no extent; no operand is indexed by it alone")
    return tuple(extents[loop] for loop in range(count))


def _output_loops(op: ir.Operation, maps: Sequence[Any], extents: Sequence[int]) -> dict[tuple[int, ...], list[int]]:
    """Return the outputs by the loops of their maps: plain loops, or sums that reach each element once at most."""
    found: dict[tuple[int, ...], list[int]] = {}
    for number, affine_map in enumerate(maps):
        loops = [loop for expression in affine_map.results for loop in _loops_in(expression)]
        if len(set(loops)) != len(loops):
            fail(op, f"numpy reference: '{op.name}' writes at {affine_map}; each loop may index the output once")
        if len(loops) != sum(isinstance(expression, ir.AffineDimExpr) for expression in affine_map.results):
            here = tuple(range(extent if loop in loops else 1) for loop, extent in enumerate(extents))
            grid = np.indices([len(each) for each in here]).reshape(len(here), -1)
            places = [np.broadcast_to(_affine(op, one, list(grid)), grid.shape[1:]) for one in affine_map.results]
            if np.unique(np.stack(places), axis=1).shape[1] < grid.shape[1]:
                fail(op, f"numpy reference: '{op.name}' writes at {affine_map}; it writes some element twice")
        found.setdefault(tuple(sorted(loops)), []).append(number)
    return found


def _loops_in(expression: Any) -> list[int]:
    if isinstance(expression, ir.AffineBinaryExpr):
        return [*_loops_in(expression.lhs), *_loops_in(expression.rhs)]
    return [expression.position] if isinstance(expression, ir.AffineDimExpr) else []


def _by_product(
    space: _Space, block: Any, operands: Sequence[Bounded], element_type: str, accumulation: Accumulation
) -> Bounded | None:
    """Evaluate by way 1, None if the body is no sum of products."""
    found = find_product(block, space.inputs)
    target = space.maps[-1].results
    if (
        found is None
        or not space.reduction
        or any(not isinstance(e, ir.AffineDimExpr) and str(e) != "0" for e in target)
    ):
        return None
    factors, product = found
    plain = [_plain_loops(space.maps[i]) for i in factors]
    if any(loops is None for loops in plain):
        return None
    subscripts = cast(list[tuple[int, ...]], plain)
    if set(itertools.chain(*subscripts)) != set(range(len(space.extents))):
        return None
    out_loops = [ir.AffineDimExpr(e).position for e in space.maps[-1].results if isinstance(e, ir.AffineDimExpr)]
    types = [str(block.arguments[i].type) for i in factors]
    rounding = accumulation.rounding(types, product, element_type, prod(space.extents))
    values = [operands[i] for i in factors]
    return bounded_products(values, subscripts, out_loops, operands[space.inputs], element_type, rounding)


def _plain_loops(affine_map: Any) -> tuple[int, ...] | None:
    loops = tuple(ir.AffineDimExpr(e).position if isinstance(e, ir.AffineDimExpr) else -1 for e in affine_map.results)
    return loops if -1 not in loops and len(set(loops)) == len(loops) else None


def _rounded_factors(
    space: _Space, block: Any, operands: Sequence[Bounded], element_type: str, accumulation: Accumulation
) -> Sequence[Bounded]:
    """Return the operands, in doubt where matrix instructions round the factors of a sum of products."""
    found = find_product(block, space.inputs) if space.reduction else None
    if found is None:
        return operands
    factors, product = found
    types = [str(block.arguments[i].type) for i in factors]
    rounding = accumulation.rounding(types, product, element_type, prod(space.extents))
    if not rounding.factor:
        return operands
    return [rounded_factor(one, rounding) if number in factors else one for number, one in enumerate(operands)]


def _by_points(
    space: _Space, block: Any, operands: Sequence[Bounded], types: Sequence[str], accumulation: Accumulation
) -> list[Bounded]:
    """Evaluate by way 2 or 3, a chunk of the parallel loops at a time."""
    operands = _rounded_factors(space, block, operands, types[0], accumulation)
    initial = [operands[space.inputs + number] for number in space.outputs]
    outputs = [Written(value) for value in initial]
    terminator = list(block.operations)[-1].operation
    contributions = [
        find_contribution(block, terminator.operands[number], space.inputs + number, space.inputs)
        for number in space.outputs
    ]
    recognised = [c for c in contributions if c is not None and c.combiner in REDUCERS]
    whole = bool(space.reduction) and len(recognised) == len(outputs)
    for ranges in _chunks(space):
        accumulators = [
            _gather(space, space.inputs + number, value, ranges)
            for number, value in zip(space.outputs, initial, strict=True)
        ]
        if whole:
            values = [_gather(space, i, operands[i], ranges) for i in range(space.inputs)]
            new = [
                _reduce(space, block, one, values, accumulator, ranges, kind)
                for one, accumulator, kind in zip(recognised, accumulators, types, strict=True)
            ]
        else:
            new = _in_order(space, block, operands, accumulators, ranges)
        for number, output, value in zip(space.outputs, outputs, new, strict=True):
            output.put(value, partial(_scatter, space, space.inputs + number, ranges))
    return [each.value() for each in outputs]


def _chunks(space: _Space) -> list[tuple[range, ...]]:
    """Split the outermost parallel loops so that a chunk has at most _CHUNK_POINTS points."""
    pieces: list[list[range]] = [[range(extent)] for extent in space.extents]
    points = prod(space.extents)
    for loop in space.parallel:
        if points <= _CHUNK_POINTS:
            break
        extent = space.extents[loop]
        size = max(1, extent * _CHUNK_POINTS // points)
        pieces[loop] = [range(start, min(start + size, extent)) for start in range(0, extent, size)]
        points = points * size // extent
    return list(itertools.product(*pieces))


def _reduce(
    space: _Space,
    block: Any,
    contribution: Contribution,
    values: list[Bounded],
    accumulator: Bounded,
    ranges: tuple[range, ...],
    element_type: str,
) -> Bounded:
    evaluator = BodyEvaluator(space.op, block, values, ranges, space.outer)
    shape = tuple(len(r) for r in ranges)
    points = evaluator.value(contribution.value).map(lambda array: np.broadcast_to(array, shape))
    return bounded_reduction(space.op, contribution.combiner, points, space.reduction, accumulator, element_type)


def _in_order(
    space: _Space, block: Any, operands: Sequence[Bounded], accumulators: list[Bounded], ranges: tuple[range, ...]
) -> list[Bounded]:
    shape = tuple(1 if i in space.reduction else len(r) for i, r in enumerate(ranges))
    terminator = list(block.operations)[-1].operation
    for point in itertools.product(*(ranges[i] for i in space.reduction)):
        here = list(ranges)
        for loop, position in zip(space.reduction, point, strict=True):
            here[loop] = range(position, position + 1)
        values = [_gather(space, i, operands[i], tuple(here)) for i in range(space.inputs)]
        known = dict(zip((block.arguments[space.inputs + n] for n in space.outputs), accumulators, strict=True))
        evaluator = BodyEvaluator(space.op, block, values, tuple(here), {**space.outer, **known})
        accumulators = [
            evaluator.value(terminator.operands[n]).map(lambda array: np.broadcast_to(array, shape))
            for n in space.outputs
        ]
    return accumulators


def _gather(space: _Space, number: int, value: Bounded, ranges: tuple[range, ...]) -> Bounded:
    """Return an operand's elements over the loops: one axis per loop, of extent 1 where the operand does not use it."""
    if not value.data.ndim:
        return value.map(lambda array: array.reshape((1,) * len(ranges)))
    index = _index(space, number, value.data.shape, ranges)
    return value.map(lambda array: np.asarray(array[index]))


def _scatter(space: _Space, number: int, ranges: tuple[range, ...], target: Array, value: Array) -> None:
    shape = tuple(len(r) if i in space.parallel else 1 for i, r in enumerate(ranges))
    if target.ndim:
        target[_index(space, number, target.shape, ranges)] = np.broadcast_to(value, shape)
    else:
        target[()] = np.asarray(value).reshape(())


def _index(space: _Space, number: int, shape: tuple[int, ...], ranges: tuple[range, ...]) -> tuple[Array, ...]:
    loops = [
        np.arange(r.start, r.stop).reshape([-1 if i == j else 1 for j in range(len(ranges))])
        for i, r in enumerate(ranges)
    ]
    index: list[Array] = []
    for expression, extent in zip(space.maps[number].results, shape, strict=True):
        position = _affine(space.op, expression, loops)
        if position.size and (position.min() < 0 or position.max() >= extent):
            fail(space.op, f"numpy reference: '{space.op.name}' operand {number} is read outside its {extent} elements")
        index.append(position.reshape([1] * (len(ranges) - position.ndim) + list(position.shape)))
    return tuple(index)


def _ceil_divide(left: Array, right: Array) -> Array:
    return -np.floor_divide(-left, right)


_AFFINE = (
    (ir.AffineAddExpr, np.add),
    (ir.AffineMulExpr, np.multiply),
    (ir.AffineModExpr, np.mod),
    (ir.AffineFloorDivExpr, np.floor_divide),
    (ir.AffineCeilDivExpr, _ceil_divide),
)


def _affine(op: ir.Operation, expression: Any, loops: Sequence[Array]) -> Array:
    """Evaluate an affine expression on the loops' positions."""
    if isinstance(expression, ir.AffineDimExpr):
        return loops[expression.position]
    if isinstance(expression, ir.AffineConstantExpr):
        return np.asarray(expression.value)
    function = next((known for kind, known in _AFFINE if isinstance(expression, kind)), None)
    if function is None:
        fail(op, f"numpy reference: index expression {expression} is not supported")
    binary: Any = expression
    return function(_affine(op, binary.lhs, loops), _affine(op, binary.rhs, loops))


def uninitialised(shape: tuple[int, ...], element_type: str) -> Array:
    """Return what tensor.empty holds here: NaN for floats, so that reading it shows, and 0 for integers."""
    return np.full(shape, np.nan) if is_float(element_type) else round_to(np.zeros(shape), element_type)
