# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What roller-opt knows of dialects: their names, those that an IRDL file defines, and debug output, which has none."""

import pkgutil
import sys
from collections.abc import Callable
from importlib import import_module

from roller_mlir.support.bindings import ir, irdl, make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module, render
from roller_mlir.support.source import FileError, read_source


def dialect_names() -> list[str]:
    """Return the names of the dialects, sorted; MLIR's registry cannot be listed, so each module's name is tried."""
    package = import_module(irdl.__name__.rpartition(".")[0])
    context = make_context()
    found = {"rtile"}
    for module in pkgutil.iter_modules(package.__path__):
        try:
            context.get_dialect_descriptor(module.name)
        except ValueError:
            continue
        found.add(module.name)
    return sorted(found)


def load_irdl(path: str, context: "ir.Context") -> None:
    """Registers the dialects of an IRDL file.

    Raises:
      FileError: It cannot be read or is no valid IRDL; the text has its diagnostics.
    """
    source = read_source(path)
    try:
        module = parse_module(source.text if source.bytecode is None else source.bytecode, context)
        with context:
            load: Callable[[ir.Module], None] = getattr(irdl, "load_dialects")  # noqa: B009 - the stubs lack it
            load(module)
    except DiagnosedError as error:
        shown = "\n".join(render(one, {"-": source.text}, {"-": source.name}) for one in error.diagnostics)
        raise FileError(f"--irdl-file: '{path}' defines no dialects\n{shown}") from None
    except (ir.MLIRError, ValueError) as error:
        raise FileError(f"--irdl-file: '{path}' defines no dialects: {' '.join(str(error).split())}") from None


def set_debug_types(types: str) -> None:
    """Ask MLIR for debug output, and says that a release build gives none."""
    debug = getattr(ir, "_GlobalDebug", None)
    if debug is not None:
        debug.flag = True
        debug.set_types(types.split(","))
    note_release(f"--debug-only={types} prints nothing")


def note_release(what: str) -> None:
    """Say what a release build of MLIR does not do."""
    print(
        f"roller-opt: note: {what} where MLIR is a release build, as in the wheels of torch-mlir; "
        "--mlir-print-ir-after-all and --mlir-timing work in all",
        file=sys.stderr,
    )
