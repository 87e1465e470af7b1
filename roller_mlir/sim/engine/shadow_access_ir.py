# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sanitizer's functions that kernels call: they find the cells of an access and visit them (`shadow_ir`).

Most visits find what they expect: a read of what was written before the last barrier, and read by others since; a write
to what nobody has touched since then. Those are settled here with a few comparisons.
"""

from llvmlite import ir

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.clocks_ir import Order
from roller_mlir.sim.engine.layout import Block, LaunchRecord, ShadowAccess, ShadowCell
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.shadow_ir import emit_visit
from roller_mlir.sim.engine.structured import I8, I64, VOID, Code, Value

_CELL_BYTES = 8 * layout.CELL_WORDS
_OWNER_MASK = (1 << layout.OWNER_BITS) - 1
_THREAD_FIELD = layout.THREAD_MASK << layout.THREAD_SHIFT


class _Access:
    """One access: where it starts, and what is known of its cells before they are looked at."""

    def __init__(self, code: Code) -> None:
        builder = code.builder
        self._code = code
        block, site, address, self.width, self.touch = code.parameters
        launch, thread, arena, in_arena = code.slots(block, Block.LAUNCH, Block.CURRENT, Block.ARENA, Block.CELLS)
        arena_bytes, region, region_bytes, in_region, self.granule, time = code.slots(
            launch,
            LaunchRecord.ARENA_BYTES,
            LaunchRecord.REGION,
            LaunchRecord.REGION_BYTES,
            LaunchRecord.CELLS,
            LaunchRecord.GRANULE,
            LaunchRecord.TIME,
        )
        inside = builder.icmp_unsigned("<", builder.sub(address, arena), arena_bytes)
        self.offset = builder.sub(address, builder.select(inside, arena, region))
        elsewhere = builder.and_(builder.not_(inside), builder.icmp_unsigned(">=", self.offset, region_bytes))
        with code.when(elsewhere):
            builder.ret_void()
        self.inside, self.shared = inside, builder.zext(inside, I64)
        flags = builder.and_(self.touch, code.value(int(ShadowAccess.ATOMIC | ShadowAccess.PENDING)))
        word = builder.or_(builder.shl(time, code.value(layout.TIME_SHIFT)), flags)
        word = builder.or_(word, builder.shl(site, code.value(layout.SITE_SHIFT)))
        self.mine = builder.or_(word, builder.shl(thread, code.value(layout.THREAD_SHIFT)))
        self.cells = builder.select(inside, in_arena, in_region)
        self.number, self._first, barrier, started, synced = code.slots(
            block, Block.NUMBER, Block.FIRST, Block.BARRIER_TIME, Block.STARTED, Block.SYNCED
        )
        subgroup, known, self._clocks = code.slots(launch, LaunchRecord.SUBGROUP, LaunchRecord.KNOWN, LaunchRecord.POOL)
        page = builder.select(inside, code.value(0), builder.lshr(self.offset, code.value(layout.PAGE_BITS)))
        unknown = builder.xor(code.read(known, page, I8), code.value(1))
        shift = code.value(layout.TIME_SHIFT)
        # Words of accesses that are content, that are settled, and that are settled within the subgroup.
        self._content = builder.select(inside, builder.shl(started, shift), unknown)
        self._settled = builder.select(
            inside, builder.shl(barrier, shift), code.value(layout.FIRST_TIME << layout.TIME_SHIFT)
        )
        lately = builder.shl(code.read(synced, self._first), shift)
        later = builder.select(builder.icmp_unsigned(">", lately, self._settled), lately, self._settled)
        self._settled_near = builder.select(inside, later, self._settled)
        self._subgroup = subgroup

    def _below(self, word: Value, limit: Value) -> Value:
        return self._code.builder.icmp_unsigned("<", word, limit)

    def _near(self, word: Value) -> Value:
        """Whether the thread of a word is of the running thread's subgroup."""
        code, builder = self._code, self._code.builder
        thread = builder.lshr(builder.and_(word, code.value(_THREAD_FIELD)), code.value(layout.THREAD_SHIFT))
        return builder.icmp_unsigned("<", builder.sub(thread, self._first), self._subgroup)

    def _finished(self, word: Value) -> Value:
        return self._code.compare("==", self._code.builder.and_(word, self._code.value(int(ShadowAccess.PENDING))), 0)

    def read(self, cell: Value) -> Value:
        """Emit a read where it is a plain one; return whether it was."""
        code, builder = self._code, self._code.builder
        writer, first, second, owners = code.slots(cell, *ShadowCell)
        span = builder.sub(self._settled, self._content)
        expected = builder.and_(self._below(builder.sub(writer, self._content), span), self._finished(writer))
        near, other_near = self._near(first), self._near(second)
        stale = self._below(first, builder.select(near, self._settled_near, self._settled))
        other_stale = self._below(second, builder.select(other_near, self._settled_near, self._settled))
        owner = builder.and_(builder.lshr(owners, code.value(layout.OWNER_BITS)), code.value(_OWNER_MASK))
        other_owner = builder.lshr(owners, code.value(2 * layout.OWNER_BITS))
        same_block = builder.icmp_signed("==", owner, self.number)
        field = code.value(_THREAD_FIELD)
        same_thread = builder.icmp_signed("==", builder.and_(first, field), builder.and_(self.mine, field))
        replace = builder.or_(stale, builder.and_(same_block, same_thread))
        # Two readers stand for all: in workgroup memory one near and any other, in global memory of two other blocks.
        enough = builder.and_(self.inside, builder.or_(near, other_near))
        apart = builder.and_(builder.icmp_signed("!=", owner, other_owner), builder.not_(same_block))
        apart = builder.and_(apart, builder.icmp_signed("!=", other_owner, self.number))
        apart = builder.and_(apart, builder.and_(builder.not_(self.inside), code.compare("==", self._clocks, 0)))
        enough = builder.and_(builder.or_(enough, apart), builder.not_(other_stale))
        with code.when(builder.and_(expected, replace)):
            code.write(cell, ShadowCell.READER, self.mine)
            kept = builder.and_(owners, code.value(~(_OWNER_MASK << layout.OWNER_BITS)))
            mine = builder.shl(self.number, code.value(layout.OWNER_BITS))
            code.write(cell, ShadowCell.OWNERS, builder.or_(kept, mine))
        return builder.and_(expected, builder.or_(replace, enough))

    def write(self, cell: Value) -> Value:
        """Emit a write where it is a plain one; return whether it was."""
        code, builder = self._code, self._code.builder
        writer, first, second = code.slots(cell, ShadowCell.WRITER, ShadowCell.READER, ShadowCell.OTHER_READER)
        plain = builder.and_(self._below(writer, self._settled), self._finished(writer))
        for reader in (first, second):
            plain = builder.and_(plain, self._below(reader, self._settled))
        with code.when(plain):
            code.write(cell, ShadowCell.WRITER, self.mine)
            code.write(cell, ShadowCell.READER, 0)
            code.write(cell, ShadowCell.OTHER_READER, 0)
            code.write(cell, ShadowCell.OWNERS, self.number)
        return plain


def _touch(runtime: Runtime, order: Order, visit: Value, name: str, kind: ShadowAccess | None) -> Value:
    """touch(block, site, address, bytes, touch); touch_load and touch_store are for plain accesses only."""
    code = Code(runtime.module, PREFIX + name, 5, VOID)
    builder = code.builder
    block, _, address, _, touch = code.parameters
    access = _Access(code)
    machine = code.read(code.read(block, Block.LAUNCH), LaunchRecord.MACHINE_TOUCHED)
    with code.when(builder.and_(access.inside, code.compare("!=", machine, 0)), likely=False):
        code.call_at(machine, *code.parameters)
    first = builder.lshr(access.offset, access.granule)
    last = builder.lshr(builder.sub(builder.add(access.offset, access.width), code.value(1)), access.granule)
    with code.count(first, builder.add(last, code.value(1))) as number:
        cell = builder.add(access.cells, builder.mul(number, code.value(_CELL_BYTES)))
        plain = ir.Constant(ir.IntType(1), 0)
        if kind is not None:
            plain = access.read(cell) if kind is ShadowAccess.READ else access.write(cell)
        with code.when(builder.not_(plain), likely=False):
            place = builder.shl(builder.sub(number, first), access.granule)
            offset = builder.shl(number, access.granule)
            code.call(visit, block, cell, offset, place, access.mine, touch, access.shared)
    if kind is None:
        clocks = code.read(code.read(block, Block.LAUNCH), LaunchRecord.POOL)
        atomic = code.compare("!=", builder.and_(touch, code.value(ShadowAccess.ATOMIC)), 0)
        with code.when(builder.and_(atomic, code.compare("!=", clocks, 0))):
            for does, function in ((ShadowAccess.READ, order.acquire), (ShadowAccess.WRITE, order.release)):
                wanted = int(does | (ShadowAccess.BLIND if does is ShadowAccess.READ else 0))
                with code.when(code.compare("==", builder.and_(touch, code.value(wanted)), int(does))):
                    code.call(function, block, address, touch)
    return code.end()


def emit_sanitizer(runtime: Runtime, order: Order) -> Value:
    """Emit touch, touch_load and touch_store; return touch."""
    visit = emit_visit(runtime, order)
    _touch(runtime, order, visit, "touch_load", ShadowAccess.READ)
    _touch(runtime, order, visit, "touch_store", ShadowAccess.WRITE)
    return _touch(runtime, order, visit, "touch", None)
