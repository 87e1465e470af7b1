# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of probes become a calibration file that loads and changes predictions; what makes no sense is left out."""

import math
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from calibration_results import FIXED_S, LATENCIES, changed, faster, results_of

from roller_mlir.evaluation.measure.calibration.constants import constants
from roller_mlir.evaluation.measure.calibration.figures import Figure, figures
from roller_mlir.evaluation.measure.calibration.file import CalibrationError, calibration_toml
from roller_mlir.evaluation.measure.calibration.table import calibration_tables
from roller_mlir.evaluation.measure.records import Results, Trouble
from roller_mlir.hal import find_device
from roller_mlir.hal.files.calibration import parse_calibration
from roller_mlir.model.machine import machine_of
from roller_mlir.plan.records.codec import to_text
from roller_mlir.tools.roller import main

RESULTS = results_of()
H200 = find_device("h200")


def figure_of(results: Results, name: str) -> Figure:
    return next(one for one in figures(results) if one.probe.name == name)


def problems(results: Results) -> dict[str, str]:
    return {one.name: one.problem for one in constants(H200, figures(results)) if one.problem}


def test_fixed_costs_are_subtracted() -> None:
    assert FIXED_S > 0
    assert figure_of(RESULTS, "read/1GiB").value == pytest.approx(0.9 * 4.8e12)
    assert figure_of(RESULTS, "chase/256MiB").value == pytest.approx(LATENCIES["global"])
    assert figure_of(RESULTS, "launch").value == pytest.approx(2e-6)
    assert figure_of(RESULTS, "barrier").value == pytest.approx(1.5e-6)
    assert figure_of(RESULTS, "clock").value == pytest.approx(1.98e9)
    assert not [one.problem for one in figures(RESULTS) if one.problem]


def test_toml_loads_and_changes_what_the_model_sees() -> None:
    text = calibration_toml(RESULTS, H200)
    device = parse_calibration(H200, text, file="lab.toml")
    assert device.layer("global").sustained_bandwidth_bytes_per_s == pytest.approx(4.32e12)
    assert device.layer("workgroup").latency_s == pytest.approx(1.6e-8)
    assert device.layer("l2").latency_s == pytest.approx(1.5e-7)
    assert device.launch_latency_s == pytest.approx(2e-6)
    assert device.instruction("fma").flops_per_cycle_per_unit == 230
    assert device.instruction("wgmma.mma_async.m64k16", "f16", "f32").flops_per_cycle_per_unit == 3686
    l2 = device.layer("l2").sustained_bandwidth_bytes_per_s
    assert l2 is not None and device.model.atomic_cost == pytest.approx(l2 / 4e12, rel=1e-4)
    before, after = machine_of(H200), machine_of(device)
    assert before.global_bytes_per_s == 4.8e12 and after.global_bytes_per_s == pytest.approx(4.32e12)
    assert after.launch_s == pytest.approx(2e-6) and after.cache_bytes_per_s != before.cache_bytes_per_s


def test_every_value_has_its_source() -> None:
    text = calibration_toml(RESULTS, H200)
    source = tomllib.loads(text)["layers"]["global"]["sustained_bandwidth_bytes_per_s"]["source"]
    assert source == "roller kit, probe read/1GiB, NVIDIA H200, driver 580.95, 2026-11-21"
    fma = next(one for one in tomllib.loads(text)["instructions"] if one["operand_type"] == "f64")
    assert "flop/s / 132 units / 1.98 GHz" in fma["flops_per_cycle_per_unit"]["source"]
    assert "python kit/run.py" in text


def test_of_several_sizes_the_largest_that_a_layer_holds_counts() -> None:
    found = {one.name: one.figure.probe.name for one in constants(H200, figures(RESULTS))}
    assert found["layers.global.sustained_bandwidth_bytes_per_s"] == "read/1GiB"
    assert found["layers.l2.sustained_bandwidth_bytes_per_s"] == "read/16MiB"
    assert found["layers.workgroup.sustained_bandwidth_bytes_per_s"] == "read/workgroup"
    assert not any(name.startswith("layers.l1") for name in found)


@pytest.mark.parametrize("name", ["a100-80", "v100", "rtx4090", "mi300x", "mi210", "k80"])
def test_other_devices(name: str) -> None:
    device = find_device(name)
    known = {layer.name for layer in device.layers}
    LATENCIES.setdefault("l3", 3e-7)
    text = calibration_toml(results_of(name), device)
    calibrated = parse_calibration(device, text, file="lab.toml")
    assert calibrated.overrides and set(tomllib.loads(text)["layers"]) <= known
    assert {"global", "workgroup", "l2"} <= set(tomllib.loads(text)["layers"])


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"median_s": 0.0}, "cannot be"),
        ({"median_s": -1e-3}, "cannot be"),
        ({"median_s": math.nan}, "cannot be"),
        ({"p90_s": math.inf}, "cannot be"),
        ({"p10_s": 1.0, "p90_s": 0.5}, "cannot be"),
        ({"median_s": 1e-6, "p10_s": 1e-6, "p90_s": 1e-6}, "less or no more than"),
        ({"p90_s": 1.0}, "spread over"),
    ],
)
def test_nonsense_is_refused_by_name(values: dict[str, float], said: str) -> None:
    results = changed(RESULTS, "read/1GiB", **values)
    one = figure_of(results, "read/1GiB")
    assert one.value is None and said in one.problem
    text = calibration_toml(results, H200)
    # The next smaller size takes its place.
    assert "probe read/512MiB" in text and "probe read/1GiB" not in text
    (table, _) = calibration_tables(results, H200)
    assert any(row[0] == "read/1GiB" and said in row[-1] for row in table.rows)


def test_what_was_not_timed_says_why() -> None:
    left = tuple(one for one in RESULTS.timings if one.item != "launch/base")
    assert "'launch/base' was not timed" in figure_of(replace(RESULTS, timings=left), "launch").problem
    trouble = Trouble(item="launch/base", who="probe", message="the kernel is wrong: 1 of 1 numbers")
    told = replace(RESULTS, timings=left, troubles=(trouble,))
    assert figure_of(told, "launch").problem == "the kernel is wrong: 1 of 1 numbers"
    assert "launch_latency_s" not in calibration_toml(told, H200)


def test_a_baseline_that_is_missing_or_as_long() -> None:
    probes = tuple(one for one in RESULTS.kit.probes if one.name != "clock/base")
    results = replace(RESULTS, kit=replace(RESULTS.kit, probes=probes))
    assert "is not in the kit" in figure_of(results, "clock").problem
    probes = tuple(replace(one, work=2e7) if one.name == "clock/base" else one for one in RESULTS.kit.probes)
    results = replace(RESULTS, kit=replace(RESULTS.kit, probes=probes))
    assert "does not do less work" in figure_of(results, "clock").problem
    probes = tuple(replace(one, quantity="joy") if one.name == "clock" else one for one in RESULTS.kit.probes)
    results = replace(RESULTS, kit=replace(RESULTS.kit, probes=probes))
    assert "'joy' is none of" in figure_of(results, "clock").problem


def test_rates_above_the_documented_peak_are_left_out() -> None:
    results = faster(RESULTS, "read/1GiB", 1.3)
    found = problems(results)["layers.global.sustained_bandwidth_bytes_per_s"]
    assert "17% above the documented peak of 4.8e+12 B/s" in found
    assert "layers.global]" in calibration_toml(results, H200)  # its latency is believed
    assert "probe read/1GiB" not in calibration_toml(results, H200)
    results = faster(RESULTS, "peak/fma/f32", 1.5)
    assert "above the documented peak" in problems(results)["instructions.fma.f32.f32.flops_per_cycle_per_unit"]


def test_a_little_above_the_peak_raises_the_peak() -> None:
    device = parse_calibration(H200, calibration_toml(faster(RESULTS, "read/1GiB", 1.15), H200), file="lab.toml")
    layer = device.layer("global")
    assert layer.bandwidth_bytes_per_s == layer.sustained_bandwidth_bytes_per_s == pytest.approx(4.968e12)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("chase/256MiB", "layers.global.latency_s"),
        ("launch", "launch_latency_s"),
        ("clock", "clock_hz"),
        ("peak/fma/f64", "instructions.fma.f64.f64.flops_per_cycle_per_unit"),
        ("atomics/f32/own-addresses", "model.atomic_cost"),
    ],
)
def test_what_is_far_off_is_left_out(name: str, key: str) -> None:
    results = faster(RESULTS, name, 1 / 50)
    assert "times off the documented" in problems(results)[key]
    assert f"probe {name}," not in calibration_toml(results, H200)


def test_a_slower_clock_moves_what_is_stated_in_cycles() -> None:
    results = faster(RESULTS, "clock", 0.8)
    device = parse_calibration(H200, calibration_toml(results, H200), file="lab.toml")
    assert device.clock_hz == pytest.approx(0.8 * 1.98e9)
    # 0.9 of the peak at the full clock is more than the peak at 0.8 of it: the peak follows.
    assert device.layer("workgroup").bandwidth_bytes_per_s == pytest.approx(0.9 * 132 * 128 * 1.98e9, rel=0.2)
    # What an instruction reaches is 13 % above its peak at that clock, which nobody believes.
    assert "above the documented peak" in problems(results)["instructions.fma.f32.f32.flops_per_cycle_per_unit"]


def test_matrix_units_have_one_peak() -> None:
    """What is documented of mma.sync on Hopper is a measurement: 20 % more is no miracle, 80 % more is."""
    name, key = "peak/mma.sync.m16n8k16/f16/f32", "instructions.mma.sync.m16n8k16.f16.f32.flops_per_cycle_per_unit"
    assert key not in problems(faster(RESULTS, name, 1.2 / 0.9))
    assert "above the documented peak" in problems(faster(RESULTS, name, 1.8 / 0.9))[key]


@pytest.mark.parametrize("factor", [1 / 0.9, 1 / 0.900004, 1 / 0.899996, 1.0])
def test_digits_do_not_lift_a_rate_above_its_peak(factor: float) -> None:
    results = RESULTS
    for name in ("read/1GiB", "read/workgroup", "read/16MiB", "clock"):
        results = faster(results, name, 0.97 * factor if name == "clock" else factor)
    layers = parse_calibration(H200, calibration_toml(results, H200), file="lab.toml").layers
    assert all((one.sustained_bandwidth_bytes_per_s or 0) <= (one.bandwidth_bytes_per_s or math.inf) for one in layers)


def test_results_of_another_device_are_refused() -> None:
    with pytest.raises(CalibrationError, match="kit for 'h200', but the device is 'a100-80'"):
        calibration_toml(RESULTS, find_device("a100-80"))
    with pytest.raises(CalibrationError, match=r"with 114 units \('NVIDIA H100 PCIe'\), but 'h200' has 132"):
        calibration_toml(results_of(device="NVIDIA H100 PCIe", facts={"units": 114}), H200)
    with pytest.raises(CalibrationError, match=r"with 85\.0 GB of memory \('NVIDIA H100'\), but 'h200' has 151\.4 GB"):
        calibration_toml(results_of(device="NVIDIA H100", facts={"units": 132, "memory_bytes": 85_017_493_504}), H200)


def test_dry_runs_and_empty_results_make_no_calibration() -> None:
    with pytest.raises(CalibrationError, match="dry run"):
        calibration_toml(results_of(back_end="sim"), H200)
    with pytest.raises(CalibrationError, match="nothing to calibrate"):
        calibration_toml(replace(RESULTS, timings=()), H200)


def test_strange_names_stay_inside_of_their_strings() -> None:
    odd = 'NVIDIA "H200"\n[model]\nstall_share = 0 \\ \u00fc\x7f'
    text = calibration_toml(results_of(device=odd, driver=odd, command=odd, started=odd), H200)
    assert text.isascii() and text.count("[model]\n") == 1
    assert parse_calibration(H200, text, file="lab.toml").model.stall_share == H200.model.stall_share


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "results.json").write_text(to_text(RESULTS))
    wanted = tmp_path / "lab.toml"
    assert main(["devices", "h200", "--calibrate", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "4.32 TB/s" in shown and "layers.l2.latency_s" in shown and '\ndevice = "h200"\n' in shown
    assert main(["devices", "h200", "--calibrate", str(tmp_path), "-o", str(wanted)]) == 0
    assert "--calibration" in capsys.readouterr().out and wanted.read_text() == calibration_toml(RESULTS, H200)
    assert main(["devices", "h200", "--calibration", str(wanted)]) == 0
    assert "4.32 TB/s" in capsys.readouterr().out


def test_command_of_a_dry_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "results.json"
    file.write_text(to_text(results_of(back_end="sim", device="simulator (dry run)")))
    assert main(["devices", "h200", "--calibrate", str(file)]) == 0
    shown = capsys.readouterr().out
    assert "DRY RUN: wall times of the simulator, of no device" in shown and "device =" not in shown
    assert main(["devices", "h200", "--calibrate", str(file), "-o", str(tmp_path / "lab.toml")]) == 1
    assert "dry run" in capsys.readouterr().err and not (tmp_path / "lab.toml").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["devices", "--calibrate", "RESULTS"], 2, "name the one that was measured"),
        (["devices", "h200", "--calibrate", "RESULTS", "-o", "lab.json"], 2, "write FILE.toml"),
        (["devices", "h200", "--calibrate", "RESULTS", "--json"], 2, "leave out --json"),
        (["devices", "h200", "-o", "lab.toml"], 2, "-o goes with --calibrate"),
        (["devices", "v100", "--calibrate", "RESULTS"], 1, "a kit for 'h200'"),
        (["devices", "h200", "--calibrate", "MISSING"], 1, "no such file"),
        (["devices", "h200", "--calibrate", "RESULTS", "-o", "FOLDER/none/lab.toml"], 1, "cannot be written"),
    ],
)
def test_command_refuses(
    arguments: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "results.json").write_text(to_text(RESULTS))
    places = {"RESULTS": tmp_path / "results.json", "MISSING": tmp_path / "gone.json"}
    given = [str(places.get(one, one)).replace("FOLDER", str(tmp_path)) for one in arguments]
    assert main(given) == code
    assert said in capsys.readouterr().err
