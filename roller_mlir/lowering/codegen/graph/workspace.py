# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workspace of a scheduled graph, laid out for its order: views of results move to bytes that they may share."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from roller_mlir.dialects import rammer
from roller_mlir.lowering.codegen.buffers.order import argument_roles, size_of
from roller_mlir.lowering.codegen.buffers.workspace_offsets import place
from roller_mlir.lowering.codegen.graph.task_graph import ApplicationGraph
from roller_mlir.rammer.parts import Ints, Parts
from roller_mlir.rammer.reuse import BufferUse, maybe_together
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.support.bindings import arith, func, ir
from roller_mlir.support.values import defining_op


def share_workspace(program: rammer.GraphOp, graph: ApplicationGraph, schedule: Schedule) -> None:
    """Move the views of a function's workspace, and cut the workspace to what they need.

    Views some of which overlap stay where they are: their bytes are shared already, and the schedule is made for it.

    Args:
        program: The program.
        graph: What is read of it.
        schedule: Its schedule.
    """
    function = program.operation.parent.opview
    assert isinstance(function, func.FuncOp)
    views = [op.operation for op in function.entry_block.operations if op.operation.name == "memref.view"]
    if not views:
        return
    known: dict[ir.Type, int] = {}
    sizes = [size_of(view.results[0].type, known) for view in views]
    (number,) = [n for n, role in enumerate(argument_roles(function)) if role == "workspace"]
    buffer = graph.buffers.index(function.arguments[number])
    starts = {
        int(ir.IntegerAttr(defining_op(view.operands[1]).attributes["value"]).value): n for n, view in enumerate(views)
    }
    spans = sorted((start, start + sizes[n]) for start, n in starts.items())
    if len(starts) < len(views) or any(end > start for (_, end), (start, _) in pairwise(spans)):
        return
    touched: tuple[list[list[tuple[int, Ints]]], ...] = ([[] for _ in views], [[] for _ in views])  # read, and written
    for first, operator in zip(graph.tasks.first, graph.tasks.operators, strict=False):
        for found, accesses in zip(touched, (operator.reads, operator.writes), strict=True):
            for one in accesses:
                if one.buffer == buffer:
                    found[starts[one.offset_bytes]].append((first, one.boxes.filled))
    readers, writers = map(_tasks_of, touched)
    uses = [
        BufferUse(size, np.concatenate([reads, writes]), writes)
        for size, reads, writes in zip(sizes, readers, writers, strict=True)
    ]
    near = maybe_together(schedule, uses)
    placed = np.zeros(len(views), bool)

    def beside(one: int) -> np.ndarray[Any, np.dtype[np.int64]]:
        placed[one] = True
        return near[one][placed[near[one]]]

    offsets, whole = place(sizes, beside)
    workspace = ir.MemRefType.get([whole], ir.IntegerType.get_signless(8))
    function.arguments[number].set_type(workspace)
    inputs = [argument.type for argument in function.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
    for view, offset in zip(views, offsets, strict=True):
        with ir.InsertionPoint(view), view.location:
            view.operands[1] = arith.constant(ir.IndexType.get(), offset)


def _tasks_of(touched: Sequence[Sequence[tuple[int, Ints]]]) -> Parts:
    """Return the tasks that touch each view, from those of operators: the first of all, and which of them do."""
    parts = [each for view in touched for each in view]
    tasks = Parts.of([filled for _, filled in parts])
    firsts = np.repeat(np.array([first for first, _ in parts], np.int32), tasks.sizes)
    return Parts(tasks.numbers + firsts, tasks.starts[np.cumsum([0, *map(len, touched)])])
