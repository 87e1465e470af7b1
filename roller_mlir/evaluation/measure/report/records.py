# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A report as a frozen record, which `roller report --json` prints: what is wrong or missing, goals, all figures."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from roller_mlir.evaluation.measure.records import Kit, LostFamily, MeasuredMachine, Skipped, Trouble
from roller_mlir.evaluation.measure.report.figures import GroupFigures, ItemFigures, PredictionFigures, PublishedFigures
from roller_mlir.evaluation.measure.report.ways import WayFigures

REPORT_SCHEMA = 1

Verdict: TypeAlias = Literal["reached", "missed", "open", "not measured", "not judged"]


@dataclass(frozen=True, kw_only=True)
class FailedResult:
    """A result that is wrong, or that there is none of.

    Attributes:
        item: Id of the item.
        who: "ours" or a peer.
        rank: Of the candidate, for ours.
        against: What it was compared with.
        error: The largest difference in units of its bound, None without a result.
        message: What went wrong.
    """

    item: str
    who: str
    rank: int
    against: str
    error: float | None
    message: str


@dataclass(frozen=True, kw_only=True)
class Checked:
    """How many results were compared with one reference.

    Attributes:
        who: "ours" or a peer.
        against: What they were compared with.
        n: How many.
        right: How many of them were right.
        largest_error: Of the right ones, in units of its bound.
    """

    who: str
    against: str
    n: int
    right: int
    largest_error: float | None


@dataclass(frozen=True, kw_only=True)
class Goal:
    """What was to be shown.

    Attributes:
        goal: In words, with what is asked.
        needed: The least that reaches it.
        value: What was measured, None where nothing was.
        n: Over how many items.
        missing: Items of the goal that were not measured.
        detail: What else belongs to it, in words.
        verdict: "open" where what is missing can still turn it.
    """

    goal: str
    needed: float
    value: float | None
    n: int
    missing: int
    detail: str
    verdict: Verdict


@dataclass(frozen=True, kw_only=True)
class ProbeFigures:
    """A micro-benchmark of the device.

    Attributes:
        name: Of the probe.
        quantity: What it measures.
        subject: Layer or instruction.
        size_bytes: The working set.
        work: What one run does, less the baseline's.
        median_s: Median time, None where there is none.
        p10_s: Tenth percentile.
        p90_s: Ninetieth percentile.
        baseline: The probe whose time and work are subtracted, "" for none.
        value: Work per second; of latencies, launches and barriers seconds per piece of work. None where it cannot be
            said, as of what is only there to be subtracted.
        unit: Of the value.
    """

    name: str
    quantity: str
    subject: str
    size_bytes: int
    work: float
    median_s: float | None
    p10_s: float | None
    p90_s: float | None
    baseline: str
    value: float | None
    unit: str


@dataclass(frozen=True, kw_only=True)
class Missing:
    """What was not done, for want of time or because of troubles.

    Attributes:
        unchecked: Items whose first candidate was not checked.
        untimed: Items whose first candidate was neither timed nor wrong.
        without_vendor: Items with a time of ours and none of the vendor's library.
        candidates: Candidates beyond the first that were neither timed nor wrong.
        probes: Probes without a time.
    """

    unchecked: tuple[str, ...]
    untimed: tuple[str, ...]
    without_vendor: tuple[str, ...]
    candidates: int
    probes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Report:
    """All figures of results.

    Attributes:
        schema: `REPORT_SCHEMA`.
        dry_run: Whether the times are the simulator's: then nothing here is a speed, and no goal is judged.
        machine: Where it was measured.
        runs: Start and command of each run.
        kit: What was measured, without its items and probes.
        complete: Whether the runner did all that it was asked for.
        items: Per item.
        failures: What is wrong.
        troubles: What went wrong beside.
        refused: Candidates of which the driver refused a better binary, as "ITEM RANK".
        refusal: What was said of the first of them.
        lost: Families of kernels that were given up after a fault of one.
        left_out: Candidates of these that were not checked for it, as "ITEM RANK".
        unusable: Times that are none: zero, negative, not a number.
        skipped: What the kit lacks.
        missing: What was not done.
        checked: What was compared with what.
        goals: What was to be shown.
        groups: Per suite, element type and class.
        prediction: Over all items.
        published: Per system.
        probes: Micro-benchmarks.
        ways: Of functions that can be launched in several ways, each of them.
        notes: What timings say of how they were made, and of whom, and how many say it.
    """

    schema: int = REPORT_SCHEMA
    dry_run: bool
    machine: MeasuredMachine
    runs: tuple[tuple[str, str], ...]
    kit: Kit
    complete: bool
    items: tuple[ItemFigures, ...]
    failures: tuple[FailedResult, ...]
    troubles: tuple[Trouble, ...]
    refused: tuple[str, ...]
    refusal: str
    lost: tuple[LostFamily, ...]
    left_out: tuple[str, ...]
    unusable: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    missing: Missing
    checked: tuple[Checked, ...]
    goals: tuple[Goal, ...]
    groups: tuple[GroupFigures, ...]
    prediction: PredictionFigures
    published: tuple[PublishedFigures, ...]
    probes: tuple[ProbeFigures, ...]
    ways: tuple[WayFigures, ...]
    notes: dict[str, int]
