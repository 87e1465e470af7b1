# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled checks of who may touch a granule of workgroup memory: threads, bulk copies, products.

A granule knows the copy that writes it (mbarrier and phase), the last write by a thread (sanitized launches), the bulk
store that reads it, and of each warpgroup the last group of products that does. What comes later must know that these
have finished, by clocks; the schedule does not matter. What threads write is seen by copies and products only behind a
proxy fence.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.sanitizer.clock_records_ir import tick
from roller_mlir.sim.engine.structured import I64, VOID, Code, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, Granule, ProxySpace, WarpgroupRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base, granule_of, known_of, stop_if

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
    writer = granule[Granule.COPY]
    with code.when(writer != 0):
        mbarrier = writer >> 32
        phase = writer & 0xFFFFFFFF
        stop_if(base, code, known[mbarrier + layout.CLOCK_MBARRIERS] < phase, block, fault, site, offset)


def _require_stored(base: Base, code: Code, block: Value, site: Value, known: Value, granule: Value, at: Value) -> None:
    """Emit a fault unless a clock knows that the bulk store which reads a granule has done so."""
    store = granule[Granule.STORE]
    with code.when(store != 0):
        warp, number = store >> 32, store & 0xFFFFFFFF
        sure = known[warp + layout.CLOCK_STORES]
        stop_if(base, code, sure < number, block, LaunchFault.OVERWRITES_STORE, site, at, warp)


def _require_read(base: Base, code: Code, block: Value, site: Value, known: Value, granule: Value, at: Value) -> None:
    """Emit a fault unless a clock knows that the products which read a granule have finished."""
    with code.count(0, block[Block.MACHINE][AsyncUnits.GROUP_COUNT]) as group:
        read = granule[group + Granule.READERS]
        sure = known[group + layout.CLOCK_GROUPS]
        stop_if(base, code, read > sure, block, LaunchFault.OVERWRITES_READ, site, at, group)


def _require_fence(base: Base, code: Code, block: Value, site: Value, granule: Value, offset: Value) -> None:
    """Emit a fault where a thread's write is read without a proxy fence in between: its own, or one on the way here."""
    write = granule[Granule.WRITE]
    with code.when(write != 0):
        fences = block[Block.MACHINE][AsyncUnits.PROXY_FENCES]
        time = write >> _THREAD_BITS
        thread = write & ((1 << _THREAD_BITS) - 1)
        known = known_of(block, block[Block.CURRENT])
        fenced = (fences[thread] > time) | (known[thread // layout.WARP + layout.CLOCK_PROXIED] > time)
        stop_if(base, code, ~fenced, block, LaunchFault.PROXY, site, offset, thread)


class _Walk:
    """A function over the granules of some bytes."""

    def __init__(self, base: Base, name: str, parameters: int, *, internal: bool = True) -> None:
        self.code = Code(base.module, ASYNC + name, parameters, VOID, internal=internal)
        self.block, self.site, self.address = self.code.parameters[:3]
        self.known = known_of(self.block, self.block[Block.CURRENT])
        self.arena = self.block[Block.ARENA]

    def granules(self, width: Value) -> tuple[Value, Value]:
        """Return the first granule's address and the end of the bytes."""
        return self.address & -layout.GRANULE_BYTES, self.address + width


def _claim(base: Base) -> Value:
    walk = _Walk(base, "claim", 5)
    code, block, site = walk.code, walk.block, walk.site
    with code.count(*walk.granules(code.parameters[3]), layout.GRANULE_BYTES) as at:
        granule, offset = granule_of(block, at), at - walk.arena
        _require_landed(base, code, block, site, walk.known, granule, offset, LaunchFault.OVERWRITES_COPY)
        _require_read(base, code, block, site, walk.known, granule, offset)
        _require_stored(base, code, block, site, walk.known, granule, offset)
        granule[Granule.COPY] = code.parameters[4]
        granule[Granule.WRITE] = 0
    return code.end()


def _read(base: Base) -> Value:
    walk = _Walk(base, "granules_read", 5)
    code, block, site = walk.code, walk.block, walk.site
    with code.count(*walk.granules(code.parameters[3]), layout.GRANULE_BYTES) as at:
        granule, offset = granule_of(block, at), at - walk.arena
        _require_landed(base, code, block, site, walk.known, granule, offset, LaunchFault.READS_COPY)
        _require_fence(base, code, block, site, granule, offset)
        granule[Granule.STORE] = code.parameters[4]
    return code.end()


def _product(base: Base) -> Value:
    walk = _Walk(base, "granule_product", 3)
    code, block, site = walk.code, walk.block, walk.site
    granule, offset = granule_of(block, walk.address), walk.address - walk.arena
    number = block[Block.CURRENT] // layout.WARPGROUP
    async_units = block[Block.MACHINE]
    known = async_units[AsyncUnits.KNOWN]
    first = number * (layout.WARPGROUP // layout.WARP)
    copied = granule[Granule.COPY] != 0
    with code.when(copied), code.count(0, layout.WARPGROUP // layout.WARP) as warp:
        clock = known.row(first + warp, layout.CLOCK_WORDS)
        _require_landed(base, code, block, site, clock, granule, offset, LaunchFault.READS_COPY)
    _require_fence(base, code, block, site, granule, offset)
    group = async_units[AsyncUnits.GROUPS].row(number, WarpgroupRecord.SIZE)
    code.write(granule, number + Granule.READERS, group[WarpgroupRecord.COMMITTED] + 1)
    return code.end()


def _touched(base: Base) -> None:
    """Emit async_touched(block, site, address, bytes, touch): note accesses to workgroup memory for the sanitizer."""
    code, block, site, address, width, access = function(base.module, ASYNC + "touched", 5)

    with code.when(access.has(_BESIDE)):
        code.give(0)
    launch, thread, arena = block[Block.LAUNCH, Block.CURRENT, Block.ARENA]
    known = known_of(block, thread)
    time = launch[LaunchRecord.TIME] << _THREAD_BITS
    with code.count(address & -layout.GRANULE_BYTES, address + width, layout.GRANULE_BYTES) as at:
        granule, offset = granule_of(block, at), at - arena
        with code.if_else(access.has(ShadowAccess.WRITE)) as (writes, reads):
            with writes:
                _require_landed(base, code, block, site, known, granule, offset, LaunchFault.OVERWRITES_COPY)
                _require_read(base, code, block, site, known, granule, offset)
                _require_stored(base, code, block, site, known, granule, offset)
                granule[Granule.WRITE] = time | thread
            with reads:
                _require_landed(base, code, block, site, known, granule, offset, LaunchFault.READS_COPY)
    code.give(0)


def _fence(base: Base) -> None:
    """Emit async_proxy_fence(block, spaces): what the thread wrote and knows of is seen by copies and products."""
    own = ir.Function(base.module, ir.FunctionType(VOID, [I64]), PREFIX + "clock_proxy")
    code, block, spaces = function(base.module, ASYNC + "proxy_fence", 2, VOID)
    with code.when(block[Block.CELLS] == 0, likely=True):
        code.give()
    launch, thread, barrier, synced = block[Block.LAUNCH, Block.CURRENT, Block.BARRIER_TIME, Block.SYNCED]
    fences, warps = block[Block.MACHINE][AsyncUnits.PROXY_FENCES, AsyncUnits.WARPS]
    known, now = known_of(block, thread), tick(launch)
    together = synced[block[Block.FIRST]]
    for number, (space, start) in enumerate(
        ((ProxySpace.WORKGROUP, layout.CLOCK_PROXIED), (ProxySpace.GLOBAL, layout.CLOCK_PROXIED_GLOBAL))
    ):
        with code.when((spaces & space) != 0):
            with code.count(0, warps) as warp:
                place = warp + start
                known[place] = code.greatest(code.greatest(known[warp], barrier), known[place])
            mine = thread // layout.WARP + start
            known[mine] = code.greatest(known[mine], together)
            code.write(fences, launch[LaunchRecord.THREADS] * number + thread, now)
            if space is ProxySpace.GLOBAL:
                code.call(own, block)
    code.give()


def emit_granules(base: Base) -> Granules:
    """Emit the checks."""
    _touched(base)
    _fence(base)
    return Granules(_claim(base), _read(base), _product(base))
