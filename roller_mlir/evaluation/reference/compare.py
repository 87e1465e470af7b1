# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random inputs, and the comparison of results with the reference: each element within its own bound."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.function import Evaluation
from roller_mlir.evaluation.reference.values import Array, from_caller, is_float, to_caller
from roller_mlir.plan.accuracy.rounding import off_by, says_nothing
from roller_mlir.plan.manifest import Buffer


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """How one result differs from the reference.

    Attributes:
        matches: Whether every element is within its bound (and NaN or infinite exactly where the reference is).
        equal: Whether every element is the very same.
        max_error: The largest error found, in units of the element's bound; inf where it must be equal and is not.
        index: Where that is, empty for a scalar or an empty array.
        expected: The reference's element there.
        got: The result's element there.
        permitted: The bound there.
        mismatches: How many elements are outside their bound.
        unsaid: How many elements have a bound as large as the result, or none, so that nothing is said of them.
        elements: How many there are.
    """

    matches: bool
    equal: bool
    max_error: float
    index: tuple[int, ...]
    expected: float | int
    got: float | int
    permitted: float
    mismatches: int
    unsaid: int
    elements: int

    def __str__(self) -> str:
        """Return what there is to say in one line."""
        if not self.matches:
            return (
                f"{self.mismatches} of {self.elements} elements differ; at {list(self.index)}: expected "
                f"{self.expected!r}, got {self.got!r}, permitted is an error of {self.permitted:.3g}"
            )
        found = "equal" if self.equal else f"max error {self.max_error:.2f} of what is permitted"
        rest = f"; nothing is said of {self.unsaid} of {self.elements} elements" if self.unsaid else ""
        return found + rest


def compare(got: Array, expected: Bounded, element_type: str) -> Comparison:
    """Compare a result with the reference.

    Args:
        got: The result, as the caller's numpy type.
        expected: The reference with its bound, of the same shape and type.
        element_type: MLIR's spelling.

    Raises:
        ValueError: The shapes differ.
    """
    if got.shape != expected.data.shape:
        raise ValueError(
            f"results are compared with references of their shape, but got {got.shape} and {expected.data.shape}"
        )
    left, right = from_caller(got, element_type), expected.data
    stored = from_caller(to_caller(right, element_type), element_type)
    with np.errstate(all="ignore"):
        if is_float(element_type):
            bound = expected.errors()
            off = off_by(np, left, right, bound)
            equal = bool(((left == stored) | (np.isnan(left) & np.isnan(stored))).all())
            unsaid = says_nothing(np, right, bound) if right.size else np.zeros(0, np.bool_)
        else:
            bound = expected.errors()
            same = left == right
            difference = np.abs(left.astype(np.float64) - right.astype(np.float64))
            off = np.where(same, 0.0, np.where(bound > 0, np.maximum(difference, 1.0) / bound, np.inf))
            equal, unsaid = bool(same.all()), np.isinf(bound)
            if element_type == "i1":
                unsaid = bound > 0
    worst = int(np.argmax(off)) if off.size else 0
    index = tuple(int(i) for i in np.unravel_index(worst, off.shape)) if off.size and off.ndim else ()
    return Comparison(
        matches=not off.size or bool(off.max() <= 1),
        equal=equal,
        max_error=float(off.reshape(-1)[worst]) if off.size else 0.0,
        index=index,
        expected=stored[index].item() if off.size else 0.0,
        got=left[index].item() if off.size else 0.0,
        permitted=float(bound[index]) if off.size else 0.0,
        mismatches=int(np.count_nonzero(off > 1)),
        unsaid=int(np.count_nonzero(unsaid)),
        elements=off.size,
    )


def compare_all(outputs: Sequence[Array], expected: Evaluation) -> list[Comparison]:
    """Compare each result of a function with the reference.

    Args:
        outputs: The results.
        expected: What `evaluate_function` returned, with the accumulation of the kernels that gave the results.
    """
    return [compare(*one) for one in zip(outputs, expected.bounded, expected.element_types, strict=True)]


def judged_by(expected: Evaluation, results: Sequence[Array]) -> Evaluation:
    """Return an evaluation with another program's results in the place of its own.

    That program rounds, too: results may be twice as far from its as from those of the evaluation, which are exact.

    Args:
        expected: The evaluation.
        results: The other program's, in the caller's types.

    Raises:
        ValueError: They are of other types or shapes.
    """
    found, wanted = (
        ", ".join(f"{one.dtype} of shape {one.shape}" for one in arrays) for arrays in (results, expected.outputs)
    )
    if found != wanted:
        raise ValueError(f"gives {found}, but what is compared with it gives {wanted}")
    bounded = tuple(
        Bounded(from_caller(one, kind), None if own.error is None else 2 * own.error)
        for one, own, kind in zip(results, expected.bounded, expected.element_types, strict=True)
    )
    return Evaluation(tuple(results), expected.element_types, bounded)


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
            values = generator.standard_normal(buffer.static_shape)
        else:
            values = generator.integers(-most, most + 1, buffer.static_shape)
        if buffer.element_type == "i1":
            values = values > 0
        arrays.append(to_caller(np.asarray(values), buffer.element_type))
    return arrays
