# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""RAMMER's measurements of a V100 beside predictions for one: the tables of docs/rammer.md that compare them.

The numbers are those of RAMMER's artifact (microsoft/nnfusion at 4d652edd), of figures 11, 14, 16 and 17, at batch 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from roller_mlir.hal import find_device
from roller_mlir.model.machine import machine_of

DEVICE = "v100"
LAUNCH_S = machine_of(find_device(DEVICE)).launch_s


@dataclass(frozen=True)
class Published:
    """What RAMMER measured of a model.

    Attributes:
        base_ms: RAMMERBASE, a launch for each operator (figure 11).
        one_ms: RAMMER.
        active: Shares of time in which a multiprocessor has a warp, of both (figure 14).
        overhead: Shares of time that are not spent in kernels, of both (figure 16).
    """

    base_ms: float
    one_ms: float
    active: tuple[float, float]
    overhead: tuple[float, float]


PUBLISHED = {
    "resnext": Published(10.94, 4.63, (0.58, 0.79), (0.08, 0.03)),
    "nasnet": Published(2.97, 1.74, (0.30, 0.50), (0.21, 0.14)),
    "alexnet": Published(0.96, 0.96, (0.90, 0.90), (0.02, 0.02)),
    "deepspeech2": Published(7.89, 4.69, (0.36, 0.64), (0.20, 0.10)),
    "lstm": Published(29.71, 4.73, (0.23, 0.54), (0.24, 0.08)),
    "seq2seq": Published(9.27, 3.66, (0.10, 0.14), (0.36, 0.25)),
}

SELECTED = {"resnext": (29.2, 6.09), "lstm": (52.8, 5.38)}
"""Of figure 17, in ms: the kernels that RAMMER selects for one kernel, launched one by one, and one kernel of those
that are fastest alone."""

FIGURES = ("model", "base", "ours", "one", "ours", "gain", "ours", "active", "busy", "overhead", "ours", "barriers")
CHOICES = (
    "model",
    "fastest, launched",
    "ours",
    "selected, launched",
    "ours",
    "fastest, one kernel",
    "ours",
    "selected, one kernel",
    "ours",
)
MISSES = ("model", "in kernels", "ours", "published over ours", "one kernel, published over ours", "left", "outside")


def figure_row(name: str, record: Mapping[str, Any]) -> str:
    """Return a model's row beside figures 11, 14 and 16 and section 5.2.5, from what `schedule_model` says."""
    one, launches, makespan = PUBLISHED[name], record["launches_s"], record["makespan_s"]
    launched, once = 1 - record["kernels_s"] / launches, LAUNCH_S / (LAUNCH_S + makespan)
    cells = (
        name,
        f"{one.base_ms:.2f}",
        f"{1e3 * launches:.2f}",
        f"{one.one_ms:.2f}",
        f"{1e3 * makespan:.2f}",
        f"{one.base_ms / one.one_ms:.1f}",
        f"{launches / makespan:.1f}",
        f"{one.active[0]:.0%}, {one.active[1]:.0%}",
        f"{record['utilisation']:.0%}",
        f"{one.overhead[0]:.0%}, {one.overhead[1]:.0%}",
        f"{launched:.0%}, {once:.1%}",
        f"{record['waves_s'] / record['front_s']:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def choice_row(name: str, record: Mapping[str, Any], fastest: Mapping[str, Any]) -> str:
    """Return a model's row beside figure 17, from what `schedule_model` says with selected kernels and with others."""
    one, (selected_ms, fastest_ms) = PUBLISHED[name], SELECTED[name]
    pairs = (
        (one.base_ms, record["launches_s"]),
        (selected_ms, record["bounded_launches_s"]),
        (fastest_ms, fastest["makespan_s"]),
        (one.one_ms, record["makespan_s"]),
    )
    return f"| {name} | {' | '.join(f'{published:.2f} | {1e3 * ours:.2f}' for published, ours in pairs)} |"


def miss_row(name: str, record: Mapping[str, Any]) -> str:
    """Return how much of a model's miss is there before anything is put together, from what `schedule_model` says."""
    one = PUBLISHED[name]
    kernels_ms, ours_ms = one.base_ms * (1 - one.overhead[0]), 1e3 * record["kernels_s"]
    alone, together = kernels_ms / ours_ms, one.one_ms / (1e3 * record["makespan_s"])
    shown = (kernels_ms, ours_ms, alone, together, together / alone, one.one_ms * one.overhead[1])
    return f"| {' | '.join((name, *(f'{value:.2f}' for value in shown)))} |"
