# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random inputs, and the comparison of results with the reference under a stated tolerance."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from roller_mlir.plan.manifest import Buffer
from roller_mlir.reference.values import EPSILON, Array, from_caller, is_float, to_caller


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How one result differs from the reference.

    Attributes:
        matches: Whether every element is within the tolerance (and NaN exactly where the reference is).
        equal: Whether every element is the very same.
        tolerance: The largest permitted error, as a share of max(|expected|, root mean square of the expected).
        max_error: The largest error found, in the same measure; inf where a NaN or an infinity is unexpected.
        index: Where that is, empty for a scalar or an empty array.
        expected: The reference's element there.
        got: The result's element there.
        mismatches: How many elements are outside the tolerance.
    """

    matches: bool
    equal: bool
    tolerance: float
    max_error: float
    index: tuple[int, ...]
    expected: float
    got: float
    mismatches: int


def tolerance(element_type: str, points: int) -> float:
    """Return the permitted relative error of a result: 4 epsilon (8 + sqrt(n)).

    Rounding errors of a sum of n numbers of random sign grow as sqrt(n); 8 pays for the functions of the body (exp and
    the like are approximate on a GPU). Integers must be equal.

    Args:
        element_type: MLIR's spelling.
        points: n, the points that the reductions behind the result combine.

    >>> f"{tolerance('f32', 1024):.1e}"
    '1.9e-05'
    """
    return 4 * EPSILON[element_type] * (8 + sqrt(points)) if is_float(element_type) else 0.0


def compare(got: Array, expected: Array, element_type: str, points: int) -> Comparison:
    """Compare a result with the reference.

    Args:
        got: The result.
        expected: The reference, of the same shape and type.
        element_type: MLIR's spelling.
        points: See `tolerance`.
    """
    if got.shape != expected.shape:
        raise ValueError(
            f"results are compared with references of their shape, but got {got.shape} and {expected.shape}"
        )
    allowed = tolerance(element_type, points)
    left = np.asarray(from_caller(got, element_type), np.float64)
    right = np.asarray(from_caller(expected, element_type), np.float64)
    same = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(all="ignore"):
        finite = right[np.isfinite(right)]
        scale = np.maximum(np.abs(right), np.sqrt(np.mean(finite * finite)) if finite.size else 0.0)
        error = np.where(same, 0.0, np.abs(left - right) / np.where(scale > 0, scale, 1.0))
    error = np.where(np.isnan(error), np.inf, error)
    worst = int(np.argmax(error)) if error.size else 0
    index = tuple(int(i) for i in np.unravel_index(worst, error.shape)) if error.size and error.ndim else ()
    largest = float(error.reshape(-1)[worst]) if error.size else 0.0
    return Comparison(
        matches=largest <= allowed,
        equal=bool(same.all()),
        tolerance=allowed,
        max_error=largest,
        index=index,
        expected=float(right[index]) if error.size else 0.0,
        got=float(left[index]) if error.size else 0.0,
        mismatches=int(np.count_nonzero(error > allowed)),
    )


def random_inputs(buffers: Sequence[Buffer], seed: int, kind: str = "integers") -> list[np.ndarray[Any, Any]]:
    """Return random arrays for buffers.

    Args:
        buffers: What to make arrays for.
        seed: Of the generator; equal seeds give equal arrays.
        kind: "integers" gives whole numbers in -4 to 4 (sums and products of them are exact in f32 up to 2**24, so
            results can be compared for equality), "signs" in -1 to 1 (of which even bf16 holds sums of 256 products),
            "normal" gives a standard normal distribution.

    Raises:
        ValueError: The kind is unknown.
    """
    if kind not in ("integers", "signs", "normal"):
        raise ValueError(f"random inputs are 'integers', 'signs' or 'normal', but got {kind!r}")
    most = 1 if kind == "signs" else 4
    generator = np.random.default_rng(seed)
    arrays: list[np.ndarray[Any, Any]] = []
    for buffer in buffers:
        if kind == "normal" and is_float(buffer.element_type):
            values = generator.standard_normal(buffer.shape)
        else:
            values = generator.integers(-most, most + 1, buffer.shape)
        if buffer.element_type == "i1":
            values = values > 0
        arrays.append(to_caller(np.asarray(values), buffer.element_type))
    return arrays
