# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which loops of several linalg ops are one loop, because they walk tensors that the ops have in common."""

from collections.abc import Sequence

from roller_mlir.lowering.linalg.reader import StructuredOp
from roller_mlir.plan import Access, LinearIndex, Loop
from roller_mlir.plan.extent import Extent
from roller_mlir.support.bindings import ir


class GroupError(ValueError):
    """Ops that cannot be one program; the message says why."""


class CommonLoops:
    """Which loops of the members are one loop: a union of classes that grows with each tensor in common."""

    def __init__(self, roots: Sequence[StructuredOp], made: dict[ir.Value, int]) -> None:
        self._roots = roots
        self._class = {(n, loop): (n, loop) for n, root in enumerate(roots) for loop in range(len(loops_of(root)))}
        self._walkers = {one: {one[0]} for one in self._class}  # by the class's first: members with a loop in it
        for reader, root in enumerate(roots):
            for source, access in zip(root.sources, root.expression.inputs, strict=True):
                if source in made and access.gathered:
                    name, maker = root.operation.name, roots[made[source]].operation.name
                    raise GroupError(f"'{name}' reads what '{maker}' makes at computed positions, thus from memory")
                if source in made:
                    self._join_read(made[source], source, reader, access)
            for _, start, access in root.starts:
                if start in made:
                    self._join_read(made[start], start, reader, access)
        self._join_shared(made)
        order: dict[tuple[int, int], int] = {}
        for number in sorted(range(len(roots)), key=lambda n: (-len(loops_of(roots[n])), n)):
            for loop in range(len(loops_of(roots[number]))):
                order.setdefault(self._find((number, loop)), len(order))
        self._order = order

    @property
    def count(self) -> int:
        """Number of common loops."""
        return len(self._order)

    def of(self, number: int) -> tuple[int, ...]:
        """Return the common loop of each loop of a member."""
        return tuple(self._order[self._find((number, loop))] for loop in range(len(loops_of(self._roots[number]))))

    def extents(self) -> list[Extent]:
        """Return the extent of each common loop."""
        found = [Extent(1)] * self.count
        for (number, loop), _ in self._class.items():
            found[self._order[self._find((number, loop))]] = loops_of(self._roots[number])[loop].extent
        return found

    def _find(self, one: tuple[int, int]) -> tuple[int, int]:
        while self._class[one] != one:
            one = self._class[one]
        return one

    def _join_read(self, maker: int, source: ir.Value, reader: int, access: Access) -> None:
        produced = output_of(self._roots[maker], source)
        for made, read in zip(produced.indices, access.indices, strict=True):
            problem = self._join(maker, made, reader, read, access.shape)
            if problem:
                raise GroupError(problem)

    def _join_shared(self, made: dict[ir.Value, int]) -> None:
        """Let members that read one tensor from memory walk it alike, where nothing speaks against it."""
        first: dict[ir.Value, tuple[int, Access]] = {}
        for reader, root in enumerate(self._roots):
            for source, access in zip(root.sources, root.expression.inputs, strict=True):
                if source in made or access.gathered:
                    continue
                if source not in first:
                    first[source] = (reader, access)
                    continue
                other, known = first[source]
                if other != reader:
                    for a, b in zip(known.indices, access.indices, strict=True):
                        self._join(other, a, reader, b, access.shape)

    def _join(self, maker: int, made: LinearIndex, reader: int, read: LinearIndex, shape: tuple[Extent, ...]) -> str:
        """Make one loop of two that index the same dimension; return what speaks against it."""
        a, b = _plain_loop(made), _plain_loop(read)
        if not (made.terms() or read.terms() or made.constant or read.constant):
            return ""
        if a is None or b is None:
            one = made if a is None else read
            where = a if b is None else b
            who = maker if b is None else reader
            if not one.terms() and one.constant == 0 and where is not None and self._extent(who, where) == 1:
                return ""  # a dimension of one element, which one of them walks with a loop
            return f"a tensor of shape {'x'.join(map(str, shape))} is not read as a permutation of its dimensions"
        if self._extent(maker, a) != self._extent(reader, b):
            return f"a loop of {self._extent(reader, b)} points reads a dimension of {self._extent(maker, a)}"
        left, right = self._find((maker, a)), self._find((reader, b))
        if left == right:
            return ""
        if self._walkers[left] & self._walkers[right]:
            return "a tensor would be read at another point than where it was made"
        self._walkers[left] |= self._walkers.pop(right)
        self._class[right] = left
        return ""

    def _extent(self, number: int, loop: int) -> Extent:
        return loops_of(self._roots[number])[loop].extent


def loops_of(root: StructuredOp) -> tuple[Loop, ...]:
    """Return the loops of an op."""
    return root.expression.loops


def output_of(root: StructuredOp, value: ir.Value) -> Access:
    """Return how an op writes one of its results."""
    return root.expression.outputs[list(root.operation.results).index(value)]


def _plain_loop(index: LinearIndex) -> int | None:
    terms = index.terms()
    if len(terms) == 1 and index.constant == 0:
        ((loop, k),) = terms.items()
        return loop if k == 1 else None
    return None
