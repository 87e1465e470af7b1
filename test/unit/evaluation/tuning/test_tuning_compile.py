# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compilation with a tuning data base takes measured plans, says so, and refuses what does not fit."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tuning_records import DIVIDED, EXAMPLES, MATMUL, SIMULATED, data_base, dispatch_of, plans_of, record, record_of

import roller_mlir
from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.targets.stage import KERNELS, PLANNED
from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

NOTE = "12 us measured 2026-11-21 on a device of the tests (driver 0.0), model's own choice 14 us, rank 3 of 10"


def tuned(text: str, path: Path, target: str = "h200", **options: object) -> Artifact:
    """Compiles a text with a data base."""
    return roller_mlir.compile(text, target, options=CompileOptions(binaries=False, tuning=path, **options))  # type: ignore[arg-type]


def test_a_measured_plan_is_taken_and_said(tmp_path: Path) -> None:
    path = data_base(tmp_path / "t.jsonl", record(key="0" * 32), record_of(MATMUL, 3))
    artifact = tuned(MATMUL, path)
    assert [kernel.plan for kernel in artifact.kernels] == [plans_of(MATMUL)[3]] != [plans_of(MATMUL)[0]]
    assert artifact.kernels[0].notes == (f"kernel 'f_matmul_0': plan from {path}:2: {NOTE}",)
    assert artifact.kernels[0].plan is not None
    assert artifact.kernels[0].plan.prediction is not None


def test_what_was_not_measured_is_constructed(tmp_path: Path) -> None:
    path = data_base(tmp_path / "t.jsonl", record_of(MATMUL, 3))
    with_data, without = tuned(DIVIDED, path), roller_mlir.compile(DIVIDED, "h200", options=SIMULATED)
    assert with_data.files["kernels.mlir"] == without.files["kernels.mlir"]
    assert all(kernel.notes == () for kernel in with_data.kernels)
    said = f"remark: tuning {path} has no plan for 1 of 1 programs, which the model plans: matmul_0"
    assert with_data.manifest.notes == (said,)
    assert tuned(MATMUL, path).manifest.notes == ()
    assert [kernel.plan for kernel in tuned(MATMUL, path, "h100").kernels] == [plans_of(MATMUL, "h100")[0]]


def test_both_stages_of_a_divided_reduction_are_from_there(tmp_path: Path) -> None:
    rank = next(rank for rank, plan in enumerate(plans_of(DIVIDED)) if rank and plan.split is not None)
    joined = plans_of(DIVIDED)[rank].launches == 1
    path = data_base(tmp_path / "t.jsonl", record_of(DIVIDED, rank))
    artifact = tuned(DIVIDED, path)
    assert [name for kernel in artifact.kernels for name in kernel.plans()] == ["matmul_0", "matmul_0_join"]
    assert len(artifact.kernels) == (1 if joined else 2)
    assert all(f"plan from {path}:1: 12 us for both stages measured" in kernel.notes[0] for kernel in artifact.kernels)


def test_joined_ops_and_each_place_of_an_operator(tmp_path: Path) -> None:
    from roller_mlir.evaluation.measure.tune.candidates import candidates_of
    from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of

    text = (EXAMPLES / "encoder_layer.mlir").read_text()
    dispatches = dispatches_of(Source("-", text), "h200", SIMULATED)
    records = [
        record(key=dispatch.key, plan=candidates_of(dispatch, "h200", SIMULATED, 3)[-1][dispatch.name])
        for dispatch in dispatches[:2]
    ]
    artifact = tuned(text, data_base(tmp_path / "t.jsonl", *records))
    tuned_kernels = [kernel for kernel in artifact.kernels if any("plan from" in one for one in kernel.notes)]
    plans = {kernel.program: kernel.plan for kernel in tuned_kernels}
    # Equal operators are one kernel, which has the name of the first.
    names = [[name for name in dispatch.names if name in plans] for dispatch in dispatches[:2]]
    assert all(names) and set(plans) == {name for own in names for name in own}
    assert all(plans[name] == one.plan for own, one in zip(names, records, strict=True) for name in own)


def test_the_fastest_of_a_key_is_taken(tmp_path: Path) -> None:
    slow, fast = record_of(MATMUL, 2, measured_s=1.22e-5), record_of(MATMUL, 4, measured_s=1.21e-5)
    assert [kernel.plan for kernel in tuned(MATMUL, data_base(tmp_path / "t", slow, fast)).kernels] == [fast.plan]


def test_planned_ir_keeps_where_its_plan_is_from(tmp_path: Path) -> None:
    path = data_base(tmp_path / "t.jsonl", record_of(MATMUL, 3))
    planned, _ = lower_until(Source("-", MATMUL), "h200", replace(SIMULATED, tuning=path), PLANNED)
    assert 'rtile.tuned = "plan from' in planned
    kernels, _ = lower_until(Source("-", planned), "h200", SIMULATED, KERNELS)
    for text in (planned, kernels):
        artifact = roller_mlir.compile(text, "h200", options=SIMULATED)
        assert NOTE in artifact.kernels[0].notes[0]
    with pytest.raises(DiagnosedError, match=r"tuning: the module is planned already"):
        tuned(planned, path)


def misfit(plan: Plan) -> Plan:
    """Return a plan that needs far too much workgroup memory."""
    return replace(plan, axes=tuple(replace(axis, block=axis.block * 64) for axis in plan.axes))


@pytest.mark.parametrize(
    ("place", "sizes", "message"),
    [
        (("axes", 0), {"block": 1 << 31}, r"plan.axes\[0\].block: expected an integer of at most 1048576, but got"),
        ((), {"tasks_per_unit": 1 << 70}, "plan.tasks_per_unit: expected an integer of at most 1048576, but got"),
        (
            ("operands", 0),
            {"vector": 1 << 31},
            r"plan.operands\[0\].vector: expected an integer in 1 to 128, but got",
        ),
        (("operands", 0), {"pad": 1 << 31}, r"plan.operands\[0\].pad: expected an integer of at most 1048576, but got"),
    ],
)
def test_a_plan_out_of_range_is_an_error_with_the_line(
    tmp_path: Path, place: tuple[Any, ...], sizes: dict[str, int], message: str
) -> None:
    line: Any = to_json(record_of(MATMUL, 3))
    changed = line["plan"]
    for key in place:
        changed = changed[key]
    changed.update(sizes)
    path = tmp_path / "t.jsonl"
    path.write_text(f"{json.dumps(line)}\n")
    with pytest.raises(DiagnosedError, match=rf"t.jsonl:1:\d+: {message}.*; correct the line or delete it"):
        tuned(MATMUL, path)


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (lambda: plans_of(DIVIDED)[0], "cannot divide loop|has a plan|cannot take its plan"),
        (lambda: misfit(plans_of(MATMUL)[3]), "'linalg.matmul' "),
        (lambda: replace(plans_of(MATMUL)[3], max_units=4), "has a plan for 4 units, but all units were asked for"),
        (lambda: replace(plans_of(MATMUL)[3], instruction="mma"), "has a plan with instruction 'mma', which is not"),
    ],
)
def test_a_plan_that_does_not_fit_is_an_error_with_the_line(tmp_path: Path, plan: object, message: str) -> None:
    given: Plan = plan()  # type: ignore[operator]
    path = data_base(tmp_path / "t.jsonl", record(key="0" * 32), record_of(MATMUL, plan=given))
    with pytest.raises(DiagnosedError, match=message) as raised:
        tuned(MATMUL, path)
    assert f"the plan is from {path}:2; delete that line, or leave out tuning" in str(raised.value)
    assert raised.value.diagnostics[0].place is not None


def test_a_plan_that_rounds_to_tf32_is_only_for_who_allows_it(tmp_path: Path) -> None:
    text = MATMUL.replace("64", "256").replace("96", "256").replace("32>", "256>").replace("x32x", "x256x")
    text = text.replace("xf256", "xf32")
    allowed = CompileOptions(binaries=False, allow_tf32=True)
    rounding = next(plan for plan in plans_of(text, "h200", allowed) if plan.atom is not None)
    own = record(key=dispatch_of(text, "h200", allowed).key, plan=rounding)
    path = data_base(tmp_path / "t.jsonl", own)
    assert [kernel.plan for kernel in tuned(text, path, allow_tf32=True).kernels][:1] != []
    assert any("plan from" in note for kernel in tuned(text, path, allow_tf32=True).kernels for note in kernel.notes)
    assert not any("plan from" in note for kernel in tuned(text, path).kernels for note in kernel.notes)
    forged = data_base(tmp_path / "forged.jsonl", replace(own, key=dispatch_of(text).key))
    with pytest.raises(DiagnosedError, match=r"has a plan with instruction '.*' of shape .*, which is not among those"):
        tuned(text, forged)


def test_it_goes_without_forced_plans(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, source = data_base(tmp_path / "t.jsonl", record_of(MATMUL)), tmp_path / "m.mlir"
    source.write_text(MATMUL)
    for given in (["--stages", "2"], ["--tile-sizes", "8,8,8"], ["--thread-tile", "2,2,1"], ["--plan-file", "p.json"]):
        assert main(["compile", str(source), "--tuning", str(path), *given]) == 2
        assert "tuning holds whole plans and goes without a user schedule, but got" in capsys.readouterr().err


def test_a_data_base_that_cannot_be_read_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, path = tmp_path / "m.mlir", tmp_path / "t.jsonl"
    source.write_text(MATMUL)
    for command in (["compile", "--emit", "plan"], ["explain"], ["run", "--random"]):
        assert main([*command, str(source), "--tuning", str(tmp_path / "missing")]) == 1
        assert f"error: tuning {tmp_path}/missing: no such file or directory" in capsys.readouterr().err
    path.write_text(f"{record().line()}\n{{\n")
    assert main(["compile", str(source), "--tuning", str(path)]) == 1
    assert f"error: tuning {path}:2:2: no JSON object" in capsys.readouterr().err


def test_explain_tells_what_the_compiler_takes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, path = tmp_path / "m.mlir", data_base(tmp_path / "t.jsonl", record_of(MATMUL))
    source.write_text(MATMUL)
    assert main(["explain", str(source), "--tuning", str(path)]) == 0
    assert f"function f; the compiler takes a plan from {path}:1: {NOTE}" in capsys.readouterr().out
    assert main(["explain", str(source), "--tuning", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["tuned"] == f"plan from {path}:1: {NOTE}"
    assert main(["explain", str(source), "--tuning", str(path), "--no-split", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["tuned"] is None
    assert main(["explain", str(source), "--json"]) == 0
    assert "tuned" not in json.loads(capsys.readouterr().out)[0]


def test_the_compile_cache_knows_the_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_CACHE", "1")
    monkeypatch.setenv("ROLLER_CACHE_DIR", str(tmp_path / "cache"))
    path = data_base(tmp_path / "t.jsonl", record_of(MATMUL, 3))

    def phase() -> list[str]:
        return [name for name in tuned(MATMUL, path).manifest.phases_s if name.startswith("cache: ")]

    assert "cache: missed" in phase()
    assert phase() == ["cache: artifact"]
    data_base(path, record_of(MATMUL, 4))
    assert "cache: missed" in phase()
    assert [kernel.plan for kernel in tuned(MATMUL, path).kernels] == [plans_of(MATMUL)[4]]
    moved = path.rename(tmp_path / "moved.jsonl")
    assert f"plan from {moved}:1" in tuned(MATMUL, moved).kernels[0].notes[0]
