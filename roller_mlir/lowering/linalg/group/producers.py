# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise producers of a reduction root's inputs, computed while tiles are loaded: once per element of a tile.

A producer of one tensor, of the same element type and shape, that nobody else reads becomes the body of the load
(`rtile.map_load`); the reduction root then reads the producer's input in the place of its result. One that only moves
elements, as a transpose does, needs no body: its reader has other indices (`rtile.load`). Paper: PolyDL section 5.
"""

from collections.abc import Sequence
from dataclasses import replace

from roller_mlir.lowering.linalg.body import INDEX
from roller_mlir.lowering.linalg.moved_constants import only_moves
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.plan import Access, LinearIndex, TensorExpression
from roller_mlir.plan.extent import Extent
from roller_mlir.support.bindings import ir

Producers = dict[tuple[ir.Operation, int], StructuredOp]
"""The producer of an op's input, by the op and the number of the input."""


def absorb_producers(
    roots: Sequence[StructuredOp], results: Sequence[ir.Value]
) -> tuple[list[StructuredOp], Producers]:
    """Let ops that reuse their inputs read what is before the producers of them.

    Args:
        roots: The ops of a group, in order.
        results: The tensors that leave it.

    Returns:
        The ops that are left, and the producers that their loads compute.
    """
    found: Producers = {}
    left = list(roots)
    for root in roots:
        if not reuses(root.expression):
            continue
        changed = root
        for position, source in enumerate(root.sources):
            producer = next((one for one in left if source in list(one.operation.results)), None)
            if producer is None or source in results or not _fits(producer, root, source):
                continue
            found[root.operation, position] = producer
            left.remove(producer)
            changed = _reading(changed, position, producer)
        left[left.index(root)] = changed
    return left, found


def reuses(expression: TensorExpression) -> bool:
    """Return whether a reduction uses its inputs' elements at several output points: an outer product, a window."""
    if not expression.reductions():
        return False
    wide = {loop for loop in expression.parallel() if expression.loops[loop].extent != 1}
    used = [access.loops() & wide for access in expression.inputs if not access.gathered]
    if any(not (a <= b or b <= a) for a in used for b in used):
        return True
    return any(expression.moves_window(loop) for loop in expression.reductions() if expression.loops[loop].extent != 1)


def readers_of(value: ir.Value) -> set[ir.Operation]:
    """Return the ops that use a tensor, of a padding those that use what it gives: it is read through."""
    found: set[ir.Operation] = set()
    for use in value.uses:
        user = use.owner.operation
        found |= readers_of(user.results[0]) if user.name == PAD else {user}
    return found


def _fits(producer: StructuredOp, reader: StructuredOp, value: ir.Value) -> bool:
    """Return whether a producer can be the body of a load of its only reader."""
    expression = producer.expression
    if any(access.gathered for access in (*expression.inputs, *_accesses_of(reader, value))):
        return False
    if readers_of(value) != {reader.operation} or reader.sources.count(value) != 1:
        return False
    if any(start == value for _, start, _ in reader.starts):
        return False  # the reader starts with it, too, and starts are no loads of tiles
    if expression.reductions() or len(expression.inputs) != 1 or expression.more_outputs or expression.accumulates:
        return False
    if expression.pad_values[0] is not None or any(op.name == INDEX for op in producer.body.ops):
        return False
    read, written = expression.inputs[0], expression.output
    if read.element_type != written.element_type:
        return False
    loops = [dict(index.terms()) for index in (*read.indices, *written.indices)]
    plain = all(len(terms) == 1 and set(terms.values()) == {1} for terms in loops)
    constants = any(index.constant for index in (*read.indices, *written.indices))
    if not plain or constants:
        return False
    # The same tensor but for the order of dimensions: outside of one is outside of the other, in a slice it is not.
    return _extents(read) == _extents(written)


def _accesses_of(reader: StructuredOp, value: ir.Value) -> list[Access]:
    return [a for source, a in zip(reader.sources, reader.expression.inputs, strict=True) if source == value]


def _extents(access: Access) -> list[tuple[int, Extent]]:
    """Return the extent of the dimension that each loop walks."""
    found = [(next(iter(index.terms())), size) for index, size in zip(access.indices, access.shape, strict=True)]
    return sorted(found, key=lambda one: one[0])


def _reading(root: StructuredOp, position: int, producer: StructuredOp) -> StructuredOp:
    """Return an op that reads the input of a producer through the indices at which it reads its result."""
    expression, before = root.expression, producer.expression
    read = expression.inputs[position]
    at = {next(iter(index.terms())): read.indices[d] for d, index in enumerate(before.output.indices)}
    source = before.inputs[0]
    indices: list[LinearIndex] = [at[next(iter(index.terms()))] for index in source.indices]
    access = Access(read.name, source.shape, source.element_type, tuple(indices))
    flops = list(expression.prologue_flops or (0,) * len(expression.inputs))
    cycles = list(expression.prologue_cycles or (0,) * len(expression.inputs))
    if not only_moves(producer.operation):
        flops[position] += before.flops_per_point
        cycles[position] += before.point_cycles
    return replace(
        root,
        sources=(*root.sources[:position], producer.sources[0], *root.sources[position + 1 :]),
        expression=replace(
            expression,
            inputs=(*expression.inputs[:position], access, *expression.inputs[position + 1 :]),
            prologue_flops=tuple(flops),
            prologue_cycles=tuple(cycles) if any(cycles) else (),
        ),
    )
