# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of a task's predicted time may pass before its waits are over, where it brings some operands early.

The rest is the time of the same task without these bytes, whose first tile the last cache has: another task has just
written it. What passes before is the difference, so that a task that waits for nothing takes as long as ever.

A task that finds slices of operands in workgroup memory, where one before it has brought them, takes the time of the
same task without those bytes, which each thread reads there instead.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import prod

from roller_mlir.mapping.unrolling import HELD_EARLY
from roller_mlir.model.cost.performance import context_of, work_of
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.machine import Machine
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import PIPELINES, WORKGROUP


@dataclass(frozen=True, kw_only=True)
class EarlyBytes:
    """What tasks bring early of an operand.

    Attributes:
        task_bytes: Bytes of a task.
        tensor_bytes: Bytes of the operand, which global memory moves once.
        words: Registers of a thread that hold it meanwhile; 0 where it goes to workgroup memory.
    """

    task_bytes: int
    tensor_bytes: int
    words: int


def early_share(expression: TensorExpression, plan: Plan, machine: Machine, early: Sequence[EarlyBytes]) -> float:
    """Return the share of a task's predicted time that may pass before its waits are over, from 0 to 1.

    Args:
        expression: The operator.
        plan: Its plan, of one stage.
        machine: The device, or the share of it that the operator has.
        early: What is brought early.
    """
    if not early:
        return 0.0
    work = work_of(context_of(expression, machine, plan), plan)
    layers = [seconds_by_layer(work, machine), seconds_by_layer(_later(work, machine, early), machine, waited=True)]
    whole, late = (
        total_seconds({**each, "launch": 0.0}, machine.device.model, alternates=work.alternates, ahead=work.ahead)
        for each in layers
    )
    return max(0.0, 1 - late / whole)


def found_shares(
    expression: TensorExpression, plan: Plan, machine: Machine, early: Sequence[EarlyBytes], kept: Sequence[EarlyBytes]
) -> tuple[float, float]:
    """Return the time of a task that finds some operands, and what of it may pass before its waits are over.

    Args:
        expression: The operator.
        plan: Its plan, of one stage.
        machine: The device, or the share of it that the operator has.
        early: What is brought early of others.
        kept: What is found; `words` are the registers of a thread that hold what it reads of it in a step.

    Returns:
        Shares of the predicted time of a task that brings all.
    """
    work, model = work_of(context_of(expression, machine, plan), plan), machine.device.model
    rounds = max(float(bool(kept)), sum(one.words for one in kept) / model.loads_in_flight)
    found = replace(_later(work, machine, kept), slot_rounds=rounds)

    def seconds(of: CandidateWork, *, waited: bool = False) -> float:
        layers = {**seconds_by_layer(of, machine, waited=waited), "launch": 0.0}
        return total_seconds(layers, model, alternates=work.alternates, ahead=work.ahead)

    whole, late = seconds(work), seconds(_later(found, machine, early), waited=True)
    begun = seconds(found) if early else late + model.task_start_cycles / machine.device.clock_hz
    share = min(1.0, max(begun, late) / whole)
    return share, max(0.0, share - late / whole)


def planned_early(
    expression: TensorExpression, plan: Plan, machine: Machine, inputs: Collection[int]
) -> list[EarlyBytes]:
    """Return what tasks of a plan bring early, as far as its tiles say it: before there are loops.

    Staged tiles of as many steps as have buffers ahead; of what threads read straight from memory what a task of one
    step may hold in registers.

    Args:
        expression: The operator.
        plan: Its plan, of one stage.
        machine: The device, or the share of it that the operator has.
        inputs: The inputs that nothing writes, by number.
    """
    context = context_of(expression, machine, plan)
    steps, blocks = work_of(context, plan).steps, [axis.block for axis in plan.axes]
    ahead = PIPELINES[plan.pipeline].steps_ahead(plan.stages, steps)
    found: list[EarlyBytes] = []
    held = 0
    for number, (access, operand) in enumerate(zip(context.inputs, plan.operands, strict=False)):
        if number not in inputs or access.access.gathered:
            continue
        size, words = access.tile(blocks)[0] * access.element_bytes, 0
        if operand.layer != WORKGROUP:
            words = prod(plan.axes[loop].registers for loop in access.loops) * access.words
            if steps > 1 or held + words > HELD_EARLY:
                continue
            held += words
        found.append(
            EarlyBytes(task_bytes=size * (1 if words else ahead), tensor_bytes=access.walked_bytes, words=words)
        )
    return found


def _later(work: CandidateWork, machine: Machine, early: Sequence[EarlyBytes]) -> CandidateWork:
    """Return what is left to do where some operands need not be moved: behind the waits, or at all."""
    in_flight = machine.device.model.loads_in_flight
    cached = work.tasks * sum(one.task_bytes for one in early)
    moved = sum(min(one.tensor_bytes, work.tasks * one.task_bytes) for one in early)
    rounds = sum(one.words for one in early) / in_flight
    return replace(
        work,
        cache_bytes=max(0.0, work.cache_bytes - cached),
        global_bytes=max(0.0, work.global_bytes - moved),
        shared_cache_bytes=max(0.0, work.shared_cache_bytes - moved),
        load_rounds=min(work.load_rounds, max(1.0, work.load_rounds - rounds)),
    )
