# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-lower-to-rocdl`: GPU kernels become kernels of the ROCDL and LLVM dialects, ready for translation to LLVM IR.

Precondition: gpu.module ops hold gpu.func kernels of arith, math, vector, memref, scf and gpu ops; arguments are
static memrefs. Postcondition: gpu.module ops hold llvm and rocdl ops only; arguments are bare pointers; the block
size is the required and the flat work-group size; dynamic workgroup memory is an external array. So many subgroups are
to fit on a scheduler as `rtile.tasks_per_unit` asks for, which bounds the registers; sums that a loop carries past a
branch are used before it (`llvm.fake.use`), or LLVM would compute them behind it. Host code is as before.

    gpu.func @copy(%a: memref<1024xf32> {llvm.noalias}, %b: memref<1024xf32>) kernel
        attributes {known_block_size = array<i32: 256, 1, 1>}
    // becomes
    llvm.func @copy(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr) attributes {rocdl.kernel,
        rocdl.flat_work_group_size = "256,256", rocdl.reqd_work_group_size = array<i32: 256, 1, 1>}

Refused: a device that is not AMD's; an op that is not in a kernel yet; a kernel without block size; a launch whose
block is not the kernel's; an op without lowering. Paper: none, the way to the vendor's compiler.
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.amd.rocdl import lower_to_rocdl, require_amd
from roller_mlir.model.options import DeviceOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RTileLowerToRocdl(DeviceOptions, Pass):
    """Lowers GPU kernels to the ROCDL dialect: bare pointers, 64-bit indices, the block size as work-group size."""

    name: ClassVar[str] = "rtile-lower-to-rocdl"
    summary: ClassVar[str] = "lower GPU kernels to the ROCDL dialect"
    requires: ClassVar[frozenset[str]] = frozenset({"kernels"})
    establishes: ClassVar[frozenset[str]] = frozenset({"rocdl"})

    def __post_init__(self) -> None:
        """Check the device."""
        super().__post_init__()
        require_amd(find_device(self.device))

    def run(self, module: ir.Module) -> None:
        """Lower every kernel of the module."""
        lower_to_rocdl(module, find_device(self.device))
