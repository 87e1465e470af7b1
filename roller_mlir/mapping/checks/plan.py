# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a plan fits an expression: what every stage relies on, whoever wrote the plan."""

from collections.abc import Sequence
from math import prod

from roller_mlir.hal.atoms import Factors, Family, atom_family
from roller_mlir.hal.atoms.fragments import COLUMN, ROW, lane_order, result_shares
from roller_mlir.hal.atoms.vectors import LANE_BYTES
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES, buffer_shape, keeps_rows, steps_of
from roller_mlir.mapping.layout.spread import planned_epilogue_vectors, spread_plan, with_tail_vectors
from roller_mlir.mapping.layout.staged_store import staged_store_problem
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.mapping.whole_matrices import matrix_pitch
from roller_mlir.plan import Access, AxisPlan, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT, STAGED, SYNCHRONOUS, TENSOR, WORKGROUP, AtomPlan, pipeline_problem
from roller_mlir.plan.rewrite.uneven import reads_outside
from roller_mlir.plan.tasks.raster import raster_problem
from roller_mlir.plan.tasks.skips import skip_problem
from roller_mlir.plan.tasks.walks import resumable, tasks_along, walked_blocks


def plan_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return how a plan, whose fields hold what they declare, does not fit an expression, or an empty string."""
    loops, inputs = len(expression.loops), len(expression.inputs)
    if len(plan.axes) != loops or len(plan.operands) != inputs:
        planned = f"{len(plan.axes)} loops and {len(plan.operands)} inputs"
        return f"has a plan for {planned}, but its op has {loops} and {inputs}"
    problem = _atom_problem(expression, plan)
    if problem:
        return f"has a plan {problem}"
    try:
        ThreadMap(plan.axes, plan.thread_order, plan.lane_order)
    except ValueError as error:
        return f"cannot take its plan: {error}"
    if plan.lane is not None and not 0 <= plan.lane < loops:
        return f"has a plan with lane {plan.lane}, which is none of its {loops} loops"
    steps = [steps_of(expression.loops[loop], plan.axes[loop]) for loop in expression.reductions()]
    if plan.atom is not None and plan.stages == 1 and prod(steps) > 1:
        return f"has a plan with 1 stage for {prod(steps)} steps of a matrix instruction, which need at least 2 stages"
    waiting = next(
        (i for i, one in enumerate(plan.operands) if one.layer == WORKGROUP and one.copy == SYNCHRONOUS), None
    )
    if plan.stages > 2 and waiting is not None:
        return (
            f"has a plan with {plan.stages} stages, but operand {waiting} is copied through registers; such copies "
            "have 1 or 2 stages"
        )
    problem = ordered_problem(expression, plan.axes, plan.lane)
    if problem:
        return f"has a plan that {problem}"
    if expression.ordered and list(plan.reduction_order) != sorted(plan.reduction_order):
        return f"has a plan with reduction_order {list(plan.reduction_order)}; its points must be walked in order"
    cut = next((loop for loop in expression.whole if steps_of(expression.loops[loop], plan.axes[loop]) > 1), None)
    if cut is not None and not expression.row_passes:
        return (
            f"has a plan that cuts loop {cut} into blocks of {plan.axes[cut].block}; all of its points belong into one "
            "task, since one op reduces over them and another needs the result at each"
        )
    for name, order, wanted in (
        ("unit_order", plan.unit_order, expression.parallel()),
        ("reduction_order", plan.reduction_order, expression.reductions()),
    ):
        if len(set(order)) != len(order) or not set(order) <= set(wanted):
            return f"has a plan whose {name} {list(order)} must be some of the loops {list(wanted)}, each once"
        walked = () if cut is None else expression.whole
        missing = [
            loop
            for loop in wanted
            if loop not in (*order, *walked) and steps_of(expression.loops[loop], plan.axes[loop]) > 1
        ]
        if missing:
            return f"has a plan whose {name} {list(order)} leaves out loop {missing[0]}, which has several blocks"
    counts = {
        loop: tasks_along(plan, loop, _blocks(expression, plan, loop))
        for loop in plan.unit_order
        if loop not in expression.whole
    }
    problem = raster_problem(plan.raster, counts) if plan.raster else ""
    if problem:
        return f"has a plan whose raster {[list(level) for level in plan.raster]} {problem}"
    problem = _inner_problem(expression, plan)
    if problem:
        return f"has a plan whose inner_order {list(plan.inner_order)} {problem}"
    problem = _skips_problem(expression, plan)
    if problem:
        return f"has a plan whose skips {list(plan.skips)} {problem}"
    if plan.spread and spread_plan(expression, plan) is None:
        return (
            "has a plan that is spread, but nothing follows its reduction that its threads could share point by point"
        )
    problem = _staged_store_problem(expression, plan)
    if problem:
        return f"has a plan whose store '{plan.store}' {problem}"
    family = atom_family(plan.instruction)
    most = with_tail_vectors(expression, plan, MAX_VECTOR_BYTES)
    accesses = zip(expression.inputs, expression.pad_values, plan.operands, strict=True)
    for number, (access, pad, operand) in enumerate(accesses):
        problem, rank = "", len(access.shape)
        if sorted(operand.order) != list(range(rank)):
            problem = f"has order {list(operand.order)}, which must hold each of its {rank} dimensions once"
        if not problem and operand.panel and operand.layer == CONSTANT:
            problem = f"has panels of {operand.panel}, which packed constants do not have"
        if not problem and operand.layer == CONSTANT:
            problem = _constant_problem(expression, plan, number)
        if not problem and operand.pad_value != pad and reads_outside(expression, access):
            problem = f"has pad_value {operand.pad_value}; it is read outside of its tensor, where it is {pad}"
        changed = expression.prologue_flops and expression.prologue_flops[number]
        if not problem and changed and operand.layer == WORKGROUP and operand.copy != SYNCHRONOUS:
            problem = f"has copy '{operand.copy}'; its elements are changed on their way, which passes registers"
        if not problem and (operand.copy == TENSOR) != family.reads_memory:
            problem = (
                f"has copy '{operand.copy}'; instructions that read workgroup memory, and no others, take tensor copies"
            )
        if not problem and family.factors is Factors.WHOLE:
            problem = _whole_matrix_problem(access, plan, operand)
        if not problem and cut is not None and operand.layer == WORKGROUP:
            problem = _kept_row_problem(expression, access, operand)
        neighbours = most.operands[number].vector
        if not problem and plan.spread and number in expression.tail_inputs and operand.vector > neighbours:
            problem = f"has vector {operand.vector}, but a thread that shares a tail has {neighbours} neighbours of it"
        if problem:
            return f"has a plan whose operand {number} {problem}"
    widest, widths = most.epilogue_vectors, planned_epilogue_vectors(expression, plan)
    if len(widths) != len(widest):
        return f"has a plan whose epilogue_vectors must be {len(widest)}, one a tensor, but are {len(widths)}"
    wide = next((number for number, (x, y) in enumerate(zip(widths, widest, strict=True)) if x > y), None)
    if wide is not None:
        found = f"epilogue_vectors[{wide}] is {widths[wide]}"
        return f"has a plan whose {found}, but a thread has {widest[wide]} neighbours in aligned rows"
    problem = pipeline_problem(plan.pipeline, plan.copies, plan.stages, matrix=plan.atom is not None)
    return f"has a plan with {problem}" if problem else ""


def _kept_row_problem(expression: TensorExpression, access: Access, operand: OperandPlan) -> str:
    """Return why rows of an input cannot stay in workgroup memory while a task walks them, or an empty string."""
    if not keeps_rows(expression, access):
        return "is staged, but it has no rows of its own that a task could keep there while it walks them"
    if operand.pad or operand.swizzle is not None or list(operand.order) != list(range(len(access.shape))):
        return (
            "is a row that stays in workgroup memory, which lies there as in its tensor; it takes no pad and no swizzle"
        )
    return ""


def _staged_store_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return why a plan's results cannot pass workgroup memory on their way, or an empty string."""
    if plan.store != STAGED:
        return ""
    blocks = [axis.block for axis in plan.axes]
    if plan.threads == 1:
        return "is for tasks whose threads store for each other, but this one has 1 thread"
    if expression.walks_rows(blocks):
        return "is for tasks of one tile, but this one walks its rows in steps"
    return staged_store_problem(expression, blocks)


def _skips_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return why points that read padding cannot be left out, or an empty string."""
    if not plan.skips:
        return ""
    if len(plan.skips) > 1:
        return "must be one of two factors"
    if plan.threads > 1 or plan.atom is not None:
        return "is for sums of products that a task of one thread multiplies and adds"
    return skip_problem(expression, plan.skips[0])


def _inner_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return why a task cannot walk the loops that it is to walk by itself, or an empty string."""
    inner = plan.inner_order
    if not inner:
        return ""
    if len(set(inner)) != len(inner) or not set(inner) <= set(plan.unit_order):
        return f"must be some of the loops of unit_order {list(plan.unit_order)}, each once"
    blocks = {loop: _blocks(expression, plan, loop) for loop in inner}
    whole = {loop for loop in inner if walked_blocks(plan, loop, blocks[loop]) == blocks[loop]}
    if whole != set(plan.unit_order[len(plan.unit_order) - len(whole) :]):
        return f"walks all of loops {sorted(whole)}, which must be the last of unit_order {list(plan.unit_order)}"
    if plan.threads > 1 or (plan.atom is not None and not atom_family(plan.instruction).vectors):
        return f"is for tasks of one thread, but this plan has {plan.threads}"
    several = next((i for i in expression.reductions() if _blocks(expression, plan, i) > 1), None)
    if several is not None and plan.lane in expression.reductions():
        return f"stands inside of several steps of loop {several}, but lanes along loop {plan.lane} hold parts of sums"
    if several is not None and not resumable(expression):
        return (
            f"stands inside of the {_blocks(expression, plan, several)} steps of loop {several}, between which sums "
            "lie in the result; what it stores is not the sums themselves"
        )
    return ""


def _blocks(expression: TensorExpression, plan: Plan, loop: int) -> int:
    return steps_of(expression.loops[loop], plan.axes[loop])


def _constant_problem(expression: TensorExpression, plan: Plan, number: int) -> str:
    """Return why an input cannot be packed when the program is compiled, or an empty string."""
    access = expression.inputs[number]
    several = [i for i in expression.reductions() if _blocks(expression, plan, i) > 1]
    if several and not plan.inner_order:
        return f"is packed as a constant, but loop {several[0]} is a reduction of several steps inside of a tile"
    cut = next((i for i in several if expression.bounds[i] % plan.axes[i].block), None)
    if cut is not None:
        size = plan.axes[cut].block
        return f"is packed as a constant, but steps of {size} do not divide the {expression.bounds[cut]} of loop {cut}"
    if plan.threads > 1:
        return f"is packed as a constant, which is for tasks of one thread, but this plan has {plan.threads}"
    if access.gathered or not access.shape or (expression.prologue_flops and expression.prologue_flops[number]):
        return "is packed as a constant, but it is not read as it is"
    for loop in sorted(access.loops()):
        blocks = _blocks(expression, plan, loop)
        walked = walked_blocks(plan, loop, blocks)
        if blocks % walked:
            tiles = f"{blocks} tiles along loop {loop}, of which a task walks {walked}"
            return f"is packed as a constant of {tiles}: no whole number of times"
    return ""


def _whole_matrix_problem(access: Access, plan: Plan, operand: OperandPlan) -> str:
    """Return why the matrices of a factor cannot be read whole, or an empty string."""
    atom = plan.atom
    assert atom is not None  # `_atom_problem`
    if operand.swizzle is not None:
        return f"has swizzle '{operand.swizzle}'; '{plan.instruction}' reads rows that are not permuted"
    dimensions = tile_dimensions(access, [axis.block for axis in plan.axes])
    side = atom.row if atom.row in access.loops() else atom.column
    terms = [dimensions[d].coefficients for d in operand.order]
    try:
        matrix_pitch(terms, buffer_shape(dimensions, operand), (side, atom.depth), access.element_bytes)
    except ValueError as error:
        return f"is a tile that '{plan.instruction}' cannot read: its {error}"
    return ""


def _atom_problem(expression: TensorExpression, plan: Plan) -> str:
    """Return how a plan's matrix instruction does not fit its loops, or an empty string."""
    try:
        family = atom_family(plan.instruction)
    except ValueError as error:
        return f"for an unknown instruction: {error}"
    atom = plan.atom
    if (atom is not None) != family.has_shape:
        wants = "no 'atom'" if atom is not None else "an 'atom'"
        return f"with instruction '{plan.instruction}', which has {wants}"
    if atom is None:
        spread = next((loop for loop, axis in enumerate(plan.axes) if axis.lanes), None)
        return "" if spread is None else f"whose loop {spread} has lanes, which only an 'atom' gives a meaning"
    loops = {"row": expression.parallel(), "column": expression.parallel(), "depth": expression.reductions()}
    for key, known in loops.items():
        if getattr(atom, key) not in known:
            return f"whose {key} loop {getattr(atom, key)} must be one of {list(known)}"
    if family.vectors:
        return _vector_atom_problem(expression, plan, atom, family)
    try:
        result = family.fragments(atom.shape, expression.inputs[0].element_bytes).result
    except ValueError:
        return f"with instruction '{plan.instruction}' of shape {list(atom.shape)}, which is none of its family"
    names = {ROW: atom.row, COLUMN: atom.column}
    order = tuple(names[one] for one in lane_order(result))
    if atom.lane_order != order:
        return f"whose lane_order {list(atom.lane_order)} must be {list(order)} for '{plan.instruction}'"
    for dimension, share in result_shares(result).items():
        axis = plan.axes[names[dimension]]
        if (axis.lanes, axis.chunk, axis.tile) != (share.lanes, share.chunk, share.tile):
            return (
                f"whose loop {names[dimension]} has lanes {axis.lanes}, chunk {axis.chunk} and tile {axis.tile}; "
                f"'{plan.instruction}' of shape {list(atom.shape)} has {share.lanes}, {share.chunk} and {share.tile}"
            )
    if family.subgroups > 1:
        problem = _warpgroup_problem(expression, plan, atom, family)
        if problem:
            return problem
    if plan.axes[atom.depth].block % atom.shape[2]:
        return f"whose step of {plan.axes[atom.depth].block} along loop {atom.depth} must hold whole instructions"
    number = next((i for i, one in enumerate(plan.operands) if one.layer != WORKGROUP), None)
    return "" if number is None else f"whose operand {number} is not staged, as a matrix instruction needs it"


def _vector_atom_problem(expression: TensorExpression, plan: Plan, atom: AtomPlan, family: Family) -> str:
    """Return how an instruction on whole vectors does not fit its loops, or an empty string."""
    size = expression.inputs[0].element_bytes
    if not family.exists(atom.shape, size):
        return f"with instruction '{plan.instruction}' of shape {list(atom.shape)}, which is none of its family"
    if atom.lane_order:
        return f"whose lane_order {list(atom.lane_order)} must be empty for '{plan.instruction}', which has no lanes"
    row, column, depth = (plan.axes[loop] for loop in (atom.row, atom.column, atom.depth))
    rows, columns, length = atom.shape
    if row.block % rows or depth.block % length or column.block % columns:
        return (
            f"whose tile of {row.block}x{column.block}x{depth.block} must hold whole instructions of {list(atom.shape)}"
        )
    if plan.lane != atom.column or column.chunk != columns or row.chunk != 1:
        return f"whose loop {atom.column} must be the lane, in chunks of {columns}, for '{plan.instruction}'"
    if any(steps_of(expression.loops[loop], plan.axes[loop]) > 1 for loop in expression.reductions()):
        return f"whose reduction has several steps; '{plan.instruction}' takes all of it in one"
    if depth.block != expression.loops[atom.depth].extent.bound:
        return f"whose step of {depth.block} along loop {atom.depth} is not the whole of it"
    first, second = (
        next((n for n, x in enumerate(expression.inputs) if loop in x.loops()), None)
        for loop in (atom.row, atom.column)
    )
    if first is None or second is None or first == second:
        return f"whose loops {atom.row} and {atom.column} are not of two factors"
    whole, rows = expression.loops[atom.row].extent.bound, plan.operands[first]
    filled = rows.layer == WORKGROUP and row.block <= whole
    if family.tile_registers and whole % row.block and not filled:
        return f"whose tiles of {row.block} rows do not divide loop {atom.row}; '{plan.instruction}' reads whole tiles"
    if family.tile_registers and reads_outside(expression, expression.inputs[first]) and not filled:
        return f"whose factor {first} is read outside of its tensor, which '{plan.instruction}' cannot"
    if rows.layer == WORKGROUP and not family.tile_registers:
        return f"whose operand {first} is packed, but '{plan.instruction}' reads rows where they lie"
    if rows.layer == WORKGROUP and (rows.panel or rows.interleave or rows.order != tuple(range(len(rows.order)))):
        return f"whose operand {first} must be packed in the order of its tensor, by whole rows"
    rest = expression.inputs[first].indices
    if not rest or rest[-1].terms().get(atom.depth) != 1 or any(index.coefficients[atom.depth] for index in rest[:-1]):
        return f"whose factor {first} does not have loop {atom.depth} along its neighbouring elements"
    packed = plan.operands[second]
    dimensions = [
        [d for d, x in enumerate(expression.inputs[second].indices) if dict(x.terms()) == {loop: 1}]
        for loop in (atom.depth, atom.column)
    ]
    if packed.layer not in (WORKGROUP, CONSTANT) or packed.interleave != LANE_BYTES // size or not all(dimensions):
        return f"whose operand {second} is not packed with its rows interleaved by {LANE_BYTES // size}"
    if packed.order[-2:] != (dimensions[0][0], dimensions[1][0]):
        return (
            f"whose operand {second} must be packed in rows along loop {atom.column}, one a point of loop {atom.depth}"
        )
    return ""


def _warpgroup_problem(expression: TensorExpression, plan: Plan, atom: AtomPlan, family: Family) -> str:
    """Return how the subgroups of one instruction do not hold its rows, or an empty string."""
    axis, order = plan.axes[atom.row], plan.thread_order
    several = f"the {family.subgroups} subgroups of '{family.name}'"
    others = [loop for loop, one in enumerate(plan.axes) if one.block > 1 and loop not in (atom.row, atom.column)]
    others = [loop for loop in others if loop != atom.depth]
    if not others:
        if axis.threads // axis.lanes % family.subgroups or order[:1] != (atom.row,):
            return f"whose loop {atom.row} must have {several}, first in thread_order {list(order)}"
        return ""
    beside = others[0]
    if len(others) > 1 or expression.loops[beside].reduction:
        return f"whose loops {others} have several points, beside those of '{family.name}'"
    one = plan.axes[beside]
    if axis.block != axis.tile or one.threads != one.block or one.block % family.subgroups or order[:1] != (beside,):
        return (
            f"whose loop {beside} must have {several}, a point each, first in thread_order "
            f"{list(order)}, and loop {atom.row} the {axis.tile} rows of one"
        )
    return ""


def ordered_problem(expression: TensorExpression, axes: Sequence[AxisPlan], lane: int | None) -> str:
    """Return how a plan would not walk in order the reduction of an expression that must be, or an empty string.

    >>> from roller_mlir.plan import Access, LinearIndex, Loop
    >>> x, y = Access("x", (8,), "f32", (LinearIndex((1,)),)), Access("y", (), "f32", ())
    >>> expression = TensorExpression((Loop(8, True),), (x,), y, None, 1, (None,))
    >>> ordered_problem(expression, (AxisPlan(block=8, threads=8),), None)
    'splits reduction loop 0 over 8 threads, but nothing joins their results'
    """
    if not expression.ordered:
        return ""
    reductions = expression.reductions()
    for loop in reductions:
        if axes[loop].threads > 1 or loop == lane:
            parts = f"{axes[loop].threads} threads" if axes[loop].threads > 1 else "lanes"
            return f"splits reduction loop {loop} over {parts}, but nothing joins their results"
    for loop in reductions[:-1]:
        if axes[loop].block > 1:
            return f"takes {axes[loop].block} points of reduction loop {loop} in a step; only the last loop may"
    return ""
