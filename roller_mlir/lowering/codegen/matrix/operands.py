# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of a matrix instruction, read from workgroup memory: whole 8 x 8 matrices at once, or each lane its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.hal.atoms import Factors
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW, Fragment, Step
from roller_mlir.lowering.codegen.builder.swizzle import buffer_indices
from roller_mlir.lowering.codegen.builder.task_context import (
    TaskContext,
    access_memory,
    element_bytes,
    put_at,
    slice_of,
    vector_type,
)
from roller_mlir.lowering.codegen.builder.thread_box import Positions
from roller_mlir.lowering.codegen.builder.tile_values import StagedTile
from roller_mlir.lowering.codegen.emitters import emitter_of
from roller_mlir.lowering.codegen.matrix.product import Matrix
from roller_mlir.lowering.codegen.matrix.wmma import load_factor
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.data_tile import walked_alone
from roller_mlir.mapping.layout.matrix_phases import MATRIX_ROWS
from roller_mlir.mapping.layout.swizzle import PIECE_BYTES
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


@dataclass(frozen=True)
class MatrixOperand:
    """A factor of a compute's matrix instruction.

    Attributes:
        tile: Its staged tile.
        functions: Tile coordinates as functions of the box's loops.
        side: ROW or COLUMN: the dimension that it has beside the reduction.
        fragment: Which lane holds what.
    """

    tile: StagedTile
    functions: tuple[LinearIndex, ...]
    side: str
    fragment: Fragment


class MatrixOperands:
    """Reads the factors of one compute; what was read is remembered.

    Args:
        context: The task.
        matrix: The instruction.
        inputs: Tile and functions of each input, by number.
    """

    def __init__(
        self, context: TaskContext, matrix: Matrix, inputs: Mapping[int, tuple[StagedTile, tuple[LinearIndex, ...]]]
    ) -> None:
        self._context, self._matrix = context, matrix
        self._operands = {
            ROW: MatrixOperand(*inputs[matrix.first], ROW, matrix.fragments.first),
            COLUMN: MatrixOperand(*inputs[matrix.second], COLUMN, matrix.fragments.second),
        }
        self._known: dict[object, ir.Value] = {}
        _, self._lane = context.emit.divide(context.thread, context.subgroup_size)
        depth = matrix.box.axes[matrix.loops[DEPTH]]
        self._pack = matrix.family.depth_pack(matrix.shape, element_bytes(matrix.factor), depth.block)

    def read(self, side: str, at: Positions, *, pair: Positions | None = None) -> ir.Value:
        """Return a factor's fragment.

        Args:
            side: ROW or COLUMN.
            at: Position of the instruction's tile on each loop: of the subgroup, not of the lane.
            pair: Position of another tile that may be read by the same access, None where there is none.
        """
        operand = self._operands[side]
        used = sorted({loop for function in operand.functions for loop in function.terms()})
        key = (side, *((loop, at[loop]) for loop in used if loop in at))
        if key not in self._known:
            if self._matrix.family.factors is Factors.WHOLE:
                tile, functions = operand.tile, operand.functions
                self._known[key] = load_factor(self._context, self._matrix, tile, functions, side, at)
            elif self._reads_matrices(operand):
                other = None if pair is None else (side, *((loop, pair[loop]) for loop in used if loop in pair))
                found = self._read_matrices(operand, at, pair)
                self._known[key] = found[0]
                if other is not None:
                    self._known[other] = found[1]
            else:
                depth, length = self._matrix.loops[DEPTH], self._matrix.shape[2]
                group, part = divmod(at[depth].constant // length, self._pack)
                for number, value in self._read_elements(operand, at, group, part):
                    place = {**at, depth: Linear(None, (group * self._pack + number) * length)}
                    self._known[(side, *((loop, place[loop]) for loop in used if loop in place))] = value
        return self._known[key]

    def _inner_loop(self, operand: MatrixOperand) -> int | None:
        """Return the loop that walks the buffer's neighbouring elements, None where it is not one loop by itself."""
        return walked_alone([function.terms() for function in operand.functions], operand.tile.layout.order[-1])

    def _reads_matrices(self, operand: MatrixOperand) -> bool:
        """Return whether `ldmatrix` reads the fragment: rows of 16 bytes along a factor's dimension."""
        if self._matrix.family.factors is not Factors.PIECES:
            return False
        size = element_bytes(self._matrix.factor)
        inner = self._inner_loop(operand)
        loops = self._matrix.loops
        along = inner == loops[DEPTH] or (inner == loops[operand.side] and size == 2)
        return along and operand.tile.layout.fragment_vector * size == PIECE_BYTES

    def _indices(self, operand: MatrixOperand, at: Positions) -> list[ir.Value]:
        count = len(self._matrix.box.axes)
        local = apply_indices(operand.functions, [at.get(loop, Linear()) for loop in range(count)])
        ordered = [local[d] for d in operand.tile.layout.order]
        indices = buffer_indices(self._context.emit, operand.tile.view, operand.tile.layout, ordered)
        return [operand.tile.stage, *indices]

    def _moved(self, at: Positions, digits: Sequence[Step], symbol: Symbol) -> Positions:
        """Return positions moved by the digits of a number."""
        moved = dict(at)
        values = self._context.emit.delinearize(symbol, [count for _, count, _ in digits])
        for (dimension, _, stride), value in zip(digits, values, strict=True):
            loop = self._matrix.loops[dimension]
            moved[loop] = moved.get(loop, Linear()) + Linear.of(value, stride)
        return moved

    def _read_matrices(self, operand: MatrixOperand, at: Positions, pair: Positions | None) -> list[ir.Value]:
        """Read fragments by `ldmatrix`: lane l gives the address of row l % 8 of matrix l / 8."""
        context, matrix = self._context, self._matrix
        emit, size = context.emit, element_bytes(matrix.factor)
        loops = matrix.loops
        transposed = self._inner_loop(operand) != loops[DEPTH]
        near = [step for step in operand.fragment.elements if step[0] == DEPTH and step[2] == 1]
        digits = [step for step in operand.fragment.elements if step not in near]
        count = operand.fragment.count // (near[0][1] if near else 1)
        if pair is not None:
            (loop,) = [loop for loop in pair if pair[loop] != at[loop]]
            digits.append((operand.side, 2, (pair[loop] + at[loop] * -1).constant))
        total = count * (2 if pair is not None else 1)
        rows = (DEPTH if transposed else operand.side, MATRIX_ROWS, 1)
        number = [rows, *digits]
        places = prod(values for _, values, _ in number)
        if places < context.subgroup_size:
            number.append((DEPTH, context.subgroup_size // places, 0))  # lanes whose addresses are not used
        indices = self._indices(operand, self._moved(at, number, self._lane))
        lanes_hold = 4 // size
        kind = ir.VectorType.get([total, lanes_hold], matrix.factor)
        self._context.arena_in_use = True
        attributes: dict[str, ir.Attribute] = {
            "transpose": ir.BoolAttr.get(transposed),
            "numTiles": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), total),
            SITE: ir.StringAttr.get(f"workgroup load {operand.tile.source.name}"),
        }
        value = emit.op("nvgpu.ldmatrix", [operand.tile.view, *indices], kind, attributes)
        if pair is None:
            return [value]
        return [slice_of(emit, value, start, count) for start in (0, count)]

    def _read_elements(
        self, operand: MatrixOperand, at: Positions, group: int, part: int
    ) -> list[tuple[int, ir.Value]]:
        """Read a lane's own elements, neighbours along the buffer's rows at once.

        Args:
            operand: The factor.
            at: Position of the instruction's tile.
            group: Number of the instructions along the reduction that take neighbours of each lane, see `depth_pack`.
            part: Number of the instruction in the group.

        Returns:
            Fragments, each with the number of its instruction in the group: of all, if they are read at once.
        """
        context, matrix, pack = self._context, self._matrix, self._pack
        emit, fragment = context.emit, operand.fragment
        depth, (dimension, own, stride) = matrix.loops[DEPTH], (fragment.elements or ((DEPTH, 1, 1),))[0]
        width = 1
        if matrix.loops[dimension] == self._inner_loop(operand) and stride == 1:
            width = min(own * pack, operand.tile.layout.fragment_vector)
        digits = [(d, count, step * pack if d == DEPTH else step) for d, count, step in fragment.lanes]
        first = {**at, depth: Linear(None, group * pack * matrix.shape[2])} if pack > 1 else at
        base = self._moved(first, digits, self._lane)
        context.arena_in_use = True
        site = f"workgroup load {operand.tile.source.name}"
        if width > own:
            together = width // own
            start = part - part % together
            base[depth] = base[depth] + start * own
            indices = self._indices(operand, base)
            whole = access_memory(emit, operand.tile.view, indices, width, site)
            assert whole is not None
            return [(start + number, slice_of(emit, whole, number * own, own)) for number in range(together)]
        if pack > 1:
            base[depth] = base[depth] + part * own
        return [(part, self._gathered(operand, base, width, site))]

    def _gathered(self, operand: MatrixOperand, base: Positions, width: int, site: str) -> ir.Value:
        """Read the elements of one fragment, some at once, from where the lane's first one lies."""
        context, matrix = self._context, self._matrix
        emit, fragment = context.emit, operand.fragment
        kind = vector_type(matrix.factor, fragment.count)
        parts: list[ir.Value] = []
        for element in range(0, fragment.count, width):
            place = dict(base)
            for dimension, offset in fragment.offset(element).items():
                loop = matrix.loops[dimension]
                place[loop] = place.get(loop, Linear()) + offset
            indices = self._indices(operand, place)
            value = access_memory(emit, operand.tile.view, indices, width, site)
            assert value is not None
            parts.append(value)
        if len(parts) == 1:
            whole = parts[0]
        elif width == 1:
            whole = emit.op("vector.from_elements", parts, kind)
        else:
            whole = emit.poison(kind)
            for number, part in enumerate(parts):
                whole = put_at(emit, part, whole, number * width)
        wanted = emitter_of(matrix).factor_type(matrix, fragment.count)
        return whole if kind == wanted else emit.op("vector.shape_cast", [whole], wanted)


def staged_inputs(
    operation: ir.Operation, inputs: Mapping[int, tuple[object, tuple[LinearIndex, ...]]]
) -> dict[int, tuple[StagedTile, tuple[LinearIndex, ...]]]:
    """Return the inputs of a matrix instruction, refusing one that does not lie in workgroup memory."""
    found: dict[int, tuple[StagedTile, tuple[LinearIndex, ...]]] = {}
    for number, (tile, functions) in inputs.items():
        if not isinstance(tile, StagedTile):
            fail(operation, f"'{operation.name}' input {number} of a matrix instruction must lie in workgroup memory")
        found[number] = (tile, functions)
    return found
