# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of tasks that multiply by an instruction on whole vectors: `dot` and `amx` of `hal.atoms.vectors`.

The factor of columns is packed in front of tiles that share it, its rows interleaved, so that a lane finds next to each
other what it multiplies. Of the factor of rows neighbours along the reduction are read where they lie, which must be
along the tensor's last dimension; for tile registers a task may pack them so, filled up where tiles end outside.

Paper: ROLLER sections 3.1 (tiles aligned with the shape of an execution unit) and 5.1.
"""

from bisect import insort
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, prod

from roller_mlir.hal import Device, Instruction
from roller_mlir.hal.atoms import atom_family
from roller_mlir.hal.atoms.family import VectorProduct, VectorTile, VectorTiles
from roller_mlir.hal.atoms.vectors import LANE_BYTES
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.instructions.choice import SUMS
from roller_mlir.model.tile import contiguous_loop
from roller_mlir.model.vectors.cost import VectorCost, Work
from roller_mlir.model.vectors.lanes import lanes_of
from roller_mlir.model.vectors.masks import may_leave
from roller_mlir.model.vectors.orders import ordered
from roller_mlir.model.vectors.packing import packed_operand, panel_room
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import AxisPlan, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT, REGISTER, WORKGROUP, AtomPlan

UNROLLED_GROUPS = 4
"""Groups of the reduction that are unrolled by `dot`."""
_FEWEST_REGISTERS = 8
"""Of vectors, where a device does not say."""


@dataclass(frozen=True)
class AtomRoles:
    """What the loops of a product are to an instruction on whole vectors.

    Attributes:
        rows: The input whose neighbours along the reduction are read together.
        columns: The input that is packed.
        row: The loop of rows.
        column: The loop of columns, along which the result is stored.
        depth: The reduction along which `rows` has neighbours.
    """

    rows: int
    columns: int
    row: int
    column: int
    depth: int


def atom_roles(expression: TensorExpression) -> Iterator[AtomRoles]:
    """Yield the ways in which an instruction on whole vectors may compute an expression."""
    if not (expression.fused_multiply_add and expression.combiner in SUMS and len(expression.inputs) == 2):
        return
    if expression.whole or not expression.widens_only or expression.more_outputs or any(expression.prologue_flops):
        return
    column = contiguous_loop(expression.output)
    if column is None or expression.loops[column].reduction:
        return
    for first, second in ((0, 1), (1, 0)):
        rows, columns = expression.inputs[first], expression.inputs[second]
        if rows.gathered or columns.gathered or column in rows.loops() or column not in columns.loops():
            continue
        if not rows.indices:
            continue
        deep = [loop for loop, k in rows.indices[-1].terms().items() if k == 1 and expression.loops[loop].reduction]
        alone = {loop for index in columns.indices for loop in index.terms() if dict(index.terms()) == {loop: 1}}
        elsewhere = {loop for index in rows.indices[:-1] for loop in index.terms()}
        several = [loop for loop in (*deep, column) if sum(loop in x.terms() for x in columns.indices) > 1]
        own = [loop for loop in expression.parallel() if loop in rows.loops() and loop not in columns.loops()]
        if several or len(rows.indices[-1].terms()) != 1 or not own:
            continue
        for depth in deep:
            if depth in alone and column in alone and depth not in elsewhere:
                for row in own:
                    yield AtomRoles(first, second, row, column, depth)


def atom_instructions(expression: TensorExpression, device: Device, families: Sequence[str]) -> list[Instruction]:
    """Return the instructions on whole vectors of a device that multiply an expression's types."""
    types = {access.element_type for access in expression.inputs}
    if len(types) != 1:
        return []
    (operand,) = types
    total = "f32" if expression.result_type == "bf16" else expression.result_type
    return [
        one
        for one in device.instructions
        if (not families or one.family in families)
        and atom_family(one.family).vectors
        and (one.operand_type, one.result_type) == (operand, total)
    ]


@dataclass(frozen=True)
class AtomProgram:
    """A program of tasks that multiply by an instruction on whole vectors.

    Attributes:
        instruction: The instruction.
        roles: Its loops.
        tile: Rows, columns and reduction length of one, and how many a tile has.
        shape: The tiles and the loops around them, and where the factor of columns is packed.
        work: What the tasks do.
    """

    instruction: Instruction
    roles: AtomRoles
    tile: VectorTile
    shape: TaskShape
    work: Work

    def plan(self, cost: VectorCost) -> Plan:
        """Return the plan."""
        expression, device, shape = cost.expression, cost.device, self.shape
        roles, near = self.roles, LANE_BYTES // expression.inputs[0].element_bytes
        width = self.tile.shape[1]
        axes = tuple(
            AxisPlan(block=n, chunk=width if i == roles.column else 1, walked=shape.walked.get(i, 0))
            for i, n in enumerate(shape.blocks)
        )
        operands: list[OperandPlan] = []
        for number, (access, pad) in enumerate(zip(expression.inputs, expression.pad_values, strict=True)):
            order = tuple(range(len(access.shape)))
            if number in shape.staged and number == roles.rows:
                operands.append(packed_operand(expression, shape, number, width * near, pad))
                continue
            if number != roles.columns:
                operands.append(OperandPlan(layer=REGISTER, order=order, pad_value=pad))
                continue
            last = tuple(
                next(d for d, index in enumerate(access.indices) if index.coefficients[loop])
                for loop in (roles.depth, roles.column)
            )
            operands.append(
                OperandPlan(
                    layer=CONSTANT if number in shape.ahead else WORKGROUP,
                    order=(*(d for d in order if d not in last), *last),
                    vector=width if last[1] == order[-1] else 1,
                    store_vector=width,
                    fragment_vector=width,
                    pad_value=pad,
                    panel=shape.blocks[roles.column] if number in shape.staged and roles.column in shape.inner else 0,
                    interleave=near,
                )
            )
        return Plan(
            device=device.name,
            instruction=self.instruction.family,
            axes=axes,
            thread_order=(),
            lane=roles.column,
            unit_order=shape.order,
            inner_order=shape.inner,
            raster=shape.raster,
            reduction_order=expression.reductions(),
            operands=tuple(operands),
            unroll=near * UNROLLED_GROUPS,
            tasks_per_unit=1,
            prediction=cost.prediction(self.work),
            atom=AtomPlan(shape=self.tile.shape, row=roles.row, column=roles.column, depth=roles.depth, lane_order=()),
        )


def atom_programs(
    cost: VectorCost,
    families: Sequence[str],
    room: float,
    constants: Collection[int] = (),
    known_s: Sequence[float] = (),
    count: int = 1,
) -> list[AtomProgram]:
    """Return the best programs of all instructions on whole vectors that can compute an expression, best first.

    Args:
        cost: Of the operator on a device of vectors.
        families: Families that may be used; empty for all.
        room: Bytes that a packed input may take.
        constants: Inputs that may be packed when the program is compiled.
        known_s: Predicted times of other programs, which these have to come before.
        count: How many of all are wanted.
    """
    expression, device = cost.expression, cost.device
    made: list[tuple[float, int, AtomProgram]] = []  # by a bound of the time
    for one in atom_instructions(expression, device, families):
        for roles in atom_roles(expression):
            for shape, tile in _shapes(cost, one, roles, room, ahead=roles.columns in constants):
                work = _bound(cost, one, roles, tile, shape)
                made.append((cost.seconds(work)[0], len(made), AtomProgram(one, roles, tile, shape, work)))
    best_s, found = sorted(known_s)[:count], list[tuple[float, int, AtomProgram]]()
    for least, number, one in sorted(made, key=lambda each: each[:2]):
        below = best_s[count - 1] if len(best_s) >= count else inf
        if least >= below:
            break
        program = ordered(cost, one.shape, one.work, below)
        if program is not None:
            insort(best_s, program.seconds)
            found.append((program.seconds, number, replace(one, shape=program.shape, work=program.work)))
    return [one for _, _, one in sorted(found, key=lambda each: each[:2])]


def _shapes(
    cost: VectorCost, one: Instruction, roles: AtomRoles, room: float, *, ahead: bool
) -> Iterator[tuple[TaskShape, VectorTile]]:
    """Yield the shapes of an instruction's tiles: those that read rows where they lie, and those that pack them."""
    expression, device = cost.expression, cost.device
    for tile in _rules(one).tiles(_product(expression, device, roles, packed=False), one):
        for shape in [_packed_ahead(expression, roles, tile)] if ahead else _packing(cost, roles, tile, room):
            yield shape, tile
    for tile in _rules(one).tiles(_product(expression, device, roles, packed=True), one):
        for shape in _rows_ahead(cost, roles, tile, room) if ahead else _packing(cost, roles, tile, room, rows=True):
            yield shape, tile


def _product(expression: TensorExpression, device: Device, roles: AtomRoles, *, packed: bool) -> VectorProduct:
    """Return what tiles depend on."""
    bounds, rows = expression.bounds, expression.inputs[roles.rows]
    return VectorProduct(
        rows=bounds[roles.row],
        columns=bounds[roles.column],
        depth=bounds[roles.depth],
        element_bytes=rows.element_bytes,
        rows_inside=not may_leave(expression, rows),
        rows_packed=packed,
        registers=device.vector_registers or _FEWEST_REGISTERS,
    )


def _rules(one: Instruction) -> VectorTiles:
    """Return how tiles of an instruction are made, and what they cost."""
    rules = atom_family(one.family).vectors
    assert rules is not None  # `atom_instructions` takes no other
    return rules


def _blocks(expression: TensorExpression, roles: AtomRoles, tile: VectorTile) -> tuple[int, ...]:
    """Return the points of each loop in a task."""
    own = {roles.row: tile.rows, roles.column: tile.vectors * tile.shape[1]}
    whole = {i: expression.bounds[i] for i in expression.reductions()}
    return tuple((own | whole).get(i, 1) for i in range(len(expression.loops)))


def _packing(
    cost: VectorCost, roles: AtomRoles, tile: VectorTile, room: float, *, rows: bool = False
) -> Iterator[TaskShape]:
    """Yield a tile's shapes whose tasks pack the factor of columns: one column of tiles, or as many as a cache holds.

    Tasks walk all rows, and of several columns these in each row, which they may pack, too.
    """
    expression = cost.expression
    blocks, packed = _blocks(expression, roles, tile), expression.inputs[roles.columns]
    tiles = {i: expression.loops[i].extent.most_tiles(blocks[i]) for i in expression.parallel()}
    several = [i for i in tiles if tiles[i] > 1]
    inner = tuple(i for i in several if i not in packed.loops())
    size = cost.size(roles.columns, blocks)
    if not inner or size > room:
        return
    moving = [i for i in several if i in packed.loops()]
    if not rows:
        yield TaskShape(blocks, roles.column, (*moving, *inner), inner, {}, (roles.columns,))
    count = cost.evenly(tiles[roles.column], int(panel_room(cost) // max(1.0, size)))
    if count > 1:
        outside = [i for i in moving if i != roles.column]
        all_of_them = count == tiles[roles.column]
        order = (*outside, *inner, roles.column) if all_of_them else (*outside, roles.column, *inner)
        walked = {} if all_of_them else {roles.column: count}
        staged = (roles.columns, *([roles.rows] if rows else []))
        yield TaskShape(blocks, roles.column, order, (*inner, roles.column), walked, tuple(sorted(staged)))


def _rows_ahead(cost: VectorCost, roles: AtomRoles, tile: VectorTile, room: float) -> Iterator[TaskShape]:
    """Yield a tile's shape whose factor of columns lies packed: a task packs rows, and walks all columns of them."""
    expression = cost.expression
    blocks, rows = _blocks(expression, roles, tile), expression.inputs[roles.rows]
    several = [i for i in expression.parallel() if expression.loops[i].extent.most_tiles(blocks[i]) > 1]
    inner = tuple(i for i in several if i not in rows.loops())
    if inner and cost.size(roles.rows, blocks) <= room:
        order = (*(i for i in several if i not in inner), *inner)
        yield TaskShape(blocks, roles.column, order, inner, {}, (roles.rows,), (roles.columns,))


def _packed_ahead(expression: TensorExpression, roles: AtomRoles, tile: VectorTile) -> TaskShape:
    """Return a tile's shape whose factor of columns lies packed: a task is a tile."""
    blocks = _blocks(expression, roles, tile)
    several = tuple(i for i in expression.parallel() if expression.loops[i].extent.most_tiles(blocks[i]) > 1)
    return TaskShape(blocks, roles.column, several, ahead=(roles.columns,))


def _bound(cost: VectorCost, one: Instruction, roles: AtomRoles, tile: VectorTile, shape: TaskShape) -> Work:
    """Return the work of tasks in any order: the instructions of tiles, what they load, and what is packed in front."""
    expression, device = cost.expression, cost.device
    ports, known = device.load_ports or 1, device.vectors
    points = prod([expression.bounds[i] for i in expression.reductions()])
    packed = roles.rows in shape.staged
    found = _rules(one).step(_product(expression, device, roles, packed=packed), one, tile)
    step = max(found.cycles, found.latency * known.fma_latency_cycles, found.loads / ports)
    step = max(step, (found.loads + found.cycles) / known.issue_per_cycle)
    if may_leave(expression, expression.inputs[roles.rows]) and not packed:
        step += known.mask_cycles * tile.rows
    walk = TaskWalk.of(expression, shape)
    walked, tasks = (prod([one[1] for one in loops]) for loops in (walk.inner, walk.units))
    sums = tile.rows * tile.vectors
    stored = sums + cost.ending(shape, sums, lanes_of(expression, device))
    cycles = walked * (known.task_cycles + found.beside + points / tile.shape[2] * step + stored)
    packing = 0.0
    for number, depth in walk.depths.items():
        times = prod([trips for _, trips in walk.inner[:depth]])
        packing += times * cost.packing(number, walk.packed_box(shape, expression, number))
    live, least = (tile.rows + 1) * tile.vectors + 1, cost.caches.least(min(cost.units, tasks))
    return Work(tasks, cycles + packing, live, least, packing)


def predicted_work(cost: VectorCost, plan: Plan) -> Work:
    """Return the work of a plan with an instruction on whole vectors.

    Raises:
        ConstructionError: The device has no such instruction.
    """
    expression, device, atom = cost.expression, cost.device, plan.atom
    assert atom is not None
    found = next((one for one in atom_instructions(expression, device, (plan.instruction,))), None)
    if found is None:
        kinds = " and ".join(sorted({access.element_type for access in expression.inputs}))
        raise ConstructionError(f"'{device.name}' has no instruction of family '{plan.instruction}' for {kinds}")
    columns = next(n for n, access in enumerate(expression.inputs) if atom.column in access.loops())
    roles = AtomRoles(1 - columns, columns, atom.row, atom.column, atom.depth)
    shape = TaskShape.of(expression, plan)
    tile = VectorTile(atom.shape, shape.blocks[atom.row], shape.blocks[atom.column] // atom.shape[1])
    return cost.bounded(_bound(cost, found, roles, tile, shape), shape)
