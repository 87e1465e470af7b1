# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of 64 bits of whom 32 are enough have 32.

    %a = arith.extui %x : i8 to i64    %b = arith.subi %a, 131    %c = arith.sitofp %b : i64 to f32
    // becomes
    %a = arith.extui %x : i8 to i32    %b = arith.subi %a, 131    %c = arith.sitofp %b : i32 to f32

Importers write zero points so. Half as many numbers of 64 bits fit a vector, and devices convert them slowly.
"""

from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.upstream import run_upstream
from roller_mlir.support.values import operations_inside

_NARROW = "builtin.module(arith-int-range-narrowing{int-bitwidths-supported=32})"
_COMPUTES = ("arith.addi", "arith.subi", "arith.muli")


def narrow_integers(module: ir.Module) -> None:
    """Compute integers of 64 bits by 32 where upstream's analysis of ranges shows that these hold them."""
    wide = ir.IntegerType.get_signless(64, module.context)
    if any(one.name in _COMPUTES and one.results[0].type == wide for one in operations_inside(module.operation)):
        run_upstream(_NARROW, module)
