# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks measured plans by what the compiler's model says of them, by its parts, and by PolyDL's tournament.

python bench/polydl/rank_plans.py bench/polydl/results/plans.json                        # host, as it is described
python bench/polydl/rank_plans.py bench/polydl/results/plans.json --calibration FILE.toml  # and with a calibration
python bench/polydl/rank_plans.py FIRST.json SECOND.json --merged BOTH.json             # each plan of several runs once

`measure_plans.py` wrote what it reads; nothing is measured again, so that a change of the model is seen at once.
Networks, and the factors of the layers' seconds, are fitted on the plans of other problems.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from plan_problems import dispatch_of, planned_problems
from plan_records import PlanCosts, merged, packed, shape_of
from rank_score import Score, scored
from ranking_cases import Case
from tournament_training import Settings, fit_factors, train
from train import mean

from roller_mlir.hal import Device, DeviceError, calibrated
from roller_mlir.hal.host import host_device
from roller_mlir.model.polydl.caches import assign
from roller_mlir.model.polydl.cost import ranking_cost, served_bytes
from roller_mlir.model.polydl.tournament import wins
from roller_mlir.model.polydl.working_sets import working_sets
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.shape import TaskWalk
from roller_mlir.plan import TensorExpression

METHODS = ("equation 1", "planner", "planner, calibrated", "terms, fitted", "tournament, held", "tournament, served")
FOLDS = 5
_LEAST = 5
"""Plans of a problem, below which an order says nothing."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, nargs="+", help="what measure_plans.py wrote")
    parser.add_argument("--merged", type=Path, metavar="FILE", help="where to write what they hold together")
    parser.add_argument("--calibration", type=Path, help="what roller devices host --calibrate wrote")
    parser.add_argument("--epochs", type=int, default=Settings.epochs, help="of the networks' training")
    options = parser.parse_args()
    try:
        files = [json.loads(path.read_text()) for path in options.data]
        data = {"provenance": files[-1]["provenance"], "problems": merged([one["problems"] for one in files])}
        plain = host_device()
        known = calibrated(plain, options.calibration) if options.calibration else plain
        problems = {name: rows for name, rows in data["problems"].items() if len(rows) >= _LEAST}
        expressions = expressions_of(list(problems))
        problems = {name: problems[name] for name in expressions}
    except (OSError, ValueError, KeyError, DeviceError) as error:
        print(f"error: {' '.join(map(str, options.data))}: {error}", file=sys.stderr)
        return 1
    if options.merged:
        options.merged.write_text(packed(data))
    cases = {name: cases_of(expressions[name], rows, known) for name, rows in problems.items()}
    predicted = {
        name: [seconds_of(PlanCosts(expressions[name], device), rows) for device in (plain, known)]
        for name, rows in problems.items()
    }
    found = compared(cases, predicted, Settings(epochs=options.epochs))
    print(table(found, {name: len(rows) for name, rows in problems.items()}))
    return 0


def expressions_of(names: list[str]) -> dict[str, TensorExpression]:
    """Return the operators as the compiler plans them, but for those whose layout it changes."""
    known = {one.name: one for one in planned_problems()}
    found: dict[str, TensorExpression] = {}
    for name in names:
        if name not in known:
            raise ValueError(f"'{name}' is no problem of plan_problems.py")
        dispatch = dispatch_of(known[name])
        if dispatch is not None:
            found[name] = dispatch.expression
    return found


def seconds_of(costs: PlanCosts, rows: list[dict[str, Any]]) -> list[float]:
    """Return what the planner predicts of plans on one core."""
    return [costs.seconds(row["plan"]) for row in rows]


def cases_of(expression: TensorExpression, rows: list[dict[str, Any]], device: Device) -> list[Case]:
    """Return plans with PolyDL's numbers, as published: Algorithm 2 gives each set room of its own."""
    cost, costs = VectorCost(expression, device, 1), PlanCosts(expression, device)
    caches = cost.caches.caches(1)
    latencies = [one.latency_s for one in caches]
    found: list[Case] = []
    for row in rows:
        shape = shape_of(expression, row["plan"])
        _, seconds = costs.parts(row["plan"])
        nest = cost.caches.walked(shape, TaskWalk.of(expression, shape))
        sets = working_sets(nest)
        assigned = assign(sets, caches)
        price = ranking_cost(assigned) if all(latencies) else float("nan")
        terms = [value for name, value in seconds.items() if name != "launch"]
        served = served_bytes(nest, sets, assigned)
        names = tuple(one.name for one in caches)
        found.append(Case(names, assigned.held_bytes, served, price, tuple(terms), row["seconds"]))
    return found


def compared(
    cases: dict[str, list[Case]], predicted: dict[str, list[list[float]]], settings: Settings
) -> dict[str, dict[str, Score]]:
    """Return how each method ranks the plans of each problem."""
    names = sorted(cases)
    found: dict[str, dict[str, Score]] = {}
    for fold in range(FOLDS):
        held = names[fold::FOLDS]
        others = [cases[name] for name in names if name not in held]
        factors = fit_factors(others)
        networks = {kind: train(others, f"{kind}_bytes", settings) for kind in ("held", "served")}
        for name in held:
            own = cases[name]
            orders = {
                "equation 1": np.array([one.cost for one in own]),
                "planner": np.array(predicted[name][0]),
                "planner, calibrated": np.array(predicted[name][1]),
                "terms, fitted": np.array([one.terms for one in own]) @ factors,
            }
            for kind, network in networks.items():
                games = wins(network, [one.statistic(network.statistic) for one in own])
                orders[f"tournament, {kind}"] = -np.array(games, dtype=np.float64)
            seconds = np.array([one.seconds for one in own])
            found[name] = {
                method: Score(*[np.nan] * 3) if np.isnan(orders[method]).any() else scored(orders[method], seconds)
                for method in METHODS
            }
    return {name: found[name] for name in cases}


def table(found: dict[str, dict[str, Score]], counts: dict[str, int]) -> str:
    """Return the comparison as Markdown: loss of the first choice, of the best of five, rank correlation."""
    lines = [f"| problem | plans | {' | '.join(METHODS)} |", f"|---|---:|{'---|' * len(METHODS)}"]
    rows = [(name, str(counts[name]), scores) for name, scores in found.items()]
    for label, of in (("mean", np.mean), ("median", np.median)):
        rows.append((label, "", {m: mean([one[m] for one in found.values()], of) for m in METHODS}))
    for name, count, scores in rows:
        cells = [
            "-"
            if np.isnan(s.first_loss)
            else f"{100 * s.first_loss:.1f} %, {100 * s.five_loss:.1f} %, {s.correlation:.2f}"
            for s in scores.values()
        ]
        lines.append(f"| {name} | {count} | {' | '.join(cells)} |")
    for method in METHODS:
        scores = [one[method] for one in found.values() if not np.isnan(one[method].first_loss)]
        aims = [
            sum(one.first_loss <= 0.05 for one in scores),
            sum(one.five_loss <= 0.01 for one in scores),
            sum(one.correlation >= 0.8 for one in scores),
        ]
        said = f"first within 5 % {aims[0]}, best of five within 1 % {aims[1]}, correlation of 0.8 or more {aims[2]}"
        lines.append(f"\n{method}: {said}, of {len(scores)}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
