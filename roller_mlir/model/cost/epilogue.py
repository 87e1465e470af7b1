# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a group's epilogue adds to a task: loads straight from global memory, and arithmetic on each result.

Each thread that holds results loads what the epilogue reads for them, once, after the last step; the registers of the
body's factors are free by then. What a prologue adds is part of each step's copies and loads, in `estimate`.
"""

from dataclasses import dataclass
from math import prod

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.problem_context import ProblemContext


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


def epilogue_work(context: ProblemContext, candidate: Candidate, accumulators: int) -> EpilogueWork:
    """Return the work of an expression's epilogue.

    Args:
        context: The expression.
        candidate: The candidate.
        accumulators: Results of one thread.
    """
    machine = context.machine
    lanes, in_flight = machine.device.subgroup_size, machine.device.model.loads_in_flight
    subgroups = -(-candidate.thread_count // lanes)
    expression = context.expression
    issue = accumulators * (expression.epilogue_flops * context.other_cycles + expression.epilogue_cycles)
    phases, words, cache = 0, 0, 0
    for access in context.epilogue:
        vector = access.direct_vector(candidate.blocks, candidate.chunks)
        own = prod([candidate.registers[k] for k in access.loops])
        width = vector * access.element_bytes
        reading = min(lanes, candidate.thread_count)
        sectors = coalesced_sectors(
            access.strides, candidate, width, reading, machine.sector_bytes, context.atom.digits
        )
        passes = max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        issue += 2 * (own // vector)
        phases += own // vector * subgroups * passes
        words += own * access.words
        cache += access.traffic(candidate.blocks)
    return EpilogueWork(issue, phases, -(-words // in_flight), min(words, in_flight), cache)
