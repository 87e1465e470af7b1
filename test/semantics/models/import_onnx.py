# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch-mlir's ONNX importer and pipelines write of a model; needs torch (which writes the ONNX) and onnx."""

import io
import warnings
from typing import Any

import onnx
import torch
from onnx import reference as onnx_reference
from torch_mlir import ir  # noqa: TID251 - the importer's module, not the bindings
from torch_mlir.dialects import torch as torch_dialect  # noqa: TID251
from torch_mlir.extras import onnx_importer  # noqa: TID251
from torch_mlir.passmanager import PassManager  # noqa: TID251

from . import torch_models

_PIPELINE = (
    "builtin.module("
    "torch-onnx-to-torch-backend-pipeline{backend-legal-ops=aten.flatten.using_ints,aten.unflatten.int},"
    "torch-backend-to-linalg-on-tensors-backend-pipeline)"
)


def _as_onnx(name: str) -> onnx.ModelProto:
    model, example = torch_models.make(name)
    stored = io.BytesIO()
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, (example,), stored, opset_version=17, dynamo=False, input_names=["x"], output_names=["y"]
        )
    return onnx.load_from_string(stored.getvalue())


def text_of(name: str) -> str:
    """Return a model as linalg on tensors, with its weights."""
    model = onnx.shape_inference.infer_shapes(_as_onnx(name), data_prop=True)
    context = ir.Context()
    torch_dialect.register_dialect(context)
    context.enable_multithreading(False)
    information = onnx_importer.ModelInfo(model)
    module = information.create_module(context=context).operation
    onnx_importer.NodeImporter.define_function(information.main_graph, module).import_all()
    with context:
        PassManager.parse(_PIPELINE).run(module)
    return str(module)


def reference_results(name: str, example: Any) -> Any:
    """Return what ONNX's own reference evaluator gives, in the model's types."""
    (answer,) = onnx_reference.ReferenceEvaluator(_as_onnx(name)).run(None, {"x": example})
    return answer
