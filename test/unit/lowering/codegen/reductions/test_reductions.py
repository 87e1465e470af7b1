# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions over any axes: lanes, shuffles, workgroup memory, partial steps with and without a neutral pad."""

import numpy as np
import pytest
from kernel_cases import MAXIMUM, SUM, SUM_OF_SQUARES, SUM_OF_X_PLUS_1, axis, check, generic, plan

BODIES = {
    "sum": (SUM, "0.0", lambda a, axes: a.sum(axes)),
    "max": (MAXIMUM, "0xFF800000", lambda a, axes: a.max(axes)),
    "sum of squares from 1": (SUM_OF_SQUARES, "1.0", lambda a, axes: (a * a).sum(axes) + 1),
    "sum of x + 1 from 2": (SUM_OF_X_PLUS_1, "2.0", lambda a, axes: (a + 1).sum(axes) + 2),
}
SHAPES = [(16, 256), (7, 1000), (33, 37), (5, 1)]
ROW_PLANS = {
    "lanes and several subgroups": plan([axis(2), axis(512, 128, 4)], (1,), 1, ()),
    "shuffles": plan([axis(8, 8), axis(32, 8)], (0, 1), None, ()),
    "no power of two": plan([axis(12, 3), axis(24, 12, 2)], (0, 1), 1, ()),
}


@pytest.mark.full(every=12)
@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("make", ROW_PLANS.values(), ids=ROW_PLANS)
def test_rows(name: str, make) -> None:
    body, initial, reference = BODIES[name]
    for m, n in SHAPES:
        source = generic(["(i, k) -> (i, k)", "(i, k) -> (i)"], "pr", [(m, n)], (m,), body, initial)
        check(source, make, [(m, n)], lambda a: reference(a, 1))


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", BODIES)
def test_columns(name: str) -> None:
    body, initial, reference = BODIES[name]
    make = plan([axis(128, 32, 4), axis(16, 4)], (0, 1), 0, ())
    for m, n in SHAPES:
        source = generic(["(i, k) -> (k, i)", "(i, k) -> (i)"], "pr", [(m, n)], (n,), body, initial)
        check(source, make, [(m, n)], lambda a: reference(a, 0))


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", BODIES)
def test_outer_and_inner_axes_at_once(name: str) -> None:
    body, initial, reference = BODIES[name]
    maps = ["(i, k, l) -> (k, i, l)", "(i, k, l) -> (i)"]
    make = plan([axis(4, 4), axis(2), axis(8, 8)], (2, 0), None, ())
    source = generic(maps, "prr", [(6, 7, 9)], (7,), body, initial)
    check(source, make, [(6, 7, 9)], lambda a: reference(a, (0, 2)))


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", BODIES)
def test_all_axes(name: str) -> None:
    body, initial, reference = BODIES[name]
    maps = ["(i, k, l) -> (i, k, l)", "(i, k, l) -> ()"]
    make = plan([axis(6), axis(8, 8), axis(16, 8, 2)], (2, 1), 2, ())
    source = generic(maps, "rrr", [(6, 7, 9)], (), body, initial)
    check(source, make, [(6, 7, 9)], lambda a: np.asarray(reference(a, (0, 1, 2))))
