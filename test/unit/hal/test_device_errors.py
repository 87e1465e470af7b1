# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every way in which a description can be wrong is one error that names the file and the key."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roller_mlir.hal import DeviceError, describe, find_device, load_device, parse_device
from roller_mlir.hal.catalogue import DEVICE_FOLDER

MODEL = "[model]\n"
H200 = (DEVICE_FOLDER / "h200.toml").read_text().partition(MODEL)[0] + MODEL
MI300X = (DEVICE_FOLDER / "mi300x.toml").read_text()
WORKGROUP = "[layers.workgroup]\n"


def _error(text: str) -> DeviceError:
    with pytest.raises(DeviceError) as caught:
        parse_device(text, file="mine.toml")
    assert caught.value.file == "mine.toml"
    assert str(caught.value).startswith("mine.toml: ")
    return caught.value


EDITS = [
    # an unknown key, a key without its unit, a table that is not one
    ("units = 132", "units = 132\ncolour = 1", "colour", "is not a key of a device description"),
    ("units = 132", "unit = 132", "unit", "did you mean 'units'?"),
    ("clock_hz = 1.98e9", "clock = 1.98e9", "clock", "has no unit: write 'clock_hz'"),
    ("latency_cycles = 29.0", "latency = 29.0", "layers.workgroup.latency", "has no unit: write 'latency_s'"),
    ("capacity_bytes = 262_144", "capacity = 262_144", "layers.register.capacity", "write 'capacity_bytes'"),
    ("operand_type", "operands", "instructions[0].operands", "is not a key of a device description"),
    ("[layers.l2]", "[layers.l2.deep]", "layers.l2.deep", "is not a key of a device description"),
    # a missing key, a wrong type
    ("units = 132\n", "", "units", "must be given"),
    ("clock_hz = 1.98e9\n", "", "clock_hz", "must be given"),
    ("units = 132", 'units = "many"', "units", "must be an integer, but got 'many'"),
    ("units = 132", "units = 132.0", "units", "must be an integer, but got 132.0"),
    ("units = 132", "units = true", "units", "must be an integer, but got true"),
    ("units = 132", "units = [132]", "units", "must be an integer, but got a list"),
    ("clock_hz = 1.98e9", "clock_hz = {}", "clock_hz", "must be a number, but got a table"),
    ("latency_cycles = 29.0", 'latency_cycles = "long"', "layers.workgroup.latency_cycles", "must be a number"),
    ('vendor = "nvidia"', "vendor = 3", "vendor", "must be a string, but got 3"),
    ('features = ["async_copy"', "features = [7", "features", "must be a string, but got 7"),
    ("units = 132", f"units = {10**30}", "units", "must fit into 64 bits"),
    ("clock_hz = 1.98e9", f"clock_hz = {10**400}", "clock_hz", "must fit into 64 bits"),
    # an impossible value
    ("units = 132", "units = 0", "units", "must be above 0 (leave an unknown out), but got 0"),
    ("units = 132", "units = -1", "units", "must be above 0"),
    ("clock_hz = 1.98e9", "clock_hz = nan", "clock_hz", "must be above 0"),
    ("clock_hz = 1.98e9", "clock_hz = 1.98", "clock_hz", "must lie between 1e+06 and 1e+11 Hz, but got 1.98; check"),
    ("launch_latency_s = 2.5e-6", "launch_latency_s = 2.5", "launch_latency_s", "check the unit"),
    ("latency_s = 348e-9", "latency_s = 348", "layers.global.latency_s", "must lie between 1e-11 and 0.001 s"),
    ("latency_s = 348e-9", "latency_s = inf", "layers.global.latency_s", "must be above 0"),
    ("latency_cycles = 29.0", "latency_cycles = 0", "layers.workgroup.latency_cycles", "must be above 0"),
    ("bandwidth_bytes_per_s = 4.8e12", "bandwidth_bytes_per_s = 4800", "layers.global.bandwidth_bytes_per_s", "unit"),
    ("banks = 32", "banks = 0", "layers.workgroup.banks", "must be above 0"),
    ("bank_bytes = 4", "bank_bytes = 3", "layers.workgroup.bank_bytes", "must be a power of two, but got 3"),
    ("transaction_bytes = 32\n", "transaction_bytes = 48\n", "layers.l2.transaction_bytes", "must be a power of two"),
    ("subgroup_size = 32", "subgroup_size = 33", "subgroup_size", "must be a power of two, but got 33"),
    ('vendor = "nvidia"', 'vendor = "intel"', "vendor", "must be one of amd, cpu, graphcore, nvidia, but got 'intel'"),
    (
        'kind = "cached"',
        'kind = "magic"',
        "layers.l2.kind",
        "must be one of cached, distributed, explicit, but got 'magic'",
    ),
    (
        'family = "wgmma"',
        'family = "tma"',
        "instructions[3].family",
        "must be one of amx, dot, fma, mfma, mma, packed_fma, wgmma",
    ),
    ('"cluster"', '"clusters"', "features", "must be one of async_copy, cluster, dependent_launch, "),
    ('name = "h200"', 'name = ""', "name", "must not be empty"),
    ("reserved_workgroup_bytes_per_block = 1024", "reserved_workgroup_bytes_per_block = -1", "", "not be negative"),
    ("max_blocks_per_unit = 32", "max_blocks_per_unit = 32\nmax_multi_subgroup_blocks_per_unit = 40", "", "at most"),
    # fields that contradict each other
    (
        "max_threads_per_block = 1024",
        "max_threads_per_block = 1000",
        "max_threads_per_block",
        "multiple of subgroup_size",
    ),
    (
        "max_threads_per_block = 1024",
        "max_threads_per_block = 4096",
        "max_threads_per_block",
        "max_threads_per_unit (2048)",
    ),
    ("max_registers_per_thread = 255", "max_registers_per_thread = 1024", "max_registers_per_thread", "at most"),
    ("registers_per_unit = 65_536", "registers_per_unit = 65_000", "registers_per_unit", "must be a multiple of"),
    ("registers_per_unit = 65_536", "registers_per_unit = 131_072", "layers.register.capacity_bytes", "must equal"),
    (
        "max_workgroup_bytes_per_block = 232_448",
        "max_workgroup_bytes_per_block = 233_472",
        "",
        "(232448), but got 233472",
    ),
    ("max_workgroup_bytes_per_unit = 233_472", "max_workgroup_bytes_per_unit = 262_144", "", "must equal"),
    ("static_workgroup_bytes = 49_152", "static_workgroup_bytes = 262_144", "static_workgroup_bytes", "at most"),
    (
        WORKGROUP,
        WORKGROUP.replace("workgroup", "shared"),
        "layers",
        "must have a layer 'workgroup', but got register, shared",
    ),
    (
        WORKGROUP + 'kind = "explicit"\ninstances = "units"',
        WORKGROUP + 'kind = "explicit"\ninstances = 8',
        "",
        "equal units",
    ),
    (
        WORKGROUP + 'kind = "explicit"\ninstances = "units"',
        WORKGROUP + 'kind = "explicit"\ninstances = "each"',
        "",
        "integer",
    ),
    ("banks = 32\n", "", "layers.workgroup.banks", "must be given together with bank_bytes"),
    ("line_bytes = 128", "line_bytes = 16", "layers.l2.line_bytes", "must be a multiple of transaction_bytes (32)"),
    (
        "sustained_bandwidth_bytes_per_s = 9.6e12",
        "sustained_bandwidth_bytes_per_s = 19e12",
        "",
        "at most bandwidth_bytes",
    ),
    ("bandwidth_bytes_per_s = 4.8e12", "", "layers.global.bandwidth_bytes_per_s", "must be given"),
    ('kind = "cached"', 'kind = "distributed"', "layers.l2.instances", "must equal units (132), but got 1"),
    # the model's constants
    (MODEL, MODEL + "stall = 1", "model.stall", "has no unit: write 'stall_share'"),
    (MODEL, MODEL + "stall_shares = 1", "model.stall_shares", "did you mean 'stall_share'?"),
    (MODEL, MODEL + "stall_share = 1", "model.stall_share", "must be below 1, but got 1.0"),
    (MODEL, MODEL + "hidden_share = 1.5", "model.hidden_share", "must be a share from 0 to 1, but got 1.5"),
    (MODEL, MODEL + "task_start_cycles = -1", "model.task_start_cycles", "must not be negative, but got -1.0"),
    (MODEL, MODEL + "task_start_cycles = nan", "model.task_start_cycles", "must not be negative, but got nan"),
    (MODEL, MODEL + 'hidden_share = "all"', "model.hidden_share", "must be a number, but got 'all'"),
    (MODEL, "[[model]]\n", "model", "must be a table, but got a list"),
    # what is computed is no key
    ("units = 132", "units = 132\noverrides = []", "overrides", "is not a key of a device description"),
    ("units = 132", "units = 132\ncompiles = true", "compiles", "is not a key of a device description"),
    ('kind = "cached"', 'kind = "cached"\nclocked = []', "layers.l2.clocked", "is not a key of a device description"),
    ('kind = "cached"', 'kind = "cached"\nname = "l2"', "layers.l2.name", "is not a key of a device description"),
    ("latency_cycles = 29.0", "latency_cycles = 29.0\nlatency_s = 1e-8", "", "must not be given beside 'latency_s'"),
    ('ptx_version = "8.0"\n', "", "ptx_version", "must be given for vendor 'nvidia'"),
    ('vendor = "nvidia"', 'vendor = "amd"', "ptx_version", "must be left out for vendor 'amd'"),
    ('operand_type = "f32"', 'operand_type = "f64"', "instructions", "must have one of family 'fma' on f32"),
    (
        'operand_type = "f64"\nresult_type = "f64"',
        'operand_type = "f32"\nresult_type = "f32"',
        "instructions",
        "differ",
    ),
    ("shape = [64, 8, 16]", "shape = [64, 8]", "instructions[3].shape", "must have 3 extents"),
    (
        "shape = [64, 8, 16]\nmax_shape = [64, 256, 16]\n",
        "",
        "instructions[3].shape",
        "must be given for family 'wgmma'",
    ),
    ("shape = [64, 8, 16]", "shape = [64, 0, 16]", "instructions[3].shape", "must have extents above 0"),
    ("shape = [64, 8, 16]", 'shape = [64, "n", 16]', "instructions[3].shape", "must be an integer"),
    ("max_shape = [64, 256, 16]", "max_shape = [64, 257, 16]", "instructions[3].max_shape", "multiple of shape"),
    ("max_shape = [64, 256, 16]", "max_shape = [64, 256]", "instructions[3].max_shape", "as many extents as shape"),
    ("threads = 128", "threads = 1", "instructions[3].threads", "must be above 1 for a matrix only"),
    (
        "threads = 128",
        "threads = 33",
        "instructions.wgmma.mma_async.m64k16.threads",
        "must be a multiple of subgroup_size",
    ),
]


@pytest.mark.parametrize(("old", "new", "key", "reason"), EDITS)
def test_a_wrong_description_names_its_key(old: str, new: str, key: str, reason: str) -> None:
    start = H200.index("[layers.global]") if ("_s = " in old and "4.8e12" in old) or "348e-9" in old else 0
    assert old in H200[start:]
    error = _error(H200[:start] + H200[start:].replace(old, new, 1))
    assert error.key
    assert key in (error.key, "")
    assert reason in error.reason


def test_descriptions_without_their_tables() -> None:
    head, tail = H200.split("[layers.register]")[0], H200[H200.index("[[instructions]]") : H200.index(MODEL)]
    assert str(_error(head)) == "mine.toml: 'layers': must be given, as [layers.NAME] tables"
    assert _error("layers = 5\n" + head).key == "layers"
    assert _error(head + "[layers]\nl2 = 5").key == "layers.l2"
    assert _error(H200.replace(tail, "")).key == "instructions"
    assert _error("instructions = [1]\n" + H200.replace(tail, "")).key == "instructions[0]"
    assert _error(head + "[layers]\n" + tail).reason == "must have a layer 'register', but got none"
    assert _error("").key == "name"


def test_lanes_served_together_cover_a_subgroup_once() -> None:
    error = _error(MI300X.replace("[0, 1, 2, 3, 20, 21, 22, 23]", "[0, 1, 2, 3, 20, 21, 22, 22]"))
    assert error.key == "layers.workgroup.wide_load_lanes"
    assert error.reason == "must name each of the 64 lanes of a subgroup once"


def test_text_that_is_not_toml() -> None:
    assert "is not TOML" in _error("units = ").reason
    assert "is not TOML" in _error(H200 + "\nunits = 5 5").reason
    assert _error("a = " + "[" * 100_000).reason in ("is nested too deeply for a device description",)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    with pytest.raises(DeviceError, match="cannot read the device description: No such file or directory") as caught:
        find_device(str(missing))
    assert caught.value.file == str(missing)
    with pytest.raises(DeviceError, match="Is a directory"):
        load_device(tmp_path)
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DeviceError, match="it is not UTF-8 text"):
        find_device(str(binary))
    (tmp_path / "mine.toml").write_text(H200.replace("units = 132", "units = 0"))
    with pytest.raises(DeviceError, match=r"mine\.toml: 'units': must be above 0"):
        find_device(str(tmp_path / "mine.toml"))


@settings(max_examples=settings().max_examples * 3 // 2, deadline=None)
@given(st.integers(0, len(H200) - 1), st.text(alphabet="=[]{}\"'0-9e._#\n x\x00", max_size=4), st.integers(0, 6))
def test_a_damaged_description_is_a_device_or_one_error(position: int, insertion: str, removed: int) -> None:
    text = H200[:position] + insertion + H200[position + removed :]
    try:
        parse_device(text, file="mine.toml")
    except DeviceError as error:
        assert error.file == "mine.toml"


LINES = [number for number, line in enumerate(H200.splitlines()) if re.match(r"\w+ = ", line)]
VALUES = st.one_of(
    st.sampled_from(["0", "-1", "1", "3", "1e99", "nan", "-inf", '""', '"units"', "true", "[]", "{}", "[[1]]", "[{}]"]),
    st.sampled_from(["1979-05-27", "9" * 30, "9" * 5000, "0.5", '"fma"', "[1, 2, 3]", "[-1, 0, 1]", "4_096"]),
    st.integers().map(str),
    st.floats().map(str),
    st.text(alphabet="abc\u00e9", max_size=5).map(lambda text: f'"{text}"'),
)


@settings(max_examples=3 * settings().max_examples, deadline=None)
@given(st.sampled_from(LINES), VALUES)
def test_one_other_value_is_a_device_or_one_error_with_its_key(number: int, value: str) -> None:
    lines = H200.splitlines()
    key = lines[number].split(" = ")[0]
    lines[number] = f"{key} = {value}"
    try:
        device = parse_device("\n".join(lines), file="mine.toml")
        describe(device)
        hash(device)
    except DeviceError as error:
        assert error.file == "mine.toml" and error.reason
        assert error.key or error.reason.startswith("is not TOML: ")
