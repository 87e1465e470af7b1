# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE's command-line tools, each in a process of its own, and the error that all of this package raises."""

import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from roller_mlir.support.foreign.reasons import reason_of

VERSION = "3.13"
"""Of IREE, whose attributes and operations change from one to the next."""
LIMIT_S = 600.0
"""How long a run of IREE's compiler may take, where nobody says it."""

INSTALL_COMPILER = f"pip install iree-base-compiler=={VERSION}.0"
INSTALL_RUNTIME = f"pip install iree-base-runtime=={VERSION}.0"
_SCRIPT_MODULES = b"iree.compiler.tools.scripts"


class IreeError(Exception):
    """No program of IREE can hold what was given, or IREE's compiler cannot be run or refuses; the message says why."""


def find_tool(name: str, remedy: str) -> str:
    """Return the path of a tool: beside this Python, else on the PATH.

    Args:
        name: The tool's.
        remedy: What the user can do where there is none.

    Raises:
        IreeError: There is none.
    """
    found = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if found is None:
        raise IreeError(f"no {name} was found; {remedy}")
    return _started_by(Path(found))


def _started_by(tool: Path) -> str:
    """Return the binary that a script of the package iree-base-compiler starts; of another tool its own path.

    The script takes a quarter of a second to do so, and one that is ended leaves the binary running.
    """
    if tool.parent == Path(sys.executable).parent and _SCRIPT_MODULES in _beginning(tool):
        package = importlib.util.find_spec("iree.compiler")
        for folder in (None if package is None else package.submodule_search_locations) or ():
            binary = Path(folder, "_mlir_libs", tool.name)
            if os.access(binary, os.X_OK):
                return str(binary)
    return str(tool)


def _beginning(tool: Path) -> bytes:
    try:
        with tool.open("rb") as file:
            return file.read(1024)
    except OSError:
        return b""


def run_tool(
    command: Sequence[str],
    *,
    timeout_s: float | None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    """Run a tool to its end.

    Args:
        command: Its path, and its arguments.
        timeout_s: What it may take; None: as long as it wants.
        folder: Where it runs; None: where this process does.
        environment: Added to that of this process.

    Returns:
        What it printed, and its exit code, which nobody has looked at.

    Raises:
        IreeError: It cannot be started, or takes too long.
    """
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
            cwd=folder,
            env={**os.environ, **(environment or {})},
        )
    except subprocess.TimeoutExpired:
        raise IreeError(f"{Path(command[0]).name} took more than {timeout_s:g} s and was ended") from None
    except OSError as error:
        raise IreeError(f"{command[0]} cannot be started: {reason_of(error)}") from None
