# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of bench/gpu: what they pack by default, what they say, and a dry run of the whole way."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import preloaded
import pytest

from roller_mlir.evaluation.measure.kit.files import open_kit
from roller_mlir.evaluation.measure.records import Skipped
from roller_mlir.evaluation.measure.report.results_file import read_results

FOLDER = Path(__file__).resolve().parents[5] / "bench" / "gpu"
LITTLE = ("--no-smoke", "--no-persistent", "--no-gemms", "--no-examples", "--no-probes", "--dtypes", "f32")


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"bench_gpu_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PACK = load("pack")


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROLLER_CACHE", "0")


def test_what_is_packed_by_default() -> None:
    found = PACK.wanted(PACK.parse(["-o", "kit"]))
    suites: dict[tuple[str, str], int] = {}
    for one in found:
        key = one.suite, one.reference.dtype
        suites[key] = suites.get(key, 0) + 1 + len(one.same_as)
    # 7 products and 44 convolutions in half precision; ten examples, six of them at the size of a model too.
    assert suites.pop(("smoke", "f16")) + suites.pop(("smoke", "f32")) + suites.pop(("smoke", "")) == 11
    assert suites.pop(("persistent", "f32")) == 3
    assert suites == {("roller119", "f32"): 119, ("gemm", "f16"): 4, ("roller119", "f16"): 51, ("examples", ""): 16}
    assert found[0].id == "smoke/strided/f16"  # first of all
    found = [one for one in found if one.suite not in ("smoke", "persistent")]
    assert [one.id for one in found][:2] == ["roller119/M0/f32", "roller119/M1/f32"]
    assert {one.top_k for one in found if one.suite != "examples"} == {10}


def test_models_are_packed_where_they_are_named() -> None:
    found = PACK.wanted(PACK.parse(["-o", "kit", *LITTLE, "--only", "M1", "--models", "a*,lstm", "--scale", "32"]))
    models = [one for one in found if one.suite == "models"]
    assert [one.id for one in models] == ["models/alexnet", "models/lstm"] and len(found) == 3
    assert [one.family for one in models] == ["alexnet", "lstm"]
    assert models[0].title == "alexnet, batch 1, f32, scaled by 1/32"
    assert all(one.text.count("func.func @") == 1 and len(one.fill) > 10 for one in models)


def test_what_is_asked_for() -> None:
    found = PACK.wanted(PACK.parse(["-o", "kit", *LITTLE, "--only", "M1,relu", "--top-k", "3"]))
    assert {one.reference.kind for one in found} == {"matmul", "relu"}
    assert {one.top_k for one in found} == {3}


def test_a_kit_from_the_command_line(tmp_path: Path, capsys: Any) -> None:
    arguments = ["-o", str(tmp_path / "kit"), *LITTLE, "--only", "M1,E1", "--top-k", "2", "--jobs", "1"]
    assert PACK.main(arguments) == 0
    said = capsys.readouterr().out
    assert "2 functions and 0 that are the same, 4 candidates, 0 probes" in said
    with open_kit(tmp_path / "kit") as kit:
        assert kit.kit.command == f"python bench/gpu/pack.py {' '.join(arguments)}"
        assert kit.kit.items[0].key


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--suite", "roller11"], "unknown suite 'roller11'; did you mean 'roller119'?"),
        (["--only", "X9"], "no operator is 'X9'"),
        (
            ["--models", "alexnet,bert"],
            "no model is 'bert'; give names, or patterns of them: resnext, nasnet, alexnet, ",
        ),
        (["--target", "h2000"], "h2000"),
        (["--target", "ipu-gc2"], "there is no code for it"),
        (["--only", "relu", "--dtypes", "f16"], "there is nothing to pack: none of the operators has one of the types"),
        (
            ["--max-bytes", "1KB", "--only", "E1"],
            "a kit may have 1000 B, but without any candidate this one comes to ",
        ),
    ],
)
def test_wrong_input_is_one_line(tmp_path: Path, capsys: Any, arguments: list[str], message: str) -> None:
    assert PACK.main(["-o", str(tmp_path / "kit"), *LITTLE, "--jobs", "1", *arguments]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("pack.py: error: ") and message in said.err and said.err.count("\n") == 1
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--dtypes", "f33"],
        ["--top-k", "0"],
        ["--only", ","],
        ["--jobs", "-1"],
        ["--time-limit", "nan"],
        ["--time-limit", "0"],
        ["--max-bytes", "60TB"],
        ["--max-bytes", "MB"],
        ["--models", ","],
        ["--scale", "0"],
    ],
)
def test_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        PACK.parse(["-o", "kit", *arguments])
    assert stopped.value.code == 2


def test_a_suite_of_ones_own(tmp_path: Path, capsys: Any) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "operators.csv").write_text("id,class,file\nbad,file,bad.mlir\nexp,file,exp.mlir\n")
    (folder / "exp.mlir").write_text(
        "func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %e = tensor.empty() : tensor<8xf32>\n"
        "  %r = linalg.exp ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>\n"
        "  return %r : tensor<8xf32>\n}\n"
    )
    bad = "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {\n  return %x : tensor<?xf32>\n}\n"
    (folder / "bad.mlir").write_text(bad)
    command = [*LITTLE, "--jobs", "1", "--suite", str(folder), "--top-k", "1"]
    assert PACK.main(["-o", str(tmp_path / "kit"), *command]) == 0
    said = capsys.readouterr()
    assert "1 functions" in said.out and "left out: mine/bad/f32: " in said.out and "shapes must be static" in said.out
    with open_kit(tmp_path / "kit") as kit:
        assert [item.id for item in kit.kit.items] == ["mine/exp/f32"]
    assert PACK.main(["-o", str(tmp_path / "none"), *command, "--only", "bad"]) == 1  # nothing was packed
    assert "0 functions" in capsys.readouterr().out


def test_bytes() -> None:
    for text, size in (("60MB", 60_000_000), ("64MiB", 64 << 20), ("7", 7), ("2kb", 2000)):
        assert PACK.parse(["-o", "kit", "--max-bytes", text]).max_bytes == size


def test_what_was_left_out_is_a_line_for_each_reason() -> None:
    skipped = [*(Skipped(id=f"M{number}", reason="no code") for number in range(5)), Skipped(id="C0", reason="no plan")]
    assert PACK.left_out_lines(skipped) == ["left out: M0, M1, M2 and 2 more: no code", "left out: C0: no plan"]


@pytest.mark.full
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, str(FOLDER / "pack.py"), "-o", str(tmp_path / "kit"), "--no-probes"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while process.poll() is None and not os.listdir(tmp_path):
            time.sleep(0.005)
        process.send_signal(number)
        out, said = process.communicate(timeout=600)
    assert (process.returncode, out, said) == (130, "", "pack.py: interrupted\n")
    assert not os.listdir(tmp_path)


@pytest.mark.full
def test_a_dry_run_of_the_whole_way(tmp_path: Path) -> None:
    place = tmp_path / "dry"
    found = subprocess.run(
        preloaded.python(str(FOLDER / "dry_run.py"), "-o", str(place)), capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    assert "a dry run, whose times are the simulator's and say nothing of any device" in found.stdout
    assert not [line for line in found.stdout.splitlines() if "WRONG" in line or "trouble" in line]
    results = read_results(place)
    assert results.complete and results.machine.back_end == "sim"
    assert [(item.id, len(item.candidates)) for item in results.kit.items] == [
        ("dry-run/small/f32", 2),
        ("examples/softmax", 2),
        *((f"persistent/{name}", 11) for name in ("branches", "lstm", "attention")),
        ("models/seq2seq", 11),
    ]
    ways = [[one.way for one in item.candidates] for item in results.kit.items if item.has_ways]
    graphs = ["line", "graph", "bounded", "ahead", "bounded-ahead"]
    assert ways == [["persistent", "fastest", "none-kept", "front", "barriers", "launches", *graphs]] * 4
    repeated = [timing for timing in results.timings if timing.note.endswith("3 launches in a row")]
    assert len(repeated) == 4
    assert {probe.quantity for probe in results.kit.probes} == {"bandwidth", "hand-over", "task"}
    assert all(check.ok for check in results.checks) and not results.troubles
    assert {timing.item for timing in results.timings} == {
        *(item.id for item in results.kit.items),
        *(probe.name for probe in results.kit.probes),
    }
    assert results.kit.probes and all("dry run" in timing.note for timing in results.timings)
    for name in ("results.md", "report.html"):
        text = (place / "report" / name).read_text()
        assert "dry run" in text.lower() and str(tmp_path) not in text
    for name in ("results.json", "results.jsonl", "summary.txt"):
        assert str(tmp_path) not in (place / name).read_text()
    assert json.loads((place / "results.json").read_text())["complete"]


@pytest.mark.full
def test_a_dry_run_with_planted_faults_has_all_other_results(tmp_path: Path) -> None:
    command = preloaded.python(str(FOLDER / "dry_run.py"), "-o", str(tmp_path / "dry"), "--faults")
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "dry" / "results.json").read_text())
    assert found["complete"]
    assert {one["family"]: one["item"] for one in found["lost"]} == {
        "wgmma, tensor store": "smoke/stored",
        "mma": "smoke/product-mma",
    }
    right = {one["item"] for one in found["checks"] if one["ok"] and one["who"] == "ours"}
    graphs = {"models/seq2seq", *(f"persistent/{name}" for name in ("branches", "lstm", "attention"))}
    assert right == {"dry-run/small/f32", "examples/softmax", "smoke/product/f16"} | graphs
    assert right <= {one["item"] for one in found["timings"]}
    assert all("(planted); " in one["note"] for one in found["checks"] if one["ok"] and one["who"] == "ours")
    report = (tmp_path / "dry" / "report" / "results.md").read_text()
    assert "wgmma, tensor store" in report and "INVALID" in report


def test_a_dry_run_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "dry").write_text("mine")
    found = subprocess.run(
        preloaded.python(str(FOLDER / "dry_run.py"), "-o", str(tmp_path / "dry")),
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 1
    assert found.stderr == f"dry_run.py: error: {tmp_path}/dry exists; choose another name\n"
    assert os.listdir(tmp_path) == ["dry"]
