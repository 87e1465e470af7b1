# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The task graph of a `rammer.program`: its applications as operators on the bytes of the function's buffers."""

from dataclasses import dataclass
from functools import cache
from math import inf, prod

import numpy as np

from roller_mlir.codegen.buffer_order import place_of
from roller_mlir.codegen.graph.operands import check_operands
from roller_mlir.codegen.graph.task_boxes import ProgramBoxes, boxes_of
from roller_mlir.dialects import rammer
from roller_mlir.hal import Device
from roller_mlir.rammer.boxes import TaskBoxes
from roller_mlir.rammer.task_graph import ConflictError, TaskAccess, TaskGraph, TaskOperator
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True, eq=False)
class ApplicationGraph:
    """A task graph, and where each of its operators stands in the IR.

    Attributes:
        tasks: The graph.
        applications: The `rammer.apply` of each operator.
        buffers: What each buffer of the graph is: an argument of the function, or the name of a constant.
    """

    tasks: TaskGraph
    applications: tuple[rammer.ApplyOp, ...]
    buffers: tuple[ir.Value | str, ...]


def read_graph(program: rammer.GraphOp, device: Device, *, ordered: bool = True) -> ApplicationGraph:
    """Return the task graph of a program.

    Args:
        program: Applications on buffers.
        device: What the times of tasks are predicted for.
        ordered: Whether it is asked which task comes before which. Tasks of one operator that conflict are refused
            then; who asks for the operators alone leaves it out, for it takes most of the time.
    """
    check_operands(program)
    applications = program.applications
    types: dict[tuple[object, ...], tuple[ProgramBoxes, tuple[int, ...]]] = {}
    numbers: dict[ir.Value | str, int] = {}
    place = cache(place_of)  # a result is an operand of several
    operators: list[TaskOperator] = []
    for application in applications:
        name, number = application.attributes["callee"].value, len(operators)
        key = (name, application.kernel, application.starts)
        if key not in types:
            types[key] = boxes_of(application.program, application.starts), application.callee.early
        boxes, early = types[key]
        seconds = application.seconds

        def accesses(
            found: tuple[tuple[int, TaskBoxes], ...], early: tuple[int, ...] = (), on: rammer.ApplyOp = application
        ) -> list[TaskAccess]:
            places = [place(on.operands[number]) for number, _ in found]
            return [
                TaskAccess(numbers.setdefault(root, len(numbers)), offset, one, number in early)
                for (root, offset), (number, one) in zip(places, found, strict=True)
            ]

        operators.append(
            TaskOperator(
                f"{name} ({number})" if len(applications) > 1 else name,
                boxes.tasks,
                _moved_seconds(boxes, device) if seconds is None else seconds,
                tuple(accesses(boxes.reads, early)),
                tuple(accesses(boxes.writes)),
                application.units,
                None if seconds is None else _together(application, boxes, device),
                application.early_seconds,
            )
        )
    graph = TaskGraph(tuple(operators))
    if ordered:
        try:
            _ = graph.dependences
        except ConflictError as error:
            fail(program, f"'rammer.program' '{program.program_name}': {error}")
    return ApplicationGraph(graph, tuple(applications), tuple(numbers))


def _together(application: rammer.ApplyOp, boxes: ProgramBoxes, device: Device) -> int:
    """Return how many tasks of an application run at a time, where each takes as long as it is predicted."""
    return min(boxes.tasks, (application.units or device.units) * boxes.per_unit)


def _moved_seconds(boxes: ProgramBoxes, device: Device) -> float:
    """Return the time of a task of which no prediction is known.

    That is the time in which a unit's share of the memory's bandwidth moves what the task touches.
    """
    touched = sum(
        prod(np.maximum(0, one.high[0] - one.low[0]).tolist()) * one.element_bytes
        for _, one in (*boxes.reads, *boxes.writes)
    )
    memory = device.layer("global")
    rate = memory.sustained_bandwidth_bytes_per_s or memory.bandwidth_bytes_per_s or inf
    return (memory.latency_s or 0.0) + touched * device.units / rate
