# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions whose fragments are opaque: loaded and stored as whole matrices, `gpu.subgroup_mma_*`.

Which lane holds what is not documented. Results pass workgroup memory once, after the reduction: each subgroup stores
a matrix to a piece of its own and its lanes read back what the lane map of its results says (`hal.atoms.wmma`).
"""

from collections.abc import Sequence

from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW
from roller_mlir.lowering.codegen.builder.swizzle import buffer_indices
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, access_memory, element_bytes, memref_view
from roller_mlir.lowering.codegen.builder.thread_box import Positions
from roller_mlir.lowering.codegen.builder.tile_values import StagedTile
from roller_mlir.lowering.codegen.matrix.product import Matrix, convert
from roller_mlir.lowering.linalg.affine import apply_indices
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.mapping.index import Linear
from roller_mlir.mapping.layout.data_tile import walked_alone
from roller_mlir.mapping.whole_matrices import matrix_pitch
from roller_mlir.plan import LinearIndex
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def fragment_type(matrix: Matrix, role: str) -> ir.Type:
    """Return the type of a factor's ("AOp", "BOp") or a result's ("COp") fragment."""
    m, n, k = matrix.shape
    rows, columns = {"AOp": (m, k), "BOp": (k, n), "COp": (m, n)}[role]
    element = matrix.sum if role == "COp" else matrix.factor
    return ir.Type.parse(f'!gpu.mma_matrix<{rows}x{columns}x{element}, "{role}">')


def load_factor(
    context: TaskContext, matrix: Matrix, tile: StagedTile, functions: Sequence[LinearIndex], side: str, at: Positions
) -> ir.Value:
    """Return a factor's fragment, read from workgroup memory.

    Args:
        context: The task.
        matrix: The instruction.
        tile: The factor's tile.
        functions: Tile coordinates as functions of the box's loops.
        side: ROW or COLUMN.
        at: Position of the instruction's tile on each loop.
    """
    emit, layout = context.emit, tile.layout
    if layout.swizzle is not None:
        fail(tile.source.operation, "a tile that a wmma instruction reads has rows that are not permuted")
    terms = [functions[d].terms() for d in layout.order]
    extents = list(ir.MemRefType(tile.view.type).shape)[1:]
    loops = (matrix.loops[side], matrix.loops[DEPTH])
    try:
        lead = matrix_pitch(terms, extents, loops, element_bytes(matrix.factor))
    except ValueError as error:
        fail(tile.source.operation, f"a wmma instruction cannot read the tile: its {error}")
    local = apply_indices(functions, [at.get(loop, Linear()) for loop in range(len(matrix.box.axes))])
    indices = buffer_indices(emit, tile.view, layout, [local[d] for d in layout.order])
    attributes: dict[str, ir.Attribute] = {
        "leadDimension": ir.IntegerAttr.get(emit.index_type, lead),
        SITE: ir.StringAttr.get(f"workgroup load {tile.source.name}"),
    }
    by_rows = matrix.loops[DEPTH] if side == ROW else matrix.loops[COLUMN]
    if walked_alone(terms, len(terms) - 1) != by_rows:
        attributes["transpose"] = ir.UnitAttr.get()
    context.arena_in_use = True
    kind = fragment_type(matrix, "AOp" if side == ROW else "BOp")
    return emit.op("gpu.subgroup_mma_load_matrix", [tile.view, tile.stage, *indices], kind, attributes)


def multiply(context: TaskContext, matrix: Matrix, first: ir.Value, second: ir.Value, total: ir.Value) -> ir.Value:
    """Return the sum and the product of two factors, read by rows or by columns as they were loaded."""
    attributes: dict[str, ir.Attribute] = {
        name: ir.UnitAttr.get()
        for name, factor in (("a_transpose", first), ("b_transpose", second))
        if "transpose" in ir.OpResult(factor).owner.attributes
    }
    kind = fragment_type(matrix, "COp")
    return context.emit.op("gpu.subgroup_mma_compute", [first, second, total], kind, attributes)


def constant(context: TaskContext, matrix: Matrix, value: ir.Value) -> ir.Value:
    """Return a result whose elements are all a scalar."""
    return context.emit.op("gpu.subgroup_mma_constant_matrix", [value], fragment_type(matrix, "COp"))


class Scratch:
    """The workgroup memory through which results pass: a piece for each subgroup, behind the staged tiles."""

    def __init__(self, context: TaskContext, matrix: Matrix) -> None:
        assert context.arena is not None
        self._context, self._matrix = context, matrix
        self._subgroup, self._lane = context.emit.divide(context.thread, context.subgroup_size)
        rows, columns, _ = matrix.shape
        self._pitch = matrix.family.scratch_pitch(columns)
        shape = (context.threads // context.subgroup_size, rows, self._pitch)
        self._view = memref_view(context.emit, context.arena, context.combine_offset, shape, matrix.sum)

    def _places(self) -> list[list[ir.Value]]:
        """Return where the lane's vectors lie, in the order of the fragment."""
        fragment, emit = self._matrix.fragments.result, self._context.emit
        digits = emit.delinearize(self._lane, [count for _, count, _ in fragment.lanes])
        base = {ROW: Linear(), COLUMN: Linear()}
        for (dimension, _, stride), value in zip(fragment.lanes, digits, strict=True):
            base[dimension] = base[dimension] + Linear.of(value, stride)
        found: list[list[ir.Value]] = []
        for element in range(0, fragment.count, self._matrix.box.width):
            offset = fragment.offset(element)
            at = [base[dimension] + offset.get(dimension, 0) for dimension in (ROW, COLUMN)]
            found.append([emit.index(Linear.of(self._subgroup)), *[emit.index(x) for x in at]])
        return found

    def _whole(self) -> tuple[list[ir.Value], dict[str, ir.Attribute]]:
        emit = self._context.emit
        attributes: dict[str, ir.Attribute] = {
            "leadDimension": ir.IntegerAttr.get(emit.index_type, self._pitch),
            SITE: ir.StringAttr.get("workgroup results"),
        }
        zero = emit.constant(0)
        return [self._view, emit.index(Linear.of(self._subgroup)), zero, zero], attributes

    def spread(self, fragment: ir.Value, element: ir.Type) -> list[ir.Value]:
        """Return a result's values as the lanes hold them, converted to an element type."""
        context = self._context
        operands, attributes = self._whole()
        ir.Operation.create("gpu.subgroup_mma_store_matrix", operands=[fragment, *operands], attributes=attributes)
        self._meet()
        values: list[ir.Value] = []
        for place in self._places():
            value = access_memory(context.emit, self._view, place, self._matrix.box.width, "workgroup results")
            assert value is not None
            values.append(convert(context, value, element))
        self._meet()
        return values

    def gather(self, values: Sequence[ir.Value]) -> ir.Value:
        """Return the result whose values the lanes hold."""
        context = self._context
        for place, value in zip(self._places(), values, strict=True):
            own = convert(context, value, self._matrix.sum)
            access_memory(context.emit, self._view, place, self._matrix.box.width, "workgroup results", own)
        self._meet()
        operands, attributes = self._whole()
        kind = fragment_type(self._matrix, "COp")
        found = context.emit.op("gpu.subgroup_mma_load_matrix", operands, kind, attributes)
        self._meet()
        return found

    def _meet(self) -> None:
        """Let the subgroup's lanes see what each of them wrote."""
        scope = {"scope": ir.Attribute.parse("#gpu.barrier_scope<subgroup>")}
        ir.Operation.create("gpu.barrier", attributes=scope)
