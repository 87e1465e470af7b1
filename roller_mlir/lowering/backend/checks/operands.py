# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands that MLIR and LLVM pass on unseen, and of which hardware says only what is right.

- A shuffle's width: a power of two, at most a subgroup.
- Matrices that are read whole (`wmma`): rows at a positive distance, a multiple of 16 bytes.
- Loads of matrices (`ldmatrix`): rows that begin at multiples of 16 bytes.
- Registers of a warpgroup (`setmaxnreg`): more than at the launch to take, fewer to give away, and in all no more than
  the block was launched with. That they are 24 to 256, in eights, MLIR says.

Sources: PTX ISA, sections shfl.sync, wmma.load, ldmatrix, setmaxnreg.
"""

import math
from typing import Any

from roller_mlir.hal import Device
from roller_mlir.lowering.codegen.builder.task_context import element_bytes
from roller_mlir.lowering.loops.attributes import TASKS_PER_UNIT
from roller_mlir.mapping.layout.swizzle import PIECE_BYTES
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS, WARPGROUP_THREADS
from roller_mlir.mapping.warpgroup_registers import grant_problem, launch_registers
from roller_mlir.mapping.whole_matrices import WMMA_PITCH_BYTES
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of, operations_inside

_WHOLE = ("gpu.subgroup_mma_load_matrix", "gpu.subgroup_mma_store_matrix")
_CHECKED = (*_WHOLE, "gpu.shuffle", "nvgpu.ldmatrix", "nvvm.setmaxregister")


def check_operands(kernel: Any, device: Device) -> None:
    """Refuse a kernel with an operand that its instruction does not take.

    Args:
        kernel: a gpu.func.
        device: what it is for.

    Raises:
        DiagnosedError: at the operation.
    """
    found = [op for op in operations_inside(kernel) if op.name in _CHECKED]
    for op in found:
        if op.name == "gpu.shuffle":
            _check_shuffle(op, device)
        elif op.name in _WHOLE:
            _check_whole(op)
        elif op.name == "nvgpu.ldmatrix":
            _check_rows(op)
    grants = [op for op in found if op.name == "nvvm.setmaxregister"]
    if grants:
        _check_grants(kernel, grants, device)


def shuffle_problem(width: int, subgroup_size: int) -> str:
    """Return why a shuffle cannot be of a width, or an empty string.

    >>> shuffle_problem(33, 64), shuffle_problem(16, 32)
    ('has width 33, which must be a power of two up to the 64 of a subgroup', '')
    """
    if 0 < width <= subgroup_size and not width & (width - 1):
        return ""
    return f"has width {width}, which must be a power of two up to the {subgroup_size} of a subgroup"


def _check_shuffle(op: Any, device: Device) -> None:
    width = constant_of(op.operands[2])
    problem = "" if width is None else shuffle_problem(width, device.subgroup_size)
    if problem:
        fail(op, f"'gpu.shuffle' {problem}")


def _check_whole(op: Any) -> None:
    memref: Any = op.operands[0 if op.name == _WHOLE[0] else 1].type
    pitch = int(ir.IntegerAttr(op.attributes["leadDimension"]).value) * element_bytes(memref.element_type)
    if pitch < 1 or pitch % WMMA_PITCH_BYTES:
        fail(
            op, f"'{op.name}' has rows {pitch} B apart; the distance is positive and a multiple of {WMMA_PITCH_BYTES} B"
        )


def _check_rows(op: Any) -> None:
    memref: Any = op.operands[0].type
    strides, _ = memref.get_strides_and_offset()
    size = element_bytes(memref.element_type)
    loose = next((step * size for step in list(strides)[:-1] if step > 0 and step * size % PIECE_BYTES), None)
    if loose is not None:
        fail(op, f"'{op.name}' reads rows {loose} B apart, which must begin at multiples of {PIECE_BYTES} B")


def _check_grants(kernel: Any, grants: list[Any], device: Device) -> None:
    if TASKS_PER_UNIT not in kernel.attributes or "known_block_size" not in kernel.attributes:
        return  # nothing says how many registers a block is launched with
    threads = math.prod(ir.DenseI32ArrayAttr(kernel.attributes["known_block_size"]))
    tasks = int(ir.IntegerAttr(kernel.attributes[TASKS_PER_UNIT]).value)
    launched = launch_registers(threads - PRODUCER_THREADS, tasks, device.registers_per_unit)
    held = {True: launched, False: launched}
    for op in grants:
        count, more = int(ir.IntegerAttr(op.attributes["regCount"]).value), "increase" in str(op.attributes["action"])
        problem = grant_problem(count, launched, more=more)
        if problem:
            fail(op, f"'nvvm.setmaxregister' {problem}")
        held[more] = count
    groups = threads // WARPGROUP_THREADS
    total = held[True] * (groups - 1) + held[False]
    if total > launched * groups:
        fail(
            grants[0],
            f"'nvvm.setmaxregister' makes {total} registers a lane of {groups} warpgroups, the block was launched with "
            f"{launched * groups}",
        )
