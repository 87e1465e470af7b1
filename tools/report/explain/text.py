# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An explanation for a terminal: the sections of `roller explain`, one below the other."""

import io
from collections.abc import Callable

from rich.box import SIMPLE_HEAD, Box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.model.explain.trace import Walk
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.console.printable import PrintableConsole
from roller_mlir.tools.report.explain import tables
from roller_mlir.tools.report.explain.terminal_roofline import MARKS, roofline_chart
from roller_mlir.tools.report.explain.words import division, facts, limits, record, share, streaming, tile
from roller_mlir.tools.report.table import Grid, grid

WIDTH = 160
"""Columns of text that goes to a file or a pipe."""

_PLAIN = Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)


def plain_text(one: Explanation) -> str:
    """Return an explanation as ASCII text."""
    return plain_lines(lambda console: print_explanation(one, console, plain=True))


def plain_lines(show: Callable[[Console], None]) -> str:
    """Return what is shown on a console as text without colours."""
    stream = io.StringIO()
    console = PrintableConsole(file=stream, width=WIDTH, highlight=False, color_system=None, legacy_windows=False)
    show(console)
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

    def table(title: str, found: Grid) -> None:
        print_table(console, title, found, plain=plain)

    def pairs(title: str, found: list[tuple[str, str]]) -> None:
        table(title, grid(("", ""), "ss", found))

    pairs("Operator", facts(one))
    table("Tensors", tables.tensors(one))
    pairs(f"Limits of {one.limits.device} ({one.limits.description})", limits(one))
    title = f"Alignment: sizes that the rules refuse (padding up to epsilon {one.alignment.epsilon:g} of an axis)"
    if one.alignment.disabled:
        title += f", without {', '.join(one.alignment.disabled)}"
    table(title, tables.rules(one))
    table("What keeps each loop from its next size", tables.axes(one))
    table("Bank padding, in elements, and bank phases of a task's step", tables.banks(one))
    for walk in one.path.walks:
        _print_walk(walk, console, plain=plain)
    table("Shrunk along the smallest reuse score, to have more tasks", tables.shrinks(one))
    table("Descent along the predicted time, before layouts are decided", tables.descent(one))
    if one.path.kind == "streaming":
        console.print(Text("Enlargement", style="bold"))
        console.print(Text(f"  {streaming(one)}\n"))
        pairs("Chosen instead", list((one.path.chosen or {}).items()))
    if one.split is not None:
        console.print(Text(f"Split: {division(one.split)}\n"))
    table(f"The first {len(one.candidates)}", tables.candidates(one))
    if not all(row.emitted for row in one.candidates):
        console.print(Text(f"  * code generation does not emit this family yet; it emits {', '.join(one.families)}"))
    console.print(Text(f"  {one.why}\n"))
    if one.residual:
        console.print(Text(f"  {one.residual}\n"))
    table("Prediction of the winner: each layer, were it the only limit", _layers(one, "#" if plain else "\u2588"))
    pairs("", record(one))
    console.print(Text("Roofline", style="bold"))
    console.print(roofline_chart(one.roofline, plain=plain), end="", soft_wrap=True)
    roofs = tables.roofs(one)
    marks = [MARKS.get(row[0].text, "-") for row in roofs.rows]
    rows = [(mark, *row) for mark, row in zip(marks, roofs.rows, strict=True)]
    table("", grid(("", *roofs.head), f"s{roofs.kinds}", rows))


def _layers(one: Explanation, block: str) -> Grid:
    second = len(one.candidates) > 1
    rows = [
        (
            *(layer.layer, seconds(layer.seconds), share(layer.share)),
            *((seconds(layer.runner_up_seconds or 0.0),) if second else ()),
            block * round(30 * min(1.0, layer.share)),
        )
        for layer in one.layers
    ]
    head = ("layer", "seconds", "share of the time", *(("#2",) if second else ()), "")
    return grid(head, "snn" + ("n" if second else "") + "s", rows)


def print_table(console: Console, title: str, found: Grid, *, plain: bool) -> None:
    """Print a table under its title, if it has rows."""
    if not found.rows:
        return
    if title:
        console.print(Text(title, style="bold"))
    shown = any(found.head)
    table = Table(box=_PLAIN if plain else SIMPLE_HEAD, pad_edge=False, show_header=shown, safe_box=False)
    for number, (name, kind) in enumerate(zip(found.head, found.kinds, strict=True)):
        dim = "dim" if not shown and number == 0 else None
        table.add_column(name, overflow="fold", justify="right" if kind in "nr" else "left", style=dim)
    for row in found.rows:
        table.add_row(*(Text(cell.text) for cell in row))
    console.print(table)


def _print_walk(walk: Walk, console: Console, *, plain: bool) -> None:
    title = f"Enlargement, {walk.layer} layer: {walk.looked_at} tiles looked at, {walk.fitting} fit, "
    print_table(console, f"{title}{walk.yielded} yielded", tables.steps(walk), plain=plain)
    console.print(Text(f"  stopped: {walk.reached}"))
    for stop in walk.stops:
        to = "" if stop.size is None else f" to {stop.size}"
        console.print(Text(f"    d{stop.axis}{to}: {stop.why}"))
    console.print()
