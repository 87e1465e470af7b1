# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured candidates of a class of operators on a family of devices, problem by problem."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy.typing import NDArray

from roller_mlir.evaluation.suites.stages.figures import Values

LEAST_CANDIDATES = 5
"""A problem of fewer is not learned from and not judged by."""

LARGEST_ERROR = 16.0
"""A measured time that is so many times further from the model's than is usual for its problem, up or down, is a fault
of the measurement, and left out. Of CNNOpt's 66,872 rows of the RS kernel on V100 all are within 6 times of the model
but four, the first ones of their problems, which took 55 to 82 times as long."""


class TrainError(ValueError):
    """Nothing can be trained from what was given; the message says why."""


@dataclass(frozen=True, kw_only=True)
class TrainingSample:
    """A measured candidate.

    Attributes:
        kind: Its class, see `Residual`.
        family: The architecture of the device.
        device: The device.
        source: Where the time is from.
        problem: Which one; candidates of one problem are ranked against each other.
        terms: What the model says of it, by name; the same names in all candidates of a class.
        predicted_s: The model's time.
        measured_s: The measured one.
    """

    kind: str
    family: str
    device: str
    source: str
    problem: str
    terms: Mapping[str, float]
    predicted_s: float
    measured_s: float


@dataclass(frozen=True, kw_only=True)
class TrainingSet:
    """The candidates of a class on a family.

    Attributes:
        kind: The class.
        family: The architecture of the devices.
        devices: Those that were measured.
        sources: Where the times are from.
        terms: Names of the terms.
        rows: Their values, [candidates, terms].
        predicted: Seconds of the model.
        measured: Seconds that were measured.
        problem: The number of each candidate's problem, from 0.
    """

    kind: str
    family: str
    devices: tuple[str, ...]
    sources: tuple[str, ...]
    terms: tuple[str, ...]
    rows: NDArray[np.float32]
    predicted: Values
    measured: Values
    problem: NDArray[np.intp]

    @property
    def problems(self) -> int:
        """How many problems there are."""
        return int(self.problem.max()) + 1 if len(self.problem) else 0

    def weights(self) -> Values:
        """Return how much each candidate counts: fast ones more, and those of a small problem more than of a large one.

        A slow candidate may be mistaken for a slower one at no loss (CNNOpt section 4.3).
        """
        weights = (self._by_problem(np.minimum) / self.measured) ** 2
        sums = np.bincount(self.problem, weights)
        weights /= np.sqrt(sums[self.problem])
        return weights / weights.mean()

    def targets(self) -> Values:
        """Return log2 of measured over predicted times, without what all candidates of a problem have in common."""
        error, weights = np.log2(self.measured / self.predicted), self.weights()
        means = np.bincount(self.problem, weights * error) / np.bincount(self.problem, weights)
        return error - means[self.problem]

    def _by_problem(self, least: np.ufunc) -> Values:
        found = np.full(self.problems, np.inf)
        least.at(found, self.problem, self.measured)
        return found[self.problem]


def training_sets(samples: Iterable[TrainingSample]) -> list[TrainingSet]:
    """Return the sets that samples make, by class and family, without faulty times and problems of too few candidates.

    Raises:
        TrainError: Two candidates of a class have other terms.
    """
    classes: dict[tuple[str, str], dict[tuple[str, str], list[TrainingSample]]] = {}
    for one in samples:
        problems = classes.setdefault((one.kind, one.family), {})
        problems.setdefault((one.device, one.problem), []).append(one)
    found: list[TrainingSet] = []
    for (kind, family), problems in sorted(classes.items()):
        plausible = [_plausible(same) for same in problems.values()]
        large = [same for same in plausible if len(same) >= LEAST_CANDIDATES]
        every = [one for same in large for one in same]
        if not every:
            continue
        terms = tuple(every[0].terms)
        for one in every:
            if tuple(one.terms) != terms:
                raise TrainError(f"candidates of '{kind}' have the terms {', '.join({*terms} ^ {*one.terms})} in part")
        found.append(
            TrainingSet(
                kind=kind,
                family=family,
                devices=tuple(dict.fromkeys(one.device for one in every)),
                sources=tuple(dict.fromkeys(one.source for one in every)),
                terms=terms,
                rows=np.array([list(one.terms.values()) for one in every], dtype=np.float32),
                predicted=np.array([one.predicted_s for one in every]),
                measured=np.array([one.measured_s for one in every]),
                problem=np.repeat(np.arange(len(large)), [len(same) for same in large]),
            )
        )
    return found


def _plausible(same: Sequence[TrainingSample]) -> list[TrainingSample]:
    """Return the candidates of a problem whose times are no faults of the measurement."""
    errors = [one.measured_s / one.predicted_s for one in same]
    usual = median(errors)
    return [
        one for one, error in zip(same, errors, strict=True) if usual / LARGEST_ERROR <= error <= usual * LARGEST_ERROR
    ]
