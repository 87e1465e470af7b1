# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies that quantize, with less work.

    q = cast(min(max(roundeven(x / s) + z, least), largest))          // to 8 bits

Where x is (q' - z) * s, q is q': the product and the quotient are rounded by far less than a half. Quantizers put such
pairs around each op that only moves elements.

A division takes as long as eight products and more. With r + t = 1 / s, r and t of f32, x / s is x * r + x * t, of
which the first product is added without a rounding of its own; x is brought between the bounds before, which keeps
infinities out. That the nearest integers are those of the quotient is looked at for each scale, at all x that come near
the middle of two integers; else the division stays.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.support.bindings import arith, ir, math
from roller_mlir.support.values import defining_op, replace_op

_BOUNDS = {"arith.fptoui": (0, 255), "arith.fptosi": (-128, 127)}
"""By the cast to 8 bits: the least and the largest number."""
_WIDENED = {"arith.fptoui": ("arith.extui", "arith.uitofp"), "arith.fptosi": ("arith.extsi", "arith.sitofp")}
"""By the cast to 8 bits: those from 8 bits of the same sign, to integers and to floats."""
_NEAR = 5
"""So many floats on both sides of a middle are looked at: a quotient has at least half as many there."""

_FAR = 2.0**15
"""Zero points that are nearer to 0 leave sums that f32 holds."""


@dataclass(frozen=True)
class _Quantizer:
    """A cast to 8 bits of a scaled value.

    Attributes:
        cast: It.
        value: What is scaled.
        zero: Added behind the rounding.
        scale: What the value is divided by, None where it is multiplied.
        inverse: What it is multiplied by, None where it is divided.
    """

    cast: ir.Operation
    value: Any
    zero: float
    scale: float | None
    inverse: float | None


def simplify_quantizers(block: ir.Block) -> int:
    """Let bodies read integers in the place of what is quantized of them again, and multiply in the place of divisions.

    Args:
        block: Of structured ops on tensors.

    Returns:
        How many casts changed.
    """
    changed = 0
    for op in block.operations:
        if not is_structured(op.operation):
            continue
        for inner in list(op.operation.regions[0].blocks[0].operations):
            found = _read(inner.operation) if inner.operation.name in _BOUNDS else None
            if found is None:
                continue
            before = _integers_behind(found)
            if before is not None:
                found.cast.results[0].replace_all_uses_with(before)
            changed += before is not None or _multiply(found)
    return changed


def _read(cast: ir.Operation) -> _Quantizer | None:
    """Return how a cast to 8 bits quantizes f32, None where it does something else."""
    if str(cast.results[0].type) != "i8" or str(cast.operands[0].type) != "f32":
        return None
    value, high = _with_number(cast.operands[0], "arith.minimumf")
    value, low = _with_number(value, "arith.maximumf")
    if (low, high) != _BOUNDS[cast.name]:
        return None
    value, zero = _with_number(value, "arith.addf")
    rounded = defining_op(value, "math.roundeven")
    if rounded is None:
        return None
    divided, scale = _with_number(rounded.operands[0], "arith.divf")
    multiplied, inverse = _with_number(rounded.operands[0], "arith.mulf")
    if scale is None and inverse is None:
        return None
    return _Quantizer(cast, multiplied if scale is None else divided, zero or 0.0, scale, inverse)


def _integers_behind(quantizer: _Quantizer) -> Any:
    """Return the integers of 8 bits that a quantizer gives again, None where it may give others."""
    value, scale = _with_number(quantizer.value, "arith.mulf")
    if scale is None:
        return None
    close = quantizer.inverse is not None and abs(quantizer.inverse * scale - 1) < 1e-5
    if not close and scale != quantizer.scale:
        return None
    to_integer, to_float = _WIDENED[quantizer.cast.name]
    value, less = _with_number(value, "arith.subf")
    as_float = defining_op(value)
    if as_float is None or as_float.name not in ("arith.sitofp", "arith.uitofp"):
        return None
    value = as_float.operands[0]
    if less is None:
        value, less = _with_number(value, "arith.subi")
    if (less or 0) != quantizer.zero:
        return None
    widened = as_float if str(value.type) == "i8" else defining_op(value, to_integer)
    if widened is None or widened.name not in (to_integer, to_float) or str(widened.operands[0].type) != "i8":
        return None
    signs = less is None or as_float.name == "arith.sitofp" or widened is as_float
    return widened.operands[0] if signs else None


def _multiply(quantizer: _Quantizer) -> bool:
    """Let a quantizer multiply in the place of its division; return whether it does."""
    if quantizer.scale is None or not 2.0**-100 < quantizer.scale < 2.0**100:
        return False
    if not abs(quantizer.zero) < _FAR or not quantizer.zero.is_integer():
        return False
    least, largest = (bound - quantizer.zero for bound in _BOUNDS[quantizer.cast.name])
    inverse = np.float32(1 / quantizer.scale)
    rest = np.float32(1 / quantizer.scale - float(inverse))
    if not _rounds_alike(np.float32(quantizer.scale), inverse, rest, int(least), int(largest)):
        return False
    cast, f32 = quantizer.cast, ir.F32Type.get(quantizer.cast.context)
    with ir.InsertionPoint(cast), cast.location:
        low, high, first, second, zero = (
            arith.constant(f32, float(np.float32(number)))
            for number in (least * quantizer.scale, largest * quantizer.scale, inverse, rest, quantizer.zero)
        )
        value = arith.minimumf(arith.maximumf(quantizer.value, low), high)
        integer = math.roundeven(math.fma(value, first, arith.mulf(value, second)))
        shifted = integer if quantizer.zero == 0 else arith.addf(integer, zero)
        new = arith.fptoui if cast.name == "arith.fptoui" else arith.fptosi
        result = new(cast.results[0].type, shifted)
    replace_op(cast, result)
    return True


def _rounds_alike(scale: np.float32, inverse: np.float32, rest: np.float32, least: int, largest: int) -> bool:
    """Return whether products round to the integers of quotients, from a least to a largest integer."""
    middles = (np.arange(least, largest) + 0.5) * float(scale)
    near = middles.astype(np.float32).view(np.int32)[:, None] + np.arange(-_NEAR, _NEAR + 1)
    ends = np.array([least, largest], np.float32) * scale
    values = np.concatenate([near.astype(np.int32).view(np.float32).ravel(), ends])
    quotients = np.rint(values / scale)
    return bool((np.rint(_added_once(values, inverse, values * rest)) == quotients).all())


def _added_once(values: Any, factor: np.float32, others: Any) -> Any:
    """Return values of f32 times a factor plus others, rounded once."""
    product, other = values.astype(np.float64) * float(factor), others.astype(np.float64)
    total = product + other  # and what is left of it, of which a product of f32 is exact
    other_there = total - product
    left = (product - (total - other_there)) + (other - other_there)
    rounded = total.astype(np.float32)
    nearest, distance = rounded, np.abs((total - rounded) + left)
    for side in (np.float32(-np.inf), np.float32(np.inf)):
        beside = np.nextafter(rounded, side)
        further = np.abs((total - beside) + left)
        nearest = np.where(further < distance, beside, nearest)
        distance = np.minimum(further, distance)
    return nearest


def _with_number(value: Any, name: str) -> tuple[Any, float | None]:
    """Return the first operand of an op of a name and the constant that is its second; the value and None of others."""
    operation = defining_op(value, name)
    constant = None if operation is None else defining_op(operation.operands[1], "arith.constant")
    if operation is None or constant is None:
        return value, None
    return operation.operands[0], float(constant.attributes["value"].value)
