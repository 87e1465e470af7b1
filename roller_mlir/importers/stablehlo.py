# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StableHLO, with CHLO in it, to linalg on tensors: text, or the portable bytecode that `jax.export` writes.

jax.export.export(jax.jit(f))(*arguments).mlir_module()              text
jax.export.export(jax.jit(f))(*arguments).mlir_module_serialized     bytecode
jax.export.export(jax.jit(f))(*arguments).serialize()                bytecode inside of a record of JAX
"""

import re

from roller_mlir.importers.imported import Imported, take_constants, text_with_places
from roller_mlir.importers.lower import lower
from roller_mlir.support.bindings import ir, make_import_context, read_portable_artifact
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, in_file
from roller_mlir.support.source import check_nesting, check_resources

_PIPELINE = (
    "builtin.module(func.func(stablehlo-legalize-composite-to-call),inline,func.func(chlo-legalize-to-stablehlo),"
    "stablehlo-legalize-to-linalg,canonicalize,cse)"
)
_PORTABLE = b"StableHLO_v"
_BEGINS = b"ML\xefR\r" + _PORTABLE
_LENGTH_BYTES = 4


def import_model(module: str, *, name: str = "-") -> Imported:
    """Bring a module of StableHLO to linalg on tensors.

    Args:
        module: Its text.
        name: What diagnostics call it.

    Raises:
        DiagnosedError: The text is not valid, or an operation cannot be brought to linalg.
    """
    return import_dialect(module, name, "StableHLO", _PIPELINE)


def import_dialect(text: str, name: str, what: str, pipeline: str) -> Imported:
    """Parse a module, bring it to linalg on tensors, and keep its places.

    Raises:
        DiagnosedError: The text is not valid, or an operation cannot be brought to linalg.
    """

    def explain(message: str) -> str:
        refused = re.search(r"failed to legalize operation '([\w.]+)'", message)
        return f"'{refused[1]}' cannot be brought to linalg as it is used here" if refused else message

    try:
        check_nesting(text)
        check_resources(text)
    except DiagnosedError as error:
        raise DiagnosedError([in_file(one, name) for one in error.diagnostics]) from None
    module = ir.Module.parse(lower(text, name, what, (pipeline,), explain), make_import_context())
    weights = take_constants(module)
    return Imported(name, text_with_places(module), weights, text)


def artifacts_inside(data: bytes) -> list[bytes]:
    """Return the portable artifacts in a record of JAX: FlatBuffers keeps the length of bytes in front of them."""
    found: list[bytes] = []
    at = data.find(_BEGINS)
    while at >= _LENGTH_BYTES:
        length = int.from_bytes(data[at - _LENGTH_BYTES : at], "little")
        found.append(data[at : at + length])
        at = data.find(_BEGINS, at + max(length, len(_BEGINS)))
    return found


def portable_text(data: bytes) -> str:
    """Return the text of a portable artifact of StableHLO; "" of other bytecode.

    Raises:
        DiagnosedError: It is a portable artifact, but of a version that cannot be read, or damaged.
    """
    if _PORTABLE not in data[:64]:
        return ""
    try:
        return read_portable_artifact(data, make_import_context()).operation.get_asm(enable_debug_info=True)
    except ValueError as error:
        raise DiagnosedError(
            [Diagnostic("error", f"a portable artifact of StableHLO that cannot be read: {error}")]
        ) from None
