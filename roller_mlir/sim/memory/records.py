# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of one launch that compiled code works on: records, thread states, stacks, workgroup memory, logs."""

import ctypes
import mmap
from typing import Any

import numpy as np

from roller_mlir.mapping.layout.bank_phases import Banks
from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.fibers import map_stacks
from roller_mlir.sim.engine.layout import Block, LaunchRecord, SiteSpec, Space
from roller_mlir.sim.engine.sites import SiteTable
from roller_mlir.sim.memory.buffers import ALIGNMENT_BYTES, aligned_empty

Array = np.ndarray[Any, Any]

_LOG_BYTES = 1 << 25
"""Memory for the logs of all resident threads together."""

_SHORTEST_LOG = 32
_LONGEST_LOG = 4096

_MOST_COPIES = 1024
"""Asynchronous copies that a thread may have under way."""

_CANARY = 0x5AFE57AC5AFE57AC
"""The lowest word of every stack; a launch that changes it has used more stack than it has."""

_MOST_KEPT_BYTES = 1 << 27

_stacks: list[mmap.mmap] = []
"""The last mapping of stacks, kept for the next launch: fresh pages cost more than the switches."""


def _take_stacks(size_bytes: int) -> mmap.mmap:
    """Return a mapping of at least this size."""
    if _stacks:
        kept = _stacks.pop()
        if len(kept) >= size_bytes:
            return kept
    return map_stacks(size_bytes)


class Records:
    """The records of a launch and of its resident blocks.

    Attributes:
        launch: The launch's slots.
        blocks: The block records' slots, one row each.
        counters: Counters per site.
        fault_values: What a failed check noted.
    """

    def __init__(
        self,
        *,
        threads: int,
        subgroup_size: int,
        resident: int,
        arena_bytes: int,
        stack_bytes: int,
        sites: int,
        banks: Banks,
        log: bool,
        copies: bool = False,
        polls: bool = False,
    ) -> None:
        """Allocate.

        Args:
            threads: Threads of a block.
            subgroup_size: Threads of a subgroup.
            resident: Blocks that run at the same time.
            arena_bytes: Workgroup memory of a block.
            stack_bytes: Stack of a thread.
            sites: Sites of the module.
            banks: Banks of workgroup memory.
            log: Whether accesses are logged.
            copies: Whether threads copy asynchronously.
            polls: Whether turns of spin loops are noted.
        """
        self._kept: list[Any] = []
        self.launch: Array = np.zeros(LaunchRecord.SIZE, np.int64)
        self.blocks: Array = np.zeros((resident, Block.SIZE), np.int64)
        self.counters: Array = np.zeros((max(1, sites), layout.COUNTER_COUNT), np.int64)
        self.fault_values: Array = np.zeros(layout.FAULT_VALUE_COUNT, np.int64)
        firsts = np.arange(0, threads, subgroup_size, dtype=np.int64)
        capacity = _LOG_BYTES // (8 * threads * resident)
        capacity = min(_LONGEST_LOG, max(_SHORTEST_LOG, capacity)) if log else 0
        for slot, value in (
            (LaunchRecord.THREADS, threads),
            (LaunchRecord.SUBGROUP, subgroup_size),
            (LaunchRecord.SUBGROUPS, len(firsts)),
            (LaunchRecord.RESIDENT, resident),
            (LaunchRecord.ARENA_BYTES, arena_bytes),
            (LaunchRecord.STACK_BYTES, stack_bytes),
            (LaunchRecord.LOG_CAPACITY, capacity),
            (LaunchRecord.TIME, layout.FIRST_TIME),
            (LaunchRecord.COPY_CAPACITY, _MOST_COPIES if copies else 0),
            (LaunchRecord.POLL_BYTES, 8 * layout.POLL_WORDS * threads if polls else 0),
            (LaunchRecord.BANKS, banks.count),
            (LaunchRecord.BANK_BYTES, banks.bank_bytes),
            (LaunchRecord.CONTEXTS, self.keep(self.blocks)),
            (LaunchRecord.CONTEXT_ORDER, self.keep(np.arange(resident, dtype=np.int64))),
            (LaunchRecord.FAULT_VALUES, self.keep(self.fault_values)),
            (LaunchRecord.COUNTERS, self.keep(self.counters)),
            (LaunchRecord.TABLE, self.keep(np.zeros(2 * layout.TABLE_SIZE, np.int64))),
            (LaunchRecord.BANK_TABLE, self.keep(np.zeros(2 * banks.count, np.int64))),
        ):
            self.launch[slot] = value
        self._states: Array = np.zeros((resident, threads), np.uint8)
        self._sites: Array = np.full((resident, threads), -1, np.int32)
        self._polls: Array = np.zeros((resident, threads if polls else 0, layout.POLL_WORDS), np.int64)
        rows = {
            Block.POLLS: self._polls,
            Block.STATE: self._states,
            Block.SITE: self._sites,
            Block.WIDTH: np.zeros((resident, threads), np.int32),
            Block.STACK_POINTER: np.zeros((resident, threads), np.int64),
            Block.ORDER: np.tile(np.arange(threads, dtype=np.int64), (resident, 1)),
            Block.SUBGROUP_ORDER: np.tile(firsts, (resident, 1)),
            Block.EXCHANGE: np.zeros((resident, 2 * threads), np.int64),
            Block.PARITY: np.zeros((resident, threads), np.uint8),
            Block.LOG: np.empty((resident, threads * capacity), np.int64),
            Block.LOG_LENGTH: np.zeros((resident, threads), np.int64),
            Block.COPIES: np.zeros((resident, threads * (_MOST_COPIES if copies else 0), len(layout.Copy)), np.int64),
            Block.COPY_COUNT: np.zeros((resident, threads), np.int64),
            Block.JOBS: np.zeros((resident, threads * len(layout.SubgroupOp)), np.int64),
            Block.ARENA: aligned_empty(resident * -(-arena_bytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES).reshape(
                resident, -1
            ),
        }
        for slot, table in rows.items():
            self.blocks[:, slot] = self.keep(table) + np.arange(resident) * table.strides[0]
        self._mapping = _take_stacks(resident * threads * stack_bytes)
        words = np.frombuffer(self._mapping, np.int64, resident * threads * stack_bytes // 8)
        self._canaries: Array = words[:: stack_bytes // 8]
        self._canaries[:] = _CANARY
        stacks = ctypes.addressof(ctypes.c_char.from_buffer(self._mapping))
        self.blocks[:, Block.STACKS] = stacks + np.arange(resident) * threads * stack_bytes
        self.blocks[:, Block.LAUNCH] = self.launch.ctypes.data
        self.blocks[:, Block.NUMBER] = -1

    def release(self) -> bool:
        """Give the stacks back; no thread of the launch may run any more. Return whether none of them overflowed."""
        intact = bool((self._canaries == _CANARY).all())
        if len(self._mapping) <= _MOST_KEPT_BYTES:
            _stacks[:] = [self._mapping]
        return intact

    def keep(self, array: Array) -> int:
        """Keep an array as long as the records and return its address."""
        self._kept.append(array)
        return int(array.ctypes.data)

    def hold(self, memory: Any) -> None:
        """Keep memory as long as the records."""
        self._kept.append(memory)

    def describe_sites(self, sites: SiteTable, subgroup_size: int, banks: Banks) -> None:
        """Tell the counter of each site its memory, its width and which lanes the banks serve together."""
        specs = np.zeros((max(1, len(sites)), len(SiteSpec)), np.int64)
        tables: dict[tuple[int, bool], int] = {}
        for site in sites:
            groups = 0
            if site.space is Space.WORKGROUP:
                width, load = site.width_bytes, site.kind == "load"
                if (width, load) not in tables:
                    subgroup_ops = banks.served_together(subgroup_size, width, load=load)
                    flat = [entry for group in subgroup_ops for entry in (len(group), *group)]
                    tables[width, load] = self.keep(np.array([*flat, 0], np.int64))
                groups = tables[width, load]
            specs[site.number] = site.space, site.width_bytes, groups
        self.launch[LaunchRecord.SITE_SPECS] = self.keep(specs)

    def order_blocks(self, blocks: int, generator: np.random.Generator | None) -> None:
        """Set the order in which blocks start: shuffled by the generator, or ascending without one."""
        order = np.arange(blocks, dtype=np.int64) if generator is None else generator.permutation(blocks)
        self.launch[LaunchRecord.BLOCKS] = blocks
        self.launch[LaunchRecord.BLOCK_ORDER] = self.keep(order.astype(np.int64))

    def place(self, context: int) -> tuple[int, int, int]:
        """Return the block that the record at an address runs."""
        row = self.blocks[(context - self.blocks.ctypes.data) // (8 * Block.SIZE)]
        return int(row[Block.X]), int(row[Block.Y]), int(row[Block.Z])

    def polling(self) -> list[tuple[tuple[int, int, int], Array, Array, Array, tuple[int, int]]]:
        """Return of each running block what `standing` does, its threads' polls and the range of its arena."""
        size = int(self.launch[LaunchRecord.ARENA_BYTES])
        arenas = [(arena, arena + size) for arena in self.blocks[:, Block.ARENA].tolist()]
        running = self._running() if self._polls.size else []
        return [
            (*one, self._polls[number], arenas[number]) for number, one in zip(running, self.standing(), strict=False)
        ]

    def standing(self) -> list[tuple[tuple[int, int, int], Array, Array]]:
        """Return of each running block its place, its threads' states and their last sites."""
        first, size = int(self.blocks.ctypes.data), 8 * Block.SIZE
        return [
            (self.place(first + size * number), self._states[number], self._sites[number]) for number in self._running()
        ]

    def _running(self) -> list[int]:
        return [number for number in range(len(self.blocks)) if self.blocks[number, Block.NUMBER] >= 0]
