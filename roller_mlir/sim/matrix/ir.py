# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled matrix instructions: each is carried out once for its subgroup, when the last lane has arrived.

A lane calls the instruction's function with the addresses of its fragments and waits; the scheduler calls `compute`
with the first lane, when all lanes wait there. `compute` collects A, B and C from the lanes' memory, multiplies, and
leaves D where the lanes had C.

Sums: products of f16, bf16, tf32 and f32 are fused with the addition, so that only the sum is rounded, to the nearest
f32; they are added to C one after the other, in the order of k. A sum that is f16 is rounded to it once, at the end.
Hardware adds several products at a time and cuts off what lies below the largest one's last bits, which no manual
specifies. Of a tf32 operand the lower 13 bits are ignored, as hardware does it.
"""

from functools import cache

from llvmlite import ir

from roller_mlir.sim.engine.layout import Block, SubgroupOp
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.structured import I8, I16, I32, I64, VOID, Code, Value, function
from roller_mlir.sim.matrix.layouts import MatrixInstruction, Place

_F16, _F32, _F64 = ir.HalfType(), ir.FloatType(), ir.DoubleType()
TF32_MASK = 0xFFFFE000
_STORED = {"i8": I8, "f16": _F16, "bf16": I16, "tf32": I32, "f32": _F32, "i32": I32, "f64": _F64}
"""In fragments."""

_COMPUTED = {"i8": I32, "i32": I32, "f64": _F64}
"""What operands are converted to; f32 where not named."""

_COLUMNS = 8
"""Columns that are computed at a time."""


def _widen(code: Code, value: Value, element: str) -> Value:
    builder = code.builder
    if element == "f16":
        return builder.fpext(value, _F32)
    if element == "bf16":
        return builder.bitcast(builder.shl(builder.zext(value, I32), ir.Constant(I32, 16)), _F32)
    if element == "tf32":
        return builder.bitcast(builder.and_(value, ir.Constant(I32, TF32_MASK)), _F32)
    return builder.sext(value, I32) if element == "i8" else value


def _table(code: Code, name: str, places: tuple[Place, ...], columns: int) -> Value:
    """Return the places as a constant array of offsets in a dense matrix, in elements."""
    kind = ir.ArrayType(I16, len(places))
    table: Value = ir.GlobalVariable(code.function.module, kind, name)
    table.linkage, table.global_constant = "internal", True
    table.initializer = ir.Constant(kind, [row * columns + column for row, column in places])
    return code.address(table)


class _Matrix:
    """One matrix of an instruction: its dense copy, and how lanes hold it."""

    def __init__(self, code: Code, instruction: MatrixInstruction, name: str, element: str) -> None:
        places: tuple[Place, ...] = getattr(instruction, name)
        self.columns = instruction.k if name == "a" else instruction.n
        self.kind = _COMPUTED.get(element, _F32)
        self._code, self._element, self._lanes = code, element, instruction.lanes
        self._each = len(places) // instruction.lanes
        self._table = _table(code, f"{instruction.name}_{name}", places, self.columns)
        with code.builder.goto_entry_block():
            dense = code.builder.alloca(self.kind, size=len(places))
            dense.align = 64
            self._dense = code.address(dense)
        self._word = {"a": SubgroupOp.X, "b": SubgroupOp.Y, "c": SubgroupOp.Z}[name]

    def at(self, offset: Value) -> Value:
        """Return the pointer to an element of the dense copy."""
        return self._code.element(self._dense, offset, self.kind)

    def _visit(self, jobs: Value, scatter: bool) -> None:
        """Move each lane's elements to the dense copy, or back."""
        code, builder = self._code, self._code.builder
        stored = _STORED[self._element]
        with code.count(0, self._lanes) as lane:
            fragment = (jobs + lane * (8 * len(SubgroupOp)))[self._word]
            first = lane * self._each
            for number in range(self._each):
                place = code.read(self._table, first + number, I16)
                held, dense = code.element(fragment, number, stored), self.at(place)
                if not scatter:
                    builder.store(_widen(code, builder.load(held, typ=stored), self._element), dense)
                else:
                    value = builder.load(dense, typ=self.kind)
                    builder.store(builder.fptrunc(value, stored) if self._element == "f16" else value, held)

    def gather(self, jobs: Value) -> None:
        """Collect the elements."""
        self._visit(jobs, False)

    def scatter(self, jobs: Value) -> None:
        """Give the elements back."""
        self._visit(jobs, True)


def _multiply(code: Code, instruction: MatrixInstruction, a: _Matrix, b: _Matrix, c: _Matrix) -> None:
    """Add the product to the dense C, row by row, some columns at a time."""
    builder, module = code.builder, code.function.module
    kind = ir.VectorType(c.kind, _COLUMNS)
    integer = isinstance(c.kind, ir.IntType)
    fused = clamped = None
    if not integer:
        suffix = "f64" if c.kind == _F64 else "f32"
        fused = ir.Function(module, ir.FunctionType(kind, [kind] * 3), f"llvm.fma.v{_COLUMNS}{suffix}")
    if instruction.saturates:
        clamped = ir.Function(module, ir.FunctionType(kind, [kind, kind]), f"llvm.sadd.sat.v{_COLUMNS}i32")
    lanes = ir.Constant(ir.VectorType(I32, _COLUMNS), [0] * _COLUMNS)
    nothing = ir.Constant(kind, ir.Undefined)
    with code.count(0, instruction.m) as row:
        row_of_a, row_of_c = (row * one.columns for one in (a, c))
        factors: list[Value] = []
        for number in range(instruction.k):
            scalar = builder.load(a.at(row_of_a + number), typ=a.kind)
            first = builder.insert_element(nothing, scalar, ir.Constant(I32, 0))
            factors.append(builder.shuffle_vector(first, nothing, lanes))
        for column in range(0, instruction.n, _COLUMNS):
            place = c.at(row_of_c + column)
            start = builder.load(place, typ=kind, align=4)
            total = ir.Constant(kind, [0] * _COLUMNS) if integer else start
            for number, factor in enumerate(factors):
                others = builder.load(b.at(code.value(number * b.columns + column)), typ=kind, align=4)
                if fused is not None:
                    total = code.call(fused, factor, others, total)
                else:
                    total = builder.add(total, builder.mul(factor, others))
            if integer:
                total = code.call(clamped, start, total) if clamped is not None else builder.add(start, total)
            builder.store(total, place, align=4)


def emit_entry(code: Code, name: str) -> None:
    """Emit `roller_sim_<name>(block, site, x, y, z)`, by which lanes take part in the work that `code` does."""
    module = code.function.module
    job = ir.Function(module, ir.FunctionType(VOID, [I64] * 6), PREFIX + "job")
    entry = Code(module, PREFIX + name, 5, VOID)
    block, site, *operands = entry.parameters
    entry.builder.call(job, [block, site, entry.address(code.function), *operands], tail=True)
    entry.give()


def start_job(name: str) -> tuple[Code, Value]:
    """Start the function that does a subgroup's work, in a new module; return also the address of the lanes' jobs."""
    code, block, first = function(ir.Module(PREFIX + name), PREFIX + name + "_together", 2, internal=True)
    return code, block[Block.JOBS] + first * (8 * len(SubgroupOp))


def operand(jobs: Value, lane: Value, word: SubgroupOp) -> Value:
    """Emit the reading of a lane's operand."""
    return jobs[lane * len(SubgroupOp) + word]


@cache
def matrix_text(instruction: MatrixInstruction) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, a, b, c)`, which the lanes call, and of its work."""
    code, jobs = start_job(instruction.name)
    a, b, c = (
        _Matrix(code, instruction, name, element)
        for name, element in (("a", instruction.element), ("b", instruction.element), ("c", instruction.sum))
    )
    for matrix in (a, b, c):
        matrix.gather(jobs)
    _multiply(code, instruction, a, b, c)
    c.scatter(jobs)
    code.give(0)
    emit_entry(code, instruction.name)
    return str(code.function.module)
