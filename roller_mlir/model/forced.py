# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forced tiles: what a user asks for goes through the same checks as what is constructed, and fails with the reason."""

from collections.abc import Iterator, Sequence
from math import prod

from roller_mlir.model.alignment import WindowRule
from roller_mlir.model.direct import direct_programs
from roller_mlir.model.errors import ConstructionError
from roller_mlir.model.estimate import Estimate, estimate
from roller_mlir.model.facts import Facts
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.program import Program, make_program

MAX_FORCED = 256
"""Thread tiles that are tried for a forced block."""


def forced_estimates(facts: Facts, options: ConstructOptions) -> list[Estimate]:
    """Return the candidates that have the forced tiles.

    Raises:
        ConstructionError: There is none; the message says what is needed against which limit, and what to change.
    """
    _check_counts(facts, options)
    programs = list(_candidates(facts, options))
    if not programs:
        raise ConstructionError(_no_threads(facts, options))
    found: list[Estimate] = []
    reason = ""
    for program in programs:
        problem = program_problem(facts, program, options.stages)
        if problem:
            reason = reason or problem
            continue
        one = estimate(facts, program, stages=options.stages)
        if one is None:
            reason = reason or resource_problem(facts, program, options.stages)
        else:
            found.append(one)
    if not found:
        raise ConstructionError(reason)
    return found


def program_problem(facts: Facts, program: Program, stages: int) -> str:
    """Return which rule of tiles and threads a program breaks, or an empty string."""
    device = facts.machine.device
    name = _name(facts, program.blocks)
    threads = prod(program.threads)
    if threads > device.max_threads_per_block:
        return (
            f"{name} with {_by(program.registers)} points per thread needs {threads} threads per block, '{device.name}' has "
            f"{device.max_threads_per_block}; raise thread-tile or lower tile-sizes"
        )
    if threads > 1 and threads % device.subgroup_size:
        return (
            f"{name} with {_by(program.registers)} points per thread needs {threads} threads, '{device.name}' runs them in "
            f"multiples of {device.subgroup_size}; change thread-tile or tile-sizes"
        )
    for loop in facts.reductions:
        size = program.threads[loop]
        if size & (size - 1):
            return f"{name} splits reduction loop {loop} over {size} threads, joining needs a power of two; change thread-tile"
        if not WindowRule().allows_size(facts.expression, loop, program.blocks[loop]):
            return (
                f"{name} walks window loop {loop} in steps of {program.blocks[loop]}, which must divide its extent "
                f"{facts.extents[loop]}; change tile-sizes"
            )
    if stages == 2:
        steps = prod([-(-facts.extents[i] // program.blocks[i]) for i in facts.reductions])
        if steps < 2 or not any(program.staged):
            return (
                f"{name} has {steps} reduction step(s) and {sum(program.staged)} staged operand(s), 2 stages "
                "need at least 2 steps and 1 staged operand; lower stages or tile-sizes"
            )
    return ""


def resource_problem(facts: Facts, program: Program, stages: int) -> str:
    """Return which capacity of the device a program exceeds."""
    device = facts.machine.device
    threads = prod(program.threads)
    steps = prod([-(-facts.extents[i] // program.blocks[i]) for i in facts.reductions])
    staged = program.staged
    stages = stages or (2 if steps > 1 and any(staged) else 1)
    need = stages * sum(
        access.tile(program.blocks)[0] * access.element_bytes
        for access, there in zip(facts.inputs, staged, strict=True)
        if there
    )
    name = _name(facts, program.blocks, stages)
    if need > device.max_workgroup_bytes_per_block:
        return (
            f"{name} needs {need} B of workgroup memory, '{device.name}' has {device.max_workgroup_bytes_per_block} B; lower "
            "tile-sizes or stages"
        )
    points = prod([program.registers[i] for i in facts.parallel])
    limit = min(device.max_registers_per_thread, device.registers_per_unit // max(1, threads))
    return (
        f"{name} needs {points} accumulators and their fragments in each of {threads} threads, '{device.name}' has {limit} "
        "registers for each; lower thread-tile or tile-sizes"
    )


def _check_counts(facts: Facts, options: ConstructOptions) -> None:
    count = len(facts.extents)
    for name, sizes in (("tile-sizes", options.tile_sizes), ("thread-tile", options.thread_tile)):
        if sizes and len(sizes) != count:
            raise ConstructionError(
                f"{name}={','.join(map(str, sizes))} has {len(sizes)} size(s), the {_by(facts.extents)} loop nest needs "
                f"{count}: one per loop"
            )
    if options.tile_sizes and options.thread_tile:
        for loop, (block, own) in enumerate(zip(options.tile_sizes, options.thread_tile, strict=True)):
            if block % own:
                raise ConstructionError(
                    f"thread-tile {_by(options.thread_tile)} has {own} points on loop {loop}, which must divide the "
                    f"{block} of tile-sizes {_by(options.tile_sizes)}"
                )


def _candidates(facts: Facts, options: ConstructOptions) -> Iterator[Program]:
    """Yield the programs with the forced block, thread tile or both, in several thread orders."""
    seen: set[Program] = set()
    for registers, threads in _splits(facts, options):
        for lane, fastest in _orders(facts, threads, registers):
            program = make_program(facts, registers, threads, fastest, lane, reuse=_reuses(facts, threads))
            if program not in seen:
                seen.add(program)
                yield program


def _reuses(facts: Facts, threads: Sequence[int]) -> bool:
    """Return whether a forced program is tiled for reuse: there is some, and no thread splits a reduction."""
    return bool(facts.reductions and facts.reused) and all(threads[loop] == 1 for loop in facts.reductions)


def _orders(
    facts: Facts, threads: Sequence[int], registers: Sequence[int]
) -> Iterator[tuple[int | None, tuple[int, ...]]]:
    largest = max(facts.inputs, key=lambda a: a.access.size_bytes, default=facts.output)
    leads = [facts.output.contiguous]
    if largest.contiguous is not None and facts.reduction[largest.contiguous] and threads[largest.contiguous] > 1:
        leads.insert(0, largest.contiguous)
    for lead in leads:
        rest = [loop for loop in reversed(range(len(threads))) if loop != lead]
        rest.sort(key=lambda loop: facts.reduction[loop])
        yield lead, (*([lead] if lead is not None else []), *rest)
        if lead is not None and facts.reduction[lead]:
            del registers
            return


def _splits(facts: Facts, options: ConstructOptions) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield (points per thread, threads) per loop that agree with what is forced."""
    device = facts.machine.device
    blocks = options.tile_sizes
    if blocks and options.thread_tile:
        yield options.thread_tile, tuple(b // r for b, r in zip(blocks, options.thread_tile, strict=True))
        return
    if options.thread_tile:
        own = options.thread_tile
        tried = 0
        for program in direct_programs(facts):
            if program.registers == own:
                yield own, program.threads
        for threads in _thread_counts(facts, own, device.subgroup_size, device.max_threads_per_block):
            tried += 1
            if tried > MAX_FORCED:
                return
            yield own, threads
        return
    choices: list[list[int]] = []
    for loop, block in enumerate(blocks):
        sizes = [r for r in range(1, min(block, 16) + 1) if block % r == 0 and (r & (r - 1) == 0 or r == block)]
        if facts.reduction[loop]:
            sizes = [r for r in _divisors(block) if (block // r) & (block // r - 1) == 0]
            if facts.reused:
                sizes = [block]
        choices.append(sizes)
    count = 0
    for registers in _product(choices):
        threads = tuple(b // r for b, r in zip(blocks, registers, strict=True))
        total = prod(threads)
        if total > device.max_threads_per_block or total % device.subgroup_size:
            continue
        count += 1
        if count > MAX_FORCED:
            return
        yield registers, threads


def _thread_counts(facts: Facts, own: Sequence[int], lanes: int, limit: int) -> Iterator[tuple[int, ...]]:
    choices: list[list[int]] = []
    for loop, extent in enumerate(facts.extents):
        top = 1
        while top * own[loop] < extent and top < limit:
            top *= 2
        choices.append([1] if facts.reduction[loop] else [1 << i for i in range(top.bit_length())])
    for threads in _product(choices):
        total = prod(threads)
        if total % lanes == 0 and total <= limit:
            yield threads


def _product(choices: Sequence[Sequence[int]]) -> Iterator[tuple[int, ...]]:
    if not choices:
        yield ()
        return
    for first in choices[0]:
        for rest in _product(choices[1:]):
            yield (first, *rest)


def _divisors(value: int) -> list[int]:
    return [d for d in range(1, value + 1) if value % d == 0]


def _no_threads(facts: Facts, options: ConstructOptions) -> str:
    device = facts.machine.device
    sizes = options.tile_sizes or options.thread_tile
    return (
        f"tile {_by(sizes)} of the {_by(facts.extents)} loop nest cannot be spread over threads: no split has a multiple of "
        f"{device.subgroup_size} threads up to the {device.max_threads_per_block} of '{device.name}' with at most 16 points per "
        "thread and parallel loop; change tile-sizes or give thread-tile"
    )


def _name(facts: Facts, blocks: Sequence[int], stages: int = 0) -> str:
    detail = facts.expression.output.element_type
    if stages:
        detail += f", {stages} stage{'s' if stages > 1 else ''}"
    return f"tile {_by(blocks)} ({detail})"


def _by(sizes: Sequence[int]) -> str:
    return "x".join(str(size) for size in sizes)
