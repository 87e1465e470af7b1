# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dispatches: what gets one plan each, a linalg op that stands alone or a program of several; and their names."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from roller_mlir.lowering.linalg.constants import Constants
from roller_mlir.lowering.linalg.group.group import Group, GroupError, members_of, read_group, starts_others_only
from roller_mlir.lowering.linalg.reader import StructuredOp, StructuredReader, is_structured
from roller_mlir.lowering.linalg.rewrite.equal_programs import said_by
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.rewrite.uneven import reads_outside
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op, values_used

_VIEWS = ("tensor.expand_shape", "tensor.collapse_shape", "tensor.extract_slice", "tensor.cast", "tensor.pad")


@dataclass(frozen=True)
class LinalgDispatch:
    """What gets one plan.

    Attributes:
        operation: A linalg op, or a program without a plan.
        root_name: What it is called after: its op, of several the reduction root, else the last.
        expression: What is planned.
        members: The expressions of its ops.
        joined: Whether it is a program.
        inputs: For each input of the expression, the operand of the operation that it is, or is a view of; None of what
            it makes itself.
        root: The op that stands alone, as it was read; None of a program.
        divisible: Whether its reduction may be divided over tasks, see `Group.divisible`.
    """

    operation: ir.Operation
    root_name: str
    expression: TensorExpression
    members: tuple[TensorExpression, ...]
    joined: bool
    inputs: tuple[int | None, ...] = ()
    root: StructuredOp | None = None
    divisible: bool = True


def planned_blocks(module: ir.Module) -> list[Any]:
    """Return the blocks of a module's functions, in order: where `named_dispatches` looks."""
    functions = [op for op in module.body.operations if isinstance(op, func.FuncOp) and not op.is_external]
    return [block for function in functions for block in function.regions[0].blocks]


def named_dispatches(module: ir.Module) -> dict[str, LinalgDispatch]:
    """Return what gets a plan, by the programs' names, in order: loose linalg ops, and programs without a plan.

    Of programs that are equal but for their names and tensors one is read.

    Raises:
        DiagnosedError: One cannot be read, or joined ops cannot be one kernel.
    """
    operations = [inner.operation for block in planned_blocks(module) for inner in block.operations]
    known: dict[Hashable, LinalgDispatch] = {}
    found: list[LinalgDispatch] = []
    reader = StructuredReader(unchanged=True)
    for one in operations:
        if is_structured(one) and not starts_others_only(one):
            root = reader.read(one)
            own = (root.expression,)
            inputs = _operands_of(one, root.sources)
            found.append(
                LinalgDispatch(one, _called(one), root.expression, own, joined=False, inputs=inputs, root=root)
            )
        elif one.name == "rtile.program" and is_unplanned(one):
            said = said_by(one.opview)
            if said not in known:
                known[said] = _read_program(one)
            found.append(replace(known[said], operation=one))
    return {f"{dispatch.root_name}_{number}": dispatch for number, dispatch in enumerate(found)}


def producers_of(module: ir.Module, dispatches: Sequence[LinalgDispatch]) -> list[tuple[int, ...]]:
    """Return of each dispatch the numbers of those whose results it takes, through whatever stands between, in order.

    Args:
        module: Where they stand.
        dispatches: All that `named_dispatches` returns of these, in its order.
    """
    given = _makers(module, dispatches)[1]
    return [tuple(sorted(one)) for one in given]


def unmade_inputs(module: ir.Module, dispatches: Sequence[LinalgDispatch]) -> list[frozenset[int]]:
    """Return of each dispatch the inputs of its expression that come of no dispatch, by number: weights.

    Args:
        module: Where they stand.
        dispatches: All that `named_dispatches` returns of these, in its order.
    """
    made = _makers(module, dispatches)[0]
    return [
        frozenset(
            number
            for number, operand in enumerate(dispatch.inputs)
            if operand is not None and not made.get(dispatch.operation.operands[operand])
        )
        for dispatch in dispatches
    ]


@dataclass(frozen=True)
class ReadAgain:
    """What several dispatches read of what comes of none: weights of layers that are equal at each step.

    Attributes:
        tensors: Of each dispatch which tensor each such input is, by the number of the input.
        sizes: The bytes of each tensor.
    """

    tensors: tuple[dict[int, int], ...]
    sizes: tuple[int, ...]

    @property
    def found_share(self) -> float:
        """What of the bytes that are read could be found, if nothing had to be read twice."""
        readings = sum(self.sizes[one] for own in self.tensors for one in own.values())
        return 1 - sum(self.sizes) / max(1, readings)


def read_again(dispatches: Sequence[LinalgDispatch], unmade: Sequence[frozenset[int]]) -> ReadAgain:
    """Return what several dispatches read.

    Args:
        dispatches: All that `named_dispatches` returns.
        unmade: What `unmade_inputs` returns of these.
    """
    readers: dict[ir.Value, int] = {}
    values: list[dict[int, ir.Value]] = []
    for dispatch, numbers in zip(dispatches, unmade, strict=True):
        operands, own = dispatch.operation.operands, dict[int, ir.Value]()
        for number in sorted(numbers):
            operand = dispatch.inputs[number]
            assert operand is not None, "what the dispatch makes itself comes of it"
            own[number] = operands[operand]
        values.append(own)
        for value in {*own.values()}:
            readers[value] = readers.get(value, 0) + 1
    names: dict[ir.Value, int] = {}
    sizes: list[int] = []
    tensors: list[dict[int, int]] = []
    for dispatch, own in zip(dispatches, values, strict=True):
        tensors.append({})
        for number, value in own.items():
            if readers[value] > 1:
                if value not in names:
                    names[value] = len(sizes)
                    sizes.append(dispatch.expression.inputs[number].size_bytes)
                tensors[-1][number] = names[value]
    return ReadAgain(tuple(tensors), tuple(sizes))


def _makers(
    module: ir.Module, dispatches: Sequence[LinalgDispatch]
) -> tuple[dict[ir.Value, frozenset[int]], list[frozenset[int]]]:
    """Return of each value the dispatches that it comes of, and of each dispatch those that its operands come of."""
    number_of = {dispatch.operation: number for number, dispatch in enumerate(dispatches)}
    made: dict[ir.Value, frozenset[int]] = {}
    found: list[frozenset[int]] = []
    for operation in (op.operation for block in planned_blocks(module) for op in block.operations):
        given = frozenset[int]().union(*(made.get(value, frozenset()) for value in values_used(operation)))
        number = number_of.get(operation)
        made.update(dict.fromkeys(operation.results, given if number is None else frozenset((number,))))
        if number is not None:
            found.append(given)
    return made, found


def _operands_of(operation: ir.Operation, sources: Sequence[ir.Value]) -> tuple[int | None, ...]:
    """Return of tensors that an op reads the operand that each is, or is a view of; None of others."""
    numbers = {value: number for number, value in reversed(list(enumerate(operation.operands)))}
    views = dict[ir.Value, int]()
    for value, number in numbers.items():
        below = value
        while below not in views and (view := defining_op(below)) is not None and view.name in _VIEWS:
            below = view.operands[0]
            views.setdefault(below, number)
    return tuple(numbers.get(one, views.get(one)) for one in sources)


def is_unplanned(operation: ir.Operation) -> bool:
    """Return whether a program holds linalg ops that have no plan yet."""
    program: Any = operation.opview
    return program.plan is None and bool(members_of(program.entry))


def _read_program(operation: ir.Operation) -> LinalgDispatch:
    group = group_of(operation)
    root = group.members[-1 if group.reduction_root is None else group.reduction_root].root.operation
    members = tuple(member.root.expression for member in group.members)
    inputs: list[int | None] = []
    for (member, number), *_ in group.inputs:
        source = group.members[member].root.sources[number]
        while (view := defining_op(source)) is not None and view.name in _VIEWS:
            source = view.operands[0]
        inputs.append(ir.BlockArgument(source).arg_number if isinstance(source.owner, ir.Block) else None)
    return LinalgDispatch(
        operation,
        _called(root),
        group.expression,
        members,
        joined=True,
        inputs=tuple(inputs),
        divisible=group.divisible,
    )


def _called(operation: ir.Operation) -> str:
    return operation.name.split(".")[-1]


def group_of(dispatch: ir.Operation) -> Group:
    """Return what gets one plan, a linalg op or a program of several, as a group."""
    if dispatch.name != "rtile.program":
        return read_group([dispatch], list(dispatch.results))
    program: Any = dispatch.opview
    block = program.entry
    results = list(block.operations[len(block.operations) - 1].operation.operands)
    try:
        return read_group(members_of(block), results)
    except GroupError as error:
        fail(program, f"'rtile.program' cannot be one kernel: {error}")


class ConstantInputs(NamedTuple):
    """Inputs of an expression that are constants of the module, by their numbers.

    Attributes:
        constants: Those whose data are at hand, each read at one place.
        finite: Those of finite numbers, where something is read outside of its tensor; else nobody asks.
    """

    constants: tuple[int, ...] = ()
    finite: tuple[int, ...] = ()


NO_CONSTANTS = ConstantInputs()


def constants_of(dispatch: ir.Operation) -> ConstantInputs:
    """Return the constants among the inputs of what gets one plan."""
    constants = Constants()
    return (
        constant_inputs(group_of(dispatch), constants) if any(map(constants.knows, dispatch.operands)) else NO_CONSTANTS
    )


def constant_inputs(group: Group, constants: Constants) -> ConstantInputs:
    """Return the inputs of a group's expression that are constants of the module.

    Args:
        group: Of a block, or of a program.
        constants: What is known of those of its module.
    """
    roots = [member.root for member in group.members]
    read = [value for root in roots for value in (*root.sources, *(start for _, start, _ in root.starts))]
    found = dict[int, ir.Value]()
    for number, uses in enumerate(group.inputs):
        value, *others = [roots[member].sources[position] for member, position in uses]
        if not others and read.count(value) == 1 and constants.knows(_outside(value)):
            found[number] = _outside(value)
    padded = any(reads_outside(group.expression, access) for access in group.expression.inputs)
    finite = [number for number, value in found.items() if padded and constants.is_finite(value)]
    return ConstantInputs(tuple(found), tuple(finite))


def _outside(value: ir.Value) -> ir.Value:
    """Return what an argument of a program stands for; any other value as it is."""
    if not isinstance(value, ir.BlockArgument) or (program := value.owner.owner.operation).name != "rtile.program":
        return value
    return program.operands[value.arg_number]
