# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that sum products, emulated in numpy: right ones in every order, and mutants of them.

A kernel computes rows x depth times depth x columns and adds a bias; mutants are wrong in 8 x 8 results or one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from roller_mlir.evaluation.reference.values import round_to
from roller_mlir.plan.accuracy.accumulation import Accumulation, Summing

FRAGMENT = 8


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a kernel computes.

    Attributes:
        name: For the table.
        factor: Element type of the factors.
        result: Element type of the result and of the bias.
        sums: Type of partial sums.
        digits: Binary digits to which factors are rounded, 0 for all.
        parts: Parts of the reduction whose results are rounded to the result's type and then added in it.
    """

    name: str
    factor: str
    result: str
    sums: str
    digits: int = 0
    parts: int = 1

    @property
    def accumulation(self) -> Accumulation:
        """What a plan says of it."""
        matrix = self.sums != self.result or bool(self.digits)
        return Accumulation(kernels=(Summing(matrix=matrix, tf32=bool(self.digits), parts=self.parts),))


KINDS = (
    Kind(name="f32", factor="f32", result="f32", sums="f32"),
    Kind(name="f32, factors tf32", factor="f32", result="f32", sums="f32", digits=11),
    Kind(name="f16 into f32", factor="f16", result="f32", sums="f32"),
    Kind(name="f16, sums f32", factor="f16", result="f16", sums="f32"),
    Kind(name="f16, sums f32, 4 parts", factor="f16", result="f16", sums="f32", parts=4),
    Kind(name="bf16, sums f32", factor="bf16", result="bf16", sums="f32"),
    Kind(name="bf16, sums f32, 4 parts", factor="bf16", result="bf16", sums="f32", parts=4),
    Kind(name="i8 into i32", factor="i8", result="i32", sums="i32"),
    Kind(name="f16, sums f16", factor="f16", result="f16", sums="f16"),
    Kind(name="bf16, sums bf16", factor="bf16", result="bf16", sums="bf16"),
)


def text_of(kind: Kind, rows: int, columns: int, depth: int) -> str:
    """Return the linalg ops of a product with a bias as its initial value."""
    a, b, c = f"{rows}x{depth}x{kind.factor}", f"{depth}x{columns}x{kind.factor}", f"{rows}x{columns}x{kind.result}"
    return f"""func.func @f(%a: tensor<{a}>, %b: tensor<{b}>, %c: tensor<{c}>) -> tensor<{c}> {{
  %r = linalg.matmul ins(%a, %b : tensor<{a}>, tensor<{b}>) outs(%c : tensor<{c}>) -> tensor<{c}>
  return %r : tensor<{c}>
}}
"""


Order = Callable[[np.ndarray, Callable[[np.ndarray], np.ndarray]], np.ndarray]
"""From terms (depth first) and a rounding to their sum."""


def in_turn(terms: Any, rounded: Any) -> Any:
    """Add one after the other."""
    total = terms[0]
    for term in terms[1:]:
        total = rounded(total + term)
    return total


def in_pairs(terms: Any, rounded: Any) -> Any:
    """Add neighbours, then their sums."""
    while len(terms) > 1:
        even = len(terms) // 2 * 2
        pairs = rounded(terms[0:even:2] + terms[1:even:2])
        terms = np.concatenate([pairs, terms[even:]])
    return terms[0]


def in_lanes(lanes: int, terms: Any, rounded: Any) -> Any:
    """Add every so-manyth, then the lanes in pairs."""
    missing = -len(terms) % lanes
    padded = np.concatenate([terms, np.zeros((missing, *terms.shape[1:]), terms.dtype)])
    return in_pairs(in_turn(padded.reshape(-1, lanes, *terms.shape[1:]), rounded), rounded)


def in_blocks(size: int, terms: Any, rounded: Any) -> Any:
    """Add blocks exactly, as matrix instructions do, then their sums in turn."""
    cuts = range(0, len(terms), size)
    return in_turn(np.stack([rounded(np.add.reduce(terms[i : i + size])) for i in cuts]), rounded)


def shuffled(seed: int, terms: Any, rounded: Any) -> Any:
    """Add in a random order."""
    return in_turn(terms[np.random.default_rng(seed).permutation(len(terms))], rounded)


ORDERS: dict[str, Order] = {
    "in turn": in_turn,
    "backwards": lambda terms, rounded: in_turn(terms[::-1], rounded),
    "in pairs": in_pairs,
    "in 4 lanes": partial(in_lanes, 4),
    "in 32 lanes": partial(in_lanes, 32),
    "in blocks of 4": partial(in_blocks, 4),
    "in blocks of 16": partial(in_blocks, 16),
    "shuffled": partial(shuffled, 1),
}


def run(kind: Kind, order: Order, a: Any, b: Any, bias: Any, *, contracted: bool = True) -> Any:
    """Return what a kernel gives.

    Args:
        kind: How it computes.
        order: In which it adds.
        a: Factors, rows x depth, as float64 or integers.
        b: Factors, depth x columns.
        bias: What sums begin with.
        contracted: Whether products are added without being rounded.
    """
    if kind.digits:
        a, b = (_shortened(one, kind.digits) for one in (a, b))

    def rounded(values: Any) -> Any:
        return round_to(values, kind.sums)

    terms = a.T[:, :, None] * b[:, None, :]
    if not contracted:
        terms = rounded(terms)
    if kind.parts == 1:
        return round_to(order(np.concatenate([bias[None], terms]), rounded), kind.result)
    parts = [round_to(order(part, rounded), kind.result) for part in np.array_split(terms, kind.parts)]
    return in_turn(np.stack([bias, *parts]), lambda values: round_to(values, kind.result))


def _shortened(values: Any, digits: int) -> Any:
    fraction, exponent = np.frexp(values)
    return np.ldexp(np.rint(np.ldexp(fraction, digits)), exponent - digits)


def drop(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Leave one term out of the sums of a fragment."""
    return _in_fragment(got, -term, at)


def double(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Add one term twice."""
    return _in_fragment(got, term, at)


def negate(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Subtract one term."""
    return _in_fragment(got, -2 * term, at)


def subtract_bias(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Subtract the bias in a fragment."""
    return _in_fragment(got, -2 * bias, at)


def swap_rows(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Store two rows of a fragment in each other's place."""
    changed = got.copy()
    row, columns = at[0], slice(at[1], at[1] + FRAGMENT)
    changed[[row, row + 1], columns] = got[[row + 1, row], columns]
    return changed


def perturb(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Change one element by 20 bounds, or by one unit of the number where it must be equal."""
    changed = got.copy()
    unit = np.maximum(np.abs(got[at]) * 2.0**-6, 1.0) if bound[at] == 0 else 20 * bound[at]
    changed[at] = changed[at] + (int(unit) if got.dtype != np.float64 else unit)
    return changed


def zeros(got: Any, term: Any, bias: Any, bound: Any, at: tuple[int, int]) -> Any:
    """Store zeros only."""
    return np.zeros_like(got)


def _in_fragment(got: Any, amount: Any, at: tuple[int, int]) -> Any:
    changed = got.copy()
    window = tuple(slice(start, start + FRAGMENT) for start in at)
    changed[window] = changed[window] + amount[window]
    return changed


MUTANTS = {
    "term dropped": drop,
    "term doubled": double,
    "term's sign": negate,
    "bias subtracted": subtract_bias,
    "rows swapped": swap_rows,
    "one element, 20 bounds": perturb,
    "zeros": zeros,
}
