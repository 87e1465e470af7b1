# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TOSA to linalg on tensors."""

from roller_mlir.importers.imported import Imported
from roller_mlir.importers.stablehlo import import_dialect

_PIPELINE = (
    "builtin.module(inline,func.func(tosa-optional-decompositions,canonicalize,tosa-infer-shapes,"
    "tosa-make-broadcastable,tosa-to-linalg-named,canonicalize,tosa-make-broadcastable,tosa-to-linalg,tosa-to-arith,"
    "tosa-to-tensor),canonicalize,cse)"
)


def import_model(module: str, *, name: str = "-") -> Imported:
    """Bring a module of TOSA to linalg on tensors.

    Args:
        module: Its text.
        name: What diagnostics call it.

    Raises:
        DiagnosedError: The text is not valid, or an operation cannot be brought to linalg.
    """
    return import_dialect(module, name, "TOSA", _PIPELINE)
