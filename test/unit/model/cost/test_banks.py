# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures 1 and 5 of the ROLLER paper, and what they say in general: against enumeration of transactions and banks."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from model_expressions import QUICK, matmul
from tile_definitions import traffic_bytes

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.data_tile import tile_dimensions
from roller_mlir.mapping.layout.layout import buffer_shape, staged_layout, tile_cost
from roller_mlir.mapping.thread_map import ThreadMap
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.machine import machine_of
from roller_mlir.model.search.alignment import bank_padding
from roller_mlir.plan import AxisPlan
from roller_mlir.plan.plan import WORKGROUP

M, N, K = 8, 12, 16


def elements_read(rows: int, columns: int) -> int:
    """Enumerate Figure 1: the elements in all transactions of 4 that tiles of C read of A and B, row-major."""
    total = 0
    for top, left in product(range(0, M, rows), range(0, N, columns)):
        # One row of A at a time is walked in transactions; of each row of B, what holds the tile's columns.
        a = {(i, k // 4) for i in range(top, top + rows) for k in range(K)}
        b = {(k, j // 4) for k in range(K) for j in range(left, left + columns)}
        total += 4 * (len(a) + len(b))
    return total


@pytest.mark.parametrize(("tile", "share"), [((1, 1), 5.0), ((1, 4), 1.25), ((4, 4), 0.5)])
def test_figure_1(tile: tuple[int, int], share: float) -> None:
    """Transactions of 4 elements: (a) 1x1 reads mnk of A and 4mnk of B, (b) 1x4 mnk/4 and mnk, (c) 4x4 a quarter each.

    A step takes 4 points of k, one transaction of A.
    """
    assert elements_read(*tile) == share * M * N * K
    assert traffic_bytes(matmul(M, N, K), (*tile, 4), 16, output=False) == 4 * elements_read(*tile)


def bank_of(unit: int, banks: int, width: int) -> int:
    """Return the bank of one unit of memory."""
    return unit // width % banks


def column_banks(row: int, fragment: int, banks: int, width: int, count: int) -> list[set[int]]:
    """Return the banks of the first fragment of each of `count` rows."""
    return [{bank_of(i * row + at, banks, width) for at in range(fragment)} for i in range(count)]


def distinct(sets: Sequence[set[int]]) -> bool:
    return sum(map(len, sets)) == len(set[int]().union(*sets))


def test_figure_5() -> None:
    """A 3x4 tile over 4 banks of width 1, read by 3x1 tiles: all in one bank, and after a padding of 1 in three."""
    assert [column_banks(4, 1, 4, 1, 3)[i] for i in range(3)] == [{0}, {0}, {0}]
    assert bank_padding(row=4, fragment=1, banks=4, bank_width=1) == 1
    assert column_banks(5, 1, 4, 1, 3) == [{0}, {1}, {2}]


@pytest.mark.parametrize(
    ("row", "fragment", "banks", "width", "padding"),
    [
        (128, 1, 32, 1, 1),
        (128, 4, 32, 1, 4),
        (33, 1, 32, 1, 0),
        (100, 1, 32, 1, 29),  # 100 = 3 * 32 + 4: up to 128, and 1 more
        (128, 4, 32, 4, 4),  # bytes: a float of 4 in banks of 4
        (512, 16, 32, 4, 16),
        (512, 4, 32, 8, 8),  # banks of 8 bytes: a whole bank for a float
        (60, 6, 4, 4, 12),  # line 16: 60 + 12 = 72 = 4 * 16 + 8, two banks for 6 bytes
    ],
)
def test_padding_by_hand(row: int, fragment: int, banks: int, width: int, padding: int) -> None:
    assert bank_padding(row, fragment, banks, width) == padding


@QUICK
@given(
    st.integers(1, 300),
    st.integers(1, 16),
    st.sampled_from([2, 4, 8, 16, 32, 64]),
    st.sampled_from([1, 2, 4, 8]),
)
def test_padded_rows_put_a_column_into_distinct_banks(row: int, fragment: int, banks: int, width: int) -> None:
    """(BL - N % (BL) + L * ceil(n / L)) % (BL): rows follow each other by just the banks of one fragment."""
    line, span = banks * width, -(-fragment // width)
    assume(span <= banks)
    padding = bank_padding(row, fragment, banks, width)
    assert 0 <= padding < line
    assert (row + padding - span * width) % line == 0
    found = column_banks(row + padding, fragment, banks, width, banks // span)
    assert all(len(one) == span for one in found)
    assert distinct(found)
    # It is the least padding with which the next row starts where this fragment ends.
    for less in range(padding):
        assert (row + less - span * width) % line


MACHINES = {name: machine_of(find_device(name)) for name in ("v100", "k80", "mi300x")}


@QUICK
@given(
    st.sampled_from(list(MACHINES)),
    st.sampled_from([8, 16, 32]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([2, 4, 8]),
    st.sampled_from([4, 8, 16, 32]),
    st.booleans(),
)
def test_the_chosen_layout_has_no_more_phases_than_the_papers(
    name: str, threads: int, chunk: int, parts: int, step: int, transposed: bool
) -> None:
    """Both factors of a matmul's step: the layout against the same one with the formula's padding, and with none."""
    expr = matmul(1024, 1024, 1024, a_transposed=transposed)
    machine = MACHINES[name]
    axis = AxisPlan(block=parts * threads * chunk, threads=threads, chunk=chunk)
    axes = (axis, axis, AxisPlan(block=step))
    lanes, lane = machine.device.subgroup_size, 1 if chunk > 1 else None
    for access in expr.inputs:
        shape, widest = (access, expr.loops, axes, (1, 0), lane, machine.banks, lanes), machine.vector_bytes
        layout, cost = staged_layout(*shape, access_bytes=widest)
        chosen = cost.load_phases + cost.store_phases
        assert cost == tile_cost(access, layout, axes, ThreadMap(axes, (1, 0)), machine.banks, lanes)
        plain, _ = staged_layout(*shape, access_bytes=widest, padded=False)
        assert plain.pad == 0
        row = buffer_shape(tile_dimensions(access, [each.block for each in axes]), plain)[-1]
        line = machine.banks.count * machine.banks.bank_bytes
        papers = bank_padding(4 * row, 4 * plain.fragment_vector, machine.banks.count, machine.banks.bank_bytes) // 4
        assert papers < line
        for pad in {0, papers} if papers < 20 and papers % plain.fragment_vector == 0 else {0}:
            other = tile_cost(access, replace(plain, pad=pad), axes, ThreadMap(axes, (1, 0)), machine.banks, lanes)
            assert chosen <= other.load_phases + other.store_phases


def test_a_column_read_of_a_staged_tile_needs_padding() -> None:
    """Without the bank rule, A of a transposing tile is written with conflicts; with it, rows are padded."""
    expr, device = matmul(1024, 1024, 1024), find_device("v100")
    forced = {"tile_sizes": (128, 128, 8), "thread_tile": (8, 8, 8), "top_k": 1}
    padded = construct(expr, device, ConstructOptions(**forced))[0]
    plain = construct(expr, device, ConstructOptions(**forced, disabled_rules=("memory-bank",)))[0]
    assert [operand.layer for operand in padded.operands] == [WORKGROUP, WORKGROUP]
    assert padded.operands[0].pad > 0
    assert [operand.pad for operand in plain.operands] == [0, 0]
    assert padded.prediction and plain.prediction
    assert padded.prediction.shared_store_phases < plain.prediction.shared_store_phases
    assert padded.prediction.shared_load_phases <= plain.prediction.shared_load_phases
    assert padded.prediction.shared_bytes > plain.prediction.shared_bytes


@pytest.mark.parametrize(("widest", "expected"), [(4, 4), (8, 8), (32, 16)])
def test_no_access_is_wider_than_the_device_has(widest: int, expected: int) -> None:
    """Nor than code is generated for, which is 16 bytes."""
    device = replace(find_device("h200"), max_access_bytes=widest)
    plans = construct(matmul(1024, 1024, 1024), device, ConstructOptions(top_k=3, instructions=("fma",)))
    operands = [operand for plan in plans for operand in plan.operands]
    widths = {max(one.vector, one.store_vector, one.fragment_vector) for one in operands}
    assert 4 * max(widths) == expected
    assert all(axis.chunk <= expected // 4 for plan in plans for axis in plan.axes)
