# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A target family of one's own: `toy.toml` is a device of it, and this module says how its kernels become a listing.

Nothing of the package knows of it. `python toy_target.py FILE` compiles a file for it, and prints the listing.
"""

import sys
from pathlib import Path
from typing import Any

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import Device
from roller_mlir.lowering.backend import BuildRequest, KernelBinary
from roller_mlir.lowering.backend.kernels.module import kernel_functions, symbol_name
from roller_mlir.lowering.targets import Stage, TargetFamily, register_target
from roller_mlir.lowering.targets.stage import COMMON
from roller_mlir.support.values import operations_inside

DEVICE_FILE = Path(__file__).with_name("toy.toml")


def build(module: Any, device: Device, request: BuildRequest) -> list[KernelBinary]:
    """List the operations of each kernel."""
    del request
    binaries: list[KernelBinary] = []
    for kernel in kernel_functions(module):
        lines = [f"{device.architecture} {symbol_name(kernel)}"]
        lines += [f"  {op.name}" for op in operations_inside(kernel)]
        binaries.append(KernelBinary(name=symbol_name(kernel), files={"listing": "\n".join(lines).encode()}))
    return binaries


TOY = register_target(
    TargetFamily(
        name="toy",
        dialect="toy",
        summary="linalg on tensors to the kernels that the toy lists",
        stages=(*COMMON, Stage(name="listing", gives="a listing of each kernel", role="listing", suffix=".txt")),
        build=build,
    )
)

if __name__ == "__main__":
    artifact = roller_mlir.compile(Path(sys.argv[1]), target=str(DEVICE_FILE), options=CompileOptions(cache=False))
    print(artifact.text("listing"))
    print(artifact.manifest.device.vendor, sorted(file.name for file in artifact.manifest.files))
