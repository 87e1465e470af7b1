# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model expects of a candidate program: records and figures that its estimates share."""

from dataclasses import dataclass

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.timing import CandidateWork

STEP_INSTRUCTIONS = 15
"""Instructions of one step besides arithmetic and memory accesses: counters, addresses, barriers."""

COPY_INSTRUCTIONS = 5
"""Instructions beside each global load of a staged copy: its address, its mask and the step's clamp. Both figures are
from the disassembly of a 128x128x8 f32 matmul of 8x8 points per thread on sm_90a: 576 instructions in the loop, of
which 512 FFMA, 32 + 5 workgroup accesses, 2 global loads and 25 others."""


@dataclass(frozen=True, slots=True)
class OperandWidths:
    """Access widths of one input, in elements, and its bank phases per step and task.

    Attributes:
        vector: Of a global access.
        store: Of an access that writes workgroup memory.
        fragment: Of an access that reads it.
        reads: Such accesses of one thread in one step.
        load_phases: Passes of the fragment reads in one step: of a task, or of each subgroup where they are ideal.
        store_phases: Passes of its writes in one step.
        tile_bytes: Bytes of one buffer in workgroup memory.
        synchronous: Whether the tile gets there through registers.
        order: Dimensions of the tile as they lie there, outermost first, where threads compute by themselves.
    """

    vector: int
    store: int
    fragment: int
    reads: float
    load_phases: float
    store_phases: float
    tile_bytes: int
    synchronous: bool = True
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Estimate:
    """A candidate with what the model expects of it.

    Attributes:
        seconds: Expected time.
        candidate: The candidate.
        stages: Buffers of staged inputs.
        registers: Registers per thread.
        workgroup_bytes: Workgroup memory of a task.
        work: What the program does.
        staged: Whether its results pass workgroup memory on their way.
        unstaged: The same program with direct stores where they are slower, None where these are.
    """

    seconds: float
    candidate: Candidate
    stages: int
    registers: int
    workgroup_bytes: int
    work: CandidateWork
    staged: bool = False
    unstaged: "Estimate | None" = None

    @property
    def direct(self) -> "Estimate":
        """The same program with direct stores."""
        return self.unstaged or self
