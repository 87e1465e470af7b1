# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the phases of a compilation share: the job, the result, and the run of LLVM that both vendors need."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from roller_mlir.lowering.backend.checks.quality import Mismatch
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics
from roller_mlir.lowering.backend.child.frames import Message
from roller_mlir.lowering.backend.child.pool import WorkerPool
from roller_mlir.lowering.backend.math.library import math_library
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.lowering.backend.target import CODE_OBJECT, DEFAULT_TIMEOUT_S, Target
from roller_mlir.lowering.backend.vendor_tools.run import ToolResult
from roller_mlir.lowering.backend.vendor_tools.toolchain import Toolchain
from roller_mlir.mapping.checks.expected_code import ExpectedCode
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap

Emit = Literal["llvm", "ptx", "binary", "assembly"]
"""How far a compilation goes, see `BuildRequest`."""


@dataclass(frozen=True, kw_only=True)
class KernelBinary:
    """A compiled kernel.

    Attributes:
        name: symbol of the kernel.
        files: what was made of it, by role: "llvm" is what LLVM was given, in the spelling of LLVM 22; the others are
            those of its target's stages. A missing tool leaves one out, see `notes`.
        statistics: what the vendor's compiler says.
        phases_s: seconds per phase; `lower_s` is this kernel's part of what was done for all kernels together.
        notes: what the user should know, such as a missing tool.
        mismatches: what its machine code does not keep of its plan's expected code.
    """

    name: str
    files: Mapping[str, bytes]
    statistics: KernelStatistics = field(default_factory=KernelStatistics)
    phases_s: dict[str, float] = field(default_factory=dict[str, float])
    notes: tuple[str, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()

    def text(self, role: str) -> str:
        """Return a file as text; "" where there is none of that role."""
        return self.files.get(role, b"").decode()


@dataclass(frozen=True)
class Replacement:
    """What is given instead of a file of a kernel: the content, and the name of the file that it is from."""

    file: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class BuildRequest:
    """What is wanted of the kernels of a module.

    Attributes:
        emit: how far to go: "llvm" stops at LLVM IR, "ptx" at PTX or AMDGPU assembly, "binary" at cubin or HSACO;
            "assembly" also disassembles the cubin, which takes longer than all the rest, and is what fills
            `statistics.main_loop` for NVIDIA.
        toolchain: the tools, of which a build is given those of its target family; where it is None, they are found by
            `find_toolchain`.
        pool: the children that run LLVM; the process's own where it is None.
        timeout_s: how long one phase of one kernel may take.
        expected_code: what plans expect of kernels, by name; the machine code of each is compared with it
            (`KernelBinary.mismatches`). None compares nothing.
        code_object: version of AMD's code objects, one of `target.CODE_OBJECTS`.
        counted: whether a kernel with fewer multiply-adds or matrix instructions than its IR is an error.
        tensor_maps: what kernels take after their buffers, by the kernel's name.
        made_maps: the tensor maps that kernels make in their last buffer, likewise.
        replaced: files that are given instead of made, by the kernel's name and the file's role.
    """

    emit: Emit = "binary"
    toolchain: Toolchain | None = None
    pool: WorkerPool | None = None
    timeout_s: float = DEFAULT_TIMEOUT_S
    expected_code: Mapping[str, ExpectedCode | None] | None = None
    code_object: int = CODE_OBJECT
    counted: bool = True
    tensor_maps: Mapping[str, tuple[TensorMap, ...]] = field(default_factory=dict[str, tuple[TensorMap, ...]])
    made_maps: Mapping[str, tuple[TensorMap, ...]] = field(default_factory=dict[str, tuple[TensorMap, ...]])
    replaced: Mapping[tuple[str, str], Replacement] = field(default_factory=dict[tuple[str, str], Replacement])

    def __post_init__(self) -> None:
        """Check how far to go."""
        if self.emit not in get_args(Emit):
            raise ValueError(f"emit must be one of {', '.join(get_args(Emit))}, but got '{self.emit}'")

    def given(self, kernel: str, role: str) -> Replacement | None:
        """Return what replaces a file of a kernel; None where nothing does."""
        return self.replaced.get((kernel, role))


@dataclass(frozen=True, kw_only=True)
class BackendJob:
    """What every phase of a compilation needs: what is wanted, what for, and with which tools."""

    target: Target
    toolchain: Toolchain
    pool: WorkerPool
    request: BuildRequest


def generate(
    source: KernelSource, job: BackendJob, *, with_object: bool, unroll: bool, shared: bool = False
) -> Message:
    """Run LLVM in a child; the answer has the blobs `assembly` and, where it is wanted, `object`.

    Args:
        source: the kernel.
        job: what it is compiled for.
        with_object: whether an object is wanted beside the assembly.
        unroll: whether loops are unrolled.
        shared: whether the object is to be part of a shared library.
    """
    library = math_library(source.name, source.llvm_ir, job.target, job.toolchain)
    request = Message(
        fields={
            "kernel": source.name,
            "triple": job.target.triple,
            "cpu": job.target.architecture,
            "features": job.target.features,
            "library": str(library.path or ""),
            "needed": list(library.needed),
            "object": with_object,
            "unroll": unroll,
            "shared": shared,
        },
        blobs={"llvm_ir": (source.llvm_ir + library.constants).encode()},
    )
    return job.pool.run(source.name, request, job.request.timeout_s)


def timed(phases: dict[str, float], phase: str, act: Callable[[], ToolResult]) -> ToolResult:
    """Run a tool and notes how long it took."""
    start = time.perf_counter()
    result = act()
    phases[phase] = time.perf_counter() - start
    return result
