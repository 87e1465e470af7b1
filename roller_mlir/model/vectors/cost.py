# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a plan of vectors costs: cycles of the micro kernel by its ports, and bytes between layers by working sets.

A task is one micro kernel: a tile of rows x vectors whose sums stay in registers over the whole reduction. Around it
stand the loops over tasks, in the plan's order, whose working sets say what moves between the caches: `cache_work`.

matmul 64x64x64 of f32, tasks of 8x32, caches of 48 KiB: all reuses fit, so that each tensor comes from behind once.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from math import log2, prod

from roller_mlir.hal import Device, VectorConstants
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.model.polydl.footprint import tensor_of
from roller_mlir.model.polydl.nest import TiledNest
from roller_mlir.model.vectors.cache_work import LINE_BYTES, PAGE_BYTES, CacheModel, CacheWork, rows_apart
from roller_mlir.model.vectors.lanes import conflict_cycles, cut_share, lanes_of, lies_apart, reads_lanes, reads_packed
from roller_mlir.model.vectors.masks import (
    MASK_VECTORS,
    ends_alone,
    mask_operations,
    may_leave,
    taps_stand,
    tested_loads,
)
from roller_mlir.model.vectors.padding import PaddedTile
from roller_mlir.model.vectors.shape import TaskShape, TaskWalk
from roller_mlir.plan import Access, Plan, Prediction, TensorExpression


@dataclass(frozen=True)
class Work:
    """What the tasks of a plan do.

    Attributes:
        tasks: How many there are.
        cycles: Of one task, from data in the nearest cache.
        registers: Vector registers that are live.
        caches: What moves between the layers.
        packing: Those of the cycles in which a task packs.
    """

    tasks: int
    cycles: float
    registers: int
    caches: CacheWork
    packing: float = 0.0


def launch_s(device: Device) -> float:
    """Return the seconds from one kernel to the next, as far as they are known."""
    return device.launch_latency_s or device.model.assumed_launch_s


_FORWARD_CYCLES = 10.0
"""From the store of a sum to the load of it, where registers do not hold all. Measured: a chain of multiply-adds of 256
bits, each stored and loaded again, takes an AMD Zen 4 9.8 cycles more for each than one in registers."""
_BESIDE_SUMS = 3
"""Vectors in registers beside sums where loads are no operands of what they are loaded for: two of these, a factor."""
_HALVED = 2.0
"""Cycles in which the lanes of a sum become half as many: a shuffle and an addition. Measured: 14 sums of 16 lanes take
an AMD Zen 5 some 7 cycles each."""
_FAR_LINES = 4
"""Of a row that is packed: those for which `pack_line_cycles` is measured."""


@dataclass(frozen=True)
class _Kernel:
    """One point of the reduction of a tile.

    Attributes:
        width: Lanes of its vectors.
        vectors: Vectors of sums.
        point: Cycles.
        registers: Vector registers that are live.
        few: Cycles of a point of which few rows count: those of their chains, or of the vectors that rows share.
    """

    width: int
    vectors: int
    point: float
    registers: int
    few: float


class VectorCost:
    """The costs of plans of one operator on a device."""

    def __init__(
        self, expression: TensorExpression, device: Device, max_units: int | None = None, skips: Sequence[int] = ()
    ) -> None:
        """Take both.

        Args:
            expression: The operator.
            device: The device.
            max_units: Cores that may be used; all by default.
            skips: Inputs of which points on padding are left out.
        """
        self.skips = tuple(skips)
        self.expression, self.device = expression, device
        self.units = min(device.units, max_units or device.units)
        self.caches = CacheModel(expression, device)
        self._reductions, self._parallel = expression.reductions(), expression.parallel()
        self._kernels: dict[tuple[tuple[int, ...], int | None, tuple[int, ...]], _Kernel] = {}
        self._sizes: dict[tuple[int, tuple[int, ...]], float] = {}
        self._tiles: dict[tuple[tuple[int, ...], int | None, int], PaddedTile] = {}

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
        return self.shaped(TaskShape(tuple(blocks), lane, tuple(order), tuple(inner), {}, tuple(staged)))

    def shaped(self, shape: TaskShape) -> Work:
        """Return the work of the tasks of a shape."""
        return self.bounded(self.bound(shape), shape)

    def bounded(self, work: Work, shape: TaskShape) -> Work:
        """Return the work of a shape, whose bound is that of its loops in any order."""
        walk, nest, cores = self._nest(work, shape)
        inside = {number: len(walk.inner) - depth for number, depth in walk.depths.items()}
        return replace(work, caches=self.caches.work(nest, shape.packed, cores, inside))

    def least_seconds(self, work: Work, shape: TaskShape) -> float:
        """Return what the work of a shape does not come below in its order of loops; arguments as of `bounded`."""
        _, nest, cores = self._nest(work, shape)
        return self.seconds(replace(work, caches=self.caches.at_least(nest, cores)))[0]

    def _nest(self, work: Work, shape: TaskShape) -> tuple[TaskWalk, TiledNest, int]:
        walk, cores = TaskWalk.of(self.expression, shape), min(self.units, work.tasks)
        return walk, self.caches.walked(shape, walk, cores), cores

    def evenly(self, tiles: int, most: int) -> int:
        """Return how many tiles each task walks, about evenly, so that all cores have some: at most so many."""
        tasks = -(-tiles // max(1, most))
        if tasks < self.units:
            tasks = min(tiles, self.units)
        return -(-tiles // tasks)

    def kernel_cycles(self, shape: TaskShape) -> float:
        """Return the cycles of all tiles' points, from data in the nearest cache."""
        expression = self.expression
        bounds, loops = expression.bounds, expression.loops
        tiles = prod([loops[i].extent.most_tiles(shape.blocks[i]) for i in self._parallel])
        points = prod([bounds[i] for i in self._reductions]) * self._computed(shape)
        return tiles * points * self._kernel(shape).point

    def standing(self, shape: TaskShape) -> int | None:
        """Return the loop over a window all of whose taps stand in the code; see `padding.PaddedTile`."""
        return self._padded(shape).standing_loop

    def _computed(self, shape: TaskShape) -> float:
        """Return the share of the time of all tiles' points that is left where tiles at ends compute fewer."""
        kernel, tile = self._kernel(shape), self._padded(shape)
        least = min(1.0, kernel.few / kernel.point)
        return tile.computed_share(least) * tile.last_share(kernel.width, least)

    def _padded(self, shape: TaskShape) -> PaddedTile:
        """Return a tile, which has the registers that are left beside its own."""
        return self._padded_tile(shape.blocks, shape.lane, self._kernel(shape).registers)

    def _padded_tile(self, blocks: tuple[int, ...], lane: int | None, registers: int) -> PaddedTile:
        key = blocks, lane, (self.device.vector_registers or 0) - registers
        if key not in self._tiles:
            self._tiles[key] = PaddedTile(self.expression, *key[:2], self.skips, key[2])
        return self._tiles[key]

    def size(self, number: int, box: tuple[int, ...]) -> float:
        """Return the bytes of an input that a box of points touches, each element once."""
        key = number, box
        if key not in self._sizes:
            access = self.expression.inputs[number]
            self._sizes[key] = prod([one.extent for one in tile_dimensions(access, box)]) * access.element_bytes
        return self._sizes[key]

    def bound(self, shape: TaskShape) -> Work:
        """Return a bound of `shaped`, whatever the order of tasks: reuses are served by the nearest cache."""
        walk = TaskWalk.of(self.expression, shape)
        expression, known = self.expression, self.device.vectors
        kernel = self._kernel(shape)
        passes = prod([trips for _, trips in walk.steps])
        points = prod([shape.blocks[i] if walk.steps else expression.bounds[i] for i in self._reductions])
        if shape.lane in self._reductions:
            points = -(-points // kernel.width)
        points *= self._computed(shape)
        outputs = self._moves(expression.outputs, shape.lane, kernel.width) * (1 + known.resume_cycles * (passes > 1))
        stored = kernel.vectors * outputs + self.ending(shape, kernel.vectors, kernel.width)
        if shape.lane in self._reductions:
            stored += kernel.vectors * _HALVED * log2(kernel.width)
        tiles = passes * prod([trips for _, trips in walk.inner])
        cycles, packing = tiles * (known.task_cycles + points * kernel.point + stored), 0.0
        for number in shape.staged:
            box, depth = walk.packed_box(shape, expression, number), walk.depths[number]
            packing += passes * prod([trips for _, trips in walk.inner[:depth]]) * self.packing(number, box, shape.lane)
        tasks = prod([trips for _, trips, _ in walk.units])
        body = [
            bound if i in self._reductions and not walk.steps else min(block, bound)
            for i, (block, bound) in enumerate(zip(shape.blocks, expression.bounds, strict=True))
        ]
        rows = self.caches.short_rows(tuple(body), shape.packed)
        least = self.caches.least(min(self.units, tasks), rows)
        return Work(tasks, cycles + packing, kernel.registers, least, packing)

    def ending(self, shape: TaskShape, vectors: int, width: int) -> float:
        """Return the cycles of what is made of a tile's sums before they are stored: operations and loads by ports.

        Args:
            shape: Of the tasks.
            vectors: Of sums in a tile.
            width: Lanes of each.
        """
        expression, device, known = self.expression, self.device, self.device.vectors
        ports, loads = device.load_ports or 1, 0.0
        for access in expression.epilogue:
            how = _how(access, shape.lane, False)
            count, each = _loads(expression, known, access, shape.blocks, shape.lane, width, how, None)
            loads += count * (known.gather_cycles * ports if each else 1.0)
        return _together(vectors * (expression.epilogue_flops + expression.epilogue_cycles), loads, device)

    def _moves(self, accesses: Sequence[Access], lane: int | None, width: int) -> float:
        """Return the cycles in which a vector of each tensor is stored."""
        each = self.device.vectors.gather_cycles * width
        return sum([each if _how(access, lane, False) == "each" else 1 for access in accesses])

    def packing(self, number: int, box: tuple[int, ...], lane: int | None = None) -> float:
        """Return the cycles in which a box of an input is packed: the first lines of a row are far from others.

        A box that is turned on its way moves element by element.
        """
        access, known = self.expression.inputs[number], self.device.vectors
        if _how(access, lane, False) == "each" and not access.gathered:
            return self.size(number, box) / access.element_bytes * known.turned_cycles
        lines = _tile_lines(self.expression, access, box)
        dimensions = tile_dimensions(access, box)
        row = -(-dimensions[-1].extent * dimensions[-1].step * access.element_bytes // LINE_BYTES) if dimensions else 1
        far = lines * min(1.0, _FAR_LINES / row)
        near = (lines - far) * min(known.pack_line_cycles, known.pack_next_cycles)
        own = known.pack_page_cycles if rows_apart(access, box, PAGE_BYTES) else 0.0
        return lines / row * (known.pack_row_cycles + own) + far * known.pack_line_cycles + near

    def _kernel(self, shape: TaskShape) -> "_Kernel":
        """Return what one point of the reduction takes in a tile."""
        key = shape.blocks, shape.lane, shape.packed
        if key not in self._kernels:
            self._kernels[key] = self._made_kernel(shape.blocks, shape.lane, shape.packed)
        return self._kernels[key]

    def _made_kernel(self, blocks: Sequence[int], lane: int | None, packed: Collection[int]) -> "_Kernel":
        expression, device = self.expression, self.device
        loops, known = expression.loops, device.vectors
        width = min(lanes_of(expression, device), blocks[lane]) if lane is not None else 1
        vectors = prod([blocks[i] for i in self._parallel])
        if lane is not None and not loops[lane].reduction:
            vectors //= width
        operations = (
            1 if expression.fused_multiply_add else max(1, expression.flops_per_point + expression.point_cycles)
        )
        ports = device.load_ports or 1
        loads, spared, masked, temporaries, before, shared = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        apart, tested, rows = False, list[tuple[int, str, float]](), list[tuple[Access, float, float]]()
        stands = bool(self._reductions) and self._reductions[-1] != lane and taps_stand(expression, blocks)
        window = self._reductions[-1] if stands else None
        for number, access in enumerate(expression.inputs):
            how = _how(access, lane, number in packed)
            count, each = _loads(expression, known, access, blocks, lane, width, how, window)
            own = expression.input_flops[number] if expression.input_flops else 0
            before += count * (expression.prologue_operations(number) + own)
            parts = 1.0 if how == "one" else width.bit_count()  # LLVM loads seven lanes as four, two and one
            if how == "vector" and number not in packed:
                parts *= 1 + cut_share(access, lane, width * access.element_bytes, known.unaligned_loads - 1)
            loads += count * (known.gather_cycles * ports if each else parts)
            if how == "vector" and not each:
                shared += count
                rows.append((access, count, parts))
            if how == "one" and lane is not None:
                spared += count * (1 - known.broadcast_loads)
            if not each and how == "vector":
                temporaries = max(temporaries, count if count < vectors else 1)
            if number in packed or not self._reductions:
                continue
            if device.caches and not access.gathered:
                own = tuple(
                    (i, blocks[i]) for i in access.loops() if not loops[i].reduction and i != lane and blocks[i] > 1
                )
                masked += count * conflict_cycles(access, own, device.caches[0], known)
                far = lies_apart(expression, access, lane)
                masked, apart = masked + known.far_cycles * far, apart or far
            tested.append((number, how, count))
        registers = vectors + int(temporaries) + 1
        tile = self._padded_tile(tuple(blocks), lane, registers)
        if tile.standing_loop is not None:
            for access, count, parts in rows:
                own, _ = _loads(expression, known, access, blocks, lane, width, "vector", tile.standing_loop)
                loads += parts * (own - count)
        more, held = self._masks(tile, width, tested)
        live = vectors + _BESIDE_SUMS + MASK_VECTORS if held else registers
        spilled = max(0, live - (device.vector_registers or 1))
        latency = known.fma_latency_cycles + (_FORWARD_CYCLES if spilled else 0.0) if self._reductions else 0.0
        steps = prod([blocks[i] if i != lane else -(-blocks[i] // width) for i in self._reductions])
        latency /= max(1.0, known.in_flight / (steps * (vectors * operations + before + loads)))
        point = _together(vectors * operations + before, loads, device, spared=spared, latency=latency)
        point = max(point, known.far_point_cycles * apart)
        few = max(latency, shared / ports)
        return _Kernel(width, vectors, point + masked + more + 2.0 * spilled / ports, registers, few)

    def _masks(self, tile: PaddedTile, width: int, tested: Sequence[tuple[int, str, float]]) -> tuple[float, bool]:
        """Return the cycles of tests and masks at a point, and whether masks are held in the innermost loop.

        Args:
            tile: A tile.
            width: Lanes of a vector.
            tested: Of inputs that may be left: their numbers, how lanes read them, and their loads.
        """
        expression, device, known = self.expression, self.device, self.device.vectors
        blocks, lane = tile.blocks, tile.lane
        splits, cycles, held = not device.has_mask_registers, 0.0, False
        for number, how, count in tested:
            access = expression.inputs[number]
            inside = tile.proven_loops if number in self.skips else frozenset[int]()
            if splits and not inside and how == "vector" and may_leave(expression, access) and ends_alone(access, lane):
                assert lane is not None
                more, inner = mask_operations(expression, access, blocks, lane, width, count)
                cycles, held = cycles + more / known.issue_per_cycle, held or inner
                continue
            moved, kept = tested_loads(
                expression, access, blocks, lane, width, how, count, inside=inside, splits=splits
            )
            cycles += known.mask_cycles * moved + known.test_cycles * kept
        return cycles, held

    def seconds(self, work: Work) -> tuple[float, dict[str, float]]:
        """Return the predicted time of some work, and of each layer were it the only limit.

        While a task packs, nothing hides what the layers take to hand that over: the longer of both counts.
        """
        device = self.device
        cycle_s = -(-work.tasks // self.units) / device.clock_hz
        compute = work.cycles * cycle_s + max(0.0, work.caches.packed_s - work.packing * cycle_s)
        each = {"compute": compute, **work.caches.seconds}
        longest, total = max(each.values()), sum(each.values())
        launch = launch_s(device)
        return longest + (1 - device.vectors.hidden_share) * (total - longest) + launch, {**each, "launch": launch}

    def spread_seconds(self, work: Work) -> float:
        """Return a bound of the time of some work, were all cores busy from its first task to the last."""
        cycles = work.cycles * work.tasks / (-(-work.tasks // self.units) * self.units)
        return self.seconds(replace(work, cycles=cycles, caches=self.caches.least(self.units)))[0]

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


def _together(arithmetic: float, loads: float, device: Device, *, spared: float = 0.0, latency: float = 0.0) -> float:
    """Return the cycles of operations and loads that wait for none of each other, but for chains of so many cycles.

    Args:
        arithmetic: Operations on vectors.
        loads: Loads.
        device: The device.
        spared: Loads of these that no port sees.
        latency: Of the chain.
    """
    known = device.vectors
    limits = (
        arithmetic / (device.fma_ports or 1),
        (loads - spared) / (device.load_ports or 1),
        (arithmetic + loads) / known.issue_per_cycle,
        latency,
    )
    return max(limits) + known.jostle_share * (sum(limits) - max(limits))


def _tile_lines(expression: TensorExpression, access: Access, blocks: Sequence[int]) -> float:
    """Return the lines of a tensor that a tile touches."""
    if access.gathered:
        return access.size_bytes / LINE_BYTES
    tensor = tensor_of(access, expression.bounds)
    image = tensor.image(
        [(0, min(block, bound) - 1) for block, bound in zip(blocks, expression.bounds, strict=True)], expression.bounds
    )
    return 0.0 if image is None else tensor.in_lines(image, LINE_BYTES) * access.element_bytes / LINE_BYTES


def _how(access: Access, lane: int | None, packed: bool) -> str:
    """Return how lanes along a loop, if there are any, read a tensor."""
    if lane is None:
        return "one"
    if access.gathered:
        return "each"
    return reads_packed(access, lane) if packed else reads_lanes(access, lane)


def _own_share(expression: TensorExpression, access: Access, blocks: Sequence[int], lane: int, window: int) -> float:
    """Return the share of a tile's rows at a tap that other taps do not read, where all of them stand in the code.

    Args:
        expression: The operator.
        access: What is read.
        blocks: Points of each loop in a tile.
        lane: The loop along vectors.
        window: The loop over the taps.

    >>> from roller_mlir.plan import LinearIndex, Loop
    >>> x = Access("x", (13, 16), "f32", (LinearIndex((1, 0, 1)), LinearIndex((0, 1, 0))))  # 11 rows, taps of 3
    >>> y = Access("y", (11, 16), "f32", (LinearIndex((1, 0, 0)), LinearIndex((0, 1, 0))))
    >>> sums = TensorExpression((Loop(11), Loop(16), Loop(3, True)), (x,), y, "arith.addf", 1, (0.0,))
    >>> round(_own_share(sums, x, (11, 16, 3), 1, 2) * 33)
    13
    """
    taps = expression.bounds[window]
    for index in access.indices:
        terms = index.terms()
        rows = [loop for loop in terms if loop != window and blocks[loop] > 1]
        if window in terms and len(rows) == 1 and rows[0] != lane and not expression.loops[rows[0]].reduction:
            step, own = terms[window], terms[rows[0]]
            read = {own * row + step * tap for row in range(blocks[rows[0]]) for tap in range(taps)}
            return len(read) / (blocks[rows[0]] * taps)
    return 1.0


def _loads(
    expression: TensorExpression,
    known: VectorConstants,
    access: Access,
    blocks: Sequence[int],
    lane: int | None,
    width: int,
    how: str,
    window: int | None,
) -> tuple[float, bool]:
    """Return the loads of a tensor at one point of a task's reduction, and whether lanes are loaded one by one.

    `window` is the loop over a window all of whose taps stand in the code, if there is one.
    """
    count = prod([blocks[i] for i in access.loops() if not expression.loops[i].reduction])
    if lane is None:
        return count, False
    reduces = expression.loops[lane].reduction
    if how == "pairs" and not reduces:
        return known.pair_loads * max(1, count // width), False
    if how == "vector":
        share = 1.0 if window is None else _own_share(expression, access, blocks, lane, window)
        return (count if reduces else max(1, count // width) * share), False
    return (count * width if how == "each" and reduces else count), how == "each"


def least_seconds(expression: TensorExpression, device: Device) -> float:
    """Return what no plan of an operator comes below: all cores move its tensors, each once, and compute nothing."""
    cost = VectorCost(expression, device)
    return cost.seconds(Work(cost.units, 0.0, 0, cost.caches.least(cost.units)))[0]


def predict_vectors(
    expression: TensorExpression, plan: Plan, device: Device, max_units: int | None = None
) -> Prediction:
    """Return what the model expects of a plan of vectors; see `predict_vector_plan`."""
    cost = VectorCost(expression, device, max_units, plan.skips)
    return cost.prediction(cost.shaped(TaskShape.of(expression, plan)))
