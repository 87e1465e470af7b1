# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-select-kernels`: each op gets a share of the device by what runs beside it, and the kernel for that share.

Precondition: ops, some of them joined (`rtile-fuse`), of one persistent kernel. Postcondition: those that have not the
device for themselves carry `rtile.units`: the units that their kernel is planned for (0: all), and the share whose time
is predicted; `rtile-construct` plans them so.

    %1 = linalg.matmul {rtile.units = array<i64: 17, 17>} ins(%x, %w : ...) ...    // one of eight branches

Ops that need nothing of each other are a wave. Of the shares that halve the device again and again, each kind of op in
a wave gets that by which the wave is predicted to take the least time: no less than its longest op, than the work of
all of them on all units, and than all of them keep one of its resources busy: memory, last cache, schedulers, or
workgroup memory. `select-kernels=false` leaves each op the kernel that is fastest alone, with the time that is
predicted beside the others, to compare with.

Where ops wait for others, the longest one of a wave takes a hand-over (`hand-over-s`), in which others may work, and
not what its tasks load meanwhile, of inputs that no op makes (`sink-waits`); that still occupies units and resources.

Times are those of a tuning data base where it has a plan for an op and so many units, else the model's. Plans of a file
stay as they are.
Refused: what `rtile-construct` refuses to plan.
Paper: RAMMER, section 3.3 and Algorithm 1, lines 4 to 11.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar

from roller_mlir.lowering.linalg.group.dispatches import Unit, named_units, planned_blocks, producers_of, unmade_inputs
from roller_mlir.lowering.loops.attributes import UNITS
from roller_mlir.model.block_limits import machine_for
from roller_mlir.model.cost.early import early_share, planned_early
from roller_mlir.model.cost.performance import busy_on_share
from roller_mlir.model.machine import machine_of
from roller_mlir.model.search.best_plan import plan_on_share
from roller_mlir.passes.rtile_construct import Planning, options_of, plan_for
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.rewrite.least_starts import with_least_starts
from roller_mlir.rammer.chains import waves_of
from roller_mlir.rammer.options import HandOverOptions, SelectionOptions, SinkOptions
from roller_mlir.rammer.selection import SharedKernel, WaveChoice, select
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.passes import Pass, register


@dataclass(frozen=True, kw_only=True)
class UnitWaves:
    """The ops of a module, read once for all numbers of threads that they are planned for.

    Attributes:
        units: The ops, in order.
        kinds: Of each the number of its kind: ops of one kind have one plan.
        waves: Their numbers, by waves.
        weights: By the number of a kind, the inputs that come of no op in any of its ops.
    """

    units: tuple[Unit, ...]
    kinds: tuple[int, ...]
    waves: tuple[tuple[int, ...], ...]
    weights: tuple[frozenset[int], ...]


def waves_in(module: ir.Module) -> UnitWaves:
    """Read the ops of a module.

    Raises:
        DiagnosedError: One cannot be read.
    """
    blocks = planned_blocks(module)
    units = tuple(named_units(blocks).values())
    numbers: dict[tuple[TensorExpression, bool], int] = {}
    kinds = [numbers.setdefault((with_least_starts(unit.expression), unit.joined), len(numbers)) for unit in units]
    waves = waves_of(producers_of(blocks, units))
    weights: dict[int, frozenset[int]] = {}
    for kind, unmade in zip(kinds, unmade_inputs(blocks, units), strict=True):
        weights[kind] = weights.get(kind, unmade) & unmade
    return UnitWaves(
        units=units,
        kinds=tuple(kinds),
        waves=tuple(map(tuple, waves)),
        weights=tuple(weights[kind] for kind in range(len(numbers))),
    )


@dataclass(frozen=True, kw_only=True)
class KernelSelection:
    """What the ops of a module get.

    Attributes:
        units: The ops, in order.
        all_units: Units of the device that may be used.
        shares: The share of the device that each gets, in units.
        seconds: The sum of the predicted times of the waves, with a hand-over between each two.
        tasks_per_unit: Tasks of any of the kernels that a unit holds at a time.
    """

    units: tuple[Unit, ...]
    all_units: int
    shares: tuple[int, ...]
    seconds: float
    tasks_per_unit: int


@register
@dataclass(frozen=True, kw_only=True)
class RammerSelectKernels(SelectionOptions, SinkOptions, HandOverOptions, Planning, Pass):
    """Gives each op a share of the device, and the kernel for it."""

    name: ClassVar[str] = "rammer-select-kernels"
    summary: ClassVar[str] = "choose the kernel of each operator by what runs beside it"
    requires: ClassVar[frozenset[str]] = frozenset({"normalized"})
    establishes: ClassVar[frozenset[str]] = frozenset()

    def run(self, module: ir.Module) -> None:
        """Give each op that shares the device `rtile.units`."""
        if self.plan_file:
            return
        chosen = self.selection(waves_in(module))
        for unit, share in zip(chosen.units, chosen.shares, strict=True):
            if share < chosen.all_units:
                given = share if self.select_kernels else self.max_units or 0
                unit.operation.attributes[UNITS] = ir.DenseI64ArrayAttr.get([given, share])

    def selection(self, found: UnitWaves) -> KernelSelection:
        """Choose the share of each op of a module.

        Raises:
            DiagnosedError: One of them cannot be planned.
        """
        units, kinds = found.units, found.kinds
        first = [units[kinds.index(kind)] for kind in range(max(kinds, default=-1) + 1)]
        kernels = _Kernels(self, first, found.weights)
        all_units = kernels.machine.units
        shares, seconds = [0] * len(units), 0.0
        known: dict[tuple[bool, tuple[int, ...]], WaveChoice] = {}
        for number, wave in enumerate(found.waves):
            given, waits = sorted(kinds[one] for one in wave), number > 0
            if (key := (waits, tuple(given))) not in known:
                known[key] = select(given, all_units, kernels.behind_waits if waits else kernels.on_share)
            chosen = known[key]
            share_of = dict(zip(given, chosen.units, strict=True))
            seconds += chosen.seconds
            for one in wave:
                shares[one] = share_of[kinds[one]]
        held = [kernels.tasks_per_unit[kind, share] for kind, share in {*zip(kinds, shares, strict=True)}]
        return KernelSelection(
            units=units,
            all_units=all_units,
            shares=tuple(shares),
            seconds=seconds,
            tasks_per_unit=min(held, default=1),
        )


class _Kernels:
    """The kernels of kinds of ops on shares of the device, and their times, each asked for once."""

    def __init__(self, planning: RammerSelectKernels, first: Sequence[Unit], weights: Sequence[frozenset[int]]) -> None:
        self.options = planning.construct_options()
        self.device = planning.device_for(first, self.options)
        self.machine = machine_of(self.device, self.options.max_units)
        self.measured = planning.measured_plans()
        self.first, self.weights, self.selects = first, weights, planning.select_kernels
        self.sinks, self.hand_over_s = planning.sink_waits, planning.hand_over_s
        self.early_s: dict[tuple[int, int], float] = {}
        self.known: dict[tuple[int, int], SharedKernel] = {}
        self.tasks_per_unit: dict[tuple[int, int], int] = {}

    def on_share(self, kind: int, share: int) -> SharedKernel:
        """Return the kernel of a kind on a share of the units."""
        if (kind, share) not in self.known:
            self.known[kind, share] = self._times(kind, share)
        return self.known[kind, share]

    def behind_waits(self, kind: int, share: int) -> SharedKernel:
        """Return the same, as long as it takes from the end of what it waits for: units load weights meanwhile."""
        found = self.on_share(kind, share)
        return replace(found, seconds=found.seconds + self.hand_over_s - self.early_s[kind, share])

    def _times(self, kind: int, share: int) -> SharedKernel:
        unit, least = self.first[kind], share < self.machine.units
        options = options_of(unit, self.options)
        if least and self.selects:
            options = replace(options, max_units=share)
        plan = plan_for(unit, self.device, options, self.measured)
        if least and not self.selects:
            plan = plan_on_share(unit.expression, plan, machine_for(self.device, options).device, share)
        prediction = plan.prediction
        assert prediction is not None, "planning predicts"
        stages = [plan] if plan.split is None else [plan, plan.split.join]
        self.tasks_per_unit[kind, share] = min(max(1, stage.tasks_per_unit or 1) for stage in stages)
        seconds = prediction.seconds - prediction.launch_s * plan.launches
        self.early_s[kind, share] = seconds * self._early_share(unit, plan, share, self.weights[kind])
        needed = max(busy_on_share(plan, self.machine, share).values())
        # What a task takes is known beside tasks of its own op alone: a unit that has one works for no other op.
        filled = (
            prediction.waves / ceil(prediction.waves) if prediction.waves > 1 else min(1.0, prediction.tasks / share)
        )
        return SharedKernel(seconds=seconds, unit_s=seconds * filled * share, resource_s=needed)

    def _early_share(self, unit: Unit, plan: Plan, share: int, weights: frozenset[int]) -> float:
        """Return what share of the first round of a plan's tasks may pass before their waits are over."""
        if not self.sinks or plan.split is not None or plan.prediction is None:
            return 0.0
        machine = machine_of(self.device, share)
        early = planned_early(unit.expression, plan, machine, weights)
        return early_share(unit.expression, plan, machine, early) / max(1, ceil(plan.prediction.waves))
