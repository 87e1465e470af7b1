# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suites against the libraries of the host, part by part, each part a file that a later call goes on from.

A part is a suite with one minibatch, one number of threads and one epilogue. Its file is written, whole, after each
problem; problems that it has are not measured again. It is of one machine, and refuses results of another.
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource
from roller_mlir.evaluation.measure.cpu_peers.machine import this_machine
from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem, with_minibatch
from roller_mlir.evaluation.measure.cpu_peers.results import HostResults
from roller_mlir.evaluation.measure.cpu_peers.rounds import HostRun, measure
from roller_mlir.evaluation.measure.kit.contents import reference_of, title_of
from roller_mlir.evaluation.suites import Operator
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.support.foreign.bounded import read_bytes, read_json

_MOST_BYTES = 64 << 20


@dataclass(frozen=True, kw_only=True)
class PeerPart:
    """What is measured under the same conditions.

    Attributes:
        name: Of the suite.
        operators: Those of it that are wanted.
        minibatch: Images of each convolution or pooling; None leaves the suite's.
        threads: Of each peer.
        epilogue: What follows each operator.
    """

    name: str
    operators: Sequence[Operator]
    minibatch: int | None = None
    threads: int = 1
    epilogue: str = ""

    @property
    def problems(self) -> list[HostProblem]:
        """The problems, in the suite's order; raises ValueError for what peers have no word for."""
        return host_problems(self.operators, self.minibatch, self.epilogue)

    @property
    def title(self) -> str:
        """What it is called, in files as in tables: "polydl-layers-n28-t1-bn-relu"."""
        batch = "" if self.minibatch is None else f"-n{self.minibatch}"
        epilogue = f"-{self.epilogue.replace(' ', '-')}" if self.epilogue else ""
        return f"{Path(self.name).name}{batch}-t{self.threads}{epilogue}"


def parts_of(
    name: str,
    operators: Sequence[Operator],
    minibatches: Sequence[int] = (),
    threads: Sequence[int] = (1,),
    epilogue: str = "",
) -> Iterator[PeerPart]:
    """Yield the parts of a suite: each number of threads with each minibatch, or with one where nothing has images."""
    images = [one for one in operators if "N" in one.sizes and one.kind != "matmul"]
    for count in threads:
        for batch in [*minibatches] if images and minibatches else [None]:
            yield PeerPart(name=name, operators=operators, minibatch=batch, threads=count, epilogue=epilogue)


def host_problems(operators: Sequence[Operator], minibatch: int | None, epilogue: str) -> list[HostProblem]:
    """Return operators as problems of the host's libraries; raises ValueError for what they have no word for."""
    found: list[HostProblem] = []
    for row in operators:
        problem = HostProblem(id=row.id, reference=reference_of(row), epilogue=epilogue)
        if minibatch is not None:
            problem = with_minibatch(problem, minibatch)
        title = title_of(replace(row, sizes=dict(problem.sizes))).removesuffix(", f32")
        found.append(replace(problem, title=title))
    return found


def run_part(
    part: PeerPart, sources: Sequence[PeerSource], run: HostRun, folder: Path | None, command: str
) -> HostResults:
    """Measure a part, or what its file does not have yet.

    Args:
        part: What.
        sources: Who.
        run: How; its threads are the part's.
        folder: Where its file is, and is written; None keeps nothing.
        command: What was called.

    Raises:
        ValueError: Its file is none, or of another machine.
        OSError: It cannot be read or written.
    """
    path = None if folder is None else folder / f"{part.title}.json"
    before = read_results(path) if path is not None and path.exists() else None
    machine = this_machine(part.threads, command)
    if before is not None and before.machine.processor != machine.processor:
        raise ValueError(
            f"{path} is of {before.machine.processor}, but this is {machine.processor}; name another folder"
        )
    done = {one.id for one in before.problems} if before is not None else set[str]()
    left = [one for one in part.problems if one.id not in done]
    run.say(f"{part.title}: {len(left)} problems" + (f", {len(done)} are there" if done else ""))

    def keep(found: HostResults) -> None:
        loaded = replace(found, machine=replace(found.machine, load=(*machine.load, os.getloadavg()[0])))
        if path is not None:
            write_results(joined(before, loaded), path)

    if not left and before is not None:
        return before
    return joined(before, measure(left, sources, machine, replace(run, threads=part.threads), keep))


def joined(before: HostResults | None, more: HostResults) -> HostResults:
    """Return results of two runs on one machine as those of one; the machine is that of the later."""
    if before is None:
        return more
    libraries = {one.name: one for one in (*before.libraries, *more.libraries)}
    return replace(
        more,
        machine=replace(more.machine, started=before.machine.started),
        problems=(*before.problems, *more.problems),
        libraries=tuple(libraries.values()),
        checks=(*before.checks, *more.checks),
        timings=(*before.timings, *more.timings),
        troubles=tuple(dict.fromkeys((*before.troubles, *more.troubles))),
    )


def read_results(path: Path) -> HostResults:
    """Read results that `write_results` wrote.

    Raises:
        OSError: They cannot be read.
        ValueError: The file is something else.
    """
    try:
        return from_json(HostResults, read_json(read_bytes(path, _MOST_BYTES)))
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} holds no results of peers: {error}") from error


def write_results(found: HostResults, path: Path) -> None:
    """Write results under another name first."""
    aside = path.with_name(f".{path.name}.partial")
    aside.write_text(json.dumps(to_json(found), indent=1) + "\n")
    aside.replace(path)
