# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Start and end of each task, which a persistent kernel records: every task once, in the order of the dependences."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph_models import branches, lstm, mlp
from role_models import layers

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.passes.rammer import outline_kernel
from roller_mlir.plan.persistent.task_times import TaskTime
from roller_mlir.rammer.graph.task_graph import TaskGraph
from roller_mlir.runtime.registry import find_backend
from roller_mlir.runtime.sequence import LoadedSequence
from roller_mlir.tools.roller import main

RECORDED = CompileOptions(persistent=True, record_times=True, binaries=False, cache=False)


def check(graph: TaskGraph, times: tuple[TaskTime, ...]) -> None:
    """Check that every task is there once, that it ends behind its start, and starts behind those that it needs."""
    names = [operator.name for operator in graph.operators]
    start, end = (np.zeros(graph.tasks, np.int64) for _ in range(2))
    for one in times:
        number = int(graph.first[names.index(one.operator)]) + one.task
        assert start[number] == 0
        start[number], end[number] = one.start_ns, one.end_ns
    assert len(times) == graph.tasks
    assert (start > 0).all()
    assert (start <= end).all()
    assert len(graph.dependences.producers)
    assert (end[graph.dependences.producers] <= start[graph.dependences.consumers]).all()


@pytest.mark.full(every=6)
@pytest.mark.parametrize(
    ("model", "device", "level"),
    [("branches", "h200", "gpu"), ("lstm", "mi300x", "gpu"), ("branches", "mi300x", "llvm"), ("roles", "h200", "gpu")],
)
def test_tasks_run_in_order(model: str, device: str, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs, read = list[TaskGraph](), outline_kernel.read_graph

    def kept(*given: Any, **named: Any) -> Any:
        found = read(*given, **named)
        graphs.append(found.tasks)
        return found

    monkeypatch.setattr(outline_kernel, "read_graph", kept)
    options = replace(RECORDED, llvm=level == "llvm", wait_limit=None if model == "lstm" else 10**6)
    if model == "roles":
        text, inputs, expected = layers(128, (128, 192, 64))
        options = replace(options, task_threads=128, instructions=("wgmma",), fusion=False)
    else:
        text, inputs, (expected, *_), _ = branches((16, 48)) if model == "branches" else lstm()
        options = replace(options, block_threads=64)
    artifact = roller_mlir.compile(text, target=device, options=options)
    loaded = LoadedSequence(
        artifact.manifest, artifact.files, find_backend("sim", {"level": level, "sanitize": model == "roles"})
    )
    before = 0
    for _ in range(2):
        result = loaded.run(inputs)
        np.testing.assert_allclose(result.outputs[0], expected, rtol=1e-4, atol=1e-4)
        (report,) = result.launches
        assert report.times is not None
        check(graphs[0], report.times)
        assert min(one.start_ns for one in report.times) > before, "those of this run"
        before = max(one.end_ns for one in report.times)


@pytest.mark.full
def test_the_counter_of_each_vendor() -> None:
    """Assembly reads the counter in front of tasks, behind the waits of a body, and at the end; or never."""
    for device, counter, tick in (("h200", "%globaltimer", 1), ("mi300x", "s_memrealtime", 10)):
        for recorded in (True, False):
            options = CompileOptions(persistent=True, block_threads=64, record_times=recorded)
            artifact = roller_mlir.compile(mlp()[0], target=device, options=options)
            assembly = artifact.text("ptx" if device == "h200" else "assembly")
            assert assembly.count(counter) == 3 * recorded  # the tasks of one body wait in it
            (launch,) = artifact.manifest.launches
            assert (launch.times.tick_ns if launch.times else None) == (tick if recorded else None)
            if launch.times:
                with pytest.raises(
                    ValueError, match=r"times of \d+ B must lie in the last argument, of \d+ B, but begin"
                ):
                    replace(launch, times=replace(launch.times, offset_bytes=launch.times.offset_bytes + 4))
                with pytest.raises(ValueError, match="do not fit programs of up to"):
                    replace(launch.times, positions=0)


@pytest.mark.full
def test_a_trace_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, trace, artifact = tmp_path / "mlp.mlir", tmp_path / "times.json", str(tmp_path / "mlp.roller")
    file.write_text(mlp()[0])
    asked = ["--random", "--check", "--times", str(trace)]
    assert main(["run", str(file), *asked]) == 2
    assert (
        "--times: only the tasks of a persistent kernel record their times; add --persistent" in capsys.readouterr().err
    )
    assert main(["compile", str(file), "--record-times"]) == 2
    assert "--record-times: only a persistent kernel has a schedule; add --persistent" in capsys.readouterr().err
    assert main(["compile", str(file), "-o", artifact]) == 0
    assert main(["run", artifact, *asked]) == 2
    assert "records no times; compile it with --persistent --record-times" in capsys.readouterr().err
    assert main(["run", str(file), "--persistent", *asked]) == 0
    events = json.loads(trace.read_text())["traceEvents"]
    tasks = [one for one in events if one["ph"] == "X"]
    assert {one["cat"] for one in tasks} == {"matmul_0 (0)", "matmul_1 (1)"}
    assert min(one["ts"] for one in tasks) == 0
    assert min(one["dur"] for one in tasks) >= 0
    assert len({(one["tid"], one["args"]["position"]) for one in tasks}) == len(tasks)
    assert [one["args"]["name"] for one in events if one["ph"] == "M"] == ["mlp"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["mlp.mlir", "mlp.roller", "times.json"]
