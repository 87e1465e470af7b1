# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The task graph of a `rammer.program`: its applications as operators on the bytes of the function's buffers."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import inf, prod

import numpy as np

from roller_mlir.dialects import rammer, rtile
from roller_mlir.hal import Device
from roller_mlir.lowering.codegen.graph.operands import places_of
from roller_mlir.lowering.codegen.graph.task_boxes import ProgramBoxes, TaskReader
from roller_mlir.lowering.loops.resident_loads import resident_load
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
    operands = [list(one.operands) for one in applications]
    readers: dict[tuple[str, int], _ProgramReader] = {}
    kinds: dict[Hashable, _Kind] = {}
    numbers: dict[ir.Value | str, int] = {}
    memory = {
        value: (numbers.setdefault(root, len(numbers)), offset)
        for value, (root, offset) in places_of(program, applications, operands).items()
    }
    known: dict[tuple[tuple[int, int], _Touched], TaskAccess] = {}

    def access_of(place: tuple[int, int], own: _Touched) -> TaskAccess:
        key = place, own
        if key not in known:
            known[key] = TaskAccess(*place, own.boxes, own.early, *own.slot)
        return known[key]

    operators: list[TaskOperator] = []
    for number, (application, values) in enumerate(zip(applications, operands, strict=True)):
        said = tuple(application.attributes.items())  # by their names
        if said not in kinds:
            kinds[said] = _kind_of(application, readers, device)
        kind = kinds[said]
        reads, writes = (
            tuple([access_of(memory[values[operand]], own) for operand, own in accesses])
            for accesses in (kind.reads, kind.writes)
        )
        name = f"{kind.name} ({number})" if len(applications) > 1 else kind.name
        operators.append(
            TaskOperator(
                name,
                kind.tasks,
                kind.seconds,
                reads,
                writes,
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
class _Touched:
    """What the tasks of a program touch of an operand, wherever it lies.

    Attributes:
        boxes: The part of the view that each task touches.
        early: Whether tasks may read it before their waits are over.
        slot: Where a slice of it stays.
    """

    boxes: TaskBoxes
    early: bool
    slot: _Slot


@dataclass(frozen=True, eq=False)
class _Kind:
    """What applications say that are equal but for their operands: a `TaskOperator`, and the operands it works on."""

    name: str
    tasks: int
    seconds: float
    reads: tuple[tuple[int, _Touched], ...]
    writes: tuple[tuple[int, _Touched], ...]
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
    known: dict[tuple[int, TaskBoxes, bool], _Touched] = field(
        default_factory=dict[tuple[int, TaskBoxes, bool], _Touched]
    )

    @classmethod
    def of(cls, application: rammer.ApplyOp) -> "_ProgramReader":
        """Read the program of an application."""
        program, operator = application.program, application.callee
        return cls(TaskReader(program), operator.early, _slots(program, operator.resident))

    def touched(self, operand: int, boxes: TaskBoxes, written: bool) -> tuple[int, _Touched]:
        """Return what is touched of an operand, which is one for all applications with these boxes; with its number."""
        key = operand, boxes, written
        if key not in self.known:
            early, slot = not written and operand in self.early, self.slots.get(operand, _NO_SLOT)
            self.known[key] = _Touched(boxes, early, _NO_SLOT if written else slot)
        return operand, self.known[key]


def _kind_of(application: rammer.ApplyOp, readers: dict[tuple[str, int], _ProgramReader], device: Device) -> _Kind:
    """Read what an application says but for its operands, with what reads its program, which is known or made."""
    name, kernel, seconds = application.attributes["callee"].value, application.kernel, application.seconds
    if (name, kernel) not in readers:
        readers[name, kernel] = _ProgramReader.of(application)
    reader = readers[name, kernel]
    boxes = reader.boxes.boxes(application.starts)
    brought = (_moved_seconds(boxes, device) if seconds is None else seconds), application.early_seconds
    own_s, early_s = application.found_seconds or brought
    return _Kind(
        name,
        boxes.tasks,
        own_s,
        tuple(reader.touched(operand, one, False) for operand, one in boxes.reads),
        tuple(reader.touched(operand, one, True) for operand, one in boxes.writes),
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
