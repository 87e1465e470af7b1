# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An ONNX graph before it is imported: sizes of dimensions, operators, weights, shapes, and names of nodes."""

from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from roller_mlir.importers.imported import refuse
from roller_mlir.importers.onnx.tensors import small_tensor, tensor_bytes, tensor_data
from roller_mlir.support.foreign.printable import printable

_OWN_DOMAINS = ("", "ai.onnx")


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
            if _has_size(dimension):
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
        for dimension in one.type.tensor_type.shape.dim:
            if not _has_size(dimension):
                dimension.Clear()


def _has_size(dimension: Any) -> bool:
    """Return whether a dimension has a size; some exporters write -1 where it has none."""
    return dimension.HasField("dim_value") and dimension.dim_value >= 0


def check_operators(proto: Any, name: str) -> None:
    """Refuse operators of other domains, which the importer takes for ONNX's of the same name.

    Raises:
        DiagnosedError: One is.
    """
    defined = {(one.domain, one.name) for one in proto.functions}
    for one in proto.opset_import:
        one.domain = "" if one.domain in _OWN_DOMAINS else one.domain
    for node in nodes_of(proto.graph):
        node.domain = "" if node.domain in _OWN_DOMAINS else node.domain  # the importer looks for versions of this one
        if node.domain and (node.domain, node.op_type) not in defined:
            refuse(name, f"operator '{node.op_type}' is of the domain '{node.domain}', not of ONNX", label_of(node))


def take_weights(
    graph: Any, mapped: Mapping[str, np.ndarray[Any, Any]], least_bytes: int, name: str
) -> tuple[int, dict[str, np.ndarray[Any, Any]]]:
    """Take large weights out of a graph: they are inputs of it then, behind its own.

    Args:
        graph: It is changed.
        mapped: From `map_weights`.
        least_bytes: Bytes of the smallest.
        name: What diagnostics call the file.

    Returns:
        How many inputs the graph has of its own, and the weights by name, in the order of their inputs.

    Raises:
        DiagnosedError: What a tensor holds does not fit its type and shape.
    """
    import onnx

    initializers = list(graph.initializer)
    for node in list(graph.node):
        value = next((one for one in node.attribute if one.name == "value" and one.HasField("t")), None)
        if node.op_type != "Constant" or value is None or not node.output:
            continue
        with _located(name, label_of(node)):
            if tensor_bytes(value.t) >= least_bytes:
                initializers.append(onnx.TensorProto.FromString(value.t.SerializeToString()))
                initializers[-1].name = node.output[0]
                graph.node.remove(node)
    own = [one for one in graph.input if one.name not in {tensor.name for tensor in initializers}]
    weights: dict[str, np.ndarray[Any, Any]] = {}
    del graph.initializer[:]
    inputs = [onnx.ValueInfoProto.FromString(one.SerializeToString()) for one in own]
    for tensor in initializers:
        with _located(name, f"weight '{tensor.name}'"):
            if tensor_bytes(tensor) < least_bytes:
                graph.initializer.append(small_tensor(tensor))
                continue
            weights[tensor.name] = mapped[tensor.name] if tensor.name in mapped else tensor_data(tensor)
        inputs.append(onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, list(tensor.dims)))
    del graph.input[:]
    graph.input.extend(inputs)
    return len(own), weights


@contextmanager
def _located(name: str, where: str) -> Generator[None]:
    """Refuse a tensor that cannot be read, at its place."""
    try:
        yield
    except ValueError as error:
        refuse(name, f"what it holds does not fit its type and shape: {_line(error)}", where)


def check_model(proto: Any, name: str) -> None:
    """Refuse what is no valid model.

    Raises:
        DiagnosedError: It is not.
    """
    import onnx

    newest = onnx.defs.onnx_opset_version()
    if later := [one.version for one in proto.opset_import if not one.domain and one.version > newest]:
        refuse(name, f"is of ONNX's opset {later[0]}; the package onnx {onnx.__version__} knows those up to {newest}")
    try:
        onnx.checker.check_model(proto)
    except onnx.checker.ValidationError as error:
        refuse(name, f"is no valid ONNX model: {_line(error)}")


def opset_of(proto: Any) -> int:
    """Return the version of ONNX's operators that a model is of."""
    return next((one.version for one in proto.opset_import if not one.domain), 1)


def inferred(proto: Any) -> Any:
    """Return a model with the types of all values, or raise one of `misfits`."""
    import onnx

    return onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True, data_prop=True)


def misfits() -> tuple[type[Exception], ...]:
    """Return what the package onnx raises of a model that does not fit together."""
    import onnx

    return onnx.checker.ValidationError, onnx.shape_inference.InferenceError, RuntimeError, ValueError


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
        return inferred(proto)
    except misfits() as error:
        refuse(name, f"is no valid ONNX model: {_line(error)}")


def _line(error: Exception) -> str:
    return printable(" ".join(str(error).split()))


def name_nodes(graph: Any) -> None:
    """Name each node as diagnostics shall call it: "node 'fc1' (Gemm)"."""
    for node in nodes_of(graph):
        node.name = label_of(node)


def label_of(node: Any) -> str:
    """Return what diagnostics call a node."""
    called = f"node '{node.name}'" if node.name else f"node of '{next(filter(None, node.output), '')}'"
    return printable(f"{called} ({node.op_type})")


def nodes_of(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph, and of the graphs inside of it."""
    for node in graph.node:
        yield node
        for inner in graphs_of(node):
            yield from nodes_of(inner)


def graphs_of(node: Any) -> Iterator[Any]:
    """Yield the graphs that a node holds, such as the branches of an If."""
    for attribute in node.attribute:
        yield from (*([attribute.g] if attribute.HasField("g") else ()), *attribute.graphs)
