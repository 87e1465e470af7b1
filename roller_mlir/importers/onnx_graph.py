# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX graph before it is imported: sizes of dimensions, operators, weights, shapes, and names of nodes."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from roller_mlir.foreign.printable import printable
from roller_mlir.importers.imported import refuse

_OWN_DOMAINS = ("", "ai.onnx")
# What ONNX's operator tests find wrong: halves are rounded away, where ONNX rounds them to even.
_LOWERED_WRONGLY = frozenset((("GridSample", "mode", b"nearest"),))

AS_FUNCTIONS = ("MeanVarianceNormalization",)
"""Operators that are compiled as ONNX defines them by others."""


def set_dimensions(graph: Any, dimensions: Mapping[str, int], name: str) -> None:
    """Give the dimensions of inputs their sizes; those of outputs that are not known are left to be inferred.

    Raises:
        DiagnosedError: A size is missing, or names no dimension.
    """
    given = {one.name for one in graph.initializer}
    used: set[str] = set()
    for one in graph.input:
        if one.name in given:
            continue
        if not one.type.tensor_type.HasField("shape"):
            refuse(name, "has no tensor type with a shape; shapes are static here", f"input '{one.name}'")
        for axis, dimension in enumerate(one.type.tensor_type.shape.dim):
            if dimension.HasField("dim_value"):
                continue
            label = dimension.dim_param or f"{one.name}:{axis}"
            key = label if label in dimensions else f"{one.name}:{axis}"
            if key not in dimensions:
                refuse(
                    name,
                    f"dimension {axis} is '{label}', which has no size; shapes are static here: give it, as in "
                    f"`roller import --dim {label}=8`",
                    f"input '{one.name}'",
                )
            used.add(key)
            dimension.dim_value = dimensions[key]
    if unused := sorted(set(dimensions) - used):
        refuse(name, f"has no dimension '{printable(unused[0])}' without a size")
    for one in graph.output:
        if any(not dimension.HasField("dim_value") for dimension in one.type.tensor_type.shape.dim):
            for dimension in one.type.tensor_type.shape.dim:
                dimension.ClearField("dim_param")


def check_operators(proto: Any, name: str) -> None:
    """Refuse operators of other domains, which the importer takes for ONNX's of the same name, and wrong lowerings.

    Raises:
        DiagnosedError: One is.
    """
    defined = {(one.domain, one.name) for one in proto.functions}
    for node in _nodes(proto.graph):
        if node.domain not in _OWN_DOMAINS and (node.domain, node.op_type) not in defined:
            refuse(name, f"operator '{node.op_type}' is of the domain '{node.domain}', not of ONNX", _label(node))
        for attribute in node.attribute:
            if (node.op_type, attribute.name, attribute.s) in _LOWERED_WRONGLY:
                mode = f"{attribute.name} '{attribute.s.decode()}'"
                refuse(name, f"torch-mlir lowers '{node.op_type}' of {mode} to another function", _label(node))


def take_weights(graph: Any, least_bytes: int) -> tuple[int, dict[str, np.ndarray[Any, Any]]]:
    """Take large weights out of a graph: they are inputs of it then, behind its own.

    Returns:
        How many inputs the graph has of its own, and the weights by name, in the order of their inputs.
    """
    import onnx

    initializers = list(graph.initializer)
    for node in list(graph.node):
        value = next((one for one in node.attribute if one.name == "value" and one.HasField("t")), None)
        if node.op_type == "Constant" and value is not None and _size(value.t) >= least_bytes:
            initializers.append(onnx.TensorProto.FromString(value.t.SerializeToString()))
            initializers[-1].name = node.output[0]
            graph.node.remove(node)
    own = [one for one in graph.input if one.name not in {tensor.name for tensor in initializers}]
    weights: dict[str, np.ndarray[Any, Any]] = {}
    del graph.initializer[:]
    inputs = [onnx.ValueInfoProto.FromString(one.SerializeToString()) for one in own]
    for tensor in initializers:
        if _size(tensor) < least_bytes:
            graph.initializer.append(_small(tensor))
            continue
        weights[tensor.name] = _data(tensor)
        inputs.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    del graph.input[:]
    graph.input.extend(inputs)
    return len(own), weights


def check_model(proto: Any, name: str) -> None:
    """Refuse what is no valid model.

    Raises:
        DiagnosedError: It is not.
    """
    import onnx

    try:
        onnx.checker.check_model(proto)
    except onnx.checker.ValidationError as error:
        refuse(name, f"is no valid ONNX model: {_line(error)}")


def infer_shapes(proto: Any, name: str) -> Any:
    """Return a model with the types of all values, and with functions in place of their calls.

    Raises:
        DiagnosedError: Shapes or types do not fit together.
    """
    import onnx
    import onnx.inliner

    try:
        if proto.functions:
            proto = onnx.inliner.inline_local_functions(proto)
            check_operators(proto, name)
        if any(node.op_type in AS_FUNCTIONS for node in _nodes(proto.graph)):
            called = [("", one) for one in AS_FUNCTIONS]
            proto = onnx.inliner.inline_selected_functions(_with_defaults(proto), called, inline_schema_functions=True)
        return onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError, RuntimeError) as error:
        refuse(name, f"is no valid ONNX model: {_line(error)}")


def _with_defaults(proto: Any) -> Any:
    """Return a model with all attributes of nodes that are to be functions: the inliner leaves out those by default."""
    import onnx

    proto = onnx.ModelProto.FromString(proto.SerializeToString())
    version = next((one.version for one in proto.opset_import if one.domain in _OWN_DOMAINS), 1)
    for node in _nodes(proto.graph):
        if node.op_type not in AS_FUNCTIONS:
            continue
        given = {one.name for one in node.attribute}
        for label, attribute in onnx.defs.get_schema(node.op_type, version, "").attributes.items():
            if label not in given and attribute.default_value.type != onnx.AttributeProto.UNDEFINED:
                node.attribute.append(attribute.default_value)
    return proto


def _line(error: Exception) -> str:
    return printable(" ".join(str(error).split()))


def name_nodes(graph: Any) -> None:
    """Name each node as diagnostics shall call it: "node 'fc1' (Gemm)"."""
    for node in _nodes(graph):
        node.name = _label(node)


def _label(node: Any) -> str:
    called = f"node '{node.name}'" if node.name else f"node of '{next(iter(node.output), '')}'"
    return printable(f"{called} ({node.op_type})")


def _nodes(graph: Any) -> Iterator[Any]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs):
                yield from _nodes(inner)


def _size(tensor: Any) -> int:
    """Return the bytes of a tensor's elements; 0 for strings, which are no weights."""
    import onnx

    if tensor.data_type == onnx.TensorProto.STRING:
        return 0
    return int(np.prod(tensor.dims, dtype=np.int64)) * onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize


def _data(tensor: Any) -> np.ndarray[Any, Any]:
    """Return the elements of a tensor without a copy where they are stored as bytes; bf16 as its 16 bits."""
    import onnx

    array = onnx.numpy_helper.to_array(tensor)
    return array.view(np.uint16) if tensor.data_type == onnx.TensorProto.BFLOAT16 else array


def _small(tensor: Any) -> Any:
    """Return a small tensor as numbers where the importer reads these: as such it is a constant that passes see."""
    import onnx

    kinds = onnx.TensorProto
    if tensor.data_type not in (kinds.FLOAT, kinds.INT64, kinds.INT32, kinds.BOOL, kinds.DOUBLE):
        return tensor if tensor.HasField("raw_data") else onnx.numpy_helper.from_array(_array(tensor), tensor.name)
    return onnx.helper.make_tensor(tensor.name, tensor.data_type, tensor.dims, _array(tensor).reshape(-1))


def _array(tensor: Any) -> np.ndarray[Any, Any]:
    import onnx

    return onnx.numpy_helper.to_array(tensor)
