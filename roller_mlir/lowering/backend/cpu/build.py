# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From LLVM IR of a kernel to its object, and what its machine code must have."""

import re
import time
from dataclasses import replace

from roller_mlir.hal.atoms import ATOMS
from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.backend.cpu.floats import LIBRARY
from roller_mlir.lowering.backend.job import BackendJob, KernelBinary, generate
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.mapping.checks.expected_code import ExpectedCode

_X86 = re.compile(r"^\s*vfn?m(?:add|sub)\d+([ps])([sd])\b(.*)$", re.MULTILINE)
_ARM = re.compile(r"^\s*(?:fml[as]\s+v\d+\.(\d+)[sd]\b|fn?m(?:add|sub)\s)", re.MULTILINE)
_PRODUCTS = re.compile(rf"^\s*(?:{'|'.join(one.machine_code for one in ATOMS.values() if one.vectors)})", re.MULTILINE)
_WIDTHS = {"zmm": 64, "ymm": 32, "xmm": 16}
_ELEMENTS = {"s": 4, "d": 8}


def build_cpu(source: KernelSource, binary: KernelBinary, job: BackendJob) -> KernelBinary:
    """Return the binary with its assembly and its object.

    Raises:
        CompileError: LLVM refuses or dies.
    """
    if "bfloat" in source.llvm_ir:
        source = replace(source, llvm_ir=source.llvm_ir + LIBRARY)
    answer = generate(source, job, with_object=True, unroll=False, shared=True)
    seconds = answer.fields["seconds"]
    phases = {**binary.phases_s, "llvm_s": seconds["llvm_s"], "object_s": seconds["codegen_s"]}
    files = {**binary.files, "assembly": answer.blobs["assembly"], "object": answer.blobs["object"]}
    assembly = answer.blobs["assembly"].decode()
    statistics = KernelStatistics(fma_count=multiply_adds(assembly), matrix_count=len(_PRODUCTS.findall(assembly)))
    return replace(binary, files=files, statistics=statistics, phases_s=phases)


def compared_cpu(
    binary: KernelBinary, source: KernelSource, expected_code: ExpectedCode | None, job: BackendJob
) -> KernelBinary:
    """Return a kernel with its mismatch, where its machine code has fewer multiply-adds than are expected of it."""
    del expected_code, job
    start = time.perf_counter()
    found = binary.statistics.fma_count or 0
    missing: tuple[Mismatch, ...] = ()
    if found < source.fma_count:
        text = f"the kernel has {found} multiply-adds, each lane counted where {source.fma_count} are expected"
        missing = (Mismatch(kind="fma", expected=source.fma_count, found=found, message=text),)
    products = binary.statistics.matrix_count or 0
    if products < source.matrix_count:
        text = f"the kernel has {products} instructions for products where {source.matrix_count} are expected"
        missing = (*missing, Mismatch(kind="matrix", expected=source.matrix_count, found=products, message=text))
    phases = {**binary.phases_s, "gate_s": time.perf_counter() - start}
    return replace(binary, mismatches=missing, phases_s=phases)


def multiply_adds(assembly: str) -> int:
    """Return the multiply-adds of f32 and f64 in assembly, each lane of a vector for itself.

    >>> multiply_adds("vfmadd231ps (%rax){1to16}, %zmm1, %zmm2"), multiply_adds("fmla v0.4s, v1.4s, v2.s[0]")
    (16, 4)
    """
    count = 0
    for packed, kind, operands in _X86.findall(assembly):
        width = max((size for name, size in _WIDTHS.items() if f"%{name}" in operands), default=16)
        count += width // _ELEMENTS[kind] if packed == "p" else 1
    return count + sum(int(lanes or 1) for lanes in _ARM.findall(assembly))
