# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a runner does, step by step, the most valuable first; and what comes of a step.

The phases: smoke (the smallest item of each family of kernels, the most special first, checked and timed, so that what
is broken shows in the first minutes; of kits that name no families three items of different kinds; then functions that
can be launched in several ways, all of which are checked and timed in the same rounds, and the first launched many
times in a row), check (the first
candidate of every item), calibrate (the probes), top1 (the first candidate and torch, which calls the vendor's
libraries, in the same rounds), topk (item by item: all other candidates checked, then all that are right timed in the
same rounds, torch among them, and then the fastest once more beside the first), peers (the first candidate and all
peers in the same rounds; those that compile and tune themselves take seconds for each item, and so come last;
convolutions at the very end, as torch.compile calls the library for them that torch calls, and Triton has none). A step
that an earlier phase has done is not done again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from roller_mlir.evaluation.measure.records import Check, Count, Item, ItemCandidate, Kit, Timing, Trouble
from roller_mlir.runtime.registry import device_backends

PHASES = ("smoke", "check", "calibrate", "top1", "topk", "peers")
PEERS = ("torch", "torch.compile", "triton")
DRY_PEERS = ("numpy",)
"""Who stands in for the peers on the simulator."""
TOP_K = "top-k"
"""Note of the timings of all candidates of an item in the same rounds."""
AGAIN = "again"
"""Note, beside that, of the fastest of them and the first, timed once more: the samples that chose one flatter it."""
WARM = "caches warm"
"""Note of what was timed right after itself, with caches as it leaves them; else they were cleared before."""
ITSELF = "itself: nobody here computes it otherwise"
"""What the first candidate is compared with where there is no reference."""
LAUNCHES, DRY_LAUNCHES = 10_000, 3
"""How often a candidate is launched to see that it neither hangs nor changes its result; in the simulator."""
REPEAT_S = 5.0
"""Seconds after which no further launches of these are queued: a model of milliseconds is launched less often."""
REPEATED = "launches in a row"
"""Ending of the note of the time that one of them takes."""
_SMOKE_ITEMS = 3
_CONVOLUTIONS = ("conv2d", "depthwise_conv2d")

StepKind: TypeAlias = Literal["check", "time", "repeat", "probe"]


@dataclass(frozen=True, kw_only=True)
class Step:
    """What is done at once, and once.

    Attributes:
        kind: Whether candidates are checked, or timed, or one is launched many times in a row, or a probe is run.
        item: Id of the item, or name of the probe.
        ranks: Of the candidates: one to check or to repeat, any number to time.
        peers: Who is timed in the same rounds, after a check of its own.
        note: Of the timings.
        base: Candidate to compare with where nobody else computes the item; None: there is none yet, or it is wrong.
    """

    kind: StepKind
    item: str
    ranks: tuple[Count, ...] = ()
    peers: tuple[str, ...] = ()
    note: str = ""
    base: Count | None = None

    @property
    def key(self) -> str:
        """What a journal knows it by; the ranks that are timed depend on which are right, and are not part of it.

        >>> Step(kind="time", item="C0", ranks=(0,), peers=("torch",)).key
        'time C0 torch'
        """
        if self.kind == "time":
            return " ".join(word for word in ("time", self.item, ",".join(self.peers), self.note) if word)
        return " ".join([self.kind, self.item, *map(str, self.ranks)])


@dataclass(frozen=True, kw_only=True)
class DeviceFault:
    """What ended the process that uses the device, or broke the device for it.

    Attributes:
        who: Who was at work: "ours", "probe", a peer, "reference".
        rank: Of the candidate, for ours.
        message: How it showed.
    """

    who: str
    rank: Count = 0
    message: str


@dataclass(frozen=True, kw_only=True)
class StepOutcome:
    """What came of a step.

    Attributes:
        step: Its key.
        checks: Results that were compared.
        timings: What was timed.
        troubles: What went wrong beside.
        fault: What ended the process; None where it lives.
        left_out: The lost family for which it was not done; "" where it was.
    """

    step: str
    checks: tuple[Check, ...] = ()
    timings: tuple[Timing, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    fault: DeviceFault | None = None
    left_out: str = ""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a user asked for.

    Attributes:
        phases: Some of `PHASES`.
        peers: Some of `PEERS`.
        only: Patterns of ids and names, as of file names; empty: all.
    """

    phases: tuple[str, ...] = PHASES
    peers: tuple[str, ...] = PEERS
    only: tuple[str, ...] = ()

    def wants(self, name: str) -> bool:
        """Return whether an item or a probe is among what is asked for.

        >>> Asked(only=("C*",)).wants("C0"), Asked(only=("C*",)).wants("M0"), Asked().wants("M0")
        (True, False, True)
        """
        return not self.only or any(fnmatchcase(name, pattern) for pattern in self.only)


def plan_steps(kit: Kit, asked: Asked) -> list[Step]:
    """Return all steps, each once, in the order in which they are done."""
    items = [item for item in kit.items if asked.wants(item.id)]
    steps: dict[str, Step] = {}
    for phase in PHASES:
        if phase in asked.phases:
            for step in _phase(phase, kit, items, asked):
                steps.setdefault(step.key, step)
    return list(steps.values())


def _phase(phase: str, kit: Kit, items: Sequence[Item], asked: Asked) -> Iterator[Step]:
    if phase == "smoke":
        for item, number in (*_families(items), *_different(items)):
            yield from _checks(item, number)
            if number == 0:
                yield _time(item, asked.peers)
        for item in items:
            if item.has_ways:
                yield from _all(item, asked)
                yield Step(kind="repeat", item=item.id, ranks=(item.candidates[0].rank,))
    elif phase == "check":
        yield from (step for item in items for step in _checks(item, 0))
    elif phase == "calibrate":
        yield from (Step(kind="probe", item=probe.name) for probe in kit.probes if asked.wants(probe.name))
    elif phase == "top1":
        yield from (step for item in items for step in (*_checks(item, 0), _time(item, _anchor(asked))))
    elif phase == "peers":
        ordered = sorted(items, key=lambda item: item.reference.kind in _CONVOLUTIONS)
        yield from (step for item in ordered for step in (*_checks(item, 0), _time(item, asked.peers)))
    else:
        for item in items:
            if len(item.candidates) > 1:
                yield from _all(item, asked)


def _all(item: Item, asked: Asked) -> Iterator[Step]:
    """Yield the checks of all candidates, and their race."""
    yield from _checks(item, *range(len(item.candidates)))
    ranks = tuple(candidate.rank for candidate in item.candidates)
    yield Step(kind="time", item=item.id, ranks=ranks, peers=_anchor(asked), note=TOP_K)


def _families(items: Sequence[Item]) -> list[tuple[Item, int]]:
    """Return an item and a candidate of each family: a first candidate where there is one, of the least work.

    Families come in the order in which the kit's first items show them, which is that of `bench/gpu/smoke.py`. Items
    that can be launched in several ways are left out: all of their candidates are checked next.
    """
    found: dict[str, list[tuple[bool, int, int, Item, int]]] = {}
    for place, item in enumerate(one for one in items if not one.has_ways):
        for number, candidate in enumerate(item.candidates):
            if candidate.family:
                cost = item.flops + item.least_bytes
                found.setdefault(candidate.family, []).append((number > 0, cost, place, item, number))
    return [min(those, key=lambda one: (*one[:3], one[4]))[3:] for those in found.values()]


def _different(items: Sequence[Item]) -> list[tuple[Item, int]]:
    """Return, of items without families, the first of different kinds and element types, and then the first others."""
    items = [item for item in items if not any(candidate.family for candidate in item.candidates)]
    firsts: dict[tuple[str, str], Item] = {}
    for item in items:
        firsts.setdefault((item.reference.kind, item.reference.dtype), item)
    chosen = [*firsts.values(), *(item for item in items if item not in firsts.values())]
    return [(item, 0) for item in chosen[:_SMOKE_ITEMS]]


def _checks(item: Item, *numbers: int) -> Iterator[Step]:
    """Yield the checks of candidates, in front of them that of the one whose results they are compared with."""
    base = [number for number, one in enumerate(item.candidates) if one.rank == item.base]
    yield from (_check(item, number) for number in dict.fromkeys((*base, *numbers)))


def _check(item: Item, number: int) -> Step:
    return Step(kind="check", item=item.id, ranks=(item.candidates[number].rank,))


def _time(item: Item, peers: tuple[str, ...]) -> Step:
    return Step(kind="time", item=item.id, ranks=(item.candidates[0].rank,), peers=peers)


def _anchor(asked: Asked) -> tuple[str, ...]:
    """Return the peer that is at hand at once."""
    return tuple(peer for peer in asked.peers if peer in ("torch", "numpy"))


def base_rank(item: Item, checks: Mapping[tuple[str, int], Check]) -> int | None:
    """Return the candidate of an item to compare with: one that is not known to be wrong and was compared with nobody.

    It is the item's own, or else the first one.
    """
    ranks = sorted((candidate.rank for candidate in item.candidates), key=lambda rank: (rank != item.base, rank))
    found = [(rank, checks.get((item.id, rank))) for rank in ranks]
    return next((rank for rank, check in found if check is not None and check.ok and check.against == ITSELF), None)


def has_time(candidate: ItemCandidate, back_end: str) -> bool:
    """Return whether a candidate is timed there: graphs of launches are a driver's, others run them one by one."""
    return not candidate.graph or back_end in device_backends()


def right_ranks(step: Step, checks: Mapping[tuple[str, int], Check]) -> tuple[int, ...]:
    """Return the candidates of a step that may be timed: those whose results were right.

    Args:
        step: Of the kind "time" or "repeat".
        checks: Of this package's candidates, by item and rank. A candidate that nobody has checked is not timed.
    """
    found = [(rank, checks.get((step.item, rank))) for rank in step.ranks]
    return tuple(rank for rank, check in found if check is not None and check.ok)
