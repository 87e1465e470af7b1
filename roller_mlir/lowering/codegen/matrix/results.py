# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results of a matrix instruction: from the values that `ThreadBox` gives a thread to fragments, and back."""

from collections.abc import Sequence

from roller_mlir.lowering.codegen.builder.task_context import TaskContext, put_at, slice_of
from roller_mlir.lowering.codegen.emitters import emitter_of
from roller_mlir.lowering.codegen.matrix.product import Matrix, convert
from roller_mlir.lowering.codegen.matrix.wmma import Scratch, constant
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op


def pack(context: TaskContext, matrix: Matrix, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Return a thread's results as fragments of the instruction, one per atom, in the type of the sum."""
    if matrix.family.is_opaque:
        return _pack_opaque(context, matrix, values)
    emit, width, count = context.emit, matrix.box.width, matrix.fragments.result.count
    flat = ir.VectorType.get([count], matrix.sum)
    kind = emitter_of(matrix).result_type(matrix)
    packed: list[ir.Value] = []
    known: dict[tuple[ir.Value, ...], ir.Value] = {}
    for atom in matrix.atoms:
        parts = tuple(values[key] for key in matrix.keys(atom))
        if parts not in known:
            whole = emit.poison(flat)
            for number, part in enumerate(parts):
                whole = put_at(emit, convert(context, part, matrix.sum), whole, number * width)
            known[parts] = whole if kind == flat else emit.op("vector.shape_cast", [whole], kind)
        packed.append(known[parts])
    return packed


def unpack(context: TaskContext, matrix: Matrix, packed: Sequence[ir.Value], element: ir.Type) -> list[ir.Value]:
    """Return a thread's results as `ThreadBox.keys` orders them, in the type of the result."""
    emit, width, count = context.emit, matrix.box.width, matrix.fragments.result.count
    flat = ir.VectorType.get([count], matrix.sum)
    values: dict[int, ir.Value] = {}
    scratch = Scratch(context, matrix) if matrix.family.is_opaque else None
    for atom, fragment in zip(matrix.atoms, packed, strict=True):
        if scratch is not None:
            values |= dict(zip(matrix.keys(atom), scratch.spread(fragment, element), strict=True))
            continue
        whole = fragment if fragment.type == flat else emit.op("vector.shape_cast", [fragment], flat)
        for number, key in enumerate(matrix.keys(atom)):
            part = emit.extract(whole, number) if width == 1 else slice_of(emit, whole, number * width, width)
            values[key] = convert(context, part, element)
    return [values[key] for key in range(len(matrix.box.keys))]


def _pack_opaque(context: TaskContext, matrix: Matrix, values: Sequence[ir.Value]) -> list[ir.Value]:
    """Return opaque fragments: constants where all of a result's values are one, else through workgroup memory."""
    emit = context.emit
    packed: list[ir.Value] = []
    for atom in matrix.atoms:
        parts = [values[key] for key in matrix.keys(atom)]
        source = defining_op(parts[0], "arith.constant") if len(set(parts)) == 1 else None
        if source is None:
            packed.append(Scratch(context, matrix).gather(parts))
            continue
        attribute = source.attributes["value"]
        if isinstance(attribute, ir.DenseElementsAttr):
            attribute = attribute.get_splat_value()
        scalar = convert(context, emit.typed_constant(attribute), matrix.sum)
        key = ("opaque", scalar, matrix.shape)
        packed.append(emit.cached(key, lambda scalar=scalar: constant(context, matrix, scalar)))
    return packed
