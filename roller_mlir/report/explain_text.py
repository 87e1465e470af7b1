# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An explanation for a terminal: the sections of `roller explain`, one below the other."""

import io
from collections.abc import Callable, Sequence

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roller_mlir.codegen import FAMILIES
from roller_mlir.console.output import seconds
from roller_mlir.console.printable import PrintableConsole
from roller_mlir.hal import Device
from roller_mlir.model import ConstructOptions
from roller_mlir.model.explain.decision import explain
from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.model.explain.trace import Walk
from roller_mlir.model.search.axis_limits import AxisLimits
from roller_mlir.plan import TensorExpression
from roller_mlir.report.explain_chart import roofline_chart, roofline_rows
from roller_mlir.report.explain_words import amount, asked, facts, limits, record, score, share, size, tile

WIDTH = 160
"""Columns of text that goes to a file or a pipe."""

_Print = Callable[..., None]
_PLAIN = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def explain_text(expression: TensorExpression, device: Device, options: ConstructOptions | None = None) -> str:
    """Return what `roller explain` prints of one operator, in ASCII.

    Args:
        expression: The operator.
        device: The device.
        options: Those of the construction; None for the defaults.

    Raises:
        ConstructionError: No program fits the device.
    """
    return plain_text(explain(expression, device, options, families=FAMILIES))


def plain_text(one: Explanation) -> str:
    """Return an explanation as ASCII text."""
    stream = io.StringIO()
    console = PrintableConsole(file=stream, width=WIDTH, highlight=False, color_system=None, legacy_windows=False)
    print_explanation(one, console, plain=True)
    return "\n".join(line.rstrip() for line in stream.getvalue().split("\n"))


def print_explanation(one: Explanation, console: Console, *, plain: bool) -> None:
    """Print an explanation.

    Args:
        one: The explanation.
        console: Where to.
        plain: Whether only ASCII may be used.
    """
    winner = one.candidates[0]
    title = f"{one.name} on {one.limits.device}: block {tile(winner.block)}, thread {tile(winner.thread)}, "
    title += f"{winner.threads} threads, {winner.instruction}"
    title += f", split in {winner.split}" if winner.split > 1 else ""
    console.print(Text(title, style="bold"))
    predicted = f"predicted {seconds(one.prediction.seconds)} (a prediction of the model, no measurement); "
    console.print(Text(f"{predicted}{one.weighed} programs weighed; {one.compiled_note}\n"))

    def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> None:
        _table(console, title, header, rows, right, plain=plain)

    table("Operator", ("", ""), facts(one))
    table(
        "Tensors",
        ("tensor", "role", "shape", "type", "indices", "bytes", "task's tile", "thread's", "halo", "staged"),
        [
            (
                t.name,
                t.role,
                tile(t.shape),
                t.element_type,
                t.index_map,
                size(t.size_bytes),
                tile(t.tile.block),
                tile(t.tile.thread),
                tile(t.tile.task_halo) if any(t.tile.task_halo) else "",
                "yes" if t.tile.staged else "",
            )
            for t in one.operator.tensors
        ],
    )
    table(f"Limits of {one.limits.device} ({one.limits.description})", ("", ""), limits(one))
    _print_alignment(one, table)
    _print_path(one, console, table)
    _print_candidates(one, console, table)
    runner_up = len(one.candidates) > 1
    header = ("layer", "seconds", "share of the time", *(("#2",) if runner_up else ()), "")
    bars = [
        (
            layer.layer,
            seconds(layer.seconds),
            share(layer.share),
            *((seconds(layer.runner_up_seconds or 0.0),) if runner_up else ()),
            ("#" if plain else "\u2588") * round(30 * min(1.0, layer.share)),
        )
        for layer in one.layers
    ]
    table("Prediction of the winner: each layer, were it the only limit", header, bars, right="0110")
    table("", ("", ""), record(one))
    console.print(Text("Roofline", style="bold"))
    console.print(roofline_chart(one.roofline, plain=plain), end="", soft_wrap=True)
    header = ("", "roof", "rate", "moved", "intensity", "bound", "predicted share")
    table("", header, roofline_rows(one.roofline), right="0011111")


def _table(
    console: Console, title: str, header: Sequence[str], rows: Sequence[Sequence[str]], right: str, *, plain: bool
) -> None:
    if not rows:
        return
    if title:
        console.print(Text(title, style="bold"))
    shown = any(header)
    table = Table(box=_PLAIN if plain else SIMPLE_HEAD, pad_edge=False, show_header=shown, safe_box=False)
    for number, name in enumerate(header):
        table.add_column(
            name,
            overflow="fold",
            justify="right" if right[number : number + 1] == "1" else "left",
            style="dim" if not shown and number == 0 else None,
        )
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)


def _print_alignment(one: Explanation, table: _Print) -> None:
    title = f"Alignment: sizes that the rules refuse (padding up to epsilon {one.alignment.epsilon:g} of an axis)"
    if one.alignment.disabled:
        title += f", without {', '.join(one.alignment.disabled)}"
    rows = [row for axis in one.alignment.axes for row in _axis_rows(axis)]
    table(title, ("loop", "extent", "block", "rule", "asks", "refuses", "met"), rows, "0110000")
    rows = [
        (
            f"d{axis.axis}",
            str(axis.block),
            str(axis.thread),
            str(axis.threads),
            share(axis.padding),
            axis.limit,
            axis.why,
        )
        for axis in one.alignment.axes
    ]
    table(
        "What keeps each loop from its next size",
        ("loop", "block", "thread", "threads", "padding", "limit", "why"),
        rows,
        "0111100",
    )
    rows = [
        (
            bank.tensor,
            str(bank.row),
            str(bank.fragment),
            bank.swizzle or str(bank.pad),
            str(bank.paper_pad),
            *("" if n is None else str(n) for n in (bank.phases, bank.paper_phases, bank.unpadded_phases)),
        )
        for bank in one.alignment.banks
    ]
    header = (
        "staged",
        "row",
        "read at once",
        "padding",
        "by the paper's formula",
        "phases",
        "by the formula",
        "without",
    )
    table("Bank padding, in elements, and bank phases of a task's step", header, rows, "01111111")


def _axis_rows(axis: AxisLimits) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for number, rule in enumerate(asked(axis)):
        refused = ", ".join(map(str, rule.refused[:8])) + (", ..." if len(rule.refused) > 8 else "")
        first = (f"d{axis.axis}", str(axis.extent), str(axis.block)) if number == 0 else ("", "", "")
        rows.append((*first, rule.rule, rule.asks, refused or "none", "yes" if rule.met else "no"))
    return rows


def _print_path(one: Explanation, console: Console, table: _Print) -> None:
    path = one.path
    for walk in path.walks:
        _print_walk(walk, console, table)
    rows = [(f"d{s.axis}", tile(s.registers), tile(s.blocks), score(s.score), str(s.tasks)) for s in path.shrinks]
    table(
        "Shrunk along the smallest reuse score, to have more tasks",
        ("loop", "register tile", "block tile", "score", "tasks"),
        rows,
        "00011",
    )
    rows = [(tile(r.registers), tile(r.blocks), str(r.threads), str(r.split), seconds(r.seconds)) for r in path.descent]
    table(
        "Descent along the predicted time, before layouts are decided",
        ("register tile", "block tile", "threads", "parts", "predicted"),
        rows,
        "00111",
    )
    if path.kind == "streaming":
        found = {score(s.score) for s in path.scores}
        says = (
            f"constant ({found.pop()})"
            if len(found) == 1
            else ", ".join(f"d{s.axis} {score(s.score)}" for s in path.scores) or "of no loop: the tile covers all"
        )
        console.print(Text("Enlargement", style="bold"))
        console.print(
            Text(
                f"  streaming: the reuse score of a larger tile is {says}; tiles are made for the top layer only, "
                f"out of {path.searched} programs\n"
            )
        )
        table("Chosen instead", ("", ""), list((path.chosen or {}).items()))
    if one.split is not None:
        console.print(
            Text(
                f"Split: d{one.split.axis} is divided over {one.split.parts} tasks of {one.split.extent} points; a "
                f"second stage joins them ({tile(one.split.join_block)}, {one.split.join_threads} threads, predicted "
                f"{seconds(one.split.join_seconds)})\n"
            )
        )


def _print_walk(walk: Walk, console: Console, table: _Print) -> None:
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
    title = (
        f"Enlargement, {walk.layer} layer: {walk.looked_at} tiles looked at, {walk.fitting} fit, {walk.yielded} yielded"
    )
    header = (
        "loop",
        "tile",
        f"Q ({walk.unit})",
        f"F ({walk.unit})",
        "reuse score",
        "fast enough",
        "scores of the other axes",
    )
    table(title, header, rows, "0011100")
    console.print(Text(f"  stopped: {walk.reached}"))
    for stop in walk.stops:
        to = "" if stop.size is None else f" to {stop.size}"
        console.print(Text(f"    d{stop.axis}{to}: {stop.why}"))
    console.print()


def _print_candidates(one: Explanation, console: Console, table: _Print) -> None:
    split = any(row.split > 1 for row in one.candidates)
    rows = [
        (
            str(row.rank),
            tile(row.block),
            tile(row.thread),
            str(row.threads),
            str(row.stages),
            row.instruction + ("" if row.emitted else "*"),
            *((str(row.split),) if split else ()),
            str(row.registers),
            size(row.workgroup_bytes),
            share(row.occupancy),
            f"{row.waves:.2f}",
            size(row.load_bytes + row.store_bytes),
            seconds(row.seconds),
            row.saturated,
        )
        for row in one.candidates
    ]
    header = (
        "",
        "block",
        "thread",
        "threads",
        "stages",
        "instr",
        *(("split",) if split else ()),
        "regs",
        "wg mem",
        "occup",
        "waves",
        "bytes",
        "time",
        "limit",
    )
    table(f"The first {len(rows)}", header, rows, "100110" + ("1" if split else "") + "1111110")
    if not all(row.emitted for row in one.candidates):
        console.print(Text(f"  * code generation does not emit this family yet; it emits {', '.join(one.families)}"))
    console.print(Text(f"  {one.why}\n"))
