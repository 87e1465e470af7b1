# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees trained with scikit-learn, which nothing else needs, and turned into numbers."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from roller_mlir.evaluation.measure.train.training_set import TrainError
from roller_mlir.evaluation.suites.stages.figures import Values
from roller_mlir.model.residual.trees import Trees

TREES = 100
DEPTH = 4
LEARNING_RATE = 0.1
SHARE = 0.4
"""Of candidates that a tree is made of, and of terms that a split chooses from."""

LEAST_LEAF = 20
"""Candidates of a leaf at least."""


def fit(rows: NDArray[np.float32], targets: Values, weights: Values, seed: int) -> Trees:
    """Return trees that predict targets.

    Args:
        rows: A value of each term a candidate, [candidates, terms].
        targets: What to predict.
        weights: How much each candidate counts.
        seed: Of the shares that trees and splits see.

    Raises:
        TrainError: scikit-learn is not there.
    """
    return as_trees(regressor(seed).fit(rows, targets, sample_weight=weights))


def regressor(seed: int) -> Any:
    """Return scikit-learn's regressor, not fitted yet. Raises TrainError where scikit-learn is not there."""
    try:
        from sklearn.ensemble import GradientBoostingRegressor
    except ImportError:
        raise TrainError("training needs scikit-learn: pip install 'roller-mlir[train]'") from None
    return GradientBoostingRegressor(
        n_estimators=TREES,
        max_depth=DEPTH,
        learning_rate=LEARNING_RATE,
        subsample=SHARE,
        max_features=SHARE,
        min_samples_leaf=LEAST_LEAF,
        random_state=seed,
    )


def as_trees(fitted: Any) -> Trees:
    """Return a fitted `GradientBoostingRegressor` as numbers that predict the same."""
    roots: list[int] = []
    columns: dict[str, list[Any]] = {name: [] for name in ("term", "threshold", "left", "right", "value")}
    for (estimator,) in fitted.estimators_:
        tree, root = estimator.tree_, len(columns["term"])
        roots.append(root)
        leaf = tree.children_left < 0
        # Terms are f32, so a threshold between two of them may as well be the lower one.
        threshold = np.where(leaf, 0.0, _rounded_down(tree.threshold))
        columns["term"] += np.where(leaf, -1, tree.feature).tolist()
        columns["threshold"] += [float(str(np.float32(one))) for one in threshold]
        columns["left"] += np.where(leaf, 0, root + tree.children_left).tolist()
        columns["right"] += np.where(leaf, 0, root + tree.children_right).tolist()
        columns["value"] += np.where(leaf, fitted.learning_rate * tree.value[:, 0, 0], 0.0).tolist()
    constant = float(np.ravel(fitted.init_.constant_)[0])
    return Trees(constant=constant, roots=tuple(roots), **{name: tuple(one) for name, one in columns.items()})


def _rounded_down(values: Values) -> Values:
    """Return the largest numbers of type f32 that are not above given ones."""
    near = values.astype(np.float32)
    lower = np.nextafter(near, np.float32(-np.inf))
    found: Values = np.where(near.astype(np.float64) > values, lower, near).astype(np.float64)
    return found
