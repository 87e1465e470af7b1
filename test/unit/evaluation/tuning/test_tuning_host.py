# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller tune --target host`: candidates run on this machine, of models with constant weights, too.

Which candidate is the fastest depends on the machine and its load, so nothing here asks for a certain one.
"""

import ctypes
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tuning_records import MATMUL, SIMULATED, data_base, dispatch_of, record
from tuning_results import item_of, results_of

import roller_mlir
from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.measured_device import other_device
from roller_mlir.evaluation.measure.records import MeasuredMachine
from roller_mlir.evaluation.measure.runner.devices import open_device
from roller_mlir.evaluation.measure.runner.host_bench import HostBench
from roller_mlir.evaluation.measure.tune.candidates import candidates_of, compile_candidate
from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of
from roller_mlir.evaluation.measure.tune.winners import TuneError, decide_all
from roller_mlir.hal import find_device
from roller_mlir.hal.host import measured_as
from roller_mlir.plan.files.tuning import read_tuning
from roller_mlir.plan.plan import CONSTANT
from roller_mlir.runtime.errors import BackendError
from roller_mlir.support.foreign.cpuinfo import processor_name
from roller_mlir.tools.roller import main

Captured = pytest.CaptureFixture[str]
WINDOW = """func.func @f(%x: tensor<1x9x9x16xf32>{argument}) -> tensor<1x7x7x32xf32> {{
  %zero = arith.constant 0.0 : f32
{constant}  %e = tensor.empty() : tensor<1x7x7x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  %r = linalg.conv_2d_nhwc_hwcf ins(%x, %w : tensor<1x9x9x16xf32>, tensor<3x3x16x32xf32>)
    outs(%i : tensor<1x7x7x32xf32>) -> tensor<1x7x7x32xf32>
  return %r : tensor<1x7x7x32xf32>
}}
"""
GIVEN = WINDOW.format(argument=", %w: tensor<3x3x16x32xf32>", constant="")


def constant_window() -> str:
    """Return the window with a filter of random numbers as a constant."""
    weights = np.random.default_rng(0).standard_normal((3, 3, 16, 32), np.float32)
    data = (64).to_bytes(4, "little").hex() + weights.tobytes().hex()
    text = WINDOW.format(argument="", constant="  %w = arith.constant dense_resource<w> : tensor<3x3x16x32xf32>\n")
    return f'{text}{{-# dialect_resources: {{ builtin: {{ w: "0x{data}" }} }} #-}}\n'


def test_candidates_are_measured_here_and_the_winner_is_compiled(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(MATMUL)
    assert main(["tune", "m.mlir", "--target", "host", "--measure", "--top-k", "2", "--json"]) == 0
    (decided,) = json.loads(capfd.readouterr().out)
    assert decided["data_base"] == "new"
    ((key, found),) = read_tuning("tuning.jsonl").items()
    one = found.record
    assert key == dispatch_of(MATMUL, "host").key
    assert (one.device, one.machine, one.of) == ("host", processor_name(), 2)
    assert one.driver.startswith("Linux ")
    assert "thread" in one.driver
    assert 0 < one.p10_s <= one.measured_s <= one.p90_s
    artifact = roller_mlir.compile(MATMUL, "host", options=replace(SIMULATED, tuning="tuning.jsonl"))
    (kernel,) = artifact.kernels
    assert kernel.plan == one.plan
    assert "measured" in kernel.notes[0]


def test_constant_weights_are_constants_where_they_are_measured() -> None:
    text = constant_window()
    (dispatch,), (given,) = (dispatches_of(Source("-", one), "host", SIMULATED) for one in (text, GIVEN))
    assert dispatch.constants == (1,)
    assert (dispatch.options.fusion, given.options.fusion) == (False, True)
    assert dispatch.key != given.key, "a plan for packed weights is none for weights that are arguments"
    assert "dense_resource" in dispatch.text
    assert "dense_resource" not in given.text
    # What is compiled alone is the same dispatch as in its function, with the same key and candidates.
    (again,) = dispatches_of(Source("-", dispatch.text), "host", dispatch.options)
    assert (again.key, again.expression, again.constants) == (dispatch.key, dispatch.expression, dispatch.constants)
    ahead = [
        plans
        for plans in candidates_of(dispatch, "host", dispatch.options, 8)
        if any(operand.layer == CONSTANT for plan in plans.values() for operand in plan.operands)
    ]
    assert ahead, "some candidate has the filter packed when it is compiled"
    artifact = compile_candidate(dispatch, "host", dispatch.options, ahead[0])
    assert len(artifact.manifest.inputs) == 1
    assert not any(
        operand.layer == CONSTANT
        for plans in candidates_of(given, "host", given.options, 8)
        for plan in plans.values()
        for operand in plan.operands
    )


def test_gpus_measure_weights_as_arguments() -> None:
    one, other = (dispatches_of(Source("-", text), "h200", SIMULATED)[0] for text in (constant_window(), GIVEN))
    assert one.constants == ()
    assert one.key == other.key
    assert "dense_resource" not in one.text


@pytest.mark.full(every=2)
def test_a_kit_of_constants_runs_without_the_package(tmp_path: Path, capsys: Captured) -> None:
    source, kit = tmp_path / "w.mlir", tmp_path / "kit"
    source.write_text(constant_window())
    assert main(["tune", str(source), "--target", "host", "--top-k", "3", "--pack", str(kit)]) == 0
    assert "1 operators, 3 candidates" in capsys.readouterr().out
    command = [sys.executable, "-I", str(kit / "run.py"), "-o", "results", "--phases", "topk", "--peers", "none"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 of 3 results are right" in done.stdout
    assert "wall times with warm caches" in done.stdout
    results = json.loads((tmp_path / "results" / "results.json").read_text())
    notes = {one["note"] for one in results["timings"]}
    assert notes <= {"top-k", "top-k; again"}, "no time is called warm beside others that are none"
    base = str(tmp_path / "t.jsonl")
    assert main(["tune", "--target", "host", "--import", str(tmp_path / "results"), "--db", base]) == 0
    assert main(["tune", "--target", "host-avx2", "--import", str(tmp_path / "results"), "--db", base]) == 1
    capsys.readouterr()
    artifact = roller_mlir.compile(constant_window(), "host", options=CompileOptions(tuning=base))
    assert "measured" in artifact.kernels[0].notes[0]
    assert main(["explain", str(source), "--target", "host", "--tuning", base]) == 0
    assert "the compiler takes a plan from" in capsys.readouterr().out
    x = np.random.default_rng(1).standard_normal((1, 9, 9, 16), np.float32)
    plain = roller_mlir.compile(constant_window(), "host")
    np.testing.assert_allclose(artifact.run(x)[0], plain.run(x)[0], rtol=1e-4, atol=1e-4)
    # Weights that are arguments have another key: no measured plan is there.
    untuned = roller_mlir.compile(GIVEN, "host", options=CompileOptions(tuning=base))
    assert not any("measured" in note and "plan from" in note for kernel in untuned.kernels for note in kernel.notes)


def test_another_machine_is_refused(tmp_path: Path, capsys: Captured) -> None:
    path = tmp_path / "m.mlir"
    path.write_text(MATMUL)
    assert main(["tune", str(path), "--target", "neoverse-v1", "--measure"]) == 1
    assert "--measure needs neoverse-v1 in this machine" in capsys.readouterr().err
    host = find_device("host")
    here = open_device("cpu").machine()
    assert other_device(here, host) == ""
    elsewhere = replace(here, device="A Processor of 1999")
    assert "A Processor of 1999" in other_device(elsewhere, host)
    results = results_of(item_of(MATMUL, 2), (1e-5, 2e-5), machine=elsewhere)
    results = replace(results, kit=replace(results.kit, target="host", vendor="cpu"))
    with pytest.raises(TuneError, match="A Processor of 1999"):
        decide_all(results, host)


def test_plans_of_one_machine_are_not_those_of_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    host = find_device("host")
    key = dispatch_of(MATMUL, "host").key
    assert measured_as(host) != "host"
    assert measured_as(find_device("h200")) == "h200"
    monkeypatch.setattr("roller_mlir.evaluation.measure.tune.dispatches.measured_as", lambda _: "host-of-elsewhere")
    (elsewhere,) = dispatches_of(Source("-", MATMUL), "host", SIMULATED)
    assert elsewhere.key != key
    (plans, *_) = candidates_of(elsewhere, "host", SIMULATED, 1)
    (plan,) = plans.values()
    path = data_base(tmp_path / "t.jsonl", record(key=elsewhere.key, device="host", plan=plan))
    artifact = roller_mlir.compile(MATMUL, "host", options=replace(SIMULATED, tuning=path))
    assert not any("plan from" in note for kernel in artifact.kernels for note in kernel.notes)


def test_the_bench_times_in_rounds_and_has_one_device() -> None:
    bench, said = HostBench(), list[str]()
    calls = {name: (lambda name=name: said.append(name)) for name in ("one", "two")}
    taken = bench.time(calls, samples=4, limit_s=None)
    assert [len(one.seconds) for one in taken.values()] == [4, 4]
    assert all(second > 0 for one in taken.values() for second in one.seconds)
    assert set(said) == {"one", "two"}
    assert [len(one.seconds) for one in bench.time(calls, samples=9, limit_s=0.0).values()] == [1, 1]
    with pytest.raises(BackendError, match="leave out --device 1"):
        open_device("cpu", 1)


def test_poison_fills_results_and_what_is_in_between() -> None:
    divided = roller_mlir.compile(MATMUL.replace("64x", "2x").replace("x32x", "x4x").replace("96", "65536"), "host")
    assert divided.manifest.workspace_bytes, "its reduction is divided, and the parts lie in between"
    bench = HostBench()
    a = np.random.default_rng(0).standard_normal((2, 65536), np.float32)
    b = np.random.default_rng(1).standard_normal((65536, 4), np.float32)
    loaded = bench.load(divided)
    run = loaded.prepare([bench.place(a), bench.place(b)])
    for byte in (0xFF, 0x7F):
        loaded.poison(byte)
        memory = loaded._program._loaded.workspace
        assert memory is not None
        assert set(ctypes.string_at(memory.address, memory.size_bytes)) == {byte}
        assert (bench.host(loaded.outputs()[0]) == byte).all()
        run()
        np.testing.assert_allclose(loaded.outputs()[0], a.astype(np.float64) @ b, rtol=1e-3, atol=1e-1)


def test_placed_arrays_lie_where_kernels_read_them() -> None:
    bench = HostBench()
    odd = np.arange(65, dtype=np.float32)[1:]
    placed = bench.place(odd)
    assert placed.ctypes.data % 64 == 0
    assert (placed == odd).all()
    assert bench.place(placed) is placed or np.shares_memory(bench.place(placed), placed)
    assert bench.place(np.float32(3).reshape(())).shape == ()
    assert bench.place(np.empty((0, 4), np.float32)).shape == (0, 4)


def test_a_machine_says_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_NUM_THREADS", "1")
    machine: MeasuredMachine = HostBench().machine()
    assert machine.facts["threads"] == 1
    assert machine.driver.endswith(", 1 thread")
    assert machine.facts["caches"] == "warm"
    assert not HostBench.clears_caches


def test_positions_that_are_constants_keep_their_numbers() -> None:
    """Rows of a table at constant positions: other numbers would read beside it."""
    text = """func.func @f(%table: tensor<5x16xf32>) -> tensor<3x16xf32> {
      %at = arith.constant dense<[4, 0, 3]> : tensor<3xi64>
      %e = tensor.empty() : tensor<3x16xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                           iterator_types = ["parallel", "parallel"]}
          ins(%at : tensor<3xi64>) outs(%e : tensor<3x16xf32>) {
      ^bb0(%row: i64, %unused: f32):
        %i = arith.index_cast %row : i64 to index
        %j = linalg.index 1 : index
        %x = tensor.extract %table[%i, %j] : tensor<5x16xf32>
        linalg.yield %x : f32
      } -> tensor<3x16xf32>
      return %r : tensor<3x16xf32>
    }
    """
    (dispatch,) = dispatches_of(Source("-", text), "host", SIMULATED)
    artifact = roller_mlir.compile(dispatch.text, "host")
    table = np.random.default_rng(0).standard_normal((5, 16), np.float32)
    (given,) = (one for one in artifact.manifest.buffers if one.role == "input")
    (rows,) = artifact.run(table.reshape(given.static_shape))
    np.testing.assert_array_equal(rows.reshape(3, 16), table[[4, 0, 3]])


def padded(text: str) -> str:
    """Return a window of a text with an image of 7 x 7 that is padded to 9 x 9."""
    image = """  %zero = arith.constant 0.0 : f32
  %x = tensor.pad %image low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  } : tensor<1x7x7x16xf32> to tensor<1x9x9x16xf32>
"""
    found = text.replace("%x: tensor<1x9x9x16xf32>", "%image: tensor<1x7x7x16xf32>")
    return found.replace("  %zero = arith.constant 0.0 : f32\n", image)


def test_products_on_padding_are_left_out_of_what_is_measured(tmp_path: Path) -> None:
    """A finite filter makes them nothing: its candidates, measured alone, and the tuned plan leave them out."""
    text = padded(constant_window())
    (dispatch,) = dispatches_of(Source("-", text), "host", SIMULATED)
    assert (dispatch.constants, dispatch.finite) == ((1,), (1,))
    ranked = candidates_of(dispatch, "host", dispatch.options, 3)
    (plan,) = ranked[-1].values()
    assert plan.skips == (0,)
    x = np.random.default_rng(1).standard_normal((1, 7, 7, 16), np.float32)
    path = data_base(tmp_path / "t.jsonl", record(key=dispatch.key, device="host", plan=plan))
    tuned = roller_mlir.compile(text, "host", options=CompileOptions(tuning=path))
    assert any("plan from" in note for kernel in tuned.kernels for note in kernel.notes)
    np.testing.assert_allclose(tuned.run(x)[0], roller_mlir.compile(text, "host").run(x)[0], rtol=1e-4, atol=1e-4)


def test_what_is_measured_alone_keeps_its_layout() -> None:
    """A window whose channels are brought last, for its filter is constant: alone it would be looked at once more."""
    shape = "64x64x1x7"
    weights = np.random.default_rng(0).standard_normal((64, 64, 1, 7), np.float32)
    data = (64).to_bytes(4, "little").hex() + weights.tobytes().hex()
    text = f"""func.func @f(%x: tensor<1x64x17x23xf32>) -> tensor<1x64x17x17xf32> {{
      %zero = arith.constant 0.0 : f32
      %w = arith.constant dense_resource<w> : tensor<{shape}xf32>
      %e = tensor.empty() : tensor<1x64x17x17xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64x17x17xf32>) -> tensor<1x64x17x17xf32>
      %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x64x17x23xf32>, tensor<{shape}xf32>)
        outs(%i : tensor<1x64x17x17xf32>) -> tensor<1x64x17x17xf32>
      return %r : tensor<1x64x17x17xf32>
    }}
    {{-# dialect_resources: {{ builtin: {{ w: "0x{data}" }} }} #-}}
    """
    for target in ("host", "zen5", "haswell"):
        for one in dispatches_of(Source("-", text), target, SIMULATED):
            (alone,) = dispatches_of(Source("-", one.text), target, one.options)
            assert (alone.key, alone.expression) == (one.key, one.expression)
