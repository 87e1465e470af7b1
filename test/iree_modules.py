# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as modules of IREE, compiled and run on simulated devices."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from simulated_drivers import libraries

from roller_mlir.sim.driver import simulated_device
from roller_mlir.tools.roller import main

RUN = shutil.which("iree-run-module", path=str(Path(sys.executable).parent)) or shutil.which("iree-run-module")
NEEDS_IREE = [
    pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler, which makes the driver library"),
    pytest.mark.skipif(RUN is None, reason="needs iree-base-runtime"),
]


def compile_module(folder: Path, file: Path, target: str, *more: str) -> dict[str, Any]:
    """Compiles a model into a folder; returns the report."""
    words = [str(file), "-o", str(folder / "model.vmfb"), "--target", target]
    words += ["--report", str(folder / "report.json"), "--artifacts", str(folder / "parts"), *more]
    assert main(["iree", "compile", *words]) == 0
    found: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return found


def run_module(
    folder: Path, function: str, target: str, inputs: list[np.ndarray[Any, Any]], *more: str
) -> np.ndarray[Any, Any]:
    """Runs a function of the module of a folder on a simulated device; returns its result."""
    driver = "hip" if target == "mi300x" else "cuda"
    words = [f"--device={driver}", f"--module={folder / 'model.vmfb'}", f"--function={function}", *more]
    for number, array in enumerate(inputs):
        np.save(folder / f"in{number}.npy", array)
        words.append(f"--input=@{folder / f'in{number}.npy'}")
    ours, others = (sorted((folder / "parts").glob(pattern)) for pattern in ("*.roller", "*.optimized.ll"))
    with simulated_device(ours, llvm=others, libraries=libraries()) as environment:
        done = subprocess.run(
            [str(RUN), *words, f"--output=@{folder / 'out.npy'}"],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            env={**os.environ, **environment},
        )
    assert done.returncode == 0, done.stderr
    return np.load(folder / "out.npy")
