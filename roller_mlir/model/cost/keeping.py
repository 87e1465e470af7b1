# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan takes where tasks find some of its weights in workgroup memory, since tasks before have brought them.

How many of a program's tasks do is not known before there is a schedule. Workgroup memory holds so many slots of the
plan's size, and these so much of what is read again in the program: that share of the tasks is taken to find its own.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import ceil, prod

from roller_mlir.mapping.alignment import aligned
from roller_mlir.model.cost.early import EarlyBytes, early_share, found_shares, planned_early
from roller_mlir.model.cost.performance import busy_on_share, context_of, work_of
from roller_mlir.model.machine import Machine, machine_of
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP

SCALES = (0.25, 0.5, 1, 2, 4)
"""By how much tiles are narrower or wider than that of the plan that is fastest where nothing stays."""

PARTS = (1, 2)
"""Steps that a task takes through its reduction, or through what that plan takes at once."""


@dataclass(frozen=True, kw_only=True)
class KeepingTimes:
    """What a plan takes, without a launch, if a share of its tasks finds its weights.

    Attributes:
        seconds: Its time.
        late_s: What of that is left behind its waits.
        unit_s: The time of all of its tasks together.
        resource_s: For how long it keeps the resource of the device busy that it needs most.
    """

    seconds: float
    late_s: float
    unit_s: float
    resource_s: float


@dataclass(frozen=True, kw_only=True, eq=False)
class KeepingPlan:
    """A plan whose tasks may find weights.

    Attributes:
        tasks: How many it has.
        together: How many of them run at a time.
        rounds: In how many rounds they run.
        brought: Time of a task that brings all, and what of it is left behind its waits, in seconds.
        found: The same of a task that finds what can stay.
        busy_s: By resource, for how long all tasks that bring all keep it busy.
        spared_s: What of that all tasks that find save.
        slot_bytes: Workgroup memory that slices of a task take; 0: none can stay.
        workgroup_bytes: What it uses beside that.
    """

    tasks: int
    together: int
    rounds: int
    brought: tuple[float, float]
    found: tuple[float, float]
    busy_s: dict[str, float]
    spared_s: dict[str, float]
    slot_bytes: int
    workgroup_bytes: int

    @classmethod
    def of(
        cls,
        expression: TensorExpression,
        plan: Plan,
        all_units: Machine,
        share: int,
        weights: Collection[int],
        again: Collection[int],
    ) -> "KeepingPlan":
        """Return it for an operator.

        Args:
            expression: The operator.
            plan: Its plan, predicted on a share of the device.
            all_units: The device with all of its units.
            share: Units of that share.
            weights: The inputs that nothing writes, by number.
            again: Those of them that other operators read, too.
        """
        prediction, machine = plan.prediction, machine_of(all_units.device, share)
        assert prediction is not None, "planning predicts"
        rounds = max(1, ceil(prediction.waves))
        task_s = (prediction.seconds - prediction.launch_s * plan.launches) / rounds
        busy = busy_on_share(plan, all_units, share)
        brought = task_s, task_s
        slots: list[EarlyBytes] = []
        found = brought
        if plan.split is None:
            early = early_share(expression, plan, machine, planned_early(expression, plan, machine, weights))
            found = brought = task_s, task_s * (1 - early)
            numbers, slots = _slots(expression, plan, machine, again)
            if slots:
                others = planned_early(expression, plan, machine, {*weights} - {*numbers})
                whole, before = found_shares(expression, plan, machine, others, slots)
                found = task_s * whole, task_s * (whole - before)
        moved, cached = sum(one.tensor_bytes for one in slots), sum(one.task_bytes for one in slots)
        spared = {
            "global": moved / all_units.global_bytes_per_s,
            "l2": prediction.tasks * cached / all_units.cache_bytes_per_s,
            "l3": moved / all_units.last_cache_bytes_per_s,
        }
        return cls(
            tasks=prediction.tasks,
            together=min(prediction.tasks, share * max(1, prediction.tasks_per_unit)),
            rounds=rounds,
            brought=brought,
            found=found,
            busy_s=busy,
            spared_s=spared,
            slot_bytes=sum(aligned(one.task_bytes) for one in slots),
            workgroup_bytes=prediction.shared_bytes,
        )

    def kept_share(self, room_bytes: int, blocks: int, again_bytes: int) -> float:
        """Return the share of tasks that find their weights.

        Args:
            room_bytes: Workgroup memory of a block that slots may take.
            blocks: How many there are.
            again_bytes: Bytes of all that the program reads again.
        """
        if not self.slot_bytes:
            return 0.0
        return min(1.0, room_bytes // self.slot_bytes * self.slot_bytes * blocks / max(1, again_bytes))

    def times(self, kept: float) -> KeepingTimes:
        """Return what it takes where a share of its tasks finds its weights, one task on a unit at a time."""
        task_s, late_s = (b + kept * (f - b) for b, f in zip(self.brought, self.found, strict=True))
        needed = (busy_s - kept * self.spared_s.get(name, 0.0) for name, busy_s in self.busy_s.items())
        return KeepingTimes(
            seconds=self.rounds * task_s,
            late_s=(self.rounds - 1) * task_s + late_s,
            unit_s=self.tasks * task_s,
            resource_s=max(0.0, *needed),
        )


def _slots(
    expression: TensorExpression, plan: Plan, machine: Machine, inputs: Collection[int]
) -> tuple[list[int], list[EarlyBytes]]:
    """Return which inputs can stay, and what a task finds of each, as far as tiles say it: before there are loops.

    What threads read straight from memory, each task a slice of its own.
    """
    context = context_of(expression, machine, plan)
    if context.atom.is_matrix:
        return [], []
    steps = work_of(context, plan).steps
    blocks = [axis.block for axis in plan.axes]
    divided = {loop for loop in context.parallel if blocks[loop] < context.bounds[loop]}
    numbers: list[int] = []
    found: list[EarlyBytes] = []
    for number, (access, operand) in enumerate(zip(context.inputs, plan.operands, strict=False)):
        if number not in inputs or access.access.gathered or access.windows:
            continue
        if operand.layer == WORKGROUP or not divided <= {*access.parallel}:
            continue
        size = access.tile(blocks)[0] * access.element_bytes * (steps if access.reduces else 1)
        words = prod(plan.axes[loop].registers for loop in access.loops) * access.words
        numbers.append(number)
        found.append(EarlyBytes(task_bytes=size, tensor_bytes=access.walked_bytes, words=words))
    return numbers, found


def tiles_around(expression: TensorExpression, plan: Plan, again: Collection[int]) -> Sequence[tuple[int, ...]]:
    """Return tiles of an operator whose tasks keep more, or less, of what is read again than those of a plan.

    They are narrower and wider along the loop that runs through the largest such input, and take its reduction in one
    step or two, or as that plan does.
    """
    accesses = [expression.inputs[number] for number in again]
    bounds, parallel = expression.bounds, {*expression.parallel()}
    largest = max(accesses, key=lambda access: access.size_bytes)
    across = [loop for loop in sorted(largest.loops()) if loop in parallel and bounds[loop] > 1]
    through = [loop for loop in expression.reductions() if loop in largest.loops()]
    if not across or not through:
        return ()
    loop, step = max(across, key=lambda one: bounds[one]), through[-1]
    blocks = [axis.block for axis in plan.axes]
    found: dict[tuple[int, ...], None] = {}
    for scale in SCALES:
        for reached in dict.fromkeys((blocks[step], bounds[step])):
            for parts in PARTS:
                tile = list(blocks)
                tile[loop] = min(bounds[loop], int(blocks[loop] * scale))
                tile[step] = reached // parts
                if min(tile) >= 1:
                    found[tuple(tile)] = None
    return tuple(found)
