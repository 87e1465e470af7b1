# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled movement of one box of a tensor: tile and im2col mode, steps, swizzles, elements outside.

The box lies dense in workgroup memory, innermost first, except that its 16-byte chunks are exchanged by the swizzle:
some of bits 4 to 6 of a chunk's address change with bits 7 to 9 of the same address.
"""

from llvmlite import ir

from roller_mlir.sim.engine.layout import ShadowAccess
from roller_mlir.sim.engine.structured import I8, I32, VOID, Code, Value, Variable, function
from roller_mlir.sim.hopper.layout import MOST_RANK, BulkCopy, TensorMapRecord
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC, Base
from roller_mlir.sim.hopper.runtime.base_ir import shadow_access_if_sanitized as touched

_CHUNK = 16
_VECTOR = ir.VectorType(ir.IntType(64), 2)
_SPATIAL = MOST_RANK - 2


class _BoxRows:
    """Walks over the rows of a box; emits into one function."""

    def __init__(self, code: Code, entry: Value) -> None:
        self._code = code
        self.map = entry[BulkCopy.MAP]
        self.rank = self.map[TensorMapRecord.RANK]
        pixels = self.map[TensorMapRecord.PIXELS]
        self._columns = pixels != 0

        def fields(column: TensorMapRecord) -> list[Value]:
            return [self.map[column + axis] for axis in range(MOST_RANK)]

        self.extents, self.strides, self._box, self.steps = (
            fields(column)
            for column in (TensorMapRecord.EXTENT, TensorMapRecord.STRIDE, TensorMapRecord.BOX, TensorMapRecord.STEP)
        )
        self.start = [entry[BulkCopy.X + axis] for axis in range(MOST_RANK)]
        rows = self._box[1]
        for axis in range(2, MOST_RANK):
            rows = rows * self._box[axis]
        self.rows = code.select(self._columns, pixels, rows)
        self.place: list[Variable] = [code.variable(start) for start in self.start]
        self._low: list[Value] = [code.value(0)]
        self._high: list[Value] = [code.value(0)]
        self._offsets: list[Value] = [code.value(0)]
        for axis in range(1, MOST_RANK):
            low, high = self.start[axis], self.start[axis] + (self._box[axis] - 1) * self.steps[axis]
            offset = code.value(0)
            if axis <= _SPATIAL:
                inner = code.value(axis) < self.rank - 1
                spatial = self._columns & inner
                corner = self.extents[axis] - 1 + self.map[TensorMapRecord.UPPER + axis - 1]
                low = code.select(spatial, self.map[TensorMapRecord.LOWER + axis - 1], low)
                high = code.select(spatial, corner, high)
                offset = code.select(spatial, entry[BulkCopy.OFFSETS + axis - 1], offset)
            endless = self._columns & (code.value(axis) == self.rank - 1)
            self._low.append(low)
            self._high.append(code.select(endless, 1 << 40, high))
            self._offsets.append(offset)

    def row(self) -> tuple[Value, Value]:
        """Return whether the row at the place is inside, and the address of its element 0."""
        code = self._code
        inside: Value = code.flag(1)
        address = self.map[TensorMapRecord.BASE]
        for axis in range(1, MOST_RANK):
            at = self.place[axis].get() + self._offsets[axis]
            inside &= code.unsigned("<", at, self.extents[axis])
            address += at * self.strides[axis]
        return inside, address

    def next(self) -> None:
        """Go to the next row."""
        code = self._code
        carry = code.variable(1)
        for axis in range(1, MOST_RANK):
            with code.when(carry.get() != 0):
                after = self.place[axis].get() + self.steps[axis]
                over = after > self._high[axis]
                self.place[axis].set(code.select(over, self._low[axis], after))
                carry.set(code.wide(over))


def emit_tensor_copy(base: Base) -> Value:
    """Emit tensor(block, entry, stores, probes): move the box of an entry of the queue, or only check that it may."""
    code, block, entry, stores, probes = function(base.module, ASYNC + "tensor", 4, VOID, internal=True)
    box = _BoxRows(code, entry)
    size, mask, rounds = box.map[TensorMapRecord.ELEMENT_BYTES, TensorMapRecord.SWIZZLE, TensorMapRecord.ROUNDS]
    site, shared = entry[BulkCopy.SITE, BulkCopy.SHARED]
    points = _CHUNK // size
    chunks = box.map[TensorMapRecord.BOX] * size // _CHUNK
    is_store, moves = stores != 0, probes == 0
    flags = code.select(moves, 0, ShadowAccess.PROBE)
    access = code.select(is_store, ShadowAccess.WRITE, ShadowAccess.READ) | flags
    step, extent = box.steps[0], box.extents[0]
    chunk_at = code.variable(shared)
    with code.count(0, box.rows):
        inside, source = box.row()
        with code.count(0, chunks) as chunk:
            linear = chunk_at.get()
            near = linear ^ ((linear >> 3) & mask)
            chunk_at.add(_CHUNK)
            first = box.start[0] + chunk * points * step
            end = first + points
            whole = inside & (step == 1)
            whole &= first >= 0
            whole &= end <= extent
            far = source + first * size
            with code.if_else(whole) as (at_once, by_element):
                with at_once:
                    to, of = code.select(is_store, far, near), code.select(is_store, near, far)
                    with code.when(moves):
                        moved = code.builder.load(code.element(of, 0), typ=_VECTOR, align=1)
                        code.builder.store(moved, code.element(to, 0), align=1)
                    touched(base, code, block, site, far, _CHUNK, access)
                with by_element, code.count(0, points) as point:
                    at = first + point * step
                    valid = inside & code.unsigned("<", at, extent)
                    element = source + at * size
                    place = near + point * size
                    with code.when(valid):
                        touched(base, code, block, site, element, size, access)
                    with code.when(moves), code.count(0, size) as byte, code.if_else(valid) as (there, outside):
                        with there:
                            to = code.select(is_store, element, place)
                            of = code.select(is_store, place, element)
                            code.write(to, byte, code.read(of, byte, I8), I8)
                        with outside, code.when(~is_store):
                            code.write(place, byte, 0, I8)
            rounded = (rounds != 0) & ~is_store
            with code.when(moves & rounded):
                _round(code, near)
        box.next()
    return code.end()


def _round(code: Code, address: Value) -> None:
    """Emit the rounding of a chunk of f32 to tf32: to the nearest with 10 bits behind the point, ties away from 0."""
    with code.count(0, _CHUNK // 4) as number:
        bits = code.read(address, number, I32)
        exponent = bits & 0x7F800000
        rounded = (bits + 0x1000) & 0xFFFFE000
        finite = exponent != 0x7F800000
        code.write(address, number, code.select(finite, rounded, bits), I32)
