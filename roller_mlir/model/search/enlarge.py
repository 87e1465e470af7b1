# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recursion of ROLLER Figure 8: enlarge a tile by best reuse score until a layer is full or fast enough.

Differences from the figure: a visited tile is skipped (its line 12 leaves the loop, and with it the other axes), and
what a layer yields is collected up to a budget, not only the first K: ranking by predicted time follows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.model.tile import Tile, reuse_score


@dataclass(frozen=True)
class Layer:
    """One memory layer as the recursion sees it.

    Attributes:
        next_tiles: The tiles that are one aligned size larger along one axis.
        cost: Q(T) and F(T), in bytes.
        fits: Whether a tile's footprint is within the layer's capacity.
        saturates: Whether the layer feeds a tile at least as fast as the tile is computed.
    """

    next_tiles: Callable[[Tile], Sequence[Tile]]
    cost: Callable[[Tile], tuple[float, float]]
    fits: Callable[[Tile], bool]
    saturates: Callable[[Tile], bool]


def by_reuse_score(layer: Layer, tile: Tile, candidates: Sequence[Tile] | None = None) -> list[Tile]:
    """Return the next tiles, best reuse score first (the figure's GetNextRTileShapes).

    Args:
        layer: The layer.
        tile: The tile to enlarge.
        candidates: The larger tiles; by default all next ones.
    """
    traffic, footprint = layer.cost(tile)
    scored: list[tuple[float, Tile]] = []
    for larger in layer.next_tiles(tile) if candidates is None else candidates:
        moved, held = layer.cost(larger)
        scored.append((-reuse_score(traffic - moved, held - footprint), larger))
    scored.sort()
    return [larger for _, larger in scored]


Watch = Callable[[Tile, Tile, bool], None]
"""Is told of each tile that is looked at: the tile that it enlarges, itself, and whether it fits."""


def enlarge(
    layer: Layer, start: Tile, *, results: int, visits: int, watch: Watch | None = None
) -> tuple[list[Tile], list[Tile]]:
    """Walk a layer from a tile.

    Args:
        layer: The layer.
        start: The smallest tile.
        results: Results to collect at most.
        visits: Tiles to look at, at most.
        watch: Is told of each tile after the first.

    Returns:
        The tiles that the layer yields, in the order found: those after which nothing larger fits, and those that are
        fast enough. Then all tiles that fit, in the order visited.
    """
    walk = _LayerWalk(layer, results, visits, watch)
    walk.visited[start] = layer.fits(start)
    if not walk.visited[start]:
        return [], []
    if layer.saturates(start):
        walk.found[start] = None
    walk.on_from(start)
    return list(walk.found), [tile for tile, fit in walk.visited.items() if fit]


class _LayerWalk:
    """A walk through a layer, with the tiles that it found and those that it looked at."""

    def __init__(self, layer: Layer, results: int, visits: int, watch: Watch | None) -> None:
        self.layer, self.results, self.visits, self.watch = layer, results, visits, watch
        self.found: dict[Tile, None] = {}
        self.visited: dict[Tile, bool] = {}

    def on_from(self, tile: Tile) -> None:
        """Go on from a tile to larger ones."""
        layer, visited, grown = self.layer, self.visited, False
        for larger in () if self._ends() else by_reuse_score(layer, tile):
            if self._ends():
                break
            if larger in visited:
                grown = grown or visited[larger]
                continue
            visited[larger] = layer.fits(larger)
            if self.watch is not None:
                self.watch(tile, larger, visited[larger])
            if not visited[larger]:
                continue
            grown = True
            if layer.saturates(larger):
                self.found[larger] = None
            self.on_from(larger)
        if not grown and len(self.found) < self.results:
            self.found[tile] = None

    def _ends(self) -> bool:
        return len(self.found) >= self.results or len(self.visited) >= self.visits
