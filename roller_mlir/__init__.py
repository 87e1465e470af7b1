# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""roller_mlir: linalg on tensors in, fast GPU binaries out, without a search.

The public API is this handful of names; everything is imported at first use, so `import roller_mlir` costs nothing.

    import roller_mlir
    artifact = roller_mlir.compile("matmul.mlir", target="h200")
    (c,) = artifact.run(a, b, on="sim")
    artifact.save("matmul.roller")
    again = roller_mlir.Artifact.load("matmul.roller")

What can be wrong with the given has a class each: `DiagnosedError` (the program, with its places), `DeviceError` (the
target), `ArtifactError` (a folder). Wrong arguments are `ValueError`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roller_mlir.compiler import CompileOptions, compile  # noqa: A004 - as in re.compile
    from roller_mlir.hal import DeviceError
    from roller_mlir.hal import device_names as devices
    from roller_mlir.runtime import Artifact, ArtifactError
    from roller_mlir.support.diagnostics import DiagnosedError

__version__ = "0.1.0"
__all__ = [
    "Artifact",
    "ArtifactError",
    "CompileOptions",
    "DeviceError",
    "DiagnosedError",
    "__version__",
    "compile",
    "devices",
]

_HOMES = {
    "Artifact": ("roller_mlir.runtime", "Artifact"),
    "ArtifactError": ("roller_mlir.runtime", "ArtifactError"),
    "CompileOptions": ("roller_mlir.compiler", "CompileOptions"),
    "DeviceError": ("roller_mlir.hal", "DeviceError"),
    "DiagnosedError": ("roller_mlir.support.diagnostics", "DiagnosedError"),
    "compile": ("roller_mlir.compiler", "compile"),
    "devices": ("roller_mlir.hal", "device_names"),
}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _HOMES[name]
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
