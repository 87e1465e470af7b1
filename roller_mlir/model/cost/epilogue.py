# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a group's epilogue adds to a task: loads straight from global memory, and arithmetic on each result.

Each thread that holds results loads what the epilogue reads for them, once, after the last step; the registers of the
body's factors are free by then. What a prologue adds is part of each step's copies and loads, in `estimate`.
"""

from dataclasses import dataclass
from math import prod

from roller_mlir.model.cost.sectors import coalesced_sectors
from roller_mlir.model.facts import Facts
from roller_mlir.model.program import Program


@dataclass(frozen=True, slots=True)
class EpilogueWork:
    """What a task does between its last step and its stores.

    Attributes:
        issue: Instructions per thread, each load with its address, in cycles of a scheduler.
        phases: Passes of the task.
        load_rounds: Times that a thread waits for its loads.
        registers: Registers per thread beside the accumulators.
        cache_bytes: Bytes of the task from the last cache.
    """

    issue: float
    phases: int
    load_rounds: int
    registers: int
    cache_bytes: int


def epilogue_work(facts: Facts, program: Program, accumulators: int) -> EpilogueWork:
    """Return the work of an expression's epilogue.

    Args:
        facts: The expression.
        program: The candidate.
        accumulators: Results of one thread.
    """
    machine = facts.machine
    lanes, in_flight = machine.device.subgroup_size, machine.device.model.loads_in_flight
    subgroups = -(-program.thread_count // lanes)
    issue = accumulators * facts.expression.epilogue_flops * facts.other_cycles
    phases, words, cache = 0, 0, 0
    for access in facts.epilogue:
        vector = access.direct_vector(program.chunks)
        own = prod([program.registers[k] for k in access.loops])
        width = vector * access.element_bytes
        reading = min(lanes, program.thread_count)
        sectors = coalesced_sectors(access.strides, program, width, reading, machine.sector_bytes, facts.atom.digits)
        passes = max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        issue += 2 * (own // vector)
        phases += own // vector * subgroups * passes
        words += own * access.words
        cache += access.traffic(program.blocks)
    return EpilogueWork(issue, phases, -(-words // in_flight), min(words, in_flight), cache)
