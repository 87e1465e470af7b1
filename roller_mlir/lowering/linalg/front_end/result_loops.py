# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An op whose results run over different loops becomes one op for each set of loops; results that nobody reads go.

    %r:2 = linalg.generic  i parallel, j reduction,  outs(%o at (i, j), %s at (i))
    // becomes
    %r0 = linalg.generic  i, j parallel,               outs(%o at (i, j))
    %r1 = linalg.generic  i parallel, j reduction,     outs(%s at (i))

    %m, %where = linalg.generic  i parallel, j reduction,  outs(%o at (i), %p at (i))    // the largest, and its place
    // where nobody reads %where, as in a softmax that was torch.max, becomes
    %m = linalg.generic  i parallel, j reduction,  outs(%o at (i))

A result stays that another one's value depends on. Left as it is, and refused later: a result whose value depends on
the accumulator of one with other loops, as in a running sum; and a result that lacks a parallel loop, of which nothing
says which step's value stays.
"""

from typing import Any

from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.lowering.linalg.front_end.indexed.positions import loop_extents
from roller_mlir.lowering.linalg.front_end.walk import entry_operations
from roller_mlir.lowering.linalg.generic import bodiless_generic, iterators_of
from roller_mlir.lowering.linalg.mapped_copies import copy_mapped
from roller_mlir.support.bindings import ir, linalg, tensor
from roller_mlir.support.values import defining_op, indexing_maps, values_used


def split_result_loops(module: ir.Module) -> None:
    """Split the ops of a module whose results run over different loops, and leave out results that nobody reads."""
    for operation in entry_operations(module):
        if operation.name == "linalg.generic" and len(operation.results) > 1:
            _split(operation)


def _split(operation: Any) -> None:
    maps = indexing_maps(operation)
    results = len(operation.results)
    inputs = len(maps) - results
    block = operation.regions[0].blocks[0]
    yielded = list(block.operations[len(block.operations) - 1].operation.operands)
    kept = _kept(operation, inputs, yielded)
    groups: dict[frozenset[int], list[int]] = {}
    for number in kept:
        loops = frozenset(loop for one in maps[inputs + number].results for loop in loops_in(one))
        groups.setdefault(loops, []).append(number)
    parallel = {loop for loop, kind in enumerate(iterators_of(operation, maps)) if kind == "parallel"}
    if not groups or (len(groups) == 1 and len(kept) == results) or any(parallel - loops for loops in groups):
        return
    needed = {loops: _needed([yielded[n] for n in numbers]) for loops, numbers in groups.items()}
    for loops, numbers in groups.items():
        foreign = {block.arguments[inputs + n] for n in range(results) if n not in numbers}
        if foreign & needed[loops]:
            return
    extents = loop_extents(maps, operation)
    for loops, numbers in groups.items():
        taken = [*list(block.arguments)[:inputs], *(block.arguments[inputs + n] for n in numbers)]
        own = [*maps[:inputs], *(maps[inputs + n] for n in numbers)]
        named = {loop for one in own for expression in one.results for loop in loops_in(expression)}
        lost = [loop for loop in extents if loop not in named]
        with ir.InsertionPoint(operation), operation.location:
            operands = list(operation.operands)[:inputs]
            if lost:  # loops that only the other results have: the shape of an operand keeps their extents
                operands.append(tensor.empty([extents[loop] for loop in lost], ir.F32Type.get()))
                dimensions = [ir.AffineDimExpr.get(loop) for loop in lost]
                own.insert(inputs, ir.AffineMap.get(maps[0].n_dims, 0, dimensions))
            new = bodiless_generic(
                operands,
                [operation.operands[inputs + n] for n in numbers],
                own,
                ["parallel" if loop in loops else "reduction" for loop in range(maps[0].n_dims)],
            )
        kinds: list[Any] = [argument.type for argument in taken]
        if lost:
            with operation.context:
                kinds.insert(inputs, ir.F32Type.get())
        body = new.regions[0].blocks.append(*kinds, arg_locs=[operation.location] * len(kinds))
        arguments = [one for number, one in enumerate(body.arguments) if not lost or number != inputs]
        mapping: dict[Any, Any] = dict(zip(taken, arguments, strict=True))
        with ir.InsertionPoint(body), operation.location:
            for inner in list(block.operations)[:-1]:
                if any(result in needed[loops] for result in inner.operation.results):
                    copy_mapped(inner.operation, mapping)
            linalg.YieldOp([mapping.get(yielded[n], yielded[n]) for n in numbers])
        for n, result in zip(numbers, new.results, strict=True):
            operation.results[n].replace_all_uses_with(result)
    operation.erase()


def _kept(operation: Any, inputs: int, yielded: list[Any]) -> list[int]:
    """Return the numbers of the results that somebody reads, or whose accumulators such results depend on."""
    accumulators = list(operation.regions[0].blocks[0].arguments)[inputs:]
    kept = [number for number, result in enumerate(operation.results) if any(True for _ in result.uses)]
    while True:
        needed = _needed([yielded[number] for number in kept])
        more = [number for number, one in enumerate(accumulators) if number in kept or one in needed]
        if more == kept:
            return kept
        kept = more


def _needed(values: list[Any]) -> set[Any]:
    """Return values and all that they are computed from."""
    found: set[Any] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            maker = defining_op(value)
            pending += [] if maker is None else values_used(maker)
    return found
