# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plan of one program: the whole decision, which code generation realises and never alters.

Paper: ROLLER section 3 (rTile per memory layer, rProgram).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import ceil, prod
from typing import Annotated

from roller_mlir.plan.extent import Extent
from roller_mlir.plan.records.codec import OneOf, PowerOfTwo, Range, seldom
from roller_mlir.plan.records.hashed import hashed_once

WORKGROUP = "workgroup"
REGISTER = "register"
CONSTANT = "constant"
"""Where a tile lies: in memory that a task fills with it; in the tensor, until it is used; in a constant that was
packed as tasks want it when the program was compiled."""

XOR, TMA128 = "xor", "tma128"
"""Permutations of a tile's 16-byte pieces instead of padding: by the row's number; as tensor copies lay them."""

SYNCHRONOUS, ASYNCHRONOUS, TENSOR = "synchronous", "asynchronous", "tensor"
"""How a tile gets to workgroup memory: through registers; by copies of a thread that it waits for later; by copies of
whole tiles that one thread starts."""
STAGED = "staged"
"""How results get to memory, beside these: through workgroup memory, from which all threads store whole rows."""
LAYERS, STORES = (WORKGROUP, REGISTER, CONSTANT), (SYNCHRONOUS, STAGED, TENSOR)

DIRECT, REGISTER_PREFETCH = "direct", "register-prefetch"
DEEP_ASYNCHRONOUS, WARP_SPECIALISED = "deep-asynchronous", "warp-specialised"
"""How a task walks the steps of its reduction: nothing is staged; the next step's tiles travel to registers while one
computes; copies run ahead by several buffers; threads of their own copy, in a ring of buffers."""

MOST_POINTS = 1 << 20
"""Of one loop in a task, and of anything else that a plan counts: far beyond any device, and soon looked through."""
MOST_WIDTH = 128
"""Elements of one access: far beyond any device, too."""

Count = Annotated[int, Range(1, MOST_POINTS)]
LoopNumber = Annotated[int, Range(0)]
InputNumber = Annotated[int, Range(0)]
Width = Annotated[int, PowerOfTwo(1, MOST_WIDTH)]


@dataclass(frozen=True)
class StepPipeline:
    """How a task walks the steps of its reduction.

    Attributes:
        name: As plans spell it.
        specialised: Whether threads of their own copy, also for a block's next task while its last one ends.
        left: Buffers, of two and more, that are not filled before the first step computes.
    """

    name: str
    specialised: bool = False
    left: int = 1

    def steps_ahead(self, stages: int, trips: int) -> int:
        """Return the steps whose tiles are copied before the first one computes.

        Args:
            stages: Buffers of each staged tile.
            trips: Steps of the reduction.

        >>> [PIPELINES[name].steps_ahead(4, 8) for name in (DEEP_ASYNCHRONOUS, WARP_SPECIALISED)]
        [3, 4]
        """
        return max(1, min(stages, trips) - self.left)


PIPELINES = {
    one.name: one
    for one in (
        StepPipeline(DIRECT),
        StepPipeline(REGISTER_PREFETCH),
        StepPipeline(DEEP_ASYNCHRONOUS),
        StepPipeline(WARP_SPECIALISED, specialised=True, left=0),
    )
}
"""All pipelines by name."""


def pipeline_of(copies: Sequence[str], stages: int, *, matrix: bool) -> str:
    """Return the pipeline of a reduction where nobody says another.

    Args:
        copies: How each staged tile gets to workgroup memory.
        stages: Buffers of each.
        matrix: Whether a matrix instruction computes the steps.

    >>> pipeline_of(("synchronous",), 2, matrix=False), pipeline_of(("asynchronous",), 4, matrix=True)
    ('register-prefetch', 'deep-asynchronous')
    """
    if not copies:
        return DIRECT
    if TENSOR in copies:
        return WARP_SPECIALISED
    ahead = matrix or stages > 2 or any(copy != SYNCHRONOUS for copy in copies)
    return DEEP_ASYNCHRONOUS if ahead else REGISTER_PREFETCH


def pipeline_problem(pipeline: str, copies: Sequence[str], stages: int, *, matrix: bool) -> str:
    """Return how a pipeline cannot walk such a reduction, see `pipeline_of`, or an empty string."""
    usual = pipeline_of(copies, stages, matrix=matrix)
    if pipeline == usual or (pipeline == DEEP_ASYNCHRONOUS and usual == REGISTER_PREFETCH and stages == 2):
        return ""
    tiles = (
        f"{stages} stage{'s' if stages > 1 else ''} of {', '.join(dict.fromkeys(copies))} copies"
        if copies
        else "no staged tile"
    )
    return f"pipeline '{pipeline}' for {tiles}{' and a matrix instruction' if matrix else ''}, which take '{usual}'"


@hashed_once
@dataclass(frozen=True, kw_only=True)
class AxisPlan:
    """How one loop's box (or one reduction step of it) is spread over threads and registers.

    Register r of thread t holds position r // chunk * (threads * chunk) + t * chunk + r % chunk. Where a matrix
    instruction spans the loop, that holds inside its `tile` for its `lanes`; the threads are lanes times subgroups,
    whose tiles alternate: run q of subgroup s is tile q * subgroups + s of the block.

    Attributes:
        block: Points of the loop in one task (parallel loop) or one step (reduction loop).
        threads: Threads along the loop.
        chunk: Neighbouring points that one thread holds together.
        lanes: Threads of one subgroup along the loop in one matrix instruction, 0 where none spans the loop.
        tile: Points along the loop that a subgroup computes by one matrix instruction, 0 likewise.
        walked: Blocks along the loop that one task walks, where it is in the plan's inner_order; 0 for all of them.
    """

    block: Count
    threads: Count = 1
    chunk: Count = 1
    lanes: Annotated[int, Range(0, MOST_POINTS)] = seldom(0)
    tile: Annotated[int, Range(0, MOST_POINTS)] = seldom(0)
    walked: Annotated[int, Range(0, MOST_POINTS)] = seldom(0)

    @property
    def registers(self) -> int:
        """Points that one thread holds along the loop."""
        return self.block // self.threads


@hashed_once
@dataclass(frozen=True, kw_only=True)
class OperandPlan:
    """Where an input's tile lives and how it lies there.

    Attributes:
        layer: "workgroup" (staged), "register" (read directly), or "constant" (a constant, packed in the layout of
            tiles when the program is compiled).
        order: The tile's dimensions in memory order, outermost first.
        pad: Elements appended to each innermost row in workgroup memory.
        vector: Elements of one global access.
        store_vector: Elements of one access that writes workgroup memory.
        fragment_vector: Elements of one access that reads the tile in the compute step.
        pad_value: What elements outside the tensor read as; None leaves them unspecified.
        swizzle: How the pieces of each row are permuted ("xor", "tma128"), None where rows lie as they are.
        copy: How the tile gets there: "synchronous", "asynchronous" or "tensor".
        panel: Elements of each innermost row that lie together: the tile lies as panels of so many columns, one whole
            panel behind the other; 0 where rows lie whole.
        interleave: Neighbours along the last but one dimension of `order` that lie together, for each point of the last
            one: 2 makes of rows a and b one row a0 b0 a1 b1; None where rows lie as they are.
    """

    layer: Annotated[str, OneOf(LAYERS)]
    order: tuple[LoopNumber, ...]
    pad: Annotated[int, Range(0, MOST_POINTS)] = 0
    vector: Width = 1
    store_vector: Width = 1
    fragment_vector: Width = 1
    pad_value: float | None = None
    swizzle: Annotated[str, OneOf((XOR, TMA128))] | None = None
    copy: Annotated[str, OneOf((SYNCHRONOUS, ASYNCHRONOUS, TENSOR))] = seldom(SYNCHRONOUS)
    panel: Annotated[int, Range(0, MOST_POINTS)] = seldom(0)
    interleave: Annotated[int, PowerOfTwo(2, MOST_WIDTH)] | None = None


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What the micro-performance model expects of a plan. A prediction is not a measurement.

    Attributes:
        seconds: Expected time of the program.
        seconds_by_layer: Time per memory layer and for "compute" and "launch", were each the only limit.
        saturated: The key of seconds_by_layer that limits.
        global_load_bytes: Bytes of in-range elements read from global memory.
        global_store_bytes: Bytes written to global memory.
        global_load_sectors: 32-byte sectors requested by loads.
        global_store_sectors: 32-byte sectors requested by stores.
        shared_load_bytes: Bytes that threads read from workgroup memory.
        shared_store_bytes: Bytes that threads write to workgroup memory.
        shared_load_phases: Bank phases of those reads.
        shared_store_phases: Bank phases of those writes.
        flops: Arithmetic operations executed.
        registers: Registers per thread.
        shared_bytes: Workgroup memory per task, in bytes.
        tasks: Number of tasks (blocks of the grid).
        threads: Threads per task.
        tasks_per_unit: Tasks that fit on one unit at a time.
        waves: Tasks over those that the device holds at a time.
        occupancy: Resident threads as a share of the unit's limit.
    """

    seconds: float
    seconds_by_layer: dict[str, float]
    saturated: str
    global_load_bytes: int
    global_store_bytes: int
    global_load_sectors: int
    global_store_sectors: int
    shared_load_bytes: int
    shared_store_bytes: int
    shared_load_phases: int
    shared_store_phases: int
    flops: int
    registers: int
    shared_bytes: int
    tasks: int
    threads: int
    tasks_per_unit: int
    waves: float
    occupancy: float

    @property
    def launch_s(self) -> float:
        """What of its time a launch takes."""
        return self.seconds_by_layer.get("launch", 0.0)

    @property
    def task_s(self) -> float:
        """The time of a task beside as many others as the device holds: of one wave, without the launch."""
        return (self.seconds - self.launch_s) / ceil(self.waves)

    def times(self, factor: float) -> "Prediction":
        """Return it where all takes by a factor longer, as was measured, but for the launch."""
        return replace(self, seconds=self.launch_s + factor * (self.seconds - self.launch_s))


@dataclass(frozen=True, kw_only=True)
class SplitKPartial:
    """What the plan of a first stage belongs to: its loop 0 numbers the parts of a divided reduction.

    Attributes:
        loop: The reduction loop that is divided, in the whole operator.
        parts: How many parts: the extent of the first stage's loop 0.
        extent: Points of the loop in one part; the last part may have fewer.
        joined: Whether the parts are joined in the same kernel, by that block of each tile of the output which ends
            last; else by a second kernel.
    """

    loop: LoopNumber
    parts: Annotated[Extent, Range(2)]
    extent: Annotated[Extent, Range(1)]
    joined: bool = False


@dataclass(frozen=True, kw_only=True)
class SplitK(SplitKPartial):
    """A reduction that is divided over tasks: each computes a part of it, a second stage joins the partial results.

    Attributes:
        join: The plan of the second stage, for `plan.rewrite.split.join_expression`.
    """

    join: "Plan"


@dataclass(frozen=True, kw_only=True)
class AtomPlan:
    """A matrix instruction applied to three loops: rows and columns of the result, and the sum.

    Attributes:
        shape: Rows, columns and reduction length of one instruction.
        row: Loop of its rows.
        column: Loop of its columns.
        depth: Loop of its reduction.
        lane_order: The loops of rows and columns in the number of a lane, fastest first.
    """

    shape: tuple[Count, Count, Count]
    row: LoopNumber
    column: LoopNumber
    depth: LoopNumber
    lane_order: tuple[LoopNumber, ...]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The decision for one program on one device.

    Attributes:
        device: Name of the device.
        instruction: Instruction family of the inner product ("fma", "packed_fma", "mma", "wgmma", "mfma", "wmma",
            "dot", "amx").
        axes: One AxisPlan per loop of the expression.
        thread_order: Loops with more than one thread, fastest in the thread number first.
        lane: Loop whose chunk becomes the SSA vector, None for scalars.
        unit_order: Parallel loops with more than one task, outermost first: the raster of tasks.
        inner_order: Loops of unit_order that one task walks by itself, outermost first; those of which it walks all
            blocks are the last of unit_order. A staged operand is packed in front of the first of them that does not
            move it (of all of them, where each does), for all blocks of those inside. Steps of a reduction then stand
            around these loops, and the sums between two steps lie in the result. Empty where a task is one tile.
        raster: The loops over tasks level by level, outermost first: a loop of unit_order, its steps on the level, and
            the tasks along it from one step to the next; a loop may have several levels, as super-rows of tiles and
            space-filling curves have. Empty where the loops of unit_order follow each other.
        reduction_order: Reduction loops, outermost first.
        operands: One OperandPlan per input.
        epilogue_vectors: Elements of one read of each tensor that is read beside the inputs, see
            `TensorExpression.beside`; empty is what `mapping.layout.spread.planned_epilogue_vectors` says.
        stages: Buffers of the staged operands: 1, 2 for double buffering, or more where copies are not synchronous.
        pipeline: How a task walks the steps of its reduction, one of `PIPELINES`; "" is what `pipeline_of` says.
        unroll: Reduction points that are unrolled inside one step.
        edge: How partial tiles are treated ("mask").
        split: The reduction loop that is divided over tasks, None where no part of a reduction leaves its task.
        part: What the plan is the first stage of, None where it stands for a whole operator.
        max_units: Units that the program may use at most, for co-scheduling; None for the whole device.
        tasks_per_unit: How many tasks are to fit on one unit at a time, which bounds registers; None leaves it to the
            back end.
        store: How results leave: "synchronous" (each thread writes its own), "staged" (through workgroup memory, from
            which neighbouring threads store neighbouring elements) or "tensor" (whole tiles, from there, by copies that
            one thread starts).
        spread: Whether threads that split the reduction share the points of what follows it, see
            `mapping.layout.spread`; else each of them computes all the points that it holds.
        persistent: Whether blocks that fill the device once walk all tasks, so that a task's end overlaps the copies of
            the next one; else each task is a block.
        atom: The instruction that multiplies matrices and its loops, None where each thread computes point by point.
        skips: Inputs whose padding of 0 contributes nothing, since the other factor is a constant of finite numbers:
            points that read padding alone are left out.
        prediction: The model's expectation, None before it was asked.
    """

    device: str
    instruction: str = "fma"
    axes: tuple[AxisPlan, ...]
    thread_order: tuple[LoopNumber, ...]
    lane: LoopNumber | None = None
    unit_order: tuple[LoopNumber, ...]
    reduction_order: tuple[LoopNumber, ...]
    operands: tuple[OperandPlan, ...]
    epilogue_vectors: tuple[Width, ...] = seldom(())
    stages: Count = 1
    pipeline: Annotated[str, OneOf(("", *PIPELINES))] = ""
    unroll: Count = 1
    edge: Annotated[str, OneOf(("mask",))] = "mask"
    tasks_per_unit: Count | None = None
    split: SplitK | None = None
    part: SplitKPartial | None = None
    max_units: Count | None = None
    store: Annotated[str, OneOf(STORES)] = seldom(SYNCHRONOUS)
    spread: bool = seldom(False)
    persistent: bool = seldom(False)
    inner_order: tuple[LoopNumber, ...] = seldom(())
    raster: tuple[tuple[LoopNumber, Count, Count], ...] = seldom(())
    atom: AtomPlan | None = None
    skips: tuple[InputNumber, ...] = seldom(())
    prediction: Prediction | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        """Say the pipeline where nobody has."""
        if not self.pipeline:
            said = pipeline_of(self.copies, self.stages, matrix=self.atom is not None)
            object.__setattr__(self, "pipeline", said)

    @property
    def copies(self) -> tuple[str, ...]:
        """How each staged operand gets to workgroup memory."""
        return tuple(operand.copy for operand in self.operands if operand.layer == WORKGROUP)

    @property
    def launches(self) -> int:
        """Kernels that it becomes: two, where a second one joins the parts of a reduction."""
        return 1 if self.split is None or self.split.joined else 2

    @property
    def threads(self) -> int:
        """Threads per task."""
        return prod([axis.threads for axis in self.axes])

    @property
    def lane_order(self) -> tuple[int, ...]:
        """Loops with lanes of a matrix instruction, fastest in the thread number first."""
        return self.atom.lane_order if self.atom is not None else ()
