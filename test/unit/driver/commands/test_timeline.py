# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller timeline`: text, page and trace of a persistent kernel's tasks, as predicted and beside a run."""

import html
import json
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.plan.persistent.task_times import TaskTime, read_chrome_trace
from roller_mlir.tools.report.timeline import TimelineRun, page
from roller_mlir.tools.roller import main

BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")
CHAIN = """!a = tensor<48x64xf32>
!b = tensor<64x64xf32>
!c = tensor<64x32xf32>
!y = tensor<48x32xf32>
func.func @chain(%a: !a, %b: !b, %c: !c) -> !y {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : !a
  %f = linalg.fill ins(%z : f32) outs(%e : !a) -> !a
  %x = linalg.matmul ins(%a, %b : !a, !b) outs(%f : !a) -> !a
  %g = tensor.empty() : !y
  %h = linalg.fill ins(%z : f32) outs(%g : !y) -> !y
  %y = linalg.matmul ins(%x, %c : !a, !c) outs(%h : !y) -> !y
  return %y : !y
}
"""


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def tasks_of(run: dict[str, Any], operators: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """Return block, place there, operator and number of the tasks that a page draws."""
    found: list[tuple[int, int, str, int]] = []
    for block, row in enumerate(run["rows"]):
        for position, task in enumerate(filter(None, row.split(";"))):
            _, _, operator, number, *_ = map(int, task.split())
            found.append((block, position, operators[operator], number))
    return found


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "chain.mlir"
    path.write_text(CHAIN)
    return str(path)


def test_as_predicted_and_beside_a_run(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded, drawn, trace = (str(tmp_path / name) for name in ("times.json", "chain.html", "chain.json"))
    assert main(["run", source, "--persistent", "--random", "--times", recorded]) == 0
    capsys.readouterr()
    assert main(["timeline", source, "--times", recorded, "--html", drawn, "--trace", trace]) == 0
    said = capsys.readouterr().out
    (predicted, written), (ran, times) = read_chrome_trace(Path(trace).read_text())
    assert (predicted, ran) == ("predicted", "recorded: chain")
    ((kernel, measured),) = read_chrome_trace(Path(recorded).read_text())
    assert kernel == "chain"
    place = {(one.block, one.position, one.operator, one.task) for one in written}
    assert {(one.block, one.position, one.operator, one.task) for one in times} == place
    assert [one.end_ns - one.start_ns for one in times] == [one.end_ns - one.start_ns for one in measured]
    data = data_of(Path(drawn).read_text())
    assert [run["name"] for run in data["runs"]] == ["predicted", "recorded: chain"]
    for run in data["runs"]:
        assert set(tasks_of(run, data["operators"])) == place
    assert main(["explain", source, "--persistent", "--json"]) == 0
    explained = json.loads(capsys.readouterr().out)
    assert explained["bound_s"] <= explained["makespan_s"]
    assert data["runs"][0]["span_ns"] == pytest.approx(1e9 * explained["makespan_s"], abs=1)
    assert re.search(rf"tasks +{explained['tasks']}\n", said) and "critical path: " in said
    assert "matmul_0: " in said and "recorded: chain: " in said and "critical path of recorded: chain: " in said
    assert all(any(task.split()[4] == "1" for row in run["rows"] for task in row.split(";")) for run in data["runs"])
    assert "<h3>Critical path, predicted</h3>" in Path(drawn).read_text()
    assert "<h3>Critical path, recorded: chain</h3>" in Path(drawn).read_text()
    assert main(["timeline", source, "--hand-over", "barrier", "--policy", "wavefront"]) == 0
    assert "chain.mlir, policy wavefront\n" in capsys.readouterr().out


@pytest.mark.full
def test_what_cannot_stand_beside_it(source: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recorded = tmp_path / "times.json"
    assert main(["run", source, "--persistent", "--random", "--blocks", "3", "--times", str(recorded)]) == 0
    for text, message in (
        (recorded.read_text(), r"holds \d+ tasks that are not of this schedule, and lacks \d+ of it"),
        ("[]", "holds no traceEvents"),
        ('{"traceEvents": []}', "holds no task of a persistent kernel"),
        ('{"traceEvents": [{"ph": "X", "pid": 0, "ts": 1}]}', r"traceEvents\[0\] is no task of a persistent kernel"),
        ("{", "not JSON"),
    ):
        recorded.write_text(text)
        assert main(["timeline", source, "--blocks", "2", "--times", str(recorded)]) == 1
        assert re.search(rf"--times {recorded}: {message}", capsys.readouterr().err)
    assert main(["timeline", source, "--times", str(tmp_path / "none.json")]) == 1
    assert "none.json: no such file" in capsys.readouterr().err
    assert main(["timeline", source, "--html", str(tmp_path / "none" / "page.html")]) == 1
    assert "page.html cannot be written: there is no folder" in capsys.readouterr().err


def evil_run(blocks: int, tasks: int) -> TimelineRun:
    """Return a run with names that are markup, empty blocks, tasks of no time, and one alone on its block."""
    times = [
        TaskTime(
            operator=f"</script><b>{at % 3} ({at})", task=at, block=2 * block, position=at, start_ns=start, end_ns=end
        )
        for block in range(blocks)
        for at, start, end in ((at, 100 * at + block, 100 * at + block + 70 * (at % 2)) for at in range(tasks))
    ]
    return TimelineRun(name="<i>evil", times=tuple(times), critical=frozenset({(0, 0), (0, 1)}))


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium, such as Debian's package chromium")
@pytest.mark.parametrize(("blocks", "tasks"), [(3, 4), (1, 1), pytest.param(132, 380, marks=pytest.mark.full)])
def test_a_browser_draws_it(blocks: int, tasks: int, tmp_path: Path) -> None:
    """All tasks are drawn, or one for those that share half a pixel; the page asks for nothing, and nothing fails."""
    assert BROWSER is not None
    run = evil_run(blocks, tasks)
    text = page("<b>title", [("tasks", "<u>")], [run, run])
    assert not re.search(r"(src|href)=|https?://|@import", text)
    (tmp_path / "page.html").write_text(text)
    command = [
        *(BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--window-size=1300,900"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (tmp_path / "page.html").as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert "Uncaught" not in done.stderr, done.stderr
    drawn = [int(one) for one in re.findall(r'data-drawn="(\d+)"', done.stdout)]
    assert len(drawn) == 2 and drawn[0] == drawn[1]
    assert drawn[0] == blocks * tasks if blocks * tasks < 100 else 5000 < drawn[0] <= blocks * tasks
    assert re.search(r'data-painted="\d+"', done.stdout)
    assert html.escape("<i>evil") in done.stdout and "<i>evil" not in done.stdout
