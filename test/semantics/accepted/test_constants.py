# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Constants of every element type, written into the program and beside it (`dense_resource`), reach the kernels."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir.support.diagnostics import DiagnosedError

from ..agreement import SIMULATED
from ..foreign import assert_gives

TYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "bf16": "u2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1"}


def adding(kind: str, constant: str, extent: int = 4) -> str:
    """Return a function that adds a constant to its argument; of i1, "or" of both."""
    tensor = f"tensor<{extent}x{kind}>"
    operation = "arith.ori" if kind == "i1" else "arith.addi" if kind.startswith("i") else "arith.addf"
    return f"""func.func @f(%a: {tensor}) -> {tensor} {{
      %w = arith.constant {constant} : {tensor}
      %e = tensor.empty() : {tensor}
      %r = linalg.map {{ {operation} }} ins(%a, %w : {tensor}, {tensor}) outs(%e : {tensor})
      return %r : {tensor}
    }}
    """


def beside(data: bytes, alignment: int = 64, name: str = "w") -> str:
    """Return the section of resources that a module ends with."""
    spelled = alignment.to_bytes(4, "little").hex() + data.hex()
    return f'{{-# dialect_resources: {{ builtin: {{ {name}: "0x{spelled}" }} }} #-}}\n'


def values(kind: str, numbers: list[float]) -> np.ndarray:
    """Return numbers that every type holds exactly, bf16 as its bits."""
    if kind == "bf16":
        return (np.array(numbers, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.array(numbers, TYPES[kind])


@pytest.mark.full(every=3)
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("place", ["inside", "beside"])
def test_constants_of_every_type(kind: str, place: str) -> None:
    numbers = [1.0, -2.0, 3.5 if "f" in kind else 3.0, 0.0]
    text = adding(kind, "dense_resource<w>") + beside(values(kind, numbers).tobytes())
    if place == "inside":
        text = adding(kind, f"dense<{[n if 'f' in kind else int(n) for n in numbers]}>")
    given = [4.0, 8.0, 0.5 if "f" in kind else 2.0, 1.0]
    expected = [a + b for a, b in zip(given, numbers, strict=True)]
    assert_gives(text, [values(kind, given)], [values(kind, expected)], "v100" if kind == "f32" else "h200")


@pytest.mark.parametrize("data", [bytes([1, 0, 0, 1, 0, 1, 0, 0, 1]), bytes([0b00101001, 1])], ids=["bytes", "bits"])
def test_truth_values_are_bytes_or_packed_bits(data: bytes) -> None:
    given = np.array([0, 0, 1, 0, 0, 0, 0, 0, 0], bool)
    expected = np.array([1, 0, 1, 1, 0, 1, 0, 0, 1], bool)
    assert_gives(adding("i1", "dense_resource<w>", 9) + beside(data, 1), [given], [expected])


def test_a_constant_that_is_returned() -> None:
    text = f"""func.func @f() -> tensor<2x2xf32> {{
      %w = arith.constant dense_resource<"a b"> : tensor<2x2xf32>
      return %w : tensor<2x2xf32>
    }}
    {beside(np.array([1, 2, 3, 4], np.float32).tobytes(), name='"a b"')}"""
    assert_gives(text, [], [np.array([[1, 2], [3, 4]], np.float32)])


@pytest.mark.parametrize(
    ("constant", "section", "message"),
    [
        (
            "dense_resource<w>",
            "",
            "-:2:12: error: the constant 'dense_resource<w>' has no data: the module was printed",
        ),
        ("dense_resource<__elided__>", "", "'dense_resource<__elided__>' has no data"),
        ("dense_resource<w>", beside(bytes(12)), "has 12 B of data, but tensor<4xf32> needs 16 B"),
        ("dense_resource<w>", beside(bytes(16), 0), "-:7:44: error: the resource asks for an alignment of 0 B"),
        ("dense_resource<w>", beside(bytes(16), 1 << 30), "asks for an alignment of 1073741824 B; it must be 1 to"),
        ("dense_resource<w>", beside(bytes(16), 3), "non-power-of-2 value: 3"),
        ("dense_resource<w>", beside(bytes(16)).replace("0x", "0xq"), "expected hex string blob for key 'w'"),
        ("sparse<[[0]], [1.0]>", "", "the constant is neither dense nor dense_resource"),
    ],
)
def test_refused(constant: str, section: str, message: str) -> None:
    with pytest.raises(DiagnosedError) as error:
        roller_mlir.compile(adding("f32", constant) + section, options=SIMULATED)
    assert message in str(error.value)
    assert len(error.value.diagnostics) == 1


def test_large_weights_take_no_place_in_the_kernels() -> None:
    weights = np.arange(1 << 21, dtype=np.float32)
    text = adding("f32", "dense_resource<w>", weights.size) + beside(weights.tobytes())
    artifact = roller_mlir.compile(text, options=SIMULATED)
    assert artifact.files["constants.bin"] == weights.tobytes()
    assert len(artifact.files["kernels.mlir"]) < 1 << 16
