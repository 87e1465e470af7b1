# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of many operators on many devices: samples that rotate, and several processes at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.suites.each import each_operator
from roller_mlir.suites.operator import Operator
from roller_mlir.suites.records import operator_record
from roller_mlir.suites.verify_stage import verify_operator
from roller_mlir.support.job_pool import JobPool

Pair = tuple[Operator, str]

LIMIT_S = 1800.0
"""Time for an operator where several processes work, far beyond what any takes: a process that hangs is found."""


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Which share of the pairs of operators and targets is taken.

    Attributes:
        number: From 0; the samples 0 to of - 1 together are everything.
        of: How many samples there are.
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 <= self.number < self.of:
            raise ValueError(f"a sample is I/N with I from 0 to N - 1, but got {self.number}/{self.of}")

    def take(self, operators: Sequence[Operator], targets: Sequence[str]) -> list[Pair]:
        """Return the sample's pairs: of every class at least one, and every target where there are as many classes.

        >>> operators = [Operator(f"{kind}{i}", kind, "f32") for kind in ("relu", "matmul") for i in range(3)]
        >>> [(one.id, target) for one, target in Sample(number=1, of=4).take(operators, ("v100", "h200"))]
        [('relu0', 'h200'), ('relu2', 'h200'), ('matmul0', 'v100'), ('matmul2', 'v100')]
        """
        taken: list[Pair] = []
        for place, kind in enumerate(dict.fromkeys(one.kind for one in operators)):
            of_kind = [one for one in operators if one.kind == kind]
            count = len(of_kind) * len(targets)
            step = min(self.of, count)
            for k in range(self.number % step, count, step):
                taken.append((of_kind[k // len(targets)], targets[(k + place) % len(targets)]))
        return taken


@dataclass(frozen=True)
class Job:
    """What a process is asked for: see `verify_pairs`."""

    pair: Pair
    options: CompileOptions
    seed: int
    dtype: str | None


def verify_pairs(
    pairs: Sequence[Pair],
    options: CompileOptions,
    *,
    seed: int = 0,
    dtype: str | None = None,
    jobs: int = 1,
    check: Callable[[], None] = lambda: None,
) -> Iterator[dict[str, Any]]:
    """Yield the record of each pair, in order: what `verify_operator` says, or `error` beside what identifies it.

    Args:
        pairs: Operators with the devices to verify them for.
        options: Those of the compilation.
        seed: See `verify_operator`.
        dtype: See `verify_operator`.
        jobs: Processes at a time.
        check: Called before each record; what it raises ends everything.
    """
    if jobs == 1:
        for pair in pairs:
            check()
            yield verify_one(Job(pair, options, seed, dtype))
        return
    portable = [(_portable(operator), target) for operator, target in pairs]
    work = [(number, Job(pair, options, seed, dtype)) for number, pair in enumerate(portable)]
    found: dict[int, dict[str, Any]] = {}
    following = 0
    with JobPool[Job, dict[str, Any]](jobs, LIMIT_S, f"{__name__}:{verify_one.__name__}", _lost) as pool:
        for number, record in pool.run(work):
            check()
            operator, target = pairs[number]
            found[number] = {**operator_record(operator), "target": target, **record}
            while following in found:
                yield found.pop(following)
                following += 1


def verify_one(job: Job) -> dict[str, Any]:
    """Return the record of one pair."""
    operator, target = job.pair

    def work(one: Operator) -> dict[str, Any]:
        try:
            return verify_operator(one, target, job.options, seed=job.seed, dtype=job.dtype)
        except (AssertionError, LookupError, TypeError, ArithmeticError) as error:
            # A bug of ours is a finding here, and must not hide what the other operators show.
            return {**operator_record(one), "error": f"bug: {type(error).__name__}: {error}"}

    (record,) = each_operator([operator], work)
    return {**record, "target": target}


def _lost(_: str, message: str) -> dict[str, Any]:
    return {"error": f"bug: {message}"}


def _portable(operator: Operator) -> Operator:
    """Return an operator with plain dictionaries, which go to another process."""
    return replace(operator, sizes=dict(operator.sizes), tiles={}, times={})
