# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ring of buffers between the thread that copies and those that compute."""

from dataclasses import dataclass

from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.inline_assembly import emit_assembly
from roller_mlir.lowering.codegen.hopper.ops import binary, equals, i32, plus, pointer_at
from roller_mlir.mapping.tensor_copy import BARRIER_BYTES
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class RingSlot:
    """A buffer of a ring, and how often the ring was gone round.

    Attributes:
        stage: Number of the buffer, 32 bits.
        phase: Parity of the rounds, 32 bits.
    """

    stage: ir.Value
    phase: ir.Value

    @property
    def values(self) -> list[ir.Value]:
        """What a loop carries of it."""
        return [self.stage, self.phase]


@dataclass(frozen=True)
class Ring:
    """Buffers that a producer fills and consumers empty, in turn; two barriers a buffer.

    Attributes:
        emit: The emitter.
        base: Pointer to the arena.
        stages: Buffers.
        barriers: Where the barriers begin in the arena, in bytes: those of filled buffers, then of emptied ones.
    """

    emit: Emitter
    base: ir.Value
    stages: int
    barriers: int

    def initialize(self, consumers: int) -> None:
        """Emit the initialisation of all barriers, by one thread; a block barrier must follow.

        Args:
            consumers: Arrivals that empty a buffer.
        """
        for stage in range(self.stages):
            number = i32(self.emit, stage)
            for pointer, count in ((self.full(number), 1), (self.empty(number), consumers)):
                ir.Operation.create("nvvm.mbarrier.init", operands=[pointer, i32(self.emit, count)])
        ir.Operation.create("nvvm.fence.mbarrier.init")

    def full(self, stage: ir.Value) -> ir.Value:
        """Return the barrier at which a buffer's bytes arrive."""
        return self._barrier(stage, 0)

    def empty(self, stage: ir.Value) -> ir.Value:
        """Return the barrier at which those who read a buffer arrive."""
        return self._barrier(stage, self.stages)

    def start(self, phase: int) -> RingSlot:
        """Return the first slot."""
        return RingSlot(i32(self.emit, 0), i32(self.emit, phase))

    def after(self, slot: RingSlot) -> RingSlot:
        """Return the slot that follows."""
        emit = self.emit
        if self.stages == 1:
            return RingSlot(slot.stage, binary(emit, "arith.xori", slot.phase, 1))
        following = plus(emit, slot.stage, 1)
        wraps = equals(emit, following, self.stages)
        turned = binary(emit, "arith.xori", slot.phase, 1)
        kind = following.type
        return RingSlot(
            emit.op("arith.select", [wraps, i32(emit, 0), following], kind),
            emit.op("arith.select", [wraps, turned, slot.phase], kind),
        )

    def wait(self, barrier: ir.Value, phase: ir.Value) -> None:
        """Emit a wait until the barrier's phase of that parity is complete."""
        emit_assembly("mbarrier_try_wait_parity", [barrier, phase])

    def arrive(self, barrier: ir.Value) -> None:
        """Emit an arrival."""
        self.emit.op("nvvm.mbarrier.arrive", [barrier], ir.IntegerType.get_signless(64))

    def expect(self, barrier: ir.Value, size_bytes: int) -> None:
        """Emit an arrival that says how many bytes belong to the phase."""
        self.emit.op(
            "nvvm.mbarrier.arrive.expect_tx", [barrier, i32(self.emit, size_bytes)], ir.IntegerType.get_signless(64)
        )

    def _barrier(self, stage: ir.Value, first: int) -> ir.Value:
        emit = self.emit
        offset = plus(emit, binary(emit, "arith.muli", stage, BARRIER_BYTES), self.barriers + BARRIER_BYTES * first)
        return pointer_at(emit, self.base, offset)
