# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is expected of an item, and whether a result is that, within a tolerance that is derived here.

A sum of n products, in f32 in whatever order: with u = eps / 2, each addition errs by up to u times the partial sum.
Products of random sign and standard deviation s have partial sums of sqrt(k) s, so the error has a standard deviation
of u s n / sqrt(6) = 0.41 u sqrt(n) rms, with rms = sqrt(n) s that of the results. Summands of one sign m have partial
sums of k m: 0.33 u n^1.5 m = 0.33 u sqrt(n) rms with rms = n m. Either way sqrt(n) rms is the measure, and 8 u is 20 of
those standard deviations, more than any of 10^9 elements needs. 64 u more pay for the functions of a body (exp and its
like are approximate on GPUs). So an element may differ by

    4 eps (8 + sqrt(n)) max(|expected|, rms)

as in the compiler's own reference. Matrix instructions of 16-bit factors round each partial sum towards zero, which
does not average out: n / 16 instructions add up to 0.04 n u rms; n / 128 stands beside sqrt(n) for them. Factors that
are rounded to tf32 add four of its spacings. A result that is stored in 16 bits may differ by one spacing, eps
max(|expected|, rms), more: half of it for its own rounding, half for that of what libraries want in the same type (a
bias). What is wrong by one product of inputs that are uniform in [-1, 1) differs by about 0.25, while n = 4096 allows
0.0007, and 0.02 stored in f16; n = 30522 in f32 0.005.

A function of several operators may magnify errors: scores of attention with a standard deviation of 85, which such
inputs give 12 heads of 64, make a softmax of them 85 times as far off. There the tolerance is multiplied by 8 times
what torch's own f32 takes of it, where that is more than 1.

Integers, and floats that are only selected (relu, maxima), must be equal. NaN never passes, nor does an infinity.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import inf, isfinite, prod, sqrt
from typing import Any

import numpy as np

from roller_mlir.measure.runner.element_arrays import (
    EPSILON,
    SMALLEST,
    bf16_values,
    element_type_of,
    import_torch,
    is_float,
    is_torch,
    to_numpy,
    to_torch,
)

_EPSILON_TF32 = 2.0**-10
_CHUNK = 1 << 24
"""Elements that are compared at a time: 128 MiB for each array in f64."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What a comparison found.

    Attributes:
        ok: Whether every element of every output is within the tolerance.
        error: The largest difference in units of the tolerance, inf for a NaN or where equality was asked for; None
            where there is nothing to compare.
        message: What is wrong, and where; "" where all is right.
    """

    ok: bool
    error: float | None
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """How far elements of one output may be from what is expected.

    Attributes:
        element_type: Of the output, as an artifact stores it.
        points: n, the points that the reductions behind it combine.
        exact: Whether they must be equal.
        accumulator: Float type in which it is computed.
        truncates: Whether matrix instructions of 16-bit factors may have summed it.
        tf32: Whether factors may have been rounded to tf32.
        doubled: Whether what is compared with was itself rounded in that type.
        condition: How far the function magnifies errors, at least 1.
    """

    element_type: str
    points: int = 0
    exact: bool = False
    accumulator: str = "f32"
    truncates: bool = False
    tf32: bool = False
    doubled: bool = False
    condition: float = 1.0

    @property
    def relative(self) -> float:
        """The permitted error as a share of max(|expected|, rms), without that of storing.

        >>> f"{Tolerance(element_type='f32', points=1024).relative:.1e}"
        '1.9e-05'
        """
        steps = 8 + sqrt(self.points) + (self.points / 128 if self.truncates else 0)
        times = self.condition * (2 if self.doubled else 1)
        return times * 4 * (EPSILON[self.accumulator] * steps + self.tf32 * _EPSILON_TF32)


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What the outputs of an item must be.

    Attributes:
        against: Where the numbers are from ("torch f64", "numpy", "candidate 0").
        outputs: One array per output, of torch or numpy; floats in the type in which they were computed.
        tolerances: One per output.
        rms: Root mean square of each, found when it is first asked for.
    """

    against: str
    outputs: tuple[Any, ...]
    tolerances: tuple[Tolerance, ...]
    rms: list[float] = field(default_factory=list[float], compare=False)

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
        tolerance = self.tolerances[number]
        stored = [tolerance.element_type, element_type_of(got)]
        xp: Any = import_torch() if is_torch(want) else np
        got = to_numpy(got) if xp is np else to_torch(xp, got, want.device)
        if not len(self.rms):
            self.rms.extend(_rms(array, xp, each) for array, each in zip(self.outputs, self.tolerances, strict=True))
        if not isfinite(self.rms[number]):
            return inf, f"what is expected by {self.against} is not finite"
        worst, at, wrong = 0.0, 0, 0
        for start, left, right in _chunks(got, want, xp, stored[1], tolerance.element_type):
            error = _errors(xp, left, right, tolerance, stored, self.rms[number])
            index = int(xp.argmax(error))
            found = float(error[index])
            wrong += int((error > 1).sum())
            if found > worst:
                worst, at = found, start + index
        if worst <= 1:
            return worst, ""
        index = [int(i) for i in np.unravel_index(at, tuple(want.shape))] if len(want.shape) else []
        values = [_value(array, at, kind) for array, kind in ((got, stored[1]), (want, tolerance.element_type))]
        share = f"{wrong} of {prod(want.shape)} elements are wrong"
        far = "" if tolerance.exact or not isfinite(worst) else f", {worst:.3g} tolerances off"
        return worst, f"{share}; the worst, at {index}, is {values[0]:.10g} instead of {values[1]:.10g}{far}"


def _errors(xp: Any, got: Any, want: Any, tolerance: Tolerance, stored: Sequence[str], rms: float) -> Any:
    """Return the differences in units of the tolerance; inf where there is none to take or equality is wanted."""
    if tolerance.exact:
        same = xp.where(got == want, 0.0, inf)
        return same if xp is np else same.to(xp.float64)
    magnitude = abs(want)
    scale = xp.where(magnitude < rms, rms, magnitude)
    allowed = tolerance.relative * scale
    narrow = max((kind for kind in stored if is_float(kind)), key=EPSILON.__getitem__, default=tolerance.element_type)
    if narrow in ("f16", "bf16"):
        allowed = allowed + EPSILON[narrow] * scale + SMALLEST[narrow]
    if rms == 0:
        allowed = allowed + SMALLEST["f32"]  # all is 0, and so must the result be
    error = abs(got - want) / allowed
    return xp.where(xp.isfinite(error), error, inf)


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


def _rms(array: Any, xp: Any, tolerance: Tolerance) -> float:
    """Return the root mean square of an array; NaN or inf where an element is not finite."""
    count, total = prod(array.shape), 0.0
    if xp is None or not count:
        return 0.0
    for _, part, _ in _chunks(array, array, xp, tolerance.element_type, tolerance.element_type):
        total += float((part * part).sum())
    return sqrt(total / count) if isfinite(total) else inf


def _value(array: Any, at: int, element_type: str) -> float:
    part = array.reshape(-1)[at : at + 1]
    return float(_wide(part, np if isinstance(array, np.ndarray) else import_torch(), element_type)[0])


def _output(number: int, outputs: Sequence[Any]) -> str:
    return f"output {number}" if len(outputs) > 1 else "the output"


def _shape(shape: Sequence[int]) -> str:
    return "x".join(map(str, shape)) or "a scalar"
