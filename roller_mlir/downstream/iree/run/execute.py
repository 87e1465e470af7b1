# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls a function of a module of IREE by `iree-run-module`, which does not change it."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from roller_mlir.downstream.iree.run.module import Function
from roller_mlir.downstream.iree.tools import INSTALL_RUNTIME, IreeError, find_tool, run_tool


def run_module(
    module: Path,
    function: Function,
    driver: str,
    inputs: Sequence[str],
    outputs: Sequence[Path],
    *,
    flags: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    timeout_s: float | None = None,
) -> str:
    """Run a function of a module.

    Args:
        module: The `.vmfb`.
        function: What is called.
        driver: IREE's name of the device.
        inputs: One for each argument, as `--input` of `iree-run-module` spells it.
        outputs: `.npy` files for the results; none: they are printed.
        flags: Further flags of `iree-run-module`.
        environment: Added to that of this process.
        timeout_s: What it may take; None: as long as it wants.

    Returns:
        What it printed.

    Raises:
        IreeError: There is no `iree-run-module`, it takes too long, or fails.
    """
    command = [find_tool("iree-run-module", INSTALL_RUNTIME), f"--device={driver}", f"--module={module}"]
    command += [f"--function={function.name}"]
    command += [*(f"--input={one}" for one in inputs), *(f"--output=@{path}" for path in outputs), *flags]
    done = run_tool(command, timeout_s=timeout_s, environment=environment)
    if done.returncode:
        raise IreeError(f"iree-run-module fails: {_reason(done.stderr) or f'it ended with {done.returncode}'}")
    return done.stdout


def _reason(said: str) -> str:
    """Return the message of a failure without the place in IREE's sources and the frames that it passed through."""
    first = next((line for line in said.splitlines() if re.search(r": [A-Z_]+; ", line)), said.strip()[:500])
    parts = re.sub(r"^\S+:\d+: ", "", first).split("; ")
    frames = ("while ", "creating ", "resolving ", "looking up ", "invoking ")
    return "; ".join(part.strip() for part in parts if part.strip() and not part.startswith(frames))
