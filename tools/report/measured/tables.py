# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of a report: ours against each peer, predictions beside times, published times, probes, every kernel."""

from collections.abc import Sequence

from roller_mlir.evaluation.measure.report.figures import GroupFigures, ItemFigures, NamedFigure, PeerFigures
from roller_mlir.evaluation.measure.report.groups import BEST, TOP1, peer_names
from roller_mlir.evaluation.measure.report.records import Report
from roller_mlir.evaluation.measure.runner.sim_bench import DRY_RUN as DRY_RUN_NOTE
from roller_mlir.evaluation.measure.runner.steps import TOP_K, WARM
from roller_mlir.tools.console.output import seconds
from roller_mlir.tools.report.measured.document import (
    PREDICTION_CHART,
    Block,
    Chart,
    Note,
    Section,
    cleaned,
    peer_chart,
)
from roller_mlir.tools.report.measured.words import NOTHING, clean, correlation, count, ratio, share, short
from roller_mlir.tools.report.quantities import si, size
from roller_mlir.tools.report.table import TableCell


def time(value: float | None) -> TableCell:
    """Return a cell with a time."""
    return TableCell(NOTHING if value is None else seconds(value), value)


def number(value: int) -> TableCell:
    """Return a cell with a count."""
    return TableCell(str(value), value)


def peer_sections(report: Report) -> list[Section]:
    """Return a part for each peer: the figures by group and the chart of the ratios."""
    if not peer_names(report.items):
        return [Section("Ours beside others", (Note("Nobody else's kernels were timed."),))]
    found: list[Section] = []
    for peer in peer_names(report.items):
        rows = [row for group in report.groups for row in _group_rows(group, peer)]
        head = ("kernels of", "choice", "kernels", "not right", "within 10 %", "share", "mean", "median", "worst")
        about = (
            f"Time of {clean(peer)} over ours: above 1 ours takes less; within 10 % is at least 1/1.1. The mean is the "
            "geometric one. Top-1 is the model's first choice, nothing measured; best is the fastest candidate, by its "
            "gain over top-1 in rounds of their own, of these two alone after it was chosen. A kernel that stands for "
            "several rows of a suite counts once."
        )
        said = {note.removeprefix(f"{peer}: "): n for note, n in report.notes.items() if note.startswith(f"{peer}: ")}
        words = [f"{clean(note)} ({n})" for note, n in said.items() if note not in (TOP_K, WARM, DRY_RUN_NOTE)]
        if words:
            about += f" Its timings say: {', '.join(words)}."
        shown = sum(peer in item.top1_ratio for item in report.items)
        chart = Chart(
            peer_chart(peer), f"Time of {clean(peer)} over ours, {count(shown, 'kernel')}, sorted; the band is 10 %"
        )
        chart_part: tuple[Block, ...] = (chart,) if shown else ()
        blocks = (Note(about), *chart_part, cleaned(head, "wsnnnnnnt", rows))
        found.append(Section(f"Ours beside {clean(peer)}", blocks))
    return found


def _group_rows(group: GroupFigures, peer: str) -> list[tuple[TableCell | str, ...]]:
    figures = [one for one in group.peers if one.peer == peer and one.n]
    return [(group_name(group), *_figures(one, group)) for one in figures if one.choice in (TOP1, BEST)]


def _figures(one: PeerFigures, group: GroupFigures) -> tuple[TableCell | str, ...]:
    return (
        one.choice,
        number(one.n),
        number(one.failed),
        number(one.within),
        TableCell(share(one.share), one.share),
        TableCell(ratio(one.geometric_mean), one.geometric_mean),
        TableCell(ratio(one.median), one.median),
        worst(one.worst, group),
    )


def group_name(group: GroupFigures) -> str:
    """Name a group: suite, element type, and class where it is one."""
    whole = ", ".join(clean(part) for part in (group.suite, group.dtype) if part)
    return whole if group.kind == "all" else f"{whole}: {clean(group.kind)}"


def worst(figures: Sequence[NamedFigure], group: GroupFigures) -> str:
    """Name the worst items with their figures."""
    return ", ".join(f"{short(one.id, group.suite, group.dtype)} {ratio(one.value)}" for one in figures)


def prediction_section(report: Report) -> Section:
    """Return the part on predictions: correlation, error, and which candidate won."""
    figures, blocks = report.prediction, list[Block]()
    if figures.n == 0:
        return Section("Predictions beside times", (Note("No kernel has both a prediction and a time."),))
    blocks.append(
        Note(
            "Predictions are the model's, made before anything was measured. Spearman's correlation is that of ranks: "
            "over the top-1 of all kernels, and among the candidates of each kernel that has at least three."
        )
    )
    blocks.append(Chart(PREDICTION_CHART, f"Predicted and measured times of {count(figures.n, 'kernel')}, top-1"))
    head = (
        *("kernels of", "kernels", "Spearman", "p10", "median", "p90", "within 1.25 x", "within 2 x"),
        *("ranked", "Spearman within", "furthest"),
    )
    rows = [_prediction_row(group) for group in report.groups if group.prediction.n]
    blocks.append(Note("Measured over predicted time (tenth percentile, median, ninetieth):"))
    blocks.append(cleaned(head, "wnnnnnnnnnt", rows))
    if figures.gain_n:
        won = ", ".join(f"{rank}: {times}" for rank, times in figures.won)
        blocks.append(
            Note(
                f"Of {count(figures.gain_n, 'kernel')} with several candidates timed, the fastest was the one of rank "
                f"(rank: how often): {won}. Time of top-1 over that of the fastest: "
                f"{ratio(figures.gain)} (geometric mean)."
            )
        )
    return Section("Predictions beside times", tuple(blocks))


def _prediction_row(group: GroupFigures) -> tuple[TableCell | str, ...]:
    one = group.prediction
    return (
        group_name(group),
        number(one.n),
        TableCell(correlation(one.spearman), one.spearman),
        *(TableCell(ratio(value), value) for value in (one.error_p10, one.error_median, one.error_p90)),
        TableCell(share(one.within_quarter), one.within_quarter),
        TableCell(share(one.within_twice), one.within_twice),
        number(one.within_n),
        TableCell(correlation(one.within_median), one.within_median),
        worst(one.worst, group),
    )


def published_section(report: Report) -> list[Section]:
    """Return the part on published times, nothing where there are none."""
    if not any(one.n for one in report.published):
        return []
    about = "Times that others published, over ours of top-1. They were measured elsewhere, on other machines."
    rows = [
        (one.system, number(one.n), TableCell(ratio(one.geometric_mean), one.geometric_mean))
        for one in report.published
    ]
    blocks = (Note(about), cleaned(("system", "kernels", "published over ours, geometric mean"), "snn", rows))
    return [Section("Published times", blocks)]


def probes_section(report: Report) -> list[Section]:
    """Return the part on micro-benchmarks, nothing where the kit has none."""
    if not report.probes:
        return []
    bases = {one.baseline for one in report.probes}
    about = "Each less a shorter run of its own, where it has one (less): fixed costs are in neither figure."
    rows = [
        (
            one.name,
            one.quantity,
            one.subject,
            TableCell(size(one.size_bytes) if one.size_bytes else NOTHING, one.size_bytes),
            time(one.median_s),
            TableCell(f"{seconds(one.p10_s)} to {seconds(one.p90_s)}" if one.p10_s and one.p90_s else NOTHING),
            one.baseline or NOTHING,
            TableCell(_rate(one.value, one.unit), one.value),
        )
        for one in report.probes
        if one.name not in bases
    ]
    head = ("probe", "quantity", "of", "working set", "median", "p10 to p90", "less", "measured")
    return [Section("Micro-benchmarks of the device", (Note(about), cleaned(head, "sssnnnsn", rows)))]


def _rate(value: float | None, unit: str) -> str:
    if value is None:
        return NOTHING
    return seconds(value) if unit == "s" else si(value, unit)


def items_section(report: Report) -> Section:
    """Return the table of every item."""
    peers = peer_names(report.items)
    rates = any(item.flops_per_s is not None or item.bytes_per_s is not None for item in report.items)
    head = ["kernel", "what", "rows", "result", "predicted", "top-1", "p10 to p90"]
    warm = any(item.warm_s is not None for item in report.items)
    head += ["warm"] if warm else []
    head += ["arithmetic", "least traffic"] if rates else []
    head += ["best", "of", "best time"]
    over = ("over top-1", "warm, over warm", "over best") if warm else ("over top-1", "over best")
    head += [part for peer in peers for part in (clean(peer), *over)]
    kinds = "stnsnnn" + "n" * warm + ("nn" if rates else "") + "nnn" + "n" * (1 + len(over)) * len(peers)
    rows = [_item_row(item, peers, rates=rates, warm=warm) for item in report.items]
    about = (
        "Arithmetic and least traffic (inputs and outputs, each once) per second are those of top-1."
        if rates
        else "Times are medians."
    )
    if warm:
        about += (
            " Caches are cleared before each time by writing 256 MiB or more, whose last lines are still dirty then: "
            "writing them back is part of the time, of ours and of the peers' alike. Warm times are taken right after "
            "the same call: inputs may be in the caches, and little is written back."
        )
    same = sum(item.rows - 1 for item in report.items)
    if same:
        about += f" {count(same, 'more row')} of the suites are the same kernels as these."
    return Section("Every kernel", (Note(about), cleaned(head, kinds, rows, sortable=True)))


def _item_row(item: ItemFigures, peers: Sequence[str], *, rates: bool, warm: bool) -> tuple[TableCell | str, ...]:
    spread = f"{seconds(item.p10_s)} to {seconds(item.p90_s)}" if item.p10_s and item.p90_s else NOTHING
    row: list[TableCell | str] = [
        item.id,
        item.title,
        number(item.rows),
        item.state,
        time(item.predicted_s),
        time(item.top1_s),
        TableCell(spread, item.p10_s),
        *([time(item.warm_s)] if warm else []),
    ]
    if rates:
        for value, unit in ((item.flops_per_s, "flop/s"), (item.bytes_per_s, "B/s")):
            row.append(TableCell(NOTHING if value is None else si(value, unit), value))
    row.append(TableCell(NOTHING if item.best_rank is None else str(item.best_rank), item.best_rank))
    row += [number(item.candidates), time(item.best_s)]
    for peer in peers:
        row.append(time(item.peers.get(peer)))
        warm_ratios = [item.warm_ratio] if warm else []
        for ratios in (item.top1_ratio, *warm_ratios, item.best_ratio):
            row.append(TableCell(ratio(ratios.get(peer)), ratios.get(peer)))
    return tuple(row)
