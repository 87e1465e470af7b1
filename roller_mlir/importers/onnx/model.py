# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models to linalg on tensors, through torch-mlir's importer; needs the package onnx.

Initializers of `WEIGHT_BYTES` and more never pass through MLIR: the model is lowered with them as arguments, which
then become constants that name resources. Smaller ones are constants that the lowering sees.
"""

import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from roller_mlir.importers.imported import WEIGHT_BYTES, Imported, make_weights, refuse, text_with_places
from roller_mlir.importers.lower import lower
from roller_mlir.importers.onnx.equal.nodes import use_equal_nodes
from roller_mlir.importers.onnx.file import read_model
from roller_mlir.importers.onnx.graph import (
    check_model,
    check_operators,
    infer_shapes,
    misfits,
    name_nodes,
    set_dimensions,
    take_weights,
)
from roller_mlir.importers.onnx.inlining import give_defaults, inline_operators
from roller_mlir.importers.onnx.lowerings import check_lowerings
from roller_mlir.importers.onnx.narrow_weights import widen_weights
from roller_mlir.importers.onnx.opsets import convert_opset
from roller_mlir.importers.onnx.tensors import map_weights
from roller_mlir.support.bindings import ir, make_import_context, onnx_importer
from roller_mlir.support.foreign.bounded import BoundsError
from roller_mlir.support.foreign.printable import printable
from roller_mlir.support.foreign.reasons import reason_of

MAX_MODEL_BYTES = 2 << 30
"""Protocol buffers hold no more; weights of larger models lie in files of their own beside the model."""

_PIPELINES = (
    "builtin.module(torch-onnx-to-torch-backend-pipeline{backend-legal-ops=aten.flatten.using_ints,aten.unflatten.int})",
    "builtin.module(torch-backend-to-linalg-on-tensors-backend-pipeline)",
    "replace tm_tensor",
)


_FREE_INITIALIZERS = 4
"""Of ONNX's versions of its format the first whose initializers need not be inputs, too: here none is one any more."""


def import_model(
    model: str | PathLike[str], *, name: str | None = None, dimensions: Mapping[str, int] | None = None
) -> Imported:
    """Read an ONNX model.

    Args:
        model: The path of the file; weights in files of their own are looked for beside it.
        name: What diagnostics call it; by default the path.
        dimensions: Sizes of dimensions, by the names that the model gives them, such as {"batch": 8}; of those without
            a name by input and axis, such as {"x:0": 8}.

    Returns:
        The model; its function has the graph's name, and its arguments and results are those of the graph, in order.

    Raises:
        DiagnosedError: The package onnx is not installed, the file is no ONNX model, or the model cannot be brought to
            linalg on static tensors.
    """
    name = str(model) if name is None else name
    try:
        importer: Any = onnx_importer()
    except ImportError as error:
        refuse(name, f"is an ONNX model, which needs the package onnx: pip install 'roller-mlir[onnx]' ({error.name})")
    proto, mapped = _load(Path(model), name)
    widen_weights(proto, mapped, name)
    set_dimensions(proto.graph, dimensions or {}, name)
    check_operators(proto, name)
    inputs, weights = take_weights(proto.graph, mapped, WEIGHT_BYTES, name)
    proto.ir_version = max(proto.ir_version, _FREE_INITIALIZERS)
    proto.graph.name = re.sub(r"\W", "_", proto.graph.name) or "main"
    check_model(proto, name)
    proto = infer_shapes(give_defaults(convert_opset(proto)), name)
    try:
        proto = inline_operators(proto)
    except misfits() as error:
        refuse(name, f"is no valid ONNX model: {printable(' '.join(str(error).split()))}")
    check_lowerings(proto, name)
    name_nodes(proto.graph)
    module = _lowered(importer, use_equal_nodes(proto), name)
    with module.context:
        resources = make_weights(module, dict(enumerate(weights.items(), inputs)))
        return Imported(name, text_with_places(module), resources)


def _lowered(importer: Any, proto: Any, name: str) -> "ir.Module":
    """Return the model as linalg."""
    context = make_import_context()
    with context:
        module = ir.Module.create(ir.Location.unknown())
        information = importer.ModelInfo(proto)
        try:
            importer.NodeImporter.define_function(information.main_graph, module.operation).import_all()
        except (importer.OnnxImportError, AssertionError, LookupError, NameError, TypeError, ValueError) as error:
            refuse(name, f"torch-mlir cannot import it: {printable(' '.join(str(error).split()))[:300]}")
        text = module.operation.get_asm(enable_debug_info=True)
        return ir.Module.parse(lower(text, name, "ONNX", _PIPELINES, _explain))


def _load(path: Path, name: str) -> tuple[Any, dict[str, Any]]:
    """Read the file, and what it names beside it: large weights are mapped where they lie."""
    import onnx
    from google.protobuf.message import DecodeError
    from onnx.external_data_helper import load_external_data_for_model

    try:
        content = read_model(path, MAX_MODEL_BYTES, WEIGHT_BYTES)
        proto = onnx.load_model_from_string(content.rest)
        inside = content.map_weights(proto.graph, WEIGHT_BYTES)
        mapped = {**inside, **map_weights(proto.graph, path.parent, WEIGHT_BYTES)}
        load_external_data_for_model(proto, str(path.parent))
    except DecodeError:
        refuse(name, "is no ONNX model that can be read: it is damaged, or of another format")
    except BoundsError as error:
        refuse(name, f"{error} of an ONNX file; keep its weights as external data")
    except OSError as error:
        refuse(name, f"cannot be read: {reason_of(error)}")
    except (ValueError, onnx.checker.ValidationError) as error:
        refuse(name, f"names weights that cannot be read: {str(error).splitlines()[0]}")
    if not proto.graph.node and not proto.graph.output:
        refuse(name, "is no ONNX model that can be read: it holds no graph")
    return proto, mapped


def _explain(message: str) -> str:
    operator = re.search(r"failed to legalize operation 'torch\.operator'.*\"onnx\.(\w+)\"", message, re.DOTALL)
    if operator:
        return f"ONNX operator '{operator[1]}' cannot be brought to linalg as it is used here"
    legal = re.search(r"failed to legalize operation '([\w.]+)'", message)
    if legal:
        return f"the node becomes '{legal[1]}', which cannot be brought to linalg"
    return f"the node cannot be brought to linalg: {message.splitlines()[0]}"
