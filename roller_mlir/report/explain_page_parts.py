# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of the page of `roller explain`: the way of the enlargements, alignment."""

from roller_mlir.console.output import seconds
from roller_mlir.model.explain.explanation import Explanation
from roller_mlir.model.explain.trace import Walk
from roller_mlir.report.explain_svg import walk_svg
from roller_mlir.report.explain_words import amount, asked, score, share, tile
from roller_mlir.report.page_markup import Content, Markup, element, join
from roller_mlir.report.page_parts import definitions, plain, table


def path_part(one: Explanation) -> Markup:
    """Return how the winner was constructed."""
    path, parts = one.path, list[Markup]()
    if path.walks:
        note = (
            "ROLLER Figure 8: of the enlargements of a tile the one that saves most traffic Q for the footprint F it "
        )
        parts.append(
            element(
                "p",
                f"{note}adds goes first. Filled points: the layer feeds the tile as fast as it is computed.",
                class_="note",
            )
        )
        parts.append(element("div", *(element("div", *_walk(walk)) for walk in path.walks), class_="two"))
    if path.kind == "streaming":
        known = {score(entry.score) for entry in path.scores}
        says = (
            f"is constant ({known.pop()})"
            if len(known) == 1
            else (
                "is " + (", ".join(f"{score(entry.score)} along d{entry.axis}" for entry in path.scores))
                if known
                else "of no loop is left: the tile covers all"
            )
        )
        parts.append(
            element(
                "p",
                f"Streaming: the reuse score of a larger tile {says}. Tiles are made for the top layer "
                f"only, out of {path.searched} programs. What was chosen instead:",
            )
        )
        parts.append(definitions(list((path.chosen or {}).items())))
    if path.shrinks:
        rows = [[f"d{s.axis}", tile(s.registers), tile(s.blocks), score(s.score), s.tasks] for s in path.shrinks]
        parts.append(element("h4", "Shrunk along the smallest reuse score, to have more tasks"))
        parts.append(
            table(("loop", "register tile", "block tile", "score", "tasks"), "smmnn", plain(rows), name="tight")
        )
    if path.descent:
        rows = [[tile(r.registers), tile(r.blocks), r.threads, r.split, seconds(r.seconds)] for r in path.descent]
        parts.append(element("h4", "Descent along the predicted time, before layouts are decided"))
        parts.append(
            table(("register tile", "block tile", "threads", "parts", "predicted"), "mmnnn", plain(rows), name="tight")
        )
    if one.split is not None:
        parts.append(element("h4", "Split"))
        parts.append(
            element(
                "p",
                f"d{one.split.axis} is divided over {one.split.parts} tasks of {one.split.extent} points each: the "
                "parallel loops alone leave units idle. A second stage joins the parts: tile "
                f"{tile(one.split.join_block)}, {one.split.join_threads} threads, predicted "
                f"{seconds(one.split.join_seconds)}.",
            )
        )
    return join(parts)


def _walk(walk: Walk) -> list[Markup]:
    head = ("", "tile", "Q", "F", "score", "other axes")
    rows: list[list[Content]] = []
    for step in walk.steps:
        others = ", ".join(f"d{o.axis} {score(o.score) if o.fits else 'too large'}" for o in step.others)
        rows.append(
            [
                "" if step.axis is None else f"d{step.axis}",
                tile(step.tile),
                amount(step.traffic, walk.unit),
                amount(step.footprint, walk.unit),
                score(step.score),
                others,
            ]
        )
    stops = [
        element("li", f"d{stop.axis}{'' if stop.size is None else f' to {stop.size}'}: {stop.why}")
        for stop in walk.stops
    ]
    return [
        element("h4", f"{walk.layer.capitalize()} layer"),
        element("p", f"{walk.looked_at} tiles looked at, {walk.fitting} fit, {walk.yielded} yielded", class_="note"),
        element("div", walk_svg(walk), class_="scroll"),
        table(head, "smnnns", plain(rows)),
        element("p", f"It stopped here: {walk.reached}."),
        element("ul", *stops, class_="note stops"),
    ]


def alignment_part(one: Explanation) -> Markup:
    """Return what the rules ask and what the winner meets, per loop and per staged operand."""
    found, rows = one.alignment, list[list[Content]]()
    for axis in found.axes:
        asks = "; ".join(rule.asks or f"{rule.rule}: no padding above epsilon" for rule in asked(axis)) or "nothing"
        kind = "reduction" if axis.reduction else "parallel"
        rows.append(
            [
                f"d{axis.axis}",
                kind,
                axis.extent,
                axis.block,
                axis.thread,
                axis.threads,
                share(axis.padding),
                asks,
                axis.limit,
                axis.why,
            ]
        )
    head = (
        "loop",
        "kind",
        "extent",
        "block",
        "thread",
        "threads",
        "padding",
        "the rules ask",
        "limit",
        "why no larger",
    )
    without = f" Left out: {', '.join(found.disabled)}." if found.disabled else ""
    note = f"Padding may take {found.epsilon:g} of an axis (epsilon).{without}"
    parts = [element("p", note, class_="note"), table(head, "ssnnnnntst", plain(rows), name="axes")]
    if found.banks:
        rows = [
            [
                b.tensor,
                b.row,
                b.fragment,
                b.swizzle or b.pad,
                b.paper_pad,
                *("" if n is None else n for n in (b.phases, b.paper_phases, b.unpadded_phases)),
            ]
            for b in found.banks
        ]
        head = ("staged", "row", "read at once", "padding", "by the paper", "phases", "by the paper", "unpadded")
        parts.append(element("h4", "Banks: padding in elements, and bank phases of a task's step"))
        parts.append(table(head, "snnnnnnn", plain(rows), name="banks tight"))
    return join(parts)
