# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What does not change from one candidate program to the next, computed once per construction.

Everything here repeats definitions of `mapping` and `tile` on plain integers, remembered by the sizes that matter: a
construction weighs hundreds of programs in a few milliseconds. The tests compare each with its definition.
"""

from collections.abc import Callable, Hashable, Sequence
from math import gcd, prod
from operator import itemgetter

from roller_mlir.mapping.data_tile import copy_vector
from roller_mlir.mapping.index import power_of_two_divisor
from roller_mlir.model.machine import Machine
from roller_mlir.model.tile import access_traffic, contiguous_loop, reuse_loops
from roller_mlir.plan import Access, TensorExpression


class AccessFacts:
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
    """

    def __init__(self, access: Access, expression: TensorExpression, machine: Machine) -> None:
        self.access = access
        self.element_bytes = access.element_bytes
        self.words = max(1, access.element_bytes // 4)
        self.loops = tuple(sorted(access.loops()))
        self.parallel = tuple(i for i in self.loops if not expression.loops[i].reduction)
        self.reduces = len(self.parallel) < len(self.loops)
        self.contiguous = contiguous_loop(access)
        row = [prod(access.shape[d + 1 :]) for d in range(len(access.shape))]
        self.strides = tuple(
            access.element_bytes * sum(index.coefficients[i] * r for index, r in zip(access.indices, row, strict=True))
            for i in range(len(expression.loops))
        )
        self.windows = any(len(index.terms()) > 1 for index in access.indices)
        last = access.indices[-1] if access.indices else None
        self.outer = {loop for index in access.indices[:-1] for loop in index.terms()}
        self.last_terms = tuple(last.terms().items()) if last else ()
        self.row_divisor = gcd(last.constant, access.shape[-1]) if last else 1
        self.limit = machine.vector_bytes // access.element_bytes
        self._sector_bytes = machine.sector_bytes
        self._dimensions = tuple(tuple(index.terms().items()) for index in access.indices)
        # The entries of the access's own loops: a tuple, or one entry by itself.
        self._own: Callable[[Sequence[int]], Hashable] = itemgetter(*self.loops) if self.loops else lambda blocks: 0
        self._extents: dict[Hashable, tuple[int, int, int]] = {}
        self._traffic: dict[Hashable, int] = {}

    def tile(self, blocks: Sequence[int]) -> tuple[int, int, int]:
        """Return elements of a box's data tile, and extent and step of its last dimension."""
        key = self._own(blocks)
        found = self._extents.get(key)
        if found is None:
            elements, extent, step = 1, 1, 1
            for terms in self._dimensions:
                step, span = 0, 0
                for loop, k in terms:
                    if blocks[loop] > 1:
                        step = gcd(step, k)
                        span += k * (blocks[loop] - 1)
                step = step or 1
                extent = span // step + 1
                elements *= extent
            found = self._extents[key] = (elements, extent, step)
        return found

    def traffic(self, blocks: Sequence[int]) -> int:
        """Return the bytes that loading one tile of a box moves, in whole transactions."""
        key = self._own(blocks)
        found = self._traffic.get(key)
        if found is None:
            found = self._traffic[key] = access_traffic(self.access, blocks, self._sector_bytes)
        return found

    def copy_vector(self, blocks: Sequence[int], steps: Sequence[int], shifts: Sequence[int]) -> int:
        """Return the elements of one global access of a staged copy, as `mapping.layout` will decide."""
        divisor = self.row_divisor
        for loop, k in self.last_terms:
            if steps[loop] > 1:
                divisor = gcd(divisor, k * blocks[loop])
            if shifts[loop]:
                divisor = gcd(divisor, k * shifts[loop])
        _, extent, step = self.tile(blocks)
        return copy_vector(extent, step, divisor, self.limit)

    def direct_vector(self, chunks: Sequence[int]) -> int:
        """Return the elements of one read straight from global memory, as the code generator will decide."""
        runs = [chunks[loop] for loop, k in self.last_terms if k == 1 and chunks[loop] > 1 and loop not in self.outer]
        if not runs:
            return 1
        others = [k * chunks[loop] for loop, k in self.last_terms]
        return power_of_two_divisor(gcd(*runs, *others, self.row_divisor), self.limit)


class Facts:
    """An expression on a machine.

    Attributes:
        expression: The expression.
        machine: The machine.
        extents: Extent of each loop.
        reduction: Whether each loop is a reduction.
        parallel: The parallel loops.
        reductions: The reduction loops.
        inputs: Facts of the inputs.
        output: Facts of the output.
        reused: See `tile.reuse_loops`.
        steps_divide: Whether the steps of a loop must divide it: reduction loops that move windows.
        math_per_point: Arithmetic instructions of one point.
    """

    def __init__(self, expression: TensorExpression, machine: Machine) -> None:
        self.expression = expression
        self.machine = machine
        self.extents = tuple(loop.extent for loop in expression.loops)
        self.reduction = tuple(loop.reduction for loop in expression.loops)
        self.parallel = expression.parallel()
        self.reductions = expression.reductions()
        self.inputs = tuple(AccessFacts(access, expression, machine) for access in expression.inputs)
        self.output = AccessFacts(expression.output, expression, machine)
        self.reused = reuse_loops(expression)
        self.steps_divide = tuple(
            loop.reduction
            and any(index.coefficients[i] and len(index.terms()) > 1 for a in expression.inputs for index in a.indices)
            for i, loop in enumerate(expression.loops)
        )
        self.math_per_point = 1 if expression.fused_multiply_add else max(1, expression.flops_per_point)
