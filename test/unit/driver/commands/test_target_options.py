# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a device is named on the command line: --target, --device-file, --calibration, and the template."""

import argparse
import json
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.hal import device_file, find_device
from roller_mlir.runtime import Artifact
from roller_mlir.tools.console.errors import UsageError
from roller_mlir.tools.console.targets import add_target_arguments, device_of, given_target, target_of, targets_of
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
CALIBRATION = 'device = "mine"\nunits = { value = %s, source = "J. Doe, deviceQuery, 2026-11-20" }\n'


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "matmul.mlir").write_text(MATMUL)
    return str(tmp_path / "matmul.mlir")


@pytest.fixture
def mine(tmp_path: Path) -> str:
    """A device of a user's own: the H200 with half of the units."""
    text = (
        device_file("h200").read_text().replace('name = "h200"', 'name = "mine"').replace("units = 132", "units = 66")
    )
    (tmp_path / "mine.toml").write_text(text)
    return str(tmp_path / "mine.toml")


@pytest.fixture
def measured(tmp_path: Path) -> str:
    (tmp_path / "lab.toml").write_text(
        'device = "mine"\n[layers.global]\n'
        'sustained_bandwidth_bytes_per_s = { value = 4.1e12, source = "J. Doe, gpu-stream, 2026-11-20" }\n'
    )
    return str(tmp_path / "lab.toml")


def parsed(*words: str, **options: Any) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_target_arguments(parser, **options)
    return parser.parse_args(words)


def test_the_shared_options(mine: str, measured: str) -> None:
    assert target_of(parsed()) == "h200" and not given_target(parsed())
    assert target_of(parsed("--target", "k80")) == "k80" and given_target(parsed("--target", "k80"))
    assert device_of(parsed("--device-file", mine)).units == 66
    both = parsed("--device-file", mine, "--calibration", measured)
    assert target_of(both) == f"{mine}+{measured}"
    assert device_of(both).layer("global").sustained_bandwidth_bytes_per_s == 4.1e12
    assert targets_of(parsed("--target", "v100, k80")) == ["v100", "k80"]
    assert targets_of(parsed("--device-file", mine)) == [mine]
    for words, options in ((("--target", "k80", "--device-file", mine), {}), ((), {"required": True})):
        with pytest.raises(SystemExit):
            parsed(*words, **options)
    for option in ("--device-file", "--calibration"):
        with pytest.raises(UsageError, match=rf"{option} must name a \.toml file, but got 'h200'"):
            target_of(parsed(option, "h200"))


def test_compile_and_run_for_a_device_of_ones_own(source: str, mine: str, measured: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "out.roller")
    arguments = ["--device-file", mine, "--calibration", measured]
    assert main(["compile", source, *arguments, "-o", folder]) == 0
    assert Artifact.load(folder).manifest.device.name == "mine"
    assert main(["run", source, *arguments, "--random", "--on", "sim", "--check"]) == 0


def test_an_artifact_has_its_device(source: str, mine: str, tmp_path: Path, capsys: Any) -> None:
    folder = str(tmp_path / "out.roller")
    assert main(["compile", source, "-o", folder]) == 0
    for arguments in (["--device-file", mine], ["--calibration", mine], ["--target", "h200"]):
        assert main(["run", folder, *arguments, "--random"]) == 2
        said = capsys.readouterr().err
        assert "is compiled already; a device, --entry, fusion and user schedules go with a FILE" in said


def test_a_device_without_code_is_planned_and_refused_by_name(source: str, capsys: Any) -> None:
    refusal = "'ipu-gc2' of graphcore is for the construction and its model only: there is no code for it"
    for arguments in (["compile"], ["compile", "--emit", "gpu"], ["run", "--random", "--on", "sim"]):
        assert main([arguments[0], source, "--target", "ipu", *arguments[1:]]) == 2
        assert refusal in capsys.readouterr().err


def test_errors_name_file_and_key(source: str, mine: str, tmp_path: Path, capsys: Any) -> None:
    (tmp_path / "lab.toml").write_text(CALIBRATION % 0)
    (tmp_path / "bad.toml").write_text(Path(mine).read_text().replace("banks = 32", "banks = 0"))
    bad, lab = str(tmp_path / "bad.toml"), str(tmp_path / "lab.toml")
    for arguments, message in (
        (["--device-file", bad], f"{bad}: 'layers.workgroup.banks': must be above 0"),
        (["--device-file", mine, "--calibration", lab], f"{lab}: 'units': must be above 0"),
        (["--target", "h200", "--calibration", lab], f"{lab}: 'device': is a calibration of 'mine', but the device is"),
        (["--device-file", "none.toml"], "none.toml: cannot read the device description"),
        (["--device-file", "h200"], "--device-file must name a .toml file, but got 'h200'"),
    ):
        assert main(["compile", source, *arguments]) == 2
        assert message in capsys.readouterr().err


def test_devices_shows_files_and_calibrations(mine: str, measured: str, capsys: Any) -> None:
    assert main(["devices", "--device-file", mine, "--calibration", measured]) == 0
    said = capsys.readouterr().out
    assert "J. Doe, gpu-stream, 2026-11-20" in said and "layers.global.sustained_bandwidth_bytes_per_s" in said
    assert said.strip().endswith(f"numbers and their sources: {mine}")
    assert main(["devices", "--device-file", mine, "--calibration", measured, "--json"]) == 0
    (override,) = json.loads(capsys.readouterr().out)["overrides"]
    assert (override["value"], override["source"]) == (4.1e12, "J. Doe, gpu-stream, 2026-11-20")


def test_the_template_loads(tmp_path: Path, capsys: Any) -> None:
    assert main(["devices", "--template"]) == 0
    (tmp_path / "mine.toml").write_text(capsys.readouterr().out)
    assert find_device(str(tmp_path / "mine.toml")).name == "mine"
    assert main(["devices", "--device-file", str(tmp_path / "mine.toml")]) == 0
    capsys.readouterr()
    for arguments, message in (
        (["h200", "--template"], "--template prints the same for every device; leave out a name"),
        (["--template", "--json"], "leave out --json"),
        (["h200", "--device-file", "mine.toml"], "'h200' and --device-file name a device each; give one of them"),
        (["--calibration", "lab.toml"], "--calibration goes with a device; name it"),
    ):
        assert main(["devices", *arguments]) == 2
        assert message in capsys.readouterr().err
