# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of the host's libraries as Markdown: rates of a problem a row, the fastest peer in bold."""

from collections.abc import Mapping, Sequence
from math import exp, log

from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.cpu_peers.results import HostResults

OURS = "ours"
_BEFOREHAND = "packed B"
"""A variant that does less in the call than a product is: it is shown, and no rival."""


def rate_table(results: HostResults, note: str = "") -> str:
    """Return operations a second in GF/s, from the smallest times.

    Args:
        results: What was measured.
        note: Of the timings: "" for warm caches, or `results.FLUSHED`.

    Returns:
        A table with a column for each peer and variant that has a time; then the share of the cores' peak that the best
        peer reaches with taps on the input, and, where ours was measured, ours over the best peer. "-" is no right
        result. Products whose second factor was packed beforehand are no rivals.
    """
    order = list(dict.fromkeys(one.who for one in results.timings if one.note == note))
    with_ours = any(is_ours(who) for who in order)
    head = ["", "problem", *order, "of peak", *(["ours / best peer"] if with_ours else [])]
    lines = [_row(head), _row(["---", "---", *["---:"] * (len(head) - 2)])]
    ratios: list[float] = []
    peak = max(results.machine.peak_flops.values(), default=0.0) * results.machine.threads
    for problem in results.problems:
        rates = results.rates(problem, note)
        peers = rivals(rates)
        best = max(peers, key=peers.__getitem__, default="")
        cells = [_rate(rates.get(who), bold=who == best) for who in order]
        cells.append(f"{problem.inside * peers[best] / peak:.0%}" if best and peak else "-")
        if with_ours:
            own = max((rate for who, rate in rates.items() if is_ours(who)), default=None)
            cells.append(f"{own / peers[best]:.2f}" if own and best else "-")
            ratios += [own / peers[best]] if own and best else []
        lines.append(_row([problem.id, problem.title + (f", {problem.epilogue}" if problem.epilogue else ""), *cells]))
    if ratios:
        summary = f"Ours over the best peer: geometric mean {geometric_mean(ratios):.2f}, least {min(ratios):.2f}, of "
        lines += ["", f"{summary}{len(ratios)} of {len(results.problems)} problems."]
    return "\n".join(lines)


def library_table(results: HostResults) -> str:
    """Return who took part: version, instruction set taken, threads."""
    lines = [_row(["peer", "version", "instruction set taken", "threads"]), _row(["---"] * 4)]
    for one in results.libraries:
        threads = "not said" if one.threads is None else str(one.threads)
        lines.append(_row([one.name, one.facts.get("version", ""), one.facts.get("isa", ""), threads]))
    return "\n".join(lines)


def trouble_lines(results: HostResults) -> list[str]:
    """Return what is missing, wrong or failed, each in a line."""
    wrong = [f"{one.item}: {one.who} is wrong and not timed: {one.message}" for one in results.wrong()]
    return wrong + [f"{one.item}: {one.who}: {one.message}".removeprefix(": ") for one in results.troubles]


def spread(results: HostResults) -> float:
    """Return by how much the median sample of a timing exceeds its smallest one, the median over all timings."""
    found = sorted(one.median_s / one.least_s - 1 for one in results.timings if not one.note)
    return found[len(found) // 2] if found else 0.0


def differences(results: HostResults, again: HostResults) -> list[float]:
    """Return by how much the smallest times of two runs differ, as a share, ascending."""
    times = {(one.item, one.who, one.note): one.least_s for one in again.timings}
    pairs = [(one.least_s, times.get((one.item, one.who, one.note))) for one in results.timings if not one.note]
    return sorted(abs(log(left / right)) for left, right in pairs if right)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers.

    >>> geometric_mean([1.0, 4.0])
    2.0
    """
    return exp(sum(map(log, values)) / len(values))


def best_peer(results: HostResults, problem: HostProblem) -> tuple[str, float]:
    """Return the fastest peer with warm caches and its operations a second, ours left out; ("", 0) without any."""
    return max(rivals(results.rates(problem)).items(), key=lambda one: one[1], default=("", 0.0))


def rivals(rates: Mapping[str, float]) -> dict[str, float]:
    """Return the rates that ours is compared with."""
    return {who: rate for who, rate in rates.items() if not is_ours(who) and not who.endswith(_BEFOREHAND)}


def is_ours(who: str) -> bool:
    """Return whether a peer and its variant is this compiler."""
    return who.partition(" ")[0] == OURS


def _rate(value: float | None, *, bold: bool) -> str:
    if value is None:
        return "-"
    text = f"{value * 1e-9:.1f}"
    return f"**{text}**" if bold else text


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
