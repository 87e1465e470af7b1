# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Workspace offsets never overlap while buffers live; thread maps hold each position once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.lowering.codegen.buffers.workspace_offsets import Lifetime, assign_offsets, place
from roller_mlir.mapping.layout.combine import AcrossSubgroups, Combination, combination
from roller_mlir.mapping.thread_map import ThreadMap, register_offset
from roller_mlir.plan import AxisPlan, Loop

LIFETIMES = st.builds(
    lambda size, first, length: Lifetime(size, first, first + length),
    st.integers(1, 2000),
    st.integers(0, 6),
    st.integers(0, 4),
)


@given(st.lists(LIFETIMES, max_size=8))
def test_buffers_alive_together_are_apart(lifetimes: list[Lifetime]) -> None:
    offsets, size = assign_offsets(lifetimes)
    for i, one in enumerate(lifetimes):
        assert offsets[i] % 256 == 0
        assert offsets[i] + one.size_bytes <= size
        for j, other in enumerate(lifetimes[:i]):
            together = one.first <= other.last and other.first <= one.last
            apart = offsets[i] + one.size_bytes <= offsets[j] or offsets[j] + other.size_bytes <= offsets[i]
            assert apart or not together


@given(st.lists(st.tuples(st.integers(1, 2000), st.booleans()), max_size=8))
def test_each_buffer_has_the_lowest_offset_that_is_free(buffers: list[tuple[int, bool]]) -> None:
    """By trying each multiple of the alignment; buffers that are marked may overlap with all others."""
    sizes = [size for size, _ in buffers]
    order = sorted(range(len(sizes)), key=lambda number: -sizes[number])

    def beside(number: int) -> list[int]:
        before = order[: order.index(number)]
        return [] if buffers[number][1] else [other for other in before if not buffers[other][1]]

    offsets, whole = place(sizes, beside)
    for number in order:
        taken = [(offsets[other], offsets[other] + sizes[other]) for other in beside(number)]
        at = next(at for at in range(0, 1 << 20, 256) if all(at + sizes[number] <= a or at >= b for a, b in taken))
        assert offsets[number] == at
    assert whole == -(-max((a + b for a, b in zip(offsets, sizes, strict=True)), default=0) // 256) * 256


def test_many_buffers_that_live_together() -> None:
    """With a step for each pair of them, in each launch, this takes hours."""
    offsets, _ = assign_offsets([Lifetime(64, 0, 2_000) for _ in range(2_000)])
    assert sorted(offsets) == list(range(0, 2_000 * 256, 256))


def test_a_chain_needs_two_buffers() -> None:
    _, size = assign_offsets([Lifetime(1024, i, i + 1) for i in range(10)])
    assert size == 2048


@given(st.integers(1, 8), st.integers(1, 4), st.integers(1, 5))
def test_registers_of_all_threads_cover_the_block_once(threads: int, chunk: int, runs: int) -> None:
    axis = AxisPlan(block=threads * chunk * runs, threads=threads, chunk=chunk)
    held = [t * chunk + register_offset(axis, r) for t in range(threads) for r in range(axis.registers)]
    assert sorted(held) == list(range(axis.block))


def test_thread_numbers_are_mixed_radix() -> None:
    threads = ThreadMap((AxisPlan(block=8, threads=4, chunk=2), AxisPlan(block=3, threads=3)), (1, 0))
    assert threads.positions(7) == {1: 1, 0: 4}


@pytest.mark.parametrize(
    ("axes", "order", "message"),
    [
        ((AxisPlan(block=10, threads=4),), (0,), "multiple of threads"),
        ((AxisPlan(block=8, threads=4),), (), "name each loop with threads once"),
        ((AxisPlan(block=8),), (0,), "name each loop with threads once"),
    ],
)
def test_bad_maps_are_refused(axes: tuple[AxisPlan, ...], order: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ThreadMap(axes, order)


def test_split_reductions() -> None:
    loops = (Loop(8), Loop(4096, True))
    joined = combination(loops, (AxisPlan(block=1), AxisPlan(block=256, threads=256)), (1,), 64)
    assert joined.shuffles == (1, 2, 4, 8, 16, 32)
    assert [(a.stride, a.count, a.joined) for a in joined.across] == [(1, 4, 64)]
    assert joined.slots == 4 and joined.alone
    uneven = combination(loops, (AxisPlan(block=3, threads=3), AxisPlan(block=4, threads=4)), (0, 1), 32)
    assert uneven.shuffles == ()
    assert [(a.stride, a.count) for a in uneven.across] == [(3, 4)] and uneven.slots == 12
    between = combination(loops, (AxisPlan(block=8, threads=8), AxisPlan(block=32, threads=32)), (0, 1), 32)
    assert between.shuffles == (8, 16)
    assert [(a.stride, a.count, a.joined) for a in between.across] == [(8, 8, 4)]
    assert between.slots == 64 and not between.alone


@pytest.mark.parametrize("values", [1, 2, 3, 4, 6, 8, 12, 16, 64])
@pytest.mark.parametrize("steps", range(7))
@pytest.mark.parametrize("through_memory", [False, True])
def test_no_more_is_passed_than_by_butterflies(steps: int, values: int, through_memory: bool) -> None:
    across = (AcrossSubgroups(0, 1, 4, 1 << steps),) if through_memory else ()
    found = Combination(tuple(1 << step for step in range(steps)), across, (0,), 4, alone=True).passing(values)
    left = values >> found.halvings
    assert left << found.halvings == values
    assert found.joins == values - left + (steps - found.halvings) * left
    assert found.shuffles - found.joins == (0 if through_memory else values - left)
    assert found.shuffles <= steps * values
    if steps > 3 and values % 4 == 0:
        assert found.shuffles <= steps * values / 2
