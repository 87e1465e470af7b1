# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a result may differ by: rounding errors, and what the program itself makes of rounding errors."""

from dataclasses import replace

import numpy as np
import pytest

from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.fuzz.jobs.execute import classify, run_job
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import make_context

# The sine of a sum of about 4000: one unit in the sum's last place is 2.4e-4 in the result.
ILL_CONDITIONED = """
func.func @fuzz(%x: tensor<10x400xf32>) -> tensor<10x400xf32> {
  %zero = arith.constant 0.0 : f32
  %none = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
      iterator_types = ["reduction", "reduction"]} ins(%x : tensor<10x400xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %p = arith.mulf %a, %a : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  %empty = tensor.empty() : tensor<10x400xf32>
  %sine = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>,
      affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<10x400xf32>, tensor<f32>) outs(%empty : tensor<10x400xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %t = arith.addf %a, %s : f32
    %r = math.sin %t : f32
    linalg.yield %r : f32
  } -> tensor<10x400xf32>
  return %sine : tensor<10x400xf32>
}
"""

DOUBLED = """
func.func @fuzz(%x: tensor<8xf32>) -> tensor<8xf32> {
  %empty = tensor.empty() : tensor<8xf32>
  %twice = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  return %twice : tensor<8xf32>
}
"""


def _job(text: str, seed: int) -> FuzzJob:
    return FuzzJob(text, "a100", "normal", seed, exact=(False,))


@pytest.mark.parametrize("seed", [1759, 1760, 1761])
def test_what_the_program_makes_of_rounding_errors_is_permitted(seed: int) -> None:
    assert run_job(_job(ILL_CONDITIONED, seed)).status in ("equal", "close")


@pytest.mark.parametrize(("text", "shape"), [(DOUBLED, (8,)), (ILL_CONDITIONED, (10, 400))])
def test_a_wrong_element_is_found(text: str, shape: tuple[int, ...]) -> None:
    inputs = [np.random.default_rng(5).standard_normal(shape).astype(np.float32)]
    with make_context() as context:
        expected = evaluate_function(parse_source(Source("-", text), context), "fuzz", inputs)
    right = expected.outputs[0]
    wrong = right.copy()
    wrong.flat[5] += 1
    assert classify(_job(text, 5), [right], expected) == ("equal", "")
    status, message = classify(_job(text, 5), [wrong], expected)
    assert status == "wrong"
    assert "result 0: 1 of " in message


def test_a_result_that_must_be_the_very_same() -> None:
    """Where the generator of programs knows that nothing rounds, the bound does not matter."""
    inputs = [np.random.default_rng(5).standard_normal((10, 400)).astype(np.float32)]
    with make_context() as context:
        expected = evaluate_function(parse_source(Source("-", ILL_CONDITIONED), context), "fuzz", inputs)
    close = expected.outputs[0] + np.float32(1e-7)
    job = _job(ILL_CONDITIONED, 5)
    assert classify(job, [close], expected)[0] == "close"
    assert classify(replace(job, exact=(True,)), [close], expected)[0] == "wrong"
