# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kernels to binaries: through the passes of the device's target family, and then through its tools.

for binary in compile_kernels(module, "h200"):
    print(binary.name, binary.statistics.registers, list(binary.files))
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.job import BuildRequest, KernelBinary
from roller_mlir.lowering.backend.kernels.module import check_stage, kernel_functions
from roller_mlir.lowering.backend.kernels.tensor_maps import made_maps_of, tensor_maps_of
from roller_mlir.lowering.backend.vendor_tools.toolchain import find_toolchain
from roller_mlir.lowering.targets.family import family_of, load_passes
from roller_mlir.support.bindings import ir
from roller_mlir.support.passes.passes import Pass, find_pass
from roller_mlir.support.passes.pipeline import RunOptions, Step, run_pipeline


def compile_kernels(
    module: ir.Module,
    target: str,
    request: BuildRequest | None = None,
    *,
    on_pass: Callable[[Pass, Any], None] | None = None,
    **wanted: Any,
) -> list[KernelBinary]:
    """Compile every kernel of a module for a device.

    Args:
        module: Host code with gpu.launch_func, and gpu.module ops with gpu.func kernels, or with kernels that are
            lowered to the LLVM dialect already. Its kernels are lowered in place.
        target: What to compile for: the device's name, or the path of its description.
        request: What is wanted.
        on_pass: Called with each pass that lowers kernels, and the module, after it ran.
        **wanted: Fields of the request, where none is given.

    Returns:
        One entry per kernel, in the order of the module; none where all that is to do is done by the host.

    Raises:
        CompileError: A kernel cannot be compiled. The compiler stays usable, even where LLVM crashed.
        DiagnosedError: The module has something that cannot be lowered.
        DeviceError: The device is for the construction and its model only, or its architecture is not known.
    """
    request = request or BuildRequest(**wanted)
    device = find_device(target)
    device.require_compiles()
    family = family_of(device)
    assert family.build is not None
    toolchain = find_toolchain() if request.toolchain is None else request.toolchain
    request = replace(request, toolchain=toolchain.only(family.tools))
    started = time.perf_counter()
    with module.context, ir.Location.unknown():
        check_stage(module)
        request = replace(request, tensor_maps=tensor_maps_of(module), made_maps=made_maps_of(module))
        if any(kernel_functions(module)):
            load_passes()
            kinds = [find_pass(stage.made_by) for stage in family.lowering]
            steps = [kind.from_options({"device": target}) for kind in kinds if kind is not None]
            run_pipeline(module, list[Step](steps), RunOptions(on_step=on_pass))
        lower_s = time.perf_counter() - started
        binaries = family.build(module, device, request)
    lower_s /= max(1, len(binaries))
    return [replace(one, phases_s={"lower_s": lower_s, **one.phases_s}) for one in binaries]
