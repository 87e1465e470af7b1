# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: what each sub-command prints, and its exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.passes.rtile.construct import RTileConstruct
from roller_mlir.runtime import Artifact
from roller_mlir.tools.commands.run import command as roller_run
from roller_mlir.tools.console import child as roller_child
from roller_mlir.tools.roller import main

MATMUL = """func.func @matmul(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x64xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x64xf32>)
    outs(%i : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
"""


MLP = Path(__file__).parents[4] / "examples" / "mlp.mlir"


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "matmul.mlir").write_text(MATMUL)
    return str(tmp_path / "matmul.mlir")


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("artifact")
    (folder / "matmul.mlir").write_text(MATMUL)
    assert main(["compile", str(folder / "matmul.mlir"), "-o", str(folder / "out")]) == 0
    return str(folder / "out")


def test_help_documents_everything(capsys: Any) -> None:
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(word in text for word in ("compile", "run", "devices", "exit codes", "130 interrupted"))
    for command, options in (
        (
            "compile",
            ("--target", "--emit", "--stats", "--json", "--tile-sizes", "--thread-tile", "--stages", "--plan-file"),
        ),
        ("run", ("--on", "--input", "--random", "--seed", "--check", "--count", "--output", "--json")),
        ("devices", ("--json",)),
    ):
        assert main([command, "--help"]) == 0
        text = capsys.readouterr().out
        assert all(option in text for option in options)


def test_version(capsys: Any) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("roller 0.")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["frobnicate"],
        ["compile"],
        ["compile", "x.mlir", "--frobnicate"],
        ["compile", "x.mlir", "--tile-sizes", "8,a"],
        ["compile", "x.mlir", "--tile-sizes", "8,0"],
        ["compile", "x.mlir", "--stages", "9"],
        ["compile", "x.mlir", "--emit", "wasm"],
        ["compile", "x.mlir", "--emit", "ptx", "--stats"],
        ["compile", "x.mlir", "--emit", "loops", "-o", "x"],
        ["compile", "x.mlir", "--emit", "loops", "--json"],
        ["compile", "x.mlir", "--emit", "hsaco", "--target", "h200"],
        ["compile", "x.mlir", "--emit", "ptx", "--target", "mi300x"],
        ["compile", "x.mlir", "--target", "h201"],
        ["run", "x.mlir", "--random", "--input", "a.npy"],
        ["run", "x.mlir", "--random", "--seed", "-1"],
        ["devices", "h201"],
    ],
)
def test_wrong_usage_is_2(arguments: list[str], capsys: Any) -> None:
    assert main(arguments) == 2
    said = capsys.readouterr()
    assert "error: " in said.err
    assert not said.out or "--json" in arguments  # the error as JSON


def test_unknown_device_suggests(capsys: Any) -> None:
    main(["devices", "h201"])
    said = capsys.readouterr().err
    assert "unknown device 'h201'; did you mean 'h200'?" in said
    assert "mi300x" in said


def test_devices(capsys: Any) -> None:
    assert main(["devices"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("v100", "a100-80", "h100", "h200", "mi300x"))
    assert main(["devices", "gfx942"]) == 0
    said = capsys.readouterr().out
    assert "Instinct MI300X" in said
    file = Path(said.strip().splitlines()[-1].removeprefix("numbers and their sources: "))
    assert file.name == "mi300x.toml" and "# " in file.read_text()
    assert main(["devices", str(file)]) == 0
    assert said == capsys.readouterr().out
    assert main(["devices", "--json"]) == 0
    names = [device["name"] for device in json.loads(capsys.readouterr().out)]
    assert "h200" in names
    assert main(["devices", "sm_90", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "h200"


def test_compile_writes_an_artifact_and_prints_tables(artifact: str, source: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["compile", source, "-o", str(tmp_path / "out"), "--target", "sm_80"]) == 0
    said = capsys.readouterr().out
    assert all(
        word in said for word in ("Plan", "Prediction", "matmul_0", "a100", "Phases", "rtile-construct", "wrote")
    )
    made = Artifact.load(tmp_path / "out")
    assert made.manifest.device.architecture == "sm_80"
    assert {"input", "kernels", "llvm", "ptx"} <= {file.role for file in made.manifest.files}


def test_compile_stats_json(source: str, capsys: Any) -> None:
    assert main(["compile", source, "--stats", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    (kernel,) = data["kernels"]
    assert {"name", "registers", "spill_bytes", "shared_bytes", "main_loop", "phases_s", "plan"} <= set(kernel)
    assert kernel["plan"]["device"] == "h200"
    assert {"rtile-construct", "total", "llvm_s"} <= set(kernel["phases_s"])
    if "ptxas_s" in kernel["phases_s"]:
        assert kernel["registers"] > 0
        assert kernel["spill_bytes"] == 0


@pytest.mark.parametrize(
    ("stage", "device", "expected"),
    [
        ("plan", "h200", "Prediction of the model"),
        ("loops", "h200", '"rtile.compute"'),
        ("gpu", "mi300x", "gpu.launch_func"),
        ("llvm", "mi300x", "define amdgpu_kernel void @matmul_0"),
        ("ptx", "h100", ".visible .entry matmul_0("),
    ],
)
def test_emit(source: str, capfd: Any, stage: str, device: str, expected: str) -> None:
    assert main(["compile", source, "--emit", stage, "--target", device]) == 0
    assert expected in capfd.readouterr().out


@pytest.mark.parametrize(("stage", "device"), [("hsaco", "mi300x"), ("object", "zen4")])
def test_a_binary_is_printed_alone(source: str, capfdbinary: Any, stage: str, device: str) -> None:
    assert main(["compile", source, "--target", device, "--emit", stage]) == 0
    assert capfdbinary.readouterr().out.startswith(b"\x7fELF")
    assert main(["compile", str(MLP), "--target", device, "--emit", stage]) == 1
    said = capfdbinary.readouterr()
    assert f"--emit {stage} writes 1 binary to a file or a pipe; use -o DIR for several".encode() in said.err
    assert not said.out


def test_a_plan_for_part_of_a_device_has_a_grid_of_what_that_holds(source: str, tmp_path: Path, capsys: Any) -> None:
    asked = ["compile", source, "--max-units", "4", "--instruction", "fma"]
    assert main([*asked, "--emit", "plan", "--json"]) == 0
    (plan,) = json.loads(capsys.readouterr().out).values()
    assert (plan["max_units"], plan["instruction"]) == (4, "fma")
    artifact = str(tmp_path / "bounded.roller")
    assert main([*asked, "-o", artifact]) == 0
    (launch,) = Artifact.load(artifact).manifest.launches
    most = 4 * plan["tasks_per_unit"]
    assert launch.grid[0] == min(plan["prediction"]["tasks"], most)
    assert main(["run", artifact, "--random", "--check"]) == 0


def test_emitted_plans_can_be_given_back(source: str, tmp_path: Path, capsys: Any) -> None:
    assert main(["compile", source, "--emit", "plan", "--json", "--tile-sizes", "32,32,8"]) == 0
    text = capsys.readouterr().out
    assert [axis["block"] for axis in json.loads(text)["matmul_0"]["axes"]] == [32, 32, 8]
    (tmp_path / "plan.json").write_text(text)
    assert main(["compile", source, "--emit", "plan", "--json", "--plan-file", str(tmp_path / "plan.json")]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(text)


def test_stdin(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        class buffer:
            @staticmethod
            def read() -> bytes:
                return b"func.func @f() {"

    monkeypatch.setattr(sys, "stdin", Input)
    assert main(["compile", "-"]) == 1
    assert capsys.readouterr().err.startswith("<stdin>:1:15: error: ")


def test_run_checks_and_counts(artifact: str, capsys: Any) -> None:
    assert main(["run", artifact, "--on", "sim", "--random", "--check", "--count"]) == 0
    said = capsys.readouterr().out
    assert "result matches numpy (equal)" in said
    assert "global store bytes" in said and "equal" in said
    assert main(["run", artifact, "--random", "--seed", "3", "--values", "normal", "--check", "--count", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["matches"] is True
    assert data["comparisons"][0]["max_error"] <= 1 and data["comparisons"][0]["unsaid"] == 0
    stored = next(row for row in data["counted_against_plan"] if row["quantity"] == "global store bytes")
    assert stored["counted"] == stored["planned"] == 64 * 64 * 4


def test_estimates_are_told_from_differences(tmp_path: Path, capsys: Any) -> None:
    """Rows of 7 and 3 numbers begin anywhere in a sector: the plan's sectors are an estimate, its bytes are exact."""
    (tmp_path / "odd.mlir").write_text(MATMUL.replace("64x32", "5x7").replace("32x64", "7x3").replace("64x64", "5x3"))
    assert main(["run", str(tmp_path / "odd.mlir"), "--random", "--check", "--count", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["counted_against_plan"]
    assert all(row["counted"] == row["planned"] and not row["estimated"] for row in rows if "bytes" in row["quantity"])
    others = [row for row in rows if "bytes" not in row["quantity"]]
    assert any(row["estimated"] for row in others)
    assert all(row["estimated"] == (row["counted"] != row["planned"]) for row in others)
    assert main(["run", str(tmp_path / "odd.mlir"), "--random", "--count"]) == 0
    assert "(planned is an estimate where rows are not aligned, " in capsys.readouterr().out


def test_differences_of_bytes_are_no_estimates(artifact: str) -> None:
    from roller_mlir.runtime.sequence import AccessCount, LaunchReport
    from roller_mlir.tools.commands.run.counts import count_rows

    made = Artifact.load(artifact)
    count = AccessCount(site="x", kind="load", space="global", accesses=1, bytes=4, sectors=1, phases=0, ideal=1)
    rows = list(count_rows(made, LaunchReport(kernel=made.kernels[0].name, seconds=0.0, counts=(count,))))
    assert rows and not any(row.estimated for row in rows)
    assert all("estimate" not in row.cells()[-1] for row in rows)


def test_run_with_files(source: str, tmp_path: Path, capsys: Any) -> None:
    a, b = np.ones((64, 32), np.float32), np.full((32, 64), 2, np.float32)
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    inputs = ["--input", str(tmp_path / "a.npy"), "--input", str(tmp_path / "b.npy")]
    assert main(["run", source, *inputs, "--output", str(tmp_path / "results")]) == 0
    np.testing.assert_array_equal(np.load(tmp_path / "results" / "output0.npy"), a @ b)
    capsys.readouterr()
    for wrong, message in (
        (inputs[:2], "'matmul' takes 2 inputs, but got 1"),
        ([*inputs[:2], *inputs[:2]], "input 1 (input1) must have shape (32, 64), but has (64, 32)"),
        (["--input", str(tmp_path / "missing.npy")], "missing.npy: no such file or directory"),
        (["--input", source], "not a .npy file of numbers"),
        (["--input", str(tmp_path)], "is a directory"),
    ):
        assert main(["run", source, *wrong]) == 1
        assert message in capsys.readouterr().err
    assert main(["run", source]) == 2
    assert "takes 2 inputs; give --input for each, or --random" in capsys.readouterr().err
    assert main(["run", source, *inputs, "--output", str(tmp_path / "a.npy")]) == 1
    assert "cannot write results" in capsys.readouterr().err


def test_a_mismatch_is_reported(artifact: str, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from roller_mlir.tools.commands.run import reference as roller_reference

    evaluate = roller_reference.evaluate_function

    def wrong(*arguments: Any) -> Any:
        found = evaluate(*arguments)
        found.bounded[0].data[3, 5] += 1
        return found

    monkeypatch.setattr(roller_reference, "evaluate_function", wrong)
    assert main(["run", artifact, "--random", "--check"]) == 1
    said = capsys.readouterr().out
    assert "result does not match numpy: 1 of 4096 elements differ" in said
    assert "at [3, 5]: expected" in said


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["--on", "metal"], "unknown back end 'metal'; known: cpu, cuda, hip, sim", 1),
        (["--target", "h200"], "is compiled already", 2),
        (["--tile-sizes", "8,8,8"], "is compiled already", 2),
        (["--no-fusion"], "is compiled already", 2),
        (["--explain-fusion"], "is compiled already", 2),
    ],
)
def test_run_refuses(artifact: str, capsys: Any, arguments: list[str], message: str, code: int) -> None:
    assert main(["run", artifact, "--random", *arguments]) == code
    assert message in capsys.readouterr().err


def test_run_of_what_is_no_artifact(tmp_path: Path, capsys: Any) -> None:
    assert main(["run", str(tmp_path), "--random"]) == 1
    assert "cannot read artifact" in capsys.readouterr().err
    assert main(["run", str(tmp_path / "missing"), "--random"]) == 1
    assert "no such file or directory" in capsys.readouterr().err


def test_a_broken_pass_is_our_bug_with_a_reproducer(
    capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    real = RTileConstruct.run

    def break_it(self: RTileConstruct, module: Any) -> None:
        real(self, module)
        (program,) = programs_of(module)
        program.operation.operands[0] = program.operation.results[0]  # it reads what it makes

    path = tmp_path / "square.mlir"
    path.write_text(MATMUL.replace("64x32", "64x64").replace("32x64", "64x64"))
    monkeypatch.setattr(RTileConstruct, "run", break_it)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("ROLLER_CACHE", "0")
    monkeypatch.setattr(roller_child, "in_child", lambda _, work: work())  # a test is no process of its own
    monkeypatch.setattr(sys, "argv", ["roller", "compile", str(path), "--emit", "loops", "--no-split"])
    assert main() == 70
    said = capsys.readouterr().err
    assert said.startswith("roller: internal error in pass 'rtile-construct' at 'rtile.program' at -:5:8: ")
    assert "BrokenModuleError: operand #0 does not dominate this use" in said
    assert "error: operand" not in said.replace("BrokenModuleError: operand", "")
    (folder,) = tmp_path.glob("roller-bug-*")
    assert f"reproduce: roller compile {folder / 'input.mlir'} --emit loops --no-split" in said


def test_our_bugs_exit_70_with_a_reproducer(
    source: str, capsys: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("the wrong leg")

    monkeypatch.setattr(roller_run, "_report", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["roller", "run", source, "--random"])
    monkeypatch.setattr(roller_child, "in_child", lambda _, work: work())  # a test is no process of its own
    assert main() == 70
    said = capsys.readouterr().err
    assert "internal error: RuntimeError: the wrong leg" in said
    assert "Traceback" not in said
    (folder,) = tmp_path.glob("roller-bug-*")
    assert (folder / "input.mlir").read_text() == MATMUL
    assert "the wrong leg" in (folder / "traceback.txt").read_text()
    assert f"reproduce: roller run {folder / 'input.mlir'} --random" in said


def spawn(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "roller_mlir.tools.roller", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        **options,
    )


def test_help_and_devices_start_without_mlir() -> None:
    code = (
        "import sys; from roller_mlir.tools.roller import main; import roller_mlir\n"
        "for arguments in (['--help'], ['compile', '--help'], ['run', '--help'], ['devices'], ['devices', '--json']):\n"
        "    main(arguments)\n"
        "heavy = {'torch_mlir', 'mlir', 'llvmlite', 'numpy', 'iree'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 0, done.stderr


def test_interrupt_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "big.mlir").write_text(MATMUL.replace("64x", "1024x").replace("x64x", "x1024x").replace("32x", "1024x"))
    process = spawn("compile", str(tmp_path / "big.mlir"), "-o", str(tmp_path / "out"), "--stats")
    while process.poll() is None and not Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text():
        time.sleep(0.005)  # it does its work in a child
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=600)
    if process.returncode in (130, -signal.SIGINT):  # a fast machine may have finished before
        assert [entry.name for entry in tmp_path.iterdir()] == ["big.mlir"]
    else:
        assert process.returncode == 0
    assert "Traceback" not in errors


@pytest.mark.full
def test_a_file_size_limit_leaves_nothing(source: str, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of files exist on POSIX only")

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    process = spawn("run", source, "--random", "--output", str(tmp_path / "results"), preexec_fn=limit)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 1, errors
    assert "cannot write results" in errors and "file too large" in errors
    assert "Traceback" not in errors
    assert [entry.name for entry in tmp_path.iterdir()] == ["matmul.mlir"]
    process = spawn("compile", source, "-o", str(tmp_path / "out"), preexec_fn=limit)
    _, errors = process.communicate(timeout=600)
    assert process.returncode == 1, errors
    assert "Traceback" not in errors
    assert [entry.name for entry in tmp_path.iterdir()] == ["matmul.mlir"]


def test_a_closed_pipe_is_no_error(source: str) -> None:
    process = spawn("devices", "h200")
    assert process.stdout is not None
    process.stdout.close()
    _, errors = process.communicate(timeout=600)
    assert process.returncode in (0, 1, 141)
    assert "Traceback" not in errors
