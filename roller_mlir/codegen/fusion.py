# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which linalg ops become one program: legal groupings listed, weighed, and the cheapest cut kept.

Starting from each op alone, the two groups whose union saves most are joined, until no union saves anything. A union is
legal where its ops can be read as one group (`group`), where nothing outside of it lies between them, and where what
leaves it is made by it. Paper: PolyDL section 5; ROLLER section 3.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.codegen.common_loops import starts_of
from roller_mlir.codegen.group import Group, GroupError, read_group
from roller_mlir.codegen.linalg_reader import read_structured
from roller_mlir.codegen.producers import readers_of
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Cost:
    """What the model expects of a program.

    Attributes:
        seconds: Predicted time.
        global_bytes: Bytes that it loads and stores.
    """

    seconds: float
    global_bytes: int


Ops = tuple[ir.Operation, ...]
Weigh = Callable[[TensorExpression], Cost | str]
"""The cost of an expression, or why it cannot be planned."""


@dataclass(frozen=True)
class Decision:
    """What was decided of two neighbouring groups.

    Attributes:
        producer: The ops of the first one.
        consumer: Those of the second one, which read what the first makes, or what it reads.
        joined: Whether they became one.
        reason: Why not, empty where they did.
        apart: Cost of both alone, None where the union is not legal.
        together: Cost of the union, likewise.
    """

    producer: Ops
    consumer: Ops
    joined: bool
    reason: str = ""
    apart: Cost | None = None
    together: Cost | None = None


@dataclass(frozen=True)
class Cut:
    """The groups that were chosen, in an order in which they can run, and how that came about."""

    groups: tuple[Ops, ...]
    decisions: tuple[Decision, ...]


class Fusion:
    """The search over one block."""

    def __init__(self, operations: Sequence[ir.Operation], weigh: Weigh) -> None:
        self._order = {operation: number for number, operation in enumerate(operations)}
        self._weigh = weigh
        self._costs: dict[Ops, Cost | str] = {}
        self._readers: dict[ir.Operation, set[ir.Operation]] = {
            operation: {reader for result in operation.results for reader in readers_of(result)}
            for operation in operations
        }
        self._read = {operation: _tensors_read(operation) for operation in operations}

    def search(self) -> Cut:
        """Return the cheapest cut that joining neighbours step by step finds."""
        groups: list[Ops] = [(operation,) for operation in self._order]
        decisions: list[Decision] = []
        while True:
            weighed = [self._decide(a, b, groups) for a, b in self._neighbours(groups)]
            useful = [one for one in weighed if one.joined]
            if not useful:
                decisions += weighed
                return Cut(tuple(self._sorted(groups)), tuple(decisions))
            best = max(useful, key=_saved)
            decisions.append(best)
            groups = [group for group in groups if group not in (best.producer, best.consumer)]
            groups.append(self._union(best.producer, best.consumer))

    def _union(self, a: Sequence[ir.Operation], b: Sequence[ir.Operation]) -> Ops:
        return tuple(sorted((*a, *b), key=lambda operation: self._order[operation]))

    def _neighbours(self, groups: Sequence[Ops]) -> list[tuple[Ops, Ops]]:
        """Return the pairs of groups of which the second reads what the first makes."""
        home = {operation: group for group in groups for operation in group}
        found: dict[tuple[Ops, Ops], None] = {}
        for group in groups:
            for operation in group:
                results = set(operation.results)
                readers = [
                    one
                    for one in self._readers[operation]
                    if one in home and home[one] != group and results & self._read[one]
                ]
                for reader in sorted(readers, key=self._order.__getitem__):
                    found[group, home[reader]] = None
        return list(found)

    def _decide(
        self,
        producer: Ops,
        consumer: Ops,
        groups: Sequence[Ops],
    ) -> Decision:
        union = self._union(producer, consumer)
        if self._is_crossed(producer, consumer, groups):
            return Decision(producer, consumer, False, "another program stands between them")
        together, one, two = self._cost(union), self._cost(producer), self._cost(consumer)
        if isinstance(one, str) or isinstance(two, str):
            return Decision(producer, consumer, False, one if isinstance(one, str) else str(two))
        apart = Cost(one.seconds + two.seconds, one.global_bytes + two.global_bytes)
        if isinstance(together, str):
            return Decision(producer, consumer, False, together, apart)
        if together.seconds >= apart.seconds:
            return Decision(producer, consumer, False, "one program would take longer", apart, together)
        return Decision(producer, consumer, True, "", apart, together)

    def _is_crossed(
        self,
        producer: Ops,
        consumer: Ops,
        groups: Sequence[Ops],
    ) -> bool:
        """Whether a path leads from the first group through others to the second: both could not run at once."""
        home = {operation: group for group in groups for operation in group}
        pending = [
            home[reader]
            for operation in producer
            for reader in self._all_readers(operation)
            if reader in home and home[reader] not in (producer, consumer)
        ]
        seen: set[Ops] = set()
        while pending:
            group = pending.pop()
            if group == consumer:
                return True
            if group in seen:
                continue
            seen.add(group)
            pending += [
                home[reader]
                for operation in group
                for reader in self._all_readers(operation)
                if reader in home and home[reader] != group
            ]
        return False

    def _all_readers(self, operation: ir.Operation) -> list[ir.Operation]:
        """Return the structured ops that depend on an op, through reshapes, slices and paddings too."""
        found: list[ir.Operation] = []
        pending = list(self._readers.get(operation, ()))
        seen: set[ir.Operation] = set()
        while pending:
            reader = pending.pop()
            if reader in seen:
                continue
            seen.add(reader)
            if reader in self._order:
                found.append(reader)
            else:
                pending += [use.owner.operation for result in reader.results for use in result.uses]
        return found

    def _cost(self, group: Ops) -> Cost | str:
        if group not in self._costs:
            self._costs[group] = self._weighed(group)
        return self._costs[group]

    def _weighed(self, group: Ops) -> Cost | str:
        try:
            return self._weigh(self.read(group).expression)
        except GroupError as error:
            return str(error)

    def read(self, group: Sequence[ir.Operation]) -> Group:
        """Return a group with the tensors that leave it.

        Raises:
            GroupError: It cannot be one program.
        """
        return read_group(group, leaving(group))

    def _sorted(self, groups: Sequence[Ops]) -> list[Ops]:
        return sorted(groups, key=lambda group: self._order[group[-1]])


def leaving(group: Sequence[ir.Operation]) -> list[ir.Value]:
    """Return the tensors of a group that others read."""
    return [
        result
        for operation in group
        for result in operation.results
        if any(reader not in group for reader in readers_of(result))
    ]


def _tensors_read(operation: ir.Operation) -> set[ir.Value]:
    """Return the tensors whose elements an op uses."""
    root = read_structured(operation)
    return {*root.sources, *(start for start, _ in starts_of(root))}


def _saved(decision: Decision) -> float:
    assert decision.apart is not None and decision.together is not None
    return decision.apart.seconds - decision.together.seconds
