# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program's loads and stores begin, as starts of its applications: programs equal but for these become one.

    %0 = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 + 2, 0)>, ...}
    %1 = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 + 6, 0)>, ...}    // of another program
    // become, with 0 and 4 as starts of their applications
    %s = arith.constant {rammer.start} 0 : index
    %0 = "rtile.load"(%x, %i, %s) {origin = affine_map<(d0, d1) -> (d0 + d1 + 2, 0)>, ...}

The memref keeps its type, so that masks, bounds and tensor maps stay those of the whole tensor. Along rows, programs
stay apart whose loads or stores begin at multiples of other numbers of elements: their vectors are not equally wide.
"""

from collections.abc import Hashable, Sequence
from math import gcd

from roller_mlir.dialects import rammer, rtile
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.linalg.affine import affine_map, map_indices
from roller_mlir.lowering.linalg.rewrite.equal_programs import EqualPrograms, said_by
from roller_mlir.lowering.loops.attributes import EXPRESSION
from roller_mlir.lowering.loops.program import TileLoad, loads_of, stores_of
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES
from roller_mlir.plan import LinearIndex, TensorExpression
from roller_mlir.support.bindings import ir


def take_out_starts(programs: Sequence[rtile.ProgramOp]) -> list[tuple[int, list[int]]]:
    """Make starts of the constants in loads and stores that tell programs apart.

    Args:
        programs: Programs on memrefs. They lose the expressions that they were planned for, which say constants, too.

    Returns:
        Of each program the number of the first one that it is equal to now, but for name and plan; and its starts, in
        elements.
    """
    alike: dict[object, list[int]] = {}
    said = EqualPrograms(lambda program: (_without_constants(program), _constants(program)))
    constants_of: list[list[int]] = []
    for number, program in enumerate(programs):
        if EXPRESSION in program.operation.attributes:
            del program.operation.attributes[EXPRESSION]
        (without, own), _ = said.of(program)
        alike.setdefault(without, []).append(number)
        constants_of.append(own)
    found: dict[int, tuple[int, list[int]]] = {}
    for numbers in alike.values():
        constants = list(zip(*(constants_of[number] for number in numbers), strict=True))
        least = [min(each) for each in constants]
        moved = [tuple(one - first for one in each) for each, first in zip(constants, least, strict=True)]
        starts = [each for each in dict.fromkeys(moved) if any(each)]
        which = [starts.index(each) if any(each) else None for each in moved]
        for position, number in enumerate(numbers):
            found[number] = numbers[0], [each[position] for each in starts]
        if starts:
            _take_out(programs[numbers[0]], len(starts), least, which)
    return [found[number] for number in range(len(programs))]


def most_starts(expressions: Sequence[TensorExpression]) -> int:
    """Return how many starts an application may have at most: none where no operand of any operator is a slice.

    Operators that become equal may read slices of different operands, along different dimensions.
    """
    indices = [[index for access in one.inputs for index in access.indices] for one in expressions]
    sliced = any(index.constant for each in indices for index in each)
    return max(map(len, indices)) if sliced else 0


def _constants(program: rtile.ProgramOp) -> list[int]:
    """Return the constants in the origins of all loads and stores."""
    return [index.constant for one in _accesses(program.operation) for index in map_indices(one.origin_map)]


def _accesses(program: ir.Operation) -> list[TileLoad | rtile.StoreOp]:
    """Return the loads and stores of a program."""
    return [*loads_of(program), *stores_of(program)]


def _memory(access: TileLoad | rtile.StoreOp) -> ir.Value:
    """Return the memref that an access is of."""
    return access.destination if isinstance(access, rtile.StoreOp) else access.source


def _without_constants(program: rtile.ProgramOp) -> tuple[Hashable, tuple[int, ...]]:
    """Return what a program says but for those constants, and what of the widest vector divides those along rows.

    Loops are the program, whatever plan they carry; what a plan predicts follows the constants.
    """
    copy, alignments = program.operation.clone(ip=ir.InsertionPoint(program)), list[int]()
    if program.plan is not None:
        del copy.attributes["plan"]
    for access in _accesses(copy):
        indices = map_indices(access.origin_map)
        widest = MAX_VECTOR_BYTES // element_bytes(ir.MemRefType(_memory(access).type).element_type)
        alignments += [gcd(index.constant, widest) for index in indices[-1:]]
        without = affine_map([LinearIndex(index.coefficients) for index in indices])
        access.operation.attributes["origin"] = ir.AffineMapAttr.get(without)
    said = said_by(copy.opview)
    copy.erase()
    return said, tuple(alignments)


def _take_out(program: rtile.ProgramOp, count: int, least: Sequence[int], which: Sequence[int | None]) -> None:
    """Let loads and stores of a program begin at starts.

    Args:
        program: The program.
        count: How many starts there are.
        least: The constants that stay in the origins of all of them.
        which: Which start is added to each; None: none is.
    """
    index = ir.IndexType.get()
    marked: dict[str, ir.Attribute] = {"value": ir.IntegerAttr.get(index, 0), rammer.START: ir.UnitAttr.get()}
    before = ir.InsertionPoint(program.entry.operations[0])
    with program.location:
        made = [ir.Operation.create("arith.constant", [index], attributes=marked, ip=before) for _ in range(count)]
    starts = [one.results[0] for one in made]
    place = 0
    for access in _accesses(program.operation):
        indices = map_indices(access.origin_map)
        own = which[place : place + len(indices)]
        used = sorted({one for one in own if one is not None})
        origin = [
            LinearIndex((*index.coefficients, *(int(one == start) for one in used)), constant)
            for index, start, constant in zip(indices, own, least[place:], strict=False)
        ]
        place += len(indices)
        if used:
            _replace(access.operation, [starts[one] for one in used], affine_map(origin))


def _replace(access: ir.Operation, more: Sequence[ir.Value], origin: ir.AffineMap) -> None:
    """Replace a load or store by one of more indices."""
    kept = ("tile", "layout", "pad", "steps", "copy")
    attributes = {name: access.attributes[name] for name in kept if name in access.attributes}
    made = ir.Operation.create(
        access.name,
        results=[result.type for result in access.results],
        operands=[*access.operands, *more],
        attributes={**attributes, "origin": ir.AffineMapAttr.get(origin)},
        regions=len(access.regions),
        loc=access.location,
        ip=ir.InsertionPoint(access),
    )
    for old, new in zip(access.regions, made.regions, strict=True):
        old.blocks[0].append_to(new)
    for old, new in zip(access.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    access.erase()
