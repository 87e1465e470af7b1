# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums and products of NVIDIA that are rounded toward zero, as libdevice's functions use them.

The exact x * y + z of floats is a double and an error that a double holds, too: x * y is exact, and the sum's error is
found by subtracting again. The nearest float is then the result, or one step too far from zero.
"""

from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.context import HELPER

_NAME = f"{HELPER}fma_toward_zero"
_TOWARD_ZERO = f"""
define internal float @{_NAME}(float %x, float %y, float %z) {{
  %wide = fpext float %x to double
  %by = fpext float %y to double
  %added = fpext float %z to double
  %product = fmul double %wide, %by
  %sum = fadd double %product, %added
  %part = fsub double %sum, %product
  %rest = fsub double %sum, %part
  %first = fsub double %product, %rest
  %second = fsub double %added, %part
  %error = fadd double %first, %second
  %near = fptrunc double %sum to float
  %back = fpext float %near to double
  %left = fsub double %sum, %back
  %even = fcmp oeq double %left, 0.0
  %beyond = select i1 %even, double %error, double %left
  %signed = fmul double %beyond, %back
  %far = fcmp olt double %signed, 0.0
  %bits = bitcast float %near to i32
  %step = zext i1 %far to i32
  %closer = sub i32 %bits, %step
  %found = bitcast i32 %closer to float
  ret float %found
}}"""
_ZERO, _NEAREST = 0, 1  # modes


def _toward_zero(call: IntrinsicCall) -> list[str]:
    call.kernel.define(_NAME, _TOWARD_ZERO)
    values = [value for kind, value in call.operands if kind == "float"]
    if len(values) == 2:
        values.insert(1, "1.0")
    return [f"{call.result} = call float @{_NAME}({', '.join(f'float {one}' for one in values)})"]


def _sum(call: IntrinsicCall) -> list[str]:
    """Expand `fadd(x, y, mode)`."""
    mode = call.constant(2)
    if mode == _NEAREST:
        return [f"{call.result} = fadd float {call.value(0)}, {call.value(1)}"]
    if mode != _ZERO:
        raise UnknownIntrinsicError(f"'{call.callee}' with rounding mode {mode}")
    return _toward_zero(call)


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.nvvm\.fadd(?:\.ftz)?\.f32": _sum,
    r"llvm\.nvvm\.(?:add|fma)\.rz(?:\.ftz)?\.f": _toward_zero,
}
