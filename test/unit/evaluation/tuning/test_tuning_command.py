# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`roller tune` without a device: a kit out, results in, the data base shown, and what it refuses."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tuning_records import DIVIDED, EXAMPLES, MATMUL, data_base, record
from tuning_results import item_of, results_of, timing

from roller_mlir.evaluation.measure.kit.files import open_kit
from roller_mlir.evaluation.measure.records import Check, MeasuredMachine, Results
from roller_mlir.evaluation.measure.tune import tune
from roller_mlir.plan.files.tuning import read_tuning
from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import from_json, to_text
from roller_mlir.tools.roller import main

Captured = pytest.CaptureFixture[str]


def write(path: Path, results: Results) -> str:
    """Writes results; returns the path as the command line has it."""
    path.write_text(to_text(results))
    return str(path)


@pytest.mark.full
def test_from_a_kit_to_a_compilation(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    mlp = str(EXAMPLES / "mlp.mlir")
    assert main(["tune", mlp, "--target", "h200", "--no-split", "--top-k", "3", "--jobs", "1", "--pack", "KIT"]) == 0
    said = capsys.readouterr().out
    assert "wrote KIT: 2 operators, 6 candidates" in said
    assert "roller tune --target h200 --import results.json" in said
    with open_kit(Path("KIT")) as files:
        kit = files.kit
        assert all("cubin" in kernel.files for kernel in files.artifact("mlp/matmul_0/1").kernels)
    checks = [
        Check(item=item.id, rank=one.rank, ok=one.rank != 2, against="torch f64", error=0.1)
        for item in kit.items
        for one in item.candidates
    ]
    timings = [timing(item, one.rank, 1e-5 / (1 + one.rank)) for item in kit.items for one in item.candidates]
    machine = MeasuredMachine(back_end="cuda", device="a device of the tests", started="2026-11-21T12:00:00Z")
    path = write(tmp_path / "r.json", Results(kit=kit, machine=machine, checks=tuple(checks), timings=tuple(timings)))
    assert main(["tune", "--target", "h200", "--import", path]) == 0
    said = capsys.readouterr().out
    assert "Measured on a device of the tests" in said
    assert "tuning.jsonl: 2 records written, 0 kept, 0 without a winner, 0 left out" in said
    assert main(["compile", mlp, "--no-split", "--tuning", "tuning.jsonl", "--json"]) == 0
    kernels = json.loads(capsys.readouterr().out)["kernels"]
    plans = [from_json(Plan, kernel["plan"]) for kernel in kernels]
    assert plans == [plan for item in kit.items for plan in item.candidates[1].plans.values()]
    assert all("5 us measured 2026-11-21" in kernel["notes"][0] for kernel in kernels)
    assert main(["tune", "--target", "h200", "--import", path]) == 0
    assert "tuning.jsonl: 0 records written, 2 kept, 0 without a winner, 0 left out" in capsys.readouterr().out


def test_a_suite_is_packed_row_by_row(tmp_path: Path, capsys: Captured) -> None:
    folder = tmp_path / "KIT"
    command = ["tune", "roller119", "--only", "E0,M0", "--dtype", "f16", "--top-k", "2", "--jobs", "1"]
    assert main([*command, "--pack", str(folder), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["candidates"] == 4
    with open_kit(folder) as files:
        kit = files.kit
    assert {item.id for item in kit.items} == {"roller119/E0/f16", "roller119/M0/f16"}
    assert all(item.key and item.reference.kind for item in kit.items)
    assert kit.command.startswith("roller ")


def test_operators_of_a_file_are_chosen_by_name(tmp_path: Path, capsys: Captured) -> None:
    command = ["tune", str(EXAMPLES / "encoder_layer.mlir"), "--top-k", "1", "--jobs", "1", "--pack"]
    assert main([*command, str(tmp_path / "A"), "--only", "matmul_1,generic_4"]) == 0
    with open_kit(tmp_path / "A") as files:
        assert [item.id for item in files.kit.items] == ["encoder_layer/matmul_0", "encoder_layer/generic_4"]
    capsys.readouterr()
    assert main([*command, str(tmp_path / "B"), "--only", "conv*"]) == 1
    assert "no program is 'conv*'; the programs are matmul_0, matmul_1" in capsys.readouterr().err
    assert not (tmp_path / "B").exists()


def test_what_has_no_winner_is_listed_with_its_reason(tmp_path: Path, capsys: Captured) -> None:
    good, bad = item_of(MATMUL), item_of(DIVIDED, id="t/g", key="")
    both = results_of(good, [1e-5, 9e-6])
    path = write(tmp_path / "r.json", replace(both, kit=replace(both.kit, items=(good, bad))))
    data = tmp_path / "t.jsonl"
    assert main(["tune", "--import", path, "--db", str(data)]) == 0
    said = capsys.readouterr().out
    assert "left out: matmul 256x256" in said
    assert "1 records written, 0 kept, 0 without a winner, 1 left out" in said
    assert len(read_tuning(data)) == 1
    assert main(["tune", "--import", path, "--db", str(data), "--json"]) == 0
    decided = json.loads(capsys.readouterr().out)
    assert [one["data_base"] for one in decided] == ["kept", None]
    assert "several programs" in decided[1]["reason"]
    untimed = write(tmp_path / "u.json", replace(both, timings=()))
    assert main(["tune", "--import", untimed, "--db", str(data)]) == 1
    assert "no winner: matmul 64x96" in capsys.readouterr().out


def test_results_of_several_runs(tmp_path: Path, capsys: Captured) -> None:
    item = item_of(MATMUL)
    first = results_of(item, [1e-5, 9e-6, 5e-6])
    wrong = replace(first, checks=(Check(item=item.id, rank=2, ok=False, error=9.0),), timings=())
    later = replace(wrong, machine=replace(first.machine, started="2026-11-22T12:00:00+00:00"))
    data, paths = tmp_path / "t.jsonl", [write(tmp_path / "a.json", first), write(tmp_path / "b.json", later)]
    assert main(["tune", "--db", str(data), "--import", *paths]) == 0
    ((found),) = read_tuning(data).values()
    assert found.record.rank == 1
    other = replace(first, machine=replace(first.machine, device="another one"))
    capsys.readouterr()
    assert main(["tune", "--db", str(data), "--import", paths[0], write(tmp_path / "c.json", other)]) == 0
    assert "replaces" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("dry", {"back_end": "sim"}, "a dry run: its times are those of the simulator, which say nothing of h200"),
        ("amd", {"back_end": "hip"}, "of the back end hip, but h200 is a device of nvidia"),
    ],
)
def test_results_that_are_none_of_a_device(
    name: str, change: dict[str, str], message: str, tmp_path: Path, capsys: Captured
) -> None:
    good = results_of(item_of(MATMUL), [1e-5, 9e-6])
    path = write(tmp_path / f"{name}.json", replace(good, machine=replace(good.machine, **change)))  # type: ignore[arg-type]
    assert main(["tune", "--import", path, "--db", str(tmp_path / "t.jsonl")]) == 1
    assert f"roller: error: {path}: {message}" in capsys.readouterr().err
    assert not (tmp_path / "t.jsonl").exists()


def test_the_device_must_be_that_of_the_results(tmp_path: Path, capsys: Captured) -> None:
    path = write(tmp_path / "r.json", results_of(item_of(MATMUL), [1e-5, 9e-6]))
    assert main(["tune", "--target", "v100", "--import", path, "--db", str(tmp_path / "t.jsonl")]) == 1
    assert "measured for h200, but the target is v100; give --target h200" in capsys.readouterr().err


def test_the_data_base_is_shown(tmp_path: Path, capsys: Captured) -> None:
    path = data_base(tmp_path / "t.jsonl", record(), record(key="1" * 32, op="another operator", default_s=None))
    assert main(["tune", "--show", "--db", str(path)]) == 0
    said = capsys.readouterr().out
    assert "another operator" in said
    assert f"{path}: 2 operators" in said
    assert main(["tune", "--show", "--db", str(path), "--json"]) == 0
    assert [one["line"] for one in json.loads(capsys.readouterr().out)] == [1, 2]
    assert main(["tune", "--show", "--db", str(tmp_path / "none")]) == 1
    assert "none: no such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((), "one of the arguments --measure --pack --import --show is required"),
        (("--pack", "K"), "name what to tune: a FILE of MLIR, or a suite such as roller119"),
        (("--show", "--measure"), "not allowed with argument"),
        (("--show", "--target", "h200"), "--show prints the whole data base and goes without a device"),
        (("roller119", "--import", "r.json"), "--import goes without FILE|SUITE"),
        (("--import", "r.json", "--top-k", "3", "--jobs", "2"), "--import goes without --jobs, --top-k"),
        (("roller119", "--pack", "K", "--keep", "D"), "--keep goes with --measure"),
        (("roller119", "--pack", "K", "--time-limit", "9"), "--time-limit goes with --measure"),
        (("roller119", "--pack", "K", "--entry", "f"), "--entry goes with a file of MLIR"),
        (("roller119", "--pack", "K", "--channels-last"), "--channels-last goes with a file of MLIR"),
        (("m.mlir", "--pack", "K", "--dtype", "f16"), "--dtype goes with a suite"),
        (("m.mlir", "--pack", "K", "--db", "f.jsonl"), "--db goes with --measure, --import and --show"),
        (("m.mlir", "--pack", "K", "--top-k", "0"), "must be at least 1, but got 0"),
        (("m.mlir", "--pack", "K", "--only", ","), "must name operators as in C0,M*,relu, but got ','"),
    ],
)
def test_usage(given: tuple[str, ...], message: str, capsys: Captured) -> None:
    assert main(["tune", *given]) == 2
    error = capsys.readouterr().err
    assert message in error


def test_without_a_device_both_other_ways_are_named(tmp_path: Path, capsys: Captured) -> None:
    for target in ("h200", "mi300x"):
        assert main(["tune", "m.mlir", "--target", target, "--measure"]) == 1
        error = capsys.readouterr().err
        assert f"--measure needs {target} in this machine: " in error
        assert "--pack KIT" in error
        assert "--import" in error


def test_a_data_base_that_takes_nothing_is_found_before_the_measurement(
    tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tune, "back_end_of", lambda _: "cuda")
    monkeypatch.setattr(tune, "measure", lambda *_, **__: pytest.fail("measured"))
    bad = tmp_path / "bad.jsonl"
    bad.write_text("no record\n")
    for file, message in ((bad, ":1:1: no JSON object"), (tmp_path / "no" / "f.jsonl", "its folder is not there")):
        assert main(["tune", str(EXAMPLES / "mlp.mlir"), "--measure", "--db", str(file)]) == 1
        assert message in capsys.readouterr().err
    assert bad.read_text() == "no record\n"


def test_what_cannot_be_tuned(tmp_path: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    kit = str(tmp_path / "KIT")
    for given, message in (
        (("nosuite",), "unknown suite 'nosuite'"),
        ((str(tmp_path / "missing.mlir"),), "cannot be read: no such file or directory"),
        (("roller119", "--only", "X9"), "no operator is 'X9'"),
        ((str(EXAMPLES / "mlp.mlir"), "--entry", "nobody"), "the module has no function 'nobody'"),
    ):
        assert main(["tune", *given, "--pack", kit]) == 1
        assert message in capsys.readouterr().err
    with monkeypatch.context() as patch:
        patch.setattr(tune, "dispatches_of", lambda *_: [])
        assert main(["tune", str(EXAMPLES / "mlp.mlir"), "--pack", kit]) == 1
    assert "there is no operator to tune" in capsys.readouterr().err
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    assert main(["tune", "--import", str(bad)]) == 1
    assert f"{bad}: " in capsys.readouterr().err
