# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""AMD's devices: the ROCDL dialect, AMDGPU assembly by LLVM, and linked code objects by lld."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from roller_mlir.hal import Device
from roller_mlir.lowering.targets.family import Architectures, TargetFamily
from roller_mlir.lowering.targets.stage import COMMON, LLVM, Stage

if TYPE_CHECKING:
    from roller_mlir.lowering.backend.job import BuildRequest, KernelBinary


def _build(module: Any, device: Device, request: BuildRequest) -> list[KernelBinary]:
    from roller_mlir.lowering.backend.amd.build import build_amd
    from roller_mlir.lowering.backend.compile import build_kernels

    return build_kernels(module, device, AMD.triple(device), request, build_amd)


AMD = TargetFamily(
    name="amd",
    dialect="rocdl",
    summary="linalg on tensors to kernels in the ROCDL dialect, for AMD devices",
    architectures=(Architectures(names=r"gfx[0-9a-f]+", triple="amdgcn-amd-amdhsa"),),
    tools=("lld", "ocml"),
    stages=(
        *COMMON,
        Stage(name="rocdl", gives="kernels in the ROCDL and LLVM dialects", made_by="rtile-lower-to-rocdl"),
        LLVM,
        Stage(name="assembly", gives="AMDGPU assembly of each kernel", role="assembly", suffix=".s", replaceable=False),
        Stage(
            name="hsaco",
            gives="a linked code object of each kernel",
            role="hsaco",
            suffix=".hsaco",
            replaceable=False,
            image=True,
        ),
    ),
    runtime_package="hip-python",
    build=_build,
)
