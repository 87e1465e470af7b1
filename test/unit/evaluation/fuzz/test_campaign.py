# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Campaigns: random programs hold; what is planted into a worker - a wrong result, a crash, a hang - is found."""

import contextlib
import json
import re
from pathlib import Path

import pytest
from hanging_jobs import HANG, give_little_time

from roller_mlir.evaluation.fuzz.campaign import Campaign, CampaignTally, run_campaign
from roller_mlir.evaluation.fuzz.case import command_of, job_of
from roller_mlir.evaluation.fuzz.generate import make_case
from roller_mlir.evaluation.fuzz.jobs.job import FuzzOutcome
from roller_mlir.evaluation.fuzz.limits import limits_page
from roller_mlir.evaluation.fuzz.refusals import reason_of
from roller_mlir.support.jobs.pool import JobPool
from roller_mlir.tools.roller import main

TARGETS = ("h200", "mi300x", "v100", "a100")

# Stands for the compiler in a worker process: outcomes by the number of a case, which is the seed of its inputs.
PLANTED = """
import os, signal, time
from roller_mlir.evaluation.fuzz.jobs.job import FuzzOutcome
def run_job(job):
    if job.seed == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    if job.seed == 5:
        time.sleep(6000)
    if job.seed == 7:
        raise SystemExit(9)
    return FuzzOutcome("equal")
"""

WRONG = """
from roller_mlir.evaluation.fuzz.jobs import execute
original = execute.classify
def classify(job, outputs, expected):
    return "wrong", "result 0 at [0]: planted"
def run_job(job):
    execute.classify = classify if "arith.mulf" in job.text and "reduction" in job.text else original
    return execute.run_job(job)
"""


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "planted_faults.py").write_text(PLANTED)
    (tmp_path / "planted_wrong.py").write_text(WRONG)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


@pytest.mark.full
@pytest.mark.parametrize("first", range(0, 300, 25))
def test_300_random_programs_hold(first: int) -> None:
    numbers = range(first, first + 25)
    tally = run_campaign(Campaign(seed=4, numbers=numbers, targets=TARGETS, shrink_at_most=1))
    assert not [(one.case.number, one.outcome.message) for one in tally.failures]
    held = tally.statuses["equal"] + tally.statuses["close"]
    assert held >= 18, tally.statuses
    assert set(tally.statuses) <= {"equal", "close", "refused"}


@pytest.mark.full
def test_a_crash_and_a_hang_are_reported_and_the_rest_goes_on(planted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_little_time(monkeypatch, lambda job: job.seed == 5)
    cases = [make_case(0, number, TARGETS) for number in range(9)]
    with JobPool(2, 600.0, "planted_faults:run_job", FuzzOutcome) as pool:
        found = {case.number: outcome for case, outcome in pool.run((case, job_of(case)) for case in cases)}
    assert sorted(found) == list(range(9))
    assert found[3] == FuzzOutcome("crash", "the process died: SIGSEGV at planted_faults.py:6 in run_job")
    assert found[5] == FuzzOutcome("hang", HANG)
    assert found[7] == FuzzOutcome("crash", "the process died: exit code 9")
    assert {found[n].status for n in (0, 1, 2, 4, 6, 8)} == {"equal"}


@pytest.mark.full
def test_a_wrong_result_is_shrunk_to_the_least_program(planted: Path) -> None:
    number = next(
        n
        for n in range(1000)
        if (job := job_of(make_case(0, n, ("h200",)))) and "arith.mulf" in job.text and "reduction" in job.text
        and make_case(0, n, ("h200",)).kind == "fused"
    )  # fmt: skip
    campaign = Campaign(
        seed=0,
        numbers=range(number, number + 1),
        targets=("h200",),
        keep=planted / "kept",
        entry="planted_wrong:run_job",
        shrink_s=600.0,
    )
    (failure,) = run_campaign(campaign).failures
    assert failure.outcome.status == failure.after.status == "wrong"
    program = failure.shrunk.program
    assert failure.case.program.ops() > 1 == program.ops()
    extents = re.findall(r"tensor<((?:\d+x)*)", job_of(failure.shrunk).text)
    assert all(set(extent) <= set("1x") for extent in extents), extents
    assert failure.path is not None
    text = failure.path.read_text()
    assert text.startswith("// wrong: result 0 at ")
    assert f"roller fuzz --seed 0 --case {number} --target h200" in text
    assert job_of(failure.shrunk).text in text


@pytest.mark.full
@pytest.mark.parametrize("first", range(0, 24, 8))
def test_24_products_for_matrix_units_hold(first: int) -> None:
    campaign = Campaign(
        seed=4,
        numbers=range(first, first + 8),
        targets=TARGETS,
        only=("matrix*",),
        sanitize=20,
        llvm=20,
        shrink_at_most=1,
    )
    tally = run_campaign(campaign)
    assert not [(one.case.number, one.outcome.message) for one in tally.failures]
    assert set(tally.statuses) <= {"equal", "close", "refused"}
    held = sum(count for family in ("mma", "wgmma", "mfma", "wmma") for name, (_, count) in tally.instructions.items()
               if name.endswith(f" {family}"))  # fmt: skip
    assert held >= 2, tally.instructions


def test_every_refusal_has_a_reason() -> None:
    tile = "'linalg.generic' tile 3x5 of the 9x9 loop nest cannot be spread over threads: no split has 32 threads"
    assert reason_of(tile, forced=True) == "forced tile does not fit"
    assert reason_of(tile, forced=False) is None, "a plan that nobody forced must fit"
    assert reason_of("something nobody has thought of", forced=True) is None


def test_the_page_of_limits_counts() -> None:
    tally = CampaignTally()
    for number, outcome in enumerate(
        [FuzzOutcome("equal"), FuzzOutcome("close"), FuzzOutcome("refused", "-:1:2: a | b", "several results")]
    ):
        tally.count(make_case(0, number, TARGETS), outcome)
    page = limits_page(tally, "roller fuzz --count 3")
    assert "3 cases: 2 give what numpy gives (1 to the bit), 1 are refused, 0 fail." in page
    assert (
        "| several results | 1 | -:1:2: a \\| b | `roller fuzz --seed 0 --case 2 --target v100 --sanitize 0 --llvm 0` |"
        in page
    )
    assert page.startswith("# Limits\n\n## Random programs\n"), page[:80]
    again = limits_page(tally, "roller fuzz --count 3", "# Limits\n\n- One.\n\n## Random programs\n\nold\n")
    assert again.startswith("# Limits\n\n- One.\n\n## Random programs\n")
    assert "old" not in again


@pytest.mark.full
def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page = tmp_path / "limits.md"
    assert main(["fuzz", "--count", "3", "--seed", "1", "--target", "h200", "--json", "--limits", str(page)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["holds"] is True
    assert sum(record["statuses"].values()) == 3 == record["count"]
    assert "made by\n`roller fuzz --count 3 --seed 1 --target h200" in page.read_text()
    assert main(["fuzz", "--seed", "1", "--case", "2", "--only", "tree", "--target", "h200"]) == 0
    case = make_case(1, 2, ("h200",), only=("tree",))
    assert job_of(case).text in capsys.readouterr().out
    assert "--only 'tree'" in command_of(case)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--case", "1", "--limits", "x.md"], "--limits tells of many cases, but got --case"),
        (["--sanitize", "101"], "must be at most 100, but got 101"),
        (["--seed", "-1"], "must be at least 0, but got -1"),
        (["--first", "-1"], "must be an integer of at least 0, but got '-1'"),
        (["--only", "matrices"], "must name kinds of programs (contraction, named contraction,"),
        (["--only", ","], "but got ','"),
        (["--target", ","], "must name devices as in h200,mi300x, but got ','"),
        (["--target", "ipu-gc2"], "ipu-gc2"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):
        assert main(["fuzz", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "file"
    file.touch()
    assert main(["fuzz", "--keep", str(file)]) == 1
    assert f"failures cannot be kept in {file}: file exists" in capsys.readouterr().err
    assert main(["fuzz", "--limits", str(tmp_path / "missing" / "limits.md")]) == 1
    assert f"limits.md cannot be written: there is no folder {tmp_path / 'missing'}" in capsys.readouterr().err
