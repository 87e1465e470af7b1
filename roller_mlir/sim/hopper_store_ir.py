# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled `stmatrix`: lanes exchange the addresses of rows and store what they hold of each matrix.

Lane l holds of matrix j, in register j, row l / 4, columns 2 (l mod 4) and the next (transposed: rows and columns
exchanged); the address of row r of matrix j comes from lane 8 j + r.
"""

from llvmlite import ir

from roller_mlir.sim.hopper_base_ir import ASYNC, Base, touch_if_sanitized
from roller_mlir.sim.hopper_layout import WARP
from roller_mlir.sim.layout import Block, Touch
from roller_mlir.sim.runtime_ir import PREFIX
from roller_mlir.sim.structured import I64, VOID, Code, Value

_I16, _I32 = ir.IntType(16), ir.IntType(32)
_ROWS, _MATRICES = 8, 4


def emit_stores(base: Base) -> None:
    """Emit async_stmatrix(block, site, address, matrices, transposed, four registers)."""
    pair = ir.LiteralStructType([I64, I64])
    shuffle = ir.Function(base.module, ir.FunctionType(pair, [I64] * 5), PREFIX + "shuffle_idx")
    pointer = base.module.globals[PREFIX + "pointer"]
    code = Code(base.module, ASYNC + "stmatrix", 9, VOID)
    builder = code.builder
    block, site, address, count, transposed, *registers = code.parameters
    lane = builder.and_(code.read(block, Block.CURRENT), code.value(WARP - 1))
    high, low = builder.lshr(lane, code.value(2)), builder.and_(lane, code.value(3))
    crosswise = code.compare("!=", transposed, 0)

    def row(number: Value) -> Value:
        found = builder.call(shuffle, [block, site, address, number, code.value(WARP)])
        return builder.extract_value(found, 0)

    def put(at: Value, width: int, value: Value, kind: Value) -> None:
        code.call(pointer, block, site, at, width)
        touch_if_sanitized(base, code, block, site, at, width, Touch.WRITE)
        code.write(at, 0, value, kind)

    for matrix, register in enumerate(registers):
        with code.when(code.compare(">", count, matrix)), builder.if_else(crosswise) as (across, along):
            with across:
                for half in range(2):
                    number = builder.add(builder.shl(low, code.value(1)), code.value(_ROWS * matrix + half))
                    at = builder.add(row(number), builder.shl(high, code.value(1)))
                    put(at, 2, builder.lshr(register, code.value(16 * half)), _I16)
            with along:
                at = row(builder.add(high, code.value(_ROWS * matrix)))
                put(builder.add(at, builder.shl(low, code.value(2))), 4, register, _I32)
    builder.ret_void()
