# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the times of probes say: a figure for each pair of a longer and a shorter run."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite

from roller_mlir.evaluation.measure.records import Probe, Results, Timing

PER_WORK = ("latency", "launch", "barrier", "hand-over", "task")
"""Quantities whose figure is the time of one; of all others it is how many there are in a second."""

UNITS = {
    "bandwidth": "B/s",
    "flops": "flop/s",
    "atomics": "/s",
    "clock": "Hz",
    "latency": "s",
    "launch": "s",
    "barrier": "s",
    "hand-over": "s",
    "task": "s",
}
"""By quantity: the unit of its figure."""

_NOISE = 0.25
"""A difference is believed where the spread of the two times (10th to 90th percentile) is at most this share of it."""


@dataclass(frozen=True, kw_only=True)
class Figure:
    """What was measured of one subject.

    Attributes:
        probe: The longer run.
        value: In the quantity's unit; None where the times say nothing.
        spread: The spread of both times as a share of their difference.
        problem: Why there is no value.
    """

    probe: Probe
    value: float | None = None
    spread: float = 0.0
    problem: str = ""

    @property
    def unit(self) -> str:
        """The value's unit."""
        return UNITS.get(self.probe.quantity, "")


def figures(results: Results) -> Iterator[Figure]:
    """Yield a figure for each probe that has a baseline, in the kit's order.

    Args:
        results: Of a runner; a time that is missing or makes no sense is the figure's problem.
    """
    probes = {probe.name: probe for probe in results.kit.probes}
    times = {timing.item: timing for timing in results.timings if timing.who == "probe"}
    troubles = {trouble.item: trouble.message for trouble in results.troubles if trouble.who == "probe"}
    for probe in results.kit.probes:
        if not probe.baseline:
            continue
        short = probes.get(probe.baseline)
        if short is None:
            yield Figure(probe=probe, problem=f"its baseline '{probe.baseline}' is not in the kit")
            continue
        missing = [one.name for one in (short, probe) if one.name not in times]
        if missing:
            told = "; ".join(troubles[name] for name in missing if name in troubles)
            yield Figure(probe=probe, problem=told or f"'{missing[0]}' was not timed")
            continue
        yield figure(probe, short, times[probe.name], times[short.name])


def figure(probe: Probe, short: Probe, long_time: Timing, short_time: Timing) -> Figure:
    """Return the figure of two runs.

    Args:
        probe: The longer run.
        short: Its baseline.
        long_time: The time of the longer run.
        short_time: That of the shorter one.
    """
    if probe.quantity not in UNITS:
        return Figure(probe=probe, problem=f"its quantity '{probe.quantity}' is none of {', '.join(UNITS)}")
    for timing in (long_time, short_time):
        numbers = (timing.median_s, timing.p10_s, timing.p90_s)
        if not all(isfinite(number) and number > 0 for number in numbers) or timing.p90_s < timing.p10_s:
            shown = ", ".join(f"{number:g}" for number in numbers)
            return Figure(probe=probe, problem=f"the times of '{timing.item}' cannot be (median, p10, p90: {shown} s)")
    work, seconds = probe.work - short.work, long_time.median_s - short_time.median_s
    if not isfinite(work) or work <= 0:
        return Figure(probe=probe, problem=f"its baseline '{short.name}' does not do less work")
    if seconds <= 0:
        more = f"{long_time.median_s:g} s, less or no more than the {short_time.median_s:g} s of '{short.name}'"
        return Figure(probe=probe, problem=f"its time is {more}")
    spread = (long_time.p90_s - long_time.p10_s + short_time.p90_s - short_time.p10_s) / seconds
    if spread > _NOISE:
        return Figure(
            probe=probe,
            spread=spread,
            problem=f"the times differ by {seconds:g} s, but spread over {spread:.0%} of that (at most {_NOISE:.0%})",
        )
    value = seconds / work if probe.quantity in PER_WORK else work / seconds
    return Figure(probe=probe, value=value, spread=spread)
