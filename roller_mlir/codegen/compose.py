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

from roller_mlir.codegen.affine import loops_in
from roller_mlir.codegen.generic import bodiless_generic, iterators_of
from roller_mlir.codegen.group import MOST_TENSORS
from roller_mlir.codegen.linalg_reader import is_structured
from roller_mlir.support.bindings import ir, linalg


def compose_into_readers(operations: Sequence[ir.Operation]) -> list[ir.Operation]:
    """Compose element-wise ops into their readers where that repeats nothing; return the ops that are left, in order.

    Args:
        operations: Structured ops of one block, in order; those that are composed are erased.
    """
    left = list(operations)
    current = 0
    while current < len(left):  # a composed op takes its reader's place and may be composed again
        producer = left[current]
        current += 1
        reader = _only_reader(producer)
        if reader is None or reader not in left or not _is_element_wise(producer):
            continue
        positions = [i for i, value in enumerate(reader.operands) if value == producer.results[0]]
        if len(producer.operands) + len(reader.operands) > MOST_TENSORS:
            continue
        if not _reads_once(reader, positions) or not _keeps_extents(producer, reader, positions):
            continue
        current -= 1
        composed = _compose(producer, reader, positions)
        left[left.index(reader)] = composed
        left.remove(producer)
        reader.erase()
        producer.erase()
    return left


def _maps(operation: ir.Operation) -> list[ir.AffineMap]:
    attributes: Any = linalg.get_indexing_maps(operation)  # pyright: ignore[reportAttributeAccessIssue]
    return [ir.AffineMapAttr(attribute).value for attribute in attributes]


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
    """Whether an op has no reduction, writes a permutation of its loops and does not read what it overwrites."""
    *_, written = _maps(operation)
    block = operation.regions[0].blocks[0]
    return (
        written.is_permutation
        and not list(block.arguments[len(operation.operands) - 1].uses)
        and any(isinstance(value.type, ir.RankedTensorType) for value in list(operation.operands)[:-1])
    )


def _reads_once(reader: ir.Operation, positions: Sequence[int]) -> bool:
    """Whether an op reads each element of an input at one point, by loops alone and always in the same way."""
    maps = _maps(reader)
    shapes = [value.type for value in reader.operands]
    first = maps[positions[0]]
    if any(maps[position] != first for position in positions):
        return False
    loops = [result.position for result in first.results if isinstance(result, ir.AffineDimExpr)]
    if len(loops) != len(first.results) or len(set(loops)) != len(loops):
        return False
    for affine_map, kind in zip(maps, shapes, strict=True):
        if not isinstance(kind, ir.RankedTensorType):
            continue
        for result, extent in zip(affine_map.results, ir.RankedTensorType(kind).shape, strict=True):
            if extent != 1 and any(loop not in loops for loop in loops_in(result)):
                return False
    return True


def _keeps_extents(producer: ir.Operation, reader: ir.Operation, positions: Sequence[int]) -> bool:
    """Whether each loop of the reader still has an operand that it indexes alone, which gives it its extent."""
    made, read = _maps(producer), _maps(reader)
    at: dict[int, Any] = {}
    for written, result in zip(made[-1].results, read[positions[0]].results, strict=True):
        at[ir.AffineDimExpr(written).position] = ir.AffineDimExpr(result).position
    alone = {at[result.position] for m in made[:-1] for result in m.results if isinstance(result, ir.AffineDimExpr)}
    for number, m in enumerate(read):
        if number not in positions:
            alone |= {result.position for result in m.results if isinstance(result, ir.AffineDimExpr)}
    return alone == set(range(read[0].n_dims))


def _compose(producer: ir.Operation, reader: ir.Operation, positions: Sequence[int]) -> ir.Operation:
    """Build before the reader the op that computes both."""
    made, read = _maps(producer), _maps(reader)
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
        kinds = [_element(value.type) for value in (*values, *outputs)]
        block = composed.regions[0].blocks.append(*kinds, arg_locs=[reader.location] * len(kinds))
    _clone_bodies(producer, reader, positions, block, place, at, len(values))
    for old, new in zip(reader.results, composed.results, strict=True):
        old.replace_all_uses_with(new)
    return composed


def _clone_bodies(
    producer: ir.Operation,
    reader: ir.Operation,
    positions: Sequence[int],
    block: ir.Block,
    place: dict[tuple[int, int], int],
    at: Sequence[Any],
    inputs: int,
) -> None:
    first, second = producer.regions[0].blocks[0], reader.regions[0].blocks[0]
    mapped = {first.arguments[number]: block.arguments[to] for (who, number), to in place.items() if who == 0}
    mapped |= {second.arguments[number]: block.arguments[to] for (who, number), to in place.items() if who == 1}
    old_inputs = len(reader.operands) - len(reader.results)
    for number in range(len(reader.results)):
        mapped[second.arguments[old_inputs + number]] = block.arguments[inputs + number]
    with ir.InsertionPoint(block):
        for source in (first, second):
            *operations, terminator = [op.operation for op in source.operations]
            for op in operations:
                if source == first and op.name == "linalg.index":
                    loop = at[ir.IntegerAttr(op.attributes["dim"]).value]
                    mapped[op.results[0]] = linalg.IndexOp(ir.AffineDimExpr(loop).position, loc=op.location).result
                    continue
                copy = op.clone().operation
                for i, value in enumerate(op.operands):
                    copy.operands[i] = mapped.get(value, value)
                mapped.update(zip(op.results, copy.results, strict=True))
            yielded = [mapped.get(value, value) for value in terminator.operands]
            if source == first:
                mapped.update({second.arguments[position]: yielded[0] for position in positions})
            else:
                ir.Operation.create("linalg.yield", operands=yielded, loc=terminator.location)


def _element(kind: ir.Type) -> ir.Type:
    return ir.RankedTensorType(kind).element_type if isinstance(kind, ir.RankedTensorType) else kind
