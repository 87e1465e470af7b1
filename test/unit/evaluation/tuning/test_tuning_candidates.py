# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates are the construction's plans, the compiler's own choice first; and each can be compiled."""

from dataclasses import replace
from pathlib import Path

import pytest
from tuning_records import DIVIDED, EXAMPLES, MATMUL, SIMULATED, dispatch_of, plans_of

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.candidates import candidates_of, compile_candidate
from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.model.search.construct import LEAST_REFINED
from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.support.diagnostics import DiagnosedError


@pytest.mark.full(every=2)
@pytest.mark.parametrize("top_k", [1, LEAST_REFINED + 15])
def test_the_first_is_what_the_compiler_takes(top_k: int) -> None:
    rows = {row.id: row for row in find_suite("roller119")}
    texts = [MATMUL, DIVIDED, *(function_text(rows[name]) for name in ("C0", "R0"))]
    texts += [(EXAMPLES / f"{name}.mlir").read_text() for name in ("matmul_f16", "softmax")] if top_k > 1 else []
    for text in texts:
        for dispatch in dispatches_of(Source("-", text), "h200", SIMULATED):
            whole = compile_source(Source("-", dispatch.text), "h200", SIMULATED)
            candidates = candidates_of(dispatch, "h200", SIMULATED, top_k)
            forced = compile_candidate(dispatch, "h200", SIMULATED, candidates[0])
            assert 1 <= len(candidates) <= top_k
            assert [kernel.plan for kernel in forced.kernels] == [kernel.plan for kernel in whole.kernels]
            assert forced.files["kernels.mlir"] == whole.files["kernels.mlir"]
            plans = [plan for one in candidates for plan in one.values()]
            assert all(plan not in plans[:place] for place, plan in enumerate(plans))
            assert all(list(one) == [dispatch.name] for one in candidates)


def test_every_candidate_computes_the_operator() -> None:
    dispatch = dispatch_of(MATMUL)
    candidates = candidates_of(dispatch, "h200", SIMULATED, 3)
    assert len(candidates) == 3
    for plans in candidates:
        plans = from_json(dict[str, Plan], to_json(plans))  # a kit holds them as JSON
        artifact = compile_candidate(dispatch, "h200", SIMULATED, plans)
        manifest = artifact.manifest
        a, b = random_inputs([manifest.buffer(name) for name in manifest.inputs], 1, "integers")
        (found,) = artifact.run(a, b, on="sim")
        assert (found == a @ b).all()


def test_what_the_construction_may_do_is_heeded() -> None:
    one = CompileOptions(binaries=False, split=False)
    assert any(plan.split is not None for plan in plans_of(DIVIDED))
    assert all(
        plan.split is None for plans in candidates_of(dispatch_of(DIVIDED), "h200", one) for plan in plans.values()
    )
    scalar = CompileOptions(binaries=False, instructions=("fma",))
    text = (EXAMPLES / "matmul_f16.mlir").read_text()
    families = {
        plan.instruction for plans in candidates_of(dispatch_of(text), "h200", scalar) for plan in plans.values()
    }
    assert families == {"fma"}


def test_a_plan_that_does_not_fit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    dispatch = dispatch_of(MATMUL)
    ((name, plan),) = candidates_of(dispatch, "h200", SIMULATED, 1)[0].items()
    with pytest.raises(DiagnosedError, match="has a plan for 2 loops"):
        compile_candidate(dispatch, "h200", SIMULATED, {name: replace(plan, axes=plan.axes[:2], split=None)})
    with pytest.raises(DiagnosedError, match="no program has this name; the programs are 'matmul_0'"):
        compile_candidate(dispatch, "h200", SIMULATED, {"other": plan})
    assert not list(tmp_path.iterdir())


def test_what_was_asked_of_planning_is_decided_by_the_plan() -> None:
    dispatch = dispatch_of(MATMUL)
    asked = CompileOptions(binaries=False, tile_sizes=(8, 8, 8), stages=1, split=False, entry="nobody", max_units=4)
    plans = candidates_of(dispatch, "h200", SIMULATED)[2]
    forced, plain = (compile_candidate(dispatch, "h200", one, plans) for one in (asked, SIMULATED))
    assert forced.files["kernels.mlir"] == plain.files["kernels.mlir"]
