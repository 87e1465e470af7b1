# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Horizontal fusion and what it leaves to launch: an attention's products, the steps of a recurrent layer."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

import roller_mlir
from roller_mlir.lowering.linalg.rewrite.horizontal import fuse

from ..agreement import SIMULATED, assert_agrees


def _constant(name: str, shape: Sequence[int], element: str, seed: int) -> str:
    numbers = np.random.default_rng(seed).integers(-2, 3, shape).astype(float).tolist()
    return f"%{name} = arith.constant dense<{numbers}> : {_kind(shape, element)}\n"


def _kind(shape: Sequence[int], element: str) -> str:
    return f"tensor<{''.join(f'{n}x' for n in shape)}{element}>"


def _product(name: str, a: str, b: str, shape: Sequence[int], element: str) -> str:
    """Return a product of a (m x k) and b (k x n)."""
    m, n, k = shape
    made = _kind((m, n), element)
    return (
        f"%{name}e = tensor.empty() : {made}\n"
        f"%{name}z = linalg.fill ins(%zero : {element}) outs(%{name}e : {made}) -> {made}\n"
        f"%{name} = linalg.matmul ins({a}, {b} : {_kind((m, k), element)}, {_kind((k, n), element)}) "
        f"outs(%{name}z : {made}) -> {made}\n"
    )


def attention(rows: int, depth: int, heads: Sequence[int], element: str) -> str:
    """Return products of one tensor with matrices of 8 columns for each head, biased, by heads and turned."""
    body = f"%zero = arith.constant 0.0 : {element}\n"
    results: list[tuple[str, str]] = []
    for n, count in enumerate(heads):
        wide = 8 * count
        made, split, turned = (_kind(s, element) for s in ((rows, wide), (rows, count, 8), (count, rows, 8)))
        body += _constant(f"w{n}", (depth, wide), element, n) + _constant(f"b{n}", (wide,), element, 10 + n)
        body += _product(f"p{n}", "%x", f"%w{n}", (rows, wide, depth), element)
        body += f"""%s{n} = linalg.generic {{
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}} ins(%p{n}, %b{n} : {made}, {_kind((wide,), element)}) outs(%p{n}e : {made}) {{
^bb0(%u: {element}, %v: {element}, %o: {element}):
  %r = arith.addf %u, %v : {element}
  linalg.yield %r : {element}
}} -> {made}
%h{n} = tensor.expand_shape %s{n} [[0], [1, 2]] output_shape [{rows}, {count}, 8] : {made} into {split}
%t{n} = tensor.empty() : {turned}
%r{n} = linalg.transpose ins(%h{n} : {split}) outs(%t{n} : {turned}) permutation = [1, 0, 2]
"""
        results.append((f"%r{n}", turned))
    kinds, names = (", ".join(each) for each in zip(*[(k, v) for v, k in results], strict=True))
    return f"func.func @f(%x: {_kind((rows, depth), element)}) -> ({kinds}) {{\n{body}return {names} : {kinds}\n}}"


def recurrent(steps: int, rows: int, hidden: int) -> str:
    """Return h = |x[t] w + h r| for each step, all of which are returned as one."""
    state, square = _kind((rows, hidden), "f32"), (rows, hidden, hidden)
    body = "%zero = arith.constant 0.0 : f32\n" + _constant("w", (hidden, hidden), "f32", 0).replace("-2.0", "0.0")
    body += _constant("v", (hidden, hidden), "f32", 1)
    body += f"%e = tensor.empty() : {state}\n%h = linalg.fill ins(%zero : f32) outs(%e : {state}) -> {state}\n"
    last, three = "%start", _kind((1, rows, hidden), "f32")
    for t in range(steps):
        ones = f"[{t}, 0, 0] [1, {rows}, {hidden}] [1, 1, 1]"
        body += f"%c{t} = tensor.extract_slice %x{ones} : {_kind((steps, rows, hidden), 'f32')} to {three}\n"
        body += f"%d{t} = tensor.collapse_shape %c{t} [[0, 1], [2]] : {three} into {state}\n"
        body += _product(f"p{t}", f"%d{t}", "%w", square, "f32") + _product(f"q{t}", last, "%v", square, "f32")
        body += f"""%a{t} = linalg.map {{ arith.addf }} ins(%p{t}, %q{t} : {state}, {state}) outs(%e : {state})
%m{t} = linalg.generic {{
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
  iterator_types = ["parallel", "parallel"]
}} ins(%a{t} : {state}) outs(%e : {state}) {{
^bb0(%u: f32, %o: f32):
  %one = arith.constant 1.0 : f32
  %r = arith.minimumf %u, %one : f32
  linalg.yield %r : f32
}} -> {state}
"""
        last = f"%m{t}"
    sequence = _kind((steps, rows, hidden), "f32")
    return f"func.func @f(%x: {sequence}, %start: {state}) -> {state} {{\n{body}return {last} : {state}\n}}"


@pytest.mark.full(every=3)
@pytest.mark.parametrize("element", ["f32", "f16"])
@pytest.mark.parametrize("heads", [(2, 2, 2), (4, 1, 1)], ids=str)
@pytest.mark.parametrize("device", ["h200", "v100", "mi300x", "a100"])
def test_attention(device: str, heads: Sequence[int], element: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuse, "WORTH", 100.0)  # whether it is predicted to pay or not
    assert_agrees(attention(24, 16, heads, element), device)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("device", ["h200", "mi300x", "host"])
def test_steps_of_a_recurrent_layer_share_a_kernel(device: str, rows: int) -> None:
    """All steps' products of the sequence are one, and each cell reads its rows of that."""
    text, counts = recurrent(6, rows, 64), list[int]()
    assert_agrees(text, device)
    for steps in (6, 8):
        artifact = roller_mlir.compile(recurrent(steps, rows, 64), device, options=SIMULATED)
        assert len(artifact.manifest.launches) >= steps
        counts.append(len(artifact.kernels))
    assert counts[0] == counts[1] <= 4


def test_operators_of_a_persistent_kernel_stay_side_by_side() -> None:
    text = attention(128, 256, (16, 16, 16), "f32")
    counts = [
        len(roller_mlir.compile(text, "h200", options=replace(SIMULATED, bounded=one)).manifest.launches)
        for one in (False, True)
    ]
    assert counts[0] < counts[1]
