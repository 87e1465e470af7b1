# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks of accesses that are no plain loads and stores: asynchronous copies, loads of matrices by whole subgroups."""

from collections.abc import Callable
from typing import Any

from roller_mlir.sim.engine.layout import shadow_access_word
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.accesses import TOUCHES, WIDEST_INSTRUCTION_BYTES, Instrumenter
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.sim.gpu.memory_types import size_bytes, space_of
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def check_indices(
    memory: Instrumenter,
    operation: Any,
    memref: Any,
    kind: str,
    points: int,
    width: int,
    *,
    alignment: int = 0,
    counted: bool = True,
) -> Callable[..., int]:
    """Number an access that is no plain load or store; return what emits its check and gives the site's number.

    That takes the memref and its indices, the operation before which the check comes, and how many elements it moves
    where the kernel computes that.

    Args:
        memory: Checks the kernel's accesses.
        operation: The operation that makes it.
        memref: What it reads or writes.
        kind: "load" or "store".
        points: Elements that it moves.
        width: Their bytes.
        alignment: Of the address, in bytes; 0: the width.
        counted: Whether it is logged.
    """
    dynamic = ir.ShapedType.get_dynamic_size()
    site = memory.emitter.site(
        operation,
        kind=kind,
        space=space_of(memref),
        width_bytes=min(width, WIDEST_INSTRUCTION_BYTES),
        shape=tuple(None if size == dynamic else size for size in memref.type.shape),
        extent=(*[1] * (memref.type.rank - 1), points),
    )
    memory.emitter.needs.widths.add(size_bytes(memref.type.element_type))

    def emit(operands: list[Any], before: Any, last: Any = None) -> int:
        log = memory.log and counted
        if memory.check or log:
            pieces = width // site.width_bytes if log else 1
            memory.access(before, operands, site, alignment or width, pieces, log, None, last)
        return site.number

    return emit


def check_bytes(
    memory: Instrumenter, operation: Any, memref: Any, kind: str, width: int
) -> Callable[[Any, Any, Any], int]:
    """Number an access whose address no index gives; return what emits its check and gives the site's number.

    That takes the memref, the address, and the operation before which the check comes. The bytes must lie between
    the memref's first element and its last one.

    Args:
        memory: Checks the kernel's accesses.
        operation: The operation that makes it.
        memref: What it reads or writes.
        kind: "load" or "store".
        width: Its bytes.

    Raises:
        DiagnosedError: The memref's extents or strides are not static.
    """
    shape, element = memref.type.shape, size_bytes(memref.type.element_type)
    strides, _ = memref.type.get_strides_and_offset()
    if not memref.type.has_static_shape or ir.ShapedType.get_dynamic_stride_or_offset() in strides:
        fail(operation, f"'{operation.name}' must access memory of static extents here, but got {memref.type}")
    available = (sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True)) + 1) * element
    piece = min(width, WIDEST_INSTRUCTION_BYTES)
    site = memory.emitter.site(operation, kind=kind, space=space_of(memref), width_bytes=piece)
    memory.emitter.needs.widths.add(element)

    def emit(source: Any, address: Any, before: Any) -> int:
        emitter, where = memory.emitter, ir.InsertionPoint(before)
        number = emitter.constant(site.number)
        if memory.check:
            start = emitter.binary(where, "arith.subi", address, emitter.describe(source).base)
            sizes = [emitter.constant(width), emitter.constant(available)]
            emitter.call(where, f"{INLINE}view", [number, start, *sizes])
        if memory.sanitize:
            function, does = TOUCHES[kind]
            values = [number, address, emitter.constant(width), emitter.constant(shadow_access_word(does, element, 0))]
            emitter.call(where, PREFIX + function, values)
        for piece_at in range(0, width if memory.log else 0, piece):
            at = emitter.binary(where, "arith.addi", address, piece_at)
            emitter.call(where, PREFIX + "log", [number, at])
        return site.number

    return emit
