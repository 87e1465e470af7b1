# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's wmma at the LLVM level: loads, products and stores of 16x16 matrices that a subgroup holds together.

    %a = call { <2 x half>, ... } @llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p3(ptr addrspace(3) %p, i32 %stride)

Which lane holds what is not specified. Hardware has 16 halves of A and B a lane, each element twice; here the first 8
hold the lane's elements (see `matrix.wmma_ir`), the others are no numbers.
"""

import re

from roller_mlir.sim.llvm.call import Expansion, IntrinsicCall, UnknownIntrinsicError
from roller_mlir.sim.llvm.calls.matrix import LaneBuffers, Values, aggregate, multiply, parts_of
from roller_mlir.sim.llvm.text.types import size_bytes
from roller_mlir.sim.matrix.layouts import WMMA_EACH, WMMA_ROWS, find_wmma
from roller_mlir.sim.matrix.wmma_ir import LANES, WMMA_ALIGNMENT_BYTES, MatrixMove

_STRIDE_ALIGNMENT_BYTES = 16
_UNUSED = "<half 0xH7E00, half 0xH7E00>"
_NAME = r"llvm\.nvvm\.wmma\.m16n16k16\."
_LOAD = re.compile(_NAME + r"load\.([abc])\.(row|col)(\.stride)?\.(f16|f32)\.p[013]")
_STORE = re.compile(_NAME + r"store\.d\.(row|col)(\.stride)?\.(f16|f32)\.p[013]")
_MMA = re.compile(_NAME + r"mma\.(?:row|col)\.(?:row|col)\.(f16|f32)\.(f16|f32)")


def _move(call: IntrinsicCall, move: MatrixMove, stride: str, fragments: LaneBuffers) -> list[str]:
    """Move a matrix between memory at operand 0 and the lanes' fragments; `stride` is an i32 in elements, or ""."""
    if call.subgroup_size != LANES:
        raise UnknownIntrinsicError(f"'{call.callee}' in subgroups of {call.subgroup_size} lanes")
    kernel, pointer = call.kernel, call.typed(0)
    kind = call.operands[0][0]
    wide, pitch, low, line, half, skipped, across, offset, address = (call.fresh() for _ in range(9))
    piece, defined = kernel.emitted(f"getelementptr i8, {pointer}, i64 {offset}")
    lines = [
        f"{wide} = zext i32 {stride or WMMA_ROWS} to i64",
        f"{pitch} = mul i64 {wide}, {move.element_bytes}",
        f"{low} = inttoptr i64 {pitch} to ptr",
        *kernel.aligned(f"ptr {low}", _STRIDE_ALIGNMENT_BYTES),
        *kernel.aligned(pointer, WMMA_ALIGNMENT_BYTES),
        # Each lane checks half of a line in memory.
        f"{line} = lshr i64 %roller.lane, 1",
        f"{half} = and i64 %roller.lane, 1",
        f"{skipped} = mul i64 {line}, {pitch}",
        f"{across} = mul i64 {half}, {WMMA_EACH * move.element_bytes}",
        f"{offset} = add i64 {skipped}, {across}",
        defined,
        *kernel.check(f"{kind} {piece}", str(WMMA_EACH * move.element_bytes), 1),
        f"{address} = ptrtoint {pointer} to i64",
    ]
    kernel.needs.subgroup_ops.add(move)
    fragments.call(move.name, address, fragments.address(0), pitch)
    return lines


def _element_bytes(element: str) -> int:
    return 2 if element == "f16" else 4


def _load(call: IntrinsicCall) -> list[str]:
    matrix, layout, strided, element = call.match.groups()
    kinds = parts_of(call.kind)
    held = kinds[: len(kinds) // 2] if matrix != "c" else kinds
    size = WMMA_EACH * _element_bytes(element)
    if sum(size_bytes(kind) or 0 for kind in held) != size:
        raise UnknownIntrinsicError(f"'{call.callee}' of {call.kind}")
    fragments = LaneBuffers(call.kernel, size)
    move = MatrixMove(_element_bytes(element), layout == "col", stores=False)
    lines = _move(call, move, call.value(1) if strided else "", fragments)
    values = fragments.take(0, held) + [_UNUSED] * (len(kinds) - len(held))
    return [*lines, *fragments.lines, *aggregate(call, kinds, values)]


def _store(call: IntrinsicCall) -> list[str]:
    layout, strided, element = call.match.groups()
    registers = list(call.operands[1 : len(call.operands) - bool(strided)])
    fragments = LaneBuffers(call.kernel, WMMA_EACH * _element_bytes(element))
    fragments.put(0, registers)
    move = MatrixMove(_element_bytes(element), layout == "col", stores=True)
    lines = _move(call, move, call.operands[-1][1] if strided else "", fragments)
    return [*lines, *fragments.lines]


def _mma(call: IntrinsicCall) -> list[str]:
    """Expand `mma.row.col.f32.f32`: D's and C's type; the layouts only say how A and B were loaded."""
    instruction = find_wmma("f16", call.match[1])
    if instruction is None or call.match[1] != call.match[2]:
        raise UnknownIntrinsicError(f"'{call.callee}'")
    operands: Values = list(call.operands)
    results = parts_of(call.kind)
    lines, values = multiply(call.kernel, instruction, operands[:4], operands[8:12], operands[16:], results)
    return [*lines, *aggregate(call, results, values)]


INTRINSICS: dict[str, Expansion] = {_LOAD.pattern: _load, _STORE.pattern: _store, _MMA.pattern: _mma}
