# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a program's loads begin, as starts of its applications: programs that differ in these alone become equal.

    %0 = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 + 2, 0)>, ...}
    %1 = "rtile.load"(%x, %i) {origin = affine_map<(d0) -> (d0 + 6, 0)>, ...}    // of another program
    // become, with 0 and 4 as starts of their applications
    %s = arith.constant {rammer.start} 0 : index
    %0 = "rtile.load"(%x, %i, %s) {origin = affine_map<(d0, d1) -> (d0 + d1 + 2, 0)>, ...}

The memref keeps its type, so that masks, bounds and tensor maps stay those of the whole tensor. Along rows, programs
stay apart whose loads begin at multiples of other numbers of elements: their vectors are not equally wide.
"""

from collections.abc import Sequence
from math import gcd

from roller_mlir.codegen.builder.task_context import element_bytes
from roller_mlir.dialects import rammer, rtile
from roller_mlir.linalg.affine import affine_map, map_indices
from roller_mlir.linalg.rewrite.equal_programs import program_text
from roller_mlir.loops.attributes import EXPRESSION
from roller_mlir.loops.program import loads_of
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir


def take_out_starts(programs: Sequence[rtile.ProgramOp]) -> list[tuple[int, list[int]]]:
    """Make starts of the constants in loads that tell programs apart.

    Args:
        programs: Programs on memrefs. They lose the expressions that they were planned for, which say constants, too.

    Returns:
        Of each program the number of the first one that it is equal to now, but for name and plan; and its starts, in
        elements.
    """
    alike: dict[object, list[int]] = {}
    for number, program in enumerate(programs):
        if EXPRESSION in program.operation.attributes:
            del program.operation.attributes[EXPRESSION]
        alike.setdefault(_without_constants(program), []).append(number)
    found: dict[int, tuple[int, list[int]]] = {}
    for numbers in alike.values():
        constants = list(zip(*(_constants(programs[number]) for number in numbers), strict=True))
        least = [min(each) for each in constants]
        moved = [tuple(one - first for one in each) for each, first in zip(constants, least, strict=True)]
        starts = [each for each in dict.fromkeys(moved) if any(each)]
        which = [starts.index(each) if any(each) else None for each in moved]
        for position, number in enumerate(numbers):
            found[number] = numbers[0], [each[position] for each in starts]
        if starts:
            _take_out(programs[numbers[0]], len(starts), least, which)
    return [found[number] for number in range(len(programs))]


def _constants(program: rtile.ProgramOp) -> list[int]:
    """Return the constants in the origins of all loads."""
    return [index.constant for load in loads_of(program.operation) for index in map_indices(load.origin_map)]


def _without_constants(program: rtile.ProgramOp) -> tuple[str, tuple[int, ...]]:
    """Return what a program says but for those constants, and what of the widest vector divides those along rows.

    Loops are the program, whatever plan they carry; what a plan predicts follows the constants.
    """
    copy, alignments = program.operation.clone(ip=ir.InsertionPoint(program)), list[int]()
    if program.plan is not None:
        del copy.attributes["plan"]
    for load in loads_of(copy):
        indices = map_indices(load.origin_map)
        widest = MAX_VECTOR_BYTES // element_bytes(ir.MemRefType(load.source.type).element_type)
        alignments += [gcd(index.constant, widest) for index in indices[-1:]]
        without = affine_map([LinearIndex(index.coefficients) for index in indices])
        load.operation.attributes["origin"] = ir.AffineMapAttr.get(without)
    text = program_text(copy.opview)
    copy.erase()
    return text, tuple(alignments)


def _take_out(program: rtile.ProgramOp, count: int, least: Sequence[int], which: Sequence[int | None]) -> None:
    """Let loads of a program begin at starts.

    Args:
        program: The program.
        count: How many starts there are.
        least: The constants that stay in the origins of all loads.
        which: Which start is added to each; None: none is.
    """
    index = ir.IndexType.get()
    marked: dict[str, ir.Attribute] = {"value": ir.IntegerAttr.get(index, 0), rammer.START: ir.UnitAttr.get()}
    before = ir.InsertionPoint(program.entry.operations[0])
    with program.location:
        made = [ir.Operation.create("arith.constant", [index], attributes=marked, ip=before) for _ in range(count)]
    starts = [one.results[0] for one in made]
    place = 0
    for load in loads_of(program.operation):
        indices = map_indices(load.origin_map)
        own = which[place : place + len(indices)]
        used = sorted({one for one in own if one is not None})
        origin = [
            LinearIndex((*index.coefficients, *(int(one == start) for one in used)), constant)
            for index, start, constant in zip(indices, own, least[place:], strict=False)
        ]
        place += len(indices)
        if used:
            _replace(load.operation, [*load.indices, *(starts[one] for one in used)], affine_map(origin))


def _replace(load: ir.Operation, indices: Sequence[ir.Value], origin: ir.AffineMap) -> None:
    """Replace a load by one at other indices."""
    kept = {name: load.attributes[name] for name in ("tile", "layout", "pad") if name in load.attributes}
    made = ir.Operation.create(
        load.name,
        results=[load.results[0].type],
        operands=[load.operands[0], *indices],
        attributes={**kept, "origin": ir.AffineMapAttr.get(origin)},
        regions=len(load.regions),
        loc=load.location,
        ip=ir.InsertionPoint(load),
    )
    for old, new in zip(load.regions, made.regions, strict=True):
        old.blocks[0].append_to(new)
    load.results[0].replace_all_uses_with(made.results[0])
    load.erase()
