# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole models go the way of a measurement: packed in all ways to launch them, run in the simulator, and reported."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import preloaded
import pytest
from graphs import AHEAD, missing_ways, of_graphs, of_models

from roller_mlir.evaluation.measure.kit.files import open_kit
from roller_mlir.evaluation.measure.kit.pack import PackOptions, pack_kit
from roller_mlir.evaluation.measure.records import Results
from roller_mlir.evaluation.measure.report.report import make_report
from roller_mlir.evaluation.measure.report.results_file import read_results
from roller_mlir.evaluation.measure.runner.expected.references import same_as
from roller_mlir.evaluation.measure.runner.sim_bench import SimBench, SimLoaded
from roller_mlir.evaluation.measure.runner.steps import ITSELF, Step
from roller_mlir.evaluation.measure.runner.work import StepWorker
from roller_mlir.evaluation.suites.models import RAMMER6
from roller_mlir.hal import find_device
from roller_mlir.runtime import Artifact
from roller_mlir.tools.report.measured.markdown import markdown
from roller_mlir.tools.report.measured.sections import document_of

DRY_RUN = Path(__file__).resolve().parents[5] / "bench" / "gpu" / "dry_run.py"
PERSISTENT = ["persistent", "fastest", "none-kept", "front", "barriers"]
WAYS = [*PERSISTENT, "launches", "line", "graph", "bounded", "ahead", "bounded-ahead"]
GRAPHS = WAYS[len(PERSISTENT) + 1 :]
LEFT_OUT = (*PERSISTENT[1:], "bounded", "bounded-ahead")
SMALLEST = "seq2seq"
QUICK_SCALE, SCALE = 64, 32


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kits") / "kit"
    (function,) = of_models(find_device("h200"), [SMALLEST], QUICK_SCALE)
    assert [one.name for one in function.ways] == WAYS
    function = replace(function, ways=tuple(one for one in function.ways if one.name not in LEFT_OUT))
    pack_kit(folder, "h200", [function], PackOptions(jobs=1, simulator=True))
    return folder


@pytest.mark.full
def test_a_model_is_packed_in_all_ways(kit: Path) -> None:
    with open_kit(kit) as files:
        (item,) = files.kit.items
        assert (item.id, item.suite, item.base) == ("models/seq2seq", "models", 1)
        assert [one.way for one in item.candidates] == ["persistent", "launches", "line", "graph", "ahead"]
        assert [one.artifact.rpartition("/")[2] for one in item.candidates] == ["0", "1", "1", "1", "4"]
        assert [one.family for one in item.candidates] == ["persistent, seq2seq", *["plain, seq2seq"] * 4]
        launches, ahead = (files.artifact(item.candidates[rank].artifact) for rank in (1, 4))
    assert not any(one.dependent for one in launches.manifest.launches)
    assert all(one.dependent for one in ahead.manifest.launches if one.kernel)
    assert len(item.fill) == len(launches.manifest.inputs) > 20
    assert not any(buffer.role == "constant" for buffer in launches.manifest.buffers)
    predictions = {one.name: one.plan.prediction for one in launches.kernels if one.plan is not None}
    launched = [prediction for one in launches.manifest.launches if (prediction := predictions[one.kernel])]
    assert len(launched) > len(predictions)  # of which each launch takes its time
    assert item.candidates[1].predicted_s == pytest.approx(sum(one.seconds for one in launched))
    assert item.flops == sum(one.flops for one in launched) and item.least_bytes > 0


@pytest.mark.parametrize(
    ("device", "without", "reason"),
    [
        ("h200", (), ""),
        ("a100", AHEAD, "a100-80 has no programmatic dependent launches"),
        ("mi300x", tuple(GRAPHS), "graphs of launches are made of CUDA's only"),
    ],
)
def test_ways_that_a_device_has_not_are_told(device: str, without: tuple[str, ...], reason: str) -> None:
    functions = of_graphs(find_device(device), small=True)
    assert [one.name for one in functions[0].ways] == [way for way in WAYS if way not in without]
    told = missing_ways(find_device(device), functions)
    assert {one.id for one in told} == {f"{function.id}/{way}" for function in functions for way in without}
    assert all(one.reason == reason for one in told)


class KeptBench(SimBench):
    """The simulator, which makes what runs a kernel once for all tests."""

    def __init__(self) -> None:
        super().__init__()
        self._kept: dict[tuple[str, ...], SimLoaded] = {}

    def load(self, artifact: Artifact) -> SimLoaded:
        files = tuple(file.sha256 for file in artifact.manifest.files)
        return self._kept.setdefault(files, super().load(artifact))


@pytest.fixture(scope="module")
def bench() -> SimBench:
    return KeptBench()


@pytest.mark.full
def test_ways_are_checked_and_graphs_not_timed(kit: Path, bench: SimBench) -> None:
    with open_kit(kit) as files:
        work = StepWorker(files, bench, lambda who, rank=0: None, samples=1)
        name = files.kit.items[0].id
        (check,) = work.do(Step(kind="check", item=name, ranks=(0,), base=1)).checks
        timed = work.do(Step(kind="time", item=name, ranks=(0, 1, 3), note="top-k"))
        (ahead,) = work.do(Step(kind="check", item=name, ranks=(4,), base=1)).checks
    assert ahead.ok and ahead.against == "numpy"
    assert check.ok and check.against == "numpy" and check.error is not None and check.error > 1e-4
    assert [one.rank for one in timed.timings[:2]] == [0, 1] and not timed.troubles


@pytest.mark.full
def test_ways_are_compared_with_the_launches_where_nobody_else_knows(
    kit: Path, bench: SimBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_kit(kit) as files:
        monkeypatch.setattr(files, "source", lambda _: None)
        work = StepWorker(files, bench, lambda who, rank=0: None, samples=1)
        name = files.kit.items[0].id
        (first,) = work.do(Step(kind="check", item=name, ranks=(1,))).checks
        (second,) = work.do(Step(kind="check", item=name, ranks=(0,), base=1)).checks
    assert first.ok and first.against == ITSELF
    assert second.ok and second.against == "candidate 1" and second.error is not None and 0 < second.error < 0.5


def dry_run(folder: Path, models: str) -> Results:
    command = preloaded.python(str(DRY_RUN), "-o", str(folder), "--models", models, "--scale", str(SCALE))
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (
        f"not timed: {', '.join(sorted(GRAPHS))}; the simulator has no graphs, and runs launches one by one"
        in done.stdout
    )
    return read_results(folder)


@pytest.mark.full
def test_what_matrix_instructions_cut_off_is_permitted_where_there_are_some(kit: Path) -> None:
    result = np.ones(64, np.float32)
    with open_kit(kit) as files:
        (item,) = files.kit.items
        manifest = files.artifact(item.candidates[1].artifact).manifest
    unknown = replace(item, candidates=tuple(replace(one, plans={}) for one in item.candidates))
    (strict,), (loose,), (any_,) = (same_as([result], manifest, one).bounds for one in (item, unknown, None))
    assert strict is not None and (strict < 1e-3).all() and (strict < loose).all() and (loose == any_).all()


@pytest.mark.full
def test_all_models_go_the_whole_way(tmp_path: Path) -> None:
    results = dry_run(tmp_path / "dry", "*")
    models = {f"models/{name}" for name in RAMMER6}
    assert results.complete and models <= {item.id for item in results.kit.items}
    checks = [one for one in results.checks if one.item in models]
    assert len(checks) == len(WAYS) * len(models)
    assert all(one.ok and one.against == "numpy" and one.error is not None and one.error > 1e-4 for one in checks)
    report = make_report(results)
    ways = {(one.item, one.way): one for one in report.ways}
    assert all((ways[name, way].median_s is None) == (way in GRAPHS) for name in models for way in WAYS)
    assert all(ways[name, "persistent"].many_s is not None for name in models)
    shown = markdown(document_of(report), {})
    assert all(f"| {name} | cleared |" in shown for name in models)
