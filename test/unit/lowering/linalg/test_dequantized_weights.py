# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products that dequantize the weights that they multiply, and reductions along blocks that have a scale each."""

from collections.abc import Callable

import numpy as np
import pytest

from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.lowering.linalg.group.dispatches import ConstantInputs
from roller_mlir.lowering.linalg.group.group import members_of
from roller_mlir.lowering.linalg.reader import read_structured
from roller_mlir.lowering.linalg.rewrite.compose import compose_into_readers
from roller_mlir.lowering.linalg.rewrite.quantized.weights import multiply_weights
from roller_mlir.lowering.linalg.rewrite.read_through.broadcasts import read_through_broadcasts
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module
from roller_mlir.support.passes.upstream import CLEAN, run_upstream

ROWS, BLOCKS, POINTS, COLUMNS = 3, 2, 4, 6
X, W, Y = f"{ROWS}x{BLOCKS * POINTS}xf32", f"{BLOCKS * POINTS}x{COLUMNS}xf32", f"{ROWS}x{COLUMNS}xf32"
Q, S, D = f"{BLOCKS}x{POINTS}x{COLUMNS}xi8", f"{BLOCKS}x{COLUMNS}xf32", f"{BLOCKS}x{POINTS}x{COLUMNS}xf32"
MAPS = """#all = affine_map<(b, k, n) -> (b, k, n)>
#block = affine_map<(b, k, n) -> (b, n)>
#point = affine_map<(b, k, n) -> (k, n)>
"""
SCALED = "%f = arith.sitofp %q : i8 to f32 %w = arith.mulf %f, %s : f32 linalg.yield %w : f32"


def function(*, map_: str = "#block", scales: str = S, given: str = "", more: str = "", results: str = "%r") -> str:
    """Return a product of rows and weights of blocks.

    Args:
        map_: How scales are read.
        scales: Their type.
        given: Of which weights are an argument, "%integers" or "%scales", in the place of a constant.
        more: Ops behind the product.
        results: What is returned, products all.
    """
    random = np.random.default_rng(2)
    constants = {"%integers": (Q, random.integers(-8, 8, (BLOCKS, POINTS, COLUMNS)).tolist())}
    shape = [int(one) for one in scales.split("x")[:-1]]
    constants["%scales"] = scales, (2.0 ** -random.integers(1, 4, shape)).astype(float).tolist()
    lines = [f"{n} = arith.constant dense<{v}> : tensor<{k}>" for n, (k, v) in constants.items() if n != given]
    argument = f", {given}: tensor<{constants[given][0]}>" if given else ""
    kinds = ", ".join([f"tensor<{Y}>"] * len(results.split(",")))
    body = "\n      ".join(lines)
    return f"""{MAPS}func.func @f(%x: tensor<{X}>{argument}) -> ({kinds}) {{
      {body}
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<{D}>
      %d = linalg.generic {{indexing_maps = [#all, {map_}, #all],
          iterator_types = ["parallel", "parallel", "parallel"]}}
          ins(%integers, %scales : tensor<{Q}>, tensor<{scales}>) outs(%e : tensor<{D}>) {{
      ^bb0(%q: i8, %s: f32, %o: f32):
        {SCALED}
      }} -> tensor<{D}>
      %w = tensor.collapse_shape %d [[0, 1], [2]] : tensor<{D}> into tensor<{W}>
      %ye = tensor.empty() : tensor<{Y}>
      %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<{Y}>) -> tensor<{Y}>
      %r = linalg.matmul ins(%x, %w : tensor<{X}>, tensor<{W}>) outs(%yz : tensor<{Y}>) -> tensor<{Y}>
      {more}
      return {results} : {kinds}
    }}"""


def priced(apart: float, together: float) -> Callable[[TensorExpression, ConstantInputs], float]:
    """Return what ops cost: those of two inputs, and those of three."""
    return lambda expression, _: together if len(expression.inputs) == 3 else apart


def rewritten(text: str, seconds: Callable[[TensorExpression, ConstantInputs], float | None]) -> tuple[int, int, str]:
    """Rewrite a module, which gives what it gave; return how many loops were divided, how many products changed."""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        divided = read_through_broadcasts(block)
        run_upstream(CLEAN, module)
        operations = compose_into_readers(members_of(block))
        changed = multiply_weights(operations, seconds)
        for one in changed:
            assert read_structured(one).expression.input_flops == (0, 2, 0)
        run_upstream(CLEAN, module)
        assert module.operation.verify()
        random = np.random.default_rng(3)
        arguments = [random.integers(-8, 8, (ROWS, BLOCKS * POINTS)).astype(np.float32)]
        if "%scales: " in text:
            arguments.append(np.full((BLOCKS, COLUMNS), 0.5, np.float32))
        if "%integers: " in text:
            arguments.append(random.integers(-8, 8, (BLOCKS, POINTS, COLUMNS)).astype(np.int8))
        given = [evaluate_function(each, "f", arguments).outputs for each in (before, module)]
        for one, other in zip(*given, strict=True):
            np.testing.assert_array_equal(one, other)
        return divided, len(changed), str(module)


def test_a_product_dequantizes_the_weights_that_it_multiplies_where_that_saves_time() -> None:
    divided, changed, text = rewritten(function(), priced(2.0, 3.0))
    assert (divided, changed) == (1, 1) and "collapse_shape" not in text
    assert text.count("linalg.generic") == 1
    divided, changed, text = rewritten(function(), priced(2.0, 4.0))
    assert (divided, changed) == (1, 0) and text.count("linalg.generic") == 2
    assert rewritten(function(), lambda expression, _: None if len(expression.inputs) == 3 else 1.0)[1] == 0


def test_what_is_predicted_knows_which_inputs_are_constants() -> None:
    seen: list[tuple[int, ConstantInputs]] = []

    def seconds(expression: TensorExpression, constants: ConstantInputs) -> float:
        seen.append((len(expression.inputs), constants))
        return 1.0

    assert rewritten(function(), seconds)[1] == 1
    assert seen == [(2, ConstantInputs((0, 1))), (2, ConstantInputs()), (3, ConstantInputs((1, 2)))]


@pytest.mark.parametrize("given", ["%integers", "%scales"])
def test_what_is_known_at_run_time_only_is_dequantized_once(given: str) -> None:
    assert rewritten(function(given=given), priced(2.0, 1.0))[:2] == (1, 0)


def test_weights_that_several_read_are_dequantized_once() -> None:
    more = f"%r2 = linalg.matmul ins(%x, %w : tensor<{X}>, tensor<{W}>) outs(%r : tensor<{Y}>) -> tensor<{Y}>"
    assert rewritten(function(more=more, results="%r, %r2"), priced(2.0, 1.0))[:2] == (2, 0)


def test_a_scale_for_each_point_of_all_blocks_divides_a_reduction_too() -> None:
    assert rewritten(function(map_="#point", scales=f"{POINTS}x{COLUMNS}xf32"), priced(2.0, 1.0))[:2] == (1, 1)


def test_a_scale_for_each_weight_divides_nothing() -> None:
    assert rewritten(function(map_="#all", scales=D), priced(2.0, 1.0))[:2] == (0, 0)
