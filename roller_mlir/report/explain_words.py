# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `roller explain` writes quantities and tiles, in the terminal and on the page alike."""

from collections.abc import Sequence
from math import inf

from roller_mlir.console.output import seconds
from roller_mlir.model.explain.explanation import Explanation, OperatorFacts
from roller_mlir.model.search.axis_limits import AxisLimits, RuleSizes

_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def si(value: float, unit: str) -> str:
    """Write a quantity of at least 1 with three digits and an SI prefix.

    >>> si(4.8e12, "B/s"), si(170.7, "flop/B"), si(66908160000000, "flop/s")
    ('4.80 TB/s', '171 flop/B', '66.9 Tflop/s')
    """
    factor, prefix = next(((f, p) for f, p in _PREFIXES if value >= f), (1.0, ""))
    number = value / factor
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {prefix}{unit}"


def size(value: float) -> str:
    """Write bytes with a binary prefix.

    >>> size(232448), size(96), size(12582912)
    ('227 KiB', '96 B', '12 MiB')
    """
    for factor, prefix in ((2**30, "Gi"), (2**20, "Mi"), (2**10, "Ki")):
        if value >= factor:
            return f"{value / factor:.4g} {prefix}B"
    return f"{value:.0f} B"


def tile(extents: Sequence[int]) -> str:
    """Write a tile; a scalar has no extents.

    >>> tile((128, 128, 8)), tile(())
    ('128x128x8', 'scalar')
    """
    return "x".join(map(str, extents)) or "scalar"


def score(value: float | None) -> str:
    """Write a reuse score.

    >>> score(65536.0), score(0.0), score(float("inf")), score(None)
    ('6.554e+04', '0', 'inf', '')
    """
    if value is None:
        return ""
    return "inf" if value == inf else f"{value:.4g}"


def amount(value: float, unit: str) -> str:
    """Write a traffic or a footprint: bytes with a binary prefix, elements with a decimal one.

    >>> amount(2147483648, "bytes"), amount(2147483648, "elements"), amount(80, "elements")
    ('2 GiB', '2.15 G', '80')
    """
    if unit == "bytes":
        return size(value)
    return f"{value:.0f}" if value < 1e4 else si(value, "").strip()


def share(value: float) -> str:
    """Write a share.

    >>> share(0.5193)
    '51.9%'
    """
    return f"{value:.1%}"


def fusion(operator: OperatorFacts) -> str:
    """Say what axis fusion did, where the source's loops are known."""
    after = tile([loop.extent for loop in operator.loops])
    if operator.source_extents is None:
        return f"{after}, after axis fusion"
    before = tile(operator.source_extents)
    return f"{after}, none fused" if before == after else f"{after}, fused from {before}"


def asked(axis: AxisLimits) -> list[RuleSizes]:
    """Return the rules that ask something of a loop: those that refuse a size of it, or that say what its rows need."""
    return [rule for rule in axis.rules if rule.refused or (rule.asks and rule.rule != "tensor-shape")]


def facts(one: Explanation) -> list[tuple[str, str]]:
    """Return the operator in pairs of a name and a value."""
    operator = one.operator
    body = "fused multiply-add" if operator.fused_multiply_add else operator.combiner or "element-wise"
    return [
        ("loops", fusion(operator)),
        ("body", body),
        ("flops", si(operator.flops, "flop")),
        ("tensors", size(operator.tensor_bytes)),
        ("arithmetic intensity", f"{operator.intensity:.4g} flop/B"),
    ]


def limits(one: Explanation) -> list[tuple[str, str]]:
    """Return the device's limits in pairs of a name and a value."""
    device = one.limits
    units = f"{device.units}" if device.units == device.device_units else f"{device.units} of {device.device_units}"
    rows = [
        ("units", f"{units} at {si(device.clock_hz, 'Hz')}, {device.schedulers_per_unit} schedulers"),
        ("subgroup", f"{device.subgroup_size} threads; a task has a multiple of that"),
        ("threads", f"{device.max_threads_per_block} a block, {device.max_threads_per_unit} a unit"),
        ("registers", f"{device.max_registers_per_thread} a thread, {device.registers_per_unit} a unit"),
        (
            "workgroup memory",
            f"{size(device.max_workgroup_bytes_per_block)} a block, {size(device.max_workgroup_bytes_per_unit)} a unit",
        ),
        ("banks", f"{device.banks} of {device.bank_bytes} B"),
        ("transaction", f"{device.transaction_bytes} B"),
        ("global memory", si(device.global_bytes_per_s, "B/s")),
    ]
    if device.cache_bytes:
        rows.append(("last cache", f"{size(device.cache_bytes)}, {si(device.cache_bytes_per_s, 'B/s')}"))
    line = one.roofline
    rows.append((line.instruction, si(line.peak_flops_per_s, "flop/s")))
    rows.append(("launch", seconds(device.launch_s) if device.launch_s else "not known"))
    return rows


def record(one: Explanation) -> list[tuple[str, str]]:
    """Return the winner's prediction, but for its layers, in pairs of a name and a value."""
    found = one.prediction
    rows = [
        ("predicted time", seconds(found.seconds)),
        ("limited by", found.saturated),
        ("global loads", f"{size(found.global_load_bytes)} in {found.global_load_sectors:,} sectors of 32 B"),
        ("global stores", f"{size(found.global_store_bytes)} in {found.global_store_sectors:,} sectors of 32 B"),
        ("workgroup reads", f"{size(found.shared_load_bytes)} in {found.shared_load_phases:,} bank phases"),
        ("workgroup writes", f"{size(found.shared_store_bytes)} in {found.shared_store_phases:,} bank phases"),
        ("registers", f"{found.registers} a thread"),
        ("workgroup memory", f"{size(found.shared_bytes)} a task"),
        ("tasks", f"{found.tasks:,} of {found.threads} threads, {found.tasks_per_unit} on a unit"),
        ("occupancy", share(found.occupancy)),
        ("waves", f"{found.waves:.2f}; {share(one.tail)} of the last round's places stay empty"),
    ]
    if one.split is not None:
        rows.append(
            (
                "second stage",
                f"joins {one.split.parts} parts of {one.split.extent} points of d{one.split.axis}: "
                f"{seconds(one.split.join_seconds)}",
            )
        )
    return rows
