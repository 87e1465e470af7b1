# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each task of a program touches of its buffers, read from its loops: the boxes that schedules are proven with.

A load of a reduction loop touches what all its steps touch. Boxes are exact for tiles that neighbour each other from
step to step, and hold what lies between them else: a schedule may then wait for more than it must, never for less.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roller_mlir.dialects.rammer import start_values
from roller_mlir.dialects.rtile import ProgramOp
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.linalg.affine import map_indices
from roller_mlir.lowering.loops.nest import LoopNest, is_parallel, parallel_nest, reduction_nest
from roller_mlir.lowering.loops.program import loads_of, stores_of
from roller_mlir.rammer.graph.boxes import TaskBoxes
from roller_mlir.rammer.parts import Ints
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op


@dataclass(frozen=True, eq=False)
class ProgramBoxes:
    """What the tasks of a program touch.

    Attributes:
        tasks: How many tasks it has.
        reads: Operand and boxes of each load.
        writes: Operand and boxes of each store.
        per_unit: How many of its tasks a unit holds at a time.
    """

    tasks: int
    reads: tuple[tuple[int, TaskBoxes], ...]
    writes: tuple[tuple[int, TaskBoxes], ...]
    per_unit: int


class TaskReader:
    """The loops of one program, and what its tasks touch for starts of its applications.

    What no start moves is read once for all of them, so that applications share it.

    Args:
        program: A program on buffers.
    """

    def __init__(self, program: ProgramOp) -> None:
        self.nest: LoopNest = parallel_nest(program.operation)
        self.operands = {argument: number for number, argument in enumerate(program.entry.arguments)}
        self.tasks = self.nest.trips.static
        trips = [loop.trips.static for loop in self.nest.loops]
        digits = np.unravel_index(np.arange(self.tasks), trips) if trips else ()
        self.values = {
            loop.variable: (loop.low + loop.step * digit).astype(np.int64)
            for loop, digit in zip(self.nest.loops, digits, strict=True)
        }
        self.per_unit = program.tasks_per_unit or 1
        self._starts = {value: number for number, value in enumerate(start_values(program))}
        self._known: dict[tuple[int, tuple[int, ...]], tuple[int, TaskBoxes]] = {}
        loads, stores = loads_of(program.operation), stores_of(program.operation)
        self._reads = range(len(loads))
        self._writes = range(len(loads), len(loads) + len(stores))
        self._accesses = (
            *((one, one.source, one.indices, one.origin_map, one.tile.shape, one.tile.steps) for one in loads),
            *(
                (one, one.destination, one.indices, one.origin_map, _shape_of(one.tile), one.tile_steps)
                for one in stores
            ),
        )
        # Of each access, the starts that stand in its indices.
        self._moved = [
            [self._starts[value] for value in indices if value in self._starts] for _, _, indices, *_ in self._accesses
        ]

    def boxes(self, starts: Sequence[int] = ()) -> ProgramBoxes:
        """Return what each task touches.

        Args:
            starts: Those of an application, in elements.
        """
        for (value, _), start in zip(self._starts.items(), starts, strict=True):
            self.values[value] = np.full(self.tasks, start, np.int64)
        return ProgramBoxes(
            self.tasks,
            tuple(self._boxes(number, starts) for number in self._reads),
            tuple(self._boxes(number, starts) for number in self._writes),
            self.per_unit,
        )

    def _boxes(self, access: int, starts: Sequence[int]) -> tuple[int, TaskBoxes]:
        key = access, tuple(starts[number] for number in self._moved[access])
        if key not in self._known:
            self._known[key] = self.touched(*self._accesses[access])
        return self._known[key]

    def touched(
        self, op: ir.OpView, memory: ir.Value, indices: Sequence[ir.Value], origin: ir.AffineMap, shape: Sequence[int],
        steps: Sequence[int],
    ) -> tuple[int, TaskBoxes]:  # fmt: skip
        """Return the operand that a load or store works on, and the box of each task."""
        if memory not in self.operands:
            fail(op, f"'{op.operation.name}' needs a memref of the program; run rtile-assign-buffers first")
        kind = ir.MemRefType(memory.type)
        positions = [self._position(op, value) for value in indices]
        low = np.zeros((self.tasks, kind.rank), np.int64)
        high = np.zeros_like(low)
        kept: list[int] = []
        for dimension, (index, extent, step) in enumerate(zip(map_indices(origin), shape, steps, strict=True)):
            first = last = np.full(self.tasks, index.constant, np.int64)
            distance = abs(step)
            even = True
            for k, (value, reach, stride) in zip(index.coefficients, positions, strict=True):
                first, last = first + k * value + min(0, k * reach), last + k * value + max(0, k * reach)
                even = even and (reach == 0 or k * stride % max(1, distance) == 0)
            first, last = first + min(0, (extent - 1) * step), last + max(0, (extent - 1) * step)
            kept.append(max(1, distance) if even else 1)
            # Outside of the buffer nothing is touched; the first index inside keeps its distance to the others.
            low[:, dimension] = np.where(first < 0, first % kept[-1], first)
            high[:, dimension] = np.minimum(last + 1, kind.shape[dimension])
        size = element_bytes(kind.element_type)
        boxes = TaskBoxes(tuple(kind.shape), size, _narrow(low), _narrow(high), tuple(kept))
        return self.operands[memory], boxes

    def _position(self, op: ir.OpView, value: ir.Value) -> tuple[NDArray[np.int64] | int, int, int]:
        """Return the least value of an index in each task, how far it reaches above, and by which steps."""
        if value in self.values:
            return self.values[value], 0, 0
        constant = defining_op(value, "arith.constant")
        if constant is not None:
            return ir.IntegerAttr(constant.attributes["value"]).value, 0, 0
        owner = value.owner.owner if isinstance(value.owner, ir.Block) else None
        if owner is None or owner.operation.name != "scf.for" or is_parallel(owner.operation):
            fail(op, f"'{op.operation.name}' is indexed by {value}, which is no loop variable or constant")
        loop = next(one for one in reduction_nest(_outermost(owner.operation)).loops if one.variable == value)
        return loop.low, loop.step * (loop.trips.static - 1), loop.step


def _outermost(loop: ir.Operation) -> ir.Operation:
    """Return the reduction loop around all others that stand around one."""
    while (parent := loop.parent) is not None and parent.name == "scf.for" and not is_parallel(parent.operation):
        loop = parent.operation
    return loop


def _shape_of(tile: ir.Value) -> Sequence[int]:
    return ir.RankedTensorType(tile.type).shape


def _narrow(values: NDArray[np.int64]) -> Ints:
    return values.astype(np.int32)
