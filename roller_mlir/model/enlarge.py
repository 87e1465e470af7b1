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
        traffic: Q(T), in bytes.
        footprint: F(T), in bytes.
        fits: Whether a tile's footprint is within the layer's capacity.
        saturates: Whether the layer feeds a tile at least as fast as the tile is computed.
    """

    next_tiles: Callable[[Tile], Sequence[Tile]]
    traffic: Callable[[Tile], float]
    footprint: Callable[[Tile], float]
    fits: Callable[[Tile], bool]
    saturates: Callable[[Tile], bool]


def by_reuse_score(layer: Layer, tile: Tile) -> list[Tile]:
    """Return the next tiles, best reuse score first (the figure's GetNextRTileShapes)."""
    traffic, footprint = layer.traffic(tile), layer.footprint(tile)
    scored = [
        (-reuse_score(traffic - layer.traffic(larger), layer.footprint(larger) - footprint), larger)
        for larger in layer.next_tiles(tile)
    ]
    scored.sort()
    return [larger for _, larger in scored]


def enlarge(layer: Layer, start: Tile, *, results: int, visits: int) -> tuple[list[Tile], list[Tile]]:
    """Walk a layer from a tile.

    Args:
        layer: The layer.
        start: The smallest tile.
        results: Results to collect at most.
        visits: Tiles to look at, at most.

    Returns:
        The tiles that the layer yields, in the order found: those after which nothing larger fits, and those that are
        fast enough. Then all tiles that fit, in the order visited.
    """
    found: dict[Tile, None] = {}
    visited: dict[Tile, bool] = {start: layer.fits(start)}
    if not visited[start]:
        return [], []

    def walk(tile: Tile) -> None:
        grown = False
        for larger in by_reuse_score(layer, tile):
            if len(found) >= results or len(visited) >= visits:
                break
            if larger in visited:
                grown = grown or visited[larger]
                continue
            visited[larger] = layer.fits(larger)
            if not visited[larger]:
                continue
            grown = True
            if layer.saturates(larger):
                found[larger] = None
            walk(larger)
        if not grown and len(found) < results:
            found[tile] = None

    if layer.saturates(start):
        found[start] = None
    walk(start)
    return list(found), [tile for tile, fit in visited.items() if fit]
