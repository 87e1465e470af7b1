# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results written at sums of loops, each element at most once, become results at loops that are reshaped.

    %r = linalg.generic  i < 3, j < 4,  outs(%o : tensor<24xf32> at (i * 8 + j * 2 + 1))
    // becomes, the position being a number of the digits i, j and 1 with the bases 3, 4 and 2
    %e = tensor.expand_shape %o : tensor<24xf32> into tensor<3x4x2xf32>
    %s = tensor.extract_slice %e[0, 0, 1] [3, 4, 1] [1, 1, 1]
    %p = linalg.generic  i < 3, j < 4,  outs(%s : tensor<3x4xf32> at (i, j))
    %q = tensor.insert_slice %p into %e[0, 0, 1] [3, 4, 1] [1, 1, 1]
    %r = tensor.collapse_shape %q : tensor<3x4x2xf32> into tensor<24xf32>

Where the first base does not divide the dimension, or the sum begins within the others, that is padded and cut again.
Left as they are, and refused later: sums that reach an element twice, or whose factors do not divide each other, and
factors below 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.affine import NotLinearError, map_indices
from roller_mlir.lowering.linalg.front_end.indexed.positions import loop_extents
from roller_mlir.lowering.linalg.front_end.walk import entry_operations
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, filled, iterators_of
from roller_mlir.lowering.linalg.pads import pad_tensor
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.lowering.linalg.rewrite.separate import splat_of
from roller_mlir.lowering.linalg.views import INSERT, SLICE, Slice, build_slice, extract_slice
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op, number_attribute


def expand_result_sums(module: ir.Module) -> None:
    """Rewrite the `linalg.generic` of a module whose results are written at sums of loops."""
    for operation in entry_operations(module):
        if operation.name == "linalg.generic" and len(operation.results):
            _expand(operation)


@dataclass(frozen=True)
class _Digit:
    """One digit of a position.

    Attributes:
        loop: Which loop it is; None for a number.
        base: How many values it has.
        first: The first value, or the number.
        size: How many of them are written.
    """

    loop: int | None
    base: int
    first: int = 0
    size: int = 1


@dataclass(frozen=True)
class _Dimension:
    """A dimension of a result.

    Attributes:
        digits: Of a position in it, once it is padded.
        extent: How many elements it has.
        low: Elements of padding before it.
    """

    digits: tuple[_Digit, ...]
    extent: int
    low: int = 0

    @property
    def padded(self) -> int:
        """How many elements it has with its padding."""
        return prod(digit.base for digit in self.digits)


def _dimension(index: LinearIndex, extent: int, extents: Mapping[int, int]) -> _Dimension | None:
    """Read a position in a dimension as digits, None where it is none.

    >>> for one in _dimension(LinearIndex((8, 2), 1), 24, {0: 3, 1: 4}).digits:
    ...     print(one.loop, one.base, one.first, one.size)
    0 3 0 3
    1 4 0 4
    None 2 1 1
    >>> _dimension(LinearIndex((1, 1), 0), 6, {0: 3, 1: 4})
    """
    factors = {loop: factor for loop, factor in enumerate(index.coefficients) if factor}
    if any(loop not in extents or factor < 0 for loop, factor in factors.items()) or index.constant < 0:
        return None
    ordered = sorted((loop for loop in factors if extents[loop] > 1), key=lambda loop: -factors[loop])
    unit = [_Digit(loop, 1) for loop in factors if extents[loop] == 1]
    if not ordered:
        return _Dimension((_Digit(None, extent, index.constant), *unit), extent) if index.constant < extent else None
    largest = factors[ordered[0]]
    for low in (0, -index.constant % largest):
        steps = [-(-(low + extent) // largest) * largest, *(factors[loop] for loop in ordered), 1]
        digits: list[_Digit] = []
        rest = index.constant + low
        for loop, (large, small) in zip((*ordered, None), pairwise(steps), strict=True):
            if large % small:
                return None
            digits.append(_Digit(loop, large // small, rest // small, 1 if loop is None else extents[loop]))
            rest %= small
        if digits[-1].base == 1:
            digits.pop()
        if all(one.first + one.size <= one.base for one in digits):
            return _Dimension((*digits, *unit), extent, low)
    return None


def _expand(operation: Any) -> None:
    maps: list[Any] = [ir.AffineMapAttr(each).value for each in operation.attributes["indexing_maps"]]
    inputs = len(maps) - len(operation.results)
    if all(isinstance(one, ir.AffineDimExpr) for each in maps[inputs:] for one in each.results):
        return
    extents = loop_extents(maps, operation)
    found = [_dimensions(each, value, extents) for each, value in zip(maps[inputs:], operation.results, strict=True)]
    targets = [dimensions for dimensions in found if dimensions is not None]
    if len(targets) < len(found):
        return
    loops = maps[0].n_dims
    written = [[digit.loop for one in each for digit in one.digits if digit.loop is not None] for each in targets]
    new_maps = [ir.AffineMap.get(loops, 0, [ir.AffineDimExpr.get(loop) for loop in each]) for each in written]
    kinds = iterators_of(operation, maps)
    everywhere = set[int]().union(*written)
    with ir.InsertionPoint(operation), operation.location:
        wholes = [_Whole(operation.operands[inputs + n], dimensions) for n, dimensions in enumerate(targets)]
        new = bodiless_generic(
            list(operation.operands)[:inputs],
            [whole.part() for whole in wholes],
            [*maps[:inputs], *new_maps],
            ["parallel" if loop in everywhere else kind for loop, kind in enumerate(kinds)],
        )
        operation.regions[0].blocks[0].append_to(new.regions[0])
        for whole, before, after in zip(wholes, operation.results, new.results, strict=True):
            before.replace_all_uses_with(whole.with_part(after))
    operation.erase()


def _dimensions(affine_map: Any, value: ir.Value, extents: Mapping[int, int]) -> list[_Dimension] | None:
    """Read the dimensions of a result; None where a loop is in two of them, or a position has no digits."""
    try:
        indices = map_indices(affine_map)
    except NotLinearError:
        return None
    shape = ir.RankedTensorType(value.type).shape
    found = [_dimension(index, extent, extents) for index, extent in zip(indices, shape, strict=True)]
    known = [one for one in found if one is not None]
    loops = [digit.loop for one in known for digit in one.digits if digit.loop is not None]
    return known if len(known) == len(found) and len(loops) == len(set(loops)) else None


class _Whole:
    """The tensor that a result is written into, reshaped to a dimension a digit."""

    def __init__(self, value: Any, dimensions: Sequence[_Dimension]) -> None:
        """Build it at the insertion point.

        Args:
            value: What the result starts from.
            dimensions: Its dimensions.
        """
        self._dimensions = dimensions
        self._kind = ir.RankedTensorType(value.type)
        self._digits = [digit for one in dimensions for digit in one.digits]
        ends = list(accumulate(len(one.digits) for one in dimensions))
        self._groups = [list(range(end - len(one.digits), end)) for one, end in zip(dimensions, ends, strict=True)]
        element = self._kind.element_type
        expanded = ir.RankedTensorType.get([digit.base for digit in self._digits], element)
        scalar = fill_constant(value) or splat_of(value)
        if defining_op(value, "tensor.empty") is not None:
            self._value = empty_like(expanded)
        elif scalar is not None:
            self._value = filled(expanded, scalar)
        else:
            low = [one.low for one in dimensions]
            high = [one.padded - one.low - one.extent for one in dimensions]
            if any((*low, *high)):
                value = pad_tensor(value, low, high, number_attribute(element, 0))
            self._value = tensor.expand_shape(expanded, value, self._groups, [], list(expanded.shape))

    def part(self) -> Any:
        """Build what the op starts from: the elements that it writes."""
        kept = [digit for digit in self._digits if digit.loop is not None]
        kind = ir.RankedTensorType.get([digit.size for digit in kept], self._kind.element_type)
        if self._is_whole:
            return self._value
        return build_slice(SLICE, kind, [self._value], self._place)

    def with_part(self, part: Any) -> Any:
        """Build the result from what the op makes."""
        value: Any = part
        if not self._is_whole:
            value = build_slice(INSERT, self._value.type, [part, self._value], self._place)
        padded = ir.RankedTensorType.get([one.padded for one in self._dimensions], self._kind.element_type)
        if len(self._digits) > len(self._dimensions):
            value = tensor.collapse_shape(padded, value, self._groups)
        if padded == self._kind:
            return value
        lows = tuple(one.low for one in self._dimensions)
        return extract_slice(value, Slice(lows, tuple(self._kind.shape), (1,) * len(lows)))

    @property
    def _is_whole(self) -> bool:
        return all(digit.loop is not None and digit.size == digit.base for digit in self._digits)

    @property
    def _place(self) -> Slice:
        firsts, sizes = tuple(digit.first for digit in self._digits), tuple(digit.size for digit in self._digits)
        return Slice(firsts, sizes, (1,) * len(sizes))
