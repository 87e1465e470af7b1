# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tuning data base as a text file: what it says, what merges leave of it, and what it refuses."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tuning_records import DIVIDED, MATMUL, data_base, dispatch_of, record, record_of

from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.plan.files.tuning import Found, TuningError, describe, merged, parse_tuning, read_tuning, text_of
from roller_mlir.plan.files.tuning_key import tuning_key


def key(number: int) -> str:
    """Return a key."""
    return f"{number:032x}"


def changed(**changes: Any) -> bytes:
    """Return a line whose JSON is changed; a value of ... takes the key away."""
    data = json.loads(record().line())
    data |= changes
    return json.dumps({name: value for name, value in data.items() if value is not ...}).encode()


def test_what_is_written_is_read(tmp_path: Path) -> None:
    records = [record_of(MATMUL, rank, key=key(rank)) for rank in range(5)]
    path = data_base(tmp_path / "t.jsonl", *records)
    found = read_tuning(path)
    assert [one.record for one in found.values()] == records
    assert [one.line for one in found.values()] == [1, 2, 3, 4, 5]
    assert text_of(one.record for one in found.values()) == path.read_text()
    assert all(one.record.plan.prediction is None for one in found.values())
    assert list(json.loads(path.read_text().splitlines()[0]))[:6] == [
        *("schema", "key", "device", "op", "measured_s", "p10_s")
    ]
    assert max(map(len, path.read_text().splitlines())) < 3000


def test_divided_reductions_keep_both_stages(tmp_path: Path) -> None:
    plans = [record_of(DIVIDED, rank, key=key(rank)) for rank in range(10)]
    divided = [one for one in plans if one.plan.split is not None]
    assert divided
    path = data_base(tmp_path / "t.jsonl", *divided)
    assert [one.record.plan for one in read_tuning(path).values()] == [one.plan for one in divided]


def test_the_least_time_wins_and_of_equals_the_later_date() -> None:
    old = record(date="2026-01-01")
    new = replace(old, date="2026-02-01", machine="another one")
    slow = replace(old, measured_s=1.21e-5, date="2026-03-01")
    for order in ([old, new, slow], [slow, new, old], [new, slow, old]):
        assert merged(order[:1], order[1:]) == [new]
        assert [one.record for one in parse_tuning(text_of(order).encode(), "t").values()] == [new]


def test_files_that_are_joined_are_a_data_base() -> None:
    one = text_of([record(key=key(1)), record(key=key(3))])
    other = text_of([record(key=key(2)), record(key=key(3), measured_s=1.2e-5, date="2026-12-01")])
    found = parse_tuning(f"{one}\n{other}\r\n".encode(), "t")
    assert sorted(found) == [key(1), key(2), key(3)]
    assert found[key(3)] == Found(record(key=key(3), date="2026-12-01"), 5)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_merges_it_line_by_line(tmp_path: Path) -> None:
    base = [record(key=key(number)) for number in range(0, 60, 3)]
    mine, yours = ([record(key=key(number)) for number in range(start, 60, 3)] for start in (1, 2))
    faster = replace(base[4], measured_s=1.195e-5)
    files = [tmp_path / name for name in ("mine", "base", "yours")]
    for path, records in zip(files, (merged(base, mine), base, merged(base, [*yours, faster])), strict=True):
        data_base(path, *records)
    command = ["git", "merge-file", "--union", "-p", *map(str, files)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=600)
    found = parse_tuning(done.stdout, "t")
    assert [one.record for one in sorted(found.values(), key=lambda one: one.record.key)] == merged(
        base, [*mine, *yours, faster]
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", r"t:2:2: no JSON object: Expecting property name.*; correct the line or delete it"),
        (b'{"key": 1} {', r"t:2:12: no JSON object: Extra data"),
        (b"[1]", r"t:2:1: expected an object \(TuningRecord\), but got \[1\]; correct the line or delete it"),
        (b"# a comment", r"t:2:1: no JSON object: Expecting value"),
        (b"<<<<<<< HEAD", r"t:2:1: the mark of a merge conflict; delete it and keep the lines of both sides"),
        (b"=======", r"t:2:1: the mark of a merge conflict"),
        (b'{"key": "\xff"}', r"t:2:10: not UTF-8"),
        (b'{"key": 1, "key": 2}', r"t:2:1: an object has 2 keys, of which 1 stand there twice"),
        (b"[" * 100_000, r"t:2:1: nested too deeply"),
        (changed(measured_s=...), r"t:2:1: measured_s: missing"),
        (changed(measured_s="fast"), r"t:2:\d\d+: measured_s: expected a number, but got 'fast'"),
        (changed(measured_s=float("nan")), r"t:2:1: NaN is no number of JSON"),
        (changed(measured_s="nan"), r"t:2:\d\d: measured_s must be more than 0 s, and finite, but got nan"),
        (changed(measured_s=0), r"measured_s must be more than 0 s, and finite, but got 0.0"),
        (changed(p90_s=1e-9), r"measured_s must lie between p10_s and p90_s"),
        (changed(default_s=-1.0), r"default_s must be more than 0 s"),
        (changed(samples=0), r"t:2:\d+: samples: expected an integer of at least 1, but got 0"),
        (changed(rank=10), r"rank must be below the number of candidates, 10, but got 10"),
        (changed(measured_s=10**400), r"t:2:\d+: measured_s: the number 1000\d+ is too large"),
        (changed(schema=2), r"schema must be 1, but got 2; update roller, or measure again"),
        (changed(key="0" * 31), r"key must be 32 hexadecimal digits"),
        (changed(date="yesterday"), r"date must be ISO 8601, such as 2026-11-21, but got 'yesterday'"),
        (changed(op="\x1b[31mred"), r"op must be at most 1000 printable ASCII characters"),
        (changed(machine="x" * 1001), r"machine must be at most 1000 printable ASCII"),
        (changed(device="a100"), r"plan must be for 'a100', but is for 'h200'"),
        (changed(verdict="good"), r"t:2:\d\d+: verdict: expected one of the keys"),
        (changed(plan={"device": "h200"}), r"t:2:\d+: plan.axes: missing"),
        (changed(plan={**json.loads(record().line())["plan"], "stages": "two"}), r"t:2:\d\d\d+: plan.stages: expected"),
        (
            changed(plan={**json.loads(record().line())["plan"], "part": {"loop": 2, "parts": 2, "extent": 4}}),
            r"plan must be of a whole operator, but has 'part', or is divided twice",
        ),
    ],
)
def test_what_is_no_record_is_named_with_its_place(line: bytes, message: str) -> None:
    content = record(key=key(1)).line().encode() + b"\n" + line + b"\n"
    with pytest.raises(TuningError, match=message):
        parse_tuning(content, "t")


def test_columns_are_those_of_the_value() -> None:
    line = changed(samples="many").decode()
    with pytest.raises(TuningError) as raised:
        parse_tuning(line.encode(), "t")
    column = int(str(raised.value).split(":")[2])
    assert line[column - 1 :].startswith('"samples"')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(TuningError, match=r"missing: no such file or directory"):
        read_tuning(tmp_path / "missing")
    with pytest.raises(TuningError, match=r": is a directory"):
        read_tuning(tmp_path)
    huge = tmp_path / "huge"
    with huge.open("wb") as stream:
        stream.truncate((1 << 28) + 1)
    with pytest.raises(
        TuningError, match=r"has 268435457 B, which is above the limit of 268435456 B of a tuning data base"
    ):
        read_tuning(huge)
    (tmp_path / "empty").touch()
    assert read_tuning(tmp_path / "empty") == {}


def test_where_a_plan_is_from_is_a_line_for_people() -> None:
    assert describe(Found(record(), 7), "t.jsonl") == (
        "plan from t.jsonl:7: 12 us measured 2026-11-21 on a device of the tests (driver 0.0), "
        "model's own choice 14 us, rank 3 of 10"
    )
    assert describe(Found(record(rank=0, default_s=1.2e-5, driver=""), 1), "t") == (
        "plan from t:1: 12 us measured 2026-11-21 on a device of the tests, the model's first choice"
    )


def test_keys_depend_on_what_planning_sees() -> None:
    expression = dispatch_of(MATMUL).expression
    renamed = replace(expression, inputs=tuple(replace(one, name="other") for one in expression.inputs))
    assert tuning_key(renamed, "h200") == tuning_key(expression, "h200") == dispatch_of(MATMUL).key
    index = LinearIndex((1,))
    others = [
        replace(expression, flops_per_point=3),
        replace(expression, accumulates=True),
        replace(expression, widens_only=False),
        replace(expression, combiner="arith.maximumf"),
        replace(expression, pad_values=(None, 0.0)),
        replace(expression, loops=(Loop(64), Loop(32), Loop(95, True))),
        replace(expression, inputs=tuple(replace(one, element_type="f16") for one in expression.inputs)),
        replace(expression, inputs=expression.inputs[::-1]),
        TensorExpression(
            (Loop(64),), (Access("x", (64,), "f32", (index,)),), Access("y", (64,), "f32", (index,)), None, 1, (None,)
        ),
    ]
    keys = {tuning_key(one, "h200") for one in (expression, *others)}
    assert len(keys) == len(others) + 1
    assert tuning_key(expression, "h100") not in keys
    assert tuning_key(expression, "h200", {}) in keys
    assert tuning_key(expression, "h200", {"allow_tf32": True}) not in keys


def test_the_key_of_a_record_is_kept_by_this_version() -> None:
    """A key that changes makes all data bases worthless: think twice before this number does."""
    index = LinearIndex((1,))
    x, y = (Access(name, (64,), "f32", (index,)) for name in "xy")
    expression = TensorExpression((Loop(64),), (x,), y, None, 1, (None,))
    assert tuning_key(expression, "h200") == "5a3bfe4821119b2e3b31628e3ceb683c"
