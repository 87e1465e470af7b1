# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What emits the instructions of each family in a task's body: the one table from families to emitters.

Instructions of one point stand in bodies, and those that read workgroup memory by themselves have kernels of their own
(`lowering.codegen.hopper`): neither is in the table.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.task_context import TaskContext, element_bytes, vector_type
from roller_mlir.lowering.codegen.matrix.product import Matrix
from roller_mlir.lowering.codegen.matrix.wmma import multiply as multiply_opaque
from roller_mlir.lowering.codegen.task.compute import Compute
from roller_mlir.lowering.codegen.vectors.amx import emit_amx_points
from roller_mlir.lowering.codegen.vectors.atom import VectorAtom
from roller_mlir.lowering.codegen.vectors.dot import emit_dot_points
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

REGISTER_BYTES = 4


@dataclass(frozen=True)
class MatrixEmitter:
    """How the instructions of a family are emitted.

    Attributes:
        multiply: Emits an instruction: task, instruction, first factor, second factor, sum; returns the new sum.
        by_registers: Whether a fragment is a vector of registers, each of them a vector; else a vector of elements.
    """

    multiply: Callable[[TaskContext, Matrix, ir.Value, ir.Value, ir.Value], ir.Value]
    by_registers: bool = False

    def factor_type(self, matrix: Matrix, count: int) -> ir.Type:
        """Return the type of a factor's fragment of so many elements."""
        if self.by_registers:
            near = REGISTER_BYTES // element_bytes(matrix.factor)
            return ir.VectorType.get([count // near, near], matrix.factor)
        return vector_type(matrix.factor, count)

    def result_type(self, matrix: Matrix) -> ir.VectorType:
        """Return the type of a result's fragment."""
        count = matrix.fragments.result.count
        return ir.VectorType.get([count // 2, 2] if self.by_registers else [count], matrix.sum)


@dataclass(frozen=True)
class VectorEmitter:
    """How the instructions of a family on whole vectors are emitted.

    Attributes:
        emit_points: Emits all points of a box: task, compute, accumulators; returns the new ones.
    """

    emit_points: Callable[[TaskContext, Compute, Sequence[ir.Value]], list[ir.Value]]


def emitter_of(matrix: Matrix) -> MatrixEmitter:
    """Return what emits an instruction, refusing one that stands in no task's body."""
    found = EMITTERS.get(matrix.family.name)
    if not isinstance(found, MatrixEmitter):
        name = matrix.family.name
        fail(matrix.operation, f"'{name}' instructions stand in kernels of their own, not in a task's body")
    return found


def _multiply_mma(context: TaskContext, matrix: Matrix, first: ir.Value, second: ir.Value, total: ir.Value) -> ir.Value:
    attributes: dict[str, ir.Attribute] = {
        "mmaShape": ir.ArrayAttr.get([ir.IntegerAttr.get(ir.IntegerType.get_signless(64), x) for x in matrix.shape])
    }
    if isinstance(matrix.factor, ir.F32Type):
        attributes["tf32Enabled"] = ir.UnitAttr.get()
    return context.emit.op("nvgpu.mma.sync", [first, second, total], total.type, attributes)


def _multiply_mfma(
    context: TaskContext, matrix: Matrix, first: ir.Value, second: ir.Value, total: ir.Value
) -> ir.Value:
    i32 = ir.IntegerType.get_signless(32)
    values = dict(zip("mnk", matrix.shape, strict=True)) | {"blocks": 1, "cbsz": 0, "abid": 0}
    attributes: dict[str, ir.Attribute] = {name: ir.IntegerAttr.get(i32, x) for name, x in values.items()}
    attributes["blgp"] = ir.Attribute.parse("#rocdl<mfma_perm_b none>")
    return context.emit.op("amdgpu.mfma", [first, second, total], total.type, attributes)


def vector_emitter_of(atom: VectorAtom) -> VectorEmitter:
    """Return what emits an instruction on whole vectors."""
    found = EMITTERS[atom.family.name]
    assert isinstance(found, VectorEmitter)
    return found


EMITTERS: dict[str, MatrixEmitter | VectorEmitter] = {
    "mma": MatrixEmitter(_multiply_mma, by_registers=True),
    "mfma": MatrixEmitter(_multiply_mfma),
    "wmma": MatrixEmitter(multiply_opaque),
    "dot": VectorEmitter(emit_dot_points),
    "amx": VectorEmitter(emit_amx_points),
}
"""The emitter of each family that stands in a task's body."""
