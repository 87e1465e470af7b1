# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes that torch-mlir lowers wrongly, or not at all, become others that say the same and that it lowers.

Gemm(A, B), alpha = 2           Gemm(A, B, zeros of one element), alpha = 2: without a third input it forgets alpha
MatMul(A of k, B of b,k,n)      Reshape(MatMul(Reshape(A to 1,k), B) to b,n): it has no row times matrices
DequantizeLinear, axis = -1     the axis counted from the front: it crashes; without a zero point, of 0
    of blocks                   (Cast(x of blocks) - zero points) * scales: it has one scale for each element of an axis
Pad by less than nothing        Pad(Slice(x)): passes take one that keeps the shape for none
QLinearConv with a bias         QuantizeLinear of (ConvInteger + bias) * scales: of a scale for each channel it forgets
                                those of the bias
SoftmaxCrossEntropyLoss         NegativeLogLikelihoodLoss(LogSoftmax(x)): for a mean it divides by a sum of weights
                                whose fraction is cut off

Those of extrema, pools, reductions, rows and unsigned integers stand in files of their own.
"""

from typing import Any

import numpy as np

from roller_mlir.importers.onnx.equal.extrema import (
    keep_nan_of_clip,
    keep_nan_of_equal,
    keep_nan_of_extremum,
    keep_nan_of_sign,
)
from roller_mlir.importers.onnx.equal.pools import divide_by_what_is_there, make_plain_pool
from roller_mlir.importers.onnx.equal.reductions import name_axes, sum_unsigned, take_out_maximum
from roller_mlir.importers.onnx.equal.rows import multiply_up, write_rows
from roller_mlir.importers.onnx.equal.unsigned import count_exponent, take_as_it_is, widen, widen_bytes
from roller_mlir.importers.onnx.rewriting import NodeReplacement, replace_nodes
from roller_mlir.importers.onnx.values import Values, attributes_of, input_of


def use_equal_nodes(proto: Any) -> Any:
    """Return a model without the nodes that the table above names.

    Args:
        proto: A model; the types of its values are known. It is changed.
    """
    return replace_nodes(proto, _RULES)


def _add_zero(new: NodeReplacement) -> None:
    """Give a product without an addend, whose factor is not 1, the addend zero."""
    node, attributes = new.node, attributes_of(new.node)
    if any(node.input[2:]) or attributes.get("alpha", 1.0) == 1.0 or node.input[0] not in new.values.types:
        return
    new.end("Gemm", *node.input[:2], new.like(node.input[0], [0]), **attributes)


def _make_row(new: NodeReplacement) -> None:
    """Let a vector in front of several matrices be a matrix of one row."""
    left, right = (new.values.shapes.get(name, ()) for name in new.node.input)
    if len(left) != 1 or len(right) < 3:
        return
    row = new.add("Reshape", new.node.input[0], new.numbers(1, *left))
    product = new.add("MatMul", row, new.node.input[1])
    new.end("Reshape", product, new.numbers(*right[:-2], right[-1]))


def _name_zero(new: NodeReplacement) -> None:
    """Name the zero point 0 that a node leaves out, and count the axis of scales from the front."""
    attributes, (value, scale) = attributes_of(new.node), new.node.input[:2]
    shape, zero = new.values.shapes.get(value, ()), input_of(new.node, 2)
    if attributes.get("block_size"):
        _scale_blocks(new)
        return
    negative = attributes.get("axis", 1) < 0
    bare = not zero and value in new.values.types and scale in new.values.shapes
    if not negative and not bare:
        return
    if negative:
        attributes = {**attributes, "axis": attributes["axis"] + len(shape)}
    if bare:
        zero = new.like(value, np.zeros(new.values.shapes[scale]))
    new.end("DequantizeLinear", value, scale, *([zero] if zero else []), **attributes)


def axis_of_blocks(node: Any, values: Values) -> int | None:
    """Return the axis whose blocks have a scale each, where they fill it; None where they do not."""
    attributes, (value, scale) = attributes_of(node), node.input[:2]
    shape, scales = values.shapes.get(value, ()), values.shapes.get(scale, ())
    axis, points = attributes.get("axis", 1), attributes["block_size"]
    if len(scales) != len(shape) or not -len(shape) <= axis < len(shape):
        return None
    return axis % len(shape) if shape[axis] == scales[axis] * points else None


def _scale_blocks(new: NodeReplacement) -> None:
    """Let the blocks of an axis that have a scale each be a dimension of their own."""
    import onnx

    axis, (value, scale), zero = axis_of_blocks(new.node, new.values), new.node.input[:2], input_of(new.node, 2)
    if axis is None:  # lowerings.py refuses it
        return
    shape, blocks = new.values.shapes[value], new.values.shapes[scale][axis]

    def apart(name: str, extent: int) -> str:
        return new.add("Reshape", name, new.numbers(*shape[:axis], blocks, extent, *shape[axis + 1 :]))

    kind = new.values.types[scale]
    numbers = new.add("Cast", apart(value, shape[axis] // blocks), to=onnx.TensorProto.INT32 if zero else kind)
    if zero:
        numbers = new.add("Sub", numbers, new.add("Cast", apart(zero, 1), to=onnx.TensorProto.INT32))
        numbers = new.add("Cast", numbers, to=kind)
    new.end("Reshape", new.add("Mul", numbers, apart(scale, 1)), new.numbers(*shape))


def _cut_first(new: NodeReplacement) -> None:
    """Let a Pad of which some are negative be a Slice of what is cut off, and a Pad of the others."""
    data, pads, *fills = new.node.input
    known = new.values.constants.get(pads)
    if known is None or not (known < 0).any():
        return
    rank, axes = len(new.values.shapes.get(data, ())), None
    if len(fills) > 1:
        axes = new.values.constants.get(fills[1])
        if axes is None:
            return
    low, high = np.split(known.reshape(-1).astype(np.int64), 2)
    axes = np.arange(rank) if axes is None else axes.reshape(-1) % rank
    extents = np.array(new.values.shapes[data])[axes]
    starts, ends = np.maximum(-low, 0), extents - np.maximum(-high, 0)
    inner = new.add("Slice", data, *(new.constant(one.astype(np.int64)) for one in (starts, ends, axes)))
    padded = new.constant(np.maximum(np.concatenate([low, high]), 0))
    new.end("Pad", inner, padded, *fills, **attributes_of(new.node))


def _scale_with_bias(new: NodeReplacement) -> None:
    """Add the bias of a quantized convolution to its sums, before they are scaled channel by channel."""
    import onnx

    x, x_scale, x_zero, weight, scales, zeros, y_scale, y_zero = new.node.input[:8]
    bias, known = input_of(new.node, 8), new.values.constants.get(zeros)
    if not bias or len(new.values.shapes.get(scales, ())) != 1:
        return
    if new.values.shapes[zeros] and known is not None:
        zeros = new.constant(known.reshape(-1)[:1].reshape(()))  # lowerings.py has seen that they are equal
    along = new.numbers(-1, *[1] * (len(new.values.shapes[x]) - 2))
    sums = new.add("ConvInteger", x, weight, x_zero, zeros, **attributes_of(new.node))
    sums = new.add("Cast", new.add("Add", sums, new.add("Reshape", bias, along)), to=onnx.TensorProto.FLOAT)
    scale = new.add("Reshape", new.add("Mul", x_scale, scales), along)
    new.end("QuantizeLinear", new.add("Mul", sums, scale), y_scale, y_zero)


def _take_logarithms(new: NodeReplacement) -> None:
    """Say a loss of scores as one of logarithms of probabilities."""
    scores, labels, *weights = new.node.input
    if len(new.values.shapes.get(scores, ())) != 2:  # others are not lowered
        return
    logarithms = new.add("LogSoftmax", scores, results=new.node.output[1:], axis=1)
    new.end("NegativeLogLikelihoodLoss", logarithms, labels, *weights, **attributes_of(new.node))


_RULES = {
    "Abs": take_as_it_is,
    "AveragePool": divide_by_what_is_there,
    "Clip": keep_nan_of_clip,
    "CumProd": multiply_up,
    "DequantizeLinear": _name_zero,
    "Div": widen,
    "Einsum": widen_bytes,
    "Equal": keep_nan_of_equal,
    "Gemm": _add_zero,
    "MatMul": _make_row,
    "Max": keep_nan_of_extremum,
    "MaxPool": make_plain_pool,
    "Min": keep_nan_of_extremum,
    "Mod": widen,
    "Pad": _cut_first,
    "PRelu": take_as_it_is,
    "Pow": count_exponent,
    "QLinearConv": _scale_with_bias,
    "ReduceL1": sum_unsigned,
    "ReduceL2": name_axes,
    "ReduceLogSum": name_axes,
    "ReduceLogSumExp": take_out_maximum,
    "Sign": keep_nan_of_sign,
    "SoftmaxCrossEntropyLoss": _take_logarithms,
    "TensorScatter": write_rows,
}
