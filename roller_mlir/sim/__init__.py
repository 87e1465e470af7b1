# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator: executes kernel IR on the CPU, finds what kernels do wrong, and counts what they do to memory.

Every thread of a block is a fiber; the threads run in shuffled order, workgroup memory starts as NaN, every access is
checked against its memref, barriers and shuffles must be reached together, and a launch that does not end is ended.
A sanitized launch also finds accesses that race, in workgroup memory and between blocks, reads of what nobody has
written, and asynchronous copies that nobody has waited for; it takes about 8 ns for each element that a thread touches.
Matrix instructions are carried out once for all lanes, which must all take part. What Hopper does beside the threads
(bulk copies, products of warpgroups) happens as late as it may, and what its barriers order is followed.
Not modelled: weak memory (a missing fence, but for proxy fences), the rounding of GPU math libraries and inside matrix
units (`matrix.ir` says what is computed instead), flushing of denormals, registers, clusters of several blocks.
"""

from typing import TYPE_CHECKING

from roller_mlir.support.foreign.first_use import at_first_use

if TYPE_CHECKING:
    from roller_mlir.sim.counting import Counts, SiteCount
    from roller_mlir.sim.diagnosis.errors import Position, SimulationError
    from roller_mlir.sim.diagnosis.findings import SanitizerError
    from roller_mlir.sim.launch import LaunchResult, SimulatedKernels

__all__ = [
    "Counts",
    "LaunchResult",
    "Position",
    "SanitizerError",
    "SimulatedKernels",
    "SimulationError",
    "SiteCount",
]

# Commands read the options without the simulator.
__getattr__ = at_first_use(
    __name__,
    {
        "Counts": "roller_mlir.sim.counting",
        "LaunchResult": "roller_mlir.sim.launch",
        "Position": "roller_mlir.sim.diagnosis.errors",
        "SanitizerError": "roller_mlir.sim.diagnosis.findings",
        "SimulatedKernels": "roller_mlir.sim.launch",
        "SimulationError": "roller_mlir.sim.diagnosis.errors",
        "SiteCount": "roller_mlir.sim.counting",
    },
)
