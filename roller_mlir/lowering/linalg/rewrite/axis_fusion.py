# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axis fusion: loops that every operand runs through contiguously become one loop, see `axis_groups`.

Tensors are dense and row-major, so that the operands' dimensions collapse to views.

    (d0, d1, d2) -> (d0, d1, d2) and (d0, d1, d2) -> (d2), over 8 x 4 x 16, become
    (d0, d1) -> (d0, d1)         and (d0, d1) -> (d1),     over 32 x 16

Loops of extent 1 hinder nothing, and vanish where others are fused or where they were added to another loop: the rows
and columns of a convolution by a window of 1 x 1 with stride 1 are one loop, and no window slides there. A padded input
is collapsed inside its padding. A loop whose position the body reads, by linalg.index, is fused with no other one.
Paper: ROLLER section 3.2 (axis fusion).
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.lowering.linalg.body import UnknownValueError, read_body
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, filled, iterators_of
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured
from roller_mlir.lowering.linalg.rewrite.axis_groups import Groups, OperandIndexing, fusible_groups
from roller_mlir.lowering.linalg.views import View, view_of
from roller_mlir.support.bindings import arith, ir, tensor
from roller_mlir.support.values import defining_op, indexing_maps


def fuse_axes(function: Any) -> bool:
    """Fuse the loops of every linalg op of a function that can be fused; return whether there was one.

    The new ops stand between reshapes, which cancel between neighbours when the function is canonicalized.
    """
    changed = False
    for op in list(function.entry_block.operations):
        nest = read_nest(op.operation)
        if nest is not None and (nest.drops_window or any(len(group) > 1 for group in nest.groups)):
            rewrite(nest)
            changed = True
    return changed


@dataclass(frozen=True)
class OpLoops:
    """A linalg op whose loops are looked at.

    Attributes:
        operation: The op.
        indices: Per operand, its index expressions, without the loops that vanish.
        iterators: Kind of each loop.
        extents: Extent of each loop.
        vanishing: Loops of extent 1 that are left out.
        apart: Neighbouring loops that are not fused, though this op would allow it.
        drops_window: Whether one of them was added to another loop: a window that does not slide over anything.
        views: Per operand, how it is read from another tensor, padded or cut.
    """

    operation: ir.Operation
    indices: tuple[tuple[Any, ...], ...]
    iterators: tuple[str, ...]
    extents: tuple[int, ...]
    vanishing: tuple[int, ...]
    views: tuple[View | None, ...]
    drops_window: bool = False
    apart: frozenset[tuple[int, int]] = frozenset()

    @cached_property
    def operands(self) -> tuple[OperandIndexing, ...]:
        """How each operand is indexed."""
        return tuple(self._operand(number) for number in range(len(self.indices)))

    @cached_property
    def groups(self) -> Groups:
        """The loops to fuse; those that vanish are in none."""
        found: Groups = []
        for group in fusible_groups(self.operands, self.iterators, self.vanishing, self.lone_loops):
            found.append(group[:1])
            for a, b in pairwise(group):
                if (a, b) in self.apart:
                    found.append([b])
                else:
                    found[-1].append(b)
        return found

    @property
    def lone_loops(self) -> set[int]:
        """The loops that are fused with no other: those whose positions the body reads, reductions in order."""
        read = {ir.IntegerAttr(op.attributes["dim"]).value for op in _index_ops(self.operation)}
        reductions = {loop for loop, kind in enumerate(self.iterators) if kind == "reduction"}
        return read | reductions if reductions and not joins_in_any_order(self.operation) else read

    @property
    def is_exact(self) -> bool:
        """Whether plain loops run over the whole of their dimensions, as linalg requires."""
        return all(
            loop is None or extent == self.extents[loop]
            for number, operand in enumerate(self.operands)
            for loop, extent in zip(operand.dimensions, self.shape(number), strict=True)
        )

    def shape(self, number: int) -> tuple[int, ...]:
        """Return the shape of an operand, padding included; a scalar has none."""
        kind = self.operation.operands[number].type
        return tuple(ir.RankedTensorType(kind).shape) if isinstance(kind, ir.RankedTensorType) else ()

    def dimension_groups(self, number: int) -> Groups:
        """Return which dimensions of an operand become one, dimensions of extent 1 joining a neighbour."""
        following = {b: a for group in self.groups for a, b in pairwise(group)}
        operand = self.operands[number]
        result: Groups = []
        leading: list[int] = []
        previous: int | None = None
        for dimension, loop in enumerate(operand.dimensions):
            if loop is None and operand.flat[dimension]:
                (result[-1] if result else leading).append(dimension)
                continue
            if loop is not None and previous is not None and following.get(loop) == previous:
                result[-1].append(dimension)
            else:
                result.append([*leading, dimension])
                leading = []
            previous = loop
        return result

    def _operand(self, number: int) -> OperandIndexing:
        indices, shape, view = self.indices[number], self.shape(number), self.views[number]
        plain = tuple(e.position if isinstance(e, ir.AffineDimExpr) else None for e in indices)
        return OperandIndexing(
            plain,
            tuple(loop for expression in indices for loop in loops_in(expression)),
            tuple(view is None or view.is_whole(d) for d in range(len(shape))),
            tuple(
                extent == 1 and str(e) == "0" and (view is None or view.is_whole(d))
                for d, (e, extent) in enumerate(zip(indices, shape, strict=True))
            ),
        )


def read_nest(operation: ir.Operation) -> OpLoops | None:
    """Read an op's loops, None of ops whose loops stay as they are."""
    if not is_structured(operation) or (
        len(operation.results) == 1 and fill_constant(operation.results[0]) is not None
    ):
        return None
    maps = indexing_maps(operation)
    if not maps:
        return None
    inputs = len(maps) - len(operation.results)
    views = tuple(view_of(operation.operands[i]) if i < inputs else None for i in range(len(maps)))
    if any(view is not None and not view.is_collapsible for view in views):
        return None
    indices = tuple(tuple(m.results) for m in maps)
    nest = OpLoops(operation, indices, iterators_of(operation, maps), (), (), views)
    extents: dict[int, int] = {}
    for number, operand in enumerate(nest.operands):
        for loop, extent in zip(operand.dimensions, nest.shape(number), strict=True):
            if loop is not None:
                extents.setdefault(loop, extent)
    if len(extents) < maps[0].n_dims:
        return None  # a loop without an extent, which reading the op refuses
    sizes = tuple(extents[loop] for loop in range(len(extents)))
    for vanishing in (tuple(loop for loop, size in enumerate(sizes) if size == 1), ()):
        left = _without(indices, vanishing, len(sizes))
        found = OpLoops(operation, left, nest.iterators, sizes, vanishing, views, _in_sum(indices, vanishing))
        if found.is_exact:
            return found
    return None


def joins_in_any_order(operation: ir.Operation) -> bool:
    """Return whether each result's points may be combined in any order."""
    try:
        body = read_body(operation.regions[0].blocks[0], len(operation.operands) - len(operation.results))
    except UnknownValueError:
        return False
    return body.combiners() is not None


def _index_ops(operation: ir.Operation) -> list[ir.Operation]:
    """Return the ops of a body that give positions on loops."""
    inner = [op.operation for op in operation.regions[0].blocks[0].operations]
    return [op for op in inner if op.name == "linalg.index"]


def _in_sum(indices: tuple[tuple[Any, ...], ...], loops: tuple[int, ...]) -> bool:
    """Return whether one of some loops stands in a sum with another one."""
    named = [loops_in(expression) for each in indices for expression in each]
    return any(len(each) > 1 and loop in each for each in named for loop in loops)


def _without(indices: tuple[tuple[Any, ...], ...], vanishing: tuple[int, ...], loops: int) -> Any:
    """Return index expressions with 0 in place of the loops that vanish."""
    if not vanishing:
        return indices
    zero = ir.AffineConstantExpr.get(0)
    dims = [zero if loop in vanishing else ir.AffineDimExpr.get(loop) for loop in range(loops)]
    return tuple(tuple(_compose(e, dims, loops) for e in each) for each in indices)


def _compose(expression: Any, dims: list[Any], loops: int) -> Any:
    """Return an index expression with each loop replaced by an expression over `loops` new ones."""
    found = expression.compose(ir.AffineMap.get(loops, 0, dims))
    return ir.AffineMap.get(loops, 0, [found]).results[0]  # as the class that it is


def rewrite(nest: OpLoops) -> ir.Operation:
    """Replace an op by the linalg.generic over fused loops, between reshapes of its operands and results."""
    operation = nest.operation
    inputs = len(nest.indices) - len(operation.results)
    with ir.InsertionPoint(operation), operation.location:
        operands = [_collapse(nest, number) for number in range(len(nest.indices))]
        maps = [_fused_map(nest, number) for number in range(len(nest.indices))]
        kinds = [nest.iterators[group[0]] for group in nest.groups]
        fused = bodiless_generic(operands[:inputs], operands[inputs:], maps, kinds)
        operation.regions[0].blocks[0].append_to(fused.regions[0])
        _renumber(nest, fused)
        for i, result in enumerate(operation.results):
            result.replace_all_uses_with(_expand(nest, inputs + i, fused.results[i], result.type))
    operation.erase()
    return fused


def _renumber(nest: OpLoops, fused: ir.Operation) -> None:
    """Let linalg.index name the loops as they are counted now; the only position on a loop that vanishes is 0."""
    for op in _index_ops(fused):
        loop = ir.IntegerAttr(op.attributes["dim"]).value
        if loop not in nest.vanishing:
            number = next(n for n, group in enumerate(nest.groups) if loop in group)
            op.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)
            continue
        with ir.InsertionPoint(op), op.location:
            op.results[0].replace_all_uses_with(arith.constant(ir.IndexType.get(), 0))
        op.erase()


def _fused_map(nest: OpLoops, number: int) -> ir.AffineMap:
    """Return the map of an operand over the fused loops."""
    group_of = {loop: position for position, group in enumerate(nest.groups) for loop in group}
    dims: list[Any] = [ir.AffineConstantExpr.get(0)] * len(nest.iterators)
    for loop, position in group_of.items():
        dims[loop] = ir.AffineDimExpr.get(position)
    results: list[Any] = []
    for group in nest.dimension_groups(number):
        lead = next((d for d in group if not nest.operands[number].flat[d]), group[0])
        results.append(_compose(nest.indices[number][lead], dims, len(nest.groups)))
    return ir.AffineMap.get(len(nest.groups), 0, results)


def _collapse(nest: OpLoops, number: int) -> Any:
    """View an operand with its dimensions fused; a fill or an empty tensor is made anew in that shape."""
    value = nest.operation.operands[number]
    groups = nest.dimension_groups(number)
    shape = nest.shape(number)
    if len(groups) == len(shape):
        return value
    kind = ir.RankedTensorType(value.type)
    fused = ir.RankedTensorType.get([prod(shape[d] for d in group) for group in groups], kind.element_type)
    view = nest.views[number]
    if view is not None:
        return view.collapsed(groups)
    if defining_op(value, "tensor.empty") is not None:
        return empty_like(fused)
    scalar = fill_constant(value)
    return tensor.collapse_shape(fused, value, groups) if scalar is None else filled(fused, scalar)


def _expand(nest: OpLoops, number: int, value: Any, kind: ir.Type) -> Any:
    groups = nest.dimension_groups(number)
    shape = nest.shape(number)
    if len(groups) == len(shape):
        return value
    return tensor.expand_shape(kind, value, groups, [], list(shape))
