# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a task does after its last step: it stores its results, straight from registers or through workgroup memory.

A store occupies the cache next to the units for twice as long as a load of the same lines (`cache_requests`): on an
H100 SXM stores of full lines were measured at 4.1 TB/s, loads at 8.1 TB/s.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from math import ceil, gcd

from roller_mlir.mapping.layout.staged_store import (
    LEAST_BUFFER_BYTES,
    MOVE_INSTRUCTIONS,
    WRITE_INSTRUCTIONS,
    StagedStore,
    result_tile,
    staged_store,
    staged_store_problem,
)
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.timing import CandidateWork
from roller_mlir.model.cost.traffic.cache_requests import occupied_bytes
from roller_mlir.model.cost.traffic.operands import store_width
from roller_mlir.model.cost.traffic.sectors import coalesced_sectors
from roller_mlir.model.machine import Machine
from roller_mlir.model.problem_context import AccessContext, ProblemContext
from roller_mlir.plan.expression import dense_strides

STORE_TIMES = 2
"""Times that a store occupies the cache as long as a load of the same lines."""

WORTH = 1.25
"""Times that direct stores must cost the cache what rows of the tile would, for the way through workgroup memory to be
looked at."""

PASS_WAITS = 3
"""Dependent accesses of a pass through workgroup memory: two barriers, and a read between them."""


@dataclass(frozen=True, slots=True)
class StoreWork:
    """What stores of a program do.

    Attributes:
        issue: Instructions of a thread.
        phases: Passes of a task through a unit's workgroup memory and first cache.
        waits: Dependent accesses to workgroup memory.
        requests: What the requests of all tasks occupy the cache for, in bytes that it would serve of loads meanwhile.
        least_requests: The same of stores of the tile's rows, each line once.
        written: Bytes of all tasks, in whole transactions.
        workgroup_bytes: Workgroup memory that the results pass.
    """

    issue: float
    phases: float
    waits: float
    requests: float
    least_requests: float
    written: int
    workgroup_bytes: int = 0

    def added(self, work: CandidateWork, times: int) -> CandidateWork:
        """Return a program's work with these stores; the old content is read where they count several times."""
        found = copy(work)
        found.tail_issue += self.issue * times
        found.tail_phases += self.phases * times
        found.tail_waits += self.waits
        found.cache_bytes += times * self.written
        found.request_bytes += max(0.0, self.requests - self.written)
        return found


def direct_stores(context: ProblemContext, candidate: Candidate, tasks: int, accumulators: int) -> StoreWork:
    """Return the stores of results from the registers that hold them.

    Args:
        context: The expression.
        candidate: The program.
        tasks: Its tasks.
        accumulators: Results of a thread.
    """
    # Programs that differ in the steps of their reduction store alike.
    key = context.of_parallel(candidate.blocks), candidate.threads, candidate.chunks, candidate.order, candidate.lane
    known = context.direct.get(key)
    if known is None:
        known = context.direct[key] = _direct_stores(context, candidate, tasks, accumulators)
    return known


def _direct_stores(context: ProblemContext, candidate: Candidate, tasks: int, accumulators: int) -> StoreWork:
    machine, digits = context.machine, context.atom.digits
    lanes = min(machine.device.subgroup_size, candidate.thread_count)
    subgroups = -(-candidate.thread_count // machine.device.subgroup_size)
    issue, phases, written, requests, least = 0, 0, 0, 0.0, 0.0
    for output in (context.output, *context.more_outputs):
        store = store_width(context.expression, candidate.lane, candidate.chunks, output.access)
        width = store * output.element_bytes

        def touched(piece: int, output: AccessContext = output, width: int = width) -> int:
            return coalesced_sectors(output.strides, candidate, width, lanes, piece, digits)

        sectors, stores = touched(machine.sector_bytes), accumulators // store
        moved = tasks * output.traffic(candidate.blocks)
        whole = tasks * accumulators * candidate.thread_count * output.element_bytes
        inside = min(1.0, output.access.size_bytes / whole)  # the rest of the tiles lies outside of the tensor
        issue += 2 * stores
        phases += stores * subgroups * max(1, -(-sectors * machine.sector_bytes // machine.phase_bytes))
        written += moved
        lines = 0 if lanes * width >= machine.sector_bytes * sectors else touched(machine.line_bytes)
        asked = inside * tasks * stores * subgroups * request_bytes(machine, sectors, lines)
        requests += asked
        if asked > WORTH * STORE_TIMES * output.access.size_bytes:  # else rows of the tile would not be worth a look
            extents = [dimension.extent for dimension in output.dimensions(candidate.blocks)]
            asked = _row_requests(machine, output, extents, lanes * output.copy_vector(candidate.blocks))
        least += asked
    return StoreWork(issue, phases, 0, requests, least, written)


def staged_stores(
    context: ProblemContext, candidate: Candidate, direct: StoreWork, accumulators: int, free_bytes: int, *, exact: bool
) -> StoreWork:
    """Return the stores of results by the way through workgroup memory, which `staged_store_problem` allows.

    Args:
        context: The expression.
        candidate: The program.
        direct: The stores without it.
        accumulators: Results of a thread.
        free_bytes: Workgroup memory that operands leave.
        exact: Whether the way is decided as a plan's is; else the banks are taken to have no conflicts.
    """
    device, row = context.machine.device, context.machine.phase_bytes
    lanes = min(device.subgroup_size, candidate.thread_count)
    subgroups = -(-candidate.thread_count // device.subgroup_size)
    issue, phases, waits, requests, most = 0.0, 0.0, 0.0, 0.0, 0
    for output in (context.output, *context.more_outputs):
        size = output.element_bytes
        if exact:
            way = planned_store(context, candidate, output, free_bytes)
            write, vector, passes = way.write, way.vector, way.passes
            rounds, buffer = way.copy.rounds * passes, way.size_bytes
            each_write, each_read = float(way.write_phases), way.read_phases
            requests += _row_requests(context.machine, output, way.copied, lanes * vector)
        else:
            write = store_width(context.expression, candidate.lane, candidate.chunks, output.access)
            vector = output.copy_vector(candidate.blocks)
            elements = output.tile(candidate.blocks)[0]
            rounds = -(-elements // (vector * candidate.thread_count))
            most_bytes = max(free_bytes, LEAST_BUFFER_BYTES)
            passes, buffer = -(-elements * size // most_bytes), min(elements * size, most_bytes)
            each_write, each_read = (max(1.0, lanes * width * size / row) for width in (write, vector))
        writes = accumulators / write
        stored = max(1.0, lanes * vector * size / row)
        issue += WRITE_INSTRUCTIONS * writes + MOVE_INSTRUCTIONS * rounds
        phases += subgroups * (writes * each_write + rounds * (each_read + stored))
        waits += PASS_WAITS * passes
        most = max(most, buffer)
    least = direct.least_requests
    return StoreWork(issue, phases, waits, requests or least, least, direct.written, most)


def tensor_stores(direct: StoreWork) -> StoreWork:
    """Return the stores of whole boxes by tensor copies, given those of single threads."""
    return replace(direct, requests=STORE_TIMES * float(direct.written))


def planned_store(context: ProblemContext, candidate: Candidate, output: AccessContext, free_bytes: int) -> StagedStore:
    """Return how an output of a program passes workgroup memory."""
    atom, expression = context.atom, context.expression
    axes = atom.axes(candidate.axes())
    tile = result_tile(output.access, expression.loops, axes, candidate.order, atom.order, candidate.lane)
    return staged_store(tile, free_bytes, context.machine.device.subgroup_size)


def may_stage(context: ProblemContext, candidate: Candidate, direct: StoreWork) -> bool:
    """Return whether results may pass workgroup memory, and stores from registers cost enough more to look at that."""
    machine = context.machine
    return (
        machine.staged_stores
        and candidate.thread_count > 1
        and direct.requests > WORTH * direct.least_requests
        and not context.tensor_store
        and not context.expression.walks_rows(candidate.blocks)
        and _is_stageable(context, candidate.blocks)
    )


def _is_stageable(context: ProblemContext, blocks: tuple[int, ...]) -> bool:
    known = context.stageable.get(blocks)
    if known is None:
        known = context.stageable[blocks] = not staged_store_problem(context.expression, blocks)
    return known


def request_bytes(machine: Machine, sectors: float, lines: float) -> float:
    """Return for how many bytes of loads a store occupies the cache.

    Args:
        machine: Where.
        sectors: Sectors that it touches.
        lines: Lines of the cache that it touches; 0 where it writes whole sectors, wherever they lie: results of
            `wgmma` that lie so were stored no more slowly than cuBLAS stores its own.
    """
    return STORE_TIMES * occupied_bytes(machine, sectors, lines)


def _row_requests(machine: Machine, output: AccessContext, extents: Sequence[int], moved: int) -> float:
    """Return what stores of the rows of all tiles cost the cache.

    Args:
        machine: Where.
        output: The tensor.
        extents: Elements of a tile.
        moved: Elements that a subgroup stores at a time, row by row.
    """
    access, size = output.access, output.element_bytes
    extents = [min(extent, bound) for extent, bound in zip(extents, access.bounds, strict=True)]
    strides = dense_strides(access.bounds)
    run, pitch = 1, 0
    for extent, bound, stride in zip(reversed(extents), reversed(access.bounds), reversed(strides), strict=True):
        run *= extent
        if extent < bound:
            pitch = stride * bound * size
            break
    whole, row = access.size_bytes, run * size
    grid = gcd(pitch, row) if pitch else 0  # rows begin at multiples of it
    segments = max(whole / row, whole / (moved * size))

    def touched(piece: int) -> float:
        crosses = grid % piece and (grid != row or piece % row)
        fewest = max(whole / piece, whole / row * ceil(row / piece) if row < piece else 0)
        return fewest + (segments * min(1.0, row / piece) if crosses else 0)

    return request_bytes(machine, touched(machine.sector_bytes), touched(machine.line_bytes))
