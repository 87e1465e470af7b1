# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of a compilation: what the user may force, everything else being the model's decision."""

from dataclasses import dataclass
from os import PathLike

from roller_mlir.backend.target import CODE_OBJECT, CODE_OBJECTS
from roller_mlir.backend.tools import DEFAULT_TIMEOUT_S
from roller_mlir.hal.instructions import FAMILIES
from roller_mlir.model.options import MOST_STAGES
from roller_mlir.model.search.alignment import RULES


@dataclass(frozen=True, kw_only=True)
class CompileOptions:
    """How to compile.

    Attributes:
        tile_sizes: Points of each loop in one task (or one reduction step), in loop order; () lets the model choose.
        thread_tile: Points of each loop that one thread holds; () lets the model choose.
        stages: Buffers of staged operands: 1, 2 for double buffering, or more; 0 lets the model choose.
        split: Whether the model may divide reductions over tasks, with a second kernel that joins the parts.
        disabled_rules: Alignment rules that the model leaves out, to see what they are worth.
        max_units: Units that a program may use at most, for co-scheduling; None for all. Such a program can be planned,
            and is refused where a kernel of its own is made of it.
        instructions: Families of instructions that the model may plan for; () for those that code is generated for.
        allow_tf32: Whether the model may round factors of type f32 to tf32, for a matrix instruction.
        plan_file: A JSON file with the whole plan; None lets the model choose.
        tuning: A tuning data base (`plan.tuning`): ops that were measured take the plans that were fastest, others are
            planned as without it.
        fusion: Whether ops may be joined into one kernel where the model expects that to save time.
        explain_fusion: Whether each decision about that becomes a note of the artifact.
        unroll_limit: Steps with kernels of their own that loops of constant bounds may have; the steps of loops with
            more share their kernels. None for the limit of `rtile-normalize`.
        launch_limit: Steps that loops of constant bounds may have at all; None likewise.
        entry: The function to compile; None takes the only public one.
        binaries: Whether to generate code. Without it the artifact runs in the simulator only.
        llvm: Whether to lower to LLVM IR where no code is generated, for the simulator's level llvm.
        gate: Whether the machine code is compared with the plan's expected code; what differs becomes a warning,
            missing multiply-adds an error.
        disassemble: Whether to disassemble NVIDIA's binaries too, which tells the instructions of the main loop and
            takes longer than all the rest.
        print_before: Names of passes before which the IR is printed to stderr; "*" for all.
        print_after: Likewise after which. What is printed is not taken from the cache.
        code_object: Version of AMD's code objects: 5, or 6 for loaders of ROCm 6.3 and later.
        tool_timeout_s: How long one phase of LLVM or of a vendor's tool may take for one kernel, in seconds.
        dump_stages: Folder for each stage on the way to binaries, as it is made; None writes none.
        override_stages: Stages that files replace, by name; of a stage with a file per kernel it is the file of the
            only kernel, or a folder of them. Neither these compilations nor those with a folder use the compile cache.
        cache: Whether what was compiled before may be taken from the compile cache, and this be kept there; of no
            influence on the result but its times, which whoever measures them wants without it.
    """

    tile_sizes: tuple[int, ...] = ()
    thread_tile: tuple[int, ...] = ()
    stages: int = 0
    split: bool = True
    disabled_rules: tuple[str, ...] = ()
    max_units: int | None = None
    instructions: tuple[str, ...] = ()
    allow_tf32: bool = False
    plan_file: str | PathLike[str] | None = None
    tuning: str | PathLike[str] | None = None
    fusion: bool = True
    explain_fusion: bool = False
    unroll_limit: int | None = None
    launch_limit: int | None = None
    entry: str | None = None
    binaries: bool = True
    llvm: bool = False
    gate: bool = True
    disassemble: bool = False
    print_before: tuple[str, ...] = ()
    print_after: tuple[str, ...] = ()
    code_object: int = CODE_OBJECT
    tool_timeout_s: float = DEFAULT_TIMEOUT_S
    dump_stages: str | PathLike[str] | None = None
    override_stages: tuple[tuple[str, str | PathLike[str]], ...] = ()
    cache: bool = True

    def __post_init__(self) -> None:
        """Check each value by itself; whether a tile fits the device is the model's to say."""
        for name, values in (("tile_sizes", self.tile_sizes), ("thread_tile", self.thread_tile)):
            if any(value < 1 for value in values):
                raise ValueError(f"{name} must be integers of at least 1, but got {list(values)}")
        for name, given, known in (
            ("disabled_rules", self.disabled_rules, RULES),
            ("instructions", self.instructions, FAMILIES),
        ):
            for one in given:
                if one not in known:
                    raise ValueError(f"{name} must be some of {', '.join(known)}, but got '{one}'")
        for name in ("max_units", "unroll_limit", "launch_limit"):
            most = getattr(self, name)
            if most is not None and most < 1:
                raise ValueError(f"{name} must be at least 1, but got {most}")
        if not self.tool_timeout_s > 0:
            raise ValueError(f"tool_timeout_s must be above 0, but got {self.tool_timeout_s}")
        if self.code_object not in CODE_OBJECTS:
            known = " or ".join(map(str, CODE_OBJECTS))
            raise ValueError(f"code_object must be {known}, but got {self.code_object}")
        if not 0 <= self.stages <= MOST_STAGES:
            raise ValueError(f"stages must be 1 to {MOST_STAGES}, or 0 for the model's choice, but got {self.stages}")

    def construct_options(self) -> dict[str, str | None]:
        """Return the options of the planning pass, spelled as in a pipeline."""
        spelled: dict[str, str | None] = {}
        if self.tile_sizes:
            spelled["tile-sizes"] = ",".join(map(str, self.tile_sizes))
        if self.thread_tile:
            spelled["thread-tile"] = ",".join(map(str, self.thread_tile))
        if self.stages:
            spelled["stages"] = str(self.stages)
        if not self.split:
            spelled["split-reductions"] = "false"
        if self.disabled_rules:
            spelled["disable-rules"] = ",".join(self.disabled_rules)
        if self.max_units is not None:
            spelled["max-units"] = str(self.max_units)
        if self.unroll_limit is not None:
            spelled["unroll-limit"] = str(self.unroll_limit)
        if self.launch_limit is not None:
            spelled["launch-limit"] = str(self.launch_limit)
        if self.instructions:
            spelled["instructions"] = ",".join(self.instructions)
        if self.allow_tf32:
            spelled["allow-tf32"] = "true"
        if self.plan_file is not None:
            spelled["plan-file"] = str(self.plan_file)
        if self.tuning is not None:
            spelled["tuning"] = str(self.tuning)
        if not self.fusion:
            spelled["fusion"] = "false"
        if self.explain_fusion:
            spelled["explain"] = "true"
        return spelled
