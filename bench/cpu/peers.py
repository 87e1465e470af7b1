# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks and times libraries of this machine's processor on the operators of a suite, perhaps beside this compiler.

pip install '.[cpu-peers]'
python bench/cpu/peers.py --suite polydl-gemms -o gemms.json
python bench/cpu/peers.py --suite polydl-layers --minibatch 1 --only 'resnet*' --threads 2 -o layers.json
python bench/cpu/peers.py --suite polydl-gemms --ours host -o both.json

Every peer has a process of its own, in which the variables that others set for its library are gone; they take turns.
Results are compared with numpy's before anything is timed. One thread is timed by its processor time, several by the
wall. What is missing is said, and the others go on. Prints tables in Markdown.
"""

import argparse
import json
import os
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roller_mlir.evaluation.measure.cpu_peers.campaign import host_problems
from roller_mlir.evaluation.measure.cpu_peers.interface import PeerSource
from roller_mlir.evaluation.measure.cpu_peers.machine import this_machine
from roller_mlir.evaluation.measure.cpu_peers.problem import EPILOGUES, HostProblem
from roller_mlir.evaluation.measure.cpu_peers.results import FLUSHED, HostResults
from roller_mlir.evaluation.measure.cpu_peers.rounds import HostRun, measure
from roller_mlir.evaluation.measure.cpu_peers.sources import PEERS, handed_in, openblas_of, ours
from roller_mlir.evaluation.measure.cpu_peers.tables import library_table, rate_table, trouble_lines
from roller_mlir.evaluation.suites import SuiteError, find_suite
from roller_mlir.evaluation.suites.select import select
from roller_mlir.plan.records.codec import to_json


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", required=True, help="a suite's name, or a folder with a table")
    parser.add_argument("--only", help="operators: ids, patterns, classes, groups, parted by commas")
    parser.add_argument("--minibatch", type=int, metavar="N", help="images of a convolution, instead of the table's")
    parser.add_argument("--epilogue", choices=EPILOGUES, default="", help="what follows each operator")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="that each peer uses (1)")
    parser.add_argument("--peers", default=",".join(PEERS), help=f"which, parted by commas ({','.join(PEERS)})")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=FILE.py:FUNCTION", help="one more; see "
                        "roller_mlir/evaluation/measure/cpu_peers/interface.py for what it is")  # fmt: skip
    parser.add_argument("--openblas-core", action="append", default=[], metavar="CORE", help="OpenBLAS once more, with "
                        "the kernels of another core type (Haswell)")  # fmt: skip
    parser.add_argument("--ours", metavar="TARGET", help="this compiler beside them, for that device")
    parser.add_argument("--on", default="cpu", metavar="BACKEND", help="back end that runs ours (cpu)")
    parser.add_argument("--rounds", type=int, default=12, help="turns of each peer, caches warm (12)")
    parser.add_argument("--flushed", type=int, default=5, help="samples with cleared caches (5)")
    parser.add_argument("--limit", type=float, default=30.0, metavar="S", help="seconds for an operator's rounds (30)")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="the results as JSON")
    options = parser.parse_args(arguments)
    try:
        sources = sources_of(options)
        problems = problems_of(options)
    except (SuiteError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.threads < 1 or options.rounds < 1 or options.flushed < 0:
        parser.error("--threads and --rounds must be at least 1, --flushed at least 0")
    words = sys.argv[1:] if arguments is None else arguments
    machine = this_machine(options.threads, shlex.join(["bench/cpu/peers.py", *words]))
    run = HostRun(
        threads=options.threads,
        rounds=options.rounds,
        flushed=options.flushed,
        limit_s=options.limit,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    found = measure(problems, sources, machine, run)
    found = replace(found, machine=replace(machine, load=(*machine.load, os.getloadavg()[0])))
    if options.out is not None:
        options.out.write_text(json.dumps(to_json(found), indent=1) + "\n")
    print(tables(found))
    return 0 if found.timings and not any(found.wrong()) else 1


def sources_of(options: argparse.Namespace) -> list[PeerSource]:
    """Return who is asked."""
    names = options.peers.split(",") if options.peers else []
    if unknown := [name for name in names if name not in PEERS]:
        raise ValueError(f"no peer '{unknown[0]}'; known: {', '.join(PEERS)}")
    more = [*map(openblas_of, options.openblas_core), *map(handed_in, options.peer)]
    own = [ours(options.ours, options.on)] if options.ours else []
    return [*own, *(PEERS[name] for name in names), *more]


def problems_of(options: argparse.Namespace) -> list[HostProblem]:
    """Return what is asked."""
    operators = select(find_suite(options.suite), options.only.split(",") if options.only else [])
    return host_problems(operators, options.minibatch, options.epilogue)


def tables(found: HostResults) -> str:
    """Return the results as Markdown."""
    parts = [library_table(found), "GF/s, caches warm:", rate_table(found)]
    if any(one.note == FLUSHED for one in found.timings):
        parts += ["GF/s, caches cleared before each call:", rate_table(found, FLUSHED)]
    return "\n\n".join([*parts, *trouble_lines(found)])


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # processes and gigabytes of inputs are not left behind
    sys.exit(main())
