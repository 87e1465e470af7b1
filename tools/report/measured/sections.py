# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of a report up to its goals: where it was measured, what is wrong, what is missing, what was compared."""

from dataclasses import replace

from roller_mlir.evaluation.measure.report.figures import VENDOR
from roller_mlir.evaluation.measure.report.goals import LEAST_SPEARMAN
from roller_mlir.evaluation.measure.report.groups import BEST, TOP1, peer_figures, peer_names
from roller_mlir.evaluation.measure.report.records import Goal, Report
from roller_mlir.evaluation.measure.runner.steps import ITSELF
from roller_mlir.tools.report.measured.document import (
    DRY_RUN,
    Block,
    DefinitionList,
    Document,
    Note,
    Section,
    Tiles,
    cleaned,
)
from roller_mlir.tools.report.measured.tables import (
    items_section,
    peer_sections,
    prediction_section,
    probes_section,
    published_section,
)
from roller_mlir.tools.report.measured.ways import ways_section
from roller_mlir.tools.report.measured.words import NOTHING, clean, correlation, count, date_of, named, ratio, share
from roller_mlir.tools.report.table import TableCell


def title_of(report: Report) -> str:
    """Return the title: target, device and date."""
    device = clean(report.machine.device) or report.machine.back_end
    kind = "Dry run" if report.dry_run else "Measurements"
    return f"{kind} for {clean(report.kit.target)}: {device}, {date_of(report)}"


def document_of(report: Report) -> Document:
    """Return the document of a report."""
    return Document(title_of(report), DRY_RUN if report.dry_run else "", sections_of(report))


def sections_of(report: Report) -> tuple[Section, ...]:
    """Return the parts of a report, what is wrong first."""
    timed = (
        *peer_sections(report),
        *ways_section(report),
        prediction_section(report),
        *probes_section(report),
        items_section(report),
    )
    if report.dry_run:
        timed = tuple(replace(one, blocks=(Note(f"{DRY_RUN}.", alarm=True), *one.blocks)) for one in timed)
    return (
        Section("", (_tiles(report), _machine(report))),
        _wrong(report),
        _missing(report),
        _compared(report),
        _goals(report),
        *timed,
        *published_section(report),
    )


def _tiles(report: Report) -> Tiles:
    wrong = sum(one.who == "ours" for one in report.failures)
    ours = [one for one in report.checked if one.who == "ours" and one.against != ITSELF]
    shown = [
        ("wrong or no result", str(wrong)),
        ("right of those compared", f"{sum(one.right for one in ours)} of {sum(one.n for one in ours)}"),
        ("kernels timed", f"{sum(one.top1_s is not None for one in report.items)} of {len(report.items)}"),
    ]
    for peer in [name for name in peer_names(report.items) if name == VENDOR]:
        for choice, name in ((TOP1, "top-1"), (BEST, "best")):
            figures = peer_figures(report.items, peer, choice)
            shown.append((f"{name} within 10 % of {peer}", f"{share(figures.share)} of {figures.n}"))
        figures = peer_figures(report.items, peer, TOP1)
        shown.append((f"{peer} over top-1", f"{ratio(figures.geometric_mean)} (mean)"))
    if report.prediction.spearman is not None:
        shown.append(("Spearman", f"{correlation(report.prediction.spearman)} of {report.prediction.n}"))
    return Tiles(tuple(shown))


def _machine(report: Report) -> DefinitionList:
    machine, kit = report.machine, report.kit
    versions = ", ".join(f"{clean(name)} {clean(version)}" for name, version in sorted(machine.versions.items()))
    told = {name: f"{value:.6g}" if isinstance(value, float) else str(value) for name, value in machine.facts.items()}
    facts = ", ".join(f"{clean(name)} {clean(value)}" for name, value in sorted(told.items()))
    pairs = [
        ("device", f"{clean(machine.device) or NOTHING} ({machine.back_end})"),
        ("driver", clean(machine.driver) or NOTHING),
        ("versions", versions or NOTHING),
        ("of the device", facts),
        *(("run", f"{clean(started) or 'undated'}: {clean(command) or NOTHING}") for started, command in report.runs),
        ("kit", f"{clean(kit.target)} ({clean(kit.architecture)}), made {clean(kit.created)}"),
        ("compiler", f"roller-mlir {clean(kit.compiler)}"),
        ("packed by", clean(kit.command) or NOTHING),
    ]
    return DefinitionList(tuple((name, value) for name, value in pairs if value))


def _wrong(report: Report) -> Section:
    blocks: list[Block] = []
    if report.failures:
        ours = [one for one in report.failures if one.who == "ours"]
        peers = len(report.failures) - len(ours)
        text = f"{count(len(ours), 'result')} of ours and {count(peers, 'result')} of peers are wrong or missing."
        blocks.append(Note(f"{text} Their times are in no figure.", alarm=True))
        rows = [
            (
                one.item,
                one.who,
                TableCell(str(one.rank) if one.who == "ours" else "", one.rank),
                TableCell(NOTHING if one.error is None else f"{one.error:.3g}", one.error),
                one.against,
                one.message,
            )
            for one in sorted(report.failures, key=lambda one: (one.who != "ours", one.rank != 0))
        ]
        head = ("kernel", "whose", "candidate", "error, of its bound", "compared with", "message")
        blocks.append(cleaned(head, "ssnnst", rows))
    elif report.checked:
        blocks.append(Note("No result that was compared is wrong."))
    else:
        blocks.append(Note("No result was compared with anything.", alarm=True))
    if report.troubles:
        blocks.append(Note(f"{count(len(report.troubles), 'trouble')} beside:", alarm=True))
        blocks.append(
            cleaned(
                ("kernel or probe", "whose", "message"), "sst", [(t.item, t.who, t.message) for t in report.troubles]
            )
        )
    if report.lost:
        found = f"Families of kernels that were given up after a fault of one: {len(report.lost)}"
        left = f"{count(len(report.left_out), 'candidate')} left out for it: {named(report.left_out)}."
        blocks.append(Note(f"{found}; {left}" if report.left_out else f"{found}.", alarm=True))
        rows = [(one.family, one.item, TableCell(str(one.rank), one.rank), one.message) for one in report.lost]
        blocks.append(cleaned(("family", "kernel or probe", "candidate", "message"), "ssnt", rows))
    if report.refused:
        found = (
            f"Of {count(len(report.refused), 'candidate')} the driver refused a better binary ({clean(report.refusal)})"
        )
        blocks.append(Note(f"{found}: {named(report.refused)}.", alarm=True))
    if report.unusable:
        found = f"{count(len(report.unusable), 'timing')} that can be no time, and left out: {named(report.unusable)}."
        blocks.append(Note(found, alarm=True))
    return Section("What is wrong", tuple(blocks))


def _missing(report: Report) -> Section:
    missing, blocks = report.missing, list[Block]()
    if not report.complete:
        text = "The runner ended before all was done, by a time limit or an interrupt: these results are partial."
        blocks.append(Note(text, alarm=True))
    for ids, text in (
        (missing.unchecked, "not checked"),
        (missing.untimed, "not timed"),
        (missing.without_vendor, f"timed, but not beside {VENDOR}"),
    ):
        if ids:
            blocks.append(Note(f"{count(len(ids), 'kernel')} of {len(report.items)} {text}: {named(ids)}."))
    if missing.candidates:
        blocks.append(Note(f"{count(missing.candidates, 'candidate')} beyond the first not timed."))
    if missing.probes:
        blocks.append(Note(f"{count(len(missing.probes), 'probe')} without a time: {named(missing.probes)}."))
    blocks += _skipped(report)
    return Section("What is missing", tuple(blocks) or (Note("Nothing: all of the kit was checked and timed."),))


def _skipped(report: Report) -> list[Block]:
    """Say what could not be packed: kernels first, then candidates of kernels that are there, by reason."""
    there, blocks = {item.id for item in report.items}, list[Block]()
    candidates = [one for one in report.skipped if one.id.rpartition("/")[0] in there]
    kernels = [one for one in report.skipped if one not in candidates]
    for skipped, noun in ((kernels, "kernel"), (candidates, "candidate")):
        reasons: dict[str, list[str]] = {}
        for one in skipped:
            reasons.setdefault(one.reason, []).append(one.id)
        if skipped:
            verb = "is" if len(skipped) == 1 else "are"
            blocks.append(Note(f"{count(len(skipped), noun)} {verb} not in the kit, for these reasons:"))
            rows = [(named(tuple(ids), 6), TableCell(str(len(ids)), len(ids)), why) for why, ids in reasons.items()]
            blocks.append(cleaned((f"{noun}s", "number", "why"), "tnt", rows))
    return blocks


def _compared(report: Report) -> Section:
    if not report.checked:
        return Section("What was compared with what", (Note("Nothing."),))
    rows = [
        (
            one.who,
            one.against or NOTHING,
            TableCell(str(one.n), one.n),
            TableCell(NOTHING) if one.against == ITSELF else TableCell(str(one.right), one.right),
            TableCell(NOTHING if one.largest_error is None else f"{one.largest_error:.3g}", one.largest_error),
        )
        for one in report.checked
    ]
    head = ("whose", "compared with", "results", "right", "largest error of these, of its bound")
    return Section("What was compared with what", (cleaned(head, "ssnnn", rows),))


def _goals(report: Report) -> Section:
    blocks: list[Block] = []
    if report.dry_run:
        blocks.append(Note(f"{DRY_RUN}. No goal is judged."))
    rows = [
        (
            one.goal,
            goal_value(one),
            TableCell(str(one.n), one.n),
            TableCell(str(one.missing), one.missing),
            one.verdict,
            one.detail,
        )
        for one in report.goals
    ]
    head = ("goal", "reached", "kernels", "missing", "verdict", "in detail")
    blocks.append(cleaned(head, "tnnnwt", rows))
    return Section("Goals", tuple(blocks))


def goal_value(goal: Goal) -> TableCell:
    """Write what was reached: a correlation as such, all else in percent."""
    if goal.value is None:
        return TableCell(NOTHING)
    return TableCell(correlation(goal.value) if goal.needed == LEAST_SPEARMAN else share(goal.value), goal.value)
