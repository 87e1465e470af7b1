# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task body is built over: thread number, workgroup-memory arena, buffers and the values of loop variables.

A body never asks for a block id, an attribution or a launch bound: those belong to the wrapper (see `kernel.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.loops.attributes import SITE
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.layout.layout import MAX_VECTOR_BYTES
from roller_mlir.mapping.layout.staged_store import StagedStore
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


@dataclass(frozen=True)
class Slot:
    """A place in workgroup memory that keeps a slice of an operand from task to task.

    Attributes:
        view: The slice, a memref of its extents.
        buffer: The same as the buffer of a copy, a memref of 1 x these.
        filled: Condition that the task brings it there.
        access_bytes: Bytes of the widest access that brings it.
    """

    view: ir.Value
    buffer: ir.Value
    filled: ir.Value
    access_bytes: int


@dataclass(frozen=True)
class StagedResults:
    """The results of a task that pass workgroup memory, one after the other in the same place.

    Attributes:
        stores: How each store does it.
        offset: Where in the task's workgroup memory they lie, in bytes.
    """

    stores: dict[ir.Operation, StagedStore] = field(default_factory=dict[ir.Operation, StagedStore])
    offset: int = 0

    @property
    def size_bytes(self) -> int:
        """Bytes that they take there."""
        return max((store.size_bytes for store in self.stores.values()), default=0)


@dataclass
class TaskContext:
    """The parameters of a task body.

    Attributes:
        emit: The emitter.
        thread: The thread's number in the task.
        threads: Threads of the task.
        subgroup_size: Lanes of a subgroup.
        buffers: Kernel buffer of each memref that the program uses.
        arena: The task's workgroup memory, a memref of i8; None when the task uses none.
        offsets: Byte offset in the arena of each staged load.
        combine_offset: Byte offset of the space in which partial results are joined.
        results: The stores whose results pass workgroup memory; none in bodies whose wrapper has no place for that.
        indices: Value of each loop variable as a linear expression.
        fma_count: Fused multiply-adds emitted so far (scalar count).
        matrix_count: Matrix instructions emitted so far.
        tile_registers: The description of the tile registers that the body uses, as the instruction that loads it reads
            it; empty where it uses none.
        arena_in_use: Whether threads may still read the arena, so that a barrier must come before it is written.
        repeats: Whether the body stands in a loop over tasks. A register that one path leaves undefined is then live
            around the whole loop, for ptxas, so that what is fetched ahead of the last step is fetched again instead.
        slots: Where slices of operands lie, by the program's memrefs: they are read there.
        masked: Whether vectors are accessed as wide as lanes are, at any multiple of their element, and under masks
            where bounds are not proven; else as wide as the plan says, aligned, and inside as a whole.
        mask_registers: Whether such masks have registers of their own; where not, tiles that need none have code of
            their own.
        kept_bytes: Bytes of a constant that a core's caches keep while what it is multiplied by passes.
    """

    emit: Emitter
    thread: Symbol
    threads: int
    subgroup_size: int
    buffers: dict[ir.Value, ir.Value]
    arena: ir.Value | None = None
    offsets: dict[ir.Operation, int] = field(default_factory=dict)
    combine_offset: int = 0
    results: StagedResults = field(default_factory=StagedResults)
    indices: dict[ir.Value, Linear] = field(default_factory=dict)
    fma_count: int = 0
    matrix_count: int = 0
    tile_registers: bytes = b""
    arena_in_use: bool = False
    repeats: bool = False
    slots: dict[ir.Value, Slot] = field(default_factory=dict[ir.Value, Slot])
    masked: bool = False
    mask_registers: bool = False
    kept_bytes: int = 0

    def linear(self, operation: ir.Operation, values: Sequence[ir.Value], *, steps: bool = True) -> list[Linear]:
        """Return index operands as linear expressions of the loop variables.

        Args:
            operation: Whose they are.
            values: The operands.
            steps: Whether reduction loops are in a step; else they stand at their first one.
        """
        found: list[Linear] = []
        for value in values:
            if not steps and isinstance(value.owner, ir.Block) and value not in self.indices:
                low = defining_op(value.owner.owner.operation.operands[0], "arith.constant")
                if low is not None:
                    found.append(Linear(None, ir.IntegerAttr(low.attributes["value"]).value))
                    continue
            if value in self.indices:
                found.append(self.indices[value])
                continue
            constant = defining_op(value, "arith.constant")
            if constant is None:
                fail(operation, f"'{operation.name}' is indexed by {value}, which is no loop variable or constant")
            found.append(Linear(None, ir.IntegerAttr(constant.attributes["value"]).value))
        return found

    def barrier(self) -> None:
        """Emit a barrier of the task's threads."""
        ir.Operation.create("gpu.barrier")
        self.arena_in_use = False

    def fetched_ahead(self, step: ir.Value, there: ir.Value, trips: int) -> tuple[ir.Value, ir.Value | None]:
        """Return which step's tiles are fetched ahead through registers, and under which condition (None: always).

        Args:
            step: The number of a later step.
            there: Condition that there is such a step.
            trips: Steps. In a body that repeats, the last one is fetched in place of those behind it.
        """
        if not self.repeats:
            return step, there
        return self.emit.op("arith.minui", [step, self.emit.constant(trips - 1)], self.emit.index_type), None

    def before_arena_write(self) -> None:
        """Emit a barrier if threads may still read what the arena holds. Control must be uniform."""
        if self.arena_in_use:
            self.barrier()


def vector_type(element: ir.Type, width: int) -> ir.Type:
    """Return a vector type, or the element type itself for a width of 1."""
    return element if width == 1 else ir.VectorType.get([width], element)


def memref_view(
    emit: Emitter, arena: ir.Value, offset: int | ir.Value, shape: Sequence[int], element: ir.Type
) -> ir.Value:
    """Return a view of the arena at a byte offset."""
    memory = ir.Attribute.parse("#gpu.address_space<workgroup>")
    view = ir.MemRefType.get(list(shape), element, memory_space=memory)
    start = emit.constant(offset) if isinstance(offset, int) else offset
    return ir.Operation.create("memref.view", results=[view], operands=[arena, start]).results[0]


def is_workgroup(memory: ir.Value) -> bool:
    """Return whether a memref lies in workgroup memory."""
    space = ir.MemRefType(memory.type).memory_space
    return space is not None and "workgroup" in str(space)


def access_memory(
    emit: Emitter, buffer: ir.Value, indices: Sequence[ir.Value], width: int, site: str, value: ir.Value | None = None
) -> ir.Value | None:
    """Emit a load (no value) or a store of `width` neighbouring elements, aligned to their size.

    A thread accesses at most `MAX_VECTOR_BYTES` at once; more are several accesses.

    Args:
        emit: The emitter.
        buffer: A memref.
        indices: One index value a dimension.
        width: Elements; more than 1 loads or stores a vector along the last dimension.
        site: What reports call the access.
        value: What to store.
    """
    element = ir.MemRefType(buffer.type).element_type
    most = _most_at_once(element)
    if width <= most:
        return _access(emit, buffer, indices, width, site, value)
    kind = vector_type(element, width)
    if most == 1 and value is None:
        places = [[*indices[:-1], _plus(emit, indices[-1], lane)] for lane in range(width)]
        elements = [_access(emit, buffer, at, 1, site, None) for at in places]
        return emit.op("vector.from_elements", [one for one in elements if one is not None], kind)
    zero = ir.DenseElementsAttr.get_splat(kind, _scalar(element, 0))
    whole = emit.typed_constant(zero) if value is None else None
    for start in range(0, width, most):
        at = [*indices[:-1], _plus(emit, indices[-1], start)]
        if value is not None:
            _access(emit, buffer, at, most, site, slice_of(emit, value, start, most))
            continue
        part = _access(emit, buffer, at, most, site, None)
        assert part is not None and whole is not None
        whole = put_at(emit, part, whole, start)
    return whole


def _most_at_once(element: ir.Type) -> int:
    """Return how many elements one access may have; LLVM would pack a vector of i1, of which each has a byte."""
    is_bit = isinstance(element, ir.IntegerType) and ir.IntegerType(element).width == 1
    return 1 if is_bit else MAX_VECTOR_BYTES // element_bytes(element)


def slice_of(emit: Emitter, vector: ir.Value, start: int, width: int) -> ir.Value:
    """Return neighbouring lanes of a vector, or one lane as a scalar; of a vector of vectors, some of those."""
    shape = ir.VectorType(vector.type).shape
    if width == 1 and len(shape) == 1:
        return emit.extract(vector, start)
    attributes: dict[str, ir.Attribute] = {"offsets": _i64s(start), "sizes": _i64s(width), "strides": _i64s(1)}
    kind = ir.VectorType.get([width, *shape[1:]], ir.VectorType(vector.type).element_type)
    return emit.op("vector.extract_strided_slice", [vector], kind, attributes)


def put_at(emit: Emitter, part: ir.Value, whole: ir.Value, start: int) -> ir.Value:
    """Return a vector with a scalar or a shorter vector in place of its lanes from `start` on."""
    if not isinstance(part.type, ir.VectorType):
        place: dict[str, ir.Attribute] = {"static_position": ir.DenseI64ArrayAttr.get([start])}
        return emit.op("vector.insert", [part, whole], whole.type, place)
    attributes: dict[str, ir.Attribute] = {"offsets": _i64s(start), "strides": _i64s(1)}
    return emit.op("vector.insert_strided_slice", [part, whole], whole.type, attributes)


def _access(
    emit: Emitter, buffer: ir.Value, indices: Sequence[ir.Value], width: int, site: str, value: ir.Value | None
) -> ir.Value | None:
    """Emit one load or store."""
    element = ir.MemRefType(buffer.type).element_type
    attributes: dict[str, ir.Attribute] = {SITE: ir.StringAttr.get(site)}
    operands = [buffer, *indices] if value is None else [value, buffer, *indices]
    name = "memref." if width == 1 else "vector."
    if width > 1:
        size = width * element_bytes(element)
        attributes["alignment"] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), size)
    if value is None:
        return emit.op(name + "load", operands, vector_type(element, width), attributes)
    ir.Operation.create(name + "store", operands=operands, attributes=attributes)
    return None


def _plus(emit: Emitter, index: ir.Value, offset: int) -> ir.Value:
    if not offset:
        return index
    return emit.cached(
        ("arith.addi", index, offset), lambda: emit.op("arith.addi", [index, emit.constant(offset)], index.type)
    )


def _i64s(*values: int) -> ir.ArrayAttr:
    i64 = ir.IntegerType.get_signless(64)
    return ir.ArrayAttr.get([ir.IntegerAttr.get(i64, value) for value in values])


def element_bytes(element: ir.Type) -> int:
    """Return the bytes of a scalar type."""
    width = ir.FloatType(element).width if isinstance(element, ir.FloatType) else ir.IntegerType(element).width
    return max(1, width // 8)


def splat(emit: Emitter, element: ir.Type, width: int, value: float) -> ir.Value:
    """Return a constant scalar or vector."""
    scalar = _scalar(element, value)
    if width == 1:
        return emit.typed_constant(scalar)
    return emit.typed_constant(ir.DenseElementsAttr.get_splat(ir.VectorType.get([width], element), scalar))


def _scalar(element: ir.Type, value: float) -> ir.Attribute:
    if isinstance(element, ir.FloatType):
        return ir.FloatAttr.get(element, value)
    return ir.IntegerAttr.get(element, int(value))
