# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Candidates of ours that were measured with a kit as samples: those that took turns and whose results were right."""

from collections.abc import Iterator, Sequence

from roller_mlir.evaluation.measure.records import Results
from roller_mlir.evaluation.measure.runner.steps import TOP_K
from roller_mlir.evaluation.measure.train.training_set import TrainError, TrainingSample
from roller_mlir.evaluation.measure.tune.winners import LEAST_SAMPLES
from roller_mlir.model.residual.terms import plan_kind, plan_terms
from roller_mlir.runtime.registry import host_backends


def measured_samples(named: Sequence[tuple[str, Results]]) -> Iterator[TrainingSample]:
    """Yield what runners brought back.

    A candidate counts as it does for `roller tune`: it was timed in the round of all candidates, with `LEAST_SAMPLES`
    and more, and no check of it failed. It must be one plan with its prediction.

    Args:
        named: Results, each with what errors call it.

    Raises:
        TrainError: They are of a dry run, whose times say nothing of a device, or of plans that no residual orders.
    """
    for name, results in named:
        kit = results.kit
        if results.machine.back_end == "sim":
            raise TrainError(f"{name}: a dry run: its times are those of the simulator, which say nothing of a device")
        if results.machine.back_end in host_backends():
            raise TrainError(
                f"{name}: measured on {results.machine.device}, but residuals order plans of threads alone, not of "
                "vectors; roller tune --import keeps the fastest of these"
            )
        rounds = [one for one in results.timings if (one.who, one.note) == ("ours", TOP_K)]
        times = {(one.item, one.rank): one.median_s for one in rounds if one.samples >= LEAST_SAMPLES}
        checks = [one for one in results.checks if one.who == "ours"]
        wrong = {(one.item, one.rank) for one in checks if not one.ok}
        right = {(one.item, one.rank) for one in checks} - wrong
        for item in kit.items:
            for candidate in item.candidates:
                place = item.id, candidate.rank
                plans = list(candidate.plans.values())
                if place not in right or place not in times or len(plans) != 1 or plans[0].prediction is None:
                    continue
                yield TrainingSample(
                    kind=plan_kind(plans[0]),
                    family=kit.architecture,
                    device=kit.target,
                    source=f"kit of {kit.created}",
                    problem=item.id,
                    terms=plan_terms(plans[0]),
                    predicted_s=plans[0].prediction.seconds,
                    measured_s=times[place],
                )
