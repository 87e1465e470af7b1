# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A project that is not ours builds modules of IREE with CMake, runs them without a GPU, and has a suite of lit."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roller_mlir.downstream import CMAKE_FOLDER
from roller_mlir.downstream.lit_tools import add_tools, use_roller
from roller_mlir.tools.roller import main

ROOT = Path(__file__).parents[3]
PROJECT = ROOT / "examples" / "iree_project"
TOOLS = Path(sys.executable).parent
needs_cmake = pytest.mark.skipif(
    shutil.which("cmake") is None or shutil.which("ninja") is None, reason="needs CMake and Ninja"
)


def call(*command: str | Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    variables = {**os.environ, "PATH": f"{TOOLS}:{os.environ['PATH']}", **environment}
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=1200, check=False, env=variables
    )


def configure(source: Path, folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return call("cmake", "-S", source, "-B", folder, "-G", "Ninja", f"-DRoller_DIR={CMAKE_FOLDER}", **environment)


def complaint(folder: Path, text: str, **environment: str) -> str:
    """Configures a project that asks for what the text says; returns what CMake complains of, on one line."""
    head = "cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES NONE)\nfind_package(Roller CONFIG REQUIRED)\n"
    (folder / "CMakeLists.txt").write_text(head + text)
    done = configure(folder, folder / "build", **environment)
    assert done.returncode
    return " ".join(done.stderr.split())


@pytest.mark.full
@needs_cmake
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library")
def test_the_project_builds_and_passes_its_tests(tmp_path: Path) -> None:
    done = configure(PROJECT, tmp_path)
    assert done.returncode == 0, done.stderr
    done = call("cmake", "--build", tmp_path)
    assert done.returncode == 0, done.stdout
    for name in ("classifier_h200", "classifier_mi300x"):
        assert (tmp_path / f"{name}.vmfb").stat().st_size
        assert json.loads((tmp_path / f"{name}.report.json").read_text())
    done = call("ctest", "--test-dir", tmp_path, "--output-on-failure")
    assert done.returncode == 0, done.stdout
    assert "100% tests passed" in done.stdout and "out of 3" in done.stdout
    assert "no work to do" in call("cmake", "--build", tmp_path).stdout


@needs_cmake
def test_what_is_missing_or_not_known_is_said(tmp_path: Path) -> None:
    tools = [Path(str(shutil.which(name))).parent for name in ("cmake", "ninja")]
    if not any((folder / "roller").exists() for folder in tools):
        said = complaint(tmp_path, "", PATH=":".join(map(str, tools)))
        assert "the command 'roller' is not in PATH; set ROLLER_EXECUTABLE" in said
    said = complaint(tmp_path, "roller_iree_module(NAME m SRC m.mlir)")
    assert "roller_iree_module: TARGET is missing" in said
    said = complaint(tmp_path, "roller_iree_module(NAME m SRC m.mlir TARGET h200 FLAG --json)")
    assert "roller_iree_module(m): unknown arguments: FLAG;--json" in said


def test_the_folder_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["iree", "cmake-dir"]) == 0
    assert (Path(capsys.readouterr().out.strip()) / "RollerConfig.cmake").is_file()


def test_tools_are_words() -> None:
    config = SimpleNamespace(substitutions=[])
    add_tools(config, {"roller": "/bin/roller"})
    ((pattern, command),) = config.substitutions
    assert (
        re.sub(pattern, command, "roller x.roller | roller-opt /a/roller")
        == "/bin/roller x.roller | roller-opt /a/roller"
    )


def test_a_suite_without_tools_ends(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    said: list[str] = []

    def fatal(message: str) -> None:
        said.append(message)
        raise SystemExit

    config: Any = SimpleNamespace(environment={"PATH": str(tmp_path)}, substitutions=[])
    with pytest.raises(SystemExit):
        use_roller(config, SimpleNamespace(fatal=fatal))
    assert said == ["not found: roller-opt, roller, FileCheck; pip install 'roller_mlir[dev]' brings them"]
