# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of plans of vectors: register tiles of rows x vectors, and the order of the tasks that they are.

For each loop that may run along vectors, tiles grow along the loops that reuse data until the registers are full; sizes
are exact divisors of extents, whole extents, and a few others, since no matrix unit asks for powers of two. Each tile
is combined with the orders of the loops around it, and all are ranked by predicted time.

Paper: ROLLER section 3.2 (a program is the aligned tiles of each layer); PolyDL section 4 (orders ranked by what their
working sets move).
"""

from bisect import insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, prod

from roller_mlir.hal import Device
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.search.problems import by, cut_problem
from roller_mlir.model.tile import contiguous_loop, reuse_loops
from roller_mlir.model.vectors.atom_programs import atom_programs
from roller_mlir.model.vectors.cost import VectorCost
from roller_mlir.model.vectors.dividing import divided_plans
from roller_mlir.model.vectors.lanes import lanes_of, reads_lanes, reads_packed
from roller_mlir.model.vectors.orders import VectorProgram, ordered
from roller_mlir.model.vectors.packing import (
    constant_shapes,
    copied_vector,
    packed_operand,
    packed_order,
    packed_shapes,
    room_of,
)
from roller_mlir.model.vectors.padding import skipped_inputs
from roller_mlir.model.vectors.shape import TaskShape, even_points
from roller_mlir.plan import AxisPlan, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT, MOST_POINTS, REGISTER, WORKGROUP

MOST_ROWS = 16
"""Points in a task of a loop beside the vectors', but where a window slides along it."""
MOST_VECTORS = 4
"""Vectors along the lane loop in a task."""
MOST_ACCESSES = 512
"""Accesses of one element in the code of a task: what lanes that are no neighbours take, and those of i1, of which LLVM
would pack eight in a byte. LLVM took 4 s of a processor for 960 of i8, and over 60 s for 2048 of i1."""
MOST_WHOLE_OPERATIONS = 6144
"""Operations on vectors of what must lie whole in a task, with its loads and functions: each stands in its code."""
LEAST_LANES = 2
_WIDE_VECTORS = 16
"""Along a loop of so many vectors of neighbours no other loop needs to be tried that has none."""
_SPARE_PROGRAMS = 3
"""Programs of instructions on whole vectors beside those that are wanted, in case that a plan of one cannot be."""
_SPARE = 4
"""Vector registers beside those of sums, at least: for what the next points read. LLVM spills sums where there are
fewer, and where a row of vectors and an element for all lanes do not fit beside them."""


def construct_vectors(
    expression: TensorExpression, device: Device, options: ConstructOptions
) -> tuple[list[Plan], int]:
    """Return plans, best predicted time first, and how many programs were evaluated; see `search.construct`.

    Raises:
        ConstructionError: A forced tile cannot be, or what must lie whole in a task does not fit into one.
    """
    for name in ("thread_tile", "stages", "block_threads", "task_threads", "block_registers", "block_workgroup_bytes"):
        if getattr(options, name):
            word = name.replace("_", "-")
            raise ConstructionError(
                f"cannot have {word} on '{device.name}', which has no threads and stages nothing; leave it out"
            )
    if options.tile_sizes and len(options.tile_sizes) != len(expression.loops):
        raise ConstructionError(
            f"needs {len(expression.loops)} tile-sizes, one per loop, but got {len(options.tile_sizes)}"
        )
    found = _constructed(expression, device, options)

    def construct(stage: TensorExpression, asked: ConstructOptions, parts: bool, below_s: float) -> Plan:
        return _constructed(stage, device, asked, parts=parts, below_s=below_s).plans[0]

    if not options.split or options.tile_sizes or not found.plans[0].prediction:
        return found.plans, found.programs
    best_s = found.plans[0].prediction.seconds
    divided = list(divided_plans(found.cost, options, found.spread_s, best_s, construct))
    plans = sorted([*divided, *found.plans], key=lambda one: one.prediction.seconds if one.prediction else inf)
    return plans[: options.top_k], found.programs + len(divided)


@dataclass(frozen=True)
class _Undivided:
    """What was found without a division of reductions over tasks.

    Attributes:
        cost: What was asked of costs.
        plans: At least one, best predicted time first.
        programs: How many programs were evaluated.
        spread_s: A bound of the time of all programs, were their tasks as many as cores need.
    """

    cost: VectorCost
    plans: list[Plan]
    programs: int
    spread_s: float


def _constructed(
    expression: TensorExpression,
    device: Device,
    options: ConstructOptions,
    *,
    parts: bool = False,
    below_s: float = inf,
) -> _Undivided:
    """Return plans that divide no reduction over tasks.

    Args:
        expression: The operator, or the first stage of one.
        device: The device.
        options: Those of the construction.
        parts: Whether the first loop numbers parts of a reduction, one of which a task computes, in this order.
        below_s: The time that they must come below.
    """
    if options.tile_sizes and (cut := cut_problem(expression, options.tile_sizes)):
        raise ConstructionError(f"tile {by(options.tile_sizes)} {cut}")
    cost = VectorCost(expression, device, options.max_units, skipped_inputs(expression, options.finite))
    tiles: dict[tuple[tuple[int, ...], int | None], TaskShape] = {}
    for lane in _lanes(expression, device):
        if options.tile_sizes and lane is not None and options.tile_sizes[lane] == 1:
            lane = None
        for blocks in _tiles(expression, device, lane, options):
            key = tuple(blocks), lane
            if parts and (lane == 0 or blocks[0] > 1):
                continue
            tiles.setdefault(key, TaskShape(*key, tuple(_outside(expression, blocks))))
    if not tiles:
        raise ConstructionError(_too_large(expression, device))
    shapes = [*tiles.values(), *packed_shapes(expression, device, cost, list(tiles.values()))]
    shapes += constant_shapes(expression, shapes, options.constants)
    shapes = [one for one in shapes if not parts or 0 not in one.inner]
    bounds = [(cost.seconds(work)[0], number, work) for number, work in enumerate(map(cost.bound, shapes))]
    ranked: list[VectorProgram] = []
    for least, number, work in sorted(bounds, key=lambda one: one[:2]):
        below = ranked[options.top_k - 1].seconds if len(ranked) >= options.top_k else below_s
        if least >= below:
            break  # no order of this shape, nor of those behind it, comes before the best that were found
        program = ordered(cost, shapes[number], work, below, first=0 if parts else None)
        if program is not None:
            insort(ranked, program, key=VectorProgram.rank)
    made = [(one.seconds, partial(_plan, cost, one)) for one in sorted(ranked, key=VectorProgram.rank)]
    if options.instructions and device.multiply_add.family not in options.instructions:
        made = []
    if not options.tile_sizes and not parts:
        room, known_s = room_of(device, cost.units), [seconds for seconds, _ in made]
        count = options.top_k + _SPARE_PROGRAMS
        atoms = atom_programs(cost, options.instructions, room, options.constants, known_s, count)
        made += [(cost.seconds(one.work)[0], partial(one.plan, cost)) for one in atoms]
        made.sort(key=lambda one: one[0])
    if not made:
        families = ", ".join(options.instructions)
        raise ConstructionError(f"cannot be computed by instructions of {families} on '{device.name}'; add 'fma'")
    plans: list[Plan] = []
    for _, make in made:
        plan = make()
        problem = plan_problem(expression, plan)
        if problem and options.tile_sizes:
            raise ConstructionError(problem)
        if not problem:
            plans.append(plan)
        if len(plans) == options.top_k:
            break
    if not plans:
        raise ConstructionError(_too_large(expression, device))
    return _Undivided(cost, plans, len(made), min([cost.spread_seconds(work) for _, _, work in bounds]))


def _outside(expression: TensorExpression, blocks: Sequence[int]) -> list[int]:
    """Return the parallel loops with several tiles."""
    return [i for i in expression.parallel() if expression.loops[i].extent.most_tiles(blocks[i]) > 1]


def vector_plan_problem(plan: Plan, device: Device) -> str:
    """Return what of a plan a device of vectors cannot do, or an empty string."""
    threads = next((i for i, axis in enumerate(plan.axes) if axis.threads > 1), None)
    if threads is not None:
        return f"has a plan with {plan.axes[threads].threads} threads along loop {threads}; '{device.name}' has none"
    lost = next((i for i, one in enumerate(plan.operands) if one.layer == WORKGROUP and not plan.inner_order), None)
    if lost is not None:
        return (
            f"has a plan whose operand {lost} is packed for a single tile; give inner_order loops that do not move it"
        )
    turned = next((i for i, one in enumerate(plan.operands) if one.swizzle is not None), None)
    if turned is not None:
        return f"has a plan whose operand {turned} has a swizzle; '{device.name}' has no banks to spread rows over"
    if plan.persistent or plan.max_units is not None:
        return (
            f"has a plan with persistent or max_units, but who runs it on '{device.name}' says how many threads share "
            "its tasks; leave both out"
        )
    return ""


def _lanes(expression: TensorExpression, device: Device) -> list[int | None]:
    """Return the loops that vectors may run along: those along which some tensor's elements are neighbours; or none."""
    if lanes_of(expression, device) < LEAST_LANES:
        return [None]
    accesses = (*expression.outputs, *expression.inputs, *expression.epilogue)
    loops = [contiguous_loop(access) for access in accesses if not access.gathered]
    wanted = list(dict.fromkeys(loop for loop in loops if loop is not None and expression.bounds[loop] >= LEAST_LANES))
    found = [loop for loop in wanted if _may_be_lane(expression, loop)]
    longest = max([expression.bounds[i] for i in found if not expression.loops[i].reduction], default=0)
    if longest < _WIDE_VECTORS * lanes_of(expression, device):
        found += [loop for loop in _turned_lanes(expression, device) if loop not in found]
    return [*found, None] if not found or min(expression.bounds[i] for i in found) < LEAST_LANES else list(found)


def _turned_lanes(expression: TensorExpression, device: Device) -> list[int]:
    """Return the loops along which vectors may run where a factor is packed with these neighbours last.

    Of C[m, n] += A[m, k] B[n, k] that is n; of a convolution with channels first its filters, where another input has
    one element for all lanes.
    """
    if not expression.reductions() or expression.whole or expression.ordered or not device.caches:
        return []
    inputs = [one for one in expression.inputs if not one.gathered]
    found: list[int] = []
    for loop in expression.parallel():
        ways = [reads_packed(one, loop) for one in inputs]
        turned = any(reads_lanes(one, loop) == "each" for one in inputs)
        if turned and "one" in ways and set(ways) == {"one", "vector"} and expression.bounds[loop] >= LEAST_LANES:
            found.append(loop)
    return found


def _may_be_lane(expression: TensorExpression, loop: int) -> bool:
    if not expression.loops[loop].reduction:
        return True
    if expression.ordered or expression.whole or expression.more_outputs:
        return False
    return all(reads_lanes(access, loop) == "vector" for access in expression.inputs if not access.gathered)


def _tiles(
    expression: TensorExpression, device: Device, lane: int | None, options: ConstructOptions
) -> Iterator[list[int]]:
    """Yield the points of each loop in a task."""
    if options.tile_sizes:
        blocks = list(options.tile_sizes)
        width = lanes_of(expression, device)
        if lane is not None and blocks[lane] > 1:
            blocks[lane] = -(-blocks[lane] // _width(expression, lane, width)) * _width(expression, lane, width)
        yield blocks
        return
    bounds, width = expression.bounds, lanes_of(expression, device)
    base = [_steps(expression, loop) if expression.loops[loop].reduction else 1 for loop in range(len(bounds))]
    for loop in expression.whole:
        base[loop] = bounds[loop]
    if lane is not None:
        own = _width(expression, lane, width)
        if expression.loops[lane].reduction and base[lane] % own:
            return
        if lane in expression.whole:
            base[lane] = -(-bounds[lane] // own) * own
        most = -(-bounds[lane] // own)
        counts = (1,)
        if not expression.loops[lane].reduction and lane not in expression.whole:
            counts = tuple(n for n in range(1, MOST_VECTORS + 1) if n <= most)
    else:
        own, counts = 1, (1,)
    fixed = prod([base[i] for i in expression.whole]) // (own if lane in expression.whole else 1)
    if expression.whole:
        counts = tuple(n for n in counts if n * fixed * _operations(expression) <= MOST_WHOLE_OPERATIONS)
    rows = [i for i in reuse_loops(expression) if i != lane and i not in expression.whole]
    if not rows or expression.whole:
        rows = [i for i in expression.parallel() if i != lane and i not in expression.whole][-1:]
    registers = device.vector_registers or 8
    room = [MOST_ROWS if not expression.moves_window(i) else registers for i in rows]
    for count in counts:
        start = list(base)
        if lane is not None and not expression.loops[lane].reduction and lane not in expression.whole:
            start[lane] = own * count
        limit = max(1, (registers - max(_SPARE, count + 1)) // max(count, fixed))
        smallest = count == counts[0] and not expression.whole
        for sizes in _rows([(bounds[i], most) for i, most in zip(rows, room, strict=True)], limit):
            blocks = list(start)
            for loop, size in zip(rows, sizes, strict=True):
                blocks[loop] = size
            if not (smallest and set(sizes) <= {1}) and _accesses_of_one(expression, blocks, lane) > MOST_ACCESSES:
                continue
            yield blocks


def _accesses_of_one(expression: TensorExpression, blocks: Sequence[int], lane: int | None) -> int:
    """Return the accesses of a task that reach one element each, where its vectors lie along a loop."""
    if lane is None:
        return 0  # a scalar for each of the registers
    total = 0
    for access in (*expression.inputs, *expression.outputs, *expression.epilogue):
        way = "each" if access.gathered else reads_lanes(access, lane)
        if way == "each" or (way != "one" and access.element_type == "i1"):
            moving = {loop for index in access.indices for loop, factor in enumerate(index.coefficients) if factor}
            moving |= set(range(len(blocks))) if access.gathered else set()
            total += prod(blocks[loop] for loop in moving if loop == lane or not expression.loops[loop].reduction)
    return total


def _operations(expression: TensorExpression) -> int:
    """Return the operations of a point and its loads, of functions what their code has."""
    return len(expression.inputs) + expression.flops_per_point + expression.point_cycles


def _width(expression: TensorExpression, lane: int, width: int) -> int:
    """Return the lanes of a vector along a loop: no more than the next power of two of a short one."""
    extent = expression.bounds[lane]
    while width > LEAST_LANES and width // 2 >= extent:
        width //= 2
    if expression.loops[lane].reduction:
        while width > 1 and extent % width:
            width //= 2
    return width


def _rows(loops: Sequence[tuple[int, int]], limit: int) -> Iterator[tuple[int, ...]]:
    """Yield points of several loops whose product is at most a limit: divisors, whole extents, and a few others.

    Args:
        loops: The extent of each, and how many points it may have.
        limit: Of the product.
    """
    if not loops:
        yield ()
        return
    extent, most = loops[0]
    for rest in _rows(loops[1:], limit):
        room = min(most, limit // prod(rest))
        sizes = {n for n in range(1, room + 1) if extent % n == 0} | {n for n in (room, 4, 6, 8) if n <= room}
        fewest = -(-extent // room)
        sizes |= {-(-extent // tiles) for tiles in (fewest, fewest + 1)}
        for size in sorted(one for one in sizes if one <= extent):
            yield (size, *rest)


def _steps(expression: TensorExpression, loop: int) -> int:
    """Return the points of a reduction loop in a step: all of them, where one step may have so many."""
    extent = expression.bounds[loop]
    if expression.ordered and loop != expression.reductions()[-1]:
        return 1
    if extent <= MOST_POINTS:
        return extent
    return next((n for n in range(MOST_POINTS, 0, -1) if extent % n == 0), 1)


def _unrolled(
    expression: TensorExpression, blocks: Sequence[int], lane: int | None, standing: int | None
) -> tuple[int, int | None]:
    """Return the points of a step that are unrolled, and the reduction loop that they lie on."""
    if standing is not None:
        return blocks[standing], standing
    reductions = [i for i in expression.reductions() if i != lane and blocks[i] > 1]
    if not reductions or expression.whole:
        return 1, None
    loop, plain = reductions[-1], [i for i in reductions if not expression.moves_window(i)]
    if plain and (_slides(expression, blocks, lane, loop) or even_points(blocks[loop]) == 1):
        loop = plain[-1]
    return even_points(blocks[loop]), loop


def _slides(expression: TensorExpression, blocks: Sequence[int], lane: int | None, loop: int) -> bool:
    """Return whether a loop's points read elements that rows of the tile read at others, which LLVM would all keep."""
    rows = [i for i in expression.parallel() if i != lane and blocks[i] > 1]
    return any(
        index.coefficients[loop] and any(index.coefficients[row] for row in rows)
        for access in expression.inputs
        if not access.gathered
        for index in access.indices
    )


def _plan(cost: VectorCost, one: VectorProgram) -> Plan:
    expression, device, shape = cost.expression, cost.device, one.shape
    width = _width(expression, shape.lane, lanes_of(expression, device)) if shape.lane is not None else 1
    unrolled, along = _unrolled(expression, shape.blocks, shape.lane, cost.standing(shape))
    axes = [
        AxisPlan(
            block=block,
            chunk=width if loop == shape.lane else unrolled if loop == along else 1,
            walked=shape.walked.get(loop, 0),
        )
        for loop, block in enumerate(shape.blocks)
    ]
    return Plan(
        device=device.name,
        axes=tuple(axes),
        thread_order=(),
        lane=shape.lane,
        unit_order=shape.order,
        inner_order=shape.inner,
        raster=shape.raster,
        reduction_order=expression.reductions(),
        operands=tuple(
            packed_operand(expression, shape, number, width, pad)
            if number in shape.staged
            else _packed_constant(packed_order(access, shape.lane), pad, width)
            if number in shape.ahead
            else OperandPlan(layer=REGISTER, order=tuple(range(len(access.shape))), pad_value=pad)
            for number, (access, pad) in enumerate(zip(expression.inputs, expression.pad_values, strict=True))
        ),
        unroll=unrolled,
        skips=cost.skips,
        tasks_per_unit=1,
        max_units=None,  # whoever runs the tasks says how many threads share them
        prediction=cost.prediction(one.work),
    )


def _packed_constant(order: tuple[int, ...], pad: float | None, width: int) -> OperandPlan:
    """Return how an input lies that was packed when the program was compiled: row by row, in whole vectors."""
    return OperandPlan(
        layer=CONSTANT,
        order=order,
        vector=copied_vector(order, width),
        store_vector=width,
        fragment_vector=width,
        pad_value=pad,
    )


def _too_large(expression: TensorExpression, device: Device) -> str:
    points = prod([expression.bounds[i] for i in expression.whole])
    return (
        f"needs {points} points of loops {list(expression.whole)} in one task, each with {_operations(expression)} "
        f"operations; '{device.name}' takes {MOST_WHOLE_OPERATIONS} operations on vectors; keep the ops apart "
        "(fusion=false)"
    )
