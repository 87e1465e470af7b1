# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-expand`: programs with plans become hierarchical tiled loops.

Precondition: `rtile.program` regions hold linalg structured ops that are one group, with what their outputs start from,
and a plan. Postcondition: the regions hold parallel loops, `rtile.load`, one `rtile.compute` per op and `rtile.store`;
the op that is reduced in steps stands in reduction loops, what is computed by its loads is an `rtile.map_load`. The
loops are the program: what is made of them follows from them alone. The plan stays on it, with the tensor expression
that it is for (`rtile.expression`), so that the machine code can be compared with both.

    "rtile.program"(%A, %B) ({ ... linalg.matmul ... }) {plan = #rtile.plan<{...}>}
    // becomes, inside the region:
    scf.for %i ... { scf.for %j ... {
      %acc = scf.for %k ... {
        %at = "rtile.load"(%a, %i, %k) : (tensor<1024x1024xf32>, index, index) -> tensor<128x8xf32>
        %bt = "rtile.load"(%b, %k, %j) : (tensor<1024x1024xf32>, index, index) -> tensor<8x128xf32>
        %s = "rtile.compute"(%at, %bt, %z, %i, %j, %k) ... -> tensor<128x128xf32>
      } {rtile.stages = 2}
      "rtile.store"(%acc, %o, %i, %j)
    } {rtile.mapping = "unit"} } {rtile.mapping = "unit"}
    // {plan = #rtile.plan<{...}>, rtile.expression = {...}}

Refused: a program without a plan, or with one that does not fit its ops; ops that cannot be one kernel; an accumulator
that starts from what is neither a fill, an operand nor another op's result. Paper: ROLLER section 3.2 and Figure 6.
"""

from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from roller_mlir.dialects import rtile
from roller_mlir.dialects.rtile.fields import read_record
from roller_mlir.lowering.linalg.group.dispatches import constants_of
from roller_mlir.lowering.linalg.group.group import GroupError, members_of, read_group
from roller_mlir.lowering.linalg.reader import erase_unused
from roller_mlir.lowering.linalg.rewrite.equal_programs import EqualPrograms, copy_of
from roller_mlir.lowering.loops.attributes import EXPRESSION
from roller_mlir.lowering.loops.packed_constants import PackedConstants
from roller_mlir.lowering.loops.program import check_no_loose_ops, programs_of
from roller_mlir.lowering.loops.row_expansion import expansion_of
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RTileExpand(Pass):
    """Expands each planned program into parallel loops, reduction loops, loads, computes and stores."""

    name: ClassVar[str] = "rtile-expand"
    summary: ClassVar[str] = "expand plans into hierarchical tiled loops"
    requires: ClassVar[frozenset[str]] = frozenset({"plan"})
    establishes: ClassVar[frozenset[str]] = frozenset({"loops"})

    def run(self, module: ir.Module) -> None:
        """Expand every program of the module."""
        programs = programs_of(module)
        check_no_loose_ops(module)
        expanded = EqualPrograms(_expand)
        constants = PackedConstants()
        read = cache(rtile.PlanAttr.read)  # equal programs share an attribute, whose text takes long to compare
        for program in programs:
            plan = read(program.plan) if program.plan is not None else None
            _check_skips(program, plan)
            first, is_new = expanded.of(program)
            made = first if is_new else copy_of(first, program)
            _pack(made, plan, constants)


def _members(program: rtile.ProgramOp) -> list[ir.Operation]:
    """Return the ops of a program that is not expanded yet."""
    if program.plan is None:
        fail(program, "'rtile.program' has no plan to expand; run rtile-construct first")
    members = members_of(program.entry)
    if not members:
        fail(program, "'rtile.program' with a plan must hold a linalg structured op, but holds none")
    return members


def _expand(program: rtile.ProgramOp) -> rtile.ProgramOp:
    members = _members(program)
    assert program.plan is not None  # _members
    plan = program.plan.read()
    block = program.entry
    terminator = block.operations[len(block.operations) - 1].operation
    made = {result for member in members for result in member.results}
    for number, value in enumerate(terminator.operands):
        if value not in made:
            fail(program, f"'rtile.program' yields value {number}, which none of its linalg ops makes; copy it")
    try:
        group = read_group(members, list(terminator.operands))
    except GroupError as error:
        fail(program, f"'rtile.program' cannot be one kernel: {error}")
    problem = plan_problem(group.expression, plan)
    if problem:
        fail(program, f"'rtile.program' {problem}")
    with ir.InsertionPoint(terminator), group.members[0].root.operation.location:
        results = expansion_of(plan, group).build()
    for number, result in enumerate(results):
        terminator.operands[number] = result
    erase_unused(block)
    program.attributes[EXPRESSION] = rtile.to_attribute(group.expression)
    program.attributes[rtile.PIPELINE] = ir.StringAttr.get(plan.pipeline)
    if plan.persistent or plan.max_units is not None:
        program.attributes[rtile.PERSISTENT] = ir.UnitAttr.get()
    for name, count in zip(rtile.COUNTS, (plan.tasks_per_unit, plan.max_units), strict=True):
        if count is not None:
            program.attributes[name] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), count)
    return program


def _check_skips(program: rtile.ProgramOp, plan: Plan | None) -> None:
    """Refuse to leave padding out of products with what may be infinite or no number."""
    if plan is None or not plan.skips:
        return
    finite = constants_of(program.operation).finite
    other = next((n for n in range(len(plan.operands)) if n not in plan.skips and n not in finite), None)
    if other is not None:
        fail(
            program,
            f"'rtile.program' has a plan whose skips {list(plan.skips)} leave out products with input {other}, which "
            "is no constant of finite numbers",
        )


def _pack(program: rtile.ProgramOp, plan: Plan | None, constants: PackedConstants) -> None:
    """Pack the constants that a program's plan wants packed."""
    assert plan is not None  # _members
    if any(operand.layer == CONSTANT for operand in plan.operands):
        expression = read_record(TensorExpression, program.attributes[EXPRESSION], EXPRESSION)
        constants.pack(program, expression, plan)
