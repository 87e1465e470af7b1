# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A planned program of full size as a module of its own at small extents, with the very same plan.

    %0 = "rtile.program"(%a, %b) ({ ... linalg.matmul ... }) {plan = P} : (65536x1024, 1024x4096) -> 65536x4096
    // becomes, where P has blocks of 128 x 128 and steps of 8 in 2 stages,
    func.func @matmul_0(%a: tensor<256x32xf32>, %b: tensor<32x256xf32>) -> tensor<256x256xf32> {
      %0 = "rtile.program"(%a, %b) ({ ... linalg.matmul ... }) {plan = P'} : ...
      return %0
    }

P' is P but for what it says of extents: the prediction, and how many points a part of a divided reduction has. The
shapes follow from the indexing maps; paddings and what a tensor has beyond its last index stay.
"""

from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.dialects import rtile
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.programs.extents import Extents, shrunk_extents
from roller_mlir.hal import Device
from roller_mlir.lowering.linalg.affine import affine_map, map_indices
from roller_mlir.lowering.linalg.body import gathered_arguments
from roller_mlir.lowering.linalg.group.wrap import unwrap
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.lowering.linalg.reader import StructuredOp, fill_constant, is_structured, read_structured
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.mapping.layout.layout import row_alignment
from roller_mlir.model.cost.performance import predict
from roller_mlir.plan import LinearIndex, Plan, TensorExpression
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.values import defining_op, indexing_maps, replace_op


@dataclass(frozen=True, kw_only=True)
class ShrunkProgram:
    """A program at small extents.

    Attributes:
        name: Of the program and of the function around it.
        planned: The module with the program, as text.
        linalg: The same function of linalg ops without a plan, as text, for a reference.
        whole_plan: The plan at full size.
        plan: The plan now.
        extents: What became of the loops.
    """

    name: str
    planned: str
    linalg: str
    whole_plan: Plan
    plan: Plan
    extents: Extents


def read_program(program: rtile.ProgramOp) -> tuple[StructuredOp, Plan]:
    """Return the one linalg op of a planned program, read, and the plan.

    Raises:
        SuiteError: The program holds several.
    """
    found = [op.operation for op in program.entry.operations if is_structured(op.operation)]
    roots = [op for op in found if fill_constant(op.results[0]) is None]
    if program.plan is None or len(roots) != 1:
        raise SuiteError(f"'{program.program_name}' has {len(roots)} linalg ops; programs of 1 are shrunk")
    return read_structured(roots[0]), program.plan.read()


def shrink_program(program: rtile.ProgramOp, device: Device, most: int) -> ShrunkProgram:
    """Return a planned program at small extents.

    Args:
        program: Of a module after `rtile-construct`; it stays as it is.
        device: What it is planned for.
        most: See `shrunk_extents`.

    Raises:
        SuiteError: It has several linalg ops, walks a tensor backwards or at positions from data, or reads one in two
            ways that need two shapes.
    """
    root, whole = read_program(program)
    name: str = program.program_name
    for access in root.expression.inputs:
        if any(k < 0 for index in access.indices for k in index.coefficients):
            raise SuiteError(f"'{name}' walks a tensor backwards, which is not shrunk")
    if gathered_arguments(root.operation):
        raise SuiteError(f"'{name}' reads a tensor at positions from data, which is not shrunk")
    extents = shrunk_extents(root.expression, whole, most)
    with ir.Location.unknown(program.operation.context):
        module = _alone(program, name)
        (copy,) = programs_of(module)
        small, plan = _shrink(copy, extents)
        _check_alignment(name, root.expression, small, plan)
        plan = replace(plan, prediction=predict(small, plan, device))
        copy.attributes["plan"] = rtile.PlanAttr.of(plan)
        if copy.joined:  # alone it is a kernel
            del copy.attributes[rtile.JOINED]
        module.operation.verify()
        planned = str(module)
        unwrapped = parse_module(planned, program.operation.context)
        _unwrap(unwrapped)
    return ShrunkProgram(
        name=name, planned=planned, linalg=str(unwrapped), whole_plan=whole, plan=plan, extents=extents
    )


def _alone(program: rtile.ProgramOp, name: str) -> ir.Module:
    """Return a module of one function that holds a copy of a program."""
    operation = program.operation
    module = ir.Module.create()
    kinds = [value.type for value in operation.operands]
    with ir.InsertionPoint(module.body):
        function: Any = func.FuncOp(name, ir.FunctionType.get(kinds, [value.type for value in operation.results]))
        block = function.add_entry_block()
    copy = operation.clone(ip=ir.InsertionPoint(block)).operation
    for number, argument in enumerate(block.arguments):
        copy.operands[number] = argument
    with ir.InsertionPoint(block):
        func.ReturnOp(list(copy.results))
    return module


def _shrink(program: rtile.ProgramOp, extents: Extents) -> tuple[TensorExpression, Plan]:
    """Give a program its small shapes, outside too; return what its op now is, and the plan."""
    root, plan = read_program(program)
    operation = root.operation
    whole: dict[Any, tuple[int, ...]] = {}
    shapes: dict[Any, tuple[int, ...]] = {}
    maps = indexing_maps(operation)
    for value, one in zip(operation.operands, maps, strict=True):
        _resize(value, map_indices(one), extents, whole, shapes)
    inputs = len(operation.operands) - len(operation.results)
    for number, result in enumerate(operation.results):
        result.set_type(operation.operands[inputs + number].type)
    if extents.part is not None:
        renewed = [affine_map([*map(extents.index, map_indices(one))]) for one in maps]
        operation.attributes["indexing_maps"] = ir.ArrayAttr.get([ir.AffineMapAttr.get(one) for one in renewed])
    owner = program.operation
    for number, argument in enumerate(program.entry.arguments):
        owner.operands[number].set_type(argument.type)
    for outside, result in zip(owner.results, operation.results, strict=True):
        outside.set_type(result.type)
    function: Any = owner.parent
    kinds = [value.type for value in owner.operands], [value.type for value in owner.results]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(*kinds))
    return read_structured(operation).expression, replace(plan, part=extents.part, raster=(), prediction=None)


def _resize(
    value: Any,
    indices: tuple[LinearIndex, ...],
    extents: Extents,
    whole: dict[Any, tuple[int, ...]],
    shapes: dict[Any, tuple[int, ...]],
) -> None:
    """Give an operand of the op its small shape, and what it comes from."""
    if not isinstance(value.type, ir.RankedTensorType):
        return
    before = whole.setdefault(value, tuple(ir.RankedTensorType(value.type).shape))
    shape = tuple(size - extents.shorter(index) for size, index in zip(before, indices, strict=True))
    dropped = tuple(extents.dropped_elements(index) for index in indices)
    _give(value, shape, dropped, shapes)


def _give(value: Any, shape: tuple[int, ...], dropped: tuple[int, ...], shapes: dict[Any, tuple[int, ...]]) -> None:
    """Give a value a shape, and what it comes from: a padding keeps its sizes but for what is dropped behind a part."""
    _set_shape(value, shape, shapes)
    operation = defining_op(value)
    if operation is None:
        return
    if is_structured(operation):
        _give(operation.operands[len(operation.operands) - 1], shape, dropped, shapes)
    elif operation.name == PAD:
        low, high = (list(ir.DenseI64ArrayAttr(operation.attributes[f"static_{side}"])) for side in ("low", "high"))
        taken = tuple(min(size, less) for size, less in zip(high, dropped, strict=True))
        high = [size - less for size, less in zip(high, taken, strict=True)]
        operation.attributes["static_high"] = ir.DenseI64ArrayAttr.get(high)
        inside = tuple(size - a - b for size, a, b in zip(shape, low, high, strict=True))
        left = tuple(all_ - less for all_, less in zip(dropped, taken, strict=True))
        _give(operation.operands[0], inside, left, shapes)


def _set_shape(value: Any, shape: tuple[int, ...], shapes: dict[Any, tuple[int, ...]]) -> None:
    if min(shape, default=1) < 1:
        raise SuiteError(f"two tiles leave no tensor inside its padding, which needs {list(shape)}")
    if shapes.setdefault(value, shape) != shape:
        raise SuiteError(f"one tensor is read in two ways, which need {list(shapes[value])} and {list(shape)} of it")
    value.set_type(ir.RankedTensorType.get(shape, ir.RankedTensorType(value.type).element_type))


def _check_alignment(name: str, whole: TensorExpression, small: TensorExpression, plan: Plan) -> None:
    """Check that what divides rows and tiles, from which widths and masks follow, is as it was."""
    blocks = [axis.block for axis in plan.axes]
    for before, after in zip((*whole.inputs, whole.output), (*small.inputs, small.output), strict=True):
        aligned = row_alignment(before, whole.loops, blocks), row_alignment(after, small.loops, blocks)
        if aligned[0] != aligned[1]:
            raise SuiteError(
                f"'{name}' reads rows of '{before.name}' at multiples of {aligned[0]}, shrunk of {aligned[1]}"
            )


def _unwrap(module: ir.Module) -> None:
    """Move the ops of a module's programs to where the programs stand."""
    for program in programs_of(module):
        _, results = unwrap(program)
        replace_op(program.operation, *results)
