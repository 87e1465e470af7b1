# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled tensor maps that kernels make themselves: written field by field, published, acquired, and used.

The layout of a map in memory is the simulator's own: the hardware's is not documented, and kernels may rely on none. A
map is read and held to its rules where it is acquired; a copy that uses it needs an acquire before it, by its thread or
one that is ordered before, and none of what was published since.
"""

from llvmlite import ir

from roller_mlir.plan.tensor_maps.fields import ELEMENT_CODES, MAP_FIELDS, MapField
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.sim.engine.layout import Block, LaunchFault, LaunchRecord, ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.engine.sanitizer.clock_records_ir import tick
from roller_mlir.sim.engine.structured import I32, I64, VOID, Code, Value, function
from roller_mlir.sim.hopper import layout
from roller_mlir.sim.hopper.layout import AsyncUnits, DescribedMaps, MadeMap, MapFault, TensorMapRecord
from roller_mlir.sim.hopper.runtime.base_ir import (
    ASYNC,
    Base,
    in_arena,
    known_of,
    shadow_access_if_sanitized,
    stop,
    stop_if,
)

_WIDE = int(MapField.global_dim)
"""The first elements have 64 bits, the others 32."""

_WORD_BYTES = MAP_BYTES // layout.MAP_WORDS
_BYTES = {"i8": 1, "f16": 2, "bf16": 2, "f32": 4, "tf32": 4}
_PIECE = 16


def _wrong(
    base: Base,
    code: Code,
    where: tuple[Value, Value],
    fault: MapFault,
    address: Value,
    *,
    number: Value | int = 0,
    found: Value | int = 0,
    more: Value | int = 0,
) -> None:
    """Emit a fault of block and site."""
    stop(base, code, where[0], LaunchFault.MADE_MAP, where[1], int(fault), number, found, address, more)


def _require_aligned(base: Base, code: Code, where: tuple[Value, Value], address: Value) -> None:
    with code.when((address & (MAP_BYTES - 1)) != 0, likely=False):
        _wrong(base, code, where, MapFault.ALIGNMENT, address)


def _replace(base: Base) -> None:
    """Emit async_map_replace(block, site, address, number of the element, value)."""
    code, block, site, address, number, value = function(base.module, ASYNC + "map_replace", 5, VOID)
    _require_aligned(base, code, (block, site), address)
    with code.when(~in_arena(code, block, address, MAP_BYTES), likely=False):
        stop(base, code, block, LaunchFault.BULK_COPY, site, address - block[Block.ARENA], MAP_BYTES)
    for access in (ShadowAccess.READ, ShadowAccess.WRITE):
        shadow_access_if_sanitized(base, code, block, site, address, code.value(MAP_BYTES), int(access))
    with code.if_else(number < _WIDE) as (wide, narrow):
        with wide:
            address[number] = value
        with narrow:
            code.write(address, number + _WIDE, value, I32)
    code.write(address, layout.MAP_SET_WORD, code.read(address, layout.MAP_SET_WORD, I32) | (1 << number), I32)
    code.end()


def _publish(base: Base, pointer: Value) -> None:
    """Emit async_map_publish(block, site, address in global memory, in workgroup memory): each lane copies its word.

    The lanes wait for each other before and after it: a lane that goes on finds the whole map there.
    """
    sync = ir.Function(base.module, ir.FunctionType(VOID, [I64] * 2), PREFIX + "sync")
    code, block, site, target, source = function(base.module, ASYNC + "map_publish", 4, VOID)
    code.call(sync, block, site)
    for address in (target, source):
        _require_aligned(base, code, (block, site), address)
    with code.when(~in_arena(code, block, source, MAP_BYTES), likely=False):
        stop(base, code, block, LaunchFault.BULK_COPY, site, source - block[Block.ARENA], MAP_BYTES)
    code.call(pointer, block, site, target, MAP_BYTES)
    lane = block[Block.CURRENT] & (layout.WARP - 1)
    for address, access in ((source, ShadowAccess.READ), (target, ShadowAccess.WRITE)):
        word = address + lane * _WORD_BYTES
        shadow_access_if_sanitized(base, code, block, site, word, code.value(_WORD_BYTES), int(access))
    written = code.read(source, layout.MAP_SET_WORD, I32)
    number = code.select(lane < 2 * _WIDE, lane // 2, lane - _WIDE)
    found = code.variable(code.read(source, lane, I32))
    known = (lane == layout.MAP_SET_WORD) | (((written >> number) & 1) != 0)
    unset = ~known & (found.get() != 0)
    beyond = (written >> MAP_FIELDS) != 0
    with code.when(unset | beyond, likely=False):
        _wrong(
            base, code, (block, site), MapFault.NOT_ZERO, source, number=code.least(number, code.value(MAP_FIELDS - 1))
        )
    with code.when(lane == layout.MAP_TIME_WORD):
        found.set(tick(block[Block.LAUNCH]))
    code.write(target, lane, found.get(), I32)
    code.call(sync, block, site)
    code.end()


class _Decoder:
    """Reads a map into a `TensorMapRecord`, holding it to its rules; emits into one function."""

    def __init__(self, base: Base) -> None:
        self.code = Code(base.module, ASYNC + "map_decode", 4, VOID, internal=True)
        self._base = base
        self._block, self._site, self._address, self._record = self.code.parameters
        self._set = self.code.read(self._address, layout.MAP_SET_WORD, I32)
        self._values: dict[int, Value] = {}
        self._needed: dict[int, Value] = {}

    def _wrong(self, fault: MapFault, number: int, found: Value | int = 0, more: Value | int = 0) -> None:
        where = self._block, self._site
        _wrong(self._base, self.code, where, fault, self._address, number=number, found=found, more=more)

    def _require(self, number: int, needed: Value) -> Value:
        """Emit that an element was written where it is needed; return its value."""
        code = self.code
        with code.when(needed & ((self._set & (1 << number)) == 0), likely=False):
            self._wrong(MapFault.MISSING, number)
        wide = number < _WIDE
        value = code.read(self._address, number if wide else number + _WIDE, I64 if wide else I32)
        self._values[number], self._needed[number] = value, needed
        return value

    def read(self) -> None:
        """Emit the reading of all elements that the rank needs."""
        always = self.code.flag(1)
        rank = self._require(MapField.rank, always)
        for field, dimensions in (
            (MapField.global_stride, layout.MOST_RANK - 1),
            (MapField.global_dim, layout.MOST_RANK),
            (MapField.box_dim, layout.MOST_RANK),
            (MapField.element_stride, layout.MOST_RANK),
        ):
            for axis in range(dimensions):
                self._require(field + axis, rank > axis if field is MapField.global_stride else rank >= axis)
        # What is zero of itself is no interleaved layout, and zeros outside of the array: Triton writes neither.
        for number in (MapField.global_address, MapField.elemtype, MapField.swizzle_mode):
            self._require(number, always)
        for number in (MapField.interleave_layout, MapField.fill_mode):
            self._require(number, self.code.flag(0))
            self._needed[number] = always

    def compare(self) -> None:
        """Emit the comparison with what the kernel says of the map."""
        code = self.code
        described = self._block[Block.MACHINE][AsyncUnits.DESCRIBED]
        with code.when(described != 0):
            first, end, count = described[DescribedMaps.FIRST, DescribedMaps.END, DescribedMaps.COUNT]
            inside = code.unsigned(">=", self._address, first) & code.unsigned("<", self._address, end)
            with code.when(inside):
                start = (self._address - first) // MAP_BYTES % count * MAP_FIELDS
                for number, value in self._values.items():
                    wanted = described[start + (DescribedMaps.FIELDS + number)]
                    said = wanted != layout.UNSAID
                    with code.when(said & (value != wanted), likely=False):
                        self._wrong(MapFault.DIFFERS, number, value, wanted)

    def check(self) -> Value:
        """Emit the rules of each element; return the bytes of an element of the array."""
        code = self.code
        for number, value in self._values.items():
            low, high, multiple = layout.VALUE_RULES[number]
            fits = code.unsigned(">=", value, low) & code.unsigned("<=", value, high)
            whole = (value % multiple) == 0
            holds = ~self._needed[number] | (fits & whole)
            with code.when(~holds, likely=False):
                self._wrong(MapFault.VALUE, number, value)
        kind, size = self._values[MapField.elemtype], code.value(0)
        for name, number in ELEMENT_CODES.items():
            size = code.select(kind == number, _BYTES[name], size)
        with code.when(size == 0, likely=False):
            self._wrong(MapFault.VALUE, MapField.elemtype, kind)
        box = self._values[MapField.box_dim]
        line, mode = box * size, self._values[MapField.swizzle_mode]
        holds = code.select(mode == 0, (line % _PIECE) == 0, code.unsigned("==", line, _PIECE << mode))
        with code.when(~holds, likely=False):
            self._wrong(MapFault.VALUE, MapField.box_dim, box)
        return size

    def _chosen(self, number: int, otherwise: int) -> Value:
        return self.code.select(self._needed[number], self._values[number], otherwise)

    def write(self, size: Value) -> None:
        """Emit the record, and that the array lies in one argument."""
        code, _builder, record = self.code, self.code.builder, self._record
        base, mode = self._values[MapField.global_address], self._values[MapField.swizzle_mode]
        end, width = base + size, size
        for axis in range(layout.MOST_RANK):
            extent = self._chosen(MapField.global_dim + axis, 1)
            stride = self._chosen(MapField.global_stride + axis - 1, 0) if axis else size
            step = self._chosen(MapField.element_stride + axis, 1)
            count = (self._chosen(MapField.box_dim + axis, 1) + (step - 1)) // step
            end += (extent - 1) * stride
            width = width * count
            record[TensorMapRecord.EXTENT + axis] = extent
            record[TensorMapRecord.STRIDE + axis] = stride
            record[TensorMapRecord.BOX + axis] = count
            record[TensorMapRecord.STEP + axis] = step
        with code.when(~_in_argument(code, self._block[Block.LAUNCH], base, end), likely=False):
            self._wrong(MapFault.OUTSIDE, MapField.global_address, base, end)
        # Bit 4, bits 4 to 5 or 4 to 6 change, of swizzles of 32, 64 or 128 bytes.
        bits = (_PIECE << mode) - _PIECE
        rounds = self._values[MapField.elemtype] == ELEMENT_CODES["tf32"]
        record[TensorMapRecord.BASE] = base
        record[TensorMapRecord.RANK] = self._values[MapField.rank] + 1
        record[TensorMapRecord.ELEMENT_BYTES] = size
        record[TensorMapRecord.SWIZZLE] = bits
        record[TensorMapRecord.BYTES] = width
        record[TensorMapRecord.ROUNDS] = code.wide(rounds)
        record[TensorMapRecord.PIXELS] = code.value(0)


def _in_argument(code: Code, launch: Value, first: Value, end: Value) -> Value:
    """Return whether bytes lie in one array argument."""
    ranges, count = launch[LaunchRecord.RANGES, LaunchRecord.RANGE_COUNT]
    found = code.variable(0)
    with code.count(0, count) as number:
        low, high = (ranges.row(number, 2)[word] for word in range(2))
        with code.when(code.unsigned(">=", first, low) & code.unsigned("<=", end, high)):
            found.set(1)
    return found.get() != 0


def _decode(base: Base) -> Value:
    """Emit decode(block, site, address, record)."""
    decoder = _Decoder(base)
    decoder.read()
    decoder.compare()
    decoder.write(decoder.check())
    return decoder.code.end()


def _find(code: Code, async_units: Value, address: Value) -> tuple[Value, Value]:
    """Return number and row of an acquired map; the number behind the last one where there is none."""
    table, count = async_units[AsyncUnits.MADE_MAPS, AsyncUnits.MADE_COUNT]
    found = code.variable(count)
    with code.count(0, count) as number, code.when(table.row(number, MadeMap.SIZE)[MadeMap.ADDRESS] == address):
        found.set(number)
    return found.get(), table.row(found.get(), MadeMap.SIZE)


def _fences(block: Value, async_units: Value, number: Value) -> Value:
    """Return the address of the times at which threads acquired a map."""
    return async_units[AsyncUnits.MAP_FENCES] + number * (block[Block.LAUNCH][LaunchRecord.THREADS] * 8)


def _acquire(base: Base, pointer: Value) -> None:
    """Emit async_map_acquire(block, site, address): the running thread's copies may use the map."""
    decode = _decode(base)
    code, block, site, address = function(base.module, ASYNC + "map_acquire", 3, VOID)
    where = (block, site)
    _require_aligned(base, code, where, address)
    code.call(pointer, block, site, address, MAP_BYTES)
    shadow_access_if_sanitized(base, code, block, site, address, code.value(MAP_BYTES), int(ShadowAccess.READ))
    published, written = (code.read(address, word, I32) for word in (layout.MAP_TIME_WORD, layout.MAP_SET_WORD))
    beyond = (written >> MAP_FIELDS) != 0
    with code.when((published == 0) | beyond, likely=False):
        _wrong(base, code, where, MapFault.UNPUBLISHED, address)
    async_units, launch = block[Block.MACHINE], block[Block.LAUNCH]
    number, entry = _find(code, async_units, address)
    count = async_units[AsyncUnits.MADE_COUNT]
    fences = _fences(block, async_units, number)
    new = number == count
    with code.when(new):
        with code.when(count == layout.MOST_MADE_MAPS, likely=False):
            _wrong(base, code, where, MapFault.COUNT, address, found=layout.MOST_MADE_MAPS)
        async_units[AsyncUnits.MADE_COUNT] = count + 1
        entry[MadeMap.ADDRESS] = address
    with code.when(new | (entry[MadeMap.PUBLISHED] != published)):
        entry[MadeMap.PUBLISHED] = published
        code.call(decode, block, site, address, entry + 8 * MadeMap.RECORD)
        with code.count(0, launch[LaunchRecord.THREADS]) as thread:
            fences[thread] = 0
    code.write(fences, block[Block.CURRENT], tick(launch))
    code.end()


def _use(base: Base) -> Value:
    """Emit map_of(block, site, address) -> the record of the tensor map there, which the running thread may use."""
    code, block, site, address = function(base.module, ASYNC + "map_of", 3, internal=True)
    where = (block, site)
    async_units, launch = block[Block.MACHINE], block[Block.LAUNCH]
    given, count = async_units[AsyncUnits.MAPS, AsyncUnits.MAP_COUNT]
    with code.count(0, count) as number, code.when(given[number] == address):
        code.give(address)
    inside = _in_argument(code, launch, address, address + MAP_BYTES)
    stop_if(base, code, ~inside, block, LaunchFault.TENSOR_MAP, site, address)
    _require_aligned(base, code, where, address)
    number, entry = _find(code, async_units, address)
    known = number < async_units[AsyncUnits.MADE_COUNT]
    with code.when(known):
        current = block[Block.CURRENT]
        fences, clock = _fences(block, async_units, number), known_of(block, current)
        warp = current // layout.WARP
        # Only sanitized launches know when the lanes of a warp have waited for each other.
        together, synced = code.variable((1 << 63) - 1), block[Block.SYNCED]
        with code.when(synced != 0):
            together.set(synced[block[Block.FIRST]])
        newest = entry[MadeMap.PUBLISHED] == code.read(address, layout.MAP_TIME_WORD, I32)
        sure = code.variable(fences[current])
        with code.count(0, launch[LaunchRecord.THREADS]) as thread:
            when, its = fences[thread], thread // layout.WARP
            seen = code.greatest(clock[its], code.select(its == warp, together.get(), 0)) >= when
            with code.when(seen & (when != 0)):
                sure.set(1)
        with code.when(newest & (sure.get() != 0)):
            code.give(entry + 8 * MadeMap.RECORD)
    _wrong(base, code, where, MapFault.UNFENCED, address)
    return code.function


def emit_maps(base: Base, pointer: Value) -> Value:
    """Emit what kernels call to make tensor maps.

    Args:
        base: Faults.
        pointer: pointer(block, site, address, bytes): checks plain memory.

    Returns:
        map_of(block, site, address), which finds the record of a tensor map.
    """
    _replace(base)
    _publish(base, pointer)
    _acquire(base, pointer)
    return _use(base)
