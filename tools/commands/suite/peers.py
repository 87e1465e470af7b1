# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite --stage run --peers`: operators compiled for this machine beside its libraries, all timed in turns."""

import argparse
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from roller_mlir.evaluation.suites import Operator
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime.registry import backend_here
from roller_mlir.support.standard_output import print_error
from roller_mlir.tools.console.arguments import positive
from roller_mlir.tools.console.errors import InputError, UsageError
from roller_mlir.tools.console.output import print_json, print_line
from roller_mlir.tools.console.targets import device_of, target_of

EVERY = "all"
OPTIONS = ("peers", "threads", "minibatch", "limit", "epilogue")


def add_peer_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what goes with --peers."""
    group = parser.add_argument_group(
        "run: this compiler beside the libraries of this machine, checked and timed in turn"
    )
    group.add_argument(
        "--peers",
        nargs="?",
        const=EVERY,
        metavar="NAME,...",
        help="onednn, mkl, openblas, iree (all; pip install 'roller-mlir[cpu-peers]'); what is missing is said",
    )
    group.add_argument("--threads", type=_counts, metavar="N,...", help="of each peer; a part of its own for each (1)")
    group.add_argument("--minibatch", type=_counts, metavar="N,...", help="images of each layer; a part for each")
    group.add_argument("--limit", type=float, metavar="S", help="seconds for an operator's rounds (15)")
    group.add_argument(
        "--epilogue", metavar="WORDS", help="what follows each operator: bias, relu, 'bias relu', 'bn relu'"
    )


def _counts(text: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(positive(word) for word in text.split(",")))


def check_peers(arguments: argparse.Namespace) -> None:
    """Refuse what goes without --peers, and --peers with another stage or a device that is not this machine's."""
    if arguments.peers is None:
        given = [f"--{name}" for name in OPTIONS if getattr(arguments, name) is not None]
        if given:
            raise UsageError(f"{', '.join(given)} goes with --stage run --peers")
        return
    if arguments.stage != "run":
        raise UsageError("--peers goes with --stage run")
    others = ("shrink", "jobs", "ray", "dtype", "tuning")
    beyond = [f"--{name}" for name in others if getattr(arguments, name) is not None]
    if beyond:
        raise UsageError(f"--peers goes without {', '.join(beyond)}")


def run_peers(arguments: argparse.Namespace, operators: Sequence[Operator]) -> int:
    """Measure the operators; return 1 where something is wrong, or nothing of ours was timed."""
    from roller_mlir.evaluation.measure.cpu_peers.campaign import parts_of, run_part
    from roller_mlir.evaluation.measure.cpu_peers.problem import EPILOGUES
    from roller_mlir.evaluation.measure.cpu_peers.rounds import HostRun
    from roller_mlir.evaluation.measure.cpu_peers.sources import PEERS, ours
    from roller_mlir.evaluation.measure.cpu_peers.tables import is_ours, library_table, rate_table, trouble_lines

    device, target = device_of(arguments), target_of(arguments)
    native = backend_here(device.vendor)
    if native is None:
        raise UsageError(f"--peers times this machine, but '{device.name}' is none of its kind; use --target host")
    names = list(PEERS) if arguments.peers == EVERY else arguments.peers.split(",")
    for name in names:
        if name not in PEERS:
            raise UsageError(f"no peer '{name}'; known: {', '.join(PEERS)}")
    epilogue = arguments.epilogue or ""
    if epilogue not in EPILOGUES:
        known = ", ".join(f"'{one}'" for one in EPILOGUES if one)
        raise UsageError(f"--epilogue is one of {known}, but got '{epilogue}'")
    sources = [ours(target, native), *(PEERS[name] for name in names)]
    folder = None if arguments.output is None else Path(arguments.output)
    run = HostRun(flushed=0, limit_s=arguments.limit or 15.0, say=print_error)
    parts = parts_of(arguments.suite, operators, arguments.minibatch or (), arguments.threads or (1,), epilogue)
    records: list[dict[str, Any]] = []
    code = 0
    try:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        for part in parts:
            found = run_part(part, sources, run, folder, shlex.join(["roller", *sys.argv[1:]]))
            code |= any(found.wrong()) or not any(is_ours(one.who) for one in found.timings)
            data: Any = to_json(found)
            records.append({"part": part.title, **data})
            if not arguments.json:
                lines = [f"## {part.title}, GF/s", library_table(found), rate_table(found), *trouble_lines(found)]
                print_line("\n\n".join(lines) + "\n")
    except (OSError, ValueError) as error:
        raise InputError(str(error)) from None
    if arguments.json:
        print_json(records)
    return int(code)
