# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a result is what is expected of an item, each element within its own bound.

The bounds, and how many times its bound an element is off, are those of `plan.accuracy.rounding`, as in the compiler's
own reference. Where a library gives f16 or bf16 it may have rounded what it adds (a bias) to that type too: one more of
its rounding errors is permitted, and two where the item itself has more digits.

Integers, and floats that are only selected (relu, maxima), must be equal. NaN never passes, nor does an infinity.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, prod
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.runner.expected.element_arrays import (
    element_type_of,
    import_torch,
    is_float,
    is_torch,
    to_numpy,
    to_torch,
)
from roller_mlir.plan.accuracy.rounding import DIGITS, half_spacing, off_by
from roller_mlir.runtime.arguments.element_types import bf16_values

_CHUNK = 1 << 24
"""Elements that are compared at a time: 128 MiB for each array in f64."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a comparison found.

    Attributes:
        ok: Whether every element of every output is within its bound.
        error: The largest difference in units of its bound, inf for a NaN or where equality was asked for; None
            where there is nothing to compare.
        message: What is wrong, and where; "" where all is right.
    """

    ok: bool
    error: float | None
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class ExpectedOutputs:
    """What the outputs of an item must be.

    Attributes:
        against: Where the numbers are from ("torch f64", "numpy", "candidate 0").
        outputs: One array per output, of torch or numpy; floats in the type in which they were computed.
        bounds: Per output, how far each element may be off, an array beside it; None where all must be equal.
        element_types: Per output, as an artifact stores it.
    """

    against: str
    outputs: tuple[Any, ...]
    bounds: tuple[Any | None, ...]
    element_types: tuple[str, ...]

    def compare(self, outputs: Any) -> Verdict:
        """Compare outputs with these, on the device where these are.

        Args:
            outputs: An array or a sequence of arrays: of torch, of numpy, or of the runtime.
        """
        given: Sequence[Any] = outputs if isinstance(outputs, (list, tuple)) else (outputs,)
        if len(given) != len(self.outputs):
            return Verdict(ok=False, error=None, message=f"{len(given)} outputs instead of {len(self.outputs)}")
        largest, messages = 0.0, list[str]()
        for number, (got, want) in enumerate(zip(given, self.outputs, strict=True)):
            if tuple(got.shape) != tuple(want.shape):
                shapes = f"{_shape(got.shape)} instead of {_shape(want.shape)}"
                return Verdict(ok=False, error=None, message=f"{_output(number, given)} is {shapes}")
            error, message = self._compare(number, got, want)
            largest = max(largest, error)
            if message:
                messages.append(f"{_output(number, given)}: {message}")
        return Verdict(ok=not messages, error=largest, message="; ".join(messages))

    def _compare(self, number: int, got: Any, want: Any) -> tuple[float, str]:
        kind, bound = self.element_types[number], self.bounds[number]
        stored = [kind, element_type_of(got)]
        xp: Any = import_torch() if is_torch(want) else np
        got = to_numpy(got) if xp is np else to_torch(xp, got, want.device)
        worst, at, wrong, permitted = 0.0, 0, 0, 0.0
        for start, left, right in _chunks(got, want, xp, stored[1], kind):
            allowed = _allowed(xp, right, bound, start, stored)
            if not bool(xp.isfinite(right + allowed).all()):
                return inf, f"what is expected by {self.against} is not finite"
            error = off_by(xp, left, right, allowed)
            index = int(xp.argmax(error))
            found = float(error[index])
            wrong += int((error > 1).sum())
            if found > worst:
                worst, at, permitted = found, start + index, float(allowed[index])
        if worst <= 1:
            return worst, ""
        index = [int(i) for i in np.unravel_index(at, tuple(want.shape))] if len(want.shape) else []
        values = [_value(array, at, kind) for array, kind in ((got, stored[1]), (want, kind))]
        share = f"{wrong} of {prod(want.shape)} elements are wrong"
        far = f", permitted is an error of {permitted:.3g}" if permitted else ""
        return worst, f"{share}; the worst, at {index}, is {values[0]:.10g} instead of {values[1]:.10g}{far}"


def _allowed(xp: Any, want: Any, bound: Any | None, start: int, stored: Sequence[str]) -> Any:
    """Return how far each element of a part may be off."""
    if bound is None:
        return 0 * want
    allowed = bound.reshape(-1)[start : start + _CHUNK]
    narrow = min((kind for kind in stored if is_float(kind)), key=DIGITS.__getitem__, default=stored[0])
    if narrow in ("f16", "bf16"):
        allowed = allowed + (1 if narrow == stored[0] else 2) * half_spacing(xp, abs(want) + allowed, narrow)
    return allowed


def _chunks(got: Any, want: Any, xp: Any, got_type: str, want_type: str) -> Iterator[tuple[int, Any, Any]]:
    """Yield parts of both arrays in f64, flat, each with the number of its first element."""
    left, right = got.reshape(-1), want.reshape(-1)
    count = prod(want.shape)
    for start in range(0, count, _CHUNK):
        parts = left[start : start + _CHUNK], right[start : start + _CHUNK]
        yield start, _wide(parts[0], xp, got_type), _wide(parts[1], xp, want_type)


def _wide(array: Any, xp: Any, element_type: str) -> Any:
    if xp is not np:
        return array.to(xp.float64)
    return (bf16_values(array) if element_type == "bf16" and array.dtype == np.uint16 else array).astype(np.float64)


def _value(array: Any, at: int, element_type: str) -> float:
    part = array.reshape(-1)[at : at + 1]
    return float(_wide(part, np if isinstance(array, np.ndarray) else import_torch(), element_type)[0])


def _output(number: int, outputs: Sequence[Any]) -> str:
    return f"output {number}" if len(outputs) > 1 else "the output"


def _shape(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "a scalar"
