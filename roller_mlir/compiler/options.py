# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of a compilation: what the user may force, everything else being the model's decision."""

from dataclasses import dataclass, replace
from difflib import get_close_matches
from os import PathLike
from typing import Any

from roller_mlir.lowering.backend.target import CODE_OBJECT, CODE_OBJECTS, DEFAULT_TIMEOUT_S
from roller_mlir.lowering.targets.stage import COMMON, PERSISTENT
from roller_mlir.model.options import BufferOptions, LaunchOptions, MapOptions, PipelineOptions
from roller_mlir.rammer.options import PersistentOptions
from roller_mlir.support.foreign.options import Option, Options, option

EVERY = "*"
"""Every pass, among the names of those whose IR is printed."""
_OF_LAUNCHES = ("bounded", "dependent_launch")
"""Options of kernels that are launched one by one."""


@dataclass(frozen=True, kw_only=True)
class CompileOptions(PersistentOptions, BufferOptions, MapOptions, LaunchOptions, PipelineOptions):
    """How to compile.

    Planning is forced by `PipelineOptions`, schedules by `PersistentOptions`, buffers by `BufferOptions`, maps by
    `MapOptions`, launches by `LaunchOptions`.

    Attributes:
        entry: The function to compile; None takes the only public one.
        persistent: Whether all programs become one kernel, whose blocks walk a schedule that is made here (RAMMER).
        bounded: Whether kernels are those that one persistent kernel would have, each planned for its share of the
            device beside others and for a block of as many threads, but launched one by one: to compare with.
        gate: Whether the machine code is compared with the plan's expected code; what differs becomes a warning,
            missing multiply-adds an error.
        code_object: Version of AMD's code objects: 5, or 6 for loaders of ROCm 6.3 and later.
        tool_timeout_s: How long one phase of LLVM or of a vendor's tool may take for one kernel, in seconds.
        dump_stages: Folder for each stage on the way to binaries, as it is made; None writes none.
        binaries: Whether to generate code. Without it the artifact runs in the simulator only.
        llvm: Whether to lower to LLVM IR where no code is generated, for the simulator's level llvm.
        disassemble: Whether to disassemble NVIDIA's binaries too, which tells the instructions of the main loop and
            takes longer than all the rest.
        print_before: Names of passes before which the IR is printed to stderr; "*" for all.
        print_after: Likewise after which. What is printed is not taken from the cache.
        override_stages: Stages that files replace, by name; of a stage with a file per kernel it is the file of the
            only kernel, or a folder of them. Neither these compilations nor those with a folder use the compile cache.
        cache: Whether what was compiled before may be taken from the compile cache, and this be kept there; of no
            influence on the result but its times, which whoever measures them wants without it.
    """

    entry: str | None = option(None, value="NAME", help="function to compile; by default the only public one")
    persistent: bool = option(
        False, help="make one kernel of all programs, whose blocks walk the tasks on a schedule (RAMMER)"
    )
    bounded: bool = option(
        False,
        help="plan kernels as one persistent kernel has them, each for its share of the device, but launch each; to "
        "compare with",
    )
    gate: bool = option(
        True,
        help="whether the machine code is compared with the code that the plan expects, and its multiply-adds counted",
    )
    code_object: int = option(
        CODE_OBJECT, choices=CODE_OBJECTS, help="version of AMD's code objects; ROCm 6.3 and later load 6 too"
    )
    tool_timeout_s: float = option(
        DEFAULT_TIMEOUT_S,
        value="S",
        least=0.001,
        help="end LLVM or a vendor's tool (ptxas, ld.lld) that takes longer for one kernel, in seconds",
    )
    dump_stages: str | PathLike[str] | None = option(
        None, value="DIR", help="write each stage to a file there, as it is made"
    )
    binaries: bool = True
    llvm: bool = False
    disassemble: bool = False
    print_before: tuple[str, ...] = ()
    print_after: tuple[str, ...] = ()
    override_stages: tuple[tuple[str, str | PathLike[str]], ...] = ()
    cache: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        refused, reason = refused_beside(self)
        if refused:
            names = ", ".join(one.field for one, _ in refused)
            raise ValueError(f"{names}: {reason}, but persistent is {self.persistent}")
        for field in ("print_before", "print_after"):
            for name in getattr(self, field):
                if name != EVERY and (problem := pass_problem(name)):
                    raise ValueError(f"{field}: {problem}")

    @property
    def for_shares(self) -> bool:
        """Whether kernels are planned for their shares of the device, by what runs beside them."""
        return self.persistent or self.bounded

    def launched(self) -> "CompileOptions":
        """Return what is asked where each program is a kernel of its own, planned as if it had the device alone."""
        usual: dict[str, Any] = {one.field: one.default for one in PersistentOptions.options()}
        return replace(self, persistent=False, bounded=False, **usual)

    def pipeline_options(self, kind: type[Options] = PipelineOptions) -> dict[str, str | None]:
        """Return what was asked of the passes up to planning, or of others, spelled as in a pipeline.

        Args:
            kind: Declares the options.
        """
        return {one.name: one.text(value) for one, value in kind.given_in(self)}


def pass_problem(name: str) -> str | None:
    """Return why IR cannot be printed around a pass: no compilation runs it; None where one does."""
    passes = [*(stage.made_by for stage in COMMON), *PERSISTENT]
    if name in passes:
        return None
    near = get_close_matches(name, passes, 1)
    known = f"did you mean '{near[0]}'?" if near else f"it runs {', '.join(passes)}"
    return f"a compilation has no pass '{name}'; {known}"


def refused_beside(holder: Any) -> tuple[list[tuple[Option, Any]], str]:
    """Return the options that do not go with `persistent` as it is given, with their values, and why.

    Args:
        holder: `CompileOptions`, or the arguments of a command.
    """
    if not holder.persistent:
        return PersistentOptions.given_in(holder), "only a persistent kernel has a schedule"
    given = CompileOptions.given_in(holder)
    return [one for one in given if one[0].field in _OF_LAUNCHES], "a persistent kernel is one launch"
