# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer's releases, acquires and fences: what becomes known at which address, by whom.

A release adds to the clock of the operation's address what the thread knows and did; a relaxed write adds what it knew
at its last fence. A store also takes away what was there, a read-modify-write does not. An acquire learns the clock of
the address; a relaxed read only at the next fence of the same thread. An operation or fence of the scope of a block
orders that block's threads alone.
"""

from roller_mlir.sim.engine.layout import Block, ClockEntry, KnownThen, LaunchRecord, Place, ShadowAccess, ThreadClock
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.sanitizer.clock_pool_ir import ClockPool
from roller_mlir.sim.engine.sanitizer.clock_records_ir import entry_of, known_row, snapshot_of, thread_clocks, tick
from roller_mlir.sim.engine.structured import VOID, Code, Value, function
from roller_mlir.sim.hopper.layout import CLOCK_PROXIED_GLOBAL


def _note(runtime: Runtime, pool: ClockPool) -> Value:
    """Emit note(block, snapshot): keep what the running thread knows and did until now."""
    code, block, snapshot = function(runtime.module, PREFIX + "clock_note", 2, VOID, internal=True)
    launch, thread, first, barrier, clock, machine = block[
        Block.LAUNCH, Block.CURRENT, Block.FIRST, Block.BARRIER_TIME, Block.CLOCK, Block.MACHINE
    ]
    synced, partial, released = block[Block.SYNCED, Block.PARTIAL, Block.RELEASED]
    now, subgroup, subgroups = launch[LaunchRecord.TIME, LaunchRecord.SUBGROUP, LaunchRecord.SUBGROUPS]
    snapshot[KnownThen.TIME] = now
    code.call(pool.replace, launch, snapshot + 8 * KnownThen.BLOCK_CLOCK, clock)
    own = thread_clocks(block, thread)[ThreadClock.OWN]
    code.call(pool.replace, launch, snapshot + 8 * KnownThen.OWN, own)
    known = snapshot + 8 * KnownThen.SIZE
    fenced = known.row(subgroups, 1)
    with code.count(0, subgroups) as other:
        known[other] = barrier
        fenced[other] = 0
        with code.when(machine != 0):
            row = known_row(machine, thread)
            known[other] = code.greatest(row[other], known[other])
            fenced[other] = row[other + CLOCK_PROXIED_GLOBAL]
    mine = thread // subgroup
    known[mine] = code.greatest(synced[first], known[mine])
    released[thread] = code.greatest(now, released[thread])
    waited, lanes = (partial[thread * 2 + n] for n in (0, 1))
    with code.when(waited > 0):
        upto = code.least(now, waited - 1)
        with code.count(first, code.least(first + subgroup, launch[LaunchRecord.THREADS])) as lane:
            took_part = code.lowest_bit(lanes >> (lane - first))
            with code.when(took_part):
                released[lane] = code.greatest(upto, released[lane])
    return code.end()


def _tell(runtime: Runtime, pool: ClockPool) -> Value:
    """Emit tell(block, slot, snapshot): a clock learns what a snapshot holds; nothing where there is none."""
    code, block, slot, snapshot = function(runtime.module, PREFIX + "clock_tell", 3, VOID, internal=True)
    launch, number, thread, started = block[Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.STARTED]
    time = snapshot[KnownThen.TIME]
    with code.when(time < started):
        code.give()
    for word in (KnownThen.BLOCK_CLOCK, KnownThen.OWN):
        code.call(pool.absorb, launch, slot, snapshot[word])
    clock = code.call(pool.writable, launch, slot)
    subgroup, subgroups = launch[LaunchRecord.SUBGROUP, LaunchRecord.SUBGROUPS]
    known = snapshot + 8 * KnownThen.SIZE
    fenced = known.row(subgroups, 1)
    with code.count(0, subgroups) as other:
        entry = entry_of(launch, clock, number, other)
        entry[ClockEntry.ALL] = code.greatest(known[other], entry[ClockEntry.ALL])
        entry[ClockEntry.FENCED] = code.greatest(fenced[other], entry[ClockEntry.FENCED])
    own = entry_of(launch, clock, number, thread // subgroup)
    own[ClockEntry.SOME] = code.greatest(time, own[ClockEntry.SOME])
    return code.end()


def _is_narrow(code: Code, block: Value, address: Value, access: Value) -> Value:
    """Return whether an operation orders its block's threads alone: by its scope, or as only they have the memory."""
    launch, arena = block[Block.LAUNCH, Block.ARENA]
    inside = code.unsigned("<", address - arena, launch[LaunchRecord.ARENA_BYTES])
    return inside | access.has(ShadowAccess.BLOCK_SCOPE)


def _acquire(runtime: Runtime, pool: ClockPool) -> Value:
    """Emit acquire(block, address, touch): learn what was released there; without ACQUIRE, only after a fence."""
    code, block, address, access = function(runtime.module, PREFIX + "acquire", 3, VOID, internal=True)
    launch, number, thread = block[Block.LAUNCH, Block.NUMBER, Block.CURRENT]
    place = code.call(pool.find, launch, address)
    with code.when(place == 0):
        code.give()
    clocks = thread_clocks(block, thread)
    acquires, narrow = access.has(ShadowAccess.ACQUIRE), _is_narrow(code, block, address, access)

    def learn(what: Place, until: ThreadClock) -> None:
        slot = clocks + code.select(acquires, ThreadClock.OWN, until) * 8
        code.call(pool.absorb, launch, slot, place[what])

    with code.when(~narrow):
        learn(Place.CLOCK, ThreadClock.PENDING)
    with code.when(place[Place.OWNER] == number):
        learn(Place.BLOCK_CLOCK, ThreadClock.BLOCK_PENDING)
    with code.when(acquires):
        block[Block.LEARNT_NEW] = 1
    return code.end()


def _release(runtime: Runtime, pool: ClockPool, note: Value, tell: Value) -> Value:
    """Emit publish(block, address, touch): release what the thread knows; without RELEASE, what it did at its fence."""
    code, block, address, access = function(runtime.module, PREFIX + "publish", 3, VOID, internal=True)
    launch, number, thread, started = block[Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.STARTED]
    with code.when(~access.has(ShadowAccess.READ)):
        before = code.call(pool.find, launch, address)
        with code.when(before != 0):
            for word in (Place.CLOCK, Place.BLOCK_CLOCK):
                code.call(pool.drop, launch, before + 8 * word)
    wide, near = (code.variable(snapshot_of(launch, block, thread * 2 + kind)) for kind in (0, 1))
    releases, narrow = access.has(ShadowAccess.RELEASE), _is_narrow(code, block, address, access)
    with code.when(releases):
        scratch = snapshot_of(launch, block, launch[LaunchRecord.THREADS] * 2)
        code.call(note, block, scratch)
        wide.set(scratch)
        near.set(scratch)
    # A fence of any scope counts for the block.
    with code.when(near.get()[KnownThen.TIME] < started):
        code.give()
    place = code.call(pool.claim, launch, address)
    with code.when(~narrow):
        code.call(tell, block, place + 8 * Place.CLOCK, wide.get())
    with code.when(launch[LaunchRecord.NARROW] != 0):
        slot = place + 8 * Place.BLOCK_CLOCK
        with code.when(place[Place.OWNER] != number):
            code.call(pool.drop, launch, slot)
            place[Place.OWNER] = number
        code.call(tell, block, slot, near.get())
    tick(launch)
    return code.end()


def _fence(runtime: Runtime, pool: ClockPool, note: Value) -> None:
    """Emit fence(block, touch): later writes of the thread publish what it did, and it learns what it has read."""
    code, block, kind = function(runtime.module, PREFIX + "fence", 2, VOID)
    launch, thread = block[Block.LAUNCH, Block.CURRENT]
    with code.when(launch[LaunchRecord.POOL] == 0):
        code.give()
    wide = ~kind.has(ShadowAccess.BLOCK_SCOPE)
    with code.when(kind.has(ShadowAccess.ACQUIRE)):
        clocks = thread_clocks(block, thread)
        own = clocks + 8 * ThreadClock.OWN

        def learn(pending: ThreadClock) -> None:
            code.call(pool.absorb, launch, own, clocks[pending])
            code.call(pool.drop, launch, clocks + 8 * pending)

        learn(ThreadClock.BLOCK_PENDING)
        with code.when(wide):
            learn(ThreadClock.PENDING)
        block[Block.LEARNT_NEW] = 1
    with code.when(kind.has(ShadowAccess.RELEASE)):
        twice = thread * 2
        code.call(note, block, snapshot_of(launch, block, twice + 1))
        with code.when(wide):
            code.call(note, block, snapshot_of(launch, block, twice))
    tick(launch)
    code.give()


def emit_releases(runtime: Runtime, pool: ClockPool) -> tuple[Value, Value]:
    """Emit fence(block, touch), which kernels call; return acquire and publish, both (block, address, touch)."""
    note, tell = _note(runtime, pool), _tell(runtime, pool)
    _fence(runtime, pool, note)
    return _acquire(runtime, pool), _release(runtime, pool, note, tell)
