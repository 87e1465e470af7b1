# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Positions that a linalg body computes: which sums of loops they are, and between which numbers they lie."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roller_mlir.support.bindings import arith, ir, linalg
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import DYNAMIC, constant_of, defining_op

Range = tuple[int, int]
_ANY = (-(1 << 63), (1 << 63) - 1)


def shape_of(value: Any) -> list[int]:
    """Return the shape of a tensor, [] of a scalar."""
    return list(ir.RankedTensorType(value.type).shape) if isinstance(value.type, ir.RankedTensorType) else []


def check_position(operation: ir.Operation, shape: Sequence[int], position: Sequence[int | None]) -> None:
    """Fail where an operation is at a constant position outside of its tensor.

    Args:
        operation: For the error.
        shape: Of the tensor.
        position: One number a dimension; None: data, which is clamped.
    """
    if any(at is not None and not 0 <= at < extent for at, extent in zip(position, shape, strict=True)):
        shown = ", ".join("?" if at is None else str(at) for at in position)
        fail(operation, f"'{operation.name}' is at [{shown}], outside of a tensor of shape {list(shape)}")


def loop_extents(maps: Sequence[Any], operation: ir.Operation) -> dict[int, int]:
    """Return the extents of an op's loops, as far as an operand is indexed by one alone.

    Args:
        maps: Of its operands.
        operation: A linalg op.
    """
    extents: dict[int, int] = {}
    for affine_map, value in zip(maps, operation.operands, strict=False):
        for result, extent in zip(affine_map.results, shape_of(value), strict=True):
            if isinstance(result, ir.AffineDimExpr) and extent != DYNAMIC:
                extents.setdefault(result.position, extent)
    return extents


class Positions:
    """Reads and emits positions over the loops of one op."""

    def __init__(self, extents: Mapping[int, int]) -> None:
        """Take the extents of the loops, as far as they are known."""
        self._extents = extents

    def linear(self, value: ir.Value) -> ir.AffineExpr | None:
        """Return a value of the body as a sum of loops and a constant, None where it is none."""
        constant = constant_of(value)
        if constant is not None:
            return ir.AffineConstantExpr.get(constant)
        operation = defining_op(value)
        if operation is None:
            return None
        if operation.name == "linalg.index":
            return ir.AffineDimExpr.get(ir.IntegerAttr(operation.attributes["dim"]).value)
        if operation.name == "arith.index_cast":
            return self.linear(operation.operands[0]) if isinstance(value.type, ir.IndexType) else None
        if operation.name not in ("arith.addi", "arith.subi", "arith.muli"):
            return None
        left, right = (self.linear(operand) for operand in operation.operands)
        if left is None or right is None:
            return None
        if operation.name == "arith.muli":
            constants = (isinstance(one, ir.AffineConstantExpr) for one in (left, right))
            return left * right if any(constants) else None
        return left + right if operation.name == "arith.addi" else left + right * -1

    def range(self, value: ir.Value) -> Range | None:
        """Return the least and the greatest that an index value can be, None where it may wrap around."""
        constant = constant_of(value)
        if constant is not None:
            return constant, constant
        operation = defining_op(value)
        if operation is not None and operation.name == "linalg.index":
            extent = self._extents.get(ir.IntegerAttr(operation.attributes["dim"]).value)
            return None if extent is None else (0, extent - 1)
        if not isinstance(value.type, ir.IndexType):
            return None
        if operation is None or operation.name not in _RANGES:
            return _ANY
        ranges = [self.range(operand) for operand in operation.operands]
        known = [one for one in ranges if one is not None]
        found = _RANGES[operation.name](*known) if len(known) == len(ranges) else None
        return found if found is not None and found[0] >= _ANY[0] and found[1] <= _ANY[1] else None

    def is_inside(self, value: ir.Value, extent: int) -> bool:
        """Return whether a value of the body is seen to be a position of a dimension."""
        known = self.range(value)
        return known is not None and known[0] >= 0 and known[1] < extent

    def clamped(self, value: ir.Value, extent: int) -> ir.Value:
        """Emit the position of a dimension that is nearest to a value."""
        if extent == 1:
            return arith.constant(ir.IndexType.get(), 0)
        if self.is_inside(value, extent):
            return value
        least, most = (arith.constant(ir.IndexType.get(), bound) for bound in (0, extent - 1))
        return arith.minsi(arith.maxsi(value, least), most)

    def emit(
        self, expression: Any, dims: Sequence[ir.Value] | None = None, symbols: Sequence[ir.Value] = ()
    ) -> ir.Value:
        """Emit the value of an affine expression.

        Args:
            expression: Of dimensions and symbols.
            dims: What the dimensions stand for; None: the loops.
            symbols: What the symbols stand for.
        """
        if isinstance(expression, ir.AffineDimExpr):
            return linalg.IndexOp(expression.position).result if dims is None else dims[expression.position]
        if isinstance(expression, ir.AffineSymbolExpr):
            return symbols[expression.position]
        if isinstance(expression, ir.AffineConstantExpr):
            return arith.constant(ir.IndexType.get(), expression.value)
        left, right = (self.emit(side, dims, symbols) for side in (expression.lhs, expression.rhs))
        if isinstance(expression, ir.AffineAddExpr):
            return arith.addi(left, right)
        if isinstance(expression, ir.AffineMulExpr):
            return arith.muli(left, right)
        if isinstance(expression, ir.AffineCeilDivExpr):
            return arith.ceildivsi(left, right)
        known = self.range(left)
        natural = known is not None and known[0] >= 0
        if isinstance(expression, ir.AffineFloorDivExpr):
            return arith.divui(left, right) if natural else arith.floordivsi(left, right)
        if natural:
            return arith.remui(left, right)
        return arith.subi(left, arith.muli(arith.floordivsi(left, right), right))


def _product(a: Range, b: Range) -> Range:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _quotient(a: Range, b: Range) -> Range | None:
    return (a[0] // b[1], a[1] // b[0]) if a[0] >= 0 and b[0] > 0 else None


def _remainder(a: Range, b: Range) -> Range | None:
    return (0, min(a[1], b[1] - 1)) if a[0] >= 0 and b[0] > 0 else None


_RANGES: dict[str, Callable[[Range, Range], Range | None]] = {
    "arith.addi": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "arith.subi": lambda a, b: (a[0] - b[1], a[1] - b[0]),
    "arith.muli": _product,
    "arith.divui": _quotient,
    "arith.divsi": _quotient,
    "arith.floordivsi": _quotient,
    "arith.remui": _remainder,
    "arith.remsi": _remainder,
    "arith.minsi": lambda a, b: (min(a[0], b[0]), min(a[1], b[1])),
    "arith.maxsi": lambda a, b: (max(a[0], b[0]), max(a[1], b[1])),
}
