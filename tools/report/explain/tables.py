# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of an explanation, in the terminal and on the page alike."""

from math import prod

from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.model.explain.trace import Walk
from roller_mlir.model.search.axis_limits import AxisLimits, RuleSizes
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.report.explain.words import amount, score, share, tile
from roller_mlir.tools.report.quantities import si, size
from roller_mlir.tools.report.table import Grid, TableCell, grid


def tensors(one: Explanation) -> Grid:
    """Return the tensors, each with the winner's tile on it."""
    head = ("tensor", "role", "shape", "type", "indices", "bytes", "task's tile", "thread's", "halo", "staged")
    rows = [
        (
            *(tensor.name, tensor.role, tile(tensor.shape), tensor.element_type, tensor.index_map),
            *(size(tensor.size_bytes), tile(tensor.tile.block), tile(tensor.tile.thread)),
            tile(tensor.tile.task_halo) if any(tensor.tile.task_halo) else "",
            "yes" if tensor.tile.staged else "",
        )
        for tensor in one.operator.tensors
    ]
    return grid(head, "ssmsssmmms", rows)


def rules(one: Explanation) -> Grid:
    """Return what the alignment rules ask of each loop, and the sizes that they refuse."""
    rows: list[tuple[str | int, ...]] = []
    for axis in one.alignment.axes:
        for number, rule in enumerate(_asked(axis)):
            refused = ", ".join(map(str, rule.refused[:8])) + (", ..." if len(rule.refused) > 8 else "")
            first = (f"d{axis.axis}", axis.extent, axis.block) if number == 0 else ("", "", "")
            rows.append((*first, rule.rule, rule.asks, refused or "none", "yes" if rule.met else "no"))
    return grid(("loop", "extent", "block", "rule", "asks", "refuses", "met"), "snnstss", rows)


def _asked(axis: AxisLimits) -> list[RuleSizes]:
    """Return the rules that ask something of a loop: those that refuse a size of it, or that say what its rows need."""
    return [rule for rule in axis.rules if rule.refused or (rule.asks and rule.rule != "tensor-shape")]


def axes(one: Explanation) -> Grid:
    """Return what keeps each loop from its next size."""
    rows = [
        (f"d{axis.axis}", axis.block, axis.thread, axis.threads, share(axis.padding), axis.limit, axis.why)
        for axis in one.alignment.axes
    ]
    return grid(("loop", "block", "thread", "threads", "padding", "limit", "why"), "snnnnst", rows)


def banks(one: Explanation) -> Grid:
    """Return the padding of each staged operand, and the bank phases with and without it."""
    rows = [
        (
            *(bank.tensor, bank.row, bank.fragment, bank.swizzle or bank.pad, bank.paper_pad),
            *("" if n is None else n for n in (bank.phases, bank.paper_phases, bank.unpadded_phases)),
        )
        for bank in one.alignment.banks
    ]
    paper = ("by the paper's formula", "phases", "by the formula", "without")
    return grid(("staged", "row", "read at once", "padding", *paper), "snnnnnnn", rows)


def steps(walk: Walk) -> Grid:
    """Return the enlargements of a layer, each with the scores of those that were not taken."""
    rows = [
        (
            "" if step.axis is None else f"d{step.axis}",
            tile(step.tile),
            amount(step.traffic, walk.unit),
            amount(step.footprint, walk.unit),
            score(step.score),
            "yes" if step.saturates else "",
            ", ".join(f"d{o.axis} {score(o.score)}{'' if o.fits else ' (too large)'}" for o in step.others),
        )
        for step in walk.steps
    ]
    told = (f"Q ({walk.unit})", f"F ({walk.unit})", "reuse score", "fast enough", "scores of the other axes")
    return grid(("loop", "tile", *told), "smnnnss", rows)


def shrinks(one: Explanation) -> Grid:
    """Return the steps that made a tile smaller."""
    rows = [(f"d{s.axis}", tile(s.registers), tile(s.blocks), score(s.score), s.tasks) for s in one.path.shrinks]
    return grid(("loop", "register tile", "block tile", "score", "tasks"), "smmnn", rows)


def descent(one: Explanation) -> Grid:
    """Return the steps along the predicted time."""
    rows = [(tile(r.registers), tile(r.blocks), r.threads, r.split, seconds(r.seconds)) for r in one.path.descent]
    return grid(("register tile", "block tile", "threads", "parts", "predicted"), "mmnnn", rows)


def candidates(one: Explanation) -> Grid:
    """Return the best programs."""
    split = any(row.split > 1 for row in one.candidates)
    rows: list[tuple[TableCell | int, ...]] = []
    for row in one.candidates:
        moved = row.load_bytes + row.store_bytes
        rows.append(
            (
                *(row.rank, TableCell(tile(row.block), prod(row.block)), TableCell(tile(row.thread), prod(row.thread))),
                *(row.threads, row.stages, TableCell(row.instruction + ("" if row.emitted else "*"), row.instruction)),
                *((row.split,) if split else ()),
                *(row.registers, TableCell(size(row.workgroup_bytes), row.workgroup_bytes)),
                *(TableCell(share(row.occupancy), row.occupancy), TableCell(f"{row.waves:.2f}", row.waves)),
                *(TableCell(size(moved), moved), TableCell(seconds(row.seconds), row.seconds)),
                TableCell(row.saturated, row.saturated),
            )
        )
    head = ("", "block", "thread", "threads", "stages", "instr", *(("split",) if split else ()))
    head = (*head, "regs", "wg mem", "occup", "waves", "bytes", "time", "limit")
    return grid(head, "rmmnns" + ("n" if split else "") + "nnnnnns", rows, sortable=True)


def roofs(one: Explanation) -> Grid:
    """Return per layer its rate, bytes, intensity, the bound there, and the predicted share of it."""
    line = one.roofline
    rows = [
        (
            *(roof.layer, si(roof.bytes_per_s, "B/s"), si(roof.moved_bytes, "B"), f"{roof.intensity:.4g} flop/B"),
            *(si(roof.bound_flops_per_s, "flop/s"), share(roof.share)),
        )
        for roof in line.roofs
    ]
    peak = line.predicted_flops_per_s / line.peak_flops_per_s
    rows.append((line.instruction, "", "", "", si(line.peak_flops_per_s, "flop/s"), share(peak)))
    return grid(("roof", "rate", "moved", "intensity", "bound", "predicted share"), "snnnnn", rows)
