# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-form-graph`: the programs of each function become applications of operators in one `rammer.program`.

Precondition: programs on memrefs (`rtile-assign-buffers`). Postcondition: each function holds one `rammer.program`,
whose `rammer.apply` ops are its programs in their order; programs that are equal but for their names and buffers are
one `rammer.operator`, also where what they load or store begins elsewhere in a buffer: an application says where.

    "rtile.program"(%x, %w1, %h) ({ ... }) {sym_name = "matmul_0"} : (...) -> ()
    "rtile.program"(%h, %w2, %y) ({ ... }) {sym_name = "matmul_1"} : (...) -> ()
    // becomes
    "rammer.operator"() ({ ... }) {sym_name = "matmul_0"} : () -> ()
    "rammer.program"() ({
      "rammer.apply"(%x, %w1, %h) {callee = @matmul_0} : (...) -> ()
      "rammer.apply"(%h, %w2, %y) {callee = @matmul_0} : (...) -> ()
    }) {sym_name = "main"} : () -> ()

Refused: programs on tensors.
Paper: RAMMER, section 3.1.
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.dialects import rammer, rtile
from roller_mlir.dialects.rtile.checks import optional_attribute
from roller_mlir.dialects.rtile.fields import read_record
from roller_mlir.lowering.codegen.graph.start_operands import take_out_starts
from roller_mlir.lowering.loops.attributes import EXPRESSION, MEASURED_OVER_PREDICTED
from roller_mlir.lowering.loops.program import check_no_loose_ops, stores_of
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.plan import STAGED
from roller_mlir.plan.rewrite.least_starts import with_least_starts
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import free_symbol


@register
@dataclass(frozen=True, kw_only=True)
class RammerFormGraph(Pass):
    """Makes operators of the programs of each function, and applications in their place."""

    name: ClassVar[str] = "rammer-form-graph"
    summary: ClassVar[str] = "make one graph of operators of the programs of a function"
    requires: ClassVar[frozenset[str]] = frozenset({"buffers"})
    establishes: ClassVar[frozenset[str]] = frozenset({"graph"})

    def run(self, module: ir.Module) -> None:
        """Rewrite every function that holds a program."""
        check_no_loose_ops(module)
        for function in [op for op in module.body.operations if isinstance(op, func.FuncOp) and not op.is_external]:
            block = function.regions[0].blocks[0]
            programs = [op for op in block.operations if isinstance(op, rtile.ProgramOp)]
            if programs:
                _form(module, function, programs)


def _form(module: ir.Module, function: func.FuncOp, programs: list[rtile.ProgramOp]) -> None:
    for program in programs:
        if any(not isinstance(operand.type, ir.MemRefType) for operand in program.operands):
            fail(program, "'rtile.program' works on tensors; run rtile-assign-buffers first")
        if program.joined:
            fail(
                program,
                f"'rtile.program' '{program.program_name}' is joined by blocks of the program before it, but a graph "
                "joins parts by tasks of their own; plan it so that a second stage joins them (join=false)",
            )
        staged = next((store for store in stores_of(program.operation) if store.copy == STAGED), None)
        if staged is not None:
            fail(
                staged,
                f"'rtile.program' '{program.program_name}' stores through workgroup memory, of which bodies of a graph "
                "have none for it; plan it so that threads store what they hold (staged-stores=false)",
            )
    share = _Shares().of
    times = [share(program) for program in programs]
    expressions = [program.attributes.get(EXPRESSION) for program in programs]
    alike = take_out_starts(programs)
    operators = {
        first: _operator(module, function, programs[first], expressions[first])
        for first in sorted({one for one, _ in alike})
    }
    with function.location:
        graph = rammer.program(function.name.value, ip=ir.InsertionPoint(programs[-1]))
    for program, (first, starts), (units, seconds) in zip(programs, alike, times, strict=True):
        with program.location:
            rammer.apply(
                operators[first],
                list(program.operands),
                starts=starts,
                seconds=seconds,
                units=units,
                ip=ir.InsertionPoint(graph.entry),
            )
        program.operation.erase()


class _Shares:
    """The predicted times of the tasks of programs, by their plans, each of which is read once."""

    def __init__(self) -> None:
        self._task_s: dict[ir.Attribute, float | None] = {}

    def of(self, program: rtile.ProgramOp) -> tuple[int | None, float | None]:
        """Take from a program the units that it was planned for, and return them, and the time of one of its tasks.

        Blocks of the one kernel walk the tasks of all programs, so that none has its own bound any more. Tasks of a
        plan that was measured take by as much longer than predicted as it did.
        """
        units, plan = program.max_units, program.plan
        over = optional_attribute(program.operation, MEASURED_OVER_PREDICTED, ir.FloatAttr, "a number")
        for name in (rtile.MAX_UNITS, rtile.PERSISTENT, MEASURED_OVER_PREDICTED):
            if name in program.attributes:
                del program.attributes[name]
        if plan is None:
            return units, None
        if plan not in self._task_s:
            prediction = plan.read().prediction
            self._task_s[plan] = None if prediction is None else prediction.task_s
        seconds = self._task_s[plan]
        return units, seconds if over is None or seconds is None else over.value * seconds


def _operator(
    module: ir.Module, function: func.FuncOp, program: rtile.ProgramOp, expression: ir.Attribute | None
) -> str:
    """Build an operator of a copy of a program before its function, and return its symbol.

    What the program was planned for says where its inputs begin; of several programs that differ in that alone, where
    they begin at least.
    """
    name = free_symbol(module, program.program_name)
    with program.location:
        kinds = [operand.type for operand in program.operands]
        operator = rammer.operator(name, kinds, ip=ir.InsertionPoint(function))
        copy = program.operation.clone(ip=ir.InsertionPoint(operator.entry))
        for number, argument in enumerate(operator.entry.arguments):
            copy.operation.operands[number] = argument
        if expression is not None:
            planned = with_least_starts(read_record(TensorExpression, expression, EXPRESSION))
            copy.operation.attributes[EXPRESSION] = rtile.to_attribute(planned)
    return name
