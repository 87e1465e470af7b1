# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A calibration replaces constants of a device, says who measured them, and is refused where it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roller_mlir.hal import DeviceError, calibrated, describe, device_file, find_device, parse_calibration
from roller_mlir.hal.vector_constants import DEFAULT_VECTORS

H200 = find_device("h200")
SOURCE = 'source = "J. Doe, gpu-stream on node 3, 2026-11-20"'
GLOBAL = f"""device = "h200"
[layers.global]
sustained_bandwidth_bytes_per_s = {{ value = 4.1e12, {SOURCE} }}
"""


def _error(text: str) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        parse_calibration(H200, text, file="lab.toml")
    assert caught.value.file == "lab.toml"
    return caught.value


def test_constants_of_vectors_are_those_of_devices_without_threads() -> None:
    core = find_device("haswell")
    text = f"""device = "haswell"
[layers.l3]
unit_bandwidth_bytes_per_s = {{ value = 2e10, {SOURCE} }}
[vectors]
pack_line_cycles = {{ value = 9.5, {SOURCE} }}
"""
    device = parse_calibration(core, text, file="lab.toml")
    assert (device.vectors.pack_line_cycles, core.vectors.pack_line_cycles) == (9.5, DEFAULT_VECTORS.pack_line_cycles)
    assert device.layer("l3").unit_bandwidth_bytes_per_s == 2e10
    assert [one.key for one in device.overrides] == ["layers.l3.unit_bandwidth_bytes_per_s", "vectors.pack_line_cycles"]
    assert "of one unit" in describe(device)[1].header and "of one unit" not in describe(core)[1].header
    error = _error(GLOBAL + f"[vectors]\nways = {{ value = 4, {SOURCE} }}\n")
    assert "must be left out: it is for a device with vector_bytes" in str(error)
    for key, value, reason in (("hidden_share", 1.5, "a share from 0 to 1"), ("ways", 0, "must be above 0")):
        with pytest.raises(DeviceError, match=reason):
            parse_calibration(
                core, f'device = "haswell"\n[vectors]\n{key} = {{ value = {value}, {SOURCE} }}', file="x.toml"
            )


def test_one_constant_is_replaced_and_its_source_kept() -> None:
    device = parse_calibration(H200, GLOBAL, file="lab.toml")
    assert device.layer("global").sustained_bandwidth_bytes_per_s == 4.1e12
    (override,) = device.overrides
    assert override.key == "layers.global.sustained_bandwidth_bytes_per_s"
    assert (override.was, override.value, override.file) == (None, 4.1e12, "lab.toml")
    assert override.source == "J. Doe, gpu-stream on node 3, 2026-11-20"
    memory = replace(device.layer("global"), sustained_bandwidth_bytes_per_s=None)
    assert replace(device, layers=(*device.layers[:-1], memory), overrides=()) == H200


def test_every_kind_of_constant() -> None:
    text = f"""
device = "h200"
launch_latency_s = {{ value = 2.1e-6, {SOURCE} }}
[layers.workgroup]
latency_cycles = {{ value = 33, {SOURCE} }}
[[instructions]]
name = "fma"
operand_type = "f32"
result_type = "f32"
flops_per_cycle_per_unit = {{ value = 250, {SOURCE} }}
[model]
stall_share = {{ value = 0.25, {SOURCE} }}
addressing_registers = {{ value = 30, {SOURCE} }}
"""
    device = parse_calibration(H200, text, file="lab.toml")
    assert device.launch_latency_s == 2.1e-6
    assert device.layer("workgroup").latency_s == pytest.approx(33 / 1.98e9)
    assert device.instruction("fma").flops_per_cycle_per_unit == 250
    assert (device.model.stall_share, device.model.addressing_registers) == (0.25, 30)
    assert device.model.hidden_share == H200.model.hidden_share
    assert [(one.key, one.was) for one in device.overrides] == [
        ("launch_latency_s", 2.5e-6),
        ("layers.workgroup.latency_cycles", pytest.approx(29)),
        ("instructions.fma.f32.flops_per_cycle_per_unit", 256),
        ("model.stall_share", 0.3),
        ("model.addressing_registers", 24),
    ]
    assert describe(device)[-1].title == "Calibration"
    assert describe(device)[-1].rows[0][:3] == ("launch_latency_s", "2.5e-06", "2.1e-06")


def test_what_is_stated_in_cycles_follows_the_clock() -> None:
    device = parse_calibration(H200, f'device = "h200"\nclock_hz = {{ value = 0.99e9, {SOURCE} }}', file="lab.toml")
    for name in ("workgroup", "l2"):
        before, after = H200.layer(name), device.layer(name)
        assert before.bandwidth_bytes_per_s and after.bandwidth_bytes_per_s and before.latency_s and after.latency_s
        assert after.bandwidth_bytes_per_s == pytest.approx(before.bandwidth_bytes_per_s / 2)
        assert after.latency_s == pytest.approx(before.latency_s * 2)
    assert device.layer("l2").sustained_bandwidth_bytes_per_s == pytest.approx(4.8e12)
    assert device.layer("global") == H200.layer("global")


def test_calibrations_add_up_and_are_read_from_files(tmp_path: Path) -> None:
    first, second = tmp_path / "first+1.toml", tmp_path / "second.toml"
    first.write_text(GLOBAL)
    second.write_text(GLOBAL.replace("4.1e12", "4.2e12"))
    device = calibrated(calibrated(H200, first), second)
    assert [(one.was, one.value) for one in device.overrides] == [(None, 4.1e12), (4.1e12, 4.2e12)]
    assert find_device(f"sm_90+{first}") == calibrated(H200, first)
    path = tmp_path / "mine.toml"
    path.write_text(device_file("h200").read_text())
    assert find_device(f"{path}+{first}") == calibrated(H200, first)
    assert device_file(f"h200+{first}") == device_file("h200")
    with pytest.raises(DeviceError, match="cannot read the calibration: No such file"):
        find_device(f"h200+{tmp_path / 'none.toml'}")


ERRORS = [
    ("", "device", "must be given: the device that was measured"),
    ('device = "h200"', None, "must calibrate something, but has no value"),
    (GLOBAL.replace('"h200"', '"v100"'), "device", "is a calibration of 'v100', but the device is 'h200'"),
    (GLOBAL.replace('"h200"', "5"), "device", "must be a string, but got 5"),
    (GLOBAL.replace(f", {SOURCE}", ""), "layers.global.sustained_bandwidth_bytes_per_s", "has no source: write"),
    (GLOBAL.replace(SOURCE, 'source = " "'), "layers.global.sustained_bandwidth_bytes_per_s.source", "must say who"),
    (GLOBAL.replace(SOURCE, "source = 3"), "layers.global.sustained_bandwidth_bytes_per_s.source", "must be a string"),
    (GLOBAL.replace("value = 4.1e12, ", ""), "layers.global.sustained_bandwidth_bytes_per_s", "has no value: write"),
    (GLOBAL.replace("value", "worth"), "layers.global.sustained_bandwidth_bytes_per_s", "but has a key 'worth'"),
    (GLOBAL.replace("4.1e12", '"fast"'), "layers.global.sustained_bandwidth_bytes_per_s", "must be a number"),
    (GLOBAL.replace("4.1e12", "0"), "layers.global.sustained_bandwidth_bytes_per_s", "must be above 0"),
    (GLOBAL.replace("4.1e12", "4100"), "layers.global.sustained_bandwidth_bytes_per_s", "check the unit"),
    (GLOBAL.replace("4.1e12", "41e12"), "layers.global.sustained_bandwidth_bytes_per_s", "must be at most bandwidth"),
    (GLOBAL.replace("_bytes_per_s", ""), "layers.global.sustained_bandwidth", "has no unit: write"),
    (GLOBAL.replace("global", "globe"), "layers.globe", "is not a layer of 'h200', which has register, workgroup"),
    ('device = "h200"\nlayers = 3', "layers", "must be a table, but got 3"),
    ('device = "h200"\nlayers.l2 = 3', "layers.l2", "must be a table, but got 3"),
    ('device = "h200"\nunits = 130', "units", "has no source: write units = { value = ..., source ="),
    ('device = "h200"\nlaunch_latency = 1e-6', "launch_latency", "has no unit: write 'launch_latency_s'"),
    ('device = "h200"\ncolour = 1', "colour", "is not a key of a calibration"),
    ('device = "h200"\nname = "h300"', "name", "cannot be calibrated: it is what the device is"),
    ('device = "h200"\nfeatures = []', "features", "cannot be calibrated"),
    ('device = "h200"\noverrides = []', "overrides", "is not a key of a calibration"),
    ('device = "h200"\n[layers.l2]\ninstances = 3', "layers.l2.instances", "cannot be calibrated"),
    (f'device = "h200"\nclock_hz = {{ value = 2, {SOURCE} }}', "clock_hz", "check the unit"),
    (f'device = "h200"\nunits = {{ value = 2.5, {SOURCE} }}', "units", "must be an integer, but got 2.5"),
    (f'device = "h200"\nunits = {{ value = 131, {SOURCE} }}', "layers.register.instances", "must equal units (131)"),
    (
        f'device = "h200"\n[layers.l2]\nlatency_cycles = {{ value = 2, {SOURCE} }}\n'
        f"latency_s = {{ value = 2, {SOURCE} }}",
        "layers.l2.latency_cycles",
        "must not be given beside 'latency_s'",
    ),
    ('device = "h200"\ninstructions = 3', "instructions", "must be [[instructions]] tables"),
    ('device = "h200"\ninstructions = [3]', "instructions[0]", "must be a table, but got 3"),
    ('device = "h200"\n[[instructions]]\nname = "fma"', "instructions[0].operand_type", "must be given"),
    (
        'device = "h200"\n[[instructions]]\nname = "fma"\noperand_type = "i4"\nresult_type = "i4"',
        "instructions[0]",
        "device 'h200' has no instruction 'fma' from i4 to i4",
    ),
    ('device = "h200"\nmodel = 3', "model", "must be a table, but got 3"),
    ('device = "h200"\nmodel.stall = 3', "model.stall", "has no unit: write 'stall_share'"),
    (f'device = "h200"\nmodel.stall_share = {{ value = 2, {SOURCE} }}', "model.stall_share", "a share from 0 to 1"),
    ("device = ", None, "is not TOML"),
    ("a = " + "[" * 100_000, None, "is nested too deeply for a calibration"),
]


@pytest.mark.parametrize(("text", "key", "reason"), ERRORS)
def test_a_wrong_calibration_names_its_key(text: str, key: str | None, reason: str) -> None:
    error = _error(text)
    assert (error.key, reason in error.reason) == (key, True), str(error)


VALUES = st.one_of(st.integers().map(str), st.floats().map(str), st.sampled_from(["[]", "{}", '"x"', "true", "9e999"]))


@settings(max_examples=settings().max_examples * 3 // 2, deadline=None)
@given(
    st.sampled_from(
        ["clock_hz", "units", "subgroup_size", "layers.l2.latency_s", "model.hidden_share", "layers.l2.banks"]
    ),
    VALUES,
)
def test_any_value_is_a_device_or_one_error(key: str, value: str) -> None:
    try:
        parse_calibration(H200, f'device = "h200"\n{key} = {{ value = {value}, {SOURCE} }}', file="lab.toml")
    except DeviceError as error:
        assert error.file == "lab.toml"
        assert error.key or error.reason.startswith("is not TOML: ")
