# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows of numbers as one array say what the rows say as lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from roller_mlir.rammer.parts import Parts

MOST = 5
ROWS = st.lists(st.lists(st.integers(0, MOST - 1), unique=True).map(sorted), max_size=6)


def parts(rows: list[list[int]]) -> Parts:
    return Parts.of([np.array(row, np.int32) for row in rows])


def lists(found: Parts) -> list[list[int]]:
    return [row.tolist() for row in found]


@given(ROWS)
def test_rows_are_what_lists_are(rows: list[list[int]]) -> None:
    found = parts(rows)
    assert lists(found) == rows and len(found) == len(rows)
    assert [found[at].tolist() for at in range(-len(rows), len(rows))] == [*rows, *rows]
    assert found.sizes.tolist() == [len(row) for row in rows]
    assert found.owners.tolist() == [at for at, row in enumerate(rows) for _ in row]
    assert lists(found.turned(MOST)) == [[at for at, row in enumerate(rows) if one in row] for one in range(MOST)]
    assert lists(found.kept(found.numbers % 2 == 0)) == [[one for one in row if one % 2 == 0] for row in rows]
    backwards = np.arange(len(rows))[::-1]
    assert lists(found.chosen(backwards)) == rows[::-1]


@given(ROWS)
def test_different_rows_are_numbered_by_the_first_of_each(rows: list[list[int]]) -> None:
    of, found = parts(rows).distinct()
    different = [list(row) for row in dict.fromkeys(map(tuple, rows))]
    assert lists(found) == different
    assert of.tolist() == [different.index(row) for row in rows]


@given(ROWS)
def test_values_are_reduced_row_by_row(rows: list[list[int]]) -> None:
    found = parts(rows)
    most = found.reduced(np.maximum, found.numbers.astype(np.int64), -1)
    assert most.tolist() == [max(row, default=-1) for row in rows]


def test_a_row_that_is_not_there_is_refused() -> None:
    with pytest.raises(IndexError, match="row must be one of 1, but got 1"):
        _ = parts([[3]])[1]
