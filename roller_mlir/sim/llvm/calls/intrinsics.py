# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vendors' intrinsics as calls of the simulator's runtime: one table per vendor; what is in none is refused.

Values that an expansion may use: `%roller.block` (the block's record), `%roller.thread.x` to `%roller.grid.z`,
`%roller.linear` (the thread's number in its block), `%roller.lane`.
"""

import re
from functools import lru_cache

from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls import (
    copies,
    hopper,
    lds,
    masked,
    matrix,
    matrix_memory,
    raw_buffers,
    rounding,
    wgmma,
    wmma,
)
from roller_mlir.sim.llvm.calls.lanes import below, bpermute, dpp, readfirstlane, readlane, shfl, swizzle
from roller_mlir.sim.llvm.text.types import from_bits


def _wait(what: str) -> Expansion:
    return lambda call: [f"call void @{PREFIX}{what}(i64 %roller.block, i64 {call.site()})"]


def _nothing(call: IntrinsicCall) -> list[str]:
    return []


def _place(call: IntrinsicCall) -> list[str]:
    """Expand `...tid.x`, `workgroup.id.y`: a coordinate."""
    *_, group, axis = call.callee.replace("workitem.id", "tid").replace("workgroup.id", "ctaid").split(".")
    value = {"tid": "thread", "ctaid": "block", "ntid": "size", "nctaid": "grid"}[group]
    return from_bits(call.kind, f"%roller.{value}.{axis}", call.result)


def _ockl(call: IntrinsicCall) -> list[str]:
    """Expand `__ockl_get_local_size(dim)` and its like."""
    group = {"local_id": "thread", "group_id": "block", "local_size": "size", "num_groups": "grid"}
    axis = call.constant(0)
    if not 0 <= axis <= 2:
        raise UnknownIntrinsicError(f"'{call.callee}' of dimension {axis}")
    return from_bits(call.kind, f"%roller.{group[call.callee.removeprefix('__ockl_get_')]}.{'xyz'[axis]}", call.result)


def _lane(call: IntrinsicCall) -> list[str]:
    return from_bits(call.kind, "%roller.lane", call.result)


def _subgroup_number(call: IntrinsicCall) -> list[str]:
    name = call.fresh()
    return [f"{name} = udiv i64 %roller.linear, {call.subgroup_size}", *from_bits(call.kind, name, call.result)]


def _subgroup_size(call: IntrinsicCall) -> list[str]:
    return [f"{call.result} = add {call.kind} 0, {call.subgroup_size}"]


def _unary(function: str, inverse: bool = False) -> Expansion:
    """Return the expansion of an approximate function of the hardware to LLVM's exact one, or the inverse of that."""

    def expand(call: IntrinsicCall) -> list[str]:
        kind = call.kind
        suffix = {"half": "f16", "float": "f32", "double": "f64"}.get(kind)
        if suffix is None:
            raise UnknownIntrinsicError(f"'{call.callee}' of {kind}")
        value, lines = call.value(0), list[str]()
        if function:
            target = call.fresh() if inverse else call.result
            lines.append(f"{target} = call {kind} @llvm.{function}.{suffix}({kind} {value})")
            value = target
        return [*lines, f"{call.result} = fdiv {kind} 1.0, {value}"] if inverse else lines

    return expand


def _operator(name: str) -> Expansion:
    return lambda call: [f"{call.result} = {name} {call.kind} {call.value(0)}, {call.value(1)}"]


def _same(function: str) -> Expansion:
    """Return the expansion of an exact function of the hardware that LLVM has, too."""

    def expand(call: IntrinsicCall) -> list[str]:
        suffix = {"half": "f16", "float": "f32", "double": "f64"}.get(call.kind)
        if suffix is None:
            raise UnknownIntrinsicError(f"'{call.callee}' of {call.kind}")
        operands = ", ".join(f"{kind} {value}" for kind, value in call.operands)
        return [f"{call.result} = call {call.kind} @llvm.{function}.{suffix}({operands})"]

    return expand


def _zero(call: IntrinsicCall) -> list[str]:
    return [f"{call.result} = add {call.kind} 0, 0"]


def _now(call: IntrinsicCall) -> list[str]:
    return [f"{call.result} = call i64 @{PREFIX}now(i64 %roller.block)"]


_IMPLICIT_AT = 1024
"""Where implicit arguments lie in a thread's own memory: behind what its matrix instructions use."""
_IMPLICIT_BYTES = 256


def _implicit(call: IntrinsicCall) -> list[str]:
    """Write AMD's implicit arguments: blocks of the grid (i32), threads of a block and of a last one (i16), rank."""
    own, lines = call.kernel.memory(_IMPLICIT_AT, _IMPLICIT_BYTES), list[str]()

    def put(at: int, kind: str, value: str) -> None:
        place = call.fresh()
        if value.startswith("%"):
            narrow = call.fresh()
            lines.append(f"{narrow} = trunc i64 {value} to {kind}")
            value = narrow
        lines.extend((f"{place} = getelementptr i8, ptr {own}, i64 {at}", f"store {kind} {value}, ptr {place}"))

    lines.append(f"call void @llvm.memset.p0.i64(ptr {own}, i8 0, i64 {_IMPLICIT_BYTES}, i1 false)")
    for number, axis in enumerate("xyz"):
        put(4 * number, "i32", f"%roller.grid.{axis}")
        put(12 + 2 * number, "i16", f"%roller.size.{axis}")
    put(64, "i16", "3")
    return [*lines, f"{call.result} = addrspacecast ptr {own} to {call.kind}"]


_ROUND = r"(?:\.ftz)?\.[fd]"
NVIDIA: dict[str, Expansion] = {
    r"llvm\.nvvm\.read\.ptx\.sreg\.n?(?:tid|ctaid)\.[xyz]": _place,
    r"llvm\.nvvm\.read\.ptx\.sreg\.laneid": _lane,
    r"llvm\.nvvm\.read\.ptx\.sreg\.warpid": _subgroup_number,
    r"llvm\.nvvm\.read\.ptx\.sreg\.warpsize": _subgroup_size,
    r"llvm\.nvvm\.barrier0": _wait("barrier"),
    r"llvm\.nvvm\.barrier\.cta\.sync(?:\.aligned)?\.all": _wait("barrier"),
    r"llvm\.nvvm\.barrier\.sync": _wait("barrier"),
    r"llvm\.nvvm\.bar\.warp\.sync": _wait("sync"),
    r"llvm\.nvvm\.shfl\.sync\.(?:bfly|up|down|idx)\.[if]32p?": shfl,
    r"llvm\.nvvm\.(?:membar\.\w+|fence\.[\w.]+)": _nothing,
    r"llvm\.nvvm\.ex2\.approx(?:\.ftz)?(?:\.\w+)?": _unary("exp2"),
    r"llvm\.nvvm\.lg2\.approx(?:\.ftz)?(?:\.\w+)?": _unary("log2"),
    r"llvm\.nvvm\.sin\.approx(?:\.ftz)?\.f": _unary("sin"),
    r"llvm\.nvvm\.cos\.approx(?:\.ftz)?\.f": _unary("cos"),
    r"llvm\.nvvm\.tanh\.approx(?:\.\w+)?": _unary("tanh"),
    r"llvm\.nvvm\.sqrt\.(?:rn|approx)(?:\.ftz)?\.[fd]": _unary("sqrt"),
    r"llvm\.nvvm\.sqrt\.f": _unary("sqrt"),
    r"llvm\.nvvm\.rsqrt\.approx(?:\.ftz)?\.[fd]": _unary("sqrt", inverse=True),
    r"llvm\.nvvm\.rcp\.(?:rn|approx)(?:\.ftz)?\.[fd]": _unary("", inverse=True),
    r"llvm\.nvvm\.div\.(?:rn|approx|full)(?:\.ftz)?(?:\.[fd])?": _operator("fdiv"),
    rf"llvm\.nvvm\.add\.rn{_ROUND}": _operator("fadd"),
    rf"llvm\.nvvm\.mul\.rn{_ROUND}": _operator("fmul"),
    rf"llvm\.nvvm\.fma\.rn{_ROUND}": _same("fma"),
    rf"llvm\.nvvm\.floor{_ROUND}": _same("floor"),
    r"llvm\.nvvm\.fabs(?:\.ftz)?\.f(?:16|32|64)": _same("fabs"),
    rf"llvm\.nvvm\.ceil{_ROUND}": _same("ceil"),
    r"__nvvm_reflect": _zero,
    rf"llvm\.nvvm\.fmax{_ROUND}": _same("maxnum"),
    rf"llvm\.nvvm\.fmin{_ROUND}": _same("minnum"),
    r"llvm\.nvvm\.fmax(?:\.ftz)?\.nan\.f": _same("maximum"),
    r"llvm\.nvvm\.fmin(?:\.ftz)?\.nan\.f": _same("minimum"),
}
"""Intrinsics of NVPTX."""

_FLOAT = r"\.f(?:16|32|64)"
AMD: dict[str, Expansion] = {
    r"llvm\.amdgcn\.work(?:item|group)\.id\.[xyz]": _place,
    r"__ockl_get_(?:local_id|group_id|local_size|num_groups)": _ockl,
    r"llvm\.amdgcn\.s\.barrier": _wait("barrier"),
    r"llvm\.amdgcn\.wave\.barrier": _wait("sync"),
    r"llvm\.amdgcn\.implicitarg\.ptr": _implicit,
    r"llvm\.amdgcn\.wavefrontsize": _subgroup_size,
    r"llvm\.amdgcn\.mbcnt\.(?:lo|hi)": below,
    r"llvm\.amdgcn\.ds\.bpermute": bpermute,
    r"llvm\.amdgcn\.ds\.swizzle": swizzle,
    r"llvm\.amdgcn\.readlane(?:\.\w+)?": readlane,
    r"llvm\.amdgcn\.readfirstlane(?:\.\w+)?": readfirstlane,
    r"llvm\.amdgcn\.(?:update|mov)\.dpp\.\w+": dpp,
    r"llvm\.amdgcn\.(?:sched\.\w+(?:\.\w+)*|s\.setprio|s\.sleep|iglp\.opt)": _nothing,
    rf"llvm\.amdgcn\.rcp{_FLOAT}": _unary("", inverse=True),
    rf"llvm\.amdgcn\.rsq{_FLOAT}": _unary("sqrt", inverse=True),
    rf"llvm\.amdgcn\.sqrt{_FLOAT}": _unary("sqrt"),
    rf"llvm\.amdgcn\.exp2{_FLOAT}": _unary("exp2"),
    rf"llvm\.amdgcn\.log{_FLOAT}": _unary("log2"),
}
"""Intrinsics of AMDGPU, and functions of its device library that ask for the place."""

_COMMON: dict[str, Expansion] = {r"llvm\.readsteadycounter": _now}

_PARTS = (copies, hopper, lds, masked, matrix, matrix_memory, raw_buffers, rounding, wgmma, wmma)
_TABLE = {
    re.compile(pattern): expansion
    for table in (*(part.INTRINSICS for part in _PARTS), NVIDIA, AMD, _COMMON)
    for pattern, expansion in table.items()
}


@lru_cache(maxsize=256)
def expansion(callee: str) -> tuple[Expansion, re.Match[str]] | None:
    """Return what becomes of a call, and the callee; None where that is no vendor's intrinsic that is known."""
    return next(((found, match) for pattern, found in _TABLE.items() if (match := pattern.fullmatch(callee))), None)
