# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A residual: what measured times of a class of operators are of the model's, learned from the model's own terms.

Paper: CNNOpt (PACT 2022), section 4.1, which gives what an analytical model says to a forest that predicts times. Here
trees predict what is left of the model's own prediction, and count only where that was shown to help: on problems that
they were not trained on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from roller_mlir.model.residual.trees import Trees
from roller_mlir.plan.records.codec import Range

SCHEMA = 1
LEAST_PROBLEMS = 20
"""Fewer have no interval to speak of."""

CONFIDENCE = 0.9


@dataclass(frozen=True, kw_only=True)
class Gain:
    """A figure of merit, the less the better, as a mean over problems.

    Attributes:
        before: Of the model alone.
        after: With the residual, trained on other problems.
        low: Lower end of the interval of `CONFIDENCE` in which the mean of before - after is, by bootstrap.
        high: Its upper end.
    """

    before: float
    after: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.before:.3g} to {self.after:.3g} (gain {self.low:.3g} to {self.high:.3g})"


@dataclass(frozen=True, kw_only=True)
class ResidualVerdict:
    """What cross-validation by problem said.

    Attributes:
        problems: Problems with enough candidates to be judged.
        candidates: Measured candidates of all problems.
        loss: By which share the first choice takes longer than the best candidate; None where nothing was judged.
        trials: Candidates in the order of prediction until one loses at most 5 %; None likewise.
    """

    problems: Annotated[int, Range(0)]
    candidates: Annotated[int, Range(0)]
    loss: Gain | None = None
    trials: Gain | None = None

    @property
    def reason(self) -> str:
        """Why the residual does not count; "" where it does: both figures get better, beyond chance."""
        if self.problems < LEAST_PROBLEMS or self.loss is None or self.trials is None:
            return f"to judge it takes {LEAST_PROBLEMS} problems, but there are {self.problems}"
        gains = {"the loss of the first choice": self.loss, "the trials to 95 %": self.trials}
        worse = [f"{name}, {gain}" for name, gain in gains.items() if not gain.low > 0]
        return f"on other problems it does not improve {' and '.join(worse)}" if worse else ""


@dataclass(frozen=True, kw_only=True)
class Residual:
    """A residual of a class of operators on a family of devices.

    Attributes:
        schema: `SCHEMA`.
        kind: The class: of others' kernels by name, of our plans `terms.plan_kind`.
        family: The architecture of the devices.
        devices: Those that were measured.
        sources: Where the times are from.
        terms: Names of what the trees see, in their order.
        verdict: Of cross-validation.
        trees: For log2 of the measured over the predicted time, but for what all candidates of a problem have in
            common; None where the verdict is against them.

    Raises:
        ValueError: It is none.
    """

    schema: int = SCHEMA
    kind: str
    family: str
    devices: tuple[str, ...]
    sources: tuple[str, ...]
    terms: tuple[str, ...]
    verdict: ResidualVerdict
    trees: Trees | None = None

    def __post_init__(self) -> None:
        if self.schema != SCHEMA:
            raise ValueError(f"schema must be {SCHEMA}, but got {self.schema}; update roller, or train again")
        if len(set(self.terms)) != len(self.terms):
            raise ValueError("terms must have a name each")
        if self.trees is not None and max(self.trees.term, default=-1) >= len(self.terms):
            raise ValueError(f"trees must see {len(self.terms)} terms, but one has term {max(self.trees.term)}")
        if self.trees is None and not self.verdict.reason:
            raise ValueError("trees must be there where the verdict is for them")

    @property
    def counts(self) -> bool:
        """Whether predictions are corrected by it."""
        return self.trees is not None and not self.verdict.reason

    def __str__(self) -> str:
        of = f"of '{self.kind}' on {self.family}"
        if not self.counts:
            return f"the residual {of} is off: {self.verdict.reason}"
        verdict = self.verdict
        return (
            f"the residual {of} is used, trained on {verdict.candidates} measured candidates; on other problems, "
            f"{verdict.problems} in all, loss of the first choice {verdict.loss}, trials to 95 % {verdict.trials}"
        )

    def factors(self, candidates: Sequence[Mapping[str, float]]) -> list[float]:
        """Return by what the predicted times of candidates of one problem are multiplied.

        Args:
            candidates: The terms of each by name; more than those that the trees see may be there.

        Raises:
            KeyError: One of `terms` is not there.
        """
        import numpy as np

        assert self.trees is not None, "it counts"
        rows = np.array([[one[name] for name in self.terms] for one in candidates], dtype=np.float32)
        log_factors = self.trees.evaluate(rows.reshape(len(candidates), len(self.terms)))
        factors: list[float] = np.exp2(log_factors).tolist()
        return factors
