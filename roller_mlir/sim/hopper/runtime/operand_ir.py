# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled reading of a product's operand through its matrix descriptor.

A descriptor holds an address, a leading and a stride byte offset, and a swizzle mode. What they mean, in chunks of 16
bytes, with S = 1 (none), 2, 4 or 8 (32, 64, 128 bytes) chunks in a row of the swizzle:

- K is the inner axis: row r, chunk c of K is at (r mod 8) S + (r / 8) stride + c (without swizzle: + c leading).
- M or N is the inner axis: chunk c of it, row k is at (c mod S) + (c / S) leading + (k mod 8) S + (k / 8) stride
  (without swizzle leading and stride are exchanged).

Of the address that results, bits 4 to 6 (64 bytes: 4 and 5; 32 bytes: 4) change with bits 7 to 9.
"""

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, LaunchFault, ShadowAccess
from roller_mlir.sim.engine.structured import I8, I32, VOID, Code, Value, function
from roller_mlir.sim.hopper.layout import WINDOW_BYTES, OperandElement
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base, in_arena, shadow_access_if_sanitized, stop_if
from roller_mlir.sim.hopper.runtime.granules_ir import Granules
from roller_mlir.sim.matrix.ir import TF32_MASK

_CHUNK = 16
_I16, _HALF, _FLOAT = ir.IntType(16), ir.HalfType(), ir.FloatType()
_FIELD = (1 << 14) - 1


def _spread(base: Base) -> Value:
    """Emit spread(address, element, target, stride): the elements of a chunk as 32-bit words, `stride` words apart."""
    code = Code(base.module, ASYNC + "spread", 4, VOID, internal=True)
    builder = code.builder
    address, element, target, stride = code.parameters

    def put(place: int, word: Value) -> None:
        builder.store(word, code.element(target, stride * place, I32))

    def take(place: int, kind: Value) -> Value:
        return builder.load(code.element(address, place, kind), typ=kind)

    for one in OperandElement:
        with code.when(element == one):
            if one is OperandElement.F16:
                for place in range(8):
                    put(place, builder.fpext(take(place, _HALF), _FLOAT))
            elif one is OperandElement.BF16:
                for place in range(8):
                    put(place, builder.shl(builder.zext(take(place, _I16), I32), ir.Constant(I32, 16)))
            elif one is OperandElement.TF32:
                for place in range(4):
                    put(place, builder.and_(take(place, I32), ir.Constant(I32, TF32_MASK)))
            else:
                widen = builder.sext if one is OperandElement.S8 else builder.zext
                for place in range(16):
                    put(place, widen(take(place, I8), I32))
            code.give()
    return code.end()


def _chunk(base: Base, granules: Granules) -> Value:
    """Emit chunk(block, site, address in the window, mask of the swizzle) -> address; checks and notes the read."""
    code, block, site, linear, mask = function(base.module, ASYNC + "chunk", 4, internal=True)
    near = linear ^ ((linear >> 3) & mask)
    near &= WINDOW_BYTES - 1
    arena = block[Block.ARENA]
    address = (arena & -WINDOW_BYTES) | near
    stop_if(
        base, code, ~in_arena(code, block, address, _CHUNK), block, LaunchFault.DESCRIPTOR, site, address - arena, 0
    )
    code.call(granules.product, block, site, address)
    shadow_access_if_sanitized(base, code, block, site, address, _CHUNK, ShadowAccess.READ | ShadowAccess.ASYNC)
    return code.end(address)


def emit_operand(base: Base, granules: Granules) -> Value:
    """Emit operand(block, site, descriptor, rows, transposed, element, target, row stride, k stride).

    It writes element (row, k) as a 32-bit word to place row x row stride + k x k stride.
    """
    chunk, spread = _chunk(base, granules), _spread(base)
    code, block, site, descriptor, rows, transposed, element, target, row_stride, k_stride = function(
        base.module, ASYNC + "operand", 9, VOID, internal=True
    )

    def field(shift: int, mask: int) -> Value:
        return (descriptor >> shift) & mask

    start, leading, stride = (field(shift, _FIELD) << 4 for shift in (0, 16, 32))
    mode, phase = field(62, 3), field(49, 7)
    stop_if(base, code, phase != 0, block, LaunchFault.DESCRIPTOR, site, phase, 1)
    plain = mode == 0
    # Modes 1, 2, 3: 128, 64, 32 bytes.
    span = code.select(plain, _CHUNK, 256 >> mode)
    mask = span - _CHUNK
    wide = span // _CHUNK

    def word(number: Value) -> Value:
        return target + number * 4

    with code.when(transposed == 0):
        size = code.variable(2)
        for one in (OperandElement.TF32, OperandElement.S8, OperandElement.U8):
            with code.when(element == one):
                size.set(4 if one is OperandElement.TF32 else 1)
        points = _CHUNK // size.get()
        step = code.select(plain, leading, _CHUNK)
        with code.count(0, rows) as number, code.count(0, 2) as part:
            low = (number & 7) * span
            high = (number >> 3) * stride
            at = start + part * step + (low + high)
            address = code.call(chunk, block, site, at, mask)
            place = number * row_stride + part * points * k_stride
            code.call(spread, address, element, word(place), k_stride)
        code.give()
    far, near = code.select(plain, stride, leading), code.select(plain, leading, stride)
    with code.count(0, 16) as k, code.count(0, rows >> 3) as part:
        inner = part % wide * _CHUNK
        outer = part // wide * far
        low = (k & 7) * span
        high = (k >> 3) * near
        at = start + (inner + outer) + (low + high)
        address = code.call(chunk, block, site, at, mask)
        place = part * 8 * row_stride + k * k_stride
        code.call(spread, address, element, word(place), row_stride)
    return code.end()
