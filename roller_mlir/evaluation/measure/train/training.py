# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a training set to a residual: judged by cross-validation by problem, and trained on all where that is for it."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from roller_mlir.evaluation.measure.train.boosting import fit
from roller_mlir.evaluation.measure.train.training_set import TrainingSet
from roller_mlir.evaluation.suites.stages.figures import Values, loss, trials
from roller_mlir.model.residual.residual import CONFIDENCE, LEAST_PROBLEMS, Gain, Residual, ResidualVerdict

FOLDS = 5
REPEATS = 3
"""Cross-validations, each with problems drawn anew: with few problems, which ones a fold has is half of the verdict."""

_RESAMPLES = 2000


def train(data: TrainingSet, check: Callable[[], None] = lambda: None) -> Residual:
    """Return the residual of a set, with its verdict; without trees where that is against it.

    Args:
        data: The set.
        check: Called now and then; what it raises ends the training.

    Raises:
        TrainError: scikit-learn is not there.
    """
    found = verdict(data, check)
    return Residual(
        kind=data.kind,
        family=data.family,
        devices=data.devices,
        sources=data.sources,
        terms=data.terms,
        verdict=found,
        trees=None if found.reason else fit(data.rows, data.targets(), data.weights(), seed=0),
    )


def verdict(data: TrainingSet, check: Callable[[], None] = lambda: None) -> ResidualVerdict:
    """Return what cross-validation by problem says of residuals of a set.

    Each problem is predicted by trees that saw no candidate of it, `REPEATS` times; its figures are the means of these.
    """
    count, problems = len(data.measured), data.problems
    if problems < LEAST_PROBLEMS:
        return ResidualVerdict(problems=problems, candidates=count)
    targets, weights = data.targets(), data.weights()
    after: list[Values] = []
    for repeat in range(REPEATS):
        folds = (np.random.default_rng(repeat).permutation(problems) % FOLDS)[data.problem]
        log_factor = np.zeros(count)
        for fold in range(FOLDS):
            check()
            seen = folds != fold
            trees = fit(data.rows[seen], targets[seen], weights[seen], seed=repeat)
            log_factor[~seen] = trees.evaluate(data.rows[~seen])
        after.append(_figures(data, data.predicted * np.exp2(log_factor)))
    before, mean = _figures(data, data.predicted), np.mean(after, axis=0)
    gains = [_gain(before[:, figure], mean[:, figure]) for figure in range(2)]
    return ResidualVerdict(problems=problems, candidates=count, loss=gains[0], trials=gains[1])


def _figures(data: TrainingSet, predicted: Values) -> Values:
    """Return loss of the first choice and trials of each problem, [problems, 2]."""
    places = [np.flatnonzero(data.problem == number) for number in range(data.problems)]
    return np.array([_of_problem(predicted[one], data.measured[one]) for one in places])


def _of_problem(predicted: Values, measured: Values) -> tuple[float, float]:
    return loss(predicted, measured, 1), float(trials(predicted, measured))


def _gain(before: Values, after: Values) -> Gain:
    """Return the means over problems, with the interval of their difference by bootstrap over the problems."""
    gains: Values = before - after
    drawn: NDArray[np.intp] = np.random.default_rng(0).integers(0, len(gains), (_RESAMPLES, len(gains)))
    low, high = np.quantile(gains[drawn].mean(axis=1), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return Gain(before=float(before.mean()), after=float(after.mean()), low=float(low), high=float(high))
