# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A tiled loop nest around an operator: what the working sets are computed of.

Paper: PolyDL sections 3.1 and 4 (the loop nest, its microkernel as loops), Figure 17 (a nest tiled twice).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from roller_mlir.model.polydl.footprint import TouchedTensor, tensor_of
from roller_mlir.plan import TensorExpression


@dataclass(frozen=True, slots=True)
class TileLoop:
    """One loop of a nest: over the tiles of one axis.

    Attributes:
        axis: Which loop of the expression it walks along.
        count: Iterations.
        size: Elements of the axis from one iteration to the next: the tile that lies inside of the loop.
        parallel: Whether its iterations are divided over threads.
    """

    axis: int
    count: int
    size: int
    parallel: bool = False


@dataclass(frozen=True)
class TiledNest:
    """Loops over tiles, outermost first, and the operator that they compute.

    An axis may have any number of loops. What lies inside of the innermost of them, all of an axis that has none, is
    the body: PolyDL's microkernel, whose points are walked in the order of the expression's loops.

    The loops of an axis divide it evenly, but for the outermost, whose last tile may reach beyond the axis: points
    there do not exist.

    Attributes:
        expression: The operator.
        loops: Outermost first.
    """

    expression: TensorExpression
    loops: tuple[TileLoop, ...]

    def __post_init__(self) -> None:
        """Check that the loops of each axis cover it once; raises ValueError."""
        for axis, extent in enumerate(self.extents):
            own = sorted((one for one in self.loops if one.axis == axis), key=lambda one: (-one.size, -one.count))
            for one in own:
                if one.count < 1 or one.size < 1:
                    raise ValueError(f"a loop needs a count and a size of at least 1, but got {one}")
            for outer, inner in pairwise(own):
                if outer.size != inner.count * inner.size:
                    raise ValueError(
                        f"the loops inside of a tile of axis {axis} must cover its {outer.size} elements, but got"
                        f" {inner.count} x {inner.size}"
                    )
            if own and own[0].count != -(-extent // own[0].size):
                raise ValueError(
                    f"the loops of axis {axis} must cover its {extent} elements with no tile to spare, but got"
                    f" {own[0].count} x {own[0].size}"
                )
        for one in self.loops:
            if not 0 <= one.axis < len(self.extents):
                raise ValueError(f"axes are 0 to {len(self.extents) - 1}, but got {one.axis}")

    def with_loops(self, loops: Sequence[TileLoop]) -> "TiledNest":
        """Return another nest around the same operator, which keeps what depends on that alone."""
        made = TiledNest(self.expression, tuple(loops))
        made.__dict__["tensors"] = self.tensors
        return made

    @cached_property
    def extents(self) -> tuple[int, ...]:
        """Elements of each axis, at most."""
        return self.expression.bounds

    @cached_property
    def tensors(self) -> tuple[TouchedTensor, ...]:
        """What the nest reads and writes, each once: inputs, outputs, and what an epilogue reads."""
        one = self.expression
        accesses = dict.fromkeys((*one.inputs, *one.outputs, *one.epilogue))
        return tuple([tensor_of(access, self.extents) for access in accesses])

    @cached_property
    def body(self) -> tuple[int, ...]:
        """Elements of each axis inside of all loops."""
        inside = list(self.extents)
        for one in self.loops:
            inside[one.axis] = min(inside[one.axis], one.size)
        return tuple(inside)

    @cached_property
    def point_loops(self) -> tuple[TileLoop, ...]:
        """The loops with those over the points of the body behind them, loops of one iteration left out."""
        body = [TileLoop(axis, count, 1) for axis, count in enumerate(self.body)]
        return tuple(one for one in (*self.loops, *body) if one.count > 1)
