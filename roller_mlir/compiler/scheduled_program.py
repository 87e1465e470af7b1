# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function as the schedule of one persistent kernel: what `rammer-verify` proves, read from it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from roller_mlir.compiler.launch_list import read_launch_list
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.persistent import BlockChoice, planning_pass
from roller_mlir.compiler.reached_stage import open_entry, reached_stage
from roller_mlir.compiler.source import Source, parse_names
from roller_mlir.compiler.stages import run_stages
from roller_mlir.dialects import rammer
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.graph.bodies import bodies_of
from roller_mlir.lowering.codegen.graph.schedules import graphs_of, schedule_of
from roller_mlir.lowering.codegen.graph.task_graph import read_graph
from roller_mlir.lowering.linalg.group.dispatches import named_dispatches, producers_of
from roller_mlir.model.cost.performance import busy_on_share, busy_seconds, memories_busy
from roller_mlir.model.machine import machine_of
from roller_mlir.passes.rammer.keep_weights import memory_times
from roller_mlir.passes.rammer.schedule import RammerSchedule
from roller_mlir.passes.rammer.verify import RammerVerify
from roller_mlir.passes.rtile.fuse import RTileFuse
from roller_mlir.rammer.bounds.bound import least_makespan_s
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.resident.slots import found_bytes, home_of_tasks
from roller_mlir.rammer.schedule import Schedule, VirtualDevice
from roller_mlir.rammer.times.baselines import OperatorKernel
from roller_mlir.rammer.times.memory import MemoryTimes
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.passes.passes import Pass


@dataclass(frozen=True, kw_only=True, eq=False)
class ScheduledProgram:
    """A function as far as `rammer-verify` brings it: tasks, their schedule, and what it was made of.

    Attributes:
        function: Its name.
        graph: The tasks, with their predicted times.
        virtual: The vDevice.
        schedule: Which vEU runs which tasks, and what they wait for.
        waits_before: Waits before `rammer-reduce-waits`.
        bodies: The body of each operator.
        early: The operands of each that its tasks may read before their waits are over.
        workspace_bytes: Memory for results between operators.
        state_bytes: Counters, and what is kept from launch to launch.
        choices: The numbers of threads of a task that were planned for.
        programs: How many distinct programs the operators have.
        phases_s: Seconds per phase: `read`, `threads` (the numbers of threads that were planned for), each pass.
        kernels: The operators as kernels of their own, as they are planned where nothing is persistent; none where the
            module was planned already, or nobody compares.
        bounded: The operators as kernels of their own, as they are planned for this schedule, on their shares of the
            device; none where their times are not predicted.
        apart: The tasks before results shared bytes of the workspace, which only this schedule permits.
        kept_slices: Slices of operands that stay in workgroup memory.
        kept_bytes: What tasks find there, each time that they do.
        memory: For how long the device's memories are busy.
        bound_s: What no schedule of these tasks on so many blocks comes below, in seconds.
        home_bound_s: What none does that keeps slices on the blocks on which this one does; `bound_s` where none stays.
    """

    function: str
    graph: TaskGraph
    virtual: VirtualDevice
    schedule: Schedule
    waits_before: int
    bodies: tuple[int, ...]
    early: tuple[tuple[int, ...], ...]
    workspace_bytes: int
    state_bytes: int
    choices: tuple[BlockChoice, ...]
    programs: int
    phases_s: Mapping[str, float]
    kernels: tuple[OperatorKernel, ...]
    bounded: tuple[OperatorKernel, ...]
    apart: TaskGraph
    kept_slices: int
    kept_bytes: int
    memory: MemoryTimes
    bound_s: float
    home_bound_s: float


def scheduled_program(
    source: Source, target: str, options: CompileOptions, *, compared: bool = False
) -> ScheduledProgram:
    """Schedule a function, as a compilation does.

    Args:
        source: MLIR text.
        target: A device's name, or the path of its description.
        options: They ask for a persistent kernel.
        compared: Whether to return what it is compared with, too: `kernels`.

    Raises:
        DiagnosedError: It cannot become one persistent kernel.
    """
    device, found = find_device(target), dict[str, Any]()

    found["kernels"] = ()

    def look(step: Pass, module: Any) -> None:
        if compared and isinstance(step, RTileFuse):
            found["kernels"] = _operator_kernels(module, target, options)
        for graph in graphs_of(module):
            if isinstance(step, RammerSchedule):
                virtual, schedule = schedule_of(graph)
                apart = read_graph(graph, device).tasks
                found["waits_before"], found["apart"] = schedule.wait_count, apart
                found["kept_slices"] = int(schedule.fills.sum())
                found["kept_bytes"], found["memory"] = found_bytes(apart, schedule), memory_times(graph, device)
                found["bounded"] = _bounded_kernels(graph, apart.without_resident(), device)
                blocks, hand_over_s = virtual.execution_units, options.hand_over_s
                found["bound_s"] = found["home_bound_s"] = least_makespan_s(apart, blocks, hand_over_s)
                if found["kept_slices"]:
                    homes = home_of_tasks(apart, schedule)
                    found["home_bound_s"] = least_makespan_s(apart, blocks, hand_over_s, homes)
            if not isinstance(step, RammerVerify):
                continue
            function = graph.operation.parent.opview
            assert isinstance(function, func.FuncOp)
            virtual, schedule = schedule_of(graph)
            bodies = bodies_of(function, graph)
            found.update(
                virtual=virtual,
                schedule=schedule,
                bodies=bodies.of,
                early=tuple(bodies.bodies[body].early for body in bodies.of),
                graph=read_graph(graph, device).tasks,
                programs=len({ir.FlatSymbolRefAttr(one.attributes["callee"]).value for one in graph.applications}),
            )

    started = time.perf_counter()
    with make_context() as context, ir.Location.unknown():
        module = parse_names(source, context)
        reached = reached_stage(module)
        open_entry(module, reached, device, options)
        read_s = time.perf_counter() - started
        stages = run_stages(module, target, options, reached=reached, on_pass=look, weights=source.weights)
        launches = read_launch_list(module, source.weights)
    return ScheduledProgram(
        function=launches.function,
        workspace_bytes=launches.workspace_bytes,
        state_bytes=launches.state_bytes,
        choices=stages.blocks,
        phases_s={"read": read_s, **stages.phases_s},
        **found,
    )


def _bounded_kernels(program: rammer.GraphOp, graph: TaskGraph, device: Device) -> tuple[OperatorKernel, ...]:
    """Return what would be launched if each operator of a graph were a kernel of its own, with the plan that it has."""
    machine = machine_of(device)
    known: dict[tuple[ir.Attribute, int], tuple[float, ...]] = {}
    kernels: list[OperatorKernel] = []
    for application, operator, producers in zip(
        program.applications, graph.operators, graph.operator_producers, strict=True
    ):
        plan, units = application.program.plan, operator.units or machine.units
        if plan is None or operator.together is None:
            return ()
        if (plan, units) not in known:
            busy = busy_on_share(plan.read(), machine, units)
            known[plan, units] = memories_busy(busy)
        kernels.append(
            OperatorKernel(
                seconds=ceil(operator.tasks / operator.together) * operator.seconds,
                launch_s=machine.launch_s,
                launches=1,
                share=min(units, operator.tasks) / machine.units,
                memory_s=known[plan, units],
                producers=tuple(producers),
            )
        )
    return tuple(kernels)


def _operator_kernels(module: ir.Module, target: str, options: CompileOptions) -> tuple[OperatorKernel, ...]:
    """Return what would be launched for a module of joined ops if it became no persistent kernel."""
    dispatches = list(named_dispatches(module).values())
    plans = planning_pass(target, options.launched()).chosen_plans(dispatches)
    machine = machine_of(find_device(target), options.max_units)
    kernels: list[OperatorKernel] = []
    for plan, producers in zip(plans, producers_of(module, dispatches), strict=True):
        if (prediction := plan.prediction) is not None:
            busy = busy_seconds(plan, machine)
            kernels.append(
                OperatorKernel(
                    seconds=prediction.seconds - prediction.launch_s,
                    launch_s=prediction.launch_s,
                    launches=plan.launches,
                    share=min(1.0, prediction.waves * max(1, prediction.tasks_per_unit)),
                    memory_s=memories_busy(busy),
                    producers=producers,
                )
            )
    return tuple(kernels)
