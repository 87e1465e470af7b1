# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-lower-to-nvvm`: GPU kernels become kernels of the NVVM and LLVM dialects, ready for translation to LLVM IR.

Precondition: gpu.module ops hold gpu.func kernels of arith, math, vector, memref, scf and gpu ops; arguments are
static memrefs. Postcondition: gpu.module ops hold llvm and nvvm ops only; arguments are bare pointers; the block size
is `nvvm.maxntid`; dynamic workgroup memory is an external array. Host code is as before.

    gpu.func @copy(%a: memref<1024xf32> {llvm.noalias}, %b: memref<1024xf32>) kernel
        attributes {known_block_size = array<i32: 256, 1, 1>}
    // becomes
    llvm.func @copy(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr)
        attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>}

Refused: a device that is not NVIDIA's; an op that is not in a kernel yet; a kernel without block size; a launch whose
block is not the kernel's; an op without lowering. Paper: none, the way to the vendor's compiler.
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.nvidia.nvvm import lower_to_nvvm, require_nvidia
from roller_mlir.model.options import DeviceOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RTileLowerToNvvm(DeviceOptions, Pass):
    """Lowers GPU kernels to the NVVM dialect: bare pointers, 64-bit indices, the block size as `nvvm.maxntid`."""

    name: ClassVar[str] = "rtile-lower-to-nvvm"
    summary: ClassVar[str] = "lower GPU kernels to the NVVM dialect"
    requires: ClassVar[frozenset[str]] = frozenset({"kernels"})
    establishes: ClassVar[frozenset[str]] = frozenset({"nvvm"})

    def __post_init__(self) -> None:
        """Check the device."""
        super().__post_init__()
        require_nvidia(find_device(self.device))

    def run(self, module: ir.Module) -> None:
        """Lower every kernel of the module."""
        lower_to_nvvm(module, find_device(self.device))
