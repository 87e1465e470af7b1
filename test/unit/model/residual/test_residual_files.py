# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of residuals: written and read back, malformed ones refused by name and place, the package's own in order."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted_residuals import VERDICT, residual, stump

from roller_mlir.model.residual import file as residual_file
from roller_mlir.model.residual.file import ResidualError, find_residual, read_residual, usual_name
from roller_mlir.model.residual.residual import Gain, Residual, ResidualVerdict
from roller_mlir.plan.records.codec import to_json, to_text

SHIPPED = sorted((Path(residual_file.__file__).parent / "shipped").glob("*.json"))
ONE = residual("tiles", "sm_70", "share", 0.1, -1.0, 0.25)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    file.write_text(to_text(ONE))
    found = read_residual(file)
    assert found == ONE and found.counts
    # 0.1 as f32 is above 0.1: a row and a threshold are compared as f32 both.
    assert found.factors([{"share": 0.1, "more": 9.0}, {"share": 0.11}]) == pytest.approx([0.5, 2**0.25])
    assert found.factors([]) == []


def change(*path: str | int, to: Any) -> Callable[[Any], None]:
    def change_it(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = to

    return change_it


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (change("trees", "left", 0, to=0), "trees: node 0 must have children behind it, below 3, but got 0 and 2"),
        (change("trees", "right", 0, to=3), "trees: node 0 must have children behind it, below 3, but got 1 and 3"),
        (change("trees", "roots", to=[3]), "trees: roots must be nodes, which are 0 to 2, but got 3"),
        (change("trees", "value", to=[1.0]), "trees: value must have a value for each of 3 nodes, but has 1"),
        (change("trees", "threshold", 0, to="a"), "trees.threshold[0]: expected a number, but got 'a'"),
        (change("trees", "term", 0, to=1), "trees must see 1 terms, but one has term 1"),
        (change("schema", to=2), "schema must be 1, but got 2; update roller, or train again"),
        (change("terms", to=["a", "a"]), "terms must have a name each"),
        (change("trees", to=None), "trees must be there where the verdict is for them"),
        (change("more", to=1), "'more'"),
    ],
)
def test_malformed_files_are_refused(tmp_path: Path, changed: Callable[[Any], None], message: str) -> None:
    data: Any = to_json(ONE)
    changed(data)
    file = tmp_path / "one.json"
    file.write_text(json.dumps(data))
    with pytest.raises(ResidualError) as caught:
        read_residual(file)
    assert str(caught.value).startswith(f"{file}: ") and message in str(caught.value)


@pytest.mark.parametrize(("text", "message"), [("[1, 2", "not JSON"), ("[]", "expected an object")])
def test_what_is_no_residual_at_all(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "one.json"
    file.write_text(text)
    with pytest.raises(ResidualError, match=message):
        read_residual(file)
    with pytest.raises(ResidualError, match="cannot be read"):
        read_residual(tmp_path / "none.json")


def test_a_folder_is_asked_by_class_and_architecture(tmp_path: Path) -> None:
    file = tmp_path / usual_name("tiles", "sm_70")
    file.write_text(to_text(ONE))
    assert find_residual("tiles", "sm_70", tmp_path) == ONE == find_residual("tiles", "sm_70", file)
    assert find_residual("tiles", "sm_75", tmp_path) is None is find_residual("tiles", "sm_75", file)
    (tmp_path / usual_name("other", "sm_70")).write_text(to_text(ONE))
    with pytest.raises(ResidualError, match="must be of 'other' on sm_70, but is of 'tiles' on sm_70"):
        find_residual("other", "sm_70", tmp_path)


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (VERDICT, ""),
        (
            ResidualVerdict(
                problems=40, candidates=9, loss=Gain(before=1, after=0.9, low=0, high=1), trials=VERDICT.trials
            ),
            "on other problems it does not improve the loss of the first choice, 1 to 0.9 (gain 0 to 1)",
        ),
        (
            ResidualVerdict(
                problems=40, candidates=9, loss=VERDICT.loss, trials=Gain(before=1, after=2, low=-2, high=1)
            ),
            "on other problems it does not improve the trials to 95 %, 1 to 2 (gain -2 to 1)",
        ),
        (
            ResidualVerdict(problems=19, candidates=9, loss=VERDICT.loss, trials=VERDICT.trials),
            "to judge it takes 20 problems",
        ),
    ],
)
def test_figures_decide_and_no_word_of_a_file(verdict: ResidualVerdict, reason: str) -> None:
    """A file has no field that says that it counts."""
    one = Residual(
        kind="a", family="b", devices=(), sources=(), terms=("c",), verdict=verdict, trees=stump(0, 1.0, 0.0, 1.0)
    )
    assert one.verdict.reason.startswith(reason) and one.counts == (not reason)


def test_the_package_s_own_are_what_their_names_say() -> None:
    for file in SHIPPED:
        found = read_residual(file)
        assert file.name == usual_name(found.kind, found.family)
        assert (found.trees is not None) == found.counts, file.name
        assert found.trees is None or np.isfinite(found.trees.value).all(), file.name
        assert file.stat().st_size < 200_000, file.name
