# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which importer a file or a text is for: of ONNX and PyTorch by the name, of others by the operations in the text."""

import re
from collections.abc import Mapping
from pathlib import Path

from roller_mlir.importers import stablehlo, tosa
from roller_mlir.importers.imported import Imported

ONNX_SUFFIX, TORCH_SUFFIX = ".onnx", ".pt2"

# An operation at the start of a line, or of what a value is set to; comments and names of functions are none.
_OPERATION = re.compile(r'^\s*(?:%[^=\n]*=\s*)?"?(stablehlo|chlo|tosa)\.\w', re.MULTILINE)


def import_file(path: Path, name: str, dimensions: Mapping[str, int] | None = None) -> Imported | None:
    """Import a model of a format that is not MLIR; None of another file.

    Raises:
        DiagnosedError: The model cannot be imported.
    """
    suffix = path.suffix.lower()
    if suffix == ONNX_SUFFIX:
        from roller_mlir.importers import onnx

        return onnx.import_model(path, name=name, dimensions=dimensions)
    if suffix == TORCH_SUFFIX and not dimensions:
        from roller_mlir.importers import torch

        return torch.import_model(path, name=name)
    return None


def import_text(text: str, name: str) -> Imported | None:
    """Import a module of StableHLO or TOSA; None of one without their operations.

    Raises:
        DiagnosedError: The module cannot be imported.
    """
    found = _OPERATION.search(text)
    if found is None:
        return None
    return (tosa if found[1] == "tosa" else stablehlo).import_model(text, name=name)
