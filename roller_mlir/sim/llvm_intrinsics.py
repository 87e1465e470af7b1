# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The vendors' intrinsics as calls of the simulator's runtime: one table per vendor; what is in none is refused.

Values that an expansion may use: `%roller.block` (the block's record), `%roller.thread.x` to `%roller.grid.z`,
`%roller.linear` (the thread's number in its block), `%roller.lane`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from roller_mlir.sim.llvm_types import from_bits, size_bits, to_bits
from roller_mlir.sim.runtime_ir import PREFIX

HELPER = "roller_llvm_"
"""Prefix of the functions that are compiled with each kernel at this level."""


class UnknownIntrinsic(Exception):
    """What was called has no meaning in the simulator; the text says what."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of an intrinsic.

    Attributes:
        callee: Without the sigil.
        result: Name of the result, "" for none.
        kind: LLVM type of the result.
        operands: Type and value of each.
        subgroup_size: Lanes.
        site: Numbers the call; a call that waits needs it.
        fresh: Gives a new name.
    """

    callee: str
    result: str
    kind: str
    operands: tuple[tuple[str, str], ...]
    subgroup_size: int
    site: Callable[[], int]
    fresh: Callable[[], str]

    def value(self, number: int) -> str:
        """Return an operand's value."""
        return self.operands[number][1]

    def constant(self, number: int) -> int:
        """Return an operand that must be a constant."""
        value = {"true": "1", "false": "0"}.get(self.value(number), self.value(number))
        if not re.fullmatch(r"-?\d+", value):
            raise UnknownIntrinsic(f"'{self.callee}' whose operand {number} is not constant")
        return int(value)


Expansion = Callable[[Call], list[str]]
_WAITS = ("barrier", "sync")


def _wait(call: Call, what: str) -> list[str]:
    assert what in _WAITS
    return [f"call void @{PREFIX}{what}(i64 %roller.block, i64 {call.site()})"]


def _nothing(call: Call) -> list[str]:
    return []


def _place(call: Call) -> list[str]:
    """`...tid.x`, `workgroup.id.y`: a coordinate."""
    *_, group, axis = call.callee.replace("workitem.id", "tid").replace("workgroup.id", "ctaid").split(".")
    value = {"tid": "thread", "ctaid": "block", "ntid": "size", "nctaid": "grid"}[group]
    return from_bits(call.kind, f"%roller.{value}.{axis}", call.result)


def _ockl(call: Call) -> list[str]:
    """`__ockl_get_local_size(dim)` and its like."""
    group = {"local_id": "thread", "group_id": "block", "local_size": "size", "num_groups": "grid"}
    axis = call.constant(0)
    if not 0 <= axis <= 2:
        raise UnknownIntrinsic(f"'{call.callee}' of dimension {axis}")
    return from_bits(call.kind, f"%roller.{group[call.callee.removeprefix('__ockl_get_')]}.{'xyz'[axis]}", call.result)


def _lane(call: Call) -> list[str]:
    return from_bits(call.kind, "%roller.lane", call.result)


def _subgroup_number(call: Call) -> list[str]:
    name = call.fresh()
    return [f"{name} = udiv i64 %roller.linear, {call.subgroup_size}", *from_bits(call.kind, name, call.result)]


def _subgroup_size(call: Call) -> list[str]:
    return [f"{call.result} = add {call.kind} 0, {call.subgroup_size}"]


def _shfl(call: Call) -> list[str]:
    """`llvm.nvvm.shfl.sync.<mode>.<type>[p](mask, value, b, c)`; the lanes of the mask must take part."""
    mode, kind = call.callee.split(".")[4:6]
    mask = call.value(0)
    if re.fullmatch(r"-?\d+", mask) and (int(mask) % 2**32) & (int(mask) % 2**32 + 1):
        raise UnknownIntrinsic(f"'{call.callee}' with a mask that is not of the first lanes: {mask}")
    bits, pair, value = call.fresh(), call.fresh(), call.fresh()
    element = "float" if kind.startswith("f32") else "i32"
    lines = to_bits(element, call.value(1), bits)
    operands = f"i32 {mask}, i64 {bits}, i32 {call.value(2)}, i32 {call.value(3)}"
    lines.append(
        f"{pair} = call {{ i64, i1 }} @{HELPER}shfl_{mode}(i64 %roller.block, i64 {call.site()}, i64 %roller.lane, "
        f"{operands})"
    )
    lines.append(f"{value} = extractvalue {{ i64, i1 }} {pair}, 0")
    if not kind.endswith("p"):
        return [*lines, *from_bits(element, value, call.result)]
    plain, valid, first = call.fresh(), call.fresh(), call.fresh()
    lines += [*from_bits(element, value, plain), f"{valid} = extractvalue {{ i64, i1 }} {pair}, 1"]
    lines.append(f"{first} = insertvalue {call.kind} poison, {element} {plain}, 0")
    return [*lines, f"{call.result} = insertvalue {call.kind} {first}, i1 {valid}, 1"]


def _exchange(call: Call, operand: int, source: str) -> list[str]:
    """The operand of another lane, which is the i64 `source`; all lanes of the subgroup must take part."""
    kind, value = call.operands[operand]
    width = size_bits(kind)
    if width is None or width > 64:
        raise UnknownIntrinsic(f"'{call.callee}' of {kind}")
    bits, found = call.fresh(), call.fresh()
    lines = to_bits(kind, value, bits)
    lines.append(
        f"{found} = call i64 @{HELPER}exchange(i64 %roller.block, i64 {call.site()}, i64 {bits}, i64 {source}, "
        f"i64 {call.subgroup_size})"
    )
    return [*lines, *from_bits(kind, found, call.result)]


def _bpermute(call: Call) -> list[str]:
    byte, lane, source = call.fresh(), call.fresh(), call.fresh()
    lines = [f"{byte} = zext i32 {call.value(0)} to i64", f"{lane} = lshr i64 {byte}, 2"]
    lines.append(f"{source} = and i64 {lane}, {call.subgroup_size - 1}")
    return [*lines, *_exchange(call, 1, source)]


def _readlane(call: Call) -> list[str]:
    wide, source = call.fresh(), call.fresh()
    lines = [f"{wide} = zext i32 {call.value(1)} to i64", f"{source} = and i64 {wide}, {call.subgroup_size - 1}"]
    return [*lines, *_exchange(call, 0, source)]


def _readfirstlane(call: Call) -> list[str]:
    return _exchange(call, 0, "0")


def _swizzle(call: Call) -> list[str]:
    """`ds_swizzle_b32`: bit 15 chooses four lanes among themselves, else and, or, xor masks of 5 bits in 32 lanes."""
    pattern = call.constant(1)
    low, high, picked, source = call.fresh(), call.fresh(), call.fresh(), call.fresh()
    if pattern & 0x8000:
        return [*_quad(call, pattern & 0xFF, source), *_exchange(call, 0, source)]
    keep, force, flip = pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31
    lines = [f"{low} = and i64 %roller.lane, {keep}", f"{high} = and i64 %roller.lane, -32"]
    lines += [f"{picked}.or = or i64 {low}, {force}", f"{picked} = xor i64 {picked}.or, {flip}"]
    return [*lines, f"{source} = or i64 {high}, {picked}", *_exchange(call, 0, source)]


def _quad(call: Call, pattern: int, source: str) -> list[str]:
    """Each of four lanes reads the one of them that two bits of the pattern name."""
    at, twice, moved, picked, first = (call.fresh() for _ in range(5))
    return [
        f"{at} = and i64 %roller.lane, 3",
        f"{twice} = shl i64 {at}, 1",
        f"{moved} = lshr i64 {pattern}, {twice}",
        f"{picked} = and i64 {moved}, 3",
        f"{first} = and i64 %roller.lane, -4",
        f"{source} = or i64 {first}, {picked}",
    ]


def _dpp_source(call: Call, control: int, source: str) -> tuple[list[str], str]:
    """Lines that compute the source lane of a DPP control, and the i1 whether there is one."""
    row, at, other, inside = (call.fresh() for _ in range(4))
    lines = [f"{row} = and i64 %roller.lane, -16", f"{at} = and i64 %roller.lane, 15"]
    if control <= 0xFF:
        return _quad(call, control, source), "true"
    if 0x101 <= control <= 0x11F and control != 0x110:
        step = control & 15 if control < 0x110 else -(control & 15)
        lines += [f"{other} = add i64 {at}, {step}", f"{inside} = icmp ult i64 {other}, 16"]
        return [*lines, f"{source} = add i64 %roller.lane, {step}"], inside
    if 0x121 <= control <= 0x12F:
        lines += [f"{other} = sub i64 {at}, {control & 15}", f"{inside} = and i64 {other}, 15"]
        return [*lines, f"{source} = or i64 {row}, {inside}"], "true"
    if control in (0x140, 0x141):
        return [f"{source} = xor i64 %roller.lane, {15 if control == 0x140 else 7}"], "true"
    if control in (0x142, 0x143):
        lines += [f"{other} = and i64 %roller.lane, {-16 if control == 0x142 else -32}"]
        lines += [f"{source} = sub i64 {other}, 1", f"{inside} = icmp sgt i64 {source}, 0"]
        return lines, inside
    if 0x150 <= control <= 0x15F:
        return [*lines, f"{source} = or i64 {row}, {control & 15}"], "true"
    raise UnknownIntrinsic(f"'{call.callee}' with the control {control:#x}")


def _dpp(call: Call) -> list[str]:
    """`update.dpp(old, value, control, row mask, bank mask, bound control)`, and `mov.dpp` without `old`."""
    moves = ".mov." in call.callee
    first = 0 if moves else 1
    kind, value = call.operands[first]
    old = "zeroinitializer" if kind.startswith(("<", "[")) else "0"
    zero = old if kind.startswith("i") or old != "0" else "0.0"
    previous = zero if moves else call.value(0)
    control, rows, banks, bound = (call.constant(first + number) for number in range(1, 5))
    source, safe, found, moved, got = (call.fresh() for _ in range(5))
    lines, exists = _dpp_source(call, control, source)
    lines.append(f"{safe} = select i1 {exists}, i64 {source}, i64 %roller.lane")
    inner = Call(**{**call.__dict__, "result": found, "operands": ((kind, value),), "kind": kind})
    lines += _exchange(inner, 0, safe)
    lines.append(f"{moved} = select i1 {exists}, {kind} {found}, {kind} {zero if bound else previous}")
    row, bank, rowbit, bankbit, both = (call.fresh() for _ in range(5))
    lines += [
        f"{row} = lshr i64 %roller.lane, 4",
        f"{bank}.at = lshr i64 %roller.lane, 2",
        f"{bank} = and i64 {bank}.at, 3",
        f"{rowbit} = lshr i64 {rows}, {row}",
        f"{bankbit} = lshr i64 {banks}, {bank}",
        f"{both} = and i64 {rowbit}, {bankbit}",
        f"{got} = trunc i64 {both} to i1",
        f"{call.result} = select i1 {got}, {kind} {moved}, {kind} {previous}",
    ]
    return lines


def _below(call: Call) -> list[str]:
    """`mbcnt.lo/hi(mask, base)`: base + the bits of the mask for lanes below this one, of 32 lanes."""
    which = "lo" if call.callee.endswith("lo") else "hi"
    return [
        f"{call.result} = call i32 @{HELPER}mbcnt_{which}(i64 %roller.lane, i32 {call.value(0)}, i32 {call.value(1)})"
    ]


def _unary(function: str, inverse: bool = False) -> Expansion:
    """An approximate function of the hardware: the exact one of LLVM, or its inverse."""

    def expand(call: Call) -> list[str]:
        kind = call.kind
        suffix = {"half": "f16", "float": "f32", "double": "f64"}.get(kind)
        if suffix is None:
            raise UnknownIntrinsic(f"'{call.callee}' of {kind}")
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
    """An exact function of the hardware that LLVM has, too."""

    def expand(call: Call) -> list[str]:
        suffix = {"half": "f16", "float": "f32", "double": "f64"}.get(call.kind)
        if suffix is None:
            raise UnknownIntrinsic(f"'{call.callee}' of {call.kind}")
        operands = ", ".join(f"{kind} {value}" for kind, value in call.operands)
        return [f"{call.result} = call {call.kind} @llvm.{function}.{suffix}({operands})"]

    return expand


def _block_barrier(call: Call) -> list[str]:
    return _wait(call, "barrier")


def _subgroup_barrier(call: Call) -> list[str]:
    return _wait(call, "sync")


_ROUND = r"(?:\.ftz)?\.[fd]"
NVIDIA: dict[str, Expansion] = {
    r"llvm\.nvvm\.read\.ptx\.sreg\.n?(?:tid|ctaid)\.[xyz]": _place,
    r"llvm\.nvvm\.read\.ptx\.sreg\.laneid": _lane,
    r"llvm\.nvvm\.read\.ptx\.sreg\.warpid": _subgroup_number,
    r"llvm\.nvvm\.read\.ptx\.sreg\.warpsize": _subgroup_size,
    r"llvm\.nvvm\.barrier0": _block_barrier,
    r"llvm\.nvvm\.barrier\.cta\.sync(?:\.aligned)?\.all": _block_barrier,
    r"llvm\.nvvm\.barrier\.sync": _block_barrier,
    r"llvm\.nvvm\.bar\.warp\.sync": _subgroup_barrier,
    r"llvm\.nvvm\.shfl\.sync\.(?:bfly|up|down|idx)\.[if]32p?": _shfl,
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
    r"llvm\.amdgcn\.s\.barrier": _block_barrier,
    r"llvm\.amdgcn\.wave\.barrier": _subgroup_barrier,
    r"llvm\.amdgcn\.wavefrontsize": _subgroup_size,
    r"llvm\.amdgcn\.mbcnt\.(?:lo|hi)": _below,
    r"llvm\.amdgcn\.ds\.bpermute": _bpermute,
    r"llvm\.amdgcn\.ds\.swizzle": _swizzle,
    r"llvm\.amdgcn\.readlane(?:\.\w+)?": _readlane,
    r"llvm\.amdgcn\.readfirstlane(?:\.\w+)?": _readfirstlane,
    r"llvm\.amdgcn\.(?:update|mov)\.dpp\.\w+": _dpp,
    r"llvm\.amdgcn\.(?:sched\.\w+(?:\.\w+)?|s\.waitcnt|s\.setprio|s\.sleep|iglp\.opt)": _nothing,
    rf"llvm\.amdgcn\.rcp{_FLOAT}": _unary("", inverse=True),
    rf"llvm\.amdgcn\.rsq{_FLOAT}": _unary("sqrt", inverse=True),
    rf"llvm\.amdgcn\.sqrt{_FLOAT}": _unary("sqrt"),
    rf"llvm\.amdgcn\.exp2{_FLOAT}": _unary("exp2"),
    rf"llvm\.amdgcn\.log{_FLOAT}": _unary("log2"),
}
"""Intrinsics of AMDGPU, and functions of its device library that ask for the place."""

_TABLE = {re.compile(pattern): expansion for pattern, expansion in (NVIDIA | AMD).items()}


def expansion(callee: str) -> Expansion | None:
    """Return what becomes of a call, None where the callee is no vendor's intrinsic that is known."""
    return next((found for pattern, found in _TABLE.items() if pattern.fullmatch(callee)), None)
