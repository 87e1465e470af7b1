# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of programs with reuse: a register tile per thread, then a block tile in workgroup memory.

Paper: ROLLER section 3.2, with the register layer first-class: a register tile is one thread's share, the block tile
is that share times the threads of each axis, and a reduction loop is walked in aligned steps.
"""

from dataclasses import dataclass
from functools import cache
from math import ceil, prod

from roller_mlir.mapping.checks.tensor_copy_rules import boxes_fit
from roller_mlir.model.candidate import Candidate, make_candidate
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.alignment import (
    AlignmentRule,
    ExecutionUnitRule,
    MemoryTransactionRule,
    TensorShapeRule,
    aligned_sizes,
    allowed,
    next_size,
)
from roller_mlir.model.search.enlarge import Layer, Watch, by_reuse_score, enlarge
from roller_mlir.model.tile import Tile, reuse_score

MAX_THREAD_EXTENT = 16
"""Largest register tile along one loop."""

MAX_MATRIX_EXTENT = 64
"""The same for a matrix instruction, whose results many threads share: 256 columns over 4 threads."""

MATRIX_STEPS = 4
"""Instructions along the reduction of one step at most: 64 points of f16, one row of 128 bytes."""

MIN_STEP, MAX_STEP = 8, 32
"""Reduction points of the smallest step, where the loops have as many; largest step along one loop."""

MAX_POINTS_PER_STEP = 1024
"""Unrolled points of one thread and step: more overflows the instruction cache (16 B each) and takes long to
assemble."""


@dataclass(frozen=True)
class Budget:
    """How far a construction looks.

    Attributes:
        programs: Programs in all.
        register_tiles: Register tiles of which block tiles are made.
        register_visits: Register tiles that are looked at.
        block_tiles: Block tiles of one register tile.
        block_visits: Block tiles of one register tile that are looked at.
        neighbours: Programs that the descent along the predicted time evaluates (see `refine`).
    """

    programs: int
    register_tiles: int
    register_visits: int
    block_tiles: int
    block_visits: int
    neighbours: int


FEW_AXES = 3
"""Parallel axes up to which the recursion starts at a block of one thread."""

PLAIN = Budget(programs=12, register_tiles=4, register_visits=32, block_tiles=4, block_visits=20, neighbours=24)
WINDOWED = Budget(programs=40, register_tiles=12, register_visits=48, block_tiles=6, block_visits=40, neighbours=60)
"""A compromise: with ten times as much, the best predictions of the paper's 119 operators on V100 and H200 fall by
1.8 % in the geometric mean, those of single windows by more. Windows get more: they have more axes that reuse, and
their banks, halos and registers disagree more often."""


class TiledSearch:
    """Builds programs of an expression whose inputs are reused inside a task.

    Args:
        context: The expression on a machine.
        rules: Alignment rules.
    """

    def __init__(self, context: ProblemContext, rules: tuple[AlignmentRule, ...]) -> None:
        self.context, self.rules = context, rules
        self.expression = context.expression
        device, atom = context.machine.device, context.atom
        self.task_threads = context.task_threads
        self.max_threads = self.task_threads or device.max_threads_per_block
        unit = next(rule for rule in rules if isinstance(rule, ExecutionUnitRule))
        self.aligned = unit.subgroup_size > 1 or device.subgroup_size == 1
        self.lanes = device.subgroup_size if self.aligned else 1
        ones = [1] * len(context.bounds)
        self.smallest, self.least_threads = ones, list(ones)
        if atom.is_matrix:
            self.smallest[atom.row], self.smallest[atom.column] = atom.per_thread
            self.least_threads[atom.row], self.least_threads[atom.column] = atom.lanes
            if atom.extra_axis >= 0:
                self.least_threads[atom.extra_axis] = atom.groups
        self.grown = context.reused
        if atom.is_matrix:
            self.grown = (atom.row, atom.column) if atom.extra_axis < 0 else (atom.column,)
        # Tiles that the matrix unit reads by itself have one point of every other loop.
        self.cut = atom.free if atom.reads_memory else tuple(range(len(context.bounds)))
        self.max_extent = MAX_THREAD_EXTENT if not atom.is_matrix else MAX_MATRIX_EXTENT
        self.max_points = MAX_POINTS_PER_STEP * (atom.points(MAX_MATRIX_EXTENT) if atom.is_matrix else 1)
        self._thread_limits: dict[Tile, int] = {}
        self.budget = WINDOWED if any(access.windows for access in context.inputs) else PLAIN
        self.lane = context.output.contiguous
        parallel = [loop for loop in reversed(context.parallel) if loop != self.lane]
        self.fastest = tuple(([self.lane] if self.lane is not None else []) + parallel)
        self.shape_rules = tuple(rule for rule in rules if isinstance(rule, TensorShapeRule))
        self._step_rules = tuple(rule for rule in rules if not isinstance(rule, TensorShapeRule))
        self._steps_of: dict[int, tuple[int, ...]] = {}
        self._aligned: dict[tuple[int, int], bool] = {}
        self._shapely: dict[tuple[int, int], bool] = {}
        self._programs: list[Candidate] | None = None
        self._fits: dict[tuple[Tile, Tile], bool] = {}
        self._made: dict[tuple[Tile, Tile], Candidate | None] = {}
        self.base_step = self._base_step()
        self.shrunk: dict[tuple[Tile, Tile], tuple[tuple[Tile, Tile], int, float]] = {}
        """Of each shrunk program: the program before, the axis, and its reuse score."""
        self.refined: dict[Candidate, Candidate] = {}
        """Of each program that a descent along the predicted time weighed: the program before (see `refine`)."""

    def programs(self) -> list[Candidate]:
        """Return distinct programs, in the order in which the recursion finds them, as many as the budget allows."""
        if self._programs is None:
            self._programs = self._constructed()
        return self._programs

    def _constructed(self) -> list[Candidate]:
        limit = self.budget.programs
        found: dict[tuple[Tile, Tile], Candidate] = {}
        preferred, visited = self.register_tiles()
        for registers in preferred + [tile for tile in reversed(visited) if tile not in preferred]:
            if len(found) >= limit or (registers not in preferred and len(found) >= limit // 4):
                break
            for blocks in self.block_tiles(registers):
                self._add(found, registers, blocks)
        self._shrink(found, len(found) + limit // 2)
        return list(found.values())

    def register_tiles(self, watch: Watch | None = None) -> tuple[list[Tile], list[Tile]]:
        """Enlarge the register tile; return those that the layer yields, and all that fit."""
        start, layer = self.register_layer()
        return enlarge(
            layer, start, results=self.budget.register_tiles, visits=self.budget.register_visits, watch=watch
        )

    def register_layer(self) -> tuple[Tile, Layer]:
        """Return the smallest register tile, and the layer."""
        return tuple(self.smallest), Layer(
            next_tiles=self._larger_registers,
            cost=cache(self._register_cost),
            fits=self._registers_fit,
            saturates=self._registers_saturate,
        )

    def block_tiles(self, registers: Tile, watch: Watch | None = None) -> list[Tile]:
        """Enlarge the block tile of a register tile; return those that the layer yields and that fill subgroups."""
        start, layer = self.block_layer(registers)
        return enlarge(layer, start, results=self.budget.block_tiles, visits=self.budget.block_visits, watch=watch)[0]

    def block_layer(self, registers: Tile) -> tuple[Tile, Layer]:
        """Return the smallest block tile of a register tile, and the layer as it is for that one."""
        context = self.context
        start = tuple(
            [
                self.base_step[loop]
                if context.reduction[loop]
                else self._next_aligned(registers, loop, self.least_threads[loop])
                for loop in range(len(registers))
            ]
        )
        layer = Layer(
            next_tiles=lambda tile: self._larger_blocks(registers, tile),
            cost=self._block_cost,
            fits=lambda tile: self.block_fits(registers, tile),
            saturates=lambda tile: self._threads_saturate(registers, tile) and self._block_saturates(tile),
        )
        if sum(context.bounds[loop] > 1 for loop in context.parallel) > FEW_AXES:
            start = self._one_subgroup(registers, start, layer)
        return start, layer

    def _block_cost(self, tile: Tile) -> tuple[int, int]:
        """Return the bytes that the operator moves in block tiles, and those that one of its tiles holds."""
        known = self.context.block_costs.get(tile)
        if known is None:
            inputs = self.context.inputs
            moved = sum([access.traffic(tile) for access in inputs]) * self._tiles(tile)
            held = sum([access.tile(tile)[0] * access.element_bytes for access in inputs])
            known = self.context.block_costs[tile] = moved, held
        return known

    def _threads_saturate(self, registers: Tile, tile: Tile) -> bool:
        threads = self.threads(registers, tile)
        return threads == self.task_threads if self.task_threads else threads % self.lanes == 0

    def _one_subgroup(self, registers: Tile, tile: Tile, layer: Layer) -> Tile:
        """Return a block tile enlarged by best reuse score to the threads of one subgroup.

        Over few axes the recursion looks at all ways there; over many it would spend its budget on them.
        """
        while self.threads(registers, tile) < self.lanes:
            larger = [one for one in self._larger_blocks(registers, tile) if self._same_steps(one, tile)]
            ordered = by_reuse_score(layer, tile, candidates=larger)
            shapely = [one for one in ordered if self._all_shapely(one)]
            tile = (shapely or ordered)[0]
        return tile

    def _same_steps(self, one: Tile, other: Tile) -> bool:
        return all(one[loop] == other[loop] for loop in self.context.reductions)

    def _all_shapely(self, tile: Tile) -> bool:
        return all(self.is_shapely(loop, tile[loop]) for loop in self.context.parallel)

    # Register layer -------------------------------------------------------------------------------------------------

    def _register_cost(self, tile: Tile) -> tuple[int, int]:
        """Return the elements that the operator reads in register tiles, and those that one of its tiles holds."""
        read = sum([access.tile(tile)[0] for access in self.context.inputs])
        return read * self._tiles(tile), read + self.context.output.tile(tile)[0]

    def _larger_registers(self, tile: Tile) -> list[Tile]:
        larger: list[Tile] = []
        for loop in self.grown:
            size = next_size(tile[loop], aligned=self.aligned)
            if size <= self.max_extent and tile[loop] * self.least_threads[loop] < self.context.bounds[loop]:
                larger.append((*tile[:loop], size, *tile[loop + 1 :]))
        return larger

    def registers_used(self, tile: Tile) -> int:
        """Return the registers of one thread with a register tile, without staged elements."""
        context = self.context
        fragments = sum(context.fragment_registers(a, tile) for a in context.inputs)
        used = ceil(context.output.tile(tile)[0] * context.result_words + 2 * fragments)
        return used + context.machine.device.model.addressing_registers

    def most_threads(self, tile: Tile) -> int:
        """Return how many threads of a register tile one unit's registers hold, in whole subgroups."""
        device = self.context.machine.device
        threads = device.registers_per_unit // self.registers_used(tile)
        return min(self.max_threads, max(self.lanes, threads // self.lanes * self.lanes))

    def _registers_fit(self, tile: Tile) -> bool:
        context, used = self.context, self.registers_used(tile)
        return used <= context.machine.device.max_registers_per_thread and prod(tile) * 4 <= self.max_points

    def _registers_saturate(self, tile: Tile) -> bool:
        """Return whether workgroup memory gives fragments as fast as a unit computes: by phases and cycles."""
        context, machine = self.context, self.context.machine
        step = list(tile)
        if context.atom.is_matrix:
            step[context.atom.depth] = context.atom.length
        device = machine.device
        loaded = sum(context.fragment_bytes(a, step) for a in context.inputs) / machine.phase_bytes
        math = prod(step) * context.math_per_point * context.cycles_per_point / device.schedulers_per_unit
        return loaded * machine.phase_cycles <= math

    # Workgroup layer ------------------------------------------------------------------------------------------------

    def _base_step(self) -> Tile:
        """Return the smallest aligned step of each reduction loop: a whole transaction where the loop is contiguous."""
        context = self.context
        steps = [1] * len(context.bounds)
        for loop in context.reductions:
            steps[loop] = self.step_sizes(loop)[0]
        longest = max(context.reductions, key=lambda loop: context.bounds[loop])
        others = prod(steps) // steps[longest]
        for size in self.step_sizes(longest):
            if steps[longest] * others < MIN_STEP:
                steps[longest] = max(size, steps[longest])
        return tuple(steps)

    def _is_aligned(self, loop: int, size: int) -> bool:
        """Return whether the rules other than the tensor's shape allow a size.

        Along a loop that is not cut a tile has what the instruction says, however narrow the transactions are.
        """
        known = self._aligned.get((loop, size))
        if known is None:
            if loop in self.cut:
                known = allowed(self._step_rules, self.expression, loop, size)
            else:
                known = size == self.smallest[loop] * self.least_threads[loop]
            self._aligned[loop, size] = known
        return known

    def is_shapely(self, loop: int, size: int) -> bool:
        """Return whether padding a parallel loop to whole tiles is within epsilon."""
        known = self._shapely.get((loop, size))
        if known is None:
            known = self._shapely[loop, size] = allowed(self.shape_rules, self.expression, loop, size)
        return known

    def step_sizes(self, loop: int) -> tuple[int, ...]:
        """Return the aligned steps of a loop: powers of two up to the first that covers it, and its extent if small."""
        known = self._steps_of.get(loop)
        if known is None:
            atom = self.context.atom
            most = max(MAX_STEP, MATRIX_STEPS * atom.length) if atom.depth == loop else MAX_STEP
            limit = min(most, 1 << (self.context.bounds[loop] - 1).bit_length())
            limit = max([limit, *(size for along, size in atom.multiples if along == loop)])
            limit = limit if loop in self.cut else 1
            known = aligned_sizes(self._step_rules, self.expression, loop, limit, aligned=self.aligned)
            # Where no whole transaction divides a window, its steps are not aligned.
            if not known:
                needed = tuple(rule for rule in self._step_rules if not isinstance(rule, MemoryTransactionRule))
                known = aligned_sizes(needed, self.expression, loop, limit)
            self._steps_of[loop] = known
        return known

    def _larger_blocks(self, registers: Tile, tile: Tile) -> list[Tile]:
        context, larger = self.context, list[Tile]()
        for loop in context.parallel:
            if loop not in self.cut:
                continue
            if tile[loop] < context.bounds[loop] or not self._covers_subgroup(registers, tile):
                threads = next_size(tile[loop] // registers[loop], aligned=self.aligned)
                size = self._next_aligned(registers, loop, threads)
                larger.append((*tile[:loop], size, *tile[loop + 1 :]))
        for loop in context.reductions:
            for size in self.step_sizes(loop):
                if size > tile[loop]:
                    larger.append((*tile[:loop], size, *tile[loop + 1 :]))
                    break
        return larger

    def _next_aligned(self, registers: Tile, loop: int, threads: int) -> int:
        """Return the smallest aligned size of a parallel loop from a number of threads on (GetNextAlignedAxisSize)."""
        own = registers[loop]
        while not self._is_aligned(loop, own * threads) and own * threads < self.context.bounds[loop]:
            threads = next_size(threads, aligned=self.aligned)
        return own * threads

    def _covers_subgroup(self, registers: Tile, tile: Tile) -> bool:
        return self.threads(registers, tile) >= self.lanes

    def threads(self, registers: Tile, tile: Tile) -> int:
        """Return the threads of a task."""
        return prod([tile[loop] // registers[loop] for loop in self.context.parallel])

    def _tiles(self, tile: Tile) -> int:
        return prod([-(-extent // size) for extent, size in zip(self.context.bounds, tile, strict=True)])

    def block_fits(self, registers: Tile, tile: Tile) -> bool:
        """Return whether a block tile of a register tile is within the limits of a task and pads within epsilon."""
        key = registers, tile
        known = self._fits.get(key)
        if known is None:
            known = self._fits[key] = self._block_fits(registers, tile)
        return known

    def _block_fits(self, registers: Tile, tile: Tile) -> bool:
        context = self.context
        limit = self._thread_limits.get(registers)
        if limit is None:
            limit = self._thread_limits[registers] = self.most_threads(registers)
        if self.threads(registers, tile) > limit:
            return False
        steps = prod([tile[loop] for loop in context.reductions])
        if steps * prod(registers) > self.max_points:
            return False
        for loop in context.parallel:
            if not self.is_shapely(loop, tile[loop]):
                return False
        if context.atom.reads_memory and not boxes_fit(context.expression.inputs, tile):
            return False
        need = self._block_cost(tile)[1]
        buffers = 2 if self.steps(tile) > 1 else 1
        return need * buffers <= context.machine.device.max_workgroup_bytes_per_block

    def steps(self, tile: Tile) -> int:
        """Return the reduction steps of a task."""
        return prod([-(-self.context.bounds[loop] // tile[loop]) for loop in self.context.reductions])

    def _block_saturates(self, tile: Tile) -> bool:
        """Return whether a unit's share of the last cache's bandwidth loads the tile as fast as it is computed."""
        context, machine = self.context, self.context.machine
        device = machine.device
        loaded = sum(a.traffic(tile) for a in context.inputs)
        rate = machine.cache_bytes_per_s if machine.cache_bytes else machine.global_bytes_per_s
        rate /= machine.units * device.clock_hz
        lanes = device.subgroup_size * device.schedulers_per_unit / context.cycles_per_point
        return loaded / rate <= prod(tile) * context.math_per_point / lanes

    # Small operators ------------------------------------------------------------------------------------------------

    def _shrink(self, found: dict[tuple[Tile, Tile], Candidate], limit: int) -> None:
        """Shrink programs with too few tasks along the axis of smallest reuse score, until the device is filled.

        Paper: ROLLER section 3.2 (small operator). Each shrinking halves either the threads or the register tile of
        the axis.
        """
        context = self.context
        units = context.machine.units
        queue = [key for key in found if self._tasks(key[1]) < 2 * units]
        seen = set(found)
        while queue and len(found) < limit:
            registers, blocks = queue.pop(0)
            traffic, footprint = self._block_cost(blocks)
            ranked: list[tuple[float, int, Tile]] = []
            for loop in context.parallel:
                if blocks[loop] > self.smallest[loop] * self.least_threads[loop] and blocks[loop] % 2 == 0:
                    small = (*blocks[:loop], blocks[loop] // 2, *blocks[loop + 1 :])
                    moved, held = self._block_cost(small)
                    ranked.append((reuse_score(moved - traffic, footprint - held), loop, small))
            for score, loop, small in sorted(ranked)[:2]:
                options = [registers] if small[loop] >= registers[loop] * self.least_threads[loop] else []
                if registers[loop] > self.smallest[loop]:
                    options.append((*registers[:loop], registers[loop] // 2, *registers[loop + 1 :]))
                for smaller in options:
                    key = (smaller, small)
                    if small[loop] % smaller[loop] or key in seen:
                        continue
                    seen.add(key)
                    self.shrunk[key] = (registers, blocks), loop, score
                    self._add(found, smaller, small)
                    if self._tasks(small) < 2 * units and self.threads(smaller, small) >= self.lanes:
                        queue.append(key)

    def _tasks(self, blocks: Tile) -> int:
        return prod([-(-self.context.bounds[loop] // blocks[loop]) for loop in self.context.parallel])

    def _add(self, found: dict[tuple[Tile, Tile], Candidate], registers: Tile, blocks: Tile) -> None:
        candidate = self.make(registers, blocks)
        if candidate is not None:
            found[registers, blocks] = candidate

    def make(self, registers: Tile, blocks: Tile) -> Candidate | None:
        """Return the program of a register tile and a block tile, None where a rule does not allow them."""
        key = registers, blocks
        if key not in self._made:
            self._made[key] = self._make(registers, blocks)
        return self._made[key]

    def _make(self, registers: Tile, blocks: Tile) -> Candidate | None:
        threads = self.threads(registers, blocks)
        if not all(rule.allows_threads(threads) for rule in self.rules) or threads != (self.task_threads or threads):
            return None
        for loop, size in enumerate(blocks):
            if not self.context.reduction[loop] and not (self._is_aligned(loop, size) and self.is_shapely(loop, size)):
                return None
        full = tuple([blocks[i] if r else registers[i] for i, r in enumerate(self.context.reduction)])
        spread = tuple([1 if r else blocks[i] // registers[i] for i, r in enumerate(self.context.reduction)])
        return make_candidate(self.context, full, spread, self.fastest, self.lane, reuse=True)
