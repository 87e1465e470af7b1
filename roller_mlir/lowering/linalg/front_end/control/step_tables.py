# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the steps of a loop that is launched in turn take from memory: elements of a table a step.

    %p = builtin.unrealized_conversion_cast %c3 : i64 to tensor<i64> {rtile.step = ...}
    %q = tensor.extract %p[]
    // becomes
    %t = arith.constant dense<[2, 7, 3]> : tensor<3xi64>
    %q = tensor.extract %t[%c2]

Nothing folds the cast while loops are simplified, so that %q stays data. Each step has a table of its own, whose first
element no other table has: no two of them are merged, and what reads them is alike in each step.
"""

from typing import Any, NamedTuple

from roller_mlir.lowering.linalg.accepted_input import compiled_functions
from roller_mlir.lowering.linalg.front_end.walk import operations_of
from roller_mlir.lowering.linalg.generic import empty_like
from roller_mlir.support.bindings import arith, ir, linalg, tensor
from roller_mlir.support.values import defining_op, number_attribute, operations_inside, replace_op

CAST = "builtin.unrealized_conversion_cast"
_MARK = "rtile.step"


class _Mark(NamedTuple):
    """What a cast is marked with.

    Attributes:
        is_carried: Whether a step hands the element to the next one.
        body: The number of the loop whose body the element is taken in.
        element: The number of the element among those of that body.
        steps: In which step of this loop, of the one around it, and so on.
    """

    is_carried: bool
    body: int
    element: int
    steps: tuple[int, ...] = ()


def take_element(value: Any, body: int, element: int, *steps: int, is_carried: bool = False) -> Any:
    """Build at the insertion point the element of a table that a scalar is.

    Args:
        value: The scalar.
        body: The number of the loop whose body the element is taken in.
        element: The number of the element among those of that body.
        *steps: In which step, where that is known already.
        is_carried: Whether a step hands it to the next one.
    """
    scalar, kind = value, value.type
    if isinstance(kind, ir.IndexType):
        kind = ir.IntegerType.get_signless(64)
        scalar = arith.index_cast(kind, value)
    mark = ir.DenseI64ArrayAttr.get([int(is_carried), body, element, *steps])
    result = ir.RankedTensorType.get([], kind)
    cast = ir.Operation.create(CAST, results=[result], operands=[scalar], attributes={_MARK: mark})
    taken = tensor.extract(cast.results[0], [])
    return arith.index_cast(value.type, taken) if scalar is not value else taken


def forget_marks(module: ir.Module) -> None:
    """Erase marks that a module was given with."""
    for operation in operations_of(module):
        if _MARK in operation.attributes:
            del operation.attributes[_MARK]


def number_step(operation: ir.Operation, step: int) -> None:
    """Let what an operation and those inside of it take be of a step, besides those of the loops inside."""
    for one in operations_inside(operation):
        if _MARK in one.attributes:
            one.attributes[_MARK] = ir.DenseI64ArrayAttr.get([*_numbers(one), step])


def store_tables(module: ir.Module) -> None:
    """Make a constant tensor of what each step takes and is known now, and tensors of the scalars that are carried."""
    for function in compiled_functions(module):
        casts = [op.operation for op in function.entry_block.operations if _MARK in op.operation.attributes]
        tables: dict[tuple[ir.Type, int, tuple[int, ...]], dict[int, list[ir.Operation]]] = {}
        for cast in casts:
            carried, body, element, *steps = _numbers(cast)
            mark = _Mark(bool(carried), body, element, tuple(steps))
            scalar = cast.operands[0]
            if defining_op(scalar, "arith.constant") is not None:
                table = tables.setdefault((scalar.type, mark.body, mark.steps), {})
                table.setdefault(mark.element, []).append(cast)
            elif mark.is_carried:
                with ir.InsertionPoint(cast), cast.location:
                    _read(cast, tensor.extract(linalg.fill(scalar, outs=[empty_like(cast.results[0].type)]), []))
            else:
                _read(cast, scalar)
        _store(function.entry_block, tables)
        for cast in casts:
            cast.erase()


def _store(block: Any, tables: dict[tuple[ir.Type, int, tuple[int, ...]], dict[int, list[ir.Operation]]]) -> None:
    """Make the tables, those of one body of the same length, at the begin of a function."""
    lengths: dict[tuple[ir.Type, int], int] = {}
    for (kind, body, _), table in tables.items():
        lengths[kind, body] = max(lengths.get((kind, body), 0), max(table) + 2)
    for number, ((kind, body, _), table) in enumerate(tables.items()):
        elements: list[ir.Attribute] = [number_attribute(kind, 0)] * lengths[kind, body]
        elements[0] = number_attribute(kind, number)
        for element, (cast, *_) in table.items():
            elements[element + 1] = defining_op(cast.operands[0]).attributes["value"]
        with ir.InsertionPoint.at_block_begin(block), block.owner.location:
            values: Any = arith.constant(
                ir.RankedTensorType.get([len(elements)], kind),
                ir.DenseElementsAttr.get(elements, ir.RankedTensorType.get([len(elements)], kind)),
            )
        for element, casts in table.items():
            for cast in casts:
                with ir.InsertionPoint(cast), cast.location:
                    position: Any = arith.constant(ir.IndexType.get(), element + 1)
                    _read(cast, tensor.extract(values, [position]))


def _read(cast: ir.Operation, element: Any) -> None:
    """Let what reads the element of a cast read another one, and erase the reading."""
    for use in list(cast.results[0].uses):
        replace_op(use.owner.operation, element)


def _numbers(cast: ir.Operation) -> list[int]:
    return [int(number) for number in ir.DenseI64ArrayAttr(cast.attributes[_MARK])]
