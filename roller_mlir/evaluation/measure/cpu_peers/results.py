# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was measured of the host's libraries, as frozen records; read and written as JSON by `plan.records.codec`."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated

from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.records import Check, Timing, Trouble
from roller_mlir.plan.records.codec import Range

HOST_SCHEMA = 1
FLUSHED = "caches cleared"
"""What the note of a timing says whose caches were cleared before each call."""


@dataclass(frozen=True, kw_only=True)
class HostMachine:
    """Where it was measured, and how.

    Attributes:
        processor: As the machine names it.
        cores: How many the process may use.
        vectors: Vector instruction sets that it has, of those that libraries have kernels for.
        caches: Size of each, as the system spells it, by level and type.
        peak_flops: Multiplications and additions a second of one core, by width of the vectors, from registers alone.
        threads: How many each peer used.
        clock: What the times are.
        started: Date and time, ISO 8601, UTC.
        command: What was called.
        load: Processes that wanted a core on average over a minute, at the beginning and at the end.
    """

    processor: str
    cores: int
    vectors: tuple[str, ...] = ()
    caches: dict[str, str] = field(default_factory=dict[str, str])
    peak_flops: dict[str, float] = field(default_factory=dict[str, float])
    threads: Annotated[int, Range(1)] = 1
    clock: str = ""
    started: str = ""
    command: str = ""
    load: tuple[float, ...] = ()


@dataclass(frozen=True, kw_only=True)
class HostLibrary:
    """A peer that was there.

    Attributes:
        name: In tables.
        facts: What identifies it: version, instruction set or core type taken, and the like.
        threads: How many it said that it uses; None where it says nothing.
    """

    name: str
    facts: dict[str, str]
    threads: int | None = None


@dataclass(frozen=True, kw_only=True)
class HostResults:
    """What came of a run.

    Attributes:
        schema: `HOST_SCHEMA`.
        machine: Where.
        problems: What was computed.
        libraries: By whom.
        checks: Whether each result was right; `note` has the kernel and the layouts.
        timings: Of right ones alone; `who` is a peer and its variant.
        troubles: What is missing or failed.
    """

    schema: int = HOST_SCHEMA
    machine: HostMachine
    problems: tuple[HostProblem, ...]
    libraries: tuple[HostLibrary, ...] = ()
    checks: tuple[Check, ...] = ()
    timings: tuple[Timing, ...] = ()
    troubles: tuple[Trouble, ...] = ()

    def rates(self, problem: HostProblem, note: str = "") -> dict[str, float]:
        """Return operations a second by peer and variant, from the smallest time.

        Args:
            problem: One of `problems`.
            note: Of the timings: "" for warm caches, or `FLUSHED`.
        """
        return {
            one.who: problem.flops / one.least_s for one in self.timings if one.item == problem.id and one.note == note
        }

    def wrong(self) -> Iterator[Check]:
        """Yield the checks that failed."""
        return (one for one in self.checks if not one.ok)
