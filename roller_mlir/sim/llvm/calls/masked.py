# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of a vector whose mask says which elements move, and vectors of numbers.

    %v = call <4 x float> @llvm.masked.load.v4f32.p1(ptr addrspace(1) align 4 %p, <4 x i1> %m, <4 x float> %else)
    call void @llvm.masked.scatter.v4f32.v4p1(<4 x float> %v, <4 x ptr addrspace(1)> align 4 %ps, <4 x i1> %m)

Each element that moves is checked as a load or store of its own; the others may lie anywhere. Of a buffer resource
(`raw_buffers`), elements behind its end do not move.
"""

import re
from math import gcd

from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.raw_buffers import is_inside
from roller_mlir.sim.llvm.text.module import split_top
from roller_mlir.sim.llvm.text.types import size_bits


def _access(pointer: int, mask: int, value: int | None, *, spread: bool) -> Expansion:
    """Return the expansion of an access.

    Args:
        pointer: Number of the operand that is the address, or the vector of addresses.
        mask: Of the mask.
        value: Of what is stored; None: a load.
        spread: Whether each element has an address of its own.
    """

    def expand(call: IntrinsicCall) -> list[str]:
        moved = call.kind if value is None else call.operands[value][0]
        lanes, element = _vector(call, value)
        bits = size_bits(element)
        if bits is None or bits % 8:
            raise UnknownIntrinsicError(f"'{call.callee}' of {moved}")
        kernel, size, alignment = call.kernel, bits // 8, _alignment(call, pointer)
        kind, of_mask = call.operands[pointer][0], call.operands[mask][0]
        allowed, line = kernel.emitted(f"freeze {call.typed(mask)}")
        places, other = kernel.emitted(f"freeze {call.typed(pointer)}")
        lines, buffer = [line, other], kernel.buffer(places)
        operands = [call.typed(number) for number in range(len(call.operands))]
        for lane in range(lanes):
            moves, line = kernel.emitted(f"extractelement {of_mask} {allowed}, i64 {lane}")
            lines.append(line)
            if spread:
                place, line = kernel.emitted(f"extractelement {kind} {places}, i64 {lane}")
                typed, multiple = f"{_vector(call, pointer)[1]} {place}", alignment
            else:
                place, line = kernel.emitted(f"getelementptr i8, {kind} {places}, i64 {lane * size}")
                typed, multiple = f"{kind} {place}", gcd(alignment, lane * size)
            lines.append(line)
            if buffer is not None:
                inside, compared = is_inside(kernel, buffer, typed, size)
                both, line = kernel.emitted(f"and i1 {moves}, {inside}")
                allowed, change = kernel.emitted(f"insertelement {of_mask} {allowed}, i1 {both}, i64 {lane}")
                lines += [*compared, line, change]
                if value is None:  # what is asked for behind the buffer's end is 0
                    kept, line = kernel.emitted(f"extractelement {operands[-1]}, i64 {lane}")
                    instead, choice = kernel.emitted(f"select i1 {moves}, {element} zeroinitializer, {element} {kept}")
                    whole, change = kernel.emitted(f"insertelement {operands[-1]}, {element} {instead}, i64 {lane}")
                    operands[-1] = f"{moved} {whole}"
                    lines += [line, choice, change]
                moves = both
            lines += kernel.check(typed, str(size), multiple, moves)
        operands[mask] = f"{of_mask} {allowed}"
        # Of elements that stay, nobody has looked at the address: this machine may rely on an element's alignment only.
        operands[pointer] = f"{kind} align {gcd(alignment, size)} {places}"
        given = f"{call.result} = " if call.result else ""
        return [*lines, f"{given}call {call.kind} @{call.callee}({', '.join(operands)})"]

    return expand


def _alignment(call: IntrinsicCall, number: int) -> int:
    """Return what the call promises of the address that is an operand, in bytes."""
    operands = split_top(call.instruction.line.partition(f"@{call.callee}(")[2])
    found = re.search(r"\balign (\d+) ", operands[number])
    return int(found[1]) if found else 1


def _vector(call: IntrinsicCall, number: int | None) -> tuple[int, str]:
    """Return length and element of an operand that must be a vector, of the result without a number."""
    found = call.instruction.vector(number)
    if found is None:
        raise UnknownIntrinsicError(f"'{call.callee}' of {call.kind if number is None else call.operands[number][0]}")
    return found


def _numbers(call: IntrinsicCall) -> list[str]:
    """Expand `stepvector`: 0, 1, 2, ..."""
    lanes, element = _vector(call, None)
    values = ", ".join(f"{element} {lane % (1 << int(element[1:]))}" for lane in range(lanes))
    return [f"{call.result} = add {call.kind} zeroinitializer, <{values}>"]


INTRINSICS: dict[str, Expansion] = {
    r"llvm\.masked\.load\.\w+\.p\d+": _access(0, 1, None, spread=False),
    r"llvm\.masked\.store\.\w+\.p\d+": _access(1, 2, 0, spread=False),
    r"llvm\.masked\.gather\.\w+\.v\d+p\d+": _access(0, 1, None, spread=True),
    r"llvm\.masked\.scatter\.\w+\.v\d+p\d+": _access(1, 2, 0, spread=True),
    r"llvm\.stepvector\.\w+": _numbers,
}
