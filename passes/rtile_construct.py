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
an op does not change with that. In a plan file, `matmul_0` is either a plan of the whole op, with `split` where it is
divided, or, as the programs give it, a plan with `part` beside an entry `matmul_0_join`.

A program of several ops is called after the one that is reduced in steps, else after its last op; its reduction is
never divided.

Refused: what no tensor expression can say, joined ops that cannot be one kernel, tiles that the device cannot hold, and
plans that do not fit the op or the device, reductions that cannot be divided so, each at its op; plan files that cannot
be read, that name a program which the module has not, or that hold one stage of two. Paper: ROLLER section 3.1 and
Figure 8.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from roller_mlir.codegen import FAMILIES
from roller_mlir.codegen.group import Group, GroupError, members_of, read_group, starts_others_only
from roller_mlir.codegen.linalg_reader import StructuredOp, erase_unused, is_structured, read_structured
from roller_mlir.codegen.split_reduction import split_reduction
from roller_mlir.codegen.wrap import wrap
from roller_mlir.dialects import rtile
from roller_mlir.hal import Device, find_device
from roller_mlir.hal.instructions import FAMILIES as FAMILIES_OF_DEVICES
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.model.adopt import adopt
from roller_mlir.model.alignment import RULES
from roller_mlir.model.options import MOST_STAGES
from roller_mlir.plan import Part, Plan, Split
from roller_mlir.plan.plan_file import read_plan_file
from roller_mlir.plan.split import first_plan, whole_plan
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes import Pass, option, register

JOIN_SUFFIX = "_join"


@register
@dataclass(frozen=True, kw_only=True)
class RTileConstruct(Pass):
    """Plans each linalg structured op for a device and wraps it into a program that carries the plan."""

    name: ClassVar[str] = "rtile-construct"
    summary: ClassVar[str] = "choose an aligned tile plan for each linalg op by construction"
    requires: ClassVar[frozenset[str]] = frozenset({"normalized"})
    establishes: ClassVar[frozenset[str]] = frozenset({"plan"})

    device: str = option("", help="device to plan for: a name that 'roller devices' lists, or a path to a .toml file")
    tile_sizes: tuple[int, ...] = option((), help="forces the block tile: points per loop, in the op's loop order")
    thread_tile: tuple[int, ...] = option((), help="forces the register tile: points per thread and loop")
    stages: int = option(0, help="forces the number of buffers of staged tiles; 0 lets the construction choose")
    split_reductions: bool = option(True, help="whether reductions may be divided over tasks, with a second stage")
    disable_rules: tuple[str, ...] = option((), help=f"alignment rules to leave out, of {', '.join(RULES)}")
    instructions: tuple[str, ...] = option(
        (), help="families of instructions to plan for; by default those that code is generated for"
    )
    allow_tf32: bool = option(False, help="whether factors of type f32 may be rounded to tf32")
    max_units: int = option(0, help="units that a program may use at most, for co-scheduling; 0 for all")
    plan_file: str = option(
        "", help="JSON file of plans by program name, as 'roller compile --emit plan --json' writes"
    )

    def __post_init__(self) -> None:
        if not self.device:
            raise ValueError("device must name a device, but got ''; try device=h200")
        if not 0 <= self.stages <= MOST_STAGES:
            raise ValueError(f"stages must be 0 to {MOST_STAGES}, but got {self.stages}")
        for name, sizes in (("tile-sizes", self.tile_sizes), ("thread-tile", self.thread_tile)):
            if any(size < 1 for size in sizes):
                raise ValueError(f"{name} must be at least 1 each, but got {','.join(map(str, sizes))}")
        forced = {"tile-sizes": self.tile_sizes, "thread-tile": self.thread_tile, "stages": self.stages}
        forced |= {"split-reductions": not self.split_reductions, "disable-rules": self.disable_rules}
        forced |= {"instructions": self.instructions, "allow-tf32": self.allow_tf32, "max-units": self.max_units}
        given = [name for name, value in forced.items() if value]
        if self.plan_file and given:
            raise ValueError(f"plan-file holds whole plans and goes without other choices, but got {', '.join(given)}")
        if self.max_units < 0:
            raise ValueError(f"max-units must be at least 1, or 0 for all, but got {self.max_units}")
        for one in self.disable_rules:
            if one not in RULES:
                raise ValueError(f"disable-rules must be some of {', '.join(RULES)}, but got '{one}'")
        for one in self.instructions:
            if one not in FAMILIES_OF_DEVICES:
                raise ValueError(f"instructions must be some of {', '.join(FAMILIES_OF_DEVICES)}, but got '{one}'")
        find_device(self.device)

    def run(self, module: ir.Module) -> None:
        """Plan every structured op of every function."""
        device = find_device(self.device)
        options = ConstructOptions(
            top_k=1,
            tile_sizes=self.tile_sizes,
            thread_tile=self.thread_tile,
            stages=self.stages,
            split=self.split_reductions,
            max_units=self.max_units or None,
            instructions=self.instructions or FAMILIES,
            allow_tf32=self.allow_tf32,
            disabled_rules=self.disable_rules,
        )
        blocks = [
            block
            for op in module.body.operations
            if isinstance(op, func.FuncOp) and not op.is_external
            for block in op.regions[0].blocks
        ]
        units = named_units(blocks)
        plans = _plans_of(self.plan_file, list(units)) if self.plan_file else {}
        for name, operation in units.items():
            if operation.name == "rtile.program":
                _plan_program(operation.opview, name, device, options, plans.get(name))
            else:
                _plan(read_structured(operation), name, device, options, plans.get(name))
        for block in blocks:
            erase_unused(block)


def named_units(blocks: list[Any]) -> dict[str, ir.Operation]:
    """Return what gets a plan, by the programs' names, in order: loose linalg ops, and programs without a plan."""
    operations = [inner.operation for block in blocks for inner in block.operations]
    units = [
        one
        for one in operations
        if (is_structured(one) and not starts_others_only(one)) or (one.name == "rtile.program" and is_unplanned(one))
    ]
    return {f"{_root_name(unit)}_{number}": unit for number, unit in enumerate(units)}


def is_unplanned(operation: ir.Operation) -> bool:
    """Return whether a program holds linalg ops that have no plan yet."""
    program: rtile.ProgramOp = operation.opview
    return program.plan is None and bool(members_of(program.entry))


def _root_name(unit: ir.Operation) -> str:
    """Return what a program is called after: its op, of several the heavy one, else the last."""
    name = unit.name
    if name == "rtile.program":
        group = _group_of(unit.opview)
        name = group.members[-1 if group.heavy is None else group.heavy].root.operation.name
    return name.split(".")[-1]


def group_of(unit: ir.Operation) -> Group:
    """Return what gets one plan, a linalg op or a program of several, as a group."""
    if unit.name != "rtile.program":
        return read_group([unit], list(unit.results))
    return _group_of(unit.opview)


def _group_of(program: rtile.ProgramOp) -> Group:
    block = program.entry
    results = list(block.operations[len(block.operations) - 1].operation.operands)
    try:
        return read_group(members_of(block), results)
    except GroupError as error:
        fail(program, f"'rtile.program' cannot be one kernel: {error}")


def _plans_of(path: str, programs: list[str]) -> dict[str, Plan]:
    """Return the plans of a file; they must be plans of these programs."""
    try:
        plans = read_plan_file(path)
    except ValueError as error:
        fail(None, str(error))
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
    split = Split(loop=part.loop, parts=part.parts, extent=part.extent, join=join)
    whole = replace(whole_plan(first), part=None, split=split)
    if _parts_plan(whole, split) != first:
        fail(None, f"plan-file {path}: {name}: a plan with 'part' has 1 part in a task, outermost in unit_order")
    return whole


def _parts_plan(plan: Plan, split: Split) -> Plan:
    """Return the plan of the first stage, which says what it is a part of."""
    part = Part(loop=split.loop, parts=split.parts, extent=split.extent)
    return replace(first_plan(plan), part=part)


def _plan_program(
    program: rtile.ProgramOp, name: str, device: Device, options: ConstructOptions, forced: Plan | None
) -> None:
    """Give a program of several linalg ops its plan."""
    group = _group_of(program)
    for member in group.members:
        _check_memory(member.root, device)
    if forced and forced.split is not None:
        fail(
            program,
            f"plan-file: {name}: a plan with 'part' divides the reduction of a program of one op, but this program has "
            f"{len(group.members)} ops; run rtile-fuse with fusion=false ('roller compile --no-fusion')",
        )
    try:
        plan = forced or construct(group.expression, device, replace(options, split=False))[0]
        if forced:
            plan = adopt(group.expression, plan, device, options.disabled_rules)
    except ConstructionError as error:
        fail(program, f"'rtile.program' {error}")
    program.attributes["sym_name"] = ir.StringAttr.get(name)
    program.attributes["plan"] = rtile.PlanAttr.of(plan.to_dict())


def _plan(root: StructuredOp, name: str, device: Device, options: ConstructOptions, forced: Plan | None) -> None:
    """Replace a structured op by a program of its own, or by two where its reduction is divided over tasks."""
    operation = root.operation
    _check_memory(root, device)
    try:
        plan = forced or construct(root.expression, device, options)[0]
    except ConstructionError as error:
        fail(operation, f"'{operation.name}' {error}")
    split = plan.split
    if split is None:
        _wrap(root, name, _adopted(root, plan, device, options) if forced else plan)
        return
    if any(value is not None for value in (plan.part, split.join.part, split.join.split)):
        fail(
            operation, f"'{operation.name}' has a plan that divides a reduction twice; a stage cannot be divided again"
        )
    parts, join = split_reduction(root, split)
    first = read_structured(parts)
    _check_memory(first, device)
    _wrap(first, name, _adopted(first, _parts_plan(plan, split), device, options))
    second = read_structured(join)
    _wrap(second, name + JOIN_SUFFIX, _adopted(second, split.join, device, options))


def _adopted(root: StructuredOp, plan: Plan, device: Device, options: ConstructOptions) -> Plan:
    try:
        return adopt(root.expression, plan, device, options.disabled_rules)
    except ConstructionError as error:
        fail(root.operation, f"'{root.operation.name}' {error}")


def _wrap(root: StructuredOp, name: str, plan: Plan) -> None:
    """Replace a structured op by a program of its own that carries the plan."""
    wrap([root], list(root.operation.results), name, rtile.PlanAttr.of(plan.to_dict()))


def _check_memory(root: StructuredOp, device: Device) -> None:
    needed = sum(access.size_bytes for access in (*root.expression.inputs, root.expression.output))
    capacity = device.layer("global").total_capacity_bytes
    if needed > capacity:
        fail(
            root.operation,
            f"'{root.operation.name}' needs {needed} B of global memory, '{device.name}' has {capacity} B; split it",
        )
