# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops of an expanded program while it is built: what they walk, and tiles that are staged in front of them."""

from dataclasses import dataclass

from roller_mlir.lowering.loops.compute_box import ComputeBox
from roller_mlir.support.bindings import ir


@dataclass(frozen=True)
class Walked:
    """A loop of a nest.

    Attributes:
        loop: The group's loop.
        steps: Its trips.
        blocks: The plan's blocks that one trip walks.
    """

    loop: int
    steps: int
    blocks: int = 1


@dataclass(frozen=True)
class LoopVariable:
    """The variable of a loop of a nest, and how many points of the group's loop one trip walks."""

    value: ir.Value
    points: int


@dataclass(frozen=True)
class StagedPart:
    """A tile that was staged in front of loops that a task walks.

    Attributes:
        tile: The tile.
        box: Of all the blocks that it holds.
        inner: Loops that move a block's part inside of it.
    """

    tile: ir.Value
    box: ComputeBox
    inner: list[int]
