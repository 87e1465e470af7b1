# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""IREE's compiler, in a process of its own."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from roller_mlir.iree.program import IreeError


def compile_program(text: str, *, timeout_s: float) -> bytes:
    """Return the module that IREE makes of a program.

    Args:
        text: As `iree_program` gives it.
        timeout_s: What it may take.

    Raises:
        IreeError: There is no `iree-compile`, it takes too long, or refuses the program.
    """
    beside = str(Path(sys.executable).parent)
    compiler = shutil.which("iree-compile", path=beside) or shutil.which("iree-compile")
    if compiler is None:
        raise IreeError("no iree-compile was found; pip install iree-base-compiler")
    with tempfile.TemporaryDirectory(prefix="roller-") as folder:
        source, module = Path(folder, "program.mlir"), Path(folder, "program.vmfb")
        source.write_text(text, encoding="utf-8")
        try:
            done = subprocess.run(
                [compiler, str(source), "-o", str(module)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise IreeError(f"iree-compile took more than {timeout_s:g} s and was ended") from None
        if done.returncode or not module.is_file():
            said = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[:300])
            raise IreeError(f"iree-compile refuses the program: {said}")
        return module.read_bytes()
