# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs as data: nodes that give tensors, over knobs; `write` makes text, `shrink` makes them smaller."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from roller_mlir.evaluation.fuzz.program.numbers import Knob, Whole
from roller_mlir.evaluation.fuzz.program.scalars import Scalar

Ref: TypeAlias = tuple[int, int]
"""A value: number of its node, and which of the node's results it is."""


@dataclass(frozen=True)
class Tensor:
    """A tensor type; its extents are formulas over the program's knobs.

    Attributes:
        shape: Extents.
        element: Type of its elements.
        scalar: Whether it is a scalar instead, which has no extents.
    """

    shape: tuple[Whole, ...]
    element: str
    scalar: bool = False


@dataclass(frozen=True)
class Index:
    """Where an operand is read along a dimension: ((sum of loops + constant) floordiv divisor) mod modulus.

    Attributes:
        coefficients: What each loop is multiplied by.
        constant: What is added.
        divisor: 1 divides nothing.
        modulus: 0 takes no remainder.
        up: Whether the division is `ceildiv`.
    """

    coefficients: tuple[Whole, ...]
    constant: Whole = 0
    divisor: Whole = 1
    modulus: Whole = 0
    up: bool = False


@dataclass(frozen=True, kw_only=True)
class Node:
    """What gives tensors.

    Attributes:
        operands: What it reads; of structured ops, inputs and then what the results start from.
        types: One per result.
        tables: What its body takes elements of.
    """

    operands: tuple[Ref, ...] = ()
    types: tuple[Tensor, ...] = ()
    tables: tuple[Ref, ...] = ()

    @property
    def reads(self) -> tuple[Ref, ...]:
        """All that it needs."""
        return (*self.operands, *self.tables)


@dataclass(frozen=True, kw_only=True)
class ArgumentNode(Node):
    """An argument of the function."""


@dataclass(frozen=True, kw_only=True)
class DenseNode(Node):
    """A constant tensor of random whole numbers in -4 to 4.

    Attributes:
        seed: Of its values.
        splat: Whether it has one value only.
    """

    seed: int = 0
    splat: bool = False


@dataclass(frozen=True, kw_only=True)
class FillNode(Node):
    """A tensor of one value; None leaves it empty."""

    value: float | None = None


@dataclass(frozen=True, kw_only=True)
class GenericNode(Node):
    """A linalg.generic.

    Attributes:
        loops: Extents.
        maps: Indices of each operand.
        body: What is yielded, one expression per result.
    """

    loops: tuple[Whole, ...] = ()
    maps: tuple[tuple[Index, ...], ...] = ()
    body: tuple[Scalar, ...] = ()

    def reductions(self) -> tuple[int, ...]:
        """Return the loops over which results are reduced: those that no result is indexed by."""
        written: set[int] = set()
        for indices in self.maps[len(self.maps) - len(self.types) :]:
            written |= {i for index in indices for i, k in enumerate(index.coefficients) if k != 0}
        return tuple(loop for loop in range(len(self.loops)) if loop not in written)


@dataclass(frozen=True, kw_only=True)
class NamedOpNode(Node):
    """A named linalg op.

    Attributes:
        name: Without "linalg.".
        attributes: Arrays of 64-bit integers before the operands (strides, dilations).
        combine: Operation in braces ("add"), of linalg.map and linalg.reduce.
        tail: Text after the operands: "permutation", "dimensions", and its numbers.
        extra: Text before the operands ("kind=#linalg.elementwise_kind<add>", "dimension(1)").
        shows_result: Whether `-> type` stands behind.
    """

    name: str = ""
    attributes: tuple[tuple[str, tuple[Whole, ...]], ...] = ()
    combine: str = ""
    tail: tuple[str, tuple[int, ...]] | None = None
    extra: str = ""
    shows_result: bool = True


@dataclass(frozen=True, kw_only=True)
class PadNode(Node):
    """A tensor.pad by a constant."""

    low: tuple[Whole, ...] = ()
    high: tuple[Whole, ...] = ()
    value: float = 0


@dataclass(frozen=True, kw_only=True)
class ReshapeNode(Node):
    """A tensor.collapse_shape or tensor.expand_shape, by which of the two has more dimensions."""

    groups: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConcatNode(Node):
    """A tensor.concat."""

    dimension: int = 0


@dataclass(frozen=True, kw_only=True)
class SliceNode(Node):
    """A tensor.extract_slice of the result's shape, or, where there are two operands, a tensor.insert_slice.

    Attributes:
        offsets: Where the slice begins.
        strides: Its steps.
    """

    offsets: tuple[Whole, ...] = ()
    strides: tuple[Whole, ...] = ()


@dataclass(frozen=True, kw_only=True)
class MovingSlice(SliceNode):
    """A slice or insertion that begins at positions that are data.

    Attributes:
        moving: The dimensions of which that is so; the last operands are their positions, integers of rank 0.
    """

    moving: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class PackNode(Node):
    """A linalg.pack, or, with more dimensions before than behind, a linalg.unpack.

    Attributes:
        tiles: Extents of the tiles.
        dimensions: The dimensions that are tiled, in the order of the tiles.
        order: The outer dimensions in their order.
        value: What pads.
    """

    tiles: tuple[Whole, ...] = ()
    dimensions: tuple[int, ...] = ()
    order: tuple[int, ...] = ()
    value: float = 0


@dataclass(frozen=True, kw_only=True)
class SplatNode(Node):
    """A tensor whose elements all are one scalar.

    Attributes:
        how: "splat", "generate" or "fill".
    """

    how: str = "splat"


@dataclass(frozen=True, kw_only=True)
class LoopNode(Node):
    """A loop around an element-wise op. Of operands (start, rows) it is an scf.for, of (rows) an scf.forall.

    Attributes:
        trips: How many steps; the first extent of the rows.
        body: What a step makes of the value so far (%x0) and its row (%x1), or of its row (%x0).
    """

    trips: Whole = 1
    body: Scalar = field(default_factory=lambda: Scalar("x"))


@dataclass(frozen=True)
class Program:
    """A function.

    Attributes:
        knobs: Its numbers.
        nodes: In an order in which operands come first.
        results: What it returns.
    """

    knobs: tuple[Knob, ...]
    nodes: tuple[Node, ...]
    results: tuple[Ref, ...]

    def type_of(self, ref: Ref) -> Tensor:
        """Return the type of a value."""
        return self.nodes[ref[0]].types[ref[1]]

    def ops(self) -> int:
        """Return how many nodes compute something."""
        return sum(not isinstance(node, ArgumentNode | DenseNode | FillNode) for node in self.nodes)


def without_unused(program: Program) -> Program:
    """Return a program without nodes that no result needs."""
    needed: set[int] = set()
    pending = [ref[0] for ref in program.results]
    while pending:
        number = pending.pop()
        if number not in needed:
            needed.add(number)
            pending += [ref[0] for ref in program.nodes[number].reads]
    kept = sorted(needed)
    new = {old: position for position, old in enumerate(kept)}
    renamed = replace_refs([program.nodes[old] for old in kept], lambda ref: (new[ref[0]], ref[1]))
    return replace(program, nodes=renamed, results=tuple((new[n], r) for n, r in program.results))


def replace_refs(nodes: Sequence[Node], change: Callable[[Ref], Ref]) -> tuple[Node, ...]:
    """Return nodes that read other values."""
    return tuple(
        replace(node, operands=tuple(map(change, node.operands)), tables=tuple(map(change, node.tables)))
        for node in nodes
    )


def map_types(program: Program, change: dict[str, str]) -> Program:
    """Return a program with element types replaced everywhere, in bodies too."""

    def visit(thing: Any) -> Any:
        if isinstance(thing, Tensor):
            return replace(thing, element=change.get(thing.element, thing.element))
        if isinstance(thing, Scalar):
            new = change.get(thing.element, thing.element)
            return replace(thing, element=new, parts=tuple(visit(part) for part in thing.parts))
        return thing

    def node_of(node: Node) -> Node:
        changed: dict[str, Any] = {"types": tuple(visit(kind) for kind in node.types)}
        if isinstance(node, GenericNode):
            changed["body"] = tuple(visit(scalar) for scalar in node.body)
        if isinstance(node, LoopNode):
            changed["body"] = visit(node.body)
        return replace(node, **changed)

    return replace(program, nodes=tuple(node_of(node) for node in program.nodes))


def elements(program: Program) -> set[str]:
    """Return the element types of a program's tensors."""
    return {kind.element for node in program.nodes for kind in node.types}


def with_node(program: Program, number: int, node: Node) -> Program:
    """Return a program with a node replaced."""
    nodes: Sequence[Node] = [*program.nodes[:number], node, *program.nodes[number + 1 :]]
    return replace(program, nodes=tuple(nodes))
