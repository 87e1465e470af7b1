# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled bulk copies: tensors and plain memory, queued where they are issued and carried out as late as possible.

A load lands when nothing in its block can go on without it (`waits_ir`), a store where its thread waits for
its group. A load whose target somebody may still read or write is a fault where it is issued, whatever the schedule.
"""

from dataclasses import dataclass

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, LaunchFault, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.sanitizer.clock_records_ir import tick
from roller_mlir.sim.engine.structured import I64, POINTER, VOID, Code, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, BulkCopy, CopyKind, Mbarrier, TensorMapRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base, in_arena, known_of, shadow_access_if_sanitized, stop_if
from roller_mlir.sim.hopper.runtime.granules_ir import Granules
from roller_mlir.sim.hopper.runtime.maps_ir import emit_maps
from roller_mlir.sim.hopper.runtime.mbarrier_ir import Mbarriers, collected, number_of
from roller_mlir.sim.hopper.runtime.tensor_ir import emit_tensor_copy

_COLUMNS = int(BulkCopy.SIZE)
_OFFSETS = 3
_TARGET_ALIGNMENT = 128
"""Of tensors in workgroup memory."""


@dataclass(frozen=True)
class Copies:
    """Functions that the scheduler's part calls.

    Attributes:
        land: land(block, place in the queue) -> a Fault or 0.
    """

    land: Value


def _queue(base: Base) -> Value:
    """Emit queue(block, site) -> address of a new entry of the queue."""
    code, block, site = function(base.module, ASYNC + "queue", 2, internal=True)
    async_units = block[Block.MACHINE]
    copies, count = async_units[AsyncUnits.COPIES, AsyncUnits.COPY_COUNT]
    with code.when(count == layout.MOST_BULK_COPIES, likely=False):
        code.call(base.fault, block, LaunchFault.COPIES, site)
    async_units[AsyncUnits.COPY_COUNT] = count + 1
    entry = copies.row(count, _COLUMNS)
    entry[BulkCopy.SITE] = site
    entry[BulkCopy.THREAD] = block[Block.CURRENT]
    entry[BulkCopy.GROUP] = 0
    return code.end(entry)


def _require(
    base: Base, code: Code, holds: Value, block: Value, fault: LaunchFault, site: Value, *values: Value
) -> None:
    stop_if(base, code, ~holds, block, fault, site, *values)


def _multiple(value: Value, of: int) -> Value:
    return (value & (of - 1)) == 0


def _probe(base: Base, tensor: Value) -> Value:
    """Emit probe(block, entry): what the copy will do to global memory must be in order where it is issued."""
    code, block, entry = function(base.module, ASYNC + "probe", 2, VOID, internal=True)
    with code.when(block[Block.CELLS] == 0, likely=True):
        code.give()
    kind, far, width, site = entry[BulkCopy.KIND, BulkCopy.MAP, BulkCopy.BYTES, BulkCopy.SITE]
    for one, access in ((CopyKind.TENSOR_LOAD, 0), (CopyKind.TENSOR_STORE, 1)):
        with code.when(kind == one):
            code.call(tensor, block, entry, access, 1)
    for one, access in ((CopyKind.LOAD, ShadowAccess.READ), (CopyKind.STORE, ShadowAccess.WRITE)):
        with code.when(kind == one):
            code.call(base.touch, block, site, far, width, int(access | ShadowAccess.PROBE))
    return code.end()


def _load(
    base: Base, mbarriers: Mbarriers, queue: Value, claim: Value, pointer: Value, maps: Value, probe: Value
) -> None:
    """Emit async_load(block, site, kind, shared, source, mbarrier, bytes, five coordinates, three offsets)."""
    code, block, site, kind, shared, source, address, given, *numbers = function(base.module, ASYNC + "load", 15, VOID)
    mbarrier = code.call(mbarriers.find, block, site, address)
    tensor = kind == CopyKind.TENSOR_LOAD
    width, source = _checked(base, code, (pointer, maps), tensor, (block, site, source, shared, given))
    number = number_of(block, mbarrier)
    writer = (number << 32) | (mbarrier[Mbarrier.PHASE] + 1)
    code.call(claim, block, site, shared, width, writer)
    shadow_access_if_sanitized(base, code, block, site, shared, width, ShadowAccess.WRITE | ShadowAccess.PENDING)
    entry = code.call(queue, block, site)
    _fill(entry, (kind, number, source, shared, width), numbers)
    code.call(probe, block, entry)
    code.give()


def _fill(entry: Value, columns: tuple[Value, Value | int, Value, Value, Value], numbers: list[Value]) -> None:
    """Emit the writing of an entry: kind, mbarrier, map, shared, bytes; and from X on coordinates and offsets."""
    names = (BulkCopy.KIND, BulkCopy.MBARRIER, BulkCopy.MAP, BulkCopy.SHARED, BulkCopy.BYTES)
    for column, value in (*zip(names, columns, strict=True), *enumerate(numbers, BulkCopy.X)):
        entry[column] = value


def _checked(
    base: Base, code: Code, checks: tuple[Value, Value], tensor: Value, of: tuple[Value, Value, Value, Value, Value]
) -> tuple[Value, Value]:
    """Emit the checks of a copy; return how many bytes it moves, and its place in global memory or `TensorMapRecord`.

    Args:
        base: Faults.
        code: The function.
        checks: Check plain memory, and find the record of a tensor map.
        tensor: Whether it is a tensor copy, of as many bytes as its map says.
        of: Block, site, place in global memory or tensor map, place in workgroup memory, bytes of a plain copy.
    """
    block, site, far, shared, given = of
    width, found_far, (pointer, maps) = code.variable(given), code.variable(far), checks
    offset = shared - block[Block.ARENA]
    with code.if_else(tensor) as (with_map, plain):
        with with_map:
            record = code.call(maps, block, site, far)
            found_far.set(record)
            _require(base, code, _multiple(shared, _TARGET_ALIGNMENT), block, LaunchFault.BULK_COPY, site, offset)
            width.set(record[TensorMapRecord.BYTES])
        with plain:
            aligned = _multiple(shared | far | given, layout.GRANULE_BYTES)
            _require(base, code, aligned, block, LaunchFault.BULK_COPY, site, offset, given)
            code.call(pointer, block, site, far, given)
    found = width.get()
    _require(base, code, in_arena(code, block, shared, found), block, LaunchFault.BULK_COPY, site, offset, found)
    return found, found_far.get()


def _store(base: Base, queue: Value, reads: Value, pointer: Value, maps: Value, probe: Value) -> None:
    """Emit async_store(block, site, kind, target, shared, bytes, five coordinates)."""
    code, block, site, kind, target, shared, given, *numbers = function(base.module, ASYNC + "store", 11, VOID)
    tensor = kind == CopyKind.TENSOR_STORE
    width, target = _checked(base, code, (pointer, maps), tensor, (block, site, target, shared, given))
    warp = block[Block.CURRENT] // layout.WARP
    issued = block[Block.MACHINE][AsyncUnits.STORES]
    order = issued[warp] + 1
    issued[warp] = order
    reader = (warp << 32) | order
    code.call(reads, block, site, shared, width, reader)
    shadow_access_if_sanitized(base, code, block, site, shared, width, ShadowAccess.READ | ShadowAccess.ASYNC)
    entry = code.call(queue, block, site)
    _fill(entry, (kind, -1, target, shared, width), [*numbers, *[code.value(0)] * _OFFSETS])
    entry[BulkCopy.NUMBER] = order
    code.call(probe, block, entry)
    code.give()


def _carry_out(base: Base, tensor: Value) -> Value:
    """Emit carry_out(block, entry): move the bytes of a copy."""
    code, block, entry = function(base.module, ASYNC + "carry_out", 2, VOID, internal=True)
    move = ir.Function(base.module, ir.FunctionType(POINTER, [POINTER, POINTER, I64]), "memcpy")
    kind, far, shared, width, site = entry[BulkCopy.KIND, BulkCopy.MAP, BulkCopy.SHARED, BulkCopy.BYTES, BulkCopy.SITE]
    loads = kind <= CopyKind.LOAD
    is_tensor = (kind == CopyKind.TENSOR_LOAD) | (kind == CopyKind.TENSOR_STORE)
    with code.if_else(is_tensor) as (with_map, plain):
        with with_map:
            code.call(tensor, block, entry, code.wide(~loads), 0)
        with plain:
            source, target = code.select(loads, far, shared), code.select(loads, shared, far)
            code.call(move, code.pointer(target), code.pointer(source), width)
            with code.if_else(loads) as (reads, writes):
                with reads:
                    shadow_access_if_sanitized(base, code, block, site, far, width, ShadowAccess.READ)
                with writes:
                    shadow_access_if_sanitized(base, code, block, site, far, width, ShadowAccess.WRITE)
    with code.when(loads):
        shadow_access_if_sanitized(base, code, block, site, shared, width, ShadowAccess.WRITE | ShadowAccess.COMPLETE)
    return code.end()


def _remove(code: Code, async_units: Value, place: Value) -> None:
    """Emit the removal of an entry of the queue; the others keep their order."""
    copies, count = async_units[AsyncUnits.COPIES, AsyncUnits.COPY_COUNT]
    last = count - 1
    with code.count(place, last) as number, code.count(0, _COLUMNS) as column:
        code.write(copies.row(number, _COLUMNS), column, copies.row(number + 1, _COLUMNS)[column])
    async_units[AsyncUnits.COPY_COUNT] = last


def _land(base: Base, mbarriers: Mbarriers, carry_out: Value) -> Value:
    code, block, place = function(base.module, ASYNC + "land", 2, internal=True)
    async_units = block[Block.MACHINE]
    entry = async_units[AsyncUnits.COPIES].row(place, _COLUMNS)
    thread, number, width = entry[BulkCopy.THREAD, BulkCopy.MBARRIER, BulkCopy.BYTES]
    current, first, launch = block[Block.CURRENT, Block.FIRST, Block.LAUNCH]
    block[Block.CURRENT] = thread
    block[Block.FIRST] = thread & -layout.WARP
    code.call(carry_out, block, entry)
    block[Block.CURRENT] = current
    block[Block.FIRST] = first
    mbarrier = async_units[AsyncUnits.MBARRIERS].row(number, layout.MBARRIER_WORDS)
    code.write(collected(mbarrier), thread // layout.WARP, tick(launch))
    mbarrier[Mbarrier.TRANSACTIONS] -= width
    _remove(code, async_units, place)
    return code.end(code.call(mbarriers.complete, block, mbarrier))


def _stores(base: Base, carry_out: Value) -> None:
    """Emit async_store_commit(block) and async_store_wait(block, groups), as those of `copies_ir`."""
    code, block = function(base.module, ASYNC + "store_commit", 1, VOID)
    copies, count = block[Block.MACHINE][AsyncUnits.COPIES, AsyncUnits.COPY_COUNT]

    def mine(entry: Value) -> Value:
        stores = entry[BulkCopy.KIND] >= CopyKind.TENSOR_STORE
        return stores & (entry[BulkCopy.THREAD] == block[Block.CURRENT])

    with code.count(0, count) as place:
        entry = copies.row(place, _COLUMNS)
        with code.when(mine(entry)):
            entry[BulkCopy.GROUP] += 1
    code.give()
    code, block, groups = function(base.module, ASYNC + "store_wait", 2, VOID)
    async_units = block[Block.MACHINE]
    place = code.variable(0)
    with code.loop(lambda: place.get() < async_units[AsyncUnits.COPY_COUNT]):
        entry = async_units[AsyncUnits.COPIES].row(place.get(), _COLUMNS)
        older = entry[BulkCopy.GROUP] > groups
        with code.if_else(mine(entry) & older) as (complete, keep):
            with complete:
                code.call(carry_out, block, entry)
                _remove(code, async_units, place.get())
            with keep:
                place.add(1)
    _note_finished(code, block)
    code.give()


def _note_finished(code: Code, block: Value) -> None:
    """Emit that the running warp knows which of its stores have finished: all before the first in the queue."""
    async_units, thread = block[Block.MACHINE], block[Block.CURRENT]
    copies, count, issued = async_units[AsyncUnits.COPIES, AsyncUnits.COPY_COUNT, AsyncUnits.STORES]
    warp = thread // layout.WARP
    upto = code.variable(issued[warp])
    with code.count(0, count) as place:
        entry = copies.row(place, _COLUMNS)
        stores = entry[BulkCopy.KIND] >= CopyKind.TENSOR_STORE
        with code.when(stores & ((entry[BulkCopy.THREAD] // layout.WARP) == warp)):
            upto.set(code.least(upto.get(), entry[BulkCopy.NUMBER] - 1))
    code.write(known_of(block, thread), warp + layout.CLOCK_STORES, upto.get())


def emit_bulk_copies(base: Base, mbarriers: Mbarriers, granules: Granules) -> Copies:
    """Emit what kernels call for bulk copies; return what the scheduler's part calls."""
    queue = _queue(base)
    tensor = emit_tensor_copy(base)
    carry_out, probe = _carry_out(base, tensor), _probe(base, tensor)
    pointer = ir.Function(base.module, ir.FunctionType(VOID, [I64] * 4), PREFIX + "pointer")
    maps = emit_maps(base, pointer)
    _load(base, mbarriers, queue, granules.claim, pointer, maps, probe)
    _store(base, queue, granules.read, pointer, maps, probe)
    _stores(base, carry_out)
    return Copies(_land(base, mbarriers, carry_out))
