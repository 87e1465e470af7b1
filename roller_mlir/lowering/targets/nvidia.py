# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's devices: the NVVM dialect, PTX by LLVM, machine code by ptxas, and SASS to look at by nvdisasm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roller_mlir.hal import Device
from roller_mlir.lowering.targets.family import Architectures, TargetFamily
from roller_mlir.lowering.targets.stage import COMMON, LLVM, Stage
from roller_mlir.plan.sm_architecture import sm_number

if TYPE_CHECKING:
    from roller_mlir.lowering.backend.job import BuildRequest, KernelBinary

_ORDERED_LOADS = 70
"""The first architecture whose loads can be ordered, which barriers of a grid need."""


def _build(module: Any, device: Device, request: BuildRequest) -> list[KernelBinary]:
    from roller_mlir.lowering.backend.compile import build_kernels
    from roller_mlir.lowering.backend.nvidia.build import build_nvidia

    return build_kernels(module, device, NVIDIA.triple(device), request, build_nvidia)


def _has_grid_barrier(device: Device) -> bool:
    return sm_number(device.architecture) >= _ORDERED_LOADS


NVIDIA = TargetFamily(
    name="nvidia",
    dialect="nvvm",
    summary="linalg on tensors to kernels in the NVVM dialect, for NVIDIA devices",
    architectures=(Architectures(names=r"sm_\d+[af]?", triple="nvptx64-nvidia-cuda"),),
    tools=("ptxas", "nvdisasm", "libdevice"),
    stages=(
        *COMMON,
        Stage(name="nvvm", gives="kernels in the NVVM and LLVM dialects", made_by="rtile-lower-to-nvvm"),
        LLVM,
        Stage(name="ptx", gives="PTX of each kernel", role="ptx", suffix=".ptx", image=True),
        Stage(name="cubin", gives="code of each kernel", role="cubin", suffix=".cubin", replaceable=False, image=True),
        Stage(name="sass", gives="the machine code as text", role="assembly", suffix=".s", replaceable=False),
    ),
    runtime_package="cuda-bindings",
    build=_build,
    has_grid_barrier=_has_grid_barrier,
)
