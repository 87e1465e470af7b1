# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one micro-benchmark: makes its inputs, checks what it computes, takes its time.

Caches are cleared before each run where the subject is global memory; everywhere else what the run before has left in
them is what is measured.
"""

from typing import Any

import numpy as np

from roller_mlir.evaluation.measure.records import Probe, Timing
from roller_mlir.evaluation.measure.runner.devices import Bench
from roller_mlir.evaluation.measure.runner.expected.probe_values import Array, ProbeError, filled, require
from roller_mlir.evaluation.measure.runner.rounds import timing_of
from roller_mlir.evaluation.measure.runner.steps import WARM
from roller_mlir.runtime.arguments.element_types import NUMPY_TYPES
from roller_mlir.runtime.artifact import Artifact

FLUSHED_SUBJECT = "global"
FLUSHED = "caches cleared"
POISON = 0xFF
_LIMIT_S = 10.0


def run_probe(probe: Probe, artifact: Artifact, bench: Bench, samples: int) -> Timing:
    """Run a micro-benchmark.

    Args:
        probe: What it is.
        artifact: Its binary.
        bench: The device.
        samples: How often it is timed.

    Returns:
        Its time, with what it was done to caches as a note.

    Raises:
        ProbeError: Its inputs cannot be made, or what it computes is wrong.
        BackendError: The device refuses or fails.
    """
    manifest = artifact.manifest
    if len(probe.fill) != len(manifest.inputs) or len(probe.expect) != len(manifest.outputs):
        raise ProbeError(
            f"probe '{probe.name}' names {len(probe.fill)} inputs and {len(probe.expect)} outputs, but its kernel has "
            f"{len(manifest.inputs)} and {len(manifest.outputs)}"
        )
    inputs = [_input(manifest.buffer(name), word) for name, word in zip(manifest.inputs, probe.fill, strict=True)]
    loaded = bench.load(artifact)
    loaded.poison(POISON)
    # A simulator works on numpy's arrays themselves, and some kernels write to their inputs.
    call = loaded.prepare([bench.place(one.copy() if bench.driver is None else one) for one in inputs])
    call()
    bench.synchronize()
    for name, word, output in zip(manifest.outputs, probe.expect, loaded.outputs(), strict=True):
        if word:
            got = bench.host(output).view(NUMPY_TYPES[manifest.buffer(name).element_type])
            require(word, got, inputs)
    flush = probe.subject == FLUSHED_SUBJECT
    taken = bench.time({probe.name: call}, samples=samples, limit_s=_LIMIT_S, flush=flush)[probe.name]
    return timing_of(probe.name, "probe", taken, note=FLUSHED if flush else WARM)


def _input(buffer: Any, word: str) -> Array:
    dtype: Any = np.dtype(NUMPY_TYPES[buffer.element_type])
    return filled(word, buffer.static_shape, dtype)
