# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiled functions of a Hopper block share: faults with values, clocks, waking of threads.

A module of its own, compiled when the first kernel needs it; it calls the runtime (`runtime_ir`) by name.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, State
from roller_mlir.sim.engine.runtime_ir import PREFIX, emit_wait
from roller_mlir.sim.engine.sanitizer.clock_records_ir import tick
from roller_mlir.sim.engine.structured import I8, I32, I64, POINTER, VOID, Code, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, Granule, Mbarrier, NamedBarrier, WarpgroupRecord

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
        join: join(block, clock, clock), which adds the second one's knowledge of the block to the first.
        absorb: absorb(launch, slot, clock), which does so with what they know of other blocks.
        release: release(block, clock): adds what the running warp knows and did.
        acquire: acquire(block, clock): the running warp learns it.
        acquire_grid: acquire_grid(block, slot): the running thread learns what a clock knows of other blocks.
        wake: wake(block, state, number): what waits there goes on.
        fill: memset.
    """

    module: Value
    wait: Value
    fault: Value
    touch: Value
    join: Value
    absorb: Value
    release: Value
    acquire: Value
    acquire_grid: Value
    wake: Value
    fill: Value


def set_wait(block: Value, number: Value | int, parity: Value | int) -> None:
    """Emit the note of what the running thread waits for: a barrier of this number, and of an mbarrier which parity."""
    entry = block[Block.MACHINE][AsyncUnits.WAITS].row(block[Block.CURRENT], 2)
    entry[0] = number
    entry[1] = parity


def known_of(block: Value, thread: Value) -> Value:
    """Return the address of the clock of a thread's warp."""
    return block[Block.MACHINE][AsyncUnits.KNOWN].row(thread // layout.WARP, layout.CLOCK_WORDS)


def granule_of(block: Value, address: Value) -> Value:
    """Return the address of the row of the granule that holds an address of workgroup memory."""
    arena = block[Block.ARENA]
    granules, groups = block[Block.MACHINE][AsyncUnits.GRANULES, AsyncUnits.GROUP_COUNT]
    return granules + (address - arena) // layout.GRANULE_BYTES * ((groups + Granule.READERS) * 8)


def note_values(block: Value, *values: Value | int) -> None:
    """Note values for the report of a fault."""
    address = block[Block.LAUNCH][LaunchRecord.FAULT_VALUES]
    for number, value in enumerate(values):
        address[number] = value


def stop(base: Base, code: Code, block: Value, fault: LaunchFault, site: Value, *values: Value | int) -> None:
    """Emit a fault that shows values."""
    note_values(block, *values)
    code.call(base.fault, block, fault, site)
    code.builder.unreachable()


def stop_if(
    base: Base, code: Code, condition: Value, block: Value, fault: LaunchFault, site: Value, *values: Value | int
) -> None:
    """Emit such a fault where a condition holds."""
    with code.when(condition, likely=False):
        stop(base, code, block, fault, site, *values)


def in_arena(code: Code, block: Value, address: Value, width: Value | int) -> Value:
    """Return whether bytes lie in the workgroup memory."""
    launch, arena = block[Block.LAUNCH, Block.ARENA]
    size = launch[LaunchRecord.ARENA_BYTES]
    offset = address - arena
    fits = code.unsigned("<=", width, size)
    return fits & code.unsigned("<=", offset, size - width)


def shadow_access_if_sanitized(
    base: Base, code: Code, block: Value, site: Value, address: Value, width: Value | int, access: Value | int
) -> None:
    """Emit what the sanitizer sees of an access."""
    with code.when(block[Block.CELLS] != 0, likely=False):
        code.call(base.touch, block, site, address, width, access)


def _join(module: Value) -> Value:
    code, block, into, clock = function(module, ASYNC + "join", 3, VOID, internal=True)
    sanitized = block[Block.CELLS] != 0
    with code.count(0, code.select(sanitized, layout.CLOCK_GRID, layout.CLOCK_PROXIED)) as number:
        into[number] = code.greatest(into[number], clock[number])
    return code.end()


def drop_grid(base: Base, code: Code, launch: Value, clock: Value) -> None:
    """Emit that a clock knows nothing of other blocks any more."""
    with code.when(clock[layout.CLOCK_GRID] != 0):
        code.call(base.module.get_global(PREFIX + "clock_drop"), launch, clock + 8 * layout.CLOCK_GRID)


def _release(module: Value, join: Value) -> Value:
    own = ir.Function(module, ir.FunctionType(VOID, [I64] * 2), PREFIX + "clock_release")
    code, block, clock = function(module, ASYNC + "release", 2, VOID, internal=True)
    launch, thread = block[Block.LAUNCH, Block.CURRENT]
    code.call(join, block, clock, known_of(block, thread))
    code.write(clock, thread // layout.WARP, tick(launch))
    code.call(own, block, clock + 8 * layout.CLOCK_GRID)
    return code.end()


def _acquire(module: Value, join: Value, own: Value) -> Value:
    code, block, clock = function(module, ASYNC + "acquire", 2, VOID, internal=True)
    code.call(join, block, known_of(block, block[Block.CURRENT]), clock)
    code.call(own, block, clock + 8 * layout.CLOCK_GRID)
    return code.end()


def _wake(module: Value) -> Value:
    code, block, state, number = function(module, ASYNC + "wake", 3, VOID, internal=True)
    launch, states = block[Block.LAUNCH, Block.STATE]
    threads = launch[LaunchRecord.THREADS]
    waits = block[Block.MACHINE][AsyncUnits.WAITS]
    with code.count(0, threads) as thread:
        there = waits.row(thread, 2)[0] == number
        with code.when((code.read(states, thread, I8) == state) & there):
            code.write(states, thread, State.READY, I8)
    block[Block.PROGRESS] = 1
    return code.end()


def _start(base: Base) -> None:
    """Emit async_start(launch, block): nothing is known and nothing is under way."""
    code, launch, block = function(base.module, ASYNC + "start", 2)
    async_units = block[Block.MACHINE]
    warps, groups, known, granules, named, table, phases = async_units[
        AsyncUnits.WARPS,
        AsyncUnits.GROUP_COUNT,
        AsyncUnits.KNOWN,
        AsyncUnits.GRANULES,
        AsyncUnits.NAMED,
        AsyncUnits.GROUPS,
        AsyncUnits.CLUSTER_PHASE,
    ]
    threads, arena_bytes = launch[LaunchRecord.THREADS, LaunchRecord.ARENA_BYTES]

    def clear(address: Value, words: Value) -> None:
        code.call(base.fill, code.pointer(address), ir.Constant(I32, 0), words * 8)

    with code.count(0, layout.NAMED_BARRIERS + 1) as number:
        drop_grid(base, code, launch, named.row(number, layout.NAMED_WORDS) + 8 * NamedBarrier.SIZE)
    mbarriers, used = async_units[AsyncUnits.MBARRIERS, AsyncUnits.MBARRIER_COUNT]
    with code.count(0, used) as number:
        for place in (Mbarrier.SIZE, Mbarrier.SIZE + layout.CLOCK_WORDS):
            drop_grid(base, code, launch, mbarriers.row(number, layout.MBARRIER_WORDS) + 8 * place)
    clear(known, warps * layout.CLOCK_WORDS)
    clear(granules, (arena_bytes + (layout.GRANULE_BYTES - 1)) // layout.GRANULE_BYTES * (groups + Granule.READERS))
    clear(named, code.value((layout.NAMED_BARRIERS + 1) * layout.NAMED_WORDS))
    clear(table, groups * WarpgroupRecord.SIZE)
    clear(phases, threads)
    clear(async_units[AsyncUnits.PROXY_FENCES], threads * 2)
    clear(async_units[AsyncUnits.STORES], warps)
    for slot in (
        AsyncUnits.MBARRIER_COUNT,
        AsyncUnits.COPY_COUNT,
        AsyncUnits.CLUSTER_ARRIVED,
        AsyncUnits.CLUSTER_DONE,
        AsyncUnits.MADE_COUNT,
    ):
        async_units[slot] = 0
    code.give(0)


def _barrier(base: Base) -> None:
    """Emit async_barrier(launch, block): every warp learns what any of them knows and did."""
    code, launch, block = function(base.module, ASYNC + "barrier", 2)
    known, warps = block[Block.MACHINE][AsyncUnits.KNOWN, AsyncUnits.WARPS]
    now = tick(launch)
    with code.count(1, warps) as warp:
        code.call(base.join, block, known, known.row(warp, layout.CLOCK_WORDS))
    with code.count(0, warps) as warp:
        known[warp] = now
    with code.count(1, warps) as warp:
        code.call(base.join, block, known.row(warp, layout.CLOCK_WORDS), known)
    code.give(0)


def emit_base() -> Base:
    """Emit the shared functions into a new module."""
    module: Value = ir.Module(PREFIX + "hopper")
    switch = ir.Function(module, ir.FunctionType(VOID, [POINTER, POINTER]), PREFIX + "switch")
    fault = ir.Function(module, ir.FunctionType(VOID, [I64] * 3), PREFIX + "fault")
    access = ir.Function(module, ir.FunctionType(VOID, [I64] * 5), PREFIX + "touch")
    fill = ir.Function(module, ir.FunctionType(POINTER, [POINTER, I32, I64]), "memset")
    join = _join(module)
    acquire_grid = ir.Function(module, ir.FunctionType(VOID, [I64] * 2), PREFIX + "clock_acquire")
    ir.Function(module, ir.FunctionType(VOID, [I64] * 2), PREFIX + "clock_drop")
    base = Base(
        module,
        emit_wait(module, switch),
        fault,
        access,
        join,
        ir.Function(module, ir.FunctionType(VOID, [I64] * 3), PREFIX + "clock_absorb"),
        _release(module, join),
        _acquire(module, join, acquire_grid),
        acquire_grid,
        _wake(module),
        fill,
    )
    _start(base)
    _barrier(base)
    return base
