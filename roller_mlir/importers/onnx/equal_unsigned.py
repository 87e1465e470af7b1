# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of unsigned integers, which torch-mlir takes for signed ones where a result depends on the sign.

Abs(x), PRelu(x, slope)     Identity(x): nothing is below zero
Div(a, b), Mod(a, b)        Cast(Div(Cast(a to i32), Cast(b to i32)) to u8); of wider ones lowerings.py refuses them
Pow(x, n), n of 8 bits      Pow(x, Cast(n to i32))

Those of pools, clamps and reductions stand with these.
"""

from roller_mlir.importers.onnx.rewriting import NodeReplacement
from roller_mlir.importers.onnx.values import attributes_of


def take_as_it_is(new: NodeReplacement) -> None:
    """Leave out what is for negative numbers."""
    if new.values.type_of(new.node.input[0]).startswith("UINT"):
        new.end("Identity", new.node.input[0])


def widen(new: NodeReplacement) -> None:
    """Compute with signed integers that hold the unsigned ones."""
    import onnx

    if new.values.type_of(new.node.input[0]) != "UINT8":
        return
    wide = [new.add("Cast", one, to=onnx.TensorProto.INT32) for one in new.node.input]
    found = new.add(new.node.op_type, *wide, **attributes_of(new.node))
    new.end("Cast", found, to=onnx.TensorProto.UINT8)


def count_exponent(new: NodeReplacement) -> None:
    """Let an exponent be a signed integer that holds the unsigned one."""
    import onnx

    base, exponent = new.node.input
    if new.values.type_of(exponent) == "UINT8":
        new.end("Pow", base, new.add("Cast", exponent, to=onnx.TensorProto.INT32))
