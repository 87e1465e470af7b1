# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops of a program whose tasks walk their rows in steps, pass by pass (`lowering.linalg.group.row_passes`)."""

from collections.abc import Sequence

from roller_mlir.dialects import rtile
from roller_mlir.lowering.linalg.group.expression import passes_of
from roller_mlir.lowering.linalg.group.group import Group, Member
from roller_mlir.lowering.linalg.group.row_passes import MemberPass
from roller_mlir.lowering.loops.compute_box import ComputeBox
from roller_mlir.lowering.loops.expanded import StagedPart, Walked
from roller_mlir.lowering.loops.expansion import Expansion
from roller_mlir.lowering.loops.nest import ROW
from roller_mlir.plan import Access, Plan
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.support.bindings import ir


def expansion_of(plan: Plan, group: Group) -> Expansion:
    """Return what builds the loops of a planned group."""
    walks = group.expression.walks_rows([axis.block for axis in plan.axes])
    return RowExpansion(plan, group) if walks else Expansion(plan, group)


class RowExpansion(Expansion):
    """Builds the loops of a program whose rows no task holds: one loop a pass."""

    def __init__(self, plan: Plan, group: Group) -> None:
        super().__init__(plan, group)
        self._rows: dict[int, ir.Value] = {}  # whole rows that stay in workgroup memory, by number of the operand

    def input_tile(self, number: int, position: int, box: ComputeBox, source: ir.Value, access: Access) -> ir.Value:
        """Return the tile that an input of an op is read from: a part of the rows that a task keeps."""
        operand = self._operands.get((number, position))
        if operand is None or operand not in self._rows or source in self._tiles:
            return super().input_tile(number, position, box, source, access)
        whole = self._box(self._group.members[number], self._row_blocks())
        return self._part(StagedPart(self._rows[operand], whole, self._walked), box, access)

    def task_tile(self, destinations: Sequence[ir.Value]) -> list[ir.Value]:
        """Walk the rows of a task, one loop a pass; return the destinations behind what it stores."""
        group = self._group
        made = {value: n for n, member in enumerate(group.members) for value in member.root.operation.results}
        self._keep_rows()
        left = dict(zip(group.results, destinations, strict=True))
        for one in passes_of(group.members, group.expression.whole, made, group.results):
            for number in one.before:
                self._define(number, self._member)
            if one.members:
                self._pass(one, left)
        behind = [value for value in group.results if value in self._tiles]
        left.update(zip(behind, self._stored(behind, [left[value] for value in behind]), strict=True))
        return [left[value] for value in group.results]

    def _pass(self, one: MemberPass, left: dict[ir.Value, ir.Value]) -> None:
        """One pass: its loop carries what is reduced, and the tensors that are stored in it.

        Args:
            one: The pass.
            left: The tensors that leave the group, so far; changed.
        """
        members = self._group.members
        sums = [value for number in one.reducing for value in members[number].root.operation.results]
        starts = [
            tile
            for number in one.reducing
            for tile in self._initial(number, members[number], self._box(members[number]))
        ]
        known = dict(self._tiles)

        def step(carried: Sequence[ir.Value]) -> list[ir.Value]:
            current = dict(zip(sums, carried, strict=False))

            def make(number: int, member: Member) -> list[ir.Value]:
                if number not in one.reducing:
                    return self._member(number, member)
                accumulators = [current[value] for value in member.root.operation.results]
                return self._all_points(number, member, self._box(member), accumulators)

            for number in one.members:
                self._define(number, make)
            stored = self._stored(one.results, carried[len(sums) :])
            return [*(self._tiles[value] for value in sums), *stored]

        found = self._nest(
            [Walked(loop, self._steps[loop]) for loop in self._walked],
            [*starts, *(left[value] for value in one.results)],
            step,
            {rtile.MAPPING: ir.StringAttr.get(ROW)},
        )
        for loop in self._walked:
            del self._variables[loop]
        self._kept = {}
        self._tiles = {**known, **dict(zip(sums, found, strict=False))}
        left.update(zip(one.results, found[len(sums) :], strict=True))

    def _row_blocks(self) -> dict[int, int]:
        """Return the blocks of a row along each loop that the task walks."""
        return {loop: self._steps[loop] for loop in self._walked}

    def _keep_rows(self) -> None:
        """Bring the rows that stay in workgroup memory there, from end to end."""
        for operand, layout in enumerate(self._plan.operands):
            if layout.layer == WORKGROUP:
                number, position = self._group.inputs[operand][0]
                member = self._group.members[number]
                with member.root.operation.location:
                    box = self._box(member, self._row_blocks())
                    access = box.access(member.root.expression.inputs[position])
                    self._rows[operand] = self._load(box, member.root.sources[position], access, layout)
