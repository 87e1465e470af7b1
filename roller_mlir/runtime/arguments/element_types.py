# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MLIR element types as numpy types; bf16, which numpy has not, travels as its 16 bits."""

from typing import Any

import numpy as np

NUMPY_TYPES: dict[str, np.dtype[Any]] = {
    "f64": np.dtype(np.float64),
    "f32": np.dtype(np.float32),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(np.uint16),
    "i64": np.dtype(np.int64),
    "i32": np.dtype(np.int32),
    "i16": np.dtype(np.int16),
    "i8": np.dtype(np.int8),
    "i1": np.dtype(np.bool_),
}


def bf16_bits(values: Any) -> np.ndarray[Any, Any]:
    """Return numbers as the bits of the nearest bf16, ties to even; NaN stays NaN.

    >>> [hex(int(bits)) for bits in bf16_bits(np.array([1.0, -2.0, 1.00390625, 1.01171875, np.nan]))]
    ['0x3f80', '0xc000', '0x3f80', '0x3f82', '0x7fc0']
    """
    bits = np.asarray(values, np.float32).view(np.uint32)
    nearest = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
    return np.where(np.isnan(values), np.uint16(0x7FC0), nearest.astype(np.uint16))


def bf16_values(bits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return what bits of bf16 stand for, as float32."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
