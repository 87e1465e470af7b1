# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Keeps the arithmetic of a reduction step before the copies that follow it, for AMD's code generator.

LLVM's AMDGPU back end sinks what only the next iteration uses behind every branch that it may pass. The sums of a step
are followed by the predicated stores of the next tiles: behind them, every fragment of the step stays alive at once,
which takes twice the registers, or spills. A use of the sums before the branch keeps them there; it is no instruction.

    %sum = vector.fma %a, %b, %carried
    "llvm.call_intrinsic"(%sum) {intrin = "llvm.fake.use"}     // added
    scf.if %more { vector.store ... }
    scf.yield %sum
"""

from typing import Any

from roller_mlir.support.bindings import ir
from roller_mlir.support.values import call_intrinsic, operations_inside

_INTRINSIC = "llvm.fake.use"


def pin_sums(kernel: Any) -> None:
    """Add the uses to every loop of a kernel that carries values past a branch."""
    for op in operations_inside(kernel):
        if op.name == "scf.for":
            _pin(op)


def _pin(loop: Any) -> None:
    operations = [op.operation for op in loop.regions[0].blocks[0].operations]
    places = {op: number for number, op in enumerate(operations)}
    made = [
        (places[value.owner], value)
        for value in operations[-1].operands
        if not isinstance(value.owner, ir.Block) and value.owner in places and _is_sum(value)
    ]
    if not made:
        return
    last = max(place for place, _ in made)
    branch = next((op for op in operations[last + 1 :] if op.name == "scf.if"), None)
    if branch is None:
        return
    with ir.InsertionPoint(branch), branch.location:
        for _, value in made:
            call_intrinsic(_INTRINSIC, [value])


def _is_sum(value: Any) -> bool:
    return not isinstance(value.type, ir.IndexType) and value.owner.name.startswith(("arith.", "math.", "vector."))
