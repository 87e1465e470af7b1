# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer's clocks: what is known of every subgroup of the grid, shared by all who know the same.

A clock is a head and an entry for each subgroup of the grid. Slots of other records hold addresses of clocks; a clock
is changed in place only where a single slot holds it. So threads that learn the same share one clock, and an address at
which something is released has a clock of its own from then on: no two addresses share one.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import ClockEntry, ClockHead, LaunchFault, LaunchRecord, Place
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I32, I64, VOID, Code, Value, function

HEAD_BYTES = 8 * len(ClockHead)
ENTRY_BYTES = 8 * len(ClockEntry)
_HASH = 0x9E3779B97F4A7C15 - (1 << 64)
_VECTOR = ir.VectorType(I64, layout.CLOCK_VECTOR)
_PLACE_BYTES = 8 * len(Place)


def clock_bytes(subgroups: int) -> int:
    """Return the size of a clock.

    >>> clock_bytes(1), clock_bytes(132 * 12)
    (80, 50704)
    """
    words = -(-subgroups * len(ClockEntry) // layout.CLOCK_VECTOR) * layout.CLOCK_VECTOR
    return HEAD_BYTES + 8 * words


@dataclass(frozen=True)
class ClockPool:
    """Functions on slots that hold clocks; a slot is given by its address.

    Attributes:
        drop: (launch, slot): the slot holds none any more.
        replace: (launch, slot, clock): it holds this one.
        absorb: (launch, slot, clock): it holds what both know.
        writable: (launch, slot) -> a clock that this slot alone holds.
        promote: (launch, slot): what it knows has been seen behind a proxy fence.
        find: (launch, address) -> address of the Place, 0 where nothing was released there.
        claim: (launch, address) -> the same, made where there was none.
    """

    drop: Value
    replace: Value
    absorb: Value
    writable: Value
    promote: Value
    find: Value
    claim: Value


def _retain(code: Code, clock: Value) -> None:
    with code.when(clock != 0):
        clock[ClockHead.REFERENCES] += 1


def _let_go(runtime: Runtime) -> Value:
    """Emit let_go(launch, clock): one slot fewer holds it."""
    code, launch, clock = function(runtime.module, PREFIX + "clock_let_go", 2, VOID, internal=True)
    with code.when(clock != 0):
        left = clock[ClockHead.REFERENCES] - 1
        clock[ClockHead.REFERENCES] = left
        with code.when(left == 0):
            clock[ClockHead.NEXT] = launch[LaunchRecord.POOL_FREE]
            launch[LaunchRecord.POOL_FREE] = clock
    return code.end()


def _drop(runtime: Runtime, let_go: Value) -> Value:
    code, launch, slot = function(runtime.module, PREFIX + "clock_drop", 2, VOID)
    code.call(let_go, launch, slot[0])
    slot[0] = 0
    return code.end()


def _replace(runtime: Runtime, let_go: Value) -> Value:
    code, launch, slot, clock = function(runtime.module, PREFIX + "clock_replace", 3, VOID, internal=True)
    _retain(code, clock)
    code.call(let_go, launch, slot[0])
    slot[0] = clock
    return code.end()


def _fresh(runtime: Runtime) -> Value:
    """Emit fresh(launch, source) -> a clock that one slot holds, with what the source knows; 0: with nothing."""
    code, launch, source = function(runtime.module, PREFIX + "clock_fresh", 2, internal=True)
    free, following, left, size = launch[
        LaunchRecord.POOL_FREE, LaunchRecord.POOL_NEXT, LaunchRecord.POOL_LEFT, LaunchRecord.CLOCK_BYTES
    ]
    found = code.variable(free)
    with code.if_else(free != 0) as (used, unused):
        with used:
            launch[LaunchRecord.POOL_FREE] = free[ClockHead.NEXT]
        with unused, code.if_else(left > 0, likely=True) as (room, none):
            with room:
                found.set(following)
                launch[LaunchRecord.POOL_NEXT] = following + size
                launch[LaunchRecord.POOL_LEFT] = left - 1
            with none:
                # The caller may be the scheduler, which cannot stop here: it does so before it runs another thread.
                fault = launch[LaunchRecord.FAULT]
                launch[LaunchRecord.FAULT] = code.select(fault == 0, LaunchFault.CLOCKS, fault)
                code.give(launch[LaunchRecord.POOL_SPARE])
    target = code.pointer(found.get() + HEAD_BYTES)
    words = size - HEAD_BYTES
    with code.if_else(source != 0) as (copied, empty):
        with copied:
            code.call(runtime.move, target, code.pointer(source + HEAD_BYTES), words)
        with empty:
            code.call(runtime.fill, target, ir.Constant(I32, 0), words)
    code.write(found.get(), ClockHead.REFERENCES, 1)
    return code.end(found.get())


def _writable(runtime: Runtime, fresh: Value, let_go: Value) -> Value:
    code, launch, slot = function(runtime.module, PREFIX + "clock_writable", 2, internal=True)
    clock = slot[0]
    with code.when(clock != 0), code.when(clock[ClockHead.REFERENCES] == 1):
        code.give(clock)
    own = code.call(fresh, launch, clock)
    code.call(let_go, launch, clock)
    slot[0] = own
    return code.end(own)


def _merge(runtime: Runtime) -> Value:
    """Emit merge(launch, into, clock): `into` learns all that the clock knows."""
    code = Code(runtime.module, PREFIX + "clock_merge", 3, VOID, internal=True)
    builder = code.builder
    launch, into, clock = code.parameters
    with code.count(HEAD_BYTES, launch[LaunchRecord.CLOCK_BYTES], 8 * layout.CLOCK_VECTOR) as offset:
        here, there = (code.pointer(one + offset) for one in (into, clock))
        left, right = (builder.load(one, typ=_VECTOR, align=8) for one in (here, there))
        builder.store(code.select(builder.icmp_signed(">", right, left), right, left), here, align=8)
    return code.end()


def _absorb(runtime: Runtime, fresh: Value, replace: Value, merge: Value) -> Value:
    """Keep the last join of two clocks that others hold: the threads of a block ask for it one after the other."""
    code, launch, slot, clock = function(runtime.module, PREFIX + "clock_absorb", 3, VOID)
    held = slot[0]
    with code.when((clock == 0) | (clock == held)):
        code.give()
    with code.when(held == 0):
        code.call(replace, launch, slot, clock)
        code.give()
    with code.when(held[ClockHead.REFERENCES] == 1):
        code.call(merge, launch, held, clock)
        code.give()
    joined = launch[LaunchRecord.JOINED]
    known = (joined[0] == held) & (joined[1] == clock)
    with code.when(~known):
        both = code.call(fresh, launch, held)
        code.call(merge, launch, both, clock)
        for place, one in enumerate((held, clock)):
            code.call(replace, launch, joined + 8 * place, one)
        code.call(replace, launch, joined + 16, 0)
        joined[2] = both
    code.call(replace, launch, slot, joined[2])
    return code.end()


def _promote(runtime: Runtime, fresh: Value, replace: Value) -> Value:
    code, launch, slot = function(runtime.module, PREFIX + "clock_promote", 2, VOID)
    held = slot[0]
    with code.when(held == 0):
        code.give()
    promoted = launch[LaunchRecord.PROMOTED]
    with code.when(promoted[0] != held):
        made = code.call(fresh, launch, held)
        last = made + launch[LaunchRecord.CLOCK_BYTES] - (ENTRY_BYTES - 8)
        with code.count(made + HEAD_BYTES, last, ENTRY_BYTES) as entry:
            seen = entry[ClockEntry.SEEN]
            for word in entry[ClockEntry.ALL, ClockEntry.SOME]:
                seen = code.select(word > seen, word, seen)
            entry[ClockEntry.SEEN] = seen
        code.call(replace, launch, promoted, held)
        code.call(replace, launch, promoted + 8, 0)
        promoted[1] = made
    code.call(replace, launch, slot, promoted[1])
    return code.end()


def _place(runtime: Runtime, name: str, *, claims: bool) -> Value:
    code, launch, address = function(runtime.module, PREFIX + name, 2, internal=True)
    places, bits = launch[LaunchRecord.PLACES, LaunchRecord.PLACE_BITS]
    start = (address * _HASH) >> (64 - bits)
    mask = (1 << bits) - 1
    entry = code.variable(0)
    with code.count(start, start + (1 << bits)) as number:
        entry.set(places + (number & mask) * _PLACE_BYTES)
        held = entry.get()[Place.ADDRESS]
        with code.when(held == address):
            code.give(entry.get())
        with code.when(held == 0):
            if claims:
                code.write(entry.get(), Place.ADDRESS, address)
            code.give(entry.get() if claims else 0)
    if claims:
        launch[LaunchRecord.FAULT] = LaunchFault.CLOCKS
    return code.end(entry.get() if claims else 0)


def emit_clock_pool(runtime: Runtime) -> ClockPool:
    """Emit the functions on clocks."""
    let_go, fresh, merge = _let_go(runtime), _fresh(runtime), _merge(runtime)
    replace = _replace(runtime, let_go)
    return ClockPool(
        drop=_drop(runtime, let_go),
        replace=replace,
        absorb=_absorb(runtime, fresh, replace, merge),
        writable=_writable(runtime, fresh, let_go),
        promote=_promote(runtime, fresh, replace),
        find=_place(runtime, "place_find", claims=False),
        claim=_place(runtime, "place_claim", claims=True),
    )
