# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A divided reduction that is joined in the kernel of its parts: that block of each tile which ends last adds them.

    task of the first stage                                 # writes a part of a tile to the workspace
    barrier                                                 # all release in front of it where one fence is not enough
    thread 0:  release fence; before = counter[tile]++      # what the block wrote is there for whoever sees the count
               last = before == parts - 1
               if last: acquire fence; counter[tile] = 0    # nobody else counts in this launch
               keep last in workgroup memory
    barrier
    if last: task of the second stage                       # reads the parts in their order, whoever ends last

Nobody waits, so that blocks need not run at the same time. Each sum is that of a second kernel of the same order,
whatever order blocks end in. The counters, one a tile, are 0 between launches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.builder.task_context import StagedResults, TaskContext, memref_view
from roller_mlir.lowering.codegen.graph.events import acquire, add_signal, gather_writes, reset
from roller_mlir.lowering.codegen.task.arena import combine_bytes
from roller_mlir.lowering.codegen.task.task import TaskBuilder
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.lowering.loops.nest import parallel_nest
from roller_mlir.lowering.loops.program import accessed_operands, computes_of, staged_loads
from roller_mlir.mapping.index import Symbol
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True, eq=False)
class LastBlock:
    """The second stage of a divided reduction, as a part of the first one's kernel.

    Attributes:
        program: The second stage, on buffers.
        operands: Of each of its operands the number of the kernel's buffer.
        parts: Tasks of the first stage for each of its own.
        fence_covers_block: See `Device`.
    """

    program: rtile.ProgramOp
    operands: tuple[int, ...]
    parts: int
    fence_covers_block: bool

    @classmethod
    def of(cls, first: rtile.ProgramOp, program: rtile.ProgramOp, *, fence_covers_block: bool) -> "LastBlock":
        """Return the second stage beside the first; refuse what does not fit it.

        Args:
            first: The first stage, on buffers, which has as many tasks of each part as the second has tasks.
            program: The second, whose tasks have as many threads, and no tile in workgroup memory.
            fence_covers_block: See `Device`.
        """
        name, numbers = program.program_name, {value: number for number, value in enumerate(first.operands)}
        made = [first.operands[number] for number in sorted(accessed_operands(first)[1])]
        tasks, tiles = (parallel_nest(one.operation).trips.static for one in (first, program))
        threads, own = (_threads(one) for one in (first, program))
        if len(made) != 1 or made[0] not in list(program.operands):
            fail(program, f"'rtile.program' '{name}' is joined, but does not read what the program before it makes")
        if tasks % tiles or threads != own:
            fail(
                program,
                f"'rtile.program' '{name}' is joined and has {tiles} tasks of {own} threads, but the program before it "
                f"{tasks} of {threads}; there must be as many tasks for each of its parts, and as many threads",
            )
        if staged_loads(program.operation):
            fail(
                program, f"'rtile.program' '{name}' is joined, but loads a tile into workgroup memory; read it directly"
            )
        operands: list[int] = []
        for value in program.operands:
            operands.append(numbers.setdefault(value, len(numbers)))
        return cls(program, tuple(operands), tasks // tiles, fence_covers_block)

    @property
    def tiles(self) -> int:
        """How many tiles there are, and counters."""
        return parallel_nest(self.program.operation).trips.static

    def more_operands(self, first: rtile.ProgramOp) -> list[ir.Value]:
        """Return the operands that the first stage has not, in the order of the kernel's buffers."""
        count = len(first.operands)
        return [value for number, value in zip(self.operands, self.program.operands, strict=True) if number >= count]

    @property
    def counters(self) -> ir.Type:
        """The type of the counters."""
        return ir.MemRefType.get([self.tiles], ir.IntegerType.get_signless(32))

    def combine_bytes(self, subgroup_size: int) -> int:
        """Return the workgroup memory through which its threads join sums."""
        return combine_bytes(self.program.operation, subgroup_size)

    def accesses(self) -> tuple[set[int], set[int]]:
        """Return the numbers of the kernel's buffers that it reads, and those that it writes."""
        read, written = accessed_operands(self.program)
        return {self.operands[number] for number in read}, {self.operands[number] for number in written}

    def emit(
        self,
        context: TaskContext,
        task: Symbol,
        buffers: Sequence[ir.Value],
        flag_offset: int,
        combine_offset: int,
    ) -> tuple[int, int]:
        """Emit the end of a task, all of whose writes its threads have started; tensor copies have ended.

        Args:
            context: That of the first stage's task.
            task: The number of that.
            buffers: The kernel's buffers, with the counters behind them.
            flag_offset: Where in workgroup memory a block keeps whether it is the last one.
            combine_offset: Where in workgroup memory its threads join sums.

        Returns:
            Multiply-adds and matrix instructions that were emitted.
        """
        emit, i32 = context.emit, ir.IntegerType.get_signless(32)
        assert context.arena is not None
        counters = buffers[max(*self.operands) + 1]
        _, tile = emit.divide(task, self.tiles)
        place: Any = tile.value
        number = emit.constant(0) if place is None else place
        flag, zero = memref_view(emit, context.arena, flag_offset, [1], i32), emit.constant(0)

        def count() -> list[ir.Value]:
            before = add_signal(emit, counters, number)
            last = emit.compare("eq", before, emit.typed_constant(ir.IntegerAttr.get(i32, self.parts - 1)))

            def begin() -> list[ir.Value]:
                acquire()
                reset(emit, counters, number)
                return []

            emit.branch(last, [], begin)
            said = emit.op("arith.extui", [last], i32)
            site: dict[str, ir.Attribute] = {SITE: ir.StringAttr.get("say who is last")}
            ir.Operation.create("memref.store", operands=[said, flag, zero], attributes=site)
            return []

        gather_writes(context.barrier, fence_covers_block=self.fence_covers_block)
        thread: Any = context.thread.value
        first = None if thread is None else emit.compare("eq", thread, zero)
        emit.when(first, count)
        context.barrier()
        said = emit.op("memref.load", [flag, zero], i32, {SITE: ir.StringAttr.get("read who is last")})
        arguments = self.program.entry.arguments
        own = replace(
            context,
            buffers={one: buffers[at] for one, at in zip(arguments, self.operands, strict=True)},
            offsets={},
            combine_offset=combine_offset,
            results=StagedResults(),
            indices={},
            fma_count=0,
            matrix_count=0,
            slots={},
        )

        def join() -> list[ir.Value]:
            TaskBuilder(own).build(self.program.operation, tile)
            own.before_arena_write()
            return []

        emit.branch(emit.compare("ne", said, emit.typed_constant(ir.IntegerAttr.get(i32, 0))), [], join)
        return own.fma_count, own.matrix_count


def _threads(program: rtile.ProgramOp) -> int:
    """Return how many threads of a block compute."""
    computes = computes_of(program.operation)
    return prod(axis[0] for axis in computes[0].thread_map.axes) if computes else 0
