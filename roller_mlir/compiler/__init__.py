# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Module, device and options in, artifact out. MLIR is loaded at the first compilation, not at the import."""

import time
from os import PathLike
from typing import TYPE_CHECKING, Any

from roller_mlir.compiler.errors import InternalError
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.hal import DEFAULT_TARGET

if TYPE_CHECKING:
    from roller_mlir.importers.imported import Imported
    from roller_mlir.runtime import Artifact
    from roller_mlir.support.bindings import ir

__all__ = ["CompileOptions", "InternalError", "compile"]


def compile(  # noqa: A001 - the public name, as in re.compile
    program: "Imported | ir.Module | str | bytes | PathLike[str]",
    target: str = DEFAULT_TARGET,
    options: CompileOptions | None = None,
    **forced: Any,
) -> "Artifact":
    """Compile a function of linalg ops on tensors, or of a later stage of its lowering (as `roller compile --emit`).

    Args:
        program: An MLIR module, its text or bytecode, the path of a file, or what an importer returned. A `str` that
            holds a line break or a brace is text.
        target: A device, an alias or an architecture (`roller_mlir.devices()`), or the path of a device description.
        options: What to force, and what to emit.
        **forced: Fields of `CompileOptions`, instead of `options`: `compile(text, tile_sizes=(64, 64, 8))`.

    Returns:
        The artifact, in memory.

    Raises:
        DiagnosedError: The program is not valid, cannot be planned, or cannot be compiled; its text has the places.
        DeviceError: The target is unknown.
        ValueError: Both `options` and `forced` are given, or an option breaks its rule.
    """
    from roller_mlir.compiler.driver import compile_source
    from roller_mlir.compiler.source import read_source
    from roller_mlir.support.diagnostics import DiagnosedError, in_file

    if options is not None and forced:
        raise ValueError(f"options are given once, but got options and {sorted(forced)}")
    started = time.perf_counter()
    source = read_source(program)
    read_s = time.perf_counter() - started
    try:
        return compile_source(source, target, options or CompileOptions(**forced), read_s=read_s)
    except DiagnosedError as error:
        raise DiagnosedError([in_file(one, source.name) for one in error.diagnostics]) from None
