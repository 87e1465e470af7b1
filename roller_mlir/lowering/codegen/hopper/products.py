# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The products of one reduction step by wgmma, straight from workgroup memory, and their accumulators."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from roller_mlir.dialects.rtile import ComputeOp
from roller_mlir.hal.atoms.fragments import COLUMN, DEPTH, ROW
from roller_mlir.lowering.codegen.builder.inline_assembly import emit_assembly
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, vector_type
from roller_mlir.lowering.codegen.hopper.operands import (
    ADDRESS_UNIT,
    WarpgroupOperand,
    atom_positions,
    group_digits,
    operand_of,
)
from roller_mlir.lowering.codegen.hopper.ops import binary, plus
from roller_mlir.lowering.codegen.hopper.steps import Steps
from roller_mlir.lowering.codegen.matrix.product import Matrix, convert
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_TYPES = {"f16": ("f16", "f32", 16), "bf16": ("bf16", "f32", 16), "f32": ("tf32", "f32", 8), "i8": ("s8", "s32", 32)}
"""By factor: what the instruction calls the types of factors and of the sum, and its reduction length."""

_ADDRESS_MASK = 0x3FFF
"""A descriptor has 14 bits for an address."""


@dataclass(frozen=True)
class Products:
    """Emits the products of a step.

    Attributes:
        context: The task.
        matrix: The instruction.
        factors: First and second factor.
        starts: For each, the address field of its part of the first buffer, 32 bits.
        stage_bytes: Bytes of a buffer.
    """

    context: TaskContext
    matrix: Matrix
    factors: tuple[WarpgroupOperand, WarpgroupOperand]
    starts: tuple[ir.Value, ir.Value]
    stage_bytes: int

    @classmethod
    def of(
        cls,
        context: TaskContext,
        view: ComputeOp,
        compute: Compute,
        steps: Steps,
        address: ir.Value,
        warpgroup: ir.Value,
        count: int,
    ) -> "Products":
        """Return the products of a compute.

        Args:
            context: The task.
            view: The compute.
            compute: What is to be emitted of it.
            steps: The reduction.
            address: Address of the first buffer, 32 bits.
            warpgroup: Number of the thread's warpgroup.
            count: Warpgroups that compute.
        """
        matrix = compute.matrix
        assert matrix is not None
        _check_shape(view, matrix)
        emit = context.emit
        lane_order = view.thread_map.lane_order
        factors: list[WarpgroupOperand] = []
        starts: list[ir.Value] = []
        for side, number in ((ROW, matrix.first), (COLUMN, matrix.second)):
            place = next(
                (i for i, copy in enumerate(steps.copies) if copy.load.operation.results[0] == view.inputs[number]),
                None,
            )
            if place is None:
                fail(view, f"'rtile.compute' input {number} of a wgmma must be a tensor copy of the same step")
            operand = operand_of(matrix, side, steps.copies[place], compute.inputs[number][1], lane_order)
            start = plus(emit, address, steps.offsets[place])
            for digit in group_digits(matrix, operand, lane_order, count):
                value = warpgroup if digit.weight == 1 else binary(emit, "arith.divui", warpgroup, digit.weight)
                if digit.weight * digit.count < count:
                    value = binary(emit, "arith.remui", value, digit.count)
                start = binary(emit, "arith.addi", start, binary(emit, "arith.muli", value, digit.pitch))
            field = binary(emit, "arith.shrui", start, ADDRESS_UNIT.bit_length() - 1)
            starts.append(binary(emit, "arith.andi", field, _ADDRESS_MASK))
            factors.append(operand)
        return cls(context, matrix, (factors[0], factors[1]), (starts[0], starts[1]), steps.stage_bytes)

    @property
    def _scalar(self) -> ir.Type:
        return self.matrix.sum

    @property
    def _struct(self) -> ir.Type:
        return ir.Type.parse(f"!llvm.struct<({', '.join([str(self._scalar)] * self.matrix.fragments.result.count)})>")

    def accumulators(self, values: Sequence[ir.Value]) -> list[ir.Value]:
        """Return the accumulators of each instruction of a step.

        Args:
            values: What they start from, as `ThreadBox.keys` orders it; empty for 0.
        """
        emit, width = self.context.emit, self.matrix.box.width
        zero = emit.op("llvm.mlir.zero", [], self._struct)
        if not values:
            return [zero] * len(self.matrix.atoms)
        found: list[ir.Value] = []
        for atom in self.matrix.atoms:
            whole = zero
            for number, key in enumerate(self.matrix.keys(atom)):
                value = convert(self.context, values[key], self._scalar)
                for lane in range(width):
                    part = value if width == 1 else emit.extract(value, lane)
                    place: dict[str, ir.Attribute] = {"position": ir.DenseI64ArrayAttr.get([number * width + lane])}
                    whole = emit.op("llvm.insertvalue", [whole, part], self._struct, place)
            found.append(whole)
        return found

    def step(self, stage: ir.Value, accumulators: Sequence[ir.Value], *, fresh: bool) -> list[ir.Value]:
        """Emit the products of a step as a group of their own.

        Args:
            stage: The buffer, 32 bits.
            accumulators: One per instruction.
            fresh: Whether the first products replace the accumulators.
        """
        emit, matrix, box = self.context.emit, self.matrix, self.matrix.box
        moved = binary(emit, "arith.muli", stage, self.stage_bytes // ADDRESS_UNIT)
        descriptors = [self._descriptor(number, moved) for number in range(2)]
        depth, length = matrix.loops[DEPTH], matrix.shape[2]
        loops = [i for i, loop in enumerate(box.loops) if loop.reduction]
        runs = [range(0, box.axes[i].block, length if i == depth else 1) for i in loops]
        current = list(accumulators)
        ir.Operation.create("nvvm.wgmma.fence.aligned")
        for number, point in enumerate(product(*runs)):
            at = dict(zip(loops, point, strict=True))
            for place, atom in enumerate(matrix.atoms):
                positions = {**atom_positions(matrix, atom), **at}
                a, b = (
                    plus(emit, start, factor.offset(positions) // ADDRESS_UNIT)
                    for factor, start in zip(self.factors, descriptors, strict=True)
                )
                current[place] = self._instruction(a, b, current[place], replaces=fresh and number == 0)
        ir.Operation.create("nvvm.wgmma.commit.group.sync.aligned")
        return current

    def wait_but_one(self) -> None:
        """Emit a wait for all groups but the last."""
        group: dict[str, ir.Attribute] = {"group": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)}
        ir.Operation.create("nvvm.wgmma.wait.group.sync.aligned", attributes=group)

    def finish(self, accumulators: Sequence[ir.Value], element: ir.Type) -> list[ir.Value]:
        """Emit a wait for all groups; return a thread's results as `ThreadBox.keys` orders them.

        Args:
            accumulators: One per instruction.
            element: Type of the results.
        """
        emit, matrix, width = self.context.emit, self.matrix, self.matrix.box.width
        values: dict[int, ir.Value] = {}
        for atom, whole in zip(matrix.atoms, accumulators, strict=True):
            places = [{"position": ir.DenseI64ArrayAttr.get([i])} for i in range(matrix.fragments.result.count)]
            scalars = [emit.op("llvm.extractvalue", [whole], self._scalar, dict(place)) for place in places]
            scalars = emit_assembly("wgmma_wait_all", scalars)
            for number, key in enumerate(matrix.keys(atom)):
                parts = scalars[number * width : (number + 1) * width]
                kind = vector_type(self._scalar, width)
                value = parts[0] if width == 1 else emit.op("vector.from_elements", parts, kind)
                values[key] = convert(self.context, value, element)
        return [values[key] for key in range(len(matrix.box.keys))]

    def _descriptor(self, number: int, moved: ir.Value) -> ir.Value:
        """Return the descriptor of a factor's first element in a buffer."""
        emit = self.context.emit
        i64 = ir.IntegerType.get_signless(64)
        field = emit.op("arith.extui", [binary(emit, "arith.addi", self.starts[number], moved)], i64)
        return binary(emit, "arith.ori", field, self.factors[number].constant_bits)

    def _instruction(self, first: ir.Value, second: ir.Value, accumulator: ir.Value, *, replaces: bool) -> ir.Value:
        rows, columns, length = self.matrix.shape
        factor, total, _ = _TYPES[str(self.matrix.factor)]
        # The second factor is "col" where the reduction is innermost, as in mma.sync.
        layouts = ("row" if self.factors[0].k_major else "col", "col" if self.factors[1].k_major else "row")
        attributes = {
            "shape": f"#nvvm.shape<m = {rows}, n = {columns}, k = {length}>",
            "typeA": f"#nvvm.wgmma_type<{factor}>",
            "typeB": f"#nvvm.wgmma_type<{factor}>",
            "typeD": f"#nvvm.wgmma_type<{total}>",
            "scaleD": f"#nvvm.wgmma_scale_out<{'zero' if replaces else 'one'}>",
            "scaleA": "#nvvm.wgmma_scale_in<one>",
            "scaleB": "#nvvm.wgmma_scale_in<one>",
            "layoutA": f"#nvvm.mma_layout<{layouts[0]}>",
            "layoutB": f"#nvvm.mma_layout<{layouts[1]}>",
        }
        self.context.matrix_count += 1
        return self.context.emit.op(
            "nvvm.wgmma.mma_async",
            [accumulator, first, second],
            self._struct,
            {key: ir.Attribute.parse(value) for key, value in attributes.items()},
        )


def _check_shape(view: ComputeOp, matrix: Matrix) -> None:
    known = _TYPES.get(str(matrix.factor))
    rows, columns, length = matrix.shape
    if known is None or str(matrix.sum) != known[1].replace("s32", "i32"):
        fail(view, f"wgmma multiplies {', '.join(_TYPES)}, but the compute multiplies {matrix.factor} to {matrix.sum}")
    granule = 16 if known[0] == "s8" and columns > 32 else 8
    if rows != 64 or length != known[2] or not 8 <= columns <= 256 or columns % granule:
        fail(
            view,
            f"wgmma of {matrix.factor} is 64 x n x {known[2]} with n a multiple of {granule} up to 256, but the "
            f"compute says {rows} x {columns} x {length}",
        )
    axis = matrix.box.axes[matrix.loops[ROW]]
    column = matrix.box.axes[matrix.loops[COLUMN]]
    if (axis.lanes, axis.tile, column.lanes, column.tile) != (8, 16, 4, columns):
        fail(
            view,
            f"threads of a wgmma are 8 lanes of 16 rows and 4 lanes of {columns} columns a subgroup, but the compute "
            f"has {axis.lanes} of {axis.tile} and {column.lanes} of {column.tile}",
        )
