# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times ours and peers in the same rounds; a peer that fails in the midst of them is left out, and they begin anew."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from roller_mlir.evaluation.measure.records import Timing
from roller_mlir.evaluation.measure.runner.devices import Bench
from roller_mlir.runtime.timing import Samples

OURS = "ours"
LIMIT_S = 3.0
"""Seconds for the rounds of one step; a round is always finished."""

Who: TypeAlias = tuple[str, int]
"""Who computes an item, and of ours the candidate's rank."""


class RoundError(Exception):
    """Nothing could be timed; the cause is why."""


def time_rounds(
    bench: Bench, calls: Mapping[Who, Callable[[], object]], samples: int, *, flush: bool = True
) -> tuple[dict[Who, Samples], dict[Who, Exception]]:
    """Time calls in rounds.

    Args:
        bench: The device.
        calls: What to time.
        samples: Rounds.
        flush: Whether caches are cleared before each call.

    Returns:
        The samples of all that did not fail, and the errors of peers that did.

    Raises:
        RoundError: One of ours failed, or the device did, of which nobody knows whose doing it is.
    """
    left, failed = dict(calls), dict[Who, Exception]()
    while left:
        raised: list[Who] = []
        named = {f"{who} {rank}": _noting(call, (who, rank), raised) for (who, rank), call in left.items()}
        try:
            taken = bench.time(named, samples=samples, limit_s=LIMIT_S, flush=flush)
        except Exception as error:
            if not raised or raised[0][0] == OURS:
                raise RoundError(str(error)) from error
            failed[raised[0]] = error
            del left[raised[0]]
            continue
        return {(who, rank): taken[f"{who} {rank}"] for who, rank in left}, failed
    return {}, failed


def timing_of(item: str, who: str, samples: Samples, *, rank: int = 0, note: str = "") -> Timing:
    """Return samples as a record."""
    return Timing(
        item=item,
        who=who,
        rank=rank,
        median_s=samples.median_s,
        least_s=samples.least_s,
        p10_s=samples.p10_s,
        p90_s=samples.p90_s,
        samples=len(samples.seconds),
        note=note,
    )


def _noting(call: Callable[[], object], who: Who, raised: list[Who]) -> Callable[[], object]:
    def noted() -> None:
        try:
            call()
        except Exception:
            raised.append(who)
            raise

    return noted
