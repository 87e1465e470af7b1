# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A shape of a matrix instruction that no device of the package has is one entry of a device's file."""

from pathlib import Path

import numpy as np

from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.hal import device_file
from roller_mlir.lowering.targets.stage import KERNELS

PRODUCT = """func.func @product(
    %a: tensor<64x96xf16>, %b: tensor<96x128xf16>, %c: tensor<64x128xf32>
) -> tensor<64x128xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<64x96xf16>, tensor<96x128xf16>) outs(%c : tensor<64x128xf32>)
      -> tensor<64x128xf32>
  return %r : tensor<64x128xf32>
}"""
ENTRY = """
[[instructions]]
# A toy.
name = "toy"
family = "{family}"
operand_type = "f16"
result_type = "f32"
threads = {threads}
shape = {shape}
flops_per_cycle_per_unit = 65536
"""


def toy(device: str, folder: Path, family: str, threads: int, shape: list[int]) -> str:
    """Return the path of a device's file with one more instruction, faster than all others."""
    path = folder / "toy.toml"
    entry = ENTRY.format(family=family, threads=threads, shape=shape)
    path.write_text(device_file(device).read_text() + entry)
    return str(path)


def test_a_new_shape_is_planned_lowered_and_run(tmp_path: Path) -> None:
    """The simulator's own tables know `mma.sync.m16n8k8` of f16, which the A100's file does not list."""
    target = toy("a100-80", tmp_path, "mma", 32, [16, 8, 8])
    artifact = compile_source(Source("-", PRODUCT), target, CompileOptions(binaries=False, cache=False))
    (plan,) = [kernel.plan for kernel in artifact.kernels]
    assert plan is not None and plan.atom is not None and plan.atom.shape == (16, 8, 8)
    numbers = np.random.default_rng(7)
    a, b = (numbers.integers(-3, 4, shape).astype(np.float16) for shape in ((64, 96), (96, 128)))
    (found,) = artifact.run(a, b, np.ones((64, 128), np.float32), on="sim", seed=1)
    assert np.array_equal(found, a.astype(np.float32) @ b.astype(np.float32) + 1)


def test_a_new_shape_that_the_simulator_does_not_know_is_lowered_to_text(tmp_path: Path) -> None:
    """`v_mfma` of 32 x 32 x 16 in f16 is younger than the MI300X."""
    target = toy("mi300x", tmp_path, "mfma", 64, [32, 32, 16])
    text, _ = lower_until(Source("-", PRODUCT), target, CompileOptions(binaries=False, cache=False), KERNELS)
    assert "amdgpu.mfma 32x32x16" in text
