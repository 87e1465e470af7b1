# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products read weights of 8 bits as they are, and dequantize what they multiply.

    %w = linalg.generic ins(%q : tensor<64x32x512xi8>, %s : tensor<64x512xf32>) { (%q as float) * %s }    // constants
    %r = linalg.generic ins(%x, %w) outs(%zero : tensor<8x512xf32>) { %acc + %a * %b }
    // becomes
    %r = linalg.generic ins(%x, %q, %s) outs(%zero) { %acc + %a * ((%q as float) * %s) }

Else a kernel would write all weights as floats each time, and another one read them. A tile dequantizes a weight once
for all of its rows; where many tiles of rows do that, it may take longer than to do it once, and both are predicted.
"""

from collections.abc import Callable, Sequence

from roller_mlir.lowering.linalg.body import CASTS
from roller_mlir.lowering.linalg.constants import is_known_constant
from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.group.dispatches import NO_CONSTANTS, ConstantInputs
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured, read_structured
from roller_mlir.lowering.linalg.rewrite.compose import composed_copy
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import indexing_maps, replace_op

Seconds = Callable[[TensorExpression, ConstantInputs], float | None]
"""What an op is predicted to take of whose inputs some are constants, None where it cannot be planned."""


def multiply_weights(operations: Sequence[ir.Operation], seconds: Seconds) -> list[ir.Operation]:
    """Let products read the weights that ops dequantize for them where that saves time; return those that do.

    Args:
        operations: Structured ops of one block, in order.
        seconds: What they take.
    """
    changed: list[ir.Operation] = []
    operations = _widen_where_read(operations)
    place = {one.results[0]: number for number, one in enumerate(operations) if len(one.results) == 1}
    gone = set[int]()
    for number, producer in enumerate(operations):
        reader = _reader_of(producer) if number not in gone and _dequantizes_weights(producer) else None
        together = None if reader is None else composed_copy(producer, reader)
        if reader is None or together is None:
            continue
        apart = [_seconds(one, seconds) for one in (producer, reader)]
        joined = _seconds(together, seconds)
        if joined is None or (None not in apart and joined >= sum(one for one in apart if one is not None)):
            together.erase()
            continue
        gone.add(place[reader.results[0]])
        replace_op(reader, *together.results)
        producer.erase()
        changed.append(together)
    return changed


def _widen_where_read(operations: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Let who reads constants of 8 bits that an op only widens, as zero points, widen them; return the ops left."""
    left: dict[int, ir.Operation] = dict(enumerate(operations))
    place = {one.results[0]: number for number, one in left.items() if len(one.results) == 1}
    for number in range(len(operations)):
        producer = left[number]
        widens = _makes_of_weights(producer) and all(
            one.operation.name in (*CASTS, "linalg.yield") for one in producer.regions[0].blocks[0].operations
        )
        reader = _only_reader(producer) if widens else None
        together = None if reader is None or reader.results[0] not in place else composed_copy(producer, reader)
        if reader is None or together is None:
            continue
        at = place[reader.results[0]]
        left[at] = together
        place[together.results[0]] = at
        replace_op(reader, *together.results)
        producer.erase()
        del left[number]
    return [left[number] for number in sorted(left)]


def _only_reader(producer: ir.Operation) -> ir.Operation | None:
    """Return the structured op that alone reads a result, as an input; None where there is no such op."""
    users = {use.owner.operation.results[0]: use.owner.operation for use in producer.results[0].uses}
    if len(users) != 1:
        return None
    (reader,) = users.values()
    if not is_structured(reader) or len(reader.results) != 1 or reader.operands[-1] == producer.results[0]:
        return None
    return reader


def _reader_of(producer: ir.Operation) -> ir.Operation | None:
    """Return the op that alone reads a result and reduces; None where there is no such op."""
    reader = _only_reader(producer)
    return reader if reader is not None and "reduction" in iterators_of(reader, indexing_maps(reader)) else None


def _dequantizes_weights(operation: ir.Operation) -> bool:
    """Return whether an op makes floats, element by element, of constants alone, one of which is of 8 bits."""
    made = ir.RankedTensorType(operation.results[0].type).element_type if _makes_of_weights(operation) else None
    return isinstance(made, ir.FloatType)


def _makes_of_weights(operation: ir.Operation) -> bool:
    """Return whether an op makes something, element by element, of constants alone, one of which is of 8 bits."""
    if len(operation.results) != 1 or len(operation.operands) < 2 or fill_constant(operation.results[0]) is not None:
        return False
    inputs = list(operation.operands)[:-1]
    kinds = [ir.RankedTensorType(value.type).element_type for value in inputs if _is_tensor(value)]
    written = indexing_maps(operation)[-1]
    if len(kinds) < len(inputs) or "i8" not in map(str, kinds) or not written.is_permutation:
        return False
    if list(operation.regions[0].blocks[0].arguments[len(inputs)].uses):
        return False
    return all(map(is_known_constant, inputs))


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType)


def _seconds(operation: ir.Operation, seconds: Seconds) -> float | None:
    read = read_structured(operation)
    known = tuple(number for number, value in enumerate(read.sources) if is_known_constant(value))
    return seconds(read.expression, ConstantInputs(known) if known else NO_CONSTANTS)
