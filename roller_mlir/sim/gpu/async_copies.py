# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites asynchronous copies (`nvgpu.device_async_*`): issue, group, wait.

Tokens order nothing, as in the code for the device: a group holds what the thread issued since its last group, and a
wait is for all but the last `numGroups` groups.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.sim.engine.layout import Space
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.accesses import Instrumenter
from roller_mlir.sim.gpu.indirect_accesses import check_indices
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.sim.gpu.memory_types import size_bytes, space_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

TOKEN = "!nvgpu.device.async.token"
_COPY, _GROUP, _WAIT = "nvgpu.device_async_copy", "nvgpu.device_async_create_group", "nvgpu.device_async_wait"


@dataclass
class AsyncCopies:
    """Rewrites the asynchronous copies of one kernel.

    Attributes:
        memory: Checks the accesses.
    """

    takes: ClassVar[tuple[str, ...]] = ("nvgpu.device_async_", "nvvm.cp.async.")

    memory: Instrumenter

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is no asynchronous copy."""
        name = str(operation.name)
        if name == _COPY:
            return self._plan_copy(operation)
        if name in (_GROUP, "nvvm.cp.async.commit.group"):
            return lambda: self._finish(operation, "copy_commit", [])
        if name in (_WAIT, "nvvm.cp.async.wait.group"):
            key = "numGroups" if name == _WAIT else "n"
            groups = 0
            if key in operation.attributes:
                groups = int(ir.IntegerAttr(operation.attributes[key]).value)
            return lambda: self._finish(operation, "copy_wait", [self.memory.emitter.constant(groups)])
        return None

    def _finish(self, operation: Any, function: str, operands: list[Any]) -> None:
        """Replace an operation by a call, and its token by a number that nobody looks at."""
        emitter = self.memory.emitter
        where = ir.InsertionPoint(operation)
        emitter.call(where, PREFIX + function, operands)
        if operation.results:
            number = ir.IntegerType.get_signless(32)
            value = {"value": ir.IntegerAttr.get(number, 0)}
            token = emitter.create(where, "arith.constant", [], [number], value)[0]
            operation.results[0].replace_all_uses_with(token)
        operation.erase()

    def _plan_copy(self, operation: Any) -> Callable[[], None]:
        self.memory.emitter.needs.copies = True
        segments = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
        points = int(ir.IntegerAttr(operation.attributes["dstElements"]).value)
        target, source = operation.operands[0], operation.operands[1 + segments[1]]
        element: Any = target.type.element_type
        if space_of(target) is not Space.WORKGROUP or space_of(source) is not Space.GLOBAL:
            fail(
                operation, f"'{_COPY}' must copy global to workgroup memory, but copies {source.type} to {target.type}"
            )
        width = points * size_bytes(element)
        if width not in (4, 8, 16) or source.type.element_type != element:
            fail(operation, f"'{_COPY}' must copy 4, 8 or 16 bytes, but copies {width}")
        reads = check_indices(self.memory, operation, source, "load", points, width)
        writes = check_indices(self.memory, operation, target, "store", points, width)

        def rewrite() -> None:
            operands = list(operation.operands)
            to, of = operands[: 1 + segments[1]], operands[1 + segments[1] : 2 + segments[1] + segments[3]]
            emitter, where = self.memory.emitter, ir.InsertionPoint(operation)
            whole = emitter.constant(width)
            given = whole
            if segments[4]:
                given = emitter.binary(where, "arith.muli", operands[-1], size_bytes(element))
            number = writes(to, operation)
            if segments[4]:
                if self.memory.check:
                    emitter.call(where, f"{INLINE}view", [number, 0, given, whole])
                some = emitter.compare(where, "ne", given, 0)
                reads(of, emitter.guard(where, some), operands[-1])
            else:
                reads(of, operation)
            target_at, source_at = self.memory.address(operation, *to), self.memory.address(operation, *of)
            site = emitter.constant(number)
            self._finish(operation, "copy_issue", [site, target_at, source_at, whole, given])

        return rewrite
