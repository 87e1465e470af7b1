# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles at the ends of a padded dimension, of which it is known which of their points read padding.

An image of 13 columns, padded by one on each side, under a window of 3, in tiles of 3 columns: the first tile reads one
element of padding, the last has one column, whose last tap is padding, and the three between them none.
"""

from dataclasses import dataclass

MOST_EDGES = 4
"""Tiles of a dimension that have code of their own beside what the others share."""
MOST_TAPS = 8
"""Of a window, which stand in such code one by one."""


@dataclass(frozen=True)
class TiledWindow:
    """A window over one dimension of a tensor, as tiles of a parallel loop read it.

    Attributes:
        points: Of the parallel loop.
        block: Points of a tile; the last tile may end behind the last point.
        taps: Of the window.
        extent: Of the tensor.
        first: Where the first point's first tap reads, outside of the tensor where that is negative.
        step: From point to point.
        tap_step: From tap to tap.
    """

    points: int
    block: int
    taps: int
    extent: int
    first: int
    step: int
    tap_step: int

    @property
    def tiles(self) -> int:
        """How many tiles there are."""
        return -(-self.points // self.block)

    def start(self, tile: int) -> int:
        """Return where the first point of a tile begins to read."""
        return self.first + tile * self.block * self.step

    def counts(self, tile: int, point: int, tap: int) -> bool:
        """Return whether a tile has a point, and the point reads no padding at a tap."""
        at = tile * self.block + point
        return at < self.points and 0 <= self.first + at * self.step + tap * self.tap_step < self.extent

    def counted(self, tile: int, tap: int) -> int:
        """Return the points of a tile that count at a tap."""
        return sum(self.counts(tile, point, tap) for point in range(self.block))

    def edges(self) -> tuple[int, ...]:
        """Return the tiles that are to have code of their own, of points that count alone; none where all are alike.

        >>> TiledWindow(13, 3, 3, 13, -1, 1, 1).edges(), TiledWindow(15, 3, 3, 17, 0, 1, 1).edges()
        ((0, 4), ())
        """
        if self.step <= 0 or self.tap_step <= 0 or not 1 < self.taps <= MOST_TAPS:
            return ()
        found = tuple(
            tile for tile in range(self.tiles) if any(self.counted(tile, tap) < self.block for tap in range(self.taps))
        )
        return found if len(found) <= MOST_EDGES else ()

    def computed_share(self, least: float = 0.0) -> float:
        """Return the share of pairs of a point and a tap that is left where edges have code of their own.

        Args:
            least: The share of a tile's time that few of its points take, too.

        >>> window = TiledWindow(8, 4, 3, 8, -1, 1, 1)
        >>> round(window.computed_share(), 3), round(window.computed_share(0.9), 3)
        (0.917, 0.967)
        """
        left: float = self.tiles * self.block * self.taps
        for tile in self.edges():
            for tap in range(self.taps):
                counted = self.counted(tile, tap)
                left -= self.block - (max(counted, least * self.block) if counted else 0)
        return left / (self.tiles * self.block * self.taps)
