# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels are chosen by what is left behind their waits: what their tasks load before is known from the plan."""

from typing import Any

import pytest
from graph_models import MODELS, lstm

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.scheduled_program import scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.passes.rammer import select_kernels, sink_waits


@pytest.mark.full
@pytest.mark.parametrize(
    ("model", "device"),
    [("lstm", "h200"), *(pytest.param(m, d, marks=pytest.mark.full) for m in MODELS for d in ("v100", "mi300x"))],
)
def test_plans_say_what_loops_then_load(model: str, device: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernels: Any = vars(select_kernels)["_Kernels"]
    planned, loaded = kernels._early_share, vars(sink_waits)["_early_share"]
    of_plans, of_loops = dict[Any, float](), dict[Any, float]()

    def look(self: Any, unit: Any, plan: Any, share: int, weights: frozenset[int]) -> float:
        found = planned(self, unit, plan, share, weights)
        if plan.split is None and plan.prediction.waves <= 1:
            of_plans[str(plan.axes), share, len(weights)] = found
        return found

    def look_again(program: Any, early: Any, machine: Any) -> float:
        found = loaded(program, early, machine)
        of_loops[str(program.plan.read().axes), machine.units, len(early)] = found
        return found

    monkeypatch.setattr(kernels, "_early_share", look)
    monkeypatch.setattr(sink_waits, "_early_share", look_again)
    options = CompileOptions(persistent=True, block_threads=64)
    scheduled_program(Source(model, MODELS[model]()[0]), device, options)
    both = of_plans.keys() & of_loops.keys()
    assert any(of_loops[one] > 0.1 for one in both)
    assert [of_plans[one] for one in both] == pytest.approx(
        [of_loops[one] for one in both], abs=0.1
    )  # of windows, loops load less


@pytest.mark.full
def test_waves_behind_waits_are_shorter() -> None:
    text = lstm(2, 2)[0]
    early, late = (
        scheduled_program(Source("lstm", text), "h200", CompileOptions(persistent=True, sink_waits=sinks))
        for sinks in (True, False)
    )
    assert any(one.early_s for one in early.graph.operators) and not any(one.early_s for one in late.graph.operators)
    seconds = [(one.seconds, other.seconds) for one, other in zip(early.choices, late.choices, strict=True)]
    assert seconds and all(one and other and one < other for one, other in seconds)
