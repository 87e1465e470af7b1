# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How `roller explain` writes quantities and tiles, in the terminal and on the page alike."""

from collections.abc import Sequence
from math import inf

from roller_mlir.model.explain.explanation import Explanation, OperatorFacts, SplitFacts
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.report.quantities import si, size


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
                f"joins {one.split.parts} parts of {one.split.extent} points of d{one.split.axis}, "
                f"{'in the same kernel' if one.split.joined else 'in a second kernel'}: "
                f"{seconds(one.split.join_seconds)}",
            )
        )
    return rows


def streaming(one: Explanation) -> str:
    """Say why the tiles of an operator that reuses nothing are made for the top layer only."""
    found = {score(entry.score) for entry in one.path.scores}
    each = ", ".join(f"{score(entry.score)} along d{entry.axis}" for entry in one.path.scores)
    says = f"constant ({found.pop()})" if len(found) == 1 else each or "of no loop: the tile covers all"
    made = f"tiles are made for the top layer only, out of {one.path.searched} programs"
    return f"streaming: the reuse score of a larger tile is {says}; {made}"


def division(split: SplitFacts) -> str:
    """Say how a reduction is divided, and what joins its parts."""
    join = f"{tile(split.join_block)}, {split.join_threads} threads, predicted {seconds(split.join_seconds)}"
    each = f"d{split.axis} is divided over {split.parts} tasks of {split.extent} points"
    who = "the block of each tile that ends last" if split.joined else "a second kernel"
    return f"{each}; {who} joins them ({join})"


def summary(one: Explanation) -> list[tuple[str, str]]:
    """Return what a reader looks for first, in pairs of a name and a value."""
    winner = one.candidates[0]
    split = f", split in {winner.split}" if winner.split > 1 else ""
    return [
        ("predicted time", seconds(winner.seconds)),
        ("limited by", winner.saturated),
        ("block", tile(winner.block) + split),
        ("thread", tile(winner.thread)),
        ("threads", f"{winner.threads}"),
        ("instruction", winner.instruction),
        ("occupancy", share(winner.occupancy)),
        ("waves", f"{winner.waves:.2f}"),
    ]
