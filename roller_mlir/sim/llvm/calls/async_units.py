# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of what a Hopper block does beside its threads: mbarriers, bulk copies, products of warpgroups.

The functions are those that kernels of the gpu dialect call (`hopper_*`); all operands are i64, the block's record
comes first.
"""

from collections.abc import Sequence

from roller_mlir.sim.hopper.layout import WARP
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC
from roller_mlir.sim.llvm.call import IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.context import HELPER, InstructionContext

_COORDINATES, _OFFSETS = 5, 3


def call_async_unit(
    kernel: InstructionContext, function: str, operands: Sequence[str], when: str = "true", kind: str = "void"
) -> list[str]:
    """Return the call of a function whose result is not wanted.

    Args:
        kernel: The kernel around it.
        function: Its name.
        operands: Values.
        when: An i1: whether it is called at all.
        kind: Type of its result.
    """
    _declare(kernel, function, len(operands), kind)
    values = ", ".join(f"i64 {one}" for one in ("%roller.block", *operands))
    if when == "true":
        return [f"call {kind} @{ASYNC}{function}({values})"]
    name = f"{HELPER}{function}_if"
    kinds = ", ".join(f"i64 %x{number}" for number in range(1 + len(operands)))
    kernel.define(
        name,
        f"define internal void @{name}(i1 %when, {kinds}) {{\n  br i1 %when, label %yes, label %no\nyes:\n"
        f"  call {kind} @{ASYNC}{function}({kinds})\n  br label %no\nno:\n  ret void\n}}\n",
    )
    return [f"call void @{name}(i1 {when}, {values})"]


def ask_async_unit(kernel: InstructionContext, function: str, operands: Sequence[str]) -> tuple[list[str], str]:
    """Return the call of a function with a result, and the result, an i64."""
    _declare(kernel, function, len(operands), "i64")
    values = ", ".join(f"i64 {one}" for one in ("%roller.block", *operands))
    name = kernel.fresh()
    return [f"{name} = call i64 @{ASYNC}{function}({values})"], name


def _declare(kernel: InstructionContext, function: str, operands: int, kind: str) -> None:
    kernel.needs.machine = True
    kernel.define(ASYNC + function, f"declare {kind} @{ASYNC}{function}({', '.join(['i64'] * (1 + operands))})\n")


def wide(kernel: InstructionContext, kind: str, value: str, *, signed: bool = False) -> tuple[list[str], str]:
    """Return the lines that make an i64 of a pointer or an integer, and the i64."""
    if kind == "i64":
        return [], value
    name = kernel.fresh()
    cast = "ptrtoint" if kind.startswith("ptr") else "sext" if signed else "zext"
    return [f"{name} = {cast} {kind} {value} to i64"], name


def wide_operands(call: IntrinsicCall, *numbers: int, signed: bool = False) -> tuple[list[str], list[str]]:
    """Return the lines that make i64 of operands of a call, and the values."""
    lines: list[str] = []
    values: list[str] = []
    for number in numbers:
        more, value = wide(call.kernel, *call.operands[number], signed=signed)
        lines += more
        values.append(value)
    return lines, values


def coordinates(values: Sequence[str], offsets: Sequence[str] = ()) -> list[str]:
    """Return coordinates and im2col offsets, filled up."""
    return [*values, *["0"] * (_COORDINATES - len(values)), *offsets, *["0"] * (_OFFSETS - len(offsets))]


def require_warps(kernel: InstructionContext, what: str) -> None:
    """Refuse subgroups that are no warps."""
    if kernel.subgroup_size != WARP:
        raise UnknownIntrinsicError(f"'{what}' in subgroups of {kernel.subgroup_size} lanes")
