# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that read broadcasts before they are reshaped give what they gave, and no copy of what is repeated is left."""

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.lowering.linalg.group.group import members_of
from roller_mlir.lowering.linalg.rewrite.compose import compose_into_readers
from roller_mlir.lowering.linalg.rewrite.read_through.broadcasts import read_through_broadcasts
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

HEADER = """
#q = affine_map<(h, g, n, k) -> (h, g, n, k)>
#shared = affine_map<(h, g, n, k) -> (h, n, k)>
#swapped = affine_map<(h, g, n, k) -> (g, n, k)>
#p = affine_map<(a, b, c) -> (a, b, c)>
#row = affine_map<(a, b, c) -> (a, b)>
#turned = affine_map<(a, b, c) -> (a, c, b)>
"""


def repeated(value: str, heads: int, groups: int, rows: int, columns: int, *, over: str = "#shared") -> str:
    """Return text that repeats a tensor, a group for each head, and puts both together as %heads."""
    first = f"{heads if over == '#shared' else groups}x{rows}x{columns}xf32"
    wide, flat = f"{heads}x{groups}x{rows}x{columns}xf32", f"{heads * groups}x{rows}x{columns}xf32"
    return f"""
      %re = tensor.empty() : tensor<{wide}>
      %repeated = linalg.generic {{indexing_maps = [{over}, #q], iterator_types = ["parallel", "parallel", "parallel",
          "parallel"]}} ins({value} : tensor<{first}>) outs(%re : tensor<{wide}>) {{
      ^bb0(%one: f32, %o: f32):
        linalg.yield %one : f32
      }} -> tensor<{wide}>
      %heads = tensor.collapse_shape %repeated [[0, 1], [2], [3]] : tensor<{wide}> into tensor<{flat}>
    """


def scores(heads: int, groups: int, queries: int, keys: int, width: int, over: str = "#shared") -> str:
    """Return a function of grouped queries and keys: products, an addend for each row, and the sum of each row."""
    both = heads * groups
    given = heads if over == "#shared" else groups
    return f"""{HEADER}
    func.func @f(%x: tensor<{both}x{queries}x{width}xf32>, %k: tensor<{given}x{keys}x{width}xf32>,
                 %bias: tensor<{both}x{queries}x{keys}xf32>)
        -> (tensor<{both}x{queries}x{keys}xf32>, tensor<{both}x{queries}xf32>) {{
      {repeated("%k", heads, groups, keys, width, over=over)}
      %te = tensor.empty() : tensor<{both}x{width}x{keys}xf32>
      %t = linalg.transpose ins(%heads : tensor<{both}x{keys}x{width}xf32>)
        outs(%te : tensor<{both}x{width}x{keys}xf32>) permutation = [0, 2, 1]
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<{both}x{queries}x{keys}xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<{both}x{queries}x{keys}xf32>)
        -> tensor<{both}x{queries}x{keys}xf32>
      %s = linalg.batch_matmul ins(%x, %t : tensor<{both}x{queries}x{width}xf32>, tensor<{both}x{width}x{keys}xf32>)
        outs(%z : tensor<{both}x{queries}x{keys}xf32>) -> tensor<{both}x{queries}x{keys}xf32>
      %m = linalg.generic {{indexing_maps = [#p, #p, #p], iterator_types = ["parallel", "parallel", "parallel"]}}
        ins(%s, %bias : tensor<{both}x{queries}x{keys}xf32>, tensor<{both}x{queries}x{keys}xf32>)
        outs(%e : tensor<{both}x{queries}x{keys}xf32>) {{
      ^bb0(%one: f32, %two: f32, %o: f32):
        %sum = arith.addf %one, %two : f32
        linalg.yield %sum : f32
      }} -> tensor<{both}x{queries}x{keys}xf32>
      %re2 = tensor.empty() : tensor<{both}x{queries}xf32>
      %rz = linalg.fill ins(%zero : f32) outs(%re2 : tensor<{both}x{queries}xf32>) -> tensor<{both}x{queries}xf32>
      %r = linalg.generic {{indexing_maps = [#p, #row], iterator_types = ["parallel", "parallel", "reduction"]}}
        ins(%m : tensor<{both}x{queries}x{keys}xf32>) outs(%rz : tensor<{both}x{queries}xf32>) {{
      ^bb0(%one: f32, %so: f32):
        %sum = arith.addf %one, %so : f32
        linalg.yield %sum : f32
      }} -> tensor<{both}x{queries}xf32>
      return %m, %r : tensor<{both}x{queries}x{keys}xf32>, tensor<{both}x{queries}xf32>
    }}"""


def rewritten(text: str) -> tuple[int, str]:
    """Rewrite a module; return how many ops were changed, and what it is then, which gives what it gave."""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        count = read_through_broadcasts(block)
        assert module.operation.verify()
        numbers = np.random.default_rng(0)
        shapes = [ir.RankedTensorType(one.type).shape for one in block.arguments]
        inputs = [numbers.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
        given = [evaluate_function(each, "f", inputs).outputs for each in (before, module)]
        for one, other in zip(*given, strict=True):
            np.testing.assert_array_equal(one, other)
        return count, str(module)


@pytest.mark.parametrize("over", ["#shared", "#swapped"])
@pytest.mark.parametrize(("heads", "groups", "queries"), [(2, 3, 1), (3, 2, 4), (2, 2, 5)])
def test_readers_have_the_broadcast_as_a_loop(over: str, heads: int, groups: int, queries: int) -> None:
    count, text = rewritten(scores(heads, groups, queries, 7, 4, over))
    assert count == 4  # the transpose, the product, the addend and the sum
    assert f"tensor<{heads}x{groups}x7x4xf32> into" in text  # nobody reads it any more
    assert text.count('"parallel", "parallel", "parallel", "parallel", "reduction"') == 1


@pytest.mark.parametrize(("heads", "groups"), [(1, 4), (4, 1)])
def test_one_head_or_one_group_is_no_other_loop(heads: int, groups: int) -> None:
    assert rewritten(scores(heads, groups, 3, 5, 4))[0] == 0


def test_innermost_dimensions_stay_whole() -> None:
    text = f"""{HEADER}
    func.func @f(%x: tensor<3x4x5xf32>, %y: tensor<3x5x8xf32>) -> tensor<3x5x8xf32> {{
      %e = tensor.empty() : tensor<3x5x4x2xf32>
      %r = linalg.generic {{indexing_maps = [affine_map<(a, b, c, d) -> (a, c, b)>, affine_map<(a, b, c, d) ->
          (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}}
          ins(%x : tensor<3x4x5xf32>) outs(%e : tensor<3x5x4x2xf32>) {{
      ^bb0(%one: f32, %o: f32):
        linalg.yield %one : f32
      }} -> tensor<3x5x4x2xf32>
      %w = tensor.collapse_shape %r [[0], [1], [2, 3]] : tensor<3x5x4x2xf32> into tensor<3x5x8xf32>
      %s = linalg.add ins(%w, %y : tensor<3x5x8xf32>, tensor<3x5x8xf32>) outs(%y : tensor<3x5x8xf32>)
        -> tensor<3x5x8xf32>
      return %s : tensor<3x5x8xf32>
    }}"""
    assert rewritten(text)[0] == 0


def test_dimensions_that_become_innermost_stay_whole() -> None:
    text = f"""{HEADER}
    func.func @f(%k: tensor<2x4x5xf32>) -> tensor<4x5x6xf32> {{
      {repeated("%k", 2, 3, 4, 5)}
      %e = tensor.empty() : tensor<4x5x6xf32>
      %t = linalg.transpose ins(%heads : tensor<6x4x5xf32>) outs(%e : tensor<4x5x6xf32>) permutation = [1, 2, 0]
      return %t : tensor<4x5x6xf32>
    }}"""
    assert rewritten(text)[0] == 0


@pytest.mark.parametrize(
    ("maps", "body"),
    [
        ("[#p, #p]", "%i = linalg.index 0 : index  %j = arith.index_cast %i : index to i32"),  # asks for the loop
        ("[#turned, #turned]", ""),
    ],
)
def test_who_asks_for_the_place_keeps_it(maps: str, body: str) -> None:
    kind = "6x4x4xf32"
    number = "%n = arith.sitofp %j : i32 to f32  %sum = arith.addf %one, %n : f32" if body else ""
    text = f"""{HEADER}
    func.func @f(%k: tensor<2x4x4xf32>) -> tensor<{kind}> {{
      {repeated("%k", 2, 3, 4, 4)}
      %e = tensor.empty() : tensor<{kind}>
      %s = linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", "parallel", "parallel"]}}
        ins(%heads : tensor<{kind}>) outs(%e : tensor<{kind}>) {{
      ^bb0(%one: f32, %o: f32):
        {body}
        {number}
        linalg.yield {"%sum" if body else "%one"} : f32
      }} -> tensor<{kind}>
      return %s : tensor<{kind}>
    }}"""
    assert rewritten(text)[0] == (0 if body else 1)


def test_reshapes_behind_one_another_are_one() -> None:
    text = f"""{HEADER}
    func.func @f(%x: tensor<6x4x3xf32>, %k: tensor<2x5x4xf32>) -> tensor<6x5x3xf32> {{
      {repeated("%k", 2, 3, 5, 4)}
      %wide = tensor.expand_shape %heads [[0, 1], [2], [3]] output_shape [1, 6, 5, 4]
        : tensor<6x5x4xf32> into tensor<1x6x5x4xf32>
      %re2 = tensor.empty() : tensor<6x5x4xf32>
      %c = linalg.exp ins(%heads : tensor<6x5x4xf32>) outs(%re2 : tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
      %m = tensor.collapse_shape %c [[0, 1], [2]] : tensor<6x5x4xf32> into tensor<30x4xf32>
      %n = tensor.expand_shape %m [[0, 1], [2]] output_shape [6, 5, 4] : tensor<30x4xf32> into tensor<6x5x4xf32>
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<6x5x3xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e : tensor<6x5x3xf32>) -> tensor<6x5x3xf32>
      %s = linalg.batch_matmul ins(%n, %x : tensor<6x5x4xf32>, tensor<6x4x3xf32>) outs(%z : tensor<6x5x3xf32>)
        -> tensor<6x5x3xf32>
      return %s : tensor<6x5x3xf32>
    }}"""
    count, found = rewritten(text)
    assert count == 1 and "[[0, 1, 2], [3]]" in found


def test_a_dimension_of_one_element_is_composed() -> None:
    """Its position, which the first op adds, is zero in the one that both become."""
    text = """
    func.func @f(%x: tensor<1x4xf32>) -> tensor<4xf32> {
      %e = tensor.empty() : tensor<1x4xf32>
      %a = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
          iterator_types = ["parallel", "parallel"]} ins(%x : tensor<1x4xf32>) outs(%e : tensor<1x4xf32>) {
      ^bb0(%one: f32, %o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %k = arith.addi %i, %j : index
        %l = arith.index_cast %k : index to i32
        %n = arith.sitofp %l : i32 to f32
        %s = arith.addf %one, %n : f32
        linalg.yield %s : f32
      } -> tensor<1x4xf32>
      %f = tensor.empty() : tensor<4xf32>
      %b = linalg.generic {indexing_maps = [affine_map<(a) -> (0, a)>, affine_map<(a) -> (a)>],
          iterator_types = ["parallel"]} ins(%a : tensor<1x4xf32>) outs(%f : tensor<4xf32>) {
      ^bb0(%one: f32, %o: f32):
        %s = arith.addf %one, %one : f32
        linalg.yield %s : f32
      } -> tensor<4xf32>
      return %b : tensor<4xf32>
    }"""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        assert len(compose_into_readers(members_of(block))) == 1
        assert module.operation.verify() and str(module).count("linalg.generic") == 1
        inputs = [np.array([[3, 1, 4, 1]], np.float32)]
        (found,), (wanted,) = (evaluate_function(each, "f", inputs).outputs for each in (module, before))
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(found, [6, 4, 12, 8])


@pytest.mark.parametrize("device", ["h200", "mi300x", "host"])
@pytest.mark.parametrize("queries", [1, 3])
def test_kernels_read_shared_heads_where_they_lie(device: str, queries: int) -> None:
    heads, groups, keys, width = 2, 3, 37, 16
    text = scores(heads, groups, queries, keys, width)
    artifact = roller_mlir.compile(text, target=device, options=CompileOptions(binaries=device == "host", cache=False))
    repeated_bytes = 4 * heads * groups * keys * width
    assert artifact.manifest.workspace_bytes < repeated_bytes
    draw = np.random.default_rng(1)
    x = draw.standard_normal((heads * groups, queries, width)).astype(np.float32)
    k = draw.standard_normal((heads, keys, width)).astype(np.float32)
    bias = draw.standard_normal((heads * groups, queries, keys)).astype(np.float32)
    found, sums = artifact.run(x, k, bias)
    wanted = x @ np.repeat(k, groups, 0).swapaxes(1, 2) + bias
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(sums, wanted.sum(2), rtol=1e-4, atol=1e-3)
