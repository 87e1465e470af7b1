# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of a planned program: parallel loops around loads, computes and stores, reduction loops around one compute.

Each op of the group becomes one `rtile.compute`. What another op of the group made is read as the tile that it left;
what comes from memory is loaded, once where several ops read it. An op that does not walk one of the group's loops
whose points lie on several threads is computed by all of them alike.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import prod
from typing import Any

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.affine import affine_sum
from roller_mlir.lowering.linalg.group.group import Group, Member
from roller_mlir.lowering.linalg.moved_constants import only_moves
from roller_mlir.lowering.linalg.reader import StructuredOp, fill_constant
from roller_mlir.lowering.loops.compute_box import ComputeBox, is_plain, local_map, tensor_box, unit_coefficients
from roller_mlir.lowering.loops.expand_body import clone_region
from roller_mlir.lowering.loops.expanded import LoopVariable, StagedPart, Walked
from roller_mlir.lowering.loops.load_packed import load_packed
from roller_mlir.lowering.loops.nest import INNER, UNIT
from roller_mlir.mapping.layout.data_tile import first_elements, tile_dimensions
from roller_mlir.mapping.layout.layout import residue_shift, steps_of
from roller_mlir.mapping.layout.spread import planned_epilogue_vectors, tail_plan
from roller_mlir.plan import Access, LinearIndex, OperandPlan, Plan
from roller_mlir.plan.extent import as_extents
from roller_mlir.plan.plan import CONSTANT, REGISTER, WORKGROUP
from roller_mlir.plan.tasks.walks import staged_depth, tasks_along, walked_blocks
from roller_mlir.support.bindings import arith, ir, scf, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


class Expansion:
    """Builds the loops of one program at the insertion point."""

    def __init__(self, plan: Plan, group: Group) -> None:
        self._plan, self._group = plan, group
        self._variables: dict[int, list[LoopVariable]] = {}  # those of a loop, outermost first
        self._constants: dict[int, ir.Value] = {}
        self._entry = ir.InsertionPoint(group.members[0].root.operation)
        loops = group.expression.loops
        self._steps = [steps_of(loop, axis) for loop, axis in zip(loops, plan.axes, strict=True)]
        # Loops that lie whole in a task begin at its start for every op of it.
        self._shifts = [
            0 if number in group.expression.whole else residue_shift(loop, axis)
            for number, (loop, axis) in enumerate(zip(loops, plan.axes, strict=True))
        ]
        self._tiles: dict[ir.Value, ir.Value] = {}
        self._staged: dict[int, StagedPart] = {}  # in front of loops that a task walks, by number of the operand
        self._destinations: Sequence[ir.Value] = ()  # what a tile's results go to
        self._kept: dict[int, ir.Value] = {}  # by number of the operand that several ops read
        self._walked = [loop for loop in group.expression.whole if self._steps[loop] > 1]  # see `RowExpansion`
        self._beside = planned_epilogue_vectors(group.expression, plan)
        self._operands = {use: number for number, uses in enumerate(group.inputs) for use in uses}
        self._behind = tail_plan(group.expression, plan)  # what members of the tail see

    def build(self) -> list[ir.Value]:
        """Build; return the result tensors."""
        destinations = [
            tensor.empty(access.static_shape, ir.Type.parse(access.element_type)) for access in self._outputs()
        ]
        units = [
            Walked(loop, steps, walked)
            for loop, steps, walked in self._task_loops()
            if steps > 1 and loop not in self._walked
        ]
        return self._nest(units, destinations, self._task, {rtile.MAPPING: ir.StringAttr.get(UNIT)})

    def _task_loops(self) -> Iterator[tuple[int, int, int]]:
        """Yield the loops over tasks, each with its tasks and the blocks from one of them to the next."""
        plan, steps = self._plan, self._steps
        levels = plan.raster or [(loop, tasks_along(plan, loop, steps[loop]), 1) for loop in plan.unit_order]
        for loop, tasks, apart in levels:
            yield loop, tasks, apart * walked_blocks(plan, loop, steps[loop])

    def _inner_loops(self) -> list[int]:
        walked = {loop: walked_blocks(self._plan, loop, self._steps[loop]) for loop in self._plan.inner_order}
        return [loop for loop in self._plan.inner_order if walked[loop] > 1]

    def _panel_loops(self) -> list[int]:
        """Return the reduction loops whose steps stand around the loops that a task walks by itself."""
        return [loop for loop in self._plan.reduction_order if self._steps[loop] > 1] if self._inner_loops() else []

    def _task(self, destinations: Sequence[ir.Value]) -> list[ir.Value]:
        inner = self._inner_loops()
        attributes: dict[str, ir.Attribute] = {rtile.MAPPING: ir.StringAttr.get(INNER)}

        def walk(loops: Sequence[int], carried: Sequence[ir.Value]) -> list[ir.Value]:
            if not loops:
                return self.task_tile(carried)
            self._stage(inner, len(inner) - len(loops))
            loop = Walked(loops[0], walked_blocks(self._plan, loops[0], self._steps[loops[0]]))
            return self._nest([loop], carried, lambda values: walk(loops[1:], values), attributes)

        panels = [Walked(loop, self._steps[loop]) for loop in self._panel_loops()]
        return self._nest(panels, destinations, lambda carried: walk(inner, carried), attributes)

    def _stage(self, inner: Sequence[int], depth: int) -> None:
        """Stage in front of an inner loop what belongs there (`staged_depth`), for all blocks of those inside of it."""
        for operand, layout in enumerate(self._plan.operands):
            number, position = self._group.inputs[operand][0]
            member = self._group.members[number]
            access = member.root.expression.inputs[position]
            moving = {member.loops[loop] for loop in access.loops()}
            if layout.layer != WORKGROUP or staged_depth(inner, moving) != depth:
                continue
            blocks = {loop: walked_blocks(self._plan, loop, self._steps[loop]) for loop in inner[depth:]}
            box, source = self._box(member, blocks), member.root.sources[position]
            producer = self._group.producers.get((member.root.operation, position))
            with member.root.operation.location:
                tile = self._load(box, source, box.access(access), layout, producer)
            self._staged[operand] = StagedPart(tile, box, [loop for loop in inner[depth:] if loop in moving])

    def _outputs(self) -> list[Access]:
        return [self._made(value)[1] for value in self._group.results]

    def _made(self, value: ir.Value) -> tuple[Member, Access]:
        """Return the member that makes a tensor, and how it writes it."""
        for member in self._group.members:
            results = list(member.root.operation.results)
            if value in results:
                return member, member.root.expression.outputs[results.index(value)]
        raise AssertionError(f"{value} is made by an op of the group")

    def _constant(self, value: int) -> ir.Value:
        if value not in self._constants:
            self._constants[value] = arith.constant(ir.IndexType.get(), value, ip=self._entry)
        return self._constants[value]

    def _nest(
        self,
        loops: Sequence["Walked"],
        carried: Sequence[ir.Value],
        body: Callable[[Sequence[ir.Value]], Sequence[ir.Value]],
        attributes: dict[str, ir.Attribute],
    ) -> list[ir.Value]:
        """Build a nest of loops that carries values; attributes go to its loops."""
        if not loops:
            return list(body(carried))
        first = loops[0]
        loop = scf.ForOp(*[self._constant(value) for value in (0, first.steps, 1)], iter_args=list(carried))
        with ir.InsertionPoint(loop.body):
            variable = LoopVariable(loop.induction_variable, first.blocks * self._plan.axes[first.loop].block)
            self._variables.setdefault(first.loop, []).append(variable)
            scf.YieldOp(self._nest(loops[1:], list(loop.inner_iter_args), body, attributes))
        for name, value in attributes.items():
            loop.operation.attributes[name] = value
        return list(loop.results_)

    def task_tile(self, destinations: Sequence[ir.Value]) -> list[ir.Value]:
        """Compute the tile of one task; return the destinations behind what it stores."""
        self._destinations = destinations
        for number in range(len(self._group.members)):
            self._define(number, self._member)
        return self._stored(self._group.results, destinations)

    def _define(self, number: int, make: Callable[[int, Member], list[ir.Value]]) -> None:
        member = self._group.members[number]
        with member.root.operation.location:
            tiles = make(number, member)
        self._tiles.update(zip(member.root.operation.results, tiles, strict=True))

    def _stored(self, values: Sequence[ir.Value], destinations: Sequence[ir.Value]) -> list[ir.Value]:
        """Store the tiles of tensors that leave the group; return the destinations behind that."""
        results: list[ir.Value] = []
        for value, destination in zip(values, destinations, strict=True):
            member, access = self._made(value)
            box = self._box(member)
            indices, origin = self._origin(box, self._inner(box, access))
            steps = [dimension.step for dimension in tile_dimensions(self._inner(box, access), box.blocks)]
            stored = rtile.store(
                self._tiles[value], destination, indices, origin=origin, steps=steps, copy=self._plan.store
            )
            results.append(stored.operation.results[0])
        return results

    def _inner(self, box: ComputeBox, access: Access) -> Access:
        """Return how an op of several walks a tile that the group makes: a loop of one point has one element there.

        Another op may have no loop in its place, however large the tile is along it.
        """
        return box.access(access) if len(self._group.members) == 1 else box.access(access, points_only=True)

    def _box(self, member: Member, walked: Mapping[int, int] | None = None) -> ComputeBox:
        """Return the box of a member, or that of several of its blocks along some of the group's loops."""
        plan = self._plan_of(member)
        if walked:
            axes = [replace(axis, block=axis.block * walked.get(i, 1)) for i, axis in enumerate(plan.axes)]
            plan = replace(plan, axes=tuple(axes))
        return ComputeBox(plan, member.loops, member.root.expression.loops)

    def _plan_of(self, member: Member) -> Plan:
        """Return the plan as a member sees it: one of the tail may be spread."""
        behind = any(self._group.members[number] is member for number in self._group.tail)
        return self._behind if behind else self._plan

    def _member(self, number: int, member: Member) -> list[ir.Value]:
        """Build an op's compute, in reduction loops where it is the reduction root."""
        box = self._box(member)
        is_reduction_root = number == self._group.reduction_root
        initial = self._initial(number, member, box)
        if not is_reduction_root:
            return self._all_points(number, member, box, initial)
        if self._panel_loops():
            return self._compute(number, member, box, self._resumed(initial, member, box), self._plan.unroll)
        reductions = [Walked(loop, self._steps[loop]) for loop in self._plan.reduction_order if self._steps[loop] > 1]
        stages: dict[str, ir.Attribute] = {}
        if any(operand.layer == WORKGROUP for operand in self._plan.operands):
            stages[rtile.STAGES] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), self._plan.stages)
        found = self._nest(
            reductions, initial, lambda carried: self._compute(number, member, box, carried, self._plan.unroll), stages
        )
        for one in reductions:
            del self._variables[one.loop]
        return found

    def _resumed(self, initial: Sequence[ir.Value], member: Member, box: ComputeBox) -> list[ir.Value]:
        """Return the accumulators before any step: what the result holds, but before the first step `initial`."""
        variables = [self._variables[loop][-1].value for loop in self._panel_loops()]
        first: Any = None
        for variable in variables:
            begins = arith.cmpi(arith.CmpIPredicate.eq, variable, self._constant(0))
            first = begins if first is None else arith.andi(first, begins)
        found: list[ir.Value] = []
        accesses = member.root.expression.outputs
        for start, destination, access in zip(initial, self._destinations, accesses, strict=True):
            choice = scf.IfOp(first, [start.type], has_else=True)
            with ir.InsertionPoint(choice.then_block):
                scf.YieldOp([start])
            assert choice.else_block is not None
            with ir.InsertionPoint(choice.else_block):
                output = self._inner(box, access)
                register = OperandPlan(layer=REGISTER, order=tuple(range(len(access.shape))))
                scf.YieldOp([self._load(box, destination, output, register)])
            found.append(choice.results_[0])
        return found

    def _all_points(
        self, number: int, member: Member, box: ComputeBox, accumulators: Sequence[ir.Value]
    ) -> list[ir.Value]:
        """Build the compute of an op that is not the reduction root, with all of a thread's points unrolled."""
        points = prod(axis.registers for axis, loop in zip(box.axes, box.loops, strict=True) if loop.reduction)
        return self._compute(number, member, box, accumulators, points)

    def _beside_vector(self, member: int, operand: int) -> int:
        """Return the elements of one read of what is no input of the expression."""
        return self._beside[self._group.beside[member, operand]]

    def _initial(self, member_number: int, member: Member, box: ComputeBox) -> list[ir.Value]:
        """Return the accumulators before the first step: constants, unspecified, or the old outputs."""
        root = member.root
        found: list[ir.Value] = []
        for number, access in enumerate(root.expression.outputs):
            source = root.operation.operands[root.body.inputs + number]
            output = self._inner(box, access)
            shape = [dimension.extent for dimension in tile_dimensions(output, box.blocks)]
            element = ir.Type.parse(output.element_type)
            scalar = fill_constant(source)
            if not root.body.reads(root.body.inputs + number):
                found.append(tensor.empty(shape, element))
            elif scalar is not None:
                kind = ir.RankedTensorType.get(shape, element)
                found.append(arith.constant(kind, ir.DenseElementsAttr.get_splat(kind, scalar)))
            elif source in self._tiles:
                found.append(self._tiles[source])
            else:
                start = defining_op(source)
                if start is not None:
                    fail(start, f"'{start.name}' cannot start an accumulator; a fill with a constant or an operand can")
                # Of a spread tail, threads add what a sum starts from to the points that they have then.
                width = self._beside_vector(member_number, len(root.sources) + number)
                register = OperandPlan(layer=REGISTER, order=tuple(range(len(shape))), vector=width)
                found.append(self._load(box, source, output, register))
        return found

    def _compute(
        self, number: int, member: Member, box: ComputeBox, accumulators: Sequence[ir.Value], unroll: int
    ) -> list[ir.Value]:
        """Build the loads and the compute of an op, for the current loop variables."""
        root, expression = member.root, member.root.expression
        tiles = [
            self.input_tile(number, position, box, source, access)
            for position, (source, access) in enumerate(zip(root.sources, expression.inputs, strict=True))
        ]
        accesses = [
            self._inner(box, access) if source in self._tiles else box.access(_whole(access, len(member.loops)))
            for source, access in zip(root.sources, expression.inputs, strict=True)
        ]
        accesses += [self._inner(box, access) for access in expression.outputs]
        is_root = number == self._group.reduction_root
        skips = [self._group.inputs[operand][0][1] for operand in self._plan.skips] if is_root else []
        instruction = self._instruction(box) if is_root else None
        compute = self._emit_compute(box, tiles, accumulators, accesses, unroll, instruction, skips)
        clone_region(root, compute)
        return list(compute.operation.results)

    def _emit_compute(
        self,
        box: ComputeBox,
        tiles: Sequence[ir.Value],
        accumulators: Sequence[ir.Value],
        accesses: Sequence[Access],
        unroll: int,
        instruction: rtile.InstructionAttr | None = None,
        skips: Sequence[int] = (),
    ) -> rtile.ComputeOp:
        count = len(box.loops)
        used = self._used(box, range(box.own))
        positions = [LinearIndex(unit_coefficients(loop, count)) if loop < box.own else None for loop in range(count)]
        return rtile.compute(
            tiles,
            accumulators,
            [variable.value for _, variable in used],
            indexing_maps=[local_map(tile_dimensions(access, box.blocks), count) for access in accesses],
            iterator_types=["reduction" if loop.reduction else "parallel" for loop in box.loops],
            box=box.blocks,
            bounds=[loop.extent.static for loop in box.loops],
            origin=self._map(box, [one or LinearIndex((0,) * count) for one in positions], used),
            threads=rtile.ThreadsAttr.of(
                [(axis.threads, axis.chunk, *((axis.lanes, axis.tile) if axis.lanes else ())) for axis in box.axes],
                order=box.order,
                lane=box.lane,
                unroll=unroll,
                lane_order=box.lane_order,
            ),
            instruction=instruction,
            skips=skips,
        )

    def _instruction(self, box: ComputeBox) -> rtile.InstructionAttr | None:
        """Return the matrix instruction of the reduction root, None where threads compute by themselves."""
        atom = self._plan.atom
        if atom is None:
            return None
        row, column, depth = (box.group.index(loop) for loop in (atom.row, atom.column, atom.depth))
        return rtile.InstructionAttr.of(self._plan.instruction, atom.shape, row=row, column=column, depth=depth)

    def input_tile(self, number: int, position: int, box: ComputeBox, source: ir.Value, access: Access) -> ir.Value:
        """Return the tile that an input of an op is read from."""
        if source in self._tiles:
            return self._tiles[source]
        if access.gathered:
            return self._table(source, access)
        operand = self._operands.get((number, position))
        if operand is None:  # of an epilogue
            own = box.access(access)
            layout = OperandPlan(
                layer=REGISTER,
                order=tuple(range(len(access.shape))),
                vector=self._beside_vector(number, position),
                pad_value=self._group.members[number].root.expression.pad_values[position],
            )
            return self._load(box, source, own, layout)
        if operand in self._staged:
            return self._part(self._staged[operand], box, access)
        layout = self._plan.operands[operand]
        uses = self._group.inputs[operand]
        producer = self._group.producers.get((self._group.members[number].root.operation, position))
        if producer is not None or len(uses) == 1:
            return self._load(box, source, box.access(access), layout, producer)
        if operand not in self._kept:
            if is_plain(access):
                self._kept[operand] = self._keep(self._group.members[number], box, source, access, layout)
            else:
                self._kept[operand] = self._load(box, source, box.access(access), layout)
        return self._kept[operand]

    def _keep(self, member: Member, box: ComputeBox, source: ir.Value, access: Access, layout: OperandPlan) -> ir.Value:
        """Load a tile that several ops read into registers; a member is the first of them."""
        kept, own = tensor_box(self._plan_of(member), box, access)
        tile = self._load(kept, source, own, layout)
        shape = [dimension.extent for dimension in tile_dimensions(own, kept.blocks)]
        empty = tensor.empty(shape, ir.Type.parse(access.element_type))
        compute = self._emit_compute(kept, [tile], [empty], [own, own], 1)
        with ir.InsertionPoint(compute.entry):
            rtile.yield_([compute.entry.arguments[0]])
        return compute.operation.results[0]

    def _load(
        self,
        box: ComputeBox,
        source: ir.Value,
        access: Access,
        operand: OperandPlan,
        producer: StructuredOp | None = None,
    ) -> ir.Value:
        dimensions = tile_dimensions(access, box.blocks)
        if operand.layer == CONSTANT:
            return self._packed(box, source, access, operand)
        computed = None if producer is None or only_moves(producer.operation) else producer
        indices, origin = self._origin(box, access)
        layout: Any = None
        if operand.layer == WORKGROUP or operand.vector > 1:
            layout = rtile.LayoutAttr.of(operand)
        tile = rtile.TileAttr.of([d.extent for d in dimensions], operand.layer, [d.step for d in dimensions])
        load = rtile.load_tile(
            source,
            indices,
            tile=tile,
            origin=origin,
            layout=layout,
            pad_value=operand.pad_value,
            mapped=computed is not None,
        )
        if computed is not None:
            assert isinstance(load, rtile.MapLoadOp)
            clone_region(computed, load)
        return load.operation.results[0]

    def _packed(self, box: ComputeBox, source: ir.Value, access: Access, operand: OperandPlan) -> ir.Value:
        """Load a tile of a constant that is packed."""
        moving = [loop for loop in access.loops() if box.group[loop] in self._variables]
        loops = sorted(moving, key=lambda loop: box.group[loop])
        used = [(loop, variable.value, variable.points) for loop, variable in self._used(box, loops)]
        trips = {loop: self._steps[box.group[loop]] for loop in loops}
        return load_packed(box, source, access, operand, trips, used)

    def _table(self, source: ir.Value, access: Access) -> ir.Value:
        """Load a tensor that is read at computed positions: the whole of it, read where an element is needed."""
        tile = rtile.TileAttr.of([access.gathered], REGISTER, [1])
        origin = ir.AffineMap.get(0, 0, [ir.AffineConstantExpr.get(0)])
        return rtile.load_tile(source, [], tile=tile, origin=origin).operation.results[0]

    def _part(self, staged: "StagedPart", box: ComputeBox, access: Access) -> ir.Value:
        """Return the tile of one block inside of a staged tile of several."""
        if not staged.inner:
            return staged.tile
        whole, own = staged.box.access(access), box.access(access)
        outer, inner = (tile_dimensions(one, x.blocks) for one, x in ((whole, staged.box), (own, box)))
        reach = [
            (b.constant - a.constant) // d.step
            for a, b, d in zip(
                first_elements(whole, staged.box.blocks), first_elements(own, box.blocks), outer, strict=True
            )
        ]
        # Of a loop over tasks that the task walks a part of, the innermost variable counts blocks of the part.
        used = [
            (loop, self._variables[box.group[loop]][-1])
            for loop in sorted(access.loops())
            if box.group[loop] in staged.inner
        ]
        origin = ir.AffineMap.get(
            len(used),
            0,
            [
                affine_sum(
                    {n: d.coefficients.get(loop, 0) * variable.points for n, (loop, variable) in enumerate(used)}, start
                )
                for d, start in zip(outer, reach, strict=True)
            ],
        )
        steps = [b.step // a.step if b.extent > 1 else 1 for a, b in zip(outer, inner, strict=True)]
        tile = rtile.TileAttr.of([d.extent for d in inner], REGISTER, steps)
        load = rtile.load_tile(staged.tile, [variable.value for _, variable in used], tile=tile, origin=origin)
        return load.operation.results[0]

    def _used(self, box: ComputeBox, loops: Iterable[int]) -> "list[tuple[int, LoopVariable]]":
        """Return the variables of some of a box's loops, each with its loop."""
        return [(loop, variable) for loop in loops for variable in self._variables.get(box.group[loop], [])]

    def _origin(self, box: ComputeBox, access: Access) -> tuple[list[ir.Value], ir.AffineMap]:
        """Return the loop variables that an access depends on, and its tile's origin as a map of them."""
        used = self._used(box, sorted(access.loops()))
        first = first_elements(access, box.blocks)
        return [variable.value for _, variable in used], self._map(box, first, used)

    def _map(
        self, box: ComputeBox, functions: Sequence[LinearIndex], used: "Sequence[tuple[int, LoopVariable]]"
    ) -> ir.AffineMap:
        results: list[ir.AffineExpr] = []
        for function in functions:
            constant = function.constant - sum(
                k * self._shifts[box.group[loop]] for loop, k in function.terms().items()
            )
            factors = [function.coefficients[loop] * variable.points for loop, variable in used]
            results.append(affine_sum(dict(enumerate(factors)), constant))
        return ir.AffineMap.get(len(used), 0, results)


def _whole(access: Access, loops: int) -> Access:
    """Return a gathered access as one of the whole tensor's first element; any other as it is."""
    if not access.gathered:
        return access
    return replace(access, shape=as_extents([access.gathered]), indices=(LinearIndex((0,) * loops),))
