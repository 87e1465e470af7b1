# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times that tasks are placed by."""

from math import ceil

import pytest
from graph_models import branches

from roller_mlir.hal import find_device
from roller_mlir.lowering.codegen.graph.schedules import graphs_of
from roller_mlir.lowering.codegen.graph.task_graph import read_graph
from roller_mlir.lowering.targets.family import passes_to
from roller_mlir.lowering.targets.stage import BUFFERS
from roller_mlir.passes.rammer.form_graph import RammerFormGraph
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.pipeline import Step, run_pipeline


def test_a_task_takes_a_wave_of_what_its_plan_says_and_no_launch() -> None:
    context = make_context()
    with context:
        module = parse_module(branches()[0], context)
        steps: list[Step] = [*passes_to(BUFFERS, {"device": "h200", "block-threads": "128"}), RammerFormGraph()]
        run_pipeline(module, steps)
        (graph,) = graphs_of(module)
        for operator, application in zip(
            read_graph(graph, find_device("h200")).tasks.operators, graph.applications, strict=True
        ):
            said = application.program.plan.read().prediction
            assert said.waves < 1
            launch = said.seconds_by_layer["launch"]
            assert 0 < launch < said.seconds
            assert operator.seconds == pytest.approx((said.seconds - launch) / ceil(said.waves))
            del application.program.operation.attributes["plan"]
        for operator in read_graph(graph, find_device("h200")).tasks.operators:
            assert operator.seconds >= find_device("h200").layer("global").latency_s
