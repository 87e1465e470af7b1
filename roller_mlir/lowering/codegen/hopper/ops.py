# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of Hopper's asynchronous units on addresses of workgroup memory, as NVVM has them.

Addresses are 32-bit offsets from one pointer, so that LLVM and ptxas see that all of them are workgroup memory.
"""

from collections.abc import Sequence

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.mapping.tensor_copy import WARPGROUP_THREADS
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.support.bindings import arith, ir

CONSUMER_BARRIER = 1
"""The named barrier of the threads that compute; 0 is that of the whole block, those of warpgroups follow."""


def i32(emit: Emitter, value: int) -> ir.Value:
    """Return a constant of 32 bits."""
    return emit.typed_constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), value))


def binary(emit: Emitter, name: str, left: ir.Value, right: ir.Value | int) -> ir.Value:
    """Return the result of an integer operation of two values of one type, or of a value and a constant."""
    if isinstance(right, int):
        right = emit.typed_constant(ir.IntegerAttr.get(left.type, right))
    return emit.cached((name, left, right), lambda: emit.op(name, [left, right], left.type))


def plus(emit: Emitter, left: ir.Value, right: int) -> ir.Value:
    """Return a value plus a constant."""
    return left if right == 0 else binary(emit, "arith.addi", left, right)


def equals(emit: Emitter, value: ir.Value, constant: int) -> ir.Value:
    """Return the condition that a value is a constant."""
    expected = emit.typed_constant(ir.IntegerAttr.get(value.type, constant))
    return emit.cached(("eq", value, constant), lambda: arith.cmpi(arith.CmpIPredicate.eq, value, expected))


def memory_base(emit: Emitter, arena: ir.Value) -> ir.Value:
    """Return the pointer to an arena in workgroup memory."""
    address = emit.op("memref.extract_aligned_pointer_as_index", [arena], emit.index_type)
    wide = emit.op("arith.index_cast", [address], ir.IntegerType.get_signless(64))
    return emit.op("llvm.inttoptr", [wide], ir.Type.parse("!llvm.ptr<3>"))


def pointer_at(emit: Emitter, base: ir.Value, offset: ir.Value) -> ir.Value:
    """Return the pointer so many bytes (32 bits) behind another."""
    attributes: dict[str, ir.Attribute] = {
        "elem_type": ir.TypeAttr.get(ir.IntegerType.get_signless(8)),
        "rawConstantIndices": ir.DenseI32ArrayAttr.get([-(1 << 31)]),
    }
    return emit.cached(
        ("pointer", base, offset), lambda: emit.op("llvm.getelementptr", [base, offset], base.type, attributes)
    )


def address_of(emit: Emitter, pointer: ir.Value) -> ir.Value:
    """Return the address of a pointer to workgroup memory, 32 bits."""
    return emit.op("llvm.ptrtoint", [pointer], ir.IntegerType.get_signless(32))


def uniform(emit: Emitter, value: ir.Value) -> ir.Value:
    """Return a value of 32 bits that is the same in a whole subgroup, in a way that ptxas knows it."""
    i32_type = ir.IntegerType.get_signless(32)
    kind = {"kind": ir.Attribute.parse("#nvvm<shfl_kind idx>")}
    return emit.op("nvvm.shfl.sync", [i32(emit, -1), value, i32(emit, 0), i32(emit, 31)], i32_type, kind)


def elected(emit: Emitter) -> ir.Value:
    """Return the condition that a thread is the one of its subgroup that is chosen to act."""
    return emit.op("nvvm.elect.sync", [], ir.IntegerType.get_signless(1))


def set_registers(count: int, *, more: bool) -> None:
    """Take registers for each thread of the warpgroup, or give them away, so that it has `count`."""
    attributes = {
        "regCount": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), count),
        "action": ir.Attribute.parse(f"#nvvm<action {'increase' if more else 'decrease'}>"),
    }
    ir.Operation.create("nvvm.setmaxregister", attributes=attributes)


def consumer_barrier(emit: Emitter, threads: int) -> None:
    """Emit a barrier of the threads that compute."""
    _barrier(i32(emit, CONSUMER_BARRIER), i32(emit, threads))


def warp_barrier(emit: Emitter) -> None:
    """Emit a barrier of the threads of a warp."""
    ir.Operation.create("nvvm.bar.warp.sync", operands=[i32(emit, -1)])


def warpgroup_barrier(emit: Emitter, warpgroup: ir.Value) -> None:
    """Emit a barrier of the threads of a warpgroup (its number, 32 bits)."""
    _barrier(plus(emit, warpgroup, CONSUMER_BARRIER + 1), i32(emit, WARPGROUP_THREADS))


def _barrier(number: ir.Value, threads: ir.Value) -> None:
    segments: dict[str, ir.Attribute] = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1])}
    ir.Operation.create("nvvm.barrier", operands=[number, threads], attributes=segments)


def prefetch_map(tensor_map: ir.Value) -> None:
    """Emit the fetch of a tensor map before it is needed."""
    ir.Operation.create("nvvm.prefetch", operands=[tensor_map], attributes={"tensormap": ir.UnitAttr.get()})


def acquire_map(emit: Emitter, tensor_map: ir.Value) -> None:
    """Emit the fence between a tensor map's making in device memory and copies by the running thread that use it."""
    size = i32(emit, MAP_BYTES)
    scope = {"scope": ir.Attribute.parse("#nvvm.mem_scope<gpu>")}
    ir.Operation.create("nvvm.fence.proxy.acquire", operands=[tensor_map, size], attributes=scope)


def copy_box(
    emit: Emitter, to: ir.Value, tensor_map: ir.Value, coordinates: Sequence[ir.Value], barrier: ir.Value
) -> None:
    """Start the copy of a box of a tensor; its bytes arrive at a barrier.

    Args:
        emit: The emitter.
        to: Pointer to workgroup memory.
        tensor_map: Pointer to the tensor map.
        coordinates: Of the box's first element, 32 bits each, innermost first.
        barrier: Pointer to the barrier.
    """
    shared = emit.op("llvm.addrspacecast", [to], ir.Type.parse("!llvm.ptr<7>"))
    segments = [1, 1, len(coordinates), 1, 0, 0, 0, 0]
    ir.Operation.create(
        "nvvm.cp.async.bulk.tensor.shared.cluster.global",
        operands=[shared, tensor_map, *coordinates, barrier],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get(segments)},
    )


def store_box(source: ir.Value, tensor_map: ir.Value, coordinates: Sequence[ir.Value]) -> None:
    """Start the copy of a box from workgroup memory to a tensor, as a group of its own.

    Args:
        source: Pointer to workgroup memory.
        tensor_map: Pointer to the tensor map.
        coordinates: Of the box's first element, 32 bits each, innermost first.
    """
    segments = [1, 1, len(coordinates), 0, 0]
    ir.Operation.create(
        "nvvm.cp.async.bulk.tensor.global.shared.cta",
        operands=[tensor_map, source, *coordinates],
        attributes={"operandSegmentSizes": ir.DenseI32ArrayAttr.get(segments)},
    )
    ir.Operation.create("nvvm.cp.async.bulk.commit.group")


def wait_stores(emit: Emitter, leads: ir.Value, groups: int, *, complete: bool = False) -> None:
    """Emit a wait of the thread that copies, until all groups but so many have read workgroup memory.

    Args:
        emit: The emitter.
        leads: Condition that the thread copies.
        groups: Groups that may still read.
        complete: Whether the groups must have been written, too.
    """
    attributes: dict[str, ir.Attribute] = {"group": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), groups)}
    if not complete:
        attributes["read"] = ir.UnitAttr.get()

    def wait() -> list[ir.Value]:
        ir.Operation.create("nvvm.cp.async.bulk.wait_group", attributes=attributes)
        return []

    emit.branch(leads, [], wait)


def fence_copies() -> None:
    """Emit the fence between a thread's writes of workgroup memory and copies that read them."""
    ir.Operation.create(
        "nvvm.fence.proxy",
        attributes={
            "kind": ir.Attribute.parse("#nvvm.proxy_kind<async.shared>"),
            "space": ir.Attribute.parse("#nvvm.shared_space<cta>"),
        },
    )


def fence_global_copies() -> None:
    """Emit the fence between accesses of global memory by threads and by copies, in either order."""
    kind = {"kind": ir.Attribute.parse("#nvvm.proxy_kind<async.global>")}
    ir.Operation.create("nvvm.fence.proxy", attributes=kind)


def store_matrices(to: ir.Value, registers: Sequence[ir.Value]) -> None:
    """Emit `stmatrix` of two or four matrices of 8 x 8 elements of 16 bits.

    Args:
        to: Pointer to the line of a matrix that the thread names.
        registers: 32 bits each, one per matrix.
    """
    ir.Operation.create(
        "nvvm.stmatrix",
        operands=[to, *registers],
        attributes={
            "layout": ir.Attribute.parse("#nvvm.mma_layout<row>"),
            "shape": ir.Attribute.parse("#nvvm.ld_st_matrix_shape<m = 8, n = 8>"),
            "eltType": ir.Attribute.parse("#nvvm.ld_st_matrix_elt_type<b16>"),
        },
    )
