# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the reference holds values: floats as float64 rounded to their element type, integers in their own type.

bf16, which numpy has not, enters and leaves as its 16 bits (uint16).
"""

from typing import Any, TypeAlias

import numpy as np

from roller_mlir.plan.accuracy.rounding import EPSILON

Array: TypeAlias = np.ndarray[Any, Any]

_FLOATS = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
_BITS = {"f64": np.int64, "f32": np.int32, "f16": np.int16, "bf16": np.int16}
_INTEGERS = {"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.bool_, "index": np.int64}

SMALLEST_NORMAL = {"f64": 2.0**-1022, "f32": 2.0**-126, "f16": 2.0**-14, "bf16": 2.0**-126}
"""The smallest number of each float type that has all its bits."""


def is_float(element_type: str) -> bool:
    """Return whether an element type is a float."""
    return element_type in EPSILON


def is_supported(element_type: str) -> bool:
    """Return whether the reference can hold an element type."""
    return element_type in EPSILON or element_type in _INTEGERS


def round_to(values: Array, element_type: str) -> Array:
    """Return values rounded to an element type, in the form in which the reference holds it.

    >>> float(round_to(np.array(1.0 + 2.0**-9), "bf16"))
    1.0
    >>> float(round_to(np.array(0.1), "f32")) == float(np.float32(0.1))
    True
    """
    values = np.asarray(values)
    if is_float(element_type):
        return _round_float(_enough_digits(values, element_type), element_type)
    if element_type == "i1":
        return values if values.dtype == np.bool_ else (values.astype(np.int64) & 1).astype(np.bool_)
    return values.astype(_INTEGERS[element_type])


def bits_of(values: Array, element_type: str) -> Array:
    """Return the bits of values, as signed integers of the element type's width (i1 as i1)."""
    if not is_float(element_type):
        return values
    held = round_to(values, element_type)
    if element_type == "bf16":
        return _to_bits(held).view(np.int16)
    return held.astype(_FLOATS[element_type]).view(_BITS[element_type])


def of_bits(bits: Array, element_type: str) -> Array:
    """Return the values of an element type that have certain bits, given as integers of its width."""
    if not is_float(element_type):
        return round_to(bits, element_type)
    if element_type == "bf16":
        return _from_bits(bits.view(np.uint16)).astype(np.float64)
    return bits.view(_FLOATS[element_type]).astype(np.float64)


def from_caller(array: Array, element_type: str) -> Array:
    """Return a caller's array in the form in which the reference holds it."""
    if element_type == "bf16":
        return _from_bits(array).astype(np.float64)
    return array.astype(np.float64) if is_float(element_type) else array.astype(_INTEGERS[element_type])


def to_caller(values: Array, element_type: str) -> Array:
    """Return a value as the caller's numpy type."""
    if element_type == "bf16":
        return _to_bits(values)
    kind = _FLOATS.get(element_type) or _INTEGERS[element_type]
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(values.astype(kind)).reshape(values.shape)


def _enough_digits(values: Array, element_type: str) -> Array:
    """Return numbers as float64 so that rounding them to an element type gives what one rounding gives.

    An integer of 64 bits may need more digits than float64 has. Where it goes on to a shorter float, its last digits
    become one that tells only whether any of them was set, which no tie of a shorter float can be mistaken for.
    """
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or element_type == "f64":
        return values.astype(np.float64)
    large = (values > 1 << 53) | (values < -(1 << 53)) if values.dtype.kind == "i" else values > 1 << 53
    rest = values.dtype.type(0x7FF)
    sticky = (values >> values.dtype.type(11)) | ((values & rest) != 0).astype(values.dtype)
    return np.where(large, sticky.astype(np.float64) * 2048.0, values.astype(np.float64))


def _round_float(values: Array, element_type: str) -> Array:
    """Round float64 numbers to the nearest of a float type, ties to even, once."""
    with np.errstate(all="ignore"):
        if element_type != "bf16":
            return values.astype(_FLOATS[element_type]).astype(np.float64)
        bits = np.ascontiguousarray(values).view(np.uint64).reshape(values.shape)
        half = np.uint64((1 << 44) - 1) + ((bits >> np.uint64(45)) & np.uint64(1))
        rounded = ((bits + half) & ~np.uint64((1 << 45) - 1)).view(np.float64)
        sizes = np.abs(values)
        rounded = np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, values), rounded)
        if np.any(sizes < 2.0**-126):  # denormal numbers have fewer digits
            rounded = np.where(sizes < 2.0**-126, np.ldexp(np.rint(np.ldexp(values, 133)), -133), rounded)
        return np.where(np.isnan(values), np.nan, rounded)


def _to_bits(values: Array) -> Array:
    """Return the bits of the nearest bf16, ties to even; NaN stays NaN."""
    rounded = _round_float(np.asarray(values, np.float64), "bf16")
    bits = rounded.astype(np.float32).view(np.uint32) >> np.uint32(16)
    return np.where(np.isnan(rounded), np.uint32(0x7FC0), bits).astype(np.uint16)


def _from_bits(bits: Array) -> Array:
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
