# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller suite rammer6`: whole models as one persistent kernel each, through each stage."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.suites.models import RAMMER6
from roller_mlir.evaluation.suites.stages import models
from roller_mlir.runtime import Artifact
from roller_mlir.tools.roller import main

SMALL = ("--scale", "32")
TINY = "seq2seq"
ONE = ("--only", TINY, "--scale", "64")
MADE: dict[str, Any] = {}


def printed(capsys: Any, *arguments: str, code: int = 0) -> Any:
    assert main(["suite", "rammer6", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


@pytest.fixture
def once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a model be scheduled and compiled once for all tests that look at what is made of that."""

    def once_of(of: Callable[..., Any]) -> Callable[..., Any]:
        def make(source: Source, *given: Any, **asked: Any) -> Any:
            key = f"{of.__name__} {source.text} {given} {asked}"
            if key not in MADE:
                MADE[key] = of(source, *given, **asked)
            return MADE[key]

        return make

    for name in ("scheduled_program", "compile_source"):
        monkeypatch.setattr(models, name, once_of(getattr(models, name)))


def assert_scheduled(record: dict[str, Any]) -> None:
    """Assert what holds of every schedule."""
    assert 1 <= record["bodies"] <= record["programs"] <= record["operators"] <= record["tasks"]
    assert 1 <= record["blocks"] <= record["tasks"]
    assert record["waits"] <= record["waits_before"]
    assert 0 < record["bound_s"] <= record["home_bound_s"] <= record["makespan_s"]
    assert record["kept_slices"] or record["bound_s"] == record["home_bound_s"]
    assert 0 < record["utilisation"] <= 1
    assert record["makespan_s"] <= record["waves_s"] * 1.2
    assert record["makespan_s"] <= record["front_s"] * 1.05
    assert 0 < record["graph_s"] <= record["line_s"] < record["launches_s"]
    assert record["makespan_s"] <= record["bounded_s"] and record["memory_s"] <= record["bound_s"]
    for name in ("graph_s", "bounded_s"):
        ahead = record[name.replace("graph", "dependent").replace("bounded", "bounded_dependent")]
        assert ahead is None or record[name] / 2 < ahead < record[name]
    phases = record["phases_s"]
    assert {"write", "read", "threads", "rtile-fuse", "rammer-schedule", "rammer-verify"} <= set(phases)
    assert sum(phases.values()) <= record["schedule_s"]


@pytest.mark.full(every=2)
@pytest.mark.parametrize("target", ["h200", "mi300x"])
def test_schedule(capsys: Any, target: str) -> None:
    (record,) = printed(capsys, "--target", target, *ONE)
    assert (record["id"], record["batch"], record["scale"]) == (TINY, 1, 64)
    assert_scheduled(record)
    assert (record["dependent_s"] is None) == (record["bounded_dependent_s"] is None) == (target == "mi300x")


@pytest.mark.full
@pytest.mark.usefixtures("once")
def test_what_graphs_cost_is_asked_for(capsys: Any) -> None:
    given = ("--graph-node-s", "2e-6", "--dependent-node-s", "2e-6")
    (usual,), (asked,) = (printed(capsys, *ONE, *more) for more in ((), given))
    assert asked["line_s"] - usual["line_s"] == pytest.approx(0.7e-6 * usual["operators"])
    assert asked["graph_s"] == asked["dependent_s"] > usual["graph_s"] > usual["dependent_s"]
    assert asked["makespan_s"] == usual["makespan_s"]


@pytest.mark.full
def test_schedule_of_all(capsys: Any) -> None:
    records = printed(capsys, *SMALL, "--batch", "4")
    assert [record["id"] for record in records] == list(RAMMER6)
    for record in records:
        assert_scheduled(record)


@pytest.mark.full
@pytest.mark.usefixtures("once")
def test_tables(capsys: Any) -> None:
    assert main(["suite", "rammer6", "--only", "seq*", *ONE[2:]]) == 0
    out = capsys.readouterr().out
    assert "as one persistent kernel each for h200" in out and "makespan" in out
    assert "Time of the phases" in out and "threads" in out
    assert "graph in a line" in out and "over the least" in out and "ahead: with programmatic" in out
    assert "Predicted gains" in out and "one kernel" in out
    assert main(["suite"]) == 0
    assert "rammer6: whole models, each as one persistent kernel: resnext, nasnet, " in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.usefixtures("once")
def test_compile(capsys: Any, tmp_path: Path) -> None:
    (record,) = printed(capsys, "--stage", "compile", *ONE, "-o", str(tmp_path))
    assert record["compile_s"] > 0 and len(record["kernels"]) == 1
    assert record["kernels"][0]["registers"] > 0
    artifact = Artifact.load(Path(record["artifact"]))
    assert artifact.manifest.function == TINY and len(artifact.manifest.launches) == 1
    assert main(["suite", "rammer6", "--stage", "compile", *ONE]) == 0
    assert "workgroup (B)" in capsys.readouterr().out


@pytest.mark.usefixtures("once")
@pytest.mark.full(every=12)
@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("name", sorted(RAMMER6, key=lambda name: name != TINY))
def test_run(capsys: Any, name: str, batch: int) -> None:
    (record,) = printed(capsys, "--stage", "run", "--only", name, "--batch", str(batch), *SMALL)
    assert record["matches"] and 0 <= record["max_error"] <= 1
    assert record["results"] > 0 and record["run_s"] > 0


@pytest.mark.usefixtures("once")
def test_a_wrong_result_is_told(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "reference", lambda *_: [1000.0])
    assert main(["suite", "rammer6", "--stage", "run", "--only", TINY, *SMALL]) == 1
    out = capsys.readouterr().out
    assert "differs" in out and f"do not match numpy: {TINY}" in out


def test_a_refused_model_has_its_error(capsys: Any) -> None:
    records = printed(capsys, "--target", "k80", *ONE, code=1)
    assert set(records[0]) == {"id", "batch", "scale", "error"}
    assert "no cooperative launch" in records[0]["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("rammer6", "--stage", "verify"), "rammer6 has the stages schedule, compile, run, but got --stage verify"),
        (("rammer6", "--jobs", "2"), "rammer6 --stage schedule goes without --jobs"),
        (("rammer6", "-o", "DIR"), "rammer6 --stage schedule goes without --output"),
        (("rammer6", "--dtype", "f16"), "rammer6 --stage schedule goes without --dtype"),
        (("rammer6", "--stage", "run", "--graph-node-s", "1e-6"), "--stage run goes without --graph-node-s"),
        (("roller119", "--graph-node-s", "1e-6"), "only rammer6 takes --graph-node-s, but got suite 'roller119'"),
        (("roller119", "--batch", "2"), "only rammer6 takes --batch, but got suite 'roller119'"),
        (("roller119", "--stage", "schedule"), "--stage schedule goes with rammer6, but got suite 'roller119'"),
        (("--scale", "2"), "listing suites (no suite is named) goes without --scale"),
    ],
)
def test_what_does_not_go_together(capsys: Any, arguments: tuple[str, ...], message: str) -> None:
    assert main(["suite", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_model(capsys: Any) -> None:
    assert main(["suite", "rammer6", "--only", "bert"]) == 1
    assert "no model is 'bert'; give names, or patterns of them: resnext, nasnet, " in capsys.readouterr().err
