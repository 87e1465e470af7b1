# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions of any operand order, size and thread map give what numpy gives."""

import numpy as np
import pytest
from kernel_cases import MULTIPLY_ADD, axis, check, generic, plan

LAYOUTS = {
    "n": (("m", "k"), ("k", "n"), lambda a, b: a @ b),
    "ta": (("k", "m"), ("k", "n"), lambda a, b: a.T @ b),
    "tb": (("m", "k"), ("n", "k"), lambda a, b: a @ b.T),
}
SIZES = [(64, 64, 32), (37, 53, 29), (100, 132, 36), (1, 1, 1), (1, 129, 64)]
PLANS = {
    "double-buffered": plan([axis(64, 16, 4), axis(64, 16, 4), axis(8)], (1, 0), 1, (0, 1), stages=2),
    "single-buffered": plan([axis(32, 8, 4), axis(64, 16, 4), axis(16)], (1, 0), 1, (0, 1), unroll=4),
    "reduction split over threads": plan([axis(16, 8), axis(16, 4, 4), axis(32, 8, 2)], (1, 0, 2), 1, (0, 1)),
    "not staged": plan([axis(16, 8), axis(32, 8, 4), axis(8)], (1, 0), 1, ()),
    "scalars": plan([axis(6, 3), axis(10, 5), axis(7)], (0, 1), None, (0, 1), stages=2),
}


@pytest.mark.full(each=["layout", "make"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("make", PLANS.values(), ids=PLANS)
def test_matmul(layout: str, make) -> None:
    left, right, reference = LAYOUTS[layout]
    for m, n, k in SIZES if layout == "n" else SIZES[1:2]:
        extents = {"m": m, "n": n, "k": k}
        shapes = [[extents[d] for d in left], [extents[d] for d in right]]
        maps = [f"(m, n, k) -> ({', '.join(d)})" for d in (left, right, ("m", "n"))]
        check(generic(maps, "ppr", shapes, (m, n), MULTIPLY_ADD), make, shapes, reference)


def test_waves_of_64_lanes() -> None:
    shapes = [(37, 29), (29, 53)]
    maps = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
    split = plan([axis(8, 4), axis(16, 4, 4), axis(64, 32)], (1, 2, 0), 1, (0, 1))
    check(generic(maps, "ppr", shapes, (37, 53), MULTIPLY_ADD), split, shapes, np.matmul, device="mi300x")


def test_five_dimensions() -> None:
    b, h, m, n, k = 3, 2, 20, 24, 10
    shapes = [(b, m, h, k), (b, n, h, k)]
    loops = "(b, h, m, n, k)"
    maps = [f"{loops} -> (b, m, h, k)", f"{loops} -> (b, n, h, k)", f"{loops} -> (b, h, m, n)"]
    make = plan([axis(1), axis(1), axis(16, 8, 2), axis(16, 4, 4), axis(4)], (3, 2), 3, (0, 1), stages=2)
    source = generic(maps, "ppppr", shapes, (b, h, m, n), MULTIPLY_ADD)
    check(source, make, shapes, lambda x, y: np.einsum("bmhk,bnhk->bhmn", x, y))


@pytest.mark.full
def test_six_dimensions_with_two_reductions() -> None:
    shapes = [(4, 5, 6, 7), (6, 7, 8, 3)]
    loops = "(a, b, c, d, e, f)"
    maps = [f"{loops} -> (a, b, e, f)", f"{loops} -> (e, f, c, d)", f"{loops} -> (a, b, c, d)"]
    axes = [axis(4, 4), axis(5), axis(8, 8), axis(3), axis(4), axis(4)]
    make = plan(axes, (2, 0), None, (0, 1), stages=2)
    source = generic(maps, "pppprr", shapes, (4, 5, 8, 3), MULTIPLY_ADD)
    check(source, make, shapes, lambda x, y: np.einsum("abef,efcd->abcd", x, y))


def test_matrix_vector() -> None:
    shapes = [(37, 211), (211,)]
    maps = ["(m, k) -> (m, k)", "(m, k) -> (k)", "(m, k) -> (m)"]
    make = plan([axis(4, 4), axis(64, 32)], (1, 0), None, ())
    check(generic(maps, "pr", shapes, (37,), MULTIPLY_ADD), make, shapes, lambda a, x: a @ x)
