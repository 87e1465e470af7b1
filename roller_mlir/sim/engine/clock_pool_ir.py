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
from roller_mlir.sim.engine.structured import I32, I64, POINTER, VOID, Code, Value

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
    with code.when(code.compare("!=", clock, 0)):
        more = code.builder.add(code.read(clock, ClockHead.REFERENCES), code.value(1))
        code.write(clock, ClockHead.REFERENCES, more)


def _let_go(runtime: Runtime) -> Value:
    """let_go(launch, clock): one slot fewer holds it."""
    code = Code(runtime.module, PREFIX + "clock_let_go", 2, VOID, internal=True)
    launch, clock = code.parameters
    with code.when(code.compare("!=", clock, 0)):
        left = code.builder.sub(code.read(clock, ClockHead.REFERENCES), code.value(1))
        code.write(clock, ClockHead.REFERENCES, left)
        with code.when(code.compare("==", left, 0)):
            code.write(clock, ClockHead.NEXT, code.read(launch, LaunchRecord.POOL_FREE))
            code.write(launch, LaunchRecord.POOL_FREE, clock)
    return code.end()


def _drop(runtime: Runtime, let_go: Value) -> Value:
    code = Code(runtime.module, PREFIX + "clock_drop", 2, VOID)
    launch, slot = code.parameters
    code.call(let_go, launch, code.read(slot, 0))
    code.write(slot, 0, 0)
    return code.end()


def _replace(runtime: Runtime, let_go: Value) -> Value:
    code = Code(runtime.module, PREFIX + "clock_replace", 3, VOID, internal=True)
    launch, slot, clock = code.parameters
    _retain(code, clock)
    code.call(let_go, launch, code.read(slot, 0))
    code.write(slot, 0, clock)
    return code.end()


def _fresh(runtime: Runtime) -> Value:
    """fresh(launch, source) -> a clock that one slot holds, with what the source knows; 0: with nothing."""
    code = Code(runtime.module, PREFIX + "clock_fresh", 2, internal=True)
    builder = code.builder
    launch, source = code.parameters
    free, following, left, size = code.slots(
        launch, LaunchRecord.POOL_FREE, LaunchRecord.POOL_NEXT, LaunchRecord.POOL_LEFT, LaunchRecord.CLOCK_BYTES
    )
    found = code.variable(free)
    with builder.if_else(code.compare("!=", free, 0)) as (used, unused):
        with used:
            code.write(launch, LaunchRecord.POOL_FREE, code.read(free, ClockHead.NEXT))
        with unused, builder.if_else(code.compare(">", left, 0), likely=True) as (room, none):
            with room:
                found.set(following)
                code.write(launch, LaunchRecord.POOL_NEXT, builder.add(following, size))
                code.write(launch, LaunchRecord.POOL_LEFT, builder.sub(left, code.value(1)))
            with none:
                # The caller may be the scheduler, which cannot stop here: it does so before it runs another thread.
                fault = code.read(launch, LaunchRecord.FAULT)
                first = builder.select(code.compare("==", fault, 0), code.value(LaunchFault.CLOCKS), fault)
                code.write(launch, LaunchRecord.FAULT, first)
                code.give(code.read(launch, LaunchRecord.POOL_SPARE))
    target = builder.inttoptr(builder.add(found.get(), code.value(HEAD_BYTES)), POINTER)
    words = builder.sub(size, code.value(HEAD_BYTES))
    with builder.if_else(code.compare("!=", source, 0)) as (copied, empty):
        with copied:
            origin = builder.inttoptr(builder.add(source, code.value(HEAD_BYTES)), POINTER)
            builder.call(runtime.move, [target, origin, words])
        with empty:
            builder.call(runtime.fill, [target, ir.Constant(I32, 0), words])
    code.write(found.get(), ClockHead.REFERENCES, 1)
    return code.end(found.get())


def _writable(runtime: Runtime, fresh: Value, let_go: Value) -> Value:
    code = Code(runtime.module, PREFIX + "clock_writable", 2, internal=True)
    launch, slot = code.parameters
    clock = code.read(slot, 0)
    held = code.compare("!=", clock, 0)
    with code.when(held), code.when(code.compare("==", code.read(clock, ClockHead.REFERENCES), 1)):
        code.give(clock)
    own = code.call(fresh, launch, clock)
    code.call(let_go, launch, clock)
    code.write(slot, 0, own)
    return code.end(own)


def _merge(runtime: Runtime) -> Value:
    """merge(launch, into, clock): `into` learns all that the clock knows."""
    code = Code(runtime.module, PREFIX + "clock_merge", 3, VOID, internal=True)
    builder = code.builder
    launch, into, clock = code.parameters
    size = code.read(launch, LaunchRecord.CLOCK_BYTES)
    with code.count(HEAD_BYTES, size, 8 * layout.CLOCK_VECTOR) as offset:
        here, there = (builder.inttoptr(builder.add(one, offset), POINTER) for one in (into, clock))
        left, right = (builder.load(one, typ=_VECTOR, align=8) for one in (here, there))
        later = builder.icmp_signed(">", right, left)
        builder.store(builder.select(later, right, left), here, align=8)
    return code.end()


def _absorb(runtime: Runtime, fresh: Value, replace: Value, merge: Value) -> Value:
    """The last join of two clocks that others hold is kept: the threads of a block ask for it one after the other."""
    code = Code(runtime.module, PREFIX + "clock_absorb", 3, VOID)
    builder = code.builder
    launch, slot, clock = code.parameters
    held = code.read(slot, 0)
    nothing = builder.or_(code.compare("==", clock, 0), builder.icmp_signed("==", clock, held))
    with code.when(nothing):
        builder.ret_void()
    with code.when(code.compare("==", held, 0)):
        code.call(replace, launch, slot, clock)
        builder.ret_void()
    with code.when(code.compare("==", code.read(held, ClockHead.REFERENCES), 1)):
        code.call(merge, launch, held, clock)
        builder.ret_void()
    joined = code.read(launch, LaunchRecord.JOINED)
    known = builder.and_(
        builder.icmp_signed("==", code.read(joined, 0), held), builder.icmp_signed("==", code.read(joined, 1), clock)
    )
    with code.when(builder.not_(known)):
        both = code.call(fresh, launch, held)
        code.call(merge, launch, both, clock)
        for place, one in enumerate((held, clock)):
            code.call(replace, launch, builder.add(joined, code.value(8 * place)), one)
        code.call(replace, launch, builder.add(joined, code.value(16)), 0)
        code.write(joined, 2, both)
    code.call(replace, launch, slot, code.read(joined, 2))
    return code.end()


def _promote(runtime: Runtime, fresh: Value, replace: Value) -> Value:
    code = Code(runtime.module, PREFIX + "clock_promote", 2, VOID)
    builder = code.builder
    launch, slot = code.parameters
    held = code.read(slot, 0)
    with code.when(code.compare("==", held, 0)):
        builder.ret_void()
    promoted = code.read(launch, LaunchRecord.PROMOTED)
    with code.when(builder.icmp_signed("!=", code.read(promoted, 0), held)):
        made = code.call(fresh, launch, held)
        end = builder.add(made, code.read(launch, LaunchRecord.CLOCK_BYTES))
        last = builder.sub(end, code.value(ENTRY_BYTES - 8))
        with code.count(builder.add(made, code.value(HEAD_BYTES)), last, ENTRY_BYTES) as entry:
            seen = code.read(entry, ClockEntry.SEEN)
            for word in code.slots(entry, ClockEntry.ALL, ClockEntry.SOME):
                seen = builder.select(builder.icmp_signed(">", word, seen), word, seen)
            code.write(entry, ClockEntry.SEEN, seen)
        code.call(replace, launch, promoted, held)
        code.call(replace, launch, builder.add(promoted, code.value(8)), 0)
        code.write(promoted, 1, made)
    code.call(replace, launch, slot, code.read(promoted, 1))
    return code.end()


def _place(runtime: Runtime, name: str, *, claims: bool) -> Value:
    code = Code(runtime.module, PREFIX + name, 2, internal=True)
    builder = code.builder
    launch, address = code.parameters
    places, bits = code.slots(launch, LaunchRecord.PLACES, LaunchRecord.PLACE_BITS)
    start = builder.lshr(builder.mul(address, code.value(_HASH)), builder.sub(code.value(64), bits))
    mask = builder.sub(builder.shl(code.value(1), bits), code.value(1))
    entry = code.variable(0)
    with code.count(start, builder.add(start, builder.shl(code.value(1), bits))) as number:
        entry.set(builder.add(places, builder.mul(builder.and_(number, mask), code.value(_PLACE_BYTES))))
        held = code.read(entry.get(), Place.ADDRESS)
        with code.when(builder.icmp_signed("==", held, address)):
            code.give(entry.get())
        with code.when(code.compare("==", held, 0)):
            if claims:
                code.write(entry.get(), Place.ADDRESS, address)
            code.give(entry.get() if claims else 0)
    if claims:
        code.write(launch, LaunchRecord.FAULT, LaunchFault.CLOCKS)
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
