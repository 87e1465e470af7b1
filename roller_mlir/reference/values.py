# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the reference holds values: floats as float64 rounded to their element type, integers in their own type.

bf16, which numpy has not, enters and leaves as its 16 bits (uint16).
"""

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = np.ndarray[Any, Any]

_FLOATS = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
_INTEGERS = {"i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8, "i1": np.bool_, "index": np.int64}

EPSILON = {"f64": 2.0**-52, "f32": 2.0**-23, "f16": 2.0**-10, "bf16": 2.0**-7}
"""Distance from 1 to the next number of each float type."""


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
    if element_type == "bf16":
        return _from_bits(_to_bits(values)).astype(np.float64)
    if element_type in _FLOATS:
        with np.errstate(over="ignore"):
            return np.asarray(values, np.float64).astype(_FLOATS[element_type]).astype(np.float64)
    return np.asarray(values).astype(_INTEGERS[element_type])


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


def _to_bits(values: Array) -> Array:
    """Round to the nearest bf16, ties to even; NaN stays NaN."""
    bits = np.asarray(values, np.float64).astype(np.float32).view(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), np.uint32(0x7FC0), rounded).astype(np.uint16)


def _from_bits(bits: Array) -> Array:
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
