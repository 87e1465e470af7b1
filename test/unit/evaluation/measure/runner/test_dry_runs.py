# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dry runs: a real kit on the simulator, where every time says what it is."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import preloaded
import pytest

from roller_mlir.evaluation.measure import runner
from roller_mlir.evaluation.measure.kit.contents import of_gemms
from roller_mlir.evaluation.measure.kit.files import open_kit
from roller_mlir.evaluation.measure.kit.pack import pack_kit
from roller_mlir.evaluation.measure.kit.packing import PackOptions
from roller_mlir.evaluation.measure.kit.writer import KitWriter
from roller_mlir.evaluation.measure.records import Item, Trouble
from roller_mlir.evaluation.measure.runner import options
from roller_mlir.evaluation.measure.runner.sim_bench import DRY_RUN, SimBench
from roller_mlir.evaluation.measure.runner.steps import Step
from roller_mlir.evaluation.measure.runner.work import LostDeviceError, StepWorker
from roller_mlir.plan.manifest import File
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.store import sha256


@pytest.fixture(scope="module")
def kit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kits") / "kit"
    pack_kit(folder, "h200", of_gemms((16,), "f32", top_k=2), PackOptions(jobs=1, simulator=True))
    return folder


def run(kit: Path, out: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    command = preloaded.python(
        "-m", "roller_mlir.evaluation.measure.runner", str(kit), "--on", "sim", "-o", str(out), *options
    )
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


@pytest.mark.full
def test_a_dry_run_says_so_everywhere(tmp_path: Path, kit: Path) -> None:
    done = run(kit, tmp_path, "--repeat", "2")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    found = json.loads((tmp_path / "results.json").read_text())
    assert found["complete"] and found["machine"]["back_end"] == "sim"
    assert found["machine"]["device"] == "simulator (dry run)"
    assert {one["against"] for one in found["checks"]} == {"numpy"} and all(one["ok"] for one in found["checks"])
    assert {(one["who"], one["rank"]) for one in found["timings"]} == {("ours", 0), ("ours", 1), ("numpy", 0)}
    assert all(one["note"].startswith(DRY_RUN) for one in found["timings"])
    assert all(line.startswith("dry run [") for line in done.stdout.splitlines() if "]" in line)
    assert "DRY RUN: wall times of the simulator, which say nothing of any device" in done.stdout
    assert done.stdout.splitlines()[-2].endswith(" -")  # no ratio to anybody


@pytest.mark.full(every=2)
def test_a_kernel_that_is_wrong(tmp_path: Path, kit: Path) -> None:
    broken = tmp_path / "kit"
    broken.mkdir()
    with open_kit(kit) as files, KitWriter(broken) as writer:
        for number, candidate in enumerate(files.kit.items[0].candidates):
            artifact = files.artifact(candidate.artifact)
            writer.add(candidate.artifact, artifact if number else with_other_product(artifact))
        source = files.source(files.kit.items[0].id)
        assert source is not None
        writer.add_source(files.kit.items[0].id, source)
        writer.finish(files.kit)
    done = run(broken, tmp_path / "out")
    assert done.returncode == 1
    first, second = json.loads((tmp_path / "out" / "results.json").read_text())["checks"][:2]
    assert not first["ok"] and first["error"] > 1 and "256 of 256 elements are wrong" in first["message"]
    assert second["ok"]
    assert "WRONG" in done.stdout.splitlines()[0]


def test_its_usage_names_a_module_that_runs_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options.parse(["--help"])
    assert capsys.readouterr().out.startswith(f"usage: python -m {runner.__name__} ")


def with_other_product(artifact: Artifact) -> Artifact:
    """Return an artifact that computes with differences what should be products."""
    files, records = dict(artifact.files), list[File]()
    for record in artifact.manifest.files:
        data = files[record.name]
        if record.role == "kernels":
            data = data.replace(b"math.fma", b"math.fma").replace(b"arith.addf", b"arith.subf")
            data = data.replace(b"arith.mulf", b"arith.subf")
            assert data != files[record.name]
        files[record.name] = data
        records.append(replace(record, size_bytes=len(data), sha256=sha256(data)))
    return Artifact(replace(artifact.manifest, files=tuple(records)), files)


def test_peers_are_checked_and_never_the_end(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def product(inputs: Any, change: float = 0) -> Any:
        return inputs[0] @ inputs[1] + np.float32(change)

    def peers_for(item: Item, inputs: Any, wanted: Any) -> Any:
        (name,) = wanted

        def late() -> Any:
            calls.append("late")
            if len(calls) > 1:
                raise RuntimeError("no more\nof a stack")
            return product(inputs)

        def fails() -> Any:
            raise RuntimeError("at once")

        made = {"right": lambda: product(inputs), "wrong": lambda: product(inputs, 1), "late": late, "fails": fails}
        if name == "missing":
            return {}, [Trouble(item="", who=name, message="no such library")]
        return {name: made[name]}, []

    monkeypatch.setattr("roller_mlir.evaluation.measure.runner.peers.available.peers_for", peers_for)
    said: list[str] = []
    with open_kit(kit) as files:
        work = StepWorker(files, SimBench(), lambda who, rank=0: said.append(who), samples=1)
        item = files.kit.items[0].id
        step = Step(kind="time", item=item, ranks=(0,), peers=("right", "wrong", "fails", "missing"))
        done = work.do(step)
        late = work.do(replace(step, peers=("late", "right")))
    assert {(one.who, one.ok) for one in done.checks} == {("right", True), ("wrong", False)}
    assert {one.who for one in done.timings} == {"ours", "right"}
    assert {(one.item, one.who, one.message) for one in done.troubles} == {
        (item, "fails", "RuntimeError: at once"),
        ("", "missing", "no such library"),
    }
    assert said[:6] == ["reference", "ours", "right", "wrong", "fails", "missing"]
    assert {one.who for one in late.timings} == {"ours", "right"}
    assert [(one.who, one.message) for one in late.troubles] == [("late", "while it was timed: RuntimeError: no more")]
    assert {one.who for one in late.checks} == {"late", "right"}


def test_a_peer_that_breaks_the_device_is_left_to_another_process(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def peers_for(item: Item, inputs: Any, wanted: Any) -> Any:
        return {}, [Trouble(item=item.id, who=wanted[0], message="an illegal address")]

    monkeypatch.setattr("roller_mlir.evaluation.measure.runner.peers.available.peers_for", peers_for)
    said: list[str] = []
    with open_kit(kit) as files:
        work = StepWorker(files, SimBench(), lambda who, rank=0: said.append(who), samples=1)
        step = Step(kind="time", item=files.kit.items[0].id, ranks=(0,), peers=("one", "two"))
        assert len(work.do(step).troubles) == 2  # the device is well
        monkeypatch.setattr(StepWorker, "is_well", lambda _: False)
        with pytest.raises(LostDeviceError, match="one"):
            work.do(step)
    assert said[-1] == "one"  # whom the supervisor leaves out then


def test_many_launches_in_a_row_give_signs_of_life(kit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roller_mlir.evaluation.measure.runner.work.DRY_LAUNCHES", 5)
    monkeypatch.setattr("roller_mlir.evaluation.measure.runner.work._SAID_EVERY", 2)
    said: list[tuple[str, int]] = []
    with open_kit(kit) as files:
        work = StepWorker(files, SimBench(), lambda who, rank=0: said.append((who, rank)), samples=1)
        (timing,) = work.do(Step(kind="repeat", item=files.kit.items[0].id, ranks=(1,))).timings
    assert timing.samples == 5 and timing.note.endswith("5 launches in a row")
    assert said == [("reference", 0), *[("ours", 1)] * 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--peers", "torch"], "--peers: unknown torch; known: numpy"),
        (["--phases", "top1,all"], "--phases: unknown all; known: smoke, check, calibrate, top1, topk, peers"),
        (["--time-limit", "0"], "must be above 0 seconds, but got 0"),
        (["--repeat", "0"], "must be at least 1, but got 0"),
        (["--only", ","], "must name at least one"),
    ],
)
def test_what_cannot_be_asked_for(tmp_path: Path, kit: Path, options: list[str], message: str) -> None:
    done = run(kit, tmp_path / "out", *options)
    assert done.returncode == 2 and message in done.stderr and not (tmp_path / "out").exists()


def test_what_is_no_kit(tmp_path: Path) -> None:
    done = run(tmp_path, tmp_path / "out")
    assert done.returncode == 1 and not (tmp_path / "out").exists()
    assert done.stderr.splitlines()[-1].startswith(f"error: cannot read kit: {tmp_path / 'index.json'}: no such file")
