# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What passes ask of the plan of a dispatch, and the plan: the one that was measured, else the one that is constructed.

`rtile-construct` gives it to the dispatch; `rammer-select-kernels` looks at those of several shares of a device before
it says which.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from roller_mlir.dialects import rtile
from roller_mlir.dialects.rtile.checks import InvalidOpError
from roller_mlir.hal import Device, find_device
from roller_mlir.hal.atoms import FAMILIES, atom_family
from roller_mlir.hal.host import measured_as
from roller_mlir.lowering.codegen.graph.start_operands import most_starts
from roller_mlir.lowering.codegen.graph.tables import ring_bytes
from roller_mlir.lowering.linalg.group.dispatches import LinalgDispatch, constants_of
from roller_mlir.lowering.loops.attributes import TILE, UNITS
from roller_mlir.model import ConstructionError, ConstructOptions
from roller_mlir.model.block_limits import machine_for
from roller_mlir.model.cost.performance import predict
from roller_mlir.model.options import ChoiceOptions, DeviceOptions, PlanFileOptions, PlanningOptions, TileOptions
from roller_mlir.model.search.best_plan import best_plan, plan_on_share
from roller_mlir.model.search.plan_legality import choice_problem
from roller_mlir.model.search.validate_plan import validate_plan
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.files.tuning import Found, TuningError, describe, read_tuning
from roller_mlir.plan.files.tuning_key import tuning_key
from roller_mlir.plan.records.codec import JsonValue, to_json
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import DiagnosedError, fail
from roller_mlir.support.foreign.options import option


@dataclass(frozen=True, kw_only=True)
class Planning(PlanFileOptions, PlanningOptions, DeviceOptions):
    """What is asked of all plans of a module."""

    records: bool = option(
        False, help="whether blocks keep workgroup memory for the records of the tasks that they walk"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [one.name for one, _ in PlanningOptions.given_in(self)]
        if self.plan_file and given:
            raise ValueError(f"plan-file holds whole plans and goes without other choices, but got {', '.join(given)}")
        tiles = [one.name for one, _ in TileOptions.given_in(self)]
        given = [*tiles, "plan-file"] if self.plan_file else tiles
        if self.tuning and given:
            raise ValueError(f"tuning holds whole plans and goes without a user schedule, but got {', '.join(given)}")

    def construct_options(self) -> ConstructOptions:
        """Return what the construction of each op is asked for."""
        asked: dict[str, Any] = {**PlanningOptions.values_of(self), "instructions": self.instructions or FAMILIES}
        if self.records:  # of blocks that walk tasks, some of which join parts; none has room for results
            asked |= {"join": False, "staged_stores": False}
        return ConstructOptions(top_k=1, **asked)

    def chosen_plans(self, dispatches: Iterable[LinalgDispatch]) -> list[Plan]:
        """Return the plan of each dispatch, measured or constructed, whole where its reduction is divided over tasks.

        What is measured has its time there in the place of a prediction.

        Args:
            dispatches: Those of a module, which is not changed.

        Raises:
            DiagnosedError: One of them cannot be planned.
        """
        dispatches, options = list(dispatches), self.construct_options()
        device, measured = self.device_for(dispatches, options), self.measured_plans()
        return [plan_for(dispatch, device, options_of(dispatch, device, options), measured) for dispatch in dispatches]

    def measured_plans(self) -> "MeasuredPlans":
        """Return the plans of the tuning data base; none where there is none."""
        return MeasuredPlans(str(self.tuning or ""))

    def device_for(self, dispatches: Iterable[LinalgDispatch], options: ConstructOptions) -> Device:
        """Return the device that dispatches find: one whose blocks keep records, where this is asked."""
        device = find_device(self.device)
        return _beside_records(device, dispatches, options) if self.records else device


class MeasuredPlans:
    """The plans of a tuning data base."""

    def __init__(self, path: str) -> None:
        """Read a file; "" where there is none.

        Raises:
            DiagnosedError: It cannot be read.
        """
        self._path = path
        try:
            self._found: Mapping[str, Found] = read_tuning(path) if path else {}
        except TuningError as error:
            fail(None, f"tuning {error}")
        self._known: dict[tuple[str, int | None, int | None], MeasuredPlan] = {}

    def of(
        self, dispatch: LinalgDispatch, device: Device, options: ConstructOptions, share: int | None = None
    ) -> "MeasuredPlan | None":
        """Return the plan of a dispatch, None where it was not measured.

        Args:
            dispatch: The dispatch.
            device: What it runs on.
            options: What is asked of its plan.
            share: The units whose bandwidth it has; None for those that it is planned for.

        Raises:
            DiagnosedError: It does not fit, at the dispatch; the line of the file is named.
        """
        if not self._found:
            return None
        key = tuning_key(dispatch.expression, measured_as(device), choices_of(options))
        if (found := self._found.get(key)) is None:
            return None
        asked = key, options.blocks_per_unit, share
        if asked not in self._known:
            self._known[asked] = self._measured(found, dispatch, device, options, share)
        return self._known[asked]

    def _measured(
        self, found: Found, dispatch: LinalgDispatch, device: Device, options: ConstructOptions, share: int | None
    ) -> "MeasuredPlan":
        expression, place = dispatch.expression, f"{self._path}:{found.line}"
        alone = found.record.plan
        plan = _held(alone, options.blocks_per_unit)
        problem = choice_problem(expression, plan, device, options)
        try:
            if problem:
                fail(dispatch.operation, f"'{dispatch.operation.name}' {problem}")
            plan = validated(dispatch.operation, expression, plan, device, options)
        except DiagnosedError as error:
            raise with_place(error, place) from None
        predicted_s = predict(expression, alone, machine_for(device, replace(options, blocks_per_unit=None)).device)
        plan = replace(plan, prediction=predict(expression, plan, machine_for(device, options).device))
        return MeasuredPlan(
            plan=_on_share(dispatch, plan, device, options, share),
            over_predicted=found.record.measured_s / predicted_s.seconds,
            place=place,
            described=describe(found, self._path),
        )


@dataclass(frozen=True, kw_only=True)
class MeasuredPlan:
    """A plan that was measured.

    Attributes:
        plan: The plan, with the model's prediction on the share that it has, beside as many blocks on a unit.
        over_predicted: Its measured time over what is predicted where it has the device alone, as it had then.
        place: Where it is from, file and line.
        described: The same for people, with its times.
    """

    plan: Plan
    over_predicted: float
    place: str
    described: str


def _held(plan: Plan, most: int | None) -> Plan:
    """Return a plan of whose blocks a unit holds at most so many at a time; None: as many as it says."""
    if most is None or plan.tasks_per_unit is None:
        return plan
    split = plan.split and replace(plan.split, join=_held(plan.split.join, most))
    return replace(plan, tasks_per_unit=min(most, plan.tasks_per_unit), split=split)


def with_place(error: DiagnosedError, place: str) -> DiagnosedError:
    """Return an error of a measured plan that says where it is from."""
    (first, *rest) = error.diagnostics
    remedy = f"the plan is from {place}; delete that line, or leave out tuning"
    return DiagnosedError([replace(first, message=f"{first.message}; {remedy}"), *rest])


def plan_for(
    dispatch: LinalgDispatch,
    device: Device,
    options: ConstructOptions,
    measured: MeasuredPlans,
    share: int | None = None,
) -> Plan:
    """Return the plan of a dispatch, the one that was measured or the one that is constructed, with its time.

    Args:
        dispatch: The dispatch.
        device: What it runs on.
        options: What is asked of its plan.
        measured: Plans that go before others. The time is what was measured then, where `share` is that of the plan.
        share: The units whose bandwidth it has, where these are not those that it is planned for. The time of a
            measured plan is the predicted one there, by as much longer as the measured one is than predicted.

    Raises:
        DiagnosedError: It cannot be planned.
    """
    found = measured.of(dispatch, device, options, share)
    if found is None:
        return constructed_plan(dispatch, device, options, share)
    assert found.plan.prediction is not None, "it was predicted"
    return replace(found.plan, prediction=found.plan.prediction.times(found.over_predicted))


def units_of(dispatch: LinalgDispatch) -> tuple[int, int] | None:
    """Return the units that a dispatch is to be planned for, 0 for all, and its share; None where it says none."""
    if UNITS not in dispatch.operation.attributes:
        return None
    said = dispatch.operation.attributes[UNITS]
    numbers = tuple(said) if isinstance(said, ir.DenseI64ArrayAttr) else ()
    if len(numbers) != 2 or numbers[0] < 0 or numbers[1] < 1:
        fail(dispatch.operation, f"'{UNITS}' must be array<i64: UNITS, SHARE>, 0 or more and 1 or more, but is {said}")
    return numbers[0], numbers[1]


def _tile_of(dispatch: LinalgDispatch) -> tuple[int, ...] | None:
    """Return the tile that a dispatch is to have; None where it does not say it."""
    if TILE not in dispatch.operation.attributes:
        return None
    said = dispatch.operation.attributes[TILE]
    tile = tuple(said) if isinstance(said, ir.DenseI64ArrayAttr) else ()
    if not tile or min(tile) < 1:
        fail(dispatch.operation, f"'{TILE}' must be array<i64: POINTS, ...>, 1 or more of each loop, but is {said}")
    return tile


def _beside_records(device: Device, dispatches: Iterable[LinalgDispatch], options: ConstructOptions) -> Device:
    """Return a device whose blocks have less workgroup memory: that without the records of the tasks that they walk.

    Beside its inputs a program has a result, and as part of a divided one the sums of the other. With roles a record
    has one field more, and two crews keep records.
    """
    expressions = [dispatch.expression for dispatch in dispatches]
    operands = 3 + max((len(one.inputs) for one in expressions), default=0) + most_starts(expressions)
    known = {one.family for one in device.instructions}
    roles = any(atom_family(family).reads_memory for family in options.instructions if family in known)
    size = ring_bytes(operands) * (2 if roles else 1)
    most = device.max_workgroup_bytes_per_block - size
    if most <= 0:
        return device  # what no block holds is refused where blocks are made
    return replace(
        device,
        max_workgroup_bytes_per_block=most,
        static_workgroup_bytes=min(device.static_workgroup_bytes, most),
        reserved_workgroup_bytes_per_block=device.reserved_workgroup_bytes_per_block + size,
    )


def options_of(dispatch: LinalgDispatch, device: Device, options: ConstructOptions) -> ConstructOptions:
    """Return how one dispatch is planned: as it says itself, and its reduction divided only where that can be.

    On devices of vectors its constants may be packed when it is compiled.
    """
    if device.vector_bytes is not None:
        known = constants_of(dispatch.operation)
        options = replace(options, constants=known.constants, finite=known.finite)
    if (units := units_of(dispatch)) is not None:
        options = replace(options, max_units=units[0] or None)
    if (tile := _tile_of(dispatch)) is not None:
        options = with_tile(options, tile)
    return options if dispatch.divisible else replace(options, split=False)


def with_tile(options: ConstructOptions, tile: tuple[int, ...]) -> ConstructOptions:
    """Return options that ask for a tile, and so for a whole reduction."""
    return replace(options, tile_sizes=tile, split=False)


def choices_of(options: ConstructOptions) -> dict[str, JsonValue]:
    """Return what narrows or widens the plans of a dispatch beside tiles: part of the key of a measured plan.

    With how many others a block shares a unit is no part of it: the same code runs there, too.
    """
    usual = ConstructOptions(instructions=FAMILIES)
    names = [one.field for one in ChoiceOptions.options() if one.field != "blocks_per_unit"]
    names += ["constants", "finite"]
    return {name: to_json(getattr(options, name)) for name in names if getattr(options, name) != getattr(usual, name)}


def constructed_plan(
    dispatch: LinalgDispatch, device: Device, options: ConstructOptions, share: int | None = None
) -> Plan:
    """Return the plan that construction chooses for a dispatch, with its time on a share of the units."""
    try:
        return _on_share(dispatch, best_plan(dispatch.expression, device, options), device, options, share)
    except ConstructionError as error:
        fail(dispatch.operation, f"'{dispatch.operation.name}' {error}")


def _on_share(
    dispatch: LinalgDispatch, plan: Plan, device: Device, options: ConstructOptions, share: int | None
) -> Plan:
    """Return a plan with its time on a share of the units; None: on those that it is planned for."""
    if share in (None, plan.max_units):
        return plan
    return plan_on_share(dispatch.expression, plan, machine_for(device, options).device, share)


def validated(
    operation: ir.Operation, expression: TensorExpression, plan: Plan, device: Device, options: ConstructOptions
) -> Plan:
    """Return a plan that came from outside with its prediction; what the verifier would refuse is refused here."""
    try:
        whole = validate_plan(expression, plan, device, options.disabled_rules)
        if plan.split is None:  # else each stage is looked at when it has a program
            rtile.PlanAttr.of(whole).check()
    except ConstructionError as error:
        fail(operation, f"'{operation.name}' {error}")
    except InvalidOpError as error:
        fail(operation, f"'{operation.name}' cannot be planned so: {error}")
    return whole
