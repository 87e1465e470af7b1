# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sanitizer's memory of one launch: cells of all bytes, clocks of blocks, reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import (
    Block,
    KnownThen,
    LaunchRecord,
    Place,
    SanitizerReport,
    ShadowCell,
    ThreadClock,
)
from roller_mlir.sim.engine.sanitizer.clock_pool_ir import clock_bytes
from roller_mlir.sim.memory.buffers import ALIGNMENT_BYTES, Arguments
from roller_mlir.sim.memory.records import Records

Array = np.ndarray[Any, Any]

_SITE_MASK = (1 << (layout.TIME_SHIFT - layout.SITE_SHIFT)) - 1
MOST_BLOCKS = 1 << layout.OWNER_BITS
_MOST_CLOCKS = 1 << 18
_FEWEST_CLOCKS = 64


@dataclass(frozen=True)
class Hazard:
    """What the sanitizer noted, in numbers.

    Attributes:
        finding: Which layout.Finding.
        site: The access's site.
        other_site: The other one's.
        count: How often.
        thread: The access's thread.
        other_thread: The other one's.
        block: The access's block.
        other_block: The other one's.
        argument: The array argument; -1: workgroup memory.
        offset_bytes: Place in it.
    """

    finding: layout.Finding
    site: int
    other_site: int
    count: int
    thread: int
    other_thread: int
    block: int
    other_block: int
    argument: int
    offset_bytes: int


def _clock_rows(resident: int, threads: int, subgroups: int) -> dict[Block, Array]:
    """Return what single threads know; pages that nobody writes take no memory."""
    words = KnownThen.SIZE + 2 * subgroups
    return {
        Block.CLOCKS: np.zeros((resident, threads * len(ThreadClock)), np.int64),
        Block.SNAPSHOTS: np.zeros((resident, (2 * threads + 1) * words), np.int64),
    }


def _provide_clocks(records: Records) -> None:
    """Allocate the clocks and the table of the addresses at which something is released.

    Raises:
        ValueError: The grid is so large that too few clocks fit.
    """
    launch = records.launch
    grid, subgroups = int(launch[LaunchRecord.BLOCKS]), int(launch[LaunchRecord.SUBGROUPS])
    size = clock_bytes(grid * subgroups)
    count = min(_MOST_CLOCKS, layout.MOST_CLOCK_BYTES // size)
    if count < _FEWEST_CLOCKS:
        raise ValueError(
            f"a sanitized launch whose blocks order each other must have clocks of at most "
            f"{layout.MOST_CLOCK_BYTES // _FEWEST_CLOCKS} B, but {grid} blocks of {subgroups} subgroups need {size} B "
            f"each; launch fewer blocks"
        )
    pool = records.keep(np.zeros((count, size // 8), np.int64))
    bits = (2 * count - 1).bit_length()
    for slot, value in (
        (LaunchRecord.POOL, 1),
        (LaunchRecord.CLOCK_BYTES, size),
        (LaunchRecord.POOL_SPARE, pool),
        (LaunchRecord.POOL_NEXT, pool + size),
        (LaunchRecord.POOL_LEFT, count - 1),
        (LaunchRecord.PLACES, records.keep(np.zeros((1 << bits, len(Place)), np.int64))),
        (LaunchRecord.PLACE_BITS, bits),
        (LaunchRecord.JOINED, records.keep(np.zeros(3, np.int64))),
        (LaunchRecord.PROMOTED, records.keep(np.zeros(2, np.int64))),
        (LaunchRecord.RECORDS, records.keep(np.zeros(grid, np.int64))),
    ):
        launch[slot] = value


class Shadow:
    """What the sanitizer keeps of one launch."""

    def __init__(
        self,
        records: Records,
        arguments: Arguments,
        written: Sequence[Array | None],
        *,
        before: Sequence[Array | None] = (),
        groups: Sequence[int],
        proxies: Sequence[bool],
        granule_bytes: int,
        clocks: bool,
        narrow: bool,
    ) -> None:
        """Allocate, and tell the launch's records.

        Args:
            records: The launch's records.
            arguments: Its arguments, placed in one region.
            written: Of each array argument the bytes that have content, as uint8 (1: written), or None: all of them.
            before: Of each array argument what launches that may still run do to its bytes (`layout.Before`), as uint8,
                or None: nothing; empty where all launches before have ended.
            groups: Of each site the first one whose findings count as its own.
            proxies: Of each site whether it moves bytes by the asynchronous proxy.
            granule_bytes: Bytes of a cell.
            clocks: Whether blocks can order each other.
            narrow: Whether some operations order the threads of their block alone.

        Raises:
            ValueError: The grid is too large.
        """
        launch, blocks = records.launch, records.blocks
        resident, threads = len(blocks), int(launch[LaunchRecord.THREADS])
        grid = int(launch[LaunchRecord.BLOCKS])
        if grid > MOST_BLOCKS:
            raise ValueError(f"a sanitized grid must have at most {MOST_BLOCKS} blocks, but got {grid}")
        self._granule = granule_bytes
        self._spans, self._written = arguments.spans, list(written)
        size = arguments.region_bytes
        self._cells: Array = np.zeros((-(-max(size, 1) // granule_bytes), layout.CELL_WORDS), np.int64)
        self._reports: Array = np.zeros((layout.MOST_REPORTS, len(SanitizerReport)), np.int64)
        known: Array = np.zeros((size >> layout.PAGE_BITS) + 1, np.uint8)
        for (start, length), given in zip(self._spans, self._written, strict=True):
            if given is None:
                known[start >> layout.PAGE_BITS : -(-(start + length) // ALIGNMENT_BYTES)] = 1
            else:
                first, last = start // granule_bytes, -(-(start + length) // granule_bytes)
                self._cells[first:last, ShadowCell.WRITER] = np.where(given[::granule_bytes], 1 << layout.TIME_SHIFT, 0)
        arena_cells = -(-max(int(launch[LaunchRecord.ARENA_BYTES]), 1) // granule_bytes)
        rows: dict[Block, Array] = {
            Block.CELLS: np.zeros((resident, arena_cells, layout.CELL_WORDS), np.int64),
            Block.SYNCED: np.zeros((resident, threads), np.int64),
            Block.PARTIAL: np.zeros((resident, threads, 2), np.int64),
            Block.RELEASED: np.zeros((resident, threads), np.int64),
            Block.WAITED: np.zeros((resident, threads), np.int64),
        }
        if clocks:
            rows |= _clock_rows(resident, threads, int(launch[LaunchRecord.SUBGROUPS]))
            _provide_clocks(records)
            launch[LaunchRecord.NARROW] = int(narrow)
        for slot, table in rows.items():
            blocks[:, slot] = records.keep(table) + np.arange(resident) * table.strides[0]
        if before:
            running: Array = np.zeros(len(self._cells), np.uint8)
            for (start, length), given in zip(self._spans, before, strict=True):
                if given is not None:
                    first, last = start // granule_bytes, -(-(start + length) // granule_bytes)
                    running[first:last] = given[::granule_bytes]
            launch[LaunchRecord.BEFORE] = records.keep(running)
        launch[LaunchRecord.REGION], launch[LaunchRecord.REGION_BYTES] = arguments.region_address, size
        launch[LaunchRecord.CELLS] = records.keep(self._cells)
        launch[LaunchRecord.GRANULE] = granule_bytes.bit_length() - 1
        launch[LaunchRecord.KNOWN] = records.keep(known)
        launch[LaunchRecord.SITE_GROUPS] = records.keep(np.array([*groups, 0], np.int64))
        launch[LaunchRecord.SITE_PROXIES] = records.keep(np.array([*proxies, 0], np.int64))
        launch[LaunchRecord.REPORTS] = records.keep(self._reports)
        self._launch = launch

    def update_written(self) -> None:
        """Note in the arrays given as `written` what the launch wrote."""
        for (start, length), given in zip(self._spans, self._written, strict=True):
            if given is not None and length:
                first, last = start // self._granule, -(-(start + length) // self._granule)
                wrote = np.repeat(self._cells[first:last, ShadowCell.WRITER] != 0, self._granule)
                given |= wrote[: len(given)]

    def hazards(self) -> tuple[list[Hazard], bool]:
        """Return what was found, and whether more was found than there was room for."""
        found = [self._hazard(row) for row in self._reports[: int(self._launch[LaunchRecord.REPORT_COUNT])]]
        return found, bool(self._launch[LaunchRecord.REPORTS_LOST])

    def _hazard(self, row: Array) -> Hazard:
        key, mine, other = (
            int(row[SanitizerReport.KEY]),
            int(row[SanitizerReport.ACCESS]),
            int(row[SanitizerReport.OTHER]),
        )
        argument, offset = -1, int(row[SanitizerReport.OFFSET])
        if not row[SanitizerReport.SHARED]:
            argument = next(n for n, (start, size) in enumerate(self._spans) if start <= offset < start + size)
            offset -= self._spans[argument][0]
        return Hazard(
            finding=layout.Finding(key >> 32),
            site=mine >> layout.SITE_SHIFT & _SITE_MASK,
            other_site=other >> layout.SITE_SHIFT & _SITE_MASK,
            count=int(row[SanitizerReport.COUNT]),
            thread=mine >> layout.THREAD_SHIFT & layout.THREAD_MASK,
            other_thread=other >> layout.THREAD_SHIFT & layout.THREAD_MASK,
            block=int(row[SanitizerReport.BLOCK]),
            other_block=int(row[SanitizerReport.OTHER_BLOCK]),
            argument=argument,
            offset_bytes=offset,
        )
