# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The walk of a block over the records of its vEU: waits, the body that a record names, and its signal.

    word, wait of task 0 = fetched                          # a thread holds one word of the record, and one wait
    for n in tasks of the block:
        poll the counters of the waits; barrier             # a thread its own; those beyond the last thread are loaded
        word, wait of task n + 1 = fetched                  # these loads run while the body does
        run body ring[n].body with task ring[n].task        # which polls those waits that stand in it
        ring[n + 1] = word; barrier
        # where times are recorded: the end, in front of the signal, as the start behind the waits
        signal ring[n].signal

The ring holds two records in workgroup memory, and behind them the number of the launch and a 0: these, and what is
computed of them, would otherwise hold registers throughout a body. A warp that copies for the other threads of its
block walks the same records alone, ahead of them, with a ring of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.graph.crews import WalkingCrew
from roller_mlir.lowering.codegen.graph.events import PollLimit, add_signal, wait_for
from roller_mlir.lowering.codegen.graph.tables import BODY, NEXT_WAIT, OPERANDS, SIGNAL, SUNK, TASK, WAITS, ZERO
from roller_mlir.lowering.loops.attributes import SITE, WATCH
from roller_mlir.plan.persistent.task_times import TIME_CELLS
from roller_mlir.support.bindings import ir, scf
from roller_mlir.support.values import call_intrinsic

_WATCHED = {BODY: "body", TASK: "task"}
"""What reports of stuck waits show of a record."""
_CLOCK = "llvm.readsteadycounter"
"""What reads the counter that all units share: %globaltimer in PTX, s_memrealtime or its like on AMD."""


@dataclass(frozen=True, eq=False)
class WalkedTask:
    """What a body is run with.

    Attributes:
        number: Its task, an i32.
        zero: A 0 that no compiler knows, an i32.
        starts: Where its operands in the workspace start, in pieces, then the starts of its application, as indices.
        wait: Emits what the body stands behind: the waits that stand in it, if any do (`sunk`), and what its crew waits
            for beside; given what the task before left, it returns what this one finds.
    """

    number: ir.Value
    zero: ir.Value
    starts: Sequence[ir.Value]
    wait: Callable[[list[ir.Value], bool], list[ir.Value]]


Body: TypeAlias = Callable[[WalkedTask, list[ir.Value]], list[ir.Value]]
"""Emits a body, given its task and what the task before left; returns what it leaves to the next one."""


@dataclass(frozen=True, eq=False)
class RecordWalk:
    """What a block walks over.

    Attributes:
        emit: The emitter.
        thread: Number of the thread in its crew.
        subgroup_size: Threads of a subgroup.
        block: Number of the block.
        records: The records of all vEUs, a memref of i32.
        tasks: Records of a vEU.
        fields: Fields of a record.
        flagged: Whether the last of them says what is handed over inside of the block.
        spans: Tasks and first wait of each vEU.
        waits: The waits of all tasks, in the order of the vEUs.
        ring: Two records, the number of the launch and a 0 in workgroup memory, a memref of i32.
        state: A counter for each event, and for each block one of launches.
        in_front: Whether a wait stands in front of the body of its task.
        events: How many events there are.
        limit: Polls after which a wait is given up, and the cell of the state where its report begins; None: never.
        times: The cell of the state where the times of tasks begin; None: they are not recorded.
    """

    emit: Emitter
    thread: ir.Value
    subgroup_size: int
    block: ir.Value
    records: ir.Value
    tasks: int
    fields: int
    flagged: bool
    spans: ir.Value
    waits: ir.Value
    ring: ir.Value
    state: ir.Value
    in_front: bool
    events: int
    limit: tuple[int, int] | None = None
    times: int | None = None

    def launches(self) -> ir.Value:
        """Emit the number of this launch, from 1, and return it."""
        before = self._load(self.state, self._launches(), "load launches")
        return self.emit.op("arith.addi", [before, self._i32(1)], ir.IntegerType.get_signless(32))

    def count_launch(self) -> None:
        """Emit the end of a launch, behind which no thread reads its number any more."""
        emit = self.emit

        def store() -> list[ir.Value]:
            there = self._sum(self._launches(), self._index(self._zero()))
            self._store(self._now(), self.state, there, "store launches")
            return []

        emit.branch(emit.compare("eq", self.thread, emit.constant(0)), [], store)

    def together(self, crew: WalkingCrew, bodies: Sequence[Body], now: ir.Value) -> None:
        """Emit the walk of a crew.

        Args:
            crew: Who walks.
            bodies: What emits each body.
            now: The number of the launch.
        """
        emit, i32 = self.emit, ir.IntegerType.get_signless(32)
        length, first = self._span()
        self._keep(crew, self._words(crew, self.block, self._i32(0)), emit.constant(0))

        def keep() -> list[ir.Value]:
            self._store(now, self.ring, emit.constant(2 * self.fields), "keep launch")
            self._store(self._i32(0), self.ring, emit.constant(2 * self.fields + 1), "keep zero")
            return []

        emit.branch(emit.compare("eq", self.thread, emit.constant(0)), [], keep)
        ahead, carried = self._own_wait(first), crew.start()
        crew.barrier()
        loop = scf.ForOp(self._i32(0), length, self._i32(1), [*ahead, *carried])
        with emit.scope(loop.body):
            number = loop.induction_variable
            after = emit.op("arith.addi", [number, self._i32(1)], i32)
            here = self._slot(number)
            event, signals, *carried = loop.inner_iter_args
            which, task, count = self._field(here, BODY), self._field(here, TASK), self._field(here, WAITS)
            behind, sunk = self._field(here, NEXT_WAIT), self._field(here, SUNK)
            own, who = (event, signals), (number, which, task)
            if self.in_front:
                self._wait(crew, behind, count, emit.op("arith.subi", [count, sunk], i32), own, who)
            else:
                crew.barrier()
            self._record_time(number, 0)
            words = self._words(crew, self._sum(self.block, self._index(self._field(here, ZERO))), after)

            def flags() -> ir.Value:
                return self._field(here, self.fields - 1)

            zero, starts = self._field(here, ZERO), self._starts(here)

            def run(body: Body) -> list[ir.Value]:
                ahead: list[ir.Value] = []

                def wait(carried: list[ir.Value], stands_here: bool) -> list[ir.Value]:
                    if stands_here:
                        self._wait(crew, behind, sunk, sunk, own, who)
                        self._record_time(number, 0)
                    ahead.extend(self._own_wait(behind))
                    return crew.ready(flags, carried)

                left = body(WalkedTask(task, zero, starts, wait), carried)
                return [*ahead, *left]

            kinds = [value.type for value in (event, signals, *carried)]
            event, signals, *carried = self._switch(which, [partial(run, body) for body in bodies], kinds)
            number = emit.op("arith.addi", [number, self._zero()], i32)
            here = self._slot(number)
            self._keep(crew, words, self._slot(emit.op("arith.addi", [number, self._i32(1)], i32)))

            def ended() -> None:
                self._record_time(number, 1)
                self._signal(crew, self._field(here, SIGNAL))

            crew.done(flags, ended)
            scf.YieldOp([event, signals, *carried])

    def _now(self) -> ir.Value:
        """Return the number of the launch, from the ring."""
        return self._load(self.ring, self.emit.constant(2 * self.fields), "read launch")

    def _zero(self) -> ir.Value:
        """Return a 0 that no compiler knows: what is computed of it holds no register before."""
        return self._load(self.ring, self.emit.constant(2 * self.fields + 1), "read zero")

    def _launches(self) -> ir.Value:
        """Return where the launches of the block are counted."""
        return self._sum(self.emit.constant(self.events), self.block)

    def _span(self) -> tuple[ir.Value, ir.Value]:
        """Return the tasks of the block, and its first wait."""
        span = self._product(self.block, 2)
        after = self._sum(span, self.emit.constant(1))
        return self._load(self.spans, span, "load length"), self._load(self.spans, after, "load first wait")

    def _starts(self, slot: ir.Value) -> list[ir.Value]:
        """Return where the operands of a record's task start, and its application."""
        return [self._index(self._field(slot, OPERANDS + n)) for n in range(self.fields - OPERANDS - self.flagged)]

    def _own(self, crew: WalkingCrew) -> list[tuple[ir.Value, ir.Value]]:
        """Return the words of a record that are the thread's, each with the condition that there is such a word."""
        emit, fields = self.emit, self.emit.constant(self.fields)
        found: list[tuple[ir.Value, ir.Value]] = []
        for first in range(0, self.fields, crew.threads):
            at = self._sum(self.thread, emit.constant(first)) if first else self.thread
            found.append((at, emit.compare("ult", at, fields)))
        return found

    def _words(self, crew: WalkingCrew, block: ir.Value, number: ir.Value) -> list[ir.Value]:
        """Return the thread's words of a record, one unless it has more words than the crew threads; others hold 0."""
        found: list[ir.Value] = []
        record = self._sum(self._product(block, self.tasks), self._index(number))
        for own, there in self._own(crew):
            at = self._sum(self._product(record, self.fields), own)
            found += self.emit.branch(
                there,
                [ir.IntegerType.get_signless(32)],
                lambda at=at: [self._load(self.records, at, "load record")],
                lambda: [self._i32(0)],
            )
        return found

    def _keep(self, crew: WalkingCrew, words: Sequence[ir.Value], slot: ir.Value) -> None:
        """Put the words of a record in the ring."""
        for word, (own, there) in zip(words, self._own(crew), strict=True):

            def store(word: ir.Value = word, own: ir.Value = own) -> list[ir.Value]:
                self._store(word, self.ring, self._sum(slot, own), "keep record")
                return []

            self.emit.branch(there, [], store)

    def _slot(self, number: ir.Value) -> ir.Value:
        """Return where in the ring the record of a task lies."""
        one = self.emit.op("arith.andi", [number, self._i32(1)], ir.IntegerType.get_signless(32))
        return self._product(self._index(one), self.fields)

    def _field(self, slot: ir.Value, which: int) -> ir.Value:
        at = self._sum(slot, self.emit.constant(which))
        return self._load(self.ring, at, "read record", _WATCHED.get(which, ""))

    def _own_wait(self, first: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return event and signals of the wait that the thread polls for, where there are so many."""
        return self._read_wait(self._sum(self._index(first), self.thread))

    def _read_wait(self, number: ir.Value) -> tuple[ir.Value, ir.Value]:
        at = self._product(number, 2)
        after = self._sum(at, self.emit.constant(1))
        return self._load(self.waits, at, "load wait", "event"), self._load(self.waits, after, "load wait")

    def _poll(self, event: ir.Value, signals: ir.Value, who: Sequence[ir.Value]) -> None:
        """Poll the counter of an event until it has all signals of this launch."""
        emit = self.emit
        target = emit.op("arith.muli", [self._now(), signals], ir.IntegerType.get_signless(32))
        limit = None
        if self.limit is not None:
            block = emit.op("arith.index_cast", [self.block], event.type)
            limit = PollLimit(*self.limit, [block, *who, event])
        wait_for(emit, self.state, self._index(event), target, limit)

    def _wait(
        self,
        crew: WalkingCrew,
        behind: ir.Value,
        count: ir.Value,
        polled: ir.Value,
        own: tuple[ir.Value, ir.Value],
        who: Sequence[ir.Value],
    ) -> None:
        """Let a thread poll the counter of its wait until it has all signals of this launch; then all go on.

        Args:
            crew: Who waits.
            behind: The number of the first wait of the next task.
            count: Waits of this one.
            polled: How many of them, all or none.
            own: The thread's own wait.
            who: What reports of stuck waits say of the task.
        """
        step = self.emit.constant(crew.threads)
        mine = scf.ForOp(self.thread, self._index(polled), step, list(own))
        with self.emit.scope(mine.body):
            event, signals = mine.inner_iter_args
            self._poll(event, signals, who)
            after = self._sum(mine.induction_variable, step)
            first = self.emit.op("arith.subi", [behind, count], behind.type)
            scf.YieldOp(self._read_wait(self._sum(self._index(first), after)))
        crew.barrier()

    def _switch(
        self, which: ir.Value, bodies: Sequence[Callable[[], list[ir.Value]]], kinds: Sequence[ir.Type]
    ) -> list[ir.Value]:
        cases = ir.DenseI64ArrayAttr.get(list(range(1, len(bodies))))
        switch = ir.Operation.create(
            "scf.index_switch",
            results=list(kinds),
            operands=[self._index(which)],
            regions=len(bodies),
            attributes={"cases": cases},
        )
        for region, body in zip(switch.regions, bodies, strict=True):  # the first one is the default
            with self.emit.scope(region.blocks.append()):
                scf.YieldOp(body())
        return list(switch.results)

    def _signal(self, crew: WalkingCrew, event: ir.Value) -> None:
        """Let one thread add 1 to the counter of an event, where there is one.

        It is of the last subgroup: those before it poll for the next task meanwhile. A fence and a poll take about as
        long as each other, and one behind the other if the same subgroup does both.
        """
        emit, signaller = self.emit, max(0, crew.threads - self.subgroup_size)
        number = emit.op("arith.index_cast", [event], emit.index_type)

        def signal() -> list[ir.Value]:
            add_signal(emit, self.state, number)
            return []

        one = emit.compare("eq", self.thread, emit.constant(signaller))
        emit.when(emit.both(one, emit.compare("sge", number, emit.constant(0))), signal)

    def _record_time(self, number: ir.Value, which: int) -> None:
        """Let one thread write the time as start (0) or end (1) of the task at a position, if times are recorded."""
        emit, times = self.emit, self.times
        if times is None:
            return
        i32, i64 = (ir.IntegerType.get_signless(width) for width in (32, 64))

        def store() -> list[ir.Value]:
            ticks = call_intrinsic(_CLOCK, [], i64)
            high = emit.op("arith.shrui", [ticks, emit.typed_constant(ir.IntegerAttr.get(i64, 32))], i64)
            place = self._product(self._sum(self._product(self.block, self.tasks), self._index(number)), TIME_CELLS)
            for cell, half in enumerate((ticks, high), times + 2 * which):
                value = emit.op("arith.trunci", [half], i32)
                self._store(value, self.state, self._sum(place, emit.constant(cell)), "record time")
            return []

        emit.branch(emit.compare("eq", self.thread, emit.constant(0)), [], store)

    def _sum(self, left: ir.Value, right: ir.Value) -> ir.Value:
        return self.emit.op("arith.addi", [left, right], self.emit.index_type)

    def _product(self, value: ir.Value, factor: int) -> ir.Value:
        return self.emit.op("arith.muli", [value, self.emit.constant(factor)], self.emit.index_type)

    def _index(self, value: ir.Value) -> ir.Value:
        return self.emit.op("arith.index_castui", [value], self.emit.index_type)

    def _load(self, table: ir.Value, at: ir.Value, site: str, watched: str = "") -> ir.Value:
        """Load an i32, which reports of stuck waits show by a name, where it has one."""
        attributes: dict[str, ir.Attribute] = {SITE: ir.StringAttr.get(site)}
        if watched:
            attributes[WATCH] = ir.StringAttr.get(watched)
        return self.emit.op("memref.load", [table, at], ir.IntegerType.get_signless(32), attributes)

    def _store(self, value: ir.Value, table: ir.Value, at: ir.Value, site: str) -> None:
        attributes: dict[str, ir.Attribute] = {SITE: ir.StringAttr.get(site)}
        ir.Operation.create("memref.store", operands=[value, table, at], attributes=attributes)

    def _i32(self, value: int) -> ir.Value:
        return self.emit.typed_constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))
