# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The last tile of a loop that tiles do not divide, of which fewer registers hold points than of the others."""

from collections.abc import Mapping
from dataclasses import dataclass

LEAST_SHARE = 0.02
"""Of all registers of a loop's tiles, those that hold no points: code of their own for fewer does not pay."""


@dataclass(frozen=True)
class LastTile:
    """The last tile of a loop.

    Attributes:
        loop: The loop.
        tiles: How many tiles it has.
        start: The first point of the last one.
        registers: Of a tile, along the loop.
        live: Those of the last one that hold a point.
    """

    loop: int
    tiles: int
    start: int
    registers: int
    live: int

    @property
    def idle_share(self) -> float:
        """Registers without points as a share of all tiles'."""
        return (self.registers - self.live) / (self.registers * self.tiles)


def last_tile(loops: Mapping[int, tuple[int, int, int]]) -> LastTile | None:
    """Return the last tile that has code of its own: of the loop on which most registers hold no points; None: of none.

    Args:
        loops: Of each loop the points, the points of a tile, and the points of a register.

    >>> last_tile({0: (196, 14, 1), 1: (112, 32, 16)})
    LastTile(loop=1, tiles=4, start=96, registers=2, live=1)
    >>> last_tile({0: (1000, 7, 1), 1: (128, 32, 16)})  # of 143 tiles the last has a row less
    """
    found: list[LastTile] = []
    for loop, (points, block, width) in loops.items():
        tiles, registers = -(-points // block), -(-block // width)
        start = (tiles - 1) * block
        if tiles > 1:
            found.append(LastTile(loop, tiles, start, registers, -(-(points - start) // width)))
    best = max(found, key=lambda one: one.idle_share, default=None)
    return best if best is not None and best.idle_share >= LEAST_SHARE else None


def computed_share(loops: Mapping[int, tuple[int, int, int]], least: float) -> float:
    """Return the share of the time of all tiles that is left where the last one has code of its own.

    Args:
        loops: As of `last_tile`.
        least: The share of a tile's time that few of its registers take, too.

    >>> computed_share({0: (196, 14, 1), 1: (112, 32, 16)}, 0.1), computed_share({1: (112, 32, 16)}, 0.9)
    (0.875, 0.975)
    """
    last = last_tile(loops)
    return 1.0 if last is None else 1 - (1 - max(least, last.live / last.registers)) / last.tiles
