# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-expand`: programs with plans become hierarchical tiled loops.

Precondition: `rtile.program` regions hold one linalg structured op, its init and a plan. Postcondition: the regions
hold unit loops, reduction loops, `rtile.load`, `rtile.compute` and `rtile.store`; the plan is gone, the loops are the
program.

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

Refused: a program without a plan, or with one that does not fit its op; an accumulator that starts from a value that is
no constant; element types other than f32, which can be planned only. Paper: ROLLER section 3.2 and Figure 6.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.codegen import FAMILIES
from roller_mlir.codegen.accepted_input import check_generated
from roller_mlir.codegen.expand_body import clone_region
from roller_mlir.codegen.linalg_reader import (
    StructuredOp,
    erase_unused,
    fill_constant,
    is_structured,
    read_structured,
)
from roller_mlir.codegen.program import check_no_loose_ops, programs_of
from roller_mlir.dialects import rtile
from roller_mlir.mapping.data_tile import TileDimension, tile_dimensions
from roller_mlir.mapping.layout import direct_vector, residue_shift, steps_of
from roller_mlir.mapping.plan_check import plan_problem
from roller_mlir.plan import Access, LinearIndex, OperandPlan, Plan
from roller_mlir.plan.plan import REGISTER, WORKGROUP
from roller_mlir.support.bindings import arith, ir, scf, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes import Pass, register
from roller_mlir.support.values import defining_op


@register
@dataclass(frozen=True, kw_only=True)
class RTileExpand(Pass):
    """Expands each planned program into unit loops, reduction loops, loads, computes and stores."""

    name: ClassVar[str] = "rtile-expand"
    summary: ClassVar[str] = "expand plans into hierarchical tiled loops"
    requires: ClassVar[frozenset[str]] = frozenset({"plan"})
    establishes: ClassVar[frozenset[str]] = frozenset({"loops"})

    def run(self, module: ir.Module) -> None:
        """Expand every program of the module."""
        programs = programs_of(module)
        check_no_loose_ops(module)
        for program in programs:
            check_generated(_root(program))
        for program in programs:
            _expand(program)


def _root(program: rtile.ProgramOp) -> ir.Operation:
    """Return the op of a program that is not expanded yet."""
    if program.plan is None:
        fail(program, "'rtile.program' has no plan to expand; run rtile-construct first")
    roots = [op.operation for op in program.entry.operations if is_structured(op.operation)]
    if not roots:
        fail(program, "'rtile.program' with a plan must hold a linalg structured op, but holds none")
    return roots[-1]


def _expand(program: rtile.ProgramOp) -> None:
    assert program.plan is not None  # _root
    plan = Plan.from_dict(program.plan.to_dict())
    block = program.entry
    root = read_structured(_root(program))
    problem = plan_problem(root.expression, plan)
    if problem:
        fail(program, f"'rtile.program' {problem}")
    problem = _unrealised(plan)
    if problem:
        fail(program, f"'rtile.program' has a plan {problem}")
    terminator = block.operations[len(block.operations) - 1].operation
    with ir.InsertionPoint(terminator), root.operation.location:
        result = _Expansion(plan, root).build()
    terminator.operands[0] = result
    erase_unused(block)
    del program.attributes["plan"]
    if plan.tasks_per_unit is not None:
        i64 = ir.IntegerType.get_signless(64)
        program.attributes[rtile.TASKS_PER_UNIT] = ir.IntegerAttr.get(i64, plan.tasks_per_unit)


def _unrealised(plan: Plan) -> str:
    """Return what of a plan code generation cannot realise yet, or an empty string."""
    if plan.instruction not in FAMILIES:
        return f"for instruction family '{plan.instruction}'; code is generated for {', '.join(FAMILIES)}"
    if plan.max_units is not None:
        return f"for {plan.max_units} units; a kernel of its own runs on all units, leave out max-units"
    for number, operand in enumerate(plan.operands):
        if operand.swizzle is not None:
            return f"with operand {number} swizzled '{operand.swizzle}'; code is generated for padded rows"
    return ""


class _Expansion:
    """The loops of one program."""

    def __init__(self, plan: Plan, root: StructuredOp) -> None:
        self._plan, self._root, self._expression = plan, root, root.expression
        self._blocks = [axis.block for axis in plan.axes]
        self._variables: dict[int, ir.Value] = {}
        self._constants: dict[int, ir.Value] = {}
        self._entry = ir.InsertionPoint(root.operation)
        loops = self._expression.loops
        self._steps = [steps_of(loop, axis) for loop, axis in zip(loops, plan.axes, strict=True)]
        self._shifts = [residue_shift(loop, axis) for loop, axis in zip(loops, plan.axes, strict=True)]

    def build(self) -> ir.Value:
        """Build at the insertion point; return the result tensor."""
        output = self._expression.output
        element = ir.Type.parse(output.element_type)
        destination = tensor.empty(list(output.shape), element)
        units = [loop for loop in self._plan.unit_order if self._steps[loop] > 1]
        return self._nest(units, destination, self._task, {rtile.MAPPING: ir.StringAttr.get("unit")})

    def _constant(self, value: int) -> ir.Value:
        if value not in self._constants:
            self._constants[value] = arith.constant(ir.IndexType.get(), value, ip=self._entry)
        return self._constants[value]

    def _nest(
        self,
        loops: Sequence[int],
        carried: ir.Value,
        body: Callable[[ir.Value], ir.Value],
        attributes: dict[str, ir.Attribute],
    ) -> ir.Value:
        """Build a nest of loops that carries one value; attributes go to its loops."""
        if not loops:
            return body(carried)
        loop = scf.ForOp(*[self._constant(value) for value in (0, self._steps[loops[0]], 1)], [carried])
        with ir.InsertionPoint(loop.body):
            self._variables[loops[0]] = loop.induction_variable
            scf.YieldOp([self._nest(loops[1:], loop.inner_iter_args[0], body, attributes)])
        for name, value in attributes.items():
            loop.operation.attributes[name] = value
        return loop.results_[0]

    def _task(self, destination: ir.Value) -> ir.Value:
        expression = self._expression
        reductions = [loop for loop in self._plan.reduction_order if self._steps[loop] > 1]
        stages: dict[str, ir.Attribute] = {}
        if any(operand.layer == WORKGROUP for operand in self._plan.operands):
            i64 = ir.IntegerType.get_signless(64)
            stages[rtile.STAGES] = ir.IntegerAttr.get(i64, self._plan.stages)
        result = self._nest(reductions, self._initial(), self._step, stages)
        dimensions = tile_dimensions(expression.output, self._blocks)
        indices, origin = self._origin(expression.output)
        return rtile.store(
            result, destination, indices, origin=origin, steps=[d.step for d in dimensions]
        ).operation.results[0]

    def _initial(self) -> ir.Value:
        """The accumulator before the first step: a constant, unspecified, or the old output."""
        operation = self._root.operation
        output = self._expression.output
        element = ir.Type.parse(output.element_type)
        shape = [d.extent for d in tile_dimensions(output, self._blocks)]
        if not self._root.body.reads(self._root.body.inputs):
            return tensor.empty(shape, element)
        source = operation.operands[len(operation.operands) - 1]
        scalar = fill_constant(source)
        if scalar is not None:
            kind = ir.RankedTensorType.get(shape, element)
            return arith.constant(kind, ir.DenseElementsAttr.get_splat(kind, scalar))
        start = defining_op(source)
        if start is not None:
            fail(start, f"'{start.name}' cannot start an accumulator; a fill with a constant or an operand can")
        width = direct_vector(output, self._expression.loops, self._plan.axes)
        register = OperandPlan(layer=REGISTER, order=tuple(range(len(shape))), vector=width)
        return self._load(source, output, register)

    def _step(self, accumulator: ir.Value) -> ir.Value:
        """One reduction step: the loads and the compute."""
        expression, plan = self._expression, self._plan
        tiles = [
            self._load(source, access, operand)
            for source, access, operand in zip(self._root.sources, expression.inputs, plan.operands, strict=True)
        ]
        used = [loop for loop in range(len(self._steps)) if loop in self._variables]
        accesses = [*expression.inputs, expression.output]
        compute = rtile.compute(
            tiles,
            [accumulator],
            [self._variables[loop] for loop in used],
            indexing_maps=[_local_map(tile_dimensions(a, self._blocks), len(self._steps)) for a in accesses],
            iterator_types=["reduction" if loop.reduction else "parallel" for loop in expression.loops],
            box=self._blocks,
            bounds=[loop.extent for loop in expression.loops],
            origin=self._map([LinearIndex(_unit(loop, len(self._steps))) for loop in range(len(self._steps))], used),
            threads=rtile.ThreadsAttr.of(
                [(axis.threads, axis.chunk) for axis in plan.axes],
                order=plan.thread_order,
                lane=-1 if plan.lane is None else plan.lane,
                unroll=plan.unroll,
            ),
        )
        clone_region(self._root, compute)
        return compute.operation.results[0]

    def _load(self, source: ir.Value, access: Access, operand: OperandPlan) -> ir.Value:
        dimensions = tile_dimensions(access, self._blocks)
        indices, origin = self._origin(access)
        layout: Any = None
        if operand.layer == WORKGROUP or operand.vector > 1:
            layout = rtile.LayoutAttr.of(
                operand.order,
                pad=operand.pad,
                vector=operand.vector,
                store_vector=operand.store_vector,
                fragment_vector=operand.fragment_vector,
            )
        tile = rtile.TileAttr.of([d.extent for d in dimensions], operand.layer, [d.step for d in dimensions])
        return rtile.load_tile(
            source, indices, tile=tile, origin=origin, layout=layout, pad_value=operand.pad_value
        ).operation.results[0]

    def _origin(self, access: Access) -> tuple[list[ir.Value], ir.AffineMap]:
        """Return the loop variables that an access depends on, and its tile's origin as a map of them."""
        used = [loop for loop in sorted(access.loops()) if loop in self._variables]
        return [self._variables[loop] for loop in used], self._map(access.indices, used)

    def _map(self, functions: Sequence[LinearIndex], used: Sequence[int]) -> ir.AffineMap:
        results: list[ir.AffineExpr] = []
        for function in functions:
            constant = function.constant - sum(k * self._shifts[loop] for loop, k in function.terms().items())
            value = ir.AffineConstantExpr.get(constant)
            for position, loop in reversed(list(enumerate(used))):
                factor = function.coefficients[loop] * self._blocks[loop]
                if factor:
                    value = ir.AffineDimExpr.get(position) * factor + value
            results.append(value)
        return ir.AffineMap.get(len(used), 0, results)


def _local_map(dimensions: Sequence[TileDimension], loops: int) -> ir.AffineMap:
    """Return the map from points of the box to elements of a tile."""
    results: list[ir.AffineExpr] = []
    for dimension in dimensions:
        value = ir.AffineConstantExpr.get(0)
        for loop, k in sorted(dimension.coefficients.items(), reverse=True):
            value = ir.AffineDimExpr.get(loop) * k + value
        results.append(value)
    return ir.AffineMap.get(loops, 0, results)


def _unit(loop: int, loops: int) -> tuple[int, ...]:
    return tuple(int(i == loop) for i in range(loops))
