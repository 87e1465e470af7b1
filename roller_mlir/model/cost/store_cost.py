# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task does after its last step: it stores its results."""

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.traffic.operands import store_width
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.problem_context import ProblemContext


def store_cost(context: ProblemContext, candidate: Candidate, tasks: int, accumulators: int) -> tuple[int, int, int]:
    """Return the stores of one thread, their phases for each of its subgroups, and the bytes that all tasks write."""
    machine = context.machine
    lanes = min(machine.device.subgroup_size, candidate.thread_count)
    stores, phases, written = 0, 0, 0
    for output in (context.output, *context.more_outputs):
        store = store_width(context.expression, candidate.lane, candidate.chunks, output.access)
        width = store * output.element_bytes
        sectors = coalesced_sectors(output.strides, candidate, width, lanes, machine.sector_bytes, context.atom.digits)
        stores += accumulators // store
        phases += accumulators // store * max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        written += tasks * output.traffic(candidate.blocks)
    return stores, phases, written
