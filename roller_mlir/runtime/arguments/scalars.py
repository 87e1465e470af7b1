# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that a caller passes where the function takes a tensor of rank 0: checked for range, put into arrays."""

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES, bf16_bits
from roller_mlir.runtime.errors import ArgumentError

# Numbers from here on round to infinity.
_TOO_LARGE = {"f16": 65520.0, "bf16": (2.0 - 2.0**-8) * 2.0**127, "f32": (2.0 - 2.0**-24) * 2.0**127}


def is_number(given: Any) -> bool:
    """Return whether a caller's argument is a number of Python or numpy, not an array."""
    return isinstance(given, bool | np.bool_ | Real) and not isinstance(given, np.ndarray)


def array_of(subject: str, buffer: Buffer, given: Any) -> np.ndarray[Any, Any]:
    """Return a number as an array of rank 0, aligned as the buffer asks.

    Args:
        subject: The argument, for messages.
        buffer: A buffer of shape (); of bf16 the number is rounded to nearest, ties to even.
        given: The number.

    Raises:
        ArgumentError: The buffer's element type does not hold the number.
    """
    kind = buffer.element_type
    dtype = NUMPY_TYPES[kind]
    room = np.zeros(dtype.itemsize + buffer.alignment_bytes, np.uint8)
    start = -room.ctypes.data % buffer.alignment_bytes
    array = room[start : start + dtype.itemsize].view(dtype).reshape(())
    if kind.startswith("i"):
        array[...] = _integer(subject, kind, given)
    elif math.isfinite(given) and abs(float(given)) >= _TOO_LARGE.get(kind, math.inf):
        raise ArgumentError(f"{subject} must be a number that {kind} holds, but got {given}")
    else:
        array[...] = bf16_bits(float(given)) if kind == "bf16" else float(given)
    return array


def _integer(subject: str, kind: str, given: Any) -> int:
    if not isinstance(given, bool | np.bool_ | Integral):
        raise ArgumentError(f"{subject} must be an integer ({kind}), but got {given!r}")
    value = int(given)
    bits = int(kind[1:])
    low, high = (0, 1) if bits == 1 else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    if not low <= value <= high:
        raise ArgumentError(f"{subject} must be {low} to {high} ({kind}), but got {value}")
    return value
