# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a kit: plans the steps, has them done, notes what comes, and writes results however it ends."""

import os
import shlex
import signal
import sys
from argparse import Namespace
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from types import FrameType

from roller_mlir.evaluation.measure.kit.files import KitFiles, open_kit
from roller_mlir.evaluation.measure.records import Check, Results
from roller_mlir.evaluation.measure.runner.options import parse, worker_command
from roller_mlir.evaluation.measure.runner.processes.journal import RESULTS_NAME, Journal, JournalError, write_results
from roller_mlir.evaluation.measure.runner.processes.lost import LostFamilies
from roller_mlir.evaluation.measure.runner.processes.supervisor import Supervisor, TimeUp, UnusableDeviceError
from roller_mlir.evaluation.measure.runner.steps import (
    AGAIN,
    TOP_K,
    WARM,
    Asked,
    Step,
    StepOutcome,
    base_rank,
    plan_steps,
    right_ranks,
)
from roller_mlir.evaluation.measure.runner.summary import named, seconds, summary
from roller_mlir.runtime.errors import ArtifactError
from roller_mlir.runtime.registry import backend_of_vendor

SUMMARY_NAME = "summary.txt"
_OF_RIGHT = ("time", "repeat")
"""Kinds of steps that take candidates whose results are right."""
STEP_LIMIT_S, SIMULATED_STEP_LIMIT_S = 60.0, 600.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class _Stopped(BaseException):
    """A signal asked for the end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def main(arguments: Sequence[str] | None = None, worker: Sequence[str] | None = None) -> int:
    """Run the command.

    Args:
        arguments: Of the command line; None: those of this process.
        worker: Command of the process that uses the device, to which `--worker PID` is added; None: the runner's own.

    Returns:
        0; 1 where a result is wrong, or nothing can be run; 128 and the signal's number where one ended it.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    asked = parse(given)
    try:
        if asked.worker is not None:
            from roller_mlir.evaluation.measure.runner.processes.worker import worker_main

            return worker_main(asked.kit, asked.on, asked.device, asked.repeat, asked.worker)
        with open_kit(asked.kit) as kit, Journal(asked.output, kit.sha256, fresh=asked.fresh) as journal, _signals():
            on = asked.on or backend_of_vendor(kit.kit.vendor) or "sim"
            _check_contents(kit, on)
            return _Run(kit, on, asked, journal, given, worker).run()
    except (ArtifactError, JournalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except _Stopped as stop:
        return 128 + stop.number


def _check_contents(kit: KitFiles, on: str) -> None:
    """Refuse a kit of which nothing can run there: it holds kernels' IR for the simulator, or binaries for a device."""
    first = next((item.candidates[0].artifact for item in kit.kit.items), None)
    if first is None:
        return
    simulated = kit.artifact(first).manifest.file("kernels") is not None
    if simulated != (on == "sim"):
        holds = "is for dry runs in the simulator" if simulated else f"holds binaries for {kit.kit.target} alone"
        remedy = "bench/gpu/pack.py packs one for it" if simulated else "bench/gpu/dry_run.py packs one that does"
        raise ArtifactError(f"the kit {holds} and does not run on '{on}'; {remedy}")


class _Run:
    """One run of a kit."""

    def __init__(
        self,
        kit: KitFiles,
        on: str,
        asked: Namespace,
        journal: Journal,
        given: Sequence[str],
        worker: Sequence[str] | None,
    ) -> None:
        """Take what was asked for."""
        self._worker = worker
        self._kit, self._on, self._asked, self._journal, self._given = kit, on, asked, journal, given
        wanted = Asked(phases=asked.phases, peers=asked.peers, only=asked.only)
        self._steps = plan_steps(kit.kit, wanted)
        self._items = {item.id: item for item in kit.kit.items}
        self._lost = LostFamilies(kit.kit)
        self._lost.note_all(self._steps, journal.outcomes)
        self._failed = ""

    def run(self) -> int:
        """Do what is not done yet; write and print what is known."""
        stopped: _Stopped | None = None
        try:
            if any(step.key not in self._journal.outcomes for step in self._steps):
                self._do_steps()
        except TimeUp:
            self._print(f"the time limit of {self._asked.time_limit:g} s is over")
        except (UnusableDeviceError, JournalError) as error:
            self._failed = str(error)
        except _Stopped as stop:
            stopped = stop
        with _deaf():
            wrong = self._conclude()
        if stopped is not None:
            raise stopped
        return int(wrong or bool(self._failed))

    def _do_steps(self) -> None:
        usual = SIMULATED_STEP_LIMIT_S if self._on == "sim" else STEP_LIMIT_S
        limit = self._asked.step_limit or usual
        deadline = None if self._asked.time_limit is None else monotonic() + self._asked.time_limit
        command = worker_command([*self._given, "--on", self._on], os.getpid())
        if self._worker is not None:
            command = [*self._worker, "--worker", str(os.getpid())]
        with Supervisor(command, step_limit_s=limit, deadline=deadline) as supervisor:
            machine = supervisor.start()
            started = datetime.now(UTC).isoformat(timespec="seconds")
            said = shlex.join([Path(sys.argv[0]).name, *self._given])
            self._journal.add_machine(replace(machine, started=started, command=said))
            checks, dry = self._journal.checks(), "dry run " if self._on == "sim" else ""
            for number, step in enumerate(self._steps, start=1):
                if step.key in self._journal.outcomes:
                    continue
                outcome = self._do(supervisor, step, checks)
                self._journal.add(outcome)
                checks |= {(check.item, check.rank): check for check in outcome.checks if check.who == "ours"}
                self._print(f"{dry}[{number}/{len(self._steps)}] {step.key}: {_word(outcome)}")

    def _do(self, supervisor: Supervisor, step: Step, checks: Mapping[tuple[str, int], Check]) -> StepOutcome:
        ranks = right_ranks(step, checks) if step.kind in _OF_RIGHT else step.ranks
        least = 2 if step.note == TOP_K else 1
        if step.kind in _OF_RIGHT and len(ranks) < least:
            return StepOutcome(step=step.key)  # nothing is right, or no other candidate is; the checks say so
        base = base_rank(self._items[step.item], checks) if step.kind == "check" else None
        asked, family = self._lost.without(replace(step, ranks=ranks, base=base))
        if family or (step.kind in _OF_RIGHT and len(asked.ranks) < least):
            return StepOutcome(step=step.key, left_out=family)
        outcome = replace(supervisor.do(asked), step=step.key)
        if self._lost.note(asked, outcome):
            supervisor.forgive()
        return outcome

    def _conclude(self) -> bool:
        """Write and print what is known, and return whether something is wrong."""
        if self._failed:
            print(f"error: {self._failed}", file=sys.stderr)
        if not self._journal.machines:
            return True
        complete = all(step.key in self._journal.outcomes for step in self._steps)
        results = replace(self._journal.results(self._kit.kit, complete=complete), lost=self._lost.lost)
        text = summary(results)
        with suppress(OSError):
            (self._asked.output / SUMMARY_NAME).write_text(text, encoding="utf-8")
        self._print(text)
        write_results(self._asked.output / RESULTS_NAME, results)
        return _is_wrong(results)

    def _print(self, text: str) -> None:
        try:
            print(text, flush=True)
        except OSError:  # who reads it has gone; nobody will
            with open(os.devnull, "w", encoding="utf-8") as nobody:
                os.dup2(nobody.fileno(), 1)


def _is_wrong(results: Results) -> bool:
    ours = any(trouble.who in ("ours", "probe") for trouble in results.troubles)
    return ours or not all(check.ok for check in results.checks)


def _word(outcome: StepOutcome) -> str:
    wrong = wrong_lines_of(outcome)
    if wrong:
        return "; ".join(wrong)
    if outcome.timings:
        first = [one for one in outcome.timings if not {AGAIN, WARM} & {*one.note.split("; ")}] or outcome.timings
        return ", ".join(f"{named(one.who, one.rank)} {seconds(one.median_s)}" for one in first)
    if outcome.left_out:
        return f"left out, as a fault of {outcome.left_out!r} was"
    return "right" if outcome.checks else "nothing to do"


def wrong_lines_of(outcome: StepOutcome) -> list[str]:
    """Return what is wrong in one outcome, in a line each."""
    lines = [f"WRONG {check.who}: {check.message or check.error}" for check in outcome.checks if not check.ok]
    return lines + [f"trouble with {trouble.who}: {trouble.message}" for trouble in outcome.troubles]


@contextmanager
def _signals() -> Generator[None]:
    """Let signals that ask for the end raise `_Stopped`."""

    def stop(number: int, _: FrameType | None) -> None:
        raise _Stopped(number)

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _deaf() -> Generator[None]:
    """Hear no signal while results are written."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
