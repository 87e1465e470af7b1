# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a module of IREE by `iree-run-module`, as it is, and reads the results; builds a model for the CPU to compare.

A right result of a module differs from that of IREE's build for the CPU by the order in which both sum. Where no bound
is known for each element, `tolerance` is what is permitted, of the largest magnitude in the result.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.compiler.source import parse_source, read_source
from roller_mlir.iree.compiler import compile_program
from roller_mlir.iree.errors import IreeError
from roller_mlir.iree.module import Function
from roller_mlir.iree.tools import INSTALL_RUNTIME, LIMIT_S, find_tool, run_tool
from roller_mlir.reference import Comparison, compare
from roller_mlir.reference.bounds.nests import Bounded
from roller_mlir.reference.values import EPSILON, from_caller, is_float
from roller_mlir.support.bindings import make_context

DRIVERS = {"cuda": "cuda", "hip": "hip", "cpu": "local-task"}
"""Where a module runs, to the driver of IREE's runtime."""
CPU_FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
)
"""What makes `iree-compile` build a model for the processor that it runs on."""


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


def build_for_cpu(model: Path, *, timeout_s: float = LIMIT_S) -> bytes:
    """Return a model as a module for the processor that IREE's compiler runs on.

    Args:
        model: What `roller import` reads, or linalg.
        timeout_s: What IREE's compiler may take.

    Raises:
        DiagnosedError: The model is not valid.
        IreeError: IREE's compiler is not there, or refuses it.
    """
    with make_context() as context:
        text = parse_source(read_source(model), context).operation.get_asm()
    return compile_program(text, *CPU_FLAGS, timeout_s=timeout_s)


def compare_with(
    found: Sequence["np.ndarray[Any, Any]"],
    expected: Sequence["np.ndarray[Any, Any]"],
    function: Function,
    tolerance: float,
) -> list[Comparison]:
    """Compare results with those of another build.

    Args:
        found: The results.
        expected: Those of the other build.
        function: Which says their types: its results are tensors of static shape.
        tolerance: Of the largest magnitude in a result of floats, and never less than two units in its last place.

    Raises:
        IreeError: The results are of other shapes.
    """
    comparisons: list[Comparison] = []
    kinds = [one.element_type for one in function.outputs or ()]
    for number, (got, wanted, kind) in enumerate(zip(found, expected, kinds, strict=True)):
        if got.shape != wanted.shape:
            raise IreeError(f"result {number} is of shape {got.shape}, but the model gives {wanted.shape}")
        data = from_caller(wanted, kind)
        error = None
        if is_float(kind):
            finite = np.abs(data[np.isfinite(data)])
            largest = float(finite.max()) if finite.size else 0.0
            error = np.asarray(max(tolerance, 2 * EPSILON[kind]) * largest)
        comparisons.append(compare(got, Bounded(data, error), kind))
    return comparisons
