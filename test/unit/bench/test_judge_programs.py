# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `roller run --check` says of right and of wrong kernels, in the simulator."""

from pathlib import Path

import pytest

from roller_mlir.tools.roller import main

PRODUCT = """func.func @mm(%a: tensor<64x1024x{0}>, %b: tensor<1024x64x{0}>) -> tensor<64x64x{0}> {{
  %c = arith.constant 0.0 : {0}
  %e = tensor.empty() : tensor<64x64x{0}>
  %z = linalg.fill ins(%c : {0}) outs(%e : tensor<64x64x{0}>) -> tensor<64x64x{0}>
  %0 = linalg.matmul ins(%a, %b : tensor<64x1024x{0}>, tensor<1024x64x{0}>) outs(%z : tensor<64x64x{0}>)
      -> tensor<64x64x{0}>
  return %0 : tensor<64x64x{0}>
}}
"""
ZEROS = """func.func @mm(%a: tensor<64x1024x{0}>, %b: tensor<1024x64x{0}>) -> tensor<64x64x{0}> {{
  %c = arith.constant 0.0 : {0}
  %e = tensor.empty() : tensor<64x64x{0}>
  %z = linalg.fill ins(%c : {0}) outs(%e : tensor<64x64x{0}>) -> tensor<64x64x{0}>
  return %z : tensor<64x64x{0}>
}}
"""
SHORT = """func.func @mm(%a: tensor<64x1024x{0}>, %b: tensor<1024x64x{0}>) -> tensor<64x64x{0}> {{
  %c = arith.constant 0.0 : {0}
  %e = tensor.empty() : tensor<64x64x{0}>
  %z = linalg.fill ins(%c : {0}) outs(%e : tensor<64x64x{0}>) -> tensor<64x64x{0}>
  %a1 = tensor.extract_slice %a[0, 0] [64, 1022] [1, 1] : tensor<64x1024x{0}> to tensor<64x1022x{0}>
  %b1 = tensor.extract_slice %b[0, 0] [1022, 64] [1, 1] : tensor<1024x64x{0}> to tensor<1022x64x{0}>
  %0 = linalg.matmul ins(%a1, %b1 : tensor<64x1022x{0}>, tensor<1022x64x{0}>) outs(%z : tensor<64x64x{0}>)
      -> tensor<64x64x{0}>
  return %0 : tensor<64x64x{0}>
}}
"""
# Scores of about 40, a softmax of them, and what is left of it after 1 is subtracted from sums that are 1.
CANCELLING = """
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @chain(%a: tensor<16x64xf32>, %b: tensor<64x96xf32>) -> (tensor<16x96xf32>, tensor<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<16x96xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<16x96xf32>) -> tensor<16x96xf32>
  %s = linalg.matmul ins(%a, %b : tensor<16x64xf32>, tensor<64x96xf32>) outs(%z : tensor<16x96xf32>)
      -> tensor<16x96xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<16x96xf32>) outs(%e : tensor<16x96xf32>) -> tensor<16x96xf32>
  %r = tensor.empty() : tensor<16xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %t = linalg.reduce { arith.addf } ins(%p : tensor<16x96xf32>) outs(%i : tensor<16xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%t : tensor<16xf32>) outs(%r : tensor<16xf32>) {
    ^bb0(%x: f32, %o: f32):
      %v = arith.subf %x, %one : f32
      linalg.yield %v : f32
  } -> tensor<16xf32>
  return %p, %d : tensor<16x96xf32>, tensor<16xf32>
}
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for kind in ("f16", "bf16"):
        for name, text in (("right", PRODUCT), ("zeros", ZEROS), ("short", SHORT)):
            (tmp_path / f"{name}_{kind}.mlir").write_text(text.format(kind))
    (tmp_path / "cancelling.mlir").write_text(CANCELLING)
    return tmp_path


@pytest.mark.full(every=4)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("target", ["h200", "v100"])
def test_a_kernel_that_stores_zeros_is_found(
    files: Path, kind: str, target: str, capsys: pytest.CaptureFixture
) -> None:
    reference = ["--reference", str(files / f"right_{kind}.mlir"), "--random", "--check", "--target", target]
    assert main(["run", str(files / f"right_{kind}.mlir"), *reference]) == 0
    assert main(["run", str(files / f"zeros_{kind}.mlir"), *reference]) == 1
    assert "does not match numpy" in capsys.readouterr().out


@pytest.mark.full(every=4)
@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("values", ["integers", "normal"])
def test_two_dropped_terms_of_1024_are_found(files: Path, kind: str, values: str) -> None:
    asked = ["--reference", str(files / f"right_{kind}.mlir"), "--random", "--values", values, "--check"]
    assert main(["run", str(files / f"right_{kind}.mlir"), *asked, "--target", "h200"]) == 0
    assert main(["run", str(files / f"short_{kind}.mlir"), *asked, "--target", "h200"]) == 1


def test_a_right_softmax_passes_where_it_cancels(files: Path, capsys: pytest.CaptureFixture) -> None:
    given = ["run", str(files / "cancelling.mlir"), "--random", "--values", "normal", "--check", "--target", "h200"]
    assert main(given) == 0
    said = capsys.readouterr().out
    assert "output 0 matches numpy (max error 0." in said
    assert "output 1 matches numpy" in said and "nothing is said of 16 of 16 elements" in said
