# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-keep-weights`: slices of what no task writes stay in workgroup memory, for the tasks that read them again.

Precondition: `rammer.program` (`rammer-form-graph`) whose operators name their early operands (`rammer-sink-waits`).
Postcondition: operators name those of them as `resident` of which each task finds its slice in a slot of workgroup
memory, or brings it there; applications say what a task takes that finds them. An operator some of whose applications
keep slices, and some not, is two.

    "rammer.operator"() ({ ... }) {early = array<i64: 1>, sym_name = "matmul_0"} : () -> ()
    "rammer.apply"(%h, %w, %y) {callee = @matmul_0, early_seconds = 7.0E-7, seconds = 1.2E-6} : (...) -> ()
    "rammer.apply"(%k, %w, %z) {callee = @matmul_0, early_seconds = 7.0E-7, seconds = 1.2E-6} : (...) -> ()
    // becomes
    "rammer.operator"() ({ ... }) {early = array<i64: 1>, resident = array<i64: 1>, sym_name = "matmul_0"} : () -> ()
    "rammer.apply"(%h, %w, %y) {..., found_early_seconds = 1.0E-7, found_seconds = 5.0E-7, seconds = 1.2E-6} : ...

Kept are slices that several applications read, each by one task of these: those first that save most time for their
bytes, as many as the workgroup memory of all vEUs holds beside what bodies need; not those that save least, a twentieth
together, and nothing, where the schedule is predicted to take as long without. Operands stay as they are that go
through workgroup memory tile by tile, that tensor copies bring, or that a task reads in parts: a remark says so where
they are read again. `keep-weights=false` keeps nothing, to compare with.
Refused: nothing.
Paper: none of RAMMER's, whose tasks bring all that they read; persistent recurrent networks (Diamos et al., ICML 2016)
keep weights in registers.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import prod
from typing import ClassVar

from roller_mlir.dialects import rammer, rtile
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.buffers.order import place_of
from roller_mlir.lowering.codegen.graph.roles import takes_roles
from roller_mlir.lowering.codegen.graph.schedules import graphs_of
from roller_mlir.lowering.codegen.graph.task_boxes import TaskReader
from roller_mlir.lowering.codegen.graph.task_graph import read_graph
from roller_mlir.lowering.codegen.graph.virtual_device import slot_room, virtual_device, with_most_slots
from roller_mlir.lowering.loops.early_loads import early_loads
from roller_mlir.lowering.loops.resident_loads import ResidentLoad, resident_load, resident_loads
from roller_mlir.model.cost.early import found_shares
from roller_mlir.model.cost.performance import busy_on_share, memories_busy
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.model.options import DeviceOptions
from roller_mlir.passes.rammer.sink_waits import early_bytes, planned_expression
from roller_mlir.rammer.events import HAND_OVERS
from roller_mlir.rammer.options import KeepOptions, ScheduleOptions
from roller_mlir.rammer.policy import POLICIES, usual_blocks
from roller_mlir.rammer.resident.keeping import choose_kept
from roller_mlir.rammer.times.memory import MemoryTimes
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import remark
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import free_symbol

_FOUND = ("found_seconds", "found_early_seconds")

WORTH = 0.01
"""Of a task's time: an operand stays where it is if a task that finds it saves less."""


@register
@dataclass(frozen=True, kw_only=True)
class RammerKeepWeights(KeepOptions, ScheduleOptions, DeviceOptions, Pass):
    """Says which operands stay in workgroup memory."""

    name: ClassVar[str] = "rammer-keep-weights"
    summary: ClassVar[str] = "keep slices that tasks read again in workgroup memory"
    requires: ClassVar[frozenset[str]] = frozenset({"graph"})

    def run(self, module: ir.Module) -> None:
        """Give the operators of each program their resident operands."""
        if not self.keep_weights:
            return
        device = find_device(self.device)
        for program in graphs_of(module):
            found = _Candidates(program, device)
            if found.refused:
                reasons = "; ".join(f"{reason} ({count})" for reason, count in found.refused.most_common(3))
                remark(
                    program,
                    f"'rammer.program' '{program.program_name}' reads weights again that cannot stay: {reasons}",
                )
            if found.applications:
                self._keep(module, program, device, found)

    def _keep(self, module: ir.Module, program: rammer.GraphOp, device: Device, found: "_Candidates") -> None:
        found.propose()
        graph = read_graph(program, device).tasks
        virtual = virtual_device(program, device, self.blocks or usual_blocks(graph, device.units))
        most = with_most_slots(virtual, device)
        place, hand_over = POLICIES[self.policy], HAND_OVERS[self.hand_over]
        memory_s = memory_times(program, device).least_s
        kept = choose_kept(
            graph, most.execution_units, slot_room(program, most, device), self.hand_over_s, place, hand_over, memory_s
        )
        found.settle(module, kept.operators)
        if kept.slices:
            text = (
                f"{kept.slices} slices, {kept.bytes} B, stay in the workgroup memory of {virtual.execution_units} vEUs"
            )
            remark(program, f"'rammer.program' '{program.program_name}': {text}")


def memory_times(program: rammer.GraphOp, device: Device) -> MemoryTimes:
    """Return what the tasks of a program draw; of none where some have no plan."""
    machine = machine_of(device)
    known: dict[tuple[ir.Attribute, int], tuple[float, ...]] = {}
    last = (machine.last_cache_bytes_per_s,) if machine.private_caches > 1 else ()
    rates = machine.global_bytes_per_s, machine.cache_bytes_per_s, *last
    drawn = [0.0] * len(rates)
    for application in program.applications:
        plan, units = application.program.plan, application.units or machine.units
        if plan is None:
            return MemoryTimes()
        if (plan, units) not in known:
            known[plan, units] = memories_busy(busy_on_share(plan.read(), machine, units))
        drawn = [sum(each) for each in zip(drawn, known[plan, units], strict=True)]
    return MemoryTimes(tuple(drawn), rates)


@dataclass(eq=False)
class _Candidates:
    """The operators of a program that can keep slices, and what that gives.

    Attributes:
        program: The program.
        device: What times are predicted for.
        applications: Those whose tasks can keep slices, by their operator's name.
        operands: Of each operator the operands of which it can.
        refused: Why others cannot, and for how many operators.
    """

    program: rammer.GraphOp
    device: Device
    applications: dict[str, list[rammer.ApplyOp]] = field(default_factory=dict[str, list[rammer.ApplyOp]])
    operands: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    refused: Counter[str] = field(default_factory=Counter[str])

    def __post_init__(self) -> None:
        applied: dict[str, list[rammer.ApplyOp]] = defaultdict(list)
        readers = Counter[ir.Value | str]()
        place = cache(place_of)
        for one in self.program.applications:
            name = one.attributes["callee"].value
            applied[name].append(one)
        early = {name: found[0].callee.early for name, found in applied.items()}
        for name, found in applied.items():
            for one in found:
                readers.update(place(one.operands[operand])[0] for operand in early[name])
        roles = any(map(takes_roles, self.program.programs))
        for name, found in applied.items():
            again = [
                operand for operand in early[name] if any(readers[place(one.operands[operand])[0]] > 1 for one in found)
            ]
            loads = self._loads(found[0], again, roles=roles)
            if loads and all(one.seconds is not None and one.kernel == 0 for one in found):
                self.applications[name], self.operands[name] = found, loads

    def _loads(self, application: rammer.ApplyOp, operands: Sequence[int], *, roles: bool) -> list[int]:
        """Return those operands whose slices are worth to be kept by tasks of an operator with several applications."""
        program = application.program
        loads: dict[int, ResidentLoad] = {}
        for operand in operands:
            load = "threads of its blocks copy for others" if roles else resident_load(program, operand)
            if isinstance(load, ResidentLoad):
                # What several tasks of an operator read would bring them together on one vEU.
                if _each_its_own(application, operand):
                    loads[operand] = load
            elif prod(ir.MemRefType(program.entry.arguments[operand].type).shape) > 1:
                self.refused[load.replace(f"operand {operand} ", "one ")] += 1
        if not loads or planned_expression(program) is None:
            return []
        machine = machine_of(self.device, application.units)
        kept = sorted(loads, key=lambda operand: loads[operand].bytes)
        for operand in list(kept):
            fewer = [one for one in kept if one != operand]
            share, both = (
                _found_shares(program, application.callee.early, {one: loads[one] for one in some}, machine)[0]
                for some in (fewer, kept)
            )
            if share - both < WORTH:
                kept = fewer
        return sorted(kept)

    def propose(self) -> None:
        """Let all of them keep slices, and say what their tasks take then."""
        for name, found in self.applications.items():
            program, operator = found[0].program, found[0].callee
            loads = resident_loads(program, self.operands[name])
            operator.attributes["resident"] = ir.DenseI64ArrayAttr.get(self.operands[name])
            shares: dict[int | None, tuple[float, float]] = {}
            for one in found:
                if one.units not in shares:
                    shares[one.units] = _found_shares(
                        program, operator.early, loads, machine_of(self.device, one.units)
                    )
                seconds = one.seconds or 0.0
                for key, share in zip(_FOUND, shares[one.units], strict=True):
                    one.attributes[key] = ir.FloatAttr.get(ir.F64Type.get(), share * seconds)

    def settle(self, module: ir.Module, kept: Collection[int]) -> None:
        """Leave it at some applications of the program, by their numbers."""
        chosen = {one.operation for number, one in enumerate(self.program.applications) if number in kept}
        for name, found in self.applications.items():
            keeping = [one for one in found if one.operation in chosen]
            others = [one for one in found if one.operation not in chosen]
            operator = found[0].callee
            if keeping and others:
                copy = operator.operation.clone(ip=ir.InsertionPoint(operator))
                symbol = ir.StringAttr.get(free_symbol(module, f"{name}_kept"))
                copy.operation.attributes["sym_name"] = symbol
                for one in keeping:
                    one.attributes["callee"] = ir.FlatSymbolRefAttr.get(symbol.value)
            if others:
                del operator.attributes["resident"]
            for one in others:
                for key in _FOUND:
                    del one.attributes[key]


def _each_its_own(application: rammer.ApplyOp, operand: int) -> bool:
    """Return whether no two tasks of an application read the same slice of an operand."""
    boxes = TaskReader(application.program).boxes(application.starts)
    (read,) = (one for number, one in boxes.reads if number == operand)
    return len(read.distinct.owners) == boxes.tasks


def _found_shares(
    program: rtile.ProgramOp, early: Sequence[int], loads: Mapping[int, ResidentLoad], machine: Machine
) -> tuple[float, float]:
    """Return the share of its time that a task takes which finds some slices, and of that before its waits are over."""
    expression = planned_expression(program)
    assert expression is not None and program.plan is not None, "it was asked before"
    others = [operand for operand in early if operand not in loads]
    brought = [early_bytes(program, one.operand, one.tile_bytes, one.words) for one in early_loads(program, others)]
    kept = [early_bytes(program, operand, one.bytes, one.words) for operand, one in loads.items()]
    return found_shares(expression, program.plan.read(), machine, brought, kept)
