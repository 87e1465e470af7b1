# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our own matrix kernels, as the LLVM IR that goes to the vendors' code generators, compute what numpy computes."""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import roller_mlir
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.runtime import Artifact, BackendError

INSTRUCTIONS = {
    ("a100", "f16"): "llvm.nvvm.mma.m16n8k16.row.col.f32.f32",
    ("a100", "bf16"): "llvm.nvvm.mma.m16n8k16.row.col.bf16",
    ("a100", "i8"): "llvm.nvvm.mma.m16n8k32.row.col",
    ("v100", "f16"): "llvm.nvvm.wmma.m16n16k16.mma",
    ("mi300x", "f16"): "llvm.amdgcn.mfma.f32",
    ("mi300x", "bf16"): "llvm.amdgcn.mfma.f32",
    ("mi300x", "f32"): "llvm.amdgcn.mfma.f32",
    ("mi300x", "i8"): "llvm.amdgcn.mfma.i32",
}
SIZES = {"whole tiles": (128, 96, 64), "odd sizes": (67, 45, 33)}


@lru_cache(maxsize=32)
def compiled(device: str, kind: str, sizes: str) -> Artifact:
    m, n, k = SIZES[sizes]
    total, zero = ("i32", "0") if kind == "i8" else ("f32", "0.0")
    source = f"""func.func @f(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{k}x{n}x{kind}>) -> tensor<{m}x{n}x{total}> {{
      %z = arith.constant {zero} : {total}
      %e = tensor.empty() : tensor<{m}x{n}x{total}>
      %f = linalg.fill ins(%z : {total}) outs(%e : tensor<{m}x{n}x{total}>) -> tensor<{m}x{n}x{total}>
      %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{kind}>, tensor<{k}x{n}x{kind}>)
        outs(%f : tensor<{m}x{n}x{total}>) -> tensor<{m}x{n}x{total}>
      return %r : tensor<{m}x{n}x{total}>
    }}"""
    families = ("wmma",) if device == "v100" else ("mma", "mfma")
    return roller_mlir.compile(source, device, binaries=False, llvm=True, instructions=families)


def inputs_of(artifact: Artifact) -> list[np.ndarray[Any, Any]]:
    return random_inputs([artifact.manifest.buffer(name) for name in artifact.manifest.inputs], 0, "integers")


def product(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The product of integers; bf16 comes as its bits."""
    left, right = (one.view(ml_dtypes.bfloat16) if one.dtype == np.uint16 else one for one in (a, b))
    return left.astype(np.int64) @ right.astype(np.int64)


def llvm_of(artifact: Artifact) -> str:
    return "".join(artifact.files[kernel.files["llvm"]].decode() for kernel in artifact.kernels)


@pytest.mark.full(each=["sizes"])
@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize(("device", "kind"), INSTRUCTIONS)
def test_products(device: str, kind: str, sizes: str) -> None:
    artifact = compiled(device, kind, sizes)
    assert INSTRUCTIONS[device, kind] in llvm_of(artifact)
    a, b = inputs_of(artifact)
    expected = product(a, b)
    for seed in (None, 1):
        (found,) = artifact.run(a, b, level="llvm", seed=seed)
        np.testing.assert_array_equal(found, expected)


FAULTS = {
    "no wait for copies": ("a100", r".*@llvm\.nvvm\.cp\.async\.wait\.group\(i32 \d+\)\n", ""),
    "a wait for too few copies": ("a100", r"(cp\.async\.wait\.group\(i32) \d+", r"\1 9"),
    "a load that is not transposed": ("a100", r"(m8n8\.x[24])\.trans", r"\1"),
    "no barrier": ("mi300x", r".*call void @llvm\.amdgcn\.s\.barrier\(\)\n", ""),
    "operands that change places": (
        "mi300x",
        r"(mfma\S*\(<4 x half>) (%\d+), <4 x half> (%\d+)",
        r"\1 \3, <4 x half> \2",
    ),
    "another pitch": ("v100", r"(load\.a\.\S*\(ptr addrspace\(3\) %\d+), i32 \d+\)", r"\1, i32 64)"),
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_show(fault: str) -> None:
    device, pattern, replacement = FAULTS[fault]
    artifact = compiled(device, "f16", "whole tiles")
    files = dict(artifact.files)
    for kernel in artifact.kernels:
        name = kernel.files["llvm"]
        text = re.sub(pattern, replacement, files[name].decode())
        declared = dict.fromkeys(re.findall(r"(?m)^declare .*\n", text))
        files[name] = (re.sub(r"(?m)^declare .*\n", "", text) + "".join(declared)).encode()
        assert files[name] != artifact.files[name]
    a, b = inputs_of(artifact)
    broken = replace(artifact, files=files)
    try:
        (found,) = broken.run(a, b, level="llvm")
    except BackendError:
        return
    assert not np.array_equal(found, product(a, b))
