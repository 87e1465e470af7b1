# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A published time, with what the model is asked for: a plan of ours for the same operator, or the very same tile."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.machine import Machine
from roller_mlir.model.residual.terms import MeasuredTile


@dataclass(frozen=True)
class Measurement:
    """One published time.

    Attributes:
        device: Name of the device.
        kind: Class of the operator or of the kernel, such as "matmul f16 TN".
        problem: Which one of its class, in words; tiles of one problem are ranked against each other.
        seconds: What was measured.
        line: Of the file.
        text: The operator as linalg, where it is the time of a library; "" of a tile.
        work: What the tile does on a machine, None where it does not fit; None for no tile.
        tile: The tile itself; None of a library.
        flops: Operations that a tile cannot do without, 0 where there may be another algorithm.
        at_peak_clock: Whether the time is what it would be at the device's highest clock, whatever the clock was.
    """

    device: str
    kind: str
    problem: str
    seconds: float
    line: int
    text: str = ""
    work: Callable[[Machine], CandidateWork | None] | None = None
    tile: MeasuredTile | None = None
    flops: float = 0.0
    at_peak_clock: bool = False


@dataclass(frozen=True)
class MeasuredFile:
    """What a file of measurements holds.

    Attributes:
        path: Where it is.
        source: What its times are of, such as "rocBLAS".
        measurements: In the file's order.
        failed: How many launches failed, by the file's own account; they are not among the measurements.
        unread: Lines that say of what they are in words that are not known, and these words.
    """

    path: Path
    source: str
    measurements: tuple[Measurement, ...]
    failed: int = 0
    unread: tuple[tuple[int, str], ...] = ()
