# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bank phases where the lanes that are served together are no neighbours; worked by hand on 32 banks of 4 bytes."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.bank_phases import Banks, phases
from roller_mlir.mapping.layout.digit_phases import crossing_phases
from roller_mlir.mapping.layout.layout import staged_layout
from roller_mlir.model.machine import machine_of
from roller_mlir.plan import Access, AxisPlan, LinearIndex, Loop

NEIGHBOURS = Banks()
MI300X = machine_of(find_device("mi300x")).banks

# Each 16 lanes read one place, a whole row of banks apart. Eight neighbours share a place: 1 phase each. The group
# 0-3, 20-23 has two places in the same banks: 2 phases.
QUARTERS = [128 * (lane // 16) for lane in range(64)]

# Lanes 0-3 fill banks 0-15, lanes 4-7 the same banks a row further on, lanes 20-23 banks 16-31. Neighbours: 2 phases
# for each of 8 groups. The group 0-3, 20-23 fills all banks once.
HALVES = [16 * (lane % 4) + 128 * (lane // 4 % 4) + 64 * (lane // 16 % 2) for lane in range(64)]


def test_the_model_takes_the_groups_from_the_device() -> None:
    assert MI300X.wide_load_lanes[0] == (0, 1, 2, 3, 20, 21, 22, 23)
    assert machine_of(find_device("h200")).banks == NEIGHBOURS
    assert hash(MI300X) == hash(Banks(32, 4, MI300X.wide_load_lanes))


@pytest.mark.parametrize(("addresses", "near", "grouped"), [(QUARTERS, 8, 16), (HALVES, 16, 8)])
def test_only_wide_loads_are_grouped(addresses: list[int], near: int, grouped: int) -> None:
    assert phases(addresses, 16, MI300X, load=True) == grouped
    assert phases(addresses, 16, MI300X, load=False) == near
    assert phases(addresses, 16, NEIGHBOURS, load=True) == phases(addresses, 16, NEIGHBOURS, load=False) == near
    for width in (4, 8):
        assert phases(addresses, width, MI300X, load=True) == phases(addresses, width, NEIGHBOURS, load=True)


def test_dense_loads_have_no_conflict_in_either_order() -> None:
    dense = [16 * lane for lane in range(64)]
    assert phases(dense, 16, MI300X, load=True) == phases(dense, 16, NEIGHBOURS, load=True) == 8


def test_part_of_a_subgroup() -> None:
    """20 lanes: 0-3 | 4-7, 16-19 | 8-11 | 12-15, of which only the second group meets two places."""
    assert phases(QUARTERS[:20], 16, MI300X, load=True) == 1 + 2 + 1 + 1
    assert phases(QUARTERS[:20], 16, NEIGHBOURS, load=True) == 3
    assert phases(QUARTERS[:2], 16, MI300X, load=True) == 1


@pytest.mark.parametrize("groups", [((0, 1), (1, 2)), ((1, 2),), ((0, 2),)])
def test_groups_that_do_not_share_out_the_lanes(groups: tuple[tuple[int, ...], ...]) -> None:
    with pytest.raises(ValueError, match="wide_load_lanes must name each lane from 0 on once, but got"):
        Banks(32, 4, groups)


def test_more_lanes_than_the_device_has() -> None:
    with pytest.raises(ValueError, match="lanes must be at most the 64 of wide_load_lanes, but got 65"):
        MI300X.served_together(65, 16, load=True)


def test_the_layout_is_padded_where_the_groups_conflict() -> None:
    """Rows of 32 words; 16 lanes read one row, the next 16 the next: padding by one vector parts them on mi300x."""
    loops = (Loop(1024), Loop(1024), Loop(1024, True))
    rows = Access("a", (1024, 1024), "f32", (LinearIndex((1, 0, 0)), LinearIndex((0, 0, 1))))
    axes = (AxisPlan(block=4, threads=4), AxisPlan(block=16, threads=16), AxisPlan(block=32, chunk=4))
    for banks, pad in ((NEIGHBOURS, 0), (MI300X, 4)):
        layout, cost = staged_layout(rows, loops, axes, (1, 0), 0, banks, 64, access_bytes=16)
        assert (layout.order, layout.pad, layout.fragment_vector) == ((0, 1), pad, 4)
        assert cost.load_phases == 8 * cost.load_accesses


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 300)), min_size=1, max_size=3),
    st.sampled_from([1, 2, 4, 8, 16]),
    st.sampled_from([(32, Banks()), (64, MI300X), (32, Banks(16, 8))]),
    st.integers(1, 800),
)
def test_copies_across_rows_are_counted_subgroup_by_subgroup(
    rows: list[tuple[int, int]], width: int, where: tuple[int, Banks], most: int
) -> None:
    (lanes, banks), digits = where, [(count, width * step) for count, step in rows]
    places = [sum(at) for at in product(*([number * step for number in range(count)] for count, step in digits[::-1]))]
    looked_at = places[:most]
    groups = [looked_at[first : first + lanes] for first in range(0, len(looked_at), lanes)]
    unit = max(1, banks.count * banks.bank_bytes // max(width, banks.bank_bytes))
    distinct = width < banks.bank_bytes or all(
        len({*group[at : at + unit]}) == len(group[at : at + unit]) for group in groups for at in range(0, lanes, unit)
    )
    if distinct:  # lanes of a copy have vectors of their own
        found = crossing_phases(digits, len(looked_at), lanes, width, banks)
        assert found == sum(phases(group, width, banks, load=False) for group in groups)
