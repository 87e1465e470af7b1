# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that others' programs hold: run in the simulator, held against numpy and against the reference."""

from typing import Any

import numpy as np

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

Array = np.ndarray[Any, Any]


def assert_gives(
    text: str,
    inputs: list[Array],
    *wanted: Array,
    device: str = "h200",
    level: str = "gpu",
    unroll_limit: int = 256,
) -> None:
    """Fail unless a function, compiled and by the reference, gives just these results.

    Args:
        text: MLIR of one function.
        inputs: One array per argument.
        *wanted: One array per result.
        device: What to compile for.
        level: What the simulator executes.
        unroll_limit: Steps of loops that have kernels of their own.
    """
    options = CompileOptions(binaries=False, llvm=level == "llvm", unroll_limit=unroll_limit)
    artifact = roller_mlir.compile(text, target=device, options=options)
    with make_context() as context:
        module = parse_module(text, context)
        reference = evaluate_function(module, artifact.manifest.function, inputs).outputs
    for found in (reference, artifact.run(*inputs, level=level)):
        for got, want in zip(found, wanted, strict=True):
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got, want)


def counting(*shape: int, kind: Any = np.float32) -> Array:
    """Return 0, 1, 2 and so on, each element another number."""
    return np.arange(int(np.prod(shape))).reshape(shape).astype(kind)
