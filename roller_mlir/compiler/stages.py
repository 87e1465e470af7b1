# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From linalg to kernels, stage by stage, each timed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.options import EVERY, CompileOptions
from roller_mlir.compiler.persistent import BlockChoice, check_persistent, with_block
from roller_mlir.hal import find_device
from roller_mlir.lowering.loops.verify import ModuleVerifier
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import COMMON, FUSED, KERNELS, NORMALISED, Stage
from roller_mlir.model.collection import collection_paused
from roller_mlir.model.options import BufferOptions, LaunchOptions, MapOptions
from roller_mlir.rammer.options import PersistentOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.elements import knowing_weights
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.analyses import keeping_analyses
from roller_mlir.support.passes.passes import Pass
from roller_mlir.support.passes.pipeline import RunOptions, Step, run_pipeline

if TYPE_CHECKING:
    from roller_mlir.importers.weights import Weights


@dataclass
class Stages:
    """What the passes gave beside the module.

    Attributes:
        phases_s: Seconds per pass of ours; upstream passes count to the next of ours.
        notes: Warnings and remarks.
        blocks: Of kernels that are planned for shares: the numbers of threads of a task that were planned for.
    """

    phases_s: dict[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()
    blocks: tuple[BlockChoice, ...] = ()


def run_stages(
    module: ir.Module,
    target: str,
    options: CompileOptions,
    *,
    until: Stage = KERNELS,
    reached: Stage | None = None,
    on_pass: Callable[[Pass, Any], None] | None = None,
    weights: "Weights | None" = None,
) -> Stages:
    """Lower a module to kernels and launches, in place.

    Args:
        module: One function, of linalg ops on tensors or of a later stage.
        target: What to compile for: the device's name, or the path of its description.
        options: What the user asks for.
        until: The last stage to make, one of `COMMON`.
        reached: The last stage that the module has reached, from `reached_stage`.
        on_pass: Called with each pass, and the module, after it ran.
        weights: Data of constants that the module names only.

    Raises:
        DiagnosedError: The module, a user schedule or a plan file is refused, or the module is beyond `until`.
    """
    if reached is not None and COMMON.index(reached) > COMMON.index(until):
        fail(module.operation, f"the module is beyond the stage '{until.name}': it is at '{reached.name}'")
    if options.for_shares:
        check_persistent(module, reached, find_device(target), "persistent" if options.persistent else "bounded")
    stages = Stages()
    started = time.perf_counter()

    def record(step: Pass, current: Any) -> None:
        nonlocal started
        if on_pass is not None:
            on_pass(step, current)
        stages.phases_s[step.name] = time.perf_counter() - started
        started = time.perf_counter()

    def run(first: Stage | None, last: Stage) -> None:
        steps = _passes(target, options, last)
        if first is not None:
            steps = steps[[step.name for step in steps].index(first.made_by) + 1 :]
        collected = run_pipeline(module, list[Step](steps), printed)
        stages.notes += tuple(f"{d.severity}: {d.message}" for d in collected.diagnostics)

    printed = RunOptions(
        before=tuple(name for name in options.print_before if name != EVERY),
        after=tuple(name for name in options.print_after if name != EVERY),
        print_before_all=EVERY in options.print_before,
        print_after_all=EVERY in options.print_after,
        on_step=record,
        verify=ModuleVerifier(),
    )
    with collection_paused(), keeping_analyses(), knowing_weights(weights or {}):
        if options.for_shares and reached in (None, FUSED) and until not in (NORMALISED, FUSED):
            # The threads of a task are chosen where it is known which ops are one program.
            if reached is None:
                run(None, FUSED)
            options, stages.blocks = with_block(module, find_device(target), target, options)
            stages.phases_s["threads"] = time.perf_counter() - started
            started = time.perf_counter()
            run(FUSED, until)
        else:
            run(reached, until)
    return stages


def _passes(target: str, options: CompileOptions, last: Stage) -> list[Pass]:
    """Return the passes from linalg to a stage."""
    given: dict[str, str | None] = {"device": target, **options.pipeline_options()}
    kinds = [BufferOptions, MapOptions, LaunchOptions, *([PersistentOptions] if options.persistent else [])]
    for kind in kinds:
        given |= options.pipeline_options(kind)
    return passes_to(last, given, persistent=options.persistent, bounded=options.bounded)
