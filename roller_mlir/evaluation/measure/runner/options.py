# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runner's command line."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from roller_mlir.evaluation.measure.records import back_ends
from roller_mlir.evaluation.measure.runner.steps import DRY_PEERS, PEERS, PHASES

IS_BUNDLED = __name__.partition(".")[0] != "roller_mlir"
"""Whether this is part of a kit's run.py, not of the package."""

_DESCRIPTION = """Checks and times the kernels of a kit on this machine's device.

Results are in the output folder at any moment (results.jsonl), and as results.json when the run ends, also by a time
limit or Ctrl-C; the same command goes on where it ended. Wrong results are listed first; the exit code is then 1."""


def script() -> Path:
    """Return the kit's run.py, of which this module is a part."""
    return Path(__file__.rpartition(":")[0]).resolve()


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line; ends the process with exit code 2 where it is wrong."""
    parser = argparse.ArgumentParser(
        prog=script().name if IS_BUNDLED else f"python -m {__package__}",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if IS_BUNDLED:
        parser.add_argument("kit", nargs="?", type=Path, default=script().parent, help="folder of the kit (this one)")
    else:
        parser.add_argument("kit", type=Path, help="folder of the kit")
    parser.add_argument("--on", choices=back_ends(), help="back end (as the kit says); sim: a dry run")
    parser.add_argument("--device", type=_count, default=0, metavar="N", help="number of the device (0)")
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("results"), metavar="DIR", help="folder of the results (results)"
    )
    parser.add_argument("--time-limit", type=_seconds, metavar="S", help="stop after so many seconds, at any point")
    parser.add_argument("--step-limit", type=_seconds, metavar="S", help="what a kernel takes at most (60; sim 600)")
    parser.add_argument(
        "--only", type=_words, default=(), metavar="PATTERN,...", help="names of items and probes, such as '*/C?/*'"
    )
    parser.add_argument("--phases", type=_words, default=PHASES, metavar="NAME,...", help=f"of {','.join(PHASES)}")
    parser.add_argument("--peers", type=_words, metavar="NAME,...", help=f"of {','.join(PEERS)} (all), or none")
    parser.add_argument(
        "--repeat", type=_positive, default=25, metavar="N", help="samples of each timing (25; sim 3 at most)"
    )
    parser.add_argument("--fresh", action="store_true", help="begin anew: what the folder has is given up")
    parser.add_argument("--worker", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    peers = DRY_PEERS if given.on == "sim" else PEERS
    if given.peers is None:
        given.peers = peers
    given.peers = () if given.peers == ("none",) else given.peers
    for name, known in (("phases", PHASES), ("peers", peers)):
        unknown = [word for word in getattr(given, name) if word not in known]
        if unknown:
            parser.error(f"--{name}: unknown {', '.join(unknown)}; known: {', '.join(known)}")
    return given


def worker_command(arguments: Sequence[str], parent: int) -> list[str]:
    """Return the command of the process that uses the device: this one's, with a word that says so."""
    start = [str(script())] if IS_BUNDLED else ["-m", __name__.rpartition(".")[0]]
    alone = ["-I"] if sys.flags.isolated else []
    return [sys.executable, *alone, *start, *arguments, "--worker", str(parent)]


def _count(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, but got {value}")
    return value


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, but got {value}")
    return value


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"must be above 0 seconds, but got {text}")
    return value


def _words(text: str) -> tuple[str, ...]:
    words = tuple(word.strip() for word in text.split(",") if word.strip())
    if not words:
        raise argparse.ArgumentTypeError("must name at least one")
    return words
