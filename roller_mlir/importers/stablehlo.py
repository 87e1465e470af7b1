# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The portable bytecode of StableHLO, with CHLO in it, that `jax.export` writes, as text.

jax.export.export(jax.jit(f))(*arguments).mlir_module_serialized     bytecode
jax.export.export(jax.jit(f))(*arguments).serialize()                bytecode inside of a record of JAX
"""

from roller_mlir.support.bindings import make_import_context, read_portable_artifact
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic

_PORTABLE = b"StableHLO_v"
_BEGINS = b"ML\xefR\r" + _PORTABLE
_LENGTH_BYTES = 4


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
