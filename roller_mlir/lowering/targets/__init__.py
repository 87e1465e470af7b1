# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families of targets, each with its stages from linalg to binaries; importing this makes those of ours known.

Names that need MLIR are imported at first use: the command line asks for the names of stages alone.
"""

from typing import TYPE_CHECKING

from roller_mlir.lowering.targets.amd import AMD
from roller_mlir.lowering.targets.cpu import CPU
from roller_mlir.lowering.targets.family import Architectures, TargetFamily, families, family_of, register_target
from roller_mlir.lowering.targets.nvidia import NVIDIA
from roller_mlir.lowering.targets.simulator import SIMULATOR
from roller_mlir.lowering.targets.stage import Stage
from roller_mlir.support.foreign.first_use import at_first_use

if TYPE_CHECKING:
    from roller_mlir.lowering.targets.kernels import compile_kernels

for _family in (SIMULATOR, NVIDIA, AMD, CPU):
    register_target(_family)

__all__ = ["Architectures", "Stage", "TargetFamily", "compile_kernels", "families", "family_of", "register_target"]

__getattr__ = at_first_use(__name__, {"compile_kernels": f"{__name__}.kernels"})
