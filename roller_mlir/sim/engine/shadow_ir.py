# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer: what each access finds in the cells of the bytes that it touches, and leaves there.

Every granule of workgroup memory and of the arguments has a cell: its last write, and two reads since then, from
threads as far apart as there were any. An access races with what the cell holds unless that happened before
(`clocks_ir`) or both are atomic. A read of a cell without a write, in memory that nobody has given content, is
uninitialised. Findings do not end the launch; each pair of operations is noted once, with its first pair of threads.
"""

from llvmlite import ir

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.clocks_ir import Order
from roller_mlir.sim.engine.layout import Block, Finding, LaunchRecord, SanitizerReport, ShadowAccess, ShadowCell
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.structured import I8, I64, VOID, Code, Value

_REPORT_BYTES = 8 * len(SanitizerReport)
_OWNER_MASK = (1 << layout.OWNER_BITS) - 1
_SITE_MASK = (1 << (layout.TIME_SHIFT - layout.SITE_SHIFT)) - 1


def _report(runtime: Runtime) -> Value:
    """report(block, finding, mine, other, owner, offset, shared): note a finding, or count it where it is known."""
    code = Code(runtime.module, PREFIX + "report", 7, VOID, internal=True)
    builder = code.builder
    block, finding, mine, other, owner, offset, shared = code.parameters
    launch, number = code.slots(block, Block.LAUNCH, Block.NUMBER)
    reports, count, groups = code.slots(
        launch, LaunchRecord.REPORTS, LaunchRecord.REPORT_COUNT, LaunchRecord.SITE_GROUPS
    )

    def group(word: Value) -> Value:
        site = builder.and_(builder.lshr(word, code.value(layout.SITE_SHIFT)), code.value(_SITE_MASK))
        return code.read(groups, site)

    key = builder.or_(builder.shl(finding, code.value(32)), builder.shl(group(mine), code.value(16)))
    key = builder.or_(key, group(other))
    with code.count(0, count) as known:
        entry = builder.add(reports, builder.mul(known, code.value(_REPORT_BYTES)))
        with code.when(builder.icmp_signed("==", code.read(entry, SanitizerReport.KEY), key)):
            code.write(
                entry, SanitizerReport.COUNT, builder.add(code.read(entry, SanitizerReport.COUNT), code.value(1))
            )
            builder.ret_void()
    with code.when(code.compare("==", count, layout.MOST_REPORTS)):
        code.write(launch, LaunchRecord.REPORTS_LOST, 1)
        builder.ret_void()
    entry = builder.add(reports, builder.mul(count, code.value(_REPORT_BYTES)))
    values = {
        SanitizerReport.KEY: key,
        SanitizerReport.COUNT: 1,
        SanitizerReport.ACCESS: mine,
        SanitizerReport.OTHER: other,
        SanitizerReport.BLOCK: number,
        SanitizerReport.OTHER_BLOCK: builder.select(code.compare("!=", shared, 0), number, owner),
        SanitizerReport.OFFSET: offset,
        SanitizerReport.SHARED: shared,
    }
    for column, value in values.items():
        code.write(entry, column, value)
    code.write(launch, LaunchRecord.REPORT_COUNT, builder.add(count, code.value(1)))
    return code.end()


class _Visit:
    """Emits what an access does at one cell.

    `mine` is the access as a word of a cell; reads and writes tell what is known of it while the code is emitted.
    """

    def __init__(self, code: Code, order: Order, report: Value, mine: Value, access: Value, shared: Value) -> None:
        self._code, self._order, self._report = code, order, report
        self._mine, self._touch, self._shared = mine, access, shared
        block = code.parameters[0]
        self._block = block
        self._launch, self._number, self._thread, self._first, self._barrier, self._started = code.slots(
            block,
            Block.LAUNCH,
            Block.NUMBER,
            Block.CURRENT,
            Block.FIRST,
            Block.BARRIER_TIME,
            Block.STARTED,
        )
        self._subgroup, self._known, self._clocks = code.slots(
            self._launch, LaunchRecord.SUBGROUP, LaunchRecord.KNOWN, LaunchRecord.POOL
        )
        # Within the block all that was before its last barrier is settled; between blocks what was before the launch.
        self._settled_time = code.builder.select(
            code.compare("!=", shared, 0), self._barrier, code.value(layout.FIRST_TIME)
        )

    def _owner(self, owners: Value, place: int) -> Value:
        code = self._code
        shifted = code.builder.lshr(owners, code.value(place * layout.OWNER_BITS))
        return code.builder.and_(shifted, code.value(_OWNER_MASK))

    def _set(self, cell: Value, place: int) -> None:
        """Write this access to a place of the cell."""
        code = self._code
        code.write(cell, place, self._mine)
        shift = place * layout.OWNER_BITS
        kept = code.builder.and_(code.read(cell, ShadowCell.OWNERS), code.value(~(_OWNER_MASK << shift)))
        mine = code.builder.shl(self._number, code.value(shift))
        code.write(cell, ShadowCell.OWNERS, code.builder.or_(kept, mine))

    def _settled(self, word: Value) -> Value:
        code = self._code
        return code.builder.icmp_signed("<", code.builder.lshr(word, code.value(layout.TIME_SHIFT)), self._settled_time)

    def _both(self, word: Value, bit: int) -> Value:
        code = self._code
        common = code.builder.and_(code.builder.and_(word, self._mine), code.value(bit))
        return code.compare("!=", common, 0)

    def _has(self, word: Value, bit: int) -> Value:
        code = self._code
        return code.compare("!=", code.builder.and_(word, code.value(bit)), 0)

    def _conflict(self, cell: Value, place: int, finding: Value | int, offset: Value) -> None:
        """Report a race with the access at a place of the cell, unless it happened before."""
        code, builder = self._code, self._code.builder
        word = code.read(cell, place)
        unsettled = builder.not_(self._settled(word))
        pending = self._has(word, ShadowAccess.PENDING)
        with code.when(builder.or_(unsettled, pending), likely=False):
            owner = self._owner(code.read(cell, ShadowCell.OWNERS), place)
            before = code.call(self._order.ordered, self._block, word, owner, self._shared)
            fine = builder.or_(code.compare("!=", before, 0), self._both(word, ShadowAccess.ATOMIC))
            current = builder.icmp_signed(
                ">=", builder.lshr(word, code.value(layout.TIME_SHIFT)), self._started
            )  # an older one is of a block that has ended
            late = builder.and_(pending, builder.or_(current, code.compare("==", self._shared, 0)))
            what = builder.select(late, code.value(Finding.UNFINISHED_COPY), code.value(finding))
            with code.when(builder.or_(late, builder.not_(fine))):
                code.call(self._report, self._block, what, self._mine, word, owner, offset, self._shared)

    def _check_proxy(self, cell: Value, offset: Value) -> None:
        """Report what a thread wrote, where an asynchronous copy comes behind it without a proxy fence in between."""
        code, builder = self._code, self._code.builder
        word = code.read(cell, ShadowCell.WRITER)
        written = code.compare(">=", builder.lshr(word, code.value(layout.TIME_SHIFT)), layout.FIRST_TIME)
        site = builder.and_(builder.lshr(word, code.value(layout.SITE_SHIFT)), code.value(_SITE_MASK))
        copied = code.read(code.read(self._launch, LaunchRecord.SITE_PROXIES), site)
        with code.when(builder.and_(written, code.compare("==", copied, 0))):
            owner = self._owner(code.read(cell, ShadowCell.OWNERS), ShadowCell.WRITER)
            before = code.call(self._order.ordered, self._block, word, owner, self._shared)
            seen = code.call(self._order.proxied, self._block, word, owner)
            with code.when(builder.and_(code.compare("!=", before, 0), code.compare("==", seen, 0))):
                finding = Finding.MISSING_PROXY_FENCE
                code.call(self._report, self._block, finding, self._mine, word, owner, offset, self._shared)

    def _check_content(self, cell: Value, offset: Value, place: Value) -> None:
        """Report a read of what nobody has written."""
        code, builder = self._code, self._code.builder
        time = builder.lshr(code.read(cell, ShadowCell.WRITER), code.value(layout.TIME_SHIFT))
        in_arena = code.compare("!=", self._shared, 0)
        limit = builder.select(in_arena, self._started, code.value(1))
        with code.when(builder.icmp_signed("<", time, limit), likely=False):
            page = builder.select(in_arena, code.value(0), builder.lshr(offset, code.value(layout.PAGE_BITS)))
            given = code.compare("!=", code.read(self._known, page, I8), 0)
            with code.when(builder.and_(builder.or_(in_arena, builder.not_(given)), self._is_used(place))):
                code.call(
                    self._report, self._block, Finding.UNINITIALISED, self._mine, 0, self._number, offset, self._shared
                )

    def _note_read(self, cell: Value) -> None:
        """Keep two reads that are as far apart as any two since the last write."""
        code, builder = self._code, self._code.builder
        first, second, owners = code.slots(cell, ShadowCell.READER, ShadowCell.OTHER_READER, ShadowCell.OWNERS)
        owner, other_owner = self._owner(owners, ShadowCell.READER), self._owner(owners, ShadowCell.OTHER_READER)

        def replaceable(word: Value, by: Value) -> Value:
            """Whether this access stands for an earlier one: the thread's own, or one that happened before."""
            own = builder.and_(builder.icmp_signed("==", by, self._number), self._is_own_thread(word))
            with builder.if_else(builder.or_(own, self._settled(word))) as (known, unknown):
                with known:
                    yes, start = code.value(1), builder.block
                with unknown:
                    found = code.call(self._order.ordered, self._block, word, by, self._shared)
                    end = builder.block
            result = builder.phi(I64)
            result.add_incoming(yes, start)
            result.add_incoming(found, end)
            return code.compare("!=", result, 0)

        # Of readers of other blocks nothing is learnt where blocks never order each other.
        apart = builder.and_(builder.icmp_signed("!=", owner, other_owner), code.compare("==", self._clocks, 0))
        apart = builder.and_(apart, builder.icmp_signed("!=", owner, self._number))
        apart = builder.and_(apart, builder.icmp_signed("!=", other_owner, self._number))
        used = builder.and_(code.compare("!=", first, 0), code.compare("!=", second, 0))
        apart = builder.and_(apart, builder.and_(used, code.compare("==", self._shared, 0)))
        with code.when(builder.not_(apart)):
            kept = builder.if_else(replaceable(first, owner))
            with kept as (take_first, keep_first):
                with take_first:
                    self._set(cell, ShadowCell.READER)
                with keep_first:
                    near = builder.and_(
                        builder.icmp_signed("==", owner, other_owner), self._same_subgroup(first, second)
                    )
                    far = builder.or_(
                        builder.icmp_signed("!=", owner, self._number),
                        builder.not_(self._same_subgroup(first, self._mine)),
                    )
                    with builder.if_else(builder.and_(near, far)) as (spread, or_not):
                        with spread:
                            self._set(cell, ShadowCell.OTHER_READER)
                        with or_not, code.when(replaceable(second, other_owner)):
                            self._set(cell, ShadowCell.OTHER_READER)

    def _thread_of(self, word: Value) -> Value:
        code = self._code
        shifted = code.builder.lshr(word, code.value(layout.THREAD_SHIFT))
        return code.builder.and_(shifted, code.value(layout.THREAD_MASK))

    def _is_own_thread(self, word: Value) -> Value:
        return self._code.builder.icmp_signed("==", self._thread_of(word), self._thread)

    def _same_subgroup(self, left: Value, right: Value) -> Value:
        """Whether two threads share the running thread's subgroup, or neither is in it."""
        builder = self._code.builder
        inside = [
            builder.icmp_unsigned("<", builder.sub(self._thread_of(word), self._first), self._subgroup)
            for word in (left, right)
        ]
        return builder.icmp_unsigned("==", *inside)

    def _is_used(self, place: Value) -> Value:
        """Whether anybody uses the element, by its place in bytes in the access."""
        code, builder = self._code, self._code.builder
        size = builder.and_(builder.lshr(self._touch, code.value(layout.ELEMENT_SHIFT)), code.value(0xF))
        number = code.least(builder.lshr(place, size), code.value(63 - layout.UNUSED_SHIFT))
        unused = builder.lshr(builder.lshr(self._touch, code.value(layout.UNUSED_SHIFT)), number)
        return builder.not_(builder.trunc(unused, ir.IntType(1)))

    def emit(self, cell: Value, offset: Value, place: Value) -> None:
        """Emit the visit to the byte at `place` of the access."""
        code, builder = self._code, self._code.builder
        reads, writes = self._has(self._touch, ShadowAccess.READ), self._has(self._touch, ShadowAccess.WRITE)
        completes = self._has(self._touch, ShadowAccess.COMPLETE)
        finding = builder.select(reads, code.value(Finding.READ_AFTER_WRITE), code.value(Finding.WRITE_AFTER_WRITE))
        probes = self._has(self._touch, ShadowAccess.PROBE)
        with code.when(probes):
            self._check_proxy(cell, offset)
        with code.when(builder.and_(reads, builder.not_(probes))):
            self._check_content(cell, offset, place)
        with code.when(builder.not_(completes)):
            self._conflict(cell, ShadowCell.WRITER, finding, offset)
        with code.when(writes), code.when(builder.not_(completes)):
            for reader in (ShadowCell.READER, ShadowCell.OTHER_READER):
                self._conflict(cell, reader, Finding.WRITE_AFTER_READ, offset)
        with code.when(builder.and_(writes, builder.not_(probes))):
            self._set(cell, ShadowCell.WRITER)
            code.write(cell, ShadowCell.READER, 0)
            code.write(cell, ShadowCell.OTHER_READER, 0)
        silent = self._has(self._touch, ShadowAccess.ASYNC | ShadowAccess.PROBE)
        noted = builder.and_(reads, builder.not_(builder.or_(writes, silent)))
        with code.when(noted):
            self._note_read(cell)


def emit_visit(runtime: Runtime, order: Order) -> Value:
    """Emit visit(block, cell, offset, place, mine, touch, shared).

    Args:
        runtime: What has been emitted so far.
        order: What happened before what.
    """
    report = _report(runtime)
    code = Code(runtime.module, PREFIX + "visit", 7, VOID, internal=True)
    _, cell, offset, place, mine, access, shared = code.parameters
    _Visit(code, order, report, mine, access, shared).emit(cell, offset, place)
    return code.end()
