# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training finds what was planted, its judgement refuses noise, and trees predict what scikit-learn's own do."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from planted_residuals import planted

from roller_mlir.evaluation.measure.train.boosting import as_trees, regressor
from roller_mlir.evaluation.measure.train.training import train, verdict
from roller_mlir.evaluation.measure.train.training_set import TrainError, TrainingSample, training_sets
from roller_mlir.evaluation.suites.stages.figures import trials

pytestmark = pytest.mark.skipif(  # found, not imported: each process of the tests would, for these few
    find_spec("sklearn") is None, reason="training is optional; the extra 'train' has scikit-learn"
)


@pytest.mark.full
def test_a_planted_rule_is_found() -> None:
    (data,) = training_sets(planted(40, strength=1.0))
    found = train(data)
    assert found.counts and found.trees is not None and found.verdict.reason == ""
    loss, tries = found.verdict.loss, found.verdict.trials
    assert loss is not None and tries is not None
    assert loss.before > 0.5 and loss.after < 0.1 and loss.low > 0.3 and tries.before > 2 * tries.after
    fast, slow = {"share": 0.9, "unroll": 2.0, "seconds": -13.0}, {"share": 0.1, "unroll": 3.0, "seconds": -13.0}
    factors = found.factors([fast, slow])
    assert factors[1] / factors[0] == pytest.approx(4, rel=0.3)


@pytest.mark.full
def test_noise_is_refused() -> None:
    (data,) = training_sets(planted(40, strength=0.0))
    found = train(data)
    assert not found.counts and found.trees is None
    assert "does not improve the loss of the first choice" in found.verdict.reason
    assert str(found).startswith("the residual of 'tiles' on sm_70 is off: on other problems")


def test_few_problems_cannot_judge() -> None:
    """The rule is as strong, but 19 problems show too little."""
    (data,) = training_sets(planted(19, strength=1.0))
    assert verdict(data).reason == "to judge it takes 20 problems, but there are 19"
    assert train(data).trees is None


def test_sets_are_of_a_class_and_leave_small_problems_out() -> None:
    lone = planted(1, 1.0, candidates=4, kind="few")
    both = training_sets([*planted(3, 1.0), *planted(2, 1.0, kind="others"), *lone])
    assert [(one.kind, one.problems, len(one.measured)) for one in both] == [("others", 2, 48), ("tiles", 3, 72)]
    other = TrainingSample(**{**vars(planted(1, 1.0)[0]), "terms": {"share": 1.0}})
    with pytest.raises(TrainError, match="candidates of 'tiles' have the terms .* in part"):
        training_sets([*planted(1, 1.0), other])


def test_faulty_times_are_left_out() -> None:
    """One that is 20 times off where its problem is right, but none of a problem that is 20 times off as a whole."""
    samples = planted(2, 0.0)
    hiccup = TrainingSample(**{**vars(samples[0]), "measured_s": 20 * samples[0].measured_s})
    (data,) = training_sets([hiccup, *samples[1:]])
    assert len(data.measured) == 47 and hiccup.measured_s not in data.measured
    slow = [TrainingSample(**{**vars(one), "measured_s": 20 * one.measured_s}) for one in samples[:24]]
    (data,) = training_sets([*slow, *samples[24:]])
    assert len(data.measured) == 48


def test_targets_leave_out_what_a_problem_has_in_common() -> None:
    """A problem whose times are all three times as long teaches the same."""
    slower = [
        TrainingSample(**{**vars(one), "measured_s": 3 * one.measured_s}) if one.problem == "1" else one
        for one in planted(3, 1.0)
    ]
    (data,), (other,) = training_sets(planted(3, 1.0)), training_sets(slower)
    assert other.targets() == pytest.approx(data.targets())
    assert np.bincount(data.problem, data.weights() * data.targets()) == pytest.approx(np.zeros(3), abs=1e-9)
    fastest = int(np.argmin(data.measured[:24]))
    assert data.weights()[:24].argmax() == fastest


@pytest.mark.full
def test_trees_predict_what_scikit_learn_does() -> None:
    """On rows that it saw, whose terms are often thresholds themselves, and on others."""
    random = np.random.default_rng(3)
    rows = np.round(random.normal(size=(2000, 6)), 1).astype(np.float32)
    targets = rows[:, 0] * rows[:, 1] + (rows[:, 2] > 0.3)
    fitted = regressor(seed=1).fit(rows, targets)
    trees = as_trees(fitted)
    between = (rows[:-1] + rows[1:]) / 2
    for some in (rows, between, 3 * random.normal(size=(500, 6)).astype(np.float32)):
        assert trees.evaluate(some) == pytest.approx(fitted.predict(some), rel=1e-9, abs=1e-9)
    assert trees.depth == 4 and len(trees.roots) == 100


def test_without_scikit_learn_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    (data,) = training_sets(planted(20, 1.0, candidates=5))
    with pytest.raises(TrainError, match=r"training needs scikit-learn: pip install 'roller-mlir\[train\]'"):
        train(data)


def test_trials_count_until_one_is_good() -> None:
    predicted, measured = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.2, 1.06])
    assert trials(predicted, measured) == 3 and trials(predicted, measured, 0.06 + 1e-9) == 2
