# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loads of a tile are tested, or under a mask: those whose bounds nothing proves when code is generated.

A window of 5 taps over a row of 21, padded by 2 on each side, a tile as wide as the row: two loads at each end have a
mask of their own at each tap, the 17 between them never leave the row. Of seven tiles of 3 all loads have one.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import prod

from roller_mlir.model.vectors.shape import even_points
from roller_mlir.plan import Access, LinearIndex, TensorExpression


def tested_loads(
    expression: TensorExpression,
    access: Access,
    blocks: tuple[int, ...],
    lane: int | None,
    width: int,
    how: str,
    count: float,
    *,
    inside: frozenset[int],
    splits: bool,
) -> tuple[float, float]:
    """Return how many of a tile's loads of a tensor at a point are tested or under masks.

    That is, first, those whose test or mask counts at each point; second, elements for all lanes of a padded tensor
    whose test stays what it is in the innermost loop of a reduction. Of elements that lie outside only where the last
    tile of a loop ends, none is tested but in such a tile: the others have code of their own.

    Args:
        expression: The operator.
        access: The tensor.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors, None for scalars.
        width: Lanes of a vector.
        how: How lanes read the tensor: "one" element for all, or as vectors.
        count: Its loads at a point.
        inside: Loops over windows along which no read is tested, since taps on padding are left out. Where the
            innermost loop is one over a window, too, and a tile is one point wide there, all its loads share one mask,
            which costs nothing.
        splits: Whether tiles that read no padding have code of their own.
    """
    windows = expression.moves_window(expression.reductions()[-1]) if inside else False
    if windows and _moved_points(expression, access, blocks) == 1:
        return 0.0, 0.0
    access = _without(access, inside) if inside else access
    leaves = may_leave(expression, access)
    if how == "one" and lane is not None and not leaves:
        whole = 1.0
        for i in access.loops():
            if not expression.loops[i].reduction and i != lane:
                extent, block = expression.loops[i].extent.bound, blocks[i]
                whole *= (extent // block) / -(-extent // block)
        return count * (1.0 - whole), 0.0
    if not leaves:
        return count * _edge_share(expression, access, blocks, lane, width), 0.0
    if splits:
        count *= 1.0 - _inside_share(expression, access, blocks, lane)
    moved = count * _moved_share(expression, access, blocks, lane, width)
    return moved, count - moved if how == "one" else 0.0


@lru_cache(maxsize=4096)
def _without(access: Access, loops: frozenset[int]) -> Access:
    """Return a tensor without the dimensions that some loops move."""
    kept = [pair for pair in zip(access.shape, access.indices, strict=True) if not loops & {*pair[1].terms()}]
    return Access(access.name, [one for one, _ in kept], access.element_type, tuple([one for _, one in kept]))


@lru_cache(maxsize=4096)
def mask_operations(
    expression: TensorExpression,
    access: Access,
    blocks: tuple[int, ...],
    lane: int,
    width: int,
    count: float,
) -> tuple[float, bool]:
    """Return what masks take at a point of a tile where they have no registers of their own.

    That is of vectors along a dimension that nothing else walks, such as the channels of an image under a window. Tiles
    that read no padding have code without masks. In the others each place along a dimension has one that may lie
    outside, made at each trip of the loop which moves it, and what is loaded under a mask is loaded by itself, in front
    of what it is loaded for: all vectors where the last of a tile may be cut. Where none is cut, code chooses addresses
    instead (`backend/cpu/pads.py`), which takes less than is counted here.

    Args:
        expression: The operator.
        access: A tensor that may be left.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors.
        width: Lanes of a vector.
        count: Its loads at a point.

    Returns:
        Operations, and whether masks stand in the innermost loop.
    """
    masks, outer, inside, last = 0.0, 0.0, 1.0, expression.reductions()[-1]
    for index, extent in zip(access.indices, access.bounds, strict=True):
        if last in index.terms():
            leaving, places = _moved_places(expression, index, extent, blocks, lane, width)
            inside *= 1.0 - leaving / places
            masks += leaving
        elif lane not in index.terms():
            outer += _leaving(expression, index, extent, blocks, lane, width, None)[0] / expression.bounds[last]
    cut = expression.loops[lane].extent.bound % blocks[lane] > 0
    loaded = count if cut else count * (1.0 - inside)
    share = 1.0 - _inside_share(expression, access, blocks, lane)
    return share * (_MASK_OPERATIONS * (masks + outer) + loaded), share * masks > 0


def ends_alone(access: Access, lane: int | None) -> bool:
    """Return whether vectors lie along a dimension of a tensor that no other loop walks."""
    return lane is not None and any({*index.terms()} == {lane} for index in access.indices)


_MASK_OPERATIONS = 6
"""Of a mask that is no register: a comparison, its result in each lane, joined with that of the last lanes, widened."""
MASK_VECTORS = 3
"""Registers of vectors that then hold masks: of the last lanes, and of places that leave a dimension at either end."""


@lru_cache(maxsize=4096)
def _inside_share(expression: TensorExpression, access: Access, blocks: tuple[int, ...], lane: int | None) -> float:
    """Return the share of tiles that read no padding of a tensor: these have code of their own, without tests.

    Dimensions of the lanes alone do not count, along which vectors end under one mask for all points.
    """
    share = 1.0
    for index, extent in zip(access.indices, access.bounds, strict=True):
        if set(index.terms()) == {lane}:
            continue
        low = high = index.constant
        starts = [0]
        for loop, factor in index.terms().items():
            reduces = expression.loops[loop].reduction
            reach = factor * ((expression.bounds[loop] if reduces else blocks[loop]) - 1)
            low, high = low + min(0, reach), high + max(0, reach) + (loop == lane and factor == 2)
            if not reduces:
                tiles = expression.loops[loop].extent.most_tiles(blocks[loop])
                starts = [start + factor * blocks[loop] * tile for start in starts for tile in range(tiles)]
        share *= sum(start + low >= 0 and start + high < extent for start in starts) / len(starts)
    return share


def _moved_points(expression: TensorExpression, access: Access, blocks: Sequence[int]) -> int:
    """Return a tile's points along the dimensions that the innermost loop of a reduction moves."""
    last = expression.reductions()[-1]
    loops = {loop for index in access.indices if last in index.terms() for loop in index.terms()}
    return prod([blocks[loop] for loop in loops if not expression.loops[loop].reduction])


def _edge_share(
    expression: TensorExpression, access: Access, blocks: Sequence[int], lane: int | None, width: int
) -> float:
    """Return the share of a tile's loads of a tensor that may lie behind its end, of tiles that do not divide a loop.

    That are those behind the end of the loop in its last tile: of tiles of 16 along a loop of 100, the first four rows
    lie in the tensor whenever their tile begins there; of a tile of three vectors along 42, two vectors.
    """
    proven = 1.0
    for i in access.loops():
        extent, block = expression.loops[i].extent.bound, blocks[i]
        if not expression.loops[i].reduction and extent % block:
            step = width if i == lane else 1
            proven *= extent % block // step * step / block
    return 1.0 - proven


@lru_cache(maxsize=4096)
def _moved_share(
    expression: TensorExpression, access: Access, blocks: tuple[int, ...], lane: int | None, width: int
) -> float:
    """Return the share of a tile's loads of a padded tensor that have a mask of their own at each point.

    Masks of dimensions that the innermost loop of a reduction does not move are made once for all of its points.
    """
    inside = 1.0
    for index, extent in zip(access.indices, access.bounds, strict=True):
        leaving, places = _moved_places(expression, index, extent, blocks, lane, width)
        inside *= 1.0 - leaving / places
    return 1.0 - inside


def _moved_places(
    expression: TensorExpression,
    index: LinearIndex,
    extent: int,
    blocks: Sequence[int],
    lane: int | None,
    width: int,
) -> tuple[float, float]:
    """Return how many of a tile's places along a dimension may leave it at a point, and how many there are.

    Dimensions that the innermost loop of a reduction does not move have masks for all of its points: none counts.
    """
    reductions = [i for i in expression.reductions() if expression.bounds[i] > 1]
    if reductions and reductions[-1] not in index.terms():
        return 0.0, 1.0
    stands = reductions[-1] if reductions and reductions[-1] != lane and taps_stand(expression, blocks) else None
    taps = 1 if stands is None else expression.bounds[stands]
    leaving, places = _leaving(expression, index, extent, blocks, lane, width, stands)
    return leaving / taps, places / taps


def _leaving(
    expression: TensorExpression,
    index: LinearIndex,
    extent: int,
    blocks: Sequence[int],
    lane: int | None,
    width: int,
    stands: int | None,
) -> tuple[int, int]:
    """Return how many of a tile's places lie outside of a dimension at some task and trip of its loops, and all."""
    first = last = index.constant
    offsets: list[list[int]] = []
    for loop, factor in index.terms().items():
        block, bound = blocks[loop], expression.bounds[loop]
        if loop == stands:
            offsets.append([factor * tap for tap in range(bound)])
        elif expression.loops[loop].reduction:
            first, last = first + min(0, factor * (bound - 1)), last + max(0, factor * (bound - 1))
        else:
            step = width if loop == lane else 1
            far = factor * (expression.loops[loop].extent.most_tiles(block) - 1) * block
            reach = factor * (step - 1)
            first, last = first + min(0, far) + min(0, reach), last + max(0, far) + max(0, reach)
            offsets.append([factor * point for point in range(0, block, step)])
    places = [sum(offset) for offset in product(*offsets)]
    leaving = [place for place in places if place + first < 0 or place + last >= extent]
    sure = [place for place in leaving if place + last < 0 or place + first >= extent]
    return len(leaving) - len(sure), len(places)


def taps_stand(expression: TensorExpression, blocks: Sequence[int]) -> bool:
    """Return whether all taps of the innermost loop of a reduction stand in the code, where each is known.

    Those of windows do that have no channels; of channels some stand in the code instead.
    """
    reductions = expression.reductions()
    taps = expression.bounds[reductions[-1]]
    return blocks[reductions[-1]] == taps == even_points(taps) and all(map(expression.moves_window, reductions))


@lru_cache(maxsize=4096)
def may_leave(expression: TensorExpression, access: Access) -> bool:
    """Return whether some points read outside of a tensor."""
    for index, extent in zip(access.indices, access.bounds, strict=True):
        reach = [(k * (expression.bounds[loop] - 1)) for loop, k in index.terms().items()]
        if index.constant + sum(min(0, r) for r in reach) < 0:
            return True
        if index.constant + sum(max(0, r) for r in reach) >= extent:
            return True
    return False
