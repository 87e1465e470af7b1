# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tensor.pad: read through by loop nests, made by a program of its own where it is a result, exact throughout."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions

from ..programs import MAX, PRODUCT, SUM, tensor

SIMULATED = CompileOptions(binaries=False)
ROWS = "affine_map<(a, b) -> (a)>"
COLUMNS = "affine_map<(a, b) -> (b)>"
BOTH = "affine_map<(a, b) -> (a, b)>"


def padded(shape: tuple[int, ...], pads: list[tuple[int, int]], value: str, rest: str, results: str) -> str:
    """Return a function whose %wide is its padded argument %x; `rest` goes on with that and %y of the same shape."""
    inner, outer = tensor(shape), tensor([low + n + high for n, (low, high) in zip(shape, pads, strict=True)])
    indices = ", ".join(f"%i{d}: index" for d in range(len(shape)))
    return f"""func.func @f(%x: {inner}, %y: {outer}) -> ({results}) {{
  %value = arith.constant {value} : f32
  %wide = tensor.pad %x low{[low for low, _ in pads]} high{[high for _, high in pads]} {{
  ^bb0({indices}):
    tensor.yield %value : f32
  }} : {inner} to {outer}
  {rest}
}}
"""


def reduce(out_map: str, kinds: str, out: str, start: str, body: str, kind: str = "tensor<10x41xf32>") -> str:
    """Return a reduction of %wide into %r."""
    return f"""%s = arith.constant {start} : f32
  %e = tensor.empty() : {out}
  %i = linalg.fill ins(%s : f32) outs(%e : {out}) -> {out}
  %g = linalg.generic {{indexing_maps = [{BOTH}, {BOTH}, {out_map}], iterator_types = [{kinds}]}}
      ins(%wide, %y : {kind}, {kind}) outs(%i : {out}) {{
  ^bb0(%x0: f32, %x1: f32, %acc: f32):
    {body}
    linalg.yield %r : f32
  }} -> {out}
  return %g : {out}"""


def run(text: str, *arrays: np.ndarray, kernels: int = 1) -> tuple[np.ndarray, ...]:
    artifact = roller_mlir.compile(text, target="h200", options=SIMULATED)
    assert len(artifact.kernels) == kernels
    return artifact.run(*arrays)


def integers(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, shape).astype(np.float32)


PADS = [(1, 2), (3, 1)]
X, Y = integers(7, 37), integers(10, 41, seed=1)
WIDE, OUT = "tensor<10x41xf32>", "tensor<10xf32>"


@pytest.mark.full(each=["shape", "pads", "literal"])
@pytest.mark.parametrize(
    ("shape", "pads"),
    [
        ((7, 37), PADS),
        ((8, 32), [(4, 0), (0, 0)]),
        ((8, 32), [(0, 0), (4, 8)]),
        ((5,), [(0, 300)]),
        ((3, 2, 4), [(0, 1)] * 3),
    ],
)
@pytest.mark.parametrize(("literal", "value"), [("3.0", 3.0), ("0xFF800000", -np.inf), ("-0.0", -0.0)])
def test_a_padded_result_is_a_program(
    shape: tuple[int, ...], pads: list[tuple[int, int]], literal: str, value: float
) -> None:
    x = integers(*shape)
    expected = np.pad(x, pads, constant_values=value)
    kind = tensor(expected.shape)
    (found,) = run(padded(shape, pads, literal, f"return %wide : {kind}", kind), x, expected)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_values_that_are_not_neutral_are_read() -> None:
    rest = f"""%e = tensor.empty() : {WIDE}
  %g = linalg.add ins(%wide, %y : {WIDE}, {WIDE}) outs(%e : {WIDE}) -> {WIDE}
  return %g, %wide : {WIDE}, {WIDE}"""
    found, made = run(padded((7, 37), PADS, "3.0", rest, f"{WIDE}, {WIDE}"), X, Y, kernels=2)
    wide = np.pad(X, PADS, constant_values=3.0)
    np.testing.assert_array_equal(found, wide + Y)
    np.testing.assert_array_equal(made, wide)


@pytest.mark.full(each=["value", "body", "start", "axis"])
@pytest.mark.parametrize("value", [0.0, 2.0, -1.0])
@pytest.mark.parametrize(
    ("body", "start", "reference"),
    [
        (SUM, "0.0", lambda p, y, axis: p.sum(axis)),
        (PRODUCT, "0.0", lambda p, y, axis: (p * y).sum(axis)),
        (MAX, "0xFF800000", lambda p, y, axis: p.max(axis)),
    ],
)
@pytest.mark.parametrize("axis", [0, 1])
def test_padded_reductions(value: float, body: str, start: str, reference, axis: int) -> None:
    out = tensor((Y.shape[1 - axis],))
    kinds = '"parallel", "reduction"' if axis == 1 else '"reduction", "parallel"'
    rest = reduce(ROWS if axis == 1 else COLUMNS, kinds, out, start, body)
    (found,) = run(padded((7, 37), PADS, f"{value}", rest, out), X, Y)
    np.testing.assert_array_equal(found, reference(np.pad(X, PADS, constant_values=value), Y, axis))


def test_infinities_beside_a_padding_of_zero_are_multiplied() -> None:
    """0 * inf is no number, also where the 0 lies outside of the tensor."""
    y = Y.copy()
    y[0, 0], y[5, 6], y[9, 40] = np.inf, -np.inf, np.nan
    rest = reduce(ROWS, '"parallel", "reduction"', OUT, "0.0", PRODUCT)
    (found,) = run(padded((7, 37), PADS, "0.0", rest, OUT), X, y)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(found, (np.pad(X, PADS) * y).sum(1))


def test_paddings_of_one_value_are_one_and_others_are_made() -> None:
    text = """func.func @f(%x: tensor<4x6xf32>) -> tensor<9x13xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %a = tensor.pad %x low[1, 0] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<4x6xf32> to tensor<5x7xf32>
  %b = tensor.pad %a low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<5x7xf32> to tensor<7x9xf32>
  %c = tensor.pad %b low[1, 2] high[1, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %one : f32
  } : tensor<7x9xf32> to tensor<9x13xf32>
  return %c : tensor<9x13xf32>
}"""
    x = integers(4, 6)
    (found,) = run(text, x, kernels=2)
    np.testing.assert_array_equal(found, np.pad(np.pad(x, [(2, 1), (1, 2)]), [(1, 1), (2, 2)], constant_values=1))


def test_average_pooling_is_one_loop_nest() -> None:
    kind, out, wide = "tensor<2x3x8x8xf32>", "tensor<2x3x4x4xf32>", "tensor<2x3x10x10xf32>"
    text = f"""func.func @f(%x: {kind}) -> {out} {{
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {{
  ^bb0(%a: index, %b: index, %c: index, %d: index):
    tensor.yield %zero : f32
  }} : {kind} to {wide}
  %window = tensor.empty() : tensor<4x4xf32>
  %e = tensor.empty() : {out}
  %i = linalg.fill ins(%zero : f32) outs(%e : {out}) -> {out}
  %r = linalg.generic {{indexing_maps = [affine_map<(n, c, h, w, u, v) -> (n, c, h * 2 + u, w * 2 + v)>,
      affine_map<(n, c, h, w, u, v) -> (u, v)>, affine_map<(n, c, h, w, u, v) -> (n, c, h, w)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction"]}}
      ins(%p, %window : {wide}, tensor<4x4xf32>) outs(%i : {out}) {{
  ^bb0(%v: f32, %w: f32, %acc: f32):
    %share = arith.constant 0.0625 : f32
    %m = arith.mulf %v, %share : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  }} -> {out}
  return %r : {out}
}}"""
    x = integers(2, 3, 8, 8)
    (found,) = run(text, x)
    wider = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    windows = np.lib.stride_tricks.sliding_window_view(wider, (4, 4), axis=(2, 3))[:, :, ::2, ::2]
    np.testing.assert_array_equal(found, windows.mean((-1, -2)))
