# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch's own importer (torch-mlir's fx) writes of a model; needs torch."""

import warnings

import torch
from torch_mlir import fx  # noqa: TID251 - the importer, not the bindings

from . import torch_models


def text_of(name: str) -> str:
    """Return a model as linalg on tensors, with its weights."""
    model, example = torch_models.make(name)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return str(fx.export_and_import(model, example, output_type="linalg-on-tensors", func_name=name))
