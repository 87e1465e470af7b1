# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may ask of planning, and of the passes before it.

Each option is declared here alone. Passes, `CompileOptions` and `ConstructOptions` inherit it; `console.arguments`
makes flags of commands of it.
"""

from dataclasses import dataclass
from os import PathLike

from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model.search.alignment import RULES
from roller_mlir.support.foreign.options import Options, option

MOST_STAGES = 8
"""Buffers of staged operands at most."""


@dataclass(frozen=True, kw_only=True)
class DeviceOptions(Options):
    """What a pass works for.

    Raises:
        ValueError: No device is named, or it is unknown.
    """

    device: str = option(
        "", help="device to compile for: a name that 'roller devices' lists, or a path to a .toml file"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.device:
            raise ValueError("device must name a device, but got ''; 'roller devices' lists them")
        find_device(self.device)


@dataclass(frozen=True, kw_only=True)
class AxisOptions(Options):
    """How axes of ops are read."""

    fuse_axes: bool = option(True, help="merge neighbouring loops that every operand runs through contiguously")


@dataclass(frozen=True, kw_only=True)
class TileOptions(Options):
    """A user schedule: the tile of a task, that of a thread, and stages."""

    tile_sizes: tuple[int, ...] = option(
        (), least=1, help="points of each loop in one task (or one reduction step), in the op's loop order"
    )
    thread_tile: tuple[int, ...] = option((), least=1, help="points of each loop that one thread holds")
    stages: int = option(
        0,
        choices=range(MOST_STAGES + 1),
        help="buffers of staged operands, more than 2 where no copy passes through registers; 0: the model decides",
    )


@dataclass(frozen=True, kw_only=True)
class BlockOptions(Options):
    """What a block may be, where programs share one."""

    block_threads: int | None = option(
        None, least=1, help="threads that a block has, for bodies of one kernel; by default as many as the model wants"
    )
    task_threads: int | None = option(
        None,
        least=1,
        help="threads of a block that compute, beside which others may only copy, in place of block-threads",
    )
    block_registers: int | None = option(
        None, least=1, help="registers that a thread of a block has at most; by default what the device has"
    )
    block_workgroup_bytes: int | None = option(
        None, least=1, help="bytes of workgroup memory of a block at most; by default what the device has"
    )

    blocks_per_unit: int | None = option(
        None, least=1, help="blocks that a unit holds at a time at most; by default what the device has"
    )

    @property
    def limits_block(self) -> bool:
        """Whether any of them is given."""
        return bool(BlockOptions.given_in(self))


@dataclass(frozen=True, kw_only=True)
class ChoiceOptions(BlockOptions):
    """What the construction may do."""

    split: bool = option(
        True,
        help="whether reductions may be divided over tasks, with a second stage that joins the parts",
    )
    join: bool = option(
        True,
        help="whether the parts of a divided reduction may be joined in the same kernel, by the block of each tile "
        "that ends last, where the model expects that to save time",
    )
    staged_stores: bool = option(
        True,
        help="whether results may pass workgroup memory, from which neighbouring threads store neighbouring elements, "
        "where the model expects that to save time",
    )
    disabled_rules: tuple[str, ...] = option(
        (),
        value="RULE",
        choices=RULES,
        help=f"alignment rules to leave out, of {', '.join(RULES)}, to see what they are worth",
    )
    instructions: tuple[str, ...] = option(
        (),
        value="FAMILY",
        choices=FAMILIES,
        help=f"families of instructions to plan for, of {', '.join(FAMILIES)}; by default all",
    )
    allow_tf32: bool = option(
        False, help="whether factors of type f32 may be rounded to tf32, for a matrix instruction"
    )
    max_units: int | None = option(
        None, least=1, help="units that a program may use at most, for co-scheduling; by default all of the device"
    )


@dataclass(frozen=True, kw_only=True)
class ResidualOptions(Options):
    """What measurements may say beside the model."""

    residual: bool = option(
        True, help="whether a residual that passed its gate may order what the model predicts, where there is one"
    )
    residual_file: str | PathLike[str] | None = option(
        None, value="PATH", help="residual as 'roller train' writes it, or a folder of them; before the package's own"
    )


@dataclass(frozen=True, kw_only=True)
class PlanningOptions(ChoiceOptions, TileOptions, ResidualOptions):
    """What narrows or widens the plans of an op."""


@dataclass(frozen=True, kw_only=True)
class PlanFileOptions(Options):
    """Plans that are not constructed."""

    plan_file: str | PathLike[str] | None = option(
        None, value="FILE", help="JSON file of plans by program name, as 'roller compile --emit plan --json' writes"
    )
    tuning: str | PathLike[str] | None = option(
        None,
        value="FILE",
        help="tuning data base, as 'roller tune' writes: ops that were measured take the fastest plan, others are "
        "planned as without it",
    )


@dataclass(frozen=True, kw_only=True)
class FusionOptions(Options):
    """How ops are joined."""

    fusion: bool = option(
        True, help="whether ops may be joined into one kernel, where the model expects that to save time"
    )
    channels_last: bool = option(
        False,
        help="whether convolutions of 16 and 8 bits may be computed with channels last, between copies of their "
        "tensors, where the model expects that to save time",
    )
    propagate_layouts: bool = option(
        True,
        help="whether, on CPUs, convolutions and poolings of images with channels first may be computed with channels "
        "last, and all between them, where the model expects that to save time",
    )
    horizontal_fusion: bool = option(
        True,
        help="whether ops that reduce one tensor with several others, such as products with three matrices, may be one "
        "op, where the model expects that to save time",
    )
    explain_fusion: bool = option(
        False,
        help="say what was joined, what that saves, and why other ops were not",
    )


@dataclass(frozen=True, kw_only=True)
class LoopOptions(Options):
    """How loops of constant bounds around ops become launches."""

    unroll_limit: int = option(
        256,
        least=1,
        help="steps of loops with constant bounds that have kernels of their own at most; of more, steps share them",
    )
    launch_limit: int = option(4096, least=1, help="steps of loops with constant bounds at most")


@dataclass(frozen=True, kw_only=True)
class BufferOptions(Options):
    """Where results between programs lie."""

    reuse: bool = option(
        True, help="whether results share bytes of the workspace; where not, fewer launches of a graph wait for others"
    )


@dataclass(frozen=True, kw_only=True)
class MapOptions(Options):
    """Who makes the tensor maps of tensor copies."""

    tensor_maps: str = option(
        "host",
        choices=("host", "device"),
        help="who makes the tensor maps of tensor copies: host (the launcher, which passes them by value), or device "
        "(each block of a kernel, for launchers that pass pointers to whole tensors alone)",
    )


@dataclass(frozen=True, kw_only=True)
class LaunchOptions(Options):
    """How kernels are launched."""

    dependent_launch: bool = option(
        False,
        help="whether a kernel may start before those that it needs have ended, and waits for them itself, behind what "
        "nothing writes: CUDA's programmatic dependent launch, of which graphs of launches make use",
    )


@dataclass(frozen=True, kw_only=True)
class PipelineOptions(PlanFileOptions, PlanningOptions, FusionOptions, LoopOptions):
    """All options of the passes from linalg to plans that a compilation passes on."""


@dataclass(frozen=True, kw_only=True)
class CandidateOptions(Options):
    """How many plans of an op are asked for."""

    top_k: int = option(10, value="K", least=1, help="plans of each operator at most")


@dataclass(frozen=True, kw_only=True)
class ConstructOptions(CandidateOptions, PlanningOptions):
    """Options of `construct`, beside those of `PlanningOptions`.

    Attributes:
        epsilon: Largest share of an axis by which padding may grow it, before it is relaxed (ROLLER section 3.1).
        constants: Inputs whose content is known when the program is compiled, so that it may be packed then.
        finite: Those of them whose elements are finite numbers: a product of one and of padding is nothing.
    """

    epsilon: float = 0.5
    constants: tuple[int, ...] = ()
    finite: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.epsilon < 0:
            raise ValueError(f"epsilon must not be negative, but got {self.epsilon}")
