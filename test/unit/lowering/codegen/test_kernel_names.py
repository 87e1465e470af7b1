# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels are called, and what the manifest says that they do with their arguments."""

import pytest

import roller_mlir
from roller_mlir.compiler.options import CompileOptions

SOURCE = """func.func @FUNCTION(%a: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<64xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  %r = linalg.matvec ins(%a, %b : tensor<64x8xf32>, tensor<8xf32>) outs(%i : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
"""


@pytest.mark.parametrize(
    ("function", "kernel"),
    [
        ("f", "f_matvec_0"),
        ("matvec", "matvec_0"),
        ('"9-lives.of"', "_9_lives_of_matvec_0"),
        ("x" * 300, "x" * 80 + "_matvec_0"),
    ],
)
def test_a_kernel_is_called_after_its_function_and_says_what_it_reads(function: str, kernel: str) -> None:
    text = SOURCE.replace("FUNCTION", function)
    artifact = roller_mlir.compile(text, "h200", options=CompileOptions(binaries=False, split=False))
    (launch,) = artifact.manifest.launches
    assert (launch.kernel, [one.name for one in artifact.kernels]) == (kernel, [kernel])
    assert [one.program for one in artifact.kernels] == ["matvec_0"]
    assert artifact.manifest.function == function.strip('"')
    assert [launch.access(number) for number in range(3)] == ["read", "read", "write"]
