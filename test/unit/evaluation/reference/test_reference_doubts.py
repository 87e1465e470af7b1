# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Integers and truth values that may be others: what follows from them, and what does not."""

import numpy as np
import pytest
from body_functions import Array

from roller_mlir.evaluation.reference.bounds.body import compute
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.bounds.sums import bounded_reduction
from roller_mlir.evaluation.reference.integers import COMPARE_INTEGERS
from roller_mlir.support.bindings import ir, make_context

TRUE, FALSE, EITHER = (True, 0.0), (False, 0.0), (True, 1.0)


def joined(combiner: str, points: Bounded, start: Bounded, kind: str) -> Bounded:
    """Join one row of contributions."""
    with make_context(), ir.Location.unknown():
        module = ir.Module.create()
        return bounded_reduction(module.operation, combiner, points, (1,), start, kind)


@pytest.mark.parametrize(
    ("combiner", "row", "certain"),
    [
        ("arith.ori", [EITHER, FALSE], False),
        ("arith.ori", [EITHER, TRUE], True),
        ("arith.andi", [EITHER, TRUE], False),
        ("arith.andi", [EITHER, FALSE], True),
        ("arith.maxui", [EITHER, TRUE], True),
        ("arith.minui", [EITHER, FALSE], True),
        ("arith.maxsi", [EITHER, FALSE], True),
        ("arith.minsi", [EITHER, TRUE], True),
        ("arith.xori", [EITHER, TRUE], False),
        ("arith.xori", [FALSE, TRUE], True),
    ],
)
def test_a_truth_value_decides_or_leaves_a_doubt(combiner: str, row: list[tuple[bool, float]], certain: bool) -> None:
    data, error = np.array([[one for one, _ in row]]), np.array([[off for _, off in row]])
    neutral = combiner in ("arith.andi", "arith.minui", "arith.maxsi")
    other = Bounded(np.array([[True, False]]), np.array([[0.0, 1.0]]))  # rules apply where something is in doubt
    points = Bounded(np.concatenate([data, other.data]), np.concatenate([error, other.errors()]))
    found = joined(combiner, points, Bounded(np.array([[neutral], [neutral]])), "i1")
    assert bool(found.errors()[0, 0] == 0) is certain


def test_of_numbers_without_a_sign_nothing_is_known_where_one_may_be_another() -> None:
    points = Bounded(np.array([[3, 5], [3, 5]], np.int32), np.array([[0.0, 1.0], [0.0, 0.0]]))
    found = joined("arith.maxui", points, Bounded(np.zeros((2, 1), np.int32)), "i32")
    assert found.data.tolist() == [[5], [5]] and found.errors().tolist() == [[np.inf], [0.0]]


@pytest.mark.parametrize(("predicate", "certain"), [("slt", True), ("ult", False), ("eq", True), ("ugt", False)])
def test_a_number_that_may_change_its_sign_is_compared_without_it(predicate: str, certain: bool) -> None:
    """-1, which may be 0, is less than 5 with a sign; without one, it is greater, and 0 is not."""
    names = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")

    def compare(a: Array, b: Array) -> Array:
        return COMPARE_INTEGERS[names.index(predicate)](a, b)

    given = [Bounded(np.array([-1], np.int32), np.array([1.0])), Bounded(np.array([5], np.int32))]
    assert bool(compute("arith.cmpi", compare, "i1", given).errors()[0] == 0) is certain
