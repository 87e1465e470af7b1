# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals and waits between blocks of one kernel: counters in global memory, and the fences around them.

Who signals makes its block's writes visible first (a release fence), then adds to the counter; who waits polls by
relaxed loads, then sees to it that later reads come behind (an acquire fence). An acquiring load would empty the first
cache at each poll.
"""

from roller_mlir.codegen.builder.emitter import Emitter
from roller_mlir.loops.attributes import DEVICE_SCOPE, SITE
from roller_mlir.support.bindings import arith, ir

MONOTONIC, ACQUIRE, RELEASE = 2, 4, 5
"""Orders of atomic operations, as the LLVM dialect numbers them."""
_ADD = 1


def wait_for(emit: Emitter, counters: ir.Value, number: ir.Value, target: ir.Value) -> None:
    """Poll a counter until it is at least a target, then keep later accesses behind.

    Args:
        emit: The emitter.
        counters: A memref of i32.
        number: Which of them.
        target: An i32; counters may have wrapped around.
    """
    i32 = ir.IntegerType.get_signless(32)
    place = _pointer(emit, counters, number)
    zero = emit.typed_constant(ir.IntegerAttr.get(i32, 0))
    loop = ir.Operation.create("scf.while", regions=2)
    before, after = (region.blocks.append() for region in loop.regions)
    with ir.InsertionPoint(before):
        value = ir.Operation.create(
            "llvm.load", results=[i32], operands=[place], attributes=_ordered(MONOTONIC, "poll event")
        ).results[0]
        missing = arith.cmpi(arith.CmpIPredicate.slt, arith.subi(value, target), zero)
        ir.Operation.create("scf.condition", operands=[missing])
    with ir.InsertionPoint(after):
        ir.Operation.create("scf.yield")
    ir.Operation.create("llvm.fence", attributes=_ordered(ACQUIRE))


def add_signal(emit: Emitter, counters: ir.Value, number: ir.Value) -> None:
    """Make what the block has written visible, then add 1 to a counter."""
    i32 = ir.IntegerType.get_signless(32)
    one = emit.typed_constant(ir.IntegerAttr.get(i32, 1))
    ir.Operation.create("llvm.fence", attributes=_ordered(RELEASE))
    attributes = {**_ordered(MONOTONIC, "signal event"), "bin_op": _i64(_ADD)}
    place = _pointer(emit, counters, number)
    ir.Operation.create("llvm.atomicrmw", results=[i32], operands=[place, one], attributes=attributes)


def _ordered(order: int, site: str = "") -> dict[str, ir.Attribute]:
    """Return the attributes of a fence, or of an access that reports call `site`."""
    found: dict[str, ir.Attribute] = {"ordering": _i64(order), "syncscope": ir.StringAttr.get(DEVICE_SCOPE)}
    return {**found, "alignment": _i64(4), SITE: ir.StringAttr.get(site)} if site else found


def _i64(value: int) -> ir.Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)


def _pointer(emit: Emitter, counters: ir.Value, number: ir.Value) -> ir.Value:
    """Return the address of a cell of a memref of i32."""
    index = emit.index_type
    base = ir.Operation.create("memref.extract_aligned_pointer_as_index", results=[index], operands=[counters]).results[
        0
    ]
    byte = emit.op("arith.muli", [number, emit.constant(4)], index)
    address = emit.op("arith.index_cast", [emit.op("arith.addi", [base, byte], index)], ir.IntegerType.get_signless(64))
    return emit.op("llvm.inttoptr", [address], ir.Type.parse("!llvm.ptr<1>"))
