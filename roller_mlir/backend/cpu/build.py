# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From LLVM IR of a kernel to its object and its shared library."""

import re
from dataclasses import replace

from roller_mlir.backend.checks.statistics import KernelStatistics
from roller_mlir.backend.cpu.floats import LIBRARY
from roller_mlir.backend.errors import CompileError
from roller_mlir.backend.job import BackendJob, KernelBinary, generate, timed
from roller_mlir.backend.sources import KernelSource
from roller_mlir.backend.toolchain import LLD_REMEDY
from roller_mlir.backend.tools import run_tool

_FMA = re.compile(r"^\s*(?:vfn?m(?:add|sub)\d+[ps][sdh]|fmla|fmadd)\b.*$", re.MULTILINE)


def build_cpu(source: KernelSource, binary: KernelBinary, job: BackendJob) -> KernelBinary:
    """Return the binary with its assembly, its object and, if wanted, its shared library.

    Raises:
        CompileError: LLVM refuses or dies, the linker refuses, or multiply-adds are missing in the machine code.
    """
    phases = dict(binary.phases_s)
    if "bfloat" in source.llvm_ir:
        source = replace(source, llvm_ir=source.llvm_ir + LIBRARY)
    answer = generate(source, job, with_object=True, unroll=False, shared=True)
    seconds = answer.fields["seconds"]
    phases |= {"llvm_s": seconds["llvm_s"], "object_s": seconds["codegen_s"]}
    assembly = answer.blobs["assembly"].decode()
    found = [line for line in _FMA.findall(assembly)]
    statistics = KernelStatistics(fma_count=len(found), instructions={})
    if job.request.counted and source.fma_count and not found:
        raise CompileError(source.name, f"its machine code has no multiply-add, but {source.fma_count} are expected")
    files = {**binary.files, "assembly": answer.blobs["assembly"], "object": answer.blobs["object"]}
    binary = replace(binary, files=files, statistics=statistics, phases_s=phases)
    if job.request.emit == "ptx":
        return binary
    lld = job.toolchain.lld
    if lld is None:
        raise CompileError(source.name, f"no iree-lld was found to link its shared library; {LLD_REMEDY}")
    options = ("-flavor", "gnu", "-shared", "-o", "output")
    result = timed(
        phases,
        "lld_s",
        lambda: run_tool(
            source.name, lld, options, answer.blobs["object"], suffix=".o", timeout_s=job.request.timeout_s
        ),
    )
    if result.code != 0:
        raise CompileError(source.name, f"{lld} refused its object: {result.complaint}")
    return replace(binary, files={**files, "library": result.output}, phases_s=phases)
