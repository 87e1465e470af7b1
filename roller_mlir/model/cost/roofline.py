# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plan under the roofs of its machine: the rates that the model counts with, and what each layer moves.

A roof of bandwidth B gives at most B * intensity flop/s, the instruction's roof is flat. Each layer's intensity is the
operator's arithmetic over the bytes that the plan moves there.
"""

from dataclasses import dataclass
from math import inf

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.estimate import estimate
from roller_mlir.model.machine import Machine
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import Plan, Prediction, TensorExpression


@dataclass(frozen=True, kw_only=True)
class Roof:
    """What a layer of memory feeds at most.

    Attributes:
        layer: Its name.
        bytes_per_s: Its rate for the units that the program may use.
        moved_bytes: What the plan moves there.
        intensity: The operator's flops over those bytes, flop/B.
        bound_flops_per_s: bytes_per_s * intensity, or the compute roof where that is lower.
        share: Predicted flop/s over that bound.
    """

    layer: str
    bytes_per_s: float
    moved_bytes: float
    intensity: float
    bound_flops_per_s: float
    share: float


@dataclass(frozen=True, kw_only=True)
class Roofline:
    """A plan under the roofs of its machine.

    Attributes:
        instruction: The instruction whose roof is flat.
        peak_flops_per_s: That roof.
        flops: Arithmetic of the operator, without what padding adds.
        predicted_flops_per_s: flops over the predicted time.
        compulsory_intensity: flops over the bytes of all tensors, each moved once.
        roofs: Per layer that the plan moves something through, global memory first.
    """

    instruction: str
    peak_flops_per_s: float
    flops: int
    predicted_flops_per_s: float
    compulsory_intensity: float
    roofs: tuple[Roof, ...]


def compulsory_bytes(expression: TensorExpression) -> int:
    """Return the bytes of all tensors, each moved once; an output that is accumulated into counts twice."""
    times = 2 if expression.accumulates else 1
    reads = (*expression.inputs, *expression.epilogue)
    written = sum(access.size_bytes for access in expression.outputs)
    return sum(access.size_bytes for access in reads) + times * written


def moved_bytes(context: ProblemContext, plan: Plan, prediction: Prediction) -> tuple[float, float]:
    """Return the bytes of a plan without a split that reach global memory, and those that reach the last cache."""
    resident = max(1, prediction.tasks_per_unit)
    one = estimate(context, Candidate.of_plan(plan), stages=plan.stages, resident=resident)
    assert one is not None, "residency is given"
    return one.work.global_bytes, one.work.cache_bytes


def workgroup_bytes_per_s(machine: Machine) -> float:
    """Return the rate of the workgroup memories of all units of a machine: a row of banks per phase."""
    return machine.units * machine.phase_bytes * machine.device.clock_hz / machine.phase_cycles


def roofline(
    expression: TensorExpression,
    context: ProblemContext,
    prediction: Prediction,
    global_bytes: float,
    cache_bytes: float,
) -> Roofline:
    """Return the roofs of a plan.

    Args:
        expression: The operator.
        context: What was planned: the operator, or its first stage.
        prediction: The plan's.
        global_bytes: What reaches global memory, of all stages.
        cache_bytes: What reaches the last cache, of all stages.
    """
    machine, instruction = context.machine, context.atom.instruction
    device = machine.device
    peak = device.peak_flops_per_s(instruction) * machine.units / device.units
    reached = expression.flops / prediction.seconds
    rates = {
        "global": (machine.global_bytes_per_s, global_bytes),
        "l2": (machine.cache_bytes_per_s if machine.cache_bytes else inf, cache_bytes),
        "workgroup": (
            workgroup_bytes_per_s(machine),
            float(prediction.shared_load_bytes + prediction.shared_store_bytes),
        ),
    }
    roofs: list[Roof] = []
    for name, (rate, moved) in rates.items():
        if moved and rate < inf:
            intensity = expression.flops / moved
            bound = min(peak, rate * intensity)
            roofs.append(
                Roof(
                    layer=name,
                    bytes_per_s=rate,
                    moved_bytes=moved,
                    intensity=intensity,
                    bound_flops_per_s=bound,
                    share=reached / bound,
                )
            )
    return Roofline(
        instruction=instruction.name,
        peak_flops_per_s=peak,
        flops=expression.flops,
        predicted_flops_per_s=reached,
        compulsory_intensity=expression.flops / compulsory_bytes(expression),
        roofs=tuple(roofs),
    )
