# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a vendor's tool on bytes: files in a folder of its own, time limit, no Ctrl-C."""

import contextlib
import os
import signal
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from roller_mlir.lowering.backend.errors import CompileError


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """What a tool did.

    Attributes:
        code: exit code.
        text: standard output.
        log: standard error.
        output: the bytes of the output file; empty where there is none.
    """

    code: int
    text: str
    log: str
    output: bytes

    @property
    def complaint(self) -> str:
        """The first line that says what is wrong."""
        lines = [line.strip() for line in (self.log + "\n" + self.text).splitlines() if line.strip()]
        return next(
            (line for line in lines if "error" in line.lower() or "fatal" in line.lower()),
            lines[0] if lines else "it said nothing",
        )


def run_tool(
    kernel: str, tool: Path, options: tuple[str, ...], source: bytes, *, suffix: str, timeout_s: float
) -> ToolResult:
    """Run `tool OPTIONS input` in a folder of its own, in which `options` may name the file `output`.

    Args:
        kernel: for the error.
        tool: the executable.
        options: its arguments before the input.
        source: contents of the input file.
        suffix: of the input file's name, such as ".ptx".
        timeout_s: how long it may take.

    Raises:
        CompileError: the tool cannot be started, took too long, was ended by a signal, or wrote no output where it says
            that all is well. A bad exit code is the caller's to judge.
    """
    name = f"input{suffix}"
    try:
        with tempfile.TemporaryDirectory(prefix="roller-") as folder:
            Path(folder, name).write_bytes(source)
            # A session of its own: the tool may be a script, and ending it must end what it started.
            process = subprocess.Popen(
                [str(tool), *options, name],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
            try:
                text, log = process.communicate(timeout=timeout_s)
            except BaseException:
                with contextlib.suppress(ProcessLookupError):  # it may have ended in the meantime
                    os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                raise
            output = Path(folder, "output")
            result = ToolResult(
                code=process.returncode,
                text=text.decode(errors="replace"),
                log=log.decode(errors="replace"),
                output=output.read_bytes() if output.is_file() else b"",
            )
    except subprocess.TimeoutExpired:
        raise CompileError(kernel, f"{tool} took more than {timeout_s:g} s and was ended") from None
    except OSError as error:
        raise CompileError(kernel, f"{tool} could not be run: {error.strerror or error}") from error
    # A shell that starts the tool reports the signal n as 128 + n.
    number = -result.code if result.code < 0 else result.code - 128
    if number in set(signal.Signals):
        raise CompileError(kernel, f"{tool} died with {signal.Signals(number).name}: {result.complaint}")
    if result.code == 0 and "output" in options and not result.output:
        raise CompileError(kernel, f"{tool} ended with exit code 0, but wrote no output: {result.complaint}")
    return result
