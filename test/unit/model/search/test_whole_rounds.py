# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tiles of matrix instructions between the powers of two: chosen where they fill the last round of tasks."""

from math import ceil, prod
from unittest.mock import patch

import pytest

from roller_mlir.hal import find_device
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.search import construct as construction
from roller_mlir.plan import Access, LinearIndex, Loop, Plan, TensorExpression


def product(m: int, n: int, k: int, *, transposed: bool = True) -> TensorExpression:
    """Return a product of f16 in f32, whose second factor has its reduction innermost or not."""
    row, column, depth = (LinearIndex(tuple(int(i == j) for j in range(3))) for i in range(3))
    second = (column, depth) if transposed else (depth, column)
    shape = (n, k) if transposed else (k, n)
    return TensorExpression(
        (Loop(m), Loop(n), Loop(k, True)),
        (Access("a", (m, k), "f16", (row, depth)), Access("b", shape, "f16", second)),
        Access("c", (m, n), "f32", (row, column)),
        "arith.addf",
        2,
        (0.0, 0.0),
        fused_multiply_add=True,
    )


def first(expression: TensorExpression, device: str, *, fill: bool = True) -> Plan:
    with patch.object(construction, "fill_rounds", construction.fill_rounds if fill else lambda *given: None):
        return construct(expression, find_device(device), ConstructOptions(top_k=1, split=False))[0]


def idle(plan: Plan, expression: TensorExpression) -> float:
    """Return which share of the busiest unit's time the others wait in the last round."""
    units = find_device(plan.device).units
    tasks = prod(ceil(n / axis.block) for n, axis in zip(expression.bounds[:2], plan.axes, strict=False))
    return 1 - tasks / (ceil(tasks / units) * units)


@pytest.mark.parametrize(
    ("size", "transposed", "device"),
    [
        (1536, True, "h200"),
        (3072, True, "h200"),
        (2560, True, "h200"),
        (5120, True, "h200"),
        (1536, False, "h200"),
    ],
)
def test_the_last_round_is_filled(size: int, transposed: bool, device: str) -> None:
    expression = product(size, size, size, transposed=transposed)
    before, after = (first(expression, device, fill=fill) for fill in (False, True))
    assert before.prediction is not None and after.prediction is not None
    assert after.prediction.seconds < 0.98 * before.prediction.seconds
    assert idle(after, expression) < idle(before, expression)
    blocks = [axis.block for axis in after.axes]
    assert any(block & (block - 1) for block in blocks)
    assert after.atom is not None
    for axis, shape in zip(after.axes, after.atom.shape, strict=True):
        assert axis.block % shape == 0
    assert plan_problem(expression, after) == ""
    limit = find_device(device)
    assert after.prediction.registers <= limit.max_registers_per_thread
    assert after.prediction.shared_bytes <= limit.max_workgroup_bytes_per_block


@pytest.mark.parametrize("size", [2048, 4096, 8192])
def test_a_round_that_is_full_stays(size: int) -> None:
    expression = product(size, size, size)
    assert first(expression, "h200", fill=False) == first(expression, "h200")


def test_nothing_is_looked_for_beside_a_launch() -> None:
    expression = product(256, 256, 256)
    assert first(expression, "a100", fill=False) == first(expression, "a100")


def test_lines_of_rows_limit_columns() -> None:
    """A factor whose columns lie innermost is copied in lines of 64 elements."""
    plan = first(product(3072, 3072, 3072, transposed=False), "h200")
    assert plan.axes[1].block % 64 == 0


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("size", [2048, 4096, 8192])
def test_products_of_mi300x_have_few_subgroups_and_long_steps(size: int, transposed: bool) -> None:
    """A subgroup goes on while the matrix unit executes, and rows of a step are at least half a line of the cache."""
    plan = first(product(size, size, size, transposed=transposed), "mi300x")
    assert plan.instruction == "mfma"
    assert plan.threads == 256
    assert plan.axes[2].block >= 32
