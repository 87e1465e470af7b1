# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels to the ROCDL dialect."""

import math
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.amd.pin_sums import pin_sums
from roller_mlir.lowering.backend.kernels.addresses import shorten_addresses
from roller_mlir.lowering.backend.kernels.module import checked_kernels, finish, gpu_modules, run_upstream
from roller_mlir.lowering.backend.math.operations import find, prepare_math, widen
from roller_mlir.lowering.loops.attributes import DEVICE_SCOPE, TASKS_PER_UNIT
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import operations_inside

# convert-math-to-rocdl goes first: convert-gpu-to-rocdl would make llvm.tanh of math.tanh, on which LLVM 22 ends the
# process.
_PIPELINE = (
    "builtin.module(convert-math-to-rocdl{{chipset={chip}}},gpu.module("
    "lower-affine,convert-vector-to-scf,convert-scf-to-cf,convert-vector-to-llvm,expand-strided-metadata,lower-affine,"
    "convert-index-to-llvm,convert-arith-to-llvm{{index-bitwidth=64}},"
    "convert-gpu-to-rocdl{{chipset={chip} index-bitwidth=64 use-bare-ptr-memref-call-conv=1 runtime=HIP}},"
    "canonicalize,cse,reconcile-unrealized-casts))"
)

_EXTREMES = ("arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf")
"""Of bf16 and with fast-math flags these end LLVM 22; f32 gives the same."""


def require_amd(device: Device) -> None:
    """Raise a ValueError for a device of another vendor."""
    if device.vendor != "amd":
        raise ValueError(f"device must be AMD's, but got '{device.name}' of {device.vendor}; use rtile-lower-to-nvvm")


def lower_to_rocdl(module: ir.Module, device: Device) -> None:
    """Lower the kernels of a module to the ROCDL and LLVM dialects, in place; host code stays as it is.

    Kernels get bare pointers with the attributes of their memrefs (`llvm.noalias`, `llvm.align`), and from
    `known_block_size` both the required work-group size and the flat one; without them LLVM would allot registers for
    blocks of 1024 threads. `rtile.tasks_per_unit` becomes `rocdl.waves_per_eu`, which bounds the registers so that as
    many tasks fit on a compute unit.

    Args:
        module: with gpu.func kernels in gpu.module ops.
        device: an AMD device.

    Raises:
        DiagnosedError: a launch does not fit its kernel, workgroup memory is too small, or something has no lowering.
    """
    require_amd(device)
    for kernel in checked_kernels(module, device):
        pin_sums(kernel)
        _name_scopes(kernel)
        if TASKS_PER_UNIT in kernel.attributes:
            kernel.attributes["rocdl.waves_per_eu"] = ir.IntegerAttr.get(
                ir.IntegerType.get_signless(32), _subgroups_per_scheduler(kernel, device)
            )
    shorten_addresses(module)
    for gpu_module in gpu_modules(module):
        prepare_math(gpu_module)
        for op in find(gpu_module, _EXTREMES):
            if "bf16" in str(op.results[0].type):
                widen(op)
    run_upstream(module, _PIPELINE.format(chip=device.architecture))
    finish(module, native={})  # no function of ocml that is one instruction is left by the pipeline


def _name_scopes(kernel: Any) -> None:
    """Call all threads of a device what AMD's back end calls them."""
    for op in operations_inside(kernel):
        if "syncscope" in op.attributes and ir.StringAttr(op.attributes["syncscope"]).value == DEVICE_SCOPE:
            op.attributes["syncscope"] = ir.StringAttr.get("agent")


def _subgroups_per_scheduler(kernel: Any, device: Device) -> int:
    """Return how many subgroups a scheduler holds when as many tasks fit on a unit as the plan says."""
    tasks = ir.IntegerAttr(kernel.attributes[TASKS_PER_UNIT]).value
    threads = math.prod(ir.DenseI32ArrayAttr(kernel.attributes["known_block_size"]))
    subgroups = tasks * -(-threads // device.subgroup_size)
    return -(-subgroups // device.schedulers_per_unit)
