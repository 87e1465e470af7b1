# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights of less than 8 bits, which MLIR's importer has no types for, become weights of 8.

INT4, UINT4                       INT8, UINT8 with the same values; results of nodes stay as they are, and are refused,
                                  as are those that a zero point of 4 bits makes narrow
MatMulNBits (of com.microsoft)    MatMul(A, Reshape((Cast(integers) - zero points) * scales)): its weights are packed by
                                  columns, in blocks of the reduction that have a scale each

Zero points of up to 4 bits are subtracted here, so that the integers have a sign.
Source: ONNX Runtime, "Contrib Operators", com.microsoft.MatMulNBits.
"""

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from roller_mlir.importers.imported import refuse
from roller_mlir.importers.onnx.graph import graphs_of, label_of, nodes_of
from roller_mlir.importers.onnx.tensors import tensor_bytes
from roller_mlir.importers.onnx.values import attributes_of, input_of

_DOMAIN, _PRODUCT = "com.microsoft", "MatMulNBits"

_Array = np.ndarray[Any, Any]


def widen_weights(proto: Any, mapped: dict[str, _Array], name: str) -> None:
    """Widen the weights of a model.

    Args:
        proto: It is changed.
        mapped: Weights whose elements it does not hold, by name; those that nobody reads any more leave it.
        name: What diagnostics call the file.

    Raises:
        DiagnosedError: A product has no constant weights, or such as nobody packs, or a node quantizes to 4 bits.
    """
    narrow = {one for graph in _graphs(proto.graph) for one, tensor in _tensors(graph) if _widen(tensor)}
    for node in nodes_of(proto.graph):
        if node.op_type == "QuantizeLinear" and input_of(node, 2) in narrow:
            refuse(name, "it quantizes to 4 bits, which only weights have here", label_of(node))
    if not any(node.domain == _DOMAIN and node.op_type == _PRODUCT for node in nodes_of(proto.graph)):
        return
    for graph in _graphs(proto.graph):
        product = _Products(graph, mapped, name)
        nodes = [made for node in graph.node for made in product.replaced(node)]
        kept = [type(one).FromString(one.SerializeToString()) for one in nodes]
        del graph.node[:]
        graph.node.extend(kept)
        read = {one for inner in nodes_of(graph) for one in inner.input} | {one.name for one in graph.output}
        left = [one for one in graph.initializer if one.name in read or one.name not in product.read]
        for gone in product.read - read:
            mapped.pop(gone, None)
        del graph.initializer[:]
        graph.initializer.extend(left)


def _graphs(graph: Any) -> Iterator[Any]:
    yield graph
    for node in graph.node:
        for inner in graphs_of(node):
            yield from _graphs(inner)


def _tensors(graph: Any) -> Iterator[tuple[str, Any]]:
    """Yield the constants of a graph with their names."""
    yield from ((one.name, one) for one in graph.initializer)
    for node in graph.node:
        if node.op_type == "Constant" and node.output:
            yield from ((node.output[0], one.t) for one in node.attribute if one.HasField("t"))


def _widen(tensor: Any) -> bool:
    """Give a tensor of 4 bits 8; return whether it has 4."""
    import onnx

    wide = {onnx.TensorProto.INT4: np.int8, onnx.TensorProto.UINT4: np.uint8}.get(tensor.data_type)
    if wide is not None:
        tensor.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(tensor).astype(wide), tensor.name))
    return wide is not None


class _Products:
    """Puts nodes in the place of the products of a graph.

    Args:
        graph: The graph, to which weights are added.
        mapped: Elements of weights that it does not hold, by name.
        name: What diagnostics call the file.

    Attributes:
        read: Weights of products that were replaced.
    """

    def __init__(self, graph: Any, mapped: dict[str, _Array], name: str) -> None:
        self._graph, self._mapped, self._file = graph, mapped, name
        self._weights = {one.name: one for one in graph.initializer}
        self.read = set[str]()

    def replaced(self, node: Any) -> list[Any]:
        """Return what stands for a node: itself where it is no product of such weights."""
        import onnx

        if node.domain != _DOMAIN or node.op_type != _PRODUCT:
            return [node]
        if self._given(node, 4, "groups") is not None:
            self._refuse(node, "its reduction is in another order (g_idx), which is not read")
        integers, scales, zeros = self._blocks(node)
        self.read |= set(node.input[1:4])
        stem, nodes = node.output[0], list[Any]()

        def add(operator: str, *inputs: str, result: str = "", **attributes: Any) -> str:
            result = result or f"{stem}.weight.{len(nodes)}"
            nodes.append(onnx.helper.make_node(operator, inputs, [result], name=node.name, **attributes))
            return result

        kind = onnx.helper.np_dtype_to_tensor_dtype(scales.dtype)
        weight = add("Cast", self._add(f"{stem}.integers", integers), to=kind)
        if zeros is not None:
            weight = add("Sub", weight, self._add(f"{stem}.zeros", zeros))
        weight = add("Mul", weight, self._add(f"{stem}.scales", scales))
        depth, columns = (attributes_of(node)[key] for key in ("K", "N"))
        weight = add("Reshape", weight, self._add(f"{stem}.shape", np.array([-1, columns], np.int64)))
        if depth < integers.shape[0] * integers.shape[1]:
            ends = (self._add(f"{stem}.{key}", np.array([at], np.int64)) for key, at in (("first", 0), ("end", depth)))
            weight = add("Slice", weight, *ends)
        bias = input_of(node, 5)
        product = add("MatMul", node.input[0], weight, result="" if bias else stem)
        if bias:
            add("Add", product, bias, result=stem)
        return nodes

    def _blocks(self, node: Any) -> tuple[_Array, _Array, _Array | None]:
        """Return integers of blocks x points x columns, and scales and zero points, of one point for each block."""
        said = {"bits": 4, **attributes_of(node)}
        bits, points, depth, columns = (said.get(key, 0) for key in ("bits", "block_size", "K", "N"))
        if bits not in (2, 4, 8) or min(points, depth, columns) < 1 or points * bits % 8:
            self._refuse(node, f"weights of {bits} bits in blocks of {points} are not read")
        blocks = -(-depth // points)
        packed, scales = self._given(node, 1, "weights"), self._given(node, 2, "scales")
        sizes = columns * blocks * points * bits // 8, columns * blocks
        if packed is None or scales is None or (packed.size, scales.size) != sizes:
            self._refuse(node, f"its weights are no {columns} x {blocks} blocks of {points}")
        integers = _unpacked(packed.reshape(columns, -1), bits).reshape(columns, blocks, points)
        zeros = self._given(node, 3, "zero points")
        middle = 1 << (bits - 1)
        if zeros is not None and zeros.dtype == np.uint8:
            if zeros.size != columns * -(-blocks * bits // 8):
                self._refuse(node, f"its zero points are none of {columns} x {blocks} blocks")
            zeros = _unpacked(zeros.reshape(columns, -1), bits)[:, :blocks]
        elif zeros is not None:
            zeros = zeros.reshape(columns, blocks)
        if zeros is None or (zeros.dtype == np.uint8 and bits < 8):
            moved = integers.astype(np.int16) - (middle if zeros is None else zeros[..., None].astype(np.int16))
            integers, zeros = moved.astype(np.int8), None
        order = (1, 2, 0)
        scales = np.ascontiguousarray(scales.reshape(columns, blocks, 1).transpose(order))
        if zeros is not None:
            zeros = np.ascontiguousarray(zeros[..., None].transpose(order).astype(scales.dtype))
        return np.ascontiguousarray(integers.transpose(order)), scales, zeros

    def _given(self, node: Any, number: int, what: str) -> _Array | None:
        """Return an input of a node, a constant; None where it is left out."""
        import onnx

        given = input_of(node, number)
        if not given:
            return None
        if given in self._mapped:
            return self._mapped[given]
        if given not in self._weights:
            self._refuse(node, f"its {what} are no constants of the graph")
        return onnx.numpy_helper.to_array(self._weights[given])

    def _add(self, name: str, value: _Array) -> str:
        """Add a weight, and return its name."""
        import onnx

        tensor = onnx.numpy_helper.from_array(value, name)
        self._graph.initializer.append(tensor)
        assert tensor_bytes(tensor) == value.nbytes
        return name

    def _refuse(self, node: Any, why: str) -> NoReturn:
        refuse(self._file, why, label_of(node))


def _unpacked(packed: _Array, bits: int) -> _Array:
    """Return numbers of so many bits of bytes, the lowest bits first, along the last dimension."""
    parts = [packed >> shift & ((1 << bits) - 1) for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(*packed.shape[:-1], -1)
