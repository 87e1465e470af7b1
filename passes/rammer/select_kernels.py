# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-select-kernels`: each op gets a share of the device by what runs beside it, and the kernel for that share.

Precondition: ops, some of them joined (`rtile-fuse`), of one persistent kernel. Postcondition: those that have not the
device for themselves carry `rtile.units`: the units that their kernel is planned for (0: all), and the share whose time
is predicted; `rtile-construct` plans them so.

    %1 = linalg.matmul {rtile.units = array<i64: 17, 17>} ins(%x, %w : ...) ...    // one of eight branches

Ops that need nothing of each other are a wave. Of the shares that halve the device again and again, each kind of op in
a wave gets that by which the wave is predicted to take the least time: no less than its longest op, than the work of
all of them on all units, and than all of them keep one of its resources busy: memory, last cache, schedulers, or
workgroup memory. Its kernel there is the one for that share, or the one that is fastest alone (0) where that leaves
more to the others. `select-kernels=false` leaves each op the latter, with the time that is predicted beside the others,
to compare with.

Where ops wait for others, the longest one of a wave takes a hand-over (`hand-over-s`), in which others may work, and
not what its tasks load meanwhile, of inputs that no op makes (`sink-waits`); that still occupies units and resources.

Where operands that no op makes (weights) are read by several ops, tasks may find them in workgroup memory
(`keep-weights`). Tiles for that are narrower or wider than those of the plans that are fastest where each task brings
them: an op that is read again carries `rtile.tile` where all waves together are predicted to take less time so, if as
many slices stay as workgroup memory has room for.

    %2 = linalg.matmul {rtile.tile = array<i64: 1, 16, 256>} ins(%h, %w : ...) ...    // at each of 100 steps

Times are those of a tuning data base where it has a plan for an op and so many units, else the model's. Plans of a file
stay as they are.
Refused: what `rtile-construct` refuses to plan.
Paper: RAMMER, section 3.3 and Algorithm 1, lines 4 to 11.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar

from roller_mlir.hal.atoms import atom_family
from roller_mlir.lowering.linalg.group.dispatch_waves import DispatchWaves, waves_in
from roller_mlir.lowering.linalg.group.dispatches import LinalgDispatch, named_dispatches
from roller_mlir.lowering.loops.attributes import TILE, UNITS
from roller_mlir.model.cost.early import early_share, planned_early
from roller_mlir.model.cost.keeping import KeepingPlan, tiles_around
from roller_mlir.model.cost.performance import busy_on_share
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.machine import machine_of
from roller_mlir.model.options import TileOptions
from roller_mlir.model.search.best_plan import best_plan
from roller_mlir.passes.rtile.planning import Planning, options_of, plan_for, with_tile
from roller_mlir.plan import Plan
from roller_mlir.rammer.options import HandOverOptions, KeepOptions, SelectionOptions, SinkOptions
from roller_mlir.rammer.policy import blocks_at_once
from roller_mlir.rammer.selection import (
    Share,
    SharedKernel,
    SharedWave,
    Tile,
    WaveChoice,
    seconds_of,
    select,
    select_tiles,
)
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.analyses import Analysis, analysis
from roller_mlir.support.passes.passes import Pass, register


@dataclass(frozen=True, kw_only=True)
class KernelSelection:
    """What the ops of a module get.

    Attributes:
        dispatches: The ops, in order.
        all_units: Units of the device that may be used.
        shares: The share of the device that each gets, and its kernel.
        looked_at: The units that the kernel of each might have been planned for.
        seconds: The sum of the predicted times of the waves, with a hand-over between each two; where weights stay, if
            as many do as there is room for.
        tasks_per_unit: Tasks of any of the kernels that a unit holds at a time.
        keeps: Whether weights may stay: some are read again, by kernels that are constructed, none of which has roles.
    """

    dispatches: tuple[LinalgDispatch, ...]
    all_units: int
    shares: tuple[Share, ...]
    looked_at: tuple[tuple[int, ...], ...]
    seconds: float
    tasks_per_unit: int
    keeps: bool


@register
@dataclass(frozen=True, kw_only=True)
class RammerSelectKernels(SelectionOptions, SinkOptions, KeepOptions, HandOverOptions, Planning, Pass):
    """Gives each op a share of the device, and the kernel for it."""

    name: ClassVar[str] = "rammer-select-kernels"
    summary: ClassVar[str] = "choose the kernel of each operator by what runs beside it"
    requires: ClassVar[frozenset[str]] = frozenset({"normalized"})
    establishes: ClassVar[frozenset[str]] = frozenset()
    preserves: ClassVar[frozenset[Analysis]] = frozenset({named_dispatches, waves_in})

    def run(self, module: ir.Module) -> None:
        """Give each op that shares the device `rtile.units`."""
        if self.plan_file:
            return
        found = analysis(waves_in, module)
        chosen = self.selection(found)
        tiles = self.tiles(found, chosen)
        for dispatch, kind, share in zip(chosen.dispatches, found.kinds, chosen.shares, strict=True):
            if kind in tiles:
                dispatch.operation.attributes[TILE] = ir.DenseI64ArrayAttr.get(tiles[kind])
            elif share.units < chosen.all_units:
                given = share.planned if share.planned < chosen.all_units else self.max_units or 0
                dispatch.operation.attributes[UNITS] = ir.DenseI64ArrayAttr.get([given, share.units])

    def selection(self, found: DispatchWaves) -> KernelSelection:
        """Choose the share of each op of a module.

        Raises:
            DiagnosedError: One of them cannot be planned.
        """
        dispatches, kinds = found.dispatches, found.kinds
        kernels = _Kernels(self, found)
        all_units = kernels.machine.units
        shares, seconds = [Share(all_units, all_units)] * len(dispatches), 0.0
        known: dict[tuple[bool, tuple[int, ...]], WaveChoice] = {}
        for number, wave in enumerate(found.waves):
            given, waits = sorted(kinds[one] for one in wave), number > 0
            if (key := (waits, tuple(given))) not in known:
                known[key] = select(given, all_units, kernels.behind_waits if waits else kernels.on_share)
            chosen = known[key]
            share_of = dict(zip(given, chosen.shares, strict=True))
            seconds += chosen.seconds
            for one in wave:
                shares[one] = share_of[kinds[one]]
        looked_at = [
            list(dict.fromkeys(share.planned for kind, share in kernels.known if kind == one))
            for one in range(len(kernels.first))
        ]
        taken = {*zip(kinds, shares, strict=True)}
        asked = bool(found.families) and self.keep_weights and self.sink_waits and not self.tuning
        result = KernelSelection(
            dispatches=dispatches,
            all_units=all_units,
            shares=tuple(shares),
            looked_at=tuple(tuple(looked_at[kind]) for kind in kinds),
            seconds=seconds,
            tasks_per_unit=min((kernels.tasks_per_unit[one] for one in taken), default=1),
            keeps=asked and not kernels.copying & taken,
        )
        if not result.keeps:
            return result
        keeping = _KeepingKernels(kernels, found, result)
        kept_s, _ = seconds_of(_shared_waves(found, result), keeping.blocks, keeping.expected, {})
        return replace(result, seconds=min(seconds, kept_s))

    def tiles(self, found: DispatchWaves, chosen: KernelSelection) -> dict[int, Tile]:
        """Choose tiles of kinds of ops whose weights may stay, by their numbers; none where that saves little."""
        if not chosen.keeps or not self.select_kernels or TileOptions.given_in(self):
            return {}
        kernels = _KeepingKernels(_Kernels(self, found), found, chosen)
        if kernels.blocks > chosen.all_units:  # waves say too little of how tasks of several on a unit come
            return {}
        tiles = {family: kernels.tiles(family) for family in found.families}
        return select_tiles(_shared_waves(found, chosen), tiles, kernels.blocks, kernels.expected)


def _shared_waves(found: DispatchWaves, chosen: KernelSelection) -> Counter[SharedWave]:
    """Return the waves of ops with what these get, each with how many are equal."""
    waves = Counter[SharedWave]()
    for number, wave in enumerate(found.waves):
        each = Counter((found.kinds[one], chosen.shares[one]) for one in wave)
        waves[SharedWave(number > 0, tuple((*one, count) for one, count in sorted(each.items())))] += 1
    return waves


class _Kernels:
    """The kernels of kinds of ops on shares of the device, and their times, each asked for once."""

    def __init__(self, planning: RammerSelectKernels, found: DispatchWaves) -> None:
        self.options = planning.construct_options()
        first = [found.dispatches[found.kinds.index(kind)] for kind in range(max(found.kinds, default=-1) + 1)]
        self.device = planning.device_for(first, self.options)
        self.machine = machine_of(self.device, self.options.max_units)
        self.whole = Share(self.machine.units, self.machine.units)
        self.measured = planning.measured_plans()
        self.first, self.weights, self.selects = first, found.weights, planning.select_kernels
        self.sinks, self.hand_over_s = planning.sink_waits, planning.hand_over_s
        self.early_s: dict[tuple[int, Share], float] = {}
        self.known: dict[tuple[int, Share], SharedKernel] = {}
        self.tasks_per_unit: dict[tuple[int, Share], int] = {}
        self.copying: set[tuple[int, Share]] = set()

    def on_share(self, kind: int, units: int) -> dict[int, SharedKernel]:
        """Return the kernels of a kind on a share of the units: the one for it, and the one that is fastest alone."""
        planned = (units, self.whole.planned) if self.selects else (self.whole.planned,)
        return {one: self.kernel(kind, Share(units, one)) for one in planned}

    def behind_waits(self, kind: int, units: int) -> dict[int, SharedKernel]:
        """Return the same, as long as it takes from the end of what they wait for: units load weights meanwhile."""
        return {
            planned: replace(one, seconds=one.seconds + self.hand_over_s - self.early_s[kind, Share(units, planned)])
            for planned, one in self.on_share(kind, units).items()
        }

    def kernel(self, kind: int, share: Share) -> SharedKernel:
        """Return a kernel of a kind, and its times on a share."""
        if (kind, share) not in self.known:
            self.known[kind, share] = self._times(kind, share)
        return self.known[kind, share]

    def plan(self, kind: int, share: Share) -> Plan:
        """Return the plan of a kind, predicted on a share of the units."""
        dispatch, all_units = self.first[kind], self.machine.units
        options = options_of(dispatch, self.device, self.options)
        if share.planned < all_units:
            options = replace(options, max_units=share.planned)
        return plan_for(dispatch, self.device, options, self.measured, share.units if share.units < all_units else None)

    def _times(self, kind: int, share: Share) -> SharedKernel:
        dispatch, plan, units = self.first[kind], self.plan(kind, share), share.units
        prediction = plan.prediction
        assert prediction is not None, "planning predicts"
        stages = [plan] if plan.split is None else [plan, plan.split.join]
        self.tasks_per_unit[kind, share] = min(max(1, stage.tasks_per_unit or 1) for stage in stages)
        if atom_family(plan.instruction).reads_memory:  # threads of its blocks copy for others
            self.copying.add((kind, share))
        seconds = prediction.seconds - prediction.launch_s * plan.launches
        self.early_s[kind, share] = seconds * self._early_share(dispatch, plan, units, self.weights[kind])
        needed = max(busy_on_share(plan, self.machine, units).values())
        # What a task takes is known beside tasks of its own op alone: a unit that has one works for no other op.
        filled = (
            prediction.waves / ceil(prediction.waves) if prediction.waves > 1 else min(1.0, prediction.tasks / units)
        )
        return SharedKernel(seconds=seconds, unit_s=seconds * filled * units, resource_s=needed)

    def _early_share(self, dispatch: LinalgDispatch, plan: Plan, units: int, weights: frozenset[int]) -> float:
        """Return what share of the first round of a plan's tasks may pass before their waits are over."""
        if not self.sinks or plan.split is not None or plan.prediction is None:
            return 0.0
        machine = machine_of(self.device, units)
        early = planned_early(dispatch.expression, plan, machine, weights)
        return early_share(dispatch.expression, plan, machine, early) / max(1, ceil(plan.prediction.waves))


class _KeepingKernels:
    """Kernels of kinds of ops whose tasks may find weights, with tiles for that or without, and their times."""

    def __init__(self, kernels: _Kernels, found: DispatchWaves, chosen: KernelSelection) -> None:
        self.kernels, self.found = kernels, found
        self.hand_over_s, self.least_per_unit = kernels.hand_over_s, chosen.tasks_per_unit
        self.known: dict[tuple[int, Share, Tile], KeepingPlan | None] = {}
        units, device = kernels.machine.units, kernels.device
        usual = {one: self.plan(*one, ()) for one in {*zip(found.kinds, chosen.shares, strict=True)}}
        together = {one: 1 if plan is None else plan.together for one, plan in usual.items()}
        self.used_bytes = max(plan.workgroup_bytes for plan in usual.values() if plan is not None)
        waves = ([(found.kinds[one], chosen.shares[one]) for one in wave] for wave in found.waves)
        waves = ([(together[one], one[1].units if one[1].units < units else None) for one in wave] for wave in waves)
        per_unit = max(1, blocks_at_once(waves, units) // units)
        room = device.max_workgroup_bytes_per_unit // per_unit - device.reserved_workgroup_bytes_per_block
        self.room_bytes = min(device.max_workgroup_bytes_per_block, room) - self.used_bytes
        self.blocks = units * per_unit

    def plan(self, kind: int, share: Share, tile: Tile) -> KeepingPlan | None:
        """Return the plan of a kind; None where there is none with the tile, or no room for its slices."""
        if (kind, share, tile) not in self.known:
            self.known[kind, share, tile] = self._planned(kind, share, tile)
        return self.known[kind, share, tile]

    def tiles(self, family: Sequence[int]) -> list[Tile]:
        """Return the tiles that kinds may have, all of them the same, for the sake of their weights."""
        first, whole = family[0], self.kernels.whole
        asked = tiles_around(
            self.kernels.first[first].expression, self.kernels.plan(first, whole), self.found.again[first]
        )
        return [tile for tile in asked if all(self.plan(kind, whole, tile) is not None for kind in family)]

    def expected(self, kind: int, share: Share, tile: Tile, waits: bool) -> SharedKernel:
        """Return the times of a kernel, if as many of its tasks find their weights as there is room for."""
        plan = self.plan(kind, self.kernels.whole if tile else share, tile)
        assert plan is not None, "tiles without a plan are left out"
        kept = plan.kept_share(self.room_bytes, self.blocks, self.found.again_bytes)
        times = plan.times(kept * self.found.found_share)
        seconds = times.late_s + self.hand_over_s if waits else times.seconds
        return SharedKernel(seconds=seconds, unit_s=times.unit_s, resource_s=times.resource_s)

    def _planned(self, kind: int, share: Share, tile: Tile) -> KeepingPlan | None:
        kernels, dispatch = self.kernels, self.kernels.first[kind]
        if not tile:
            plan = kernels.plan(kind, share)
        else:
            try:
                plan = best_plan(
                    dispatch.expression,
                    kernels.device,
                    with_tile(options_of(dispatch, kernels.device, kernels.options), tile),
                )
            except ConstructionError:
                return None
            if (plan.tasks_per_unit or 1) < self.least_per_unit:
                return None
        weights, again = self.found.weights[kind], self.found.again[kind]
        found = KeepingPlan.of(dispatch.expression, plan, kernels.machine, share.units, weights, again)
        if not tile:
            return found
        return found if 0 < found.slot_bytes <= self.room_bytes and found.workgroup_bytes <= self.used_bytes else None
