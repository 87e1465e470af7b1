# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-construct`: every linalg op, or group of ops, becomes a program with the plan that construction chose for it.

Precondition: functions of linalg structured ops on static tensors (`rtile-normalize`), some of them maybe in an
`rtile.program` without a plan (`rtile-fuse`). Postcondition: each op stands in an `rtile.program` with `#rtile.plan`,
those that were joined in one; `linalg.fill` and `tensor.empty` of an output stand inside too, and so does a
`tensor.pad` that an op reads through: the program takes the tensor inside.

    %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %r = linalg.matmul ins(%A, %B : ...) outs(%i : ...) -> tensor<1024x1024xf32>
    // becomes
    %r = "rtile.program"(%A, %B) ({ ... linalg.fill ... linalg.matmul ... })
        {sym_name = "matmul_0", plan = #rtile.plan<{device = "h200", axes = [...], ...}>}

Where the plan divides a reduction over tasks, two programs take the op's place: `matmul_0` with the plan of the parts,
whose `part` says which loop was divided into what, and `matmul_0_join` with the plan of the second stage. The number of
an op does not change with that. Where blocks of the first are to join the parts, the second is `joined` and has the
loops of the output: both become one kernel, whose prediction `matmul_0` carries. In a plan file, `matmul_0` is either a
plan of the whole op, with `split` where it is divided, or, as the programs give it, a plan with `part` beside an entry
`matmul_0_join`.

An op with `rtile.units` (`rammer-select-kernels`) is planned for so many units, and its time predicted on the second
number of them, which its plan says. One with `rtile.tile` has so many points of each loop in a task.

With a tuning data base (`tuning`, see `plan.files.tuning`), an op that was measured before takes the plan that was
fastest; the others are constructed as without it, and a remark names them. Programs with a measured plan carry
`rtile.tuned`: where the plan is from, and its times, and `rtile.measured_over_predicted`, by which their tasks in a
persistent kernel take longer than the model expects.

A program of several ops is called after the one that is reduced in steps, else after its last op. If its reduction is
divided, the second stage joins the parts and goes on with the ops behind the reduction, over the loops of the output:

    "rtile.program"(%a, %b, %bias) ({ linalg.matmul, linalg.generic { addf, maximumf } })
    // becomes
    %p = "rtile.program"(%a, %b) ({ ... linalg.generic of the parts ... }) {sym_name = "matmul_0", ...}
    %r = "rtile.program"(%p, %bias) ({ linalg.generic { addf }, linalg.generic { addf, maximumf } })
        {sym_name = "matmul_0_join", ...}

Refused: what no tensor expression can say, joined ops that cannot be one kernel, tiles that the device cannot hold, and
plans that do not fit the op or the device, reductions that cannot be divided so, each at its op; plan files that cannot
be read, that name a program which the module has not, or that hold one stage of two; data bases that cannot be read,
and measured plans that do not fit. Paper: ROLLER section 3.1 and Figure 8.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from roller_mlir.dialects import rtile
from roller_mlir.hal import Device
from roller_mlir.lowering.linalg.group.dispatches import (
    LinalgDispatch,
    named_dispatches,
    planned_blocks,
)
from roller_mlir.lowering.linalg.group.group import read_group, structured_members
from roller_mlir.lowering.linalg.group.wrap import unwrap, wrap
from roller_mlir.lowering.linalg.reader import erase_unused, read_structured, with_sources
from roller_mlir.lowering.linalg.rewrite.split_reduction import split_reduction
from roller_mlir.lowering.loops.attributes import MEASURED_OVER_PREDICTED, TILE, TUNED, UNITS
from roller_mlir.mapping.checks.join import joined_problem
from roller_mlir.model import ConstructOptions
from roller_mlir.model.block_limits import machine_for
from roller_mlir.model.cost.performance import predict_stages
from roller_mlir.model.cost.task.join import together
from roller_mlir.model.machine import machine_of
from roller_mlir.passes.rtile.planning import (
    MeasuredPlan,
    Planning,
    constructed_plan,
    options_of,
    units_of,
    validated,
    with_place,
)
from roller_mlir.plan import Plan, SplitK, SplitKPartial, TensorExpression
from roller_mlir.plan.files.by_name import read_plan_file
from roller_mlir.plan.rewrite.split import JOIN_SUFFIX, first_plan, whole_plan
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError, fail, remark
from roller_mlir.support.passes.analyses import analysis
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import replace_op

_MOST_NAMES = 5

AttributeOf = Callable[[Plan], rtile.PlanAttr]
"""How a plan becomes an attribute."""


def _attribute_of() -> AttributeOf:
    """Return how plans become attributes, each plan once: equal ops are given the same one."""
    known: dict[int, tuple[Plan, rtile.PlanAttr]] = {}  # not by what plans say: those of other predictions are equal

    def attribute(plan: Plan) -> rtile.PlanAttr:
        if id(plan) not in known:
            known[id(plan)] = plan, rtile.PlanAttr.of(plan)
        return known[id(plan)][1]

    return attribute


@register
@dataclass(frozen=True, kw_only=True)
class RTileConstruct(Planning, Pass):
    """Plans each linalg structured op for a device and wraps it into a program that carries the plan."""

    name: ClassVar[str] = "rtile-construct"
    summary: ClassVar[str] = "choose an aligned tile plan for each linalg op by construction"
    requires: ClassVar[frozenset[str]] = frozenset({"normalized"})
    establishes: ClassVar[frozenset[str]] = frozenset({"plan"})

    def run(self, module: ir.Module) -> None:
        """Plan every structured op of every function."""
        options = self.construct_options()
        path = str(self.plan_file or "")
        given, measured = _given_plans(path) if path else {}, self.measured_plans()
        dispatches = analysis(named_dispatches, module)
        plans = _plans_of(given, path, list(dispatches))
        device = self.device_for(dispatches.values(), options)
        missing: list[str] = []
        attribute = _attribute_of()
        for name, dispatch in dispatches.items():
            asked, share = options_of(dispatch, device, options), _share_of(dispatch)
            for member in dispatch.members:
                _check_memory(dispatch.operation, member, device)
            found = measured.of(dispatch, device, asked, share)
            if found is None:
                missing.append(name)
                plan = plans.get(name) or constructed_plan(dispatch, device, asked, share)
                _plan_dispatch(dispatch, name, device, asked, plan, name in plans, attribute)
            else:
                _plan_measured(dispatch, name, device, asked, found, attribute)
        if self.tuning and missing:
            shown = ", ".join(missing[:_MOST_NAMES]) + (" and others" if len(missing) > _MOST_NAMES else "")
            count = f"{len(missing)} of {len(dispatches)} programs"
            remark(module.operation, f"tuning {self.tuning} has no plan for {count}, which the model plans: {shown}")
        for block in planned_blocks(module):
            erase_unused(block)


def _share_of(dispatch: LinalgDispatch) -> int | None:
    """Take from a dispatch what it says, and return the share of the device that it has in its wave; None for all."""
    if TILE in dispatch.operation.attributes:
        del dispatch.operation.attributes[TILE]
    units = units_of(dispatch)
    if units is None:
        return None
    del dispatch.operation.attributes[UNITS]
    return units[1]


def _given_plans(path: str) -> Mapping[str, Plan]:
    """Return the plans of a file."""
    try:
        return read_plan_file(path)
    except ValueError as error:
        fail(None, str(error))


def _plans_of(plans: Mapping[str, Plan], path: str, programs: list[str]) -> dict[str, Plan]:
    """Return the plans of a file as plans of these programs, which they must be."""
    whole: dict[str, Plan] = {}
    joins = {name + JOIN_SUFFIX: name for name in programs}
    for name, plan in plans.items():
        if name in programs:
            whole[name] = plan if plan.part is None else _whole(path, name, plan, plans.get(name + JOIN_SUFFIX))
        elif name not in joins:
            found = ", ".join(f"'{name}'" for name in programs) or "none"
            fail(None, f"plan-file {path}: {name}: no program has this name; the programs are {found}")
        elif joins[name] not in plans or plans[joins[name]].part is None:
            fail(None, f"plan-file {path}: {name}: a second stage needs a plan '{joins[name]}' with 'part'")
    return whole


def _whole(path: str, name: str, first: Plan, join: Plan | None) -> Plan:
    """Return the plan of an op whose two stages a file holds."""
    part = first.part
    assert part is not None
    if join is None:
        fail(None, f"plan-file {path}: {name}: a plan with 'part' needs the second stage '{name}{JOIN_SUFFIX}'")
    split = SplitK(loop=part.loop, parts=part.parts, extent=part.extent, joined=part.joined, join=join)
    whole = replace(whole_plan(first), part=None, split=split)
    if _parts_plan(whole, split) != first:
        fail(None, f"plan-file {path}: {name}: a plan with 'part' has 1 part in a task, outermost in unit_order")
    return whole


def _parts_plan(plan: Plan, split: SplitK) -> Plan:
    """Return the plan of the first stage, which says what it is a part of."""
    part = SplitKPartial(loop=split.loop, parts=split.parts, extent=split.extent, joined=split.joined)
    return replace(first_plan(plan), part=part)


def _plan_measured(
    dispatch: LinalgDispatch,
    name: str,
    device: Device,
    options: ConstructOptions,
    found: MeasuredPlan,
    attribute: AttributeOf,
) -> None:
    """Give a dispatch the plan that was measured for it."""
    try:
        programs = _plan_dispatch(dispatch, name, device, options, found.plan, False, attribute)
    except DiagnosedError as error:
        raise with_place(error, found.place) from None
    for program in programs:
        program.attributes[TUNED] = ir.StringAttr.get(found.described)
        over = ir.FloatAttr.get(ir.F64Type.get(), found.over_predicted)
        program.attributes[MEASURED_OVER_PREDICTED] = over


def _plan_dispatch(
    dispatch: LinalgDispatch, name: str, device: Device, options: ConstructOptions, plan: Plan, is_given: bool,
    attribute: AttributeOf,
) -> list[rtile.ProgramOp]:  # fmt: skip
    """Give a dispatch a plan, which is validated where it is given from outside; return its programs.

    They are two where the plan divides its reduction over tasks.
    """
    operation = dispatch.operation
    if plan.split is not None:
        return _plan_stages(dispatch, name, device, options, plan, plan.split, attribute)
    if is_given:
        plan = validated(operation, dispatch.expression, plan, device, options)
    if dispatch.root is not None:
        return [wrap([with_sources(dispatch.root)], list(operation.results), name, attribute(plan))]
    program: rtile.ProgramOp = operation.opview
    program.attributes["sym_name"] = ir.StringAttr.get(name)
    program.attributes["plan"] = attribute(plan)
    return [program]


def _plan_stages(
    dispatch: LinalgDispatch, name: str, device: Device, options: ConstructOptions, plan: Plan, split: SplitK,
    attribute: AttributeOf,
) -> list[rtile.ProgramOp]:  # fmt: skip
    """Replace a dispatch by two programs, one of the parts of its reduction, and one that joins them and goes on."""
    operation = dispatch.operation
    if any(value is not None for value in (plan.part, split.join.part, split.join.split)):
        fail(
            operation, f"'{operation.name}' has a plan that divides a reduction twice; a stage cannot be divided again"
        )
    problem = "" if dispatch.divisible else "has a plan that divides the reduction of ops which cannot be two programs"
    problem = problem or (_joined_problem(dispatch.expression, plan, device) if split.joined else "")
    if problem:
        fail(operation, f"'{operation.name}' {problem}")
    expression, made, stages = dispatch.expression, list[rtile.ProgramOp](), list[Plan]()
    names, plans = (name, name + JOIN_SUFFIX), (_parts_plan(plan, split), split.join)
    for (reduced, operations, results), called, of_part in zip(_stages(dispatch, split), names, plans, strict=True):
        stage = read_group(operations, results)
        _check_memory(reduced, stage.expression, device)
        stages.append(validated(reduced, stage.expression, of_part, device, options))
        roots = [read_structured(one) for one in operations]
        made.append(wrap(roots, results, called, attribute(stages[-1])))
    # As stages of one plan: beside as many blocks as were asked for, and partial results are still in the cache.
    target = machine_for(device, options).device
    times = predict_stages(expression, plan, target, options.max_units)
    if split.joined:  # the kernel of the first is that of both
        machine = machine_of(target, plan.max_units or options.max_units)
        times = together(plan, *times, machine), times[1]
        made[1].attributes[rtile.JOINED] = ir.UnitAttr.get()
    for program, of_part, said in zip(made, stages, times, strict=True):
        program.attributes["plan"] = attribute(replace(of_part, prediction=said))
    return made


def _stages(
    dispatch: LinalgDispatch, split: SplitK
) -> Iterator[tuple[ir.Operation, list[ir.Operation], list[ir.Value]]]:
    """Replace a dispatch by the ops of both stages; yield of each its reduction, its ops, and what leaves it."""
    operation, tiles = dispatch.operation, split.joined or dispatch.expression.has_tail
    if dispatch.root is not None:
        for one in split_reduction(with_sources(dispatch.root), split, tiles=tiles):
            yield one, [one], list(one.results)
        return
    body, results = unwrap(operation.opview)
    group = read_group(structured_members(body), results)
    root, *behind = [member.root.operation for member in group.members]
    before = [producer.operation for producer in group.producers.values()]
    replace_op(operation, *results)
    parts, join = split_reduction(read_structured(root), split, tiles=tiles)
    yield parts, [*before, parts], list(parts.results)
    yield join, [join, *behind], results if behind else list(join.results)


def _joined_problem(expression: TensorExpression, plan: Plan, device: Device) -> str:
    """Return why the parts of a divided reduction cannot be joined in the same kernel, or an empty string."""
    if device.vector_bytes is not None:
        return "has a plan that joins parts in the same kernel, which only blocks of GPUs do; join them by a second one"
    return joined_problem(expression, plan)


def _check_memory(operation: ir.Operation, expression: TensorExpression, device: Device) -> None:
    needed = sum(access.size_bytes for access in (*expression.inputs, expression.output))
    capacity = device.layer("global").total_capacity_bytes
    if needed > capacity:
        fail(
            operation,
            f"'{operation.name}' needs {needed} B of global memory, '{device.name}' has {capacity} B; split it",
        )
