# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers to bf16, rounded once: back ends go through f32, which rounds those of more than 24 bits a first time.

    %r = arith.sitofp %x : i32 to bf16      %low = arith.andi %x, 255       where %x has more than 24 bits, else 0
                                            %odd = %x without %low, and with its bit 8 unless %low is 0
                                            %f = arith.sitofp %odd : f32    exact
                                            %r = arith.truncf %f : bf16

16842753 is one more than the middle between two neighbours in bf16; f32 has the middle only. That something is cut off
stays visible in the last bit that is kept, which holds the number on its side of the middle. No other cast of integers
is concerned: f32 and f64 are made at once, and what is not exact in f32 is infinite in f16.
"""

from typing import Any

from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import like, replace_op

INTEGER_CASTS = ("arith.sitofp", "arith.uitofp")

_CUTS = {32: ((24, 8),), 64: ((24, 10), (34, 25), (49, 40))}
"""By width of the integer: of numbers from 2**n on, how many bits are cut off. For k bits these are numbers from
2**(k + 9) on, of which bf16 keeps no such bit, nor the one behind it, and below 2**(k + 24), whose rest f32 has."""

_NOT_EQUAL, _AT_LEAST = 1, 9


def round_once(op: Any) -> None:
    """Rewrite a cast of an integer where it is to bf16, of more bits than f32 has."""
    value, kind = op.operands[0], op.results[0].type
    integer = _element(value.type)
    cuts = _CUTS.get(integer.width) if isinstance(integer, ir.IntegerType) else None
    if cuts is None or not isinstance(_element(kind), ir.BF16Type):
        return
    signed = op.name == "arith.sitofp"
    with ir.InsertionPoint(op), op.location:
        size = value
        if signed:  # of a negative number one less than its size, which differs where the size is a power of two: exact
            size = arith.xori(value, arith.shrsi(value, _whole(value.type, integer.width - 1)))
        zero = mask = _whole(value.type, 0)
        for least, cut in cuts:
            there = arith.cmpi(_AT_LEAST, size, _whole(value.type, 1 << least))
            mask = arith.select(there, _whole(value.type, (1 << cut) - 1), mask)
        low = arith.andi(value, mask)
        last = arith.select(arith.cmpi(_NOT_EQUAL, low, zero), arith.addi(mask, _whole(value.type, 1)), zero)
        odd = arith.ori(arith.subi(value, low), last)
        single = (arith.sitofp if signed else arith.uitofp)(like(kind, ir.F32Type.get()), odd)
        replace_op(op, arith.truncf(kind, single))


def _whole(kind: Any, value: int) -> Any:
    attribute: Any = ir.IntegerAttr.get(_element(kind), value)
    if isinstance(kind, ir.VectorType):
        attribute = ir.DenseElementsAttr.get_splat(kind, attribute)
    return arith.constant(kind, attribute)


def _element(kind: Any) -> Any:
    return ir.VectorType(kind).element_type if isinstance(kind, ir.VectorType) else kind
