# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is known about upstream passes: their names, and what MLIR says when it refuses one.

MLIR's registry cannot be listed from Python, so `upstream_passes.txt` holds the names of the pinned bindings. It serves
suggestions and `--list-passes` only; whether a pass exists MLIR itself decides.
"""

import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Generator
from functools import cache
from importlib import resources

from roller_mlir.support.bindings import ir, passmanager

CLEAN = "builtin.module(func.func(canonicalize,cse))"
"""The pipeline that leaves no constant unfolded, nothing unread and nothing twice."""


@cache
def upstream_passes() -> tuple[str, ...]:
    """Return the names of the upstream passes, sorted."""
    return tuple(
        resources.files("roller_mlir.support.passes")
        .joinpath("upstream_passes.txt")
        .read_text(encoding="ascii")
        .split()
    )


def run_upstream(pipeline: str, module: "ir.Module") -> None:
    """Run a pipeline of upstream passes on a module, in place."""
    with module.context:
        passmanager.PassManager.parse(pipeline).run(module.operation)


@contextlib.contextmanager
def captured_stderr() -> Generator[list[str]]:
    """Catch what C++ writes to stderr; the list holds it after the block."""
    caught: list[str] = []
    sys.stderr.flush()
    saved = os.dup(2)
    try:
        with tempfile.TemporaryFile() as sink:
            os.dup2(sink.fileno(), 2)
            try:
                yield caught
            finally:
                os.dup2(saved, 2)
                sink.seek(0)
                caught.append(sink.read().decode(errors="replace"))
    finally:
        os.close(saved)


def refusal(element: str, anchor: str = "builtin.module") -> str | None:
    """Ask MLIR whether a pipeline element can stand on an op.

    Args:
      element: Text such as "func.func(cse)".
      anchor: The op that the pipeline runs on.

    Returns:
      None where it can, or MLIR's reason in one line.
    """
    reason = ""
    with ir.Context.current or ir.Context(), captured_stderr() as caught:
        try:
            passmanager.PassManager(anchor).add(element)
        except ValueError as error:
            reason = str(error)
    return _first_line(f"{reason}\n{''.join(caught)}") if reason else None


def nest_for(element: str) -> str:
    """Wrap one upstream pass into the nest that it needs, as mlir-opt does for a pass given as a flag.

    >>> nest_for("cse"), nest_for("affine-loop-unroll")
    ('cse', 'func.func(affine-loop-unroll)')

    Args:
      element: The pass with its options.
    """
    with ir.Context(), captured_stderr():
        for anchor in ("builtin.module", "func.func", "gpu.module"):
            nested = element if anchor == "builtin.module" else f"{anchor}({element})"
            try:
                manager = passmanager.PassManager("builtin.module")
                manager.add(nested)
                manager.run(ir.Module.create(ir.Location.unknown()).operation)
            except ValueError:
                continue
            except ir.MLIRError as error:
                if "to schedule pass" in str(error):
                    continue
            return nested
    return element


def unknown_pass(reason: str) -> str | None:
    """Return the name of the pass that MLIR's reason says does not exist, or None."""
    match = re.search(r"'([^']*)' does not refer to a registered pass", reason)
    return match[1] if match else None


def _first_line(text: str) -> str:
    """Return the line of MLIR's text that says what is wrong."""
    lines = [line.strip(" :") for line in text.splitlines()]
    lines = [
        re.sub(r"^(MLIR Textual PassPipeline Parser:\d+:\d+: error|<Pass-Options-Parser>): ", "", x) for x in lines
    ]
    telling = [line for line in lines if line and not line.startswith("failed to add")]
    return telling[0] if telling else "MLIR refused it without a reason"
