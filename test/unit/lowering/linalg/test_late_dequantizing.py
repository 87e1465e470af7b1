# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers of 8 bits are dequantized where they are read, and moved as they are."""

import numpy as np
import pytest

from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.lowering.linalg.front_end.wide_integers import narrow_integers
from roller_mlir.lowering.linalg.rewrite.quantized.late import dequantize_late
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module


def generic(name: str, source: str, kind: str, made: str, body: str, maps: str = "#same, #same") -> str:
    """Return an element-wise op of one input."""
    return f"""
      %{name}_e = tensor.empty() : tensor<{made}>
      %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
          ins(%{source} : tensor<{kind}>) outs(%{name}_e : tensor<{made}>) {{
      ^bb0(%in: {kind.rpartition("x")[2]}, %old: {made.rpartition("x")[2]}):
        {body}
      }} -> tensor<{made}>"""


DEQUANTIZED = "%a = arith.uitofp %in : i8 to f32 %b = arith.mulf %a, %s : f32 linalg.yield %b : f32"
ROOT = "%a = math.sqrt %in : f32 linalg.yield %a : f32"
SQUARE = "%a = arith.mulf %in, %in : f32 linalg.yield %a : f32"


def function(body: str, results: str, names: str) -> str:
    """Return a function of 6 x 8 integers."""
    maps = "#same = affine_map<(i, j) -> (i, j)>\n#turned = affine_map<(i, j) -> (j, i)>\n"
    return f"""{maps}func.func @f(%q: tensor<6x8xi8>) -> ({results}) {{
      %s = arith.constant 0.25 : f32
      {generic("f", "q", "6x8xi8", "6x8xf32", DEQUANTIZED)}
      {body}
      return {names} : {results}
    }}"""


def rewritten(text: str) -> tuple[int, str]:
    """Rewrite a module, which gives what it gave; return how many ops were made, and what it is then."""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        count = dequantize_late(module.body.operations[0].regions[0].blocks[0])
        assert module.operation.verify()
        q = np.random.default_rng(0).integers(-128, 128, (6, 8)).astype(np.int8)
        given = [evaluate_function(each, "f", [q]).outputs for each in (before, module)]
        for one, other in zip(*given, strict=True):
            np.testing.assert_array_equal(one, other)
        return count, str(module)


def test_each_reader_has_its_own() -> None:
    body = generic("g", "f", "6x8xf32", "6x8xf32", ROOT) + generic("h", "f", "6x8xf32", "6x8xf32", SQUARE)
    count, text = rewritten(function(body, "tensor<6x8xf32>, tensor<6x8xf32>", "%g, %h"))
    assert count == 2 and text.count("arith.uitofp") == 2


def test_a_single_reader_keeps_it() -> None:
    """It is composed into it as it stands."""
    assert rewritten(function(generic("g", "f", "6x8xf32", "6x8xf32", ROOT), "tensor<6x8xf32>", "%g"))[0] == 0


@pytest.mark.parametrize("way", ["reshaped", "turned"])
def test_integers_are_moved(way: str) -> None:
    reshape = "%c = tensor.collapse_shape %f [[0, 1]] : tensor<6x8xf32> into tensor<48xf32>"
    yielded = "linalg.yield %in : f32"
    turn = generic("c", "f", "6x8xf32", "8x6xf32", yielded, "#turned, #same")
    made = "tensor<48xf32>" if way == "reshaped" else "tensor<8x6xf32>"
    count, text = rewritten(function(reshape if way == "reshaped" else turn, made, "%c"))
    assert count == 1 and text.count("arith.uitofp") == 1
    moved = "tensor<6x8xi8> into tensor<48xi8>" if way == "reshaped" else "tensor<8x6xi8>"
    assert moved in text and text.index(moved) < text.index("arith.uitofp")


def test_reductions_share_one() -> None:
    """They read each element several times, as products do, so that it is not composed into them."""
    text = generic(
        "g", "f", "6x8xf32", "6xf32", "%a = arith.addf %in, %old : f32 linalg.yield %a : f32", "#same, #rows"
    )
    text = text.replace('"parallel", "parallel"', '"parallel", "reduction"').replace("outs(%g_e", "outs(%zeros")
    body = "%zero = arith.constant 0.0 : f32 %ze = tensor.empty() : tensor<6xf32> %zeros = linalg.fill "
    body += "ins(%zero : f32) outs(%ze : tensor<6xf32>) -> tensor<6xf32>" + text + text.replace("%g", "%h")
    whole = function(body, "tensor<6xf32>, tensor<6xf32>", "%g, %h").replace("#rows", "affine_map<(i, j) -> (i)>")
    assert rewritten(whole)[0] == 0


def test_what_moves_while_it_is_dequantized_stays() -> None:
    body = generic("g", "f", "8x6xf32", "8x6xf32", ROOT) + generic("h", "f", "8x6xf32", "8x6xf32", SQUARE)
    text = function(body, "tensor<8x6xf32>, tensor<8x6xf32>", "%g, %h")
    plain = generic("f", "q", "6x8xi8", "6x8xf32", DEQUANTIZED)
    turned = generic("f", "q", "6x8xi8", "8x6xf32", DEQUANTIZED, "#turned, #same")
    assert plain in text and rewritten(text.replace(plain, turned))[0] == 0


def test_what_is_returned_is_dequantized_once() -> None:
    body = generic("g", "f", "6x8xf32", "6x8xf32", ROOT)
    count, text = rewritten(function(body, "tensor<6x8xf32>, tensor<6x8xf32>", "%f, %g"))
    assert count <= 1 and text.count("arith.uitofp") == 1 + count


WIDE = """func.func @f(%q: tensor<8xi8>, %i: tensor<8xi64>) -> (tensor<8xf32>, tensor<8xi64>) {
      %z = arith.constant ZERO : i64
      %e = tensor.empty() : tensor<8xf32>
      %n = tensor.empty() : tensor<8xi64>
      %r:2 = linalg.generic {indexing_maps = [#same, #same, #same, #same], iterator_types = ["parallel"]}
          ins(%q, %i : tensor<8xi8>, tensor<8xi64>) outs(%e, %n : tensor<8xf32>, tensor<8xi64>) {
      ^bb0(%in: i8, %other: i64, %old: f32, %older: i64):
        %a = arith.EXTENDED %in : i8 to i64
        %b = arith.SUM %a, %z : i64
        %c = arith.sitofp %b : i64 to f32
        %d = arith.muli %b, %other : i64
        linalg.yield %c, %d : f32, i64
      } -> (tensor<8xf32>, tensor<8xi64>)
      return %r#0, %r#1 : tensor<8xf32>, tensor<8xi64>
    }""".replace("#same", "affine_map<(i) -> (i)>")


@pytest.mark.parametrize(("zero", "narrow"), [(131, True), (-(2**30) + 1, True), (2**30, False), (2**40, False)])
@pytest.mark.parametrize("extended", ["extui", "extsi"])
@pytest.mark.parametrize("name", ["addi", "subi"])
def test_small_sums_are_computed_by_32_bits(zero: int, narrow: bool, extended: str, name: str) -> None:
    """Who needs 64 bits gets them; bounds of what is narrow are of 32 bits."""
    text = WIDE.replace("ZERO", str(zero)).replace("EXTENDED", extended).replace("SUM", name)
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        narrow_integers(module)
        assert module.operation.verify() and (f"arith.{name}" in str(module))
        sums = [line for line in str(module).splitlines() if f"arith.{name}" in line]
        assert all(("i32" in line) is narrow for line in sums)
        q, other = np.arange(-128, 128, 34).astype(np.int8), np.arange(8) * 2**33
        given = [evaluate_function(each, "f", [q, other]).outputs for each in (before, module)]
        for one, same in zip(*given, strict=True):
            np.testing.assert_array_equal(one, same)


@pytest.mark.parametrize(("old", "new"), [("arith.subi %a, %z", "arith.subi %a, %other"), ("i8", "i32")])
def test_sums_of_wide_numbers_stay(old: str, new: str) -> None:
    """Such as a bias of 32 bits less its zero point."""
    text = WIDE.replace("ZERO", "3").replace("EXTENDED", "extui").replace("SUM", "subi")
    with make_context() as context:
        module = parse_module(text.replace(old, new), context)
        before = str(module)
        narrow_integers(module)
        assert str(module) == before and isinstance(module, ir.Module)
