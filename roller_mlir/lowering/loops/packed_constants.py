# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants that are packed when a program is compiled: tile behind tile, each as its plan's layout has it.

    %w = arith.constant dense_resource<w> : tensor<1024x100xbf16>           a factor, packed by pairs for tiles of 32
    %p = arith.constant dense_resource<packed_0> : tensor<4x32768xbf16>     four tiles, the last one filled up with 0

Where a plan's operand has layer "constant", the program takes the packed one, and its loads take whole tiles by number:
of the loops that move the operand, outermost first as the expression has them.
"""

from collections.abc import Hashable, Sequence
from itertools import count, product
from typing import TYPE_CHECKING, Any

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.constants import constant_behind
from roller_mlir.lowering.loops.program import loads_of
from roller_mlir.mapping.layout.data_tile import first_elements, tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape, steps_of
from roller_mlir.plan import OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import CONSTANT
from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.elements import ElementsError, read_elements
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class PackedConstants:
    """Packs constants of a module; programs of a function that want one packed alike share it."""

    def __init__(self) -> None:
        self._names = (f"packed_{number}" for number in count())
        self._made: dict[Hashable, ir.Value] = {}

    def pack(self, program: rtile.ProgramOp, expression: TensorExpression, plan: Plan) -> None:
        """Give an expanded program packed constants in place of those that its plan wants packed.

        Args:
            program: Its loads take packed tiles already. It stands behind those that were given some before.
            expression: What the plan is for.
            plan: The plan.
        """
        arguments = [load.source for load in _packed_loads(program)]
        wanted = [number for number, operand in enumerate(plan.operands) if operand.layer == CONSTANT]
        assert len(arguments) == len(wanted), "each operand is loaded at one place"
        for number, argument in zip(wanted, arguments, strict=True):
            place = ir.BlockArgument(argument).arg_number
            value = program.operands[place]
            source = constant_behind(value)
            if source is None:
                what = f"a plan whose operand {number} is packed as a constant, but it is none"
                fail(program, f"'rtile.program' has {what}")
            shape, kind = tuple(ir.RankedTensorType(value.type).shape), ir.RankedTensorType(argument.type)
            loops = tuple([(loop, axis.block) for loop, axis in zip(expression.loops, plan.axes, strict=True)])
            layout = shape, kind, loops, expression.inputs[number], plan.operands[number]
            wish = program.operation.parent, source.attributes["value"], layout
            if wish not in self._made:
                try:
                    array = read_elements(source.attributes["value"])
                except ElementsError as error:
                    fail(source, f"the constant {error}")
                packed: Any = packed_tiles(array.reshape(shape), expression, plan, number)
                assert packed.shape == tuple(kind.shape)
                attribute = ir.DenseResourceElementsAttr.get_from_buffer(
                    packed, next(self._names), kind, context=program.context
                )
                made = ir.Operation.create(
                    "arith.constant",
                    results=[kind],
                    attributes={"value": attribute},
                    loc=source.location,
                    ip=ir.InsertionPoint(program.operation),
                )
                self._made[wish] = made.results[0]
            program.operation.operands[place] = self._made[wish]
            _erase_unused(value)


def packed_tiles(array: "Array", expression: TensorExpression, plan: Plan, number: int) -> "Array":
    """Return an input's tiles as they are read, one a row; beyond its ends they are 0, or the plan's pad.

    Args:
        array: The input.
        expression: What the plan is for.
        plan: The plan.
        number: Of the input.
    """
    import numpy as np

    access, operand = expression.inputs[number], plan.operands[number]
    blocks = [axis.block for axis in plan.axes]
    dimensions, origins = tile_dimensions(access, blocks), first_elements(access, blocks)
    trips = [(i, steps_of(expression.loops[i], plan.axes[i])) for i in sorted(access.loops())]
    moving = [(i, several) for i, several in trips if several > 1]
    pad = np.asarray(operand.pad_value or 0).astype(array.dtype)
    found: list[Any] = []
    for place in product(*(range(several) for _, several in moving)):
        at = {loop: blocks[loop] * step for (loop, _), step in zip(moving, place, strict=True)}
        indices, inside = list[Any](), list[Any]()
        for dimension, origin, extent in zip(dimensions, origins, array.shape, strict=True):
            start = origin.constant + sum(k * at.get(loop, 0) for loop, k in origin.terms().items())
            along = start + dimension.step * np.arange(dimension.extent)
            inside.append((along >= 0) & (along < extent))
            indices.append(np.clip(along, 0, extent - 1))
        present = np.logical_and.reduce(np.broadcast_arrays(*_crossed(inside)))
        tile = np.where(present, array[np.ix_(*indices)], pad)
        found.append(_laid_out(tile, operand, buffer_shape(dimensions, operand)))
    return np.ascontiguousarray(np.stack(found))


def _crossed(arrays: Sequence["Array"]) -> "list[Array]":
    """Return arrays of one dimension each as arrays of all of them, one along each."""
    rank = len(arrays)
    return [one.reshape([-1 if d == place else 1 for d in range(rank)]) for place, one in enumerate(arrays)]


def _laid_out(tile: "Array", operand: OperandPlan, shape: Sequence[int]) -> "Array":
    """Return a tile's elements as its layout has them."""
    import numpy as np

    ordered, near = tile.transpose(operand.order), operand.interleave or 1
    wanted = list(shape)
    if near > 1:
        wanted[-2:] = [shape[-2] * near, shape[-1] // near]
    ordered = np.pad(ordered, [(0, large - small) for small, large in zip(ordered.shape, wanted, strict=True)])
    if near > 1:
        parted = ordered.reshape(*wanted[:-2], wanted[-2] // near, near, wanted[-1])
        ordered = np.swapaxes(parted, -1, -2)
    return ordered.reshape(-1)


def _packed_loads(program: rtile.ProgramOp) -> list[rtile.TileLoad]:
    found = [load for load in loads_of(program.operation) if load.tile.layer == CONSTANT]
    return sorted(found, key=lambda load: ir.BlockArgument(load.source).arg_number)


def _erase_unused(value: ir.Value) -> None:
    """Erase the constant that nothing uses any more, and the reshapes of it."""
    while (op := defining_op(value)) is not None and not any(True for one in op.results for _ in one.uses):
        sources = list(op.operands)
        op.erase()
        if not sources:
            return
        (value,) = sources
