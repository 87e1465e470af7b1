# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR text that is compiled with every kernel of the LLVM level: checks of addresses, shuffles, promises."""

from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.llvm.context import HELPER

_SHFL_SOURCES = {
    "up": "  %j = sub i32 %lane, %b5\n  %valid = icmp sge i32 %j, %most\n",
    "down": "  %j = add i32 %lane, %b5\n  %valid = icmp sle i32 %j, %most\n",
    "bfly": "  %j = xor i32 %lane, %b5\n  %valid = icmp sle i32 %j, %most\n",
    "idx": "  %within = and i32 %b5, %free\n  %j = or i32 %fixed, %within\n  %valid = icmp sle i32 %j, %most\n",
}


def _shfl(mode: str) -> str:
    """Return shfl_<mode>, as the PTX manual defines it: c holds the clamp (bits 0 to 4) and the segment (8 to 12).

    The lanes that must take part are those up to the highest of the mask.
    """
    return f"""
define internal {{ i64, i1 }} @{HELPER}shfl_{mode}(
    i64 %block, i64 %site, i64 %wide, i32 %mask, i64 %value, i32 %b, i32 %c) alwaysinline {{
  %lane = trunc i64 %wide to i32
  %b5 = and i32 %b, 31
  %clamp = and i32 %c, 31
  %shifted = lshr i32 %c, 8
  %segment = and i32 %shifted, 31
  %free = xor i32 %segment, -1
  %fixed = and i32 %lane, %segment
  %reach = and i32 %clamp, %free
  %most = or i32 %fixed, %reach
{_SHFL_SOURCES[mode]}  %source = select i1 %valid, i32 %j, i32 %lane
  %from = zext i32 %source to i64
  %above = call i32 @llvm.ctlz.i32(i32 %mask, i1 false)
  %count = sub i32 32, %above
  %width = zext i32 %count to i64
  %found = call i64 @{HELPER}exchange(i64 %block, i64 %site, i64 %value, i64 %from, i64 %width)
  %first = insertvalue {{ i64, i1 }} poison, i64 %found, 0
  %both = insertvalue {{ i64, i1 }} %first, i1 %valid, 1
  ret {{ i64, i1 }} %both
}}"""


def _guard(name: str, parameters: str, body: str, fault: LaunchFault, values: tuple[str, ...]) -> str:
    """Return a function that stops the launch unless `%ok` holds."""
    notes = "".join(
        f"  call void @{PREFIX}fault_value(i64 %block, i64 {number}, i64 {value})\n"
        for number, value in enumerate(values)
    )
    return f"""
define internal void @{HELPER}{name}(i64 %block, i64 %site{parameters}) alwaysinline {{
{body}  %known = freeze i1 %ok
  br i1 %known, label %good, label %bad
bad:
{notes}  call void @{PREFIX}fault(i64 %block, i64 {int(fault)}, i64 %site)
  unreachable
good:
  ret void
}}"""


def _if(name: str, parameters: str) -> str:
    """Return <name>_if(when, block, site, ...): the check is made where `when` holds."""
    operands = f"i64 %block, i64 %site{parameters}"
    return f"""
define internal void @{HELPER}{name}_if(i1 %when, {operands}) alwaysinline {{
  br i1 %when, label %yes, label %no
yes:
  call void @{HELPER}{name}({operands})
  br label %no
no:
  ret void
}}"""


_INSIDE = """  %end = add i64 %address, %bytes
  %above = icmp uge i64 %address, %first
  %below = icmp ule i64 %end, %last
  %ok = and i1 %above, %below
"""
_ALIGNED = """  %low = and i64 %address, %mask
  %ok = icmp eq i64 %low, 0
"""
_ANYWHERE = f"""
define internal void @{HELPER}anywhere(i64 %block, i64 %site, i64 %address, i64 %bytes) {{
  %record = inttoptr i64 %block to ptr
  %stacks.at = getelementptr i64, ptr %record, i64 {int(Block.STACKS)}
  %stacks = load i64, ptr %stacks.at
  %thread.at = getelementptr i64, ptr %record, i64 {int(Block.CURRENT)}
  %thread = load i64, ptr %thread.at
  %launch.at = getelementptr i64, ptr %record, i64 {int(Block.LAUNCH)}
  %launch.address = load i64, ptr %launch.at
  %launch = inttoptr i64 %launch.address to ptr
  %size.at = getelementptr i64, ptr %launch, i64 {int(LaunchRecord.STACK_BYTES)}
  %size = load i64, ptr %size.at
  %skipped = mul i64 %thread, %size
  %own = add i64 %stacks, %skipped
  %offset = sub i64 %address, %own
  %private = icmp ult i64 %offset, %size
  br i1 %private, label %done, label %look
look:
  call void @{PREFIX}pointer(i64 %block, i64 %site, i64 %address, i64 %bytes)
  br label %done
done:
  ret void
}}"""
_REST = f"""
define internal i64 @{HELPER}exchange(i64 %block, i64 %site, i64 %value, i64 %source, i64 %width) alwaysinline {{
  %pair = call {{ i64, i64 }} @{PREFIX}shuffle_idx(i64 %block, i64 %site, i64 %value, i64 %source, i64 %width)
  %found = extractvalue {{ i64, i64 }} %pair, 0
  ret i64 %found
}}
define internal i32 @{HELPER}mbcnt_lo(i64 %lane, i32 %mask, i32 %base) alwaysinline {{
  %least = call i64 @llvm.umin.i64(i64 %lane, i64 32)
  %bit = shl i64 1, %least
  %below = sub i64 %bit, 1
  %narrow = trunc i64 %below to i32
  %both = and i32 %narrow, %mask
  %count = call i32 @llvm.ctpop.i32(i32 %both)
  %sum = add i32 %count, %base
  ret i32 %sum
}}
define internal i32 @{HELPER}mbcnt_hi(i64 %lane, i32 %mask, i32 %base) alwaysinline {{
  %high = call i64 @llvm.usub.sat.i64(i64 %lane, i64 32)
  %sum = call i32 @{HELPER}mbcnt_lo(i64 %high, i32 %mask, i32 %base)
  ret i32 %sum
}}
define internal void @{HELPER}changed(i64 %block, i1 %changed) alwaysinline {{
  br i1 %changed, label %yes, label %no
yes:
  call void @{PREFIX}leave(i64 %block)
  br label %no
no:
  ret void
}}
declare {{ i64, i64 }} @{PREFIX}shuffle_idx(i64, i64, i64, i64, i64)
declare void @{PREFIX}barrier(i64, i64)
declare void @{PREFIX}sync(i64, i64)
declare void @{PREFIX}spin(i64, i64)
declare void @{PREFIX}poll(i64, i64, i64, i64, i64, i64, i64)
declare void @{PREFIX}leave(i64)
declare i64 @{PREFIX}now(i64)
declare void @{PREFIX}pointer(i64, i64, i64, i64)
"""


def helper_text() -> str:
    """Return all of them."""
    span = ", i64 %address, i64 %bytes, i64 %first, i64 %last"
    relative = ("%offset", "%bytes", "%there")
    inside = _INSIDE + "  %offset = sub i64 %address, %first\n  %there = sub i64 %last, %first\n"
    return "".join(
        (
            *(_shfl(mode) for mode in _SHFL_SOURCES),
            _guard("inside", span, inside, LaunchFault.SPAN, relative),
            _guard("aligned", ", i64 %address, i64 %mask", _ALIGNED, LaunchFault.ALIGNMENT, ("%address", "%mask")),
            _guard("promise", ", i1 %ok", "", LaunchFault.PROMISE, ()),
            _guard("division", ", i1 %ok, i64 %above, i64 %below", "", LaunchFault.DIVISION, ("%above", "%below")),
            _ANYWHERE,
            _if("inside", span),
            _if("anywhere", ", i64 %address, i64 %bytes"),
            _REST,
        )
    )
