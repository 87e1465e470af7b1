# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task does between its last step and its stores: it joins partial results and computes what follows them.

Threads that split a reduction compute what follows for all of their points alike, or they share it, see
`mapping.layout.spread`: then each has fewer points, reads the partial results of these alone, and loads and stores what
belongs to them.
"""

from math import prod

from roller_mlir.mapping.layout.combine import Combination, JoinWork, passed_units
from roller_mlir.mapping.layout.spread import alike_threads, spread_program
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.task.epilogue import epilogue_work
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.problem_context import ProblemContext


def spread_candidate(context: ProblemContext, candidate: Candidate, joining: Combination) -> Candidate | None:
    """Return a program as the ops behind its reduction see it if a plan spreads them; None where it does not.

    Args:
        context: The expression.
        candidate: The program; its results do not pass workgroup memory.
        joining: How its threads join their partial results.
    """
    expression = context.expression
    if not expression.tail_apart or not joining.across:
        return None
    found = spread_program(expression, candidate.axes(), candidate.order, candidate.lane, candidate.staged)
    if found is None:
        return None
    axes, order = found
    return Candidate(
        blocks=candidate.blocks,
        threads=tuple([axis.threads for axis in axes]),
        chunks=tuple([axis.chunk for axis in axes]),
        order=order,
        lane=None,
        staged=candidate.staged,
        registers=tuple([axis.registers for axis in axes]),
        thread_count=candidate.thread_count,
    )


def results_of(context: ProblemContext, candidate: Candidate) -> int:
    """Return the points of the output that a thread has of a program."""
    return prod([candidate.registers[loop] for loop in context.parallel])


def add_tail(
    work: CandidateWork,
    context: ProblemContext,
    candidate: Candidate,
    joining: Combination,
    spread: Candidate | None = None,
) -> None:
    """Set what a task does after its last step, stores apart.

    Args:
        work: The program's work, changed in place.
        context: The expression.
        candidate: The program.
        joining: How its threads join their partial results.
        spread: What `spread_candidate` gives, None where nothing is spread.
    """
    join = exchange_work(context, candidate, joining, spread)
    work.tail_issue, work.tail_phases, work.tail_waits = join.issue, join.phases, join.waits
    if not context.ends:
        return
    seen = spread or candidate
    end = epilogue_work(context, seen, results_of(context, seen))
    work.tail_issue += end.issue
    work.tail_phases += end.phases
    work.tail_load_rounds = end.load_rounds
    work.tail_stalls = end.stalls


def exchange_work(
    context: ProblemContext, candidate: Candidate, joining: Combination, spread: Candidate | None
) -> JoinWork:
    """Return what a task does to join partial results, exchange by exchange; arguments as of `add_tail`."""
    expression, lanes = context.expression, context.machine.device.subgroup_size
    subgroups = -(-candidate.thread_count // lanes)
    accumulators, lane = results_of(context, candidate), candidate.lane
    width = candidate.chunks[lane] if lane is not None and not context.reduction[lane] else 1
    issue, phases, waits = 0, 0, 0
    for results in expression.tail_exchanges or (max(1, expression.joined_results),):
        values = accumulators * results
        if spread is None:
            units = passed_units(values, width, context.result_bytes)
            join = joining.work(units, subgroups, everyone=bool(expression.whole))
        else:
            digits = [(loop, spread.threads[loop]) for loop in spread.order]
            alike = alike_threads(digits, context.parallel, lanes)
            join = joining.spread_work(values, results * results_of(context, spread), len(alike), subgroups)
        issue += join.issue
        phases += join.phases
        waits += join.waits
    return JoinWork(issue, phases, waits)
