# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many parameters a kernel may have, and which version of PTX takes them.

Source: PTX ISA, "Kernel Function Parameters": 4,352 B, and from version 8.1 on 32,764 B on sm_70 and newer, which need
a driver of CUDA 12.1 or later ("CUDA 12.1 Supports Large Kernel Parameters", NVIDIA's technical blog).
"""

from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.lowering.backend.target import Target
from roller_mlir.plan.sm_architecture import sm_number

ANY_VERSION_BYTES = 4352
"""Parameters that every version of PTX takes."""
MOST_BYTES = 32764
MANY_VERSION = "8.1"
"""The first version that takes more than `ANY_VERSION_BYTES`."""
_OLDEST = 70
_DRIVER = "CUDA 12.1"


def with_parameters(target: Target, source: KernelSource) -> tuple[Target, tuple[str, ...]]:
    """Return a target whose version of PTX takes the parameters of a kernel, and a note where that asks for a driver.

    Raises:
        CompileError: No version takes them on the target's architecture.
    """
    size = source.parameter_bytes
    if size <= ANY_VERSION_BYTES:
        return target, ()
    most = MOST_BYTES if sm_number(target.architecture) >= _OLDEST else ANY_VERSION_BYTES
    if size > most:
        raise CompileError(
            source.name,
            f"it has {size} B of parameters, {target.architecture} takes at most {most} B; a tensor is 8 B: divide the "
            "function",
        )
    note = (
        f"kernel '{source.name}' has {size} B of parameters, more than the {ANY_VERSION_BYTES} B that every driver "
        f"takes: it needs one of {_DRIVER} or later"
    )
    return target.with_ptx(MANY_VERSION), (note,)
