# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of each item: what is right, what was timed, which candidate won, ratios to the peers.

Times are compared within a round only. In the first round the first candidate (rank 0, unless that could not be packed)
takes turns with the peers, in the second all right candidates take turns. So the ratio of the fastest candidate to a
peer is the first candidate's ratio, of the first round, times what the fastest gains over it. The least of several
medians is flattered by the noise that made it the least, so this gain is that of rounds of these two alone which came
afterwards, where there are such; it may be below 1.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import isfinite

from roller_mlir.evaluation.measure.records import Check, Item, Results, Timing
from roller_mlir.evaluation.measure.report.figures import ItemFigures, State
from roller_mlir.evaluation.measure.report.statistics import LEAST_FOR_RANKS, spearman
from roller_mlir.evaluation.measure.runner.steps import AGAIN, ITSELF, REPEATED, TOP_K, WARM

FIRST, SECOND, THIRD, FOURTH = "", TOP_K, AGAIN, WARM
"""The rounds, by the word for them in the notes of timings; probes know the last one only as a remark."""
MANY = REPEATED
"""No round, but many launches in a row, by the ending of their note."""

_SHORTEST, _LONGEST = 1e-12, 1e9
_Key = tuple[str, str, int]


@dataclass(kw_only=True)
class Tally:
    """Results by what they are of.

    Attributes:
        checks: By item, who and rank.
        times: By item, who and rank, and then by round.
        peers: Which peers were timed, by item.
        troubled: Items that something went wrong with at ours.
        unusable: Times that are none.
        notes: How many timings have each note, by what it says and of whom.
    """

    checks: dict[_Key, Check] = field(default_factory=dict[_Key, Check])
    times: dict[_Key, dict[str, Timing]] = field(default_factory=dict[_Key, dict[str, Timing]])
    peers: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    troubled: set[str] = field(default_factory=set[str])
    unusable: list[str] = field(default_factory=list[str])
    notes: dict[str, int] = field(default_factory=dict[str, int])

    def time(self, item: str, who: str, rank: int, in_round: str) -> float | None:
        """Return the median in seconds of a round, None unless it was timed there and is not wrong."""
        check = self.checks.get((item, who, rank))
        timing = self.times.get((item, who, rank), {}).get(in_round)
        return timing.median_s if timing is not None and (check is None or check.ok) else None

    def refused(self, item: str, rank: int) -> bool:
        """Return whether a candidate was tried and gave no right result."""
        check = self.checks.get((item, "ours", rank))
        return check is not None and not check.ok


def tally_results(results: Results) -> Tally:
    """Sort results by what they are of."""
    tally = Tally()
    for check in results.checks:
        tally.checks[check.item, check.who, check.rank] = check
    for timing in results.timings:
        words = timing.note.split("; ") if timing.note else []
        for word in words:
            said = f"{timing.who}: {word}"
            tally.notes[said] = tally.notes.get(said, 0) + 1
        if not usable(timing.median_s):
            rank = f" {timing.rank}" if timing.who == "ours" else ""
            tally.unusable.append(f"{timing.item}, {timing.who}{rank}: a median of {timing.median_s} s")
            continue
        rounds = (THIRD, SECOND) if timing.who == "probe" else (FOURTH, THIRD, SECOND)
        in_round = next((name for name in rounds if name in words), FIRST)
        in_round = MANY if timing.note.endswith(REPEATED) else in_round
        tally.times.setdefault((timing.item, timing.who, timing.rank), {})[in_round] = timing
        if timing.who not in ("ours", "probe") and in_round != FOURTH:
            tally.peers.setdefault(timing.item, set()).add(timing.who)
    tally.troubled = {trouble.item for trouble in results.troubles if trouble.who == "ours"}
    return tally


def usable(seconds: float | None) -> bool:
    """Return whether a number can be a time: no clock tells a picosecond, and nobody waits for years.

    >>> usable(1e-6), usable(0.0), usable(float("nan")), usable(float("inf")), usable(1e300), usable(None)
    (True, False, False, False, False, False)
    """
    return seconds is not None and _SHORTEST <= seconds <= _LONGEST


def item_figures(item: Item, tally: Tally, *, dry_run: bool, most: int | None = None) -> ItemFigures:
    """Return the figures of an item.

    Args:
        item: Of the kit.
        tally: What was measured.
        dry_run: Whether times are the simulator's; then no rates are made of them.
        most: How many candidates, the first ones, are looked at; None for all.
    """
    candidates = [one for one in sorted(item.candidates, key=lambda one: one.rank) if most is None or one.rank < most]
    first = candidates[0] if candidates else item.candidates[0]
    top = first.rank
    by_round = {
        name: {
            one.rank: time for one in candidates if (time := tally.time(item.id, "ours", one.rank, name)) is not None
        }
        for name in (FIRST, SECOND)
    }
    top1_round = next((name for name in (FIRST, SECOND) if top in by_round[name]), None)
    shown = tally.times[item.id, "ours", top][top1_round] if top1_round is not None else None
    top1 = shown.median_s if shown is not None else None
    race = max((FIRST, SECOND), key=lambda name: (len(by_round[name]), name == SECOND))
    entrants = by_round[race]
    best = min(entrants, key=lambda rank: (entrants[rank], rank), default=None)
    gain = entrants[top] / entrants[best] if best is not None and top in entrants and len(entrants) > 1 else None
    if gain is not None and best is not None and best != top:
        gain = _gain_again(item, tally, top, best) or gain
    if gain is None and top1 is not None:
        settled = all(tally.refused(item.id, one.rank) for one in candidates if one.rank != top)
        best, gain = (top, 1.0) if settled else (None, None)
    best_s = top1 / gain if top1 is not None and gain is not None else None
    if top1 is None and best is not None:
        best_s = entrants[best]
    peers, top1_ratio, best_ratio = _peers(item, tally, by_round, top, gain)
    state = _state(item, tally, top, timed=top1 is not None)
    refused = sum(tally.refused(item.id, one.rank) for one in candidates)
    if state == "failed" and not tally.refused(item.id, top):
        refused += 1  # it could not even be tried
    predicted = {one.rank: one.predicted_s for one in candidates if one.predicted_s is not None}
    pairs = [(predicted[rank], time) for rank, time in entrants.items() if usable(predicted.get(rank))]
    many = len(pairs) >= LEAST_FOR_RANKS
    guess = predicted.get(top)
    rates = top1 if not dry_run else None
    return ItemFigures(
        id=item.id,
        suite=item.suite,
        title=item.title,
        dtype=item.reference.dtype,
        kind=item.reference.kind or "other",
        rows=1 + len(item.same_as),
        same_as=item.same_as,
        state=state,
        predicted_s=guess if usable(guess) else None,
        saturated=first.saturated,
        top1_s=top1,
        warm_s=tally.time(item.id, "ours", top, FOURTH),
        warm_ratio=_warm_ratio(item, tally, top),
        p10_s=_finite(shown.p10_s) if shown is not None else None,
        p90_s=_finite(shown.p90_s) if shown is not None else None,
        top1_rank=top,
        candidates=len(candidates),
        timed=len({rank for times in by_round.values() for rank in times}),
        refused=refused,
        best_rank=best,
        gain=gain,
        best_s=best_s,
        within=spearman([guess for guess, _ in pairs], [time for _, time in pairs]) if many else None,
        peers=peers,
        top1_ratio=top1_ratio,
        best_ratio=best_ratio,
        flops_per_s=item.flops / rates if rates is not None and item.flops else None,
        bytes_per_s=item.least_bytes / rates if rates is not None and item.least_bytes else None,
        published_s={name: time for name, time in item.published_s.items() if usable(time)},
    )


def _gain_again(item: Item, tally: Tally, top: int, best: int) -> float | None:
    """Return what the fastest candidate gains in the rounds after it was chosen, None without such."""
    first, fastest = (tally.time(item.id, "ours", rank, THIRD) for rank in (top, best))
    return first / fastest if first is not None and fastest is not None else None


def _warm_ratio(item: Item, tally: Tally, top: int) -> dict[str, float]:
    """Return per peer its time with warm caches over that of the first candidate, of the same rounds."""
    ours = tally.time(item.id, "ours", top, FOURTH)
    times = {name: tally.time(item.id, name, 0, FOURTH) for name in in_order(tally.peers.get(item.id, ()))}
    return {name: time / ours for name, time in times.items() if time is not None} if ours is not None else {}


def _peers(
    item: Item, tally: Tally, by_round: dict[str, dict[int, float]], top: int, gain: float | None
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return per peer its time, and its ratios to the first candidate and to the fastest one."""
    times: dict[str, float] = {}
    top1_ratio: dict[str, float] = {}
    best_ratio: dict[str, float] = {}
    for name in in_order(tally.peers.get(item.id, ())):
        in_round = {r: time for r in (FIRST, SECOND) if (time := tally.time(item.id, name, 0, r)) is not None}
        if not in_round:
            continue
        times[name] = next(iter(in_round.values()))
        both = next((r for r in in_round if top in by_round[r]), None)
        if both is not None:
            top1_ratio[name] = in_round[both] / by_round[both][top]
            if gain is not None:
                best_ratio[name] = top1_ratio[name] * gain
        elif not any(top in of_round for of_round in by_round.values()):
            ours = next((r for r in (SECOND, FIRST) if r in in_round and by_round[r]), None)
            if ours is not None:
                best_ratio[name] = in_round[ours] / min(by_round[ours].values())
    return times, top1_ratio, best_ratio


def in_order(peers: Iterable[str]) -> list[str]:
    """Return peers in the order of reports, the vendor's library first.

    >>> in_order({"triton", "tvm", "torch"})
    ['torch', 'triton', 'tvm']
    """
    order = ("torch", "torch.compile", "triton")
    return sorted(peers, key=lambda who: (order.index(who) if who in order else len(order), who))


def _state(item: Item, tally: Tally, top: int, *, timed: bool) -> State:
    check = tally.checks.get((item.id, "ours", top))
    if check is not None and not (check.ok and check.against == ITSELF):
        return "right" if check.ok else "failed" if check.error is None else "wrong"
    if timed or check is not None:
        return "unchecked"
    return "failed" if item.id in tally.troubled else "missing"


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None
