# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which linalg ops become one program: legal groupings listed, weighed, and the cheapest cut kept.

Starting from each op alone, the two groups whose union saves most are joined, until no union saves anything. A union is
legal where its ops can be read as one group (`group`), where nothing outside of it lies between them, and where what
leaves it is made by it. Paper: PolyDL section 5; ROLLER section 3.1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roller_mlir.codegen.common_loops import starts_of
from roller_mlir.codegen.group import GroupError, group_of_roots
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
Weigh = Callable[[TensorExpression, bool], Cost | str]
"""The cost of an expression, of one op alone or of several, or why it cannot be planned."""

CROSSED = "another program stands between them"


@dataclass(frozen=True)
class Decision:
    """What was decided of two neighbouring groups.

    Attributes:
        producer: The ops of the first one.
        consumer: Those of the second one, which read what the first makes.
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
    """The search over one block. Each op is read once, each pair of groups weighed once."""

    def __init__(self, operations: Sequence[ir.Operation], weigh: Weigh) -> None:
        self._order = {operation: number for number, operation in enumerate(operations)}
        self._weigh = weigh
        self._roots = {operation: read_structured(operation) for operation in operations}
        self._costs: dict[Ops, Cost | str] = {}
        self._home: dict[ir.Operation, Ops] = {operation: (operation,) for operation in operations}
        self._behind = {operation: self._dependents(operation) for operation in operations}
        self._takers: dict[ir.Operation, list[ir.Operation]] = {operation: [] for operation in operations}
        self._givers: dict[ir.Operation, list[ir.Operation]] = {operation: [] for operation in operations}
        maker = {result: operation for operation in operations for result in operation.results}
        for operation, root in self._roots.items():
            read = dict.fromkeys((*root.sources, *(start for start, _ in starts_of(root))))
            for giver in dict.fromkeys(maker[value] for value in read if value in maker):
                self._takers[giver].append(operation)
                self._givers[operation].append(giver)

    def search(self) -> Cut:
        """Return the cheapest cut that joining neighbours step by step finds."""
        decisions: list[Decision] = []
        pairs: dict[tuple[Ops, Ops], Decision] = {}
        for group in list(self._home.values()):
            self._weigh_neighbours(group, pairs)
        while (best := self._best(pairs)) is not None:
            decisions.append(best)
            pairs = {pair: one for pair, one in pairs.items() if not {best.producer, best.consumer}.intersection(pair)}
            union = self._union(best.producer, best.consumer)
            self._home.update(dict.fromkeys(union, union))
            self._weigh_neighbours(union, pairs)
        groups = sorted(set(self._home.values()), key=lambda group: self._order[group[-1]])
        return Cut(tuple(groups), (*decisions, *pairs.values()))

    def _weigh_neighbours(self, group: Ops, pairs: dict[tuple[Ops, Ops], Decision]) -> None:
        """Decide of the pairs that a group is one of: the first makes what the second reads."""
        before = [(self._home[giver], group) for operation in group for giver in self._givers[operation]]
        behind = [(group, self._home[taker]) for operation in group for taker in self._takers[operation]]
        for producer, consumer in (*before, *behind):
            if producer != consumer and (producer, consumer) not in pairs:
                pairs[producer, consumer] = self._decide(producer, consumer)

    def _best(self, pairs: dict[tuple[Ops, Ops], Decision]) -> Decision | None:
        """Return the union that saves most and is legal still: other unions may have come between its groups."""
        for pair, decision in sorted(pairs.items(), key=lambda item: -_saved(item[1])):
            if not decision.joined:
                break
            if not self._is_crossed(*pair):
                return decision
            pairs[pair] = Decision(*pair, False, CROSSED)
        return None

    def _union(self, a: Ops, b: Ops) -> Ops:
        return tuple(sorted((*a, *b), key=lambda operation: self._order[operation]))

    def _decide(self, producer: Ops, consumer: Ops) -> Decision:
        if self._is_crossed(producer, consumer):
            return Decision(producer, consumer, False, CROSSED)
        union = self._union(producer, consumer)
        together, one, two = self._cost(union), self._cost(producer), self._cost(consumer)
        if isinstance(one, str) or isinstance(two, str):
            return Decision(producer, consumer, False, one if isinstance(one, str) else str(two))
        apart = Cost(one.seconds + two.seconds, one.global_bytes + two.global_bytes)
        if isinstance(together, str):
            return Decision(producer, consumer, False, together, apart)
        if together.seconds >= apart.seconds:
            return Decision(producer, consumer, False, "one program would take longer", apart, together)
        return Decision(producer, consumer, True, "", apart, together)

    def _is_crossed(self, producer: Ops, consumer: Ops) -> bool:
        """Whether a path leads from the first group through others to the second: both could not run at once."""
        pending = self._next(producer) - {consumer}
        seen = {producer}
        while pending:
            group = pending.pop()
            if group == consumer:
                return True
            if group not in seen:
                seen.add(group)
                pending |= self._next(group)
        return False

    def _next(self, group: Ops) -> set[Ops]:
        """Return the other groups that depend on a group."""
        return {self._home[reader] for operation in group for reader in self._behind[operation]} - {group}

    def _dependents(self, operation: ir.Operation) -> list[ir.Operation]:
        """Return the structured ops that depend on an op, through reshapes, slices and paddings too."""
        found: list[ir.Operation] = []
        pending = [use.owner.operation for result in operation.results for use in result.uses]
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
            found = group_of_roots([self._roots[operation] for operation in group], leaving(group))
        except GroupError as error:
            return str(error)
        return self._weigh(found.expression, len(group) == 1)


def leaving(group: Sequence[ir.Operation]) -> list[ir.Value]:
    """Return the tensors of a group that others read."""
    members = set(group)
    return [result for operation in group for result in operation.results if not readers_of(result) <= members]


def _saved(decision: Decision) -> float:
    """Return the seconds that a union saves, 0 where it is none."""
    if not decision.joined:
        return 0.0
    assert decision.apart is not None and decision.together is not None
    return decision.apart.seconds - decision.together.seconds
