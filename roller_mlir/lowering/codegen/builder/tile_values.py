# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the SSA tiles of a program are while a task is built: staged, direct, constant, or spread over registers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from roller_mlir.lowering.codegen.builder.thread_box import ThreadBox
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex, OperandPlan
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Limit:
    """A dimension of a tile along which elements beyond a reduction loop's ends read as 0.

    Attributes:
        dimension: The dimension.
        first: The loop's position at the tile's first element.
        step: 1, or -1 where the tensor is read backwards along the loop.
        extent: The loop's extent.
    """

    dimension: int
    first: Linear
    step: int
    extent: int

    def positions(self, place: Linear, width: int = 1) -> Linear:
        """Return the lowest of the loop's positions at so many elements of the tile, `place` being the first one."""
        return self.first + place * self.step + (width - 1) * min(self.step, 0)

    def reaches_beyond(self, elements: int) -> bool:
        """Return whether some of a tile's elements along the dimension may lie beyond the loop's ends."""
        low, high = self.positions(Linear(), 1 if self.step > 0 else elements).range()
        return low < 0 or high + elements > self.extent


def lies_beyond(first: Linear, step: int, length: int, extent: int) -> bool:
    """Return whether a dimension has no element at any position of a loop beyond its ends.

    Args:
        first: Element at the loop's position 0.
        step: Elements from one position to the next, negative where the loop runs backwards.
        length: Elements of the dimension.
        extent: Of the loop.

    >>> lies_beyond(Linear(None, 64), -1, 65, 65), lies_beyond(Linear(None, 64), -1, 70, 65)
    (True, False)
    """
    if first.terms or not step:
        return False
    before, behind = first.constant - step, first.constant + step * extent
    return min(before, behind) < 0 and max(before, behind) >= length


@dataclass(frozen=True)
class DirectTile:
    """A tile that threads read from its buffer when they need an element.

    Attributes:
        operation: The load or store.
        name: What reports call the buffer.
        buffer: The kernel's memref.
        shape: Its extents.
        origin: Buffer index of the tile's first element, one a dimension.
        steps: Buffer elements between tile elements, one a dimension.
        pad: What elements outside the buffer read as.
        vector: Elements of one read by a thread.
        body: What is made of a value (a scalar or a vector of so many lanes) that was read; None: the value itself.
        body_keeps_pad: Whether it makes `pad` of `pad`.
        limits: Where elements beyond a loop's ends read as 0, though they are in the tensor.
    """

    operation: ir.Operation
    name: str
    buffer: ir.Value
    shape: tuple[int, ...]
    origin: tuple[Linear, ...]
    steps: tuple[int, ...]
    pad: float = 0.0
    vector: int = 1
    body: Callable[[ir.Value, int], ir.Value] | None = None
    body_keeps_pad: bool = False
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True)
class Ahead:
    """What to ask for while a tile of a packed constant is read.

    Attributes:
        number: Of the tile that is asked for.
        offset: Bytes behind its place from where what is asked for lies.
        part: Which part of it, of as many as are asked for one after the other.
        parts: How many these are.
    """

    number: Linear
    offset: int
    part: Linear = field(default_factory=Linear)
    parts: int = 1


@dataclass(frozen=True)
class StagedTile:
    """A tile in workgroup memory.

    Attributes:
        source: Where its elements come from.
        view: The buffers, a memref of stages x buffer extents.
        stage: Which of the buffers holds the tile.
        layout: Dimension order and access widths.
        origin: Where in the buffer's tile it begins, one a dimension; empty at the first element.
        steps: Elements there between neighbours of it, one a dimension; empty where they are neighbours there, too.
        number: The same as an expression, where it is no buffer but a tile of a packed constant.
        ahead: What to ask for while that is read; None where nothing is.
    """

    source: DirectTile
    view: ir.Value
    stage: ir.Value
    layout: OperandPlan
    origin: tuple[Linear, ...] = ()
    steps: tuple[int, ...] = ()
    number: Linear = field(default_factory=Linear)
    ahead: Ahead | None = None

    def place(self, local: Sequence[Linear]) -> list[Linear]:
        """Return where elements of it lie in the buffer's tile, given their place in it; one a dimension."""
        if not self.steps:
            return list(local)
        return [o + x * s for o, x, s in zip(self.origin, local, self.steps, strict=True)]

    def strides(self) -> tuple[int, ...]:
        """Return the elements of the buffer's tile between neighbours, one a dimension."""
        return self.steps or (1,) * len(self.layout.order)


@dataclass(frozen=True)
class SplatTile:
    """A tile whose elements are all the same constant; None stands for unspecified content."""

    value: float | None


@dataclass
class RegisterTile:
    """A tile spread over the registers of all threads: one result of an rtile.compute.

    Attributes:
        compute: The rtile.compute that gave it.
        box: Its box, which says who holds what.
        indices: Tile coordinates as functions of the box's loops.
        values: A scalar or lane vector per register of the parallel loops, in the order of `ThreadBox.keys`.
        width: Lanes of the values.
        combiner: What joins the partial results that threads (or lanes) hold; None where each holds whole results.
        initial: The tile that the joined result is combined with, when the partial results started from the neutral
            element.
        number: Which result of the compute it is.
    """

    compute: ir.Operation
    box: ThreadBox
    indices: tuple[LinearIndex, ...]
    values: list[ir.Value]
    width: int
    combiner: str | None = None
    initial: "TileValue | None" = None
    number: int = 0


@dataclass(frozen=True)
class ChoiceTile:
    """One of two tiles from which a compute starts.

    Attributes:
        condition: Whether it is the first.
        first: The first.
        second: The second.
    """

    condition: ir.Value
    first: "TileValue"
    second: "TileValue"


def along_row(box: ThreadBox, indices: Sequence[LinearIndex], tile: DirectTile) -> bool:
    """Return whether the lanes of a box are neighbours of a tile's buffer, along its last dimension.

    Args:
        box: Who holds what.
        indices: Tile coordinates as functions of its loops.
        tile: Where it lies.
    """
    if box.lane is None or box.width == 1 or not indices:
        return False
    factors = [index.coefficients[box.lane] * step for index, step in zip(indices, tile.steps, strict=True)]
    return factors[-1] == 1 and not any(factors[:-1])


TileValue = DirectTile | StagedTile | SplatTile | RegisterTile | ChoiceTile
