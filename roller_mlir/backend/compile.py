# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels to binaries: LLVM dialect -> LLVM IR -> PTX -> cubin, or -> AMDGPU object -> HSACO.

for binary in compile_kernels(module, find_device("h200")):
    print(binary.name, binary.statistics.registers, len(binary.cubin or b""))
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import get_args

from roller_mlir.backend.amd.build import build_amd
from roller_mlir.backend.amd.rocdl import lower_to_rocdl
from roller_mlir.backend.checks.gate import compared
from roller_mlir.backend.checks.operands import check_operands
from roller_mlir.backend.checks.statistics import KernelStatistics
from roller_mlir.backend.child.pool import WorkerPool, process_pool
from roller_mlir.backend.errors import CompileError
from roller_mlir.backend.job import Emit, Job, KernelBinary
from roller_mlir.backend.kernel_module import check_stage, kernel_functions
from roller_mlir.backend.nvidia.build import build_nvidia
from roller_mlir.backend.nvidia.nvvm import lower_to_nvvm
from roller_mlir.backend.sources import KernelSource, kernel_sources
from roller_mlir.backend.target import CODE_OBJECT, Target
from roller_mlir.backend.tensor_maps import tensor_maps_of
from roller_mlir.backend.toolchain import Toolchain, find_toolchain
from roller_mlir.backend.tools import DEFAULT_TIMEOUT_S
from roller_mlir.hal import Device
from roller_mlir.mapping.checks.promise import Promise
from roller_mlir.support.bindings import ir


def compile_kernels(
    module: ir.Module,
    device: Device,
    *,
    emit: Emit = "binary",
    toolchain: Toolchain | None = None,
    pool: WorkerPool | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    promises: Mapping[str, Promise] | None = None,
    code_object: int = CODE_OBJECT,
    counted: bool = True,
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
        promises: what plans promise of kernels, by name; the machine code of each kernel is compared with its promise
            (`KernelBinary.mismatches`). None compares nothing.
        code_object: version of AMD's code objects, one of `target.CODE_OBJECTS`.
        counted: whether a kernel with fewer multiply-adds or matrix instructions than its IR is an error.

    Returns:
        One entry per kernel, in the order of the module; none where all that is to do is done by the host.

    Raises:
        CompileError: a kernel cannot be compiled. The compiler stays usable, even where LLVM crashed.
        DiagnosedError: the module has something that cannot be lowered.
        DeviceError: the device is for the construction and its model only.
    """
    if emit not in get_args(Emit):
        raise ValueError(f"emit must be one of {', '.join(get_args(Emit))}, but got '{emit}'")
    device.require_compiles()
    job = Job(
        target=Target.of(device, code_object),
        toolchain=find_toolchain() if toolchain is None else toolchain,
        pool=process_pool() if pool is None else pool,
        emit=emit,
        timeout_s=timeout_s,
        counted=counted,
    )
    with module.context:
        sources, phases = _sources(module, device)
    build = build_nvidia if job.target.vendor == "nvidia" else build_amd

    def one(source: KernelSource) -> KernelBinary:
        try:
            nothing_yet = KernelStatistics(dynamic_shared_bytes=source.dynamic_shared_bytes)
            start = KernelBinary(
                name=source.name, llvm_ir=source.llvm_ir, statistics=nothing_yet, phases_s=dict(phases)
            )
            if emit == "llvm":
                return start
            binary = build(source, start, job)
            return binary if promises is None else compared(binary, source, promises.get(source.name), job)
        except CompileError as error:
            raise error.at(source.place) from error.__cause__

    if len(sources) <= 1:
        return [one(source) for source in sources]
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
    check_stage(module)
    start = time.perf_counter()
    kernels = list(kernel_functions(module))
    for kernel in kernels:
        check_operands(kernel, device)
    maps = tensor_maps_of(module)
    if kernels:
        module = _copy(module)
        lower = lower_to_nvvm if device.vendor == "nvidia" else lower_to_rocdl
        lower(module, device)
    lowered = time.perf_counter()
    sources = [replace(source, tensor_maps=maps.get(source.name, ())) for source in kernel_sources(module)]
    translated = time.perf_counter()
    count = max(1, len(sources))
    return sources, {"lower_s": (lowered - start) / count, "translate_s": (translated - lowered) / count}


def _copy(module: ir.Module) -> ir.Module:
    copy = ir.Module.create(module.operation.location)
    for name, attribute in module.operation.attributes.items():
        copy.operation.attributes[name] = attribute
    for op in module.body.operations:
        copy.body.append(op.operation.clone())
    return copy
