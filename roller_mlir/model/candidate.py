# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A candidate program: the tiles of every layer and the thread map, before layouts are decided.

Paper: ROLLER section 3.2 (rProgram).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod

from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import AxisPlan, Plan
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.plan.records.hashed import hashed_once

MIN_STAGED_ELEMENTS = 16
"""A smaller tile is read directly: its few cache lines serve the whole task."""


@hashed_once
@dataclass(frozen=True)
class Candidate:
    """Tiles and threads of one candidate.

    Attributes:
        blocks: Points per loop of one task (one step, for a reduction loop).
        threads: Threads per loop.
        chunks: Neighbouring points of one thread per loop.
        order: Loops with threads, fastest in the thread number first.
        lane: Loop whose chunk is a vector, None for scalars.
        staged: Per input, whether it goes through workgroup memory.
        registers: Points of one thread per loop.
        thread_count: Threads of a task.
    """

    blocks: tuple[int, ...]
    threads: tuple[int, ...]
    chunks: tuple[int, ...]
    order: tuple[int, ...]
    lane: int | None
    staged: tuple[bool, ...]
    registers: tuple[int, ...] = field(compare=False)
    thread_count: int = field(compare=False)

    @staticmethod
    def of_plan(plan: Plan) -> "Candidate":
        """Return the candidate that a plan finishes: what is left of it without layouts."""
        return Candidate(
            blocks=tuple(axis.block for axis in plan.axes),
            threads=tuple(axis.threads for axis in plan.axes),
            chunks=tuple(axis.chunk for axis in plan.axes),
            order=plan.thread_order,
            lane=plan.lane,
            staged=tuple(operand.layer == WORKGROUP for operand in plan.operands),
            registers=tuple(axis.registers for axis in plan.axes),
            thread_count=plan.threads,
        )

    def axes(self) -> tuple[AxisPlan, ...]:
        """Return the axes of the plan."""
        return tuple(map(_axis, self.blocks, self.threads, self.chunks))


@lru_cache(maxsize=4096)
def _axis(block: int, threads: int, chunk: int) -> AxisPlan:
    """Return an axis; candidates have few different ones."""
    return AxisPlan(block=block, threads=threads, chunk=chunk)


def make_candidate(
    context: ProblemContext,
    registers: Sequence[int],
    threads: Sequence[int],
    fastest: Sequence[int],
    lane: int | None,
    *,
    lane_chunk: int = 0,
    reuse: bool,
    stage: bool = True,
) -> Candidate:
    """Assemble a program from a register tile and a thread tile.

    Args:
        context: The expression.
        registers: Points of one thread per loop.
        threads: Threads per loop.
        fastest: Preferred order of loops in the thread number.
        lane: Preferred lane loop; dropped where its chunk is 1.
        lane_chunk: Points of the lane loop's chunk, 0 for the widest that its register tile allows.
        reuse: Whether inputs that serve several points of the task are staged. Parallel loops other than the lane then
            take chunks too, so that tiles are read as vectors along them.
        stage: Whether anything may be staged.
    """
    limit = context.output.limit
    atom = context.atom
    chunks = [1] * len(registers)
    if atom.is_matrix:
        lane = atom.lane
        for loop, share in zip((atom.row, atom.column), atom.shares, strict=True):
            chunks[loop] = share.chunk
        if atom.reads_memory:
            first = (atom.row,) if atom.extra_axis < 0 else (atom.extra_axis, atom.row)
            fastest = (*first, *[loop for loop in fastest if loop not in first])
    elif reuse:
        for loop in context.parallel:
            chunk = registers[loop] & -registers[loop]
            chunks[loop] = chunk if chunk < limit else limit
    if lane is not None and not atom.is_matrix:
        chunk = lane_chunk or registers[lane] & -registers[lane]
        chunks[lane] = chunk if chunk < limit else limit
        if chunks[lane] == 1:
            lane = None
    blocks = tuple([r * t for r, t in zip(registers, threads, strict=True)])
    order = tuple([loop for loop in fastest if threads[loop] > 1])
    locality = order[:1] if lane is None else (lane, *order[:1])
    if lane is None and not atom.is_matrix and atom.points() > 1:
        lane = _packed_lane(context, chunks)
    stage = stage and not context.expression.walks_rows(blocks)
    return Candidate(
        blocks=blocks,
        threads=tuple(threads),
        chunks=tuple(chunks),
        order=order,
        lane=lane,
        staged=(True,) * len(context.inputs)
        if atom.is_matrix
        else staged_inputs(context, blocks, locality, reuse=reuse)
        if stage
        else (False,) * len(context.inputs),
        registers=tuple(registers),
        thread_count=prod(threads),
    )


def _packed_lane(context: ProblemContext, chunks: Sequence[int]) -> int | None:
    """Choose the loop whose neighbouring points share a packed instruction, which needs an even chunk of them.

    The one that the fewest inputs are indexed by: the others' elements are taken twice, which is free.
    """
    even = [loop for loop in context.parallel if chunks[loop] % 2 == 0]
    return min(even, key=lambda loop: sum(loop in access.loops for access in context.inputs), default=None)


def staged_inputs(
    context: ProblemContext, blocks: Sequence[int], locality: Sequence[int], *, reuse: bool
) -> tuple[bool, ...]:
    """Decide which inputs go through workgroup memory.

    With reuse, what serves several points of the task (a parallel loop of the box does not index it, or windows
    overlap). In any program but a streaming reduction, what neighbouring threads would read from distant addresses:
    its contiguous loop runs in the box, but is neither the lane nor the fastest loop of the threads. Paper: ROLLER
    section 3.2 (element-wise expressions are tiled at the top layer only).

    Args:
        context: The expression.
        blocks: Points per loop of a task's step.
        locality: The lane and the fastest loop of the threads.
        reuse: Whether the program is tiled for reuse.
    """
    if not reuse and context.reductions:
        return (False,) * len(context.inputs)
    parallel = prod([blocks[loop] for loop in context.parallel])
    result: list[bool] = []
    for access in context.inputs:
        there = False
        if access.tile(blocks)[0] >= MIN_STAGED_ELEMENTS:
            own = prod([blocks[loop] for loop in access.parallel])
            scattered = (
                access.contiguous is not None and access.contiguous not in locality and blocks[access.contiguous] > 1
            )
            there = scattered or (reuse and (own < parallel or access.windows))
        result.append(there)
    return tuple(result)
