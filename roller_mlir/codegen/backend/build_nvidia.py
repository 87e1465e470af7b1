# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR -> PTX -> cubin, and SASS to look at."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from roller_mlir.codegen.backend.assembly import read_sass
from roller_mlir.codegen.backend.checks import check_ptx
from roller_mlir.codegen.backend.errors import CompileError
from roller_mlir.codegen.backend.job import Job, KernelBinary, generate, timed
from roller_mlir.codegen.backend.sources import KernelSource
from roller_mlir.codegen.backend.statistics import from_ptxas
from roller_mlir.codegen.backend.toolchain import NVDISASM_REMEDY, PTXAS_REMEDY
from roller_mlir.codegen.backend.tools import ToolResult, run_tool

# The last wheel that has an assembler for what later toolkits gave up: CUDA 12 and CUDA 13.
_LAST_WHEEL = {
    **dict.fromkeys(("sm_35", "sm_37"), "nvidia-cuda-nvcc-cu11==11.8.89"),
    **dict.fromkeys(
        ("sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72"), "nvidia-cuda-nvcc-cu12==12.9.86"
    ),
}


def build_nvidia(source: KernelSource, start: KernelBinary, job: Job) -> KernelBinary:
    """Compiles a kernel for an NVIDIA device, as far as `job.emit` says."""
    answer = generate(source, job)
    ptx = answer.blobs["assembly"].decode()
    check_ptx(source.name, ptx, source.fma_count)
    phases = {
        **start.phases_s,
        "llvm_s": answer.fields["seconds"]["llvm_s"],
        "ptx_s": answer.fields["seconds"]["codegen_s"],
    }
    binary = replace(start, ptx=ptx, phases_s=phases)
    if job.emit == "ptx":
        return binary
    result = _assemble(source, ptx, job, phases)
    if isinstance(result, str):
        return replace(binary, notes=(result,))
    statistics = from_ptxas(result.log, source.name, source.dynamic_shared_bytes)
    binary = replace(binary, cubin=result.output, statistics=statistics)
    return _disassemble(binary, job) if job.emit == "assembly" else binary


def _assemble(source: KernelSource, ptx: str, job: Job, phases: dict[str, float]) -> ToolResult | str:
    """Runs the first ptxas that knows the architecture; where there is none, gives a note that says so."""
    architecture = job.target.architecture
    ignorant: list[str] = []
    options = ("-v", "-O3", f"-arch={architecture}", "-o", "output")
    for ptxas in job.toolchain.ptxas:
        result = timed(
            phases,
            "ptxas_s",
            partial(run_tool, source.name, ptxas, options, ptx.encode(), suffix=".ptx", timeout_s=job.timeout_s),
        )
        if result.code == 0:
            return result
        if f"'{architecture}' is not defined" not in result.log:
            raise CompileError(source.name, f"{ptxas} refused its PTX: {result.complaint}")
        ignorant.append(str(ptxas))
    phases.pop("ptxas_s", None)
    if not ignorant:
        return f"no ptxas was found, the artifact holds PTX, which the driver assembles; {PTXAS_REMEDY}"
    wheel = _LAST_WHEEL.get(architecture)
    remedy = "install a newer one" if wheel is None else f"install pip's {wheel}"
    who = f"{', '.join(ignorant)} {'does' if len(ignorant) == 1 else 'do'} not know {architecture}"
    return f"{who}, the artifact holds PTX, which the driver assembles; {remedy}"


def _disassemble(binary: KernelBinary, job: Job) -> KernelBinary:
    nvdisasm = job.toolchain.nvdisasm
    if nvdisasm is None:
        return replace(
            binary, notes=(*binary.notes, f"no nvdisasm was found, the main loop is not known; {NVDISASM_REMEDY}")
        )
    assert binary.cubin is not None
    cubin, phases = binary.cubin, dict(binary.phases_s)
    result = timed(
        phases,
        "sass_s",
        lambda: run_tool(binary.name, nvdisasm, ("-c",), cubin, suffix=".cubin", timeout_s=job.timeout_s),
    )
    if result.code != 0:
        note = f"{nvdisasm} cannot read the cubin, the main loop is not known: {result.complaint}; {NVDISASM_REMEDY}"
        return replace(binary, phases_s=phases, notes=(*binary.notes, note))
    statistics = binary.statistics.with_listing(read_sass(result.text))
    return replace(binary, assembly=result.text, statistics=statistics, phases_s=phases)
