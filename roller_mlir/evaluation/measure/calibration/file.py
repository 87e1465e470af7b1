# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a runner as a calibration file for `--calibration`; see `hal.files.calibration` for the format."""

import json
from collections.abc import Iterator, Sequence

from roller_mlir.evaluation.measure.calibration.constants import CalibrationConstant, constants
from roller_mlir.evaluation.measure.calibration.figures import figures
from roller_mlir.evaluation.measure.measured_device import other_device
from roller_mlir.evaluation.measure.records import MeasuredMachine, Results
from roller_mlir.hal import Device, DeviceError
from roller_mlir.hal.files.calibration import parse_calibration


class CalibrationError(ValueError):
    """Results that no calibration can be made of."""


def require_device(results: Results, device: Device) -> None:
    """Check that results are of a device.

    Raises:
        CalibrationError: They are of another one.
    """
    if results.kit.target not in (device.name, *device.aliases, *device.default_for):
        raise CalibrationError(
            f"the results are of a kit for '{results.kit.target}', but the device is '{device.name}'"
        )
    if results.machine.back_end == "sim":
        return
    other = other_device(results.machine, device)
    if other:
        raise CalibrationError(f"the results are of {other}")


def calibration_toml(results: Results, device: Device) -> str:
    """Return the calibration file of a device: what was measured, and nothing else.

    Args:
        results: Of a runner on that device.
        device: As it is described.

    Returns:
        TOML with a source for each value.

    Raises:
        CalibrationError: The results are of a dry run or of another device, or have nothing to calibrate.
    """
    require_device(results, device)
    if results.machine.back_end == "sim":
        raise CalibrationError(
            "the results are of a dry run, whose times are the simulator's and of no device; run the kit on a "
            f"'{device.name}'"
        )
    kept = [one for one in constants(device, figures(results)) if not one.problem]
    if not kept:
        raise CalibrationError(
            "the results have nothing to calibrate: no probe gave a figure that can be believed; run the kit with "
            "--phases calibrate"
        )
    text = "\n".join(_lines(device, results.machine, kept)) + "\n"
    try:
        parse_calibration(device, text, file="the calibration")
    except DeviceError as error:
        raise CalibrationError(f"what was measured makes no device that can be: {error}") from error
    return text


def _lines(device: Device, machine: MeasuredMachine, kept: Sequence[CalibrationConstant]) -> Iterator[str]:
    yield f"# Measured on {plain(machine.device)}, driver {plain(machine.driver)}, {_date(machine)}."
    yield f"# Command: {plain(machine.command)}" if machine.command else "# Command: not known"
    yield f"device = {json.dumps(device.name)}"
    for one in kept:
        if not one.table:
            yield _entry(one, machine)
    for layer in device.layers:
        inside = [one for one in kept if one.table == ("layers", layer.name)]
        if inside:
            yield f"\n[layers.{layer.name}]"
            yield from (_entry(one, machine) for one in inside)
    for one in kept:
        if one.table[:1] == ("instructions",):
            yield "\n[[instructions]]"
            names = zip(("name", "operand_type", "result_type"), one.table[1:], strict=True)
            yield from (f"{key} = {json.dumps(name)}" for key, name in names)
            yield _entry(one, machine)
    inside = [one for one in kept if one.table == ("model",)]
    if inside:
        yield "\n[model]"
        yield from (_entry(one, machine) for one in inside)


def _entry(one: CalibrationConstant, machine: MeasuredMachine) -> str:
    whole = one.key == "flops_per_cycle_per_unit"
    value = str(int(one.value)) if whole else repr(float(one.value))
    return f"{one.key} = {{ value = {value}, source = {json.dumps(source(one, machine))} }}"


def source(one: CalibrationConstant, machine: MeasuredMachine) -> str:
    """Return who measured a constant, with what, when.

    Args:
        one: The constant.
        machine: Where.
    """
    how = f" ({one.how})" if one.how else ""
    where = f"{plain(machine.device)}, driver {plain(machine.driver)}, {_date(machine)}"
    return f"roller kit, probe {one.figure.probe.name}{how}, {where}"


def _date(machine: MeasuredMachine) -> str:
    return plain(machine.started).split(" ")[0].split("T")[0] or "no date"


def plain(text: str) -> str:
    """Return text in one line of ASCII: TOML's strings as JSON writes them have no other escapes in common."""
    return " ".join(text.encode("ascii", "replace").decode().split()).replace("\x7f", "?") or "unknown"
