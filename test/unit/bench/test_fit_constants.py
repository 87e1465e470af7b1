# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/polydl/fit_constants.py: constants by which made-up times rank plans are found, runs merged, errors told."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of
from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.model.vectors.cost import VectorCost

FOLDER = Path(__file__).parents[3] / "bench" / "polydl"
sys.path.append(str(FOLDER))

import fit_constants  # noqa: E402
from plan_problems import planned_problems  # noqa: E402
from plan_records import merged, plan_record, shape_of  # noqa: E402

ZEN5 = find_device("zen5")
NAMES = ("512x512x512", "resnet_05", "D19", "P6", "mobilenet_09", "2048x4096x32")


def _measured(tmp_path: Path, **constants: float) -> Path:
    """Write plans of some problems with the times that the model says of them on a core with these constants."""
    core = replace(ZEN5, vectors=replace(ZEN5.vectors, **constants))
    problems: dict[str, list[dict[str, object]]] = {}
    for one in planned_problems():
        if one.name not in NAMES:
            continue
        (dispatch,) = dispatches_of(Source("-", one.text), "zen5", CompileOptions())
        expression = dispatch.expression
        cost = VectorCost(expression, core, 1)
        rows = problems[one.name] = []
        for plan in construct(expression, ZEN5, ConstructOptions(top_k=12, max_units=1)):
            record = json.loads(json.dumps(plan_record(expression, plan)))
            rows.append({"plan": record, "seconds": cost.seconds(cost.shaped(shape_of(expression, record)))[0]})
    file = tmp_path / "plans.json"
    file.write_text(json.dumps({"provenance": {}, "problems": problems}))
    return file


def test_constants_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Times of a core that waits for masks and tasks: nothing else explains their order, and the fit says so."""
    file = _measured(tmp_path, mask_cycles=1.0, task_cycles=24.0)
    command = ["fit", str(file), "--device", "zen5", "--only", "mask_cycles", "task_cycles", "gather_cycles"]
    monkeypatch.setattr(sys, "argv", command)
    assert fit_constants.main() == 0
    before, constants, fitted = capsys.readouterr().out.splitlines()
    assert constants == f"mask_cycles = 1, task_cycles = 24, gather_cycles = {ZEN5.vectors.gather_cycles:g}"
    assert f"fitted: 0.0 %, 0.0 %, 1.00; deviation 0.000; first within 5 % {len(NAMES)}" in fitted
    assert "0.0 %, 0.0 %, 1.00" not in before
    monkeypatch.setattr(sys, "argv", [*command, "--held-out"])
    assert fit_constants.main() == 0
    *_, held = capsys.readouterr().out.splitlines()
    assert held.startswith("on problems that were not fitted: ") and held.endswith(f"of {len(NAMES)}")


def test_a_plan_along_a_curve_is_kept(tmp_path: Path) -> None:
    (dispatch,) = dispatches_of(
        Source("-", next(one.text for one in planned_problems() if one.name == "2048x4096x32")),
        "zen5",
        CompileOptions(),
    )
    plan = construct(dispatch.expression, ZEN5, ConstructOptions(top_k=1))[0]
    record = json.loads(json.dumps(plan_record(dispatch.expression, plan)))
    assert plan.raster and shape_of(dispatch.expression, record).raster == plan.raster


def test_runs_are_merged_by_the_plans_that_they_share() -> None:
    def rows(**seconds: float) -> list[dict[str, object]]:
        return [{"plan": {"lane": name}, "seconds": value} for name, value in seconds.items()]

    both = merged([{"p": rows(a=1.0, b=2.0, c=4.0)}, {"p": rows(b=4.0, c=8.0, d=6.0), "q": rows(a=5.0)}])
    assert {row["plan"]["lane"]: row["seconds"] for row in both["p"]} == pytest.approx(
        {"a": 1.0, "b": 2.0, "c": 4.0, "d": 3.0}
    )
    assert both["q"] == rows(a=5.0)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Expecting property name"),
        (
            '{"problems": {"1x1x1": [{"plan": 1, "seconds": 1.0}, {"plan": 2, "seconds": 1.0}]}}',
            "'1x1x1' is no problem",
        ),
        ("{}", "problems"),
    ],
)
def test_refusals(
    text: str, problem: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "data.json"
    file.write_text(text)
    monkeypatch.setattr(sys, "argv", ["fit", str(file)])
    assert fit_constants.main() == 1
    assert problem in capsys.readouterr().err
