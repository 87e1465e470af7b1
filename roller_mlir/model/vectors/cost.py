# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan of vectors costs: cycles of the micro kernel by its ports, and bytes between layers by working sets.

A task is one micro kernel: a tile of rows x vectors whose sums stay in registers over the whole reduction. Around it
stand the loops over tasks, in the plan's order. A cache of C bytes holds the largest inner part of these loops whose
data fit into it (PolyDL section 4: the working set of a reuse against the cache sizes); what one pass of that part
reads comes from the layer behind, once for each pass of the loops around it that moves it.

matmul 64x64x64 of f32, tasks of 8x32, caches of 48 KiB: all 49,152 B fit, so 49,152 B come from behind, once.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, prod

from roller_mlir.hal import Device, MemoryLayer, VectorConstants
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.plan import Access, Plan, Prediction, TensorExpression
from roller_mlir.plan.expression import dense_strides
from roller_mlir.plan.plan import WORKGROUP

LINE_BYTES = 64
"""Of a cache, where nobody says another."""


@dataclass(frozen=True)
class Work:
    """What the tasks of a plan do.

    Attributes:
        tasks: How many there are.
        cycles: Of one task, from data in the nearest cache.
        registers: Vector registers that are live.
        moved: Bytes that come into the register layer and each cache, from the nearest on; the last from memory.
    """

    tasks: int
    cycles: float
    registers: int
    moved: tuple[float, ...]


def lanes_of(expression: TensorExpression, device: Device) -> int:
    """Return the lanes of a vector in which an expression is computed: those of its widest type."""
    assert device.vector_bytes is not None
    accesses = (*expression.inputs, *expression.outputs, *expression.epilogue)
    widest = max(max(access.element_bytes for access in accesses), expression.result_bytes)
    return max(1, device.vector_bytes // widest)


def reads_lanes(access: Access, lane: int) -> str:
    """Return how lanes along a loop read a tensor.

    That is "one" element for all, neighbours as a "vector", every other element as "pairs" of vectors, or "each" alone.

    >>> from roller_mlir.plan import LinearIndex
    >>> x = Access("x", (8, 8), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> reads_lanes(x, 0), reads_lanes(x, 1)
    ('each', 'vector')
    """
    factors = [index.coefficients[lane] for index in access.indices]
    if not any(factors):
        return "one"
    return {1: "vector", 2: "pairs"}.get(factors[-1], "each") if not any(factors[:-1]) else "each"


def work_of(
    expression: TensorExpression,
    device: Device,
    blocks: Sequence[int],
    lane: int | None,
    order: Sequence[int],
    inner: Sequence[int] = (),
    staged: Collection[int] = (),
) -> Work:
    """Return the work of tasks of `blocks` points a loop, with lanes along one, that follow each other in an order.

    Args:
        expression: The operator.
        device: The device.
        blocks: Points of each loop in a task; of reductions, all of them or those of a step.
        lane: The loop along vectors, None for scalars.
        order: The parallel loops with several tasks, outermost first.
        inner: The last of them, which one task walks by itself.
        staged: Inputs that a task packs in front of these.
    """
    loops, known = expression.loops, device.vectors
    width = min(lanes_of(expression, device), blocks[lane]) if lane is not None else 1
    tasks = prod([loops[i].extent.tiles(blocks[i]).bound for i in order if i not in inner])
    vectors = prod([blocks[i] for i in expression.parallel()])
    steps = prod([loops[i].extent.bound for i in expression.reductions()])
    if lane is not None and not loops[lane].reduction:
        vectors //= width
    elif lane is not None:
        steps = -(-steps // width)
    operations = 1 if expression.fused_multiply_add else max(1, expression.flops_per_point)
    ports = device.load_ports or 1
    loads, masked, temporaries = 0.0, 0.0, 0.0
    packed, reduced = 0.0, expression.reductions()
    for number, access in enumerate(expression.inputs):
        if number in staged:
            packed += _bytes(access, blocks, LINE_BYTES) / LINE_BYTES
        count, each = _loads(expression, known, access, blocks, lane, width)
        loads += count * (known.gather_cycles * ports if each else 1)
        if number not in staged and reduced and device.caches and not access.gathered:
            own = tuple(
                (i, blocks[i]) for i in access.loops() if not loops[i].reduction and i != lane and blocks[i] > 1
            )
            masked += known.conflict_cycles * count * _rows_collide(access, own, device.caches[0], known)
        if not each and lane is not None and reads_lanes(access, lane) == "vector":
            temporaries = max(temporaries, count)
        if number not in staged and expression.reductions() and _may_leave(expression, access):
            masked += known.mask_cycles * count
    arithmetic = vectors * operations
    point = max(
        arithmetic / (device.fma_ports or 1),
        loads / ports,
        (arithmetic + loads) / known.issue_per_cycle,
        known.fma_latency_cycles if expression.reductions() else 0.0,
    )
    point += masked
    registers = vectors + int(temporaries) + 1
    spilled = max(0, registers - (device.vector_registers or 1))
    point += 2.0 * spilled / ports
    stored = vectors * (len(expression.outputs) + len(expression.epilogue) + expression.epilogue_flops)
    walked = prod([loops[i].extent.tiles(blocks[i]).bound for i in inner])
    cycles = walked * (known.task_cycles + steps * point + stored) + packed * known.pack_line_cycles
    moved = _moved(expression, device, blocks, order, staged)
    return Work(tasks, cycles, registers, moved)


def _loads(
    expression: TensorExpression,
    known: VectorConstants,
    access: Access,
    blocks: Sequence[int],
    lane: int | None,
    width: int,
) -> tuple[float, bool]:
    """Return the loads of a tensor at one point of a task's reduction, and whether lanes are loaded one by one."""
    count = prod([blocks[i] for i in access.loops() if not expression.loops[i].reduction])
    if lane is None:
        return count, False
    how = "each" if access.gathered else reads_lanes(access, lane)
    reduces = expression.loops[lane].reduction
    if how == "pairs" and not reduces:
        return known.pair_loads * max(1, count // width), False
    if how == "vector":
        return (count if reduces else max(1, count // width)), False
    return (count * width if how == "each" and reduces else count), how == "each"


@lru_cache(maxsize=4096)
def _may_leave(expression: TensorExpression, access: Access) -> bool:
    """Whether some points read outside of a tensor."""
    for index, extent in zip(access.indices, access.bounds, strict=True):
        reach = [(k * (expression.bounds[loop] - 1)) for loop, k in index.terms().items()]
        if index.constant + sum(min(0, r) for r in reach) < 0:
            return True
        if index.constant + sum(max(0, r) for r in reach) >= extent:
            return True
    return False


def _bytes(access: Access, box: Sequence[int], line: int) -> float:
    """Return the bytes of a tensor that a box of points touches, in whole lines, at most all of it."""
    if access.gathered:
        return access.size_bytes
    dimensions = tile_dimensions(access, box)
    rows = prod([one.extent for one in dimensions[:-1]])
    if not dimensions:
        return line
    last = dimensions[-1]
    size = access.element_bytes
    row = last.extent * min(line, last.step * size) if last.step * size < line else last.extent * line
    return min(rows * max(row, min(line, access.size_bytes)), -(-access.size_bytes // line) * line)


@lru_cache(maxsize=8192)
def _rows_collide(access: Access, own: tuple[tuple[int, int], ...], cache: MemoryLayer, known: VectorConstants) -> bool:
    """Return whether the rows of a tile that are walked side by side are more than their sets of a cache hold.

    Args:
        access: The tensor.
        own: The loops along which a task holds points, beside that of the lanes, and how many.
        cache: The nearest cache.
        known: Its ways.

    >>> from roller_mlir.plan import LinearIndex
    >>> first = MemoryLayer(name="l1", kind="cached", instances=1, capacity_bytes=32768, line_bytes=64)
    >>> rows = Access("a", (64, 1024), "f32", (LinearIndex((1, 0)), LinearIndex((0, 1))))
    >>> [_rows_collide(rows, ((0, count),), first, VectorConstants()) for count in (6, 14)]
    [False, True]
    """
    line = cache.line_bytes or LINE_BYTES
    ways = cache.ways or known.ways
    sets = max(1, cache.capacity_bytes // (line * ways))
    strides = dense_strides(access.bounds)
    places = [0]
    for loop, points in own:
        step = sum(index.coefficients[loop] * stride for index, stride in zip(access.indices, strides, strict=True))
        places = [place + step * point for place in places for point in range(points)]
    lines = {place * access.element_bytes // line for place in places}
    taken = Counter(one % sets for one in lines)
    return max(taken.values()) > known.ways_share * ways


def _holds(
    access: Access, box: Sequence[int], cache: MemoryLayer, size: float, packed: bool, known: VectorConstants
) -> bool:
    """Return whether a cache can hold a box of a tensor as far as its sets go: rows far apart share a few of them."""
    line = cache.line_bytes or LINE_BYTES
    if packed or access.gathered or not access.shape:
        return True
    dimensions, pitch, share = tile_dimensions(access, box), access.element_bytes, 1.0
    sets = max(1, cache.capacity_bytes // (line * (cache.ways or known.ways)))
    lines = -(-dimensions[-1].extent * dimensions[-1].step * access.element_bytes // line)
    for dimension, extent in zip(reversed(dimensions[:-1]), reversed(access.bounds[1:]), strict=True):
        pitch *= extent
        if dimension.extent > 1 and pitch % line == 0:
            distinct = sets // gcd(pitch * dimension.step // line, sets)
            share = min(
                share, min(1.0, min(distinct, dimension.extent) * lines / sets) if dimension.extent > distinct else 1.0
            )
    return size <= cache.capacity_bytes * share


def _moved(
    expression: TensorExpression, device: Device, blocks: Sequence[int], order: Sequence[int], staged: Collection[int]
) -> tuple[float, ...]:
    """Return the bytes that come into each cache from behind it, for the whole operator."""
    accesses = (*expression.inputs, *expression.beside, *expression.outputs)
    trips = {i: expression.loops[i].extent.tiles(blocks[i]).bound for i in order}
    whole = [expression.bounds[i] if expression.loops[i].reduction else blocks[i] for i in range(len(blocks))]
    boxes = [list(whole)]
    for loop in reversed(order):
        inner = list(boxes[-1])
        inner[loop] = expression.bounds[loop]
        boxes.append(inner)
    moved: list[float] = []
    for cache in device.caches:
        line = cache.line_bytes or LINE_BYTES
        share = cache.capacity_bytes * cache.instances / device.units if cache.instances < device.units else None
        capacity = cache.capacity_bytes if share is None else max(share, cache.capacity_bytes / device.units)
        level = 0
        sizes = [_bytes(access, boxes[0], line) for access in accesses]
        held = [
            _holds(access, boxes[0], cache, size, number in staged, device.vectors)
            for number, (access, size) in enumerate(zip(accesses, sizes, strict=True))
        ]
        for number, box in enumerate(boxes[1:], 1):
            larger = [_bytes(access, box, line) for access in accesses]
            if sum(larger) > capacity or not all(held):
                break
            level, sizes = number, larger
        outer = list(order[: len(order) - level])
        total = 0.0
        for access, size, is_held in zip(accesses, sizes, held, strict=True):
            around = list(outer)
            # A pass that follows directly and touches the same data finds it, where one pass fits.
            while (
                is_held
                and sum(sizes) <= capacity
                and around
                and around[-1] not in access.loops()
                and not access.gathered
            ):
                around.pop()
            total += size * prod([trips[i] for i in around])
        moved.append(total)
    return tuple(moved)


def predict_vectors(expression: TensorExpression, plan: Plan, device: Device) -> Prediction:
    """Return what the model expects of a plan of vectors; see `cost.performance.predict`."""
    blocks = [axis.block for axis in plan.axes]
    order = [i for i in plan.unit_order if expression.loops[i].extent.tiles(blocks[i]).bound > 1]
    staged = [number for number, operand in enumerate(plan.operands) if operand.layer == WORKGROUP]
    work = work_of(expression, device, blocks, plan.lane, order, plan.inner_order, staged)
    return prediction_of(expression, device, work, plan.max_units)


def prediction_of(expression: TensorExpression, device: Device, work: Work, max_units: int | None = None) -> Prediction:
    """Return the prediction for some work."""
    units = min(device.units, max_units or device.units)
    cores = min(units, work.tasks)
    waves = -(-work.tasks // units)
    seconds = {"compute": waves * work.cycles / device.clock_hz}
    behind: list[MemoryLayer] = [*device.caches[1:], device.layer("global")]
    for layer, moved in zip(behind, work.moved, strict=True):
        seconds[layer.name] = moved / _rate(device, layer, cores)
    launch = device.launch_latency_s or device.model.assumed_launch_s
    longest = max(seconds, key=lambda key: seconds[key])
    total = seconds[longest] + (1 - device.vectors.hidden_share) * (sum(seconds.values()) - seconds[longest])
    loaded = int(work.moved[-1])
    stored = sum(access.size_bytes for access in expression.outputs)
    return Prediction(
        seconds=total + launch,
        seconds_by_layer={**seconds, "launch": launch},
        saturated=longest,
        global_load_bytes=max(0, loaded - stored),
        global_store_bytes=stored,
        global_load_sectors=0,
        global_store_sectors=0,
        shared_load_bytes=0,
        shared_store_bytes=0,
        shared_load_phases=0,
        shared_store_phases=0,
        flops=expression.flops,
        registers=work.registers,
        shared_bytes=0,
        tasks=work.tasks,
        threads=1,
        tasks_per_unit=1,
        waves=work.tasks / units,
        occupancy=1.0,
    )


def _rate(device: Device, layer: MemoryLayer, cores: int) -> float:
    """Return the bytes that so many cores draw from a layer in a second.

    Where a description leaves it out, it is what `VectorConstants` assumes of a cache of one core, or of a shared one.
    """
    known = layer.sustained_bandwidth_bytes_per_s or layer.bandwidth_bytes_per_s
    if known is not None and layer.instances == device.units:
        return known * cores / device.units
    own, shared = device.vectors.private_bytes_per_cycle, device.vectors.shared_bytes_per_cycle
    assumed = (own if layer.instances >= device.units else shared) * device.clock_hz
    each = (layer.unit_bandwidth_bytes_per_s or assumed) * cores
    return each if known is None else min(known, each)
