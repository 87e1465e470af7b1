# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Suites beside the host's libraries: parts, files that a later call goes on from, tables, and what is refused."""

import json
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from roller_mlir.evaluation.measure.cpu_peers import campaign
from roller_mlir.evaluation.measure.cpu_peers.campaign import PeerPart, host_problems, parts_of, read_results, run_part
from roller_mlir.evaluation.measure.cpu_peers.child import environment_of
from roller_mlir.evaluation.measure.cpu_peers.results import HostResults
from roller_mlir.evaluation.measure.cpu_peers.rounds import HostRun
from roller_mlir.evaluation.measure.cpu_peers.sources import AVX2, PEERS, ours
from roller_mlir.evaluation.suites import find_suite
from roller_mlir.evaluation.suites.operator import Operator
from roller_mlir.evaluation.suites.select import select
from roller_mlir.tools.roller import main

sys.path.append(str(Path(__file__).parents[5] / "bench" / "cpu"))

SMALL = [Operator(name, "matmul", "f32", {"M": 8, "N": 6, "K": size}) for name, size in (("A", 4), ("B", 5), ("C", 7))]
QUICK = HostRun(rounds=1, flushed=0, limit_s=600)
SOURCES = [ours("host", "cpu"), PEERS["openblas"]]


LIBRARY = [PEERS["openblas"]]
"""Enough where files count, and not who is measured."""

TWO = [*LIBRARY, replace(PEERS["openblas"], name="another")]
"""Likewise, of two."""


def part(operators: list[Operator]) -> PeerPart:
    (found,) = parts_of("mine", operators)
    return found


@cache
def measured() -> HostResults:
    """Return what two products take on one thread."""
    return run_part(replace(part(SMALL[:2]), name="polydl-gemms"), SOURCES, QUICK, None, "here")


def test_parts_are_each_minibatch_with_each_number_of_threads() -> None:
    layers = select(find_suite("polydl-layers"), ["resnet_0*"])
    titles = [one.title for one in parts_of("polydl-layers", layers, (28, 1), (1, 2), "bn relu")]
    assert titles == [f"polydl-layers-n{n}-t{t}-bn-relu" for t in (1, 2) for n in (28, 1)]
    assert [one.title for one in parts_of("/somewhere/mine", SMALL, (28, 1))] == ["mine-t1"]
    assert {one.sizes["N"] for one in host_problems(layers, 28, "")} == {28}
    with pytest.raises(ValueError, match="peers of the host compute"):
        host_problems([Operator("h", "matmul", "f16", SMALL[0].sizes)], None, "")


def test_the_suites_of_polydl_are_all_there() -> None:
    assert len(host_problems(select(find_suite("polydl-gemms"), []), None, "")) == 8
    assert len(host_problems(select(find_suite("polydl-layers"), []), 28, "bn relu")) == 201


@pytest.mark.full
def test_a_later_call_measures_what_is_left(tmp_path: Path) -> None:
    told: list[str] = []
    run = replace(QUICK, say=told.append)
    found = run_part(part(SMALL[:2]), TWO, run, tmp_path, "first")
    assert [one.id for one in found.problems] == ["A", "B"]
    assert read_results(tmp_path / "mine-t1.json").problems == found.problems
    again = run_part(part(SMALL), TWO, run, tmp_path, "second")
    assert [one.id for one in again.problems] == ["A", "B", "C"] and "mine-t1: 1 problems, 2 are there" in told
    assert {(one.item, one.who) for one in again.timings} == {
        (item, who) for item in "ABC" for who in ("openblas", "another")
    }
    assert again.machine.command == "second" and again.machine.started == found.machine.started
    assert not list(tmp_path.glob(".*"))
    assert run_part(part(SMALL), [], run, tmp_path, "third").timings == again.timings


def test_what_was_found_is_kept_where_a_run_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(line: str) -> None:
        if line.startswith("B:"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_part(part(SMALL), LIBRARY, replace(QUICK, say=ends), tmp_path, "first")
    assert [one.id for one in read_results(tmp_path / "mine-t1.json").problems] == ["A"]


def test_results_of_another_machine_or_none_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_part(part(SMALL[:1]), LIBRARY, QUICK, tmp_path, "first")
    machine = campaign.this_machine(1, "")
    monkeypatch.setattr(campaign, "this_machine", lambda *_: replace(machine, processor="Another"))
    with pytest.raises(ValueError, match=r"is of .*, but this is Another; name another folder"):
        run_part(part(SMALL), LIBRARY, QUICK, tmp_path, "second")
    (tmp_path / "mine-t1.json").write_text("[]")
    with pytest.raises(ValueError, match="holds no results of peers"):
        run_part(part(SMALL), LIBRARY, QUICK, tmp_path, "second")


def test_the_command_prints_ratios_and_says_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = tmp_path / "suite"
    suite.mkdir()
    (suite / "operators.csv").write_text("id,class,dtype,M,N,K\nA,matmul,f32,8,6,4\n")
    words = ["suite", str(suite), "--target", "host", "--stage", "run", "--peers", "openblas", "--limit", "1"]
    assert main([*words, "-o", str(tmp_path / "found")]) == 0
    printed = capsys.readouterr()
    assert "## suite-t1, GF/s" in printed.out and "ours / best peer" in printed.out
    assert "Ours over the best peer: geometric mean" in printed.out
    assert main([*words, "-o", str(tmp_path / "found"), "--json"]) == 0
    (record,) = json.loads(capsys.readouterr().out)
    assert record["part"] == "suite-t1" and [one["id"] for one in record["problems"]] == ["A"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--stage", "run", "--threads", "2"], "--threads goes with --stage run --peers"),
        (["--peers"], "--peers goes with --stage run"),
        (["--stage", "run", "--peers", "--shrink"], "--peers goes without --shrink"),
        (["--stage", "run", "--peers", "acl"], "no peer 'acl'; known: onednn, mkl, openblas, iree"),
        (["--stage", "run", "--peers", "--epilogue", "gelu"], "--epilogue is one of 'bias'"),
        (
            ["--stage", "run", "--peers", "--target", "h200"],
            "--peers times this machine, but 'h200' is none of its kind",
        ),
    ],
)
def test_what_does_not_go_together(words: list[str], reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [] if "--target" in words else ["--target", "host"]
    assert main(["suite", "polydl-gemms", *given, *words]) == 2
    assert reason in capsys.readouterr().err


@pytest.mark.full
def test_the_ratios_go_into_the_page(tmp_path: Path) -> None:
    import ratios  # of bench/cpu

    more = replace(part(SMALL[:2]), name="polydl-gemms", threads=2)
    found = {
        "polydl-gemms-t1": measured(),
        more.title: run_part(more, SOURCES, replace(QUICK, threads=2), None, "here"),
    }
    page = tmp_path / "cpu.md"
    page.write_text(f"# CPUs\n\n{ratios.BEGIN}\nold\n{ratios.END}\n\n## Limits\n")
    ratios.write([ratios.MachineResults(found, {})], tmp_path)
    text = page.read_text()
    assert text.startswith("# CPUs\n") and text.endswith("\n## Limits\n") and "old" not in text
    assert "| polydl-gemms-t1 | 2 | " in text and "Products, GF/s:" in text
    single, double = (ratios.ratios_of(one) for one in found.values())
    assert set(single) == set(double) == {"A", "B"}
    assert f"| {ratios.speedup(*found.values()):.2f} |" in text
    assert "## polydl-gemms-t2" in (tmp_path / "evaluation" / "cpu-ratios.md").read_text()
    ratios.write([ratios.MachineResults(found, {})], tmp_path)
    assert page.read_text() == text
    page.write_text("# CPUs\n")
    with pytest.raises(ValueError, match="must have '<!-- python bench/cpu/ratios.py writes what follows -->'"):
        ratios.write([ratios.MachineResults(found, {})], tmp_path)
    assert {one.title for one in ratios.parts("all")} >= {f"polydl-layers-n{n}-t{t}" for n in (1, 28) for t in (1, 2)}
    assert sum(len(one.operators) for one in ratios.parts("short")) == 8 + 20 + 7
    assert sum(len(one.operators) for one in ratios.parts("threads")) == 2 * (8 + 7)


@pytest.mark.full
def test_results_with_narrow_vectors_have_a_chapter_of_their_own(tmp_path: Path) -> None:
    import ratios  # of bench/cpu

    one = measured()
    peaks = {"zmm": 200e9, "ymm": 100e9}
    narrow = ratios.with_narrow_peak(replace(one, machine=replace(one.machine, peak_flops=peaks)))
    assert narrow.machine.peak_flops == {"ymm": 100e9}
    page = tmp_path / "cpu.md"
    page.write_text(f"{ratios.BEGIN}\n{ratios.END}\n")
    both = ratios.MachineResults({"polydl-gemms-t1": one}, {"polydl-gemms-t1": narrow})
    ratios.write([both], tmp_path)
    wide, limited = (" ".join(one.split()) for one in page.read_text().split("#### AVX2"))
    assert "100 GF/s from" in limited and "256 bits" in limited and "100 GF/s from" not in wide
    assert "## polydl-gemms-t1, AVX2" in (tmp_path / "evaluation" / "cpu-ratios.md").read_text()
    other = replace(one, machine=replace(one.machine, processor="Some Core"))
    another = ratios.MachineResults({"polydl-gemms-t1": other}, {"polydl-gemms-t1": ratios.with_narrow_peak(other)})
    ratios.write([replace(both, narrow={}), another], tmp_path)
    own, apart = page.read_text().split("### Some Core\n")
    assert "Some Core, " in apart and "Some Core" not in own and "#### AVX2" in apart and "AVX2" not in own
    assert "## polydl-gemms-t1, Some Core, AVX2" in (tmp_path / "evaluation" / "cpu-ratios.md").read_text()
    assert sum(len(one.operators) for one in ratios.parts("avx2")) == 8 + 20 + 36
    told = {name: environment_of(source, 1, {"ONEDNN_MAX_CPU_ISA": "ALL"}) for name, source in AVX2.items()}
    assert told["onednn"]["ONEDNN_MAX_CPU_ISA"] == told["mkl"]["MKL_ENABLE_INSTRUCTIONS"] == "AVX2"
    assert told["openblas"]["OPENBLAS_CORETYPE"] == "Haswell" and "ONEDNN_MAX_CPU_ISA" not in told["mkl"]
