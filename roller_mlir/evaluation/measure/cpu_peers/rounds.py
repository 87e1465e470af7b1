# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures: each problem made ready and checked by every peer, then timed in rounds in which all take turns.

A turn is a few samples in a row of one peer, about a fiftieth of a second; no other peer's process does anything
meanwhile. Another peer is first each round. With several threads a turn begins after a pause, in which the threads of
the one before it, which spin for work, go to sleep.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.cpu_peers.child import PeerProcess
from roller_mlir.evaluation.measure.cpu_peers.clocks import SAMPLE_S, available_bytes
from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem, expected_of, inputs_of
from roller_mlir.evaluation.measure.cpu_peers.results import FLUSHED, HostLibrary, HostMachine, HostResults
from roller_mlir.evaluation.measure.records import Check, Timing, Trouble
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError
from roller_mlir.evaluation.measure.runner.rounds import timing_of
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.runtime.timing import Samples

_TURN_S, _MOST_A_TURN, _PAUSE_S = 0.02, 40, 0.25
_LEAST_ROUNDS, _LEAST_FLUSHED = 3, 2
_COPIES = 4
"""How often a peer's process may hold a problem's arrays, with those that it packs, and room for others."""
_SMALL = "the memory does not hold the arrays of all peers"


def _nothing(*_: Any) -> None:
    """Do nothing."""


@dataclass(frozen=True, kw_only=True)
class HostRun:
    """How to measure.

    Attributes:
        threads: How many each peer uses.
        rounds: Turns of each peer for one problem with warm caches.
        flushed: Samples with cleared caches; 0 leaves them out.
        limit_s: Seconds for the rounds of one problem; three rounds, and two with cleared caches, are always finished.
        say: Told of each problem that is done, and of what is missing, in one line.
    """

    threads: int = 1
    rounds: int = 12
    flushed: int = 5
    limit_s: float = 30.0
    say: Callable[[str], None] = _nothing


@dataclass
class _Turn:
    """One peer in one variant, ready for a problem."""

    process: PeerProcess
    variant: str
    estimate_s: float
    warm: list[float] = field(default_factory=list[float])
    flushed: list[float] = field(default_factory=list[float])

    @property
    def who(self) -> str:
        return self.process.source.title(self.variant)

    def take(self, session: "_Session", item: str, *, flush: bool) -> None:
        """Take this turn's samples."""
        count = 1 if flush else min(_MOST_A_TURN, max(1, int(_TURN_S / max(self.estimate_s, SAMPLE_S))))
        order = {"variant": self.variant, "count": count, "flush": flush}
        answer = session.ask(self.process, item, "time", order)
        (self.flushed if flush else self.warm).extend(answer.get("seconds", ()))


def measure(
    problems: Sequence[HostProblem],
    sources: Sequence[PeerSource],
    machine: HostMachine,
    run: HostRun,
    keep: Callable[[HostResults], None] = _nothing,
) -> HostResults:
    """Check and time problems.

    Args:
        problems: What to compute.
        sources: By whom.
        machine: Where it is; its threads are those of the run.
        run: How.
        keep: Called after each problem with what was found until then, so that nothing is lost where it is ended.

    Returns:
        What was found. A peer that is missing, fails, dies or is wrong is told and not timed; the others go on.
    """
    with ExitStack() as stack:
        session = _Session(sources, run, stack)
        for number, problem in enumerate(problems, 1):
            session.measure(problem)
            keep(session.results(machine, problems[:number]))
        return session.results(machine, problems)


class _Session:
    """The peers that live, and what has been found of them."""

    def __init__(self, sources: Sequence[PeerSource], run: HostRun, stack: ExitStack) -> None:
        """Start the peers; the stack ends them."""
        self._run, self._living = run, list[PeerProcess]()
        self.libraries: dict[str, HostLibrary] = {}
        self.checks, self.timings, self.troubles = list[Check](), list[Timing](), list[Trouble]()
        begun = [PeerProcess(source, run.threads) for source in sources]
        for process in begun:
            stack.callback(process.close)
        for process in begun:
            try:
                process.wait()
            except PeerError as error:
                self._tell(Trouble(item="", who=process.source.name, message=str(error)))
            else:
                self._living.append(process)

    def results(self, machine: HostMachine, problems: Sequence[HostProblem]) -> HostResults:
        """Return what was found of the problems that are done."""
        return HostResults(
            machine=machine,
            problems=tuple(problems),
            libraries=tuple(self.libraries.values()),
            checks=tuple(self.checks),
            timings=tuple(self.timings),
            troubles=tuple(self.troubles),
        )

    def measure(self, problem: HostProblem) -> None:
        """Check and time one problem."""
        turns: list[_Turn] = []
        with _files_of(problem) as folder:
            for group in self._groups(problem):
                ready = [turn for process in group for turn in self._ready(problem, process, folder)]
                self._take_turns(problem.id, ready)
                for process in group:
                    if process in self._living:
                        self.ask(process, problem.id, "drop", {})
                turns += ready
        for turn in turns:
            for note, samples in (("", turn.warm), (FLUSHED, turn.flushed)):
                if samples:
                    self.timings.append(timing_of(problem.id, turn.who, Samples(tuple(samples)), note=note))
        rates = [f"{turn.who} {problem.flops / min(turn.warm) * 1e-9:.1f}" for turn in turns if turn.warm]
        self._run.say(f"{problem.id}: {', '.join(rates) or 'nobody'} GF/s")

    def _groups(self, problem: HostProblem) -> list[list[PeerProcess]]:
        """Return the peers that take turns: all of them, or one at a time where their arrays would fill the memory."""
        living = list(self._living)
        if _COPIES * problem.bytes * len(living) <= available_bytes():
            return [living]
        self._tell(Trouble(item=problem.id, who="all", message=f"timed one after the other: {_SMALL}"))
        return [[one] for one in living]

    def ask(self, process: PeerProcess, item: str, what: str, words: dict[str, Any]) -> dict[str, Any]:
        """Return an answer, or nothing where the peer failed, which is told; one that is gone lives no longer."""
        try:
            return process.ask(what, **words)
        except PeerError as error:
            who = process.source.title(words.get("variant", ""))
            self._tell(Trouble(item=item, who=who, message=str(error)))
            if error.library:
                self._living.remove(process)
            return {}

    def _ready(self, problem: HostProblem, process: PeerProcess, folder: str) -> Iterator[_Turn]:
        """Yield the variants of a peer that are ready and right."""
        for variant in process.source.variants:
            who = process.source.title(variant)
            order = {"problem": to_json(problem), "folder": folder, "variant": variant, "who": who}
            answer = self.ask(process, problem.id, "prepare", order)
            if process not in self._living:
                return
            if not answer:
                continue
            self._know(process, problem.id)
            check = from_json(Check, answer["check"])
            self.checks.append(check)
            if check.ok:
                yield _Turn(process, variant, answer["estimate_s"])
            else:
                self._run.say(f"{problem.id}: {who} is wrong and not timed: {check.message}")

    def _know(self, process: PeerProcess, item: str) -> None:
        """Note what identifies a peer, which some know only when they have computed."""
        name = process.source.name
        if name not in self.libraries and (said := self.ask(process, item, "facts", {})):
            self.libraries[name] = HostLibrary(name=name, facts=said["facts"], threads=said["threads"])

    def _take_turns(self, item: str, turns: list[_Turn]) -> None:
        run, end = self._run, time.monotonic() + self._run.limit_s
        for number in range(run.rounds + run.flushed):
            flush, late = number >= run.rounds, time.monotonic() > end
            if late and number - run.rounds * flush >= (_LEAST_FLUSHED if flush else _LEAST_ROUNDS):
                continue
            start = number % max(1, len(turns))
            for turn in turns[start:] + turns[:start]:
                if turn.process not in self._living:
                    continue
                if run.threads > 1:
                    time.sleep(_PAUSE_S)
                turn.take(self, item, flush=flush)

    def _tell(self, trouble: Trouble) -> None:
        self.troubles.append(trouble)
        self._run.say(f"{trouble.item}: {trouble.who}: {trouble.message}".removeprefix(": "))


@contextmanager
def _files_of(problem: HostProblem) -> Iterator[str]:
    """Write inputs and expected results for the peers' processes."""
    with TemporaryDirectory(prefix="peers-") as folder:
        _write(problem, Path(folder))
        yield folder


def _write(problem: HostProblem, folder: Path) -> None:
    inputs = inputs_of(problem)
    for number, array in enumerate(inputs):
        np.save(folder / f"{number}.npy", array)
    expected = expected_of(problem, inputs)
    for name, (array,) in (("expected", expected.outputs), ("bound", expected.bounds)):
        assert array is not None, "floats have bounds"
        np.save(folder / f"{name}.npy", array)
