# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was measured of the running machine as a table, and as a calibration file (`hal.files.calibration`)."""

import json
import os
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

from roller_mlir.evaluation.measure.calibration.file import CalibrationError, plain
from roller_mlir.evaluation.measure.host_calibration.probes import HostFigure
from roller_mlir.hal import Device, DeviceError, Table
from roller_mlir.hal.describe import si
from roller_mlir.hal.files.calibration import parse_calibration

COMMAND = "roller devices host --calibrate"
_UNITS = {
    "clock_hz": "Hz",
    "latency_s": "s",
    "bandwidth_bytes_per_s": "B/s",
    "unit_bandwidth_bytes_per_s": "B/s",
}
_WHOLE = ("fma_ports", "load_ports", "flops_per_cycle_per_unit")


def host_table(found: Sequence[HostFigure], device: Device) -> Table:
    """Return what was measured beside what the machine says of itself.

    Args:
        found: The figures.
        device: The machine, without a calibration.
    """
    rows = [
        (
            one.name,
            _shown(_known(device, one), one.key),
            "none" if one.value is None else _shown(one.value, one.key),
            f"{one.spread:.0%}",
            one.problem or one.how,
        )
        for one in found
    ]
    header = ("constant", "described", "measured", "spread", "left out, or what was timed")
    return Table(title=f"Constants of {device.description}", header=header, rows=tuple(rows))


def host_toml(found: Sequence[HostFigure], device: Device, day: date) -> str:
    """Return the calibration file of the running machine.

    Args:
        found: The figures; those with a problem are left out.
        device: The machine, without a calibration.
        day: When they were measured.

    Raises:
        CalibrationError: They make no device that can be.
    """
    kept = [one for one in found if not one.problem and one.value is not None]
    load = f"{os.getloadavg()[0]:.1f} processes wanted {os.cpu_count()} cores"
    lines = [f"# Measured on {plain(device.description)}, {day.isoformat()}; {load}.", f"# Command: {COMMAND}"]
    text = "\n".join([*lines, *_lines(kept, device, day)]) + "\n"
    try:
        parse_calibration(device, text, file="the calibration")
    except DeviceError as error:
        raise CalibrationError(f"what was measured makes no device that can be: {error}") from error
    return text


def _lines(kept: Sequence[HostFigure], device: Device, day: date) -> Iterator[str]:
    yield f"device = {json.dumps(device.name)}"
    for table in dict.fromkeys([(), *(one.table for one in kept)]):
        inside = [one for one in kept if one.table == table]
        if table[:1] == ("instructions",):
            yield "\n[[instructions]]"
            names = zip(("name", "operand_type", "result_type"), table[1:], strict=True)
            yield from (f"{key} = {json.dumps(name)}" for key, name in names)
        elif table:
            yield f"\n[{'.'.join(table)}]"
        for one in inside:
            assert one.value is not None, "what gave nothing is left out"
            value = int(one.value) if one.key in _WHOLE else float(f"{one.value:.4g}")
            source = f"{COMMAND}: {one.how}; {day.isoformat()}, spread {one.spread:.0%}"
            yield f"{one.key} = {{ value = {value!r}, source = {json.dumps(plain(source))} }}"


def _known(device: Device, one: HostFigure) -> float | None:
    """Return what a description says of a constant."""
    if one.table[:1] == ("layers",):
        holder: object = device.layer(one.table[1])
    elif one.table[:1] == ("instructions",):
        holder = device.instruction(*one.table[1:])
    else:
        holder = getattr(device, one.table[0]) if one.table else device
    value: float | None = getattr(holder, one.key)
    return value


def _shown(value: float | None, key: str) -> str:
    unit = _UNITS.get(key)
    if value is None:
        return si(value, "")
    return si(value, unit) if unit else f"{value:.4g}"


def check_folder(path: Path) -> None:
    """Make the folder of a calibration where it is missing.

    Raises:
        CalibrationError: It cannot be made.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CalibrationError(f"{path} cannot be written: {error.strerror}") from error
