# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a comparison finds, and what it must not mind."""

from math import inf
from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.measure.runner.expected import tolerance
from roller_mlir.evaluation.measure.runner.expected.tolerance import ExpectedOutputs
from roller_mlir.plan.accuracy.rounding import Rounding, Terms, extreme_of, half_spacing, sum_error
from roller_mlir.runtime.arguments.element_types import bf16_bits, bf16_values


def product(n: int, seed: int = 0) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    a, b = (random.random(shape, dtype=np.float32) * 2 - 1 for shape in ((48, n), (n, 40)))
    return a, b, a.astype(np.float64) @ b.astype(np.float64)


def expected(*outputs: Any, bound: float = 0.0, kind: str = "f32", against: str = "torch f64") -> ExpectedOutputs:
    """Return what outputs must be, within one bound for all elements."""
    bounds = tuple(np.full(np.shape(one), bound) if bound else None for one in outputs)
    return ExpectedOutputs(against=against, outputs=outputs, bounds=bounds, element_types=(kind,) * len(outputs))


def of_product(a: Any, b: Any, stored: str = "f32", *, truncates: bool = False) -> ExpectedOutputs:
    """Return what a product must be, with the bound of its sums."""
    wide = a.astype(np.float64), b.astype(np.float64)
    parts = [wide[0][:, one] @ wide[1][one] for one in np.array_split(np.arange(a.shape[1]), min(8, a.shape[1]))]
    total = np.add.reduce(parts)
    terms = Terms(
        count=a.shape[1] + 1,
        total=total,
        magnitude=abs(wide[0]) @ abs(wide[1]),
        squares=wide[0] ** 2 @ wide[1] ** 2,
        extreme=extreme_of(np, parts),
    )
    bound = sum_error(np, terms, Rounding(accumulator="f32", truncates=truncates))
    bound = bound + half_spacing(np, abs(total), stored)
    return ExpectedOutputs(against="torch f64", outputs=(total,), bounds=(bound,), element_types=(stored,))


def in_order(a: Any, b: Any) -> Any:
    """Return a product summed in f32 one product after the other: the worst of all orders."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(a.shape[1]):
        total = total + a[:, k, None] * b[None, k, :]
    return total


def towards_zero(value: Any) -> Any:
    near = value.astype(np.float32)
    return np.where(abs(near.astype(np.float64)) > abs(value), np.nextafter(near, np.float32(0)), near)


@pytest.mark.parametrize("n", [1, 7, 64, 1000, 8192])
def test_sums_of_f32_in_any_order_pass(n: int) -> None:
    a, b, _ = product(n)
    for got in (in_order(a, b), a @ b):
        verdict = of_product(a, b).compare(got)
        assert verdict.ok and verdict.error is not None and verdict.error < 0.8, verdict


@pytest.mark.parametrize("n", [256, 4096, 30528])
def test_sums_that_are_rounded_towards_zero_by_matrix_instructions_pass(n: int) -> None:
    a, b, want = product(n)
    total = np.zeros(want.shape, np.float32)
    for k in range(0, n, 16):
        step = a[:, k : k + 16].astype(np.float64) @ b[k : k + 16].astype(np.float64)
        total = towards_zero(total.astype(np.float64) + step)
    verdict = of_product(a, b, truncates=True).compare(total)
    assert verdict.ok and verdict.error is not None and verdict.error < 0.9, verdict


@pytest.mark.parametrize("n", [64, 4096, 30522])
@pytest.mark.parametrize("stored", ["f32", "f16"])
def test_a_step_of_eight_products_that_is_missing_in_one_element_is_found(n: int, stored: str) -> None:
    a, b, _ = product(n)
    got = (a @ b).astype(np.float16 if stored == "f16" else np.float32)
    want = of_product(a, b, stored, truncates=stored == "f16")
    assert want.compare(got).ok
    got[47, 39] = a[47, : n - 8] @ b[: n - 8, 39]
    verdict = want.compare(got)
    assert not verdict.ok and "1 of 1920 elements are wrong; the worst, at [47, 39], is" in verdict.message


def test_one_product_that_is_missing_is_found_in_f32() -> None:
    a, b, _ = product(4096)
    got = a @ b
    got[0, 0] -= a[0, 4095] * b[4095, 0]
    assert abs(a[0, 4095] * b[4095, 0]) > 0.001
    assert not of_product(a, b).compare(got).ok


@pytest.mark.parametrize("bad", [np.nan, inf, -inf])
@pytest.mark.parametrize("bound", [0.0, 1.0])
def test_nan_and_infinity_never_pass(bad: float, bound: float) -> None:
    want = np.ones((3, 4), np.float32)
    got = want.copy()
    got[1, 2] = bad
    verdict = expected(want, bound=bound).compare(got)
    assert not verdict.ok and verdict.error == inf and "[1, 2]" in verdict.message


def test_nothing_is_compared_with_what_is_not_finite() -> None:
    want = np.array([1.0, np.nan])
    verdict = expected(want, bound=1.0).compare(want)
    assert not verdict.ok and verdict.message == "the output: what is expected by torch f64 is not finite"
    assert not expected(np.array([inf]), bound=1.0).compare(np.array([inf])).ok


def test_all_zeros_never_stand_for_a_result() -> None:
    a, b, want = product(100)
    assert not of_product(a, b).compare(np.zeros(want.shape, np.float32)).ok
    zeros = np.zeros((2, 2))
    assert of_product(zeros, zeros).compare(zeros).ok
    assert not of_product(zeros, zeros).compare(zeros + 1e-30).ok


def test_integers_must_be_equal() -> None:
    want = np.array([[2**30, -5], [7, 8]], np.int32)
    assert expected(want, kind="i32").compare(want).error == 0
    got = want + np.array([[1, 0], [0, 0]], np.int32)
    verdict = expected(want, kind="i32").compare(got)
    message = "the output: 1 of 4 elements are wrong; the worst, at [0, 0], is 1073741825 instead of 1073741824"
    assert verdict.error == inf and verdict.message == message


def test_bf16_is_compared_by_value() -> None:
    want = np.linspace(-3, 3, 101)
    bits = bf16_bits(want)
    assert bits.dtype == np.uint16
    assert expected(want, kind="bf16", bound=2.0**-20).compare(bits).ok
    assert expected(bits, kind="bf16").compare(bits).ok
    assert np.allclose(bf16_values(bits), want, rtol=2**-8)
    bits[50:] ^= np.uint16(0x0040)
    assert not expected(want, kind="bf16", bound=2.0**-20).compare(bits).ok


def test_wrong_shapes_and_numbers_of_outputs_have_no_error() -> None:
    want = np.ones((2, 3))
    verdict = expected(want).compare(np.ones((3, 2)))
    assert not verdict.ok and verdict.error is None and verdict.message == "the output is 3x2 instead of 2x3"
    assert expected(want).compare([want, want]).message == "2 outputs instead of 1"
    assert expected(np.float64(1.0).reshape(())).compare(np.ones(1)).message == "the output is 1 instead of a scalar"


def test_the_worst_of_several_outputs_is_told() -> None:
    first, second = np.ones((2, 2)), np.ones(3)
    wrong = np.array([1.0, 1.0, 2.0])
    verdict = expected(first, second).compare([first, wrong])
    assert not verdict.ok and verdict.message.startswith(
        "output 1: 1 of 3 elements are wrong; the worst, at [2], is 2 "
    )


def test_scalars_and_empty_arrays_are_compared() -> None:
    assert expected(np.array(2.0)).compare(np.array(2.0)).ok
    assert "the worst, at [], is 3 instead of 2" in expected(np.array(2.0)).compare(np.array(3.0)).message
    assert expected(np.ones((0, 3))).compare(np.ones((0, 3))).ok


def test_every_chunk_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tolerance, "_CHUNK", 7)
    want = np.arange(1.0, 31.0).reshape(5, 6)
    assert expected(want).compare(want).ok
    for number in range(30):
        got = want.copy()
        got.reshape(-1)[number] += 1
        verdict = expected(want).compare(got)
        assert not verdict.ok and str(list(divmod(number, 6))) in verdict.message


def test_a_library_may_round_what_it_adds() -> None:
    """A product in f16 of a library whose bias is f16 too: one more rounding error than ours has."""
    want = np.array([1.0, 100.0])
    got = want * (1 + 2.0**-11)
    assert not expected(want, bound=1e-7, kind="f32").compare(got.astype(np.float32)).ok
    assert expected(want, bound=1e-7, kind="f32").compare(got.astype(np.float16)).ok
    assert not expected(want, bound=1e-7, kind="f32").compare((want * (1 + 2.0**-8)).astype(np.float16)).ok
