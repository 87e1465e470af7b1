# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted times of operators as kernels of their own: one after the other, and side by side where they fit."""

import random
from dataclasses import replace

import pytest

from roller_mlir.rammer.times.baselines import (
    GRAPH_NODE_S,
    OperatorKernel,
    as_graph_s,
    fair_share,
    in_line_s,
    launched_s,
)

ONE = OperatorKernel(seconds=1e-5, launch_s=2e-6, launches=1, share=0.5, producers=())
STEP = 1e-5 + GRAPH_NODE_S


def test_launches_and_lines_add_up() -> None:
    kernels = [ONE, replace(ONE, launches=2, launch_s=4e-6, producers=(0,))]
    assert launched_s(kernels) == pytest.approx(2.6e-5)
    assert in_line_s(kernels) == pytest.approx(2e-5 + 3 * GRAPH_NODE_S)


@pytest.mark.parametrize(
    ("kernels", "steps"),
    [
        ([ONE, ONE], 1),
        ([ONE, ONE, ONE], 2),
        ([ONE, replace(ONE, producers=(0,))], 2),
        ([replace(ONE, share=1.0), ONE, ONE], 2),
        ([ONE, replace(ONE, share=1.0), ONE], 2),  # the third passes the second, which waits for the whole device
        ([replace(ONE, share=1 / 3)] * 3, 1),
        ([ONE, replace(ONE, producers=(0,)), replace(ONE, producers=(0,)), replace(ONE, producers=(1, 2))], 3),
    ],
)
def test_kernels_run_side_by_side_where_they_fit(kernels: list[OperatorKernel], steps: int) -> None:
    assert as_graph_s(kernels) == pytest.approx(steps * STEP)


def test_no_graph_takes_longer_than_its_line_or_less_than_its_work_and_chains() -> None:
    rng = random.Random(0)
    for _ in range(200):
        kernels = [
            OperatorKernel(
                seconds=rng.uniform(1e-6, 1e-4),
                launch_s=2e-6,
                launches=rng.choice((1, 2)),
                share=rng.uniform(0.01, 1.0),
                producers=tuple(sorted(rng.sample(range(number), rng.randint(0, min(3, number))))),
            )
            for number in range(rng.randint(1, 30))
        ]
        took = [one.seconds + one.launches * GRAPH_NODE_S for one in kernels]
        ends: list[float] = []
        for one, seconds in zip(kernels, took, strict=True):
            ends.append(seconds + max((ends[giver] for giver in one.producers), default=0.0))
        work = sum(one.share * seconds for one, seconds in zip(kernels, took, strict=True))
        assert max(*ends, work, 0.0) <= as_graph_s(kernels) * (1 + 1e-6)
        assert as_graph_s(kernels) <= in_line_s(kernels) * (1 + 1e-9)
    assert as_graph_s([]) == 0


def test_a_shorter_gap_between_kernels_makes_graphs_shorter() -> None:
    kernels = [ONE, replace(ONE, launches=2, producers=(0,)), replace(ONE, share=0.6)]
    for time_of in (in_line_s, as_graph_s):
        assert time_of(kernels) == time_of(kernels, GRAPH_NODE_S)
    assert in_line_s(kernels, 0.0) == pytest.approx(3e-5)
    assert as_graph_s(kernels, 0.0) == pytest.approx(3e-5)  # the last one has no room beside the first two
    assert as_graph_s(kernels[:2], 1e-6) == pytest.approx(2.3e-5)


def test_kernels_side_by_side_share_bandwidth() -> None:
    whole, half, none = (replace(ONE, share=0.1, memory_s=(one * STEP, 0.0)) for one in (1.0, 0.5, 0.0))
    assert as_graph_s([half, half]) == pytest.approx(STEP)
    assert as_graph_s([whole, whole]) == pytest.approx(2 * STEP)
    assert as_graph_s([whole, whole, none]) == pytest.approx(2 * STEP)  # that one is not held up
    # 0.5 each while both run, for 1 step of the half; the whole one then has half of its own left.
    assert as_graph_s([whole, half]) == pytest.approx(1.5 * STEP)
    other = replace(ONE, share=0.1, memory_s=(0.0, STEP))
    assert as_graph_s([whole, other]) == pytest.approx(STEP)  # another memory


def test_a_fair_share_is_all_that_there_is() -> None:
    rng = random.Random(1)
    for _ in range(500):
        wanted = [rng.uniform(0, 1) for _ in range(rng.randint(2, 9))]
        if sum(wanted) > 1:
            most = fair_share(wanted)
            assert sum(min(one, most) for one in wanted) == pytest.approx(1)
