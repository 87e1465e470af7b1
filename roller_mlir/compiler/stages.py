# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From linalg to kernels, stage by stage, each timed."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import Device, find_device
from roller_mlir.linalg.group.group import GroupError, members_of, read_group
from roller_mlir.loops.program import programs_of
from roller_mlir.mapping.checks.expected_code import ExpectedCode, expected_code_of
from roller_mlir.mapping.checks.plan_check import plan_problem
from roller_mlir.passes.rtile_construct import TUNED
from roller_mlir.plan.plan import Plan
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass
from roller_mlir.support.passes.pipeline import RunOptions, Step, run_pipeline
from roller_mlir.targets.family import passes_to
from roller_mlir.targets.stage import COMMON, KERNELS, PLANNED, Stage

EVERY = "*"
"""Every pass, among the names of those whose IR is printed."""


@dataclass
class Stages:
    """What the passes gave.

    Attributes:
        plans: Plan of each program, by name, in program order.
        tuned: Of programs whose plan was measured, where it is from, and its times.
        expected_code: What each of these plans expects of its kernel's machine code, where that is compared.
        phases_s: Seconds per pass of ours; upstream passes count to the next of ours.
        notes: Warnings and remarks.
    """

    plans: dict[str, Plan] = field(default_factory=dict[str, Plan])
    tuned: dict[str, str] = field(default_factory=dict[str, str])
    expected_code: dict[str, ExpectedCode] = field(default_factory=dict[str, ExpectedCode])
    phases_s: dict[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()


def run_stages(
    module: ir.Module,
    target: str,
    options: CompileOptions,
    *,
    until: Stage = KERNELS,
    reached: Stage | None = None,
    on_pass: Callable[[Pass, Any], None] | None = None,
) -> Stages:
    """Lower a module to kernels and launches, in place.

    Args:
        module: One function, of linalg ops on tensors or of a later stage.
        target: What to compile for: the device's name, or the path of its description.
        options: What is forced.
        until: The last stage to make, one of `COMMON`.
        reached: The last stage that the module has reached, from `reached_stage`.
        on_pass: Called with each pass, and the module, after it ran, before anything is read from the module.

    Raises:
        DiagnosedError: The module, a forced tile or a plan file is refused, or the module is beyond `until`.
    """
    given: dict[str, str | None] = {"device": target, **options.pipeline_options()}
    if reached is not None and COMMON.index(reached) > COMMON.index(until):
        fail(module.operation, f"the module is beyond the stage '{until.name}': it is at '{reached.name}'")
    steps = passes_to(until, given)[0 if reached is None else COMMON.index(reached) + 1 :]
    device = find_device(target)
    gated = options.gate and options.binaries
    expected_code = read_expected_code(module, device) if gated else {}
    stages = Stages(plans=read_plans(module), tuned=read_tuned(module), expected_code=expected_code)
    started = time.perf_counter()

    def record(step: Pass, current: Any) -> None:
        nonlocal started
        if on_pass is not None:
            on_pass(step, current)
        stages.phases_s[step.name] = time.perf_counter() - started
        if step.name == PLANNED.made_by:
            stages.plans.update(read_plans(current))
            stages.tuned.update(read_tuned(current))
            stages.expected_code.update(read_expected_code(current, device) if gated else {})
        started = time.perf_counter()

    printed = RunOptions(
        before=tuple(name for name in options.print_before if name != EVERY),
        after=tuple(name for name in options.print_after if name != EVERY),
        print_before_all=EVERY in options.print_before,
        print_after_all=EVERY in options.print_after,
        on_step=record,
    )
    collected = run_pipeline(module, list[Step](steps), printed)
    stages.notes = tuple(f"{d.severity}: {d.message}" for d in collected.diagnostics)
    return stages


def read_plans(module: ir.Module) -> dict[str, Plan]:
    """Return the plan of every program that carries one, by the program's name, in order."""
    return {name: plan for name, plan, _ in _planned(module)}


def read_tuned(module: ir.Module) -> dict[str, str]:
    """Return of every program whose plan was measured where it is from, by the program's name, in order."""
    found: dict[str, str] = {}
    for program in programs_of(module):
        note = program.attributes.get(TUNED)
        if isinstance(note, ir.StringAttr):
            found[program.program_name] = note.value
    return found


def read_expected_code(module: ir.Module, device: Device) -> dict[str, ExpectedCode]:
    """Return what the plan of every program expects of its kernel on a device, by the program's name, in order.

    A program that goes with no kernel, or not with its plan, expects nothing: rtile-expand refuses it at its place.
    """
    found: dict[str, ExpectedCode] = {}
    for name, plan, block in _planned(module):
        members = members_of(block)
        if not members:
            continue
        results = list(block.operations[len(block.operations) - 1].operation.operands)
        try:
            expression = read_group(members, results).expression
        except GroupError:
            continue
        if not plan_problem(expression, plan):
            found[name] = expected_code_of(expression, plan, device)
    return found


def _planned(module: ir.Module) -> list[tuple[str, Plan, ir.Block]]:
    """Return name, plan and region of every program that carries a plan."""
    found: list[tuple[str, Plan, ir.Block]] = []

    def visit(op: ir.Operation) -> Any:
        if op.name == "rtile.program" and "plan" in op.attributes:
            attribute: Any = op.attributes["plan"]
            found.append((ir.StringAttr(op.attributes["sym_name"]).value, attribute.read(), op.regions[0].blocks[0]))
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found
