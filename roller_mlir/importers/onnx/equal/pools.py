# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pools whose divisors, indices and types torch-mlir lowers.

MaxPool of uint8            Cast(MaxPool(Cast(x to f32)) to uint8): it compares them as signed integers
MaxPool's second result     its + n * C * plane + c * plane: it counts within a plane, ONNX over the tensor
AveragePool, ceil_mode      AveragePool without it, its pads reaching as far as the last window does, * elements of a
                            window / those of them that count: it divides by too few, or too many
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from roller_mlir.importers.onnx.rewriting import NodeReplacement
from roller_mlir.importers.onnx.values import Values, attributes_of


@dataclass(frozen=True)
class Windows:
    """The windows of a pool, axis by axis.

    Attributes:
        extents: Of the input.
        counts: Windows.
        sizes: Elements of a window.
        strides: Between windows.
        dilations: Between elements.
        begins: Padding in front.
        ends: Padding behind.
    """

    extents: Sequence[int]
    counts: Sequence[int]
    sizes: Sequence[int]
    strides: Sequence[int]
    dilations: Sequence[int]
    begins: Sequence[int]
    ends: Sequence[int]

    @classmethod
    def of_pool(cls, node: Any, values: Values) -> "Windows | None":
        """Return those of a node; None where its shapes are not known."""
        attributes, extents = attributes_of(node), values.shapes.get(node.input[0], ())[2:]
        counts, sizes, ones = values.shapes.get(node.output[0], ())[2:], attributes["kernel_shape"], [1] * len(extents)
        if not all((*extents, *counts)) or not len(extents) == len(counts) == len(sizes):
            return None
        strides, dilations = attributes.get("strides", ones), attributes.get("dilations", ones)
        pads = attributes.get("pads", [0] * (2 * len(extents)))
        begins, ends, mode = pads[: len(extents)], pads[len(extents) :], attributes.get("auto_pad", "NOTSET")
        if mode.startswith("SAME"):
            axes = zip(extents, counts, sizes, strides, dilations, strict=True)
            totals = [(many - 1) * step + (size - 1) * gap + 1 - of for of, many, size, step, gap in axes]
            less, more = [total // 2 for total in totals], [(total + 1) // 2 for total in totals]
            begins, ends = (less, more) if mode == "SAME_UPPER" else (more, less)
        return cls(extents, counts, sizes, strides, dilations, begins, ends)


def make_plain_pool(new: NodeReplacement) -> None:
    """Rewrite a MaxPool as the table above says."""
    import onnx

    node, given = new.node, new.node.input[0]
    shape, is_unsigned = new.values.shapes[given], new.values.type_of(given) == "UINT8"
    indices = node.output[1] if len(node.output) > 1 else ""
    if not is_unsigned and not indices:
        return
    if is_unsigned:
        given = new.add("Cast", given, to=onnx.TensorProto.FLOAT)
    within = new.name() if indices else ""
    found = new.add("MaxPool", given, results=[new.name(), *filter(None, [within])], **attributes_of(node))
    new.end("Cast", found, to=onnx.TensorProto.UINT8) if is_unsigned else new.end("Identity", found)
    if indices:
        firsts = np.arange(shape[0] * shape[1], dtype=np.int64) * int(np.prod(shape[2:]))
        first = new.constant(firsts.reshape(*shape[:2], *[1] * len(shape[2:])))
        new.add("Add", within, first, results=[indices])


def divide_by_what_is_there(new: NodeReplacement) -> None:
    """Rewrite an AveragePool of windows that may reach beyond the padding."""
    attributes = attributes_of(new.node)
    windows, counts_pads = Windows.of_pool(new.node, new.values), attributes.pop("count_include_pad", 0)
    if not attributes.pop("ceil_mode", 0) or windows is None or any(gap != 1 for gap in windows.dilations):
        return  # of windows with gaps torch-mlir counts what is there
    ends: list[int] = []
    factors: list[np.ndarray[Any, Any]] = []
    for axis, count in enumerate(windows.counts):
        extent, begin, end = windows.extents[axis], windows.begins[axis], windows.ends[axis]
        size = windows.sizes[axis]
        at = np.arange(count)[:, None] * windows.strides[axis] - begin + np.arange(size)
        ends.append(max(0, int(at.max()) + 1 - extent))
        is_there = (at < extent + end) if counts_pads else (at >= 0) & (at < extent)
        factors.append((size / np.maximum(1, is_there.sum(1))).reshape(-1, *[1] * (len(windows.counts) - 1 - axis)))
    attributes.pop("auto_pad", None)
    attributes |= {"pads": [*windows.begins, *ends], "count_include_pad": 1}
    found = new.add("AveragePool", new.node.input[0], **attributes)
    for factor in factors:
        if (factor != 1).any():
            found = new.add("Mul", found, new.like(new.node.input[0], factor))
    new.end("Identity", found)
