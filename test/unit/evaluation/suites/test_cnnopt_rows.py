# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of the RS kernel: counted by hand, read or refused with file and line, and timed in the right order."""

import gzip
from dataclasses import replace
from math import inf
from pathlib import Path

import pytest

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.published.cnnopt_rows import read_rows, row_seconds, row_work
from roller_mlir.evaluation.suites.published.cnnopt_rs import RsRow
from roller_mlir.evaluation.suites.published.cnnopt_s import SRow
from roller_mlir.hal import find_device
from roller_mlir.model.machine import machine_of

V100 = machine_of(find_device("v100"))
HEADER = "K,H,W,C,R,TK,TH,TW,BK,BH,BW,CMult,Time\n"
S_HEADER = "K,H,W,C,R,Th,Tw,Tk,Wh,Ww,Wk,Bh,Bw,Bk,Time\n"
ROW = RsRow(k=128, h=28, w=28, c=128, r=3, tk=2, th=4, tw=7, bk=32, bh=1, bw=2, cmult=4)
VALUES = "128,28,28,128,3,2,4,7,32,1,2,4"


def test_counts_of_a_row() -> None:
    """2 x 7 x 2 blocks of 2 subgroups in each of 4 groups; 9 x 56 FMAs, 18 weights and 6 x 9 inputs per channel."""
    work = row_work(ROW, V100)
    assert work is not None
    assert (work.tasks, work.steps, work.threads) == (2 * 7 * 2 * 4, 32, 64)
    assert (work.math, work.shared_bytes, work.shared_sets) == (504, 18 * 128, 8)
    # Rows of 16 inputs are aligned, but the second subgroup's start at column 7: 54 loads of one; 3 passes of copies.
    assert ROW.input_vector == 1
    assert work.issue == 504 + 18 + 54 + 3 * 20 + 80
    assert ROW.workgroup_bytes == 4 * (6 * 16 + 4 * 14 * 33)
    assert ROW.register_limit == 56 + 54 + 1
    assert work.alternates


@pytest.mark.parametrize(
    ("tile", "stride", "expected"),
    [
        ({"bw": 1, "tw": 14}, 1, 4),
        ({"bw": 1, "tw": 4}, 1, 2),
        ({"bw": 2, "tw": 7}, 1, 1),
        ({"bw": 2, "tw": 7}, 2, 1),
    ],
)
def test_input_loads_are_wide_where_rows_are_aligned(tile: dict[str, int], stride: int, expected: int) -> None:
    assert replace(ROW, stride=stride, **tile).input_vector == expected


def test_spills_grow_with_the_passes_over_the_tile() -> None:
    """One channel per thread needs no input twice; 16 channels hold too many weights for small tiles, not for rows."""
    assert replace(ROW, tk=1, th=1, tw=14).missing_registers == 0
    assert replace(ROW, tk=4, th=1, tw=28).missing_registers == 0
    small = replace(ROW, tk=4, th=2, tw=2)
    assert small.missing_registers == 14
    assert small.spill_passes == 2.0


@pytest.mark.parametrize("stride", [1, 2])
def test_files(tmp_path: Path, stride: int) -> None:
    text = HEADER + f"{VALUES},0.5\n" + "128, 28, 28, 128, 3, 1, 1, 1, 32, 1, 1, 1, 0.9\n"
    path = tmp_path / ("rs_a.csv" if stride == 1 else "st2_a.csv.gz")
    path.write_bytes(text.encode() if stride == 1 else gzip.compress(text.encode()))
    read = read_rows(path)
    assert read.rows[0] == replace(ROW, stride=stride) and len(read.rows) == 2
    assert (read.times_ms, read.lines, read.failed) == ([0.5, 0.9], [2, 3], 0)
    assert all(0 < row_seconds(row, V100) < 0.1 for row in read.rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a.csv: has no header"),
        ("K,H\n", "a.csv:1: the header must start with K,H,W,C,R,TK"),
        (S_HEADER + "128,28,28,128,3,1,7,4,1,4,4,4,1,1,1\n", "a.csv:2: WH * WW * WK must be 32, the lanes"),
        (S_HEADER + "128,28,28,128,3,1,5,4,1,4,8,4,1,1,1\n", "a.csv:2: TW * WW * BW = 20 must divide W = 28"),
        (HEADER + f"{VALUES},1\n{VALUES},1,7\n", "a.csv:3: must have 13 values, but has 14"),
        (HEADER + VALUES.replace("32", "x") + ",1\n", "a.csv:2: BK must be an integer, but got 'x'"),
        (HEADER + VALUES.replace("32", "-32") + ",1\n", "a.csv:2: BK must be positive, but got -32"),
        (HEADER + VALUES.replace("32", "16") + ",1\n", "a.csv:2: BK must be 32, the lanes"),
        (HEADER + VALUES.replace("7", "9") + ",1\n", "a.csv:2: BW * TW = 18 must divide W = 28"),
        (HEADER + VALUES + ",x\n", "a.csv:2: Time must be a number above 0, in ms, but got 'x'"),
        (HEADER + VALUES + ",0\n", "a.csv:2: Time must be a number above 0, in ms, but got '0'"),
        (HEADER + VALUES + ",nan\n", "a.csv:2: Time must be a number above 0, in ms, but got 'nan'"),
        (HEADER + "Warning: slow\n", "a.csv:2: must have 13 values, but has 1"),
    ],
)
def test_malformed_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    with pytest.raises(SuiteError) as caught:
        read_rows(path)
    assert str(caught.value).startswith(f"{tmp_path}/{message}")


def test_failed_launches_are_left_out_and_counted(tmp_path: Path) -> None:
    """A program that went on gave a time all the same; one that ended at its error has no row for it."""
    path = tmp_path / "rs_a.csv"
    went_on, ended = (
        "Error: too many resources requested for launch\n",
        "Error: a.cu:170, code: 701, reason: too many\n",
    )
    path.write_text(
        HEADER + f"{VALUES},0.5\n{went_on}{VALUES},0.001\n{VALUES},0.6\n{ended}{VALUES},0.7\n{ended}{ended}"
    )
    read = read_rows(path)
    assert (read.times_ms, read.lines, read.failed) == ([0.5, 0.6, 0.7], [2, 5, 7], 4)


def test_the_s_kernel(tmp_path: Path) -> None:
    """7 x 4 blocks of 4 subgroups; quads of weights; 6 x 30 inputs and 9 x 32 weights in two buffers."""
    path = tmp_path / "s_a.csv"
    path.write_text(S_HEADER + "128,28,28,128,3,1,7,4,1,4,8,4,1,1,0.15974\n")
    (row,) = read_rows(path).rows
    assert row == SRow(k=128, h=28, w=28, c=128, r=3, th=1, tw=7, tk=4, wh=1, ww=4, wk=8, bh=4, bw=1, bk=1)
    work = row_work(row, V100)
    assert work is not None
    assert (work.tasks, work.steps, work.threads, work.math) == (28, 128, 128, 252)
    assert work.issue == 252 + 9 + 27 + 20 * (1 + 3) + 80
    assert row.workgroup_bytes == 4 * (2 * 6 * 30 + 2 * 9 * 32 + 4 * 28 * 8)
    assert work.spilled_accesses == 0
    path.rename(tmp_path / "st2_s.csv")
    with pytest.raises(SuiteError, match="the S kernel has no stride 2"):
        read_rows(tmp_path / "st2_s.csv")


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match="cannot be read"):
        read_rows(tmp_path / "none.csv")


def test_a_block_too_large_for_the_device() -> None:
    assert row_seconds(replace(ROW, bh=28, th=1, bw=28, tw=1), V100) == inf


def test_what_slows_a_row_down() -> None:
    """Ordered by physics: one output per thread, spilling, and a channel split for a full device all cost time."""
    seconds = row_seconds(ROW, V100)
    assert row_seconds(replace(ROW, tk=1, th=1, tw=1), V100) > 2 * seconds
    large = replace(ROW, k=512, h=112, w=112)
    assert row_seconds(replace(large, tk=16, th=2, tw=2), V100) > 2 * row_seconds(replace(large, tk=1), V100)
    assert row_seconds(replace(large, cmult=32), V100) > row_seconds(large, V100)
    # 28 blocks leave most of the 80 units idle; 4 groups of them do not.
    assert row_seconds(replace(ROW, cmult=1), V100) > 1.5 * seconds
