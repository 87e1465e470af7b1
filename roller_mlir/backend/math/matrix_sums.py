# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integer sums of matrix instructions wrap, as `arith.addi` does; upstream's lowering would let them saturate."""

from roller_mlir.backend.kernel_module import gpu_modules
from roller_mlir.support.bindings import ir

_OVERFLOW = "intOverflowBehavior"


def wrap_integer_sums(module: ir.Module) -> None:
    """Make every nvvm.mma.sync on integers wrap, in place."""

    def visit(op: ir.Operation) -> ir.WalkResult:
        operation = op.operation
        if operation.name == "nvvm.mma.sync" and _OVERFLOW in operation.attributes:
            operation.attributes[_OVERFLOW] = ir.Attribute.parse("#nvvm.mma_int_overflow<wrapped>", module.context)
        return ir.WalkResult.ADVANCE

    for gpu_module in gpu_modules(module):
        gpu_module.walk(visit)
