# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where compiled code finds what orders accesses: clocks of threads, snapshots, entries of clocks, the time."""

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.clock_pool_ir import ENTRY_BYTES, HEAD_BYTES
from roller_mlir.sim.engine.layout import Block, KnownThen, LaunchRecord, ShadowAccess, ThreadClock
from roller_mlir.sim.engine.structured import Code, Value
from roller_mlir.sim.hopper.layout import CLOCK_WORDS, WARP, AsyncUnits


def has(code: Code, access: Value, bits: ShadowAccess) -> Value:
    """Emit whether an access has any of some bits."""
    return (access & bits) != 0


def row_of(code: Code, table: Value, number: Value | int, words: Value | int) -> Value:
    """Emit the address of a row of a table of 64-bit words."""
    size = code.value(words) * 8
    return table + number * size


def word_at(code: Code, record: Value, word: int) -> Value:
    """Emit the address of a word of a record."""
    return record + 8 * word


def thread_clocks(code: Code, block: Value, thread: Value) -> Value:
    """Emit the address of what a thread knows beyond its block."""
    return row_of(code, block[Block.CLOCKS], thread, len(ThreadClock))


def snapshot_of(code: Code, launch: Value, block: Value, number: Value) -> Value:
    """Emit the address of a snapshot: 2 t of thread t's fences, 2 t + 1 of those of the scope of a block."""
    subgroups = launch[LaunchRecord.SUBGROUPS]
    words = subgroups * 2 + KnownThen.SIZE
    return row_of(code, block[Block.SNAPSHOTS], number, words)


def entry_of(code: Code, launch: Value, clock: Value, block: Value, subgroup: Value) -> Value:
    """Emit the address of what a clock knows of a subgroup of a block."""
    number = block * launch[LaunchRecord.SUBGROUPS]
    offset = (number + subgroup) * ENTRY_BYTES
    return clock + HEAD_BYTES + offset


def time_and_thread(code: Code, word: Value) -> tuple[Value, Value]:
    """Emit time and thread of an access."""
    thread = (word >> layout.THREAD_SHIFT) & layout.THREAD_MASK
    return word >> layout.TIME_SHIFT, thread


def known_row(code: Code, machine: Value, thread: Value) -> Value:
    """Emit the address of what is known in a thread's warp, of blocks that do something beside their threads."""
    warp = thread // WARP
    return row_of(code, machine[AsyncUnits.KNOWN], warp, CLOCK_WORDS)


def raise_word(code: Code, into: Value, number: Value | int, value: Value) -> None:
    """Emit that a word becomes at least a value."""
    now = into[number]
    into[number] = code.select(value > now, value, now)


def tick(code: Code, launch: Value) -> Value:
    """Emit the next time of the launch; return it."""
    now = launch[LaunchRecord.TIME] + 1
    launch[LaunchRecord.TIME] = now
    return now
