# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a group's epilogue adds to a task: loads straight from global memory, and arithmetic on each result.

Each thread that holds results loads what the epilogue reads for them, once, after the last step; the registers of the
body's factors are free by then. What a prologue adds is part of each step's copies and loads, in `estimate`.

The operations of a point wait for each other: a task takes at least as long as its longest chain of them, however few
its threads have to issue.
"""

from dataclasses import dataclass
from math import prod

from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.problem_context import AccessContext, ProblemContext


@dataclass(frozen=True, slots=True)
class EpilogueWork:
    """What a task does between its last step and its stores.

    Attributes:
        issue: Instructions per thread, each load with its address, in cycles of a scheduler.
        phases: Passes of the task.
        load_rounds: Times that a thread waits for its loads.
        stalls: Cycles in which no subgroup can issue, since all wait for results of their own.
    """

    issue: float
    phases: int
    load_rounds: int
    stalls: float


def epilogue_bytes(context: ProblemContext, candidate: Candidate) -> int:
    """Return the bytes that an epilogue of a task reads from the last cache."""
    read = (*context.epilogue, *_direct_inputs(context, candidate))
    return sum([access.traffic(candidate.blocks) for access in read])


def _direct_inputs(context: ProblemContext, candidate: Candidate) -> list[AccessContext]:
    """Return the inputs that ops behind the reductions alone read, straight from global memory."""
    return [context.inputs[number] for number in context.expression.tail_inputs if not candidate.staged[number]]


def epilogue_work(context: ProblemContext, candidate: Candidate, accumulators: int) -> EpilogueWork:
    """Return the work of an expression's epilogue.

    Args:
        context: The expression.
        candidate: The candidate, as the ops of the epilogue see it.
        accumulators: Results of one thread.
    """
    machine = context.machine
    lanes, in_flight = machine.device.subgroup_size, machine.device.model.loads_in_flight
    subgroups = -(-candidate.thread_count // lanes)
    expression = context.expression
    issue = accumulators * (expression.epilogue_flops * context.other_cycles + expression.epilogue_cycles)
    busy = issue * -(-subgroups // machine.device.schedulers_per_unit)
    stalls = max(0.0, expression.epilogue_chain * machine.device.model.dependent_cycles - busy)
    phases, words = 0, 0
    for access in (*context.epilogue, *_direct_inputs(context, candidate)):
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
    return EpilogueWork(issue, phases, -(-words // in_flight), stalls)
