# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that ONNX itself says in terms of others, where torch-mlir does not know them.

RMSNormalization(x, scale)      Div(x, Sqrt(ReduceMean(x * x) + epsilon)) * scale, as ONNX's own function has it

These functions compute shapes and axes of what they are given; here all of that is known, and constant.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from roller_mlir.importers.onnx.graph import graphs_of, inferred, nodes_of, opset_of
from roller_mlir.importers.onnx.tensors import small_tensor
from roller_mlir.importers.onnx.values import Values

_AS_FUNCTIONS = frozenset(
    (
        *("Attention", "CausalConvWithState", "Gelu", "MeanVarianceNormalization"),
        *("RMSNormalization", "RotaryEmbedding", "SwiGLU", "Swish"),
    )
)
"""Operators with a function in ONNX that torch-mlir does not lower, or, as the tanh of Gelu, with a wrong constant."""

_OWN, _DOMAIN = ("", "ai.onnx"), "roller.inlined"
_FOLDED_ELEMENTS = 4096
"""Elements of a constant that is computed here."""

_NOT_FOLDED = frozenset(("Bernoulli", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"))
_GROWING = frozenset(("ConstantOfShape", "Expand", "OneHot", "Pad", "Range", "Resize", "Tile", "Upsample"))
"""Operators whose results may be far larger than what they are given: folded where their shapes are known."""


def inline_operators(proto: Any) -> Any:
    """Return a model in which ONNX's own functions stand for operators that are not lowered as such.

    Args:
        proto: A model; the types of its values are known.

    Raises:
        One of `graph.misfits`: Types do not fit together.
    """
    import onnx

    inlined = 0
    while _to_inline(proto):  # a function may call others
        proto = _inlined(proto)
        inlined += 1
    while inlined and _fold(proto):  # shapes that are known then make others known
        del proto.graph.value_info[:]
        proto = onnx.shape_inference.infer_shapes(proto, data_prop=True)
    return inferred(proto) if inlined else proto


def give_defaults(proto: Any) -> Any:
    """Return a model with all attributes of nodes that are to be functions, of which ONNX knows no defaults."""
    import onnx

    if not _to_inline(proto):
        return proto
    proto = onnx.ModelProto.FromString(proto.SerializeToString())
    version = opset_of(proto)
    for node in _to_inline(proto):
        given = {one.name for one in node.attribute}
        for label, attribute in onnx.defs.get_schema(node.op_type, version).attributes.items():
            if label not in given and attribute.default_value.type != onnx.AttributeProto.UNDEFINED:
                node.attribute.append(attribute.default_value)
    return proto


def _to_inline(proto: Any) -> list[Any]:
    return [one for one in nodes_of(proto.graph) if one.op_type in _AS_FUNCTIONS and one.domain in _OWN]


def _inlined(proto: Any) -> Any:
    """Return a model with functions in the place of nodes."""
    import onnx.inliner

    proto = give_defaults(proto)
    values = Values.of_model(proto)
    for number, node in enumerate(_to_inline(proto)):
        function = _function_of(node, values)
        function.domain, function.name = _DOMAIN, f"{node.op_type}_{number}"
        for one in function.opset_import:
            one.version = values.opset  # the inliner leaves calls of functions of others
        node.domain, node.op_type = function.domain, function.name
        proto.functions.append(function)
    proto.opset_import.append(onnx.helper.make_opsetid(_DOMAIN, 1))
    inlined: Any = onnx.inliner.inline_local_functions(proto)
    kept = [one for one in inlined.opset_import if one.domain != _DOMAIN]
    del inlined.opset_import[:]
    inlined.opset_import.extend(kept)
    return onnx.shape_inference.infer_shapes(inlined, data_prop=True)


def _function_of(node: Any, values: Values) -> Any:
    """Return the function that ONNX has for a node."""
    import onnx

    schema: Any = onnx.defs.get_schema(node.op_type, values.opset)
    function = onnx.FunctionProto()
    if not schema.has_context_dependent_function:
        version = max(one for one in schema.function_opset_versions if one <= values.opset)
        function.ParseFromString(schema.get_function_with_opset_version(version))
        return function
    types: list[bytes] = []
    for name in node.input:
        kind = onnx.TypeProto()
        if name in values.types:
            kind.CopyFrom(onnx.helper.make_tensor_type_proto(values.types[name], values.shapes[name]))
        types.append(kind.SerializeToString())
    function.ParseFromString(schema.get_context_dependent_function(node.SerializeToString(), types))
    return function


def _fold(proto: Any) -> bool:
    """Make constants of what a graph computes of constants and shapes; return whether there was any."""
    values = Values.of_model(proto)
    changed = False
    for node in list(proto.graph.node):
        if node.op_type == "Constant" or list(graphs_of(node)) or node.domain not in _OWN:
            continue
        results = _results_of(node, values)
        if results is None:
            continue
        changed = True
        place = list(proto.graph.node).index(node)
        del proto.graph.node[place]
        for name, value in reversed(list(results.items())):
            proto.graph.node.insert(place, _constant(name, value))
            values.constants[name] = value
    return changed


def _results_of(node: Any, values: Values) -> "Mapping[str, np.ndarray[Any, Any]] | None":
    """Return what a node gives, by name, where that is known and small."""
    from onnx.reference import ReferenceEvaluator

    names = [name for name in node.output if name]
    if node.op_type in ("Shape", "Size"):
        shape = values.shapes.get(node.input[0], ())
        if not shape or not all(shape):  # of a scalar as of what is not known there are none
            return None
        given = {node.input[0]: np.broadcast_to(np.float32(0), shape)}
    elif node.input and all(name in values.constants for name in node.input if name):
        given = {name: values.constants[name] for name in node.input if name}
    else:
        return None
    shapes = [values.shapes.get(name, (0,)) for name in names]
    if node.op_type in _NOT_FOLDED or (node.op_type in _GROWING and not all(map(all, shapes))):
        return None
    if any(np.prod(shape, dtype=np.int64) > _FOLDED_ELEMENTS for shape in shapes):
        return None
    try:
        found: Any = ReferenceEvaluator(_model_of(node, given, values.opset)).run(None, given)
    except Exception:  # noqa: BLE001 - the node stays, and is lowered or refused where it stands
        return None
    if any(one is None or one.size > _FOLDED_ELEMENTS for one in found):
        return None
    return dict(zip(names, (np.asarray(one) for one in found), strict=True))


def _model_of(node: Any, given: "Mapping[str, np.ndarray[Any, Any]]", opset: int) -> Any:
    """Return a model of one node."""
    import onnx

    inputs = [
        onnx.helper.make_tensor_value_info(name, onnx.helper.np_dtype_to_tensor_dtype(one.dtype), one.shape)
        for name, one in given.items()
    ]
    outputs = [onnx.helper.make_empty_tensor_value_info(name) for name in node.output if name]
    graph = onnx.helper.make_graph([node], "main", inputs, outputs)
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)])


def _constant(name: str, value: "np.ndarray[Any, Any]") -> Any:
    import onnx

    tensor = small_tensor(onnx.numpy_helper.from_array(value, name))
    return onnx.helper.make_node("Constant", [], [name], value=tensor)
