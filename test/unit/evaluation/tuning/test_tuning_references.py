# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a dispatch computes, in words that another library knows, or no word at all."""

import numpy as np
import pytest
from tuning_records import EXAMPLES

from roller_mlir.compiler.entry import isolate_entry
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.measure.records import Reference
from roller_mlir.evaluation.measure.runner.expected.loop_nests import evaluate, nest_of
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.support.bindings import make_context

BY_ID = {operator.id: operator for operator in find_suite("shapes60")}
GENERIC = """#x = affine_map<{x}>
#y = affine_map<{y}>
#r = affine_map<(i, j, k) -> (i, j)>
func.func @f(%x: tensor<{xs}>, %y: tensor<{ys}>) -> tensor<{rs}> {{
  %zero = arith.constant 0.0 : {sum}
  %e = tensor.empty() : tensor<{rs}>
  %i = linalg.fill ins(%zero : {sum}) outs(%e : tensor<{rs}>) -> tensor<{rs}>
  %r = linalg.generic {{indexing_maps = [#x, #y, #r], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%x, %y : tensor<{xs}>, tensor<{ys}>) outs(%i : tensor<{rs}>) {{
    ^bb0(%a: f32, %b: f32, %s: {sum}):
      {body}
      linalg.yield %t : {sum}
  }} -> tensor<{rs}>
  return %r : tensor<{rs}>
}}
"""
PRODUCT = "%p = arith.mulf %a, %b : f32\n      %t = arith.addf %s, %p : f32"
PLAIN = {
    "x": "(i, j, k) -> (i, k)",
    "y": "(i, j, k) -> (k, j)",
    "xs": "5x7xf32",
    "ys": "7x6xf32",
    "rs": "5x6xf32",
    "sum": "f32",
    "body": PRODUCT,
}


def dispatch_of(text: str) -> Dispatch:
    (dispatch,) = dispatches_of(Source("-", text), "h200")
    return dispatch


def generic(**changes: str) -> Reference:
    return dispatch_of(GENERIC.format(**{**PLAIN, **changes})).reference


def test_a_product_of_matrices_is_known_however_it_is_written() -> None:
    matmul = Reference(kind="matmul", dtype="f32", sizes={"M": 5, "N": 6, "K": 7})
    assert generic() == matmul
    assert dispatch_of((EXAMPLES / "matmul.mlir").read_text()).reference == Reference(
        kind="matmul", dtype="f32", sizes={"M": 256, "N": 256, "K": 256}
    )


def test_index_functions_are_spelled() -> None:
    turned = generic(y="(i, j, k) -> (j, k)", ys="6x7xf32")
    assert (turned.kind, turned.indices, turned.combiner) == ("generic", "ac bc -> ab", "sum")
    assert turned.sizes == {"a": 5, "b": 6, "c": 7}
    window = generic(x="(i, j, k) -> (i, j * 2 + k * 3)", xs="5x29xf32", y="(i, j, k) -> (k, j)")
    assert window.indices == "a(2b+3c) cb -> ab"


@pytest.mark.parametrize(
    "changes",
    [
        {"body": "%p = arith.subf %a, %b : f32\n      %t = arith.addf %s, %p : f32"},
        {"body": "%n = arith.negf %a : f32\n      %p = arith.mulf %n, %b : f32\n      %t = arith.addf %s, %p : f32"},
        {"x": "(i, j, k) -> (i, j * 2 + k * 3)", "xs": "5x31xf32"},
        {"x": "(i, j, k) -> (i, 6 - k)"},
    ],
    ids=["another body", "a changed factor", "rows that no window reaches", "backwards"],
)
def test_what_has_no_words(changes: dict[str, str]) -> None:
    assert generic(**changes) == Reference()


def test_joined_ops_have_no_words() -> None:
    (dispatch,) = dispatches_of(Source("-", (EXAMPLES / "matmul_bias_gelu.mlir").read_text()), "h200")
    assert dispatch.expression.has_tail and dispatch.reference == Reference()


@pytest.mark.parametrize(
    "name", ["mm-prime", "mm-tab-f16", "bmm-heads", "gemv", "conv-nhwc-stride2-f16", "conv-grouped", "max-rows"]
)
def test_the_words_say_what_the_ops_do(name: str) -> None:
    torch = pytest.importorskip("torch")
    dispatch = dispatch_of(function_text(BY_ID[name]))
    nest = nest_of(dispatch.reference)
    assert nest is not None
    random = np.random.default_rng(1)
    kind = {"f16": np.float16, "f32": np.float32}[dispatch.reference.dtype]
    inputs = [random.uniform(-1, 1, shape).astype(kind) for shape in nest.shapes()]
    with make_context() as context:
        module = parse_source(Source("-", dispatch.text), context)
        (expected,) = evaluate_function(module, isolate_entry(module, None), inputs).outputs
    found = evaluate(torch, nest, [torch.from_numpy(one) for one in inputs], torch.float64)
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-4, atol=1e-4)
