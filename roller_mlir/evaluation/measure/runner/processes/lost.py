# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which families of kernels are lost: one of theirs ended the process or broke the device, so the others are left out.

All that is not of a lost family is still done, and what was done before stays.
"""

from collections.abc import Iterable
from dataclasses import replace

from roller_mlir.evaluation.measure.records import Kit, LostFamily
from roller_mlir.evaluation.measure.runner.steps import DeviceFault, Step, StepOutcome


class LostFamilies:
    """The lost families of a run."""

    def __init__(self, kit: Kit) -> None:
        """Begin with none.

        Args:
            kit: Which names the families of its candidates.
        """
        self._families = {(item.id, one.rank): one.family for item in kit.items for one in item.candidates}
        self._families |= {(one.name, 0): f"probe {one.quantity} {one.subject}".strip() for one in kit.probes}
        self._lost: dict[str, LostFamily] = {}

    @property
    def lost(self) -> tuple[LostFamily, ...]:
        """All of them, in the order in which they were lost."""
        return tuple(self._lost.values())

    def note(self, step: Step, outcome: StepOutcome) -> bool:
        """Take what came of a step; return whether a family is lost by it."""
        fault = outcome.fault
        family = "" if fault is None else self._guilty(step, fault)
        if fault is None or not family or family in self._lost:
            return False
        self._lost[family] = LostFamily(family=family, item=step.item, rank=fault.rank, message=fault.message)
        return True

    def note_all(self, steps: Iterable[Step], outcomes: dict[str, StepOutcome]) -> None:
        """Take what came of the steps that an earlier run has done."""
        for step in steps:
            if step.key in outcomes:
                self.note(step, outcomes[step.key])

    def without(self, step: Step) -> tuple[Step, str]:
        """Return a step without the candidates of lost families, and the family for which nothing of it is left."""
        if step.kind == "probe":
            family = self._families.get((step.item, 0), "")
            return step, family if family in self._lost else ""
        kept = tuple(rank for rank in step.ranks if self._families.get((step.item, rank), "") not in self._lost)
        if step.ranks and not kept:
            return step, self._families[step.item, step.ranks[0]]
        base = step.base
        if base is not None and self._families.get((step.item, base), "") in self._lost:
            base = None
        return replace(step, ranks=kept, base=base), ""

    def _guilty(self, step: Step, fault: DeviceFault) -> str:
        """Return the family of who was at work; "" where that may be several, or is none of ours."""
        if fault.who == "probe":
            return self._families.get((step.item, 0), "")
        if fault.who != "ours":
            return ""
        found = {self._families.get((step.item, rank), "") for rank in step.ranks}
        if step.kind == "time" and len(found) > 1:  # they take turns, and nobody says whose it is
            return ""
        return self._families.get((step.item, fault.rank), "")
