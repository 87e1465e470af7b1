# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layouts of staged tiles: padding, widths and phases of cases that can be worked out by hand."""

from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.mapping.layout.data_tile import copy_map, copy_vector, tile_dimensions
from roller_mlir.mapping.layout.layout import residue_shift, row_alignment, staged_layout
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop

MATMUL = (Loop(1024), Loop(1024), Loop(1024, True))
A = Access("a", (1024, 1024), "f32", (LinearIndex((1, 0, 0)), LinearIndex((0, 0, 1))))
B = Access("b", (1024, 1024), "f32", (LinearIndex((0, 0, 1)), LinearIndex((0, 1, 0))))
AXES = (AxisPlan(block=128, threads=16, chunk=4), AxisPlan(block=128, threads=16, chunk=4), AxisPlan(block=8))
BLOCKS = [axis.block for axis in AXES]


def test_the_transposed_operand_is_padded_by_one_vector() -> None:
    layout, cost = staged_layout(A, MATMUL, AXES, (1, 0), 1, Banks(), 32, access_bytes=16)
    assert (layout.order, layout.pad, layout.vector, layout.store_vector, layout.fragment_vector) == (
        (1, 0),
        4,
        4,
        1,
        4,
    )
    assert cost.store_phases == cost.store_accesses


def test_the_dense_operand_needs_no_padding() -> None:
    layout, cost = staged_layout(B, MATMUL, AXES, (1, 0), 1, Banks(), 32, access_bytes=16)
    assert (layout.order, layout.pad, layout.vector, layout.store_vector, layout.fragment_vector) == (
        (0, 1),
        0,
        4,
        4,
        4,
    )
    assert cost.store_phases == 4 * cost.store_accesses  # 512 B a subgroup, 128 B a phase


def test_odd_rows_are_copied_by_elements() -> None:
    odd = Access("b", (1023, 1023), "f32", B.indices)
    loops = (Loop(1023), Loop(1023), Loop(1023, True))
    assert row_alignment(odd, loops, BLOCKS) == 1
    layout, _ = staged_layout(odd, loops, AXES, (1, 0), 1, Banks(), 32, access_bytes=16)
    assert layout.vector == 1


def test_the_residue_keeps_vectors_where_the_extent_allows_them() -> None:
    loops = (Loop(1024), Loop(1024), Loop(1020, True))
    assert residue_shift(loops[2], AXES[2]) == 4
    rows = Access("a", (1024, 1020), "f32", A.indices)
    assert row_alignment(rows, loops, BLOCKS) == 4


def test_phases_of_strided_and_equal_addresses() -> None:
    banks = Banks()
    for load in (True, False):
        assert phases([0] * 32, 4, banks, load=load) == 1
        assert phases([128 * lane for lane in range(32)], 4, banks, load=load) == 32
        assert phases([4 * 33 * lane for lane in range(32)], 4, banks, load=load) == 1
        assert phases([8 * lane for lane in range(32)], 8, banks, load=load) == 2


def test_tiles_of_windows_have_halos_and_strides() -> None:
    windows = Access("x", (64, 64), "f32", (LinearIndex((2, 0, 1)), LinearIndex((0, 2, 0))))
    rows, columns = tile_dimensions(windows, (8, 8, 3))
    assert (rows.step, rows.extent, rows.coefficients) == (1, 17, {0: 2, 2: 1})
    assert (columns.step, columns.extent, columns.coefficients) == (2, 8, {1: 1})
    assert copy_vector(columns.extent, columns.step, 64, 4) == 1


def test_copies_round_up_to_whole_vectors() -> None:
    copy = copy_map((8, 18), 4, 32)
    assert (copy.sizes, copy.vectors, copy.rounds) == ((5, 8), 40, 2)
    assert copy_vector(5, 1, 4, 4) == 2  # 8 elements for 5 would waste more than a third
