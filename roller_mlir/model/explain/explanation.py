# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The record that `roller explain` shows, for people or as JSON: the field names are the keys of the JSON.

Times are predictions of the model in seconds, no measurements; sizes are in elements or, where named so, in bytes.
"""

from dataclasses import dataclass

from roller_mlir.model.cost.roofline import Roofline
from roller_mlir.model.explain.trace import Refinement, Shrink, Walk
from roller_mlir.model.search.axis_limits import AxisLimits, BankLayout
from roller_mlir.plan import Prediction


@dataclass(frozen=True, kw_only=True)
class LoopFacts:
    """One loop: its name, extent, and whether data is reused along it."""

    name: str
    extent: int
    reduction: bool
    reused: bool


@dataclass(frozen=True, kw_only=True)
class TileBox:
    """What one tensor has of a tile.

    Attributes:
        block: Elements of the task's data tile per dimension, halo included; one step of the reduction loops.
        task: The same of all of a task's steps, within the tensor.
        thread: Elements of one thread in one step.
        halo: Elements of one step's tile per dimension that a neighbouring task's step has too.
        task_halo: The same of all of a task's steps.
        step: Tensor elements between neighbouring elements of the tile, per dimension.
        staged: Whether it goes through workgroup memory (inputs only).
    """

    block: tuple[int, ...]
    task: tuple[int, ...]
    thread: tuple[int, ...]
    halo: tuple[int, ...]
    task_halo: tuple[int, ...]
    step: tuple[int, ...]
    staged: bool


@dataclass(frozen=True, kw_only=True)
class TensorFacts:
    """One tensor: name, role, shape, index map, bytes, padding value, and the winner's tile.

    The role is "input", "epilogue" or "output".
    """

    name: str
    role: str
    shape: tuple[int, ...]
    element_type: str
    index_map: str
    size_bytes: int
    pad_value: float | None
    tile: TileBox


@dataclass(frozen=True, kw_only=True)
class OperatorFacts:
    """The operator as the model sees it.

    Attributes:
        loops: Its loops, after axis fusion.
        source_extents: Extents of the loops as the source has them, None where they are not known.
        tensors: Inputs, then what the epilogue reads, then the output.
        points: Points of the loop nest.
        flops: Arithmetic operations.
        tensor_bytes: Bytes of all tensors, each moved once.
        intensity: flops over tensor_bytes, flop/B.
        combiner: What joins the points of reductions, None without.
        fused_multiply_add: Whether a point is one multiplication and addition.
    """

    loops: tuple[LoopFacts, ...]
    source_extents: tuple[int, ...] | None
    tensors: tuple[TensorFacts, ...]
    points: int
    flops: int
    tensor_bytes: int
    intensity: float
    combiner: str | None
    fused_multiply_add: bool


@dataclass(frozen=True, kw_only=True)
class DeviceLimits:
    """The device's limits that the operator was planned against; rates are those of the units that may be used."""

    device: str
    description: str
    units: int
    device_units: int
    clock_hz: float
    subgroup_size: int
    schedulers_per_unit: int
    max_threads_per_block: int
    max_threads_per_unit: int
    registers_per_unit: int
    max_registers_per_thread: int
    max_workgroup_bytes_per_block: int
    max_workgroup_bytes_per_unit: int
    banks: int
    bank_bytes: int
    transaction_bytes: int
    cache_bytes: int
    cache_bytes_per_s: float
    global_bytes_per_s: float
    launch_s: float


@dataclass(frozen=True, kw_only=True)
class Alignment:
    """Alignment: the epsilon of the tensor-shape rule, disabled rules, each axis, each staged operand's layout."""

    epsilon: float
    disabled: tuple[str, ...]
    axes: tuple[AxisLimits, ...]
    banks: tuple[BankLayout, ...]


@dataclass(frozen=True, kw_only=True)
class StreamScore:
    """Reuse score of doubling a streaming program's tile along a loop: traffic saved over footprint added."""

    axis: int
    score: float


@dataclass(frozen=True, kw_only=True)
class Path:
    """How the winner was constructed.

    Attributes:
        kind: "tiled" (Figure 8), or "streaming" (tiles for the top layer only).
        searched: Programs with reuse that were evaluated, or streaming programs that were made.
        walks: Per layer, the enlargements ("tiled").
        shrinks: Shrinkings after them.
        descent: Steps along the predicted time from the program so found; empty where it is the best by itself.
        scores: Reuse scores of larger streaming tiles ("streaming").
        chosen: What was chosen instead ("streaming"), by name.
    """

    kind: str
    searched: int
    walks: tuple[Walk, ...] = ()
    shrinks: tuple[Shrink, ...] = ()
    descent: tuple[Refinement, ...] = ()
    scores: tuple[StreamScore, ...] = ()
    chosen: dict[str, str] | None = None


@dataclass(frozen=True, kw_only=True)
class SplitFacts:
    """A divided reduction: its loop, parts, points of a part, and what the model expects of the second stage.

    Parts are `joined` in the same kernel, by the block of each tile that ends last, or by a second kernel.
    """

    axis: int
    parts: int
    extent: int
    join_seconds: float
    join_block: tuple[int, ...]
    join_threads: int
    joined: bool


@dataclass(frozen=True, kw_only=True)
class Row:
    """One of the first K programs."""

    rank: int
    block: tuple[int, ...]
    thread: tuple[int, ...]
    threads: int
    stages: int
    instruction: str
    store: str
    split: int
    registers: int
    workgroup_bytes: int
    tasks: int
    tasks_per_unit: int
    occupancy: float
    waves: float
    load_bytes: int
    store_bytes: int
    seconds: float
    saturated: str
    seconds_by_layer: dict[str, float]
    emitted: bool


@dataclass(frozen=True, kw_only=True)
class LayerTime:
    """One term of the winner's prediction.

    Attributes:
        layer: Its name.
        seconds: Time, were it the only limit.
        share: seconds over the predicted time: how close the program is to this limit.
        runner_up_seconds: The same of the second program, None without one.
    """

    layer: str
    seconds: float
    share: float
    runner_up_seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """Everything about one operator on one device.

    Attributes:
        name: Name of the program.
        operator: The operator.
        limits: The device.
        alignment: What the rules ask and the winner meets.
        path: How the winner was constructed.
        split: How its reduction is divided, None where it is not.
        weighed: Programs that were evaluated.
        candidates: The first K programs.
        why: Why the first is before the second.
        residual: What a residual had to do with their order, "" where none is known of such programs.
        layers: The winner's prediction, term by term.
        prediction: The whole record.
        tail: Share of the last round's places that stay empty: 1 - waves / ceil(waves).
        roofline: The winner under the machine's roofs.
        families: Families of instructions that code generation can emit.
        compiled_rank: Which of the candidates `roller compile` takes, None if it is none of them.
        compiled_note: What that means.
    """

    name: str
    operator: OperatorFacts
    limits: DeviceLimits
    alignment: Alignment
    path: Path
    split: SplitFacts | None
    weighed: int
    candidates: tuple[Row, ...]
    why: str
    residual: str
    layers: tuple[LayerTime, ...]
    prediction: Prediction
    tail: float
    roofline: Roofline
    families: tuple[str, ...]
    compiled_rank: int | None
    compiled_note: str
