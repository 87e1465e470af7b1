# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite --stage construct|compile|run|verify`: the operators as jobs, for this process, more, or a cluster."""

import argparse
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.suites import Operator
from roller_mlir.model import ConstructOptions
from roller_mlir.model.options import ChoiceOptions
from roller_mlir.support.jobs.process_tree import without_interrupts
from roller_mlir.support.progress import progress
from roller_mlir.tools.console.errors import INTERNAL_ERROR, USER_ERROR
from roller_mlir.tools.console.interrupt import check
from roller_mlir.tools.console.output import make_folder, print_json
from roller_mlir.tools.console.targets import anywhere, device_of, target_of

if TYPE_CHECKING:
    from roller_mlir.evaluation.suites.stages.each import Crew, Work

Record = dict[str, Any]

RUN_POINTS = 1 << 18
"""Points of a loop nest up to which the simulator runs an operator."""


def run_stage(arguments: argparse.Namespace, operators: Sequence[Operator]) -> int:
    """Run the stage that the arguments name; return the exit code."""
    from roller_mlir.evaluation.suites.stages.each import each_operator
    from roller_mlir.tools.commands.suite.tables import print_records
    from roller_mlir.tools.commands.suite.verify import verify

    stage: str = arguments.stage or "construct"
    if stage == "verify":
        return verify(arguments, operators)
    device = device_of(arguments)
    if stage != "construct":
        device.require_compiles()
    save = (
        None
        if arguments.output is None
        else saver(Path(arguments.output), [one.id for one in operators], arguments.top_k)
    )
    with crew_of(arguments, len(operators), stage, save) as crew:
        records = list(each_operator(operators, _work(stage, arguments), crew))
    if arguments.json:
        print_json(records)
    else:
        print_records("ranked" if stage == "compile" and arguments.top_k else stage, device.name, records)
    return exit_code(records)


def exit_code(records: Sequence[Record]) -> int:
    """Return 70 where something is a bug of ours, 1 where something is refused or does not match."""
    from roller_mlir.evaluation.suites.stages.each import BUG

    if any(record.get("error", "").startswith(BUG) for record in records):
        return INTERNAL_ERROR
    return USER_ERROR if any(_failed(record) for record in records) else 0


@contextmanager
def crew_of(
    arguments: argparse.Namespace, total: int, title: str, done: Callable[[Record], None] | None = None
) -> "Generator[Crew, None, None]":
    """Give who does the jobs, as --jobs and --ray say, and show how far they are.

    Args:
        arguments: Parsed, with `jobs` and `ray`.
        total: How many jobs there are.
        title: What is done.
        done: Called with each record before it is counted.
    """
    from roller_mlir.evaluation.suites.stages.each import Crew

    with progress(total, title) as step:

        def tell(record: Record) -> None:
            if done is not None:
                done(record)
            step(failed=_failed(record))

        workers = arguments.jobs if arguments.jobs is not None or arguments.ray is not None else 1
        yield Crew(workers=workers, ray=arguments.ray, check=check, done=tell)


def _failed(record: Record) -> bool:
    return (
        "error" in record
        or record.get("matches") is False
        or any("error" in one for one in record.get("candidates", ()))
    )


def _work(stage: str, arguments: argparse.Namespace) -> "Work":
    """Return a stage as a function of an operator that goes to another process."""
    asked = ChoiceOptions.values_of(arguments)
    target = target_of(arguments)
    tuning: str | None = arguments.tuning
    if arguments.ray is not None:  # whoever works there does so in another folder
        target = anywhere(target)
        tuning = None if tuning is None else str(Path(tuning).resolve())
    common: dict[str, Any] = {"target": target, "dtype": arguments.dtype}
    if stage == "construct":
        from roller_mlir.evaluation.suites.stages.construct import construct_for

        return partial(
            construct_for, options=ConstructOptions(top_k=arguments.top_k or ConstructOptions.top_k, **asked), **common
        )
    common["options"] = CompileOptions(**asked, tuning=tuning)
    if stage == "run":
        from roller_mlir.evaluation.suites.stages.run import run_operator

        return partial(run_operator, most=RUN_POINTS, shrink_to=arguments.shrink, **common)
    common["keep"] = arguments.output is not None
    if arguments.top_k is None:
        from roller_mlir.evaluation.suites.stages.compile import compile_warm

        return partial(compile_warm, **common)
    from roller_mlir.evaluation.measure.tune.candidate_stage import compile_ranked

    return partial(compile_ranked, top_k=arguments.top_k, **common)


def saver(folder: Path, names: Sequence[str], top_k: int | None) -> Callable[[Record], None]:
    """Return what writes the artifacts of a record, each whole or not at all, and notes where.

    Args:
        folder: Is made.
        names: The `id` of each record that will come.
        top_k: How many artifacts a record has, each with its rank behind the name; None for one without.

    Raises:
        InputError: The folder cannot be made.
        ArtifactError: Something that is no artifact is in the way. That is found before hours of work, not after them.
    """
    from roller_mlir.evaluation.suites.stages.compile import ARTIFACTS
    from roller_mlir.runtime.store import check_target

    make_folder(folder)
    for name in names:
        for rank in range(top_k or 1):
            check_target(folder / f"{name}{f'.{rank}' if top_k else ''}")

    def save(record: Record) -> None:
        artifacts: dict[str, Any] = record.pop(ARTIFACTS, {})
        for suffix, artifact in artifacts.items():
            path = folder / f"{record['id']}{suffix}"
            with without_interrupts():
                artifact.save(path)
            of = record["candidates"][int(suffix[1:])] if suffix else record
            of["artifact"] = str(path)

    return save
