# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the phases of a compilation share: the job, the result, and the run of LLVM that both vendors need."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from roller_mlir.backend.checks.quality import Mismatch
from roller_mlir.backend.checks.statistics import KernelStatistics
from roller_mlir.backend.child.frames import Message
from roller_mlir.backend.child.pool import WorkerPool
from roller_mlir.backend.math.library import math_library
from roller_mlir.backend.sources import KernelSource
from roller_mlir.backend.target import Target
from roller_mlir.backend.toolchain import Toolchain
from roller_mlir.backend.tools import ToolResult

Emit = Literal["llvm", "ptx", "binary", "assembly"]
"""How far a compilation goes, see `compile_kernels`."""


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
        mismatches: what its machine code does not keep of its plan's promise.
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
    mismatches: tuple[Mismatch, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Job:
    """What every phase of a compilation needs; `counted` tells whether the instructions of kernels are counted."""

    target: Target
    toolchain: Toolchain
    pool: WorkerPool
    emit: Emit
    timeout_s: float
    counted: bool = True


def generate(source: KernelSource, job: Job) -> Message:
    """Runs LLVM in a child; the answer has the blobs `assembly` and, for AMD, `object`."""
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
            # For AMDGPU, unrolling also peels the last step off a loop of steps, whose arithmetic then stands twice in
            # the kernel. A step of matrix instructions is large enough by itself.
            "unroll": job.target.vendor == "nvidia" and not source.matrix_count,
        },
        blobs={"llvm_ir": (source.llvm_ir + library.constants).encode()},
    )
    return job.pool.run(source.name, request, job.timeout_s)


def timed(phases: dict[str, float], phase: str, act: Callable[[], ToolResult]) -> ToolResult:
    """Runs a tool and notes how long it took."""
    start = time.perf_counter()
    result = act()
    phases[phase] = time.perf_counter() - start
    return result
