# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE's compiler: it makes modules of programs, and other programs of them."""

import re
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess

from roller_mlir.downstream.iree.tools import INSTALL_COMPILER, VERSION, IreeError, find_tool, run_tool
from roller_mlir.support.bindings import ir, passmanager
from roller_mlir.support.foreign.reasons import reason_of

F64_TO_F32 = "--iree-input-demote-f64-to-f32"
"""IREE's flag, on unless it is said otherwise, that makes another program of one with f64: we leave f64 as it is."""

LLVM_FLAG = "--iree-hal-dump-executable-intermediates-to="
"""What makes `iree-compile` write the LLVM IR of its kernels, which a simulated device runs."""

_NAMED_AS_CATEGORY = "builtin.module(linalg-morph-ops{named-to-category})"


def find_compiler() -> str:
    """Return the path of `iree-compile`: beside this Python, else on the PATH.

    Raises:
        IreeError: There is none, or it is of another version than ours.
    """
    compiler = find_tool("iree-compile", INSTALL_COMPILER)
    said = run_tool([compiler, "--version"], timeout_s=60).stdout
    found = re.search(r"IREE compiler version (\S+)", said)
    if found is None or not re.match(rf"{re.escape(VERSION)}\b", found[1]):
        version = f"of IREE {found[1]}" if found else "of no version that it tells"
        raise IreeError(f"roller works with IREE {VERSION}, but {compiler} is {version}; {INSTALL_COMPILER}")
    return compiler


def spell_for_iree(module: ir.Module) -> None:
    """Make of named element-wise operations, which IREE's MLIR has no more, one that both have, in place."""
    passmanager.PassManager.parse(_NAMED_AS_CATEGORY).run(module.operation)


def compile_program(text: str, *flags: str, timeout_s: float, compiler: str | None = None) -> bytes:
    """Return what IREE makes of a program: a module, or the program at the phase that a flag names.

    Args:
        text: MLIR that IREE's compiler takes.
        flags: Of `iree-compile`; without `F64_TO_F32` among them f64 stays f64.
        timeout_s: What it may take.
        compiler: Its path, as `find_compiler` gives it.

    Raises:
        IreeError: There is no `iree-compile`, it takes too long, or refuses the program.
    """
    compiler = compiler or find_compiler()
    with compiler_folder() as folder:
        source, module = folder / "program.mlir", folder / "program.vmfb"
        source.write_text(text, encoding="utf-8")
        compile_file(source, module, *flags, timeout_s=timeout_s, compiler=compiler)
        return module.read_bytes()


def compile_file(source: Path, module: Path, *flags: str, timeout_s: float, compiler: str) -> None:
    """Let IREE make a module of a program, or the program at the phase that a flag names.

    Args:
        source: The program, text or bytecode that IREE's compiler takes.
        module: What it makes.
        flags: As of `compile_program`.
        timeout_s: What it may take.
        compiler: As `find_compiler` gives it.

    Raises:
        IreeError: It takes too long, or refuses the program.
    """
    if not any(flag.startswith(F64_TO_F32) for flag in flags):
        flags = (*flags, f"{F64_TO_F32}=false")
    done = run_tool([compiler, str(source), "-o", str(module), *flags], timeout_s=timeout_s)
    _check(done, source, module)


def rewrite_file(
    source: Path, program: Path, pipeline: str, *flags: str, timeout_s: float, compiler: str, folder: Path | None = None
) -> None:
    """Let IREE's passes make another program of one.

    Args:
        source: The program, text or bytecode that IREE's compiler takes.
        program: What it makes.
        pipeline: The passes.
        flags: Of `iree-opt`.
        timeout_s: What they may take.
        compiler: As `find_compiler` gives it.
        folder: Where they run, for files that the passes name; None: where this process does.

    Raises:
        IreeError: There is no `iree-opt` beside the compiler, it takes too long, or refuses the program.
    """
    command = [str(Path(compiler).with_name("iree-opt")), str(source), "-o", str(program), *flags]
    done = run_tool([*command, f"--pass-pipeline={pipeline}"], timeout_s=timeout_s, folder=folder)
    _check(done, source, program)


@contextmanager
def compiler_folder() -> Generator[Path]:
    """Give a folder for what IREE's compiler reads and writes; where there is no room for it, the error says so."""
    try:
        with tempfile.TemporaryDirectory(prefix="roller-") as folder:
            yield Path(folder)
    except OSError as error:
        said = reason_of(error)
        where = f"cannot be written in {tempfile.gettempdir()}: {said}; TMPDIR names another folder"
        raise IreeError(f"files for IREE's compiler {where}") from None


def _check(done: CompletedProcess[str], source: Path, made: Path) -> None:
    if done.returncode or not made.is_file():
        said = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:300])
        tool = Path(done.args[0]).name
        raise IreeError(f"{tool} refuses the program: {said.replace(f'{source}:', '')}")
