# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators along an axis that torch-mlir does not know.

CumProd         ReduceProd(Where(j <= i, x[j], 1)) along j
TensorScatter   Where(0 <= p - start < length, GatherElements(update, p - start), cache) along p
"""

import numpy as np

from roller_mlir.importers.onnx.rewriting import NodeReplacement
from roller_mlir.importers.onnx.values import attributes_of, input_of

_LONGEST = 1024
"""Elements of a row of which each asks all."""


def multiply_up(new: NodeReplacement) -> None:
    """Rewrite a CumProd."""
    x, given = new.node.input
    attributes, shape = attributes_of(new.node), new.values.shapes.get(x, ())
    axis = new.values.constants.get(given)
    if axis is None or not all(shape) or not shape or shape[int(axis)] > _LONGEST:
        return
    place = int(axis) % len(shape)
    own, other = np.indices((shape[place], shape[place]))
    if attributes.get("reverse", 0):
        own, other = other, own
    is_meant = other < own if attributes.get("exclusive", 0) else other <= own
    mask = new.constant(is_meant.reshape(*is_meant.shape, *[1] * (len(shape) - 1 - place)))
    rows = new.add("Unsqueeze", x, new.numbers(place))
    product = new.reduce("ReduceProd", new.add("Where", mask, rows, new.like(x, 1)), [place + 1], keepdims=0)
    new.end("Identity", product)


def write_rows(new: NodeReplacement) -> None:
    """Rewrite a TensorScatter."""
    cache, update = new.node.input[:2]
    attributes, starts = attributes_of(new.node), input_of(new.node, 2)
    shape, written = (new.values.shapes.get(name, ()) for name in (cache, update))
    if not shape or not all((*shape, *written)):
        return
    axis = attributes.get("axis", -2) % len(shape)
    along = [-1 if d == axis else 1 for d in range(len(shape))]
    places = new.constant(np.arange(shape[axis], dtype=np.int64).reshape(along))
    if starts:
        places = new.add("Sub", places, new.add("Reshape", starts, new.numbers(-1, *[1] * (len(shape) - 1))))
    if attributes.get("mode", "linear") == "circular":
        places = new.add("Mod", places, new.numbers(shape[axis]))
    zero, length, last = (new.constant(np.array(one, np.int64)) for one in (0, written[axis], written[axis] - 1))
    is_meant = new.add("And", new.add("GreaterOrEqual", places, zero), new.add("Less", places, length))
    within = new.add("Expand", new.add("Min", new.add("Max", places, zero), last), new.numbers(*shape))
    new.end("Where", is_meant, new.add("GatherElements", update, within, axis=axis), cache)
