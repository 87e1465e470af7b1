# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer's releases, acquires and fences: what becomes known at which address, by whom.

A release adds to the clock of the operation's address what the thread knows and did; a relaxed write adds what it knew
at its last fence. A store also takes away what was there, a read-modify-write does not. An acquire learns the clock of
the address; a relaxed read only at the next fence of the same thread. An operation or fence of the scope of a block
orders that block's threads alone.
"""

from llvmlite import ir

from roller_mlir.sim.engine.clock_pool_ir import ClockPool
from roller_mlir.sim.engine.clock_records_ir import (
    entry_of,
    has,
    known_row,
    raise_word,
    row_of,
    snapshot_of,
    thread_clocks,
    tick,
    word_at,
)
from roller_mlir.sim.engine.layout import Block, ClockEntry, KnownThen, LaunchRecord, Place, ShadowAccess, ThreadClock
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import VOID, Code, Value
from roller_mlir.sim.hopper.layout import CLOCK_PROXIED_GLOBAL


def _note(runtime: Runtime, pool: ClockPool) -> Value:
    """note(block, snapshot): keep what the running thread knows and did until now."""
    code = Code(runtime.module, PREFIX + "clock_note", 2, VOID, internal=True)
    builder = code.builder
    block, snapshot = code.parameters
    launch, thread, first, barrier, clock, machine = code.slots(
        block, Block.LAUNCH, Block.CURRENT, Block.FIRST, Block.BARRIER_TIME, Block.CLOCK, Block.MACHINE
    )
    synced, partial, released = code.slots(block, Block.SYNCED, Block.PARTIAL, Block.RELEASED)
    now, subgroup, subgroups = code.slots(launch, LaunchRecord.TIME, LaunchRecord.SUBGROUP, LaunchRecord.SUBGROUPS)
    code.write(snapshot, KnownThen.TIME, now)
    code.call(pool.replace, launch, word_at(code, snapshot, KnownThen.BLOCK_CLOCK), clock)
    own = code.read(thread_clocks(code, block, thread), ThreadClock.OWN)
    code.call(pool.replace, launch, word_at(code, snapshot, KnownThen.OWN), own)
    known = word_at(code, snapshot, KnownThen.SIZE)
    fenced = row_of(code, known, subgroups, 1)
    with code.count(0, subgroups) as other:
        code.write(known, other, barrier)
        code.write(fenced, other, 0)
        with code.when(code.compare("!=", machine, 0)):
            row = known_row(code, machine, thread)
            raise_word(code, known, other, code.read(row, other))
            code.write(fenced, other, code.read(row, builder.add(other, code.value(CLOCK_PROXIED_GLOBAL))))
    mine = builder.udiv(thread, subgroup)
    raise_word(code, known, mine, code.read(synced, first))
    raise_word(code, released, thread, now)
    waited, lanes = (code.read(partial, builder.add(builder.mul(thread, code.value(2)), code.value(n))) for n in (0, 1))
    with code.when(code.compare(">", waited, 0)):
        upto = code.least(now, builder.sub(waited, code.value(1)))
        last = code.least(builder.add(first, subgroup), code.read(launch, LaunchRecord.THREADS))
        with code.count(first, last) as lane:
            took_part = builder.trunc(builder.lshr(lanes, builder.sub(lane, first)), ir.IntType(1))
            with code.when(took_part):
                raise_word(code, released, lane, upto)
    return code.end()


def _tell(runtime: Runtime, pool: ClockPool) -> Value:
    """tell(block, slot, snapshot): a clock learns what a snapshot holds; nothing where there is none."""
    code = Code(runtime.module, PREFIX + "clock_tell", 3, VOID, internal=True)
    builder = code.builder
    block, slot, snapshot = code.parameters
    launch, number, thread, started = code.slots(block, Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.STARTED)
    time = code.read(snapshot, KnownThen.TIME)
    with code.when(builder.icmp_signed("<", time, started)):
        builder.ret_void()
    for word in (KnownThen.BLOCK_CLOCK, KnownThen.OWN):
        code.call(pool.absorb, launch, slot, code.read(snapshot, word))
    clock = code.call(pool.writable, launch, slot)
    subgroup, subgroups = code.slots(launch, LaunchRecord.SUBGROUP, LaunchRecord.SUBGROUPS)
    known = word_at(code, snapshot, KnownThen.SIZE)
    fenced = row_of(code, known, subgroups, 1)
    with code.count(0, subgroups) as other:
        entry = entry_of(code, launch, clock, number, other)
        raise_word(code, entry, ClockEntry.ALL, code.read(known, other))
        raise_word(code, entry, ClockEntry.FENCED, code.read(fenced, other))
    own = entry_of(code, launch, clock, number, builder.udiv(thread, subgroup))
    raise_word(code, own, ClockEntry.SOME, time)
    return code.end()


def _is_narrow(code: Code, block: Value, address: Value, access: Value) -> Value:
    """Whether an operation orders its block's threads alone: by its scope, or as only they have the memory."""
    launch, arena = code.slots(block, Block.LAUNCH, Block.ARENA)
    offset = code.builder.sub(address, arena)
    inside = code.builder.icmp_unsigned("<", offset, code.read(launch, LaunchRecord.ARENA_BYTES))
    return code.builder.or_(inside, has(code, access, ShadowAccess.BLOCK_SCOPE))


def _acquire(runtime: Runtime, pool: ClockPool) -> Value:
    """acquire(block, address, touch): learn what was released there; without ACQUIRE, only after a fence."""
    code = Code(runtime.module, PREFIX + "acquire", 3, VOID, internal=True)
    builder = code.builder
    block, address, access = code.parameters
    launch, number, thread = code.slots(block, Block.LAUNCH, Block.NUMBER, Block.CURRENT)
    place = code.call(pool.find, launch, address)
    with code.when(code.compare("==", place, 0)):
        builder.ret_void()
    clocks = thread_clocks(code, block, thread)
    acquires, narrow = has(code, access, ShadowAccess.ACQUIRE), _is_narrow(code, block, address, access)

    def learn(what: Place, until: ThreadClock) -> None:
        word = builder.select(acquires, code.value(int(ThreadClock.OWN)), code.value(int(until)))
        slot = builder.add(clocks, builder.mul(word, code.value(8)))
        code.call(pool.absorb, launch, slot, code.read(place, what))

    with code.when(builder.not_(narrow)):
        learn(Place.CLOCK, ThreadClock.PENDING)
    with code.when(builder.icmp_signed("==", code.read(place, Place.OWNER), number)):
        learn(Place.BLOCK_CLOCK, ThreadClock.BLOCK_PENDING)
    with code.when(acquires):
        code.write(block, Block.LEARNT_NEW, 1)
    return code.end()


def _release(runtime: Runtime, pool: ClockPool, note: Value, tell: Value) -> Value:
    """publish(block, address, touch): release what the thread knows; without RELEASE, what it knew at its fence."""
    code = Code(runtime.module, PREFIX + "publish", 3, VOID, internal=True)
    builder = code.builder
    block, address, access = code.parameters
    launch, number, thread, started = code.slots(block, Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.STARTED)
    with code.when(builder.not_(has(code, access, ShadowAccess.READ))):
        before = code.call(pool.find, launch, address)
        with code.when(code.compare("!=", before, 0)):
            for word in (Place.CLOCK, Place.BLOCK_CLOCK):
                code.call(pool.drop, launch, word_at(code, before, word))
    wide, near = (
        code.variable(
            snapshot_of(code, launch, block, builder.add(builder.mul(thread, code.value(2)), code.value(kind)))
        )
        for kind in (0, 1)
    )
    releases, narrow = has(code, access, ShadowAccess.RELEASE), _is_narrow(code, block, address, access)
    with code.when(releases):
        threads = code.read(launch, LaunchRecord.THREADS)
        scratch = snapshot_of(code, launch, block, builder.mul(threads, code.value(2)))
        code.call(note, block, scratch)
        wide.set(scratch)
        near.set(scratch)
    # A fence of any scope counts for the block.
    with code.when(builder.icmp_signed("<", code.read(near.get(), KnownThen.TIME), started)):
        builder.ret_void()
    place = code.call(pool.claim, launch, address)
    with code.when(builder.not_(narrow)):
        code.call(tell, block, word_at(code, place, Place.CLOCK), wide.get())
    with code.when(code.compare("!=", code.read(launch, LaunchRecord.NARROW), 0)):
        slot = word_at(code, place, Place.BLOCK_CLOCK)
        with code.when(builder.icmp_signed("!=", code.read(place, Place.OWNER), number)):
            code.call(pool.drop, launch, slot)
            code.write(place, Place.OWNER, number)
        code.call(tell, block, slot, near.get())
    tick(code, launch)
    return code.end()


def _fence(runtime: Runtime, pool: ClockPool, note: Value) -> None:
    """fence(block, touch): later writes of the thread publish what it did, and it learns what it has read."""
    code = Code(runtime.module, PREFIX + "fence", 2, VOID)
    builder = code.builder
    block, kind = code.parameters
    launch, thread = code.slots(block, Block.LAUNCH, Block.CURRENT)
    with code.when(code.compare("==", code.read(launch, LaunchRecord.POOL), 0)):
        builder.ret_void()
    wide = builder.not_(has(code, kind, ShadowAccess.BLOCK_SCOPE))
    with code.when(has(code, kind, ShadowAccess.ACQUIRE)):
        clocks = thread_clocks(code, block, thread)
        own = word_at(code, clocks, ThreadClock.OWN)

        def learn(pending: ThreadClock) -> None:
            code.call(pool.absorb, launch, own, code.read(clocks, pending))
            code.call(pool.drop, launch, word_at(code, clocks, pending))

        learn(ThreadClock.BLOCK_PENDING)
        with code.when(wide):
            learn(ThreadClock.PENDING)
        code.write(block, Block.LEARNT_NEW, 1)
    with code.when(has(code, kind, ShadowAccess.RELEASE)):
        twice = builder.mul(thread, code.value(2))
        code.call(note, block, snapshot_of(code, launch, block, builder.add(twice, code.value(1))))
        with code.when(wide):
            code.call(note, block, snapshot_of(code, launch, block, twice))
    tick(code, launch)
    builder.ret_void()


def emit_releases(runtime: Runtime, pool: ClockPool) -> tuple[Value, Value]:
    """Emit fence(block, touch), which kernels call; return acquire and publish, both (block, address, touch)."""
    note, tell = _note(runtime, pool), _tell(runtime, pool)
    _fence(runtime, pool, note)
    return _acquire(runtime, pool), _release(runtime, pool, note, tell)
