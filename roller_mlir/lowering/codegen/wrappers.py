# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrappers around task bodies: which tasks of a program a block runs. They know nothing of instructions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.kernel_function import gpu_id
from roller_mlir.mapping.index import Symbol
from roller_mlir.plan.extent import Extent
from roller_mlir.support.bindings import ir, scf

Body = Callable[[Symbol, list[ir.Value]], Sequence[ir.Value]]
"""Emits a task, given its number and what the task before left; returns what it leaves to the next one."""


@dataclass(frozen=True)
class TaskGrid:
    """A grid of blocks that run one task each.

    Attributes:
        tasks: Tasks of the program.
    """

    tasks: Extent

    @property
    def blocks(self) -> Extent:
        """Blocks of the grid."""
        return self.tasks

    @property
    def repeats(self) -> bool:
        """Whether a block may run several tasks."""
        return self.blocks != self.tasks

    def block(self) -> ir.Value | None:
        """Return the number of the block, None where there is one task only."""
        return gpu_id("gpu.block_id") if self.tasks != 1 else None

    def run(self, emit: Emitter, block: ir.Value | None, carried: Sequence[ir.Value], body: Body) -> None:
        """Emit the tasks of a block.

        Args:
            emit: The emitter.
            block: The number of the block.
            carried: What the first task finds.
            body: Emits a task.
        """
        body(self._task(block), list(carried))

    def _task(self, number: ir.Value | None) -> Symbol:
        return Symbol("task", 0, self.tasks.bound - 1, 1, number)


@dataclass(frozen=True)
class PersistentGrid(TaskGrid):
    """A grid of fewer blocks than tasks, each of which runs every so many-th task.

    Attributes:
        resident: Blocks, fewer than tasks.
    """

    resident: int

    @property
    def blocks(self) -> Extent:
        """Blocks of the grid."""
        return Extent(self.resident)

    def run(self, emit: Emitter, block: ir.Value | None, carried: Sequence[ir.Value], body: Body) -> None:
        """Emit the tasks of a block; see `TaskGrid.run`."""
        assert block is not None
        i32 = ir.IntegerType.get_signless(32)
        first = emit.op("arith.index_castui", [block], i32)
        bounds = [emit.typed_constant(ir.IntegerAttr.get(i32, value)) for value in (self.tasks.static, self.resident)]
        loop = scf.ForOp(first, *bounds, iter_args=list(carried))
        with emit.scope(loop.body):
            number = emit.op("arith.index_castui", [loop.induction_variable], emit.index_type)
            scf.YieldOp(list(body(self._task(number), list(loop.inner_iter_args))))


def wrapper_of(tasks: Extent, most_blocks: int | None = None) -> TaskGrid:
    """Return the wrapper of a program.

    Args:
        tasks: Its tasks.
        most_blocks: Blocks of a persistent program that the device holds at a time; None for a program that is none.
    """
    return TaskGrid(tasks) if most_blocks is None or tasks <= most_blocks else PersistentGrid(tasks, most_blocks)
