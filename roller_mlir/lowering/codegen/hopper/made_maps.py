# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps that the blocks of a kernel make themselves, in device memory.

A warp of each block writes the fields of a map into zeroed workgroup memory (`tensormap.replace`), and copies it to the
block's own place in a buffer (`tensormap.cp_fenceproxy`, which releases it). Every thread that copies with it acquires
it first: what threads write to a map is not seen by tensor copies otherwise, not even behind a barrier.

Every block makes its own, as nobody else knows the addresses: a kernel before this one would have to be given all
buffers of the launches behind it, and a launcher such as IREE's gives a result its place only with the launch itself.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.inline_assembly import emit_assembly
from roller_mlir.lowering.codegen.hopper.ops import (
    address_of,
    binary,
    equals,
    fence_copies,
    i32,
    plus,
    pointer_at,
    warp_barrier,
)
from roller_mlir.lowering.codegen.kernel_function import gpu_id
from roller_mlir.mapping.tensor_copy import WARP_THREADS
from roller_mlir.plan.tensor_maps.fields import ELEMENTS, MapField, field_of, map_fields
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES, TensorMap
from roller_mlir.support.bindings import ir

_WORD_BYTES = MAP_BYTES // WARP_THREADS


@dataclass(frozen=True)
class MadeMaps:
    """The tensor maps of a block.

    Attributes:
        maps: What they describe.
        addresses: Of the arrays, 64 bits.
        pointers: Where each is made, in device memory.
    """

    maps: tuple[TensorMap, ...]
    addresses: tuple[ir.Value, ...]
    pointers: tuple[ir.Value, ...]

    @classmethod
    def of(
        cls, emit: Emitter, maps: Sequence[TensorMap], buffer: ir.Value, arguments: Sequence[ir.Value]
    ) -> "MadeMaps":
        """Emit where the maps of the running block lie.

        Args:
            emit: The emitter.
            maps: What they describe.
            buffer: A memref of i8, in which each block has a place for all of them.
            arguments: Of the kernel, by the numbers that the maps have.
        """
        own = emit.binary("arith.muli", gpu_id("gpu.block_id"), emit.constant(MAP_BYTES * len(maps)))
        first = emit.binary("arith.addi", _address(emit, buffer), own)
        i64, pointer = ir.IntegerType.get_signless(64), ir.Type.parse("!llvm.ptr")

        def at(base: ir.Value, offset: int) -> ir.Value:
            moved = base if not offset else emit.binary("arith.addi", base, emit.constant(offset))
            return emit.op("arith.index_cast", [moved], i64)

        places = [at(first, MAP_BYTES * number) for number in range(len(maps))]
        return cls(
            tuple(maps),
            tuple(at(_address(emit, arguments[one.argument]), one.offset_bytes) for one in maps),
            tuple(emit.op("llvm.inttoptr", [place], pointer) for place in places),
        )

    def make(self, emit: Emitter, scratch: ir.Value, thread: ir.Value) -> None:
        """Emit the making of all maps, by one warp; a block barrier must follow.

        Args:
            emit: The emitter.
            scratch: Pointer to workgroup memory for all of them, in which tensor copies may write afterwards.
            thread: Number of the thread, 32 bits.
        """
        lane = binary(emit, "arith.andi", thread, WARP_THREADS - 1)
        word = binary(emit, "arith.muli", lane, _WORD_BYTES)
        alignment: dict[str, ir.Attribute] = {
            "alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _WORD_BYTES)
        }
        for number in range(len(self.maps)):
            cell = pointer_at(emit, scratch, plus(emit, word, MAP_BYTES * number))
            ir.Operation.create("llvm.store", operands=[i32(emit, 0), cell], attributes=alignment)
        warp_barrier(emit)
        records = [address_of(emit, pointer_at(emit, scratch, i32(emit, MAP_BYTES * n))) for n in range(len(self.maps))]

        def write() -> list[ir.Value]:
            for described, record, address in zip(self.maps, records, self.addresses, strict=True):
                _write(emit, described, record, address)
            return []

        emit.branch(equals(emit, lane, 0), [], write)
        warp_barrier(emit)
        for record, pointer in zip(records, self.pointers, strict=True):
            place = emit.op("llvm.addrspacecast", [pointer], ir.Type.parse("!llvm.ptr<1>"))
            emit_assembly("tensormap_publish", [place, record])
        fence_copies()


def _address(emit: Emitter, buffer: ir.Value) -> ir.Value:
    return emit.op("memref.extract_aligned_pointer_as_index", [buffer], emit.index_type)


def _write(emit: Emitter, described: TensorMap, record: ir.Value, address: ir.Value) -> None:
    """Emit the writing of all fields of a map, by one thread."""
    for number, value in map_fields(described).items():
        field = field_of(number)
        wide = field in (MapField.global_address, MapField.global_stride)
        attribute = ir.IntegerAttr.get(ir.IntegerType.get_signless(64 if wide else 32), value)
        operands = [address if field is MapField.global_address else emit.typed_constant(attribute)]
        if ELEMENTS[field] > 1:
            operands.insert(0, i32(emit, number - field))
        emit_assembly(f"tensormap_{field.name}", [record, *operands])
