# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The shape of a program of vectors: its tiles, the loops around them, and where operands are packed.

parallel loops      one task each
  steps             of a reduction, where a task walks loops by itself
    walked loops    in front of the first that does not move it, an operand is packed
      tile          rows x vectors, whose sums stay in registers
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT, WORKGROUP
from roller_mlir.plan.tasks.raster import Level
from roller_mlir.plan.tasks.walks import staged_depth, walked_blocks

UNROLLED = 4
"""Points of the innermost reduction loop that are unrolled; more made LLVM spill."""


def even_points(points: int) -> int:
    """Return how many points of a loop are unrolled, so that none is left over.

    >>> even_points(3), even_points(6), even_points(7)
    (3, 3, 1)
    """
    return next(n for n in range(UNROLLED, 0, -1) if points % n == 0)


@dataclass(frozen=True)
class TaskShape:
    """What a program does, apart from which registers hold what.

    Attributes:
        blocks: Points of each loop in a tile; of reductions, all of them or those of a step.
        lane: The loop along vectors, None for scalars.
        order: The parallel loops with several tiles, outermost first.
        inner: Those that one task walks, outermost first.
        walked: How many tiles of each; all where it is not there.
        staged: Inputs that are packed.
        ahead: Inputs that were packed when the program was compiled.
        raster: The loops over tasks level by level, outermost first; empty where they follow each other in that order.
    """

    blocks: tuple[int, ...]
    lane: int | None
    order: tuple[int, ...]
    inner: tuple[int, ...] = ()
    walked: Mapping[int, int] = field(default_factory=dict[int, int])
    staged: tuple[int, ...] = ()
    ahead: tuple[int, ...] = ()
    raster: tuple[Level, ...] = ()

    @property
    def packed(self) -> tuple[int, ...]:
        """Inputs whose tiles lie dense, whenever they were packed."""
        return (*self.staged, *self.ahead)

    @classmethod
    def of(cls, expression: TensorExpression, plan: Plan) -> "TaskShape":
        """Return the shape of a plan."""
        tiles = [loop.extent.most_tiles(axis.block) for loop, axis in zip(expression.loops, plan.axes, strict=True)]
        inner = tuple(loop for loop in plan.inner_order if walked_blocks(plan, loop, tiles[loop]) > 1)
        return cls(
            blocks=tuple(axis.block for axis in plan.axes),
            lane=plan.lane,
            order=tuple(loop for loop in plan.unit_order if tiles[loop] > 1),
            inner=inner,
            walked={loop: walked_blocks(plan, loop, tiles[loop]) for loop in inner},
            staged=tuple(number for number, operand in enumerate(plan.operands) if operand.layer == WORKGROUP),
            ahead=tuple(number for number, operand in enumerate(plan.operands) if operand.layer == CONSTANT),
            raster=tuple(level for level in plan.raster if level[1] > 1),
        )


@dataclass(frozen=True)
class TaskWalk:
    """A shape's loops over an expression.

    Attributes:
        units: Loops over tasks, outermost first: the loop, its trips, and what of its tasks lies from one to the next.
        steps: Reduction loops with several steps, likewise.
        inner: Loops that a task walks, likewise.
        depths: By staged input, how many of the walked loops stand around its packing.
    """

    units: tuple[Level, ...]
    steps: tuple[tuple[int, int], ...]
    inner: tuple[tuple[int, int], ...]
    depths: Mapping[int, int]

    @classmethod
    def of(cls, expression: TensorExpression, shape: TaskShape) -> "TaskWalk":
        """Return the loops of a shape."""
        tiles = {i: expression.loops[i].extent.most_tiles(block) for i, block in enumerate(shape.blocks)}
        walked = {i: min(tiles[i], shape.walked.get(i, tiles[i])) for i in shape.inner}
        units = shape.raster or [(i, -(-tiles[i] // walked.get(i, 1)), 1) for i in shape.order]
        steps = [(i, tiles[i]) for i in expression.reductions() if tiles[i] > 1] if shape.inner else []
        inner = tuple((i, walked[i]) for i in shape.inner if walked[i] > 1)
        walks = [i for i, _ in inner]
        depths = {number: staged_depth(walks, expression.inputs[number].loops()) for number in shape.staged}
        return cls(
            tuple(one for one in units if one[1] > 1),
            tuple(steps),
            inner,
            depths,
        )

    def packed_box(self, shape: TaskShape, expression: TensorExpression, number: int) -> tuple[int, ...]:
        """Return the points of each loop whose part of a staged input is packed at a time."""
        reductions = () if self.steps else expression.reductions()
        box = tuple(expression.bounds[i] if i in reductions else block for i, block in enumerate(shape.blocks))
        for loop, trips in self.inner[self.depths[number] :]:
            box = grown(box, loop, trips, expression.bounds)
        return box

    def loops(self) -> Iterator[tuple[int, int]]:
        """Yield all loops and their trips, innermost first."""
        yield from reversed(self.inner)
        yield from reversed(self.steps)
        yield from ((loop, trips) for loop, trips, _ in reversed(self.units))


def grown(box: Sequence[int], loop: int, trips: int, bounds: Sequence[int]) -> tuple[int, ...]:
    """Return a box of points that several trips of a loop cover.

    >>> grown((4, 8), 1, 3, (64, 20))
    (4, 20)
    """
    return (*box[:loop], min(bounds[loop], box[loop] * trips), *box[loop + 1 :])
