# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The devices that come with the package: they load, they are named as promised, their figures are the vendors'."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from roller_mlir.hal import Device, DeviceError, device_names, find_device, load_device
from roller_mlir.hal.catalogue import DEVICE_FOLDER
from roller_mlir.plan.sm_architecture import sm_number

NAMES = (
    "2080ti",
    "a100-40",
    "a100-80",
    "b200",
    "h100",
    "h200",
    "h200-nvl",
    "h800",
    "haswell",
    "ipu-gc2",
    "k80",
    "mi210",
    "mi250x",
    "mi300x",
    "mi325x",
    "mi50",
    "neoverse-v1",
    "rtx3090",
    "rtx4090",
    "rtxa6000",
    "spr",
    "t4",
    "titanrtx",
    "v100",
    "zen4",
    "zen5",
)


def test_the_catalogue_holds_what_is_promised() -> None:
    assert set(NAMES) <= set(device_names()) and list(device_names()) == sorted(device_names())
    assert [find_device(name).name for name in NAMES] == list(NAMES)


@pytest.mark.parametrize(
    ("given", "name", "architecture"),
    [
        ("a100", "a100-80", "sm_80"),
        ("sm_70", "v100", "sm_70"),
        ("sm_80", "a100-80", "sm_80"),
        ("sm_90", "h200", "sm_90a"),
        ("sm_90a", "h200", "sm_90a"),
        ("gfx942", "mi300x", "gfx942"),
        ("h100", "h100", "sm_90a"),
        ("H200", "h200", "sm_90a"),
        ("sm_37", "k80", "sm_37"),
        ("sm_75", "2080ti", "sm_75"),
        ("rtx2080ti", "2080ti", "sm_75"),
        ("sm_86", "rtx3090", "sm_86"),
        ("3090", "rtx3090", "sm_86"),
        ("a6000", "rtxa6000", "sm_86"),
        ("titan-rtx", "titanrtx", "sm_75"),
        ("h200nvl", "h200-nvl", "sm_90a"),
        ("sm_89", "rtx4090", "sm_89"),
        ("4090", "rtx4090", "sm_89"),
        ("sm_100a", "b200", "sm_100a"),
        ("gfx906", "mi50", "gfx906"),
        ("gfx90a", "mi210", "gfx90a"),
        ("ipu", "ipu-gc2", "ipu1"),
    ],
)
def test_aliases_and_bare_architectures(given: str, name: str, architecture: str) -> None:
    device = find_device(given)
    assert (device.name, device.architecture) == (name, architecture)


def test_the_path_of_a_description_is_a_device() -> None:
    path = DEVICE_FOLDER / "v100.toml"
    assert find_device(str(path)) == load_device(path) == find_device("v100")


def test_an_unknown_name_lists_the_known_and_suggests_the_nearest() -> None:
    with pytest.raises(DeviceError) as caught:
        find_device("h20")
    message = str(caught.value)
    assert message.startswith("unknown device 'h20'; did you mean 'h200'?; known: 2080ti, a100-40, a100-80, b200, h100")
    assert "sm_90 (h200)" in message
    with pytest.raises(DeviceError, match="unknown device ''; known: "):
        find_device("")


PEAKS = [
    ("v100", "fma", "f32", "f32", 15.7),
    ("v100", "fma", "f64", "f64", 7.8),
    ("v100", "wmma.mma.sync.m16n16k16", "f16", "f32", 125),
    ("a100-80", "fma", "f32", "f32", 19.5),
    ("a100-80", "fma", "f64", "f64", 9.7),
    ("a100-80", "fma.rn.f16x2", "f16", "f16", 78),
    ("a100-80", "mma.sync.m16n8k16", "f16", "f32", 312),
    ("a100-80", "mma.sync.m16n8k16", "bf16", "f32", 312),
    ("a100-80", "mma.sync.m16n8k8", "tf32", "f32", 156),
    ("a100-80", "mma.sync.m16n8k32", "i8", "i32", 624),
    ("a100-80", "mma.sync.m8n8k4", "f64", "f64", 19.5),
    ("h100", "fma", "f32", "f32", 66.9),
    ("h100", "fma", "f64", "f64", 33.5),
    ("h100", "fma.rn.f16x2", "f16", "f16", 133.8),
    ("h100", "wgmma.mma_async.m64k16", "f16", "f32", 989.4),
    ("h100", "wgmma.mma_async.m64k8", "tf32", "f32", 494.7),
    ("h100", "mma.sync.m16n8k16", "bf16", "f32", 622.3),
    ("h100", "wgmma.mma_async.m64k32", "f8E4M3FN", "f32", 1978.9),
    ("h200", "fma", "f32", "f32", 67),
    ("h200", "wgmma.mma_async.m64k16", "bf16", "f32", 989),
    ("h200", "wgmma.mma_async.m64k32", "i8", "i32", 1979),
    ("mi300x", "v_pk_fma_f32", "f32", "f32", 163.4),
    ("mi300x", "fma", "f64", "f64", 81.7),
    ("mi300x", "v_mfma_f32_32x32x2_f32", "f32", "f32", 163.4),
    ("mi300x", "v_mfma_f32_32x32x4_xf32", "xf32", "f32", 653.7),
    ("mi300x", "v_mfma_f32_32x32x8_f16", "f16", "f32", 1307.4),
    ("mi300x", "v_mfma_i32_32x32x16_i8", "i8", "i32", 2614.9),
    ("2080ti", "fma", "f32", "f32", 13.4),
    ("2080ti", "fma.rn.f16x2", "f16", "f16", 26.9),
    ("2080ti", "mma.sync.m16n8k8", "f16", "f32", 53.8),
    ("2080ti", "mma.sync.m16n8k8", "f16", "f16", 107.6),
    ("2080ti", "mma.sync.m8n8k16", "i8", "i32", 215.2),
    ("k80", "fma", "f32", "f32", 8.74 / 2),
    ("k80", "fma", "f64", "f64", 2.91 / 2),
    ("mi50", "fma", "f32", "f32", 13.25),
    ("mi50", "v_pk_fma_f16", "f16", "f16", 26.5),
    ("mi50", "fma", "f64", "f64", 6.62),
    ("a100-40", "fma", "f32", "f32", 19.5),
    ("a100-40", "mma.sync.m16n8k16", "f16", "f32", 312),
    ("rtx4090", "fma", "f32", "f32", 82.6),
    ("rtx4090", "mma.sync.m16n8k16", "f16", "f32", 165.2),
    ("rtx4090", "mma.sync.m16n8k16", "f16", "f16", 330.3),
    ("rtx4090", "mma.sync.m16n8k32", "i8", "i32", 660.6),
    ("b200", "fma", "f32", "f32", 75),
    ("mi210", "fma", "f32", "f32", 22.6),
    ("mi210", "v_pk_fma_f32", "f32", "f32", 45.3),
    ("mi210", "v_mfma_f32_32x32x8f16", "f16", "f32", 181),
    ("mi250x", "fma", "f64", "f64", 47.9 / 2),
    ("mi250x", "v_mfma_f32_32x32x8f16", "f16", "f32", 383 / 2),
    ("ipu-gc2", "fma", "f32", "f32", 31.1),
    ("h200-nvl", "fma", "f32", "f32", 60.3),
    ("h200-nvl", "wgmma.mma_async.m64k16", "bf16", "f32", 835.5),
    ("h200-nvl", "wgmma.mma_async.m64k32", "i8", "i32", 1670.5),
    ("h800", "fma", "f32", "f32", 67),
    ("h800", "fma", "f64", "f64", 1.045),
    ("h800", "wgmma.mma_async.m64k16", "f16", "f32", 989.4),
    ("mi325x", "v_pk_fma_f32", "f32", "f32", 163.4),
    ("mi325x", "v_mfma_f32_32x32x8_f16", "f16", "f32", 1307.4),
    ("rtx3090", "fma", "f32", "f32", 35.6),
    ("rtx3090", "mma.sync.m16n8k16", "f16", "f32", 71.2),
    ("rtx3090", "mma.sync.m16n8k16", "f16", "f16", 142.3),
    ("rtx3090", "mma.sync.m16n8k32", "i8", "i32", 284.7),
    ("rtxa6000", "fma", "f32", "f32", 38.7),
    ("rtxa6000", "mma.sync.m16n8k16", "bf16", "f32", 154.8),
    ("rtxa6000", "mma.sync.m16n8k8", "tf32", "f32", 77.4),
    ("t4", "fma", "f32", "f32", 8.14),
    ("t4", "mma.sync.m16n8k8", "f16", "f32", 65.1),
    ("t4", "mma.sync.m8n8k16", "i8", "i32", 130.2),
    ("titanrtx", "fma", "f32", "f32", 16.3),
    ("titanrtx", "mma.sync.m16n8k8", "f16", "f32", 130.5),
]


@pytest.mark.parametrize(("name", "instruction", "operand", "result", "teraflops"), PEAKS)
def test_peaks_are_those_of_the_data_sheets(
    name: str, instruction: str, operand: str, result: str, teraflops: float
) -> None:
    device = find_device(name)
    peak = device.peak_flops_per_s(device.instruction(instruction, operand, result))
    assert peak == pytest.approx(teraflops * 1e12, rel=0.005)


@pytest.mark.parametrize(
    ("name", "terabytes_per_s", "l2_mebibytes", "workgroup_kibibytes"),
    [
        ("v100", 0.9, 6, 96),
        ("a100-80", 2.039, 40, 163),
        ("h100", 3.352, 50, 227),
        ("h200", 4.8, 50, 227),
        ("mi300x", 5.3, 32, 64),
        ("2080ti", 0.616, 5.5, 64),
        ("k80", 0.24, 1.5, 48),
        ("mi50", 1.024, 4, 64),
        ("a100-40", 1.555, 40, 163),
        ("rtx4090", 1.008, 72, 99),
        ("b200", 7.672, 126.5, 227),
        ("mi210", 1.6384, 8, 64),
        ("mi250x", 1.6384, 8, 64),
        ("h200-nvl", 4.8, 50, 227),
        ("h800", 3.352, 50, 227),
        ("mi325x", 6.0, 32, 64),
        ("rtx3090", 0.936, 6, 99),
        ("rtxa6000", 0.768, 6, 99),
        ("t4", 0.32, 4, 64),
        ("titanrtx", 0.672, 6, 64),
    ],
)
def test_memories_are_those_of_the_data_sheets(
    name: str, terabytes_per_s: float, l2_mebibytes: float, workgroup_kibibytes: int
) -> None:
    device = find_device(name)
    assert device.layer("global").bandwidth_bytes_per_s == pytest.approx(terabytes_per_s * 1e12)
    assert device.layer("l2").total_capacity_bytes == l2_mebibytes * 2**20
    assert device.max_workgroup_bytes_per_block == workgroup_kibibytes * 2**10


@pytest.mark.parametrize(
    ("name", "workgroup_terabytes_per_s", "l2_terabytes_per_s"),
    [
        ("v100", 15.7, 3.13),
        ("a100-80", 19.5, 7.22),
        ("h100", 33.5, 10.1),
        ("h200", 33.5, 10.1),
        ("mi300x", 81.7, 34.4),
        ("mi50", 13.2, 1.77),
        ("mi210", 22.6, 6.96),
    ],
)
def test_bandwidths_given_in_bytes_per_cycle(
    name: str, workgroup_terabytes_per_s: float, l2_terabytes_per_s: float
) -> None:
    device = find_device(name)
    workgroup, l2 = device.layer("workgroup"), device.layer("l2")
    assert workgroup.bandwidth_bytes_per_s == pytest.approx(workgroup_terabytes_per_s * 1e12, rel=0.005)
    assert l2.bandwidth_bytes_per_s == pytest.approx(l2_terabytes_per_s * 1e12, rel=0.005)


def test_the_a100_reads_its_l2_at_2_3_times_the_v100_as_its_white_paper_says() -> None:
    a100, v100 = (find_device(name).layer("l2").bandwidth_bytes_per_s for name in ("a100", "v100"))
    assert a100 is not None and v100 is not None
    assert a100 / v100 == pytest.approx(2.3, rel=0.01)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ipu-gc2"])
def test_layers_grow_slower_and_larger_outwards(name: str) -> None:
    device = find_device(name)
    layers = device.layers
    first = "workgroup" if device.vector_bytes is None else "l1"
    assert [layer.name for layer in layers if layer.name != "l3"] == ["register", first, "l2", "global"]
    bandwidths = [layer.bandwidth_bytes_per_s for layer in layers if layer.bandwidth_bytes_per_s is not None]
    latencies = [layer.latency_s for layer in layers if layer.latency_s is not None]
    assert bandwidths == sorted(bandwidths, reverse=True)
    assert latencies == sorted(latencies) and (len(latencies) >= 2 or name in ("b200", "neoverse-v1"))
    assert layers[-1].capacity_bytes == max(layer.total_capacity_bytes for layer in layers)


def test_the_kepler_of_the_roller_paper_is_one_chip_with_wide_banks() -> None:
    """The figures with which ROLLER's artifact counts, but for its 26 units, which are those of both chips."""
    k80 = find_device("k80")
    assert (k80.units, k80.registers_per_unit, k80.max_workgroup_bytes_per_unit) == (13, 131_072, 112 * 1024)
    workgroup, memory = k80.layer("workgroup"), k80.layer("global")
    assert (workgroup.banks, workgroup.bank_bytes, workgroup.transaction_bytes) == (32, 8, 256)
    assert workgroup.sustained_bandwidth_bytes_per_s == 2.54e12
    assert workgroup.bandwidth_bytes_per_s == pytest.approx(2.912e12)
    assert memory.sustained_bandwidth_bytes_per_s == 176.1e9


def test_the_ipu_has_no_shared_memory_and_no_code() -> None:
    """ROLLER section 4: tiles with memory of their own, and an exchange between them."""
    ipu = find_device("ipu")
    local, remote = ipu.layer("workgroup"), ipu.layer("global")
    assert (ipu.units, ipu.max_threads_per_block, local.capacity_bytes) == (1216, 6, 256 * 1024)
    assert remote.kind == "distributed" and remote.total_capacity_bytes == local.total_capacity_bytes == 304 * 2**20
    assert remote.sustained_bandwidth_bytes_per_s == 7.68e12
    assert not ipu.compiles
    with pytest.raises(DeviceError, match="'ipu-gc2' of graphcore is for the construction and its model only"):
        ipu.require_compiles()
    assert [name for name in NAMES if not find_device(name).compiles] == ["ipu-gc2"]
    find_device("h200").require_compiles()


def test_what_a_device_lacks_is_an_error() -> None:
    device = find_device("v100")
    with pytest.raises(DeviceError, match="'v100' has no memory layer 'l3'; it has register, workgroup, l2, global"):
        device.layer("l3")
    with pytest.raises(DeviceError, match="'v100' has no instruction 'fma' from bf16 to f32"):
        device.instruction("fma", "bf16", "f32")


@pytest.mark.parametrize("name", NAMES)
def test_every_constant_has_a_source(name: str) -> None:
    """A number stands below a comment that names a source; an instruction's numbers share one, below its header."""
    lines = (DEVICE_FOLDER / f"{name}.toml").read_text().splitlines()
    header = comment = ""
    for above, line in pairwise(lines):
        if line.startswith("["):
            header = line
        if line.startswith("#") and not above.startswith("#"):
            comment = line
        if re.match(r"\w+ = [\d\[]", line) and not line.startswith(("aliases", "default_for", "features")):
            sourced = above.startswith("#") and comment.startswith(("# [", "# HIP, ", "# measured: "))
            assert header == "[[instructions]]" or sourced, line
        if above == "[[instructions]]":
            assert line.startswith("# ["), line


@pytest.mark.parametrize("name", NAMES)
def test_every_source_is_named_in_full_and_used(name: str) -> None:
    head, _, body = (DEVICE_FOLDER / f"{name}.toml").read_text().partition("\nname = ")
    named = set(re.findall(r"^# \[([\w.]+)\]", head, re.MULTILINE))
    comments = "".join(line for line in body.splitlines() if line.startswith("#"))
    cited = set(re.findall(r"\[([a-z][\w.]*)\]", comments))
    assert cited == named


def test_devices_are_values() -> None:
    device = find_device("h200")
    assert isinstance(device, Device) and hash(device) == hash(find_device("sm_90"))
    with pytest.raises(AttributeError):
        device.units = 1  # type: ignore[misc]


def test_what_devices_of_a_vendor_share() -> None:
    devices = [find_device(name) for name in ("h200", "mi300x", "zen4", "ipu-gc2")]
    assert [device.fence_covers_block for device in devices] == [True, False, False, False]
    assert [device.tick_ns for device in devices[:2]] == [1, 10]
    for device in devices[2:]:
        with pytest.raises(DeviceError, match=f"'{device.name}' of {device.vendor}: no counter of time is known"):
            _ = device.tick_ns


def test_dependent_launches_are_of_hopper_and_later() -> None:
    for device in map(find_device, device_names()):
        assert ("dependent_launch" in device.features) == (sm_number(device.architecture) >= 90), device.name
