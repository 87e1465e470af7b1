# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Has the steps done by another process, so that a kernel that hangs, faults or crashes costs one step, not the run.

Five processes in a row that end without anybody's knowing why end the run; a family of kernels that is known to do it
is left out by whoever asks for the steps (`lost.LostFamilies`), and counts no more.

A device that faulted fails everything that the same process asks for afterwards, and a kernel that hangs is never given
up by its driver; so the process is ended and a new one goes on with the next step. Who was at work is named. A peer
that ended the process is left out, and its step done again without it.
"""

import json
import os
import select
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, cast

from roller_mlir.evaluation.measure.records import Check, MeasuredMachine, Trouble
from roller_mlir.evaluation.measure.runner.steps import DeviceFault, Step, StepOutcome
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.support.foreign.bounded import read_json

START_S = 180.0
"""Seconds in which the process must have opened the device."""
OTHERS_TIMES = 4
"""How much longer than a kernel of ours a reference or a peer may take: they may compile and tune themselves."""
_MOST_ENDS, _END_S = 5, 30.0
_MOST_LINE_BYTES = 64 << 20


class UnusableDeviceError(Exception):
    """The device cannot be used, at first or any more; the text says why."""


class TimeUp(Exception):  # noqa: N818 -- no error, but the end of what was asked for
    """The time limit is over."""


@dataclass
class _Doing:
    who: str = "start"
    rank: int = 0


class _Ended(Exception):  # noqa: N818 -- not everybody's error: a step's outcome
    """The process ended, or was ended; the text says how."""


class Supervisor:
    """Starts the process that uses the device, and another when it ends; a context manager.

    Attributes:
        machine: What the first process said of the machine; None before.
    """

    def __init__(self, command: Sequence[str], *, step_limit_s: float, deadline: float | None) -> None:
        """Take what does not change.

        Args:
            command: Of the process.
            step_limit_s: Seconds without a word after which a kernel of ours is taken to hang.
            deadline: When to stop, as `monotonic()` counts; None: never.
        """
        self._command, self._limit_s, self._deadline = tuple(command), step_limit_s, deadline
        self._process: subprocess.Popen[bytes] | None = None
        self._heard = b""
        self._doing = _Doing()
        self._ends = 0
        self.machine: MeasuredMachine | None = None

    def __enter__(self) -> "Supervisor":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def start(self) -> MeasuredMachine:
        """Start the process, if none is there, and return what it says of the machine.

        Raises:
            UnusableDeviceError: It does not come up.
            TimeUp: The time limit is over.
        """
        if self._process is not None and self.machine is not None:
            return self.machine
        self._heard, self._doing = b"", _Doing()
        self._process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        try:
            said = self._wait("machine")
        except _Ended as error:
            raise UnusableDeviceError(f"the device does not come up: the runner's process {error}") from error
        self.machine = from_json(MeasuredMachine, said["machine"])
        return self.machine

    def do(self, step: Step) -> StepOutcome:
        """Have a step done.

        Raises:
            UnusableDeviceError: Several processes in a row did not survive.
            TimeUp: The time limit is over; the step is not done.
        """
        key, lost = step.key, list[Trouble]()
        while True:
            self.start()
            try:
                outcome = self._ask(step)
                self._ends = 0
                return replace(outcome, step=key, troubles=(*lost, *outcome.troubles))
            except _Ended as error:
                self._ends += 1
                message = f"the process {error}"
            if self._ends >= _MOST_ENDS:
                raise UnusableDeviceError(
                    f"{self._ends} processes in a row did not survive; the last one {message[12:]}"
                )
            if self._doing.who not in step.peers:
                return replace(_lost(step, self._doing, message, lost), step=key)
            lost.append(Trouble(item=step.item, who=self._doing.who, message=message))
            step = replace(step, peers=tuple(peer for peer in step.peers if peer != self._doing.who))

    def forgive(self) -> None:
        """Count ends anew: it is known why the last process ended, and it will not happen again."""
        self._ends = 0

    def end(self) -> None:
        """End the process and what it started, if one is there."""
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        with suppress(subprocess.TimeoutExpired):  # while its driver does not let go of the device
            process.wait(timeout=_END_S)

    def _ask(self, step: Step) -> StepOutcome:
        assert self._process is not None and self._process.stdin is not None
        self._doing = _Doing("ours", step.ranks[0] if step.ranks else 0)
        try:
            self._process.stdin.write(json.dumps(to_json(step)).encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._death() from None
        said = self._wait("outcome")
        outcome = from_json(StepOutcome, said["outcome"])
        if not said.get("well", False):
            self.end()
            said_of_it = [check.message for check in outcome.checks if not check.ok]
            said_of_it += [trouble.message for trouble in outcome.troubles]
            message = next(iter(said_of_it), "the device failed after it")
            outcome = replace(outcome, fault=DeviceFault(who=self._doing.who, rank=self._doing.rank, message=message))
        return outcome

    def _wait(self, wanted: str) -> dict[str, Any]:
        """Return the next record that has a key, and note who is at work in the meantime."""
        heard = monotonic()
        while True:
            limit = START_S if self._doing.who == "start" else self._limit_s
            if self._doing.who not in ("ours", "probe", "start"):
                limit *= OTHERS_TIMES
            record = self._read(heard + limit, limit)
            heard = monotonic()
            if wanted in record:
                return record
            if "error" in record:
                self.end()
                raise UnusableDeviceError(str(record["error"]))
            if "doing" in record:
                self._doing = _Doing(str(record["doing"]), int(record.get("rank", 0)))

    def _read(self, until: float, limit: float) -> dict[str, Any]:
        assert self._process is not None and self._process.stdout is not None
        channel = self._process.stdout.fileno()
        while b"\n" not in self._heard:
            now = monotonic()
            if self._deadline is not None and now >= self._deadline:
                self.end()
                raise TimeUp
            if now >= until:
                self.end()
                raise _Ended(f"was ended: nothing was heard of it for {limit:g} s")
            ends = until if self._deadline is None else min(until, self._deadline)
            if not select.select([channel], [], [], ends - now)[0]:
                continue
            part = os.read(channel, 1 << 16)
            if not part or len(self._heard) > _MOST_LINE_BYTES:
                raise self._death()
            self._heard += part
        line, _, self._heard = self._heard.partition(b"\n")
        try:
            return cast(dict[str, Any], read_json(line))
        except ValueError as error:
            self.end()
            raise _Ended(f"said what is no JSON: {error}") from error

    def _death(self) -> _Ended:
        process = self._process
        assert process is not None
        try:
            code = process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            code = None
        self.end()
        if code is not None and code < 0:
            return _Ended(f"was ended by {_signal_name(-code)}")
        return _Ended(f"ended with exit code {code}" if code is not None else "closed its output")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _lost(step: Step, doing: _Doing, message: str, lost: Sequence[Trouble]) -> StepOutcome:
    """Return what is known of a step that ended its process."""
    checks: tuple[Check, ...] = ()
    if step.kind == "check":
        checks = (Check(item=step.item, rank=step.ranks[0], ok=False, message=f"{doing.who}: {message}"),)
    subject = f"candidate {doing.rank}: " if doing.who == "ours" else ""
    trouble = Trouble(item=step.item, who=doing.who, message=f"{subject}{message}")
    fault = DeviceFault(who=doing.who, rank=doing.rank, message=message)
    return StepOutcome(step=step.key, checks=checks, troubles=(*lost, trouble), fault=fault)
