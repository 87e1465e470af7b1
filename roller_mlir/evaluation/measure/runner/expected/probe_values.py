# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What probes take and what they must give, from the words in a kit's index.

Inputs (`Probe.fill`, a word for each):
  zero; random (all bits); values A B ... (these numbers); chase STRIDE (links of a cycle through every STRIDE-th place,
  in random order, from 0)
Outputs (`Probe.expect`, a word for each; "" is anything):
  constant V       every number is V
  first V          the first number is V, all others are 0
  copy I N         the first N numbers are those of input I
  index N          the first N numbers are their own indices
  reached I N      where N steps along the links of input I lead, from 0
  neighbours N     number i is one more than (i + 1) mod N
  walk BLOCKS THREADS ROWS STEPS STRIDE
                   sums of what each thread read of input 1, in chunks of ROWS rows of THREADS vectors of 4: block b
                   chunk b, then b + STRIDE, b + 2 STRIDE, ...
  rows BLOCKS THREADS READS STEPS STRIDE RING
                   sums of what each thread read of input 1: READS vectors of 4, RING numbers apart, at its own place
                   behind a start that moves on by STRIDE mod RING

All sums are of 32 bits and wrap.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from math import gcd
from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"

_SEED = 20261121
_VECTOR = 4


class ProbeError(ValueError):
    """A probe that cannot be run, or whose result is wrong."""


def filled(word: str, shape: Sequence[int], dtype: Any) -> Array:
    """Return an input.

    Args:
        word: See above.
        shape: Its shape.
        dtype: numpy's type.

    Raises:
        ProbeError: The word is unknown, or does not fit the shape.
    """
    kind, *numbers = word.split() or [""]
    count = int(np.prod(shape, dtype=np.int64))
    if kind == "zero" and not numbers:
        return np.zeros(shape, dtype)
    if kind == "random" and not numbers and np.dtype(dtype) == np.int32:
        return _random(count).reshape(shape)
    if kind == "values" and len(numbers) == count:
        with suppress(ValueError, OverflowError):
            given = np.array([int(one) if np.dtype(dtype).kind == "i" else float(one) for one in numbers], dtype)
            if np.isfinite(given).all():
                return given.reshape(shape)
    if kind == "chase" and len(numbers) == 1 and np.dtype(dtype) == np.int32:
        return _links(count, _count(word, numbers[0])).reshape(shape)
    raise ProbeError(f"an input of shape {tuple(shape)} of {np.dtype(dtype)} cannot be filled with '{word}'")


@lru_cache(maxsize=1)
def _random(count: int) -> Array:
    generator = np.random.default_rng(_SEED)
    return generator.integers(-(1 << 31), 1 << 31, count, dtype=np.int32)


def _links(count: int, stride: int) -> Array:
    """Return links of one cycle through the multiples of `stride`; all other places link to 0."""
    order = _order(count, stride)
    links = np.zeros(count, np.int32)
    links[order] = np.roll(order, -1)
    return links


def _order(count: int, stride: int) -> Array:
    slots = count // stride
    if slots < 1 or count > 1 << 31:
        raise ProbeError(f"{count} places have no cycle of every {stride}-th")
    order = np.random.default_rng(_SEED).permutation(slots - 1) + 1
    return np.concatenate([np.zeros(1, np.int64), order]) * stride


def require(word: str, output: Array, inputs: Sequence[Array]) -> None:
    """Check an output.

    Args:
        word: See above.
        output: What the device gave.
        inputs: What it took.

    Raises:
        ProbeError: It is wrong, or the word unknown.
    """
    if not word:
        return
    kind, *numbers = word.split()
    made = _EXPECTED.get(kind)
    if made is None:
        raise ProbeError(f"no output is known to be '{word}'")
    try:
        expected = made(numbers, inputs, output)
    except (ValueError, IndexError) as error:
        raise ProbeError(f"'{word}' does not fit the probe: {error}") from error
    got = output.reshape(-1)[: expected.size]
    if got.size != expected.size:
        raise ProbeError(f"'{word}' is {expected.size} numbers, but the output has {output.size}")
    wrong = np.flatnonzero(got != expected)
    if wrong.size:
        at = int(wrong[0])
        raise ProbeError(
            f"the kernel is wrong: {wrong.size} of {expected.size} numbers, the first at {at}: {got[at]} in place of "
            f"{expected[at]}"
        )


def _constant(numbers: Sequence[str], _: Sequence[Array], output: Array) -> Array:
    return np.full(output.size, float(numbers[0])).astype(output.dtype)


def _first(numbers: Sequence[str], _: Sequence[Array], output: Array) -> Array:
    expected = np.zeros(output.size, output.dtype)
    expected[0] = float(numbers[0])
    return expected


def _copy(numbers: Sequence[str], inputs: Sequence[Array], _: Array) -> Array:
    return inputs[int(numbers[0])].reshape(-1)[: int(numbers[1])]


def _index(numbers: Sequence[str], _: Sequence[Array], output: Array) -> Array:
    return np.arange(int(numbers[0]), dtype=output.dtype)


def _reached(numbers: Sequence[str], inputs: Sequence[Array], output: Array) -> Array:
    links, steps = inputs[int(numbers[0])].reshape(-1), int(numbers[1])
    order = [0]
    while len(order) <= steps and (at := int(links[order[-1]])) != 0:
        if len(order) > links.size:
            raise ValueError("its links do not lead back to 0")
        order.append(at)
    return np.array([order[steps % len(order)]], output.dtype)


def _neighbours(numbers: Sequence[str], _: Sequence[Array], output: Array) -> Array:
    count = int(numbers[0])
    return ((np.arange(count) + 1) % count + 1).astype(output.dtype)


def _require_size(output: Array, size: int) -> None:
    if output.size != size:
        raise ValueError(f"it is {size} numbers, but the output has {output.size}")


def _walk(numbers: Sequence[str], inputs: Sequence[Array], output: Array) -> Array:
    blocks, threads, rows, steps, stride = (int(number) for number in numbers)
    _require_size(output, blocks * threads)
    source = inputs[1].reshape(-1, rows, threads, _VECTOR).view(np.uint32)
    parts = source.sum(axis=(1, 3), dtype=np.uint32)
    chunks = len(parts)
    period = chunks // gcd(chunks, stride)
    rounds, rest = divmod(steps, period)
    start = np.arange(blocks)
    total = np.zeros((blocks, threads), np.uint32)
    for step in range(min(period, steps)):
        total += parts[(start + step * stride) % chunks] * np.uint32((rounds + (step < rest)) % (1 << 32))
    return total.reshape(-1).view(output.dtype)


def _rows(numbers: Sequence[str], inputs: Sequence[Array], output: Array) -> Array:
    blocks, threads, reads, steps, stride, ring = (int(number) for number in numbers)
    _require_size(output, blocks * threads)
    source = inputs[1].reshape(-1).view(np.uint32)
    if reads * threads * _VECTOR > source.size * _VECTOR or ring < 1:
        raise ValueError(f"{reads} reads of {threads} threads are more than {source.size} numbers have")
    period = ring // gcd(ring, stride)
    rounds, rest = divmod(steps, period)
    place = np.arange(reads)[:, None, None] * ring + np.arange(threads)[:, None] * _VECTOR + np.arange(_VECTOR)
    total = np.zeros(threads, np.uint32)
    for step in range(min(period, steps)):
        part = source[place + step * stride % ring].sum(axis=(0, 2), dtype=np.uint32)
        total += part * np.uint32((rounds + (step < rest)) % (1 << 32))
    return np.tile(total, blocks).view(output.dtype)


_EXPECTED: dict[str, Callable[[Sequence[str], Sequence[Array], Array], Array]] = {
    "constant": _constant,
    "first": _first,
    "copy": _copy,
    "index": _index,
    "reached": _reached,
    "neighbours": _neighbours,
    "walk": _walk,
    "rows": _rows,
}


def _count(word: str, number: str) -> int:
    if not number.isdecimal() or int(number) < 1:
        raise ProbeError(f"'{word}' must have a whole number above 0")
    return int(number)
