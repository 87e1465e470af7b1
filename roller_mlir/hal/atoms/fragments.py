# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lane maps: which elements of the factors and of the result each lane of a subgroup holds.

A fragment is described by digits, fastest first: the number of a lane, and the number of an element that it holds, are
mixed-radix numbers whose digits move along rows (m), columns (n) or the reduction (k).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

ROW, COLUMN, DEPTH = "m", "n", "k"
Step = tuple[str, int, int]
"""One digit: the dimension along which it moves, how many values it has, and the points from one to the next."""
Shape = tuple[int, int, int]
"""Rows, columns and reduction length of one instruction."""


@dataclass(frozen=True)
class Fragment:
    """What the lanes of a subgroup hold of one matrix.

    Attributes:
        lanes: Digits of the lane's number.
        elements: Digits of the number of an element in a lane.
    """

    lanes: tuple[Step, ...]
    elements: tuple[Step, ...]

    @cached_property
    def count(self) -> int:
        """Elements of one lane."""
        return prod(count for _, count, _ in self.elements)

    def offset(self, element: int) -> dict[str, int]:
        """Return where a lane's element lies relative to its first one."""
        return _position(self.elements, element)

    def place(self, lane: int) -> dict[str, int]:
        """Return where a lane's first element lies."""
        return _position(self.lanes, lane)


NOTHING = Fragment((), ())
"""Of a factor that lanes do not hold, or not in a way that is known."""


@dataclass(frozen=True, kw_only=True)
class Fragments:
    """The lane maps of an instruction, of one subgroup.

    Attributes:
        tile: Rows, columns and reduction length that the subgroup covers.
        lanes: Lanes of the subgroup.
        first: The first factor (m x k); `NOTHING` where lanes do not hold it.
        second: The second factor (k x n), likewise.
        result: The result (m x n).
    """

    tile: Shape
    lanes: int
    first: Fragment
    second: Fragment
    result: Fragment

    def __post_init__(self) -> None:
        """Check that each lane map is a bijection: lanes and their elements are the points of the matrix, each once.

        Raises:
            ValueError: One is not; the message says which.

        >>> whole = Fragment((("m", 4, 1),), (("n", 4, 2),))
        >>> Fragments(tile=(4, 4, 1), lanes=4, first=NOTHING, second=NOTHING, result=whole)
        Traceback (most recent call last):
        ValueError: the lane map of the result does not hold each of 4 points of n once: its digits are [(4, 2)]
        """
        extents: dict[str, int] = dict(zip((ROW, COLUMN, DEPTH), self.tile, strict=True))
        for name, fragment, held in (
            ("first factor", self.first, (ROW, DEPTH)),
            ("second factor", self.second, (DEPTH, COLUMN)),
            ("result", self.result, (ROW, COLUMN)),
        ):
            if fragment == NOTHING and name != "result":
                continue
            lanes = prod(count for _, count, _ in fragment.lanes)
            if lanes != self.lanes:
                raise ValueError(f"the lane map of the {name} is of {lanes} lanes, but a subgroup has {self.lanes}")
            digits = (*fragment.lanes, *fragment.elements)
            strange = next((dimension for dimension, _, _ in digits if dimension not in held), None)
            if strange is not None:
                raise ValueError(f"the lane map of the {name} moves along {strange}, which it does not have")
            for dimension in held:
                _require_each_once(name, dimension, extents[dimension], digits)


def _require_each_once(name: str, dimension: str, extent: int, digits: Sequence[Step]) -> None:
    """Refuse digits that do not give each point of a dimension once.

    They do where, sorted, each one's step is what those before it cover, and all of them cover the dimension.
    """
    along = sorted((stride, count) for one, count, stride in digits if one == dimension and count > 1)
    covered = 1
    for stride, count in along:
        if stride != covered:
            break
        covered *= count
    else:
        if covered == extent:
            return
    found = [(count, stride) for stride, count in along]
    raise ValueError(
        f"the lane map of the {name} does not hold each of {extent} points of {dimension} once: its digits are {found}"
    )


def _position(digits: Sequence[Step], number: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for dimension, count, stride in digits:
        number, digit = divmod(number, count)
        found[dimension] = found.get(dimension, 0) + digit * stride
    return found


def lane_places(digits: Sequence[Step], lanes: int) -> list[dict[str, int]]:
    """Return where each lane is along each dimension.

    >>> lane_places([("m", 2, 1), ("k", 2, 4)], 4)[3]
    {'m': 1, 'k': 4}
    """
    return [_position(digits, lane) for lane in range(lanes)]


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

    >>> from roller_mlir.hal.atoms import atom_family
    >>> result_shares(atom_family("mma").fragments((16, 8, 16), 2).result)["m"]
    AxisShare(lanes=8, chunk=1, tile=16)
    >>> result_shares(atom_family("mfma").fragments((32, 32, 8), 2).result)["m"]
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
