# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reduction steps behind copies that run ahead by several buffers: while step s computes, step s + stages - 1 arrives.

Asynchronous copies of a step form a group; a step waits until its own group is complete, and a barrier makes the tiles
of all threads visible. Copies through registers take part: loaded before the step's arithmetic, stored behind it, into
the buffer that the step before last has left; in parts, each behind a sub-step of the arithmetic, where they would take
many registers. One barrier a step serves both: nobody writes a buffer before everybody has passed the barrier behind
its last reads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

from roller_mlir.dialects.rtile import TileLoad
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes
from roller_mlir.lowering.codegen.task.copies import StagedCopy, issue_rounds, store_rounds
from roller_mlir.lowering.codegen.task.scope import TaskScope, check_layout
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.unrolling import copy_parts, copy_registers
from roller_mlir.plan.plan import ASYNCHRONOUS
from roller_mlir.support.bindings import ir


@dataclass
class CopyPipeline:
    """The copies of a reduction nest.

    Attributes:
        context: The task.
        scope: Its tiles and loop variables.
        loads: The staged loads, each with its copy.
        stages: Buffers, at least 2 where there are several steps.
        trips: Steps.
        bind: Gives the nest's loop variables their values in a step.
    """

    context: TaskContext
    scope: TaskScope
    loads: Sequence[tuple[TileLoad, StagedCopy]]
    stages: int
    trips: int
    bind: Callable[[Symbol], None]

    def run(
        self,
        values: Sequence[ir.Value],
        compute: Callable[[Symbol, ir.Value, list[ir.Value], Sequence[Callable[[], None]]], list[ir.Value]],
        sub_steps: int = 1,
    ) -> list[ir.Value]:
        """Emit all steps.

        Args:
            values: What the steps carry.
            compute: Emits a step, given its number, its buffer, the values, and what is to be emitted between its
                sub-steps; returns the new values.
            sub_steps: Sub-steps of a step.
        """
        context, emit = self.context, self.context.emit
        ahead = min(self.stages, self.trips) - 1
        if self.trips == 1:
            self.fill_once()
            return compute(Symbol("step", 0, 0), emit.constant(0), list(values), ())

        context.before_arena_write()
        for number in range(ahead):
            self._fill(Symbol(f"step{number}", number, number), emit.constant(number))

        def step(symbol: Symbol, carried: list[ir.Value]) -> list[ir.Value]:
            *current, stage, target = carried
            self._wait(ahead - 1)
            context.barrier()
            following = emit.index(Linear.of(symbol) + ahead)
            more = emit.compare("slt", following, emit.constant(self.trips))
            later = Symbol("next", ahead, self.trips - 1, 1, following)
            if not self._synchronous():
                first, *rest = self._shares(sub_steps)
                acts = [partial(self._start, later, target, more, share) for share in rest]
                self._start(later, target, more, first)
                current = compute(symbol, stage, current, acts)
                self._commit()
                return [*current, self._next(stage), self._next(target)]
            self._start(later, target, more, self._asynchronous())
            self._commit()
            again, wanted = context.fetched_ahead(following, more, self.trips)
            later = Symbol("next", ahead, self.trips - 1, 1, again)
            moving = _InFlightCopies(self, later, target, wanted, self._parts(sub_steps))
            moving.load()
            current = compute(symbol, stage, current, [moving.turn] * (len(moving.parts) - 1))
            moving.store()
            return [*current, self._next(stage), self._next(target)]

        found = emit.loop(0, self.trips, [*values, emit.constant(0), emit.constant(ahead)], step)
        self._wait(0)
        context.arena_in_use = True
        return found[:-2]

    def fill_once(self) -> None:
        """Emit the copies of the only step, complete and visible to all threads at the end."""
        self.context.before_arena_write()
        self._fill(Symbol("step", 0, 0), self.context.emit.constant(0))
        self._wait(0)
        self.context.barrier()

    def _next(self, stage: ir.Value) -> ir.Value:
        emit = self.context.emit
        more = emit.op("arith.addi", [stage, emit.constant(1)], emit.index_type)
        wraps = emit.compare("eq", more, emit.constant(self.stages))
        return emit.op("arith.select", [wraps, emit.constant(0), more], emit.index_type)

    def _asynchronous(self) -> list[tuple[TileLoad, StagedCopy]]:
        return [(load, copy) for load, copy in self.loads if copy.layout.copy == ASYNCHRONOUS]

    def _synchronous(self) -> list[tuple[TileLoad, StagedCopy]]:
        return [(load, copy) for load, copy in self.loads if copy.layout.copy != ASYNCHRONOUS]

    def _issue(
        self, stage: ir.Value, copies: Sequence[tuple[TileLoad, StagedCopy]], wanted: ir.Value | None = None
    ) -> None:
        for load, copy in copies:
            tile = self.scope.direct(load)
            check_layout(load, copy.layout, tile)
            issue_rounds(self.context, copy, tile, stage, wanted)

    def _fill(self, symbol: Symbol, stage: ir.Value) -> None:
        """Copy a step's tiles to a buffer before the first step."""
        self.bind(symbol)
        self._issue(stage, self._asynchronous())
        self._commit()
        self.scope.copy_now(self._synchronous(), stage)

    def _start(
        self, symbol: Symbol, stage: ir.Value, wanted: ir.Value, copies: Sequence[tuple[TileLoad, StagedCopy]]
    ) -> None:
        """Start asynchronous copies of a later step, if there is such a step."""
        if copies:
            self.bind(symbol)
            self._issue(stage, copies, wanted)

    def _shares(self, sub_steps: int) -> list[list[tuple[TileLoad, StagedCopy]]]:
        """Return the asynchronous copies in shares of about as many rounds, one before each sub-step of a step."""
        rounds = [
            (load, replace(copy, rounds=(share,))) for load, copy in self._asynchronous() for share in copy.rounds
        ]
        cuts = [number * len(rounds) // sub_steps for number in range(sub_steps + 1)]
        return [rounds[low:high] for low, high in pairwise(cuts)]

    def _parts(self, sub_steps: int) -> list[list[tuple[TileLoad, StagedCopy]]]:
        """Return the copies through registers in parts of about as many registers each; none where there is none."""
        rounds = [
            (load, replace(copy, rounds=(share,)), registers)
            for load, copy in self._synchronous()
            for registers in [_registers(load, copy)]
            for share in copy.rounds
        ]
        total = sum(registers for _, _, registers in rounds)
        count = copy_parts(total, sub_steps)
        parts: list[list[tuple[TileLoad, StagedCopy]]] = [[] for _ in range(count if rounds else 0)]
        before = 0
        for load, copy, registers in rounds:
            part = parts[before * count // total]
            if part and part[-1][0] is load:
                part[-1] = (load, replace(copy, rounds=(*part[-1][1].rounds, *copy.rounds)))
            else:
                part.append((load, copy))
            before += registers
        return [part for part in parts if part]

    def _commit(self) -> None:
        if self._asynchronous():
            ir.Operation.create("nvvm.cp.async.commit.group")

    def _wait(self, groups: int) -> None:
        if self._asynchronous():
            count = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), groups)
            ir.Operation.create("nvvm.cp.async.wait.group", attributes={"n": count})


@dataclass
class _InFlightCopies:
    """Copies of a later step on their way through registers, part by part.

    Attributes:
        pipeline: Whose copies.
        symbol: The step.
        stage: Its buffer.
        wanted: Condition that there is such a step; None where its tiles are fetched in any case.
        parts: What is loaded together.
        values: What the part holds that was loaded last.
        number: Parts that were stored.
    """

    pipeline: CopyPipeline
    symbol: Symbol
    stage: ir.Value
    wanted: ir.Value | None
    parts: list[list[tuple[TileLoad, StagedCopy]]]
    values: list[list[ir.Value]] = field(default_factory=list[list[ir.Value]])
    number: int = 0

    def load(self) -> None:
        """Load the next part, if there is one."""
        if self.number < len(self.parts):
            self.pipeline.bind(self.symbol)
            scope = self.pipeline.scope
            self.values = [scope.fetch(load, copy, self.wanted) for load, copy in self.parts[self.number]]

    def store(self) -> None:
        """Store the part that was loaded, if there is one."""
        if self.number < len(self.parts):
            self.pipeline.context.emit.when(self.wanted, self._put)
            self.number += 1

    def turn(self) -> None:
        """Store a part and load the next one."""
        self.store()
        self.load()

    def _put(self) -> list[ir.Value]:
        for (load, copy), share in zip(self.parts[self.number], self.values, strict=True):
            store_rounds(self.pipeline.context, copy, self.pipeline.scope.name(load), share, self.stage)
        return []


def _registers(load: TileLoad, copy: StagedCopy) -> int:
    """Return the registers that one round of a copy takes."""
    size = element_bytes(ir.MemRefType(load.source.type).element_type)
    return copy_registers(copy.copy.depth, copy.copy.vector, size)
