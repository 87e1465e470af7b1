# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products read factors before they are widened where the device multiplies such, and give what they gave."""

import os

import numpy as np
import pytest
from numpy.typing import NDArray

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.lowering.linalg.rewrite.read_through.widened_factors import read_before_widening
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

HOST = os.uname().machine == "x86_64"
KINDS = {("bf16", "f32"), ("f16", "f32"), ("i8", "i32")}


def widened(name: str, source: str, shape: str, narrow: str, wide: str) -> str:
    """Return text that widens a tensor, element by element."""
    rank = shape.count("x") + 1
    loops = ", ".join(f"d{number}" for number in range(rank))
    same = f"affine_map<({loops}) -> ({loops})>"
    word = "extf" if wide.startswith("f") else "extsi"
    kinds = ", ".join(['"parallel"'] * rank)
    return f"""
      %{name}_empty = tensor.empty() : tensor<{shape}x{wide}>
      %{name} = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = [{kinds}]}}
          ins({source} : tensor<{shape}x{narrow}>) outs(%{name}_empty : tensor<{shape}x{wide}>) {{
      ^bb0(%in: {narrow}, %old: {wide}):
        %t = arith.{word} %in : {narrow} to {wide}
        linalg.yield %t : {wide}
      }} -> tensor<{shape}x{wide}>"""


def linear(
    m: int, n: int, k: int, first: str = "bf16", second: str = "bf16", *, also: bool = False, deep: bool = False
) -> str:
    """Return a linear layer as importers write it: factors are widened, the weights transposed, a bias is added.

    The first factor has a dimension more, which is dropped behind.

    Args:
        m: Rows, which come as a tensor of one dimension more.
        n: Columns.
        k: The reduction.
        first: Type of the first factor.
        second: Type of the weights.
        also: Whether the widened factor is a result, too.
        deep: Whether the weights have a dimension more, too, so that they are moved twice.
    """
    wide = "i32" if first == "i8" else "f32"
    zero = "0" if wide == "i32" else "0.0"
    add = "addi" if wide == "i32" else "addf"
    weights = "%ww" if second != wide else "%w"
    given = f"{'1x' if deep else ''}{n}x{k}"
    collapsed = (
        f"%wc = tensor.collapse_shape {weights} [[0, 1], [2]] : tensor<{given}x{wide}> into tensor<{n}x{k}x{wide}>"
    )
    c, both = f"tensor<{m}x{n}x{wide}>", f", tensor<1x{m}x{k}x{wide}>" if also else ""
    return f"""func.func @linear(%x: tensor<1x{m}x{k}x{first}>, %w: tensor<{given}x{second}>, %v: tensor<{n}x{wide}>)
        -> ({c}{both}) {{
      {widened("xw", "%x", f"1x{m}x{k}", first, wide) if first != wide else ""}
      %a = tensor.collapse_shape {"%xw" if first != wide else "%x"} [[0, 1], [2]]
        : tensor<1x{m}x{k}x{wide}> into tensor<{m}x{k}x{wide}>
      {widened("ww", "%w", given, second, wide) if second != wide else ""}
      {collapsed if deep else ""}
      %te = tensor.empty() : tensor<{k}x{n}x{wide}>
      %b = linalg.transpose ins({"%wc" if deep else weights} : tensor<{n}x{k}x{wide}>)
        outs(%te : tensor<{k}x{n}x{wide}>) permutation = [1, 0]
      %zero = arith.constant {zero} : {wide}
      %e = tensor.empty() : {c}
      %s = linalg.fill ins(%zero : {wide}) outs(%e : {c}) -> {c}
      %c = linalg.matmul ins(%a, %b : tensor<{m}x{k}x{wide}>, tensor<{k}x{n}x{wide}>) outs(%s : {c}) -> {c}
      %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
          affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
          ins(%c, %v : {c}, tensor<{n}x{wide}>) outs(%e : {c}) {{
      ^bb0(%one: {wide}, %bias: {wide}, %old: {wide}):
        %t = arith.{add} %one, %bias : {wide}
        linalg.yield %t : {wide}
      }} -> {c}
      return %r{f", %xw : {c}{both}" if also else f" : {c}"}
    }}"""


def rewritten(text: str, *, pays: bool = True) -> tuple[int, str]:
    """Rewrite a module; return how many products were changed, and what it is then, which gives what it gave."""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        count = len(read_before_widening(block, KINDS, lambda *_: pays))
        assert module.operation.verify()
        again = parse_module(str(module), context)  # named ops are printed without their bodies
        inputs = _inputs(text)
        given = [evaluate_function(each, "linear", inputs).outputs for each in (before, module, again)]
        for one, *others in zip(*given, strict=True):
            for other in others:
                np.testing.assert_array_equal(one, other)
        return count, str(module)


def assert_gives_what_it_gave(text: str, artifact: Artifact, on: str = "sim") -> None:
    """Fail unless an artifact gives, of small whole numbers, what its text says."""
    inputs = random_inputs([artifact.manifest.buffer(name) for name in artifact.manifest.inputs], 1)
    (found,) = artifact.run(*inputs, on=on)
    with make_context() as context:
        (expected,) = evaluate_function(parse_module(text, context), "linear", inputs).outputs
    np.testing.assert_array_equal(np.asarray(found), expected)


def _inputs(text: str) -> list[NDArray[np.generic]]:
    artifact = roller_mlir.compile(text, "h200", options=CompileOptions(binaries=False))
    return random_inputs([artifact.manifest.buffer(name) for name in artifact.manifest.inputs], 0)


@pytest.mark.parametrize("deep", [False, True])
@pytest.mark.parametrize("kind", ["bf16", "f16", "i8"])
def test_a_linear_layer_is_a_product_of_narrow_factors(kind: str, deep: bool) -> None:
    count, text = rewritten(linear(5, 9, 7, kind, kind, deep=deep))
    wide = "i32" if kind == "i8" else "f32"
    assert count == 1
    assert f" : tensor<5x7x{kind}>, tensor<7x9x{kind}>) outs(" in text
    assert f"tensor<5x9x{wide}>" in text


def test_what_does_not_pay_stays() -> None:
    assert rewritten(linear(5, 9, 7), pays=False)[0] == 0


@pytest.mark.parametrize(("depth", "kernels"), [(512, 1), (509, 2)])
def test_products_that_no_tile_divides_are_widened_once(depth: int, kernels: int) -> None:
    """Of 509 points of a reduction AMX has no whole tiles, nor has what multiplies pairs."""
    text = linear(64, 512, depth)
    artifact = roller_mlir.compile(text, "spr", options=CompileOptions(binaries=False, max_units=1))
    found = [one.plan.instruction for one in artifact.kernels if one.plan is not None]
    assert ("amx" in found) == (kernels == 1) and len(found) >= kernels


def test_what_moves_while_it_is_widened_stays() -> None:
    """The op that widens the weights also transposes them."""
    text = linear(5, 7, 7)
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    at = text.index("%ww = linalg.generic")
    turned = text[at:].replace(f"[{same}, {same}]", f"[affine_map<(d0, d1) -> (d1, d0)>, {same}]", 1)
    assert turned != text[at:] and rewritten(text[:at] + turned)[0] == 0


def test_what_others_read_stays() -> None:
    count, text = rewritten(linear(5, 9, 7, also=True))
    assert count == 1 and "arith.extf" in text


@pytest.mark.parametrize(("first", "second"), [("bf16", "f16"), ("bf16", "f32"), ("f32", "bf16"), ("f32", "f32")])
def test_factors_of_two_types_stay(first: str, second: str) -> None:
    assert rewritten(linear(5, 9, 7, first, second))[0] == 0


def test_results_of_another_type_stay() -> None:
    text = linear(5, 9, 7).replace("f32", "f64").replace("bf64", "bf16")
    assert "bf16 to f64" in text and rewritten(text)[0] == 0


def test_other_bodies_stay() -> None:
    """A sum of differences is no product."""
    text = linear(5, 9, 7)
    maps = "[affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]"
    apart = f"""linalg.generic {{indexing_maps = {maps}, iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%a, %b : tensor<5x7xf32>, tensor<7x9xf32>) outs(%s : tensor<5x9xf32>) {{
      ^bb0(%p: f32, %q: f32, %old: f32):
        %d = arith.subf %p, %q : f32
        %t = arith.addf %d, %old : f32
        linalg.yield %t : f32
      }} -> tensor<5x9xf32>"""
    begin = text.index("linalg.matmul")
    end = text.index("-> tensor<5x9xf32>", begin) + len("-> tensor<5x9xf32>")
    assert rewritten(text[:begin] + apart + text[end:])[0] == 0


@pytest.mark.parametrize(
    ("device", "kind", "extents", "family"),
    [
        ("h200", "bf16", (128, 256, 128), "wgmma"),
        ("h200", "f16", (8, 64, 256), "mma"),
        ("a100", "f16", (64, 96, 64), "mma"),
        ("v100", "f16", (64, 96, 64), "wmma mma"),
        ("mi300x", "bf16", (64, 96, 64), "mfma"),
    ],
)
def test_matrix_units_multiply_what_was_widened(
    device: str, kind: str, extents: tuple[int, int, int], family: str
) -> None:
    """The transpose of the weights is other indices of their load: one kernel, whose copies may be asynchronous."""
    text = linear(*extents, kind, kind)
    artifact = roller_mlir.compile(text, device, options=CompileOptions(binaries=False))
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.instruction in family.split()
    assert_gives_what_it_gave(text, artifact)


@pytest.mark.skipif(not HOST, reason="this machine is no CPU that code is generated for")
@pytest.mark.parametrize("extents", [(64, 96, 64), (5, 9, 7), (1, 40, 64), (32, 33, 36)])
def test_it_is_so_natively(extents: tuple[int, int, int]) -> None:
    text = linear(*extents)
    assert_gives_what_it_gave(text, roller_mlir.compile(text, "host", options=CompileOptions(max_units=1)), "cpu")


def test_cores_without_such_instructions_widen_once() -> None:
    artifact = roller_mlir.compile(linear(64, 96, 64), "haswell", options=CompileOptions(binaries=False))
    assert len(artifact.kernels) > 1
