# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device `host`: what it reads of a machine, and what it says of one that it has no code for."""

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from roller_mlir.hal import DeviceError, device_file, device_files, find_device, host
from roller_mlir.support.foreign.cpuinfo import NEEDED

AVX2 = "avx2 fma bmi2 f16c"
AVX512 = f"{AVX2} avx512f avx512bw avx512dq avx512vl avx512cd"
CACHES = {
    "index0": ("1", "Data", "48K", "0"),
    "index1": ("1", "Instruction", "32K", "0"),
    "index2": ("2", "Unified", "2048K", "0-1"),
}


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for the system's files."""
    for name, (level, kind, size, sharing) in CACHES.items():
        folder = tmp_path / "cache" / name
        folder.mkdir(parents=True)
        for file, text in (("level", level), ("type", kind), ("size", size), ("shared_cpu_list", sharing)):
            (folder / file).write_text(f"{text}\n")
        (folder / "coherency_line_size").write_text("64\n")
    monkeypatch.setattr(host, "_CORE", tmp_path)
    monkeypatch.setattr(host, "CPUINFO", tmp_path / "cpuinfo")
    monkeypatch.setattr(host, "_llvm_name", lambda: "unheard-of")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="x86_64"))
    return tmp_path


@pytest.mark.parametrize(
    ("flags", "architecture", "vectors"), [(AVX512, "x86-64-v4", (64, 32)), (AVX2, "x86-64-v3", (32, 16))]
)
def test_vectors_caches_and_clock_are_the_systems(
    machine: Path, flags: str, architecture: str, vectors: tuple[int, int]
) -> None:
    (machine / "cpuinfo").write_text(f"model name\t: A Core\nflags\t\t: fpu {flags}\ncpu MHz\t\t: 2500.0\n")
    device = host.host_device.__wrapped__()
    assert (device.architecture, device.units, device.clock_hz) == (architecture, 4, 2.5e9)
    assert (device.vector_bytes, device.vector_registers) == vectors
    assert [(one.name, one.capacity_bytes, one.instances) for one in device.caches] == [
        ("l1", 48 << 10, 4),
        ("l2", 2 << 20, 2),
    ]
    assert device.description == "this machine: A Core, 4 cores"
    assert device.multiply_add.flops_per_cycle_per_unit == vectors[0] // 4 * 2 * 2


def test_a_clock_that_the_system_limits_goes_before_the_current_one(machine: Path) -> None:
    (machine / "cpuinfo").write_text(f"flags : {AVX2}\ncpu MHz : 900.0\n")
    (machine / "cpufreq").mkdir()
    (machine / "cpufreq" / "cpuinfo_max_freq").write_text("3800000\n")
    assert host.host_device.__wrapped__().clock_hz == 3.8e9


def test_a_machine_without_our_vectors_is_told(machine: Path) -> None:
    (machine / "cpuinfo").write_text("flags : fpu sse2 avx\n")
    with pytest.raises(DeviceError, match="'host' lacks avx2, bmi2, f16c, fma: code is generated for AVX2 and AVX-512"):
        host.host_device.__wrapped__()


def test_a_machine_of_another_kind_is_told(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine / "cpuinfo").write_text("")
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="riscv64"))
    with pytest.raises(DeviceError, match="'host' is riscv64, for which no code is generated"):
        host.host_device.__wrapped__()


def test_a_system_without_these_files_is_told(machine: Path) -> None:
    with pytest.raises(DeviceError, match=r"'host' cannot be described: .*cpuinfo: No such file or directory"):
        host.host_device.__wrapped__()


def test_it_is_a_device_like_any_other() -> None:
    assert find_device("HOST").name == "host"
    if os.uname().machine == "x86_64":
        assert find_device("HOST-AVX2").name == "host-avx2"


def test_cores_that_are_described_have_their_ports_and_caches(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes and sharing are the system's; what a cache gives in a cycle follows the clock.

    That is the cores' where the system tells only at which they run, or what a virtual machine says of that.
    """
    flags = " ".join(NEEDED["znver4"])
    (machine / "cpuinfo").write_text(f"flags : {AVX512} {flags}\ncpu MHz : 1850.0\n")
    monkeypatch.setattr(host, "_llvm_name", lambda: "znver4")
    device, core = host.host_device.__wrapped__(), find_device("zen4")
    assert (device.architecture, device.fma_ports, device.load_ports) == ("znver4", 1, 1)
    assert (device.instructions, device.vectors) == (core.instructions, core.vectors)
    first, second = device.caches
    assert (first.capacity_bytes, first.ways, first.bandwidth_bytes_per_s) == (48 << 10, 8, 4 * 64 * 3.7e9)
    known = next(one for one in core.caches if one.name == "l2")
    assert known.latency_s is not None and second.latency_s == pytest.approx(known.latency_s)
    assert (second.instances, second.bandwidth_bytes_per_s) == (2, pytest.approx(2 * 64 * 3.7e9))
    (machine / "cpufreq").mkdir()
    (machine / "cpufreq" / "cpuinfo_max_freq").write_text("1850000\n")
    first, second = host.host_device.__wrapped__().caches
    assert first.bandwidth_bytes_per_s == 4 * 64 * 1.85e9
    assert second.latency_s == pytest.approx(2 * known.latency_s)
    assert (second.instances, second.bandwidth_bytes_per_s) == (2, pytest.approx(2 * 64 * 1.85e9))


@pytest.mark.parametrize("model", ["rocketlake", "graniterapids", "unheard-of"])
def test_cores_with_tile_registers_are_known_by_these(
    machine: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """A hypervisor may give another model, and LLVM may know one that we do not describe."""
    flags, core = set(NEEDED["sapphirerapids"]), find_device("spr")
    monkeypatch.setattr(host, "_llvm_name", lambda: model)
    (machine / "cpuinfo").write_text(f"flags : {AVX512} {' '.join(flags)}\ncpu MHz : 2600.0\n")
    device = host.host_device.__wrapped__()
    assert (device.architecture, device.clock_hz) == ("sapphirerapids", core.clock_hz)
    assert (device.instructions, device.vectors) == (core.instructions, core.vectors)
    (machine / "cpuinfo").write_text(f"flags : {AVX512} {' '.join(flags - {'amx_tile'})}\ncpu MHz : 2600.0\n")
    plain = host.host_device.__wrapped__()
    assert (plain.architecture, plain.clock_hz) == ("x86-64-v4", 2.6e9)
    assert {one.family for one in plain.instructions} == {"fma"}


def test_cores_whose_instructions_are_hidden_have_no_code_of_their_own(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is known of their caches counts all the same."""
    monkeypatch.setattr(host, "_llvm_name", lambda: "sapphirerapids")
    for flags, architecture, width in ((AVX512, "x86-64-v4", 64), (AVX2, "x86-64-v3", 32)):
        (machine / "cpuinfo").write_text(f"flags : {flags}\ncpu MHz : 1000.0\n")
        device = host.host_device.__wrapped__()
        assert device.architecture == architecture and {one.family for one in device.instructions} == {"fma"}
        (second,) = (one for one in device.caches if one.name == "l2")
        assert second.bandwidth_bytes_per_s == 2 * 64 * 3.8e9 and device.vector_bytes == width


def test_what_no_code_has_unasked_may_be_hidden(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hypervisor shows Zen 5 without movdiri and movdir64b; its code is that of Zen 5, products of bf16 included."""
    more = (
        "avx512ifma avx512vbmi avx512_vbmi2 avx512_bf16 avx512_vnni avx512_bitalg avx512_vpopcntdq gfni vaes avx_vnni"
    )
    (machine / "cpuinfo").write_text(f"flags : {AVX512} {more} vpclmulqdq avx512_vp2intersect\ncpu MHz : 2600.0\n")
    monkeypatch.setattr(host, "_llvm_name", lambda: "znver5")
    device = host.host_device.__wrapped__()
    assert device.architecture == "znver5" and {one.family for one in device.instructions} == {"fma", "dot"}


def test_a_machine_is_one_without_its_wider_vectors(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code has no instruction of AVX-512, whatever is known of the core, and its calibration is one of its own."""
    flags = " ".join(NEEDED["znver4"])
    (machine / "cpuinfo").write_text(f"flags : {AVX512} {flags}\ncpu MHz : 1850.0\n")
    monkeypatch.setattr(host, "_llvm_name", lambda: "znver4")
    wide, narrow = (host.host_device.__wrapped__(name) for name in ("host", "host-avx2"))
    assert (narrow.name, narrow.architecture, narrow.vector_bytes) == ("host-avx2", "x86-64-v3", 32)
    assert (narrow.vector_registers, narrow.fma_ports, narrow.load_ports) == (16, 2, 2)
    assert [one.capacity_bytes for one in narrow.caches] == [one.capacity_bytes for one in wide.caches]
    assert host.calibration_file(wide, {"HOME": "/h"}) != host.calibration_file(narrow, {"HOME": "/h"})


def test_a_machine_of_another_kind_has_no_avx2(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine / "cpuinfo").write_text("processor : 0\n")
    monkeypatch.setattr(os, "uname", lambda: SimpleNamespace(machine="aarch64"))
    with pytest.raises(DeviceError, match="'host-avx2' is x86_64 with AVX2, but this machine is aarch64"):
        host.host_device.__wrapped__("host-avx2")


def test_each_core_that_code_is_generated_for_is_described() -> None:
    assert {core for core in NEEDED if not core.startswith("x86-64")} <= set(host._CORES)
    for name in host._CORES.values():
        assert find_device(name).vector_bytes is not None


def test_its_numbers_come_from_files_that_there_are(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flags = " ".join(NEEDED["znver5"])
    (machine / "cpuinfo").write_text(f"flags : {AVX512} {flags}\ncpu MHz : 1850.0\n")
    monkeypatch.setattr(host, "_llvm_name", lambda: "znver5")
    monkeypatch.setattr(host, "host_device", host.host_device.__wrapped__)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(machine))
    described = [machine / "cpuinfo", machine / "cache"]
    assert [path.name for path in host.host_files()] == ["cpuinfo", "cache", "zen5.toml"]
    assert list(host.host_files()[:2]) == described
    calibration = host.calibration_file(host.host_device(), {"XDG_CONFIG_HOME": str(machine)})
    calibration.parent.mkdir()
    calibration.write_text("")
    assert host.host_files()[3:] == (calibration,)


def test_a_description_of_ones_own_is_its_file_whatever_it_is_called(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(device_file("zen4").read_text().replace('name = "zen4"', 'name = "host"'))
    assert device_files(str(mine)) == (mine,) and device_files("zen4") == (device_file("zen4"),)
    with pytest.raises(DeviceError, match="'host' is this machine, which no file of its own describes"):
        device_file("HOST")


def test_it_takes_a_calibration_that_is_given(tmp_path: Path) -> None:
    file = tmp_path / "lab.toml"
    file.write_text('device = "host"\nclock_hz = { value = 1.25e9, source = "a test" }\n')
    assert find_device(f"host+{file}").clock_hz == find_device(f"HOST+{file}").clock_hz == 1.25e9
    assert device_files(f"host+{file}") == device_files("host")
