# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulator, which executes kernels as they are, for any device: its stages end where those of others go on."""

from roller_mlir.lowering.targets.family import TargetFamily
from roller_mlir.lowering.targets.stage import COMMON

SIMULATOR = TargetFamily(
    name="simulator",
    dialect="sim",
    summary="linalg on tensors to the GPU kernels that the simulator executes",
    stages=COMMON,
)
