# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `roller` says on failure: as JSON under --json, in colour on a terminal, with the command's own usage."""

import json
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.compiler.options import CompileOptions
from roller_mlir.tools.roller import main

WRONG = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.addf %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.mlir"
    path.write_text(WRONG)
    return str(path)


def said(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the only JSON document of standard output, and standard error."""
    found = capsys.readouterr()
    return json.loads(found.out), found.err


@pytest.mark.parametrize("command", ["compile", "run"])
def test_diagnostics_are_json_too(wrong: str, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main([command, wrong, "--target", "h200", "--json"]) == 1
    (record,), errors = said(capsys)
    assert (record["severity"], record["file"], record["line"], record["column"]) == ("error", wrong, 2, 23)
    assert "undeclared SSA value" in record["message"] and record["notes"] == []
    assert errors.startswith(f"{wrong}:2:23: error: ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["compile", "missing.mlir", "--target", "h200"], 1, "missing.mlir"),
        (["compile", "missing.mlir", "--target", "h2000"], 2, "h2000"),
        (["compile", "x.mlir", "--target", "h200", "--emit", "ptx"], 2, "--json goes with"),
        (["compile", "--tile-size", "1"], 2, "wrong usage"),
        (["run", "x", "--time", "3"], 2, "--time is for a device"),
    ],
)
def test_other_errors_are_json_too(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert main([*arguments, "--json"]) == code
    (record,), errors = said(capsys)
    assert message in record["message"] and set(record) == {"severity", "file", "line", "column", "message", "notes"}
    assert "error: " in errors


def test_colour(wrong: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    command = ["compile", wrong, "--target", "h200"]
    red = "\x1b[1;31merror:\x1b[0m "
    assert main([*command, "--color", "always"]) == 1
    assert f":2:23: {red}" in capsys.readouterr().err
    assert main(command) == 1  # no terminal
    assert "\x1b" not in capsys.readouterr().err
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert main(["compile", "missing.mlir", "--target", "h200"]) == 1
    assert capsys.readouterr().err.startswith(red)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main(command) == 1
    assert "\x1b" not in capsys.readouterr().err


def test_a_mistyped_flag_shows_the_commands_own_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", "x.mlir", "--no-fussion"]) == 2
    errors = capsys.readouterr().err
    assert errors.startswith("usage: roller compile ")
    assert "roller compile: error: unrecognized arguments: --no-fussion; did you mean '--no-fusion'?" in errors


RIGHT = WRONG.replace("%y", "%x")


def test_ir_is_printed_around_passes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "right.mlir"
    path.write_text(RIGHT)
    command = ["compile", str(path), "--target", "h200", "--emit", "plan"]
    assert (
        main([*command, "--mlir-print-ir-after", "rtile-normalize", "--mlir-print-ir-before", "rtile-construct"]) == 0
    )
    dumps = [line.split()[4:6] for line in capfd.readouterr().err.splitlines() if "IR Dump" in line]
    assert dumps == [["After", "rtile-normalize"], ["Before", "rtile-construct"]]
    assert main([*command, "--mlir-print-ir-after-all"]) == 0
    assert "IR Dump After RTileConstruct" in capfd.readouterr().err
    assert main([*command, "--mlir-print-ir-after", "rtile-normalise"]) == 2
    assert "has no pass 'rtile-normalise'; did you mean 'rtile-normalize'?" in capfd.readouterr().err
    with pytest.raises(ValueError, match="print_after: a compilation has no pass 'qqqq'; it runs rtile-normalize, "):
        CompileOptions(print_after=("*", "qqqq"))
