# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where compiled code finds what orders accesses: clocks of threads, snapshots, entries of clocks, the time."""

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, KnownThen, LaunchRecord, ThreadClock
from roller_mlir.sim.engine.sanitizer.clock_pool_ir import ENTRY_BYTES, HEAD_BYTES
from roller_mlir.sim.engine.structured import Value
from roller_mlir.sim.hopper.layout import CLOCK_WORDS, WARP, AsyncUnits


def thread_clocks(block: Value, thread: Value) -> Value:
    """Emit the address of what a thread knows beyond its block."""
    return block[Block.CLOCKS].row(thread, len(ThreadClock))


def snapshot_of(launch: Value, block: Value, number: Value) -> Value:
    """Emit the address of a snapshot: 2 t of thread t's fences, 2 t + 1 of those of the scope of a block."""
    return block[Block.SNAPSHOTS].row(number, launch[LaunchRecord.SUBGROUPS] * 2 + KnownThen.SIZE)


def entry_of(launch: Value, clock: Value, block: Value, subgroup: Value) -> Value:
    """Emit the address of what a clock knows of a subgroup of a block."""
    return clock + HEAD_BYTES + (block * launch[LaunchRecord.SUBGROUPS] + subgroup) * ENTRY_BYTES


def time_and_thread(word: Value) -> tuple[Value, Value]:
    """Emit time and thread of an access."""
    return word >> layout.TIME_SHIFT, (word >> layout.THREAD_SHIFT) & layout.THREAD_MASK


def known_row(machine: Value, thread: Value) -> Value:
    """Emit the address of what is known in a thread's warp, of blocks that do something beside their threads."""
    return machine[AsyncUnits.KNOWN].row(thread // WARP, CLOCK_WORDS)


def tick(launch: Value) -> Value:
    """Emit the next time of the launch; return it."""
    now = launch[LaunchRecord.TIME] + 1
    launch[LaunchRecord.TIME] = now
    return now
