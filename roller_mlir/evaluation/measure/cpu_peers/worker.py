# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The process of one peer: makes problems ready, compares results, and times; orders and answers are lines of JSON.

`python -m roller_mlir.evaluation.measure.cpu_peers.worker PARENT FACTORY OPTIONS THREADS`; what libraries print goes
elsewhere.
Nothing is timed that was not compared with numpy's result, and right, just before.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.cpu_peers.clocks import Clock, busy_threads
from roller_mlir.evaluation.measure.cpu_peers.interface import Array, HostCall, HostPeer, aligned, load_factory
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.records import Check
from roller_mlir.evaluation.measure.runner.expected.tolerance import ExpectedOutputs
from roller_mlir.evaluation.measure.runner.peers.peer import PeerError, one_line
from roller_mlir.evaluation.measure.runner.processes.channels import say, take_channels, tie_to
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.support.foreign.bounded import read_json

Answer = dict[str, Any]


class PeerWork:
    """What the process holds."""

    def __init__(self, peer: HostPeer, threads: int) -> None:
        """Take the peer."""
        self._peer, self._clock = peer, Clock(threads)
        self._ready: dict[str, tuple[HostCall, float]] = {}
        self._inputs: list[Array] = []

    def facts(self) -> Answer:
        """Return what identifies the peer."""
        return {"facts": dict(self._peer.facts()), "threads": self._peer.threads()}

    def prepare(self, problem: Mapping[str, Any], folder: str, variant: str, who: str) -> Answer:
        """Make a problem ready in one variant and check it.

        Returns:
            Nothing where it is not the peer's business, else the check, and about how long a right one takes.
        """
        known = from_json(HostProblem, problem)
        place = Path(folder)
        if not self._inputs:  # the same for each variant
            loaded = (np.load(place / f"{number}.npy", "r") for number in range(len(known.shapes)))
            self._inputs = [aligned(one.shape, one) for one in loaded]
        call = self._peer.prepare(known, self._inputs, variant)
        if call is None:
            return {}
        for array in call.written:
            array.fill(np.nan)
        threads = busy_threads(call.run)
        expected, bound = (np.load(place / f"{name}.npy", "r") for name in ("expected", "bound"))
        outputs = ExpectedOutputs(against="numpy", outputs=(expected,), bounds=(bound,), element_types=("f32",))
        verdict = outputs.compare(call.result())
        ok, message = verdict.ok, verdict.message
        if ok and threads > self._clock.threads:
            ok, message = False, f"{threads} threads worked where {self._clock.threads} were asked for"
        check = Check(
            item=known.id, who=who, ok=ok, against="numpy f64", error=verdict.error, message=message, note=call.note
        )
        answer: Answer = {"check": to_json(check)}
        if ok:
            answer["estimate_s"] = self._clock.estimate(call.run)
            self._ready[variant] = call, answer["estimate_s"]
        return answer

    def time(self, variant: str, count: int, flush: bool) -> Answer:
        """Take samples of what is ready."""
        call, estimate = self._ready[variant]
        return {"seconds": self._clock.samples(call.run, count, estimate, flush=flush)}

    def drop(self) -> Answer:
        """Forget what is ready."""
        self._ready.clear()
        self._inputs.clear()
        return {}


def serve(arguments: list[str]) -> int:
    """Answer orders until there are no more; returns the exit code."""
    parent, factory, options, threads = arguments
    orders, channel = take_channels()
    tie_to(int(parent))
    try:
        work = PeerWork(_started(factory, read_json(options), int(threads)), int(threads))
    except PeerError as error:
        say(channel, missing=str(error))
        return 0
    except Exception as error:  # noqa: BLE001 - somebody else's library, which is then missing
        say(channel, missing=one_line(error))
        return 0
    say(channel, started=True)
    for line in orders:
        order: dict[str, Any] = read_json(line)
        try:
            answer: Answer = getattr(work, order.pop("do"))(**order)
        except PeerError as error:
            answer = {"failed": str(error)}
        except Exception as error:  # noqa: BLE001 - somebody else's library, whose failure is told
            answer = {"failed": one_line(error)}
        say(channel, **answer)
    return 0


def _started(factory: str, options: Mapping[str, str], threads: int) -> HostPeer:
    peer = load_factory(factory)(threads, **options)
    said = peer.threads()
    if said is not None and said != threads:
        raise PeerError(f"it says that it uses {said} threads where {threads} were asked for", library=True)
    return peer


if __name__ == "__main__":
    sys.exit(serve(sys.argv[1:]))
