# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From lowered gpu.module ops to one LLVM IR text per kernel."""

import re
from dataclasses import dataclass
from typing import Any, cast

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.checks.residency import Residency
from roller_mlir.lowering.backend.kernels.module import (
    body_of,
    dynamic_workgroup_bytes,
    gpu_modules,
    launches,
    symbol_name,
)
from roller_mlir.lowering.backend.kernels.parameters import parameter_bytes
from roller_mlir.lowering.backend.translate import mark_convergent, to_llvm_22
from roller_mlir.lowering.loops.attributes import FMA_COUNT, LOOP_ANNOTATION, MATRIX_COUNT, ROLLED, TASK_RANGE
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.support.bindings import ir, llvm
from roller_mlir.support.diagnostics import SourcePlace, place_of
from roller_mlir.support.values import operations_inside

_KERNEL_MARKS = ("nvvm.kernel", "rocdl.kernel", TASK_RANGE)
_PRODUCT, _SUM = (re.compile(rf"= {name} (?:[a-z]+ )*?(?:<(\d+) x )?[a-z]+\d*\b") for name in ("fmul", "fadd"))
_REFERENCES = {"llvm.call": "callee", "llvm.mlir.addressof": "global_name"}


@dataclass(frozen=True, kw_only=True)
class KernelSource:
    """A kernel as LLVM IR.

    Attributes:
        name: symbol of the kernel.
        llvm_ir: a module that holds the kernel and what it refers to, in LLVM 22's spelling.
        fma_count: scalar multiply-adds that the kernel expects (`rtile.fma_count`), 0 where it expects none.
        matrix_count: matrix instructions that it expects (`rtile.matrix_count`), likewise.
        other_products: multiplications of one thread in the IR beside those of expected multiply-adds.
        other_sums: additions, likewise.
        dynamic_shared_bytes: what its launches ask for.
        parameter_bytes: what its parameters fill, as they lie behind each other.
        place: where it stands in the source.
        tensor_maps: what it takes after its buffers.
        made_maps: the tensor maps that it makes in its last buffer.
        residency: blocks of it that run at the same time, or must.
    """

    name: str
    llvm_ir: str
    fma_count: int
    matrix_count: int
    other_products: int = 0
    other_sums: int = 0
    dynamic_shared_bytes: int
    parameter_bytes: int
    place: SourcePlace | None
    tensor_maps: tuple[TensorMap, ...] = ()
    made_maps: tuple[TensorMap, ...] = ()
    residency: Residency | None = None


def kernel_sources(module: ir.Module, device: Device) -> list[KernelSource]:
    """Return the kernels of a lowered module, in their order.

    Args:
        module: with gpu.module ops that hold LLVM dialect only.
        device: what they are for.

    Raises:
        DiagnosedError: a launch asks for an amount of workgroup memory that is not constant.
    """
    by_kernel = launches(module)
    found: list[KernelSource] = []
    for gpu_module in gpu_modules(module):
        symbols = {
            symbol_name(op.operation): op.operation
            for op in body_of(gpu_module).operations
            if "sym_name" in op.operation.attributes
        }
        for name, op in symbols.items():
            if not any(mark in op.attributes for mark in _KERNEL_MARKS):
                continue
            if ROLLED in op.attributes:
                _keep_rolled(op)
            text, fmas = _translate(op, symbols), _count(op, FMA_COUNT)
            found.append(
                KernelSource(
                    name=name,
                    llvm_ir=mark_convergent(to_llvm_22(text)),
                    fma_count=fmas,
                    other_products=max(0, _lanes(_PRODUCT, text) - fmas),
                    other_sums=max(0, _lanes(_SUM, text) - fmas),
                    matrix_count=_count(op, MATRIX_COUNT),
                    dynamic_shared_bytes=dynamic_workgroup_bytes(name, by_kernel.get(name, [])),
                    parameter_bytes=parameter_bytes(op),
                    place=place_of(op.location),
                    residency=Residency.of(by_kernel.get(name, []), device),
                )
            )
    return found


def _keep_rolled(kernel: ir.Operation) -> None:
    """Let branches say for LLVM, and so for ptxas, what lowering only left beside them: the loop is not unrolled."""
    for op in operations_inside(kernel):
        if LOOP_ANNOTATION in op.attributes:
            op.attributes["loop_annotation"] = op.attributes[LOOP_ANNOTATION]


def _lanes(operation: re.Pattern[str], text: str) -> int:
    """Count the scalar operations in LLVM IR, each lane of a vector for itself."""
    return sum(int(found[1] or 1) for found in operation.finditer(text))


def _count(kernel: Any, attribute: str) -> int:
    return ir.IntegerAttr(kernel.attributes[attribute]).value if attribute in kernel.attributes else 0


def _translate(kernel: Any, symbols: dict[str, Any]) -> str:
    """Translate one kernel with the globals and functions that it uses, directly or not."""
    wanted: dict[str, None] = {}
    pending = [symbol_name(kernel)]
    while pending:
        name = pending.pop()
        if name in wanted or name not in symbols:
            continue
        wanted[name] = None
        for op in operations_inside(symbols[name]):
            attribute = _REFERENCES.get(op.name)
            if attribute is not None and attribute in op.attributes:
                pending.append(ir.FlatSymbolRefAttr(op.attributes[attribute]).value)
    alone = ir.Module.create(kernel.location)
    for name, op in symbols.items():
        if name in wanted:
            alone.body.append(op.clone())
    return cast(Any, llvm).translate_module_to_llvmir(alone.operation)
