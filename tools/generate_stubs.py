# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the type stubs that the wheel of the MLIR bindings lacks into it, for type checkers and editors."""

import importlib
import re
import sys
from pathlib import Path
from typing import Any

from nanobind.stubgen import StubGen

_PACKAGE = "torch_mlir._mlir_libs._mlir"
_MODULES = ("ir", "passmanager", "rewrite")
_INIT = """from typing import Any

from . import ir as ir, passmanager as passmanager, rewrite as rewrite

globals: Any

def __getattr__(name: str) -> Any: ...
"""


def stub_text(name: str) -> str:
    """Return the stub of one extension module of the bindings."""
    module: Any = importlib.import_module(f"{_PACKAGE}.{name}")
    if name == "ir":
        # The wrapper class that the package puts in its place is made in a function.
        module.Context = module._Context  # noqa: SLF001 - see above
    generator: Any = StubGen(module)
    generator.put(module)
    text = re.sub(r"\b(torch_mlir\._mlir_libs\.)?_mlir\.ir\.(?=\w)", "" if name == "ir" else "ir.", generator.get())
    text = re.sub(r"\btorch_mlir(\._mlir_libs)?\.ir\.(?=\w)", "ir.", text)
    text = re.sub(
        r"^(import (ir|torch_mlir\.\S+|_mlir\.ir)|from torch_mlir\S* import .*)\n", "", text, flags=re.MULTILINE
    )
    return (
        text
        if name == "ir"
        else re.sub(r"^(import enum)", r"\1\n\nfrom . import ir", text, count=1, flags=re.MULTILINE)
    )


def main() -> int:
    """Write the stubs beside the extension modules; return the exit code."""
    folder = Path(str(importlib.import_module(_PACKAGE).__file__)).parent / "_mlir"
    (folder / "__init__.pyi").write_text(_INIT, encoding="utf-8")
    for name in _MODULES:
        (folder / f"{name}.pyi").write_text(stub_text(name), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
