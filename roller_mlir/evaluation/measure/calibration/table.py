# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was measured, and what of it becomes which constant, as tables of text."""

from collections.abc import Sequence

from roller_mlir.evaluation.measure.calibration.constants import CalibrationConstant, constants
from roller_mlir.evaluation.measure.calibration.figures import Figure, figures
from roller_mlir.evaluation.measure.records import MeasuredMachine, Results
from roller_mlir.hal import Device
from roller_mlir.hal.describe import Table, si

_UNITS = {
    "clock_hz": "Hz",
    "launch_latency_s": "s",
    "latency_s": "s",
    "bandwidth_bytes_per_s": "B/s",
    "sustained_bandwidth_bytes_per_s": "B/s",
    "flops_per_cycle_per_unit": "flop/cycle",
    "atomic_cost": "B/B",
}


def calibration_tables(results: Results, device: Device) -> list[Table]:
    """Return a table of all figures, and one of the constants beside what the description says.

    Args:
        results: Of a runner.
        device: As it is described.
    """
    found = list(figures(results))
    return [_figures(found, results.machine), _constants(constants(device, found), results.machine, device)]


def _where(machine: MeasuredMachine) -> str:
    if machine.back_end == "sim":
        return "DRY RUN: wall times of the simulator, of no device"
    return " ".join(f"{machine.device}, driver {machine.driver}".split())


def _figures(found: Sequence[Figure], machine: MeasuredMachine) -> Table:
    rows: list[tuple[str, ...]] = []
    for one in found:
        probe = one.probe
        size = si(probe.size_bytes, "B") if probe.size_bytes else ""
        value = "none" if one.value is None else si(one.value, one.unit)
        rows.append((probe.name, probe.subject, size, value, f"{one.spread:.0%}", one.problem))
    header = ("probe", "subject", "working set", "measured", "spread", "problem")
    return Table(title=f"Micro-benchmarks ({_where(machine)})", header=header, rows=tuple(rows))


def _shown(value: float | None, unit: str) -> str:
    return f"{value:.4g} {unit}" if value is not None and unit in ("flop/cycle", "B/B") else si(value, unit)


def _constants(found: Sequence[CalibrationConstant], machine: MeasuredMachine, device: Device) -> Table:
    rows: list[tuple[str, ...]] = []
    for one in found:
        unit = _UNITS[one.key]
        ratio = f"{one.value / one.documented:.2f}" if one.documented else ""
        shown = [_shown(value, unit) for value in (one.documented, one.value)]
        rows.append((one.name, *shown, ratio, one.figure.probe.name, one.problem or one.how))
    header = ("constant", "documented", "measured", "ratio", "probe", "left out, or how it was computed")
    return Table(title=f"Constants of {device.name} ({_where(machine)})", header=header, rows=tuple(rows))
