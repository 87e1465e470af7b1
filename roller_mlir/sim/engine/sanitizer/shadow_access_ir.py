# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sanitizer's functions that kernels call: they find the cells of an access and visit them (`shadow_ir`).

Most visits find what they expect: a read of what was written before the last barrier, and read by others since; a write
to what nobody has touched since then. Those are settled here with a few comparisons.
"""

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, LaunchRecord, ShadowAccess, ShadowCell
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.sanitizer.clocks_ir import Order
from roller_mlir.sim.engine.sanitizer.early_ir import check_early, emit_early
from roller_mlir.sim.engine.sanitizer.shadow_ir import emit_report, emit_visit
from roller_mlir.sim.engine.structured import I8, VOID, Code, Value, function

_CELL_BYTES = 8 * layout.CELL_WORDS
_OWNER_MASK = (1 << layout.OWNER_BITS) - 1
_THREAD_FIELD = layout.THREAD_MASK << layout.THREAD_SHIFT


class _CheckedAccess:
    """One access: where it starts, and what is known of its cells before they are looked at."""

    def __init__(self, code: Code) -> None:
        self._code = code
        block, site, address, self.width, self.touch = code.parameters
        launch, thread, arena, in_arena = block[Block.LAUNCH, Block.CURRENT, Block.ARENA, Block.CELLS]
        arena_bytes, region, region_bytes, in_region, self.granule, time = launch[
            LaunchRecord.ARENA_BYTES,
            LaunchRecord.REGION,
            LaunchRecord.REGION_BYTES,
            LaunchRecord.CELLS,
            LaunchRecord.GRANULE,
            LaunchRecord.TIME,
        ]
        inside = code.unsigned("<", address - arena, arena_bytes)
        self.offset = address - code.select(inside, arena, region)
        elsewhere = ~inside & code.unsigned(">=", self.offset, region_bytes)
        with code.when(elsewhere):
            code.give()
        self.inside, self.shared = inside, code.wide(inside)
        word = (time << layout.TIME_SHIFT) | (self.touch & (ShadowAccess.ATOMIC | ShadowAccess.PENDING))
        word |= site << layout.SITE_SHIFT
        self.mine = word | (thread << layout.THREAD_SHIFT)
        self.cells = code.select(inside, in_arena, in_region)
        self.number, self._first, barrier, started, synced = block[
            Block.NUMBER, Block.FIRST, Block.BARRIER_TIME, Block.STARTED, Block.SYNCED
        ]
        subgroup, known, self._clocks = launch[LaunchRecord.SUBGROUP, LaunchRecord.KNOWN, LaunchRecord.POOL]
        unknown = code.read(known, code.select(inside, 0, self.offset >> layout.PAGE_BITS), I8) ^ 1
        shift = code.value(layout.TIME_SHIFT)
        # Words of accesses that are content, that are settled, and that are settled within the subgroup.
        self._content = code.select(inside, started << shift, unknown)
        self._settled = code.select(inside, barrier << shift, layout.FIRST_TIME << layout.TIME_SHIFT)
        lately = synced[self._first] << shift
        later = code.select(code.unsigned(">", lately, self._settled), lately, self._settled)
        self._settled_near = code.select(inside, later, self._settled)
        self._subgroup = subgroup

    def _below(self, word: Value, limit: Value) -> Value:
        return self._code.unsigned("<", word, limit)

    def _near(self, word: Value) -> Value:
        """Return whether the thread of a word is of the running thread's subgroup."""
        code = self._code
        thread = (word & _THREAD_FIELD) >> layout.THREAD_SHIFT
        return code.unsigned("<", thread - self._first, self._subgroup)

    def _finished(self, word: Value) -> Value:
        return (word & ShadowAccess.PENDING) == 0

    def read(self, cell: Value) -> Value:
        """Emit a read where it is a plain one; return whether it was."""
        code = self._code
        writer, first, second, owners = cell[*ShadowCell]
        span = self._settled - self._content
        expected = self._below(writer - self._content, span) & self._finished(writer)
        near, other_near = self._near(first), self._near(second)
        stale = self._below(first, code.select(near, self._settled_near, self._settled))
        other_stale = self._below(second, code.select(other_near, self._settled_near, self._settled))
        owner = (owners >> layout.OWNER_BITS) & _OWNER_MASK
        other_owner = owners >> (2 * layout.OWNER_BITS)
        same_block = owner == self.number
        field = code.value(_THREAD_FIELD)
        same_thread = (first & field) == self.mine & field
        replace = stale | (same_block & same_thread)
        # Two readers stand for all: in workgroup memory one near and any other, in global memory of two other blocks.
        enough = self.inside & (near | other_near)
        apart = (owner != other_owner) & ~same_block
        apart &= other_owner != self.number
        apart &= ~self.inside & (self._clocks == 0)
        enough = (enough | apart) & ~other_stale
        with code.when(expected & replace):
            cell[ShadowCell.READER] = self.mine
            kept = owners & ~(_OWNER_MASK << layout.OWNER_BITS)
            cell[ShadowCell.OWNERS] = kept | (self.number << layout.OWNER_BITS)
        return expected & (replace | enough)

    def write(self, cell: Value) -> Value:
        """Emit a write where it is a plain one; return whether it was."""
        code = self._code
        writer, first, second = cell[ShadowCell.WRITER, ShadowCell.READER, ShadowCell.OTHER_READER]
        plain = self._below(writer, self._settled) & self._finished(writer)
        for reader in (first, second):
            plain &= self._below(reader, self._settled)
        with code.when(plain):
            cell[ShadowCell.WRITER] = self.mine
            cell[ShadowCell.READER] = 0
            cell[ShadowCell.OTHER_READER] = 0
            cell[ShadowCell.OWNERS] = self.number
        return plain


def _touch(runtime: Runtime, order: Order, visit: Value, early: Value, name: str, kind: ShadowAccess | None) -> Value:
    """Emit touch(block, site, address, bytes, touch); touch_load and touch_store are for plain accesses only."""
    code, block, _, address, _, touch = function(runtime.module, PREFIX + name, 5, VOID)
    access = _CheckedAccess(code)
    machine = block[Block.LAUNCH][LaunchRecord.MACHINE_TOUCHED]
    with code.when(access.inside & (machine != 0), likely=False):
        code.call_at(machine, *code.parameters)
    check_early(code, early, access.mine, ~access.inside, access.offset)
    first = access.offset >> access.granule
    with code.count(first, ((access.offset + access.width - 1) >> access.granule) + 1) as number:
        cell = access.cells + number * _CELL_BYTES
        plain = code.flag(0)
        if kind is not None:
            plain = access.read(cell) if kind is ShadowAccess.READ else access.write(cell)
        with code.when(~plain, likely=False):
            place = (number - first) << access.granule
            offset = number << access.granule
            code.call(visit, block, cell, offset, place, access.mine, touch, access.shared)
    if kind is None:
        clocks = block[Block.LAUNCH][LaunchRecord.POOL]
        with code.when(((touch & ShadowAccess.ATOMIC) != 0) & (clocks != 0)):
            for does, order_of in ((ShadowAccess.READ, order.acquire), (ShadowAccess.WRITE, order.release)):
                wanted = int(does | (ShadowAccess.BLIND if does is ShadowAccess.READ else 0))
                with code.when((touch & wanted) == does):
                    code.call(order_of, block, address, touch)
    return code.end()


def _issued(runtime: Runtime, early: Value) -> Value:
    """Emit touch_issued(block, site, address, bytes, touch): issue a read that is judged when it is waited for."""
    code = Code(runtime.module, PREFIX + "touch_issued", 5, VOID, internal=True)
    access = _CheckedAccess(code)
    check_early(code, early, access.mine, ~access.inside, access.offset)
    return code.end()


def emit_sanitizer(runtime: Runtime, order: Order) -> tuple[Value, Value]:
    """Emit touch, touch_load and touch_store; return touch, and touch_issued."""
    report = emit_report(runtime)
    visit, early = emit_visit(runtime, order, report), emit_early(runtime, report)
    _touch(runtime, order, visit, early, "touch_load", ShadowAccess.READ)
    _touch(runtime, order, visit, early, "touch_store", ShadowAccess.WRITE)
    return _touch(runtime, order, visit, early, "touch", None), _issued(runtime, early)
