# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results as text: what is wrong first, then a line for each item."""

from collections.abc import Iterator, Sequence

from roller_mlir.evaluation.measure.records import Item, Results, Timing
from roller_mlir.evaluation.measure.runner.steps import AGAIN, DRY_PEERS, ITSELF, PEERS, REPEATED, TOP_K, WARM, has_time
from roller_mlir.runtime.registry import host_backends

_MOST_MESSAGE = 160
_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def seconds(value: float | None) -> str:
    """Spell a time in three digits.

    >>> seconds(1.234e-5), seconds(2.0), seconds(None)
    ('12.3 us', '2 s', '-')
    """
    if value is None:
        return "-"
    factor, unit = next(((factor, unit) for factor, unit in _UNITS if value >= factor), (1e-6, "us"))
    return f"{value / factor:.3g} {unit}"


def wrong_lines(results: Results) -> list[str]:
    """Return a line for each wrong result and each trouble, wrong results first."""
    lines = [
        f"WRONG {check.item} {named(check.who, check.rank)}: "
        + (check.message or f"{check.error:.3g} times its bound off {check.against}")
        for check in results.checks
        if not check.ok
    ]
    lines += [
        f"LOST FAMILY {one.family}: {one.item} candidate {one.rank}: {one.message}; its others were left out"
        for one in results.lost
    ]
    lines += [f"trouble {trouble.item} {trouble.who}: {trouble.message}" for trouble in results.troubles]
    return [line if len(line) <= _MOST_MESSAGE else line[: _MOST_MESSAGE - 3] + "..." for line in lines]


def summary(results: Results) -> str:
    """Return the whole text."""
    machine, right = results.machine, sum(check.ok for check in results.checks)
    lines = wrong_lines(results)
    if lines:
        lines.append("")
    alone = sum(check.ok and check.against == ITSELF for check in results.checks)
    lines.append(
        f"{machine.device}, driver {machine.driver or '-'}: {right} of {len(results.checks)} results are right"
        + (f", {alone} of them compared with nobody's" if alone else "")
    )
    refused = [check for check in results.checks if check.note]
    if refused:
        lines.append(f"of {len(refused)} the driver refused a better binary, the first: {refused[0].note}")
    rows = [row for item in results.kit.items for row in _row(item, results)]
    ways = [row for item in results.kit.items if item.has_ways for row in _ways(item, results)]
    if rows:
        title = (
            "Medians of timings with cleared caches, each in the same rounds as the peers'; warm: right after itself, "
            "with no dirty lines to write back"
        )
        if machine.back_end in host_backends():
            title = "Medians of wall times with warm caches, each in the same rounds as the peers'"
        if machine.back_end == "sim":
            title = "DRY RUN: wall times of the simulator, which say nothing of any device"
        lines += [
            "",
            title,
            *_table(("item", "ours", "warm", f"best of {TOP_K}", *_peers(results), "peer / ours"), rows),
        ]
    if ways:
        where = "DRY RUN: wall times of the simulator" if machine.back_end == "sim" else "in the same rounds"
        head = ("item", "way", "caches cleared", "caches warm", "many in a row")
        lines += ["", f"Ways to launch ({where}; many in a row: the host's part too)", *_table(head, ways)]
        graphs = {
            one.way for item in results.kit.items for one in item.candidates if not has_time(one, machine.back_end)
        }
        if graphs:
            lines.append(
                f"not timed: {', '.join(sorted(graphs))}; the simulator has no graphs, and runs launches one by one"
            )
    probes = [timing for timing in results.timings if timing.who == "probe"]
    if probes:
        where = " (DRY RUN: wall times of the simulator)" if machine.back_end == "sim" else ""
        lines += [
            "",
            f"Probes{where}",
            *_table(("probe", "median"), [(one.item, seconds(one.median_s)) for one in probes]),
        ]
    if not results.complete:
        lines += ["", "not complete: call the runner again with the same folder to go on"]
    return "\n".join(lines) + "\n"


def named(who: str, rank: int) -> str:
    """Spell who computed something, ours with the candidate's rank."""
    return f"candidate {rank}" if who == "ours" else who


def _row(item: Item, results: Results) -> Iterator[tuple[str, ...]]:
    timings = [timing for timing in results.timings if timing.item == item.id and timing.who != "probe"]
    if not timings:
        return
    first = item.candidates[0].rank
    warm = _median([timing for timing in timings if WARM in timing.note.split("; ")], "ours", first)
    timings = [one for one in timings if WARM not in one.note.split("; ") and not one.note.endswith(REPEATED)]
    round_ = [timing for timing in timings if TOP_K not in timing.note.split("; ")]
    ours = _median(round_, "ours", first)
    raced = [timing for timing in timings if timing not in round_ and AGAIN not in timing.note.split("; ")]
    many = [timing for timing in raced if timing.who == "ours"]
    best = min(many, key=lambda timing: timing.median_s, default=None)
    peers = [_median(round_, peer, 0) for peer in _peers(results)]
    known = [peer for peer in peers if peer is not None]
    ratio = f"{min(known) / ours:.2f}" if known and ours and results.machine.back_end != "sim" else "-"
    shown = f"{seconds(best.median_s)} ({best.rank})" if best else "-"
    yield item.id, seconds(ours), seconds(warm), shown, *map(seconds, peers), ratio


def _ways(item: Item, results: Results) -> Iterator[tuple[str, ...]]:
    """Yield a row for each way to launch an item."""
    mine = [timing for timing in results.timings if timing.item == item.id]
    cold = [timing for timing in mine if timing.note.endswith(TOP_K)]
    warm = [timing for timing in mine if timing.note == WARM]
    many = [timing for timing in mine if timing.note.endswith(REPEATED)]
    for one in item.candidates if cold or many else ():
        times = (_median(timings, "ours", one.rank) for timings in (cold, warm, many))
        yield item.id, one.way, *map(seconds, times)


def _peers(results: Results) -> tuple[str, ...]:
    return DRY_PEERS if results.machine.back_end == "sim" else PEERS


def _median(timings: Sequence[Timing], who: str, rank: int) -> float | None:
    return next((one.median_s for one in timings if (one.who, one.rank) == (who, rank)), None)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in (header, *rows)) for column in range(len(header))]
    return [
        "  ".join(cell.ljust(width) if column == 0 else cell.rjust(width) for column, (cell, width) in enumerate(cells))
        for cells in (list(zip(row, widths, strict=True)) for row in (header, *rows))
    ]
