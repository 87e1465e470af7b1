# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan of vectors costs: cycles of the micro kernel by its ports, and bytes between layers by working sets.

A task is one micro kernel: a tile of rows x vectors whose sums stay in registers over the whole reduction. Around it
stand the loops over tasks, in the plan's order, whose working sets say what moves between the caches: `cache_work`.

matmul 64x64x64 of f32, tasks of 8x32, caches of 48 KiB: all reuses fit, so that each tensor comes from behind once.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import gcd, prod

from roller_mlir.hal import Device, MemoryLayer, VectorConstants
from roller_mlir.model.polydl.footprint import tensor_of
from roller_mlir.model.vectors.cache_work import LINE_BYTES, CacheModel, CacheWork
from roller_mlir.plan import Access, Plan, Prediction, TensorExpression
from roller_mlir.plan.expression import dense_strides
from roller_mlir.plan.plan import WORKGROUP


@dataclass(frozen=True)
class Work:
    """What the tasks of a plan do.

    Attributes:
        tasks: How many there are.
        cycles: Of one task, from data in the nearest cache.
        registers: Vector registers that are live.
        caches: What moves between the layers.
    """

    tasks: int
    cycles: float
    registers: int
    caches: CacheWork


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


class VectorCost:
    """The costs of plans of one operator on a device."""

    def __init__(self, expression: TensorExpression, device: Device, max_units: int | None = None) -> None:
        """Take both.

        Args:
            expression: The operator.
            device: The device.
            max_units: Cores that may be used; all by default.
        """
        self.expression, self.device, self._max_units = expression, device, max_units
        self.units = min(device.units, max_units or device.units)
        self.caches = CacheModel(expression, device)

    def work(
        self,
        blocks: Sequence[int],
        lane: int | None,
        order: Sequence[int],
        inner: Sequence[int] = (),
        staged: Collection[int] = (),
    ) -> Work:
        """Return the work of tasks of `blocks` points a loop, with lanes along one, that follow each other in an order.

        Args:
            blocks: Points of each loop in a task; of reductions, all of them or those of a step.
            lane: The loop along vectors, None for scalars.
            order: The parallel loops with several tasks, outermost first.
            inner: The last of them, which one task walks by itself.
            staged: Inputs that a task packs in front of these.
        """
        return self.ordered(self.least(blocks, lane, order, inner, staged), blocks, order, inner, staged)

    def ordered(
        self,
        work: Work,
        blocks: Sequence[int],
        order: Sequence[int],
        inner: Sequence[int] = (),
        staged: Collection[int] = (),
    ) -> Work:
        """Return the work of tasks, whose bound is known, in an order; the arguments are those of `work`."""
        cores = min(self.units, work.tasks)
        return replace(work, caches=self.caches.work(self.caches.nest(blocks, order, inner, cores), staged, cores))

    def least(
        self,
        blocks: Sequence[int],
        lane: int | None,
        order: Sequence[int],
        inner: Sequence[int] = (),
        staged: Collection[int] = (),
    ) -> Work:
        """Return a bound of `work`, whatever the order: reuses are served by the nearest cache."""
        expression, device = self.expression, self.device
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
                packed += _tile_lines(expression, access, blocks)
            count, each = _loads(expression, known, access, blocks, lane, width)
            loads += count * (known.gather_cycles * ports if each else 1)
            if number not in staged and reduced and device.caches and not access.gathered:
                own = tuple(
                    (i, blocks[i]) for i in access.loops() if not loops[i].reduction and i != lane and blocks[i] > 1
                )
                masked += known.conflict_cycles * count * _rows_collide(access, own, device.caches[0], known)
            if not each and lane is not None and reads_lanes(access, lane) == "vector":
                temporaries = max(temporaries, count)
            if number not in staged and expression.reductions():
                masked += known.mask_cycles * count * _unproven(expression, access, blocks, lane, width)
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
        return Work(tasks, cycles, registers, self.caches.least(min(self.units, tasks)))

    def seconds(self, work: Work) -> tuple[float, dict[str, float]]:
        """Return the predicted time of some work, and of each layer were it the only limit."""
        device = self.device
        each = {"compute": -(-work.tasks // self.units) * work.cycles / device.clock_hz, **work.caches.seconds}
        longest, total = max(each.values()), sum(each.values())
        launch = device.launch_latency_s or device.model.assumed_launch_s
        return longest + (1 - device.vectors.hidden_share) * (total - longest) + launch, {**each, "launch": launch}

    def prediction(self, work: Work) -> Prediction:
        """Return the prediction for some work."""
        seconds, each = self.seconds(work)
        loaded = int(work.caches.moved[-1])
        stored = sum(access.size_bytes for access in self.expression.outputs)
        return Prediction(
            seconds=seconds,
            seconds_by_layer=each,
            saturated=max((name for name in each if name != "launch"), key=lambda name: each[name]),
            global_load_bytes=max(0, loaded - stored),
            global_store_bytes=stored,
            global_load_sectors=0,
            global_store_sectors=0,
            shared_load_bytes=0,
            shared_store_bytes=0,
            shared_load_phases=0,
            shared_store_phases=0,
            flops=self.expression.flops,
            registers=work.registers,
            shared_bytes=0,
            tasks=work.tasks,
            threads=1,
            tasks_per_unit=1,
            waves=work.tasks / self.units,
            occupancy=1.0,
        )


def _unproven(
    expression: TensorExpression, access: Access, blocks: Sequence[int], lane: int | None, width: int
) -> float:
    """Return the share of a tile's loads of a tensor whose bounds no extent proves.

    All where a window reaches into padding; else those behind the greatest common divisor of a tile and its loop: of
    tiles of 16 along a loop of 100, the first four rows lie in the tensor whenever their tile begins there.
    """
    if _may_leave(expression, access):
        return 1.0
    proven = 1.0
    for i in access.loops():
        extent, block = expression.loops[i].extent.bound, blocks[i]
        if not expression.loops[i].reduction and extent % block:
            step = width if i == lane else 1
            proven *= gcd(extent, block) // step * step / block
    return 1.0 - proven


def _tile_lines(expression: TensorExpression, access: Access, blocks: Sequence[int]) -> float:
    """Return the lines of a tensor that a tile touches."""
    if access.gathered:
        return access.size_bytes / LINE_BYTES
    tensor = tensor_of(access, expression.bounds)
    image = tensor.image(
        [(0, min(block, bound) - 1) for block, bound in zip(blocks, expression.bounds, strict=True)], expression.bounds
    )
    return 0.0 if image is None else tensor.in_lines(image, LINE_BYTES) * access.element_bytes / LINE_BYTES


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


def predict_vectors(expression: TensorExpression, plan: Plan, device: Device) -> Prediction:
    """Return what the model expects of a plan of vectors; see `cost.performance.predict`."""
    blocks = [axis.block for axis in plan.axes]
    order = [i for i in plan.unit_order if expression.loops[i].extent.tiles(blocks[i]).bound > 1]
    staged = [number for number, operand in enumerate(plan.operands) if operand.layer == WORKGROUP]
    cost = VectorCost(expression, device)
    return cost.prediction(cost.work(blocks, plan.lane, order, plan.inner_order, staged))
