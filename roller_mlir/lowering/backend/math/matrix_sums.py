# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer sums of matrix instructions wrap, as `arith.addi` does; upstream's lowering would let them saturate."""

from roller_mlir.lowering.backend.kernels.module import gpu_modules
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import operations_inside

_OVERFLOW = "intOverflowBehavior"


def wrap_integer_sums(module: ir.Module) -> None:
    """Make every nvvm.mma.sync on integers wrap, in place."""
    for gpu_module in gpu_modules(module):
        for op in operations_inside(gpu_module):
            if op.name == "nvvm.mma.sync" and _OVERFLOW in op.attributes:
                op.attributes[_OVERFLOW] = ir.Attribute.parse("#nvvm.mma_int_overflow<wrapped>", module.context)
