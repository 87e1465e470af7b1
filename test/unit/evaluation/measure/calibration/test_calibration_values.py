# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What probes take and must give: against brute force, and words that nobody knows."""

import numpy as np
import pytest

from roller_mlir.evaluation.measure.runner.expected.probe_values import ProbeError, filled, require


def test_links_are_one_cycle() -> None:
    links = filled("chase 32", (1024,), np.int32)
    at, seen = 0, [0]
    while (at := int(links[at])) != 0:
        seen.append(at)
    assert sorted(seen) == list(range(0, 1024, 32)) and seen != sorted(seen)
    for steps in (0, 1, 31, 32, 100):
        require(f"reached 0 {steps}", np.array([seen[steps % 32]], np.int32), [links])
    with pytest.raises(ProbeError, match="the kernel is wrong: 1 of 1 numbers, the first at 0: 0 in place of"):
        require("reached 0 1", np.array([0], np.int32), [links])


@pytest.mark.parametrize(("steps", "stride"), [(1, 2), (3, 2), (5, 1), (7, 3), (40, 5), (4, 6)])
def test_walk_by_brute_force(steps: int, stride: int) -> None:
    blocks, threads, rows, chunks = 4, 8, 2, 6
    source = filled("random", (chunks * rows * threads * 4,), np.int32)
    expected = np.zeros((blocks, threads), np.int64)
    for block in range(blocks):
        at = block % chunks
        for _ in range(steps):
            for thread in range(threads):
                for row in range(rows):
                    place = at * rows * threads * 4 + row * threads * 4 + thread * 4
                    expected[block, thread] += source[place : place + 4].astype(np.int64).sum()
            at = (at + stride) % chunks
    wrapped = (expected % (1 << 32)).astype(np.uint32).view(np.int32).reshape(-1)
    inputs = [np.zeros(4, np.int32), source]
    require(f"walk {blocks} {threads} {rows} {steps} {stride}", wrapped, inputs)
    wrapped[5] += 1
    with pytest.raises(ProbeError, match="the first at 5"):
        require(f"walk {blocks} {threads} {rows} {steps} {stride}", wrapped, inputs)


@pytest.mark.parametrize("steps", [1, 3, 9, 50])
def test_rows_by_brute_force(steps: int) -> None:
    blocks, threads, reads, stride, ring = 2, 4, 3, 12, 32
    source = filled("random", (ring + (reads - 1) * ring + threads * 4,), np.int32)
    expected = np.zeros(threads, np.int64)
    for step in range(steps):
        for thread in range(threads):
            for read in range(reads):
                place = step * stride % ring + thread * 4 + read * ring
                expected[thread] += source[place : place + 4].astype(np.int64).sum()
    wrapped = np.tile((expected % (1 << 32)).astype(np.uint32).view(np.int32), blocks)
    require(f"rows {blocks} {threads} {reads} {steps} {stride} {ring}", wrapped, [source, source])


def test_links_that_lead_nowhere() -> None:
    for links in ([1, 1, 1, 1], [9, 0, 0, 0]):
        with pytest.raises(ProbeError, match="'reached 0 99' does not fit"):
            require("reached 0 99", np.zeros(1, np.int32), [np.array(links, np.int32)])


def test_simple_words() -> None:
    require("", np.array([np.nan]), [])
    require("constant 2.5", np.full(3, 2.5, np.float32), [])
    require("first 7", np.array([7, 0, 0], np.int32), [])
    require("index 2", np.array([0, 1, -1], np.int32), [])
    require("copy 0 2", np.array([4, 5, -1], np.int32), [np.array([4, 5, 6], np.int32)])
    require("neighbours 3", np.array([2, 3, 1], np.int32), [])
    assert not filled("zero", (2, 3), np.float32).any()
    assert filled("values 1 -2 3.5", (3,), np.float16).tolist() == [1, -2, 3.5]


@pytest.mark.parametrize(
    ("word", "got"),
    [("constant 2.5", [2.5, np.nan]), ("constant 1", [0.0, 1.0]), ("first 7", [7.0, 1.0]), ("index 2", [0.0, 0.0])],
)
def test_wrong_numbers_are_found(word: str, got: list[float]) -> None:
    with pytest.raises(ProbeError, match="the kernel is wrong: 1 of 2 numbers"):
        require(word, np.array(got, np.float32), [])


@pytest.mark.parametrize(
    "word", ["joy", "", "zero 1", "values 1", "values 1 2 3", "chase 0", "chase -1", "chase 5", "chase x"]
)
def test_unknown_inputs(word: str) -> None:
    with pytest.raises((ProbeError, ValueError)):
        filled(word, (4,), np.int32)


@pytest.mark.parametrize(
    "word", ["values a b c d", "values 1e999 0 0 0", "values nan 0 0 0", "values 4294967296 0 0 0"]
)
def test_numbers_that_an_input_cannot_hold(word: str) -> None:
    with pytest.raises(ProbeError, match="cannot be filled"):
        filled(word, (4,), np.int32)


@pytest.mark.parametrize(
    "word",
    [
        "joy 1",
        "constant",
        "constant x",
        "copy 5 1",
        "walk 1 2",
        "walk 9999999 99999 1 1 0",
        "index 99",
        "rows 1 1 9 1 4 8",
    ],
)
def test_unknown_outputs(word: str) -> None:
    with pytest.raises(ProbeError, match=f"'{word}'"):
        require(word, np.zeros(4, np.int32), [np.zeros(4, np.int32)] * 2)
