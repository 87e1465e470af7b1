# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stages of whole models, each of which becomes one persistent kernel: its schedule, its binary, its results."""

import time
from dataclasses import replace
from typing import Any

import numpy as np

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.suites.models import Model, reference
from roller_mlir.evaluation.suites.stages.compile import ARTIFACTS, compile_record
from roller_mlir.hal import find_device
from roller_mlir.rammer.events import HAND_OVERS, add_barriers
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.rammer.options import GraphOptions
from roller_mlir.rammer.policy import POLICIES, wavefront
from roller_mlir.rammer.times.baselines import as_graph_s, in_line_s, launched_s
from roller_mlir.rammer.times.replay import replay

TOLERANCE = 1e-4
"""By how much results of f32 may differ from those of f64: so much where they are below 1, so much of them above."""

RUN_LIMIT_S = 600.0
"""Time that the simulator has for a model."""


def model_record(model: Model) -> dict[str, Any]:
    """Return what identifies a model: `id`, `batch`, `scale`."""
    return {"id": model.name, "batch": model.batch, "scale": model.scale}


def schedule_model(
    model: Model, target: str, options: CompileOptions | None = None, graphs: GraphOptions | None = None
) -> dict[str, Any]:
    """Schedule a model as one persistent kernel, without a binary.

    Args:
        model: Of some batch and scale.
        target: A device's name, or the path of its description.
        options: Those of the compilation; None for the defaults.
        graphs: What CUDA graphs are taken to cost.

    Returns:
        What `model_record` says; `operators` (how many), `programs` and `bodies` (how many of these differ), `tasks`,
        `blocks`, `threads` of a block, `waits` and `waits_before` their reduction, `makespan_s`, `bound_s` (what no
        schedule of these tasks on so many blocks comes below), `home_bound_s` (what none does that keeps slices of
        weights where this one does) and `utilisation` (the share of the makespan in which a
        block works), all of the model and not measured; `workspace_bytes`, `state_bytes`; `schedule_s` and `phases_s`.
        `memory_s` is how long the memory or the last cache takes for what all kernels read and write; neither makespan
        nor bound is below it. `kept_slices` is how many slices of weights stay in workgroup memory.
        Predicted likewise, to compare with: `launches_s` of a launch for each operator, planned for itself alone,
        and `kernels_s` of these without launches;
        `line_s` of a CUDA graph of these in a line, `graph_s` of one with an edge for each dependence, `dependent_s`
        of that with programmatic dependent launches (null where the device has none); `bounded_launches_s`,
        `bounded_s` and `bounded_dependent_s` the same of the kernels of this schedule, planned for their shares;
        `waves_s` of the
        persistent kernel with a barrier between waves of operators, `front_s` of one with waits for tasks, but in front
        of the tasks that wait, `plain_s` of one that keeps nothing in workgroup memory. So `graph_s` over `bounded_s`
        is what the choice of kernels is worth, `bounded_s` over `front_s` what one kernel is, `front_s` over `plain_s`
        what is loaded before waits are over, and `plain_s` over `makespan_s` what stays in workgroup memory.

    Raises:
        DiagnosedError: It cannot become one persistent kernel.
    """
    options, graphs = _persistent(options), graphs or GraphOptions()
    begun = time.perf_counter()
    source = _source(model)
    written = time.perf_counter()
    one = scheduled_program(source, target, options, compared=True)
    done = time.perf_counter()
    times = replay(one.graph, one.schedule, options.hand_over_s)
    assert one.apart is not None, "it was asked for"
    plain, blocks, hand_over_s = one.apart.without_resident(), len(one.schedule.programs), options.hand_over_s
    front = plain.without_early()
    waves = add_barriers(front, wavefront(front, blocks, hand_over_s))

    def makespan_s(graph: TaskGraph) -> float:
        schedule = HAND_OVERS[options.hand_over](graph, POLICIES[options.policy](graph, blocks, hand_over_s))
        return replay(graph, schedule, hand_over_s).makespan_s

    all_memory_s, memory_s = one.memory.least_s(0), one.memory.least_s(one.kept_bytes)
    device = find_device(target)
    ahead = "dependent_launch" in device.features
    return {
        **model_record(model),
        "operators": len(one.graph.operators),
        "programs": one.programs,
        "bodies": len(set(one.bodies)),
        "tasks": one.graph.tasks,
        "blocks": len(one.schedule.programs),
        "threads": one.virtual.threads,
        "waits": one.schedule.wait_count,
        "waits_before": one.waits_before,
        "launches_s": launched_s(one.kernels),
        "kernels_s": in_line_s(one.kernels, 0.0),
        "line_s": in_line_s(one.kernels, graphs.graph_node_s),
        "graph_s": as_graph_s(one.kernels, graphs.graph_node_s),
        "dependent_s": as_graph_s(one.kernels, graphs.dependent_node_s) if ahead else None,
        "bounded_launches_s": launched_s(one.bounded),
        "bounded_s": as_graph_s(one.bounded, graphs.graph_node_s),
        "bounded_dependent_s": as_graph_s(one.bounded, graphs.dependent_node_s) if ahead else None,
        "waves_s": max(all_memory_s, replay(front, waves, hand_over_s).makespan_s),
        "front_s": max(all_memory_s, makespan_s(front)),
        "plain_s": max(memory_s, times.makespan_s) if not one.kept_slices else max(all_memory_s, makespan_s(plain)),
        "makespan_s": max(memory_s, times.makespan_s),
        "bound_s": max(memory_s, one.bound_s),
        "home_bound_s": max(memory_s, one.home_bound_s),
        "memory_s": memory_s,
        "kept_slices": one.kept_slices,
        "utilisation": times.utilisation,
        "workspace_bytes": one.workspace_bytes,
        "state_bytes": one.state_bytes,
        "schedule_s": done - begun,
        "phases_s": {"write": written - begun, **one.phases_s},
    }


def compile_model(
    model: Model, target: str, options: CompileOptions | None = None, *, keep: bool = False
) -> dict[str, Any]:
    """Compile a model to the binary of one persistent kernel.

    Args:
        model: As of `schedule_model`, likewise the others.
        target: What to compile for.
        options: What is asked of plans.
        keep: Whether to return the artifact, too.

    Returns:
        What `model_record` and `compile_record` say; with `keep` also `ARTIFACTS`: the artifact by what it is named
        after the model, which is nothing.

    Raises:
        DiagnosedError: It cannot be compiled.
    """
    options = replace(_persistent(options), cache=False)  # what is timed here is the compiler
    begun = time.perf_counter()
    artifact = compile_source(_source(model), target, options)
    record = {**model_record(model), **compile_record(artifact, time.perf_counter() - begun)}
    return {**record, ARTIFACTS: {"": artifact}} if keep else record


def run_model(model: Model, target: str, options: CompileOptions | None = None) -> dict[str, Any]:
    """Run a model as one persistent kernel in the simulator, and compare it with numpy in f64.

    Args:
        model: As of `schedule_model`, likewise the others.
        target: What to compile for.
        options: What is asked of plans.

    Returns:
        What `model_record` says; `compile_s` (without binaries), `run_s` (of the simulator, no speed of the device),
        `results` (elements), `matches`, and `max_error` in units of what `TOLERANCE` permits.

    Raises:
        DiagnosedError: It cannot be compiled.
        BackendError: The simulator found a fault, or takes longer than `RUN_LIMIT_S`; a larger scale helps there.
    """
    options = replace(_persistent(options), binaries=False, cache=False)
    begun = time.perf_counter()
    artifact = compile_source(_source(model), target, options)
    compiled = time.perf_counter()
    inputs = model.inputs()
    found = artifact.run_reported(*inputs, on="sim", timeout_s=RUN_LIMIT_S).outputs
    done = time.perf_counter()
    errors = [
        float((np.abs(got - right) / (TOLERANCE * np.maximum(1, np.abs(right)))).max())
        for got, right in zip(found, reference(model, inputs), strict=True)
    ]
    return {
        **model_record(model),
        "compile_s": compiled - begun,
        "run_s": done - compiled,
        "results": sum(one.size for one in found),
        "matches": all(error <= 1 for error in errors),
        "max_error": max(errors),
    }


def _persistent(options: CompileOptions | None) -> CompileOptions:
    return replace(options or CompileOptions(), persistent=True)


def _source(model: Model) -> Source:
    return Source("-", model.text(f"{model.name}.irpa"), model.weights)
