# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured plans and times of the kernels that a persistent one might have, each for its share of the device."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tuning_records import MATMUL, data_base, record

import roller_mlir
from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.scheduled_program import ScheduledProgram, scheduled_program
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.kit.files import open_kit
from roller_mlir.evaluation.measure.tune import dispatches
from roller_mlir.evaluation.measure.tune.candidates import candidates_of
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.plan.files.tuning import TuningRecord
from roller_mlir.plan.plan import Plan
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

BRANCHES = 6
BOUNDED = CompileOptions(binaries=False, bounded=True)
PERSISTENT = CompileOptions(binaries=False, persistent=True)
TARGETS = ("h200", "mi300x")


def branches() -> str:
    """Return a function of products that share the device, and one behind them that has it alone."""
    wide = [f"%b{number}: tensor<96x256xf32>" for number in range(BRANCHES)]
    each = [
        f"""%r{number} = linalg.matmul ins(%a, %b{number} : tensor<64x96xf32>, tensor<96x256xf32>)
    outs(%init : tensor<64x256xf32>) -> tensor<64x256xf32>"""
        for number in range(BRANCHES)
    ]
    results = ["%last", *(f"%r{number}" for number in range(1, BRANCHES))]
    kinds = ", ".join(["tensor<64x256xf32>"] * BRANCHES)
    return f"""func.func @f(%a: tensor<64x96xf32>, %c: tensor<256x256xf32>, {", ".join(wide)}) -> ({kinds}) {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x256xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x256xf32>) -> tensor<64x256xf32>
  {"".join(each)}
  %last = linalg.matmul ins(%r0, %c : tensor<64x256xf32>, tensor<256x256xf32>)
    outs(%init : tensor<64x256xf32>) -> tensor<64x256xf32>
  return {", ".join(results)} : {kinds}
}}"""


SOURCE = Source("-", branches())


@cache
def looked_at(target: str) -> list[Dispatch]:
    """Return the kernels that the function might have in a persistent one."""
    return dispatches_of(SOURCE, target, BOUNDED)


@cache
def ranked(target: str, key: str) -> list[Plan]:
    """Return some plans of one of these."""
    (one,) = (one for one in looked_at(target) if one.key == key)
    return [plans[one.name] for plans in candidates_of(one, target, one.options, 3)]


def predicted_s(target: str, one: Dispatch) -> float:
    """Return what the model expects of the first choice."""
    prediction = ranked(target, one.key)[0].prediction
    assert prediction is not None
    return prediction.seconds


def measured(target: str, one: Dispatch, seconds: float, rank: int = 0) -> TuningRecord:
    """Return a record of it."""
    times = {"measured_s": seconds, "p10_s": 0.98 * seconds, "p90_s": 1.02 * seconds}
    return record(key=one.key, device=target, op=one.title, plan=ranked(target, one.key)[rank], rank=rank, **times)


def scheduled(
    path: Path, target: str, seconds: Callable[[Dispatch], float], options: CompileOptions = PERSISTENT
) -> ScheduledProgram:
    """Return the schedule with a data base that has all kernels."""
    data_base(path, *(measured(target, one, seconds(one)) for one in looked_at(target)))
    return scheduled_program(SOURCE, target, replace(options, tuning=path), compared=True)


@pytest.mark.parametrize("target", TARGETS)
def test_each_kernel_that_is_looked_at_is_a_dispatch(target: str) -> None:
    found = looked_at(target)
    assert len({one.key for one in found}) == len({(one.names, one.kernel) for one in found}) == len(found)
    threads = {one.options.block_threads or one.options.task_threads for one in found}
    assert len(threads) == 3
    shared = [one.options.max_units for one in found if one.names[0] == "matmul_0"]
    assert len(set(shared)) > 3 and None in shared
    assert {one.options.max_units for one in found if one.names == (f"matmul_{BRANCHES}",)} == {None}
    for one in found:
        assert not one.options.for_shares
        (alone,) = dispatches_of(Source("-", one.text), target, one.options)
        assert alone.key == one.key


@pytest.mark.parametrize("second", [(None, 66), (66, None), (66,)])
def test_equal_operators_may_have_different_shares(
    second: tuple[int | None, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each share has one dispatch, which stands for the operators that might get it and no others."""
    given = replace(BOUNDED, block_threads=128)
    shares = ((None,), *((second,) * (BRANCHES - 1)), (None,))
    monkeypatch.setattr(dispatches, "kernels_looked_at", lambda *_: [(given, shares)])
    found = {(one.options.max_units, one.names) for one in dispatches_of(SOURCE, "h200", BOUNDED)}
    others = tuple(f"matmul_{number}" for number in range(1, BRANCHES))
    whole = ("matmul_0", *others) if None in second else ("matmul_0",)
    assert found == {(None, whole), (66, others), (None, (f"matmul_{BRANCHES}",))}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("select", [True, False])
def test_measured_times_go_before_predicted_ones(target: str, select: bool, tmp_path: Path) -> None:
    options = replace(PERSISTENT, select_kernels=select)
    usual = scheduled_program(SOURCE, target, options, compared=True)
    slow = scheduled(tmp_path / "t", target, lambda one: 3 * predicted_s(target, one), options)
    assert slow.virtual.threads == usual.virtual.threads and len(slow.kernels) == len(usual.kernels) == BRANCHES + 1
    for one, other in zip(slow.graph.operators, usual.graph.operators, strict=True):
        assert one.tasks == other.tasks and one.seconds == pytest.approx(3 * (other.seconds or 0.0), rel=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_they_choose_threads_and_shares(target: str, tmp_path: Path) -> None:
    usual = scheduled_program(SOURCE, target, PERSISTENT)
    threads, units = usual.virtual.threads, usual.graph.operators[0].units

    def others_are_quick(one: Dispatch) -> float:
        same = (one.options.block_threads or one.options.task_threads) == threads
        return predicted_s(target, one) * (10 if same else 1)

    found = scheduled(tmp_path / "threads", target, others_are_quick)
    assert found.virtual.threads != threads

    def this_share_is_slow(one: Dispatch) -> float:
        return predicted_s(target, one) * (10 if one.options.max_units == units else 1)

    found = scheduled(tmp_path / "shares", target, this_share_is_slow)
    assert found.graph.operators[0].units != units


@pytest.mark.parametrize("target", TARGETS)
def test_measured_plans_are_in_the_kernel(target: str, tmp_path: Path) -> None:
    path, rank = tmp_path / "t", 2
    data_base(path, *(measured(target, one, predicted_s(target, one), rank) for one in looked_at(target)))
    artifact = roller_mlir.compile(SOURCE.text, target, options=replace(PERSISTENT, tuning=path))
    notes = "\n".join(artifact.manifest.notes)
    assert "has no plan for" not in notes
    assert "2 of 2 bodies have measured plans: matmul_0: plan from" in notes
    values = np.random.default_rng(1)
    shapes = [(64, 96), (256, 256), *[(96, 256)] * BRANCHES]
    inputs = [values.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
    a, c, *b = inputs
    results = artifact.run_reported(*inputs, on="sim").outputs
    for got, right in zip(results, [a @ b[0] @ c, *(a @ one for one in b[1:])], strict=True):
        np.testing.assert_array_equal(got, right)


def test_fewer_blocks_on_a_unit_are_no_other_kernel(tmp_path: Path) -> None:
    path = data_base(tmp_path / "t", *(measured("h200", one, predicted_s("h200", one)) for one in looked_at("h200")))
    options = replace(PERSISTENT, tuning=path, blocks_per_unit=1)
    assert scheduled_program(SOURCE, "h200", options).virtual.per_unit == 1
    assert not any("has no plan" in note for note in roller_mlir.compile(SOURCE.text, options=options).manifest.notes)


def test_a_plan_that_does_not_fit_is_an_error_with_the_line(tmp_path: Path) -> None:
    records = [measured("h200", one, predicted_s("h200", one)) for one in looked_at("h200")]
    wrong = [replace(one, plan=replace(one.plan, max_units=5)) for one in records]
    path = data_base(tmp_path / "t", *wrong)
    with pytest.raises(
        DiagnosedError, match="has a plan for 5 units, but .* were asked for; the plan is from"
    ) as raised:
        scheduled_program(SOURCE, "h200", replace(PERSISTENT, tuning=path))
    assert raised.value.diagnostics[0].place is not None


def test_the_kit_has_each_kernel_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "m.mlir"
    source.write_text(MATMUL)
    command = ["tune", str(source), "--bounded", "--top-k", "1", "--jobs", "1", "--pack", str(tmp_path / "KIT")]
    assert main(command) == 0
    with open_kit(tmp_path / "KIT") as files:
        ids, keys = ([getattr(item, name) for item in files.kit.items] for name in ("id", "key"))
    expected = dispatches_of(Source("-", MATMUL), "h200", CompileOptions(bounded=True))
    assert sorted(ids) == sorted(f"m/matmul_0/{one.kernel}" for one in expected)
    assert sorted(keys) == sorted(one.key for one in expected) and len(set(keys)) == len(keys)
    capsys.readouterr()
    assert main(["tune", "roller119", "--bounded", "--pack", str(tmp_path / "B")]) == 2
    assert "--bounded goes with a file of MLIR" in capsys.readouterr().err
