# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies on values: the scalar operations of a body, emitted on scalars or on lane vectors.

    %p = arith.mulf %a, %b            one fused multiply-add where the product is used in the sum only
    %r = arith.addf %acc, %p

What does not depend on an accumulator is emitted once for equal operands, however many accumulators use it: the
conversion of a fragment, the exponential of a row's element. Fast-math flags are the body's own; only an operation that
has none may be contracted.
"""

from collections.abc import Callable
from typing import Any

from roller_mlir.lowering.codegen.builder.fragments import Wide
from roller_mlir.lowering.codegen.builder.task_context import TaskContext, splat, vector_type
from roller_mlir.lowering.linalg.body import (
    CONTRACTIBLE,
    GATHER,
    Body,
    BodyArgument,
    BodyConstant,
    BodyOp,
    Local,
    Reference,
)
from roller_mlir.lowering.linalg.body_operations import DIVISIONS
from roller_mlir.support.bindings import ir

_FLAGS = "fastmath"


def widen(context: TaskContext, value: Wide, width: int) -> ir.Value:
    """Return a value as a vector of `width` lanes, or as it is when it has that width."""
    found, lanes = value
    if lanes == width:
        return found
    kind = vector_type(found.type, width)
    return context.emit.cached(("broadcast", found, width), lambda: context.emit.op("vector.broadcast", [found], kind))


def clone_body(
    context: TaskContext,
    body: Body,
    values: dict[Reference, Wide],
    *,
    counted: int = 0,
    gather: Callable[[BodyOp, Wide], Wide] | None = None,
) -> list[Wide]:
    """Emit a body on given values and return what it yields, one value a result.

    Args:
        context: The task.
        body: The scalar body.
        values: What its arguments stand for, and operations whose value depends on the point.
        counted: Lanes whose multiply-adds are promised to survive in the output.
        gather: Emits an `rtile.gather` at a position; None where the body has none.
    """
    emit = context.emit
    product = _product(body)
    fused = body.contribution() if product else None
    values = dict(values)
    varying: set[Reference] = {BodyArgument(number) for number in range(body.inputs, len(body.types))}

    def value(reference: Reference) -> Wide:
        if isinstance(reference, BodyConstant):
            return emit.typed_constant(reference.attribute), 1
        return values[reference]

    for number, op in enumerate(body.ops):
        if fused == Local(number) or Local(number) in values:
            continue  # emitted with the sum that uses it, or known
        if not varying.isdisjoint(op.operands):
            varying.add(Local(number))
        if op.name == GATHER:
            assert gather is not None
            values[Local(number)] = gather(op, value(op.operands[1]))
            continue
        if product and fused in op.operands:
            assert isinstance(fused, Local)
            operands = [*(value(r) for r in product), *(value(r) for r in op.operands if r != fused)]
            width = max(w for _, w in operands)
            context.fma_count += min(width, counted)
            wide = [widen(context, v, width) for v in operands]
            values[Local(number)] = (_multiply_add(context, body.ops[fused.operation], op, wide), width)
            continue
        given = [value(r) for r in op.operands]
        width = max((w for _, w in given), default=1)
        wide = [widen(context, v, width) for v in given]
        if op.name in DIVISIONS:
            wide[1] = _never_zero(context, wide[1])
        kind, attributes = vector_type(op.result_type, width), _attributes(op)
        if Local(number) in varying:
            values[Local(number)] = (emit.op(op.name, wide, kind, attributes), width)
            continue
        key = (op.name, kind, *wide, *sorted((name, str(attribute)) for name, attribute in attributes.items()))
        values[Local(number)] = (
            emit.cached(key, lambda n=op.name, w=wide, k=kind, a=attributes: emit.op(n, w, k, a)),
            width,
        )
    return [value(reference) for reference in body.yielded]


def _never_zero(context: TaskContext, divisor: ir.Value) -> ir.Value:
    """Return a divisor with 1 in place of 0.

    Points outside of their loops are computed too, on elements that were not loaded; to divide by such a 0 is undefined
    behaviour, from which LLVM would conclude that the load's bounds always hold.
    """
    emit, kind = context.emit, divisor.type
    element = ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind
    width = ir.VectorType(kind).shape[0] if isinstance(kind, ir.VectorType) else 1
    zero, one = splat(emit, element, width, 0), splat(emit, element, width, 1)
    bit = ir.IntegerType.get_signless(1)
    equal = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)
    is_zero = emit.op("arith.cmpi", [divisor, zero], vector_type(bit, width), {"predicate": equal})
    return emit.op("arith.select", [is_zero, one, divisor], kind)


def keeps_every_product(body: Body) -> bool:
    """Return whether each point's product is one multiply-add of every device, which no rule of algebra may merge.

    Devices have multiply-adds of f32 and f64; they convert others, or do two at a time. Factors are arguments, or casts
    of them.
    """
    factors = _product(body)
    if factors is None or str(body.types[body.inputs]) not in ("f32", "f64") or any(map(_is_flagged, body.ops)):
        return False
    arguments = [_argument(body, factor) for factor in factors]
    return None not in arguments and arguments[0] != arguments[1]


def _argument(body: Body, reference: Reference) -> BodyArgument | None:
    """Return the argument that a factor is, maybe extended to a wider float."""
    if isinstance(reference, Local) and body.ops[reference.operation].name == "arith.extf":
        reference = body.ops[reference.operation].operands[0]
    return reference if isinstance(reference, BodyArgument) else None


def _product(body: Body) -> tuple[Reference, Reference] | None:
    """Return the factors of a sum of products of floats, None of integers: they have no fused instruction in MLIR."""
    accumulators = body.types[body.inputs :]
    return body.product() if accumulators and isinstance(accumulators[0], ir.FloatType) else None


def _is_flagged(op: BodyOp) -> bool:
    """Return whether the input says which rules of algebra may be applied to an operation."""
    return _FLAGS in op.attributes and "none" not in str(op.attributes[_FLAGS])


def _attributes(op: BodyOp) -> dict[str, Any]:
    """Return the attributes of an operation; one that may be contracted and has no flags may be contracted."""
    attributes = dict(op.attributes)
    if op.name in CONTRACTIBLE and not _is_flagged(op):
        attributes[_FLAGS] = ir.Attribute.parse("#arith.fastmath<contract>")
    return attributes


def _multiply_add(context: TaskContext, product: BodyOp, addition: BodyOp, operands: list[ir.Value]) -> ir.Value:
    """Emit a * b + c; scalars and flagged operations as a contractible pair, which back ends make one instruction."""
    a, b, c = operands
    emit = context.emit
    if isinstance(c.type, ir.VectorType) and not _is_flagged(product) and not _is_flagged(addition):
        return emit.op("vector.fma", [a, b, c], c.type)
    result = emit.op(product.name, [a, b], c.type, _attributes(product))
    return emit.op(addition.name, [c, result], c.type, _attributes(addition))
