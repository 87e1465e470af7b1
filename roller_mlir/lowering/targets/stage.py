# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stage on the way from linalg to binaries, and the stages that all targets have in common.

Each stage is made of the one before it: by a pass, and then it is a module, or by a tool, and then it is a file of each
kernel. Options, dumps and errors name stages as they are named here.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One stage.

    Attributes:
        name: What users call it, such as "loops".
        gives: What it is, in a few words.
        made_by: The pass that makes it; "" where it is a file of each kernel.
        role: The role of these files in an artifact; "" for a module.
        suffix: How names of its files end.
        replaceable: Whether an edited file can stand in its place.
        image: Whether a device's driver loads these files.
    """

    name: str
    gives: str
    made_by: str = ""
    role: str = ""
    suffix: str = ".mlir"
    replaceable: bool = True
    image: bool = False

    def __post_init__(self) -> None:
        """Check that it is either a module or files."""
        if bool(self.made_by) == bool(self.role):
            raise ValueError(f"a stage must have either a pass or a role, but '{self.name}' has both or none")


NORMALISED = Stage(
    name="linalg", gives="linalg operations on tensors, as planning reads them", made_by="rtile-normalize"
)
FUSED = Stage(name="fused", gives="the same, with operations that share a kernel in one program", made_by="rtile-fuse")
PLANNED = Stage(name="plan", gives="a program with its plan for each kernel", made_by="rtile-construct")
LOOPS = Stage(name="loops", gives="the tiled loops of each program, on tensors", made_by="rtile-expand")
BUFFERS = Stage(name="buffers", gives="these loops on buffers of the device", made_by="rtile-assign-buffers")
KERNELS = Stage(
    name="gpu", gives="kernels and their launches, which the simulator executes", made_by="rtile-lower-to-gpu"
)

COMMON = (NORMALISED, FUSED, PLANNED, LOOPS, BUFFERS, KERNELS)
"""The stages from linalg to kernels, which are the same for all targets."""

SELECT_KERNELS = "rammer-select-kernels"
"""The pass in front of `PLANNED` that chooses kernels by what runs beside them, where all programs are one kernel."""

PERSISTENT = (
    *("rammer-form-graph", "rammer-sink-waits", "rammer-keep-weights", "rammer-schedule", "rammer-assign-buffers"),
    *("rammer-reduce-waits", "rammer-verify", "rammer-outline-kernel"),
)
"""The passes that make `KERNELS` with one persistent kernel for all programs."""

LLVM = Stage(name="llvm", gives="LLVM IR of each kernel", role="llvm", suffix=".ll")
