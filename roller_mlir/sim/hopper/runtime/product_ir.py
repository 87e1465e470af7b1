# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled products of warpgroups: 64 x N x 32 bytes of K, once for all 128 threads.

Sums are f32 or i32; an f16 accumulator is rounded once a product. Hardware rounds otherwise; sums that are exact agree.
"""

from collections.abc import Callable

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, LaunchFault
from roller_mlir.sim.engine.structured import I32, VOID, Code, Value, function
from roller_mlir.sim.hopper.layout import WARP, WARPGROUP, AsyncUnits, ProductField, Sum, WarpgroupRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base
from roller_mlir.sim.hopper.runtime.granules_ir import Granules
from roller_mlir.sim.hopper.runtime.group_ir import Groups, group_row
from roller_mlir.sim.hopper.runtime.operand_ir import emit_operand

_M = 64
_LANES = 8
_ROWS = 8
"""Rows of the product that are made together: as many vectors of sums stay in registers."""

_FLOAT, _HALF = ir.FloatType(), ir.HalfType()
_A_WORDS, _B_WORDS = 64 * 32, 32 * 256


def _multiply(base: Base, kind: Value, name: str) -> Value:
    """Emit multiply(a, b, product, n, k): row-major 64 x k, k x n and 64 x n, of f32 or i32."""
    code = Code(base.module, ASYNC + name, 5, VOID, internal=True)
    builder = code.builder
    left, right, product, n, k = code.parameters
    vector = ir.VectorType(kind, _LANES)
    floats = kind == _FLOAT
    fused = ir.Function(base.module, ir.FunctionType(vector, [vector] * 3), "llvm.fma.v8f32") if floats else None
    sums = [builder.alloca(vector) for _ in range(_ROWS)]
    zero = ir.Constant(vector, None)
    order = ir.Constant(ir.VectorType(I32, _LANES), [0] * _LANES)
    undefined = ir.Constant(vector, ir.Undefined)

    with code.count(0, _M, _ROWS) as first, code.count(0, n, _LANES) as column:
        for place in sums:
            builder.store(zero, place)
        with code.count(0, k) as step:
            at = step * n + column
            b = builder.load(code.element(right, at, kind), typ=vector, align=4)
            for number, place in enumerate(sums):
                at = (first + number) * k + step
                scalar = builder.load(code.element(left, at, kind), typ=kind)
                single = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
                a = builder.shuffle_vector(single, undefined, order)
                before = builder.load(place, typ=vector)
                if fused is not None:
                    builder.store(code.call(fused, a, b, before), place)
                else:
                    builder.store(builder.add(builder.mul(a, b), before), place)
        for number, place in enumerate(sums):
            at = (first + number) * n + column
            builder.store(builder.load(place, typ=vector), code.element(product, at, kind), align=4)
    return code.end()


def _accumulate(base: Base, name: str, kind: Value, stored: Value) -> Value:
    """Emit accumulate(table, product, n, keep, negative): add to accumulators of 128 threads, two neighbours at once.

    Thread t of warp w holds rows 16 w + t / 4 and 8 more, columns 8 j + 2 (t mod 4) and the next, j by j.
    """
    code = Code(base.module, ASYNC + name, 5, VOID, internal=True)
    builder = code.builder
    table, product, n, keep, negative = code.parameters
    pair, stored_pair = ir.VectorType(kind, 2), ir.VectorType(stored, 2)
    floats = kind == _FLOAT
    keeps, subtracts = keep != 0, negative != 0
    zero = ir.Constant(pair, None)
    subtract: Callable[[Value, Value], Value] = builder.fsub if floats else builder.sub
    add: Callable[[Value, Value], Value] = builder.fadd if floats else builder.add
    with code.count(0, WARPGROUP) as thread:
        target = table[thread]
        lane = thread & (WARP - 1)
        row = thread // WARP * 16 + (lane >> 2)
        column = (lane & 3) * 2
        with code.count(0, n >> 3) as part:
            for half in range(2):
                at = (row + 8 * half) * n
                at += column + part * 8
                found = builder.load(code.element(product, at, kind), typ=pair, align=4)
                signed = code.select(subtracts, subtract(zero, found), found)
                pointer = code.element(target, part * 4 + 2 * half, stored)
                before = builder.load(pointer, typ=stored_pair, align=2)
                wide = builder.fpext(before, pair) if stored != kind else before
                total = code.select(keeps, add(wide, signed), signed)
                if stored != kind:
                    total = builder.fptrunc(total, stored_pair)
                builder.store(total, pointer, align=2)
    return code.end()


def emit_products(base: Base, groups: Groups, granules: Granules) -> None:
    """Emit async_product(block, site, form, keep, descriptor of A, of B, address of the accumulators)."""
    operand = emit_operand(base, granules)
    multiply = {_FLOAT: _multiply(base, _FLOAT, "multiply_f32"), I32: _multiply(base, I32, "multiply_i32")}
    accumulate = {
        Sum.F32: _accumulate(base, "accumulate_f32", _FLOAT, _FLOAT),
        Sum.F16: _accumulate(base, "accumulate_f16", _FLOAT, _HALF),
        Sum.S32: _accumulate(base, "accumulate_s32", I32, I32),
    }
    code, block, site, form, keep, left, right, accumulators = function(base.module, ASYNC + "product", 7, VOID)
    thread = block[Block.CURRENT]
    async_units = block[Block.MACHINE]
    code.write(async_units[AsyncUnits.OPERANDS], thread, accumulators)
    group = group_row(block)
    given = ((WarpgroupRecord.DESCRIPTOR_A, left), (WarpgroupRecord.DESCRIPTOR_B, right))
    with code.when(group[WarpgroupRecord.ARRIVED] == 0):
        for column, value in given:
            group[column] = value
    for column, value in given:
        with code.when(group[column] != value, likely=False):
            code.call(base.fault, block, LaunchFault.DESCRIPTORS_DIFFER, site)
    with code.when(code.call(groups.arrive, block, site) != 0):
        with code.when(group[WarpgroupRecord.FENCED] == 0, likely=False):
            code.call(base.fault, block, LaunchFault.FENCE, site)

        def field(shift: ProductField, bits: int) -> Value:
            return (form >> shift) & ((1 << bits) - 1)

        n, a, b, kind = (
            field(ProductField.N, 12),
            field(ProductField.A, 4),
            field(ProductField.B, 4),
            field(ProductField.SUM, 4),
        )
        k = field(ProductField.K, 8)
        scratch = async_units[AsyncUnits.SCRATCH]
        other = scratch + 4 * _A_WORDS
        product = other + 4 * _B_WORDS
        code.call(operand, block, site, left, _M, field(ProductField.A_TRANSPOSED, 1), a, scratch, k, 1)
        code.call(operand, block, site, right, n, field(ProductField.B_TRANSPOSED, 1), b, other, 1, n)
        table = async_units[AsyncUnits.OPERANDS] + (thread & -WARPGROUP) * 8
        for one, add_to in accumulate.items():
            with code.when(kind == one):
                code.call(multiply[I32 if one is Sum.S32 else _FLOAT], scratch, other, product, n, k)
                code.call(add_to, table, product, n, keep, field(ProductField.NEGATIVE, 1))
        group[field(ProductField.WEB, 16) + WarpgroupRecord.WEBS] = group[WarpgroupRecord.COMMITTED] + 1
        code.call(groups.leave, block)
    code.give()
