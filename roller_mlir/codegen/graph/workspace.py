# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The workspace of a scheduled graph, laid out for its order: views of results move to bytes that they may share."""

from itertools import pairwise
from typing import Any

import numpy as np

from roller_mlir.codegen.buffer_order import argument_roles
from roller_mlir.codegen.builder.task_context import element_bytes
from roller_mlir.codegen.graph.task_graph import ApplicationGraph
from roller_mlir.codegen.workspace_offsets import place
from roller_mlir.dialects import rammer
from roller_mlir.rammer.reuse import BufferUse, maybe_together
from roller_mlir.rammer.schedule import Schedule
from roller_mlir.rammer.task_graph import TaskAccess
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
    sizes = [_size(view) for view in views]
    (number,) = [n for n, role in enumerate(argument_roles(function)) if role == "workspace"]
    buffer = graph.buffers.index(function.arguments[number])
    starts = {
        int(ir.IntegerAttr(defining_op(view.operands[1]).attributes["value"]).value): n for n, view in enumerate(views)
    }
    spans = sorted((start, start + sizes[n]) for start, n in starts.items())
    if len(starts) < len(views) or any(end > start for (_, end), (start, _) in pairwise(spans)):
        return
    touched: list[list[int]] = [[] for _ in views]
    written: list[list[int]] = [[] for _ in views]
    for first, operator in zip(graph.tasks.first, graph.tasks.operators, strict=False):

        def note(found: list[list[int]], accesses: tuple[TaskAccess, ...], first: int = first) -> None:
            for one in accesses:
                if one.buffer == buffer:
                    found[starts[one.offset_bytes]] += (one.boxes.filled + first).tolist()

        note(touched, (*operator.reads, *operator.writes))
        note(written, operator.writes)
    uses = [
        BufferUse(size, np.array(tasks, np.int32), np.array(writers, np.int32))
        for size, tasks, writers in zip(sizes, touched, written, strict=True)
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


def _size(view: ir.Operation) -> int:
    """Return the bytes of a view."""
    kind = ir.MemRefType(view.results[0].type)
    size = element_bytes(kind.element_type)
    for extent in kind.shape:
        size *= extent
    return size
