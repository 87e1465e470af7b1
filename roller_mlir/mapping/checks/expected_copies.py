# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan expects of its tensor copies and of the products: where tiles come from, and who multiplies what.

Positions are points of the expression's loops, tiles are counted in elements that are copied; no address is among them,
so that whoever compares a kernel must take addresses from the hardware's rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.thread_map import ThreadMap, live_registers, register_offset
from roller_mlir.plan import Access, Plan, TensorExpression
from roller_mlir.plan.plan import TENSOR

_TF32 = {"f32": "tf32"}
_SUBGROUP = 32


@dataclass(frozen=True, kw_only=True)
class ExpectedTile:
    """A tile of one step that tensor copies bring, dimension by dimension of its tensor map, outermost first.

    Attributes:
        operand: Number of the input.
        element: What the matrix instruction takes its elements for.
        element_bytes: Bytes of one.
        extents: Of the tensor.
        strides: Bytes from one element to the next, of all dimensions but the innermost.
        shape: Elements of the tile.
        steps: Tensor elements from one of the tile to the next.
        terms: Per dimension and loop, tile elements from one point of the loop to the next.
    """

    operand: int
    element: str
    element_bytes: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    shape: tuple[int, ...]
    steps: tuple[int, ...]
    terms: tuple[tuple[int, ...], ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of the tile."""
        return prod(self.shape) * self.element_bytes

    def at(self, point: Sequence[int]) -> tuple[int, ...]:
        """Return which element a point of the loops reads."""
        return tuple(sum(k * x for k, x in zip(terms, point, strict=True)) for terms in self.terms)

    def runs_along(self, loop: int) -> bool:
        """Return whether its lines run along a loop."""
        return self.terms[-1][loop] != 0


@dataclass(frozen=True, kw_only=True)
class ExpectedProducts:
    """The products of one step.

    Attributes:
        shape: Rows, columns and reduction length of an instruction.
        loops: Of rows, columns and reduction.
        tiles: Of the step, in the order of their inputs.
        factors: Which of them are the first and the second factor.
        subgroups: First point of each subgroup that multiplies.
        points: Where a warpgroup's products of a step begin, behind its first point.
        output: Extents and strides (bytes, innermost left out) of what tensor copies write; None where they do not.
    """

    shape: tuple[int, int, int]
    loops: tuple[int, int, int]
    tiles: tuple[ExpectedTile, ...]
    factors: tuple[int, int]
    subgroups: tuple[tuple[int, ...], ...]
    points: tuple[tuple[int, ...], ...]
    output: tuple[tuple[int, ...], tuple[int, ...]] | None = None


def expected_products(expression: TensorExpression, plan: Plan) -> ExpectedProducts | None:
    """Return what a plan expects of its tensor copies and the products of what they bring; None without them."""
    atom = plan.atom
    copied = [number for number, operand in enumerate(plan.operands) if operand.copy == TENSOR]
    if atom is None:
        return None
    sides = [[i for i in copied if loop in expression.inputs[i].loops()] for loop in (atom.row, atom.column)]
    if any(len(side) != 1 for side in sides):
        return None
    blocks = [axis.block for axis in plan.axes]
    threads = ThreadMap(plan.axes, plan.thread_order, plan.lane_order)
    firsts = (threads.positions(first) for first in range(0, threads.threads, _SUBGROUP))
    return ExpectedProducts(
        shape=atom.shape,
        loops=(atom.row, atom.column, atom.depth),
        tiles=tuple(_tile(i, expression.inputs[i], plan.operands[i].order, blocks) for i in copied),
        factors=(copied.index(sides[0][0]), copied.index(sides[1][0])),
        subgroups=tuple(tuple(first.get(loop, 0) for loop in range(len(blocks))) for first in firsts),
        points=tuple(product(*(_begins(expression, plan, loop) for loop in range(len(blocks))))),
        output=_output(expression.output) if plan.store == TENSOR else None,
    )


def _begins(expression: TensorExpression, plan: Plan, loop: int) -> list[int]:
    """Return where products begin along a loop, of one warpgroup in one step."""
    axis, atom = plan.axes[loop], plan.atom
    assert atom is not None
    if expression.loops[loop].reduction:
        return list(range(0, axis.block, atom.shape[2] if loop == atom.depth else 1))
    live = live_registers(axis, expression.loops[loop])
    return [register_offset(axis, register) for register in live[:: axis.tile // axis.lanes if axis.lanes else 1]]


def _tile(number: int, access: Access, order: Sequence[int], blocks: Sequence[int]) -> ExpectedTile:
    """Return the tile of an input; dimensions of one element are left out of tensor maps, but for the innermost one."""
    tile, inner, size = tile_dimensions(access, blocks), len(access.shape) - 1, access.element_bytes
    kept = [d for d in order if access.shape[d] != 1 or tile[d].extent > 1 or d == inner]
    return ExpectedTile(
        operand=number,
        element=_TF32.get(access.element_type, access.element_type),
        element_bytes=size,
        extents=tuple(access.static_shape[d] for d in kept),
        strides=tuple(prod(access.static_shape[d + 1 :]) * size for d in kept if d != inner),
        shape=tuple(tile[d].extent for d in kept),
        steps=tuple(tile[d].step if tile[d].extent > 1 else 1 for d in kept),
        terms=tuple(tuple(tile[d].coefficients.get(loop, 0) for loop in range(len(blocks))) for d in kept),
    )


def _output(access: Access) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = access.static_shape
    kept = [d for d, extent in enumerate(shape) if extent > 1 or d == len(shape) - 1]
    strides = tuple(prod(shape[d + 1 :]) * access.element_bytes for d in kept[:-1])
    return tuple(shape[d] for d in kept), strides
