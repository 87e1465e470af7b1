# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The running machine's constants: kernels compute what they say, figures make a calibration that `host` uses."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest

from roller_mlir.evaluation.measure.calibration.file import CalibrationError
from roller_mlir.evaluation.measure.host_calibration import kernels
from roller_mlir.evaluation.measure.host_calibration.host_file import host_table, host_toml
from roller_mlir.evaluation.measure.host_calibration.native import NativeFunction, timed
from roller_mlir.evaluation.measure.host_calibration.probes import HostFigure, HostProbes
from roller_mlir.hal import Device, DeviceError, find_device, host, parse_calibration
from roller_mlir.hal.host import calibrated_host, calibration_file, host_device
from roller_mlir.tools.roller import main

DAY = date(2026, 11, 26)


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder for settings, in which nothing is found that was known before."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    calibrated_host.cache_clear()
    yield tmp_path
    calibrated_host.cache_clear()


@pytest.fixture(scope="module")
def small() -> Device:
    """Return this machine with caches so small that they are measured in a moment."""
    device = host_device()
    sizes = {"l1": 32 << 10, "l2": 128 << 10, "l3": 512 << 10}
    kept = [one for one in device.layers if one.kind != "cached" or one.name in sizes]
    layers = tuple(replace(one, capacity_bytes=sizes.get(one.name, one.capacity_bytes)) for one in kept)
    return replace(device, layers=layers)


def test_chains_and_sums_are_right() -> None:
    """What is timed is what is said: n turns, all elements, all rows."""
    chain = NativeFunction(kernels.integer_chain())
    expected = 3
    for turn in range(50):
        for place in range(kernels.CHAIN):
            expected = expected ^ turn if place % 2 else expected + turn
    assert chain(0, 0, 50, 3) == expected
    given, out = np.array([1.0, 0.5], np.float32), np.zeros(8, np.float32)
    NativeFunction(kernels.multiply_adds("float", 8, 3))(given.ctypes.data, out.ctypes.data, 40)
    assert out == pytest.approx(np.full(8, 6.0))
    numbers = np.arange(2048, dtype=np.float32)
    NativeFunction(kernels.reads(8))(numbers.ctypes.data, out.ctypes.data, 8, 3)
    assert out.sum() == 3 * numbers.sum()


@pytest.mark.parametrize("passes", [1, 5])
def test_a_micro_kernel_adds_products_of_rows_and_vectors(passes: int) -> None:
    """Two rows 8 elements apart, two vectors of 4, passes of 2 points in a window of 4."""
    vectors = np.arange(32, dtype=np.float32)
    room = np.arange(64, dtype=np.float32)
    rows = room[32:]
    expected = np.zeros(4)
    for turn in range(passes):
        for point in range(2):
            at = (turn * 16 % 32) + point * 8
            for row in range(2):
                expected += rows[row * 8 + point] * (vectors[at : at + 4] + vectors[at + 4 : at + 8])
    function = NativeFunction(kernels.micro_kernel(2, 2, 4, 32, 128))
    function(vectors.ctypes.data, rows.ctypes.data, 2, passes)
    assert room[28:32].tolist() == expected.tolist()


def test_packing_copies_rows() -> None:
    wide, packed = np.arange(3 * 200, dtype=np.float32), np.zeros(3 * 64, np.float32)
    NativeFunction(kernels.packing(8, 256))(wide.ctypes.data, packed.ctypes.data, 3, 800)
    assert packed.reshape(3, 64).tolist() == wide.reshape(3, 200)[:, :64].tolist()


def test_the_least_sample_counts() -> None:
    found = timed(lambda: sum(range(1000)), 0.005)
    assert found.least_s > 0 and found.spread >= 0


def test_figures_make_a_calibration(small: Device) -> None:
    found = HostProbes(small, budget_s=0.002, rounds=1).measure()
    values = {one.name: one.value for one in found}
    assert values["clock_hz"] and 1e8 < values["clock_hz"] < 2e10
    for name in ("l1", "l2", "l3"):
        rates = [one for one in found if one.table == ("layers", name)]
        assert {one.key for one in rates} >= {"latency_s", "bandwidth_bytes_per_s"}
        assert all(one.value and one.value > 0 for one in rates)
    assert {one.key for one in found if one.table == ("vectors",)} == {
        "fma_latency_cycles",
        "conflict_cycles",
        "pack_row_cycles",
        "pack_line_cycles",
        "hidden_share",
    }
    device = parse_calibration(small, host_toml(found, small, DAY), file="host.toml")
    assert device.clock_hz == pytest.approx(values["clock_hz"], rel=1e-3)
    assert {one.key for one in device.overrides} == {
        one.name.replace(".f32.f32", ".f32").replace(".f64.f64", ".f64")
        for one in found
        if not one.problem and one.value is not None
    }
    assert all(one.source.startswith("roller devices host --calibrate: ") for one in device.overrides)
    assert all("2026-11-26, spread" in one.source for one in device.overrides)
    assert [row[0] for row in host_table(found, small).rows] == [one.name for one in found]


def figure(key: str, value: float | None, *table: str, problem: str = "") -> HostFigure:
    return HostFigure(table=table, key=key, value=value, spread=0.1, how="guessed", problem=problem)


def test_what_is_not_believed_is_left_out() -> None:
    device = host_device()
    found = [
        figure("clock_hz", 3e9),
        figure("load_ports", 1.0, problem="1.49 is no whole number of ports"),
        figure("latency_s", None, "layers", "global", problem="needs 600 MB"),
    ]
    text = host_toml(found, device, DAY)
    assert "load_ports" not in text and "latency_s" not in text
    rows = host_table(found, device).rows
    assert rows[1][-1] == "1.49 is no whole number of ports" and rows[2][2] == "none"
    with pytest.raises(CalibrationError, match="what was measured makes no device that can be"):
        host_toml([figure("clock_hz", 3.0)], device, DAY)


def test_host_uses_the_calibration_of_this_machine(config: Path) -> None:
    plain = host_device()
    path = calibration_file(plain, {"XDG_CONFIG_HOME": str(config)})
    assert path.parent == config / "roller" and find_device("host") == plain
    path.parent.mkdir()
    path.write_text(host_toml([figure("clock_hz", 3.25e9)], plain, DAY))
    calibrated_host.cache_clear()
    device = find_device("host")
    assert device.clock_hz == 3.25e9 and device.overrides[0].file == str(path)
    assert device.description == f"{plain.description}, calibrated"
    path.write_text('device = "h200"\n')
    calibrated_host.cache_clear()
    with pytest.raises(DeviceError, match=r"is a calibration of 'h200'.*; remove it, or write it anew: roller devices"):
        find_device("host")


def test_where_a_calibration_lies() -> None:
    device = host_device()
    home = calibration_file(device, {"HOME": "/d", "XDG_CONFIG_HOME": "relative"})
    assert home.parent == Path("/d/.config/roller")
    other = calibration_file(replace(device, description="another machine"), {"HOME": "/d"})
    assert other.parent == home.parent and other != home


def test_the_command_measures_and_writes(
    config: Path, small: Device, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from roller_mlir.tools.commands import devices

    found = HostProbes(small, budget_s=0.001, rounds=1).measure()
    monkeypatch.setattr(HostProbes, "measure", lambda _: found)
    assert main(["devices", "host", "--calibrate", "-o", str(config / "mine.toml")]) == 0
    assert "use it with --target host --calibration" in capsys.readouterr().out
    assert main(["devices", "host", "--calibrate"]) == 0
    assert "host is this from now on" in capsys.readouterr().out
    path = devices.calibration_file(host.host_device(), {"XDG_CONFIG_HOME": str(config)})
    assert path.read_text() == (config / "mine.toml").read_text()
    calibrated_host.cache_clear()
    assert main(["devices", "host"]) == 0
    assert "Calibration" in capsys.readouterr().out
    assert main(["devices", "h200", "--calibrate"]) == 2
    assert "--calibrate without RESULTS measures this machine, whose name is 'host'" in capsys.readouterr().err
    assert main(["devices", "host", "--calibrate", "-o", str(config / "none" / "mine.toml")]) == 1
