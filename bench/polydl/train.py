# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the network of PolyDL's tournament on what measure.py wrote, and compares it with the cost models.

python bench/polydl/train.py bench/polydl/results/zen4.json               # the comparison alone
python bench/polydl/train.py bench/polydl/results/zen4.json -o FILE.json  # and weights, where the network ranks better

Problems are divided into folds. Each is ranked by a network, and by factors of the layers' seconds, that were fitted on
the variants of the other folds' problems.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from rank_score import Score, scored
from ranking_cases import Case, read_cases
from tournament_training import Settings, fit_factors, train

from roller_mlir.model.polydl.tournament import as_json, wins

COST_MODELS = ("equation 1", "seconds", "seconds, fitted")
TOURNAMENTS = {"tournament, published": "held_bytes", "tournament, served": "served_bytes"}
METHODS = (*COST_MODELS, *TOURNAMENTS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="what measure.py wrote")
    parser.add_argument("-o", "--output", type=Path, help="weights, where a network beats the cost models")
    parser.add_argument("--folds", type=int, default=6, help="parts of the problems, held out one after the other (6)")
    parser.add_argument(
        "--epochs", type=int, default=Settings.epochs, help=f"passes over all pairs ({Settings.epochs})"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the first weights and the order of pairs (0)")
    options = parser.parse_args()
    settings = Settings(epochs=options.epochs, seed=options.seed)
    try:
        data = json.loads(options.data.read_text())
        problems = read_cases(data)
        if not 2 <= options.folds <= len(problems):
            raise ValueError(f"folds must be 2 to the number of problems, {len(problems)}, but got {options.folds}")
    except (OSError, ValueError, KeyError) as error:
        print(f"error: {options.data}: {error}", file=sys.stderr)
        return 1
    found = compared(problems, options.folds, settings)
    print(table(found))
    everything = list(problems.values())
    names = (*everything[0][0].layers, "operations", "bodies")
    factors = zip(names, fit_factors(everything), strict=True)
    print(f"factors, fitted on all problems: {', '.join(f'{name} {factor:.2f}' for name, factor in factors)}")
    means = {method: mean([one[method] for one in found.values()]) for method in METHODS}
    model, network = [min(names, key=lambda one: means[one].first_loss) for names in (COST_MODELS, TOURNAMENTS)]
    better = means[network].first_loss < means[model].first_loss
    verdict = "ranks better than" if better else "does not rank better than"
    print(f"on problems held out, '{network}' {verdict} the best cost model, '{model}'")
    if options.output is None:
        return 0
    if not better:
        print(f"error: no weights are written to {options.output}", file=sys.stderr)
        return 1
    trained = train(everything, TOURNAMENTS[network], settings)
    trained = replace(trained, provenance=provenance(data, problems, means))
    options.output.write_text(json.dumps(as_json(trained)) + "\n")
    return 0


def compared(problems: dict[str, list[Case]], folds: int, settings: Settings) -> dict[str, dict[str, Score]]:
    """Return how each method ranks the variants of each problem, fitted without it."""
    names = sorted(problems)
    found: dict[str, dict[str, Score]] = {}
    for fold in range(folds):
        held = names[fold::folds]
        others = [problems[name] for name in names if name not in held]
        networks = {method: train(others, statistic, settings) for method, statistic in TOURNAMENTS.items()}
        factors = fit_factors(others)
        for name in held:
            cases = problems[name]
            terms = np.array([one.terms for one in cases])
            orders = {
                "equation 1": np.array([one.cost for one in cases]),
                "seconds": terms.sum(axis=1),
                "seconds, fitted": terms @ factors,
            }
            for method, network in networks.items():
                games = wins(network, [one.statistic(network.statistic) for one in cases])
                orders[method] = -np.array(games, dtype=np.float64)
            seconds = np.array([one.seconds for one in cases])
            found[name] = {method: scored(orders[method], seconds) for method in METHODS}
    return found


def mean(scores: Sequence[Score], of: Callable[..., Any] = np.mean) -> Score:
    """Return the mean, or median, of each number."""
    return Score(*[float(of([getattr(one, field) for one in scores])) for field in Score._fields])


def table(found: dict[str, dict[str, Score]]) -> str:
    """Return the comparison as Markdown: loss of the first choice, of the best of five, rank correlation."""
    lines = [
        f"| problem | {' | '.join(METHODS)} |",
        f"|---|{'---|' * len(METHODS)}",
    ]
    rows = [*found.items()]
    for label, of in (("mean", np.mean), ("median", np.median)):
        rows.append((label, {m: mean([one[m] for one in found.values()], of) for m in METHODS}))
    for name, scores in rows:
        cells = [f"{100 * s.first_loss:.1f} %, {100 * s.five_loss:.1f} %, {s.correlation:.2f}" for s in scores.values()]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def provenance(data: dict[str, Any], problems: dict[str, list[Case]], means: dict[str, Score]) -> dict[str, str]:
    """Return what is to be known of weights: where the times come from, and how they rank what they have not seen."""
    ranks = "; ".join(f"{m} {100 * s.first_loss:.1f} % and {s.correlation:.2f}" for m, s in means.items())
    return {
        **data["provenance"],
        "problems": ", ".join(sorted(problems)),
        "variants": str(sum(map(len, problems.values()))),
        "held out": f"mean loss of the first choice, and rank correlation: {ranks}",
    }


if __name__ == "__main__":
    sys.exit(main())
