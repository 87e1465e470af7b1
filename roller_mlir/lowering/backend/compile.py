# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels in the LLVM dialect to binaries: LLVM IR -> PTX -> cubin, or -> AMDGPU object -> HSACO."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from roller_mlir.hal import Device
from roller_mlir.lowering.backend.checks.codegen import compared
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.backend.child.pool import process_pool
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.job import BackendJob, BuildRequest, KernelBinary
from roller_mlir.lowering.backend.sources import KernelSource, kernel_sources
from roller_mlir.lowering.backend.target import Target
from roller_mlir.mapping.checks.expected_code import ExpectedCode
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import SourcePlace

Build = Callable[[KernelSource, KernelBinary, BackendJob], KernelBinary]
"""Makes the binary of one kernel, as far as its job says."""

Compare = Callable[[KernelBinary, KernelSource, ExpectedCode | None, BackendJob], KernelBinary]
"""Compares the machine code of one kernel with what its plan and its IR expect."""


def build_kernels(
    module: ir.Module, device: Device, triple: str, request: BuildRequest, build: Build, compare: Compare = compared
) -> list[KernelBinary]:
    """Compile every kernel of a module whose kernels are in the LLVM dialect.

    Args:
        module: host code with gpu.launch_func, and gpu.module ops with lowered kernels.
        device: what to compile for.
        triple: LLVM's name of the machine.
        request: what is wanted, with which tools.
        build: what makes a binary of one kernel.
        compare: what compares its machine code with what is expected.

    Returns:
        One entry per kernel, in the order of the module; none where all that is to do is done by the host.

    Raises:
        CompileError: a kernel cannot be compiled. The compiler stays usable, even where LLVM crashed.
    """
    assert request.toolchain is not None
    job = BackendJob(
        target=Target.of(device, triple, request.code_object),
        toolchain=request.toolchain,
        pool=process_pool() if request.pool is None else request.pool,
        request=request,
    )
    started = time.perf_counter()
    sources = [
        replace(one, tensor_maps=request.tensor_maps.get(one.name, ()), made_maps=request.made_maps.get(one.name, ()))
        for one in kernel_sources(module, device)
    ]
    translate_s = (time.perf_counter() - started) / max(1, len(sources))

    def one(source: KernelSource) -> KernelBinary:
        given = request.given(source.name, "llvm")
        if given is not None:
            source = replace(source, llvm_ir=given.content.decode(), place=SourcePlace(given.file, 1, 1))
        last = request.given(source.name, "ptx")
        try:
            nothing_yet = KernelStatistics(dynamic_shared_bytes=source.dynamic_shared_bytes)
            start = KernelBinary(
                name=source.name,
                files={"llvm": source.llvm_ir.encode()},
                statistics=nothing_yet,
                phases_s={"translate_s": translate_s},
            )
            if request.emit == "llvm":
                return start
            binary = build(source, start, job)
            if source.residency is not None:
                source.residency.check(source.name, binary.statistics)
            expected_code = request.expected_code
            return binary if expected_code is None else compare(binary, source, expected_code.get(source.name), job)
        except CompileError as error:
            raise error.at(source.place if last is None else SourcePlace(last.file, 1, 1)) from error.__cause__

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
