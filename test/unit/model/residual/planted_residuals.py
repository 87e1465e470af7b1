# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Samples whose times follow a planted rule, and residuals without training."""

import numpy as np

from roller_mlir.evaluation.measure.train.training_set import TrainingSample
from roller_mlir.model.residual.residual import Gain, Residual, ResidualVerdict
from roller_mlir.model.residual.trees import Trees

GOOD = Gain(before=0.4, after=0.1, low=0.2, high=0.4)
VERDICT = ResidualVerdict(problems=40, candidates=400, loss=GOOD, trials=GOOD)


def planted(problems: int, strength: float, *, candidates: int = 24, kind: str = "tiles") -> list[TrainingSample]:
    """Return samples of a model that does not know that an odd unroll and a low share cost so many factors of 2."""
    random = np.random.default_rng(5)
    found: list[TrainingSample] = []
    for problem in range(problems):
        base = 10 ** random.uniform(-5, -3)
        for _ in range(candidates):
            share, unroll = random.uniform(), int(random.integers(1, 9))
            predicted = base * random.uniform(1, 2)
            error = strength * (unroll % 2 + (share < 0.5)) + 0.05 * random.normal()
            found.append(
                TrainingSample(
                    kind=kind,
                    family="sm_70",
                    device="v100",
                    source="planted",
                    problem=str(problem),
                    terms={"share": share, "unroll": unroll, "seconds": float(np.log2(predicted))},
                    predicted_s=predicted,
                    measured_s=predicted * 2**error,
                )
            )
    return found


def stump(term: int, threshold: float, low: float, high: float) -> Trees:
    """Return one tree of one split."""
    return Trees(
        constant=0.0,
        roots=(0,),
        term=(term, -1, -1),
        threshold=(threshold, 0.0, 0.0),
        left=(1, 0, 0),
        right=(2, 0, 0),
        value=(0.0, low, high),
    )


def residual(kind: str, family: str, term: str, threshold: float, low: float, high: float) -> Residual:
    """Return a residual of one split that counts."""
    return Residual(
        kind=kind,
        family=family,
        devices=("v100",),
        sources=("nowhere",),
        terms=(term,),
        verdict=VERDICT,
        trees=stump(0, threshold, low, high),
    )
