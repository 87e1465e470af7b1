# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function as the schedule of one persistent kernel: what `rammer-verify` proves, read from it."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.codegen.graph.bodies import bodies_of
from roller_mlir.codegen.graph.schedules import graphs_of, schedule_of
from roller_mlir.codegen.graph.task_graph import read_graph
from roller_mlir.compiler.launch_list import read_launch_list
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.persistent import BlockChoice, planning_pass
from roller_mlir.compiler.reached_stage import open_entry, reached_stage
from roller_mlir.compiler.source import Source, parse_names
from roller_mlir.compiler.stages import run_stages
from roller_mlir.hal import find_device
from roller_mlir.linalg.group.dispatches import named_units, planned_blocks
from roller_mlir.passes.rammer_schedule import RammerSchedule
from roller_mlir.passes.rammer_verify import RammerVerify
from roller_mlir.passes.rtile_fuse import RTileFuse
from roller_mlir.plan.plan import Prediction
from roller_mlir.rammer.baselines import OperatorKernel
from roller_mlir.rammer.options import PersistentOptions
from roller_mlir.rammer.schedule import Schedule, VirtualDevice
from roller_mlir.rammer.task_graph import TaskGraph
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.passes.passes import Pass
from roller_mlir.support.values import values_used


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
        seconds: The predicted time of each operator, alone on the device and without a launch; None where its plan
            has none.
        workspace_bytes: Memory for results between operators.
        state_bytes: Counters, and what is kept from launch to launch.
        choices: The numbers of threads of a task that were planned for.
        programs: How many distinct programs the operators have.
        phases_s: Seconds per phase: `read`, `threads` (the numbers of threads that were planned for), each pass.
        kernels: The operators as kernels of their own, as they are planned where nothing is persistent; none where the
            module was planned already.
    """

    function: str
    graph: TaskGraph
    virtual: VirtualDevice
    schedule: Schedule
    waits_before: int
    bodies: tuple[int, ...]
    seconds: tuple[float | None, ...]
    workspace_bytes: int
    state_bytes: int
    choices: tuple[BlockChoice, ...]
    programs: int
    phases_s: Mapping[str, float]
    kernels: tuple[OperatorKernel, ...]


def scheduled_program(source: Source, target: str, options: CompileOptions) -> ScheduledProgram:
    """Schedule a function, as a compilation does.

    Args:
        source: MLIR text.
        target: A device's name, or the path of its description.
        options: They ask for a persistent kernel.

    Raises:
        DiagnosedError: It cannot become one persistent kernel.
    """
    device, found = find_device(target), dict[str, Any]()

    found["kernels"] = ()

    def look(step: Pass, module: Any) -> None:
        if isinstance(step, RTileFuse):
            found["kernels"] = _operator_kernels(module, target, options)
        for graph in graphs_of(module):
            if isinstance(step, RammerSchedule):
                found["waits_before"] = schedule_of(graph)[1].wait_count
            if not isinstance(step, RammerVerify):
                continue
            function = graph.operation.parent.opview
            assert isinstance(function, func.FuncOp)
            predicted: dict[tuple[str, int], float | None] = {}
            for one in graph.applications:
                key = (one.attributes["callee"].value, one.kernel)
                if key not in predicted:
                    plan = one.program.plan
                    predicted[key] = None if plan is None else _alone(plan.read().prediction)
            virtual, schedule = schedule_of(graph)
            found.update(
                virtual=virtual,
                schedule=schedule,
                bodies=bodies_of(function, graph).of,
                graph=read_graph(graph, device).tasks,
                programs=len({ir.FlatSymbolRefAttr(one.attributes["callee"]).value for one in graph.applications}),
                seconds=tuple(predicted[one.attributes["callee"].value, one.kernel] for one in graph.applications),
            )

    started = time.perf_counter()
    with make_context() as context, ir.Location.unknown():
        module = parse_names(source, context)
        reached = reached_stage(module)
        open_entry(module, reached, device, options)
        read_s = time.perf_counter() - started
        stages = run_stages(module, target, options, reached=reached, on_pass=look)
        launches = read_launch_list(module, source.weights)
    return ScheduledProgram(
        function=launches.function,
        workspace_bytes=launches.workspace_bytes,
        state_bytes=launches.state_bytes,
        choices=stages.blocks,
        phases_s={"read": read_s, **stages.phases_s},
        **found,
    )


def _operator_kernels(module: ir.Module, target: str, options: CompileOptions) -> tuple[OperatorKernel, ...]:
    """Return what would be launched for a module of joined ops if it became no persistent kernel."""
    plain = replace(options, persistent=False, **{one.field: one.default for one in PersistentOptions.options()})
    blocks = planned_blocks(module)
    units = list(named_units(blocks).values())
    plans = planning_pass(target, plain).chosen_plans(units)
    number_of = {unit.operation: number for number, unit in enumerate(units)}
    made: dict[ir.Value, frozenset[int]] = {}  # by value: the units that it comes of
    kernels: list[OperatorKernel] = []
    for operation in (op.operation for block in blocks for op in block.operations):
        given = frozenset[int]().union(*(made.get(value, frozenset()) for value in values_used(operation)))
        number = number_of.get(operation)
        made.update(dict.fromkeys(operation.results, given if number is None else frozenset((number,))))
        if number is not None and (prediction := plans[number].prediction) is not None:
            launch_s = prediction.seconds_by_layer.get("launch", 0.0)
            kernels.append(
                OperatorKernel(
                    seconds=prediction.seconds - launch_s,
                    launch_s=launch_s,
                    launches=1 if plans[number].split is None else 2,
                    share=min(1.0, prediction.waves * max(1, prediction.tasks_per_unit)),
                    producers=tuple(sorted(given)),
                )
            )
    return tuple(kernels)


def _alone(prediction: Prediction | None) -> float | None:
    return None if prediction is None else prediction.seconds - prediction.seconds_by_layer.get("launch", 0.0)
