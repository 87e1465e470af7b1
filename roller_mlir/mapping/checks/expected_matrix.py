# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan with a matrix instruction expects of one pass of its main loop: instructions of a subgroup, and reads.

A fragment that several instructions take is read once. Two neighbouring fragments of 8 columns are read together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from roller_mlir.hal.atoms import Factors, atom_family
from roller_mlir.hal.atoms.fragments import DEPTH, Fragment
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.matrix_phases import alone, reads_matrices
from roller_mlir.mapping.thread_map import live_registers
from roller_mlir.mapping.unrolling import rolled_reductions
from roller_mlir.plan import Access, Loop, OperandPlan, Plan, TensorExpression
from roller_mlir.plan.plan import AtomPlan


@dataclass(frozen=True)
class FragmentReads:
    """How one factor's fragments are read in a pass, by each thread.

    Attributes:
        matrices: Whether by loads of matrices; else each lane reads its own elements.
        widths: {bytes of a thread's access: accesses}.
    """

    matrices: bool
    widths: dict[int, int]


@dataclass(frozen=True)
class MatrixPass:
    """One pass of the innermost loop that is left of a step.

    Attributes:
        loops: The expression's loops.
        plan: The plan.
        atom: Its matrix instruction.
        rolled: Reduction loops that stay loops.
    """

    loops: tuple[Loop, ...]
    plan: Plan
    atom: AtomPlan
    rolled: frozenset[int]

    @classmethod
    def of(cls, expression: TensorExpression, plan: Plan) -> "MatrixPass":
        """Return the pass of a plan that has a matrix instruction."""
        assert plan.atom is not None
        whole = cls(expression.loops, plan, plan.atom, frozenset())
        others = [
            i
            for i, loop in enumerate(expression.loops)
            if loop.reduction and i != plan.atom.depth and plan.axes[i].block > 1
        ]
        blocks = [plan.axes[i].block for i in others]
        parallel = [i for i, loop in enumerate(expression.loops) if not loop.reduction]
        count = prod(whole.tiles(i) for i in [*parallel, plan.atom.depth])
        return cls(expression.loops, plan, plan.atom, frozenset(others[: rolled_reductions(blocks, count)]))

    def tiles(self, loop: int) -> int:
        """Return the positions of a loop at which a subgroup issues instructions in the pass."""
        axis, atom = self.plan.axes[loop], self.atom
        if loop in self.rolled:
            return 1
        if loop == atom.depth:
            return axis.block // atom.shape[2]
        live = axis.registers if self.loops[loop].reduction else len(live_registers(axis, self.loops[loop]))
        return live // (axis.tile // axis.lanes) if axis.lanes else live

    @property
    def instructions(self) -> int:
        """Matrix instructions of a subgroup."""
        return prod(self.tiles(loop) for loop in range(len(self.plan.axes)))

    def reads(self, access: Access, operand: OperandPlan, features: Sequence[str]) -> FragmentReads | None:
        """Return how a staged factor is read; None where the instruction reads workgroup memory, or in ways of its own.

        Args:
            access: The factor.
            operand: Its layout.
            features: What the device has.
        """
        family, atom = atom_family(self.plan.instruction), self.atom
        if family.factors not in (Factors.LANES, Factors.PIECES):
            return None
        is_first = atom.row in access.loops()
        fragments = family.fragments(atom.shape, access.element_bytes)
        fragment = fragments.first if is_first else fragments.second
        side = atom.row if is_first else atom.column
        inner = alone(tile_dimensions(access, [axis.block for axis in self.plan.axes]), operand.order[-1])
        count = prod(self.tiles(loop) for loop in access.loops())
        whole = fragment.count * access.element_bytes
        along = inner == atom.depth or (inner == side and access.element_bytes == 2)
        if along and reads_matrices(operand, access.element_bytes, family, features):
            if is_first or atom.shape[1] != 8:
                return FragmentReads(True, {whole: count})
            pairs, single = divmod(self.tiles(side), 2)
            each = count // self.tiles(side)
            widths = {2 * whole: pairs * each, whole: single * each}
            return FragmentReads(True, {width: number for width, number in widths.items() if number})
        width = self._width(fragment, operand, inner, access.element_bytes)
        return FragmentReads(False, {width * access.element_bytes: count * fragment.count // width})

    def _width(self, fragment: Fragment, operand: OperandPlan, inner: int | None, size: int) -> int:
        """Return how many elements of a fragment that lie side by side a lane reads at once."""
        dimension, count, stride = fragment.elements[0] if fragment.elements else (DEPTH, 1, 1)
        neighbours = inner == self.atom.depth and dimension == DEPTH and stride == 1
        return min(self._held(count, size), operand.fragment_vector) if neighbours else 1

    def _held(self, count: int, element_bytes: int) -> int:
        """Return how many neighbours of the reduction a lane holds for the instructions that take them."""
        family, atom = atom_family(self.plan.instruction), self.atom
        return count * family.depth_pack(atom.shape, element_bytes, self.plan.axes[atom.depth].block)
