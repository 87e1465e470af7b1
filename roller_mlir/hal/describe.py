# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Devices as tables of text, for a tool to print: all of them in one table, or all that is known of one."""

from dataclasses import dataclass

from roller_mlir.hal.catalogue import device_names, find_device
from roller_mlir.hal.spec import Device

_UNKNOWN = "unknown"
_PREFIXES = (
    (1e15, "P"),
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "u"),
    (1e-9, "n"),
)


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table of text; every row has as many cells as the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def device_table() -> Table:
    """Return one row for each device that comes with this package."""
    header = ("device", "also named", "architecture", "units", "f32", "memory", "bandwidth", "workgroup memory", "what")
    return Table(title="Devices", header=header, rows=tuple(_summary(find_device(name)) for name in device_names()))


def _summary(device: Device) -> tuple[str, ...]:
    scalar = (one for one in device.instructions if not one.is_matrix and one.operand_type == "f32")
    memory = device.layer("global")
    return (
        device.name,
        ", ".join((*device.aliases, *device.default_for)),
        device.architecture,
        str(device.units),
        si(max(device.peak_flops_per_s(one) for one in scalar), "flop/s"),
        _binary(memory.total_capacity_bytes),
        si(memory.bandwidth_bytes_per_s or memory.sustained_bandwidth_bytes_per_s, "B/s"),
        _binary(device.max_workgroup_bytes_per_block),
        device.description,
    )


def describe(device: Device) -> tuple[Table, ...]:
    """Return all that is known of a device: limits, memory layers, instructions, the model's constants, calibration.

    The table of the calibration is there only for a device that has one.
    """
    tables = (_limits(device), _layers(device), _instructions(device), _model(device))
    return (*tables, _calibration(device)) if device.overrides else tables


def _model(device: Device) -> Table:
    constants = device.model if device.vector_bytes is None else device.vectors
    rows = tuple((key, f"{value:g}") for key, value in vars(constants).items())
    return Table(title="Model constants", header=("constant", "value"), rows=rows)


def _calibration(device: Device) -> Table:
    rows = tuple(
        (one.key, _UNKNOWN if one.was is None else f"{one.was:g}", f"{one.value:g}", one.source, one.file)
        for one in device.overrides
    )
    return Table(title="Calibration", header=("key", "was", "is", "source", "file"), rows=rows)


def _limits(device: Device) -> Table:
    registers = f"{device.registers_per_unit:,} of 32 bits"
    per_thread = str(device.max_registers_per_thread)
    if device.accumulator_registers_per_thread is not None:
        per_thread += f" and {device.accumulator_registers_per_thread} accumulators"
    rows = (
        ("description", device.description),
        ("vendor", device.vendor),
        ("architecture", device.architecture),
        ("aliases", ", ".join(device.aliases) or "none"),
        ("default for", ", ".join(device.default_for) or "none"),
        ("features", ", ".join(device.features) or "none"),
        ("code", "generated" if device.compiles else "none: for the construction and its model only"),
        ("units", str(device.units)),
        ("clock", si(device.clock_hz, "Hz")),
        ("schedulers per unit", str(device.schedulers_per_unit)),
        ("subgroup", f"{device.subgroup_size} threads"),
        ("threads per block", f"at most {device.max_threads_per_block}"),
        ("threads per unit", f"at most {device.max_threads_per_unit}"),
        ("blocks per unit", f"at most {device.max_blocks_per_unit}"),
        ("registers per unit", registers),
        ("registers per thread", f"at most {per_thread}"),
        ("workgroup memory per block", f"at most {_binary(device.max_workgroup_bytes_per_block)}"),
        ("workgroup memory per unit", _binary(device.max_workgroup_bytes_per_unit)),
        ("reserved of it per block", _binary(device.reserved_workgroup_bytes_per_block)),
        *(
            [("unified with the first cache", _binary(device.unified_cache_bytes))]
            if device.unified_cache_bytes is not None
            else []
        ),
        ("static workgroup memory", f"at most {_binary(device.static_workgroup_bytes)}"),
        ("widest access", f"{device.max_access_bytes} B"),
        ("launch to launch", si(device.launch_latency_s, "s")),
    )
    return Table(title=device.name, header=("property", "value"), rows=rows)


def _layers(device: Device) -> Table:
    shared = any(layer.unit_bandwidth_bytes_per_s is not None for layer in device.layers)
    rates = ("peak", "sustained", *(("of one unit",) if shared else ()))
    header = ("layer", "kind", "instances", "capacity", *rates, "latency", "transaction", "line", "banks")
    rows = tuple(
        (
            layer.name,
            layer.kind,
            str(layer.instances),
            _binary(layer.capacity_bytes),
            si(layer.bandwidth_bytes_per_s, "B/s"),
            si(layer.sustained_bandwidth_bytes_per_s, "B/s"),
            *((si(layer.unit_bandwidth_bytes_per_s, "B/s"),) if shared else ()),
            si(layer.latency_s, "s"),
            _bytes(layer.transaction_bytes),
            _bytes(layer.line_bytes) if layer.kind == "cached" else "",
            f"{layer.banks} x {layer.bank_bytes} B" if layer.banks is not None else "",
        )
        for layer in device.layers
    )
    return Table(title="Memory layers", header=header, rows=rows)


def _instructions(device: Device) -> Table:
    header = ("instruction", "family", "from", "to", "shape", "threads", "flop/cycle/unit", "peak", "sustained clock")
    rows = tuple(
        (
            one.name,
            one.family,
            one.operand_type,
            one.result_type,
            _shape(one.shape) + (f" to {_shape(one.max_shape)}" if one.max_shape != one.shape else ""),
            str(one.threads),
            str(one.flops_per_cycle_per_unit),
            si(device.peak_flops_per_s(one), "flop/s"),
            si(one.sustained_clock_hz, "Hz") if one.sustained_clock_hz is not None else "",
        )
        for one in device.instructions
    )
    return Table(title="Instructions", header=header, rows=rows)


def _shape(extents: tuple[int, ...]) -> str:
    return "x".join(str(extent) for extent in extents)


def _bytes(value: int | None) -> str:
    return _UNKNOWN if value is None else f"{value} B"


def _binary(value: int) -> str:
    """Write a size with a binary prefix: 232448 as "227 KiB"."""
    for factor, prefix in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if value >= factor:
            return f"{value / factor:g} {prefix}B"
    return f"{value} B"


def si(value: float | None, unit: str) -> str:
    """Write a quantity with three digits and an SI prefix: 4.8e12 B/s as "4.80 TB/s"."""
    if value is None:
        return _UNKNOWN
    factor, prefix = next((one for one in _PREFIXES if value >= one[0]), _PREFIXES[-1])
    number = value / factor
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {prefix}{unit}"
