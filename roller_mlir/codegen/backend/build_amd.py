# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR -> AMDGPU object -> HSACO."""

from __future__ import annotations

from dataclasses import replace

from roller_mlir.codegen.backend.checks import check_code_object
from roller_mlir.codegen.backend.errors import CompileError
from roller_mlir.codegen.backend.job import Job, KernelBinary, generate, timed
from roller_mlir.codegen.backend.sources import KernelSource
from roller_mlir.codegen.backend.statistics import from_code_object
from roller_mlir.codegen.backend.toolchain import LLD_REMEDY
from roller_mlir.codegen.backend.tools import run_tool


def build_amd(source: KernelSource, start: KernelBinary, job: Job) -> KernelBinary:
    """Compiles a kernel for an AMD device, as far as `job.emit` says."""
    answer = generate(source, job)
    assembly, code_object = answer.blobs["assembly"].decode(), answer.blobs["object"]
    check_code_object(source.name, code_object, assembly, source.fma_count)
    phases = {
        **start.phases_s,
        "llvm_s": answer.fields["seconds"]["llvm_s"],
        "object_s": answer.fields["seconds"]["codegen_s"],
    }
    statistics = from_code_object(code_object, assembly, source.name, source.dynamic_shared_bytes)
    binary = replace(start, assembly=assembly, statistics=statistics, phases_s=phases)
    if job.emit == "ptx":
        return binary
    lld = job.toolchain.lld
    if lld is None:
        raise CompileError(source.name, f"no iree-lld was found to link its code object; {LLD_REMEDY}")
    options = ("-flavor", "gnu", "-shared", "--no-undefined", "-o", "output")
    result = timed(
        phases, "lld_s", lambda: run_tool(source.name, lld, options, code_object, suffix=".o", timeout_s=job.timeout_s)
    )
    if result.code != 0:
        raise CompileError(source.name, f"{lld} refused its code object: {result.complaint}")
    return replace(binary, hsaco=result.output, phases_s=phases)
