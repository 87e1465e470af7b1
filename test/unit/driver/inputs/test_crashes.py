# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What would end the tools without a word: crashes of MLIR, signals, too little memory, tools that never end."""

import importlib
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import preloaded
import pytest

from roller_mlir.compiler import CompileOptions
from roller_mlir.tools.console import interrupt as roller_interrupt

# Upstream's reader builds the body of the operation before it looks at the types.
CRASH = """func.func @f(%a: tensor<16xi32>) -> tensor<16xi32> {
  %e = tensor.empty() : tensor<16xi32>
  %r = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%a : tensor<16xi32>) outs(%e : tensor<16xi32>)
    -> tensor<16xi32>
  return %r : tensor<16xi32>
}
"""
EXP = """func.func @f(%a: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}
"""


def spawn(place: Path, *arguments: str, tool: str = "roller", **options: Any) -> "subprocess.Popen[str]":
    """Starts a tool whose temporary files lie in a folder of the test."""
    (place / "tmp").mkdir(exist_ok=True)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    environment |= {"TMPDIR": str(place / "tmp"), "ROLLER_CACHE": "0", **options.pop("environment", {})}
    # Limits and signals reach no fork of another process.
    python = [sys.executable, "-P"] if "preexec_fn" in options else preloaded.python()
    command = [*python, "-m", f"roller_mlir.tools.{tool}", *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment, cwd=place, **options)


@pytest.mark.parametrize("command", ["compile", "explain", "run"])
def test_a_crash_of_the_parser_is_reported(tmp_path: Path, command: str) -> None:
    (tmp_path / "f.mlir").write_text(CRASH)
    process = spawn(tmp_path, command, "f.mlir", *(["--random"] if command == "run" else []))
    out, said = process.communicate(timeout=600)
    assert (process.returncode, out) == (70, "")
    first, bug, again = said.splitlines()
    assert first == "roller: internal error: SIGSEGV ended the process in MLIR's parser"
    folder = Path(bug.split()[-1])
    assert bug.startswith("  this is a bug of roller, MLIR or LLVM; please report it with the files in ")
    assert again.startswith(f"  reproduce: roller {command} {folder}/input.mlir")
    assert (folder / "input.mlir").read_text() == CRASH


def test_roller_opt_names_the_stage(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(CRASH)
    process = spawn(tmp_path, "f.mlir", tool="roller_opt")
    assert process.communicate(timeout=600)[1].startswith(
        "roller-opt: the process ended with SIGSEGV in MLIR's parser\n"
    )
    assert process.returncode == 70


@pytest.mark.full(every=2)
@pytest.mark.parametrize("most_bytes", [300_000 << 10, 150_000 << 10])
def test_too_little_memory_is_one_line(tmp_path: Path, most_bytes: int) -> None:
    (tmp_path / "f.mlir").write_text(EXP)
    limit = (most_bytes, most_bytes)
    process = spawn(tmp_path, "compile", "f.mlir", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    _, said = process.communicate(timeout=600)
    assert process.returncode == 1
    refused = ("roller: error: there is not enough memory for this", "OpenBLAS error: Memory allocation")
    if not (said.startswith(refused) and said.count("\n") == 1):  # seldom the interpreter or the linker gives up first
        assert re.fullmatch(
            r"roller: error: the process was ended by .* is limited to \d+ MiB .*", said.splitlines()[-1]
        )


@pytest.mark.parametrize("end", ["os._exit(127)", "os.abort()"])
def test_a_limit_of_the_address_space_is_named(end: str) -> None:
    program = f"""
import os, resource
from roller_mlir.tools.console.child import in_child
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
in_child("roller", lambda ready: {end})
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    by = "the dynamic linker" if "127" in end else "SIGABRT"
    limit = "its address space is limited to 3072 MiB (ulimit -v), which may be too little"
    assert (done.returncode, done.stderr) == (1, f"roller: error: the process was ended by {by}; {limit}\n")


@pytest.mark.full
def test_the_time_of_tools_is_limited(tmp_path: Path) -> None:
    (tmp_path / "f.mlir").write_text(EXP)
    (tmp_path / "ptxas").write_text("#!/bin/sh\nsleep 6000\n")
    (tmp_path / "ptxas").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    process = spawn(tmp_path, "compile", "f.mlir", "--tool-timeout-s", "1", environment={"PATH": path})
    _, said = process.communicate(timeout=600)
    assert process.returncode == 1
    # On a busy machine LLVM is the first that takes so long.
    assert re.search(r"kernel 'f_exp_0': (\S*ptxas|LLVM code generation) took more than 1 s and was ended", said), said
    with pytest.raises(ValueError, match=r"tool_timeout_s must be at least 0.001, but got 0"):
        CompileOptions(tool_timeout_s=0)


@pytest.mark.full(every=4)
@pytest.mark.parametrize(
    ("at_work", "interrupts"),
    [(False, signal.default_int_handler), (True, signal.default_int_handler), (True, signal.SIG_IGN)],
)
def test_a_kit_that_is_ended_is_whole_or_absent(tmp_path: Path, at_work: bool, interrupts: Any) -> None:
    """As soon as it has started, or when the first of its files is there, also in the background of a shell."""
    (tmp_path / "f.mlir").write_text(EXP)
    words = ["tune", "f.mlir", "--target", "h200", "--pack", "kit", "--top-k", "20", "--jobs", "1"]
    process = spawn(tmp_path, *words, preexec_fn=lambda: signal.signal(signal.SIGINT, interrupts))
    while at_work and process.poll() is None and len([*tmp_path.rglob("*")]) == 2:
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=600)
    assert process.returncode in (0, 143, -signal.SIGTERM) and "Traceback" not in said
    left = sorted(path.name for path in tmp_path.iterdir())
    if "kit" in left:  # the signal came behind the last step: a fast machine was ready before
        assert {path.name for path in (tmp_path / "kit").iterdir()} == {
            *("README.txt", "artifacts.zip", "index.json", "run.py")
        }
        left.remove("kit")
    assert left == ["f.mlir", "tmp"] and not any((tmp_path / "tmp").iterdir())


def test_a_signal_to_a_whole_group_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        roller_interrupt.install()
        monkeypatch.setattr(roller_interrupt, "_TWICE_S", 600.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # from the parent, which got it as well: tidying up goes on
        monkeypatch.setattr(roller_interrupt, "_since", time.monotonic() - 601.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
        monkeypatch.undo()
        roller_interrupt._pending = False


def test_an_import_ends_before_the_interrupt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "slow_native_module.py").write_text(
        "import signal, sys\nsignal.raise_signal(signal.SIGINT)\nsys.whole_module = True\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGALRM)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        roller_interrupt.install()
        importlib.import_module("slow_native_module")
        with pytest.raises(KeyboardInterrupt):
            time.sleep(600)
        assert vars(sys).pop("whole_module")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip((signal.SIGINT, signal.SIGALRM), before, strict=True):
            signal.signal(number, handler)
        roller_interrupt._pending = False
