# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second oracle: IREE's llvm-cpu agrees with the reference, and contradicts one that is wrong."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from roller_mlir.evaluation.fuzz.campaign import Campaign, run_campaign
from roller_mlir.evaluation.fuzz.case import command_of, job_of
from roller_mlir.evaluation.fuzz.generate import KINDS
from roller_mlir.evaluation.fuzz.jobs.failed import ORACLE_JOB, failed_oracle
from roller_mlir.evaluation.fuzz.jobs.job import FuzzJob, FuzzOutcome
from roller_mlir.evaluation.fuzz.oracle.differences import known_difference
from roller_mlir.evaluation.reference import Evaluation
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.support.jobs.pool import JobPool
from roller_mlir.tools.roller import main

# Stands for the reference in a worker process: a mistake that kernels would share is planted into it.
PLANTED = """
from roller_mlir.evaluation.fuzz.oracle import compare
from roller_mlir.evaluation.reference import body, scalars
def run_job(job):
    scalars.SCALARS["arith.subf"] = lambda left, right: left + right
    return compare.run_oracle_job(job)
"""
DEADLY = """
import os, signal
def run_job(job):
    os.kill(os.getpid(), signal.SIGSEGV)
"""
DIFFERENCE = """func.func @fuzz(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.map { arith.subf } ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>)
  return %r : tensor<8xf32>
}"""
# An operation that IREE's MLIR has no more.
NAMED = """func.func @fuzz(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = linalg.sub ins(%a, %b : tensor<8xf32>, tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>
}"""
ZERO_DIVISORS = """func.func @fuzz(%a: tensor<8xi32>) -> tensor<8xi32> {
  %e = tensor.empty() : tensor<8xi32>
  %z = linalg.sub ins(%a, %a : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  %r = linalg.div ins(%a, %z : tensor<8xi32>, tensor<8xi32>) outs(%e : tensor<8xi32>) -> tensor<8xi32>
  return %r : tensor<8xi32>
}"""


@pytest.fixture(scope="module")
def difference() -> FuzzJob:
    job = Campaign(seed=0, numbers=range(1), targets=("h200",)).case(0)
    return replace(job_of(job), text=DIFFERENCE, values="integers", exact=(True,))


@pytest.mark.full
def test_random_programs_agree() -> None:
    campaign = Campaign(seed=11, numbers=range(3), targets=("h200",), oracle="iree", kernels=False, shrink_at_most=1)
    tally = run_campaign(campaign)
    assert tally.oracle is not None and tally.holds and not tally.statuses
    assert not [(one.case.number, one.outcome.message) for one in tally.oracle.failures]
    assert tally.oracle.statuses["equal"] + tally.oracle.statuses["close"] >= 2, tally.oracle.statuses


@pytest.mark.full
def test_programs_on_whole_numbers_agree_with_kernels_and_with_iree() -> None:
    """Divisions, shifts and bits of every width: whatever the inputs, nothing is undefined."""
    only = ("whole numbers",)
    campaign = Campaign(seed=5, numbers=range(6), targets=("h200", "mi300x"), only=only, shrink_at_most=1)
    tally = run_campaign(campaign)
    assert not [(one.case.number, one.outcome.message) for one in tally.failures]
    assert tally.statuses["equal"] >= 4 and set(tally.statuses) <= {"equal", "refused"}
    second = run_campaign(replace(campaign, numbers=range(2), oracle="iree", kernels=False)).oracle
    assert second is not None and second.statuses["equal"] == 2
    drawn = "".join(job_of(campaign.case(number)).text for number in range(100))
    assert all(f"arith.{name} " in drawn for name in ("divsi", "remui", "floordivsi", "ceildivui", "shrsi", "shli"))
    assert KINDS["whole numbers"] == 0, "other campaigns draw what they drew before"


def test_a_reference_that_is_wrong_is_contradicted(
    difference: FuzzJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted_reference.py").write_text(PLANTED)
    monkeypatch.syspath_prepend(tmp_path)
    with JobPool(1, 120.0, ORACLE_JOB, failed_oracle) as pool:
        assert pool.one(difference).status == "equal"
        undefined = pool.one(replace(difference, text=ZERO_DIVISORS))
        refused = pool.one(replace(difference, text=NAMED))
    assert (undefined.status, undefined.reason) == ("unanswered", "the program has undefined behaviour")
    assert (refused.status, refused.reason) == ("unanswered", "IREE refuses it")
    assert "'linalg.sub' is unknown" in refused.message
    with JobPool(1, 120.0, "planted_reference:run_job", failed_oracle) as pool:
        assert pool.one(difference).status == "wrong"


def test_a_death_of_iree_is_no_answer(difference: FuzzJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deadly.py").write_text(DEADLY)
    monkeypatch.syspath_prepend(tmp_path)
    with JobPool(1, 120.0, "deadly:run_job", failed_oracle) as pool:
        found = pool.one(difference)
    assert (found.status, found.reason) == ("unanswered", "IREE dies") and not found.failed
    assert failed_oracle("hang", "no end").reason == "IREE does not end"
    assert failed_oracle("bug", "an exception") == FuzzOutcome("internal", "an exception")


@pytest.mark.full
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fuzz", "--count", "1", "--seed", "12", "--oracle", "iree", "--no-kernels", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["oracle"]["name"] == "iree" and sum(record["oracle"]["statuses"].values()) == 1
    assert main(["fuzz", "--no-kernels"]) == 2
    assert "--no-kernels leaves nothing to try; give --oracle iree too" in capsys.readouterr().err
    case = replace(Campaign(seed=1, numbers=range(2), targets=("h200",)).case(1), oracle="iree")
    assert command_of(case) == "roller fuzz --seed 1 --case 1 --oracle iree --no-kernels"


@pytest.mark.parametrize(("got", "known"), [(0.0, True), (1e-39, True), (2e-39, False), (1.0, False)])
def test_denormal_numbers_may_be_zeros(got: float, known: bool) -> None:
    want = np.array([1.0, 1e-39], np.float32)
    expected = Evaluation((want,), ("f32",), (Bounded(want.astype(np.float64)),))
    found = known_difference("", [np.array([1.0, got], np.float32)], expected)
    assert (found is not None) == known


POOLING = """func.func @fuzz(%a: tensor<1x1x1x1xi32>, %b: tensor<1x1x1x1xi32>) -> tensor<1x1x1x1xi32> {
  %w = tensor.empty() : tensor<1x1xi32>
  %s = arith.constant 0 : i32
  %e = tensor.empty() : tensor<1x1x1x1xi32>
  %f = linalg.fill ins(%s : i32) outs(%e : tensor<1x1x1x1xi32>) -> tensor<1x1x1x1xi32>
  %c = linalg.map { math.absi } ins(%b : tensor<1x1x1x1xi32>) outs(%e : tensor<1x1x1x1xi32>)
  %r = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} \
ins(%a, %w : tensor<1x1x1x1xi32>, tensor<1x1xi32>) outs(%START : tensor<1x1x1x1xi32>) -> tensor<1x1x1x1xi32>
  return %r : tensor<1x1x1x1xi32>
}"""


@pytest.mark.parametrize(("start", "known"), [("f", False), ("c", True), ("b", True)])
def test_what_iree_adds_to_a_maximum_is_known(start: str, known: bool) -> None:
    text = POOLING.replace("START", start)
    one = np.full((1, 1, 1, 1), 4, np.int32)
    expected = Evaluation((one,), ("i32",), (Bounded(one),))
    assert (known_difference(text, [one * 2], expected) is not None) == known


@pytest.mark.full
def test_iree_does_add_it(difference: FuzzJob) -> None:
    """Once it does not, the entry of the table has to go."""
    with JobPool(1, 120.0, ORACLE_JOB, failed_oracle) as pool:
        found = pool.one(replace(difference, text=POOLING.replace("START", "c"), seed=3))
    assert found.reason.startswith("known difference: IREE adds"), found


ROUNDINGS = """func.func @fuzz(%a: tensor<64xbf16>, %b: tensor<64xbf16>, %c: tensor<64xf32>)
    -> (tensor<64xbf16>, tensor<64xf32>) {
  %e = tensor.empty() : tensor<64xbf16>
  %f = tensor.empty() : tensor<64xf32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
      affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a, %b, %c : tensor<64xbf16>, tensor<64xbf16>, tensor<64xf32>)
      outs(%e, %f : tensor<64xbf16>, tensor<64xf32>) {
  ^bb0(%x: bf16, %y: bf16, %z: f32, %o: bf16, %p: f32):
    %0 = arith.SUBF %x, %y : bf16
    %1 = arith.subf %y, %0 : bf16
    %2 = arith.constant 30.0 : f32
    %3 = arith.mulf %z, %2 : f32
    %4 = math.sin %3 : f32
    linalg.yield %1, %4 : bf16, f32
  } -> (tensor<64xbf16>, tensor<64xf32>)
  return %r#0, %r#1 : tensor<64xbf16>, tensor<64xf32>
}"""


@pytest.mark.full
def test_a_cpu_rounds_less_often_and_has_short_polynomials(
    difference: FuzzJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is known; a wrong sign among it is not."""
    (tmp_path / "planted_reference.py").write_text(
        PLANTED.replace("subf", "addf").replace("left + right", "left - right")
    )
    monkeypatch.syspath_prepend(tmp_path)
    job = replace(difference, values="normal", exact=(False, False))
    with JobPool(1, 120.0, ORACLE_JOB, failed_oracle) as pool:
        found = pool.one(replace(job, text=ROUNDINGS.replace("SUBF", "subf")))
    assert (found.status, found.reason[:29]) == ("unanswered", "known difference: IREE rounds"), found
    with JobPool(1, 120.0, "planted_reference:run_job", failed_oracle) as pool:
        assert pool.one(replace(job, text=ROUNDINGS.replace("SUBF", "addf"))).status == "wrong"
