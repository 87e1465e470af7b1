# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All micro-benchmarks of a device, compiled, the most valuable first."""

from collections.abc import Iterator

from microbenchmarks.bandwidth import bandwidths
from microbenchmarks.experiment import Experiment
from microbenchmarks.latency import latencies
from microbenchmarks.overheads import atomics, barriers, clock, launches
from microbenchmarks.peaks import peak, peaks
from microbenchmarks.scale import Scale
from microbenchmarks.tasks import tasks
from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.calibration.constants import subject_of
from roller_mlir.evaluation.measure.records import Probe, Skipped
from roller_mlir.hal import Device
from roller_mlir.runtime import Artifact


def experiments(device: Device, *, small: bool = False) -> Iterator[Experiment]:
    """Yield the micro-benchmarks of a device.

    Args:
        device: The device.
        small: Whether they are so small that the simulator runs each in a moment: for dry runs and tests.
    """
    scale = Scale(device=device, small=small)
    yield clock(scale)
    yield from bandwidths(scale)
    yield from launches(scale)
    yield from peaks(scale)
    yield from latencies(scale)
    yield from atomics(scale)
    yield from barriers(scale)


def probes_for(
    device: Device, *, small: bool = False, options: CompileOptions | None = None
) -> list[tuple[Probe, Artifact]]:
    """Compile the micro-benchmarks of a device.

    Args:
        device: The device; code must be generated for it.
        small: See `experiments`.
        options: How to compile.

    Returns:
        Each probe with its artifact; two probes may have the same one. A probe stands behind its baseline.

    Raises:
        DeviceError: The device is for the model only.
    """
    device.require_compiles()
    found: list[tuple[Probe, Artifact]] = []
    for experiment in experiments(device, small=small):
        artifacts = {
            name: compile_kernel_module(Source(f"{name}.mlir", text), device.name, options)
            for name, text in experiment.sources().items()
        }
        found += [(probe, artifacts[probe.artifact]) for probe in experiment.probes()]
    return found + tasks(Scale(device=device, small=small), options)


def left_out(device: Device) -> tuple[Skipped, ...]:
    """Return what no probe measures on a device, and why."""
    scale = Scale(device=device)
    found = [
        Skipped(id=f"peak/{subject_of(one).replace(' ', '/')}", reason="no micro-benchmark is written for these types")
        for one in device.instructions
        if peak(scale, one) is None
    ]
    if not scale.has_grid_barrier:
        reason = f"{device.architecture} has no ordered loads, with which blocks wait for each other"
        found += [Skipped(id=name, reason=reason) for name in ("cooperative-launch", "barrier")]
    return tuple(found)
