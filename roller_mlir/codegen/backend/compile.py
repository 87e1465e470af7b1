# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels to binaries: LLVM dialect → LLVM IR → PTX → cubin, or → AMDGPU object → HSACO.

for binary in compile_kernels(module, find_device("h200")):
    print(binary.name, binary.statistics.registers, len(binary.cubin or b""))
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Literal, get_args

from roller_mlir.codegen.backend.assembly import read_sass
from roller_mlir.codegen.backend.checks import check_code_object, check_ptx
from roller_mlir.codegen.backend.errors import CompileError
from roller_mlir.codegen.backend.frames import Message
from roller_mlir.codegen.backend.kernel_module import gpu_modules, kernel_functions
from roller_mlir.codegen.backend.math_library import math_library
from roller_mlir.codegen.backend.nvvm import lower_to_nvvm
from roller_mlir.codegen.backend.pool import WorkerPool, process_pool
from roller_mlir.codegen.backend.rocdl import lower_to_rocdl
from roller_mlir.codegen.backend.sources import KernelSource, kernel_sources
from roller_mlir.codegen.backend.statistics import KernelStatistics, from_code_object, from_ptxas
from roller_mlir.codegen.backend.target import Target
from roller_mlir.codegen.backend.toolchain import LLD_REMEDY, NVDISASM_REMEDY, PTXAS_REMEDY, Toolchain, find_toolchain
from roller_mlir.codegen.backend.tools import ToolResult, run_tool
from roller_mlir.hal import Device
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

Emit = Literal["llvm", "ptx", "binary", "assembly"]

DEFAULT_TIMEOUT_S = 120.0


@dataclass(frozen=True, kw_only=True)
class KernelBinary:
    """A compiled kernel.

    Attributes:
        name: symbol of the kernel.
        llvm_ir: what LLVM was given, in the spelling of LLVM 22.
        ptx: NVIDIA only.
        cubin: NVIDIA only; None where no ptxas knows the device, see `notes`.
        hsaco: AMD only, a linked code object.
        assembly: SASS (NVIDIA, only on `emit="assembly"`) or GCN assembly.
        statistics: what the vendor's compiler says.
        phases_s: seconds per phase; `lower_s` is this kernel's part of what was done for all kernels together.
        notes: what the user should know, such as a missing tool.
    """

    name: str
    llvm_ir: str
    ptx: str | None = None
    cubin: bytes | None = None
    hsaco: bytes | None = None
    assembly: str | None = None
    statistics: KernelStatistics
    phases_s: dict[str, float]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class _Job:
    """What every phase of a compilation needs."""

    target: Target
    toolchain: Toolchain
    pool: WorkerPool
    emit: Emit
    timeout_s: float


def compile_kernels(
    module: ir.Module,
    device: Device,
    *,
    emit: Emit = "binary",
    toolchain: Toolchain | None = None,
    pool: WorkerPool | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> list[KernelBinary]:
    """Compiles every kernel of a module for a device.

    Args:
        module: host code with gpu.launch_func, and gpu.module ops with gpu.func kernels, or with kernels that are
            lowered to the LLVM dialect already. It is not changed.
        device: what to compile for.
        emit: how far to go: "llvm" stops at LLVM IR, "ptx" at PTX or AMDGPU assembly, "binary" at cubin or HSACO;
            "assembly" also disassembles the cubin, which takes longer than all the rest, and is what fills
            `statistics.main_loop` for NVIDIA.
        toolchain: the tools; found by `find_toolchain` where it is None.
        pool: the children that run LLVM; the process's own where it is None.
        timeout_s: how long one phase of one kernel may take.

    Returns:
        One entry per kernel, in the order of the module.

    Raises:
        CompileError: a kernel cannot be compiled. The compiler stays usable, even where LLVM crashed.
        DiagnosedError: the module has something that cannot be lowered, or no kernel.
    """
    if emit not in get_args(Emit):
        raise ValueError(f"emit must be one of {', '.join(get_args(Emit))}, but got '{emit}'")
    job = _Job(
        target=Target.of(device),
        toolchain=find_toolchain() if toolchain is None else toolchain,
        pool=process_pool() if pool is None else pool,
        emit=emit,
        timeout_s=timeout_s,
    )
    with module.context:
        sources, phases = _sources(module, device)
    build = _build_nvidia if job.target.vendor == "nvidia" else _build_amd

    def one(source: KernelSource) -> KernelBinary:
        try:
            start = KernelBinary(
                name=source.name, llvm_ir=source.llvm_ir, statistics=_promise(source), phases_s=dict(phases)
            )
            return start if emit == "llvm" else build(source, start, job)
        except CompileError as error:
            raise error.at(source.place) from error.__cause__

    if len(sources) == 1:
        return [one(sources[0])]
    with ThreadPoolExecutor(max_workers=min(len(sources), os.cpu_count() or 1)) as threads:
        running = [threads.submit(one, source) for source in sources]
        try:
            return [future.result() for future in running]
        except BaseException as error:
            threads.shutdown(wait=False, cancel_futures=True)
            if not isinstance(error, Exception):  # Ctrl-C: nobody waits for what is still at work
                job.pool.abort()
            raise


def _sources(module: ir.Module, device: Device) -> tuple[list[KernelSource], dict[str, float]]:
    if not gpu_modules(module):
        fail(
            module.operation,
            "the module has no gpu.module, there is no kernel to compile; run rtile-lower-to-gpu first",
        )
    start = time.perf_counter()
    if any(True for _ in kernel_functions(module)):
        module = _copy(module)
        lower = lower_to_nvvm if device.vendor == "nvidia" else lower_to_rocdl
        lower(module, device)
    lowered = time.perf_counter()
    sources = kernel_sources(module)
    if not sources:
        fail(module.operation, "the module has no kernel to compile: its gpu.module ops hold no gpu.func with 'kernel'")
    translated = time.perf_counter()
    count = len(sources)
    return sources, {"lower_s": (lowered - start) / count, "translate_s": (translated - lowered) / count}


def _copy(module: ir.Module) -> ir.Module:
    copy = ir.Module.create(module.operation.location)
    for name, attribute in module.operation.attributes.items():
        copy.operation.attributes[name] = attribute
    for op in module.body.operations:
        copy.body.append(op.operation.clone())
    return copy


def _promise(source: KernelSource) -> KernelStatistics:
    return KernelStatistics(dynamic_shared_bytes=source.dynamic_shared_bytes)


def _generate(source: KernelSource, job: _Job) -> Message:
    library = math_library(source.name, source.llvm_ir, job.target, job.toolchain)
    request = Message(
        fields={
            "kernel": source.name,
            "triple": job.target.triple,
            "cpu": job.target.architecture,
            "features": job.target.features,
            "library": str(library.path or ""),
            "needed": list(library.needed),
            "object": job.target.vendor == "amd",
        },
        blobs={"llvm_ir": (source.llvm_ir + library.constants).encode()},
    )
    return job.pool.run(source.name, request, job.timeout_s)


def _timed(phases: dict[str, float], phase: str, act: Callable[[], ToolResult]) -> ToolResult:
    start = time.perf_counter()
    result = act()
    phases[phase] = time.perf_counter() - start
    return result


def _build_nvidia(source: KernelSource, start: KernelBinary, job: _Job) -> KernelBinary:
    answer = _generate(source, job)
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
    result = _timed_assemble(source, ptx, job, phases)
    if isinstance(result, str):
        return replace(binary, notes=(result,))
    statistics = from_ptxas(result.log, source.name, source.dynamic_shared_bytes)
    binary = replace(binary, cubin=result.output, statistics=statistics)
    return _disassemble(binary, job) if job.emit == "assembly" else binary


def _timed_assemble(source: KernelSource, ptx: str, job: _Job, phases: dict[str, float]) -> ToolResult | str:
    """Runs the first ptxas that knows the architecture; where there is none, gives a note that says so."""
    architecture = job.target.architecture
    ignorant: list[str] = []
    for ptxas in job.toolchain.ptxas:
        options = ("-v", "-O3", f"-arch={architecture}", "-o", "output")
        result = _timed(
            phases,
            "ptxas_s",
            lambda tool=ptxas: run_tool(
                source.name, tool, options, ptx.encode(), suffix=".ptx", timeout_s=job.timeout_s
            ),
        )
        if result.code == 0:
            return result
        if f"'{architecture}' is not defined" not in result.log:
            raise CompileError(source.name, f"{ptxas} refused its PTX: {result.complaint}")
        ignorant.append(str(ptxas))
    phases.pop("ptxas_s", None)
    if not ignorant:
        return f"no ptxas was found, the artifact holds PTX, which the driver assembles; {PTXAS_REMEDY}"
    remedy = (
        "install pip's nvidia-cuda-nvcc-cu12==12.9.86"
        if architecture in ("sm_50", "sm_52", "sm_60", "sm_61", "sm_70", "sm_72")
        else "install a newer one"
    )
    return f"{' and '.join(ignorant)} does not know {architecture}, the artifact holds PTX, which the driver assembles; {remedy}"


def _disassemble(binary: KernelBinary, job: _Job) -> KernelBinary:
    nvdisasm = job.toolchain.nvdisasm
    if nvdisasm is None:
        return replace(
            binary, notes=(*binary.notes, f"no nvdisasm was found, the main loop is not known; {NVDISASM_REMEDY}")
        )
    assert binary.cubin is not None
    cubin, phases = binary.cubin, dict(binary.phases_s)
    result = _timed(
        phases,
        "sass_s",
        lambda: run_tool(binary.name, nvdisasm, ("-c",), cubin, suffix=".cubin", timeout_s=job.timeout_s),
    )
    if result.code != 0:
        note = f"{nvdisasm} cannot read the cubin, the main loop is not known: {result.complaint}; {NVDISASM_REMEDY}"
        return replace(binary, phases_s=phases, notes=(*binary.notes, note))
    statistics = binary.statistics.with_listing(read_sass(result.text))
    return replace(binary, assembly=result.text, statistics=statistics, phases_s=phases)


def _build_amd(source: KernelSource, start: KernelBinary, job: _Job) -> KernelBinary:
    answer = _generate(source, job)
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
    result = _timed(
        phases, "lld_s", lambda: run_tool(source.name, lld, options, code_object, suffix=".o", timeout_s=job.timeout_s)
    )
    if result.code != 0:
        raise CompileError(source.name, f"{lld} refused its code object: {result.complaint}")
    return replace(binary, hsaco=result.output, phases_s=phases)
