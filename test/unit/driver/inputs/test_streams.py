# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Both tools on bad days: standard output that cannot be written, a reader that leaves, an early Ctrl-C."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roller_mlir.runtime import Artifact
from roller_mlir.tools.console.errors import InputError
from roller_mlir.tools.console.output import check_place, write_whole

COPY = "func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {\n  return %x : tensor<64xf32>\n}\n"
FULL = Path("/dev/full")
NO_SPACE = "error: cannot write standard output: No space left on device\n"


def run(tool: str, *arguments: str, before: str = "", **options: object) -> "subprocess.CompletedProcess[str]":
    code = f"import sys\n{before}\nfrom roller_mlir.tools.{tool} import main\nsys.exit(main())"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    given = {"stdout": subprocess.PIPE, "env": environment, **options}
    return subprocess.run(  # type: ignore[call-overload]
        [sys.executable, "-P", "-c", code, *arguments], stderr=subprocess.PIPE, text=True, check=False, **given
    )


@pytest.fixture
def source(tmp_path: Path) -> str:
    (tmp_path / "copy.mlir").write_text(COPY)
    return str(tmp_path / "copy.mlir")


@pytest.mark.full(every=12)
@pytest.mark.skipif(not FULL.exists(), reason="/dev/full exists on Linux only")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("roller_opt", ["FILE"]),
        ("roller_opt", ["--help"]),
        ("roller_opt", ["--list-passes"]),
        ("roller", ["--help"]),
        ("roller", ["--version"]),
        ("roller", ["devices"]),
        ("roller", ["devices", "--json"]),
        ("roller", ["compile", "FILE"]),
        ("roller", ["compile", "FILE", "--emit", "ptx"]),
        ("roller", ["compile", "FILE", "--emit", "loops"]),
        ("roller", ["run", "FILE", "--random", "--json"]),
    ],
)
def test_a_full_standard_output_is_the_users_news(
    tool: str, arguments: list[str], unbuffered: str, source: str, tmp_path: Path
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONUNBUFFERED": unbuffered}
    environment["PYTHONPATH"] = os.pathsep.join(entry for entry in sys.path if entry)
    with FULL.open("w") as full:
        words = [source if word == "FILE" else word for word in arguments]
        done = run(tool, *words, stdout=full, env=environment)
    assert (done.returncode, done.stderr) == (1, f"{tool.replace('_', '-')}: {NO_SPACE}")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("arguments", [["devices"], ["devices", "h200", "--json"]])
def test_a_closed_standard_output_is_one_line(arguments: list[str]) -> None:
    done = run("roller", *arguments, before="sys.stdout = None")
    assert (done.returncode, done.stderr) == (1, "roller: error: cannot write standard output: it is closed\n")


def test_the_artifact_is_saved_before_anything_is_printed(source: str, tmp_path: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    done = run("roller", "compile", source, "-o", str(tmp_path / "out"), stdout=write)
    os.close(write)
    assert done.returncode in (1, 141)
    assert Artifact.load(tmp_path / "out").kernels


# Raises SIGINT where the tool first imports a module.
INTERRUPT = """
import os, signal
class Finder:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder())
"""


@pytest.mark.full(every=6)
@pytest.mark.parametrize(
    ("tool", "module"),
    [
        ("roller", "argparse"),
        ("roller", "roller_mlir.tools.commands.run.command"),
        ("roller", "numpy"),
        ("roller", "torch_mlir"),
        ("roller", "roller_mlir.passes"),
        ("roller_opt", "roller_mlir.tools.opt.driver"),
        ("roller_opt", "roller_mlir.lowering.targets"),
        ("roller_opt", "torch_mlir"),
        ("roller_opt", "torch_mlir.passmanager"),
        ("roller_opt", "roller_mlir.tools.opt.command_line"),
    ],
)
def test_an_interrupt_of_the_imports_is_no_traceback(tool: str, module: str, source: str) -> None:
    arguments = [source] if tool == "roller_opt" else ["run", source, "--random"]
    done = run(tool, *arguments, before=INTERRUPT.format(module=module))
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == f"{tool.replace('_', '-')}: interrupted\n"


@pytest.mark.parametrize("tool", ["roller", "roller_opt"])
def test_the_entry_points_import_almost_nothing(tool: str) -> None:
    """What is imported before `main` cannot be interrupted without a traceback."""
    code = (
        f"import re, sys; before = set(sys.modules); import roller_mlir.tools.{tool}\n"
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('_')))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    ours = {
        "roller_mlir",
        "roller_mlir.tools",
        f"roller_mlir.tools.{tool}",
        "roller_mlir.tools.console",
        "roller_mlir.tools.console.interrupt",
        *(["roller_mlir.tools.console.commands"] if tool == "roller" else []),  # its table of commands, itself as light
    }
    light = {"signal", "typing", "typing.io", "typing.re", "contextlib", "importlib", "warnings", "collections.abc"}
    assert set(done.stdout.split()) <= ours | light


def test_a_pipe_that_is_named_as_a_file_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    check_place(pipe)
    write_whole(pipe, "text\n")
    assert os.read(reader, 100) == b"text\n" and pipe.is_fifo() and list(tmp_path.iterdir()) == [pipe]
    os.close(reader)


def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_place(Path("file"))
    for place, reason in (
        (tmp_path, "is a directory"),
        (tmp_path / "no" / "file", f"there is no folder {tmp_path}/no"),
    ):
        with pytest.raises(InputError, match=f"{place} cannot be written: {reason}"):
            check_place(place)
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # as tests may be root, who may write everywhere
    with pytest.raises(InputError, match="file cannot be written: permission denied"):
        check_place(Path("file"))
