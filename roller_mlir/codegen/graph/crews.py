# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who walks the records of a block of a persistent kernel: a crew, all of its threads or those of one role."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from roller_mlir.codegen.builder.emitter import Emitter
from roller_mlir.codegen.builder.task_context import TaskContext
from roller_mlir.codegen.graph.bodies import TaskBody
from roller_mlir.codegen.task.arena import plan_arena
from roller_mlir.codegen.task.task import TaskBuilder
from roller_mlir.mapping.index import Symbol
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class BodyTask:
    """A task of a body.

    Attributes:
        body: The body.
        number: The task's number in it.
        thread: The number of the running thread, as the task's record makes it.
        buffers: Kernel buffer of each memref that its program uses.
        starts: Where its operands in the workspace start, in pieces.
    """

    body: TaskBody
    number: Symbol
    thread: ir.Value
    buffers: dict[ir.Value, ir.Value]
    starts: Sequence[ir.Value]


class BlockCrew(Protocol):
    """Threads that walk the records of a block together."""

    @property
    def threads(self) -> int:
        """Threads of a task."""
        ...

    @property
    def counts(self) -> tuple[int, int]:
        """Multiply-adds and matrix instructions emitted so far."""
        ...

    def start(self) -> list[ir.Value]:
        """Return what the first task finds."""
        ...

    def runs(self, body: TaskBody) -> bool:
        """Return whether the crew has something to do in a body."""
        ...

    def wait(
        self, count: ir.Value, poll: Callable[[ir.Value], None], flags: ir.Value | None, carried: list[ir.Value]
    ) -> list[ir.Value]:
        """Emit the beginning of a task, behind which all that it waits for is there.

        Args:
            count: Events that it waits for.
            poll: Emits a wait for one of them, by its number among these.
            flags: What is handed over inside of a block with roles.
            carried: What the task before left.

        Returns:
            What the task finds.
        """
        ...

    def run(self, task: BodyTask, carried: list[ir.Value]) -> list[ir.Value]:
        """Emit a task; return what it leaves to the next one."""
        ...

    def done(self, flags: ir.Value | None, signal: Callable[[], None]) -> None:
        """Emit the end of a task, behind which its results are there for others."""
        ...


@dataclass
class WholeBlock:
    """All threads of a block.

    Attributes:
        emit: The emitter.
        thread: The number of the running thread.
        threads: How many there are.
        subgroup_size: Lanes of a subgroup.
        arena: Workgroup memory; None where no body uses any.
        counts: Multiply-adds and matrix instructions of the largest body so far.
    """

    emit: Emitter
    thread: ir.Value
    threads: int
    subgroup_size: int
    arena: ir.Value | None
    counts: tuple[int, int] = field(default=(0, 0), kw_only=True)

    def start(self) -> list[ir.Value]:
        """Return what the first task finds."""
        return []

    def runs(self, body: TaskBody) -> bool:
        """Return whether the crew has something to do in a body."""
        return True

    def barrier(self) -> None:
        """Emit a barrier of the crew."""
        ir.Operation.create("gpu.barrier")

    def wait(
        self, count: ir.Value, poll: Callable[[ir.Value], None], flags: ir.Value | None, carried: list[ir.Value]
    ) -> list[ir.Value]:
        """Let one thread poll for each event, then let all go on."""
        self.emit.branch(self.emit.compare("ult", self.thread, count), [], lambda: poll(self.thread) or [])
        self.barrier()
        return carried

    def run(self, task: BodyTask, carried: list[ir.Value]) -> list[ir.Value]:
        """Emit a task; return what it leaves to the next one."""
        arena = plan_arena(task.body.program.operation, self.subgroup_size)
        context = TaskContext(
            emit=self.emit,
            thread=Symbol("thread", 0, self.threads - 1, 1, task.thread),
            threads=self.threads,
            subgroup_size=self.subgroup_size,
            arena=self.arena if arena.total_bytes else None,
            offsets=arena.offsets,
            combine_offset=arena.combine_offset,
            buffers=task.buffers,
            repeats=True,
        )
        TaskBuilder(context).build(task.body.program.operation, task.number)
        self.count(context)
        return carried

    def done(self, flags: ir.Value | None, signal: Callable[[], None]) -> None:
        """Emit the end of a task, behind which its results are there for others."""
        self.barrier()
        signal()

    def count(self, context: TaskContext) -> None:
        """Count what a task's context has counted."""
        # LLVM merges what bodies have in common, so that only those of the largest are sure to be there.
        self.counts = max(self.counts[0], context.fma_count), max(self.counts[1], context.matrix_count)
