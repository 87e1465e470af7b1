# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions may have any name, also one that the passes would give to a symbol of their own."""

import numpy as np
import pytest

import roller_mlir

VECTOR = "tensor<8xf32>"


def with_constant(name: str) -> str:
    """Return a function that adds a dense constant, and then multiplies by another."""
    return f"""func.func @{name}(%x: {VECTOR}) -> {VECTOR} {{
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : {VECTOR}
  %d = arith.constant dense<[8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]> : {VECTOR}
  %e = tensor.empty() : {VECTOR}
  %s = linalg.add ins(%x, %c : {VECTOR}, {VECTOR}) outs(%e : {VECTOR}) -> {VECTOR}
  %r = linalg.mul ins(%s, %d : {VECTOR}, {VECTOR}) outs(%e : {VECTOR}) -> {VECTOR}
  return %r : {VECTOR}
}}
"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize(
    "name", ["kernels", "constant_0", "constant_1", "add_0", "input0", "workspace0", "main", '"a b"']
)
def test_names_that_symbols_of_ours_have(name: str) -> None:
    artifact = roller_mlir.compile(with_constant(name), binaries=False)
    x = np.arange(8, dtype=np.float32)
    (y,) = artifact.run(x)
    assert artifact.manifest.function == name.strip('"')
    assert y.tolist() == ((x + np.arange(1, 9)) * np.arange(8, 0, -1)).tolist()


@pytest.mark.parametrize("name", ["kernels", "constant_0"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_binaries_of_such_functions(name: str, device: str) -> None:
    artifact = roller_mlir.compile(with_constant(name), target=device)
    assert artifact.manifest.function == name
    assert all(kernel.files for kernel in artifact.kernels)
