# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of bf16: as 16-bit integers, of ml_dtypes, and from files that numpy writes of these."""

from pathlib import Path

import numpy as np
import pytest

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.tools.roller import main

TEXT = """func.func @double(%x: tensor<8x16xbf16>, %y: tensor<8x16xbf16>) -> tensor<8x16xbf16> {
  %0 = linalg.add ins(%x, %x : tensor<8x16xbf16>, tensor<8x16xbf16>) outs(%y : tensor<8x16xbf16>) -> tensor<8x16xbf16>
  return %0 : tensor<8x16xbf16>
}
"""
ml_dtypes = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes")


def test_arrays_of_ml_dtypes_go_in_and_come_out() -> None:
    made = compile_source(Source("-", TEXT), "h200", CompileOptions(binaries=False))
    x = np.arange(128, dtype=np.float32).reshape(8, 16).astype(ml_dtypes.bfloat16)
    (result,) = made.run(x, x)
    assert result.dtype == x.dtype and np.array_equal(result.astype(np.float32), 2 * x.astype(np.float32))
    (bits,) = made.run(x.view(np.uint16), x.view(np.uint16))
    assert bits.dtype == np.uint16 and np.array_equal(bits, result.view(np.uint16))


def test_files_of_ml_dtypes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, array = tmp_path / "double.mlir", tmp_path / "x.npy"
    source.write_text(TEXT)
    x = np.ones((8, 16), ml_dtypes.bfloat16)
    np.save(array, x)
    command = ["run", str(source), "--target", "h200", "--input", str(array), "--input", str(array), "--check"]
    assert main([*command, "--output", str(tmp_path / "out")]) == 0
    assert "result matches numpy" in capsys.readouterr().out
    found = np.load(tmp_path / "out" / "output0.npy").view(ml_dtypes.bfloat16)
    assert (found == 2).all()
