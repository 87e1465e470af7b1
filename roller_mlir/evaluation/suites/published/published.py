# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the model expects of the kernels that ROLLER's artifact published: its tile and its code on our machine.

A tile alone does not make a time: the artifact's code differs from ours. What its kernel does is counted here, and
`model.cost.timing` says how long each layer of the machine takes for that. Nothing here is fitted to a published time.

`rates` says where the numbers come from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil, hypot, prod
from types import MappingProxyType

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.published.kernel import (
    ELEMENT_BYTES,
    PublishedKernel,
    Staged,
    published_kernel,
)
from roller_mlir.evaluation.suites.published.rates import (
    BRANCHING_COMPARISONS,
    COPY_INSTRUCTIONS,
    DIVISION_INSTRUCTIONS,
    GUARD_INSTRUCTIONS,
    POINT_INSTRUCTIONS,
    RATES,
    STORE_INSTRUCTIONS,
    TAP_INSTRUCTIONS,
    TASK_INSTRUCTIONS,
    TASK_MULTIPLICATIONS,
    Rates,
)
from roller_mlir.hal import Device
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.mapping.layout.bank_phases import phases
from roller_mlir.mapping.resources import tasks_per_unit
from roller_mlir.model.cost.timing import CandidateWork, seconds_by_layer, total_seconds
from roller_mlir.model.machine import Machine, machine_of


@dataclass(frozen=True)
class PublishedPrediction:
    """What the model expects of a published kernel.

    Attributes:
        seconds: Expected time as it was measured.
        seconds_by_layer: Seconds were each layer the only limit, as of `model.cost.timing.seconds_by_layer`.
        saturated: The layer that takes longest, "launch" apart.
        work: What the kernel does.
    """

    seconds: float
    seconds_by_layer: Mapping[str, float]
    saturated: str
    work: CandidateWork


def predict_published(operator: Operator, device: Device) -> PublishedPrediction:
    """Return what the model expects of the tile that was published for an operator on a device.

    Raises:
        SuiteError: No tile was published, or the device's instruction costs are not known.
    """
    tiles = operator.tiles.get(device.name)
    file, line = operator.place
    if tiles is None:
        raise SuiteError(f"'{operator.id}' has no published tile for {device.name}", file=file, line=line)
    rates = RATES.get(device.architecture)
    if rates is None:
        known = ", ".join(RATES)
        raise SuiteError(f"published tiles are predicted on {known}, but {device.name} is {device.architecture}")
    if rates.clock_hz is not None:
        device = replace(device, clock_hz=rates.clock_hz)
    machine = machine_of(device)
    work = published_work(published_kernel(operator, tiles, machine.banks.bank_bytes // ELEMENT_BYTES), machine, rates)
    layers = {**seconds_by_layer(work, machine), "launch": rates.launch_s}
    limits = {key: value for key, value in layers.items() if key != "launch"}
    return PublishedPrediction(
        seconds=alternating_seconds(layers) if work.staged else total_seconds(layers, device.model),
        seconds_by_layer=MappingProxyType(layers),
        saturated=max(limits, key=lambda key: limits[key]),
        work=work,
    )


def alternating_seconds(layers: Mapping[str, float]) -> float:
    """Return the time of tasks that load and compute in turn, for want of a second buffer.

    Other tasks of the unit compute while one loads, by chance: between the slower of both (all hidden) and their sum
    (nothing hidden), the root of the sum of squares. Within loading and within computing all layers overlap.

    >>> alternating_seconds({"launch": 1, "global": 3, "l2": 2, "latency": 1, "compute": 4, "workgroup": 1})
    6.0
    """
    loading = max(layers["global"], layers["l2"], layers["latency"])
    return layers["launch"] + hypot(loading, max(layers["compute"], layers["workgroup"]))


def published_work(kernel: PublishedKernel, machine: Machine, rates: Rates) -> CandidateWork:
    """Return what a published kernel does, in the terms of the model."""
    device, threads = machine.device, kernel.threads
    lanes = device.subgroup_size
    subgroups = ceil(threads / lanes)
    bank = machine.banks.bank_bytes // ELEMENT_BYTES
    step_points = prod(kernel.step)
    arithmetic = kernel.points * step_points * kernel.kept
    multiplications, accesses, passes, batched, waits, held = 0.0, 0.0, 0.0, 0.0, 0, 0
    for one in kernel.inputs:
        reads, reading = _reads(kernel, one, machine, rates)
        copies = one.elements / threads
        shared = bank if one.paired else 1
        divisions = one.divisions / shared
        small = divisions + (one.multiplications + (1 if one.divisions else 0)) / shared
        arithmetic += copies * one.inside * (COPY_INSTRUCTIONS + one.comparisons)
        arithmetic += copies * divisions * DIVISION_INSTRUCTIONS
        multiplications += copies * divisions
        if rates.short_multiplications:
            arithmetic += copies * one.inside * small
        else:
            multiplications += copies * one.inside * small
        accesses += reads * step_points + copies * (1 + 1 / bank)
        passes += reading * step_points + one.elements / lanes / bank
        held += int(reads)
        if rates.common_issue:
            # Loads pass the same pipe: one a line of 128 bytes.
            passes += one.elements / lanes * bank
        if one.comparisons >= BRANCHING_COMPARISONS:
            waits += ceil(copies / bank) * bank
        else:
            batched += copies
    others = step_points * (TAP_INSTRUCTIONS if len(kernel.step) > 1 else POINT_INSTRUCTIONS)
    direct = 0 if kernel.inputs else kernel.points
    accesses += direct
    arithmetic += direct + (others if rates.common_issue else 0)
    line_passes = subgroups * bank if rates.common_issue else 0
    tail = TASK_INSTRUCTIONS + kernel.points * (STORE_INSTRUCTIONS + GUARD_INSTRUCTIONS * kernel.guarded)
    loads = min(ceil(batched), device.model.loads_in_flight) or 1
    registers = min(kernel.points + held + device.model.addressing_registers + loads, device.max_registers_per_thread)
    workgroup_bytes = ELEMENT_BYTES * sum(one.elements for one in kernel.inputs)
    resident = max(1, tasks_per_unit(device, threads, registers, workgroup_bytes))
    return CandidateWork(
        tasks=kernel.tasks,
        steps=kernel.steps,
        threads=threads,
        resident=resident,
        math=0.0,
        issue=_issue(arithmetic, multiplications, accesses, rates),
        phases=passes + direct * line_passes,
        load_rounds=0,
        staged=bool(kernel.inputs),
        stages=1,
        tail_issue=_issue(tail, TASK_MULTIPLICATIONS, kernel.points, rates),
        tail_phases=kernel.points * line_passes,
        tail_waits=0,
        cache_bytes=workgroup_bytes * kernel.tasks * kernel.steps + kernel.direct_bytes + kernel.output_bytes,
        global_bytes=_global_bytes(kernel, machine, resident),
        copy_rounds=waits + ceil(batched / device.model.loads_in_flight),
    )


def _issue(arithmetic: float, multiplications: float, accesses: float, rates: Rates) -> float:
    """Return the cycles of a scheduler for the instructions of a thread."""
    cycles = rates.arithmetic_cycles * (arithmetic + (accesses if rates.common_issue else 0))
    product_cycles = rates.multiplication_cycles * multiplications
    if rates.own_multiplier:
        return max(cycles + rates.arithmetic_cycles * multiplications, product_cycles)
    return cycles + product_cycles


def _reads(kernel: PublishedKernel, one: Staged, machine: Machine, rates: Rates) -> tuple[float, float]:
    """Return the reads of an input by a thread for one reduction point, and the passes of a block's: the mean of some.

    A thread reads every element that the point needs of it: neighbours at once where they always start on a bank, and
    where it reads nothing but one row of an only input, several points at once.
    """
    lanes, threads = machine.device.subgroup_size, kernel.threads
    reads, width = 1.0, 1
    for along, spread in zip(one.parallel, kernel.spread, strict=True):
        if along == 1 and all(k % spread.inner == 0 for k in one.reduction):
            reads, width = reads * spread.virtual, spread.inner
        elif along:
            reads *= spread.virtual * spread.inner
    if len(kernel.inputs) == 1 and one.reduction == (1,):
        width = power_of_two_divisor(kernel.step[0] * kernel.spread[0].inner, rates.merged_elements)
        reads /= width
    starts = [0]
    for along, size in zip(one.reduction, kernel.step, strict=True):
        starts = [start + along * i for start in starts for i in range(min(size, 4))]
    total = 0
    for first in range(0, threads, lanes):
        addresses = [_address(kernel, one, thread) for thread in range(first, min(first + lanes, threads))]
        for start in starts:
            places = [ELEMENT_BYTES * (address + start) for address in addresses]
            total += phases(places, ELEMENT_BYTES * width, machine.banks, load=True)
    return reads * kernel.kept, reads * kernel.kept * total / len(starts)


def _address(kernel: PublishedKernel, one: Staged, thread: int) -> int:
    """Return the element of an input's tile at which a thread's first point starts."""
    address = 0
    for along, spread in zip(reversed(one.parallel), reversed(kernel.spread), strict=True):
        thread, place = divmod(thread, spread.threads)
        address += along * spread.inner * place
    return address


def _global_bytes(kernel: PublishedKernel, machine: Machine, resident: int) -> float:
    """Return the bytes that reach global memory: each tensor once, again by every wave that the cache cannot span."""
    covered: list[int] = []
    left = machine.units * resident
    for count in reversed(kernel.grid):
        covered.insert(0, min(count, left))
        left = max(1, left // count)
    waves = kernel.tasks / prod(covered)
    total = float(kernel.direct_bytes + kernel.output_bytes)
    for one in kernel.inputs:
        tiles = prod(kernel.grid[loop] for loop in one.dependent)
        if one.unique_bytes <= machine.cache_bytes // 2 or tiles == kernel.tasks:
            total += one.unique_bytes
        else:
            wave = one.unique_bytes / tiles * prod(covered[loop] for loop in one.dependent)
            total += max(one.unique_bytes, wave * waves)
    return total
