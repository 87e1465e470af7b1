# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The named pipelines, as data. An option given to a pipeline goes to every pass of it that has that option.

roller-opt matmul.mlir --roller-to-sim=device=h200
roller-opt matmul.mlir --pass-pipeline='builtin.module(roller-to-nvvm{device=h200})'
"""

import importlib

from roller_mlir.support.passes.passes import NamedPipeline, register_pipeline

_TO_KERNELS = (
    "rtile-normalize",
    "rtile-fuse",
    "rtile-construct",
    "rtile-expand",
    "rtile-assign-buffers",
    "rtile-lower-to-gpu",
)

# Axes are fused when it is known which ops are one program.
_PRESETS = {"rtile-normalize": {"fuse-axes": "false"}}

TO_SIM = NamedPipeline(
    name="roller-to-sim",
    summary="linalg on tensors to the GPU kernels that the simulator executes",
    passes=_TO_KERNELS,
    presets=_PRESETS,
)
TO_NVVM = NamedPipeline(
    name="roller-to-nvvm",
    summary="linalg on tensors to kernels in the NVVM dialect, for NVIDIA devices",
    passes=(*_TO_KERNELS, "rtile-lower-to-nvvm"),
    presets=_PRESETS,
)
TO_ROCDL = NamedPipeline(
    name="roller-to-rocdl",
    summary="linalg on tensors to kernels in the ROCDL dialect, for AMD devices",
    passes=(*_TO_KERNELS, "rtile-lower-to-rocdl"),
    presets=_PRESETS,
)
PIPELINES = (TO_SIM, TO_NVVM, TO_ROCDL)

importlib.import_module("roller_mlir.passes")  # makes the passes known
for _pipeline in PIPELINES:
    register_pipeline(_pipeline)
