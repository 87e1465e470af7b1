# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Buffer resources of AMD: an address, and a number of bytes behind which loads give 0 and stores do nothing.

    %b = call ptr addrspace(7) @llvm.amdgcn.make.buffer.rsrc.p7.p1(ptr addrspace(1) %p, i16 0, i64 400, i32 159744)
    %q = getelementptr i8, ptr addrspace(7) %b, i32 %offset
    %v = load <4 x float>, ptr addrspace(7) %q

Hardware compares each dword of an access, or what is smaller, by its offset of 32 bits without a sign. What is inside
of the resource must be in the memory of the argument, too. Source: "CDNA3 Instruction Set Architecture", section
"Buffer Addressing".
"""

from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.context import InstructionContext
from roller_mlir.sim.llvm.memory import LlvmAccess, RawBuffer, is_seen

_DWORD_BYTES = 4


def _make(call: IntrinsicCall) -> list[str]:
    if call.constant(1):
        raise UnknownIntrinsicError(f"'{call.callee}' with a stride")
    size, buffer = call.operands[2], RawBuffer.of(call.result)
    wide = f"zext {call.typed(2)} to i64" if size[0] != "i64" else f"add i64 {size[1]}, 0"
    return [
        f"{call.result} = addrspacecast {call.typed(0)} to {call.kind}",
        f"{buffer.first} = ptrtoint {call.typed(0)} to i64",
        f"{buffer.size} = {wide}",
    ]


def is_inside(kernel: InstructionContext, buffer: RawBuffer, pointer: str, size: int) -> tuple[str, list[str]]:
    """Return an i1, whether hardware accesses bytes, and the lines that compute it.

    Args:
        kernel: Around the access.
        buffer: Where the address comes from.
        pointer: Type and value.
        size: Bytes.
    """
    address, far, offset, end, inside = (kernel.fresh() for _ in range(5))
    return inside, [
        f"{address} = ptrtoint {pointer} to i64",
        f"{far} = sub i64 {address}, {buffer.first}",
        f"{offset} = and i64 {far}, 4294967295",
        f"{end} = add i64 {offset}, {size}",
        f"{inside} = icmp ule i64 {end}, {buffer.size}",
    ]


def access_buffer(kernel: InstructionContext, access: LlvmAccess, pointer: str, size: int) -> list[str] | None:
    """Return what a load or store does, dword by dword through the thread's own memory; None: it is no plain one.

    Args:
        kernel: Around the access.
        access: The load or store.
        pointer: Type and value of its address.
        size: Its bytes.
    """
    one, buffer = access.instruction, kernel.buffer(access.pointer[1])
    if buffer is None or is_seen(one):
        return None
    own, stored = kernel.memory(0, size), one.opcode == "store"
    lines = [f"store {' '.join(one.operands[0])}, ptr {own}, align 1"] if stored else []
    at = 0
    while at < size:
        width = next(one for one in (_DWORD_BYTES, 2, 1) if one <= size - at)
        kind, word, here, chosen = f"i{8 * width}", kernel.fresh(), kernel.fresh(), kernel.fresh()
        place, line = kernel.emitted(f"getelementptr i8, {pointer}, i64 {at}")
        typed = f"{pointer.rsplit(' ', 1)[0]} {place}"
        inside, compared = is_inside(kernel, buffer, typed, width)
        there, cast = kernel.emitted(f"addrspacecast {typed} to ptr")
        lines += [line, *compared, *kernel.check(typed, str(width), 1, inside), cast]
        lines += [
            f"{here} = getelementptr i8, ptr {own}, i64 {at}",
            f"{chosen} = select i1 {inside}, ptr {there}, ptr {here}",
        ]
        source, target = (here, chosen) if stored else (chosen, here)
        lines += [] if stored else [f"store {kind} 0, ptr {here}, align 1"]
        lines += [f"{word} = load {kind}, ptr {source}, align 1", f"store {kind} {word}, ptr {target}, align 1"]
        at += width
    return lines if stored else [*lines, f"{one.result} = load {access.kind}, ptr {own}, align 1"]


INTRINSICS: dict[str, Expansion] = {r"(?:llvm\.)?amdgcn\.make\.buffer\.rsrc\.p7\.p[01](?:\.\w+)?": _make}
