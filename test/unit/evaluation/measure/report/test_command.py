# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller report`: files that are whole or not there, errors in one line, exit codes, JSON."""

import json
import os
import random
import signal
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fabricated_results import check, item, many, results, timing

from roller_mlir.evaluation.measure.report.report import make_report
from roller_mlir.evaluation.measure.report.results_file import ResultsError, loads_results, read_results
from roller_mlir.plan.records.codec import to_json, to_text
from roller_mlir.tools.report.measured import folder as report_folder
from roller_mlir.tools.roller import main

WHOLE = {"results.md", "report.html", "results.json", "predicted-vs-measured.png"}
RIGHT = results([item("A")], checks=[check(item("A"))], timings=[timing(item("A"), 1e-3)])


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of right results in a folder that is the current one."""
    monkeypatch.chdir(tmp_path)
    Path("in.json").write_text(to_text(RIGHT))
    return Path("in.json")


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let pictures be files like others: what is in them is tested with the pages."""

    def savefig(figure: object, out: Any, *, format: str, **_: object) -> None:  # noqa: A002 - as matplotlib calls it
        del figure
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>' if format == "svg" else b"\x89PNG")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", savefig)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_the_folder_is_named_by_date_and_target(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(given)]) == 0
    folder = Path("docs/results/2026-01-03-h200")
    assert names(folder) == WHOLE
    said = capsys.readouterr()
    assert said.out.splitlines() == ["1 kernel: 1 right, 1 timed; 0 wrong results", f"wrote {folder}"]
    assert said.err == ""


def test_a_folder_can_be_made_again_from_itself(given: Path) -> None:
    assert main(["report", str(given), "-o", "out"]) == 0
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    assert main(["report", "out", "-o", "out"]) == 0
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before
    assert read_results("out") == RIGHT


@pytest.mark.full
def test_wrong_results_are_said_first_and_are_the_exit_code(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given.write_text(to_text(many(40)))
    assert main(["report", str(given), "-o", "out"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "WRONG roller119/N16/f32, candidate 0: error 35.5"
    assert names(Path("out")) == WHOLE | {f"ratio-{peer}.png" for peer in ("torch", "torch.compile", "triton")}


@pytest.mark.usefixtures("undrawn")
def test_a_wrong_peer_is_no_failure_of_ours(given: Path) -> None:
    checks = (*RIGHT.checks, check(item("A"), who="torch", ok=False))
    given.write_text(to_text(replace(RIGHT, checks=checks)))
    assert main(["report", str(given), "-o", "out"]) == 0


@pytest.mark.usefixtures("undrawn")
def test_json_is_the_report_and_writes_only_where_it_is_told_to(
    given: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", str(given), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(to_json(make_report(RIGHT))))
    assert names(Path()) == {"in.json"}
    assert main(["report", str(given), "--json", "-o", "out"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 1 and names(Path("out")) == WHOLE


@pytest.mark.usefixtures("undrawn")
@pytest.mark.full
def test_a_dry_run_says_so_first(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given.write_text(to_text(many(4, machine={"back_end": "sim"})))
    assert main(["report", str(given)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Dry run: seconds of the simulator, no speed of any device."
    assert lines[-1] == "wrote docs/results/2026-01-03-h200-dry-run" and len(lines) == 3


@pytest.mark.usefixtures("undrawn")
def test_two_runs_are_one_report_and_two_machines_are_none(given: Path, capsys: pytest.CaptureFixture[str]) -> None:
    later = replace(RIGHT.machine, started="2026-02-01T00:00:00Z")
    Path("later.json").write_text(to_text(replace(RIGHT, machine=later, timings=(timing(item("A"), 5e-4),))))
    assert main(["report", "later.json", str(given), "-o", "out"]) == 0
    assert read_results("out").timings[0].median_s == 5e-4
    Path("other.json").write_text(to_text(replace(RIGHT, machine=replace(later, device="another"))))
    capsys.readouterr()
    assert main(["report", str(given), "other.json", "-o", "no"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("roller: error: other.json: of another machine") and said.count("\n") == 1
    assert not Path("no").exists()


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["missing.json"], 1, "missing.json: no such file or directory"),
        (["."], 1, "results.json: no such file or directory"),
        (["in.json", "-o", ""], 2, "-o must name a folder, but got ''"),
        (["in.json", "-o", "in.json"], 1, "in.json cannot be written: file exists"),
        (["in.json", "-o", "in.json/x"], 1, "in.json/x cannot be written: not a directory"),
        (["in.json", "-o", "x" * 300], 1, "cannot be written: file name too long"),
        (["in.json", "-o", "/proc/no/such"], 1, "/proc/no/such cannot be written"),
        (["in.json", "-o", "full"], 1, "full/report.html cannot be written: is a directory"),
    ],
)
def test_errors_are_one_line(
    given: Path, arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("full/report.html").mkdir(parents=True)
    before = sorted(Path().rglob("*"))
    assert main(["report", *arguments]) == code
    error = capsys.readouterr().err
    assert said in error and error.startswith("roller: error: ") and error.count("\n") == 1
    assert sorted(Path().rglob("*")) == before


@pytest.mark.usefixtures("undrawn")
def test_a_full_disk_leaves_nothing(
    given: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    real, wrote = Path.write_bytes, list[str]()

    def full(path: Path, data: bytes) -> int:
        wrote.append(path.name)
        if len(wrote) == 3:
            real(path, data[:10])
            raise OSError(28, "No space left on device", str(path))
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", full)
    assert main(["report", str(given), "-o", "a/b/out"]) == 1
    assert "cannot be written: no space left on device" in capsys.readouterr().err
    assert len(wrote) == 3 and not Path("a").exists()


@pytest.mark.usefixtures("undrawn")
def test_an_interrupt_leaves_the_earlier_report_whole(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["report", str(given), "-o", "out"]) == 0
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    given.write_text(to_text(many(5)))
    real, wrote = Path.write_bytes, list[str]()

    def interrupted(path: Path, data: bytes) -> int:
        wrote.append(path.name)
        if len(wrote) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return real(path, data)

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    assert main(["report", str(given), "-o", "out"]) == 130
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


@pytest.mark.usefixtures("undrawn")
def test_an_interrupt_while_files_are_renamed_waits_until_all_are(given: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, moved = Path.replace, list[str]()

    def interrupted(path: Path, goal: Any) -> Path:
        moved.append(path.name)
        if len(moved) == 2:
            os.kill(os.getpid(), signal.SIGINT)
        return real(path, goal)

    monkeypatch.setattr(Path, "replace", interrupted)
    assert main(["report", str(given), "-o", "out"]) == 130
    assert names(Path("out")) == WHOLE


@pytest.mark.full
def test_pictures_of_an_earlier_report_are_removed_and_nothing_else(given: Path) -> None:
    out = Path("out")
    out.mkdir()
    for name in ("ratio-mine.png", "notes.txt"):
        (out / name).write_bytes(b"mine")
    given.write_text(to_text(many(5)))
    assert main(["report", str(given), "-o", "out"]) == 0
    assert "ratio-mine.png" in names(out)  # the folder held no report before
    given.write_text(to_text(RIGHT))
    (out / "other.png").write_bytes(b"mine")
    assert main(["report", str(given), "-o", "out"]) == 0
    assert names(out) == WHOLE | {"notes.txt", "other.png"}


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        yield (*path, key)
        yield from places(value, (*path, key))


@pytest.mark.full
def test_results_with_any_value_changed_are_reported_or_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_folder, "draw", lambda *_: {})
    whole = json.loads(to_text(many(4)))
    paths = [path for path in places(whole) if len(path) > 1]
    draw = random.Random(11)
    values = [0, 1, -1, 5, 1e308, 1e-320, 1e-3, "nan", "inf", "", "<b>", "\ud800\0\n|", "ours", "torch", "top-k", []]
    reported = 0
    for _ in range(250):
        *above, last = draw.choice(paths)
        changed = json.loads(json.dumps(whole))
        value = changed
        for key in above:
            value = value[key]
        value[last] = draw.choice(values)
        try:
            read = loads_results(json.dumps(changed).encode(), "changed")
        except ResultsError as error:
            assert "\n" not in str(error)
            continue
        contents = report_folder.contents_of(make_report(read), read)
        assert loads_results(contents["results.json"], "again").kit.items
        reported += 1
    assert 20 < reported < 230


def test_the_manual(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--help"]) == 0
    assert "results.json as the runner wrote it" in capsys.readouterr().out
