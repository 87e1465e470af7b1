# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer's notion of order: whether an earlier access happened before what a thread does now.

One time for the whole launch grows at every barrier, subgroup wait, fence, release and start of a block; a cell notes
it with the access. Within a block, what was noted before the last barrier, or before the last wait of the subgroup that
both threads belong to, has happened before. Everything else is ordered by clocks (`clock_pool_ir`).

A thread knows its block's clock and one of its own, which releases and acquires pass on (`releases_ir`). A barrier of
the block gives all threads what any of them has learnt, a wait of a subgroup its lanes; named barriers and mbarriers
give it to whoever waits there.
"""

from dataclasses import dataclass

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, ClockEntry, KnownThen, LaunchRecord, ThreadClock
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.sanitizer.clock_pool_ir import ClockPool, emit_clock_pool
from roller_mlir.sim.engine.sanitizer.clock_records_ir import (
    entry_of,
    known_row,
    snapshot_of,
    thread_clocks,
    tick,
    time_and_thread,
)
from roller_mlir.sim.engine.sanitizer.releases_ir import emit_releases
from roller_mlir.sim.engine.structured import VOID, Code, Value, function
from roller_mlir.sim.hopper.layout import CLOCK_PROXIED_GLOBAL, WARP, AsyncUnits


@dataclass(frozen=True)
class Order:
    """Functions of this file that other parts of the runtime call.

    Attributes:
        ordered: (block, word, owner, shared) -> 1 where the access `word` of block `owner` happened before.
        proxied: (block, word, owner) -> 1 where a copy of global memory may see it behind proxy fences.
        acquire: (block, address, touch).
        release: (block, address, touch).
        started: (launch, block), when a record is given a block.
        barrier: (launch, block), when all threads of a block have reached a barrier.
        subgroup: (launch, block, first, end, mask, all), when lanes have waited for each other.
    """

    ordered: Value
    proxied: Value
    acquire: Value
    release: Value
    started: Value
    barrier: Value
    subgroup: Value


def _ordered(runtime: Runtime) -> Value:
    code, block, word, owner, shared = function(runtime.module, PREFIX + "ordered", 4, internal=True)
    time, other = time_and_thread(word)
    with code.when(time < layout.FIRST_TIME):
        code.give(1)
    launch, number, thread, first, barrier = block[
        Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.FIRST, Block.BARRIER_TIME
    ]
    subgroup = launch[LaunchRecord.SUBGROUP]
    with code.when((shared != 0) | (owner == number)):
        with code.when((time < barrier) | (other == thread)):
            code.give(1)
        lane = other - first
        with code.when(code.unsigned("<", lane, subgroup)):
            synced, partial = block[Block.SYNCED, Block.PARTIAL]
            with code.when(time < synced[first]):
                code.give(1)
            entry = thread * 2
            took_part = partial[entry + 1] >> lane
            with code.when((time < partial[entry]) & code.lowest_bit(took_part)):
                code.give(1)
        machine = block[Block.MACHINE]
        with code.when(machine != 0):
            known = known_row(machine, thread)
            with code.when(time < known[other // WARP]):
                code.give(1)
    with code.when(launch[LaunchRecord.POOL] == 0):
        code.give(0)
    source = code.select(shared != 0, number, owner)
    record = launch[LaunchRecord.RECORDS][source]
    for clock in (block[Block.CLOCK], thread_clocks(block, thread)[ThreadClock.OWN]):
        with code.when(clock != 0):
            entry = entry_of(launch, clock, source, other // subgroup)
            entire, some = entry[ClockEntry.ALL, ClockEntry.SOME]
            with code.when(time < entire):
                code.give(1)
            # Of a block whose record runs another one nobody knows any more which threads released what: all of them.
            until = code.variable(some)
            with code.when(record[Block.LAST] == source):
                until.set(code.least(some, record[Block.RELEASED][other]))
            with code.when(time <= until.get()):
                code.give(1)
    return code.end(0)


def _proxied(runtime: Runtime) -> Value:
    """Return whether a proxy fence for global memory follows the access: in one block anywhere, else on both sides.

    PTX asks for one on the way from the access to the copy; that one must be in the block of the copy, says the paper
    of the model. Only with one on both sides every reading is satisfied.
    """
    code, block, word, owner = function(runtime.module, PREFIX + "proxied", 3, internal=True)
    time, other = time_and_thread(word)
    launch, number, thread, machine = block[Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.MACHINE]
    threads, subgroup, pool = launch[LaunchRecord.THREADS, LaunchRecord.SUBGROUP, LaunchRecord.POOL]

    def writer_fenced(record: Value) -> Value:
        return record[Block.MACHINE][AsyncUnits.PROXY_FENCES][threads + other] > time

    with code.when(owner == number):
        known = known_row(machine, thread)[other // WARP + CLOCK_PROXIED_GLOBAL] > time
        code.give(code.wide(known | writer_fenced(block)))
    with code.when(pool == 0):
        code.give(1)
    # Of a block whose record runs another one nobody knows any more which of its threads passed a fence: all of them.
    record = launch[LaunchRecord.RECORDS][owner]
    fenced = code.variable(1)
    with code.when(record[Block.LAST] == owner):
        fenced.set(code.wide(writer_fenced(record)))
    seen = code.variable(0)
    for clock in (block[Block.CLOCK], thread_clocks(block, thread)[ThreadClock.OWN]):
        with code.when(clock != 0):
            entry = entry_of(launch, clock, owner, other // subgroup)
            for found, part in ((fenced, ClockEntry.FENCED), (seen, ClockEntry.SEEN)):
                with code.when(entry[part] >= time):
                    found.set(1)
    return code.end(fenced.get() & seen.get())


def _started(runtime: Runtime, pool: ClockPool) -> Value:
    code, launch, block = function(runtime.module, PREFIX + "started", 2, VOID, internal=True)
    now = tick(launch)
    block[Block.BARRIER_TIME] = now
    block[Block.STARTED] = now
    with code.when(launch[LaunchRecord.POOL] != 0):
        number = block[Block.NUMBER]
        block[Block.LAST] = number
        code.write(launch[LaunchRecord.RECORDS], number, block)
        code.call(pool.drop, launch, block + 8 * Block.CLOCK)
        with code.count(0, launch[LaunchRecord.THREADS]) as thread:
            clocks = thread_clocks(block, thread)
            for word in ThreadClock:
                code.call(pool.drop, launch, clocks + 8 * word)
            twice = thread * 2
            for kind in (0, 1):
                snapshot = snapshot_of(launch, block, twice + kind)
                with code.when(snapshot[KnownThen.TIME] != 0):
                    for word in (KnownThen.BLOCK_CLOCK, KnownThen.OWN):
                        code.call(pool.drop, launch, snapshot + 8 * word)
        block[Block.LEARNT_NEW] = 0
    return code.end()


def _gather(
    code: Code, pool: ClockPool, launch: Value, block: Value, slot: Value, threads: tuple[Value, Value]
) -> None:
    """Emit that a slot learns what the threads from the first one on know; most of them share one clock."""
    last = code.variable(0)
    with code.count(*threads) as thread:
        own = thread_clocks(block, thread)[ThreadClock.OWN]
        with code.when(own != last.get()):
            code.call(pool.absorb, launch, slot, own)
            last.set(own)


def _barrier(runtime: Runtime, pool: ClockPool) -> Value:
    code, launch, block = function(runtime.module, PREFIX + "at_barrier", 2, VOID, internal=True)
    block[Block.BARRIER_TIME] = tick(launch)
    with code.when(block[Block.LEARNT_NEW] != 0):
        threads = launch[LaunchRecord.THREADS]
        _gather(code, pool, launch, block, block + 8 * Block.CLOCK, (code.value(0), threads))
        with code.count(0, threads) as thread:
            code.call(pool.drop, launch, thread_clocks(block, thread) + 8 * ThreadClock.OWN)
        block[Block.LEARNT_NEW] = 0
    return code.end()


def _subgroup(runtime: Runtime, pool: ClockPool) -> Value:
    code, launch, block, first, end, mask, everyone = function(
        runtime.module, PREFIX + "at_sync", 6, VOID, internal=True
    )
    now = tick(launch)
    with code.when(block[Block.CELLS] == 0):
        code.give()
    synced, partial = block[Block.SYNCED, Block.PARTIAL]

    def takes_part(thread: Value) -> Value:
        return code.lowest_bit(mask >> (thread - first))

    with code.when(block[Block.LEARNT_NEW] != 0):
        slot, last = (block + 8 * Block.GATHERED), code.variable(0)
        with code.count(first, end) as thread, code.when(takes_part(thread)):
            own = thread_clocks(block, thread)[ThreadClock.OWN]
            with code.when(own != last.get()):
                code.call(pool.absorb, launch, slot, own)
                last.set(own)
        with code.count(first, end) as thread, code.when(takes_part(thread)):
            code.call(pool.replace, launch, thread_clocks(block, thread) + 8 * ThreadClock.OWN, slot[0])
        code.call(pool.drop, launch, slot)
    with code.when(everyone != 0):
        synced[first] = now
        code.give()
    with code.count(first, end) as thread, code.when(takes_part(thread)):
        entry = thread * 2
        partial[entry] = now
        code.write(partial, entry + 1, mask)
    return code.end()


def _own_clock(runtime: Runtime, pool: ClockPool) -> None:
    """What Hopper's functions call: a slot learns what the running thread knows, or the other way round.

    clock_release(block, slot), clock_acquire(block, slot), clock_proxy(block): the asynchronous proxy sees what it
    knows; all do nothing where blocks never order each other.
    """
    for name, parameters in (("clock_release", 2), ("clock_acquire", 2), ("clock_proxy", 1)):
        code, block, *rest = function(runtime.module, PREFIX + name, parameters, VOID)
        launch, thread = block[Block.LAUNCH, Block.CURRENT]
        with code.when(launch[LaunchRecord.POOL] == 0, likely=True):
            code.give()
        own = thread_clocks(block, thread) + 8 * ThreadClock.OWN
        if name == "clock_release":
            code.call(pool.absorb, launch, rest[0], own[0])
        else:
            code.call(pool.absorb, launch, own, rest[0][0] if rest else block[Block.CLOCK])
            if not rest:
                code.call(pool.promote, launch, own)
            block[Block.LEARNT_NEW] = 1
        code.give()


def emit_order(runtime: Runtime) -> Order:
    """Emit what orders accesses."""
    pool = emit_clock_pool(runtime)
    acquire, release = emit_releases(runtime, pool)
    _own_clock(runtime, pool)
    return Order(
        ordered=_ordered(runtime),
        proxied=_proxied(runtime),
        acquire=acquire,
        release=release,
        started=_started(runtime, pool),
        barrier=_barrier(runtime, pool),
        subgroup=_subgroup(runtime, pool),
    )
