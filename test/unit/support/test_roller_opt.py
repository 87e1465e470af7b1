# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""roller-opt as a program: exit codes, crashes, interrupts, broken pipes, and input that is meant to hurt."""

import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import preloaded
import pytest

SOURCE = "func.func @f(%a: i32) -> i32 {\n  return %a : i32\n}\n"
WITH_SAMPLES = (
    f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import sample_passes; "
    "from roller_mlir.tools.roller_opt import main; sys.exit(main())"
)


def start(
    *arguments: str, samples: bool = False, python: Any = preloaded.python, **options: object
) -> "subprocess.Popen[bytes]":
    command = ["-c", WITH_SAMPLES] if samples else ["-m", "roller_mlir.tools.roller_opt"]
    pipes = {
        "stdin": subprocess.PIPE,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "cwd": tempfile.gettempdir(),
    }
    return subprocess.Popen(python(*command, *arguments), **{**pipes, **options})  # type: ignore[call-overload]


def run(*arguments: str, text: str | bytes = SOURCE, samples: bool = False) -> tuple[int, str, str]:
    process = start(*arguments, samples=samples)
    content = text.encode() if isinstance(text, str) else text
    out, err = process.communicate(content, timeout=600)
    assert "Traceback" not in err.decode(errors="replace"), err
    return process.returncode, out.decode(), err.decode()


def test_the_manual_shows_options_that_exist() -> None:
    code, out, _ = run("--help")
    assert code == 0
    (example,) = [line.strip() for line in out.splitlines() if line.startswith("  --rtile-construct='")]
    assert run(example.replace("'", ""))[0] == 0
    assert "their options are those of mlir-opt" in out


def test_reads_standard_input_and_prints() -> None:
    code, out, err = run()
    assert (code, err) == (0, "")
    assert "return %arg0 : i32" in out
    assert run("-") == (code, out, err)


@pytest.mark.full
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", None),
        (b"module {", "error"),
        (b"\0" * 100, "<stdin>:1:1: error: not MLIR: the text holds a zero byte"),
        (random.Random(1).randbytes(4000), "error: not MLIR"),
        (b'"a"() ({' * 100_000, "nested too deeply"),
        (b"func.func @f() { return %x : i32 }", "<stdin>:1:25: error: use of undeclared SSA value name"),
        (b"ML\xefR" + b"\xff" * 50, "error"),
    ],
)
def test_no_input_hurts(content: bytes, expected: str | None) -> None:
    code, out, err = run(text=content)
    assert code == (0 if expected is None else 1), err
    if expected is not None:
        assert out == ""
        assert expected in err


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--canonicalise"], 2, "unknown option '--canonicalise'; did you mean '--canonicalize'?"),
        (["--qqqqqq"], 2, "unknown option '--qqqqqq'; --help lists all"),
        (["--pass-pipeline"], 2, "'--pass-pipeline' needs a value"),
        (["--pass-pipeline=builtin.module(cse", "-"], 2, "expected ')' or ','"),
        (["--pass-pipeline=cse", "--cse"], 2, "--pass-pipeline does not go with '--cse'"),
        (["a", "b"], 2, "one input file at most, but got 'a' and 'b'"),
        (["--verify-each=maybe"], 2, "'--verify-each=maybe' must be true or false"),
        (["--emit-bytecode", "--split-input-file"], 2, "does not go with --split-input-file"),
        (["--canonicalize=max-iterations=x"], 2, "'x' value invalid"),
        (["missing.mlir"], 1, "cannot open input file 'missing.mlir': No such file or directory"),
        (["."], 1, "cannot open input file '.': Is a directory"),
        (["-o", "/nonexistent/x"], 1, "cannot write output file '/nonexistent/x': No such file or directory"),
        (["-o", "/dev/full"], 1, "cannot write output file '/dev/full': No space left on device"),
    ],
)
def test_mistakes(arguments: list[str], code: int, message: str) -> None:
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert message in err


def test_output_goes_to_a_file_only_if_all_went_well(tmp_path: Path) -> None:
    target = tmp_path / "out.mlir"
    assert run("-o", str(target))[:2] == (0, "")
    assert "return %arg0" in target.read_text()
    target.unlink()
    two = SOURCE + "// -----\nfunc.func @g() {\n"
    assert run("-o", str(target), "--split-input-file", text=two)[0] == 1
    assert os.listdir(tmp_path) == []


def test_bytecode_goes_round(tmp_path: Path) -> None:
    target = tmp_path / "out.mlirbc"
    assert run("--emit-bytecode", "-o", str(target))[0] == 0
    assert target.read_bytes().startswith(b"ML\xefR")
    assert run(str(target)) == run()


def test_a_bug_leaves_a_reproducer_that_reproduces() -> None:
    code, _, err = run("--sample-mark=mode=bug", samples=True)
    assert code == 70
    assert "internal error in pass 'sample-mark' at 'func.func' at -:1:1: KeyError: 'lost'" in err
    name, path, *rest = err.strip().splitlines()[-1].split()
    try:
        assert name == "roller-opt"
        written = Path(path).read_text()
        assert f"// Replay: roller-opt {path}" in written
        assert "KeyError: 'lost'" in written
        assert written.endswith(SOURCE)
        assert run(path, *rest, samples=True)[0] == 70
    finally:
        Path(path).unlink()


@pytest.mark.full(every=2)
@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_inside_mlir_is_reported(number: signal.Signals) -> None:
    process, child = _start_sleeping()
    os.kill(child, number)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 70
    assert f"the process ended with {number.name}" in err.decode()
    Path(err.decode().strip().splitlines()[-1].split()[1]).unlink()


def test_an_interrupt_ends_the_tool_and_its_child() -> None:
    process, child = _start_sleeping()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=600)
    assert (process.returncode, err) == (130, b"roller-opt: interrupted\n")
    assert not Path(f"/proc/{child}").exists()


def test_a_reader_that_leaves_is_no_error() -> None:
    for arguments in ([], ["--list-passes"]):
        process = start(*arguments)
        assert process.stdout is not None
        process.stdout.close()
        process.stdout = None
        _, err = process.communicate(SOURCE.encode(), timeout=600)
        assert (process.returncode, err) == (141, b"")


def test_the_first_output_waits_for_no_library_that_it_does_not_need() -> None:
    code = (
        "import sys; from roller_mlir.tools.roller_opt import main; main(['--canonicalize', '-'])\n"
        "heavy = {'iree', 'llvmlite', 'matplotlib', 'ray', 'rich'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=SOURCE, capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def _start_sleeping() -> "tuple[subprocess.Popen[bytes], int]":
    """Starts the tool with a pass that sleeps; returns the process, and its child that runs the pass."""
    process = start("--sample-kill=sleep=6000", samples=True, python=_own, preexec_fn=_heed_interrupts)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(SOURCE.encode())
    process.stdin.close()
    process.stdin = None
    assert process.stdout.readline() == b"running\n"
    (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return process, int(child)


def _own(*arguments: str) -> list[str]:
    return [sys.executable, *arguments]


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
