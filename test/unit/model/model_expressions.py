# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor expressions for the tests of the model: named shapes and hypothesis strategies."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression

QUICK = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
"""Settings of the property tests: repeatable, and quick enough for every check."""

Dimension = int | Mapping[int, int]
"""A loop, or {loop: coefficient}."""


def access(name: str, shape: Sequence[int], dimensions: Sequence[Dimension], loops: int) -> Access:
    """Return an f32 access whose dimensions are indexed by loops or by sums of them."""
    indices: list[LinearIndex] = []
    for dimension in dimensions:
        terms = {dimension: 1} if isinstance(dimension, int) else dimension
        indices.append(LinearIndex(tuple(terms.get(loop, 0) for loop in range(loops))))
    return Access(name, tuple(shape), "f32", tuple(indices))


def expression(
    parallel: Sequence[int],
    reductions: Sequence[int],
    inputs: Sequence[tuple[str, Sequence[int], Sequence[Dimension]]],
    output: tuple[str, Sequence[int], Sequence[Dimension]],
    *,
    product: bool = True,
) -> TensorExpression:
    """Return an expression; parallel loops come first."""
    count = len(parallel) + len(reductions)
    return TensorExpression(
        loops=tuple(Loop(n) for n in parallel) + tuple(Loop(n, True) for n in reductions),
        inputs=tuple(access(*each, count) for each in inputs),
        output=access(*output, count),
        combiner="arith.addf" if reductions else None,
        flops_per_point=2 if product else 1,
        pad_values=tuple(0.0 for _ in inputs),
        fused_multiply_add=product and bool(reductions),
    )


def typed(expr: TensorExpression, operand: str, result: str) -> TensorExpression:
    """Return an expression of other element types."""
    inputs = tuple(replace(access, element_type=operand) for access in expr.inputs)
    combiner = expr.combiner and ("arith.addi" if result.startswith("i") else "arith.addf")
    return replace(expr, inputs=inputs, output=replace(expr.output, element_type=result), combiner=combiner)


def matmul(m: int, n: int, k: int, *, a_transposed: bool = False, b_transposed: bool = False) -> TensorExpression:
    """Return C[m, n] += A[m, k] * B[k, n], with either factor transposed."""
    a = ("A", (k, m), (2, 0)) if a_transposed else ("A", (m, k), (0, 2))
    b = ("B", (n, k), (1, 2)) if b_transposed else ("B", (k, n), (2, 1))
    return expression([m, n], [k], [a, b], ("C", (m, n), (0, 1)))


def row_sum(rows: int, columns: int) -> TensorExpression:
    """Return y[i] += x[i, j]."""
    return expression([rows], [columns], [("x", (rows, columns), (0, 1))], ("y", (rows,), (0,)), product=False)


def column_sum(rows: int, columns: int) -> TensorExpression:
    """Return y[j] += x[i, j]."""
    return expression([columns], [rows], [("x", (rows, columns), (1, 0))], ("y", (columns,), (0,)), product=False)


def conv2d(batch: int, size: int, channels: int, filters: int, window: int) -> TensorExpression:
    """Return an NHWC convolution with stride 1."""
    image = ("I", (batch, size + window - 1, size + window - 1, channels), (0, {1: 1, 4: 1}, {2: 1, 5: 1}, 6))
    weight = ("W", (window, window, channels, filters), (4, 5, 6, 3))
    output = ("O", (batch, size, size, filters), (0, 1, 2, 3))
    return expression([batch, size, size, filters], [window, window, channels], [image, weight], output)


CASES: dict[str, TensorExpression] = {
    "1x1x1": matmul(1, 1, 1),
    "1x512x129": matmul(1, 512, 129),
    "7x7x7": matmul(7, 7, 7),
    "37x211x53": matmul(37, 211, 53),
    "127x131x61": matmul(127, 131, 61),
    "256x256x256": matmul(256, 256, 256),
    "1000x1000x1020": matmul(1000, 1000, 1020),
    "transposed_a": matmul(128, 192, 64, a_transposed=True),
    "transposed_b": matmul(128, 192, 64, b_transposed=True),
    "tall": matmul(100000, 8, 16),
    "deep": matmul(16, 16, 100000),
    "batch": expression(
        [5, 64, 48], [32], [("A", (5, 64, 32), (0, 1, 3)), ("B", (5, 32, 48), (0, 3, 2))], ("C", (5, 64, 48), (0, 1, 2))
    ),
    "six_loops": expression(
        [4, 8, 16, 24],
        [6, 10],
        [("A", (4, 6, 16, 10), (0, 4, 2, 5)), ("B", (8, 10, 24, 6), (1, 5, 3, 4))],
        ("C", (4, 8, 16, 24), (0, 1, 2, 3)),
    ),
    "matrix_vector": expression([513], [777], [("A", (513, 777), (0, 1)), ("x", (777,), (1,))], ("y", (513,), (0,))),
    "vector_matrix": expression([777], [513], [("x", (513,), (1,)), ("A", (513, 777), (1, 0))], ("y", (777,), (0,))),
    "conv": conv2d(2, 14, 16, 32, 3),
    "row_sum": row_sum(100, 1000),
    "row_sum_odd": row_sum(3, 997),
    "column_sum": column_sum(1000, 100),
    "middle_sum": expression([6, 40], [50], [("x", (6, 50, 40), (0, 2, 1))], ("y", (6, 40), (0, 1)), product=False),
    "outer_and_inner_sum": expression(
        [40], [6, 50], [("x", (6, 40, 50), (1, 0, 2))], ("y", (40,), (0,)), product=False
    ),
    "full_sum": expression([], [300, 70], [("x", (300, 70), (0, 1))], ("y", (), ()), product=False),
    "element_wise": expression([1000, 33], [], [("x", (1000, 33), (0, 1))], ("y", (1000, 33), (0, 1)), product=False),
    "bias": expression(
        [64, 1000],
        [],
        [("x", (64, 1000), (0, 1)), ("b", (1000,), (1,)), ("s", (), ())],
        ("y", (64, 1000), (0, 1)),
        product=False,
    ),
    "transpose": expression([100, 260], [], [("x", (260, 100), (1, 0))], ("y", (100, 260), (0, 1)), product=False),
    "fill": expression([1000], [], [], ("y", (1000,), (0,)), product=False),
    "scalar": expression([], [], [("x", (), ())], ("y", (), ()), product=False),
}
"""The operators of the scope, small and awkward."""


@st.composite
def expressions(draw: st.DrawFn, *, largest: int = 40, windows: bool = True) -> TensorExpression:
    """Draw an expression: up to 4 loops of any kind and 0 to 3 inputs with affine indices."""
    extents = draw(st.lists(st.integers(1, largest), min_size=1, max_size=4))
    loops = tuple(Loop(extent, draw(st.booleans())) for extent in extents)
    count = len(loops)
    inputs: list[Access] = []
    for number in range(draw(st.integers(0, 3))):
        used = draw(st.lists(st.integers(0, count - 1), max_size=3, unique=True))
        indices: list[LinearIndex] = []
        for loop in used:
            terms = {loop: draw(st.integers(1, 2))}
            if windows and draw(st.integers(0, 3)) == 0:
                terms.setdefault(draw(st.integers(0, count - 1)), 1)
            indices.append(
                LinearIndex(tuple(terms.get(i, 0) for i in range(count)), draw(st.integers(0, 2)) if windows else 0)
            )
        shape = tuple(
            1 + index.constant + sum(k * (loops[i].extent.bound - 1) for i, k in index.terms().items())
            for index in indices
        )
        inputs.append(Access(f"x{number}", shape, "f32", tuple(indices)))
    parallel = draw(st.permutations([i for i, loop in enumerate(loops) if not loop.reduction]))
    reduces = any(loop.reduction for loop in loops)
    return TensorExpression(
        loops=loops,
        inputs=tuple(inputs),
        output=access("y", [loops[i].extent.static for i in parallel], list(parallel), count),
        combiner="arith.addf" if reduces else None,
        flops_per_point=2,
        pad_values=tuple(0.0 for _ in inputs),
        fused_multiply_add=reduces and len(inputs) == 2,
    )
