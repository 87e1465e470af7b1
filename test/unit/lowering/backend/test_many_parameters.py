# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kernel of more parameters than every version of PTX takes is of one that takes them; others stay as they are."""

import re
from typing import Any

import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.lowering.backend import CompileError, KernelBinary
from roller_mlir.lowering.targets import compile_kernels

TENSOR = "tensor<32x32xf32>"
NEEDED = "of parameters, more than the 4352 B that every driver takes: it needs one of CUDA 12.1 or later"


def copies(count: int) -> str:
    """Return a kernel that copies an element from the last of its arguments to the first."""
    arguments = ", ".join(f"%a{n}: memref<32xf32>" for n in range(count))
    given = ", ".join(f"%a{n} : memref<32xf32>" for n in range(count))
    return f"""module attributes {{gpu.container_module}} {{
  func.func @host({arguments}) {{
    %one = arith.constant 1 : index
    %threads = arith.constant 32 : index
    gpu.launch_func @kernels::@copies blocks in (%one, %one, %one) threads in (%threads, %one, %one) args({given})
    return
  }}
  gpu.module @kernels {{
    gpu.func @copies({arguments}) kernel attributes {{known_block_size = array<i32: 32, 1, 1>}} {{
      %i = gpu.thread_id x
      %x = memref.load %a{count - 1}[%i] : memref<32xf32>
      memref.store %x, %a0[%i] : memref<32xf32>
      gpu.return
    }}
  }}
}}"""


def built(parse: Any, count: int, device: str) -> KernelBinary:
    """Return the binary of that kernel."""
    (binary,) = compile_kernels(parse(copies(count)), device)
    return binary


def ptx_version(ptx: str) -> str:
    """Return the version that PTX asks for."""
    found = re.search(r"^\.version (.*)$", ptx, re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    ("device", "count", "version"),
    [
        ("h200", 544, "8.0"),
        ("h200", 545, "8.1"),
        ("h200", 4095, "8.1"),
        ("a100-80", 544, "7.0"),
        ("a100-80", 545, "8.1"),
        ("b200", 545, "8.6"),
    ],
)
def test_the_version_of_ptx_takes_the_parameters(parse: Any, device: str, count: int, version: str) -> None:
    binary = built(parse, count, device)
    assert ptx_version(binary.text("ptx")) == version
    assert binary.files["cubin"]
    assert binary.notes == ((f"kernel 'copies' has {8 * count} B {NEEDED}",) if count > 544 else ())


@pytest.mark.parametrize(
    ("device", "count", "message"),
    [
        ("h200", 4096, "has 32768 B of parameters, sm_90a takes at most 32764 B; a tensor is 8 B: divide the function"),
        ("k80", 545, "has 4360 B of parameters, sm_37 takes at most 4352 B"),
    ],
)
def test_more_than_any_version_takes(parse: Any, device: str, count: int, message: str) -> None:
    with pytest.raises(CompileError, match=f"kernel 'copies': it {message}"):
        built(parse, count, device)


@pytest.mark.full
def test_amd_has_no_such_limit(parse: Any) -> None:
    binary = built(parse, 4096, "mi300x")
    assert binary.files["hsaco"] and not binary.notes


@pytest.mark.full
def test_a_model_of_many_weights() -> None:
    """A chain of products as one kernel, each with a weight of its own."""
    count = 560
    arguments = ", ".join(f"%a{n}: {TENSOR}" for n in range(count + 1))
    values = [f"a{count}", *(f"v{n}" for n in range(count))]
    lines = "\n".join(
        f"%v{n} = linalg.matmul ins(%{values[n]}, %a{n} : {TENSOR}, {TENSOR}) outs(%f : {TENSOR}) -> {TENSOR}"
        for n in range(count)
    )
    text = f"""func.func @many({arguments}) -> {TENSOR} {{
%zero = arith.constant 0.0 : f32
%e = tensor.empty() : {TENSOR}
%f = linalg.fill ins(%zero : f32) outs(%e : {TENSOR}) -> {TENSOR}
{lines}
return %{values[-1]} : {TENSOR}
}}"""
    options = CompileOptions(cache=False, persistent=True, block_threads=64)
    (kernel,) = roller_mlir.compile(text, target="h200", options=options).kernels
    assert any(NEEDED in note for note in kernel.notes)
