# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan moves of each operand: bytes, sectors, bank phases, counted as the kernel moves them.

The counts are exact where tiles divide the loops and rows are whole sectors: the simulator counts the same numbers.
Bytes are exact at edges too; sectors of rows that start between sectors are a mean over where they start.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, gcd, prod

from roller_mlir.hal import Device
from roller_mlir.hal.atoms import atom_family
from roller_mlir.mapping.layout.combine import combination, passed_units
from roller_mlir.mapping.layout.data_tile import copy_map, tile_copy, tile_dimensions
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES, TileCost, steps_of
from roller_mlir.mapping.layout.spread import planned_epilogue_vectors, tail_plan
from roller_mlir.mapping.layout.thread_reads import live_offsets, live_reads
from roller_mlir.mapping.resources import SUM_BYTES, staged_stores
from roller_mlir.model.cost.traffic.counting import Boxes, copied_elements, direct_elements
from roller_mlir.model.cost.traffic.layouts import layout_cost
from roller_mlir.model.cost.traffic.sectors import access_sectors, copy_sectors
from roller_mlir.model.instructions.choice import atom_of
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import AccessContext, ProblemContext
from roller_mlir.plan import Access, AxisPlan, Loop, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import ASYNCHRONOUS, STAGED, WORKGROUP

SECTOR_BYTES = 32
"""The unit in which sectors are counted on every device, as in the simulator; the model's traffic takes the device's
own."""

_ONE_TRIP, _ONE_POINT = Loop(1), AxisPlan(block=1)
"""In the place of a reduction's loop and axis, behind it."""


@dataclass(frozen=True, kw_only=True)
class OperandTraffic:
    """What a program moves of one operand, all tasks and steps together.

    Attributes:
        name: Name of the access.
        global_load_bytes: In-range bytes that threads read from global memory.
        global_load_sectors: Sectors of those reads, counted per access of a subgroup.
        global_store_bytes: Bytes written to global memory.
        global_store_sectors: Sectors of those writes.
        shared_load_bytes: Bytes read from workgroup memory.
        shared_load_phases: Bank phases of those reads.
        shared_store_bytes: Bytes written to workgroup memory.
        shared_store_phases: Bank phases of those writes.
    """

    name: str
    global_load_bytes: int = 0
    global_load_sectors: int = 0
    global_store_bytes: int = 0
    global_store_sectors: int = 0
    shared_load_bytes: int = 0
    shared_load_phases: int = 0
    shared_store_bytes: int = 0
    shared_store_phases: int = 0


def operand_traffic(expression: TensorExpression, plan: Plan, device: Device) -> tuple[OperandTraffic, ...]:
    """Return what a plan moves of each input, in order, of each tensor of the epilogue, and of the outputs, last."""
    context = ProblemContext(expression, machine_of(device), atom_of(expression, device, plan))
    return traffic_of(context, plan, tile_costs(context, plan))


def tile_costs(context: ProblemContext, plan: Plan) -> list[TileCost | None]:
    """Return the bank phases of one step of each staged input, None for those that are not."""
    return [
        layout_cost(context, plan, number) if operand.layer == WORKGROUP else None
        for number, operand in enumerate(plan.operands)
    ]


def traffic_of(context: ProblemContext, plan: Plan, costs: Sequence[TileCost | None]) -> tuple[OperandTraffic, ...]:
    """Return what `operand_traffic` returns, where the facts and the costs of tiles are known."""
    tail = tail_plan(context.expression, plan)
    boxes, behind = (Boxes(context.expression.loops, one.axes, one.lane, one.lane_order) for one in (plan, tail))
    walked = context.expression.walks_rows([axis.block for axis in plan.axes])
    found: list[OperandTraffic] = []
    for number, (access, operand, cost) in enumerate(zip(context.inputs, plan.operands, costs, strict=True)):
        reads = sum(number in one.inputs for one in context.expression.row_passes) if walked else 1
        apart = number in context.expression.tail_inputs
        found.append(
            _direct(context, tail if apart else plan, access, operand, behind if apart else boxes, reads)
            if cost is None
            else _staged(context, plan, access, operand, boxes, cost, reads)
        )
    if plan.store == STAGED:
        outputs = staged_traffic(context, plan, boxes)
    else:
        outputs = [_output(context, plan, boxes), *[_written(context, plan, boxes, x) for x in context.more_outputs]]
    widths = planned_epilogue_vectors(context.expression, plan)
    found += [_epilogue(context, tail, *read, behind) for read in zip(context.epilogue, widths, strict=False)]
    return *found, *outputs


def staged_traffic(context: ProblemContext, plan: Plan, boxes: Boxes) -> list[OperandTraffic]:
    """Return what results move that pass workgroup memory on their way: rows of each pass, stored by all threads."""
    lanes, loops = context.machine.device.subgroup_size, context.expression.loops
    subgroups = -(-plan.threads // lanes)
    parts = prod(plan.axes[i].threads for i in context.reductions)  # of which one has a point's result
    values = prod(len(boxes.live_offsets(i)) for i in context.parallel)
    tasks = prod(boxes.count(i) for i in context.parallel)
    found: list[OperandTraffic] = []
    ways = staged_stores(context.expression, plan, lanes)
    for output, way in zip((context.output, *context.more_outputs), ways, strict=True):
        access, walked = output.access, dict(zip(way.tile.walks, way.copied, strict=True))
        passes = Boxes(
            tuple(_ONE_TRIP if loop.reduction else loop for loop in loops),
            tuple(AxisPlan(block=walked.get(i, 1)) for i in range(len(loops))),
        )
        runs, moved = _runs(context, passes), direct_elements(access, passes)
        size, copied = access.element_bytes, way.copy.vectors * way.vector
        touched = copy_sectors(access, passes, way.copy, lanes, SECTOR_BYTES)
        reads = -(-way.copy.vectors // lanes)
        old = _written(context, plan, boxes, output)
        found.append(
            OperandTraffic(
                name=access.name,
                global_load_bytes=old.global_load_bytes,
                global_load_sectors=old.global_load_sectors,
                global_store_bytes=moved * size,
                global_store_sectors=_share(touched[0], moved, touched[1]),
                shared_load_bytes=moved * size,
                shared_load_phases=_share(round(reads * way.read_phases) * runs, moved, copied * runs),
                shared_store_bytes=tasks * values * plan.threads // parts * size,
                shared_store_phases=tasks * values // way.write * subgroups * way.write_phases,
            )
        )
    return found


def combine_traffic(context: ProblemContext, plan: Plan) -> OperandTraffic:
    """Return what joining partial results moves through workgroup memory, all tasks together.

    Each slot's values are stored once; the threads that lead read those of all slots. Leaders are whole subgroups.
    Opaque results all go that way, to threads that know which they hold.
    """
    loops, lanes = context.expression.loops, context.machine.device.subgroup_size
    if atom_family(plan.instruction).is_opaque:
        moved = prod(steps_of(loops[i], plan.axes[i]) * plan.axes[i].block for i in context.parallel) * SUM_BYTES
        rows = moved // context.machine.phase_bytes
        return OperandTraffic(
            name="sums",
            shared_load_bytes=moved,
            shared_load_phases=rows,
            shared_store_bytes=moved,
            shared_store_phases=rows,
        )
    joining = combination(loops, plan.axes, plan.thread_order, lanes)
    name = "partial results"
    if not joining.across:
        return OperandTraffic(name=name)
    boxes = Boxes(loops, plan.axes)
    tasks = prod(boxes.count(i) for i in context.parallel)
    lane = plan.lane if plan.lane is not None and not loops[plan.lane].reduction else None
    values = prod(len(live_offsets(loops[i], plan.axes[i], vector=i == lane)) for i in context.parallel)
    units = passed_units(values, plan.axes[lane].chunk if lane is not None else 1, context.result_bytes)
    size = context.result_bytes * values // units
    parts = prod(one.count for one in joining.across)
    subgroups, leading = -(-plan.threads // lanes), plan.threads // parts
    leaders = max(1, leading // lanes)
    halvings = joining.passing(units).halvings
    left, writing = units >> halvings, joining.slots << halvings
    wide, whole = (gcd(count, MAX_VECTOR_BYTES // size) for count in (left, units))
    phase = context.machine.phase_bytes
    read = parts if halvings else parts - 1  # of its own slot a thread that has not halved anything has all
    return OperandTraffic(
        name=name,
        shared_load_bytes=tasks * units * size * leading * read,
        shared_load_phases=tasks * units // whole * read * max(leaders, leading * whole * size // phase),
        shared_store_bytes=tasks * units * size * joining.slots,
        shared_store_phases=tasks * left // wide * max(subgroups, writing * wide * size // phase),
    )


def _staged(
    context: ProblemContext,
    plan: Plan,
    access_context: AccessContext,
    operand: OperandPlan,
    boxes: Boxes,
    cost: TileCost,
    times: int,
) -> OperandTraffic:
    """Return what a staged input moves, whose tile each step reads so many times."""
    machine, access = context.machine, access_context.access
    lanes, size = machine.device.subgroup_size, access.element_bytes
    runs = _runs(context, boxes)
    stores = runs
    if (
        operand.copy == ASYNCHRONOUS and plan.stages > 1
    ):  # behind the last step, copies that run ahead write zeros: no branch skips them
        steps = prod([boxes.count(loop) for loop in context.reductions])
        stores += runs // steps * (min(plan.stages, steps) - 1)
    dimensions = tile_dimensions(access, [axis.block for axis in plan.axes])
    elements = copy_map([d.extent for d in dimensions], operand.vector, plan.threads).vectors * operand.vector
    moved, touched = _copies(access_context, plan, operand, boxes, lanes)
    inner, width = operand.order[-1], operand.fragment_vector
    loops = context.expression.loops
    read = live_reads(dimensions, loops, plan.axes, plan.lane, inner, width)
    reads = read * width * plan.threads
    load_phases = _share(cost.load_phases, read * -(-plan.threads // lanes), cost.load_accesses)
    if context.atom.is_matrix:
        loaded = context.fragment_bytes(access_context, [axis.registers for axis in plan.axes])
        reads, load_phases = ceil(loaded * -(-plan.threads // lanes) / size), cost.load_phases
    return OperandTraffic(
        name=access.name,
        global_load_bytes=moved * size,
        global_load_sectors=_share(touched[0], moved, touched[1]),
        shared_load_bytes=reads * size * runs * times,
        shared_load_phases=load_phases * runs * times,
        shared_store_bytes=elements * size * stores,
        shared_store_phases=cost.store_phases * stores,
    )


def _copies(
    access_context: AccessContext, plan: Plan, operand: OperandPlan, boxes: Boxes, lanes: int
) -> tuple[int, tuple[int, int]]:
    """Return the in-range elements that all copies of a staged input read, and what `copy_sectors` says of them.

    Plans of one construction share most tiles: what depends on the input's own loops is remembered with it.
    """
    access = access_context.access
    repeats = prod([boxes.count(loop) for loop in range(len(boxes.loops)) if loop not in access_context.loops])
    blocks = [axis.block for axis in plan.axes]
    copy = tile_copy([d.extent for d in access_context.dimensions(blocks)], operand, plan.threads)
    key = access_context.own(blocks), copy
    found = access_context.copies.get(key)
    if found is None:
        own = copied_elements(access, boxes, copy.vector) // repeats
        found = access_context.copies[key] = own, copy_sectors(access, boxes, copy, lanes, SECTOR_BYTES)
    return found[0] * repeats, found[1]


def _direct(
    context: ProblemContext,
    plan: Plan,
    access_context: AccessContext,
    operand: OperandPlan,
    boxes: Boxes,
    times: int,
) -> OperandTraffic:
    """Return what an input moves that each step reads so many times straight from global memory."""
    machine, access = context.machine, access_context.access
    if access.gathered:
        return _gathered(access, times * _runs(context, boxes) * prod([axis.block for axis in plan.axes]))
    lanes = min(machine.device.subgroup_size, plan.threads)
    runs = _runs(context, boxes)
    own = prod(plan.axes[loop].registers for loop in access_context.loops)
    width = operand.vector
    sectors, alignments = access_sectors(access, boxes, plan.thread_order, (), width, lanes, SECTOR_BYTES)
    subgroups = -(-plan.threads // lanes)
    moved = direct_elements(access, boxes)
    touched = _share(sectors * (own // width) * subgroups * runs, moved, own * plan.threads * runs * alignments)
    return OperandTraffic(
        name=access.name,
        global_load_bytes=times * moved * access.element_bytes,
        global_load_sectors=times * touched,
    )


def _gathered(access: Access, points: int) -> OperandTraffic:
    """Return what reads at computed positions move at most: an element and a sector for each point of the boxes."""
    return OperandTraffic(name=access.name, global_load_bytes=points * access.element_bytes, global_load_sectors=points)


def _output(context: ProblemContext, plan: Plan, boxes: Boxes) -> OperandTraffic:
    """Return what is written, remembered by the tiles and threads of the parallel loops if threads share no result."""
    parallel_axes = [plan.axes[i] for i in context.parallel]
    spread = tuple([(axis.block, axis.threads, axis.chunk, axis.tile) for axis in parallel_axes])
    key = spread, plan.thread_order, plan.lane
    if context.reductions and any(plan.axes[i].threads > 1 for i in context.reductions):
        return _written(context, plan, boxes, context.output)
    found = context.stores.get(key)
    if found is None:
        found = context.stores[key] = _written(context, plan, boxes, context.output)
    return found


def _written(context: ProblemContext, plan: Plan, boxes: Boxes, output: AccessContext) -> OperandTraffic:
    """Return what is written of an output, and read of it where the old content takes part."""
    expression, access = context.expression, output.access
    width = store_width(expression, plan.lane, [axis.chunk for axis in plan.axes], access)
    moved, touched = _after_reduction(context, plan, output, width, boxes)
    size = moved * access.element_bytes
    read = expression.accumulates
    return OperandTraffic(
        name=access.name,
        global_load_bytes=size if read else 0,
        global_load_sectors=touched if read else 0,
        global_store_bytes=size,
        global_store_sectors=touched,
    )


def _epilogue(
    context: ProblemContext, plan: Plan, access_context: AccessContext, width: int, boxes: Boxes
) -> OperandTraffic:
    """Return what the epilogue reads of a tensor, straight from global memory: each thread that stores, once."""
    if access_context.access.gathered:
        points = [boxes.count(loop) * plan.axes[loop].block for loop in context.parallel]
        return _gathered(access_context.access, prod(points))
    moved, touched = _after_reduction(context, plan, access_context, width, boxes)
    access = access_context.access
    return OperandTraffic(name=access.name, global_load_bytes=moved * access.element_bytes, global_load_sectors=touched)


def _after_reduction(
    context: ProblemContext, plan: Plan, access_context: AccessContext, width: int, boxes: Boxes
) -> tuple[int, int]:
    """Return the in-range elements, and their sectors, that accesses of the threads with results move, all tasks."""
    access, loops = access_context.access, context.expression.loops
    parallel = Boxes(
        tuple([_ONE_TRIP if loop.reduction else loop for loop in loops]),
        tuple([_ONE_POINT if loop.reduction else axis for loop, axis in zip(loops, plan.axes, strict=True)]),
    )
    runs = _runs(context, parallel)
    own = prod([plan.axes[loop].registers for loop in access_context.parallel])
    joined = [loop for loop in plan.thread_order if loops[loop].reduction]
    lanes = min(context.machine.device.subgroup_size, plan.threads)
    stride, groups = 1, -(-plan.threads // lanes)
    for loop in plan.thread_order:
        count = plan.axes[loop].threads
        if loops[loop].reduction:
            groups //= max(1, stride * count // max(stride, lanes))
        stride *= count
    sectors, alignments = access_sectors(access, boxes, plan.thread_order, joined, width, lanes, SECTOR_BYTES)
    moved = direct_elements(access, parallel)
    threads = prod(axis.threads for axis in parallel.axes)
    return moved, _share(sectors * (own // width) * groups * runs, moved, own * threads * runs * alignments)


def store_width(
    expression: TensorExpression, lane: int | None, chunks: Sequence[int], access: Access | None = None
) -> int:
    """Return the elements of one store of an output: the lane's chunk where it lies along aligned rows, else 1.

    Args:
        expression: The operator.
        lane: The lane loop, None for scalars.
        chunks: Neighbouring points of one thread per loop.
        access: Which output; the first one by default.
    """
    access = access or expression.output
    if lane is None or expression.loops[lane].reduction or not access.shape:
        return 1
    chunk = chunks[lane]
    along = [index.coefficients[lane] for index in access.indices]
    if along[-1] != 1 or any(along[:-1]) or access.shape[-1].divisor % chunk:
        return 1
    return chunk


def _runs(context: ProblemContext, boxes: Boxes) -> int:
    """Return how often a task's step is executed: tasks times steps."""
    return prod(boxes.count(loop) for loop in range(len(context.bounds)))


def _share(whole: int, part: int, total: int) -> int:
    """Return whole * part / total, rounded to the nearest."""
    return (2 * whole * part + total) // (2 * total) if total else 0
