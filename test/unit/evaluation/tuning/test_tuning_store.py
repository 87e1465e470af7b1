# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adding to a tuning data base loses nothing: not with many processes at once, not on a full disk."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from counted_work import calls
from tuning_records import data_base, record

from roller_mlir.evaluation.measure.tune.store import add_records
from roller_mlir.plan.files.tuning import TuningError, parse_tuning, read_tuning, text_of

ADD = """import sys
from dataclasses import replace
from roller_mlir.evaluation.measure.tune.store import add_records
from roller_mlir.plan.files.tuning import read_tuning
(found,) = read_tuning(sys.argv[2]).values()
for number in range(int(sys.argv[3]), 1 << 30, 4):
    add_records(sys.argv[1], [replace(found.record, key=f"{number:032x}")])
    print(number, flush=True)
    if number >= int(sys.argv[4]):
        break
"""


def adder(path: Path, base: Path, first: int, last: int, *limit: str) -> "subprocess.Popen[str]":
    """Starts a process that adds every fourth number."""
    command = [*limit, sys.executable, "-c", ADD, str(path), str(base), str(first), str(last)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_what_is_there_stays_and_the_fastest_wins(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    one, two = record(key="1" * 32), record(key="2" * 32)
    assert add_records(path, [two]) == {}
    assert add_records(path, [one]) == {}
    assert path.read_text() == text_of([one, two])
    slow, fast = replace(one, measured_s=1.24e-5), replace(two, measured_s=1.195e-5)
    assert add_records(path, [slow, fast]) == {one.key: one, two.key: two}
    assert path.read_text() == text_of([one, fast])
    assert [entry.name for entry in tmp_path.iterdir()] == ["t.jsonl"]


def test_nothing_is_written_where_nothing_changes(tmp_path: Path) -> None:
    path = data_base(tmp_path / "t.jsonl", record())
    path.chmod(0o640)
    os.utime(path, (1, 1))
    add_records(path, [record()])
    assert path.stat().st_mtime == 1
    add_records(path, [record(key="1" * 32)])
    assert path.stat().st_mtime > 1
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_one(tmp_path: Path) -> None:
    target = data_base(tmp_path / "t.jsonl", record())
    link = tmp_path / "link"
    link.symlink_to(target)
    add_records(link, [record(key="1" * 32)])
    assert link.is_symlink()
    assert len(read_tuning(target)) == 2


@pytest.mark.full
def test_many_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    path, base = tmp_path / "t.jsonl", data_base(tmp_path / "base", record())
    processes = [adder(path, base, first, 40) for first in range(4)]
    for process in processes:
        _, errors = process.communicate(timeout=600)
        assert process.returncode == 0, errors
    assert [int(key, 16) for key in read_tuning(path)] == list(range(44))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["base", "t.jsonl"]


def test_killed_processes_leave_a_whole_file(tmp_path: Path) -> None:
    path, base = tmp_path / "t.jsonl", data_base(tmp_path / "base", record())
    processes = [adder(path, base, first, 1 << 29) for first in range(2)]
    said: list[int] = []
    for process in processes:
        assert process.stdout is not None
        said.append(int(process.stdout.readline()))
    time.sleep(0.2)
    for process in processes:
        process.send_signal(signal.SIGKILL)
        said += [int(word) for word in process.communicate(timeout=600)[0].split()]
    assert set(said) <= {int(key, 16) for key in read_tuning(path)}
    add_records(path, [record(key="f" * 32)])


def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    path, base = tmp_path / "t.jsonl", data_base(tmp_path / "base", record())
    before = data_base(path, *(record(key=f"{number:032x}") for number in range(100, 108))).read_bytes()
    limit = ("bash", "-c", f'trap "" XFSZ; ulimit -f {len(before) // 1024}; exec "$@"', "limited")
    process = adder(path, base, 0, 0, *limit)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "t.jsonl: cannot be written: file too large" in errors.splitlines()[-1]
    assert path.read_bytes() == before
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["base", "t.jsonl"]


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    with pytest.raises(TuningError, match=r"missing/t.jsonl: cannot be written: no such file or directory"):
        add_records(tmp_path / "missing" / "t.jsonl", [record()])
    with pytest.raises(TuningError, match=r": cannot be written: it is no file"):
        add_records(tmp_path, [record()])
    with pytest.raises(TuningError, match=r"/dev/null: cannot be written: it is no file"):
        add_records("/dev/null", [record()])


def test_a_file_with_a_line_that_is_none_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("{}\n")
    with pytest.raises(TuningError, match=r"t.jsonl:1:1: key: missing"):
        add_records(path, [record()])
    assert path.read_text() == "{}\n"


def test_an_error_leaves_no_empty_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(TuningError, match=r"cannot be written: no space left on device"):
        add_records(tmp_path / "t.jsonl", [record()])
    assert not list(tmp_path.iterdir())


def test_thousands_of_records_are_read_in_a_moment_and_once() -> None:
    text = text_of(record(key=f"{number:032x}") for number in range(1000)).encode()
    assert len(parse_tuning(text, "t")) == 1000
    assert calls(lambda: parse_tuning(text, "t")) < 100_000
