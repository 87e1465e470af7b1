# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The thread of a warp-specialised kernel that copies: it fills buffers ahead of those that compute, across tasks."""

from collections.abc import Mapping, Sequence

from roller_mlir.lowering.codegen.builder.task_context import TaskContext
from roller_mlir.lowering.codegen.hopper.copies import TensorCopy
from roller_mlir.lowering.codegen.hopper.ops import binary, copy_box, plus, pointer_at
from roller_mlir.lowering.codegen.hopper.ring import Ring, RingSlot
from roller_mlir.lowering.codegen.hopper.steps import Steps
from roller_mlir.lowering.codegen.task.scope import TaskScope
from roller_mlir.lowering.loops.nest import parallel_nest
from roller_mlir.mapping.index import Symbol
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.bindings import ir


class ProducerBuilder:
    """Builds the copies of a task: those of each step into the next buffer, as soon as it was given back."""

    def __init__(
        self,
        context: TaskContext,
        steps: Steps,
        ring: Ring,
        maps: Mapping[TensorMap, ir.Value],
        program: ir.Operation,
        task: Symbol,
    ) -> None:
        self._context, self._steps, self._ring, self._maps = context, steps, ring, maps
        self._scope = TaskScope(context)
        self._scope.bind(parallel_nest(program), task)

    def build(self, slot: RingSlot) -> RingSlot:
        """Emit the copies of the task; return the slot behind them.

        Args:
            slot: The first buffer, with the parity of its emptying.
        """
        return self._each(0, self._steps.trips, slot, self._steps.copies, begins=True)

    def begin(self, slot: RingSlot, early: Sequence[TensorCopy]) -> RingSlot:
        """Emit some copies of each of the first steps, as many as there are buffers; return the slot behind them.

        Args:
            slot: The first buffer, with the parity of its emptying.
            early: The copies.
        """
        return self._each(0, self._begun, slot, early, begins=True)

    def go_on(self, slot: RingSlot, early: Sequence[TensorCopy], begun: RingSlot) -> RingSlot:
        """Emit what `begin` has left; return the slot behind the task.

        Args:
            slot: The first buffer.
            early: The copies of the first steps that were emitted.
            begun: The slot behind these steps.
        """
        self._each(0, self._begun, slot, [copy for copy in self._steps.copies if copy not in early], begins=False)
        return self._each(self._begun, self._steps.trips, begun, self._steps.copies, begins=True)

    @property
    def _begun(self) -> int:
        return min(self._ring.stages, self._steps.trips)

    def _each(self, low: int, high: int, slot: RingSlot, copies: Sequence[TensorCopy], *, begins: bool) -> RingSlot:
        """Emit copies of steps from one to another; what begins a step waits for its buffer first."""
        if not copies:
            return slot
        if low == 0 and high == self._steps.trips == 1:
            return self._step(Symbol("step", 0, 0), slot, copies, begins=begins)

        def step(number: Symbol, here: list[ir.Value]) -> list[ir.Value]:
            return self._step(number, RingSlot(*here), copies, begins=begins).values

        return RingSlot(*self._context.emit.loop(low, high, slot.values, step))

    def _step(self, step: Symbol, slot: RingSlot, copies: Sequence[TensorCopy], *, begins: bool) -> RingSlot:
        emit, ring, steps = self._context.emit, self._ring, self._steps
        if steps.nest is not None:
            self._scope.bind(steps.nest, step)
        full = ring.full(slot.stage)
        if begins:
            ring.wait(ring.empty(slot.stage), slot.phase)
            ring.expect(full, steps.copied_bytes)
        buffer = binary(emit, "arith.muli", slot.stage, steps.stage_bytes)
        for copy, offset in zip(steps.copies, steps.offsets, strict=True):
            if copy in copies:
                self._copy(copy, plus(emit, buffer, offset), full)
        return ring.after(slot)

    def _copy(self, copy: TensorCopy, buffer: ir.Value, full: ir.Value) -> None:
        emit = self._context.emit
        origin = self._scope.direct(copy.load).origin
        narrow = ir.IntegerType.get_signless(32)
        for box in copy.boxes:
            at = [origin[d] + step for d, step in zip(copy.dimensions, box.at, strict=True)]
            coordinates = [emit.op("arith.index_cast", [emit.index(x)], narrow) for x in reversed(at)]
            to = pointer_at(emit, self._ring.base, plus(emit, buffer, box.offset))
            copy_box(emit, to, self._maps[copy.map], coordinates, full)
