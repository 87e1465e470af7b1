# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled checks of who may touch a granule of workgroup memory: threads, bulk copies, products.

A granule knows the copy that writes it (mbarrier and phase), the last write by a thread (sanitized launches), the bulk
store that reads it, and of each warpgroup the last group of products that does. What comes later must know that these
have finished, by clocks; the schedule does not matter. What threads write is seen by copies and products only behind a
proxy fence.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine.clock_records_ir import tick
from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.structured import I64, VOID, Code, Value
from roller_mlir.sim.hopper.layout import (
    CLOCK_GROUPS,
    CLOCK_MBARRIERS,
    CLOCK_PROXIED,
    CLOCK_PROXIED_GLOBAL,
    CLOCK_STORES,
    CLOCK_WORDS,
    GRANULE_BYTES,
    WARP,
    WARPGROUP,
    AsyncUnits,
    Granule,
    ProxySpace,
    WarpgroupRecord,
)
from roller_mlir.sim.hopper.runtime.base_ir import (
    ASYNC,
    Base,
    async_units_of,
    granule_of,
    greatest,
    known_of,
    row,
    stop,
)

_THREAD_BITS = 10
_BESIDE = ShadowAccess.ATOMIC | ShadowAccess.PENDING | ShadowAccess.COMPLETE | ShadowAccess.ASYNC


@dataclass(frozen=True)
class Granules:
    """Functions that copies and products call.

    Attributes:
        claim: claim(block, site, address, bytes, writer): nobody may touch it any more; `writer` will write it.
        read: read(block, site, address, bytes, reader): a bulk store reads it.
        product: product(block, site, address): a product of the running warpgroup reads it.
    """

    claim: Value
    read: Value
    product: Value


def _require_landed(
    base: Base, code: Code, block: Value, site: Value, known: Value, granule: Value, offset: Value, fault: LaunchFault
) -> None:
    """Emit a fault unless a clock knows that the copy which writes a granule has landed."""
    builder = code.builder
    writer = code.read(granule, Granule.COPY)
    with code.when(code.compare("!=", writer, 0)):
        mbarrier = builder.lshr(writer, code.value(32))
        phase = builder.and_(writer, code.value(0xFFFFFFFF))
        sure = code.read(known, builder.add(mbarrier, code.value(CLOCK_MBARRIERS)))
        with code.when(builder.icmp_signed("<", sure, phase), likely=False):
            stop(base, code, block, fault, site, offset)


def _require_stored(base: Base, code: Code, block: Value, site: Value, known: Value, granule: Value, at: Value) -> None:
    """Emit a fault unless a clock knows that the bulk store which reads a granule has done so."""
    builder = code.builder
    store = code.read(granule, Granule.STORE)
    with code.when(code.compare("!=", store, 0)):
        warp, number = builder.lshr(store, code.value(32)), builder.and_(store, code.value(0xFFFFFFFF))
        sure = code.read(known, builder.add(warp, code.value(CLOCK_STORES)))
        with code.when(builder.icmp_signed("<", sure, number), likely=False):
            stop(base, code, block, LaunchFault.OVERWRITES_STORE, site, at, warp)


def _require_read(base: Base, code: Code, block: Value, site: Value, known: Value, granule: Value, at: Value) -> None:
    """Emit a fault unless a clock knows that the products which read a granule have finished."""
    builder = code.builder
    with code.count(0, code.read(async_units_of(code, block), AsyncUnits.GROUP_COUNT)) as group:
        read = code.read(granule, builder.add(group, code.value(int(Granule.READERS))))
        sure = code.read(known, builder.add(group, code.value(CLOCK_GROUPS)))
        with code.when(builder.icmp_signed(">", read, sure), likely=False):
            stop(base, code, block, LaunchFault.OVERWRITES_READ, site, at, group)


def _require_fence(base: Base, code: Code, block: Value, site: Value, granule: Value, offset: Value) -> None:
    """Emit a fault where a thread's write is read without a proxy fence in between: its own, or one on the way here."""
    builder = code.builder
    write = code.read(granule, Granule.WRITE)
    with code.when(code.compare("!=", write, 0)):
        fences = code.read(async_units_of(code, block), AsyncUnits.PROXY_FENCES)
        time = builder.lshr(write, code.value(_THREAD_BITS))
        thread = builder.and_(write, code.value((1 << _THREAD_BITS) - 1))
        known = known_of(code, block, code.read(block, Block.CURRENT))
        place = builder.add(builder.udiv(thread, code.value(WARP)), code.value(CLOCK_PROXIED))
        fenced = builder.or_(
            builder.icmp_signed(">", code.read(fences, thread), time),
            builder.icmp_signed(">", code.read(known, place), time),
        )
        with code.when(builder.not_(fenced), likely=False):
            stop(base, code, block, LaunchFault.PROXY, site, offset, thread)


class _Walk:
    """A function over the granules of some bytes."""

    def __init__(self, base: Base, name: str, parameters: int, *, internal: bool = True) -> None:
        self.code = Code(base.module, ASYNC + name, parameters, VOID, internal=internal)
        self.block, self.site, self.address = self.code.parameters[:3]
        self.known = known_of(self.code, self.block, self.code.read(self.block, Block.CURRENT))
        self.arena = self.code.read(self.block, Block.ARENA)

    def granules(self, width: Value) -> tuple[Value, Value]:
        """Return the first granule's address and the end of the bytes."""
        first = self.code.builder.and_(self.address, self.code.value(-GRANULE_BYTES))
        return first, self.code.builder.add(self.address, width)


def _claim(base: Base) -> Value:
    walk = _Walk(base, "claim", 5)
    code, block, site = walk.code, walk.block, walk.site
    with code.count(*walk.granules(code.parameters[3]), GRANULE_BYTES) as at:
        granule, offset = granule_of(code, block, at), code.builder.sub(at, walk.arena)
        _require_landed(base, code, block, site, walk.known, granule, offset, LaunchFault.OVERWRITES_COPY)
        _require_read(base, code, block, site, walk.known, granule, offset)
        _require_stored(base, code, block, site, walk.known, granule, offset)
        code.write(granule, Granule.COPY, code.parameters[4])
        code.write(granule, Granule.WRITE, 0)
    return code.end()


def _read(base: Base) -> Value:
    walk = _Walk(base, "granules_read", 5)
    code, block, site = walk.code, walk.block, walk.site
    with code.count(*walk.granules(code.parameters[3]), GRANULE_BYTES) as at:
        granule, offset = granule_of(code, block, at), code.builder.sub(at, walk.arena)
        _require_landed(base, code, block, site, walk.known, granule, offset, LaunchFault.READS_COPY)
        _require_fence(base, code, block, site, granule, offset)
        code.write(granule, Granule.STORE, code.parameters[4])
    return code.end()


def _product(base: Base) -> Value:
    walk = _Walk(base, "granule_product", 3)
    code, block, site = walk.code, walk.block, walk.site
    builder = code.builder
    granule, offset = granule_of(code, block, walk.address), builder.sub(walk.address, walk.arena)
    number = builder.udiv(code.read(block, Block.CURRENT), code.value(WARPGROUP))
    async_units = async_units_of(code, block)
    known = code.read(async_units, AsyncUnits.KNOWN)
    first = builder.mul(number, code.value(WARPGROUP // WARP))
    copied = code.compare("!=", code.read(granule, Granule.COPY), 0)
    with code.when(copied), code.count(0, code.value(WARPGROUP // WARP)) as warp:
        clock = row(code, known, builder.add(first, warp), CLOCK_WORDS)
        _require_landed(base, code, block, site, clock, granule, offset, LaunchFault.READS_COPY)
    _require_fence(base, code, block, site, granule, offset)
    group = row(code, code.read(async_units, AsyncUnits.GROUPS), number, int(WarpgroupRecord.SIZE))
    after = builder.add(code.read(group, WarpgroupRecord.COMMITTED), code.value(1))
    code.write(granule, builder.add(number, code.value(int(Granule.READERS))), after)
    return code.end()


def _touched(base: Base) -> None:
    """async_touched(block, site, address, bytes, touch), of threads' accesses to workgroup memory, by the sanitizer."""
    code = Code(base.module, ASYNC + "touched", 5)
    builder = code.builder
    block, site, address, width, access = code.parameters

    def has(bits: ShadowAccess) -> Value:
        return code.compare("!=", builder.and_(access, code.value(int(bits))), 0)

    with code.when(has(_BESIDE)):
        code.give(0)
    launch, thread, arena = code.slots(block, Block.LAUNCH, Block.CURRENT, Block.ARENA)
    known = known_of(code, block, thread)
    time = builder.shl(code.read(launch, LaunchRecord.TIME), code.value(_THREAD_BITS))
    first = builder.and_(address, code.value(-GRANULE_BYTES))
    with code.count(first, builder.add(address, width), GRANULE_BYTES) as at:
        granule, offset = granule_of(code, block, at), builder.sub(at, arena)
        with builder.if_else(has(ShadowAccess.WRITE)) as (writes, reads):
            with writes:
                _require_landed(base, code, block, site, known, granule, offset, LaunchFault.OVERWRITES_COPY)
                _require_read(base, code, block, site, known, granule, offset)
                _require_stored(base, code, block, site, known, granule, offset)
                code.write(granule, Granule.WRITE, builder.or_(time, thread))
            with reads:
                _require_landed(base, code, block, site, known, granule, offset, LaunchFault.READS_COPY)
    code.give(0)


def _fence(base: Base) -> None:
    """async_proxy_fence(block, spaces): what the thread wrote and knows of is seen by copies and products."""
    own = ir.Function(base.module, ir.FunctionType(VOID, [I64]), PREFIX + "clock_proxy")
    code = Code(base.module, ASYNC + "proxy_fence", 2, VOID)
    block, spaces = code.parameters
    builder = code.builder
    with code.when(code.compare("==", code.read(block, Block.CELLS), 0), likely=True):
        builder.ret_void()
    launch, thread, barrier, synced = code.slots(block, Block.LAUNCH, Block.CURRENT, Block.BARRIER_TIME, Block.SYNCED)
    fences, warps = code.slots(async_units_of(code, block), AsyncUnits.PROXY_FENCES, AsyncUnits.WARPS)
    known, now = known_of(code, block, thread), tick(code, launch)
    together = code.read(synced, code.read(block, Block.FIRST))
    for number, (space, start) in enumerate(
        ((ProxySpace.WORKGROUP, CLOCK_PROXIED), (ProxySpace.GLOBAL, CLOCK_PROXIED_GLOBAL))
    ):
        with code.when(code.compare("!=", builder.and_(spaces, code.value(int(space))), 0)):
            with code.count(0, warps) as warp:
                place = builder.add(warp, code.value(start))
                sure = greatest(code, greatest(code, code.read(known, warp), barrier), code.read(known, place))
                code.write(known, place, sure)
            mine = builder.add(builder.udiv(thread, code.value(WARP)), code.value(start))
            code.write(known, mine, greatest(code, code.read(known, mine), together))
            table = builder.mul(code.read(launch, LaunchRecord.THREADS), code.value(number))
            code.write(fences, builder.add(table, thread), now)
            if space is ProxySpace.GLOBAL:
                code.call(own, block)
    builder.ret_void()


def emit_granules(base: Base) -> Granules:
    """Emit the checks."""
    _touched(base)
    _fence(base)
    return Granules(_claim(base), _read(base), _product(base))
