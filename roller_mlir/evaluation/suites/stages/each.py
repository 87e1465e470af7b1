# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stage over the operators of a suite: what one of them is refused for is its record, and the others go on.

So is what ends a process, or does not end: a bug of ours that must not hide what the other operators show.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.hal.errors import DeviceError
from roller_mlir.model import ConstructionError
from roller_mlir.runtime.errors import ArgumentError, BackendError
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.support.jobs.jobs import in_order, open_jobs

Record = dict[str, Any]
Work = Callable[[Operator], Record]

BUG = "bug: "
"""How the `error` of a record begins that is our fault, and not the operator's."""

LIMIT_S = 1800.0
"""Time for an operator where others do the work, far beyond what any takes: a process that hangs is found."""

_REFUSALS = (ConstructionError, DiagnosedError, SuiteError, ArgumentError, BackendError, DeviceError)


def _nothing(*_: Any) -> None:
    """Do nothing."""


@dataclass(frozen=True, kw_only=True)
class Crew:
    """Who does the work, and who is told of it.

    Attributes:
        workers: How many operators at a time; see `open_jobs`.
        ray: On which Ray cluster; see `open_jobs`.
        check: Called before each record; what it raises ends everything.
        done: Called with each record as it is there, in the order in which they end.
    """

    workers: int | None = 1
    ray: str | None = None
    check: Callable[[], None] = _nothing
    done: Callable[[Record], None] = _nothing


ALONE = Crew()


def each_operator(operators: Iterable[Operator], work: Work, crew: Crew = ALONE) -> Iterator[Record]:
    """Yield the record of each operator: what `work` returns, or `operator_record` and `error`, the refusal's text.

    Args:
        operators: In the order of the records.
        work: A stage. With several workers it goes through pickle, as a `functools.partial` of plain data does.
        crew: Who does it.

    Raises:
        JobsError: There is no such Ray cluster.
    """
    return each_pair([(operator, work) for operator in operators], crew)


def each_pair(pairs: Sequence[tuple[Operator, Work]], crew: Crew = ALONE) -> Iterator[Record]:
    """Yield the record of each operator with a stage of its own; as `each_operator`."""
    entry = f"{__name__}:{record_of.__name__}"
    with open_jobs(crew.workers, ray=crew.ray, limit_s=LIMIT_S, entry=entry, on_failure=on_failure) as jobs:
        yield from in_order(_told(jobs.run(_jobs(pairs, crew)), pairs, crew))


def _jobs(pairs: Sequence[tuple[Operator, Work]], crew: Crew) -> Iterator[tuple[int, tuple[Operator, Work]]]:
    for number, (operator, work) in enumerate(pairs):
        crew.check()
        yield number, (_portable(operator, anywhere=crew.ray is not None), work)


def _told(
    found: Iterable[tuple[int, Record]], pairs: Sequence[tuple[Operator, Work]], crew: Crew
) -> Iterator[tuple[int, Record]]:
    for number, answer in found:
        crew.check()
        record = {**operator_record(pairs[number][0]), **answer}
        crew.done(record)
        yield number, record


def record_of(job: tuple[Operator, Work]) -> Record:
    """Return what a stage says of an operator, or why it refuses it."""
    operator, work = job
    return or_refusal(partial(work, operator))


def or_refusal(act: Callable[[], Record]) -> Record:
    """Return a record, or one that says why it was refused."""
    try:
        return act()
    except _REFUSALS as error:
        return {"error": str(error)}


def on_failure(_: str, message: str) -> Record:
    """Return what is recorded of a job whose process failed."""
    return {"error": f"{BUG}{message}"}


def _portable(operator: Operator, *, anywhere: bool) -> Operator:
    """Return an operator with plain dictionaries, which go to another process; `anywhere`: that works in any folder."""
    plain: dict[str, Any] = {name: dict(getattr(operator, name)) for name in ("sizes", "tiles", "times")}
    if anywhere and operator.file:
        plain["file"] = str(Path(operator.file).resolve())
    return replace(operator, **plain)
