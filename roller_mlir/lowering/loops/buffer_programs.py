# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program's loops moved from tensors to memrefs: loads read buffers, stores write them, no parallel loop carries."""

from collections.abc import Sequence

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.lowering.loops.nest import is_inner, is_parallel, is_row
from roller_mlir.support.bindings import ir, scf
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

Mapping = dict[ir.Value, ir.Value]


def move_program(program: rtile.ProgramOp, inputs: Sequence[ir.Value], outputs: Sequence[ir.Value]) -> None:
    """Build at the insertion point a program that works on buffers as `program` does on tensors.

    Args:
        program: An expanded program on tensors.
        inputs: A memref for each operand.
        outputs: A memref for each result.
    """
    moved = rtile.program([*inputs, *outputs], [], program.program_name)
    for name in program.attributes:
        moved.attributes[name] = program.attributes[name]
    arguments = list(moved.entry.arguments)
    mapping: Mapping = dict(zip(program.entry.arguments, arguments, strict=False))
    *operations, terminator = list(program.entry.operations)
    for number, value in enumerate(terminator.operation.operands):
        mapping[_destination(program.operation, value)] = arguments[len(inputs) + number]
    with ir.InsertionPoint(moved.entry):
        for op in operations:
            _move(op.operation, mapping)
        rtile.yield_()


def _destination(program: ir.Operation, value: ir.Value) -> ir.Value:
    """Return the empty tensor that becomes a result, through the loops and stores that update it."""
    while True:
        operation = defining_op(value)
        if operation is None:
            fail(program, "'rtile.program' updates one of its operands in place; store into a tensor.empty instead")
        if operation.name == "tensor.empty":
            return value
        if operation.name == "rtile.store":
            value = operation.operands[1]
        elif operation.name == "scf.for" and _carries_results(operation):
            value = operation.operands[3 + ir.OpResult(value).result_number]
        else:
            fail(operation, f"'{operation.name}' gives a program's result; only rtile.store and parallel loops can")


def _carries_results(loop: ir.Operation) -> bool:
    return is_parallel(loop) or is_inner(loop) or is_row(loop)


def _move(operation: ir.Operation, mapping: Mapping) -> None:
    if any(result in mapping for result in operation.results):
        return  # the empty tensor whose place a buffer takes
    if operation.name == "scf.for" and _carries_results(operation):
        _move_loop(operation, mapping)
        return
    if operation.name == "rtile.store":
        store: rtile.StoreOp = operation.opview
        destination = mapping[store.destination]
        with operation.location:
            rtile.store(
                mapping.get(store.tile, store.tile),
                destination,
                [mapping.get(index, index) for index in store.indices],
                origin=store.origin_map,
                steps=store.tile_steps,
                copy=store.copy,
            )
        mapping[operation.results[0]] = destination
        return
    if operation.name == "scf.if":
        _move_choice(operation, mapping)
        return
    copy_mapped(operation, mapping)


def _move_loop(operation: ir.Operation, mapping: Mapping) -> None:
    """Move a loop that carries results, and maybe tiles, which it goes on carrying."""
    bounds = [mapping.get(value, value) for value in list(operation.operands)[:3]]
    block = operation.regions[0].blocks[0]
    carried = list(zip(list(operation.operands)[3:], list(block.arguments)[1:], operation.results, strict=True))
    kept = [number for number, (initial, _, _) in enumerate(carried) if not _is_buffer(mapping.get(initial, initial))]
    starts = [mapping.get(carried[number][0], carried[number][0]) for number in kept]
    with operation.location:
        loop = scf.ForOp(*bounds, iter_args=starts)
    mapping[block.arguments[0]] = loop.induction_variable
    for number, (initial, inner, result) in enumerate(carried):
        if number not in kept:
            mapping[inner] = mapping[result] = mapping[initial]
    arguments = list(loop.inner_iter_args)
    for place, number in enumerate(kept):
        mapping[carried[number][1]] = arguments[place]
    *operations, terminator = list(block.operations)
    with ir.InsertionPoint(loop.body):
        for op in operations:
            _move(op.operation, mapping)
        yielded = list(terminator.operation.operands)
        scf.YieldOp([mapping.get(yielded[number], yielded[number]) for number in kept])
    for place, number in enumerate(kept):
        mapping[carried[number][2]] = loop.results_[place]
    for name in list(operation.attributes):
        loop.operation.attributes[name] = operation.attributes[name]


def _move_choice(operation: ir.Operation, mapping: Mapping) -> None:
    """Move a choice between two tiles."""
    condition = mapping.get(operation.operands[0], operation.operands[0])
    with operation.location:
        choice = scf.IfOp(condition, [result.type for result in operation.results], has_else=True)
    assert choice.else_block is not None
    for region, block in zip(operation.regions, (choice.then_block, choice.else_block), strict=True):
        with ir.InsertionPoint(block):
            for op in region.blocks[0].operations:
                _move(op.operation, mapping)
    mapping.update(zip(operation.results, choice.results_, strict=True))


def _is_buffer(value: ir.Value) -> bool:
    return isinstance(value.type, ir.MemRefType)
