# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which importer a file or a text is for: of ONNX and PyTorch by the name, of others by the operations in the text."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from roller_mlir.importers.imported import Imported, take_constants, text_with_places
from roller_mlir.importers.lower import lower
from roller_mlir.support.bindings import ir, make_import_context
from roller_mlir.support.diagnostics import DiagnosedError, in_file
from roller_mlir.support.source import check_nesting, check_resources

_STABLEHLO = (
    "builtin.module(func.func(stablehlo-legalize-composite-to-call),inline,func.func(chlo-legalize-to-stablehlo))",
    "replace operations",
    "builtin.module(stablehlo-legalize-to-linalg,canonicalize,cse)",
)
_TOSA = (
    "mark what is given",
    "builtin.module(inline,func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
    "tosa-make-broadcastable,tosa-to-scf,tosa-to-linalg-named))",
    "start at infinities",
    "builtin.module(func.func(canonicalize,tosa-make-broadcastable,tosa-to-linalg))",
    "start at infinities",
    "erase marks",
    "builtin.module(func.func(tosa-to-arith{include-apply-rescale=true},tosa-to-tensor),canonicalize,cse)",
)
ONNX_SUFFIX, TORCH_SUFFIX = ".onnx", ".pt2"

# An operation at the start of a line, of what a value is set to, or of a block; comments, strings and names are none.
_OPERATION = re.compile(
    r'(?:^|[={:])[^\S\n]*"?(stablehlo|chlo|tosa)\.\w+"?(?![\w."]|\s*[=,}])|//[^\n]*|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"',
    re.MULTILINE,
)


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
    found = next((one[1] for one in _OPERATION.finditer(text) if one[1]), None)
    if found is None:
        return None
    return _import_dialect(text, name, *(("TOSA", _TOSA) if found == "tosa" else ("StableHLO", _STABLEHLO)))


def _import_dialect(text: str, name: str, what: str, pipelines: Sequence[str]) -> Imported:
    """Parse a module, bring it to linalg on tensors, and keep its places."""

    def explain(message: str) -> str:
        if refused := re.search(r"failed to legalize operation '([\w.-]+)'", message):
            return f"'{refused[1]}' cannot be brought to linalg as it is used here"
        made = re.match(r"'(?!stablehlo|chlo|tosa)[\w.]+' op ", message)
        return f"what {what} says here cannot be brought to linalg: its passes make {message}" if made else message

    try:
        check_nesting(text)
        check_resources(text)
    except DiagnosedError as error:
        raise DiagnosedError([in_file(one, name) for one in error.diagnostics]) from None
    module = ir.Module.parse(lower(text, name, what, pipelines, explain), make_import_context())
    weights = take_constants(module)
    return Imported(name, text_with_places(module), weights, text)
