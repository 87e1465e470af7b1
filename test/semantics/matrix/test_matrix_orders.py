# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Factors of matrix units that are read backwards, in steps, askew, or beyond the reduction's ends."""

import pytest

from ..agreement import assert_agrees

DEVICES = ("v100", "a100", "h200", "mi300x")


def contraction(first: str, shape: str, second: str, other: str, loops: str, result: str, out: str = "f32") -> str:
    """Return a sum of products of f16 over the loop k.

    Args:
        first: How the first factor is indexed.
        shape: Its extents.
        second: How the second one is indexed.
        other: Its extents.
        loops: All loops, k last.
        result: Extents of the result, which the other loops index in their order.
        out: Its type.
    """
    a, b, c = f"tensor<{shape}xf16>", f"tensor<{other}xf16>", f"tensor<{result}x{out}>"
    parallel = loops.removesuffix(", k")
    kinds = ", ".join(['"parallel"'] * (parallel.count(",") + 1) + ['"reduction"'])
    maps = ", ".join(f"affine_map<({loops}) -> ({one})>" for one in (first, second, parallel))
    x, y, casts = "%x", "%y", ""
    if out != "f16":
        x, y = "%xw", "%yw"
        casts = f"%xw = arith.extf %x : f16 to {out}\n    %yw = arith.extf %y : f16 to {out}\n    "
    return f"""
func.func @f(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant 0.0 : {out}
  %empty = tensor.empty() : {c}
  %init = linalg.fill ins(%zero : {out}) outs(%empty : {c}) -> {c}
  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins(%a, %b : {a}, {b}) outs(%init : {c}) {{
  ^bb0(%x: f16, %y: f16, %acc: {out}):
    {casts}%p = arith.mulf {x}, {y} : {out}
    %q = arith.addf %acc, %p : {out}
    linalg.yield %q : {out}
  }} -> {c}
  return %r : {c}
}}
"""


def product(first: str, shape: str, second: str = "n, k", other: str = "48x64") -> str:
    return contraction(first, shape, second, other, "m, n, k", "32x48")


EVERYWHERE = {
    "rows backwards": contraction("n, -w + 14, k", "2x15x16", "k, f", "16x16", "n, w, f, k", "2x15x16", "f16"),
    "reduction backwards": contraction("m, k", "64x65", "n, -k + 64", "96x65", "m, n, k", "64x96"),
    "reduction backwards, of longer rows": contraction("m, k", "32x40", "n, -k + 43", "32x48", "m, n, k", "32x32"),
    "reduction in steps of longer rows": contraction("m, k", "32x20", "n, k * 2", "32x50", "m, n, k", "32x32"),
}
"""Some devices refused these, or emitted a load with a negative distance between rows."""

ASKEW = {
    "rows and reduction in one dimension": product("m + k, k", "95x64"),
    "the same, transposed": product("k, m + k", "64x95"),
    "rows twice": product("m + k, m", "95x32"),
    "reduction twice": product("k, m, k", "64x32x64"),
    "reduction twice, innermost": product("m, k, k", "32x64x64"),
    "rows around the reduction": product("m, k, m", "32x64x32"),
}
"""Neighbours along a loop are no neighbours in memory, though the loop alone walks the innermost dimension."""

SHARED_ROWS = {
    "rows and reduction": contraction("d + k * 2, m", "206x16", "n, k", "8x96", "m, n, d, k", "16x8x16"),
    "no inner loop": contraction("b + k, r, m", "79x2x2", "n, m, r, k", "32x2x2x48", "r, b, n, m, k", "2x32x32x2"),
}
"""No dimension of a tile holds rows that `wmma` can read along the longest loops."""


@pytest.mark.full(each=["name", "device"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", EVERYWHERE)
def test_order_of_elements(name: str, device: str) -> None:
    assert_agrees(EVERYWHERE[name], device)


@pytest.mark.full(every=18)
@pytest.mark.parametrize("device", ["v100", "a100", "mi300x"])
@pytest.mark.parametrize("name", ASKEW)
def test_loops_in_several_dimensions(name: str, device: str) -> None:
    assert_agrees(ASKEW[name], device)


@pytest.mark.parametrize("name", SHARED_ROWS)
def test_rows_that_are_no_whole_matrices(name: str) -> None:
    assert_agrees(SHARED_ROWS[name], "v100")
