# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What lanes of a subgroup pass to each other: NVIDIA's shuffles, AMD's permutations, swizzles and DPP.

All lanes of the subgroup must take part, or those that a shuffle's mask names. On AMD hardware lanes may be missing,
and then what is read from them is not defined; here that is an error.
"""

from dataclasses import replace

from roller_mlir.sim.llvm.call import IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.context import HELPER
from roller_mlir.sim.llvm.text.types import from_bits, size_bits, to_bits


def shfl(call: IntrinsicCall) -> list[str]:
    """Expand `llvm.nvvm.shfl.sync.<mode>.<type>[p](mask, value, b, c)`; the lanes of the mask must take part."""
    mode, kind = call.callee.split(".")[4:6]
    mask, lanes = call.value(0), call.instruction.constant(0)
    if lanes is not None and (lanes % 2**32) & (lanes % 2**32 + 1):
        raise UnknownIntrinsicError(f"'{call.callee}' with a mask that is not of the first lanes: {mask}")
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


def _exchange(call: IntrinsicCall, operand: int, source: str) -> list[str]:
    """Read the operand of another lane, the i64 `source`; all lanes of the subgroup must take part."""
    kind, value = call.operands[operand]
    width = size_bits(kind)
    if width is None or width > 64:
        raise UnknownIntrinsicError(f"'{call.callee}' of {kind}")
    bits, found = call.fresh(), call.fresh()
    lines = to_bits(kind, value, bits)
    lines.append(
        f"{found} = call i64 @{HELPER}exchange(i64 %roller.block, i64 {call.site()}, i64 {bits}, i64 {source}, "
        f"i64 {call.subgroup_size})"
    )
    return [*lines, *from_bits(kind, found, call.result)]


def bpermute(call: IntrinsicCall) -> list[str]:
    """Expand `ds.bpermute(4 * lane, value)`."""
    byte, lane, source = call.fresh(), call.fresh(), call.fresh()
    lines = [f"{byte} = zext i32 {call.value(0)} to i64", f"{lane} = lshr i64 {byte}, 2"]
    lines.append(f"{source} = and i64 {lane}, {call.subgroup_size - 1}")
    return [*lines, *_exchange(call, 1, source)]


def readlane(call: IntrinsicCall) -> list[str]:
    """Expand `readlane(value, lane)`."""
    wide, source = call.fresh(), call.fresh()
    lines = [f"{wide} = zext i32 {call.value(1)} to i64", f"{source} = and i64 {wide}, {call.subgroup_size - 1}"]
    return [*lines, *_exchange(call, 0, source)]


def readfirstlane(call: IntrinsicCall) -> list[str]:
    """Expand `readfirstlane(value)`: of lane 0, as all take part."""
    return _exchange(call, 0, "0")


def swizzle(call: IntrinsicCall) -> list[str]:
    """Expand `ds_swizzle_b32`: bit 15 chooses four lanes among themselves; else and, or, xor masks of 5 bits."""
    pattern = call.constant(1)
    low, high, picked, source = call.fresh(), call.fresh(), call.fresh(), call.fresh()
    if pattern & 0x8000:
        return [*_quad(call, pattern & 0xFF, source), *_exchange(call, 0, source)]
    keep, force, flip = pattern & 31, pattern >> 5 & 31, pattern >> 10 & 31
    lines = [f"{low} = and i64 %roller.lane, {keep}", f"{high} = and i64 %roller.lane, -32"]
    lines += [f"{picked}.or = or i64 {low}, {force}", f"{picked} = xor i64 {picked}.or, {flip}"]
    return [*lines, f"{source} = or i64 {high}, {picked}", *_exchange(call, 0, source)]


def _quad(call: IntrinsicCall, pattern: int, source: str) -> list[str]:
    """Return the lines by which each of four lanes reads the one of them that two bits of the pattern name."""
    at, twice, moved, picked, first = (call.fresh() for _ in range(5))
    return [
        f"{at} = and i64 %roller.lane, 3",
        f"{twice} = shl i64 {at}, 1",
        f"{moved} = lshr i64 {pattern}, {twice}",
        f"{picked} = and i64 {moved}, 3",
        f"{first} = and i64 %roller.lane, -4",
        f"{source} = or i64 {first}, {picked}",
    ]


def _dpp_source(call: IntrinsicCall, control: int, source: str) -> tuple[list[str], str]:
    """Return the lines that compute the source lane of a DPP control, and the i1 whether there is one."""
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
    raise UnknownIntrinsicError(f"'{call.callee}' with the control {control:#x}")


def dpp(call: IntrinsicCall) -> list[str]:
    """Expand `update.dpp(old, value, control, row mask, bank mask, bound control)`, and `mov.dpp` without `old`."""
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
    inner = replace(call, result=found, kind=kind, operands=((kind, value),))
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


def below(call: IntrinsicCall) -> list[str]:
    """Expand `mbcnt.lo/hi(mask, base)`: base + the bits of the mask for lanes below this one, of 32 lanes."""
    which = "lo" if call.callee.endswith("lo") else "hi"
    return [
        f"{call.result} = call i32 @{HELPER}mbcnt_{which}(i64 %roller.lane, i32 {call.value(0)}, i32 {call.value(1)})"
    ]
