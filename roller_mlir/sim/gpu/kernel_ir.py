# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR text that is compiled with every kernel: its entry, and the checks that are inlined into it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.hopper.tensor_maps import MapSpec

INLINE = "roller_inline_"
"""Prefix of the functions defined here; those that start with `PREFIX` are in the runtime."""


@dataclass(frozen=True)
class KernelParameter:
    """A kernel parameter.

    Attributes:
        llvm_type: "ptr" for a memref, else the scalar's type.
        shape: Shape of the memref, or None for a scalar.
        element_type: MLIR's name of the element or scalar type.
        tensor_map: The tensor map that the launch makes for it; None: the caller gives the argument.
        made_maps: The tensor maps that each block makes in it.
    """

    llvm_type: str
    shape: tuple[int, ...] | None
    element_type: str
    tensor_map: MapSpec | None = None
    made_maps: tuple[MapSpec, ...] = ()


@dataclass(kw_only=True)
class LaunchNeeds:
    """What launches of a module's kernels need, noted while the kernels are lowered.

    Attributes:
        widths: Bytes of the elements that are accessed.
        atomic: Whether there are atomic operations.
        narrow: Whether some of them may order the threads of their block alone.
        copies: Whether a kernel copies asynchronously.
        subgroup_ops: What subgroups do together.
        machine: Whether a kernel has what goes on beside its threads (`hopper.layout`).
        polls: Whether turns of spin loops are noted.
    """

    widths: set[int] = field(default_factory=set[int])
    atomic: bool = False
    narrow: bool = False
    copies: bool = False
    subgroup_ops: set[Any] = field(default_factory=set[Any])
    machine: bool = False
    polls: bool = False


@dataclass(frozen=True)
class Entry:
    """What the entry of a kernel passes on.

    Attributes:
        symbol: Name of the kernel's function.
        parameters: Its parameters.
        workgroup_offsets: Place of each workgroup attribution in the arena, in bytes.
        static_bytes: Workgroup memory of the attributions; the dynamic part follows.
    """

    symbol: str
    parameters: tuple[KernelParameter, ...]
    workgroup_offsets: tuple[int, ...]
    static_bytes: int

    @property
    def name(self) -> str:
        """Name of the entry's function."""
        return f"roller_entry_{self.symbol}"


def _read(name: str, record: str, slot: int) -> str:
    return f"  %{name}.at = getelementptr i64, ptr %{record}, i64 {slot}\n  %{name} = load i64, ptr %{name}.at\n"


def entry_text(entry: Entry) -> str:
    """Return the function that the scheduler starts: it fetches the arguments and calls the kernel.

    The kernel's parameters after its own: workgroup attributions, dynamic workgroup memory and its size, the block's
    record, thread id x y z, block id x y z, block size x y z, grid size x y z.
    """
    lines = f"define void @{entry.name}(ptr %record, i64 %thread) {{\n"
    lines += _read("launch.address", "record", Block.LAUNCH)
    lines += "  %launch = inttoptr i64 %launch.address to ptr\n"
    lines += _read("arguments.address", "launch", LaunchRecord.ARGUMENTS) + _read(
        "arena.address", "record", Block.ARENA
    )
    lines += "  %arguments = inttoptr i64 %arguments.address to ptr\n  %arena = inttoptr i64 %arena.address to ptr\n"
    lines += _read("dynamic", "launch", LaunchRecord.DYNAMIC_BYTES)
    operands: list[str] = []
    for number, parameter in enumerate(entry.parameters):
        lines += f"  %a{number}.at = getelementptr i64, ptr %arguments, i64 {number}\n"
        lines += f"  %a{number} = load {parameter.llvm_type}, ptr %a{number}.at\n"
        operands.append(f"{parameter.llvm_type} %a{number}")
    for number, offset in enumerate((*entry.workgroup_offsets, entry.static_bytes)):
        lines += f"  %w{number} = getelementptr i8, ptr %arena, i64 {offset}\n"
        operands.append(f"ptr %w{number}")
    for name, record, slot in (
        *((f"block.{axis}", "record", Block.X + place) for place, axis in enumerate("xyz")),
        *((f"size.{axis}", "launch", LaunchRecord.BLOCK_X + place) for place, axis in enumerate("xyz")),
        *((f"grid.{axis}", "launch", LaunchRecord.GRID_X + place) for place, axis in enumerate("xyz")),
    ):
        lines += _read(name, record, slot)
    lines += "  %context = ptrtoint ptr %record to i64\n"
    lines += "  %thread.x = urem i64 %thread, %size.x\n  %row = udiv i64 %thread, %size.x\n"
    lines += "  %thread.y = urem i64 %row, %size.y\n  %thread.z = udiv i64 %row, %size.y\n"
    operands += ["i64 %dynamic", "i64 %context"]
    operands += [f"i64 %{group}.{axis}" for group in ("thread", "block", "size", "grid") for axis in "xyz"]
    lines += f"  call void @{entry.symbol}({', '.join(operands)})\n"
    return lines + f"  call void @{PREFIX}exit(i64 %context, i64 -1)\n  unreachable\n}}\n"


def _stop(fault: LaunchFault, values: Sequence[str]) -> str:
    notes = "".join(
        f"  call void @{PREFIX}fault_value(i64 %block, i64 {number}, i64 {value})\n"
        for number, value in enumerate(values)
    )
    return f"{notes}  call void @{PREFIX}fault(i64 %block, i64 {int(fault)}, i64 %site)\n  unreachable\n"


def access_name(log: bool, access: str) -> str:
    """Return the start of the name of the function that checks an access.

    Args:
        log: Whether it logs the access once it has passed the check.
        access: The function of the sanitizer that it calls then: "touch", "touch_load", "touch_store", or "": none.
    """
    return f"{INLINE}access{'_log' * log}{f'_{access}' if access else ''}"


def access_text(rank: int, log: bool, access: str) -> str:
    """Return access_<rank>(block, site, base, alignment - 1, bytes, what it does, then for each dimension index, ...).

    A dimension is index, limit, and stride in bytes. What the access does is a layout.ShadowAccess.
    """
    name = f"{access_name(log, access)}_{rank}"
    triples = "".join(f", i64 %i{axis}, i64 %n{axis}, i64 %s{axis}" for axis in range(rank))
    lines = f"define internal void @{name}(i64 %block, i64 %site, i64 %base, i64 %mask, i64 %bytes, i64 %does{triples})"
    lines += " alwaysinline {\n  %address0 = add i64 %base, 0\n"
    for axis in range(rank):
        lines += f"  %offset{axis} = mul i64 %i{axis}, %s{axis}\n"
        lines += f"  %address{axis + 1} = add i64 %address{axis}, %offset{axis}\n"
    lines += f"  %low = and i64 %address{rank}, %mask\n  %ok0 = icmp eq i64 %low, 0\n"
    for axis in range(rank):
        lines += f"  %inside{axis} = icmp ult i64 %i{axis}, %n{axis}\n"
        lines += f"  %ok{axis + 1} = and i1 %ok{axis}, %inside{axis}\n"
    lines += f"  br i1 %ok{rank}, label %inside, label %outside\noutside:\n"
    lines += _stop(LaunchFault.ACCESS, [f"%address{rank}", *(f"%i{axis}" for axis in range(rank))])
    lines += "inside:\n"
    if log:
        lines += f"  call void @{PREFIX}log(i64 %block, i64 %site, i64 %address{rank})\n"
    if access:
        lines += f"  call void @{PREFIX}{access}(i64 %block, i64 %site, i64 %address{rank}, i64 %bytes, i64 %does)\n"
    return lines + "  ret void\n}\n"


def _guard(name: str, parameters: str, condition: str, fault: LaunchFault, values: Sequence[str]) -> str:
    """Return a function that stops the launch unless the `%ok` of its condition holds."""
    return f"""define internal void @{INLINE}{name}(i64 %block, i64 %site{parameters}) alwaysinline {{
{condition}
  br i1 %ok, label %holds.so, label %broken
broken:
{_stop(fault, values)}holds.so:
  ret void
}}"""


_PAIR = ", i64 %above, i64 %below"
_ALIGNED = "  %low = and i64 %base, %mask\n  %ok = icmp eq i64 %low, 0"
_FITS = """  %some = icmp ne i64 %below, 0
  %more = icmp ne i64 %above, %least
  %other = icmp ne i64 %below, -1
  %fits = or i1 %more, %other
  %ok = and i1 %some, %fits"""
_PLACED = """  %fits = icmp ule i64 %size, %available
  %last = sub i64 %available, %size
  %placed = icmp ule i64 %start, %last
  %ok = and i1 %fits, %placed"""
_VIEW = ("%start", "%size", "%available")
VIEW_TEXT = f"""
{_guard("view", "".join(f", i64 {value}" for value in _VIEW), _PLACED, LaunchFault.VIEW, _VIEW)}
{_guard("promise", ", i64 %holds", "  %ok = icmp ne i64 %holds, 0", LaunchFault.PROMISE, [])}
{_guard("aligned", ", i64 %base, i64 %mask", _ALIGNED, LaunchFault.ALIGNMENT, ["%base", "%mask"])}
{_guard("divide", _PAIR, "  %ok = icmp ne i64 %below, 0", LaunchFault.DIVISION, ["%above", "%below"])}
{_guard("divide_signed", f"{_PAIR}, i64 %least", _FITS, LaunchFault.DIVISION, ["%above", "%below"])}
define internal void @{INLINE}tick(i64 %block, i64 %site) alwaysinline {{
  %record = inttoptr i64 %block to ptr
  %at = getelementptr i64, ptr %record, i64 {int(Block.TICKS)}
  %before = load i64, ptr %at
  %left = sub i64 %before, 1
  store i64 %left, ptr %at
  %over = icmp slt i64 %left, 0
  br i1 %over, label %slow, label %done
slow:
  call void @{PREFIX}tick(i64 %block, i64 %site)
  br label %done
done:
  ret void
}}
"""

_RUNTIME_DECLARATIONS = f"""
declare void @{PREFIX}exit(i64, i64)
declare void @{PREFIX}tick(i64, i64)
declare void @{PREFIX}log(i64, i64, i64)
declare void @{PREFIX}touch(i64, i64, i64, i64, i64)
declare void @{PREFIX}touch_load(i64, i64, i64, i64, i64)
declare void @{PREFIX}touch_store(i64, i64, i64, i64, i64)
declare void @{PREFIX}fault_value(i64, i64, i64) cold
declare void @{PREFIX}fault(i64, i64, i64) cold noreturn
"""


_DECLARED = re.findall(rf"@{PREFIX}(\w+)", _RUNTIME_DECLARATIONS)


def complete(translated: str, entries: list[Entry]) -> str:
    """Add to the translated kernels all that they call, and their entries.

    Args:
        translated: LLVM IR of the kernels.
        entries: One a kernel.
    """
    used = sorted(set(re.findall(rf"@{INLINE}access(_log)?_?(touch(?:_load|_store)?)?_(\d+)\(", translated)))
    own = rf"(?:{INLINE}\w+|{PREFIX}(?:{'|'.join(_DECLARED)}))"
    text = re.sub(rf"(?m)^declare [^\n]*@{own}\([^\n]*\n", "", translated)
    text = re.sub(r"(?m)^(?:; ModuleID|source_filename)[^\n]*\n", "", text)
    for entry in entries:
        text = re.sub(
            rf"(?m)^define void @{entry.symbol}\(([^\n]*)\) \{{$",
            rf"define internal void @{entry.symbol}(\1) alwaysinline {{",
            text,
        )
    inline = "".join(access_text(int(rank), bool(log), access) for log, access, rank in used)
    return text + _RUNTIME_DECLARATIONS + VIEW_TEXT + inline + "".join(entry_text(entry) for entry in entries)
