# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Vectors that lie on padding as a whole or not at all: they are loaded from a place that holds the pad instead.

    %m = broadcast of %inside                              %p = alloca <8 x float>, which holds %pad
    %x = masked load of %a under %m, else %pad    becomes  %b = select %inside, %a, %p
                                                           %x = load of %b

A mask takes a comparison and a broadcast in each iteration, where it is no register steps that widen it, too. Of a
choice of two addresses LLVM makes a choice or a branch around the load, as it sees fit, and what is loaded without a
mask may be an operand of a multiply-add. Where lanes have masks of their own besides, as of vectors that may be cut,
these are made once: there it would be one step more.
"""

from functools import reduce
from typing import Any

from roller_mlir.lowering.backend.math.operations import emit, find
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, replace_op

_CONSTANTS = ("llvm.mlir.constant", "llvm.mlir.zero")
_BYTES = 64
"""Alignment of what holds a pad: a vector of any width lies in one line."""


def load_from_pads(function: Any) -> None:
    """Let masked loads of a function in the LLVM dialect choose an address where their lanes agree."""
    places: dict[Any, Any] = {}
    for op in find(function, ("llvm.intr.masked.load",)):
        pointer, mask, pad = op.operands
        conditions, constant = _conditions(mask), defining_op(pad)
        if not conditions or constant is None or constant.name not in _CONSTANTS:
            continue
        if pad not in places:
            places[pad] = _place(function, constant)
        with ir.InsertionPoint(op), op.location:
            condition = reduce(lambda one, other: emit("llvm.and", [one, other], one.type), conditions)
            chosen = emit("llvm.select", [condition, pointer, places[pad]], pointer.type)
            size = ir.IntegerAttr(op.attributes["alignment"]).value
            alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
            replace_op(op, emit("llvm.load", [chosen], pad.type, {"alignment": alignment}))


def _conditions(mask: Any) -> list[Any]:
    """Return the conditions of which a mask consists, each alike in all lanes; none where lanes differ."""
    owner = defining_op(mask)
    if owner is not None and owner.name == "llvm.and":
        left, right = (_conditions(operand) for operand in owner.operands)
        return left + right if left and right else []
    if owner is not None and owner.name == "llvm.shufflevector":
        first = defining_op(owner.operands[0], "llvm.insertelement")
        same = not any(ir.DenseI32ArrayAttr(owner.attributes["mask"]))
        if first is not None and same and _is_zero(first.operands[2]):
            return [first.operands[1]]
    return []


def _is_zero(position: Any) -> bool:
    owner = defining_op(position, "llvm.mlir.constant")
    return owner is not None and ir.IntegerAttr(owner.attributes["value"]).value == 0


def _place(function: Any, pad: Any) -> Any:
    """Return the address of a vector on a function's stack that holds a constant, from its entry on."""
    entry = function.regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(entry), function.location:
        i64 = ir.IntegerType.get_signless(64)
        one = emit("llvm.mlir.constant", [], i64, {"value": ir.IntegerAttr.get(i64, 1)})
        held = pad.clone().results[0]
        attributes = {"elem_type": ir.TypeAttr.get(held.type), "alignment": ir.IntegerAttr.get(i64, _BYTES)}
        place = emit("llvm.alloca", [one], ir.Type.parse("!llvm.ptr"), attributes)
        ir.Operation.create("llvm.store", operands=[held, place], attributes={"alignment": attributes["alignment"]})
    return place
