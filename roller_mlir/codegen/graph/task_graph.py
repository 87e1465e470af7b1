# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The task graph of a `rammer.program`: its applications as operators on the bytes of the function's buffers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import inf, prod

import numpy as np

from roller_mlir.codegen.graph.operands import places_of
from roller_mlir.codegen.graph.task_boxes import ProgramBoxes, TaskReader
from roller_mlir.dialects import rammer, rtile
from roller_mlir.hal import Device
from roller_mlir.loops.resident_loads import resident_load
from roller_mlir.rammer.graph.boxes import TaskBoxes
from roller_mlir.rammer.graph.task_graph import ConflictError, TaskAccess, TaskGraph, TaskOperator
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
    applications = program.applications
    readers: dict[tuple[str, int], _ProgramReader] = {}
    kinds: dict[Hashable, _Kind] = {}
    numbers: dict[ir.Value | str, int] = {}
    memory = {
        value: (numbers.setdefault(root, len(numbers)), offset)
        for value, (root, offset) in places_of(program, applications).items()
    }
    operators: list[TaskOperator] = []
    for number, application in enumerate(applications):
        said = frozenset(application.attributes.items())
        if said not in kinds:
            kinds[said] = _kind_of(application, readers, device)
        kind, operands = kinds[said], list(application.operands)
        reads, writes = list[TaskAccess](), list[TaskAccess]()
        for found, accesses in ((reads, kind.reads), (writes, kind.writes)):
            for operand, boxes, early, (slot_bytes, slot_form) in accesses:
                buffer, offset = memory[operands[operand]]
                found.append(TaskAccess(buffer, offset, boxes, early, slot_bytes, slot_form))
        name = f"{kind.name} ({number})" if len(applications) > 1 else kind.name
        operators.append(
            TaskOperator(
                name,
                kind.tasks,
                kind.seconds,
                tuple(reads),
                tuple(writes),
                kind.units,
                kind.together,
                kind.early_s,
                kind.brought,
            )
        )
    graph = TaskGraph(tuple(operators))
    if ordered:
        try:
            _ = graph.dependences
        except ConflictError as error:
            fail(program, f"'rammer.program' '{program.program_name}': {error}")
    return ApplicationGraph(graph, tuple(applications), tuple(numbers))


_Slot = tuple[int, tuple[object, ...]]
"""The bytes of a slot, and how a slice lies there."""

_NO_SLOT: _Slot = (0, ())


@dataclass(frozen=True, eq=False)
class _Kind:
    """What applications say that are equal but for their operands: a `TaskOperator`, and the operands it works on."""

    name: str
    tasks: int
    seconds: float
    reads: tuple[tuple[int, TaskBoxes, bool, _Slot], ...]
    writes: tuple[tuple[int, TaskBoxes, bool, _Slot], ...]
    units: int | None
    together: int | None
    early_s: float
    brought: tuple[float, float] | None


@dataclass(frozen=True, eq=False)
class _ProgramReader:
    """What reads a program, and what its operator says of operands: alike in all of its applications."""

    boxes: TaskReader
    early: tuple[int, ...]
    slots: dict[int, _Slot]

    @classmethod
    def of(cls, application: rammer.ApplyOp) -> "_ProgramReader":
        """Read the program of an application."""
        program, operator = application.program, application.callee
        return cls(TaskReader(program), operator.early, _slots(program, operator.resident))


def _kind_of(application: rammer.ApplyOp, readers: dict[tuple[str, int], _ProgramReader], device: Device) -> _Kind:
    """Read what an application says but for its operands, with what reads its program, which is known or made."""
    name, kernel, seconds = application.attributes["callee"].value, application.kernel, application.seconds
    if (name, kernel) not in readers:
        readers[name, kernel] = _ProgramReader.of(application)
    reader = readers[name, kernel]
    boxes, early, slots = reader.boxes.boxes(application.starts), reader.early, reader.slots
    brought = (_moved_seconds(boxes, device) if seconds is None else seconds), application.early_seconds
    own_s, early_s = application.found_seconds or brought
    return _Kind(
        name,
        boxes.tasks,
        own_s,
        tuple((operand, one, operand in early, slots.get(operand, _NO_SLOT)) for operand, one in boxes.reads),
        tuple((operand, one, False, _NO_SLOT) for operand, one in boxes.writes),
        application.units,
        None if seconds is None else _together(application, boxes, device),
        early_s,
        brought if application.found_seconds else None,
    )


def _slots(program: rtile.ProgramOp, resident: Sequence[int]) -> dict[int, _Slot]:
    """Return the slot of each resident operand, whose slices are refused where none holds them."""
    found: dict[int, _Slot] = {}
    for operand in resident:
        load = resident_load(program, operand)
        if isinstance(load, str):
            fail(program, f"'rtile.program' '{program.program_name}' cannot keep what is resident: {load}")
        found[operand] = load.slot_bytes, (tuple(load.extents), load.load.pad_value)
    return found


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
