# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axis fusion: neighbouring loops that every operand runs through contiguously become one loop.

Loops i and i + 1 are fused where both are parallel or both are reductions, and each operand is indexed either by both,
one after the other, or by neither. Tensors are dense and row-major, so that the operands' dimensions collapse to views.

    (d0, d1, d2) -> (d0, d1, d2) and (d0, d1, d2) -> (d2), over 8 x 4 x 16, become
    (d0, d1) -> (d0, d1)         and (d0, d1) -> (d1),     over 32 x 16

Ops with linalg.index in the body stay as they are. Paper: ROLLER section 3.2 (axis fusion).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod
from typing import Any

from roller_mlir.codegen.linalg_reader import fill_constant, is_structured
from roller_mlir.dialects.rtile_compute import iterator_name
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.values import defining_op

Groups = list[list[int]]


def fuse_axes(function: Any) -> bool:
    """Fuse the loops of every linalg op of a function that can be fused; return whether there was one.

    The new ops stand between reshapes, which cancel between neighbours when the function is canonicalized.
    """
    changed = False
    for op in list(function.entry_block.operations):
        nest = _read(op.operation)
        if nest is not None and len(nest.groups) < len(nest.iterators):
            _rewrite(nest)
            changed = True
    return changed


@dataclass(frozen=True)
class _Nest:
    """A linalg op: per operand the loop of each dimension (None where it is no plain loop), and the loops to fuse."""

    operation: ir.Operation
    maps: tuple[ir.AffineMap, ...]
    iterators: tuple[str, ...]
    groups: Groups


def fusible_groups(
    dimensions: Sequence[Sequence[int | None]], used: Sequence[set[int]], kinds: Sequence[str]
) -> Groups:
    """Return the loops in groups to fuse, in order.

    Args:
        dimensions: Per operand, the loop that indexes each dimension alone, None where an expression does.
        used: Per operand, the loops that occur anywhere in its map.
        kinds: Kind of each loop; only loops of one kind are fused.

    >>> fusible_groups([[0, 1, 2], [2]], [{0, 1, 2}, {2}], ["parallel"] * 3)
    [[0, 1], [2]]
    """
    groups: Groups = [[0]] if kinds else []
    for loop in range(1, len(kinds)):
        together = kinds[loop] == kinds[loop - 1] and all(
            _contiguous(list(each), occurring, loop) for each, occurring in zip(dimensions, used, strict=True)
        )
        if together:
            groups[-1].append(loop)
        else:
            groups.append([loop])
    return groups


def _contiguous(dimensions: list[int | None], occurring: set[int], loop: int) -> bool:
    """Whether an operand is indexed by loop - 1 and then loop, each once and alone, or by neither."""
    if loop not in occurring and loop - 1 not in occurring:
        return True
    if dimensions.count(loop) != 1 or dimensions.count(loop - 1) != 1:
        return False
    return dimensions.index(loop) == dimensions.index(loop - 1) + 1


def _read(operation: ir.Operation) -> _Nest | None:
    if not is_structured(operation) or (
        len(operation.results) == 1 and fill_constant(operation.results[0]) is not None
    ):
        return None
    attributes: Any = linalg.get_indexing_maps(operation)  # pyright: ignore[reportAttributeAccessIssue]
    if not attributes or any(op.operation.name == "linalg.index" for op in operation.regions[0].blocks[0].operations):
        return None
    maps = tuple(ir.AffineMapAttr(attribute).value for attribute in attributes)
    iterators = _iterators(operation, maps)
    if not all(isinstance(r, ir.AffineDimExpr | ir.AffineConstantExpr) for m in maps for r in m.results):
        return None  # windows and other sums of loops
    dimensions = [[r.position if isinstance(r, ir.AffineDimExpr) else None for r in m.results] for m in maps]
    used = [_occurring(m) for m in maps]
    return _Nest(operation, maps, iterators, fusible_groups(dimensions, used, iterators))


def _occurring(affine_map: ir.AffineMap) -> set[int]:
    found: set[int] = set()

    def walk(expression: Any) -> None:
        if isinstance(expression, ir.AffineDimExpr):
            found.add(expression.position)
        elif isinstance(expression, ir.AffineBinaryExpr):
            walk(expression.lhs)
            walk(expression.rhs)

    for result in affine_map.results:
        walk(result)
    return found


def _iterators(operation: ir.Operation, maps: tuple[ir.AffineMap, ...]) -> tuple[str, ...]:
    """Return what each loop is: as the op says, or a reduction where an output lacks the loop."""
    if "iterator_types" in operation.attributes:
        return tuple(iterator_name(attribute) for attribute in operation.attributes["iterator_types"])
    written = [_occurring(m) for m in maps[len(maps) - len(operation.results) :]]
    parallel = set.intersection(*written) if written else set[int]()
    return tuple("parallel" if loop in parallel else "reduction" for loop in range(maps[0].n_dims))


def _rewrite(nest: _Nest) -> None:
    """Replace an op by the linalg.generic over fused loops, between reshapes of its operands and results."""
    operation = nest.operation
    count = len(nest.maps) - len(operation.results)
    with ir.InsertionPoint(operation), operation.location:
        operands = [_collapse(operation.operands[i], m, nest.groups) for i, m in enumerate(nest.maps)]
        fused = ir.Operation.create(
            "linalg.generic",
            results=[value.type for value in operands[count:]],
            operands=operands,
            attributes={
                "indexing_maps": ir.ArrayAttr.get(
                    [ir.AffineMapAttr.get(_fused_map(m, nest.groups)) for m in nest.maps]
                ),
                "iterator_types": ir.ArrayAttr.get(
                    [ir.Attribute.parse(f"#linalg.iterator_type<{nest.iterators[g[0]]}>") for g in nest.groups]
                ),
                "operandSegmentSizes": ir.DenseI32ArrayAttr.get([count, len(operands) - count]),
            },
            regions=1,
        )
        operation.regions[0].blocks[0].append_to(fused.regions[0])
        for i, result in enumerate(operation.results):
            expanded = _expand(fused.results[i], result.type, nest.maps[count + i], nest.groups)
            result.replace_all_uses_with(expanded)
    operation.erase()


def _dimension_groups(affine_map: ir.AffineMap, groups: Groups) -> Groups:
    """Return which dimensions of an operand are indexed by the loops of one group."""
    following = {a: b for group in groups for a, b in pairwise(group)}
    result: Groups = []
    previous: int | None = None
    for dimension, expression in enumerate(affine_map.results):
        loop = expression.position if isinstance(expression, ir.AffineDimExpr) else None
        if loop is not None and previous is not None and following.get(previous) == loop:
            result[-1].append(dimension)
        else:
            result.append([dimension])
        previous = loop
    return result


def _fused_map(affine_map: ir.AffineMap, groups: Groups) -> ir.AffineMap:
    group_of = {loop: number for number, group in enumerate(groups) for loop in group}
    results: list[Any] = []
    for first, *_ in _dimension_groups(affine_map, groups):
        expression = affine_map.results[first]
        is_loop = isinstance(expression, ir.AffineDimExpr)
        results.append(ir.AffineDimExpr.get(group_of[expression.position]) if is_loop else expression)
    return ir.AffineMap.get(len(groups), 0, results)


def _collapse(value: Any, affine_map: ir.AffineMap, groups: Groups) -> Any:
    """View an operand with the dimensions of a group as one; a fill or an empty tensor is made anew in that shape."""
    dimensions = _dimension_groups(affine_map, groups)
    if len(dimensions) == len(affine_map.results):
        return value
    kind = ir.RankedTensorType(value.type)
    shape = [prod(kind.shape[d] for d in group) for group in dimensions]
    if defining_op(value, "tensor.empty") is not None:
        return tensor.empty(shape, kind.element_type)
    scalar = fill_constant(value)
    if scalar is not None:
        return linalg.fill(arith.constant(kind.element_type, scalar), outs=[tensor.empty(shape, kind.element_type)])
    return tensor.collapse_shape(ir.RankedTensorType.get(shape, kind.element_type), value, dimensions)


def _expand(value: Any, kind: ir.Type, affine_map: ir.AffineMap, groups: Groups) -> Any:
    dimensions = _dimension_groups(affine_map, groups)
    if len(dimensions) == len(affine_map.results):
        return value
    return tensor.expand_shape(kind, value, dimensions, [], ir.RankedTensorType(kind).shape)
