# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task does after its last step: it stores its results."""

from roller_mlir.model.cost.sectors import coalesced_sectors
from roller_mlir.model.cost.traffic import store_width
from roller_mlir.model.facts import Facts
from roller_mlir.model.program import Program


def stored(facts: Facts, program: Program, tasks: int, accumulators: int) -> tuple[int, int, int]:
    """Return the stores of one thread, their phases for each of its subgroups, and the bytes that all tasks write."""
    machine = facts.machine
    lanes = min(machine.device.subgroup_size, program.thread_count)
    stores, phases, written = 0, 0, 0
    for output in (facts.output, *facts.more_outputs):
        store = store_width(facts.expression, program.lane, program.chunks, output.access)
        width = store * output.element_bytes
        sectors = coalesced_sectors(output.strides, program, width, lanes, machine.sector_bytes, facts.atom.digits)
        stores += accumulators // store
        phases += accumulators // store * max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        written += tasks * output.traffic(program.blocks)
    return stores, phases, written
