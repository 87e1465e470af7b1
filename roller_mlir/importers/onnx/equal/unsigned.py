# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of bytes, or of unsigned integers, which torch-mlir takes for signed ones where results depend on the sign.

Abs(x), PRelu(x, slope)     Identity(x): nothing is below zero
Div(a, b), Mod(a, b)        Cast(Div(Cast(a to i32), Cast(b to i32)) to u8); of wider ones lowerings.py refuses them
Pow(x, n), n of 8 bits      Pow(x, Cast(n to i32))
Einsum(...) of 8 bits       Cast(Einsum(Cast(... to i32)) to them): its sums wrap so, and torch-mlir ends by SIGSEGV

Those of pools, clamps and reductions stand with these.
"""

from collections.abc import Collection

from roller_mlir.importers.onnx.rewriting import NodeReplacement
from roller_mlir.importers.onnx.values import attributes_of


def take_as_it_is(new: NodeReplacement) -> None:
    """Leave out what is for negative numbers."""
    if new.values.type_of(new.node.input[0]).startswith("UINT"):
        new.end("Identity", new.node.input[0])


def widen(new: NodeReplacement, kinds: Collection[str] = ("UINT8",)) -> None:
    """Compute with signed integers that hold those of some kinds."""
    import onnx

    if (kind := new.values.type_of(new.node.input[0])) not in kinds:
        return
    wide = [new.add("Cast", one, to=onnx.TensorProto.INT32) for one in new.node.input]
    found = new.add(new.node.op_type, *wide, **attributes_of(new.node))
    new.end("Cast", found, to=onnx.TensorProto.DataType.Value(kind))


def widen_bytes(new: NodeReplacement) -> None:
    """Compute with integers of 32 bits instead of those of 8."""
    widen(new, ("INT8", "UINT8"))


def count_exponent(new: NodeReplacement) -> None:
    """Let an exponent be a signed integer that holds the unsigned one."""
    import onnx

    base, exponent = new.node.input
    if new.values.type_of(exponent) == "UINT8":
        new.end("Pow", base, new.add("Cast", exponent, to=onnx.TensorProto.INT32))
