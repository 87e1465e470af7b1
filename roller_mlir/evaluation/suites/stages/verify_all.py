# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of many operators on many devices: samples that rotate, and several workers at once."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from roller_mlir.compiler import CompileOptions
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.records import operator_record
from roller_mlir.evaluation.suites.stages.each import ALONE, Crew, each_pair
from roller_mlir.evaluation.suites.stages.verify import verify_operator

Pair = tuple[Operator, str]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Which share of the pairs of operators and targets is taken.

    Attributes:
        number: From 0; the samples 0 to of - 1 together are everything.
        of: How many samples there are.
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        """Check the numbers."""
        if not 0 <= self.number < self.of:
            raise ValueError(f"a sample is I/N with I from 0 to N - 1, but got {self.number}/{self.of}")

    def take(self, operators: Sequence[Operator], targets: Sequence[str]) -> list[Pair]:
        """Return the sample's pairs: of every class at least one, and every target where there are as many classes.

        >>> operators = [Operator(f"{kind}{i}", kind, "f32") for kind in ("relu", "matmul") for i in range(3)]
        >>> [(one.id, target) for one, target in Sample(number=1, of=4).take(operators, ("v100", "h200"))]
        [('relu0', 'h200'), ('relu2', 'h200'), ('matmul0', 'v100'), ('matmul2', 'v100')]
        """
        taken: list[Pair] = []
        for place, kind in enumerate(dict.fromkeys(one.kind for one in operators)):
            of_kind = [one for one in operators if one.kind == kind]
            count = len(of_kind) * len(targets)
            step = min(self.of, count)
            for k in range(self.number % step, count, step):
                taken.append((of_kind[k // len(targets)], targets[(k + place) % len(targets)]))
        return taken


def verify_pairs(
    pairs: Sequence[Pair],
    options: CompileOptions,
    *,
    seed: int = 0,
    dtype: str | None = None,
    crew: Crew = ALONE,
    stage: Callable[..., dict[str, Any]] = verify_operator,
) -> Iterator[dict[str, Any]]:
    """Yield the record of each pair, in order: what `verify_operator` says, or `error` beside what identifies it.

    Args:
        pairs: Operators with the devices to verify them for.
        options: Those of the compilation.
        seed: See `verify_operator`.
        dtype: See `verify_operator`.
        crew: Who does it.
        stage: What verifies a pair; takes what `verify_operator` does.

    Raises:
        JobsError: There is no such Ray cluster.
    """
    work = [
        (operator, partial(stage, target=target, options=options, seed=seed, dtype=dtype)) for operator, target in pairs
    ]
    for (operator, target), record in zip(pairs, each_pair(work, crew), strict=True):
        yield {**operator_record(operator), "target": target, **record}
