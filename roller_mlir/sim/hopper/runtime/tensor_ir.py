# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled movement of one box of a tensor: tile and im2col mode, steps, swizzles, elements outside.

The box lies dense in workgroup memory, innermost first, except that its 16-byte chunks are exchanged by the swizzle:
some of bits 4 to 6 of a chunk's address change with bits 7 to 9 of the same address.
"""

from llvmlite import ir

from roller_mlir.sim.engine.layout import ShadowAccess
from roller_mlir.sim.engine.structured import I8, I32, VOID, Code, Value, Variable
from roller_mlir.sim.hopper.layout import MOST_RANK, BulkCopy, TensorMapRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base
from roller_mlir.sim.hopper.runtime.base_ir import shadow_access_if_sanitized as touched

_CHUNK = 16
_VECTOR = ir.VectorType(ir.IntType(64), 2)
_SPATIAL = MOST_RANK - 2


class _Box:
    """Walks over the rows of a box; emits into one function."""

    def __init__(self, code: Code, entry: Value) -> None:
        builder = code.builder
        self._code = code
        self.map = code.read(entry, BulkCopy.MAP)
        self.rank = code.read(self.map, TensorMapRecord.RANK)
        pixels = code.read(self.map, TensorMapRecord.PIXELS)
        self._columns = code.compare("!=", pixels, 0)

        def fields(column: TensorMapRecord) -> list[Value]:
            return [code.read(self.map, column + axis) for axis in range(MOST_RANK)]

        self.extents, self.strides, self._box, self.steps = (
            fields(column)
            for column in (TensorMapRecord.EXTENT, TensorMapRecord.STRIDE, TensorMapRecord.BOX, TensorMapRecord.STEP)
        )
        self.start = [code.read(entry, BulkCopy.X + axis) for axis in range(MOST_RANK)]
        rows = self._box[1]
        for axis in range(2, MOST_RANK):
            rows = builder.mul(rows, self._box[axis])
        self.rows = builder.select(self._columns, pixels, rows)
        self.place: list[Variable] = [code.variable(start) for start in self.start]
        self._low: list[Value] = [code.value(0)]
        self._high: list[Value] = [code.value(0)]
        self._offsets: list[Value] = [code.value(0)]
        for axis in range(1, MOST_RANK):
            span = builder.mul(builder.sub(self._box[axis], code.value(1)), self.steps[axis])
            low, high = self.start[axis], builder.add(self.start[axis], span)
            offset = code.value(0)
            if axis <= _SPATIAL:
                inner = builder.icmp_signed("<", code.value(axis), builder.sub(self.rank, code.value(1)))
                spatial = builder.and_(self._columns, inner)
                corner = builder.add(
                    builder.sub(self.extents[axis], code.value(1)),
                    code.read(self.map, TensorMapRecord.UPPER + axis - 1),
                )
                low = builder.select(spatial, code.read(self.map, TensorMapRecord.LOWER + axis - 1), low)
                high = builder.select(spatial, corner, high)
                offset = builder.select(spatial, code.read(entry, BulkCopy.OFFSETS + axis - 1), offset)
            last = builder.icmp_signed("==", code.value(axis), builder.sub(self.rank, code.value(1)))
            endless = builder.and_(self._columns, last)
            self._low.append(low)
            self._high.append(builder.select(endless, code.value(1 << 40), high))
            self._offsets.append(offset)

    def row(self) -> tuple[Value, Value]:
        """Return whether the row at the place is inside, and the address of its element 0."""
        code, builder = self._code, self._code.builder
        inside: Value = ir.Constant(ir.IntType(1), 1)
        address = code.read(self.map, TensorMapRecord.BASE)
        for axis in range(1, MOST_RANK):
            at = builder.add(self.place[axis].get(), self._offsets[axis])
            inside = builder.and_(inside, builder.icmp_unsigned("<", at, self.extents[axis]))
            address = builder.add(address, builder.mul(at, self.strides[axis]))
        return inside, address

    def next(self) -> None:
        """Go to the next row."""
        code = self._code
        carry = code.variable(1)
        for axis in range(1, MOST_RANK):
            with code.when(code.compare("!=", carry.get(), 0)):
                after = code.builder.add(self.place[axis].get(), self.steps[axis])
                over = code.builder.icmp_signed(">", after, self._high[axis])
                self.place[axis].set(code.builder.select(over, self._low[axis], after))
                carry.set(code.builder.zext(over, ir.IntType(64)))


def emit_tensor_copy(base: Base) -> Value:
    """Emit tensor(block, entry, stores, probes): move the box of an entry of the queue, or only check that it may."""
    code = Code(base.module, ASYNC + "tensor", 4, VOID, internal=True)
    builder = code.builder
    block, entry, stores, probes = code.parameters
    box = _Box(code, entry)
    size, mask, rounds = code.slots(
        box.map, TensorMapRecord.ELEMENT_BYTES, TensorMapRecord.SWIZZLE, TensorMapRecord.ROUNDS
    )
    site, shared = code.slots(entry, BulkCopy.SITE, BulkCopy.SHARED)
    points = builder.udiv(code.value(_CHUNK), size)
    chunks = builder.udiv(builder.mul(code.read(box.map, TensorMapRecord.BOX), size), code.value(_CHUNK))
    is_store, moves = code.compare("!=", stores, 0), code.compare("==", probes, 0)
    flags = builder.select(moves, code.value(0), code.value(int(ShadowAccess.PROBE)))
    access = builder.or_(
        builder.select(is_store, code.value(int(ShadowAccess.WRITE)), code.value(int(ShadowAccess.READ))), flags
    )
    step, extent = box.steps[0], box.extents[0]
    chunk_at = code.variable(shared)
    with code.count(0, box.rows):
        inside, source = box.row()
        with code.count(0, chunks) as chunk:
            linear = chunk_at.get()
            near = builder.xor(linear, builder.and_(builder.lshr(linear, code.value(3)), mask))
            chunk_at.add(_CHUNK)
            first = builder.add(box.start[0], builder.mul(builder.mul(chunk, points), step))
            end = builder.add(first, points)
            whole = builder.and_(inside, code.compare("==", step, 1))
            whole = builder.and_(whole, code.compare(">=", first, 0))
            whole = builder.and_(whole, builder.icmp_signed("<=", end, extent))
            far = builder.add(source, builder.mul(first, size))
            with builder.if_else(whole) as (at_once, by_element):
                with at_once:
                    to, of = builder.select(is_store, far, near), builder.select(is_store, near, far)
                    with code.when(moves):
                        moved = builder.load(code.element(of, 0), typ=_VECTOR, align=1)
                        builder.store(moved, code.element(to, 0), align=1)
                    touched(base, code, block, site, far, _CHUNK, access)
                with by_element, code.count(0, points) as point:
                    at = builder.add(first, builder.mul(point, step))
                    valid = builder.and_(inside, builder.icmp_unsigned("<", at, extent))
                    element = builder.add(source, builder.mul(at, size))
                    place = builder.add(near, builder.mul(point, size))
                    with code.when(valid):
                        touched(base, code, block, site, element, size, access)
                    with code.when(moves), code.count(0, size) as byte, builder.if_else(valid) as (there, outside):
                        with there:
                            to = builder.select(is_store, element, place)
                            of = builder.select(is_store, place, element)
                            code.write(to, byte, code.read(of, byte, I8), I8)
                        with outside, code.when(builder.not_(is_store)):
                            code.write(place, byte, 0, I8)
            rounded = builder.and_(code.compare("!=", rounds, 0), builder.not_(is_store))
            with code.when(builder.and_(moves, rounded)):
                _round(code, near)
        box.next()
    return code.end()


def _round(code: Code, address: Value) -> None:
    """Emit the rounding of a chunk of f32 to tf32: to the nearest with 10 bits behind the point, ties away from 0."""
    builder = code.builder
    with code.count(0, code.value(_CHUNK // 4)) as number:
        bits = code.read(address, number, I32)
        exponent = builder.and_(bits, code.value(0x7F800000))
        rounded = builder.and_(builder.add(bits, code.value(0x1000)), code.value(0xFFFFE000))
        finite = code.compare("!=", exponent, 0x7F800000)
        code.write(address, number, builder.select(finite, rounded, bits), I32)
