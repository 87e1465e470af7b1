# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiled functions of a Hopper block share: faults with values, clocks, waking of threads.

A module of its own, compiled when the first kernel needs it; it calls the runtime (`runtime_ir`) by name.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine.clocks_ir import tick
from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, ShadowAccess, State
from roller_mlir.sim.engine.runtime_ir import PREFIX, emit_wait
from roller_mlir.sim.engine.structured import I8, I32, I64, POINTER, VOID, Code, Value
from roller_mlir.sim.hopper.layout import (
    CLOCK_GROUPS,
    CLOCK_WORDS,
    GRANULE_BYTES,
    NAMED_BARRIERS,
    NAMED_WORDS,
    WARP,
    WARPGROUP,
    AsyncUnits,
    Granule,
    WarpgroupRecord,
)

ASYNC = PREFIX + "async_"
"""Prefix of the functions that kernels call."""


@dataclass(frozen=True)
class Base:
    """Functions of the module.

    Attributes:
        module: The module.
        wait: wait(block, state, site).
        fault: fault(block, fault, site), which does not return.
        touch: touch(block, site, address, bytes, touch), the sanitizer's.
        join: join(clock, clock), which adds the second one's knowledge to the first.
        release: release(block, clock): adds what the running warp knows and did.
        acquire: acquire(block, clock): the running warp learns it.
        wake: wake(block, state, number): what waits there goes on.
        fill: memset.
    """

    module: Value
    wait: Value
    fault: Value
    touch: Value
    join: Value
    release: Value
    acquire: Value
    wake: Value
    fill: Value


def async_units_of(code: Code, block: Value) -> Value:
    """Return the address of a block's machine record."""
    return code.read(block, Block.MACHINE)


def row(code: Code, table: Value, number: Value | int, words: int) -> Value:
    """Return the address of a row of a table of 64-bit words."""
    return code.builder.add(table, code.builder.mul(code.value(number), code.value(8 * words)))


def known_of(code: Code, block: Value, thread: Value) -> Value:
    """Return the address of the clock of a thread's warp."""
    warp = code.builder.udiv(thread, code.value(WARP))
    return row(code, code.read(async_units_of(code, block), AsyncUnits.KNOWN), warp, CLOCK_WORDS)


def granule_of(code: Code, block: Value, address: Value) -> Value:
    """Return the address of the row of the granule that holds an address of workgroup memory."""
    arena = code.read(block, Block.ARENA)
    granules, groups = code.slots(async_units_of(code, block), AsyncUnits.GRANULES, AsyncUnits.GROUP_COUNT)
    number = code.builder.udiv(code.builder.sub(address, arena), code.value(GRANULE_BYTES))
    words = code.builder.add(groups, code.value(int(Granule.READERS)))
    return code.builder.add(granules, code.builder.mul(number, code.builder.mul(words, code.value(8))))


def note_values(code: Code, block: Value, *values: Value | int) -> None:
    """Note values for the report of a fault."""
    (launch,) = code.slots(block, Block.LAUNCH)
    (address,) = code.slots(launch, LaunchRecord.FAULT_VALUES)
    for number, value in enumerate(values):
        code.write(address, number, value)


def stop(base: Base, code: Code, block: Value, fault: LaunchFault, site: Value, *values: Value | int) -> None:
    """Emit a fault that shows values."""
    note_values(code, block, *values)
    code.call(base.fault, block, fault, site)
    code.builder.unreachable()


def in_arena(code: Code, block: Value, address: Value, width: Value | int) -> Value:
    """Return whether bytes lie in the workgroup memory."""
    launch, arena = code.slots(block, Block.LAUNCH, Block.ARENA)
    size = code.read(launch, LaunchRecord.ARENA_BYTES)
    offset = code.builder.sub(address, arena)
    fits = code.builder.icmp_unsigned("<=", code.value(width), size)
    last = code.builder.sub(size, code.value(width))
    return code.builder.and_(fits, code.builder.icmp_unsigned("<=", offset, last))


def shadow_access_if_sanitized(
    base: Base, code: Code, block: Value, site: Value, address: Value, width: Value | int, access: ShadowAccess
) -> None:
    """Emit what the sanitizer sees of an access."""
    with code.when(code.compare("!=", code.read(block, Block.CELLS), 0), likely=False):
        code.call(base.touch, block, site, address, width, int(access))


def greatest(code: Code, left: Value, right: Value) -> Value:
    """Return the greater of two signed integers."""
    return code.builder.select(code.builder.icmp_signed(">", left, right), left, right)


def _join(module: Value) -> Value:
    code = Code(module, ASYNC + "join", 2, VOID, internal=True)
    into, clock = code.parameters
    with code.count(0, code.value(CLOCK_WORDS)) as number:
        code.write(into, number, greatest(code, code.read(into, number), code.read(clock, number)))
    code.builder.ret_void()
    return code.function


def _release(module: Value, join: Value) -> Value:
    code = Code(module, ASYNC + "release", 2, VOID, internal=True)
    block, clock = code.parameters
    launch, thread = code.slots(block, Block.LAUNCH, Block.CURRENT)
    code.call(join, clock, known_of(code, block, thread))
    code.write(clock, code.builder.udiv(thread, code.value(WARP)), tick(code, launch))
    code.builder.ret_void()
    return code.function


def _acquire(module: Value, join: Value) -> Value:
    code = Code(module, ASYNC + "acquire", 2, VOID, internal=True)
    block, clock = code.parameters
    (thread,) = code.slots(block, Block.CURRENT)
    code.call(join, known_of(code, block, thread), clock)
    code.builder.ret_void()
    return code.function


def _wake(module: Value) -> Value:
    code = Code(module, ASYNC + "wake", 3, VOID, internal=True)
    block, state, number = code.parameters
    launch, states = code.slots(block, Block.LAUNCH, Block.STATE)
    (threads,) = code.slots(launch, LaunchRecord.THREADS)
    waits = code.read(async_units_of(code, block), AsyncUnits.WAITS)
    with code.count(0, threads) as thread:
        same = code.builder.icmp_signed("==", code.read(states, thread, I8), state)
        at = code.builder.icmp_signed("==", code.read(row(code, waits, thread, 2), 0), number)
        with code.when(code.builder.and_(same, at)):
            code.write(states, thread, State.READY, I8)
    code.write(block, Block.PROGRESS, 1)
    code.builder.ret_void()
    return code.function


def _start(base: Base) -> None:
    """async_start(launch, block): nothing is known and nothing is under way."""
    code = Code(base.module, ASYNC + "start", 2)
    launch, block = code.parameters
    async_units = async_units_of(code, block)
    warps, groups, known, granules, named, table, phases = code.slots(
        async_units,
        AsyncUnits.WARPS,
        AsyncUnits.GROUP_COUNT,
        AsyncUnits.KNOWN,
        AsyncUnits.GRANULES,
        AsyncUnits.NAMED,
        AsyncUnits.GROUPS,
        AsyncUnits.CLUSTER_PHASE,
    )
    threads, arena_bytes = code.slots(launch, LaunchRecord.THREADS, LaunchRecord.ARENA_BYTES)
    builder = code.builder

    def clear(address: Value, words: Value) -> None:
        size = builder.mul(words, code.value(8))
        builder.call(base.fill, [builder.inttoptr(address, POINTER), ir.Constant(I32, 0), size])

    clear(known, builder.mul(warps, code.value(CLOCK_WORDS)))
    count = builder.udiv(builder.add(arena_bytes, code.value(GRANULE_BYTES - 1)), code.value(GRANULE_BYTES))
    clear(granules, builder.mul(count, builder.add(groups, code.value(int(Granule.READERS)))))
    clear(named, code.value((NAMED_BARRIERS + 1) * NAMED_WORDS))
    clear(table, builder.mul(groups, code.value(int(WarpgroupRecord.SIZE))))
    clear(phases, threads)
    clear(code.read(async_units, AsyncUnits.PROXY_FENCES), threads)
    clear(code.read(async_units, AsyncUnits.STORES), warps)
    for slot in (AsyncUnits.MBARRIER_COUNT, AsyncUnits.COPY_COUNT, AsyncUnits.CLUSTER_ARRIVED, AsyncUnits.CLUSTER_DONE):
        code.write(async_units, slot, 0)
    code.give(0)


def _barrier(base: Base) -> None:
    """async_barrier(launch, block): every warp learns what any of them knows and did."""
    code = Code(base.module, ASYNC + "barrier", 2)
    launch, block = code.parameters
    known, warps = code.slots(async_units_of(code, block), AsyncUnits.KNOWN, AsyncUnits.WARPS)
    now = tick(code, launch)
    with code.count(1, warps) as warp:
        code.call(base.join, known, row(code, known, warp, CLOCK_WORDS))
    with code.count(0, warps) as warp:
        code.write(known, warp, now)
    with code.count(1, warps) as warp:
        code.call(base.join, row(code, known, warp, CLOCK_WORDS), known)
    code.give(0)


def group_of(code: Code, thread: Value) -> Value:
    """Return the number of a thread's warpgroup."""
    return code.builder.udiv(thread, code.value(WARPGROUP))


def clock_of_group(group: Value, code: Code) -> Value:
    """Return the place of a warpgroup's entry in a clock."""
    return code.builder.add(group, code.value(CLOCK_GROUPS))


def emit_base() -> Base:
    """Emit the shared functions into a new module."""
    module: Value = ir.Module(PREFIX + "hopper")
    switch = ir.Function(module, ir.FunctionType(VOID, [POINTER, POINTER]), PREFIX + "switch")
    fault = ir.Function(module, ir.FunctionType(VOID, [I64] * 3), PREFIX + "fault")
    access = ir.Function(module, ir.FunctionType(VOID, [I64] * 5), PREFIX + "touch")
    fill = ir.Function(module, ir.FunctionType(POINTER, [POINTER, I32, I64]), "memset")
    join = _join(module)
    base = Base(
        module,
        emit_wait(module, switch),
        fault,
        access,
        join,
        _release(module, join),
        _acquire(module, join),
        _wake(module),
        fill,
    )
    _start(base)
    _barrier(base)
    return base
