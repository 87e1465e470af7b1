# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the SSA tiles of a program are while a task is built: staged, direct, constant, or spread over registers."""

from collections.abc import Callable
from dataclasses import dataclass

from roller_mlir.codegen.thread_box import ThreadBox
from roller_mlir.mapping.index import Linear
from roller_mlir.plan import LinearIndex, OperandPlan
from roller_mlir.support.bindings import ir


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
        limits: Dimensions along which elements beyond a loop's ends read as 0: the dimension, the loop's position at
            the tile's first element, and the loop's extent.
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
    limits: tuple[tuple[int, Linear, int], ...] = ()


@dataclass(frozen=True)
class StagedTile:
    """A tile in workgroup memory.

    Attributes:
        source: Where its elements come from.
        view: The buffers, a memref of stages x buffer extents.
        stage: Which of the buffers holds the tile.
        layout: Dimension order and access widths.
    """

    source: DirectTile
    view: ir.Value
    stage: ir.Value
    layout: OperandPlan


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


TileValue = DirectTile | StagedTile | SplatTile | RegisterTile
