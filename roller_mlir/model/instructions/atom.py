# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An instruction on the loops of an expression, as the construction places it.

Paper: ROLLER section 3.1 (alignment with the execution unit).
"""

from dataclasses import dataclass, replace
from functools import cached_property

from roller_mlir.hal import Device, Instruction
from roller_mlir.hal.atoms import Family, atom_family
from roller_mlir.hal.atoms.fragments import AxisShare, Shape
from roller_mlir.plan import AxisPlan
from roller_mlir.plan.plan import AtomPlan

POINT = AxisShare(1, 1, 1)


@dataclass(frozen=True)
class Atom:
    """An instruction applied to loops of an expression: the smallest tile of a group of threads.

    Attributes:
        instruction: The instruction.
        row: Loop of its rows, -1 for an instruction of one thread.
        column: Loop of its columns, -1 likewise.
        depth: Reduction loop of its reduction length, -1 likewise.
        shares: How a subgroup's rows and columns are spread over its lanes.
        lanes: Threads along rows and columns: of one subgroup, or of all that issue the instruction together.
        per_thread: Results of one thread along rows and columns.
        length: Reduction points of one instruction.
        order: The loops of rows and columns in the number of a lane, fastest first.
        multiples: Per loop, what a tile must be a multiple of: the shape, and what tensor copies need.
        extra_axis: The loop that the subgroups of one instruction run along, where that is not the loop of its rows; a
            block has the rows of one subgroup then. Else -1.
    """

    instruction: Instruction
    row: int = -1
    column: int = -1
    depth: int = -1
    shares: tuple[AxisShare, AxisShare] = (POINT, POINT)
    lanes: tuple[int, int] = (1, 1)
    per_thread: tuple[int, int] = (1, 1)
    length: int = 1
    order: tuple[int, ...] = ()
    multiples: tuple[tuple[int, int], ...] = ()
    extra_axis: int = -1

    @property
    def groups(self) -> int:
        """Subgroups of one instruction along `beside`, 1 without it."""
        return self.instruction.threads // (self.lanes[0] * self.lanes[1]) if self.extra_axis >= 0 else 1

    @property
    def free(self) -> tuple[int, ...]:
        """The loops along which a tile may have several points, and the loop of rows only where it may grow."""
        return self.loops if self.extra_axis < 0 else (self.column, self.depth, self.extra_axis)

    @property
    def loops(self) -> tuple[int, int, int]:
        """The loops of rows, columns and reduction."""
        return self.row, self.column, self.depth

    @property
    def least_shape(self) -> Shape:
        """The least shape of a matrix instruction."""
        m, n, k = self.instruction.shape
        return m, n, k

    @cached_property
    def is_matrix(self) -> bool:
        """Whether a matrix unit executes it."""
        return self.instruction.is_matrix

    @cached_property
    def family(self) -> Family:
        """The record of the instruction's family."""
        return atom_family(self.instruction.family)

    @cached_property
    def reads_memory(self) -> bool:
        """Whether the instruction takes its factors from workgroup memory, without fragments in registers."""
        return self.family.reads_memory

    @property
    def digits(self) -> tuple[tuple[int, int, int], ...]:
        """The digits of a lane's number, fastest first: loop, how many values, and points from one to the next."""
        if not self.order:
            return ()
        shares = dict(zip((self.row, self.column), self.shares, strict=True))
        return tuple((loop, shares[loop].lanes, shares[loop].chunk) for loop in self.order)

    @property
    def lane(self) -> int | None:
        """The loop of whose results a lane holds neighbours, None for an instruction of one thread."""
        rows, columns = self.shares
        return self.row if rows.chunk > 1 else self.column if columns.chunk > 1 else None

    def points(self, columns: int = 0) -> int:
        """Return the points of the loop nest that one instruction computes for one thread.

        Args:
            columns: Columns of one thread's tile, up to which the instruction is taken as wide as it exists.
        """
        if not self.is_matrix:
            return self.family.points
        widest = self.instruction.max_shape[1] // self.lanes[1]
        return self.per_thread[0] * max(self.per_thread[1], min(columns, widest)) * self.length

    def cycles_per_point(self, device: Device) -> float:
        """Return for how many cycles of one scheduler a subgroup's points, one a thread, occupy it."""
        return device.cycles_per_point(self.instruction)

    def shape(self, columns: int) -> tuple[int, int, int]:
        """Return the shape of a plan's instruction: as wide as it exists, where it is not of one width.

        Args:
            columns: Columns of one thread's tile.
        """
        m, _, k = self.instruction.shape
        n = self.per_thread[1] * self.lanes[1]
        tile = columns * self.lanes[1]
        widest = min(tile, self.instruction.max_shape[1])
        return m, next(width for width in range(widest // n * n, 0, -n) if tile % width == 0), k

    def plan(self, columns: int) -> AtomPlan | None:
        """Return what a plan says of the instruction, None for one of a single thread; argument as `shape`."""
        if not self.is_matrix:
            return None
        shape = self.shape(columns)
        return AtomPlan(shape=shape, row=self.row, column=self.column, depth=self.depth, lane_order=self.order)

    def axes(self, axes: tuple[AxisPlan, ...]) -> tuple[AxisPlan, ...]:
        """Return the axes of a plan with the lanes and tiles of the instruction's loops."""
        if not self.is_matrix:
            return axes
        rows, columns = self.shares
        width = self.shape(axes[self.column].registers)[1] if self.reads_memory else columns.tile
        found = list(axes)
        found[self.row] = replace(axes[self.row], chunk=rows.chunk, lanes=rows.lanes, tile=rows.tile)
        found[self.column] = replace(axes[self.column], chunk=columns.chunk, lanes=columns.lanes, tile=width)
        return tuple(found)

    def moved(self, by: int) -> "Atom":
        """Return the atom for an expression with so many more loops in front."""
        if not self.is_matrix:
            return self
        return replace(
            self,
            row=self.row + by,
            column=self.column + by,
            depth=self.depth + by,
            order=tuple(loop + by for loop in self.order),
            multiples=tuple((loop + by, size) for loop, size in self.multiples),
            extra_axis=self.extra_axis + by if self.extra_axis >= 0 else -1,
        )
