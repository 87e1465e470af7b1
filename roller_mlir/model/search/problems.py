# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a program cannot be: the rule or the capacity that it breaks, what it needs against the limit, and a remedy."""

from collections.abc import Sequence
from math import prod

from roller_mlir.mapping.checks.plan import ordered_problem
from roller_mlir.mapping.checks.tensor_copy_rules import boxes_fit
from roller_mlir.mapping.tensor_copy import MOST_BOX_ELEMENTS
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.plan import TensorExpression


def candidate_problem(
    context: ProblemContext, candidate: Candidate, stages: int, disabled_rules: Sequence[str] = ()
) -> str:
    """Return which rule of tiles and threads a program breaks, or an empty string.

    Args:
        context: The operator.
        candidate: Its tiles and threads.
        stages: Buffers of staged operands, 0 where that is not decided.
        disabled_rules: Alignment rules that it need not keep.
    """
    device, threads = context.machine.device, candidate.thread_count
    name = _name(context, candidate.blocks)
    own = f"{by(candidate.registers)} points per thread"
    problem = matrix_problem(context, candidate)
    if problem:
        return problem
    if threads > device.max_threads_per_block:
        return (
            f"{name} with {own} needs {threads} threads per block, '{device.name}' has "
            f"{device.max_threads_per_block}; raise thread-tile or lower tile-sizes"
        )
    if threads > 1 and threads % device.subgroup_size and "execution-unit" not in disabled_rules:
        return (
            f"{name} with {own} needs {threads} threads, '{device.name}' runs them in multiples of "
            f"{device.subgroup_size}; change thread-tile or tile-sizes"
        )
    unordered = ordered_problem(context.expression, candidate.axes(), candidate.lane)
    if unordered:
        return f"{name} {unordered}; change thread-tile or tile-sizes"
    if not context.expression.row_passes and (cut := cut_problem(context.expression, candidate.blocks)):
        return f"{name} {cut}"
    for loop in context.reductions:
        size = candidate.threads[loop]
        if size & (size - 1):
            return (
                f"{name} splits reduction loop {loop} over {size} threads, joining needs a power of two; "
                "change thread-tile"
            )
        if context.steps_divide[loop] and context.divisors[loop] % candidate.blocks[loop]:
            return (
                f"{name} walks window loop {loop} in steps of {candidate.blocks[loop]}, which must divide its extent "
                f"{context.bounds[loop]}; change tile-sizes"
            )
    steps = prod([-(-context.bounds[i] // candidate.blocks[i]) for i in context.reductions])
    if stages == 1 and steps > 1 and context.atom.is_matrix:
        return f"{name} has {steps} steps of a matrix instruction, which need at least 2 stages; raise stages"
    if stages > 1:
        if steps < 2 or not any(candidate.staged):
            return (
                f"{name} has {steps} reduction step(s) and {sum(candidate.staged)} staged operand(s), {stages} stages "
                "need at least 2 steps and 1 staged operand; lower stages or tile-sizes"
            )
        if stages > 2 and not context.atom.is_matrix:
            return (
                f"{name} is copied through registers, which {stages} stages are too many for; lower stages to 2, or "
                "let a matrix instruction compute it"
            )
    return ""


def cut_problem(expression: TensorExpression, blocks: Sequence[int]) -> str:
    """Return how a tile cuts a loop whose points belong into one task, or an empty string."""
    bounds = expression.bounds
    cut = next((loop for loop in expression.whole if blocks[loop] < bounds[loop]), None)
    if cut is None:
        return ""
    return (
        f"cuts loop {cut} of {bounds[cut]} points, which belong into one task: one op of the program reduces over them "
        "and another needs the result at each; raise tile-sizes, or join no ops"
    )


def matrix_problem(context: ProblemContext, candidate: Candidate) -> str:
    """Return how a program's tiles do not hold whole matrix instructions, or an empty string."""
    atom = context.atom
    if not atom.is_matrix:
        return ""
    name, instruction = _name(context, candidate.blocks), atom.instruction.name
    for loop, size in atom.multiples:
        if candidate.blocks[loop] % size:
            return (
                f"{name} has {candidate.blocks[loop]} points on loop {loop}, '{instruction}' needs multiples of "
                f"{size}; change tile-sizes or instructions"
            )
    for loop, least, lanes in zip((atom.row, atom.column), atom.per_thread, atom.lanes, strict=True):
        points, threads = candidate.registers[loop], candidate.threads[loop]
        if points % least or threads % lanes:
            return (
                f"{name} has {threads} threads of {points} points on loop {loop}, '{instruction}' needs multiples of "
                f"{lanes} threads and of {least} points; change thread-tile or instructions"
            )
    own_loops = (*atom.loops, atom.extra_axis)
    others = [loop for loop, size in enumerate(candidate.blocks) if size > 1 and loop not in own_loops]
    if atom.reads_memory and others:
        return (
            f"{name} has {candidate.blocks[others[0]]} points on loop {others[0]}, '{instruction}' takes tiles of one "
            "point on every loop but its own; change tile-sizes or instructions"
        )
    if atom.reads_memory and not boxes_fit(context.expression.inputs, candidate.blocks):
        return f"{name} has more than the {MOST_BOX_ELEMENTS} points that one tensor copy reaches; lower tile-sizes"
    return ""


def resource_problem(context: ProblemContext, candidate: Candidate, stages: int) -> str:
    """Return which capacity of the device a program exceeds."""
    device, threads = context.machine.device, candidate.thread_count
    steps = prod([-(-context.bounds[i] // candidate.blocks[i]) for i in context.reductions])
    stages = stages or (2 if steps > 1 and any(candidate.staged) else 1)
    need = stages * sum(
        access.tile(candidate.blocks)[0] * access.element_bytes
        for access, there in zip(context.inputs, candidate.staged, strict=True)
        if there
    )
    name = _name(context, candidate.blocks, stages)
    if need > device.max_workgroup_bytes_per_block:
        return (
            f"{name} needs {need} B of workgroup memory, '{device.name}' has {device.max_workgroup_bytes_per_block} B; "
            "lower tile-sizes or stages"
        )
    points = prod([candidate.registers[i] for i in context.parallel])
    limit = min(device.max_registers_per_thread, device.registers_per_unit // max(1, threads))
    return (
        f"{name} needs {points} accumulators and their fragments in each of {threads} threads, '{device.name}' has "
        f"{limit} registers for each; lower thread-tile or tile-sizes"
    )


def count_problem(context: ProblemContext, options: ConstructOptions) -> str:
    """Return in which way the sizes of a user schedule do not match the loops or each other, or an empty string."""
    count = len(context.bounds)
    for name, sizes in (("tile-sizes", options.tile_sizes), ("thread-tile", options.thread_tile)):
        if sizes and len(sizes) != count:
            return (
                f"{name}={','.join(map(str, sizes))} has {len(sizes)} size(s), the {by(context.bounds)} loop nest "
                f"needs {count}: one per loop"
            )
    if options.tile_sizes and options.thread_tile:
        for loop, (block, own) in enumerate(zip(options.tile_sizes, options.thread_tile, strict=True)):
            if block % own:
                return (
                    f"thread-tile {by(options.thread_tile)} has {own} points on loop {loop}, which must divide the "
                    f"{block} of tile-sizes {by(options.tile_sizes)}"
                )
    return ""


def thread_problem(context: ProblemContext, options: ConstructOptions) -> str:
    """Return that no split of a user schedule's sizes over threads exists."""
    device = context.machine.device
    return (
        f"tile {by(options.tile_sizes or options.thread_tile)} of the {by(context.bounds)} loop nest cannot be spread "
        f"over threads: no split has a multiple of {device.subgroup_size} threads up to the "
        f"{device.max_threads_per_block} of '{device.name}' with at most 16 points per thread and parallel loop; "
        "change tile-sizes or give thread-tile"
    )


def stages_problem(context: ProblemContext) -> str:
    """Return that no program has several stages (programs of one stage always exist)."""
    return (
        f"no tile of the {by(context.bounds)} loop nest has a staged operand and 2 reduction steps, which 2 stages "
        "need, or, for more than 2, copies that do not pass through registers; leave stages to the construction"
    )


def capacity_problem(context: ProblemContext) -> str:
    """Return that even the smallest aligned tile is beyond the workgroup memory, or an empty string.

    That tile has points along the longest loop of the reduction and the longest loops that each input alone has.
    """
    device = context.machine.device
    walked: set[int] = set()
    for access in context.inputs:
        own = [loop for loop in access.parallel if sum(loop in one.loops for one in context.inputs) == 1]
        for loops in (own, context.reductions):
            walked |= {max(loops, key=lambda loop: context.bounds[loop])} if loops else set()
    sizes = [min(extent, 8) if loop in walked else 1 for loop, extent in enumerate(context.bounds)]
    stages = 2 if any(context.bounds[loop] > sizes[loop] for loop in context.reductions) else 1
    need = stages * sum(access.tile(sizes)[0] * access.element_bytes for access in context.inputs)
    if need <= device.max_workgroup_bytes_per_block:
        return ""
    return (
        f"no aligned tile of the {by(context.bounds)} loop nest ({context.expression.output.element_type}) fits: "
        f"{by(sizes)} in {stages} stages needs {need} B of workgroup memory, '{device.name}' has "
        f"{device.max_workgroup_bytes_per_block} B; compile for a device with more"
    )


def by(sizes: Sequence[int]) -> str:
    """Return sizes as people write them.

    >>> by((128, 128, 8))
    '128x128x8'
    """
    return "x".join(str(size) for size in sizes)


def _name(context: ProblemContext, blocks: Sequence[int], stages: int = 0) -> str:
    detail = context.expression.output.element_type
    if stages:
        detail += f", {stages} stage{'s' if stages > 1 else ''}"
    return f"tile {by(blocks)} ({detail})"
