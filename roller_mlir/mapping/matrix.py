# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions: which elements of the factors and of the result each lane of a subgroup holds.

A fragment is described by digits, fastest first: the number of a lane, and the number of an element that it holds, are
mixed-radix numbers whose digits move along rows (m), columns (n) or the reduction (k). Sources: PTX ISA, "Matrix
Fragments for mma" and "Register Fragments for wgmma"; AMD Instinct MI300 ISA, section 7 (matrix core instructions).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

ROW, COLUMN, DEPTH = "m", "n", "k"
Step = tuple[str, int, int]
"""One digit: the dimension along which it moves, how many values it has, and the points from one to the next."""


@dataclass(frozen=True)
class Fragment:
    """What the lanes of a subgroup hold of one matrix.

    Attributes:
        lanes: Digits of the lane's number.
        elements: Digits of the number of an element in a lane.
    """

    lanes: tuple[Step, ...]
    elements: tuple[Step, ...]

    @property
    def count(self) -> int:
        """Elements of one lane."""
        return prod(count for _, count, _ in self.elements)

    def offset(self, element: int) -> dict[str, int]:
        """Return where a lane's element lies relative to its first one.

        >>> mma_fragments((16, 8, 16), 2).first.offset(3)
        {'k': 1, 'm': 8}
        """
        return _position(self.elements, element)

    def place(self, lane: int) -> dict[str, int]:
        """Return where a lane's first element lies.

        >>> mma_fragments((16, 8, 16), 2).result.place(5)
        {'n': 2, 'm': 1}
        """
        return _position(self.lanes, lane)


@dataclass(frozen=True)
class Fragments:
    """The fragments of an instruction of one subgroup: first factor (m x k), second factor (k x n), result (m x n)."""

    first: Fragment
    second: Fragment
    result: Fragment


def _position(digits: Sequence[Step], number: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for dimension, count, stride in digits:
        number, digit = divmod(number, count)
        found[dimension] = found.get(dimension, 0) + digit * stride
    return found


@lru_cache
def mma_fragments(shape: tuple[int, int, int], element_bytes: int) -> Fragments:
    """Return the fragments of NVIDIA's `mma.sync` with 16 rows, 8 columns and 32-bit results.

    Args:
        shape: m, n, k.
        element_bytes: Bytes of a factor's element; a lane holds 4 neighbouring bytes of k, twice or once.
    """
    m, n, k = shape
    near = max(1, 4 // element_bytes)
    pairs: tuple[Step, ...] = ((DEPTH, near, 1),) if near > 1 else ()
    far: tuple[Step, ...] = ((DEPTH, k // (4 * near), 4 * near),) if k > 4 * near else ()
    halves: tuple[Step, ...] = ((ROW, m // 8, 8),)
    return Fragments(
        first=Fragment(((DEPTH, 4, near), (ROW, 8, 1)), (*pairs, *halves, *far)),
        second=Fragment(((DEPTH, 4, near), (COLUMN, n, 1)), (*pairs, *far)),
        result=Fragment(((COLUMN, 4, 2), (ROW, 8, 1)), ((COLUMN, 2, 1), *halves)),
    )


@lru_cache
def wgmma_fragments(shape: tuple[int, int, int]) -> Fragments:
    """Return what one of the four subgroups of NVIDIA's `wgmma` holds: 16 of its 64 rows; factors lie in memory."""
    _, n, _ = shape
    columns: tuple[Step, ...] = ((COLUMN, n // 8, 8),) if n > 8 else ()
    nothing = Fragment((), ())
    result = Fragment(((COLUMN, 4, 2), (ROW, 8, 1)), ((COLUMN, 2, 1), (ROW, 2, 8), *columns))
    return Fragments(nothing, nothing, result)


@lru_cache
def mfma_fragments(shape: tuple[int, int, int]) -> Fragments:
    """Return the fragments of AMD's `v_mfma` with one block of 32 x 32 or 16 x 16 results and 64 lanes.

    A lane holds neighbours of k of one row or column; the other lanes of that row or column hold the next ones. Of the
    result it holds one column: four neighbouring rows, every 8 rows (32 x 32).
    """
    m, n, k = shape
    groups = 64 // m
    own: tuple[Step, ...] = ((DEPTH, k // groups, 1),) if k > groups else ()
    runs: tuple[Step, ...] = ((ROW, m // (4 * groups), 4 * groups),) if m > 4 * groups else ()
    return Fragments(
        first=Fragment(((ROW, m, 1), (DEPTH, groups, k // groups)), own),
        second=Fragment(((COLUMN, n, 1), (DEPTH, groups, k // groups)), own),
        result=Fragment(((COLUMN, n, 1), (ROW, groups, 4)), ((ROW, 4, 1), *runs)),
    )


def lane_places(digits: Sequence[Step], lanes: int) -> list[dict[str, int]]:
    """Return where each lane is along each dimension.

    >>> lane_places([("m", 2, 1), ("k", 2, 4)], 4)[3]
    {'m': 1, 'k': 4}
    """
    return [_position(digits, lane) for lane in range(lanes)]


MOST_FRAGMENT_BYTES = 16
"""Bytes that a lane reads at once, at most."""


def depth_pack(family: str, shape: tuple[int, int, int], element_bytes: int, lanes: int, block: int) -> int:
    """Return how many instructions that follow along the reduction take neighbouring elements of each lane.

    The order of a sum's products is free: `v_mfma` takes of each lane's neighbours the first ones in one instruction,
    the next ones in the next, so that a lane reads 16 bytes at once.

    Args:
        family: Of the instruction.
        shape: m, n, k.
        element_bytes: Bytes of a factor's element.
        lanes: Lanes of a subgroup.
        block: Points of the reduction loop in a step.

    >>> depth_pack("mfma", (32, 32, 8), 2, 64, 32), depth_pack("mfma", (32, 32, 8), 2, 64, 40)
    (2, 1)
    """
    if family != "mfma":
        return 1
    own = shape[2] * shape[0] // lanes
    pack = max(1, MOST_FRAGMENT_BYTES // (own * element_bytes))
    while block % (shape[2] * pack):
        pack //= 2
    return pack


@lru_cache
def wmma_fragments(shape: tuple[int, int, int], subgroup_size: int) -> Fragments:
    """Return how results of NVIDIA's `wmma` are spread after they passed workgroup memory.

    Which lane holds what is not documented: fragments are loaded and stored as a whole, and results are read back from
    workgroup memory, a row of two neighbours a lane.
    """
    m, n, _ = shape
    across = n // 2
    down = subgroup_size // across
    nothing = Fragment((), ())
    return Fragments(
        nothing, nothing, Fragment(((COLUMN, across, 2), (ROW, down, 1)), ((COLUMN, 2, 1), (ROW, m // down, down)))
    )


def wmma_scratch_pitch(columns: int) -> int:
    """Return the elements between rows of a `wmma` result in workgroup memory: 16 bytes more than a row."""
    return columns + 4


def wmma_scratch_bytes(subgroups: int, shape: tuple[int, int, int]) -> int:
    """Return the workgroup memory through which results of `wmma` pass, sums of 32 bits, in bytes.

    >>> wmma_scratch_bytes(4, (16, 16, 16))
    5120
    """
    return subgroups * shape[0] * wmma_scratch_pitch(shape[1]) * 4


def fragments_of(family: str, shape: tuple[int, int, int], element_bytes: int, subgroup_size: int = 32) -> Fragments:
    """Return the fragments of an instruction.

    Args:
        family: "mma", "wgmma", "mfma" or "wmma".
        shape: m, n, k.
        element_bytes: Bytes of a factor's element.
        subgroup_size: Lanes of a subgroup.

    Raises:
        ValueError: There is no such matrix instruction.
    """
    m, n, k = shape
    exists = {
        "mma": m in (8, 16) and n == 8 and k * element_bytes in (16, 32),
        "wgmma": m == 64 and 0 < n <= 256 and n % 8 == 0,
        "mfma": m == n and m in (16, 32) and k % (64 // m) == 0,
        "wmma": shape == (16, 16, 16),
    }
    if not exists.get(family, True):
        raise ValueError(f"'{family}' has no instruction of shape {list(shape)}")
    if family == "mma":
        return mma_fragments(shape, element_bytes)
    if family == "wgmma":
        return wgmma_fragments(shape)
    if family == "mfma":
        return mfma_fragments(shape)
    if family == "wmma":
        return wmma_fragments(shape, subgroup_size)
    raise ValueError(f"matrix instructions are mma, wgmma, mfma and wmma, but got '{family}'")


@dataclass(frozen=True)
class AxisShare:
    """How a loop's tile is spread over the lanes of a subgroup.

    Attributes:
        lanes: Lanes along the loop.
        chunk: Neighbouring points of one lane.
        tile: Points of the subgroup.
    """

    lanes: int
    chunk: int
    tile: int

    @property
    def own(self) -> int:
        """Points of one lane."""
        return self.tile // self.lanes


def result_shares(result: Fragment) -> dict[str, AxisShare]:
    """Return how rows and columns of a result are spread, as the fields of an AxisPlan.

    >>> result_shares(mma_fragments((16, 8, 16), 2).result)["m"]
    AxisShare(lanes=8, chunk=1, tile=16)
    >>> result_shares(mfma_fragments((32, 32, 8)).result)["m"]
    AxisShare(lanes=2, chunk=4, tile=32)
    """
    shares: dict[str, AxisShare] = {}
    for dimension in (ROW, COLUMN):
        lanes = prod(count for d, count, _ in result.lanes if d == dimension)
        own = prod(count for d, count, _ in result.elements if d == dimension)
        chunk = next((count for d, count, stride in result.elements if d == dimension and stride == 1), 1)
        shares[dimension] = AxisShare(lanes, chunk, lanes * own)
    return shares


def lane_order(result: Fragment) -> tuple[str, ...]:
    """Return the dimensions of a result in the number of a lane, fastest first."""
    return tuple(dict.fromkeys(dimension for dimension, _, _ in result.lanes))
