# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Export small models of the package transformers, compile them, run them, and compare with PyTorch; needs both.

    python bench/correctness/pytorch_models/table.py [--target host] [NAME ...]

Models for a CPU run on this machine, others in the simulator. A model is as wrong as the largest error over the largest
result; 1e-3 is permitted.
"""

import argparse
import logging
import sys
import time
import warnings

import numpy as np
import torch
from architectures import ARCHITECTURES, Row, make

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.hal import find_device
from roller_mlir.importers.torch import import_model
from roller_mlir.runtime.registry import backend_here
from roller_mlir.support.diagnostics import DiagnosedError

TOLERANCE = 1e-3


def tried(row: Row, target: str) -> str:
    """Return what became of a model."""
    model, inputs = make(row)
    with torch.no_grad():
        wanted = model(*inputs).numpy()
    try:
        program = torch.export.export(model, inputs, strict=False)
    except Exception as error:  # noqa: BLE001 - torch raises what its parts happen to raise
        return f"not exported: {type(error).__name__}"
    options = CompileOptions(binaries=backend_here(find_device(target).vendor) is not None, cache=False)
    try:
        artifact = roller_mlir.compile(import_model(program), target=target, options=options)
    except DiagnosedError as error:
        (said, *_) = [one.message for one in error.diagnostics if one.severity == "error"]
        return f"refused: {said[:90]}"
    found = artifact.run(*(one.numpy() for one in inputs))[0]
    largest = float(np.abs(wanted).max()) or 1.0
    error = float(np.abs(found - wanted).max()) / largest
    return "agrees" if error <= TOLERANCE else f"wrong: {error:.1e}"


def main() -> None:
    """Try each model, and print a line for it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="classes of transformers (all)")
    parser.add_argument("--target", default="host", help="device (host)")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    answers: list[str] = []
    rows = [one for one in ARCHITECTURES if not asked.names or one[0] in asked.names]
    for row in rows:
        start = time.perf_counter()
        answers.append(tried(row, asked.target))
        print(f"{row[0]:34} {time.perf_counter() - start:5.1f} s  {answers[-1]}", flush=True)
    print(f"{answers.count('agrees')} of {len(rows)} agree")
    sys.exit(any(one.startswith("wrong") for one in answers))


if __name__ == "__main__":
    main()
