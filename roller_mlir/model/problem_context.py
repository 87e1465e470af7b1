# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What does not change from one candidate program to the next, computed once per construction.

Everything here repeats definitions of `mapping` and `tile` on plain integers, remembered by the sizes that matter: a
construction evaluates hundreds of programs in a few milliseconds. The tests compare each with its definition.
"""

from collections.abc import Callable, Hashable, Sequence
from copy import copy
from dataclasses import replace
from math import gcd, prod
from operator import add, itemgetter
from typing import Any

from roller_mlir.mapping.checks.tensor_copy_rules import tensor_store_fits
from roller_mlir.mapping.layout.data_tile import TileDimension, copy_map, copy_vector, tile_dimensions
from roller_mlir.mapping.layout.layout import direct_vector, row_alignment
from roller_mlir.mapping.resources import result_words
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS
from roller_mlir.model.instructions.atom import Atom
from roller_mlir.model.instructions.choice import scalar_atom
from roller_mlir.model.machine import Machine
from roller_mlir.model.tile import access_traffic, contiguous_loop, reuse_loops
from roller_mlir.plan import Access, TensorExpression
from roller_mlir.plan.expression import dense_strides


class AccessContext:
    """One access of an expression.

    Attributes:
        access: The access.
        loops: Loops that it depends on, ascending.
        parallel: Those of them that are parallel.
        reduces: Whether it depends on a reduction loop.
        contiguous: See `tile.contiguous_loop`.
        strides: Bytes between neighbouring points of each loop.
        windows: Whether some dimension is indexed by several loops.
        words: 32-bit registers of one element.
        walked_bytes: Bytes of the tensor, 0 of one that is read at computed positions: no loop walks it.
        own: Gives the entries of the access's own loops from one entry per loop.
        widths: What `estimate.ideal_widths` remembers.
        rows: What `task.matrix` remembers of the rows of tiles.
        copies: What `traffic` remembers of staged copies.
        requests: What `cache_requests` remembers of staged tiles.
        canonical: What `traffic.layouts` remembers of tiles: the smallest operators with the same ones.
        layout_costs: What it remembers of layouts.
    """

    def __init__(self, access: Access, expression: TensorExpression, machine: Machine) -> None:
        self.access = access
        self.element_bytes = access.element_bytes
        self.words = max(1, access.element_bytes // 4)
        self.walked_bytes = 0 if access.gathered else access.size_bytes
        self.loops = tuple(range(len(expression.loops)) if access.gathered else sorted(access.loops()))
        self.parallel = tuple(i for i in self.loops if not expression.loops[i].reduction)
        self.reduces = len(self.parallel) < len(self.loops)
        self.contiguous = contiguous_loop(access)
        row = dense_strides(access.bounds)
        self.strides = tuple(
            access.element_bytes
            * abs(sum(index.coefficients[i] * r for index, r in zip(access.indices, row, strict=True)))
            for i in range(len(expression.loops))
        )
        if access.gathered:
            self.strides = (machine.sector_bytes,) * len(expression.loops)  # each element in a sector of its own
        self.windows = access.windows
        self._expression_loops = expression.loops
        self._bounds = expression.bounds
        self._access_bytes = machine.vector_bytes
        self.limit = machine.vector_bytes // access.element_bytes
        self._sector_bytes = machine.sector_bytes
        self._dimensions = tuple(tuple(index.terms().items()) for index in access.indices)
        self.own = _entries(self.loops)
        self.widths: dict[Hashable, Any] = {}
        self.rows: dict[Hashable, Any] = {}
        self.copies: dict[Hashable, tuple[int, tuple[int, int]]] = {}
        self.requests: dict[Hashable, float] = {}
        self.canonical: dict[tuple[int, ...], Any] = {}
        self.layout_costs: dict[Hashable, Any] = {}
        self._direct: dict[Hashable, int] = {}
        self._scattered: dict[Hashable, bool] = {}
        self._vectors: dict[Hashable, int] = {}
        self._extents: dict[Hashable, tuple[int, int, int]] = {}
        self._traffic: dict[Hashable, int] = {}
        self._tile_dimensions: dict[Hashable, tuple[TileDimension, ...]] = {}

    def again(self) -> "AccessContext":
        """Return the same for another instruction, which shares what is remembered of tiles."""
        same = copy(self)
        same.widths, same.rows = {}, {}
        return same

    def tile(self, blocks: Sequence[int]) -> tuple[int, int, int]:
        """Return elements of a box's data tile, and extent and step of its last dimension."""
        key = self.own(blocks)
        found = self._extents.get(key)
        if found is None:
            elements, extent, step = 1, 1, 1
            for terms in self._dimensions:
                step, span = 0, 0
                for loop, k in terms:
                    if blocks[loop] > 1:
                        step = gcd(step, k)
                        span += abs(k) * (blocks[loop] - 1)
                step = step or 1
                extent = span // step + 1
                elements *= extent
            found = self._extents[key] = (elements, extent, step)
        return found

    def dimensions(self, blocks: Sequence[int]) -> tuple[TileDimension, ...]:
        """Return a box's data tile, dimension by dimension."""
        key = self.own(blocks)
        found = self._tile_dimensions.get(key)
        if found is None:
            found = self._tile_dimensions[key] = tile_dimensions(self.access, blocks)
        return found

    def traffic(self, blocks: Sequence[int]) -> int:
        """Return the bytes that loading one tile of a box moves, in whole transactions, the mean of all boxes."""
        key = self.own(blocks)
        found = self._traffic.get(key)
        if found is None and self.access.gathered:
            found = self._traffic[key] = prod(blocks) * self._sector_bytes
        elif found is None:
            found = self._traffic[key] = access_traffic(self.access, blocks, self._sector_bytes, self._bounds)
        return found

    def copy_vector(self, blocks: Sequence[int]) -> int:
        """Return the elements of one global access of a staged copy of a box's data tile."""
        key = self.own(blocks)
        found = self._vectors.get(key)
        if found is None:
            _, extent, step = self.tile(blocks)
            aligned = row_alignment(self.access, self._expression_loops, blocks)
            found = self._vectors[key] = copy_vector(extent, step, aligned, self.limit)
        return found

    def is_scattered(self, blocks: Sequence[int], vector: int, threads: int) -> bool:
        """Return whether the vectors of a copied tile lie at distances that differ from thread to thread."""
        key = self.own(blocks), vector, threads
        found = self._scattered.get(key)
        if found is None:
            extents = [dimension.extent for dimension in self.dimensions(blocks)]
            found = self._scattered[key] = copy_map(extents, vector, threads).is_scattered
        return found

    def direct_vector(self, blocks: Sequence[int], chunks: Sequence[int]) -> int:
        """Return the elements of one read straight from global memory."""
        key = self.own(blocks), self.own(chunks)
        found = self._direct.get(key)
        if found is None:
            found = direct_vector(self.access, self._expression_loops, blocks, chunks, self._access_bytes)
            self._direct[key] = found
        return found


class ProblemContext:
    """An expression on a machine.

    Attributes:
        expression: The expression.
        machine: The machine.
        bounds: Largest extent of each loop.
        divisors: What surely divides it.
        reduction: Whether each loop is a reduction.
        parallel: The parallel loops.
        reductions: The reduction loops.
        of_parallel: Gives the entries of the parallel loops from one entry per loop.
        inputs: Context of the inputs.
        output: Context of the output.
        more_outputs: Context of further outputs.
        written_bytes: Bytes of all outputs.
        windows: Whether some dimension of an input is indexed by several loops.
        epilogue: Context of the tensors that the epilogue reads.
        reads: Context of the inputs and of the epilogue's tensors.
        ends: Whether there is an epilogue.
        prologue: Per input, operations on each loaded element, functions as several; empty for none.
        through_registers: Per input, whether its elements are changed before the body sees them, or what lies outside
            of it does not read as 0: copies that pass no registers can do neither.
        asynchronous: Per input, whether the device has copies that pass no registers and they can bring its elements.
        tensor_store: Whether tensor copies can write the results.
        other_cycles: Cycles of a scheduler for one operation of a prologue or epilogue on a subgroup's threads.
        reused: See `tile.reuse_loops`.
        steps_divide: Whether the steps of a loop must divide it: reduction loops that move windows.
        math_per_point: Arithmetic operations of one point; functions such as an exponential count as several.
        atom: The instruction that computes them.
        task_threads: Threads that compute in each block, None where the model decides.
        stores: What `traffic` remembers of the output.
        direct: What `task.stores` remembers of programs.
        stageable: Whether results of a box may pass workgroup memory, by its points.
        block_costs: What `tiled` remembers of block tiles.
        moved: What `raster` remembers of tiles.
        rasters: What `super_rows` remembers of them.
        estimates: What `estimate` remembers of candidates.
        plans: What `finish` remembers of them: with direct stores, which do not depend on whether others may be staged.
        stages: The contexts of stages of its division, see `stage`.
        staging: The same where results may pass workgroup memory, whose estimates know both ways; None if this is it.
        result_bytes: Bytes of one result, before an epilogue.
        result_words: 32-bit registers of one point's results.
        cycles_per_point: Cycles of a scheduler for one such operation of a subgroup's threads.
    """

    def __init__(self, expression: TensorExpression, machine: Machine, atom: Atom | None = None) -> None:
        """Gather the facts of an expression; without an atom, with the device's scalar instruction."""
        self.expression = expression
        self.machine = machine
        self.bounds = expression.bounds
        self.divisors = tuple(loop.extent.divisor for loop in expression.loops)
        self.reduction = tuple(loop.reduction for loop in expression.loops)
        self.parallel = expression.parallel()
        self.reductions = expression.reductions()
        self.of_parallel = _entries(self.parallel)
        self.inputs = tuple(AccessContext(access, expression, machine) for access in expression.inputs)
        self.windows = any(access.windows for access in self.inputs)
        self.output = AccessContext(expression.output, expression, machine)
        self.more_outputs = tuple(AccessContext(access, expression, machine) for access in expression.more_outputs)
        self.written_bytes = sum([access.size_bytes for access in (expression.output, *expression.more_outputs)])
        self.epilogue = tuple(AccessContext(access, expression, machine) for access in expression.epilogue)
        self.reads = (*self.inputs, *self.epilogue)
        self.ends = bool(expression.epilogue or expression.epilogue_flops)
        cycles = expression.prologue_cycles or (0,) * len(expression.prologue_flops)
        before = tuple(map(add, expression.prologue_flops, cycles))
        self.prologue = before if any(before) else ()
        changed = self.prologue or (0,) * len(self.inputs)
        self.through_registers = tuple(
            bool(operations or pad) for operations, pad in zip(changed, expression.pad_values, strict=True)
        )
        device = self.machine.device
        self.asynchronous = tuple(
            "async_copy" in device.features and not through and not access.access.gathered
            for access, through in zip(self.inputs, self.through_registers, strict=True)
        )
        self.other_cycles = 0.0
        if self.ends or self.prologue:
            self.other_cycles = max(1.0, scalar_atom(expression, machine.device).cycles_per_point(machine.device))
        self.reused = reuse_loops(expression)
        self.steps_divide = tuple(
            loop.reduction and expression.moves_window(i) for i, loop in enumerate(expression.loops)
        )
        self.stageable: dict[Hashable, bool] = {}
        self.block_costs: dict[Hashable, tuple[int, int]] = {}
        self.moved: dict[Hashable, tuple[float, float, tuple[int, ...]]] = {}
        self.rasters: dict[Hashable, Any] = {}
        self.staging: ProblemContext | None = None
        self.stages: dict[Hashable, ProblemContext] = {}
        self.result_bytes = expression.result_bytes
        own = max(1, expression.flops_per_point) + expression.point_cycles
        self.math_per_point = 1 if expression.fused_multiply_add else own
        self.take(atom or scalar_atom(expression, device))

    def take(self, atom: Atom) -> None:
        """Take an instruction, with all that depends on it."""
        machine, expression = self.machine, self.expression
        self.atom = atom
        copying = PRODUCER_THREADS if atom.reads_memory else 0
        left = max(1, machine.block_threads - copying) if machine.block_threads else None
        self.task_threads = machine.task_threads or left
        self.cycles_per_point = atom.cycles_per_point(machine.device)
        self.tensor_store = atom.reads_memory and tensor_store_fits(expression, atom.row, atom.column, atom.extra_axis)
        self.result_words = max(1, self.result_bytes // 4) if atom.is_matrix else result_words(expression)
        self.stores: dict[Hashable, Any] = {}
        self.direct: dict[Hashable, Any] = {}
        self.estimates: dict[Hashable, Any] = {}
        self.plans: dict[Hashable, Any] = {}

    def with_atom(self, atom: Atom) -> "ProblemContext":
        """Return the same with another instruction, which shares what is remembered and depends on none."""
        same = copy(self)
        same.inputs = tuple(access.again() for access in self.inputs)
        same.reads = (*same.inputs, *same.epilogue)
        same.take(atom)
        return same

    def unstaged(self) -> "ProblemContext":
        """Return the same where no results pass workgroup memory; it knows what this one remembers."""
        same = copy(self)
        same.machine = replace(self.machine, staged_stores=False)
        same.staging, same.estimates, same.stages = self, {}, {}
        return same

    def stage(self, name: Hashable, make: Callable[[Machine], "ProblemContext"]) -> "ProblemContext":
        """Return the context of a stage of this expression's division, remembered by its name.

        Args:
            name: Says which stage of which division, and with which instruction, if that is this one's.
            make: Makes it of the machine of this one.
        """
        found = self.stages.get(name)
        if found is None:
            found = make(self.machine) if self.staging is None else self.staging.stage(name, make).unstaged()
            self.stages[name] = found
        return found

    def copies_alone(self, number: int, blocks: Sequence[int]) -> bool:
        """Return whether a tile of threads that compute alone may be brought by asynchronous copies.

        Only the tile of a single step, for which nothing else can be done meanwhile: in a loop of steps the next tile
        travels through registers while one computes.
        """
        return self.asynchronous[number] and all(blocks[loop] >= self.bounds[loop] for loop in self.reductions)

    def fragment_bytes(self, access: AccessContext, tile: Sequence[int]) -> float:
        """Return the bytes that one subgroup reads from workgroup memory for its share of an input.

        Args:
            access: The input.
            tile: Points of one thread per loop: of a register tile, or of a whole step.

        Threads that compute alone read each their own points. A matrix instruction reads every element of its
        threads' common tile once, windows at each of their points. One that takes its factors from workgroup memory
        reads that of its rows for every instruction along the columns, and the other way round.
        """
        atom, device = self.atom, self.machine.device
        if not atom.is_matrix:
            return access.tile(tile)[0] * access.element_bytes * device.subgroup_size
        elements = prod([tile[loop] for loop in access.loops])
        if atom.row in access.loops:
            elements *= atom.lanes[0] * atom.groups
            again = tile[atom.column] * atom.lanes[1] // atom.shape(tile[atom.column])[1] if atom.reads_memory else 1
        else:
            elements *= atom.lanes[1]
            again = tile[atom.row] // atom.per_thread[0] if atom.reads_memory else 1
        return elements * again * access.element_bytes * device.subgroup_size / atom.instruction.threads

    def fragment_registers(self, access: AccessContext, tile: Sequence[int]) -> float:
        """Return the registers of one thread that hold an input's elements for one reduction point or instruction."""
        atom = self.atom
        if not atom.is_matrix:
            return access.tile(tile)[0] * access.words
        if atom.reads_memory:
            return 0.0
        elements = prod([tile[loop] for loop in access.parallel]) * atom.length
        elements *= atom.lanes[0 if atom.row in access.loops else 1]
        return elements * access.element_bytes / 4 / atom.instruction.threads


def _entries(loops: Sequence[int]) -> Callable[[Sequence[int]], Hashable]:
    """Return what gives the entries of some loops from one entry per loop: a tuple, or one entry by itself."""
    return itemgetter(*loops) if loops else lambda sizes: 0
