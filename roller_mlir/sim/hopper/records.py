# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The memory of what Hopper blocks do beside their threads: allocated for one launch, told to its records."""

import ctypes
import mmap
from collections.abc import Sequence
from typing import Any

import numpy as np

from roller_mlir.sim.engine.layout import Block, LaunchRecord
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, BulkCopy, Granule, MadeMap, WarpgroupRecord
from roller_mlir.sim.hopper.runtime.build import hook
from roller_mlir.sim.memory.records import Records

Array = np.ndarray[Any, Any]

_MAP_32BIT = 0x40  # Linux on x86-64; addresses of workgroup memory take 32 bits, as on the device


def _map_arenas(records: Records, arena_bytes: int) -> None:
    """Put the workgroup memory of each resident block into a window of its own.

    Raises:
        ValueError: A block's memory does not fit its window.
    """
    most = layout.WINDOW_BYTES - layout.RESERVED_BYTES
    if arena_bytes > most:
        raise ValueError(f"workgroup memory of a block must be at most {most} B, but is {arena_bytes} B")
    resident, flags = len(records.blocks), mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_32BIT
    mapping = mmap.mmap(-1, (resident + 1) * layout.WINDOW_BYTES, flags=flags)
    records.hold(mapping)
    start = ctypes.addressof(ctypes.c_char.from_buffer(mapping))
    first = -(-start // layout.WINDOW_BYTES) * layout.WINDOW_BYTES + layout.RESERVED_BYTES
    records.blocks[:, Block.ARENA] = first + np.arange(resident, dtype=np.int64) * layout.WINDOW_BYTES


def prepare_async_units(records: Records, maps: Sequence[int], described: Array | None = None) -> None:
    """Allocate what goes on beside the threads of every resident block, and tell the launch's records.

    Args:
        records: The launch's records.
        maps: Addresses of its tensor maps.
        described: `DescribedMaps` of its kernel, where it makes tensor maps.
    """
    launch, blocks = records.launch, records.blocks
    resident, threads = len(blocks), int(launch[LaunchRecord.THREADS])
    arena_bytes = int(launch[LaunchRecord.ARENA_BYTES])
    _map_arenas(records, arena_bytes)
    warps, groups = -(-threads // layout.WARP), -(-threads // layout.WARPGROUP)
    granules = -(-arena_bytes // layout.GRANULE_BYTES)
    machines: Array = np.zeros((resident, AsyncUnits.SIZE), np.int64)
    rows: dict[AsyncUnits, Array] = {
        AsyncUnits.KNOWN: np.zeros((resident, warps * layout.CLOCK_WORDS), np.int64),
        AsyncUnits.WAITS: np.zeros((resident, threads * 2), np.int64),
        AsyncUnits.MBARRIERS: np.zeros((resident, layout.MOST_MBARRIERS * layout.MBARRIER_WORDS), np.int64),
        AsyncUnits.COPIES: np.zeros((resident, layout.MOST_BULK_COPIES * BulkCopy.SIZE), np.int64),
        AsyncUnits.GRANULES: np.zeros((resident, granules * (Granule.READERS + groups)), np.int64),
        AsyncUnits.NAMED: np.zeros((resident, (layout.NAMED_BARRIERS + 1) * layout.NAMED_WORDS), np.int64),
        AsyncUnits.GROUPS: np.zeros((resident, groups * WarpgroupRecord.SIZE), np.int64),
        AsyncUnits.OPERANDS: np.zeros((resident, groups * layout.WARPGROUP), np.int64),
        AsyncUnits.PROXY_FENCES: np.zeros((resident, 2 * threads), np.int64),
        AsyncUnits.STORES: np.zeros((resident, warps), np.int64),
        AsyncUnits.MADE_MAPS: np.zeros((resident, layout.MOST_MADE_MAPS * MadeMap.SIZE), np.int64),
        AsyncUnits.MAP_FENCES: np.zeros((resident, layout.MOST_MADE_MAPS * threads), np.int64),
        AsyncUnits.CLUSTER_PHASE: np.zeros((resident, threads), np.int64),
    }
    for slot, table in rows.items():
        machines[:, slot] = records.keep(table) + np.arange(resident) * table.strides[0]
    machines[:, AsyncUnits.GROUP_COUNT] = groups
    machines[:, AsyncUnits.WARPS] = warps
    machines[:, AsyncUnits.SCRATCH] = records.keep(np.zeros(layout.SCRATCH_WORDS, np.float32))
    machines[:, AsyncUnits.MAPS] = records.keep(np.array([*maps, 0], np.int64))
    machines[:, AsyncUnits.MAP_COUNT] = len(maps)
    machines[:, AsyncUnits.DESCRIBED] = 0 if described is None else records.keep(described)
    blocks[:, Block.MACHINE] = records.keep(machines) + np.arange(resident) * machines.strides[0]
    for slot, name in (
        (LaunchRecord.MACHINE_START, "start"),
        (LaunchRecord.MACHINE_BARRIER, "barrier"),
        (LaunchRecord.MACHINE_ADVANCE, "advance"),
        (LaunchRecord.MACHINE_TOUCHED, "touched"),
    ):
        launch[slot] = hook(name)
