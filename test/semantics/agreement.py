# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile a function, run it in the simulator, compare every result with numpy."""

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.evaluation.reference import compare_all, evaluate_function
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.hal import find_device
from roller_mlir.plan.accuracy.accumulation import accumulation_of
from roller_mlir.support.bindings import make_context

DEVICES = ("h200", "v100", "mi300x", "a100")
SIMULATED = CompileOptions(binaries=False)


def device_of(name: str) -> str:
    """Return a device for a case, so that a table of cases visits them all."""
    return DEVICES[sum(map(ord, name)) % len(DEVICES)]


def assert_agrees(text: str, device: str, kernels: int | None = None) -> None:
    """Fail unless each result of a function on random integers is what numpy says.

    Args:
        text: MLIR of one function.
        device: What to compile for; code for a CPU is run by this machine, that for others in the simulator.
        kernels: How many kernels there must be; None for any number.
    """
    native = find_device(device).vector_bytes is not None
    artifact = roller_mlir.compile(text, target=device, options=CompileOptions() if native else SIMULATED)
    manifest = artifact.manifest
    assert kernels is None or len(artifact.kernels) == kernels
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0)
    outputs = artifact.run(*inputs)
    with make_context() as context:
        module = parse_source(Source("-", text), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation_of(manifest))
    for found in compare_all(outputs, expected):
        assert found.matches, found
