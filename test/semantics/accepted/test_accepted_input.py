# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is accepted beyond plain loop nests agrees with numpy: positions, views, several results, reversed axes."""

import pytest

from ..agreement import assert_agrees, device_of
from .order_programs import CASES as ORDERED
from .position_programs import CASES as POSITIONS
from .result_programs import CASES as RESULTS
from .view_programs import CASES as VIEWS

ALL = {**POSITIONS, **VIEWS, **RESULTS, **ORDERED}
MULTIPLY_ADD = """%m = arith.mulf %x0, %x1 : f32
    %r = arith.addf %acc, %m : f32"""
COPY = "%r = arith.addf %x0, %x0 : f32"


@pytest.mark.full(every=9)
@pytest.mark.parametrize("name", ALL)
def test_agrees(name: str) -> None:
    assert_agrees(ALL[name], device_of(name))


def backwards(inputs: str, output: str, maps: str, body: str) -> str:
    """Return a function of one linalg.generic over the loops of `maps`; what the output lacks is summed."""
    kinds = [f"tensor<{shape}xf32>" for shape in inputs.split()]
    out = f"tensor<{output}xf32>"
    loops, *results = maps.split("; ")
    iterators = ", ".join(
        '"parallel"' if loop in results[-1].split(", ") else '"reduction"' for loop in loops.split(", ")
    )
    affine = ", ".join(f"affine_map<({loops}) -> ({result})>" for result in results)
    arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(kinds))
    names = ", ".join(f"%a{i}" for i in range(len(kinds)))
    elements = ", ".join(f"%x{i}: f32" for i in range(len(kinds)))
    return f"""func.func @f({arguments}) -> {out} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {out}
  %o = linalg.fill ins(%z : f32) outs(%e : {out}) -> {out}
  %g = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{iterators}]}}
      ins({names} : {", ".join(kinds)}) outs(%o : {out}) {{
  ^bb0({elements}, %acc: f32):
    {body}
    linalg.yield %r : f32
  }} -> {out}
  return %g : {out}
}}
"""


@pytest.mark.full(every=6)
@pytest.mark.parametrize(
    ("inputs", "output", "maps", "body"),
    [
        ("1024", "1024", "i; 1023 - i; i", COPY),
        ("1023", "1023", "i; 1022 - i; i", COPY),
        ("70x64", "70x64", "i, j; 69 - i, j; i, j", COPY),
        ("70x64", "70x64", "i, j; i, 63 - j; i, j", COPY),
        ("64x70", "70x64", "i, j; 63 - j, 69 - i; i, j", COPY),
        ("2x40x33 7x33x18 7", "2x34x18", "n, o, f, k, c; n, o + k, c; 6 - k, c, f; k; n, o, f", MULTIPLY_ADD),
        ("2x46x33 7x33x18", "2x40x18", "n, o, f, k, c; n, o - k + 6, c; k, c, f; n, o, f", MULTIPLY_ADD),
        (
            "2x5x46x47 5x7x4",
            "2x5x40x22",
            "n, c, o, q, k, l; n, c, o - k + 6, 2 * q - l + 3; c, k, l; n, c, o, q",
            MULTIPLY_ADD,
        ),
        ("70x129 129x65", "70x65", "i, j, k; i, 128 - k; k, j; i, j", MULTIPLY_ADD),
        ("128x128 128x128", "128x128", "i, j, k; 127 - i, 127 - k; k, 127 - j; i, j", MULTIPLY_ADD),
        ("33x5000 5000", "33", "i, k; 32 - i, 4999 - k; k; i", "%r = arith.addf %acc, %x0 : f32"),
        ("33x501 501", "33", "i, k; i, 500 - k; k; i", "%r = arith.maximumf %acc, %x0 : f32"),
        ("199 100", "100", "i, k; i - k + 99; k; i", MULTIPLY_ADD),
        ("70x64 64", "64", "i; 3, i; i; i", "%r = arith.addf %x0, %x1 : f32"),
        ("70x140 64", "64", "i; 3, 2 * i + 5; i; i", "%r = arith.addf %x0, %x1 : f32"),
    ],
)
def test_any_affine_map_without_division(inputs: str, output: str, maps: str, body: str) -> None:
    assert_agrees(backwards(inputs, output, maps, body), device_of(maps))


def test_what_a_sum_starts_from_may_be_a_result_too() -> None:
    """A fill that is returned is a program of its own, whose result the sum then goes on from."""
    given, sums = "tensor<5x8xi32>", "tensor<8xi32>"
    maps = "[affine_map<(n, i) -> (i, n)>, affine_map<(n, i) -> (n)>]"
    text = f"""func.func @f(%x: {given}) -> ({sums}, {sums}) {{
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : {sums}
  %filled = linalg.fill ins(%zero : i32) outs(%empty : {sums}) -> {sums}
  %sum = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", "reduction"]}}
    ins(%x : {given}) outs(%filled : {sums}) {{
  ^bb0(%a: i32, %acc: i32):
    %r = arith.addi %acc, %a : i32
    linalg.yield %r : i32
  }} -> {sums}
  return %sum, %filled : {sums}, {sums}
}}"""
    assert_agrees(text, "h200")
