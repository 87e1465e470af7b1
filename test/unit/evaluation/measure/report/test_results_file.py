# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results are read back whole, refused with the place of what is wrong, and merged only where they belong together."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fabricated_results import check, item, kit, machine, many, results, timing

from roller_mlir.evaluation.measure.records import Probe, Trouble
from roller_mlir.evaluation.measure.report.results_file import (
    ResultsError,
    commands_of,
    loads_results,
    merge_results,
    read_merged,
    read_results,
)
from roller_mlir.plan.records.codec import to_text

A, B = item("A", predicted=(1e-3, 2e-3)), item("B")


def write(path: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    data = json.loads(to_text(results([A, B], checks=[check(A)], timings=[timing(A, 1e-3)])))
    change(data)
    path.write_text(json.dumps(data))
    return path


def test_what_is_written_is_read_back_from_a_file_and_from_its_folder(tmp_path: Path) -> None:
    made = many(20)
    (tmp_path / "results.json").write_text(to_text(made))
    assert read_results(tmp_path / "results.json") == made
    assert read_results(tmp_path) == made


def test_infinities_and_nan_survive(tmp_path: Path) -> None:
    made = results([A], checks=[check(A, ok=False, error=float("inf"))], timings=[timing(A, float("nan"))])
    read = loads_results(to_text(made).encode(), "x")
    assert read.checks[0].error == float("inf")
    assert read.timings[0].median_s != read.timings[0].median_s


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d.update(schema=2), "schema: this release reads version 1, but got 2"),
        (lambda d: d["kit"].update(schema="x" * 100), "kit.schema: this release reads version 1"),
        (lambda d: d.pop("kit"), "kit: missing"),
        (lambda d: d.update(more=1), "more: expected one of the keys"),
        (lambda d: d["machine"].update(back_end="vulkan"), "machine: back_end must be one of cuda, hip, cpu, sim"),
        (lambda d: d["timings"][0].update(median_s="fast"), "timings[0].median_s: expected a number, but got 'fast'"),
        (lambda d: d["timings"][0].update(samples=-1), "timings[0].samples: expected an integer of at least 0"),
        (lambda d: d["timings"][0].update(item="Z"), "timings[0].item: expected an item of the kit, but got 'Z'"),
        (lambda d: d["timings"][0].update(who="probe"), "timings[0].item: expected a probe of the kit"),
        (lambda d: d["timings"][0].update(rank=7), "timings[0].rank: expected a candidate of 'roller119/A/f32'"),
        (lambda d: d["checks"][0].update(item="Z"), "checks[0].item: expected an item of the kit"),
        (lambda d: d["kit"]["items"][1].update(id=A.id), "kit.items[1].id: expected an id of its own"),
        (lambda d: d["kit"]["items"][0].update(candidates=[]), "kit.items[0].candidates: expected at least one"),
        (lambda d: d["kit"]["items"][0]["candidates"][1].update(rank=0), "expected a rank of its own"),
        (
            lambda d: d["kit"]["items"][0].update(flops=10**400),
            "kit.items[0].flops: the number 10000000000000000000 is too large",
        ),
        (lambda d: d["timings"][0].update(median_s=10**400), "median_s: the number 10000000000000000000 is too large"),
        (lambda d: d["kit"]["items"][0]["candidates"][0].update(plans={"p": {}}), "candidates[0].plans.p"),
        (lambda d: d["machine"]["versions"].update({"a\n\x1b[31m" + "b" * 999: 1}), "machine.versions.a??[31mbbb"),
    ],
)
def test_what_cannot_be_is_refused_with_its_place(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], said: str
) -> None:
    path = write(tmp_path / "r.json", change)
    with pytest.raises(ResultsError) as caught:
        read_results(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and said in text and "\n" not in text and len(text) < 400


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not JSON"),
        (b"[]", "expected an object"),
        (b"null", "expected an object"),
        (b'{"schema": 1', "not JSON"),
        (b"\xff\xfe", "not UTF-8 at byte 0"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 5000, "top level: the number 1111"),
        (b'{"step":"a"}\n{"step":"b"}\n', "of a journal (results.jsonl) the runner makes results.json"),
    ],
)
def test_no_content_gives_more_than_one_line(content: bytes, said: str) -> None:
    with pytest.raises(ResultsError, match=r"^r\.json: ") as caught:
        loads_results(content, "r.json")
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ResultsError, match="no such file or directory"):
        read_results(tmp_path / "missing.json")
    with pytest.raises(ResultsError, match=r"results\.json: no such file"):
        read_results(tmp_path)
    large = tmp_path / "large.json"
    large.write_text(to_text(many(3)))
    with pytest.raises(ResultsError, match="more than 100 bytes"):
        read_results(large, most_bytes=100)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ResultsError, match="neither a file nor a folder"):
        read_results(tmp_path / "pipe")
    with pytest.raises(ResultsError, match="null"):
        read_results("a\0b")


def test_a_later_run_completes_an_earlier_one_in_whatever_order_they_are_named(tmp_path: Path) -> None:
    one = results([A, B], checks=[check(A)], timings=[timing(A, 1e-3)], complete=False)
    two = results(
        [A, B],
        machine={"started": "2026-01-04T00:00:00Z", "command": "python run.py -o out --fresh"},
        checks=[check(A), check(B)],
        timings=[timing(A, 2e-3), timing(B, 5e-4)],
        troubles=[Trouble(item=A.id, who="triton", message="x")],
    )
    for order in ([("1", one), ("2", two)], [("2", two), ("1", one)]):
        both = merge_results(order)
        assert [(t.item, t.median_s) for t in both.timings] == [(A.id, 2e-3), (B.id, 5e-4)]
        assert [c.item for c in both.checks] == [A.id, B.id]
        assert both.complete and len(both.troubles) == 1
        assert commands_of(both.machine) == [
            ("2026-01-03T04:05:06Z", "python run.py -o out"),
            ("2026-01-04T00:00:00Z", "python run.py -o out --fresh"),
        ]
        (tmp_path / "both.json").write_text(to_text(both))
    again = merge_results([("b", read_results(tmp_path / "both.json")), ("1", one), ("2", two)])
    assert commands_of(again.machine) == commands_of(both.machine) and again.timings == both.timings


def test_a_result_that_was_wrong_once_stays_wrong_and_one_that_was_missing_does_not() -> None:
    wrong = results([A, B], checks=[check(A, ok=False, error=9.0), check(B, ok=False, error=None, message="hung")])
    right = results([A, B], machine={"started": "2027"}, checks=[check(A), check(B)])
    assert [c.ok for c in merge_results([("w", wrong), ("r", right)]).checks] == [False, True]


def test_the_last_record_of_a_measurement_counts_within_a_file() -> None:
    made = merge_results([("x", results([A], timings=[timing(A, 1.0), timing(A, 2.0), timing(A, 3.0, note="top-k")]))])
    assert [t.median_s for t in made.timings] == [2.0, 3.0]


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (results([A], kit={"target": "a100"}), "another kit (target 'a100', not 'h200')"),
        (results([A], kit={"created": "2020"}), "another kit (created '2020'"),
        (results([A, B]), "another kit of the same date"),
        (results([A], machine={"device": "another"}), "another machine (device 'another'"),
        (results([A], machine={"back_end": "sim"}), "another machine (back_end 'sim', not 'cuda')"),
        (results([A], machine={"versions": {"torch": "9"}}), "another machine (torch '9', not '0.0-tests')"),
    ],
)
def test_what_does_not_belong_together_is_refused(tmp_path: Path, other: Any, said: str) -> None:
    for name, content in (("a.json", results([A])), ("b.json", other)):
        (tmp_path / name).write_text(to_text(content))
    with pytest.raises(ResultsError) as caught:
        read_merged([tmp_path / "a.json", tmp_path / "b.json"])
    assert said in str(caught.value) and "b.json" in str(caught.value) and "reported apart" in str(caught.value)


def test_versions_that_one_run_lacks_are_no_difference() -> None:
    bare = replace(results([A]), machine=machine(versions={"python": "3.12.0"}, started="2025"))
    both = merge_results([("a", bare), ("b", results([A]))])
    assert both.machine.versions == {"python": "3.12.0", "torch": "0.0-tests"}


def test_probes_have_names_of_their_own() -> None:
    probe = Probe(name="p", quantity="launch", subject="launch", artifact="p", work=1.0)
    content = to_text(replace(results([]), kit=kit([], probes=(probe, probe))))
    with pytest.raises(ResultsError, match=r"kit\.probes: expected a name of its own"):
        loads_results(content.encode(), "x")
