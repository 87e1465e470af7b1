# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/cpu: docs/evaluation/cpu-peers.md says what the results beside it do; ratios of ours are to the best rival."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from roller_mlir.evaluation.measure.cpu_peers.problem import HostProblem
from roller_mlir.evaluation.measure.cpu_peers.results import FLUSHED, HostMachine, HostResults
from roller_mlir.evaluation.measure.cpu_peers.tables import best_peer, differences, rate_table, spread, trouble_lines
from roller_mlir.evaluation.measure.records import Check, Reference, Timing, Trouble

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cpu_peers_page", ROOT / "bench" / "cpu" / "page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_results_say(script: ModuleType) -> None:
    text = script.page({name: script.read(name) for name in script.FILES})
    assert (ROOT / "docs" / "evaluation" / "cpu-peers.md").read_text() == text


def test_only_right_results_are_on_the_page(script: ModuleType) -> None:
    for name in script.FILES:
        found = script.read(name)
        right = {(one.item, one.who) for one in found.checks if one.ok}
        assert {(one.item, one.who) for one in found.timings} <= right and found.machine.threads == 1
        assert "/" not in found.machine.command.replace("bench/cpu/peers/", "").replace("bench/cpu/", "")


def results(**times: float) -> HostResults:
    """Return times of a product of 1 GFLOP: 1 s is 1 GF/s."""
    sizes = {"M": 500, "N": 1000, "K": 1000}
    one = HostProblem(id="P", title="product", reference=Reference(kind="matmul", dtype="f32", sizes=sizes))
    timings = tuple(
        Timing(item="P", who=who.replace("_", " "), median_s=1.5 * s, least_s=s, p10_s=s, p90_s=2 * s, samples=3)
        for who, s in times.items()
    )
    machine = HostMachine(processor="test", cores=2, peak_flops={"ymm": 8e9, "zmm": 4e9})
    return HostResults(machine=machine, problems=(one,), timings=timings)


def test_ours_is_divided_by_the_best_rival() -> None:
    found = results(ours=0.5, ours_nhwc=0.4, onednn_plain=0.25, onednn_packed_B=0.2, mkl=0.5)
    row = rate_table(found).splitlines()[2]
    assert row == "| P | product | 2.0 | 2.5 | **4.0** | 5.0 | 2.0 | 50% | 0.62 |"  # packed beforehand: no rival
    assert "geometric mean 0.62, least 0.62, of 1 of 1 problems" in rate_table(found)
    assert best_peer(found, found.problems[0]) == ("onednn plain", 4e9)
    assert rate_table(found, FLUSHED).splitlines()[2] == "| P | product | - |"


def test_noise_and_troubles_are_told() -> None:
    found = results(mkl=1.0)
    assert spread(found) == 0.5
    assert differences(found, results(mkl=1.1)) == [pytest.approx(0.0953, abs=1e-4)]
    bad = Check(item="P", who="iree", ok=False, message="1 of 4 elements are wrong")
    told = HostResults(
        machine=found.machine,
        problems=found.problems,
        checks=(bad,),
        troubles=(Trouble(item="", who="mkl", message="is not installed"), Trouble(item="P", who="x", message="died")),
    )
    assert trouble_lines(told) == [
        "P: iree is wrong and not timed: 1 of 4 elements are wrong",
        "mkl: is not installed",
        "P: x: died",
    ]
