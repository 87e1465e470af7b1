# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models, brought to linalg by torch-mlir's importer: checked, their weights mapped where they lie."""

from roller_mlir.importers.onnx.model import import_model

__all__ = ["import_model"]
