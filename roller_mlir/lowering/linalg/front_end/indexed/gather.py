# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that a body takes from a tensor at positions of its own, and maps that no sum of loops gives.

    %x = tensor.extract %t[%p, %j]        an input of the op, at the map (i, j) -> (p(i, j), j), where the positions are
                                          sums of loops inside of the tensor: read like any other
                                          else rtile.gather of %t in one dimension at clamp(%p) * 8 + %j
    ins(%t) at (i floordiv 2, j)          rtile.gather likewise

A position that is not seen to lie inside is clamped: below 0 it is 0, beyond the last element that one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.affine import NotLinearError, linear_index
from roller_mlir.lowering.linalg.front_end.indexed.positions import Positions, loop_extents, shape_of
from roller_mlir.lowering.linalg.front_end.walk import entry_operations
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, iterators_of
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.views import Slice, extract_slice
from roller_mlir.support.bindings import arith, ir, tensor
from roller_mlir.support.values import replace_op

EXTRACT = "tensor.extract"


def read_at_positions(module: ir.Module) -> None:
    """Let the linalg.generic ops of a module have what their bodies extract, and what they map so, as operands."""
    for operation in entry_operations(module):
        if operation.name == "linalg.generic" and len(operation.results):
            nest = _GatherNest(operation)
            if nest.extracts or nest.bends:
                nest.rewrite()


@dataclass
class _Input:
    """An operand of the new op: a tensor and the map by which it is read."""

    value: Any
    map: ir.AffineMap


@dataclass
class _GatherNest:
    """A linalg.generic whose body extracts, or whose inputs are read at other positions than sums of loops.

    Attributes:
        operation: The op.
        maps: Of its operands.
        inputs: How many are inputs.
        bends: Whether some input is read at other positions than sums of loops.
        extents: Of its loops, as far as an operand is indexed by one alone.
        added: The new operands.
    """

    operation: ir.Operation
    added: list[_Input] = field(default_factory=list[_Input])

    def __post_init__(self) -> None:
        attributes: Any = self.operation.attributes["indexing_maps"]
        given: list[Any] = [ir.AffineMapAttr(attribute).value for attribute in attributes]
        self.inputs = len(given) - len(self.operation.results)
        self.bends = any(not one.n_symbols and not _is_linear(one) for one in given[: self.inputs])
        self.maps: list[Any] = [
            _at_first(one, shape_of(value)) if n < self.inputs else one
            for n, (one, value) in enumerate(zip(given, self.operation.operands, strict=True))
        ]
        self.loops: int = self.maps[0].n_dims
        self.extents = loop_extents(given, self.operation)

    @property
    def extracts(self) -> bool:
        """Whether the body takes elements of static tensors."""
        block = self.operation.regions[0].blocks[0]
        return any(_is_extract(op.operation) for op in block.operations)

    @property
    def curved(self) -> list[int]:
        """The inputs whose maps are no sums of loops."""
        return [n for n in range(self.inputs) if not self.maps[n].n_symbols and not _is_linear(self.maps[n])]

    def rewrite(self) -> None:
        """Build the op that reads them as operands, in the place of this one."""
        operation, curved = self.operation, self.curved
        old = operation.regions[0].blocks[0]
        kept = [n for n in range(self.inputs) if n not in curved]
        positions = Positions(self.extents)
        with ir.InsertionPoint(operation), operation.location:
            tables: dict[int, int] = {}
            for n in curved:
                tables[n] = len(kept) + self._add_table(operation.operands[n])
            extracted: dict[ir.Operation, tuple[int, bool]] = {}
            for op in (op.operation for op in old.operations if _is_extract(op.operation)):
                affine_map = self._plain_map(op, positions)
                place = self._place(op.operands[0], affine_map)
                extracted[op] = len(kept) + place, affine_map is None
            self._add_extents([self.maps[n] for n in (*kept, *range(self.inputs, len(self.maps)))])
            values = [*(operation.operands[n] for n in kept), *(one.value for one in self.added)]
            outputs = list(operation.operands)[self.inputs :]
            maps = [*(self.maps[n] for n in kept), *(one.map for one in self.added), *self.maps[self.inputs :]]
            new = bodiless_generic(values, outputs, maps, iterators_of(operation, self.maps))
            kinds = [_element(value) for value in (*values, *outputs)]
            block = new.regions[0].blocks.append(*kinds, arg_locs=[operation.location] * len(kinds))
        arguments = list(block.arguments)
        mapped: dict[ir.Value, ir.Value] = {old.arguments[n]: arguments[at] for at, n in enumerate(kept)}
        for number in range(len(outputs)):
            mapped[old.arguments[self.inputs + number]] = arguments[len(values) + number]
        with ir.InsertionPoint(block), operation.location:
            for n in curved:
                places = [positions.emit(result) for result in self.maps[n].results]
                shape = shape_of(operation.operands[n])
                mapped[old.arguments[n]] = _gathered(arguments[tables[n]], places, shape, positions)
            for op in (op.operation for op in old.operations):
                if op not in extracted:
                    copy_mapped(op, mapped)
                    continue
                argument, is_table = arguments[extracted[op][0]], extracted[op][1]
                given: list[ir.Value] = list(op.operands)[1:]
                places = [mapped.get(value, value) for value in given]
                if is_table:
                    with op.location:
                        argument = _gathered(argument, places, shape_of(op.operands[0]), positions)
                mapped[op.results[0]] = argument
        replace_op(operation, *new.results)

    def _plain_map(self, extract: ir.Operation, positions: Positions) -> ir.AffineMap | None:
        """Return the map of an extraction at sums of loops inside of the tensor, None of any other."""
        results: list[ir.AffineExpr] = []
        for value, extent in zip(list(extract.operands)[1:], shape_of(extract.operands[0]), strict=True):
            if extent == 1:
                results.append(ir.AffineConstantExpr.get(0))  # where each position is clamped to
                continue
            expression = positions.linear(value)
            if expression is None or not positions.is_inside(value, extent):
                return None
            results.append(expression)
        return ir.AffineMap.get(self.loops, 0, results)

    def _cut(self, value: Any, affine_map: Any) -> Any:
        """Return the part of a tensor that its map reaches: a loop runs over all of a dimension that it indexes."""
        sizes = [
            self.extents[result.position] if isinstance(result, ir.AffineDimExpr) else extent
            for result, extent in zip(affine_map.results, shape_of(value), strict=True)
        ]
        if sizes == shape_of(value):
            return value
        rank = len(sizes)
        return extract_slice(value, Slice((0,) * rank, tuple(sizes), (1,) * rank))

    def _place(self, value: ir.Value, affine_map: ir.AffineMap | None) -> int:
        if affine_map is None:
            return self._add_table(value)
        return self._add(self._cut(value, affine_map), affine_map)

    def _add(self, value: ir.Value, affine_map: ir.AffineMap) -> int:
        """Return the number of the new operand that is read so."""
        for number, one in enumerate(self.added):
            if one.value == value and one.map == affine_map:
                return number
        self.added.append(_Input(value, affine_map))
        return len(self.added) - 1

    def _add_extents(self, kept: Sequence[Any]) -> None:
        """Add an operand that nobody reads for the loops whose extents only tables said.

        Args:
            kept: Maps of the operands that stay as they are.
        """
        said = {
            result.position
            for one in (*kept, *(each.map for each in self.added))
            for result in one.results
            if isinstance(result, ir.AffineDimExpr)
        }
        unsaid = [loop for loop in range(self.loops) if loop not in said and loop in self.extents]
        if not unsaid:
            return
        element = _element(self.operation.results[0])
        shape = ir.RankedTensorType.get([self.extents[loop] for loop in unsaid], element)
        loops = [ir.AffineDimExpr.get(loop) for loop in unsaid]
        self.added.append(_Input(empty_like(shape), ir.AffineMap.get(self.loops, 0, loops)))

    def _add_table(self, value: Any) -> int:
        """Return the number of the new operand that is a tensor in one dimension, read as a whole."""
        first = ir.AffineMap.get(self.loops, 0, [ir.AffineConstantExpr.get(0)])
        shape = shape_of(value)
        if len(shape) == 1:
            return self._add(value, first)
        groups = [list(range(len(shape)))]
        flat = tensor.collapse_shape(ir.RankedTensorType.get([prod(shape)], _element(value)), value, groups)
        known = next((n for n, one in enumerate(self.added) if _is_same_view(one.value, flat)), None)
        return self._add(flat, first) if known is None else known


def _is_same_view(one: ir.Value, other: ir.Value) -> bool:
    """Return whether two values are the same tensor in one dimension."""
    a, b = one.owner, other.owner
    if isinstance(a, ir.Block) or isinstance(b, ir.Block):
        return False
    return a.operation.name == b.operation.name == "tensor.collapse_shape" and (
        a.operation.operands[0] == b.operation.operands[0] and one.type == other.type
    )


def _is_extract(operation: ir.Operation) -> bool:
    if operation.name != EXTRACT:
        return False
    kind = operation.operands[0].type
    return isinstance(kind, ir.RankedTensorType) and ir.RankedTensorType(kind).has_static_shape


def _at_first(affine_map: Any, shape: Sequence[int]) -> Any:
    """Return a map that reads each dimension of one element at 0, where it is no sum of loops."""
    if affine_map.n_symbols or _is_linear(affine_map):
        return affine_map
    first = ir.AffineConstantExpr.get(0)
    results = [first if extent == 1 else one for one, extent in zip(affine_map.results, shape, strict=True)]
    return ir.AffineMap.get(affine_map.n_dims, 0, results)


def _is_linear(affine_map: ir.AffineMap) -> bool:
    try:
        for result in affine_map.results:
            linear_index(result, affine_map.n_dims)
    except NotLinearError:
        return False
    return True


def _gathered(argument: ir.Value, places: Sequence[ir.Value], shape: Sequence[int], positions: Positions) -> ir.Value:
    """Emit the element at positions, one a dimension, of a tensor that an argument stands for in one dimension."""
    total: Any = None
    for place, extent in zip(places, shape, strict=True):
        inside = positions.clamped(place, extent)
        if total is not None:
            inside = arith.addi(arith.muli(total, arith.constant(ir.IndexType.get(), extent)), inside)
        total = inside
    return rtile.gather(argument, total).operation.results[0]


def _element(value: Any) -> ir.Type:
    return ir.RankedTensorType(value.type).element_type if isinstance(value.type, ir.RankedTensorType) else value.type
