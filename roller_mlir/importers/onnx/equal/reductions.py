# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over no axes, which torch-mlir does not lower, and sums that overflow.

ReduceL2 over no axes, which are named      Abs(x)
ReduceLogSum over no axes                   Log(x)
ReduceLogSumExp over no axes                Identity(x)
ReduceLogSumExp(x)                          m + Log(ReduceSum(Exp(x - m))), m = ReduceMax(x), 0 where that is infinite
ReduceL1 of unsigned integers               ReduceSum(x): it takes their absolute values as signed integers
"""

import math

from roller_mlir.importers.onnx.rewriting import NodeReplacement
from roller_mlir.importers.onnx.values import attributes_of

_OF_ONE = {"ReduceL2": "Abs", "ReduceLogSum": "Log", "ReduceLogSumExp": "Identity"}


def name_axes(new: NodeReplacement) -> None:
    """Say a reduction over no axes element by element."""
    if attributes_of(new.node).get("noop_with_empty_axes", 0) and new.values.axes_of(new.node) in ([], None):
        new.end(_OF_ONE[new.node.op_type], new.node.input[0])


def take_out_maximum(new: NodeReplacement) -> None:
    """Let the exponentials of a sum be at most 1."""
    name_axes(new)
    given, result = new.node.input[0], new.node.output[0]
    if new.nodes or not new.values.type_of(given).endswith(("FLOAT", "FLOAT16", "DOUBLE")):
        return
    axes = new.values.axes_of(new.node) or None
    most = _maximum(new, given, axes)
    most = new.add("Where", new.add("IsInf", most), new.like(given, 0), most)
    sums = new.reduce("ReduceSum", new.add("Exp", new.add("Sub", given, most)), axes)
    found = new.add("Add", new.add("Log", sums), most)
    if attributes_of(new.node).get("keepdims", 1):
        new.end("Identity", found)
    else:
        new.end("Reshape", found, new.numbers(*new.values.shapes[result]))


def _maximum(new: NodeReplacement, given: str, axes: list[int] | None) -> str:
    """Add the maxima along axes, which stay as axes of one; torch-mlir has no ReduceMax of older opsets."""
    if new.values.opset >= 13:
        return new.reduce("ReduceMax", given, axes)
    shape = new.values.shapes[given]
    gone = range(len(shape)) if axes is None else axes
    kept = [axis for axis in range(len(shape)) if axis not in gone]
    rows = new.add("Transpose", given, perm=[*kept, *gone])
    rows = new.add("Reshape", rows, new.numbers(1, math.prod(shape[axis] for axis in kept), -1))
    one = [1 if axis in gone else extent for axis, extent in enumerate(shape)]
    return new.add("Reshape", new.add("GlobalMaxPool", rows), new.numbers(*one))


def sum_unsigned(new: NodeReplacement) -> None:
    """Add unsigned integers as they are."""
    attributes, axes = attributes_of(new.node), new.values.axes_of(new.node) or None
    if not new.values.type_of(new.node.input[0]).startswith("UINT"):
        return
    if axes is None and attributes.get("noop_with_empty_axes", 0):
        new.end("Identity", new.node.input[0])
    else:
        found = new.reduce("ReduceSum", new.node.input[0], axes, keepdims=attributes.get("keepdims", 1))
        new.end("Identity", found)
