# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Does the steps, in a process of its own: checks candidates and peers, times them, runs probes.

A check runs a candidate twice, on outputs and workspace that are filled with another byte each time. Both results must
be the same bits, which no element is that a kernel forgets to write, within the bounds of what is expected, and the
inputs as they were. Whoever is wrong is not timed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, Protocol

from roller_mlir.evaluation.measure.kit.files import KitFiles
from roller_mlir.evaluation.measure.records import Check, Item, ItemCandidate, Probe, Timing, Trouble
from roller_mlir.evaluation.measure.runner.devices import Bench, Loaded
from roller_mlir.evaluation.measure.runner.expected.inputs import make_inputs
from roller_mlir.evaluation.measure.runner.expected.references import reference_for, same_as
from roller_mlir.evaluation.measure.runner.expected.tolerance import ExpectedOutputs
from roller_mlir.evaluation.measure.runner.processes.shared_device import free_memory, use_with_torch
from roller_mlir.evaluation.measure.runner.processes.snapshots import Snapshot, readable
from roller_mlir.evaluation.measure.runner.rounds import OURS, RoundError, Who, time_rounds, timing_of
from roller_mlir.evaluation.measure.runner.sim_bench import DRY_RUN
from roller_mlir.evaluation.measure.runner.steps import (
    AGAIN,
    DRY_LAUNCHES,
    ITSELF,
    LAUNCHES,
    REPEAT_S,
    REPEATED,
    TOP_K,
    WARM,
    Step,
    StepOutcome,
    has_time,
)
from roller_mlir.runtime.errors import ArgumentError, ArtifactError, BackendError
from roller_mlir.runtime.timing import Samples

_MOST_NOTE = 400
_SAID_EVERY = 500
"""Launches in a row after which a process says that it lives, as all of them may take longer than a step may."""
_DIFFERENT = "two runs gave different bits: elements that it does not write, memory that it reads first, or a race"


class LostDeviceError(Exception):
    """A peer has broken the device for this process: the step is to be done by another one, without that peer."""


class Announce(Protocol):
    """Says who is about to use the device, in case nothing is heard any more."""

    def __call__(self, who: str, rank: int = 0) -> None:
        """Say it."""
        ...


@dataclass
class Current:
    """The item at hand, of which steps follow each other."""

    item: Item
    inputs: list[Any]
    before: list[Snapshot]
    expected: ExpectedOutputs | None


class StepWorker:
    """Does steps on one device."""

    def __init__(self, kit: KitFiles, bench: Bench, announce: Announce, samples: int) -> None:
        """Begin with no item.

        Args:
            kit: What there is to do.
            bench: The device.
            announce: Whom to tell who is at work.
            samples: Rounds of a timing.
        """
        self._kit, self._bench, self._announce, self._samples = kit, bench, announce, samples
        self._items = {item.id: item for item in kit.kit.items}
        self._probes = {probe.name: probe for probe in kit.kit.probes}
        self._current: Current | None = None

    def do(self, step: Step) -> StepOutcome:
        """Do a step; what goes wrong is in its outcome.

        Raises:
            LostDeviceError: A peer has broken the device.
        """
        if step.kind == "probe":
            return self._probe(step, self._probes[step.item])
        item = self._items[step.item]
        try:
            current = self._prepare(item)
        except Exception as error:  # noqa: BLE001 -- of three libraries, and of memory
            return self._failed(step, f"no inputs or no reference: {_said(error)}")
        if step.kind == "time":
            return self._time(step, current)
        if step.kind == "repeat":
            return self._repeat(step, current)
        candidate = next(one for one in item.candidates if one.rank == step.ranks[0])
        return StepOutcome(step=step.key, checks=(self._check(current, candidate, step.base),))

    def is_well(self) -> bool:
        """Return whether the device still obeys; after a fault it fails all that this process asks for."""
        try:
            self._bench.synchronize()
            self._bench.place(_small())
        except BackendError:
            return False
        return True

    def _failed(self, step: Step, message: str) -> StepOutcome:
        if step.kind == "check":
            check = Check(item=step.item, rank=step.ranks[0], ok=False, message=message)
            return StepOutcome(step=step.key, checks=(check,))
        return StepOutcome(step=step.key, troubles=(Trouble(item=step.item, who=OURS, message=message),))

    def _prepare(self, item: Item) -> Current:
        """Return inputs and reference of an item; those of the item before are given up first."""
        if self._current is not None and self._current.item is item:
            return self._current
        self._current = None
        free_memory(self._bench)
        self._announce("reference")
        manifest = self._kit.artifact(item.candidates[0].artifact).manifest
        device = "cuda" if self._bench.driver is not None else self._bench.back_end
        use_with_torch(self._bench)
        made = make_inputs(manifest, device, fill=item.fill)
        base = next((one.artifact for one in item.candidates if one.rank == item.base), None)
        expected = reference_for(
            item,
            made,
            source=self._kit.source(item.id),
            device=device,
            base=None if base is None else self._kit.artifact(base).manifest,
        )
        inputs = [self._bench.place(array) for array in made]
        self._bench.synchronize()
        self._current = Current(item, inputs, [Snapshot(self._bench, one) for one in inputs], expected)
        return self._current

    def _check(self, current: Current, candidate: ItemCandidate, base: int | None) -> Check:
        self._announce(OURS, candidate.rank)
        made = Check(item=current.item.id, rank=candidate.rank, ok=False, against=_against(current.expected))
        try:
            loaded = self._bench.load(self._kit.artifact(candidate.artifact))
            made = replace(made, note="; ".join(loaded.notes)[:_MOST_NOTE])
            run = loaded.prepare(current.inputs, graph=candidate.graph, in_line=candidate.in_line)
            first = self._run(loaded, run, 0xFF)
            if not all(one.same(array) for one, array in zip(current.before, current.inputs, strict=True)):
                self._current = None  # whoever comes next has inputs that are not spoilt
                return replace(made, message="it writes into its inputs")
            kept = [Snapshot(self._bench, array) for array in first]
            again = self._run(loaded, run, 0x7F)
            if not all(one.same(array) for one, array in zip(kept, again, strict=True)):
                return replace(made, message=_DIFFERENT)
            return self._compare(current, made, again, base)
        except (ArgumentError, ArtifactError, BackendError) as error:
            return replace(made, message=_said(error))

    def _run(self, loaded: Loaded, run: Callable[[], None], poison: int) -> list[Any]:
        loaded.poison(poison)
        run()
        self._bench.synchronize()
        return loaded.outputs()

    def _compare(self, current: Current, made: Check, outputs: Sequence[Any], base: int | None) -> Check:
        expected = current.expected
        if expected is None and base is None:
            return replace(made, ok=True, against=ITSELF)
        if expected is None:
            first = next(one for one in current.item.candidates if one.rank == base)
            self._announce(OURS, first.rank)
            loaded = self._bench.load(self._kit.artifact(first.artifact))
            outputs_of_first = self._run(loaded, loaded.prepare(current.inputs), 0xFF)
            expected = replace(same_as(outputs_of_first, loaded.manifest, current.item), against=f"candidate {base}")
            current.expected = expected
        return _compared(made, expected, [readable(self._bench, one) for one in outputs])

    def _time(self, step: Step, current: Current) -> StepOutcome:
        calls: dict[Who, Callable[[], object]] = {}
        troubles: list[Trouble] = []
        held: list[Loaded] = []
        for candidate in current.item.candidates:
            if candidate.rank in step.ranks and has_time(candidate, self._bench.back_end):
                self._announce(OURS, candidate.rank)
                try:
                    held.append(self._bench.load(self._kit.artifact(candidate.artifact)))
                    calls[OURS, candidate.rank] = held[-1].prepare(
                        current.inputs, graph=candidate.graph, in_line=candidate.in_line
                    )
                except (ArgumentError, ArtifactError, BackendError) as error:
                    message = f"candidate {candidate.rank}: {_said(error)}"
                    troubles.append(Trouble(item=step.item, who=OURS, message=message))
        checks = self._add_peers(step, current, calls, troubles)
        self._announce(OURS, step.ranks[0] if step.ranks else 0)
        timings: list[Timing] = []
        try:
            samples, failed = time_rounds(self._bench, calls, self._samples)
            for (who, rank), one in samples.items():
                note = self._note(step, str(getattr(calls[who, rank], "note", "")))
                timings.append(timing_of(step.item, who, one, rank=rank, note=note))
            troubles += [Trouble(item=step.item, who=who, message=_late(error)) for (who, _), error in failed.items()]
            if (step.note != TOP_K or current.item.has_ways) and self._bench.clears_caches:
                right = {who: calls[who] for who in samples}
                warm, _ = time_rounds(self._bench, right, self._samples, flush=False)
                timings += [timing_of(step.item, who, one, rank=rank, note=WARM) for (who, rank), one in warm.items()]
            chosen = _chosen(samples) if step.note == TOP_K else ()
            if chosen:
                samples, _ = time_rounds(self._bench, {who: calls[who] for who in chosen}, self._samples)
                note = self._note(step, AGAIN)
                timings += [
                    timing_of(step.item, who, one, rank=rank, note=note) for (who, rank), one in samples.items()
                ]
        except RoundError as error:
            troubles.append(Trouble(item=step.item, who=OURS, message=_late(error.__cause__ or error)))
        return StepOutcome(step=step.key, checks=tuple(checks), timings=tuple(timings), troubles=tuple(troubles))

    def _repeat(self, step: Step, current: Current) -> StepOutcome:
        """Launch a candidate many times without a wait between; a hang ends this process by the step's limit."""
        candidate = next(one for one in current.item.candidates if one.rank == step.ranks[0])
        dry = self._bench.back_end == "sim"
        times = DRY_LAUNCHES if dry else LAUNCHES
        self._announce(OURS, candidate.rank)
        wrong = Check(item=step.item, rank=candidate.rank, ok=False, against=ITSELF)
        try:
            loaded = self._bench.load(self._kit.artifact(candidate.artifact))
            run = loaded.prepare(current.inputs, graph=candidate.graph, in_line=candidate.in_line)
            first = [Snapshot(self._bench, array) for array in self._run(loaded, run, 0xFF)]
            loaded.poison(0x7F)
            began = perf_counter()
            for number in range(times):
                if number and number % _SAID_EVERY == 0:  # the queue is not so long: the device has done most of these
                    self._announce(OURS, candidate.rank)
                    if perf_counter() - began > REPEAT_S:
                        times = number
                        break
                run()
            self._bench.synchronize()
            spent = (perf_counter() - began) / times
            if not all(one.same(array) for one, array in zip(first, loaded.outputs(), strict=True)):
                wrong = replace(
                    wrong, message=f"the result of the last of {times} launches differs from the first one's"
                )
                return StepOutcome(step=step.key, checks=(wrong,))
        except (ArgumentError, ArtifactError, BackendError) as error:
            return StepOutcome(step=step.key, checks=(replace(wrong, message=f"{times} launches: {_said(error)}"),))
        note = self._note(step, f"{times} {REPEATED}")
        timing = timing_of(step.item, OURS, Samples((spent,)), rank=candidate.rank, note=note)
        return StepOutcome(step=step.key, timings=(replace(timing, samples=times),))

    def _note(self, step: Step, more: str) -> str:
        dry = DRY_RUN if self._bench.back_end == "sim" else ""
        return "; ".join(word for word in (dry, step.note, more) if word)

    def _add_peers(
        self, step: Step, current: Current, calls: dict[Who, Callable[[], object]], troubles: list[Trouble]
    ) -> list[Check]:
        """Check peers one by one, and add those that are right to the calls."""
        checks: list[Check] = []
        for peer in step.peers:
            self._announce(peer)
            troubled = len(troubles)
            try:
                from roller_mlir.evaluation.measure.runner.peers.available import peers_for

                found, said = peers_for(current.item, current.inputs, (peer,))
                troubles.extend(said)
                for who, call in found.items():
                    given = call()
                    self._bench.synchronize()
                    check = Check(item=step.item, who=who, ok=True, against=ITSELF)
                    if current.expected is not None:
                        check = _compared(check, current.expected, given)
                    checks.append(check)
                    if check.ok:
                        calls[who, 0] = call
            except Exception as error:  # noqa: BLE001 -- whatever a library raises
                troubles.append(Trouble(item=step.item, who=peer, message=_said(error)))
            if len(troubles) > troubled and not self.is_well():
                raise LostDeviceError(peer)
        return checks

    def _probe(self, step: Step, probe: Probe) -> StepOutcome:
        self._announce("probe")
        had, self._current = self._current is not None, None
        try:
            if had:
                free_memory(self._bench)
            from roller_mlir.evaluation.measure.runner.probes import run_probe

            timing = run_probe(probe, self._kit.artifact(probe.artifact), self._bench, self._samples)
        except Exception as error:  # noqa: BLE001 -- of torch too, whose memory is given back
            trouble = Trouble(item=probe.name, who="probe", message=_said(error))
            return StepOutcome(step=step.key, troubles=(trouble,))
        if self._bench.back_end == "sim":
            timing = replace(timing, note="; ".join(word for word in (DRY_RUN, timing.note) if word))
        return StepOutcome(step=step.key, timings=(timing,))


def _small() -> Any:
    import numpy as np

    return np.zeros(1, np.float32)


def _compared(check: Check, expected: ExpectedOutputs, outputs: Any) -> Check:
    found = expected.compare(outputs)
    return replace(check, ok=found.ok, error=found.error, message=found.message, against=expected.against)


def _against(expected: ExpectedOutputs | None) -> str:
    return "" if expected is None else expected.against


def _chosen(samples: Mapping[Who, Samples]) -> tuple[Who, ...]:
    """Return the first and the fastest of ours, none where that is the same."""
    ours = [who for who in samples if who[0] == OURS]
    if not ours:
        return ()
    fastest = min(ours, key=lambda who: samples[who].median_s)
    return (ours[0], fastest) if fastest != ours[0] else ()


def _late(error: BaseException) -> str:
    return f"while it was timed: {_said(error)}"


def _said(error: BaseException) -> str:
    """Return an error in one line that is not too long for a table."""
    lines = str(error).strip().splitlines()
    text = lines[0].strip() if lines else ""
    kind = "" if isinstance(error, (ArgumentError, ArtifactError, BackendError)) else f"{type(error).__name__}: "
    return f"{kind}{text}"[:400] or type(error).__name__
