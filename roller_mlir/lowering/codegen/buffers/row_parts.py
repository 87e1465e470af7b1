# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that read some rows of a buffer get these rows: equal ones that read others are one kernel.

    "rtile.program"(%x) ({ ... "rtile.load"(%a, %i) {origin = affine_map<(d0) -> (5, d0)>} })  // %x: memref<16x512xf32>
    // becomes, with 5 * 512 elements of 4 B
    %rows = memref.view %workspace[%c10240] to memref<1x512xf32>
    "rtile.program"(%rows) ({ ... "rtile.load"(%a, %i) {origin = affine_map<(d0) -> (0, d0)>} })

So the steps of an unrolled loop, each of which reads its own rows, launch the same code. Only where all that a program
reads of a buffer of the workspace are such rows, all of which are there, and they begin at a multiple of what loads
count (`plan.rewrite.least_starts`). Programs of one kernel for a whole graph have starts in their records instead
(`codegen.graph.start_operands`).
"""

from collections.abc import Sequence
from math import prod

from roller_mlir.dialects import rtile
from roller_mlir.dialects.rtile.fields import read_record
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.linalg.affine import affine_map, map_indices
from roller_mlir.lowering.loops.attributes import EXPRESSION
from roller_mlir.lowering.loops.program import load_layout
from roller_mlir.plan import LinearIndex, TensorExpression
from roller_mlir.plan.plan import TENSOR
from roller_mlir.plan.rewrite.least_starts import PERIOD_BYTES, with_least_starts
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import constant_of, defining_op


def read_from_first_row(programs: Sequence[rtile.ProgramOp]) -> None:
    """Give programs the rows that they read, where these are a part of a buffer.

    Args:
        programs: On memrefs; none is joined by the blocks of the one before it.
    """
    for program in programs:
        moved = [_move(program, number) for number in range(len(program.operands))]
        if any(moved) and EXPRESSION in program.operation.attributes:
            expression = read_record(TensorExpression, program.operation.attributes[EXPRESSION], EXPRESSION)
            program.operation.attributes[EXPRESSION] = rtile.to_attribute(with_least_starts(expression))


def _move(program: rtile.ProgramOp, number: int) -> bool:
    """Let a program read an operand from its first row; return whether it does not already."""
    argument, view = program.entry.arguments[number], defining_op(program.operands[number], "memref.view")
    kind = ir.MemRefType(argument.type)
    loads = [use.owner.operation for use in argument.uses]
    if view is None or not loads or kind.rank < 2 or any(one.name != "rtile.load" for one in loads):
        return False
    rows = [_rows(one.opview) for one in loads]
    known = [one for one in rows if one is not None]
    first, last = min((low for low, _ in known), default=0), max((high for _, high in known), default=0)
    row_bytes = element_bytes(kind.element_type) * prod(list(kind.shape)[1:])
    is_part = 0 <= first <= last < kind.shape[0] and last - first + 1 < kind.shape[0]
    if len(known) < len(rows) or not is_part or first * row_bytes % PERIOD_BYTES:
        return False
    part = ir.MemRefType.get([last - first + 1, *list(kind.shape)[1:]], kind.element_type)
    begin = constant_of(view.operands[1])
    assert begin is not None, "buffers lie at constants"
    with ir.InsertionPoint(program), program.location:
        offset = arith.constant(ir.IndexType.get(), begin + first * row_bytes)
        found = ir.Operation.create("memref.view", results=[part], operands=[view.operands[0], offset])
    program.operation.operands[number] = found.results[0]
    argument.set_type(part)
    for load in loads:
        rest = map_indices(load.opview.origin_map)
        origin = [LinearIndex(rest[0].coefficients, rest[0].constant - first), *rest[1:]]
        load.attributes["origin"] = ir.AffineMapAttr.get(affine_map(origin))
    return True


def _rows(load: rtile.TileLoad) -> tuple[int, int] | None:
    """Return the first and the last row of a buffer that a load touches; None where it is not known, or a map says."""
    if load.layout is not None and load_layout(load).copy == TENSOR:
        return None
    index, low, high = map_indices(load.origin_map)[0], 0, 0
    for loop, k in index.terms().items():
        bounds = _bounds(load.indices[loop])
        if bounds is None:
            return None
        ends = sorted(k * one for one in bounds)
        low, high = low + ends[0], high + ends[1]
    more = (load.tile.shape[0] - 1) * load.tile.steps[0]
    return index.constant + low + min(0, more), index.constant + high + max(0, more)


def _bounds(value: ir.Value) -> tuple[int, int] | None:
    """Return the least and the largest number that a loop's variable is; None of another value."""
    loop = value.owner.owner if isinstance(value.owner, ir.Block) else None
    if loop is None or loop.name != "scf.for" or value != loop.regions[0].blocks[0].arguments[0]:
        return None
    begin, end, step = (constant_of(one) for one in list(loop.operands)[:3])
    if begin is None or end is None or step is None or end <= begin:
        return None
    return begin, begin + (end - begin - 1) // step * step
