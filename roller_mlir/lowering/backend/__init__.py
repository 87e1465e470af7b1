# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels to binaries: the vendors' dialects, LLVM in a child process, the vendors' assemblers and what they report.

Names are imported at first use: the child imports this package too, and must not load MLIR.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from roller_mlir.lowering.backend.amd.rocdl import lower_to_rocdl
    from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
    from roller_mlir.lowering.backend.errors import CompileError
    from roller_mlir.lowering.backend.job import BuildRequest, KernelBinary
    from roller_mlir.lowering.backend.nvidia.nvvm import lower_to_nvvm
    from roller_mlir.lowering.backend.vendor_tools.toolchain import Toolchain, find_toolchain

__all__ = [
    "BuildRequest",
    "CompileError",
    "KernelBinary",
    "KernelStatistics",
    "Toolchain",
    "find_toolchain",
    "lower_to_nvvm",
    "lower_to_rocdl",
]

_HOMES = {
    "BuildRequest": "job",
    "CompileError": "errors",
    "KernelBinary": "job",
    "KernelStatistics": "checks.statistics",
    "Toolchain": "vendor_tools.toolchain",
    "find_toolchain": "vendor_tools.toolchain",
    "lower_to_nvvm": "nvidia.nvvm",
    "lower_to_rocdl": "amd.rocdl",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
