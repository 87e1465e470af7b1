# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CPUs: kernels of one thread as functions of a range of tasks, objects by LLVM, and a shared library by lld."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from roller_mlir.hal import Device
from roller_mlir.lowering.targets.family import Architectures, TargetFamily
from roller_mlir.lowering.targets.stage import COMMON, LLVM, Stage
from roller_mlir.support.foreign.cpuinfo import ARM_CORES

if TYPE_CHECKING:
    from roller_mlir.lowering.backend.job import BuildRequest, KernelBinary
    from roller_mlir.plan.manifest import Manifest


def _build(module: Any, device: Device, request: BuildRequest) -> list[KernelBinary]:
    from roller_mlir.lowering.backend.compile import build_kernels
    from roller_mlir.lowering.backend.cpu.build import build_cpu, compared_cpu

    return build_kernels(module, device, CPU.triple(device), request, build_cpu, compared_cpu)


def _package(manifest: Manifest, device: Device, binaries: Sequence[KernelBinary]) -> Mapping[str, tuple[str, bytes]]:
    from roller_mlir.lowering.backend.cpu.library import library_files
    from roller_mlir.lowering.backend.vendor_tools.toolchain import find_toolchain

    return library_files(manifest, binaries, CPU.triple(device), find_toolchain().only(CPU.tools))


CPU = TargetFamily(
    name="cpu",
    dialect="cpu",
    summary="linalg on tensors to functions of vectors in the LLVM dialect, for CPUs",
    architectures=(
        Architectures(names=f"({'|'.join(ARM_CORES)}).*", triple="aarch64-unknown-linux-gnu"),
        Architectures(names=r".+", triple="x86_64-unknown-linux-gnu"),
    ),
    tools=("lld",),
    stages=(
        *COMMON,
        Stage(name="cpu", gives="a function of a range of tasks of each kernel", made_by="rtile-lower-to-cpu"),
        LLVM,
        Stage(name="assembly", gives="assembly of each kernel", role="assembly", suffix=".s", replaceable=False),
        Stage(name="object", gives="an ELF object of each kernel", role="object", suffix=".o", replaceable=False),
    ),
    runtime_package="numpy",
    build=_build,
    package=_package,
    has_grid_barrier=lambda device: False,
)
