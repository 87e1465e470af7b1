# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-lower-to-cpu`: kernels of one thread become functions that run a range of tasks, in the LLVM dialect.

Precondition: gpu.module ops hold gpu.func kernels of arith, math, vector, memref and scf ops whose blocks have one
thread; arguments are static memrefs. Postcondition: gpu.module ops hold llvm ops only; a kernel is a function of bare
pointers and of the first task and the one behind the last, which it runs one after the other: `gpu.block_id` is the
task. Vectors are as wide as the device's registers. Host code is as before.

    gpu.func @copy(%a: memref<1024xf32> {llvm.noalias}, %b: memref<1024xf32>) kernel
        attributes {known_block_size = array<i32: 1, 1, 1>}
    // becomes
    llvm.func @copy(%a: !llvm.ptr {llvm.noalias}, %b: !llvm.ptr, %first: i64, %end: i64)
        attributes {rtile.task_range, passthrough = [["prefer-vector-width", "512"], ...]}

Refused: a device that is no CPU; an op that is not in a kernel yet; a kernel with threads, barriers or workgroup
memory; an op without lowering. Paper: RAMMER section 4 for the task as a function of its number.
"""

from dataclasses import dataclass
from typing import ClassVar

from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.cpu.lower import lower_to_cpu, require_cpu
from roller_mlir.model.options import DeviceOptions
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.passes import Pass, register


@register
@dataclass(frozen=True, kw_only=True)
class RTileLowerToCpu(DeviceOptions, Pass):
    """Lowers kernels of one thread to functions of a range of tasks: bare pointers, 64-bit indices, whole vectors."""

    name: ClassVar[str] = "rtile-lower-to-cpu"
    summary: ClassVar[str] = "lower kernels of one thread to functions of a CPU"
    requires: ClassVar[frozenset[str]] = frozenset({"kernels"})
    establishes: ClassVar[frozenset[str]] = frozenset({"cpu"})

    def __post_init__(self) -> None:
        """Check the device."""
        super().__post_init__()
        require_cpu(find_device(self.device))

    def run(self, module: ir.Module) -> None:
        """Lower every kernel of the module."""
        lower_to_cpu(module, find_device(self.device))
