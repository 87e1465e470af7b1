# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernel of each operator runs in each wave, by what runs beside it.

An operator that has the device for itself takes the kernel that is fastest there. In a wave of many, each gets a share
of the units and of the bandwidth, and a kernel that uses few units well makes the wave shorter than one that spreads
over all: RAMMER's resource efficiency. Times of kernels are those of the share that they get.
Paper: RAMMER, section 3.3 and Algorithm 1, lines 4 to 11.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

Kind = TypeVar("Kind", bound=Hashable)

SPARE = 2
"""Shares are looked at down to that of a wave's operators divided by this: some have less to do than others."""


@dataclass(frozen=True, kw_only=True)
class SharedKernel:
    """A kernel of an operator on a share of the device.

    Attributes:
        seconds: Its time there, without a launch.
        unit_s: The time in which units work for it, together.
        memory_s: The time for which it occupies the memory that is the busiest, if it has all of its bandwidth.
    """

    seconds: float
    unit_s: float
    memory_s: float


@dataclass(frozen=True)
class WaveChoice:
    """What the operators of a wave get.

    Attributes:
        units: The share of each operator, in units.
        seconds: How long the wave takes at least.
    """

    units: tuple[int, ...]
    seconds: float


def shares(units: int, operators: int) -> list[int]:
    """Return the shares, in units, that operators of a wave may get, the largest first: halves of halves.

    >>> shares(132, 1), shares(132, 4)
    ([132], [132, 66, 33, 17])
    """
    found = [units]
    while found[-1] > 1 and operators > 1 and found[-1] * operators * SPARE > units:
        found.append((found[-1] + 1) // 2)
    return found


def select(wave: Sequence[Kind], units: int, kernel: Callable[[Kind, int], SharedKernel]) -> WaveChoice:
    """Choose the shares of the operators of a wave, so that the wave takes the least time.

    A wave takes as long as its longest operator, and as all of them together occupy the units or the memory. For each
    time that the longest may have, each operator takes the share at which it occupies least.

    Args:
        wave: The kind of each operator; operators of one kind get the same.
        units: Units of the device.
        kernel: The kernel that a kind has on a share, and its times.
    """
    kinds = {kind: wave.count(kind) for kind in wave}
    known = {kind: [(share, kernel(kind, share)) for share in shares(units, len(wave))] for kind in kinds}

    def occupied(one: tuple[int, SharedKernel]) -> tuple[float, int]:
        return max(one[1].unit_s / units, one[1].memory_s), -one[0]

    best: tuple[float, dict[Kind, int]] | None = None
    for most in sorted({one.seconds for each in known.values() for _, one in each}):
        chosen: dict[Kind, tuple[int, SharedKernel]] = {}
        for kind, each in known.items():
            if quick := [one for one in each if one[1].seconds <= most]:
                chosen[kind] = min(quick, key=occupied)
        if len(chosen) < len(kinds):
            continue
        works = sum(one.unit_s * kinds[kind] for kind, (_, one) in chosen.items()) / units
        moves = sum(one.memory_s * kinds[kind] for kind, (_, one) in chosen.items())
        seconds = max(works, moves, *(one.seconds for _, one in chosen.values()))
        if best is None or seconds < best[0]:
            best = seconds, {kind: share for kind, (share, _) in chosen.items()}
    assert best is not None, "the slowest of all times is enough for each"
    return WaveChoice(tuple(best[1][kind] for kind in wave), best[0])
