# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels to binaries: the vendors' dialects, LLVM in a child process, the vendors' assemblers and what they report.

Names are imported at first use: the child imports this package too, and must not load MLIR.
"""

from typing import TYPE_CHECKING

from roller_mlir.support.foreign.first_use import at_first_use

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

__getattr__ = at_first_use(
    __name__,
    {
        "BuildRequest": f"{__name__}.job",
        "CompileError": f"{__name__}.errors",
        "KernelBinary": f"{__name__}.job",
        "KernelStatistics": f"{__name__}.checks.statistics",
        "Toolchain": f"{__name__}.vendor_tools.toolchain",
        "find_toolchain": f"{__name__}.vendor_tools.toolchain",
        "lower_to_nvvm": f"{__name__}.nvidia.nvvm",
        "lower_to_rocdl": f"{__name__}.amd.rocdl",
    },
)
