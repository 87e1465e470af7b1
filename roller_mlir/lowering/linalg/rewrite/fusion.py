# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which linalg ops become one program: legal groupings listed, evaluated, and the cheapest cut kept.

Starting from each op alone, the two groups whose union saves most are joined, until no union saves anything. A union is
legal where its ops can be read as one group (`group`), where nothing outside of it lies between them (`dependences`),
and where what leaves it is made by it. The work grows with the number of ops, not faster, but for the queue's
logarithm: a union is evaluated against its neighbours only. Groups that are equal but for their tensors, such as the
cells of an unrolled network, are evaluated once. Paper: PolyDL section 5; ROLLER section 3.1.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import chain, count

from roller_mlir.lowering.linalg.body import INDEX
from roller_mlir.lowering.linalg.constants import Constants
from roller_mlir.lowering.linalg.group.dependences import DependenceNode, Dependences
from roller_mlir.lowering.linalg.group.dispatches import NO_CONSTANTS, ConstantInputs, constant_inputs
from roller_mlir.lowering.linalg.group.group import Group, GroupError, group_of_roots
from roller_mlir.lowering.linalg.group.producers import readers_of
from roller_mlir.lowering.linalg.pads import PAD
from roller_mlir.lowering.linalg.reader import StructuredOp, StructuredReader
from roller_mlir.plan import TensorExpression
from roller_mlir.plan.rewrite.least_starts import with_least_starts
from roller_mlir.plan.rewrite.merge_axes import merge_axes
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op


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
Evaluate = Callable[[TensorExpression, bool, ConstantInputs], Cost | str]
"""The cost of an expression, whose reduction may be divided over tasks or not, some of whose inputs are constants, or
why it cannot be planned."""

CROSSED = "another program stands between them"
RESHAPED = "what the second one reads of the first is reshaped in memory"

MOST_MEMBERS = 64
"""Ops that one program may join, so that the union with one more is evaluated in bounded time."""


@dataclass(frozen=True)
class FusionDecision:
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
    """The groups that were chosen, in an order in which they can run, and how that came about.

    Attributes:
        groups: Their ops.
        kinds: Of each what it is but for its tensors: equal groups have equal ones.
        decisions: What was decided of each two.
    """

    groups: tuple[Ops, ...]
    kinds: tuple[Hashable, ...]
    decisions: tuple[FusionDecision, ...]


class _Structures:
    """What groups of ops are but for their tensors: equal groups have equal keys.

    A key may also leave out where slices begin, as plans do (`plan.rewrite.least_starts`): what a group costs. Then it
    says which of its ops read the same slices.

    Args:
        roots: The ops, read; groups are numbers of them.
        constants: Of each, which of its inputs are constants.
    """

    def __init__(self, roots: Sequence[StructuredOp], constants: Sequence[ConstantInputs]) -> None:
        kinds: dict[Hashable, int] = {}
        values: dict[ir.Value, int] = {}
        maker: dict[ir.Operation, int] = {root.operation: number for number, root in enumerate(roots)}
        slices: dict[Hashable, int] = {}
        self._ops: list[tuple[int, tuple[int, ...]]] = []
        self._planned: list[tuple[int, tuple[int, ...]]] = []
        self._results: list[list[tuple[int, ir.Value, frozenset[int]]]] = []
        for root, known in zip(roots, constants, strict=True):
            operation = root.operation
            starts = tuple((number, access) for number, _, access in root.starts)
            indexed = tuple(op.attributes["dim"] for op in root.body.ops if op.name == INDEX)
            same = root.inputs, starts, indexed, len(operation.operands), known
            kind: Hashable = (operation.name, root.expression, *same)
            used = [*map(_unpadded, operation.operands), *root.sources, *(value for _, value, _ in root.starts)]
            numbers = tuple(values.setdefault(value, len(values)) for value in (*used, *operation.results))
            self._ops.append((kinds.setdefault(kind, len(kinds)), numbers))
            planned = with_least_starts(root.expression)
            if planned == root.expression:
                self._planned.append(self._ops[-1])
            else:
                kind = (operation.name, planned, *same)
                read = zip(root.sources, root.expression.inputs, strict=True)
                shared = tuple(-1 - slices.setdefault((source, one.indices), len(slices)) for source, one in read)
                self._planned.append((kinds.setdefault(kind, len(kinds)), (*numbers, *shared)))
            self._results.append(
                [
                    (values[result], result, frozenset(maker.get(reader, -1) for reader in readers_of(result)))
                    for result in operation.results
                ]
            )

    def leaving(self, members: Sequence[int]) -> list[tuple[int, ir.Value]]:
        """Return the tensors of a group that others read, each with its number."""
        own = set(members)
        results = (result for member in members for result in self._results[member])
        return [(number, value) for number, value, readers in results if not readers <= own]

    def key(self, members: Sequence[int], leaving: Sequence[int], *, planned: bool = False) -> Hashable:
        """Return the key of a group, of which these tensors leave; as it is `planned`, without where slices begin."""
        ops = self._planned if planned else self._ops
        kinds, values = zip(*[ops[member] for member in members], strict=True)
        wired = [*chain.from_iterable(values)]
        first = dict(zip(dict.fromkeys(wired), count(), strict=False))  # of each tensor, by its first use
        return kinds, tuple(map(first.__getitem__, wired)), tuple([first[value] for value in leaving])


def _unpadded(value: ir.Value) -> ir.Value:
    """Return what a padding pads, which is what ops read; other values as they are."""
    while (padding := defining_op(value, PAD)) is not None:
        value = padding.operands[0]
    return value


class Fusion:
    """The search over one block. Each op is read once, each pair of groups evaluated once, equal groups together.

    Args:
        operations: The ops.
        evaluate: What an expression costs.
        constants: Whether that depends on which inputs are constants.
    """

    def __init__(self, operations: Sequence[ir.Operation], evaluate: Evaluate, *, constants: bool = False) -> None:
        self._evaluate = evaluate
        self._operations = tuple(operations)
        reader = StructuredReader(unchanged=True)
        self._roots = [reader.read(operation) for operation in operations]
        self._constants = Constants() if constants else None
        self._structures = _Structures(self._roots, [self._own_constants(root) for root in self._roots])
        self._known: dict[Hashable, Cost | str] = {}
        self._graph = Dependences(self._roots)
        self._costs: dict[DependenceNode, Cost | str] = {}
        self._pairs: dict[tuple[DependenceNode, DependenceNode], FusionDecision] = {}
        self._of: dict[DependenceNode, set[tuple[DependenceNode, DependenceNode]]] = {}
        self._queue: list[tuple[float, int, tuple[DependenceNode, DependenceNode], FusionDecision]] = []
        self._queued = 0

    @property
    def roots(self) -> Mapping[ir.Operation, StructuredOp]:
        """The ops, read."""
        return {root.operation: root for root in self._roots}

    @property
    def steps(self) -> int:
        """Groups looked at so far to find out what lies between others."""
        return self._graph.steps

    def seconds(self) -> float | None:
        """Return what all ops take by the cheapest cut; None where one has no plan. It is searched for."""
        self.search()
        total = 0.0
        for node in self._graph.nodes:
            cost = self._cost(node)
            if isinstance(cost, str):
                return None
            total += cost.seconds
        return total

    def search(self) -> Cut:
        """Return the cheapest cut that joining neighbours step by step finds."""
        decisions: list[FusionDecision] = []
        for node in self._graph.nodes:
            self._evaluate_neighbours(node)
        while (pair := self._best()) is not None:
            decisions.append(self._pairs[pair])
            for node in pair:
                self._forget(node)
            self._evaluate_neighbours(self._graph.join(*pair))
        nodes = self._graph.in_order()
        kinds = tuple(self._structures.key(node.members, ()) for node in nodes)
        return Cut(tuple(map(self._ops, nodes)), kinds, (*decisions, *self._pairs.values()))

    def _ops(self, node: DependenceNode) -> Ops:
        return tuple(self._operations[number] for number in node.members)

    def _forget(self, node: DependenceNode) -> None:
        """Drop the pairs that a group, which is one no longer, stands in."""
        for pair in self._of.pop(node, ()):
            self._pairs.pop(pair, None)
        self._costs.pop(node, None)

    def _evaluate_neighbours(self, node: DependenceNode) -> None:
        """Decide of the pairs that a group is one of: the first makes what the second reads."""
        before = [(giver, node) for giver in self._graph.givers(node)]
        behind = [(node, taker) for taker in self._graph.takers(node)]
        for pair in (*before, *behind):
            if pair in self._pairs:
                continue
            decision = self._pairs[pair] = self._decide(*pair)
            for one in pair:
                self._of.setdefault(one, set()).add(pair)
            if decision.joined:
                self._queued += 1
                heappush(self._queue, (-_saved(decision), self._queued, pair, decision))

    def _best(self) -> tuple[DependenceNode, DependenceNode] | None:
        """Return the union that saves most and is legal still: other unions may have come between its groups."""
        while self._queue:
            *_, pair, decision = heappop(self._queue)
            if self._pairs.get(pair) is not decision:
                continue  # one of both is another group by now
            reason = self._between(*pair)
            if not reason:
                return pair
            self._pairs[pair] = FusionDecision(self._ops(pair[0]), self._ops(pair[1]), False, reason)
        return None

    def _between(self, producer: DependenceNode, consumer: DependenceNode) -> str:
        """Return what forbids a union that would have to run before itself, empty where nothing does."""
        if self._graph.is_reshaped_between(producer, consumer):
            return RESHAPED
        return CROSSED if self._graph.is_crossed(producer, consumer) else ""

    def _decide(self, producer: DependenceNode, consumer: DependenceNode) -> FusionDecision:
        first, second = self._ops(producer), self._ops(consumer)
        reason = self._between(producer, consumer)
        if not reason and len(first) + len(second) > MOST_MEMBERS:
            reason = f"one program would join {len(first) + len(second)} ops, of at most {MOST_MEMBERS}"
        if reason:
            return FusionDecision(first, second, False, reason)
        together = self._evaluated(sorted((*producer.members, *consumer.members)))
        one, two = self._cost(producer), self._cost(consumer)
        if isinstance(one, str) or isinstance(two, str):
            return FusionDecision(first, second, False, one if isinstance(one, str) else str(two))
        apart = Cost(one.seconds + two.seconds, one.global_bytes + two.global_bytes)
        if isinstance(together, str):
            return FusionDecision(first, second, False, together, apart)
        if together.seconds >= apart.seconds:
            return FusionDecision(first, second, False, "one program would take longer", apart, together)
        return FusionDecision(first, second, True, "", apart, together)

    def _cost(self, node: DependenceNode) -> Cost | str:
        if node not in self._costs:
            self._costs[node] = self._evaluated(node.members)
        return self._costs[node]

    def _evaluated(self, members: Sequence[int]) -> Cost | str:
        leaving = self._structures.leaving(members)
        key = self._structures.key(members, [number for number, _ in leaving], planned=True)
        if key not in self._known:
            self._known[key] = self._evaluated_anew(members, [value for _, value in leaving])
        return self._known[key]

    def _evaluated_anew(self, members: Sequence[int], results: Sequence[ir.Value]) -> Cost | str:
        try:
            found = group_of_roots([self._roots[number] for number in members], results)
        except GroupError as error:
            return str(error)
        # Where loads compute what is before it, axes of a group stay as they are (`group.axes`).
        expression = found.expression if found.producers else merge_axes(found.expression)
        return self._evaluate(expression, found.divisible, self._constant_inputs(found))

    def _own_constants(self, root: StructuredOp) -> ConstantInputs:
        return self._constant_inputs(group_of_roots([root], list(root.operation.results)))

    def _constant_inputs(self, group: Group) -> ConstantInputs:
        return NO_CONSTANTS if self._constants is None else constant_inputs(group, self._constants)


def leaving(group: Sequence[ir.Operation]) -> list[ir.Value]:
    """Return the tensors of a group that others read."""
    members = set(group)
    return [result for operation in group for result in operation.results if not readers_of(result) <= members]


def _saved(decision: FusionDecision) -> float:
    """Return the seconds that a union saves, 0 where it is none."""
    if not decision.joined:
        return 0.0
    assert decision.apart is not None and decision.together is not None
    return decision.apart.seconds - decision.together.seconds
