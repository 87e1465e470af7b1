# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bounds: any order passes, what is wrong does not, and every operation says how errors go through it."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.bounds.body import NoRuleError, compute
from roller_mlir.evaluation.reference.bounds.nests import Bounded, quantum_of
from roller_mlir.evaluation.reference.bounds.rules import RULES
from roller_mlir.evaluation.reference.scalars import OPERATIONS, SCALARS
from roller_mlir.plan.accuracy.accumulation import UNKNOWN, Accumulation, Summing
from roller_mlir.plan.accuracy.rounding import Rounding, half_spacing, off_by
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

sys.path.insert(0, str(Path(__file__).parents[3] / "bench" / "correctness" / "judge"))
kernels: Any = __import__("kernels")
trials: Any = __import__("trials")
MATRIX = Accumulation(kernels=(Summing(matrix=True),))


@pytest.mark.full
def test_mutants_are_found_and_right_kernels_are_not_called_wrong() -> None:
    """The table of docs/evaluation/verification.md in small."""
    found = trials.try_all(1, (16, 256))
    assert found.right > 300 and not found.rejected
    missed = {key[:2] + key[3:] for key, tried in found.tried.items() if found.found[key] < tried}
    assert {name for name, *_ in missed} <= {"f16, sums f16", "bf16, sums bf16"}
    assert all(values == "random" for _, values, _ in missed)


def test_functions_of_several_operators() -> None:
    found = trials.try_programs(1)
    assert found.right == 24 and not found.rejected
    assert found.found == found.tried and len(found.tried) == 18


def test_every_operation_says_how_errors_go_through_it() -> None:
    assert set(RULES) >= OPERATIONS
    off = Bounded(np.array([1.0]), np.array([0.5]))
    with pytest.raises(NoRuleError):
        compute("math.unheard_of", np.sqrt, "f32", [off])
    assert compute("math.unheard_of", np.sqrt, "f32", [Bounded(off.data)]).error is None


DATA = {
    "all of one sign": lambda n: np.ones(n) / 3,
    "half and half": lambda n: np.where(np.arange(n) < n // 2, 1 / 3, -1 / 3),
    "falling": lambda n: np.linspace(1, -1, n) / 3,
    "zeros": np.zeros,
}


@pytest.mark.full(each=["name", "depth", "kind"])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("depth", [3, 100, 4096])
@pytest.mark.parametrize(("kind", "initial"), [("f32", 0.0), ("f32", 1e6), ("f16, sums f16", 0.0)])
def test_sums_of_data_with_a_structure_pass_in_any_order(name: str, depth: int, kind: str, initial: float) -> None:
    """Sums of many small terms in f16 stop to grow, and those on top of a large number in f32 drift."""
    kind = next(one for one in kernels.KINDS if one.name == kind)
    held = np.float32 if kind.factor == "f32" else np.float16
    a = DATA[name](depth).astype(held)[None].repeat(8, 0)
    b = np.random.default_rng(0).uniform(0.9, 1.1, (depth, 8)).astype(held)
    bias = np.full((8, 8), initial, held)
    with make_context() as context:
        expected = evaluate_function(parse_module(kernels.text_of(kind, 8, 8, depth), context), "f", [a, b, bias])
    for order in kernels.ORDERS.values():
        got = kernels.run(kind, order, a.astype(float), b.astype(float), bias.astype(float))
        (found,) = compare_all([got.astype(held)], expected)
        assert found.matches, found


REPEATED = """func.func @f(%x: tensor<2x768xf32>, %y: tensor<2xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
      affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%x, %y : tensor<2x768xf32>, tensor<2xf32>) outs(%init : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %s: f32):
    %m = arith.minimumf %a, %b : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %r : tensor<f32>
}"""


def test_terms_that_are_added_again_and_again_are_rounded_alike() -> None:
    """Of most terms, all equal, the errors of one order have a common sign. A fourth more is wrong."""
    x = np.full((2, 768), 2, np.float32)
    x[0, 5] = -2
    for seed in range(8):
        y = np.random.default_rng(seed).uniform(-1, 1, 2).astype(np.float32)
        with make_context() as context:
            expected = evaluate_function(parse_module(REPEATED, context), "f", [x, y])
        got = np.float32(0)
        for term in np.minimum(x, y[:, None]).ravel():
            got = np.float32(got + term)
        for value, right in ((got, True), (np.float32(got + 0.25), False)):
            (found,) = compare_all([np.array(value)], expected)
            assert found.matches == right, found


def test_terms_that_differ_have_the_smaller_bound() -> None:
    x = np.abs(np.random.default_rng(4).standard_normal((2, 768))).astype(np.float32)
    with make_context() as context:
        expected = evaluate_function(parse_module(REPEATED, context), "f", [x, np.full(2, 100, np.float32)])
    total = x.astype(np.float64).sum()
    for off, right in ((0.0, True), (0.05, False)):
        (found,) = compare_all([np.array(total + off, np.float32)], expected)
        assert found.matches == right, found


def test_the_accumulation_follows_the_kernels() -> None:
    plain = Accumulation(kernels=(Summing(matrix=False, flops=2000),))
    both = Accumulation(kernels=(*MATRIX.kernels, Summing(matrix=False, flops=2000)))  # type: ignore[misc]
    narrow = Rounding(accumulator="bf16", product="bf16")
    assert MATRIX.rounding(["bf16", "bf16"], "bf16", "bf16", 1000) == Rounding(accumulator="f32")
    assert plain.rounding(["bf16", "bf16"], "bf16", "bf16", 1000) == narrow
    assert both.rounding(["bf16", "bf16"], "bf16", "bf16", 1000) == narrow
    assert both.rounding(["bf16", "bf16"], "bf16", "bf16", 1001).accumulator == "f32"  # too much for the plain one
    assert UNKNOWN.rounding(["bf16", "bf16"], "bf16", "bf16", 1000) == narrow
    parts = Accumulation(kernels=(Summing(matrix=True, parts=4),)).rounding(["f16", "f16"], "f16", "f16", 1)
    assert (parts.accumulator, parts.parts, parts.part) == ("f32", 4, "f16")
    short = Accumulation(kernels=(Summing(matrix=True, tf32=True),)).rounding(["f32", "f32"], "f32", "f32", 1)
    assert short.factor == "tf32"


def test_a_comparison_that_may_go_either_way_permits_both_branches() -> None:
    x = Bounded(np.array([0.0, 1.0]), np.array([1e-6, 1e-6]))
    zero, low, high = (Bounded(np.array([value, value])) for value in (0.0, -5.0, 7.0))
    above = compute("arith.cmpf", np.greater, "i1", [x, zero])
    assert above.errors().tolist() == [1.0, 0.0]
    chosen = compute("arith.select", SCALARS["arith.select"], "f32", [above, high, low])
    assert chosen.data.tolist() == [-5.0, 7.0] and chosen.errors()[0] >= 12 and chosen.errors()[1] == 0
    whole = compute("math.floor", np.floor, "f32", [x])
    assert whole.errors()[0] >= 1


def test_what_rounds_nowhere_must_be_equal() -> None:
    a, b = Bounded(np.array([0.1, 3.0])), Bounded(np.array([0.7, 4.0]))
    product = compute("arith.mulf", np.multiply, "f32", [a, b])
    assert product.error is None and product.skipped is not None
    assert (product.skipped[0] > 0, product.skipped[1]) == (True, 0.0)
    total = compute("arith.addf", np.add, "f32", [product, b])  # the two may be contracted
    assert total.errors()[0] > 0 and total.errors()[1] == 0
    assert quantum_of(np.array([0.75, 2.0])) == 0.25


def test_units_of_a_bound() -> None:
    want, bound = np.array([1.0, 1.0, np.nan, np.inf, 1.0, 0.0]), np.array([0.5, 0.0, 0.0, 0.0, np.inf, 0.5])
    got = np.array([2.0, 1.5, np.nan, np.inf, 99.0, np.nan])
    assert off_by(np, got, want, bound).tolist() == [2.0, np.inf, 0.0, 0.0, 0.0, np.inf]
    assert half_spacing(np, np.array([0.0, 1.0]), "f16").tolist() == [2.0**-25, 2.0**-11]
