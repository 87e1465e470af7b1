# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sectors of global memory that the accesses of subgroups touch: the witness of coalescing.

Paper: ROLLER section 3.1 (alignment with memory transactions).
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import gcd, prod
from operator import mul

from roller_mlir.mapping.layout.data_tile import CopyMap, first_elements, tile_dimensions
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.traffic.counting import MAX_ENUMERATED, Boxes
from roller_mlir.plan import Access
from roller_mlir.plan.expression import dense_strides

MAX_ROWS = 64
"""Rows of a tile that are looked at; longer tiles are taken to go on in the same way."""


def copy_sectors(access: Access, boxes: Boxes, copy: CopyMap, lanes: int, sector: int) -> tuple[int, int]:
    """Return the sectors that copies of data tiles touch, and the elements that these copies move.

    Both are sums over where the tiles of all boxes start in a sector and where the tensor cuts their rows, of tiles
    with all of their rows: what rows outside of the tensor leave of both is the same share. Sectors are those of the
    accesses of subgroups, which copy `lanes` neighbouring vectors at a time.

    Args:
        access: The tensor.
        boxes: The boxes of the loops.
        copy: How threads share a tile.
        lanes: Threads of a subgroup.
        sector: Bytes of a sector.
    """
    dimensions = tile_dimensions(access, [axis.block for axis in boxes.axes])
    sizes, size = copy.sizes, access.element_bytes
    row = dense_strides(access.bounds)
    strides = [row[d] * dimension.step * size for d, dimension in enumerate(dimensions)]
    strides.reverse()
    inner = strides[0] * copy.vector if strides else 0
    first = _interior_offset(access, boxes, row) * size
    apart = 0
    if copy.depth > 1:  # each thread takes neighbouring vectors, one by one
        apart = strides[copy.across]
        strides[copy.across] *= copy.depth
    tile = sizes, tuple(strides), inner, copy.vector * size, lanes, sector
    sectors, elements = 0, 0
    starts = _starts(access, boxes, row, sector // gcd(sector, size), sizes[0], copy.vector)
    of_cut: dict[Cut, dict[int, int]] = {}
    for (at, cut), times in starts.items():
        known = of_cut.setdefault(cut, {})
        for number in range(copy.depth):
            offset = (first + at * size + number * apart) % sector
            known[offset] = known.get(offset, 0) + times
        elements += times * copy.depth * prod(sizes[1:]) * (cut[1] - cut[0]) * copy.vector
    for cut, known in of_cut.items():
        sectors += sum(map(mul, known.values(), _copied(tuple(known), *tile, cut)))
    return sectors, elements


Cut = tuple[int, int]
"""Of the vectors of a tile's rows, the first one inside of the tensor, and the first one behind it."""


def _starts(
    access: Access, boxes: Boxes, row: Sequence[int], period: int, vectors: int, vector: int
) -> dict[tuple[int, Cut], int]:
    """Return where in a sector the copies of boxes start, against the interior one, and what of their rows is inside.

    Args:
        access: The tensor.
        boxes: The boxes.
        row: Elements from one to the next along each dimension.
        period: Elements of a sector.
        vectors: Of a row of the tile.
        vector: Elements of each.

    Returns:
        How many boxes there are of each kind, or the same share of all.
    """
    moves = [
        axis.block * sum(i.coefficients[loop] * r for i, r in zip(access.indices, row, strict=True))
        for loop, axis in enumerate(boxes.axes)
    ]
    along = access.indices[-1].terms() if access.shape else {}
    if prod(boxes.count(loop) for loop in along) > MAX_ENUMERATED:
        along = {}
    found: dict[tuple[int, Cut], int] = {(0, (0, vectors)): 1}
    if along:
        found = _cut_rows(access, boxes, [moves[loop] for loop in along], period, vectors, vector)
    for loop, move in enumerate(moves):
        count = boxes.count(loop)
        if loop not in along and count > 1 and move % period:
            shifts = _shifts(range(-1, count - 1), move, period)
            moved: dict[tuple[int, Cut], int] = {}
            for (at, cut), known in found.items():
                for shift, times in shifts.items():
                    place = (at + shift) % period, cut
                    moved[place] = moved.get(place, 0) + known * times
            found = moved
    return found


def _cut_rows(
    access: Access, boxes: Boxes, moves: Sequence[int], period: int, vectors: int, vector: int
) -> dict[tuple[int, Cut], int]:
    """Return what `_starts` returns, for the boxes of the loops that walk rows, whose moves are given."""
    blocks = [axis.block for axis in boxes.axes]
    terms, bound = access.indices[-1].terms(), access.bounds[-1]
    reach = tile_dimensions(access, blocks)[-1].step * vector
    first = first_elements(access, blocks)[-1].constant
    found: dict[tuple[int, Cut], int] = {}
    origins = [boxes.origins(loop) for loop in terms]
    apart = [k * each.step for k, each in zip(terms.values(), origins, strict=True)]
    first += sum(k * each.start for k, each in zip(terms.values(), origins, strict=True))
    cut = [range(len(each)) for each in origins]
    if len(terms) == 1 and apart[0] > 0:  # of one loop whole rows are in one piece, and only the others are cut
        whole = range(
            min(len(origins[0]), max(0, -(first // apart[0]))),
            min(len(origins[0]), max(0, (bound - 1 - reach * (vectors - 1) - first) // apart[0] + 1)),
        )
        if len(whole):
            numbers = range(whole.start - (len(origins[0]) > 1), whole.stop - (len(origins[0]) > 1))
            found = {(at, (0, vectors)): n for at, n in _shifts(numbers, moves[0], period).items()}
            cut = [[*range(whole.start), *range(whole.stop, len(origins[0]))]]
    for numbers in product(*cut):
        low = first + sum(map(mul, numbers, apart))
        piece = max(0, -(low // reach)), min(vectors, -((low - bound) // reach))
        if piece[0] < piece[1]:
            shift = sum((n - (len(each) > 1)) * move for n, each, move in zip(numbers, origins, moves, strict=True))
            key = shift % period, piece
            found[key] = found.get(key, 0) + 1
    return found


def _shifts(numbers: range, move: int, period: int) -> dict[int, int]:
    """Return how often boxes of these numbers are shifted by each number of elements, up to whole periods."""
    found: dict[int, int] = {}
    for number in numbers[:period]:
        at = number * move % period
        found[at] = found.get(at, 0) + (numbers.stop - number - 1) // period + 1
    return found


@lru_cache(maxsize=4096)
def _copied(
    offsets: tuple[int, ...],
    sizes: tuple[int, ...],
    strides: tuple[int, ...],
    inner: int,
    width: int,
    lanes: int,
    sector: int,
    cut: Cut,
) -> tuple[int, ...]:
    """Return the sectors of the copies of a tile that starts at these offsets; sizes and strides innermost first."""
    per_row, rows = sizes[0], prod(sizes[1:])
    whole_rows = not any(stride % sector for stride in strides[1:]) and cut == (0, per_row) and inner == width
    if whole_rows and per_row * width % sector == 0 and lanes * width % sector == 0 and offsets == (0,):
        return (rows * per_row * width // sector,)
    import numpy as np

    # Whole subgroups' worth of rows, so that the shares of a row between subgroups stay as they are.
    counted = max(lanes, MAX_ROWS) if rows > MAX_ROWS else rows
    starts = np.array([0])
    for count, stride in zip(reversed(sizes[1:]), reversed(strides[1:]), strict=True):
        starts = np.add.outer(starts, np.arange(count) * stride).ravel()[:counted]
    columns = np.arange(*cut)
    low = np.add.outer(np.array(offsets), np.add.outer(starts, columns * inner).ravel()).ravel()
    subgroups = np.add.outer(np.arange(len(starts)) * per_row, columns).ravel() // lanes
    subgroups = np.add.outer(np.arange(len(offsets)) * (subgroups[-1] + 1), subgroups).ravel()
    apart = subgroups * (int(low.max()) + 2 * sector)  # sectors of one subgroup are none of another's
    first, end = low // sector + apart, (low + width - 1) // sector + apart
    seen = np.maximum.accumulate(end)[:-1] + 1  # a row above another one touches sectors behind it
    first[1:] = np.maximum(first[1:], seen)
    totals = np.maximum(end - first + 1, 0).reshape(len(offsets), -1).sum(axis=1).tolist()
    return tuple(totals if counted == rows else [total * rows // counted for total in totals])


def access_sectors(
    access: Access, boxes: Boxes, order: Sequence[int], joined: Sequence[int], width: int, lanes: int, sector: int
) -> tuple[int, int]:
    """Return the sectors of an access of a whole subgroup, as a numerator and a denominator.

    They are sums over the alignments that an access starts at, and over how many of the threads along the innermost
    dimension lie inside of the tensor: of fewer threads that is the share of an access that they move. Where rows are
    whole sectors, an access starts on a sector and the first subgroup's stands for all. Otherwise accesses start
    anywhere on a grid, and each place on it counts once.

    Args:
        access: The tensor.
        boxes: The boxes of the loops.
        order: Loops with threads, fastest first.
        joined: Loops of which only the first thread takes part.
        width: Elements of an access.
        lanes: Lanes of a subgroup.
        sector: Bytes of a sector.
    """
    size = access.element_bytes
    row = dense_strides(access.bounds)
    strides = [
        size * sum(index.coefficients[loop] * r for index, r in zip(access.indices, row, strict=True))
        for loop in range(len(boxes.loops))
    ]
    base = size * sum(index.constant * r for index, r in zip(access.indices, row, strict=True))
    grid = _start_grid(strides, boxes, order, width * size, lanes, sector)
    digits: list[tuple[int, int, int]] = []
    cut: int | None = None  # the digit of the loop that walks rows
    places = 1
    if boxes.lane_order:
        numbers = ThreadMap(boxes.axes, tuple(order), boxes.lane_order).digits()
        digits = [(digit.count, strides[digit.loop] * digit.stride, digit.count) for digit in numbers]
        order = ()
    for loop in order:
        if places >= lanes:
            break
        axis = boxes.axes[loop]
        count = min(axis.threads, -(-lanes // places))
        if loop not in joined and access.shape and access.indices[-1].terms() == {loop: 1}:
            cut = len(digits)
        digits.append((count, strides[loop] * axis.chunk, 1 if loop in joined else count))
        places *= count

    def touched(digits: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
        return _sectors_at(base % sector, tuple(digits), width * size, lanes, grid, sector)

    if cut is None:
        return touched(digits)
    (loop,), (count, step, _) = access.indices[-1].terms(), digits[cut]
    sectors, accesses = 0, 0
    for live, times in _inside(access, boxes, loop, count, width).items():
        found, alignments = touched([*digits[:cut], (count, step, live), *digits[cut + 1 :]])
        sectors += times * found * count
        accesses += times * alignments * live
    return sectors, accesses


def _inside(access: Access, boxes: Boxes, loop: int, count: int, width: int) -> dict[int, int]:
    """Return how many of a subgroup's threads along a loop are inside of the rows that it walks, at least one.

    Args:
        access: The tensor, whose innermost dimension the loop alone walks, element by element.
        boxes: The boxes.
        loop: The loop.
        count: Threads of a subgroup along it.
        width: Elements of an access.

    Returns:
        By that number, the accesses of all boxes and registers.
    """
    axis, end = boxes.axes[loop], access.bounds[-1] - access.indices[-1].constant
    found: dict[int, int] = {}
    subgroups = -(-axis.threads // count)
    along = width if axis.chunk % width == 0 else 1  # other loops' neighbours are accessed one by one
    runs = range(0, axis.block, axis.threads * axis.chunk)
    origins = boxes.origins(loop)
    whole = min(len(origins), max(0, (end - origins.start) // axis.block))
    if whole:
        found[count] = whole * subgroups * len(runs) * (axis.chunk // along)
    for origin in origins[whole:]:
        for first in (origin + run + within for run in runs for within in range(0, axis.chunk, along)):
            threads = min(axis.threads, max(0, -((first - end) // axis.chunk)))
            for live in (min(count, threads - before) for before in range(0, threads, count)):
                found[live] = found.get(live, 0) + 1
    return found or {count: 1}


@lru_cache(maxsize=8192)
def _sectors_at(
    base: int, digits: tuple[tuple[int, int, int], ...], width_bytes: int, lanes: int, grid: int, sector: int
) -> tuple[int, int]:
    """Return the sectors of lanes at mixed-radix digits times steps, summed over the places on a grid, and those.

    A digit has a number of values, a step, and how many of its first values take part.
    """
    places: list[int | None] = [base]
    for count, step, live in digits:
        places = [
            None if at is None or number >= live else at + number * step for number in range(count) for at in places
        ]
    addresses = {at for at in places[:lanes] if at is not None}
    last = width_bytes - 1
    total, offsets = 0, range(0, sector, grid)
    for offset in offsets:
        found: set[int] = set()
        for at in addresses:
            found.update(range((at + offset) // sector, (at + offset + last) // sector + 1))
        total += len(found)
    return total, len(offsets)


def coalesced_sectors(
    strides: Sequence[int],
    candidate: Candidate,
    width_bytes: int,
    lanes: int,
    sector: int,
    digits: Sequence[tuple[int, int, int]] = (),
) -> int:
    """Return the sectors that one access of a subgroup touches, from the strides of the loops that its lanes run along.

    Args:
        strides: Bytes between neighbouring points of each loop.
        candidate: Its threads.
        width_bytes: Bytes of one thread's access.
        lanes: Threads that take part.
        sector: Bytes of a sector.
        digits: The lanes of a matrix instruction, see `Atom.digits`; none where threads compute by themselves.

    >>> from roller_mlir.model.candidate import Candidate
    >>> row = Candidate((1, 128), (1, 32), (1, 4), (1,), 1, (), (1, 4), 32)
    >>> coalesced_sectors((4096, 4), row, 16, 32, 32)
    16
    """
    if digits:
        steps = tuple((count, strides[loop] * chunk, count) for loop, count, chunk in digits)
        return _sectors_at(0, steps, width_bytes, lanes, sector, sector)[0]
    left, span, runs = lanes, width_bytes, 1
    for loop in candidate.order:
        threads = min(candidate.threads[loop], left)
        stride = strides[loop] * candidate.chunks[loop]
        if stride and threads > 1:
            if stride <= max(span, sector):
                span += stride * (threads - 1)
            else:
                runs *= threads
        left = max(1, left // candidate.threads[loop])
    return runs * -(-span // sector)


def _start_grid(
    strides: Sequence[int], boxes: Boxes, order: Sequence[int], width_bytes: int, lanes: int, sector: int
) -> int:
    """Return the bytes of which the start of every access is a multiple, at most a sector."""
    grid, inside = sector, 1
    for loop, axis in enumerate(boxes.axes):
        if boxes.count(loop) > 1:
            grid = gcd(grid, strides[loop] * axis.block)
        if axis.lanes:
            subgroups = axis.threads // axis.lanes
            if axis.tile > axis.lanes * axis.chunk:
                grid = gcd(grid, strides[loop] * axis.lanes * axis.chunk)
            if subgroups > 1 or axis.block > axis.tile:
                grid = gcd(grid, strides[loop] * axis.tile)
        elif axis.registers > axis.chunk:
            grid = gcd(grid, strides[loop] * axis.threads * axis.chunk)
        if axis.chunk > 1 and strides[loop] * axis.chunk != width_bytes:
            grid = gcd(grid, strides[loop])
    for loop in order:
        axis = boxes.axes[loop]
        if axis.lanes:
            continue  # lanes come first: any other digit counts subgroups
        if boxes.lane_order:
            grid = gcd(grid, strides[loop] * axis.chunk)
        elif inside * axis.threads > lanes:
            grid = gcd(grid, strides[loop] * axis.chunk * max(1, lanes // inside))
        inside *= axis.threads
    return grid


def _interior_offset(access: Access, boxes: Boxes, row: Sequence[int]) -> int:
    """Return the element offset of the second box along every loop, which is free of residues; or of the only box."""
    starts: dict[int, int] = {}
    for loop in access.loops():
        origins = boxes.origins(loop)
        starts[loop] = origins[min(1, len(origins) - 1)]
    return sum(
        [
            r * (index.constant + sum([k * starts[loop] for loop, k in index.terms().items()]))
            for index, r in zip(first_elements(access, [axis.block for axis in boxes.axes]), row, strict=True)
        ]
    )
