# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sectors of global memory that the accesses of subgroups touch: the witness of coalescing.

Paper: ROLLER section 3.1 (alignment with memory transactions).
"""

from collections.abc import Sequence
from functools import lru_cache
from math import gcd, prod

from roller_mlir.mapping.layout.data_tile import copy_map, first_elements, tile_dimensions
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.traffic.counting import Boxes
from roller_mlir.plan import Access
from roller_mlir.plan.expression import dense_strides

MAX_ROWS = 64
"""Rows of a tile that are looked at one by one; longer tiles are taken to go on in the same way."""


def copy_sectors(access: Access, boxes: Boxes, vector: int, threads: int, lanes: int, sector: int) -> int:
    """Return the sectors that the copy of an interior data tile touches, summed over the accesses of its subgroups.

    It is the mean over where the tiles of all boxes start in a sector. Vectors are numbered along the innermost
    dimension; a subgroup copies `lanes` neighbouring numbers at a time.
    """
    dimensions = tile_dimensions(access, [axis.block for axis in boxes.axes])
    sizes = copy_map([d.extent for d in dimensions], vector, threads).sizes
    size = access.element_bytes
    row = dense_strides(access.bounds)
    strides = [row[d] * dimension.step * size for d, dimension in enumerate(dimensions)]
    strides.reverse()
    inner = strides[0] * vector if strides else 0
    offset = _interior_offset(access, boxes, row) * size
    width = vector * size
    moves = _offsets(access, boxes, row, sector // gcd(sector, size))
    copy = tuple(sizes), tuple(strides), inner, width, lanes, sector
    weight = sum(moves.values())
    return (2 * sum(times * _copied(offset + at * size, *copy) for at, times in moves.items()) + weight) // (2 * weight)


def _offsets(access: Access, boxes: Boxes, row: Sequence[int], period: int) -> dict[int, int]:
    """Return where in a sector the copies of all boxes start, against the interior one, and how many each.

    In elements, of which a sector holds `period`.
    """
    found = {0: 1}
    for loop in range(len(boxes.loops)):
        step = boxes.axes[loop].block * sum(i.coefficients[loop] * r for i, r in zip(access.indices, row, strict=True))
        count = boxes.count(loop)
        if count == 1 or step % period == 0:
            continue
        moved: dict[int, int] = {}
        for number in range(min(count, period)):
            times = (count - number - 1) // period + 1
            for at, known in found.items():
                place = (at + (number - 1) * step) % period
                moved[place] = moved.get(place, 0) + known * times
        found = moved
    return found


def _copied(
    offset: int, sizes: Sequence[int], strides: Sequence[int], inner: int, width: int, lanes: int, sector: int
) -> int:
    """Return the sectors of the copy of one tile that starts at an offset; sizes and strides innermost first."""
    per_row = sizes[0]
    whole_rows = all(stride % sector == 0 for stride in (offset, *strides[1:]))
    if inner == width and whole_rows and per_row * width % sector == 0 and lanes * width % sector == 0:
        return prod(sizes) * width // sector
    rows = prod(sizes[1:])
    counted = rows
    if rows > MAX_ROWS:
        # Whole subgroups' worth of rows, so that the shares of a row between subgroups stay as they are.
        counted = max(lanes, MAX_ROWS)
    total, number, last = 0, 0, -1
    for start in _row_starts(offset, sizes[1:], strides[1:], counted):
        done = 0
        while done < per_row:
            take = min(per_row - done, lanes - number % lanes)
            low = start + done * inner
            if inner == width:
                first, end = low // sector, (low + take * width - 1) // sector
                total += end - (first if first > last else last + 1) + 1 if end > last else 0
                last = max(last, end)
            else:
                for at in range(low, low + take * inner, inner):
                    first, end = at // sector, (at + width - 1) // sector
                    if end > last:
                        total += end - (first if first > last else last + 1) + 1
                        last = end
            done += take
            number += take
            if number % lanes == 0:
                last = -1
    return total if counted == rows else total * rows // counted


def _row_starts(offset: int, counts: Sequence[int], strides: Sequence[int], most: int) -> list[int]:
    """Return where the first rows of a tile start, in bytes; dimensions innermost first."""
    starts = [offset]
    for count, stride in zip(reversed(counts), reversed(strides), strict=True):
        starts = [start + i * stride for start in starts for i in range(count)][:most]
    return starts


def access_sectors(
    access: Access, boxes: Boxes, order: Sequence[int], joined: Sequence[int], width: int, lanes: int, sector: int
) -> tuple[int, int]:
    """Return the sectors that one access of a subgroup touches, as a sum over the alignments that it starts at.

    Where rows are whole sectors, an access starts on a sector and the first subgroup's stands for all. Otherwise
    accesses start anywhere on a grid, and each place on it counts once.

    Args:
        access: The tensor.
        boxes: The boxes of the loops.
        order: Loops with threads, fastest first.
        joined: Loops of which only the first thread takes part.
        width: Elements of an access.
        lanes: Lanes of a subgroup.
        sector: Bytes of a sector.

    Returns:
        The sum, and the number of alignments.
    """
    size = access.element_bytes
    row = dense_strides(access.bounds)
    strides = [
        size * sum(index.coefficients[loop] * r for index, r in zip(access.indices, row, strict=True))
        for loop in range(len(boxes.loops))
    ]
    base = size * sum(index.constant * r for index, r in zip(access.indices, row, strict=True))
    grid = _start_grid(strides, boxes, order, width * size, lanes, sector)
    digits: list[tuple[int, int, bool]] = []
    places = 1
    if boxes.lane_order:
        numbers = ThreadMap(boxes.axes, tuple(order), boxes.lane_order).digits()
        digits = [(digit.count, strides[digit.loop] * digit.stride, False) for digit in numbers]
        order = ()
    for loop in order:
        if places >= lanes:
            break
        axis = boxes.axes[loop]
        count = min(axis.threads, -(-lanes // places))
        digits.append((count, strides[loop] * axis.chunk, loop in joined))
        places *= count
    return _sectors_at(base % sector, tuple(digits), width * size, lanes, grid, sector)


@lru_cache(maxsize=8192)
def _sectors_at(
    base: int, digits: tuple[tuple[int, int, bool], ...], width_bytes: int, lanes: int, grid: int, sector: int
) -> tuple[int, int]:
    """Return the sectors of lanes at mixed-radix digits times steps, summed over the places on a grid, and those.

    A digit of a joined loop lets its first value take part only.
    """
    places: list[int | None] = [base]
    for count, step, joined in digits:
        places = [
            None if at is None or (number and joined) else at + number * step
            for number in range(count)
            for at in places
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
        steps = tuple((count, strides[loop] * chunk, False) for loop, count, chunk in digits)
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
    starts: list[int] = []
    for loop in range(len(boxes.loops)):
        origins = boxes.origins(loop)
        starts.append(origins[1] if len(origins) > 1 else max(0, origins[0]))
    return sum(
        r * (index.constant + sum(k * starts[loop] for loop, k in index.terms().items()))
        for index, r in zip(first_elements(access, [axis.block for axis in boxes.axes]), row, strict=True)
    )
