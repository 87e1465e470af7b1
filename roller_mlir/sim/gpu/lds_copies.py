# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites what kernels for AMD do asynchronously: copies from global to workgroup memory, and the waits for them.

Before: `amdgpu.gather_to_lds %x[%i, %j], %w[%m, %n] : vector<2xf16>, ...`: lane l copies from a place of its own to the
        4 bytes at 4 l behind `%w[%m, %n]`, which is the same in all lanes.
After:  all lanes meet, then each issues a copy of its own (`copies_ir`), as a group for itself.
A copy lands at the latest time that is allowed: at `amdgpu.memory_counter_wait load(n)` all but the thread's last n; at
a barrier of the block all of them, since LLVM waits for them there. Other loads do not count for n, as they do on
hardware, where that makes copies land earlier.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any, ClassVar

from roller_mlir.sim.engine.layout import Space, SubgroupOp
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.accesses import Instrumenter
from roller_mlir.sim.gpu.indirect_accesses import check_indices
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.sim.gpu.memory_types import as_memref, size_bytes, space_of
from roller_mlir.sim.gpu.ops import GpuOps
from roller_mlir.sim.matrix.ir import emit_entry, operand, start_job
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_WIDTHS = (4, 16)


@dataclass(frozen=True)
class SameOperand:
    """All lanes of a subgroup meet and have the same first operand.

    Attributes:
        lanes: Lanes of the subgroup.
    """

    lanes: int

    @property
    def name(self) -> str:
        """A name that no other operation has."""
        return f"same_of_{self.lanes}"


@cache
def same_text(same: SameOperand) -> str:
    """Return the LLVM IR of `roller_sim_<name>(block, site, value, 0, 0)`, and of its work."""
    code, jobs = start_job(same.name)
    wanted = operand(jobs, code.value(0), SubgroupOp.X)
    with code.count(0, same.lanes) as lane:
        other = operand(jobs, lane, SubgroupOp.X) != wanted
        with code.when(other, likely=False):
            code.give(code.parameters[1] + lane + 1)
    code.give(0)
    emit_entry(code, same.name)
    return str(code.function.module)


@dataclass
class LdsCopies:
    """Rewrites the asynchronous copies of one kernel for AMD.

    Attributes:
        memory: Checks accesses, emits into the kernel.
        gpu_ops: Rewrites the barriers themselves.
        used: Whether there are such copies, noted here.
    """

    takes: ClassVar[tuple[str, ...]] = ("amdgpu.", "gpu.barrier")

    memory: Instrumenter
    gpu_ops: GpuOps
    used: bool = False

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it has nothing to do with such copies."""
        name = str(operation.name)
        if name == "amdgpu.gather_to_lds":
            return self._plan_copy(operation)
        if name == "amdgpu.memory_counter_wait":
            return lambda: self._wait(operation)
        if name == "amdgpu.lds_barrier" or (name == "gpu.barrier" and "<subgroup>" not in str(operation)):
            barrier = self.gpu_ops.plan(operation)
            assert barrier is not None
            return lambda: self._land_and(operation, barrier)
        return None

    def _land(self, operation: Any, left: int) -> None:
        if self.used:
            emitter = self.memory.emitter
            emitter.call(ir.InsertionPoint(operation), PREFIX + "copy_wait", [left])

    def _wait(self, operation: Any) -> None:
        if "load" in operation.attributes:
            self._land(operation, int(ir.IntegerAttr(operation.attributes["load"]).value))
        operation.erase()

    def _land_and(self, operation: Any, barrier: Callable[[], None]) -> None:
        self._land(operation, 0)
        barrier()

    def _plan_copy(self, operation: Any) -> Callable[[], None]:
        rank = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))[1]
        source, target = operation.operands[0], operation.operands[1 + rank]
        moved = ir.TypeAttr(operation.attributes["transferType"]).value
        width, kind = size_bytes(moved), as_memref(target.type)
        strides, offset = kind.get_strides_and_offset()
        dense = kind.has_static_shape and list(strides) == [prod(kind.shape[n + 1 :]) for n in range(kind.rank)]
        if space_of(target) is not Space.WORKGROUP or space_of(source) is not Space.GLOBAL or not dense or offset:
            fail(operation, f"'{operation.name}' must copy global to whole workgroup memory, but got {operation}")
        if width not in _WIDTHS or "async" in operation.attributes:
            fail(operation, f"'{operation.name}' must copy 4 or 16 bytes a lane, not async, but got {operation}")
        self.used = self.memory.emitter.needs.copies = True
        lanes = self.gpu_ops.subgroup_size
        same = SameOperand(lanes)
        self.memory.emitter.needs.subgroup_ops.add(same)
        points = width // size_bytes(source.type.element_type)
        reads = check_indices(self.memory, operation, source, "load", points, width, alignment=4)
        writes = check_indices(self.memory, operation, target, "store", 1, width, alignment=4, counted=False)
        available = int(prod(kind.shape)) * size_bytes(kind.element_type)

        def rewrite() -> None:
            emitter, where = self.memory.emitter, ir.InsertionPoint(operation)
            operands = list(operation.operands)
            of, to = operands[: 1 + rank], operands[1 + rank :]
            reads(of, operation)
            site = emitter.constant(writes(to, operation))
            start = self.memory.address(operation, *to)
            if self.memory.check:
                before = emitter.binary(where, "arith.subi", start, emitter.describe(to[0]).base)
                sizes = [emitter.constant(lanes * width), emitter.constant(available)]
                emitter.call(where, f"{INLINE}view", [site, before, *sizes])
            nothing = emitter.constant(0)
            emitter.call(where, PREFIX + same.name, [site, start, nothing, nothing])
            lane = self.gpu_ops.place(operation, "lane_id")
            whole = emitter.constant(width)
            place = emitter.binary(where, "arith.addi", start, emitter.binary(where, "arith.muli", lane, whole))
            if self.memory.log:
                emitter.call(where, PREFIX + "log", [site, place])
            source_at = self.memory.address(operation, *of)
            emitter.call(where, PREFIX + "copy_issue", [site, place, source_at, whole, whole])
            emitter.call(where, PREFIX + "copy_commit", [])
            operation.erase()

        return rewrite
