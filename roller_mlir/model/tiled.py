# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Construction of programs with reuse: a register tile per thread, then a block tile in workgroup memory.

Paper: ROLLER section 3.2, with the register layer first-class: a register tile is one thread's share, the block tile
is that share times the threads of each axis, and a reduction loop is walked in aligned steps.
"""

from math import prod

from roller_mlir.mapping.resources import ADDRESSING_REGISTERS
from roller_mlir.model.alignment import AlignmentRule, TensorShapeRule, WindowRule, aligned_sizes, allowed
from roller_mlir.model.enlarge import Layer, enlarge
from roller_mlir.model.facts import Facts
from roller_mlir.model.program import Program, make_program
from roller_mlir.model.tile import Tile, reuse_score

MAX_THREAD_EXTENT = 16
"""Largest register tile along one loop."""

MIN_STEP, MAX_STEP = 8, 32
"""Reduction points of the smallest step, where the loops have as many; largest step along one loop."""

MAX_POINTS_PER_STEP = 1024
"""Unrolled points of one thread and step: more overflows the instruction cache (16 B each) and takes long to
assemble."""

REGISTER_TILES, REGISTER_VISITS = 8, 64
BLOCK_TILES, BLOCK_VISITS = 32, 96


class TiledSearch:
    """Builds programs of an expression whose inputs are reused inside a task.

    Args:
        facts: The expression on a machine.
        rules: Alignment rules.
    """

    def __init__(self, facts: Facts, rules: tuple[AlignmentRule, ...]) -> None:
        self.facts, self.rules = facts, rules
        self.expression = facts.expression
        device = facts.machine.device
        self.max_threads, self.lanes = device.max_threads_per_block, device.subgroup_size
        self._thread_limit = self.max_threads
        self.lane = facts.output.contiguous
        parallel = [loop for loop in reversed(facts.parallel) if loop != self.lane]
        self.fastest = tuple(([self.lane] if self.lane is not None else []) + parallel)
        self._shape_rules = tuple(rule for rule in rules if isinstance(rule, TensorShapeRule))
        self._step_rules = tuple(rule for rule in rules if not isinstance(rule, TensorShapeRule))
        self._steps_of: dict[int, tuple[int, ...]] = {}
        self._aligned: dict[tuple[int, int], bool] = {}
        self._shapely: dict[tuple[int, int], bool] = {}
        self.base_step = self._base_step()

    def programs(self, limit: int) -> list[Program]:
        """Return up to `limit` distinct programs, in the order in which the recursion finds them."""
        found: dict[tuple[Tile, Tile], Program] = {}
        preferred, visited = self.register_tiles()
        for registers in preferred + [tile for tile in reversed(visited) if tile not in preferred]:
            if len(found) >= limit or (registers not in preferred and len(found) >= limit // 4):
                break
            for blocks in self.block_tiles(registers):
                self._add(found, registers, blocks)
        self._shrink(found, limit)
        return list(found.values())[:limit]

    def register_tiles(self) -> tuple[list[Tile], list[Tile]]:
        """Enlarge the register tile; return those that the layer yields, and all that fit."""
        facts = self.facts
        start = (1,) * len(facts.extents)
        layer = Layer(
            next_tiles=self._larger_registers,
            traffic=lambda tile: sum(a.tile(tile)[0] for a in facts.inputs) * self._tiles(tile),
            footprint=lambda tile: sum(a.tile(tile)[0] for a in (*facts.inputs, facts.output)),
            fits=self._registers_fit,
            saturates=self._registers_saturate,
        )
        return enlarge(layer, start, results=REGISTER_TILES, visits=REGISTER_VISITS)

    def block_tiles(self, registers: Tile) -> list[Tile]:
        """Enlarge the block tile of a register tile; return those that the layer yields and that fill subgroups."""
        facts = self.facts
        self._thread_limit = self._most_threads(registers)
        start = tuple([self.base_step[loop] if facts.reduction[loop] else size for loop, size in enumerate(registers)])
        inputs = facts.inputs
        layer = Layer(
            next_tiles=lambda tile: self._larger_blocks(registers, tile),
            traffic=lambda tile: sum(a.traffic(tile) for a in inputs) * self._tiles(tile),
            footprint=lambda tile: sum(a.tile(tile)[0] * a.element_bytes for a in inputs),
            fits=lambda tile: self._block_fits(registers, tile),
            saturates=lambda tile: self._threads(registers, tile) % self.lanes == 0 and self._block_saturates(tile),
        )
        found, _ = enlarge(layer, start, results=BLOCK_TILES, visits=BLOCK_VISITS)
        return found

    # Register layer -------------------------------------------------------------------------------------------------

    def _larger_registers(self, tile: Tile) -> list[Tile]:
        larger: list[Tile] = []
        for loop in self.facts.reused:
            size = tile[loop] * 2
            if size <= MAX_THREAD_EXTENT and tile[loop] < self.facts.extents[loop]:
                larger.append((*tile[:loop], size, *tile[loop + 1 :]))
        return larger

    def _registers_used(self, tile: Tile) -> int:
        facts = self.facts
        fragments = sum(a.tile(tile)[0] * a.words for a in facts.inputs)
        return facts.output.tile(tile)[0] * facts.output.words + 2 * fragments + ADDRESSING_REGISTERS

    def _most_threads(self, tile: Tile) -> int:
        """Return how many threads of a register tile one unit's registers hold, in whole subgroups."""
        device = self.facts.machine.device
        threads = device.registers_per_unit // self._registers_used(tile)
        return min(self.max_threads, max(self.lanes, threads // self.lanes * self.lanes))

    def _registers_fit(self, tile: Tile) -> bool:
        facts, used = self.facts, self._registers_used(tile)
        return used <= facts.machine.device.max_registers_per_thread and prod(tile) * 4 <= MAX_POINTS_PER_STEP

    def _registers_saturate(self, tile: Tile) -> bool:
        """Whether fragments come from workgroup memory as fast as a unit computes: phases against FMA cycles."""
        facts, machine = self.facts, self.facts.machine
        loaded = sum(a.tile(tile)[0] * a.element_bytes for a in facts.inputs) * self.lanes / machine.phase_bytes
        math = prod(tile) * facts.math_per_point * machine.math_cycles / machine.device.schedulers_per_unit
        return loaded * machine.phase_cycles <= math

    # Workgroup layer ------------------------------------------------------------------------------------------------

    def _base_step(self) -> Tile:
        """Return the smallest aligned step of each reduction loop: a whole transaction where the loop is contiguous."""
        facts = self.facts
        steps = [1] * len(facts.extents)
        for loop in facts.reductions:
            steps[loop] = self._step_sizes(loop)[0]
        longest = max(facts.reductions, key=lambda loop: facts.extents[loop])
        others = prod(steps) // steps[longest]
        for size in self._step_sizes(longest):
            if steps[longest] * others < MIN_STEP:
                steps[longest] = max(size, steps[longest])
        return tuple(steps)

    def _is_aligned(self, loop: int, size: int) -> bool:
        """Whether the rules other than the tensor's shape allow a size."""
        known = self._aligned.get((loop, size))
        if known is None:
            known = self._aligned[loop, size] = allowed(self._step_rules, self.expression, loop, size)
        return known

    def _is_shapely(self, loop: int, size: int) -> bool:
        """Whether padding a parallel loop to whole tiles is within epsilon."""
        known = self._shapely.get((loop, size))
        if known is None:
            known = self._shapely[loop, size] = allowed(self._shape_rules, self.expression, loop, size)
        return known

    def _step_sizes(self, loop: int) -> tuple[int, ...]:
        """Return the aligned steps of a loop: powers of two up to the first that covers it, and its extent if small."""
        known = self._steps_of.get(loop)
        if known is None:
            limit = min(MAX_STEP, 1 << (self.facts.extents[loop] - 1).bit_length())
            known = aligned_sizes(self._step_rules, self.expression, loop, limit)
            # Where no whole transaction divides a window, its steps are not aligned.
            known = known or aligned_sizes((WindowRule(),), self.expression, loop, limit)
            self._steps_of[loop] = known
        return known

    def _larger_blocks(self, registers: Tile, tile: Tile) -> list[Tile]:
        facts, larger = self.facts, list[Tile]()
        for loop in facts.parallel:
            if tile[loop] < facts.extents[loop] or not self._covers_subgroup(registers, tile):
                larger.append((*tile[:loop], tile[loop] * 2, *tile[loop + 1 :]))
        for loop in facts.reductions:
            for size in self._step_sizes(loop):
                if size > tile[loop]:
                    larger.append((*tile[:loop], size, *tile[loop + 1 :]))
                    break
        return larger

    def _covers_subgroup(self, registers: Tile, tile: Tile) -> bool:
        return self._threads(registers, tile) >= self.lanes

    def _threads(self, registers: Tile, tile: Tile) -> int:
        return prod([tile[loop] // registers[loop] for loop in self.facts.parallel])

    def _tiles(self, tile: Tile) -> int:
        return prod([-(-extent // size) for extent, size in zip(self.facts.extents, tile, strict=True)])

    def _block_fits(self, registers: Tile, tile: Tile) -> bool:
        facts = self.facts
        if self._threads(registers, tile) > self._thread_limit:
            return False
        steps = prod([tile[loop] for loop in facts.reductions])
        if steps * prod(registers) > MAX_POINTS_PER_STEP:
            return False
        for loop in facts.parallel:
            if not self._is_shapely(loop, tile[loop]):
                return False
        need = sum(a.tile(tile)[0] * a.element_bytes for a in facts.inputs)
        buffers = 2 if self._steps(tile) > 1 else 1
        return need * buffers <= facts.machine.device.max_workgroup_bytes_per_block

    def _steps(self, tile: Tile) -> int:
        return prod([-(-self.facts.extents[loop] // tile[loop]) for loop in self.facts.reductions])

    def _block_saturates(self, tile: Tile) -> bool:
        """Whether a unit's share of the last cache's bandwidth loads the tile as fast as the unit computes it."""
        facts, machine = self.facts, self.facts.machine
        device = machine.device
        loaded = sum(a.traffic(tile) for a in facts.inputs)
        rate = machine.cache_bytes_per_s if machine.cache_bytes else machine.global_bytes_per_s
        rate /= device.units * device.clock_hz
        lanes = self.lanes * device.schedulers_per_unit / machine.math_cycles
        return loaded / rate <= prod(tile) * facts.math_per_point / lanes

    # Small operators ------------------------------------------------------------------------------------------------

    def _shrink(self, found: dict[tuple[Tile, Tile], Program], limit: int) -> None:
        """Shrink programs with too few tasks along the axis of smallest reuse score, until the device is filled.

        Paper: ROLLER section 3.2 (small operator). Each shrinking halves either the threads or the register tile of
        the axis.
        """
        facts = self.facts
        units = facts.machine.device.units
        queue = [key for key in found if self._tasks(key[1]) < 2 * units]
        seen = set(found)
        while queue and len(found) < limit:
            registers, blocks = queue.pop(0)
            traffic = sum(a.traffic(blocks) for a in facts.inputs) * self._tiles(blocks)
            footprint = sum(a.tile(blocks)[0] * a.element_bytes for a in facts.inputs)
            ranked: list[tuple[float, int, Tile]] = []
            for loop in facts.parallel:
                if blocks[loop] > 1 and blocks[loop] % 2 == 0:
                    small = (*blocks[:loop], blocks[loop] // 2, *blocks[loop + 1 :])
                    saved = sum(a.traffic(small) for a in facts.inputs) * self._tiles(small) - traffic
                    added = footprint - sum(a.tile(small)[0] * a.element_bytes for a in facts.inputs)
                    ranked.append((reuse_score(saved, added), loop, small))
            for _, loop, small in sorted(ranked)[:2]:
                options = [registers]
                if registers[loop] > 1:
                    options.append((*registers[:loop], registers[loop] // 2, *registers[loop + 1 :]))
                for smaller in options:
                    key = (smaller, small)
                    if small[loop] % smaller[loop] or key in seen:
                        continue
                    seen.add(key)
                    self._add(found, smaller, small)
                    if self._tasks(small) < 2 * units and self._threads(smaller, small) >= self.lanes:
                        queue.append(key)

    def _tasks(self, blocks: Tile) -> int:
        return prod([-(-self.facts.extents[loop] // blocks[loop]) for loop in self.facts.parallel])

    def _add(self, found: dict[tuple[Tile, Tile], Program], registers: Tile, blocks: Tile) -> None:
        """Add a program if every rule allows its tiles."""
        threads = self._threads(registers, blocks)
        if not all(rule.allows_threads(threads) for rule in self.rules):
            return
        for loop, size in enumerate(blocks):
            if not self.facts.reduction[loop] and not (self._is_aligned(loop, size) and self._is_shapely(loop, size)):
                return
        full = tuple([blocks[i] if r else registers[i] for i, r in enumerate(self.facts.reduction)])
        spread = tuple([1 if r else blocks[i] // registers[i] for i, r in enumerate(self.facts.reduction)])
        found[registers, blocks] = make_program(self.facts, full, spread, self.fastest, self.lane, reuse=True)
