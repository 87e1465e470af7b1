# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""By how much a last round of tasks that is divided over all units could shorten predicted times, at most.

python bench/compiling/construction/last_round.py h200 a100 v100 mi300x                 # three minutes

Tiles rarely fill the last round of a device. Stream-K, or a last round whose reductions are divided, would let all
units share what is left. Here each suite is planned as usual, and once more by a model to which a last round takes its
share of a round alone, whatever it costs to join parts: what that promises is a bound of what any such kernel could.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.programs.write import function_text
from roller_mlir.hal import find_device
from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.cost import timing

SUITE = "roller119"
TYPES = {"f32": None, "f16": ("matmul", "conv2d")}
"""Element types, and the classes that are planned of them; None: all."""
_NAMED, _NOTED = 5, 1.05


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", metavar="DEVICE")
    options = parser.parse_args()
    work = {(target, dtype): operators(target, dtype) for target in options.targets for dtype in TYPES}
    whole = {key: seconds(found, key[0]) for key, found in work.items()}
    timing.rounds_of = lambda tasks, places: max(1.0, tasks / places)
    shared = {key: seconds(found, key[0]) for key, found in work.items()}
    print("| device | type | operators | shorter, geometric mean | by more than 5 % | the most |")
    print("|---|---|--:|--:|--:|---|")
    for (target, dtype), found in work.items():
        ratios = np.array(whole[target, dtype]) / np.array(shared[target, dtype])
        named = sorted(zip(ratios, found, strict=True), key=lambda one: -one[0])[:_NAMED]
        most = ", ".join(f"{name} {ratio:.2f}" for ratio, (name, _) in named)
        mean = float(np.exp(np.log(ratios).mean()))
        print(f"| {target} | {dtype} | {len(found)} | {mean:.3f} | {int((ratios > _NOTED).sum())} | {most} |")
    return 0


def operators(target: str, dtype: str) -> list[tuple[str, Dispatch]]:
    """Return a suite's operators that are one program, by their ids."""
    found: list[tuple[str, Dispatch]] = []
    for row in find_suite(SUITE):
        kinds = TYPES[dtype]
        if kinds is None or row.kind in kinds:
            dispatches = dispatches_of(Source("-", function_text(row, dtype)), target, CompileOptions())
            found += [(row.id, one) for one in dispatches if len(dispatches) == 1]
    return found


def seconds(found: Sequence[tuple[str, Dispatch]], target: str) -> list[float]:
    """Return the predicted times of the first choices."""
    device, times = find_device(target), list[float]()
    for _, one in found:
        asked = ConstructOptions(top_k=1, instructions=FAMILIES, split=one.divisible)
        (plan,) = construct(one.expression, device, asked)
        assert plan.prediction is not None
        times.append(plan.prediction.seconds)
    return times


if __name__ == "__main__":
    raise SystemExit(main())
