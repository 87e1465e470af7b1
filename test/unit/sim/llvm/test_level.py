# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The LLVM IR that goes to NVPTX and AMDGPU computes what the kernels of the gpu dialect and numpy compute."""

import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.runtime import Artifact, BackendError
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

DEVICES = ("h200", "a100", "v100", "mi300x")
WORKGROUP = "#gpu.address_space<workgroup>"


def matmul(m: int, n: int, k: int, kind: str = "f32") -> str:
    return f"""func.func @f(%a: tensor<{m}x{k}x{kind}>, %b: tensor<{k}x{n}x{kind}>) -> tensor<{m}x{n}xf32> {{
      %z = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<{m}x{n}xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
      %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{kind}>, tensor<{k}x{n}x{kind}>) outs(%f : tensor<{m}x{n}xf32>)
        -> tensor<{m}x{n}xf32>
      return %r : tensor<{m}x{n}xf32>
    }}"""


def rows(body: str, extra: str = "", more: str = "", start: str = "0.0") -> str:
    """A reduction of 37 rows of 1000 elements %a to %t, with the accumulator %s."""
    given = ", %m" if more else ""
    kinds = ", tensor<37xf32>" if more else ""
    return f"""func.func @f(%x: tensor<37x1000xf32>{more}) -> tensor<37xf32> {{
      %z = arith.constant {start} : f32
      %e = tensor.empty() : tensor<37xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<37xf32>) -> tensor<37xf32>
      %r = linalg.generic {{
        indexing_maps = [affine_map<(i, j) -> (i, j)>, {"affine_map<(i, j) -> (i)>, " if more else ""}
                         affine_map<(i, j) -> (i)>],
        iterator_types = ["parallel", "reduction"]
      }} ins(%x{given} : tensor<37x1000xf32>{kinds}) outs(%f : tensor<37xf32>) {{
      ^bb0(%a: f32, {extra}%s: f32):
        {body}
        linalg.yield %t : f32
      }} -> tensor<37xf32>
      return %r : tensor<37xf32>
    }}"""


PROGRAMS = {
    "matmul": matmul(67, 45, 33),
    "matmul of tiles": matmul(128, 128, 64),
    "convolution with a halo": """
    func.func @f(%x: tensor<2x9x9x5xf32>, %w: tensor<3x3x5x7xf32>) -> tensor<2x9x9x7xf32> {
      %z = arith.constant 0.0 : f32
      %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
      ^bb0(%a: index, %b: index, %c: index, %d: index):
        tensor.yield %z : f32
      } : tensor<2x9x9x5xf32> to tensor<2x11x11x5xf32>
      %e = tensor.empty() : tensor<2x9x9x7xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x9x9x7xf32>) -> tensor<2x9x9x7xf32>
      %r = linalg.conv_2d_nhwc_hwcf ins(%p, %w : tensor<2x11x11x5xf32>, tensor<3x3x5x7xf32>)
        outs(%f : tensor<2x9x9x7xf32>) -> tensor<2x9x9x7xf32>
      return %r : tensor<2x9x9x7xf32>
    }""",
    "row sum": rows("%t = arith.addf %s, %a : f32"),
    "row maximum": rows("%t = arith.maximumf %s, %a : f32", start="0xFF800000"),
    "sum of exponentials": rows(
        "%d = arith.subf %a, %b : f32\n%g = math.exp %d : f32\n%t = arith.addf %s, %g : f32",
        "%b: f32, ",
        ", %m: tensor<37xf32>",
    ),
    "max pooling": """func.func @f(%x: tensor<2x13x13x5xf32>) -> tensor<2x6x6x5xf32> {
      %z = arith.constant 0xFF800000 : f32
      %w = tensor.empty() : tensor<3x3xf32>
      %e = tensor.empty() : tensor<2x6x6x5xf32>
      %f = linalg.fill ins(%z : f32) outs(%e : tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
      %r = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>}
        ins(%x, %w : tensor<2x13x13x5xf32>, tensor<3x3xf32>) outs(%f : tensor<2x6x6x5xf32>) -> tensor<2x6x6x5xf32>
      return %r : tensor<2x6x6x5xf32>
    }""",
    "transpose": """func.func @f(%x: tensor<77x130xf32>) -> tensor<130x77xf32> {
      %e = tensor.empty() : tensor<130x77xf32>
      %r = linalg.transpose ins(%x : tensor<77x130xf32>) outs(%e : tensor<130x77xf32>) permutation = [1, 0]
      return %r : tensor<130x77xf32>
    }""",
    "library functions": """func.func @f(%x: tensor<70x100xf32>) -> tensor<70x100xf32> {
      %e = tensor.empty() : tensor<70x100xf32>
      %r = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]
      } ins(%x : tensor<70x100xf32>) outs(%e : tensor<70x100xf32>) {
      ^bb0(%a: f32, %s: f32):
        %b = math.erf %a : f32
        %c = math.tanh %b : f32
        %d = math.exp %c : f32
        %e1 = math.rsqrt %d : f32
        %f = math.powf %d, %e1 : f32
        %g = math.sin %f : f32
        %h = math.cos %g : f32
        %i = math.log1p %h : f32
        %j = math.exp2 %i : f32
        %k = math.log %j : f32
        %l = math.sqrt %d : f32
        %m = math.floor %l : f32
        %n = arith.addf %k, %m : f32
        %o = arith.maximumf %n, %g : f32
        linalg.yield %o : f32
      } -> tensor<70x100xf32>
      return %r : tensor<70x100xf32>
    }""",
}


@lru_cache(maxsize=64)
def compiled(source: str, device: str) -> Artifact:
    return roller_mlir.compile(source, device, binaries=False, llvm=True)


def inputs_of(artifact: Artifact, values: Any = "normal") -> list[np.ndarray[Any, Any]]:
    return random_inputs([artifact.manifest.buffer(name) for name in artifact.manifest.inputs], 0, values)


@pytest.mark.full(every=16)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_both_levels_agree(program: str, device: str) -> None:
    artifact = compiled(PROGRAMS[program], device)
    inputs = inputs_of(artifact)
    for seed in (0, 1):
        (gpu,) = artifact.run(*inputs, seed=seed)
        (llvm,) = artifact.run(*inputs, seed=seed, level="llvm")
        np.testing.assert_allclose(llvm, gpu, rtol=2e-6, atol=1e-6)
        assert not np.isnan(llvm).any()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", DEVICES)
def test_small_integers_are_exact(device: str) -> None:
    artifact = compiled(PROGRAMS["matmul"], device)
    a, b = inputs_of(artifact, "integers")
    np.testing.assert_array_equal(artifact.run(a, b, level="llvm")[0], a @ b)
    artifact = compiled(PROGRAMS["row sum"], device)
    (x,) = inputs_of(artifact, "integers")
    np.testing.assert_array_equal(artifact.run(x, level="llvm")[0], x.sum(1))


def with_llvm(artifact: Artifact, change: Any) -> Artifact:
    """Return the artifact with other LLVM IR."""
    files = dict(artifact.files)
    for kernel in artifact.kernels:
        name = kernel.files["llvm"]
        files[name] = change(files[name].decode()).encode()
        assert files[name] != artifact.files[name]
    return replace(artifact, files=files)


BARRIER = r"(?m)^ *call void @llvm\.(?:nvvm\.barrier\.cta\.sync\.aligned\.all\(i32 0\)|amdgcn\.s\.barrier\(\))\n"


@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_removed_barrier_changes_the_result(device: str, seed: int) -> None:
    source = rows("%t = arith.addf %s, %a : f32").replace("37", "7").replace("1000", "5000")
    artifact = roller_mlir.compile(source, device, binaries=False, llvm=True, split=False)
    assert artifact.manifest.launches[0].block[0] > artifact.manifest.device.subgroup_size
    (x,) = inputs_of(artifact, "integers")
    np.testing.assert_array_equal(artifact.run(x, level="llvm", seed=seed)[0], x.sum(1))
    broken = with_llvm(artifact, lambda text: re.sub(BARRIER, "", text))
    assert not np.array_equal(broken.run(x, level="llvm", seed=seed)[0], x.sum(1))


@pytest.mark.parametrize(
    ("device", "right", "wrong"),
    [
        ("h200", r"(shfl\.sync\.bfly\.f32\(i32 -1, float %\d+, i32) 16", r"\1 8"),
        ("h200", r"(shfl\.sync\.bfly\.f32\(i32 -1, float %\d+, i32 16, i32) 31", r"\1 0"),
        ("mi300x", r"(ds\.swizzle\(i32 %\d+, i32) 4127", r"\1 2079"),
        ("mi300x", r"(xor i32 %\d+,) 32\b", r"\1 16"),
    ],
)
def test_a_broken_shuffle_changes_the_result(device: str, right: str, wrong: str) -> None:
    artifact = compiled(PROGRAMS["row sum"], device)
    (x,) = inputs_of(artifact, "integers")
    broken = with_llvm(artifact, lambda text: re.sub(right, wrong, text))
    assert not np.array_equal(broken.run(x, level="llvm")[0], x.sum(1))


def test_an_address_outside_its_argument_is_found() -> None:
    artifact = compiled(PROGRAMS["transpose"], "h200")
    broken = with_llvm(artifact, lambda text: re.sub(r"(store \S+ %\d+, ptr) %\d+", r"\1 %roller.far", text, count=1))

    def far(text: str) -> str:
        return re.sub(
            r"(?m)^( *)(store \S+ %\d+, ptr %roller\.far)",
            r"\1%roller.far = getelementptr float, ptr %1, i64 10010\n\1\2",
            text,
        )

    broken = with_llvm(broken, lambda text: far(text).replace("%roller.far", "%far"))
    with pytest.raises(BackendError, match=r"4 B from byte 40040 on are outside the 40040 B of argument 1.*\.ll:\d+:1"):
        broken.run(*inputs_of(artifact), level="llvm")


DYNAMIC = f"""
module attributes {{gpu.container_module}} {{
func.func @host(%x: memref<4x256xf32> {{rtile.role = "input"}}, %out: memref<4x256xf32> {{rtile.role = "output"}}) {{
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c256 = arith.constant 256 : index
  %bytes = arith.constant 2048 : i32
  gpu.launch_func @kernels::@reverse blocks in (%c4, %c1, %c1) threads in (%c256, %c1, %c1)
    dynamic_shared_memory_size %bytes args(%x : memref<4x256xf32>, %out : memref<4x256xf32>)
  return
}}
gpu.module @kernels {{
gpu.func @reverse(%x: memref<4x256xf32>, %out: memref<4x256xf32>)
    workgroup(%w: memref<256xf32, {WORKGROUP}>) kernel {{
  %c1024 = arith.constant 1024 : index
  %c255 = arith.constant 255 : index
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %v = memref.load %x[%b, %t] : memref<4x256xf32>
  %dynamic = gpu.dynamic_shared_memory : memref<?xi8, {WORKGROUP}>
  %tile = memref.view %dynamic[%c1024][] : memref<?xi8, {WORKGROUP}> to memref<256xf32, {WORKGROUP}>
  memref.store %v, %tile[%t] : memref<256xf32, {WORKGROUP}>
  memref.store %v, %w[%t] : memref<256xf32, {WORKGROUP}>
  gpu.barrier
  %other = arith.subi %c255, %t : index
  %r = memref.load %tile[%other] : memref<256xf32, {WORKGROUP}>
  %s = memref.load %w[%other] : memref<256xf32, {WORKGROUP}>
  %sum = arith.addf %r, %s : f32
  memref.store %sum, %out[%b, %t] : memref<4x256xf32>
  gpu.return
}}
}}
}}
"""


@pytest.mark.parametrize("device", DEVICES)
def test_static_and_dynamic_workgroup_memory(device: str) -> None:
    options = CompileOptions(binaries=False, llvm=True)
    artifact = compile_kernel_module(Source("-", DYNAMIC), device, options)
    x = np.arange(1024, dtype=np.float32).reshape(4, 256)
    np.testing.assert_array_equal(artifact.run(x, level="llvm")[0], 2 * x[:, ::-1])
    launches = tuple(replace(one, dynamic_workgroup_bytes=2044) for one in artifact.manifest.launches)
    small = replace(artifact, manifest=replace(artifact.manifest, launches=launches))
    with pytest.raises(BackendError, match="outside the 2044 B of workgroup memory '@__dynamic"):
        small.run(x, level="llvm")


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_a_block_that_the_device_would_not_launch(device: str) -> None:
    artifact = compiled(PROGRAMS["row sum"], device)
    launches = tuple(replace(one, block=(512, 1, 1)) for one in artifact.manifest.launches)
    other = replace(artifact, manifest=replace(artifact.manifest, launches=launches))
    with pytest.raises(BackendError, match="a block of 512x1x1 threads does not fit (nvvm|amdgpu|reqd)"):
        other.run(*inputs_of(artifact), level="llvm")


def test_an_artifact_without_llvm_ir() -> None:
    artifact = roller_mlir.compile(PROGRAMS["row sum"], "h200", binaries=False)
    inputs = inputs_of(artifact)
    with pytest.raises(BackendError, match="holds no LLVM IR of kernel '\\w+'; compile it with llvm=True"):
        artifact.run(*inputs, level="llvm")
    with pytest.raises(BackendError, match="level must be one of gpu, llvm, but got 'ptx'"):
        artifact.run(*inputs, level="ptx")
    with pytest.raises(BackendError, match="transactions are counted at level gpu"):
        artifact.run(*inputs, level="llvm", count=True)


def test_an_artifact_with_other_llvm_ir_is_refused_with_its_place() -> None:
    artifact = compiled(PROGRAMS["row sum"], "h200")
    changed = with_llvm(artifact, lambda text: re.sub(r"shfl\.sync\.bfly\.f32", "shfl.sync.magic.f32", text))
    with pytest.raises(DiagnosedError, match=r"\.ll:\d+:1: error: kernel '\w+': .*shfl.sync.magic"):
        changed.run(*inputs_of(artifact), level="llvm")


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_the_command(device: str, tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "sum.mlir"
    path.write_text(PROGRAMS["row sum"])
    assert main(["run", str(path), "--target", device, "--level", "llvm", "--random", "--check"]) == 0
    assert "result matches numpy (equal)" in capsys.readouterr().out
