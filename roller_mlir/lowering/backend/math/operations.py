# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scalar operations before the vendors' lowerings, alike for every vendor and for the simulator.

    %r = math.exp %x : bf16                     %w = arith.extf %x      %e = math.exp %w : f32     %r = arith.truncf %e
    %r = math.fpowi %x, 3 : f32, i32            two multiplications; where the exponent is no constant, math.powf
                                                of the size, and the sign
    %r = math.isinf %x                          %a = math.absf %x       %r = arith.cmpf oeq, %a, inf
    %r = math.clampf %x to [%a, %b]             arith.maximumf(arith.minimumf(%x, %b), %a), as upstream expands it
    %r = arith.sitofp %x : i32 to bf16          rounded once, see `integer_casts`

f16 and bf16 are computed in f32 and rounded once: no library has functions of bf16, and those of f16 differ. math.fma
stays as it is, because a sum in f32 would be rounded twice. All else of a kernel stays in its order: upstream's passes
for this go through whole kernels, after which ptxas needs more registers.
"""

from collections.abc import Iterable
from typing import Any

from roller_mlir.lowering.backend.math.integer_casts import INTEGER_CASTS, round_once
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import like, operations_inside, replace_op

_FLAGS = "fastmath"
_HALVES = ("f16", "bf16")
_ORDERED_EQUAL = 1
_MAX_MULTIPLICATIONS = 16
"""Powers that need more are computed by math.powf."""


def prepare_math(root: Any) -> None:
    """Rewrite the operations inside an operation that not every lowering knows."""
    names = {op.name for op in operations_inside(root)} - {"math.fma"}
    if not any(name.startswith("math.") or name in INTEGER_CASTS for name in names):
        return
    for name, expand in (("math.fpowi", _power), ("math.isinf", _is_infinite), ("math.clampf", _clamp)):
        for op in find(root, (name,)):
            with ir.InsertionPoint(op), op.location:
                replace_op(op, expand(op))
    for op in find(root, INTEGER_CASTS):
        round_once(op)
    for op in find_prefix(root, "math."):
        if op.name != "math.fma" and _element(op.operands[0].type) in _HALVES:
            widen(op)


def find(root: Any, names: Iterable[str]) -> list[Any]:
    """Return the operations of some names inside an operation."""
    wanted = set(names)
    return [op for op in operations_inside(root) if op.name in wanted]


def find_prefix(root: Any, prefix: str) -> list[Any]:
    """Return the operations inside an operation whose names start so."""
    return [op for op in operations_inside(root) if op.name.startswith(prefix)]


def widen(op: Any) -> None:
    """Compute an operation on f16 or bf16 in f32, with its flags."""
    attributes = {name: op.attributes[name] for name in op.attributes}
    with ir.InsertionPoint(op), op.location:
        operands = [emit("arith.extf", [v], _f32(v.type)) if _is_half(v.type) else v for v in op.operands]
        kind = op.results[0].type
        value = emit(op.name, operands, _f32(kind) if _is_half(kind) else kind, attributes)
        replace_op(op, emit("arith.truncf", [value], kind) if _is_half(kind) else value)


def emit(name: str, operands: list[Any], kind: Any, attributes: dict[str, Any] | None = None) -> Any:
    """Emit an operation of one result at the insertion point."""
    return ir.Operation.create(name, results=[kind], operands=operands, attributes=attributes or {}).results[0]


def constant(kind: Any, value: float) -> Any:
    """Emit a constant of a float or vector type."""
    attribute: Any = ir.FloatAttr.get(ir.VectorType(kind).element_type if _is_vector(kind) else kind, value)
    if _is_vector(kind):
        attribute = ir.DenseElementsAttr.get_splat(kind, attribute)
    return emit("arith.constant", [], kind, {"value": attribute})


def _flags(op: Any) -> dict[str, Any]:
    return {_FLAGS: op.attributes[_FLAGS]} if _FLAGS in op.attributes else {}


def _is_infinite(op: Any) -> Any:
    kind = op.operands[0].type
    size = emit("math.absf", [op.operands[0]], kind)
    predicate = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ORDERED_EQUAL)
    return emit("arith.cmpf", [size, constant(kind, float("inf"))], op.results[0].type, {"predicate": predicate})


def _clamp(op: Any) -> Any:
    value, low, high = op.operands
    below = emit("arith.minimumf", [value, high], value.type, _flags(op))
    return emit("arith.maximumf", [below, low], value.type, _flags(op))


def _power(op: Any) -> Any:
    """Multiply as often as a constant exponent has binary digits, at most twice each.

    Of other exponents a float may keep no last bit, which says whose sign the power has.
    """
    base, exponent = op.operands
    kind, flags, times = base.type, _flags(op), _constant_integer(exponent)
    if _is_half(kind):
        base, kind = emit("arith.extf", [base], _f32(kind)), _f32(kind)
    if times is None or 2 * abs(times).bit_length() > _MAX_MULTIPLICATIONS:
        size = emit("math.absf", [base], kind)
        power = emit("math.powf", [size, emit("arith.sitofp", [exponent], kind)], kind, flags)
        signed = emit("math.copysign", [power, base], kind)
        power = emit("arith.select", [_is_odd(exponent), signed, power], kind)
        return power if kind == op.results[0].type else emit("arith.truncf", [power], op.results[0].type)
    product: Any = None
    left = abs(times)
    while left:
        if left & 1:
            product = base if product is None else emit("arith.mulf", [product, base], kind, flags)
        left >>= 1
        if left:
            base = emit("arith.mulf", [base, base], kind, flags)
    one = constant(kind, 1.0)
    if product is None:
        product = one
    if times < 0:
        product = emit("arith.divf", [one, product], kind, flags)
    return product if kind == op.results[0].type else emit("arith.truncf", [product], op.results[0].type)


def _is_odd(value: Any) -> Any:
    """Return whether integers are odd."""
    return emit("arith.trunci", [value], like(value.type, ir.IntegerType.get_signless(1)))


def _constant_integer(value: Any) -> int | None:
    owner = value.owner
    if isinstance(owner, ir.Block) or owner.name not in ("arith.constant", "vector.broadcast"):
        return None
    if owner.name == "vector.broadcast":
        return _constant_integer(owner.operands[0])
    attribute: Any = owner.attributes["value"]
    if isinstance(attribute, ir.DenseElementsAttr):
        if not attribute.is_splat:
            return None
        attribute = attribute.get_splat_value()
    return ir.IntegerAttr(attribute).value


def _is_vector(kind: Any) -> bool:
    return isinstance(kind, ir.VectorType)


def _element(kind: Any) -> str:
    return str(ir.VectorType(kind).element_type if _is_vector(kind) else kind)


def _is_half(kind: Any) -> bool:
    return _element(kind) in _HALVES


def _f32(kind: Any) -> Any:
    """Return f32, or a vector of as many of it."""
    return like(kind, ir.F32Type.get(kind.context))
