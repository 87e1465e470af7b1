# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer's notion of order: whether an earlier access happened before what a thread does now.

One time for the whole launch grows at every barrier, subgroup wait, release and start of a block; a cell notes it with
the access. Within a block, what was noted before the last barrier, or before the last wait of the subgroup that both
threads belong to, has happened before. Between blocks (and for threads that hand over through a flag) only atomic
operations order: a release publishes at the flag's address what its thread knows, an acquire learns it, and the next
barrier tells the block. Of many flags a bounded number is told apart, and of the releases of one block's threads only
the last time, which can hide a race and never makes one.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, Clock, LaunchRecord, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I32, I64, POINTER, VOID, Code, Value
from roller_mlir.sim.hopper.layout import CLOCK_WORDS, WARP, AsyncUnits

_CLOCK_BYTES = 8 * layout.CLOCK_WORDS
_HASH = 0x9E3779B97F4A7C15 - (1 << 64)


@dataclass(frozen=True)
class Order:
    """Functions of this file that other parts of the runtime call.

    Attributes:
        ordered: (block, word, owner, shared) -> 1 where the access `word` of block `owner` happened before.
        acquire: (block, address, touch).
        release: (block, address, touch).
        started: (launch, block), when a record is given a block.
        barrier: (launch, block), when all threads of a block have reached a barrier.
        subgroup: (launch, block, first, end, mask, all), when lanes have waited for each other.
    """

    ordered: Value
    acquire: Value
    release: Value
    started: Value
    barrier: Value
    subgroup: Value


def _ordered(runtime: Runtime) -> Value:
    code = Code(runtime.module, PREFIX + "ordered", 4, internal=True)
    builder = code.builder
    block, word, owner, shared = code.parameters
    time = builder.lshr(word, code.value(layout.TIME_SHIFT))
    other = builder.and_(builder.lshr(word, code.value(layout.THREAD_SHIFT)), code.value(layout.THREAD_MASK))
    with code.when(code.compare("<", time, layout.FIRST_TIME)):
        code.give(1)
    launch, number, thread, first, barrier = code.slots(
        block, Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.FIRST, Block.BARRIER_TIME
    )
    within = builder.or_(code.compare("!=", shared, 0), builder.icmp_signed("==", owner, number))
    with code.when(within):
        before = builder.icmp_signed("<", time, barrier)
        with code.when(builder.or_(before, builder.icmp_signed("==", other, thread))):
            code.give(1)
        lane = builder.sub(other, first)
        with code.when(builder.icmp_unsigned("<", lane, code.read(launch, LaunchRecord.SUBGROUP))):
            synced, partial = code.slots(block, Block.SYNCED, Block.PARTIAL)
            with code.when(builder.icmp_signed("<", time, code.read(synced, first))):
                code.give(1)
            entry = builder.mul(thread, code.value(2))
            took_part = builder.lshr(code.read(partial, builder.add(entry, code.value(1))), lane)
            earlier = builder.icmp_signed("<", time, code.read(partial, entry))
            with code.when(builder.and_(earlier, builder.trunc(took_part, ir.IntType(1)))):
                code.give(1)
        machine = code.read(block, Block.MACHINE)
        with code.when(code.compare("!=", machine, 0)):
            own, others = (builder.udiv(one, code.value(WARP)) for one in (thread, other))
            place = builder.add(builder.mul(own, code.value(CLOCK_WORDS)), others)
            with code.when(builder.icmp_signed("<", time, code.read(code.read(machine, AsyncUnits.KNOWN), place))):
                code.give(1)
    clock, learnt, acquired = code.slots(block, Block.CLOCK, Block.LEARNT, Block.ACQUIRED)
    with code.when(code.compare("==", clock, 0)):
        code.give(0)
    lately = builder.icmp_signed(">=", code.read(acquired, thread), barrier)
    known = builder.select(lately, learnt, clock)
    source = builder.select(code.compare("!=", shared, 0), number, owner)
    entry = builder.add(known, builder.mul(source, code.value(_CLOCK_BYTES)))
    at_barrier, released = code.slots(entry, Clock.BARRIER, Clock.RELEASE)
    with code.when(builder.icmp_signed("<", time, at_barrier)):
        code.give(1)
    # Of a block that has ended nobody knows any more which of its threads released what: all of them.
    record = code.read(code.read(launch, LaunchRecord.RECORDS), source)
    until = code.variable(released)
    with code.when(builder.icmp_signed("==", code.read(record, Block.NUMBER), source)):
        until.set(code.least(released, code.read(code.read(record, Block.RELEASED), other)))
    code.give(builder.zext(builder.icmp_signed("<=", time, until.get()), I64))
    return code.function


def _join_word(code: Code, into: Value, number: Value | int, value: Value) -> None:
    now = code.read(into, number)
    code.write(into, number, code.builder.select(code.builder.icmp_signed(">", value, now), value, now))


def _join(runtime: Runtime) -> Value:
    """join(into, clock, blocks): learn all that the clock knows."""
    code = Code(runtime.module, PREFIX + "join", 3, VOID, internal=True)
    builder = code.builder
    into, clock, blocks = code.parameters
    with code.count(0, blocks) as number:
        offset = builder.mul(number, code.value(_CLOCK_BYTES))
        for word in Clock:
            _join_word(code, builder.add(into, offset), word, code.read(builder.add(clock, offset), word))
    builder.ret_void()
    return code.function


def tick(code: Code, launch: Value) -> Value:
    """Emit the next time of the launch; return it."""
    now = code.builder.add(code.read(launch, LaunchRecord.TIME), code.value(1))
    code.write(launch, LaunchRecord.TIME, now)
    return now


def _place(code: Code, launch: Value, address: Value) -> Value:
    """The clock of an atomic operation's address."""
    builder = code.builder
    clocks, blocks = code.slots(launch, LaunchRecord.PLACE_CLOCKS, LaunchRecord.BLOCKS)
    bits = layout.CLOCK_PLACES.bit_length() - 1
    place = builder.lshr(builder.mul(address, code.value(_HASH)), code.value(64 - bits))
    return builder.add(clocks, builder.mul(builder.mul(place, blocks), code.value(_CLOCK_BYTES)))


def _acquire(runtime: Runtime, join: Value) -> Value:
    """acquire(block, address, touch): learn what was released there; without ACQUIRE, only after a fence."""
    code = Code(runtime.module, PREFIX + "acquire", 3, VOID, internal=True)
    block, address, access = code.parameters
    launch, thread, learnt, acquired = code.slots(block, Block.LAUNCH, Block.CURRENT, Block.LEARNT, Block.ACQUIRED)
    code.call(join, learnt, _place(code, launch, address), code.read(launch, LaunchRecord.BLOCKS))
    code.write(block, Block.LEARNT_NEW, 1)
    with code.when(code.compare("!=", code.builder.and_(access, code.value(ShadowAccess.ACQUIRE)), 0)):
        code.write(acquired, thread, code.read(launch, LaunchRecord.TIME))
    code.builder.ret_void()
    return code.function


def _release(runtime: Runtime, join: Value) -> Value:
    """publish(block, address, touch): release what the thread knows; without RELEASE, what it knew at its fence."""
    code = Code(runtime.module, PREFIX + "publish", 3, VOID, internal=True)
    builder = code.builder
    block, address, access = code.parameters
    launch, number, thread, first, barrier = code.slots(
        block, Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.FIRST, Block.BARRIER_TIME
    )
    clock, learnt, acquired, fenced, synced, released, started = code.slots(
        block, Block.CLOCK, Block.LEARNT, Block.ACQUIRED, Block.FENCED, Block.SYNCED, Block.RELEASED, Block.STARTED
    )
    strong = code.compare("!=", builder.and_(access, code.value(ShadowAccess.RELEASE)), 0)
    fence = code.read(fenced, thread)
    with code.when(builder.and_(builder.not_(strong), builder.icmp_signed("<", fence, started))):
        builder.ret_void()
    until = builder.select(strong, code.read(launch, LaunchRecord.TIME), fence)
    place = _place(code, launch, address)
    lately = builder.icmp_signed(">=", code.read(acquired, thread), barrier)
    code.call(join, place, builder.select(lately, learnt, clock), code.read(launch, LaunchRecord.BLOCKS))
    own = builder.add(place, builder.mul(number, code.value(_CLOCK_BYTES)))
    _join_word(code, own, Clock.BARRIER, code.least(barrier, until))
    _join_word(code, own, Clock.RELEASE, until)
    _join_word(code, released, thread, until)
    before_sync = code.least(builder.sub(code.read(synced, first), code.value(1)), until)
    lanes = code.least(
        builder.add(first, code.read(launch, LaunchRecord.SUBGROUP)), code.read(launch, LaunchRecord.THREADS)
    )
    with code.count(first, lanes) as lane:
        _join_word(code, released, lane, before_sync)
    tick(code, launch)
    builder.ret_void()
    return code.function


def _fence(runtime: Runtime) -> None:
    """fence(block): what the thread did is published by its later atomics, what it read by atomics is learnt."""
    code = Code(runtime.module, PREFIX + "fence", 1, VOID)
    (block,) = code.parameters
    launch, thread, cells, acquired, fenced = code.slots(
        block, Block.LAUNCH, Block.CURRENT, Block.CELLS, Block.ACQUIRED, Block.FENCED
    )
    with code.when(code.compare("!=", cells, 0)):
        now = code.read(launch, LaunchRecord.TIME)
        code.write(acquired, thread, now)
        code.write(fenced, thread, now)
        tick(code, launch)
    code.builder.ret_void()


def _started(runtime: Runtime) -> Value:
    code = Code(runtime.module, PREFIX + "started", 2, VOID, internal=True)
    builder = code.builder
    launch, block = code.parameters
    now = tick(code, launch)
    code.write(block, Block.BARRIER_TIME, now)
    code.write(block, Block.STARTED, now)
    with code.when(code.compare("!=", code.read(block, Block.CLOCK), 0)):
        code.write(code.read(launch, LaunchRecord.RECORDS), code.read(block, Block.NUMBER), block)
        size = builder.mul(code.read(launch, LaunchRecord.BLOCKS), code.value(_CLOCK_BYTES))
        for slot in (Block.CLOCK, Block.LEARNT):
            address = builder.inttoptr(code.read(block, slot), POINTER)
            builder.call(runtime.fill, [address, ir.Constant(I32, 0), size])
        code.write(block, Block.LEARNT_NEW, 0)
    builder.ret_void()
    return code.function


def _barrier(runtime: Runtime, join: Value) -> Value:
    code = Code(runtime.module, PREFIX + "at_barrier", 2, VOID, internal=True)
    launch, block = code.parameters
    code.write(block, Block.BARRIER_TIME, tick(code, launch))
    with code.when(code.compare("!=", code.read(block, Block.LEARNT_NEW), 0)):
        clock, learnt = code.slots(block, Block.CLOCK, Block.LEARNT)
        code.call(join, clock, learnt, code.read(launch, LaunchRecord.BLOCKS))
        code.write(block, Block.LEARNT_NEW, 0)
    code.builder.ret_void()
    return code.function


def _subgroup(runtime: Runtime) -> Value:
    code = Code(runtime.module, PREFIX + "at_sync", 6, VOID, internal=True)
    builder = code.builder
    launch, block, first, end, mask, subgroup_ops = code.parameters
    now = tick(code, launch)
    with code.when(code.compare("==", code.read(block, Block.CELLS), 0)):
        builder.ret_void()
    synced, partial = code.slots(block, Block.SYNCED, Block.PARTIAL)
    with code.when(code.compare("!=", subgroup_ops, 0)):
        code.write(synced, first, now)
        builder.ret_void()
    with code.count(first, end) as thread:
        took_part = builder.trunc(builder.lshr(mask, builder.sub(thread, first)), ir.IntType(1))
        with code.when(took_part):
            entry = builder.mul(thread, code.value(2))
            code.write(partial, entry, now)
            code.write(partial, builder.add(entry, code.value(1)), mask)
    builder.ret_void()
    return code.function


def emit_order(runtime: Runtime) -> Order:
    """Emit what orders accesses."""
    join = _join(runtime)
    _fence(runtime)
    return Order(
        _ordered(runtime),
        _acquire(runtime, join),
        _release(runtime, join),
        _started(runtime),
        _barrier(runtime, join),
        _subgroup(runtime),
    )
