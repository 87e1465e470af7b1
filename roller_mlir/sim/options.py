# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a user may ask of the simulator: a back end of the runtime, or a CUDA or HIP device, takes it."""

from dataclasses import dataclass

from roller_mlir.support.foreign.options import Options, option

LEVELS = ("gpu", "llvm")
"""What is executed: the kernels in the gpu dialect, or their LLVM IR as the vendor's code generator gets it."""


@dataclass(frozen=True, kw_only=True)
class SimulatorOptions(Options):
    """What is executed, and for how long."""

    level: str = option(
        "gpu",
        choices=LEVELS,
        help="what is simulated: kernels in the gpu dialect, or the LLVM IR that the vendor's compiler gets",
    )
    timeout_s: float = option(60.0, value="S", least=0.001, help="end a kernel that hangs, in seconds")
