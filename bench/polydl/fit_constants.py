# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits constants of a core (`[vectors]` of a device) to measured plans, and says what that is worth on other problems.

python bench/polydl/fit_constants.py bench/polydl/results/plans-zen5.json              # some minutes
python bench/polydl/fit_constants.py FILE.json --held-out --only mask_cycles task_cycles

`measure_plans.py` wrote what it reads. One constant after the other takes the value of a grid by which the plans are
ranked best, until none changes. Plans of the best ranks are what a planner of that day took for the best: those that
other constants would choose are not among them, so that what was fitted has to be measured again, and merged.
"""

import argparse
import json
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from plan_records import PlanCosts, merged
from rank_plans import FOLDS, expressions_of
from rank_score import scored

from roller_mlir.hal import Device, DeviceError, find_device
from roller_mlir.hal.host import host_device
from roller_mlir.plan import TensorExpression

GRID: dict[str, tuple[float, ...]] = {
    "task_cycles": (0, 3, 6, 9, 12, 18, 24),
    "gather_cycles": (0.5, 1, 1.5, 2),
    "turned_cycles": (0.25, 0.4, 0.6, 1, 2, 3),
    "mask_cycles": (0, 0.1, 0.2, 0.3, 0.5, 1),
    "test_cycles": (0, 0.1, 0.25, 0.5, 1),
    "resume_cycles": (0, 0.5, 1, 2, 5),
    "far_cycles": (0, 1, 3, 6, 12),
    "far_point_cycles": (0, 8, 10, 12, 13, 14, 16),
    "short_row_factor": (1, 1.5, 2, 2.5, 3),
    "pack_page_cycles": (0, 15, 30, 45),
    "ways_share": (0.7, 0.8, 0.9, 1),
}
"""Constants that no calibration measures, and the values that are tried."""
_LEAST_GAIN = 2e-4


@dataclass(frozen=True)
class Measured:
    """A problem's plans.

    Attributes:
        expression: The operator.
        plans: Their records.
        seconds: What each took.
    """

    expression: TensorExpression
    plans: tuple[dict[str, Any], ...]
    seconds: NDArray[np.float64]

    def scores(self, device: Device) -> tuple[float, float, float, float]:
        """Return how a device's model ranks them: the first three as `rank_score.Score`, and how it misses the times.

        That is the deviation of the logarithm of predicted over measured.
        """
        costs = PlanCosts(self.expression, device)
        predicted = np.array([costs.seconds(one) for one in self.plans])
        return (*scored(predicted, self.seconds), float(np.log(predicted / self.seconds).std()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="what measure_plans.py wrote")
    parser.add_argument("--device", default="host", help="whose constants are fitted (host, without a calibration)")
    parser.add_argument("--only", nargs="+", choices=list(GRID), default=list(GRID), help="the constants")
    parser.add_argument("--held-out", action="store_true", help="fit on four fifths of the problems, score the others")
    options = parser.parse_args()
    try:
        runs = [json.loads(path.read_text())["problems"] for path in options.data]
        problems = {name: rows for name, rows in merged(runs).items() if len(rows) > 1}
        expressions = expressions_of(list(problems))
        device = host_device() if options.device == "host" else find_device(options.device)
    except (OSError, ValueError, KeyError, DeviceError) as error:
        print(f"error: {' '.join(map(str, options.data))}: {error}", file=sys.stderr)
        return 1
    found = {
        name: Measured(
            expressions[name],
            tuple(row["plan"] for row in rows),
            np.array([row["seconds"] for row in rows]),
        )
        for name, rows in problems.items()
        if name in expressions
    }
    names = sorted(found)
    print(f"as it is: {summary([one.scores(device) for one in found.values()])}")
    if options.held_out:
        scores: list[tuple[float, float, float, float]] = []
        for fold in range(FOLDS):
            held = names[fold::FOLDS]
            fitted = fit(device, {name: found[name] for name in names if name not in held}, options.only)
            print(f"without {', '.join(held)}: {constants(fitted, options.only)}", flush=True)
            scores += [found[name].scores(fitted) for name in held]
        print(f"on problems that were not fitted: {summary(scores)}")
        return 0
    fitted = fit(device, found, options.only)
    print(f"{constants(fitted, options.only)}\nfitted: {summary([one.scores(fitted) for one in found.values()])}")
    return 0


def fit(device: Device, found: Mapping[str, Measured], only: Collection[str]) -> Device:
    """Return a device with the constants by which plans are ranked best, found one after the other."""
    best, changed = _price(device, found), True
    while changed:
        changed = False
        for name in only:
            for value in GRID[name]:
                other = replace(device, vectors=replace(device.vectors, **{name: value}))
                price = _price(other, found)
                if price < best - _LEAST_GAIN:
                    best, device, changed = price, other, True
    return device


def _price(device: Device, found: Mapping[str, Measured]) -> float:
    """Return what a ranking costs: both losses, and some of what it lacks of the order and of the times."""
    first, five, correlation, deviation = np.mean([one.scores(device) for one in found.values()], axis=0)
    return float(first + five + 0.15 * (1 - correlation) + 0.1 * deviation)


def constants(device: Device, names: Collection[str]) -> str:
    """Return constants as a device's description has them."""
    return ", ".join(f"{name} = {getattr(device.vectors, name):g}" for name in names)


def summary(scores: Sequence[tuple[float, float, float, float]]) -> str:
    """Return means over problems, and how many meet the aims."""
    first, five, correlation, deviation = np.mean(scores, axis=0)
    aims = [
        sum(one[0] <= 0.05 for one in scores),
        sum(one[1] <= 0.01 for one in scores),
        sum(one[2] >= 0.8 for one in scores),
    ]
    return (
        f"{100 * first:.1f} %, {100 * five:.1f} %, {correlation:.2f}; deviation {deviation:.3f}; first within 5 % "
        f"{aims[0]}, best of five within 1 % {aims[1]}, correlation of 0.8 or more {aims[2]}, of {len(scores)}"
    )


if __name__ == "__main__":
    sys.exit(main())
