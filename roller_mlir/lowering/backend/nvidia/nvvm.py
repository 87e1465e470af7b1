# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels to the NVVM dialect."""

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.kernels.addresses import shorten_addresses
from roller_mlir.lowering.backend.kernels.module import checked_kernels, finish, gpu_modules, run_upstream
from roller_mlir.lowering.backend.kernels.tensor_maps import (
    align_workgroup_memory,
    map_arguments,
    pass_by_value,
    workgroup_alignment,
)
from roller_mlir.lowering.backend.math.matrix_sums import wrap_integer_sums
from roller_mlir.lowering.backend.math.operations import prepare_math
from roller_mlir.lowering.backend.nvidia.libdevice import call_remainders, use_intrinsics
from roller_mlir.lowering.loops.attributes import REGISTERS, TASKS_PER_UNIT
from roller_mlir.support.bindings import ir

# convert-arith-to-llvm goes before convert-gpu-to-nvvm, which would make library calls of arith.maxnumf and minnumf.
# Loops are gone before convert-nvgpu-to-nvvm, which cannot convert those that carry gpu.mma_matrix values.
# Indices are 64 bits wide: convert-vector-to-llvm knows no other width. ptxas narrows them.
_FIRST = "builtin.module(gpu.module(lower-affine,convert-vector-to-scf,convert-scf-to-cf),convert-nvgpu-to-nvvm)"
_PIPELINE = (
    "builtin.module(gpu.module("
    "convert-vector-to-llvm,expand-strided-metadata,lower-affine,"
    "convert-index-to-llvm,convert-arith-to-llvm{index-bitwidth=64},"
    "convert-gpu-to-nvvm{index-bitwidth=64 use-bare-ptr-memref-call-conv=1},convert-nvvm-to-llvm,"
    "canonicalize,cse,reconcile-unrealized-casts))"
)

NATIVE = {
    "__nv_fmaf": "llvm.intr.fma",
    "__nv_fma": "llvm.intr.fma",
    "__nv_fabsf": "llvm.intr.fabs",
    "__nv_fabs": "llvm.intr.fabs",
    "__nv_sqrtf": "llvm.intr.sqrt",
    "__nv_sqrt": "llvm.intr.sqrt",
    "__nv_floorf": "llvm.intr.floor",
    "__nv_floor": "llvm.intr.floor",
    "__nv_ceilf": "llvm.intr.ceil",
    "__nv_ceil": "llvm.intr.ceil",
    "__nv_truncf": "llvm.intr.trunc",
    "__nv_trunc": "llvm.intr.trunc",
    "__nv_rintf": "llvm.intr.roundeven",
    "__nv_rint": "llvm.intr.roundeven",
    "__nv_fmaxf": "llvm.intr.maxnum",
    "__nv_fmax": "llvm.intr.maxnum",
    "__nv_fminf": "llvm.intr.minnum",
    "__nv_fmin": "llvm.intr.minnum",
    "__nv_copysignf": "llvm.intr.copysign",
    "__nv_copysign": "llvm.intr.copysign",
}
"""Functions of libdevice that are one instruction. `__nv_sqrtf` would even be the approximate root, unless a flag
said otherwise."""


def require_nvidia(device: Device) -> None:
    """Raise a ValueError for a device of another vendor."""
    if device.vendor != "nvidia":
        raise ValueError(
            f"device must be NVIDIA's, but got '{device.name}' of {device.vendor}; use rtile-lower-to-rocdl"
        )


def lower_to_nvvm(module: ir.Module, device: Device) -> None:
    """Lower the kernels of a module to the NVVM and LLVM dialects, in place; host code stays as it is.

    Kernels get bare pointers with the attributes of their memrefs (`llvm.noalias`, `llvm.align`), and `.maxntid` from
    `known_block_size`, unless they say `nvvm.reqntid`: ptxas refuses both together. `rtile.tasks_per_unit` becomes
    `.minnctapersm`, which bounds the registers so that as many blocks fit on an SM; `rtile.registers` becomes
    `.maxnreg` in its place.

    Args:
        module: with gpu.func kernels in gpu.module ops.
        device: an NVIDIA device.

    Raises:
        DiagnosedError: a launch does not fit its kernel, workgroup memory is too small, or something has no lowering.
    """
    require_nvidia(device)
    for kernel in checked_kernels(module, device):
        if REGISTERS in kernel.attributes:
            registers = ir.IntegerAttr(kernel.attributes[REGISTERS]).value
            kernel.attributes["nvvm.maxnreg"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), registers)
        elif TASKS_PER_UNIT in kernel.attributes:
            tasks = ir.IntegerAttr(kernel.attributes[TASKS_PER_UNIT]).value
            kernel.attributes["nvvm.minctasm"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), tasks)
    for gpu_module in gpu_modules(module):
        prepare_math(gpu_module)
        call_remainders(gpu_module)
        use_intrinsics(gpu_module)
    shorten_addresses(module)
    maps, alignment = map_arguments(module), workgroup_alignment(module)
    run_upstream(module, _FIRST)
    wrap_integer_sums(module)
    run_upstream(module, _PIPELINE)
    pass_by_value(module, maps)
    for gpu_module in gpu_modules(module):
        for op in gpu_module.regions[0].blocks[0].operations:
            if "nvvm.reqntid" in op.operation.attributes and "nvvm.maxntid" in op.operation.attributes:
                del op.operation.attributes["nvvm.maxntid"]
    finish(module, native=NATIVE)
    align_workgroup_memory(module, alignment)
