# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dividing a reduction over tasks: the two expressions that take the place of one, and the plan of the first.

Beyond the ROLLER paper, whose small operators only shrink (section 3.2): where the parallel loops give too few tasks to
fill a device, the reduction loop gives more. The first stage is the operator with one more parallel loop, in front,
that numbers the parts; the second stage reduces over that loop. Both are expressions like any other.
"""

from dataclasses import replace

from roller_mlir.plan.expression import Access, LinearIndex, Loop, TensorExpression, neutral_of
from roller_mlir.plan.extent import Size, as_extent, product
from roller_mlir.plan.plan import AtomPlan, AxisPlan, Plan, SplitK

JOIN_SUFFIX = "_join"
"""What follows the name of a program whose reduction is divided, in that of the second stage."""


def divisible_loops(expression: TensorExpression) -> tuple[int, ...]:
    """Return the reduction loops that can be divided over tasks: those that move no window and run forwards.

    The longest comes first.

    None where the combiner has no neutral element, where there are several results or rows that a task walks from end
    to end, or where the output is larger than the loops that write it.
    """
    if neutral_of(expression.combiner, expression.result_type) is None:
        return ()
    if expression.more_outputs or expression.whole or _written_in_part(expression):
        return ()
    back = {loop for a in expression.inputs for i in a.indices for loop, k in i.terms().items() if k < 0}
    found = [loop for loop in expression.reductions() if not expression.moves_window(loop) and loop not in back]
    return tuple(sorted(found, key=lambda loop: -expression.bounds[loop]))


def split_problem(expression: TensorExpression, split: SplitK) -> str:
    """Return why a reduction cannot be divided so over tasks, or an empty string."""
    loops = divisible_loops(expression)
    if split.loop not in loops:
        which = ", ".join(f"d{loop}" for loop in sorted(loops)) or "none"
        return f"cannot divide loop d{split.loop} over tasks; loops that can be: {which}"
    whole, parts, extent = (one.static for one in (expression.loops[split.loop].extent, split.parts, split.extent))
    if parts < 2 or extent < 1 or not (parts - 1) * extent < whole <= parts * extent:
        return (
            f"cannot divide loop d{split.loop} of {whole} points into {parts} parts of {extent}; "
            f"there must be 2 parts or more that cover the loop, and none be empty"
        )
    return ""


def _written_in_part(expression: TensorExpression) -> bool:
    for index, extent in zip(expression.output.indices, expression.output.shape, strict=True):
        written = [expression.loops[loop].extent for loop in index.terms()]
        if (written or [1]) != [extent]:
            return True
    return False


def first_expression(expression: TensorExpression, loop: int, parts: Size, extent: Size) -> TensorExpression:
    """Return the operator of one part each: loops (part, *loops), output (part, *output), no epilogue.

    Args:
        expression: The operator.
        loop: The reduction loop to divide, one of `divisible_loops`.
        parts: Number of parts.
        extent: Points of the loop in a part; parts * extent covers the loop, with less than one part to spare.

    Raises:
        ValueError: The parts do not cover the loop, or leave one empty.
    """
    whole, part_points = expression.loops[loop].extent, as_extent(extent)
    if whole.tiles(part_points.static) != parts:
        raise ValueError(f"{parts} parts of {extent} points must cover a loop of {whole}, and none be empty")

    def shifted(index: LinearIndex) -> LinearIndex:
        return LinearIndex((index.coefficients[loop] * part_points.static, *index.coefficients), index.constant)

    inputs = tuple(replace(access, indices=tuple(map(shifted, access.indices))) for access in expression.inputs)
    loops = list(expression.loops)
    loops[loop] = Loop(part_points, True)
    part = LinearIndex((1, *(0 for _ in loops)))
    output = expression.output
    return replace(
        expression,
        loops=(Loop(parts), *loops),
        inputs=inputs,
        output=replace(
            output,
            shape=(as_extent(parts), *output.shape),
            element_type=expression.result_type,
            indices=(part, *map(shifted, output.indices)),
        ),
        accumulates=False,
        epilogue=(),
        epilogue_flops=0,
        epilogue_cycles=0,
        epilogue_chain=0,
        accumulator_type="",
        tail_apart=False,
        starts=(),
    )


def points_expression(expression: TensorExpression, parts: Size) -> TensorExpression:
    """Return the second stage of an operator without a tail: loops (points of the output in row-major order, part)."""
    assert not expression.has_tail, "whose tensors are indexed by the loops of the output"
    output = expression.output
    points = product(output.shape)
    point, part = LinearIndex((1, 0)), LinearIndex((0, 1))
    return _joining(expression, (Loop(points), Loop(parts, True)), (part, point), (points,), (point,))


def tile_expression(expression: TensorExpression, parts: Size) -> TensorExpression:
    """Return the second stage with the loops of the output in their order, and part; what is in a tail stays there.

    Its tasks can be the tiles of the first stage's output.
    """
    kept, output = output_loops(expression), expression.output

    def moved(access: Access) -> Access:
        return replace(access, indices=tuple(map(index_of, access.indices)))

    def index_of(index: LinearIndex) -> LinearIndex:
        return LinearIndex((*(index.coefficients[loop] for loop in kept), 0), index.constant)

    loops = (*(expression.loops[loop] for loop in kept), Loop(parts, True))
    indices = moved(output).indices
    part = LinearIndex((*(0 for _ in kept), 1))
    return replace(
        _joining(expression, loops, (part, *indices), output.shape, indices),
        epilogue=tuple(map(moved, expression.epilogue)),
        epilogue_flops=expression.epilogue_flops,
        epilogue_cycles=expression.epilogue_cycles,
        epilogue_chain=expression.epilogue_chain,
        starts=tuple(map(moved, expression.starts)),
    )


def _joining(
    expression: TensorExpression,
    loops: tuple[Loop, ...],
    read: tuple[LinearIndex, ...],
    shape: tuple[Size, ...],
    written: tuple[LinearIndex, ...],
) -> TensorExpression:
    """Return an expression that joins the parts of one; its last loop numbers them."""
    assert expression.combiner is not None
    partial = Access("partial", (loops[-1].extent, *shape), expression.result_type, read)
    return TensorExpression(
        loops=loops,
        inputs=(partial,),
        output=Access(expression.output.name, shape, expression.output.element_type, written),
        combiner=expression.combiner,
        flops_per_point=1,
        pad_values=(neutral_of(expression.combiner, expression.result_type),),
        accumulates=expression.accumulates,
        accumulator_type=expression.accumulator_type,
    )


def join_expression(expression: TensorExpression, parts: Size, *, joined: bool) -> TensorExpression:
    """Return the second stage: of a kernel of its own, or that which blocks of the first run (`SplitK.joined`)."""
    tiles = joined or expression.has_tail
    return tile_expression(expression, parts) if tiles else points_expression(expression, parts)


def output_loops(expression: TensorExpression) -> tuple[int, ...]:
    """Return the loops that index the output, in their order."""
    return tuple(sorted(expression.output.loops()))


def first_plan(plan: Plan) -> Plan:
    """Return the plan of the first stage, for `first_expression`: the part is the outermost loop, one part a task."""
    assert plan.split is not None
    return replace(
        plan,
        axes=(AxisPlan(block=1), *plan.axes),
        thread_order=tuple(loop + 1 for loop in plan.thread_order),
        lane=None if plan.lane is None else plan.lane + 1,
        unit_order=(0, *(loop + 1 for loop in plan.unit_order)),
        inner_order=tuple(loop + 1 for loop in plan.inner_order),
        raster=(),
        reduction_order=tuple(loop + 1 for loop in plan.reduction_order),
        atom=_moved(plan.atom, 1),
        split=None,
        prediction=None,
    )


def whole_plan(first: Plan) -> Plan:
    """Return the plan of the operator from that of its first stage, as yet without its split."""
    return replace(
        first,
        axes=first.axes[1:],
        thread_order=tuple(loop - 1 for loop in first.thread_order),
        lane=None if first.lane is None else first.lane - 1,
        unit_order=tuple(loop - 1 for loop in first.unit_order if loop),
        inner_order=tuple(loop - 1 for loop in first.inner_order),
        raster=(),
        reduction_order=tuple(loop - 1 for loop in first.reduction_order),
        atom=_moved(first.atom, -1),
    )


def _moved(atom: AtomPlan | None, by: int) -> AtomPlan | None:
    """Return a matrix instruction where so many more loops stand in front."""
    if atom is None:
        return None
    order = tuple(loop + by for loop in atom.lane_order)
    return replace(atom, row=atom.row + by, column=atom.column + by, depth=atom.depth + by, lane_order=order)
