# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each alignment rule by itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_expressions import QUICK, conv2d, matmul

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.model.search.alignment import (
    ExecutionUnitRule,
    MemoryTransactionRule,
    TensorShapeRule,
    WindowRule,
    aligned_sizes,
    bank_padding,
    device_rules,
)


def test_execution_unit() -> None:
    rule = ExecutionUnitRule.of(find_device("mi300x"))
    assert rule.allows_threads(64)
    assert rule.allows_threads(1024)
    assert not rule.allows_threads(32)
    assert not rule.allows_threads(96)
    assert not rule.allows_threads(2048)


def test_memory_transaction() -> None:
    rule, expr = MemoryTransactionRule(32), matmul(64, 64, 64)
    assert rule.allows_size(expr, 0, 3), "loop m is contiguous in no tensor"
    assert not rule.allows_size(expr, 1, 4)
    assert rule.allows_size(expr, 1, 8)
    assert not rule.allows_size(expr, 2, 12)
    assert rule.allows_size(expr, 2, 16)
    assert rule.allows_size(matmul(64, 5, 64), 1, 5), "a whole row is never cut"


def test_tensor_shape() -> None:
    """N = 100: tiles of 64 pad by 28 %, of 96 by 92 %."""
    expr = matmul(100, 100, 100)
    assert TensorShapeRule(0.28).allows_size(expr, 0, 64)
    assert not TensorShapeRule(0.27).allows_size(expr, 0, 64)
    assert not TensorShapeRule(0.9).allows_size(expr, 0, 96)
    assert TensorShapeRule(0.0).allows_size(expr, 0, 25)


@QUICK
@given(st.integers(1, 500), st.integers(1, 200), st.floats(0, 2))
def test_tensor_shape_bounds_the_waste(extent: int, size: int, epsilon: float) -> None:
    if TensorShapeRule(epsilon).allows_size(matmul(extent, 1, 1), 0, size):
        padded = -(-extent // size) * size
        assert padded - extent <= epsilon * extent + 1e-9


def test_window_steps_divide() -> None:
    expr = conv2d(1, 8, 4, 4, 3)
    assert WindowRule().allows_size(expr, 4, 1)
    assert WindowRule().allows_size(expr, 4, 3)
    assert not WindowRule().allows_size(expr, 4, 2)
    assert WindowRule().allows_size(expr, 6, 3), "channels move no window"


def test_figure_5() -> None:
    """A 3x4 tile over 4 banks, read by columns, is padded by 1."""
    assert bank_padding(row=4, fragment=1, banks=4, bank_width=1) == 1


@QUICK
@given(st.integers(1, 300), st.sampled_from([1, 2, 4]))
def test_bank_padding_frees_columns_of_conflicts(row: int, fragment: int) -> None:
    """With the formula's padding, a column of fragments falls into different banks."""
    pad = bank_padding(row, fragment, 32, 1)
    count = 32 // fragment
    column = [4 * i * (row + pad) for i in range(count)]
    if (row + pad) % fragment == 0:
        assert phases(column, 4 * fragment, Banks(), load=True) == 1


@pytest.mark.parametrize("name", ["v100", "h200", "mi300x"])
def test_aligned_sizes_obey_every_rule(name: str) -> None:
    expr = matmul(1000, 1000, 1020)
    rules = device_rules(find_device(name), 0.1)
    sizes = aligned_sizes(rules, expr, 1, 256)
    assert sizes == tuple(sorted(sizes))
    assert 128 in sizes
    assert 4 not in sizes
    assert all(rule.allows_size(expr, 1, size) for rule in rules for size in sizes)
