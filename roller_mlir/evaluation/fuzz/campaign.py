# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many cases: drawn, tried by worker processes, failures shrunk and kept, everything counted."""

import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.fuzz.case import Case, command_of, job_of
from roller_mlir.evaluation.fuzz.generate import make_case
from roller_mlir.evaluation.fuzz.jobs.failed import ORACLE_JOB, RUN_JOB, failed_oracle
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob, FuzzOutcome
from roller_mlir.evaluation.fuzz.keep import write_failure
from roller_mlir.evaluation.fuzz.options import CampaignOptions
from roller_mlir.evaluation.fuzz.program.program import elements
from roller_mlir.evaluation.fuzz.shrink import shrink
from roller_mlir.support.jobs.pool import JobPool


@dataclass(frozen=True, kw_only=True)
class Campaign(CampaignOptions):
    """What to try.

    Attributes:
        numbers: Of the cases.
        targets: Devices, in turn.
        shrink_at_most: Failures that are shrunk; further ones are kept as they are.
        only: Patterns of the kinds of programs to draw; () for all.
        entry: The function that tries a job, as "module:name".
        oracle: "iree" compares the reference with IREE's llvm-cpu too; "" has no second oracle.
    """

    numbers: range
    targets: tuple[str, ...]
    shrink_at_most: int = 20
    only: tuple[str, ...] = ()
    entry: str = RUN_JOB
    oracle: str = ""

    def case(self, number: int) -> Case:
        """Return a case of this campaign."""
        case = make_case(self.seed, number, self.targets, only=self.only)
        drawn = random.Random(f"{self.seed}:{number}:level")
        sanitize, level = drawn.random() * 100 < self.sanitize, drawn.random() * 100 < self.llvm
        return replace(case, sanitize=sanitize and not level, level="llvm" if level else case.level)


@dataclass(frozen=True)
class FailedCase:
    """A case that failed.

    Attributes:
        case: As drawn, with the oracle that contradicts the reference, if one does.
        outcome: What became of it.
        shrunk: The smallest that still fails.
        after: What became of that.
        path: Its file, where failures are kept.
    """

    case: Case
    outcome: FuzzOutcome
    shrunk: Case
    after: FuzzOutcome
    path: Path | None

    def record(self) -> dict[str, Any]:
        """Return it for JSON."""
        return {
            "case": self.case.number,
            "kind": self.case.kind,
            "target": self.case.target,
            "status": self.outcome.status,
            "message": self.after.message,
            "reproduce": command_of(self.case),
            "file": None if self.path is None else str(self.path),
            "ops": self.case.program.ops(),
            "ops_shrunk": self.shrunk.program.ops(),
            "program": job_of(self.shrunk).text,
        }


@dataclass
class CampaignTally:
    """What became of the cases.

    Attributes:
        statuses: Cases by status.
        refusals: Refused cases by reason: how many, and the first one's command and message.
        kinds: Cases by kind of program, and those that hold.
        types: Cases by element type, and those that hold.
        instructions: Cases that ran by device and family of instructions that a kernel has, and those that hold.
        failures: Those to mend.
        compile_s: Times of compilations, of cases that ran.
        run_s: Times of the simulator.
        wall_s: Of everything.
        oracle: What became of the comparisons of the reference with another oracle, where there is one.
        unanswered: Cases of which an oracle says nothing, by reason: how many, and the first one's command and message.
    """

    statuses: Counter[str] = field(default_factory=Counter[str])
    refusals: dict[str, tuple[int, str, str]] = field(default_factory=dict[str, tuple[int, str, str]])
    kinds: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    types: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    instructions: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    failures: list[FailedCase] = field(default_factory=list[FailedCase])
    compile_s: list[float] = field(default_factory=list[float])
    run_s: list[float] = field(default_factory=list[float])
    wall_s: float = 0.0
    oracle: "CampaignTally | None" = None
    unanswered: dict[str, tuple[int, str, str]] = field(default_factory=dict[str, tuple[int, str, str]])

    @property
    def holds(self) -> bool:
        """Whether no case failed."""
        return not self.failures and (self.oracle is None or self.oracle.holds)

    def count(self, case: Case, outcome: FuzzOutcome) -> None:
        """Count a case."""
        self.statuses[outcome.status] += 1
        good = outcome.status in ("equal", "close")
        used = [f"{case.target} {family}" for family in outcome.families]
        drawn = (self.kinds, [case.kind]), (self.types, sorted(elements(case.program))), (self.instructions, used)
        for table, names in drawn:
            for name in names:
                tried, held = table.get(name, (0, 0))
                table[name] = tried + 1, held + good
        if good:
            self.compile_s.append(outcome.compile_s)
            self.run_s.append(outcome.run_s)
        told = {"refused": self.refusals, "unanswered": self.unanswered}.get(outcome.status)
        if told is not None:
            count, command, message = told.get(outcome.reason, (0, command_of(case), outcome.message))
            told[outcome.reason] = count + 1, command, message


def run_campaign(
    campaign: Campaign, check: Callable[[], None] = lambda: None, found: Callable[[FailedCase], None] = lambda _: None
) -> CampaignTally:
    """Try all cases of a campaign.

    Args:
        campaign: What to try.
        check: Called between cases; what it raises ends the campaign.
        found: Called with each failure as soon as it is shrunk.
    """
    tally = _try_cases(campaign, "", check, found) if campaign.kernels else CampaignTally()
    if campaign.oracle:
        tally.oracle = _try_cases(campaign, campaign.oracle, check, found)
    return tally


def _try_cases(
    campaign: Campaign, oracle: str, check: Callable[[], None], found: Callable[[FailedCase], None]
) -> CampaignTally:
    """Try all cases against the reference, kernels or another oracle."""
    started = time.monotonic()
    tally = CampaignTally()
    entry, on_failure = (ORACLE_JOB, failed_oracle) if oracle else (campaign.entry, FuzzOutcome)

    def jobs() -> Iterator[tuple[Case, FuzzJob]]:
        for number in campaign.numbers:
            case = replace(campaign.case(number), oracle=oracle)
            yield case, job_of(case)

    failed: list[tuple[Case, FuzzOutcome]] = []
    with JobPool(campaign.jobs, campaign.case_timeout_s, entry, on_failure) as pool:
        for case, outcome in pool.run(jobs()):
            check()
            tally.count(case, outcome)
            if outcome.failed:
                failed.append((case, outcome))
    with JobPool[FuzzJob, FuzzOutcome](1, campaign.case_timeout_s, entry, on_failure) as pool:
        for failure in _shrunk(campaign, pool, failed, check):
            tally.failures.append(failure)
            found(failure)
    tally.wall_s = time.monotonic() - started
    return tally


def _shrunk(
    campaign: Campaign,
    pool: JobPool[FuzzJob, FuzzOutcome],
    failed: Sequence[tuple[Case, FuzzOutcome]],
    check: Callable[[], None],
) -> Iterator[FailedCase]:
    def run(job: FuzzJob) -> FuzzOutcome:
        check()
        return pool.one(job)

    for position, (case, outcome) in enumerate(sorted(failed, key=lambda one: one[0].number)):
        budget_s = campaign.shrink_s if position < campaign.shrink_at_most else 0.0
        shrunk, after = shrink(case, outcome, run, budget_s)
        path = None
        if campaign.keep is not None:
            path = write_failure(campaign.keep, case, outcome, shrunk, after)
        yield FailedCase(case, outcome, shrunk, after, path)
