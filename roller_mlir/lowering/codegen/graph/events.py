# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals and waits between blocks of one kernel: counters in global memory, and the fences around them.

Who signals makes its block's writes visible first (a release fence), then adds to the counter; who waits polls by
relaxed loads, then sees to it that later reads come behind (an acquire fence). An acquiring load would empty the first
cache at each poll. Who needs no more than to know that it signals last asks for the count before its own signal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.loops.attributes import DEVICE_SCOPE, SITE
from roller_mlir.support.bindings import arith, ir

MONOTONIC, ACQUIRE, RELEASE = 2, 4, 5
"""Orders of atomic operations, as the LLVM dialect numbers them."""
_ADD = 1


@dataclass(frozen=True, eq=False)
class PollLimit:
    """When a wait is given up, and who says so.

    Attributes:
        polls: Polls after which it is.
        report: The cell of the counters' memref where the report begins.
        who: What the report begins with, behind its first cell: each an i32.
    """

    polls: int
    report: int
    who: Sequence[ir.Value]


def wait_for(
    emit: Emitter, counters: ir.Value, number: ir.Value, target: ir.Value, limit: PollLimit | None = None
) -> None:
    """Poll a counter until it is at least a target, then keep later accesses behind.

    Args:
        emit: The emitter.
        counters: A memref of i32.
        number: Which of them.
        target: An i32; counters may have wrapped around.
        limit: When to give up; None: never. Where one wait is given up, all others are.
    """
    i32 = ir.IntegerType.get_signless(32)
    place = _pointer(emit, counters, number)
    zero, one = (emit.typed_constant(ir.IntegerAttr.get(i32, value)) for value in (0, 1))
    given_up = None if limit is None else _pointer(emit, counters, emit.constant(limit.report))
    carried = [] if limit is None else [i32, i32]
    loop = ir.Operation.create("scf.while", results=carried, operands=[zero] * len(carried), regions=2)
    before, after = (region.blocks.append(*carried) for region in loop.regions)

    def read(pointer: ir.Value) -> ir.Value:
        return emit.op("llvm.load", [pointer], i32, _ordered(MONOTONIC, "poll event"))

    def missing(value: ir.Value) -> ir.Value:
        return arith.cmpi(arith.CmpIPredicate.slt, arith.subi(value, target), zero)

    with emit.scope(before):
        value = read(place)
        more = missing(value)
        if limit is not None and given_up is not None:
            few = emit.typed_constant(ir.IntegerAttr.get(i32, limit.polls))
            waits = arith.cmpi(arith.CmpIPredicate.ult, before.arguments[0], few)
            more = arith.andi(more, arith.andi(waits, arith.cmpi(arith.CmpIPredicate.eq, read(given_up), zero)))
            ir.Operation.create("scf.condition", operands=[more, before.arguments[0], value])
        else:
            ir.Operation.create("scf.condition", operands=[more])
    with emit.scope(after):
        polls = [arith.addi(after.arguments[0], one), after.arguments[1]] if carried else []
        ir.Operation.create("scf.yield", operands=polls)
    if limit is not None and given_up is not None:
        has = loop.results[1]
        emit.branch(missing(has), [], lambda: _report(emit, counters, limit, given_up, [has, target]))
    acquire()


def gather_writes(barrier: Callable[[], None], *, fence_covers_block: bool) -> None:
    """Emit a barrier behind which one thread may signal for its whole block.

    Args:
        barrier: Emits it.
        fence_covers_block: Whether the fence of who signals is enough (`Device`); else each thread releases its own
            writes in front of the barrier.
    """
    if not fence_covers_block:
        _release()
    barrier()


def _release() -> None:
    """Make what was written before visible to whoever sees what is signalled behind."""
    ir.Operation.create("llvm.fence", attributes=_ordered(RELEASE))


def acquire() -> None:
    """Keep later accesses behind what was read of a counter."""
    ir.Operation.create("llvm.fence", attributes=_ordered(ACQUIRE))


def _report(
    emit: Emitter, counters: ir.Value, limit: PollLimit, given_up: ir.Value, numbers: Sequence[ir.Value]
) -> list[ir.Value]:
    """Let the first thread that gives up a wait say so."""
    i32 = ir.IntegerType.get_signless(32)
    zero, one = (emit.typed_constant(ir.IntegerAttr.get(i32, value)) for value in (0, 1))
    taken = emit.op("llvm.atomicrmw", [given_up, one], i32, {**_ordered(MONOTONIC, "give up"), "bin_op": _i64(_ADD)})

    def store() -> list[ir.Value]:
        for cell, value in enumerate([*limit.who, *numbers], limit.report + 1):
            ir.Operation.create("memref.store", operands=[value, counters, emit.constant(cell)])
        return []

    emit.branch(arith.cmpi(arith.CmpIPredicate.eq, taken, zero), [], store)
    return []


def add_signal(emit: Emitter, counters: ir.Value, number: ir.Value) -> ir.Value:
    """Make what the block has written visible, then add 1 to a counter; return what it was before."""
    i32 = ir.IntegerType.get_signless(32)
    one = emit.typed_constant(ir.IntegerAttr.get(i32, 1))
    _release()
    attributes = {**_ordered(MONOTONIC, "signal event"), "bin_op": _i64(_ADD)}
    place = _pointer(emit, counters, number)
    return emit.op("llvm.atomicrmw", [place, one], i32, attributes)


def reset(emit: Emitter, counters: ir.Value, number: ir.Value) -> None:
    """Set a counter, of which nobody waits for more, to 0 for the next launch."""
    zero = emit.typed_constant(ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 0))
    ir.Operation.create(
        "llvm.store", operands=[zero, _pointer(emit, counters, number)], attributes=_ordered(MONOTONIC, "reset counter")
    )


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
