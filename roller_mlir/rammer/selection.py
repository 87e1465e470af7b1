# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernel of each operator runs in each wave, by what runs beside it.

An operator that has the device for itself takes the kernel that is fastest there. In a wave of many, each gets a share
of the units and of the bandwidth, and a kernel that uses few units well makes the wave shorter than one that spreads
over all: RAMMER's resource efficiency. Times of kernels are those of the share that they get.

Where weights may stay in workgroup memory, how many do depends on the tiles of all waves together: narrow ones fill it
to the last byte, wide ones are less work where they find their weights. Tiles are chosen by the sum of all waves.
Paper: RAMMER, section 3.3 and Algorithm 1, lines 4 to 11; none has weights that stay.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

Kind = TypeVar("Kind", bound=Hashable)

WORTH = 0.9
"""Of the time of a wave whose operators take the kernels that are fastest alone: other kernels are other bodies, which
must save some."""

KEEPING_WORTH = 0.97
"""Of the time of all waves, which tiles for weights that stay must not exceed: who keeps what is not known yet."""

SPARE = 2
"""Shares are looked at down to that of a wave's operators divided by this: some have less to do than others."""


@dataclass(frozen=True, kw_only=True)
class SharedKernel:
    """A kernel of an operator on a share of the device.

    Attributes:
        seconds: Its time there, without a launch.
        unit_s: The time in which units work for it, together.
        resource_s: The time for which it keeps the resource of the device busy that it needs most, if it has all of
            it: the bandwidth of memory or of the last cache, the schedulers or the workgroup memory of all units.
    """

    seconds: float
    unit_s: float
    resource_s: float


class Share(NamedTuple):
    """What an operator of a wave gets.

    Attributes:
        units: Its share of the device.
        planned: The units that its kernel is planned for: the share, or all of the device.
    """

    units: int
    planned: int


KernelsOf = Callable[[Kind, int], Mapping[int, SharedKernel]]
"""The kernels that a kind may have on a share, by the units that they are planned for, those of the share first."""


@dataclass(frozen=True)
class WaveChoice:
    """What the operators of a wave get.

    Attributes:
        shares: The share of each operator, and its kernel.
        seconds: How long the wave takes at least.
    """

    shares: tuple[Share, ...]
    seconds: float


def shares(units: int, operators: int) -> list[int]:
    """Return the shares, in units, that operators of a wave may get, the largest first: halves of halves.

    >>> shares(132, 1), shares(132, 4)
    ([132], [132, 66, 33, 17, 9])
    """
    found = [units]
    while found[-1] > 1 and operators > 1 and found[-1] * operators * SPARE > units:
        found.append((found[-1] + 1) // 2)
    return found


def _busy_s(kernels: Sequence[tuple[SharedKernel, int]], units: int) -> float:
    """Return for how long kernels, each so many times, occupy all units or a resource of the device."""
    works = sum(one.unit_s * number for one, number in kernels) / units
    return max(works, sum(one.resource_s * number for one, number in kernels))


def select(wave: Sequence[Kind], units: int, kernels: KernelsOf[Kind]) -> WaveChoice:
    """Choose the shares and kernels of the operators of a wave, so that the wave takes the least time.

    A wave takes as long as its longest operator, and as all of them together occupy the units or a resource. For each
    time that the longest may have, each operator takes the share and the kernel by which it occupies least. What the
    best of these choices leaves idle then makes operators shorter, the longest ones first: others may wait for them
    alone.

    Where all of that saves little, each operator has the whole device.

    Args:
        wave: The kind of each operator; operators of one kind get the same.
        units: Units of the device.
        kernels: The kernels that a kind may have on a share, and their times.
    """
    counts = {kind: wave.count(kind) for kind in wave}
    known = {
        kind: [
            (Share(share, planned), one)
            for share in shares(units, len(wave))
            for planned, one in kernels(kind, share).items()
        ]
        for kind in counts
    }

    def occupied(one: tuple[Share, SharedKernel]) -> tuple[float, int]:
        return max(one[1].unit_s / units, one[1].resource_s), -one[0].units

    def busy_s(chosen: Mapping[Kind, tuple[Share, SharedKernel]]) -> float:
        return _busy_s([(one, counts[kind]) for kind, (_, one) in chosen.items()], units)

    best: tuple[float, dict[Kind, tuple[Share, SharedKernel]]] | None = None
    for most in sorted({one.seconds for each in known.values() for _, one in each}):
        if all(any(one.seconds <= most for _, one in each) for each in known.values()):
            chosen = {
                kind: min((x for x in each if x[1].seconds <= most), key=occupied) for kind, each in known.items()
            }
            seconds = max(busy_s(chosen), *(one.seconds for _, one in chosen.values()))
            if best is None or seconds < best[0]:
                best = seconds, chosen
    assert best is not None, "the slowest of all times is enough for each"
    seconds, chosen = best
    alone = {kind: each[0] for kind, each in known.items()}
    usual = max(busy_s(alone), *(one.seconds for _, one in alone.values()))
    if seconds > WORTH * usual:
        return WaveChoice((Share(units, units),) * len(wave), usual)
    for kind in sorted(chosen, key=lambda kind: -chosen[kind][1].seconds):
        quicker = (one for one in known[kind] if one[1].seconds < chosen[kind][1].seconds)
        for one in sorted(quicker, key=lambda one: one[1].seconds):
            if busy_s({**chosen, kind: one}) <= seconds:
                chosen[kind] = one
                break
    return WaveChoice(tuple(chosen[kind][0] for kind in wave), seconds)


@dataclass(frozen=True)
class SharedWave:
    """The operators of a wave, and what they get.

    Attributes:
        waits: Whether they wait for others.
        operators: Their kinds and shares, with how many are equal.
    """

    waits: bool
    operators: tuple[tuple[int, Share, int], ...]


Tile = tuple[int, ...]
"""Points of each loop in a task; of none, the plan that the operator's share has."""

KeepingKernelOf = Callable[[int, Share, Tile, bool], SharedKernel]
"""The kernel that a kind has on a share with a tile, behind waits or not, and its expected times."""


def seconds_of(
    waves: Mapping[SharedWave, int], blocks: int, kernel: KeepingKernelOf, tiles: Mapping[int, Tile]
) -> tuple[float, float]:
    """Return how long waves take one after the other, and for how long their operators occupy blocks, together.

    Args:
        waves: The waves, each with how many are equal.
        blocks: How many tasks run at a time.
        kernel: Kernels and their times, where one task runs on a block at a time.
        tiles: Those of kinds that have not the plans for their shares.
    """
    seconds, works = 0.0, 0.0
    for wave, number in waves.items():
        each = [(kernel(kind, share, tiles.get(kind, ()), wave.waits), n) for kind, share, n in wave.operators]
        seconds += number * max(_busy_s(each, blocks), *(one.seconds for one, _ in each))
        works += number * sum(one.unit_s * n for one, n in each)
    return seconds, works


def select_tiles(
    waves: Mapping[SharedWave, int],
    tiles: Mapping[tuple[int, ...], Sequence[Tile]],
    blocks: int,
    kernel: KeepingKernelOf,
) -> dict[int, Tile]:
    """Choose tiles of kinds of operators by the time of all waves; none where that saves little.

    One family of kinds after the other takes the best tile beside those of the others, until none gains by another. Of
    equal times the one is taken that occupies units for less.

    Args:
        waves: The waves, each with how many are equal.
        tiles: What kinds may have, all of a family the same, beside the plans for their shares.
        blocks: How many tasks run at a time.
        kernel: Kernels and their times, where one task runs on a block at a time.
    """
    chosen: dict[int, Tile] = {}

    def taken() -> tuple[float, float]:
        return seconds_of(waves, blocks, kernel, chosen)

    usual = best = taken()
    gains = True
    while gains:
        gains = False
        for family, able in tiles.items():
            before = chosen.get(family[0], ())
            for tile in ((), *able):
                chosen.update(dict.fromkeys(family, tile))
                if (found := taken()) < best:
                    best, before, gains = found, tile, True
            chosen.update(dict.fromkeys(family, before))
    if best[0] > KEEPING_WORTH * usual[0]:
        return {}
    return {kind: tile for kind, tile in chosen.items() if tile}
