# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled sanitizer: what each access finds in the cells of the bytes that it touches, and leaves there.

Every granule of workgroup memory and of the arguments has a cell: its last write, and two reads since then, from
threads as far apart as there were any. An access races with what the cell holds unless that happened before
(`clocks_ir`) or both are atomic. A read of a cell without a write, in memory that nobody has given content, is
uninitialised. Findings do not end the launch; each pair of operations is noted once, with its first pair of threads.
"""

from roller_mlir.sim.engine import layout
from roller_mlir.sim.engine.layout import Block, Finding, LaunchRecord, SanitizerReport, ShadowAccess, ShadowCell
from roller_mlir.sim.engine.runtime_ir import PREFIX, Runtime
from roller_mlir.sim.engine.sanitizer.clocks_ir import Order
from roller_mlir.sim.engine.structured import I8, I64, VOID, Code, Value, Word, function

_REPORT_BYTES = 8 * len(SanitizerReport)
_OWNER_MASK = (1 << layout.OWNER_BITS) - 1
_SITE_MASK = (1 << (layout.TIME_SHIFT - layout.SITE_SHIFT)) - 1


def emit_report(runtime: Runtime) -> Value:
    """Emit report(block, finding, mine, other, owner, offset, shared): note a finding, or count a known one."""
    code, block, finding, mine, other, owner, offset, shared = function(
        runtime.module, PREFIX + "report", 7, VOID, internal=True
    )
    launch, number = block[Block.LAUNCH, Block.NUMBER]
    reports, count, groups = launch[LaunchRecord.REPORTS, LaunchRecord.REPORT_COUNT, LaunchRecord.SITE_GROUPS]

    def group(word: Value) -> Value:
        return groups[(word >> layout.SITE_SHIFT) & _SITE_MASK]

    key = (finding << 32) | (group(mine) << 16)
    key |= group(other)
    with code.count(0, count) as known:
        entry = reports + known * _REPORT_BYTES
        with code.when(entry[SanitizerReport.KEY] == key):
            entry[SanitizerReport.COUNT] += 1
            code.give()
    with code.when(count == layout.MOST_REPORTS):
        launch[LaunchRecord.REPORTS_LOST] = 1
        code.give()
    entry = reports + count * _REPORT_BYTES
    values = {
        SanitizerReport.KEY: key,
        SanitizerReport.COUNT: 1,
        SanitizerReport.ACCESS: mine,
        SanitizerReport.OTHER: other,
        SanitizerReport.BLOCK: number,
        SanitizerReport.OTHER_BLOCK: code.select(shared != 0, number, owner),
        SanitizerReport.OFFSET: offset,
        SanitizerReport.SHARED: shared,
    }
    for column, value in values.items():
        entry[column] = value
    launch[LaunchRecord.REPORT_COUNT] = count + 1
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
        self._launch, self._number, self._thread, self._first, self._barrier, self._started = block[
            Block.LAUNCH, Block.NUMBER, Block.CURRENT, Block.FIRST, Block.BARRIER_TIME, Block.STARTED
        ]
        self._subgroup, self._known, self._clocks = self._launch[
            LaunchRecord.SUBGROUP, LaunchRecord.KNOWN, LaunchRecord.POOL
        ]
        # Within the block all that was before its last barrier is settled; between blocks what was before the launch.
        self._settled_time = code.select(shared != 0, self._barrier, layout.FIRST_TIME)

    def _owner(self, owners: Value, place: int) -> Value:
        return (owners >> (place * layout.OWNER_BITS)) & _OWNER_MASK

    def _set(self, cell: Value, place: int) -> None:
        """Write this access to a place of the cell."""
        cell[place] = self._mine
        shift = place * layout.OWNER_BITS
        kept = cell[ShadowCell.OWNERS] & ~(_OWNER_MASK << shift)
        cell[ShadowCell.OWNERS] = kept | (self._number << shift)

    def _settled(self, word: Value) -> Value:
        return (word >> layout.TIME_SHIFT) < self._settled_time

    def _both(self, word: Value, bit: int) -> Value:
        return (word & self._mine & bit) != 0

    def _conflict(self, cell: Value, place: int, finding: Value | int, offset: Value) -> None:
        """Report a race with the access at a place of the cell, unless it happened before."""
        code = self._code
        word = cell[place]
        unsettled = ~self._settled(word)
        pending = word.has(ShadowAccess.PENDING)
        with code.when(unsettled | pending, likely=False):
            owner = self._owner(cell[ShadowCell.OWNERS], place)
            before = code.call(self._order.ordered, self._block, word, owner, self._shared)
            fine = (before != 0) | self._both(word, ShadowAccess.ATOMIC)
            current = (word >> layout.TIME_SHIFT) >= self._started  # an older one is of a block that has ended
            late = pending & (current | (self._shared == 0))
            what = code.select(late, Finding.UNFINISHED_COPY, finding)
            with code.when(late | ~fine):
                code.call(self._report, self._block, what, self._mine, word, owner, offset, self._shared)

    def _check_proxy(self, cell: Value, offset: Value) -> None:
        """Report what a thread wrote, where an asynchronous copy comes behind it without a proxy fence in between."""
        code = self._code
        word = cell[ShadowCell.WRITER]
        written = (word >> layout.TIME_SHIFT) >= layout.FIRST_TIME
        copied = self._launch[LaunchRecord.SITE_PROXIES][(word >> layout.SITE_SHIFT) & _SITE_MASK]
        with code.when(written & (copied == 0)):
            owner = self._owner(cell[ShadowCell.OWNERS], ShadowCell.WRITER)
            before = code.call(self._order.ordered, self._block, word, owner, self._shared)
            seen = code.call(self._order.proxied, self._block, word, owner)
            with code.when((before != 0) & (seen == 0)):
                finding = Finding.MISSING_PROXY_FENCE
                code.call(self._report, self._block, finding, self._mine, word, owner, offset, self._shared)

    def _check_content(self, cell: Value, offset: Value, place: Value) -> None:
        """Report a read of what nobody has written."""
        code = self._code
        time = cell[ShadowCell.WRITER] >> layout.TIME_SHIFT
        in_arena = self._shared != 0
        limit = code.select(in_arena, self._started, 1)
        with code.when(time < limit, likely=False):
            page = code.select(in_arena, 0, offset >> layout.PAGE_BITS)
            given = code.read(self._known, page, I8) != 0
            with code.when((in_arena | ~given) & self._is_used(place)):
                code.call(
                    self._report, self._block, Finding.UNINITIALISED, self._mine, 0, self._number, offset, self._shared
                )

    def _note_read(self, cell: Value) -> None:
        """Keep two reads that are as far apart as any two since the last write."""
        code, builder = self._code, self._code.builder
        first, second, owners = cell[ShadowCell.READER, ShadowCell.OTHER_READER, ShadowCell.OWNERS]
        owner, other_owner = self._owner(owners, ShadowCell.READER), self._owner(owners, ShadowCell.OTHER_READER)

        def replaceable(word: Value, by: Value) -> Value:
            """Return whether this access stands for an earlier one: the thread's own, or one that happened before."""
            own = (by == self._number) & self._is_own_thread(word)
            with code.if_else(own | self._settled(word)) as (known, unknown):
                with known:
                    yes, start = code.value(1), builder.block
                with unknown:
                    found = code.call(self._order.ordered, self._block, word, by, self._shared)
                    end = builder.block
            result = builder.phi(I64)
            result.add_incoming(yes, start)
            result.add_incoming(found, end)
            return Word(code, result) != 0

        # Of readers of other blocks nothing is learnt where blocks never order each other.
        apart = (owner != other_owner) & (self._clocks == 0)
        apart &= owner != self._number
        apart &= other_owner != self._number
        apart &= (first != 0) & (second != 0) & (self._shared == 0)
        with code.when(~apart), code.if_else(replaceable(first, owner)) as (take_first, keep_first):
            with take_first:
                self._set(cell, ShadowCell.READER)
            with keep_first:
                near = (owner == other_owner) & self._same_subgroup(first, second)
                far = (owner != self._number) | ~self._same_subgroup(first, self._mine)
                with code.if_else(near & far) as (spread, or_not):
                    with spread:
                        self._set(cell, ShadowCell.OTHER_READER)
                    with or_not, code.when(replaceable(second, other_owner)):
                        self._set(cell, ShadowCell.OTHER_READER)

    def _thread_of(self, word: Value) -> Value:
        return (word >> layout.THREAD_SHIFT) & layout.THREAD_MASK

    def _is_own_thread(self, word: Value) -> Value:
        return self._thread_of(word) == self._thread

    def _same_subgroup(self, left: Value, right: Value) -> Value:
        """Return whether two threads share the running thread's subgroup, or neither is in it."""
        first, second = (self._thread_of(word) - self._first for word in (left, right))
        return self._code.unsigned("<", first, self._subgroup) == self._code.unsigned("<", second, self._subgroup)

    def _is_used(self, place: Value) -> Value:
        """Return whether anybody uses the element, by its place in bytes in the access."""
        code = self._code
        size = (self._touch >> layout.ELEMENT_SHIFT) & 0xF
        number = code.least(place >> size, code.value(63 - layout.UNUSED_SHIFT))
        return ~code.lowest_bit(self._touch >> layout.UNUSED_SHIFT >> number)

    def emit(self, cell: Value, offset: Value, place: Value) -> None:
        """Emit the visit to the byte at `place` of the access."""
        code = self._code
        reads, writes = self._touch.has(ShadowAccess.READ), self._touch.has(ShadowAccess.WRITE)
        completes = self._touch.has(ShadowAccess.COMPLETE)
        finding = code.select(reads, Finding.READ_AFTER_WRITE, Finding.WRITE_AFTER_WRITE)
        probes = self._touch.has(ShadowAccess.PROBE)
        with code.when(probes):
            self._check_proxy(cell, offset)
        with code.when(reads & ~probes):
            self._check_content(cell, offset, place)
        with code.when(~completes):
            self._conflict(cell, ShadowCell.WRITER, finding, offset)
        with code.when(writes), code.when(~completes):
            for reader in (ShadowCell.READER, ShadowCell.OTHER_READER):
                self._conflict(cell, reader, Finding.WRITE_AFTER_READ, offset)
        with code.when(writes & ~probes):
            self._set(cell, ShadowCell.WRITER)
            cell[ShadowCell.READER] = 0
            cell[ShadowCell.OTHER_READER] = 0
        silent = self._touch.has(ShadowAccess.ASYNC | ShadowAccess.PROBE)
        noted = reads & ~(writes | silent)
        with code.when(noted):
            self._note_read(cell)


def emit_visit(runtime: Runtime, order: Order, report: Value) -> Value:
    """Emit visit(block, cell, offset, place, mine, touch, shared).

    Args:
        runtime: What has been emitted so far.
        order: What happened before what.
        report: Notes a finding.
    """
    code, _, cell, offset, place, mine, access, shared = function(
        runtime.module, PREFIX + "visit", 7, VOID, internal=True
    )
    _Visit(code, order, report, mine, access, shared).emit(cell, offset, place)
    return code.end()
