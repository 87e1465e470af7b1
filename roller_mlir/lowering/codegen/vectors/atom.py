# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction on whole vectors of a compute: its loops, its factors, and how these are read.

One factor, of rows, is read where it lies, its neighbours along the reduction, or, by tile registers, from where it was
packed in that order. The other, of columns, is packed in
front of the compute, its rows interleaved by as many elements as a lane multiplies.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from roller_mlir.dialects.rtile import ComputeOp
from roller_mlir.hal.atoms import Family, atom_family
from roller_mlir.lowering.codegen.builder.fragments import panel_place
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes, vector_type
from roller_mlir.lowering.codegen.builder.thread_box import Positions
from roller_mlir.lowering.codegen.builder.tile_values import DirectTile, RegisterTile, StagedTile
from roller_mlir.lowering.codegen.matrix.product import product_factors
from roller_mlir.lowering.linalg.affine import apply_indices, map_indices
from roller_mlir.lowering.linalg.body import Body
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

Inputs = Mapping[int, tuple[DirectTile | StagedTile | RegisterTile, tuple[LinearIndex, ...]]]


@dataclass(frozen=True)
class VectorAtom:
    """The instruction of a compute.

    Attributes:
        operation: The compute.
        family: The record of its family.
        shape: Rows, columns and reduction length of one instruction.
        row: Loop of its rows.
        column: Loop of its columns.
        depth: Loop of its reduction.
        first: Number of the input that gives the rows.
        second: Number of the input that gives the columns.
        factor: Element type of both.
        sum: Element type in which products are summed.
    """

    operation: ir.Operation
    family: Family
    shape: tuple[int, int, int]
    row: int
    column: int
    depth: int
    first: int
    second: int
    factor: ir.Type
    sum: ir.Type

    @property
    def near(self) -> int:
        """Factors that a lane multiplies at once."""
        return element_bytes(self.sum) // element_bytes(self.factor)


def vector_atom_of(view: ComputeOp, body: Body) -> VectorAtom | None:
    """Return the instruction on whole vectors of a compute, None where it has none.

    Refuses a compute that is not a sum of products of two inputs.
    """
    attribute = view.matrix_instruction
    if attribute is None or not atom_family(attribute.family).vectors:
        return None
    family = atom_family(attribute.family)
    factors = product_factors(body)
    if factors is None or len(view.results) != 1:
        fail(view, f"'{family.name}' computes sums of products of two inputs, but the body is something else")
    maps = [map_indices(one) for one in view.maps]
    row, column, depth = attribute.loops
    used = [{loop for index in maps[number] for loop in index.terms()} for number in factors]
    ordered = factors if column in used[1] else factors[::-1]  # a tile of one row has no loop of rows
    factor, result = body.types[factors[0]], body.types[body.inputs]
    if body.types[factors[1]] != factor or str(factor) not in family.factor_types:
        kinds = " or ".join(family.factor_types)
        fail(view, f"'{family.name}' has two factors of {kinds}, but got {factor} and {body.types[factors[1]]}")
    if not family.exists(attribute.shape, element_bytes(factor)):
        fail(view, f"'{family.name}' has no instruction of shape {list(attribute.shape)} for {factor}")
    total = ir.F32Type.get() if isinstance(factor, ir.FloatType) else ir.IntegerType.get_signless(32)
    known = ("f32", "bf16") if isinstance(factor, ir.FloatType) else ("i32",)
    if str(result) not in known:
        fail(view, f"'{family.name}' sums {factor} to {' or '.join(known)}, but the result is {result}")
    return VectorAtom(view.operation, family, attribute.shape, row, column, depth, *ordered, factor, total)


class FactorReads:
    """Reads the two factors of one compute.

    Args:
        context: The task.
        atom: The instruction.
        inputs: Tile and functions of each input, by number.
    """

    def __init__(self, context: TaskContext, atom: VectorAtom, inputs: Inputs) -> None:
        self._context, self._atom = context, atom
        rows, self._row_functions = inputs[atom.first]
        columns, self._column_functions = inputs[atom.second]
        if not _has_rows(rows, packed=atom.family.tile_registers):
            packed = ", or be packed as it lies" if atom.family.tile_registers else ""
            fail(atom.operation, f"input {atom.first} of '{atom.family.name}' must be read where it lies{packed}")
        assert isinstance(rows, DirectTile | StagedTile)
        if not isinstance(columns, StagedTile) or columns.layout.interleave != atom.near or not _whole_rows(columns):
            fail(
                atom.operation,
                f"input {atom.second} of '{atom.family.name}' must be packed, its rows interleaved by {atom.near}",
            )
        self.rows, self.columns = rows, columns

    @property
    def row_buffer(self) -> ir.Value:
        """The buffer of the first factor."""
        return self.rows.view if isinstance(self.rows, StagedTile) else self.rows.buffer

    @property
    def row_shape(self) -> tuple[int, ...]:
        """The extents of that buffer."""
        return tuple(ir.MemRefType(self.rows.view.type).shape) if isinstance(self.rows, StagedTile) else self.rows.shape

    def row_place(self, at: Positions, loops: int) -> list[Linear]:
        """Return where in its buffer the first factor lies at a position of the box."""
        local = apply_indices(self._row_functions, [at.get(loop, Linear()) for loop in range(loops)])
        if isinstance(self.rows, StagedTile):
            return [self.rows.number, *self.rows.place(local)]
        return [o + x * s for o, x, s in zip(self.rows.origin, local, self.rows.steps, strict=True)]

    def column_place(self, at: Positions, group: Linear, loops: int) -> list[Linear]:
        """Return where in its buffer the second factor lies: at a position of the box and a group of the reduction."""
        local = apply_indices(self._column_functions, [at.get(loop, Linear()) for loop in range(loops)])
        located = self.columns.place(local)
        *outer, _, last = [located[d] for d in self.columns.layout.order]
        *whole, within = panel_place(self._context.emit, self.columns.layout, [*outer, group, last])
        panel, end = self.columns.layout.panel, within.range()[1] + self._atom.shape[1]
        if panel and end > panel:
            fail(
                self._atom.operation,
                f"input {self._atom.second} of '{self._atom.family.name}' is read across the ends of panels of "
                f"{panel}; leave out panel, or make it a multiple of what a tile reads",
            )
        return [self.columns.number, *whole, within * self._atom.near]


def _has_rows(tile: DirectTile | StagedTile | RegisterTile, *, packed: bool) -> bool:
    """Return whether a tile has neighbours along its tensor's last dimension, where it lies or, if it may, packed."""
    if isinstance(tile, DirectTile):
        return tile.body is None and tile.steps[-1] == 1
    if not packed or not isinstance(tile, StagedTile):
        return False
    layout = tile.layout
    plain = not layout.panel and layout.interleave is None and layout.order == tuple(range(len(layout.order)))
    return plain and (not tile.steps or tile.steps[-1] == 1)


def _whole_rows(tile: StagedTile) -> bool:
    """Return whether a packed tile is read as it lies, from the first point of its reduction on."""
    deep = tile.layout.order[-2]
    return not tile.steps or (set(tile.steps) == {1} and tile.origin[deep].range() == (0, 0))


def converted(context: TaskContext, values: Sequence[ir.Value], element: ir.Type) -> list[ir.Value]:
    """Return vectors of floats in another type, others as they are."""
    found: list[ir.Value] = []
    for value in values:
        own = ir.VectorType(value.type)
        if own.element_type == element or not isinstance(element, ir.FloatType):
            found.append(value)
            continue
        name = "arith.truncf" if element_bytes(element) < element_bytes(own.element_type) else "arith.extf"
        found.append(context.emit.op(name, [value], vector_type(element, own.shape[0])))
    return found
