# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the functions of Hopper blocks, once a process and only where a kernel needs them."""

import functools

import llvmlite.binding as binding

from roller_mlir.sim.engine.jit import MachineCode, compile_text, runtime
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, emit_base
from roller_mlir.sim.hopper.runtime.copies_ir import emit_bulk_copies
from roller_mlir.sim.hopper.runtime.granules_ir import emit_granules
from roller_mlir.sim.hopper.runtime.group_ir import emit_groups
from roller_mlir.sim.hopper.runtime.mbarrier_ir import emit_mbarriers
from roller_mlir.sim.hopper.runtime.product_ir import emit_products
from roller_mlir.sim.hopper.runtime.waits_ir import emit_waits


@functools.cache
def hopper_runtime() -> MachineCode:
    """Return the compiled functions; kernels that are compiled later find them by name."""
    switch = f"{PREFIX}switch"
    binding.add_symbol(switch, runtime().compiled.address(switch))
    base = emit_base()
    granules = emit_granules(base)
    emit_waits(base, emit_bulk_copies(base, emit_mbarriers(base), granules))
    emit_products(base, emit_groups(base), granules)
    compiled = compile_text(str(base.module), level=2)
    for function in base.module.functions:
        if not function.is_declaration and function.linkage != "internal":
            binding.add_symbol(function.name, compiled.address(function.name))
    return compiled


def hook(name: str) -> int:
    """Return the address of what the scheduler calls: "start", "barrier" or "advance"."""
    return hopper_runtime().address(ASYNC + name)
