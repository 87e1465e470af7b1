# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Floats that a CPU lacks or rounds in its own way, as operations of those that it has.

    %r = arith.addf %x, %y : bf16            in f32, rounded once; the cores' own conversion takes denormals for zeros
    %r = math.fma %x, %y, %z : f16           in f64, where it is exact, and rounded once
    %r = arith.truncf %x : f64 to f16        f64 -> f32, rounded to odd, -> f16: rounded once, without a library

    masked loads and stores of bf16          of i16: LLVM takes those of bf16 apart, with a branch for each lane, where
                                             the cores have no bf16

LLVM takes vectors of bf16 apart through f32 where the cores have no bf16, and calls a library's function to put them
together again; `LIBRARY` is that function, for modules that name bf16.

Rounding to odd keeps what the second rounding must know: of what is cut off, whether it is zero. Where f32 is not
exact, its last bit is set, of the neighbour that is nearer to zero.
"""

from typing import Any

from roller_mlir.lowering.backend.math.operations import emit, find, find_prefix, widen
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import like, replace_op

_ARITHMETIC = (
    *("arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.remf", "arith.negf", "vector.fma"),
    *("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf", "arith.sitofp", "arith.uitofp"),
)
_HALVES = ("f16", "bf16")
_LESS, _EQUAL_OR_UNORDERED = 4, 8


LIBRARY = """
define weak_odr hidden bfloat @__truncsfbf2(float %x) {
  %bits = bitcast float %x to i32
  %upper = lshr i32 %bits, 16
  %odd = and i32 %upper, 1
  %half = add i32 %odd, 32767
  %sum = add i32 %bits, %half
  %near = lshr i32 %sum, 16
  %quiet = or i32 %upper, 64
  %nan = fcmp uno float %x, %x
  %chosen = select i1 %nan, i32 %quiet, i32 %near
  %short = trunc i32 %chosen to i16
  %result = bitcast i16 %short to bfloat
  ret bfloat %result
}
@llvm.compiler.used = appending global [1 x ptr] [ptr @__truncsfbf2], section "llvm.metadata"
"""


def prepare_floats(root: Any) -> None:
    """Rewrite the operations inside an operation that need other floats."""
    for op in find(root, _ARITHMETIC):
        if _element(op.results[0].type) in _HALVES:
            widen(op)
    for op in find(root, ("math.fma",)):
        kind = op.results[0].type
        if _element(kind) in _HALVES:
            with ir.InsertionPoint(op), op.location:
                wide = like(kind, ir.F64Type.get())
                operands = [emit("arith.extf", [value], wide) for value in op.operands]
                replace_op(op, emit("arith.truncf", [emit("math.fma", operands, wide)], kind))
    for op in find_prefix(root, "arith.truncf"):
        if _element(op.operands[0].type) == "f64" and _element(op.results[0].type) in _HALVES:
            with ir.InsertionPoint(op), op.location:
                replace_op(op, emit("arith.truncf", [_rounded_to_odd(op.operands[0])], op.results[0].type))


def mask_as_integers(root: Any) -> None:
    """Let masked accesses to bf16 inside an operation of the LLVM dialect be of i16."""
    i16 = ir.IntegerType.get_signless(16)
    for op in find(root, ("llvm.intr.masked.load",)):
        kind = op.results[0].type
        if _element(kind) != "bf16":
            continue
        with ir.InsertionPoint(op), op.location:
            pointer, mask, *others = op.operands
            others = [emit("llvm.bitcast", [other], like(kind, i16)) for other in others]
            attributes = {name: op.attributes[name] for name in op.attributes}
            loaded = emit(op.name, [pointer, mask, *others], like(kind, i16), attributes)
            replace_op(op, emit("llvm.bitcast", [loaded], kind))
    for op in find(root, ("llvm.intr.masked.store",)):
        kind = op.operands[0].type
        if _element(kind) == "bf16":
            with ir.InsertionPoint(op), op.location:
                op.operands[0] = emit("llvm.bitcast", [op.operands[0]], like(kind, i16))


def _rounded_to_odd(value: Any) -> Any:
    f32, i32, i1 = ir.F32Type.get(), ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(1)
    wide, narrow, bits, bit = value.type, *(like(value.type, kind) for kind in (f32, i32, i1))
    near = emit("arith.truncf", [value], narrow)
    back = emit("arith.extf", [near], wide)
    sizes = [emit("math.absf", [one], wide) for one in (value, back)]
    beyond = emit("arith.cmpf", sizes, bit, _predicate(_LESS))
    exact = emit("arith.cmpf", [back, value], bit, _predicate(_EQUAL_OR_UNORDERED))
    one = emit("arith.constant", [], bits, {"value": _constant(bits, i32)})
    whole = emit("arith.bitcast", [near], bits)
    toward_zero = emit("arith.select", [beyond, emit("arith.subi", [whole, one], bits), whole], bits)
    odd = emit("arith.bitcast", [emit("arith.ori", [toward_zero, one], bits)], narrow)
    return emit("arith.select", [exact, near, odd], narrow)


def _predicate(number: int) -> dict[str, Any]:
    return {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)}


def _constant(kind: Any, element: Any) -> Any:
    one = ir.IntegerAttr.get(element, 1)
    return ir.DenseElementsAttr.get_splat(kind, one) if isinstance(kind, ir.VectorType) else one


def _element(kind: Any) -> str:
    return str(ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind)
