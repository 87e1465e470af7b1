# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who walks the records of a block of a persistent kernel: a crew, all of its threads or those of one role."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import Slot, TaskContext
from roller_mlir.lowering.codegen.early.accesses import raise_early
from roller_mlir.lowering.codegen.graph.bodies import TaskBody
from roller_mlir.lowering.codegen.graph.events import gather_writes
from roller_mlir.lowering.codegen.kernel_function import BlockLimits
from roller_mlir.lowering.codegen.task.arena import plan_arena
from roller_mlir.lowering.codegen.task.task import TaskBuilder
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class BodyTask:
    """A task of a body.

    Attributes:
        body: The body.
        number: The task's number in it.
        thread: The number of the running thread, as the task's record makes it.
        buffers: Kernel buffer of each memref that its program uses.
        starts: Where its operands in the workspace start, in pieces; then the starts of its application, in elements.
        indices: What stands for those in the program, and what they are.
        slots: Where slices of resident operands lie, by the program's memrefs.
        wait: Emits its waits, those that stand in its body among them; given what the task before left, it returns what
            this one finds.
        early: The buffers that may be accessed before these.
    """

    body: TaskBody
    number: Symbol
    thread: ir.Value
    buffers: dict[ir.Value, ir.Value]
    starts: Sequence[ir.Value]
    indices: dict[ir.Value, Linear]
    slots: dict[ir.Value, Slot]
    wait: Callable[[list[ir.Value]], list[ir.Value]]
    early: Sequence[ir.Value]


class WalkingCrew(Protocol):
    """Threads that walk the records of a block together."""

    @property
    def threads(self) -> int:
        """How many there are, at least a subgroup."""
        ...

    def start(self) -> list[ir.Value]:
        """Return what the first task finds."""
        ...

    def runs(self, body: TaskBody) -> bool:
        """Return whether there is something to do in a body."""
        ...

    def ready(self, flags: Callable[[], ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
        """Emit what a task whose waits are over waits for beside; return what it finds.

        Args:
            flags: Reads what is handed over inside of a block with roles.
            carried: What the task before left.
        """
        ...

    def run(self, task: BodyTask, carried: list[ir.Value]) -> tuple[list[ir.Value], tuple[int, int]]:
        """Emit a task; return what it leaves to the next one, and its multiply-adds and matrix instructions."""
        ...

    def barrier(self) -> None:
        """Emit a barrier of the crew."""
        ...

    def done(self, flags: Callable[[], ir.Value], signal: Callable[[], None]) -> None:
        """Emit the end of a task, behind which its record may be read, and its results are there for others.

        Args:
            flags: Reads what is handed over inside of a block with roles.
            signal: Emits the task's signal.
        """
        ...


def waited(task: BodyTask, carried: list[ir.Value]) -> tuple[list[ir.Value], range]:
    """Emit the waits of a task; return what it finds, and the numbers of their operations in the current block."""
    block = ir.InsertionPoint.current.block
    before = len(block.operations)
    return task.wait(carried), range(before, len(block.operations))


@dataclass
class WholeBlock:
    """All threads of a block.

    Attributes:
        emit: The emitter.
        thread: The number of the running thread.
        threads: How many there are.
        limits: What the device allows.
        arena: Workgroup memory.
    """

    emit: Emitter
    thread: ir.Value
    threads: int
    limits: BlockLimits
    arena: ir.Value

    def start(self) -> list[ir.Value]:
        """Return what the first task finds."""
        return []

    def runs(self, body: TaskBody) -> bool:
        """Return whether the crew has something to do in a body."""
        return True

    def ready(self, flags: Callable[[], ir.Value], carried: list[ir.Value]) -> list[ir.Value]:
        """Return what a task finds: what the one before left."""
        return carried

    def barrier(self) -> None:
        """Emit a barrier of the crew."""
        ir.Operation.create("gpu.barrier")

    def run(self, task: BodyTask, carried: list[ir.Value]) -> tuple[list[ir.Value], tuple[int, int]]:
        """Emit a task; return what it leaves to the next one, and its multiply-adds and matrix instructions."""
        program = task.body.program.operation
        arena = plan_arena(program, self.limits.subgroup_size)
        context = TaskContext(
            emit=self.emit,
            thread=Symbol("thread", 0, self.threads - 1, 1, task.thread),
            threads=self.threads,
            subgroup_size=self.limits.subgroup_size,
            arena=self.arena if arena.total_bytes else None,
            offsets=arena.offsets,
            combine_offset=arena.combine_offset,
            buffers=task.buffers,
            indices=dict(task.indices),
            repeats=True,
            slots=task.slots,
        )
        builder = TaskBuilder(context)
        builder.bring(program, task.number)
        carried, waits = waited(task, carried)
        builder.build(program, task.number)
        raise_early(ir.InsertionPoint.current.block, waits, task.early)
        return carried, (context.fma_count, context.matrix_count)

    def done(self, flags: Callable[[], ir.Value], signal: Callable[[], None]) -> None:
        """Emit the end of a task, behind which its results are there for others."""
        gather_writes(self.barrier, fence_covers_block=self.limits.fence_covers_block)
        signal()
