# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the tables of docs/rammer.md: what six models are predicted to take, as one kernel and beside it.

    python bench/rammer/models.py [--targets v100,a100,h200,mi300x] [--only lstm,seq2seq] [--batch 1] [--scale 1]

Prints two tables in Markdown, in microseconds, and geometric means of the gains; of a V100 at batch 1 three more,
beside what RAMMER measured, in milliseconds. Everything of ours is predicted, nothing is measured. A model takes
minutes; each row is also written to standard error as soon as it is known.
"""

import argparse
import statistics
import sys
from typing import Any

from published import (
    CHOICES,
    DEVICE,
    FIGURES,
    MISSES,
    PUBLISHED,
    SELECTED,
    choice_row,
    figure_row,
    miss_row,
)

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.suites.models import RAMMER6, make_model
from roller_mlir.evaluation.suites.stages.models import schedule_model
from roller_mlir.tools.commands.suite.models import GAINS

TIMES = {
    "launches": "launches_s",
    "line": "line_s",
    "graph": "graph_s",
    "ahead": "dependent_s",
    "bounded": "bounded_s",
    "bounded, ahead": "bounded_dependent_s",
    "barriers": "waves_s",
    "in front": "front_s",
    "none kept": "plain_s",
    "persistent": "makespan_s",
    "at least": "bound_s",
}


def time_row(target: str, record: dict[str, Any]) -> str:
    """Return a row of the first table."""
    counts = (f"{record[name]:,}" for name in ("operators", "tasks", "waits"))
    times = ("-" if record[name] is None else f"{1e6 * record[name]:,.0f}" for name in TIMES.values())
    over = (f"{record['makespan_s'] / record[least]:.2f}" for least in ("bound_s", "home_bound_s"))
    shares = *over, f"{record['utilisation']:.0%}"
    return f"| {' | '.join((target, record['id'], *counts, *times, *shares))} |"


def gains_of(record: dict[str, Any]) -> list[float]:
    """Return how many times longer each way takes than another."""
    return [record[longer] / record[shorter] for longer, shorter in GAINS.values()]


def gain_row(target: str, name: str, gains: list[float]) -> str:
    """Return a row of the second table."""
    return f"| {' | '.join((target, name, *(f'{gain:.2f}' for gain in gains)))} |"


def table(header: tuple[str, ...], rows: list[str]) -> str:
    """Return a table in Markdown."""
    return "\n".join((f"| {' | '.join(header)} |", f"|{'---|' * len(header)}", *rows))


def main() -> None:
    """Predict each model for each device, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--targets", default="v100,a100,h200,mi300x", help="devices (default v100,a100,h200,mi300x)")
    parser.add_argument("--only", default=",".join(RAMMER6), help="models (default all six)")
    parser.add_argument("--batch", type=int, default=1, help="images, sequences or tokens at a time (default 1)")
    parser.add_argument("--scale", type=int, default=1, help="what sizes are divided by (default 1)")
    asked = parser.parse_args()
    times: list[str] = []
    gains: list[str] = []
    figures: list[str] = []
    misses: list[str] = []
    choices: list[str] = []
    for target in asked.targets.split(","):
        found: list[list[float]] = []
        for name in asked.only.split(","):
            model = make_model(name, asked.batch, asked.scale)
            record = schedule_model(model, target)
            times.append(time_row(target, record))
            found.append(gains_of(record))
            gains.append(gain_row(target, name, found[-1]))
            if name in PUBLISHED and (target, asked.batch, asked.scale) == (DEVICE, 1, 1):
                figures.append(figure_row(name, record))
                misses.append(miss_row(name, record))
                if name in SELECTED:
                    fastest = schedule_model(model, target, CompileOptions(persistent=True, select_kernels=False))
                    choices.append(choice_row(name, record, fastest))
            print(times[-1], file=sys.stderr, flush=True)
        gains.append(
            gain_row(target, "all, geometric mean", [*map(statistics.geometric_mean, zip(*found, strict=True))])
        )
    print(table(("device", "model", "operators", "tasks", "waits", *TIMES, "over it", "at its homes", "busy"), times))
    print()
    print(table(("device", "model", *GAINS), gains))
    if figures:
        print(f"\n{table(FIGURES, figures)}\n\n{table(MISSES, misses)}\n\n{table(CHOICES, choices)}")


if __name__ == "__main__":
    main()
