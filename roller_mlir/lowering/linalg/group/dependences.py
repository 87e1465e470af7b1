# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which groups of ops depend on which, and which two may be joined: those between which nothing else has to run.

Ops are numbered in the order in which they stand. A group is legal where no path of dependences leaves it and comes
back: a program cannot run before itself. There are two ways to depend: an op takes what another makes (also through a
padding or a slice, which it reads through), or it takes what an op outside of every program makes of it, such as a
reshape of tensors in memory. Two ops of which the second depends on the first in the second way are never one program.

    %a = ...            a -> r -> reshape -> o, and a -> o
    %r = f(%a)          {a, r} is legal, {a, o} is not: r would run before and behind it;
    %c = reshape %r     {a, r, o} is not, nor {r, o}: the reshape lies between
    %o = g(%a, %c)

The groups form a graph without cycles, whose nodes carry ranks: a dependence leads to a higher rank. So the search for
a path between two groups looks at those of ranks between theirs only, and joining them renumbers only those.
"""

from collections.abc import Iterable, Sequence

from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, values_used


class DependenceNode:
    """A group of ops.

    Attributes:
        members: Numbers of its ops, ascending.
        rank: Its place in an order in which the groups can run; unique.
        before: The groups that it depends on, and whether it takes what they make as it is.
        behind: The groups that depend on it, likewise.
        reshaped: The groups that take what is made of its results outside of programs.
    """

    def __init__(self, number: int) -> None:
        self.members: tuple[int, ...] = (number,)
        self.rank = number
        self.before: dict[DependenceNode, bool] = {}
        self.behind: dict[DependenceNode, bool] = {}
        self.reshaped: dict[DependenceNode, None] = {}


class Dependences:
    """The graph of groups; at first each op is one.

    Args:
        roots: Structured ops of one block, in order, read.
    """

    def __init__(self, roots: Sequence[StructuredOp]) -> None:
        ops = [DependenceNode(number) for number in range(len(roots))]
        self._nodes = dict.fromkeys(ops)
        self.steps = 0
        maker = {result: ops[number] for number, root in enumerate(roots) for result in root.operation.results}
        known: dict[ir.Value, frozenset[DependenceNode]] = {}
        for node, root in zip(ops, roots, strict=True):
            for value in dict.fromkeys((*root.sources, *(start for _, start, _ in root.starts))):
                if value in maker:
                    node.before[maker[value]] = maker[value].behind[node] = True
                    continue
                for giver in _makers(value, maker, known):
                    node.before.setdefault(giver, False)
                    giver.behind.setdefault(node, False)
                    giver.reshaped[node] = None

    @property
    def nodes(self) -> tuple[DependenceNode, ...]:
        """The groups, in no particular order."""
        return tuple(self._nodes)

    def in_order(self) -> list[DependenceNode]:
        """Return the groups in an order in which they can run."""
        return sorted(self._nodes, key=lambda node: node.rank)

    def givers(self, node: DependenceNode) -> list[DependenceNode]:
        """Return the groups whose results a group takes as they are, by the order of their ops."""
        return _by_members(giver for giver, direct in node.before.items() if direct)

    def takers(self, node: DependenceNode) -> list[DependenceNode]:
        """Return the groups that take a group's results as they are, by the order of their ops."""
        return _by_members(taker for taker, direct in node.behind.items() if direct)

    def is_reshaped_between(self, producer: DependenceNode, consumer: DependenceNode) -> bool:
        """Return whether an op outside of programs makes of the first group's results what the second one takes."""
        return consumer in producer.reshaped

    def is_crossed(self, producer: DependenceNode, consumer: DependenceNode) -> bool:
        """Return whether a path leads from the first group through others to the second: both could not run at once."""
        return self._reach(producer, consumer) is None

    def join(self, producer: DependenceNode, consumer: DependenceNode) -> DependenceNode:
        """Make one group of two, of which the second depends on the first and on nothing between; return it."""
        later = self._reach(producer, consumer)
        assert later is not None, "a path leads from the first group through others to the second"
        self._place(producer, consumer, later)
        kept, gone = producer, consumer
        if len(gone.before) + len(gone.behind) > len(kept.before) + len(kept.behind):
            kept, gone = gone, kept
        kept.members = tuple(sorted((*kept.members, *gone.members)))
        for node in (kept, gone):
            for edges in (node.before, node.behind):
                edges.pop(producer, None)
                edges.pop(consumer, None)
        for giver, direct in gone.before.items():
            del giver.behind[gone]
            giver.behind[kept] = kept.before[giver] = direct or kept.before.get(giver, False)
            if giver.reshaped.pop(gone, giver) is None:
                giver.reshaped[kept] = None
        for taker, direct in gone.behind.items():
            del taker.before[gone]
            taker.before[kept] = kept.behind[taker] = direct or kept.behind.get(taker, False)
        kept.reshaped.update(gone.reshaped)
        del self._nodes[gone]
        return kept

    def _reach(self, producer: DependenceNode, consumer: DependenceNode) -> set[DependenceNode] | None:
        """Return the groups that depend on the first one and rank below the second, None where that depends on them."""
        pending = [node for node in producer.behind if node.rank < consumer.rank]
        seen = set(pending)
        while pending:
            node = pending.pop()
            self.steps += 1
            for following in node.behind:
                if following is consumer:
                    return None
                if following.rank < consumer.rank and following not in seen:
                    seen.add(following)
                    pending.append(following)
        return seen

    def _place(self, producer: DependenceNode, consumer: DependenceNode, later: set[DependenceNode]) -> None:
        """Give both groups one rank: behind what the second depends on, before what depends on the first."""
        earlier: set[DependenceNode] = set()
        pending = [consumer]
        while pending:
            self.steps += 1
            for node in pending.pop().before:
                if node.rank > producer.rank and node not in earlier:
                    earlier.add(node)
                    pending.append(node)
        ranks = sorted(node.rank for node in (producer, consumer, *earlier, *later))
        for node, rank in zip(sorted(earlier, key=_rank), ranks, strict=False):
            node.rank = rank
        producer.rank = consumer.rank = ranks[len(earlier)]
        for node, rank in zip(sorted(later, key=_rank), ranks[len(ranks) - len(later) :], strict=True):
            node.rank = rank


def _rank(node: DependenceNode) -> int:
    return node.rank


def _by_members(nodes: Iterable[DependenceNode]) -> list[DependenceNode]:
    return sorted(nodes, key=lambda node: node.members)


def _makers(
    value: ir.Value, maker: dict[ir.Value, DependenceNode], known: dict[ir.Value, frozenset[DependenceNode]]
) -> frozenset[DependenceNode]:
    """Return the groups of whose results ops outside of programs make a value."""
    pending = [value]
    while pending:
        one = pending[-1]
        if one in known or one in maker:
            pending.pop()
            continue
        maker_op = defining_op(one)
        read = [] if maker_op is None else values_used(maker_op)
        missing = [each for each in read if each not in known and each not in maker]
        if missing:
            pending += missing
            continue
        pending.pop()
        found = [frozenset((maker[each],)) if each in maker else known[each] for each in read]
        known[one] = frozenset().union(*found)
    return known[value]
