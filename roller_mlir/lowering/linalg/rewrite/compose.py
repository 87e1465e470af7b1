# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise ops composed into the op that reads them: two bodies become one, and the tensor between them vanishes.

Only where nothing is computed twice: the reader runs through each element once, and nobody else reads the tensor.

    %s = linalg.generic {(i, j) -> (i, j), ...} ins(%x) { %m = arith.mulf %a, %a }      // x * x
    %r = linalg.generic {(i, j) -> (i, j), (i, j) -> (i)} ins(%s) { %n = arith.addf }   // summed along j
    // becomes
    %r = linalg.generic {(i, j) -> (i, j), (i, j) -> (i)} ins(%x) { %m = ...  %n = ... }
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.lowering.linalg.generic import bodiless_generic, iterators_of
from roller_mlir.lowering.linalg.group.group import MOST_TENSORS
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import indexing_maps, replace_op


def compose_into_readers(operations: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Compose element-wise ops into their readers where that repeats nothing; return the ops that are left, in order.

    Args:
        operations: Structured ops of one block, in order; those that are composed are erased.
    """
    left: list[ir.Operation | None] = list(operations)
    # By a result: the bindings hash an op by what it reads, which changes here.
    place = {operation.results[0]: number for number, operation in enumerate(operations)}
    for number in range(len(left)):  # a composed op takes its reader's place and may be composed again
        producer = left[number]
        reader = None if producer is None else _only_reader(producer)
        if producer is None or reader is None or reader.results[0] not in place or not _is_element_wise(producer):
            continue
        positions = [i for i, value in enumerate(reader.operands) if value == producer.results[0]]
        if len(producer.operands) + len(reader.operands) > MOST_TENSORS:
            continue
        if not _reads_once(reader, positions) or not _keeps_extents(producer, reader, positions):
            continue
        composed = _compose(producer, reader, positions)
        left[number] = None
        left[place[reader.results[0]]] = composed
        place[composed.results[0]] = place.pop(reader.results[0])
        del place[producer.results[0]]
        reader.erase()
        producer.erase()
    return [operation for operation in left if operation is not None]


def composed_copy(producer: ir.Operation, reader: ir.Operation) -> ir.Operation | None:
    """Build in front of a reader what computes both, however often it computes what the other makes.

    Args:
        producer: Element-wise; it stays.
        reader: What alone reads its result, as an input; it stays.

    Returns:
        The op; None where there would be too many tensors, or a loop whose extent no tensor gives.
    """
    positions = [i for i, value in enumerate(reader.operands) if value == producer.results[0]]
    if len(producer.operands) + len(reader.operands) > MOST_TENSORS or not _keeps_extents(producer, reader, positions):
        return None
    with ir.InsertionPoint(reader), reader.location:
        known: dict[ir.Value, ir.Value] = {}
        first, second = copy_mapped(producer, known), copy_mapped(reader, known)
    composed = _compose(first, second, positions)
    second.erase()
    first.erase()
    return composed


def _only_reader(producer: ir.Operation) -> ir.Operation | None:
    """Return the structured op that alone reads what an op makes, as an input."""
    if len(producer.results) != 1:
        return None
    users = {use.owner.operation for use in producer.results[0].uses}
    if len(users) != 1:
        return None
    (reader,) = users
    inputs = len(reader.operands) - len(reader.results)
    reads = [use.operand_number for use in producer.results[0].uses]
    return reader if is_structured(reader) and all(number < inputs for number in reads) else None


def _is_element_wise(operation: ir.Operation) -> bool:
    """Return whether an op has no reduction, writes a permutation of its loops and does not read what it overwrites."""
    *_, written = indexing_maps(operation)
    block = operation.regions[0].blocks[0]
    return (
        written.is_permutation
        and not list(block.arguments[len(operation.operands) - 1].uses)
        and any(isinstance(value.type, ir.RankedTensorType) for value in list(operation.operands)[:-1])
    )


def _reads_once(reader: ir.Operation, positions: Sequence[int]) -> bool:
    """Return whether an op reads each element of an input at one point, by loops alone and always in the same way."""
    maps = indexing_maps(reader)
    shapes = [value.type for value in reader.operands]
    first = maps[positions[0]]
    if any(maps[position] != first for position in positions):
        return False
    loops = [result.position for result in first.results if isinstance(result, ir.AffineDimExpr)]
    extents = zip(first.results, ir.RankedTensorType(shapes[positions[0]]).shape, strict=True)
    others = [extent for result, extent in extents if not isinstance(result, ir.AffineDimExpr)]
    if any(extent != 1 for extent in others) or len(set(loops)) != len(loops):
        return False
    for affine_map, kind in zip(maps, shapes, strict=True):
        if not isinstance(kind, ir.RankedTensorType):
            continue
        for result, extent in zip(affine_map.results, ir.RankedTensorType(kind).shape, strict=True):
            if extent != 1 and any(loop not in loops for loop in loops_in(result)):
                return False
    return True


def _keeps_extents(producer: ir.Operation, reader: ir.Operation, positions: Sequence[int]) -> bool:
    """Return whether each loop of the reader still has an operand that it indexes alone, which gives it its extent."""
    made, read = indexing_maps(producer), indexing_maps(reader)
    at: dict[int, Any] = {}
    for written, result in zip(made[-1].results, read[positions[0]].results, strict=True):
        if isinstance(result, ir.AffineDimExpr):  # else of a dimension of one element
            at[ir.AffineDimExpr(written).position] = result.position
    alone = {
        at[result.position]
        for m in made[:-1]
        for result in m.results
        if isinstance(result, ir.AffineDimExpr) and result.position in at
    }
    for number, m in enumerate(read):
        if number not in positions:
            alone |= {result.position for result in m.results if isinstance(result, ir.AffineDimExpr)}
    return alone == set(range(read[0].n_dims))


def _compose(producer: ir.Operation, reader: ir.Operation, positions: Sequence[int]) -> ir.Operation:
    """Build before the reader the op that computes both."""
    made, read = indexing_maps(producer), indexing_maps(reader)
    loops, inputs = read[0].n_dims, len(reader.operands) - len(reader.results)
    at: list[Any] = [ir.AffineConstantExpr.get(0)] * made[0].n_dims
    for written, result in zip(made[-1].results, read[positions[0]].results, strict=True):
        at[ir.AffineDimExpr(written).position] = result
    values: list[ir.Value] = []
    maps: list[ir.AffineMap] = []
    place: dict[tuple[int, int], int] = {}  # (0 producer or 1 reader, operand) -> operand of the new op

    def take(who: int, number: int, value: ir.Value, affine_map: ir.AffineMap) -> None:
        for known, (other, its_map) in enumerate(zip(values, maps, strict=True)):
            if other == value and its_map == affine_map:
                place[who, number] = known
                return
        place[who, number] = len(values)
        values.append(value)
        maps.append(affine_map)

    for number in range(inputs):
        if number not in positions:
            take(1, number, reader.operands[number], read[number])
    substitution = ir.AffineMap.get(loops, 0, at)
    for number, value in enumerate(list(producer.operands)[:-1]):
        results = [result.compose(substitution) for result in made[number].results]
        take(0, number, value, ir.AffineMap.get(loops, 0, results))
    outputs = list(reader.operands)[inputs:]
    with ir.InsertionPoint(reader), reader.location:
        composed = bodiless_generic(values, outputs, [*maps, *read[inputs:]], iterators_of(reader, read))
    # The reader's body goes behind the producer's, which may be long: the ops of a chain are moved once.
    producer.regions[0].blocks[0].append_to(composed.regions[0])
    _join_bodies(composed, reader, positions, place, at, [_element(value.type) for value in (*values, *outputs)])
    for old, new in zip(reader.results, composed.results, strict=True):
        old.replace_all_uses_with(new)
    return composed


def _join_bodies(
    composed: ir.Operation,
    reader: ir.Operation,
    positions: Sequence[int],
    place: dict[tuple[int, int], int],
    at: Sequence[Any],
    kinds: Sequence[ir.Type],
) -> None:
    """Let the body of a composed op, which is the producer's yet, take the new op's arguments and do the reader's work.

    Args:
        composed: The new op.
        reader: The op whose body is to follow.
        positions: Its operands that the producer makes.
        place: Operand of the new op by 0 for the producer or 1 for the reader, and the operand of that.
        at: The reader's index for each loop of the producer.
        kinds: Element types of the new op's operands.
    """
    block, second = composed.regions[0].blocks[0], reader.regions[0].blocks[0]
    count = len(block.arguments)
    for kind in kinds:
        block.add_argument(kind, reader.location)
    arguments = list(block.arguments)
    for number in range(count):  # the last is the output's, which the producer does not read
        if (0, number) in place:
            arguments[number].replace_all_uses_with(arguments[count + place[0, number]])
    for number in reversed(range(count)):
        block.erase_argument(number)
    arguments = list(block.arguments)
    if any(loop != ir.AffineDimExpr.get(number) for number, loop in enumerate(at)):
        for op in [op.operation for op in block.operations if op.operation.name == "linalg.index"]:
            loop = at[ir.IntegerAttr(op.attributes["dim"]).value]
            if isinstance(loop, ir.AffineDimExpr):
                op.attributes["dim"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), loop.position)
                continue
            with ir.InsertionPoint(op), op.location:
                replace_op(op, arith.constant(ir.IndexType.get(), 0))
    terminator: Any = ir.InsertionPoint.at_block_terminator(block).ref_operation  # not by way of all ops
    yielded = terminator.operands[0]
    terminator.erase()
    first_output = len(kinds) - len(reader.results)
    mapped: dict[ir.Value, ir.Value] = {second.arguments[n]: arguments[to] for (who, n), to in place.items() if who}
    for number in range(len(reader.results)):
        mapped[second.arguments[len(reader.operands) - len(reader.results) + number]] = arguments[first_output + number]
    mapped.update({second.arguments[position]: yielded for position in positions})
    with ir.InsertionPoint(block):
        for op in second.operations:
            copy_mapped(op.operation, mapped)


def _element(kind: ir.Type) -> ir.Type:
    return ir.RankedTensorType(kind).element_type if isinstance(kind, ir.RankedTensorType) else kind
