# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile.program` and `rtile.yield`: a group of operations that becomes one kernel.

The region is isolated; its arguments are the operands. On tensors the program returns what `rtile.yield` names; on
memrefs (after buffer assignment) it writes its last operands, yields nothing and has no results. The region holds
linalg operations, planned by `plan`, or the loops that a plan stands for; loops are the program, whatever plan they
carry: `scf.for` with `rtile.mapping = "unit"` runs over tasks, with `rtile.stages = 2` over the steps of a reduction
whose loads are staged in so many buffers, with `rtile.mapping = "row"` over the steps of a pass over a task's rows, and
with `"inner"` over tiles that a task computes one after the other. `tasks_per_unit` says how many tasks are to fit on
one unit at a time, `persistent` that so many blocks walk all tasks, `max_units` that they are as many as so many units
hold, `pipeline` how a task walks the steps of its reduction, where its loads leave a choice. A program that is `joined`
gets no kernel of its own: the program in front of it makes the parts that it reads, and that block of each tile which
ends last runs its task.

    %0 = "rtile.program"(%A, %B) ({
    ^bb0(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>):
      ...
      "rtile.yield"(%r) : (tensor<64x64xf32>) -> ()
    }) {sym_name = "matmul_0", plan = #rtile.plan<{device = "h200", ...}>}
      : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.dialects.rtile.attributes import PlanAttr
from roller_mlir.dialects.rtile.checks import (
    InvalidOpError,
    check_types,
    check_yield,
    hook,
    is_checked,
    known_attributes,
    optional_attribute,
    require,
    required_attribute,
    single_block,
    static_shape,
)
from roller_mlir.dialects.rtile.dialect import ReadsAndWritesMemrefs
from roller_mlir.dialects.rtile.slots import (
    OPERAND_SIZES,
    RESULT_SIZES,
    FreeOperands,
    FreeOperandsAndResults,
    occupy,
    vacate,
)
from roller_mlir.plan.plan import PIPELINES
from roller_mlir.support.bindings import ext, ir
from roller_mlir.support.values import operations_inside

TASKS_PER_UNIT = "tasks_per_unit"
PERSISTENT = "persistent"
MAX_UNITS = "max_units"
COUNTS = (TASKS_PER_UNIT, MAX_UNITS)
PIPELINE = "pipeline"
JOINED = "joined"
MAPPING = "rtile.mapping"
STAGES = "rtile.stages"
LOOP_ATTRIBUTES = (MAPPING, STAGES)


class YieldOp(FreeOperands, name="yield", traits=[ir.IsTerminatorTrait]):
    """Ends the region of rtile.program (its results) or rtile.compute (the accumulators' new elements)."""

    @property
    def values(self) -> tuple[Any, ...]:
        """What the region returns."""
        return tuple(self.operands)

    @hook
    def verify_invariants(self) -> None:
        """Check operands, attributes and results."""
        if not is_checked(self):
            parent = self.operation.parent
            name = parent.name if parent is not None else "nothing"
            if name not in ("rtile.program", "rtile.compute", "rtile.map_load"):
                raise InvalidOpError(f"must be inside 'rtile.program', 'rtile.compute' or 'rtile.map_load', not {name}")
            known_attributes(self, (OPERAND_SIZES,))
        occupy(self, results=False)

    @hook
    def verify_region_invariants(self) -> None:
        """Check the region."""
        vacate(self, results=False)


class ProgramOp(FreeOperandsAndResults, name="program", traits=[ir.IsIsolatedFromAboveTrait, ReadsAndWritesMemrefs]):
    """A group with its plan, as linalg operations or as loops. See the module's description.

    Paper: ROLLER section 3.2 (rProgram).
    """

    sym_name: ir.StringAttr
    body: ext.Region

    @property
    def program_name(self) -> str:
        """The name of the program, which the kernel will have."""
        return self.attributes["sym_name"].value

    @property
    def plan(self) -> PlanAttr | None:
        """The plan; None of what is not planned yet, and of loops that do not say it."""
        return self.attributes.get("plan")

    @property
    def entry(self) -> Any:
        """The block of the region."""
        return self.regions[0].blocks[0]

    @property
    def tasks_per_unit(self) -> int | None:
        """How many tasks are to fit on one unit at a time; None leaves it to the back end."""
        return self.attributes[TASKS_PER_UNIT].value if TASKS_PER_UNIT in self.attributes else None

    @property
    def persistent(self) -> bool:
        """Whether blocks that fill the device once walk all tasks; else each task is a block."""
        return PERSISTENT in self.attributes

    @property
    def max_units(self) -> int | None:
        """Units whose blocks walk all tasks of a persistent program; None for all of the device."""
        return self.attributes[MAX_UNITS].value if MAX_UNITS in self.attributes else None

    @property
    def pipeline(self) -> str:
        """How a task walks the steps of its reduction, one of `PIPELINES`; "" where that follows from its loads."""
        return self.attributes[PIPELINE].value if PIPELINE in self.attributes else ""

    @property
    def joined(self) -> bool:
        """Whether blocks of the program in front of it run its tasks."""
        return JOINED in self.attributes

    @property
    def terminator(self) -> YieldOp:
        """The rtile.yield at the end of the region."""
        return list(self.entry.operations)[-1]

    @hook
    def verify_invariants(self) -> None:
        """Check operands, attributes and results."""
        name = required_attribute(self, "sym_name", ir.StringAttr, "a string")
        require(name.value != "", "requires a name, but sym_name is empty")
        if not is_checked(self):
            self._check()
        occupy(self, results=True)

    def _check(self) -> None:
        known_attributes(self, ("sym_name", "plan", *COUNTS, PERSISTENT, PIPELINE, JOINED, OPERAND_SIZES, RESULT_SIZES))
        pipeline = optional_attribute(self, PIPELINE, ir.StringAttr, "a string")
        known = ", ".join(PIPELINES)
        if pipeline is not None and pipeline.value not in PIPELINES:
            raise InvalidOpError(f"{PIPELINE} must be one of {known}, but is {pipeline}")
        for flag in (PERSISTENT, JOINED):
            optional_attribute(self, flag, ir.UnitAttr, "a unit attribute")
        for count in COUNTS:
            given = optional_attribute(self, count, ir.IntegerAttr, "an integer")
            if given is not None and given.value < 1:
                raise InvalidOpError(f"{count} must be at least 1, but is {given}")
        if self.max_units is not None and not self.persistent:
            raise InvalidOpError(f"{MAX_UNITS} is of programs that are {PERSISTENT}")
        plan = optional_attribute(self, "plan", PlanAttr, "#rtile.plan<{...}>")
        if plan is not None:
            plan.check()
        for number, operand in enumerate(self.operands):
            static_shape(operand.type, f"operand {number}")
        buffers = [isinstance(operand.type, ir.MemRefType) for operand in self.operands]
        require(all(buffers) or not any(buffers), "operands must be all tensors or all memrefs, but are mixed")
        if any(buffers) and len(self.results) != 0:
            raise InvalidOpError(f"on memrefs has no results, but here it has {len(self.results)}")
        for number, result in enumerate(self.results):
            if not isinstance(result.type, ir.RankedTensorType):
                raise InvalidOpError(f"result {number} must be a tensor, but is {result.type}")
            static_shape(result.type, f"result {number}")

    @hook
    def verify_region_invariants(self) -> None:
        """Check the region."""
        vacate(self, results=True)
        if is_checked(self):
            return
        block = single_block(self)
        kinds = [operand.type for operand in self.operands]
        check_types([argument.type for argument in block.arguments], kinds, "region arguments", "operand")
        check_yield(block, [result.type for result in self.results], "result")
        for nested in operations_inside(self.operation)[1:]:
            _check_loop_attributes(nested)


def _check_loop_attributes(op: Any) -> None:
    for name in op.attributes:
        if not name.startswith("rtile."):
            continue
        where = f"holds '{op.name}' with attribute '{name}'"
        if name not in LOOP_ATTRIBUTES:
            raise InvalidOpError(f"{where}, which is unknown; known are {', '.join(LOOP_ATTRIBUTES)}", op.location)
        if op.name != "scf.for":
            raise InvalidOpError(f"{where}, which belongs on 'scf.for'", op.location)
        value = op.attributes[name]
        if name == MAPPING and str(value) not in ('"unit"', '"inner"', '"row"'):
            raise InvalidOpError(f'{where} = {value}, which must be "unit", "inner" or "row"', op.location)
        if name == STAGES and not (isinstance(value, ir.IntegerAttr) and value.value >= 1):
            raise InvalidOpError(f"{where} = {value}, which must be an integer of at least 1", op.location)


def program(
    operands: Sequence[Any], results: Sequence[Any], name: str, *, plan: PlanAttr | None = None, ip: Any = None
) -> ProgramOp:
    """Build an `rtile.program` with an empty `entry` block, which the caller fills and ends with `yield_`.

    Args:
        operands: Tensors, or memrefs with the outputs last. The arguments of `entry` have their types.
        results: Types of the results; none on memrefs.
        name: Name of the program.
        plan: The plan, if any.
        ip: Insertion point; the current one where None.
    """
    attributes: dict[str, Any] = {"sym_name": ir.StringAttr.get(name)}
    if plan is not None:
        attributes["plan"] = plan
    op = ir.Operation.create(
        "rtile.program", results=list(results), operands=list(operands), attributes=attributes, regions=1, ip=ip
    )
    kinds = [operand.type for operand in operands]
    op.regions[0].blocks.append(*kinds, arg_locs=[op.location] * len(kinds))
    return op.opview


def yield_(values: Sequence[Any] = ()) -> YieldOp:
    """Build an `rtile.yield` of `values`."""
    return ir.Operation.create("rtile.yield", operands=list(values)).opview
