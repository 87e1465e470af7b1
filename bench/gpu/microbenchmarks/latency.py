# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latencies: one thread follows a chain of links that lies in a layer, so that no load can begin before the last ended.

What is measured is a load and the computation of its address (one multiply-add on NVIDIA's and AMD's devices).
"""

from collections.abc import Iterator

from microbenchmarks.experiment import Experiment, Run, control
from microbenchmarks.kernel_text import Array, CalibrationKernel, output
from microbenchmarks.scale import MIB, Scale, size_name

STRIDE_BYTES = 128
"""Links lie so far apart, in random order: each in a line of its own."""

_FIRST_CACHE_BYTES = 8 << 10
_WORKGROUP_BYTES = 8 << 10
_GLOBAL_BYTES = 256 * MIB
_STEPS = 1 << 15


def latencies(scale: Scale) -> Iterator[Experiment]:
    """Yield the experiments of a device."""
    yield _chase(scale, _GLOBAL_BYTES, "global", _STEPS)
    for layer in scale.device.layers:
        if layer.kind == "cached" and layer.name in ("l2", "l3"):
            # A quarter of an instance: near the unit, and surely there after one round.
            size = 1 << (layer.capacity_bytes // 4).bit_length() - 1
            yield _chase(scale, size, layer.name, 2 * size // STRIDE_BYTES)
    yield _chase(scale, _FIRST_CACHE_BYTES, "l1", _STEPS)
    yield _workgroup(scale)


def _chase(scale: Scale, size_bytes: int, subject: str, steps: int) -> Experiment:
    size = min(size_bytes, 64 << 10) if scale.small else size_bytes
    n = size // 4
    arrays = (Array(name="links", element="i32", shape=(n,)), output("reached", "i32", 1))
    kernel = CalibrationKernel(
        name="chase", values={"n": n}, arrays=arrays, blocks=1, threads=scale.device.subgroup_size
    )
    name = "chase/l1" if subject == "l1" else f"chase/{size_name(size_bytes)}"
    return _experiment(name, subject, kernel, scale.steps(steps), STRIDE_BYTES // 4, size)


def _workgroup(scale: Scale) -> Experiment:
    n = _WORKGROUP_BYTES // 4
    kernel = CalibrationKernel(
        name="chase_workgroup",
        values={"n": n},
        arrays=(Array(name="links", element="i32", shape=(n,)), output("reached", "i32", 1)),
        blocks=1,
        threads=4 * scale.device.subgroup_size,
        kept=Array(name="kept", element="i32", shape=(n,)),
    )
    return _experiment("chase/workgroup", "workgroup", kernel, scale.steps(_STEPS), 1, _WORKGROUP_BYTES)


def _experiment(
    name: str, subject: str, kernel: CalibrationKernel, steps: int, stride: int, size_bytes: int
) -> Experiment:
    def run(count: int) -> Run:
        fill = (control(count), f"chase {stride}")
        return Run(work=float(count), fill=fill, expect=(f"reached 1 {count}",))

    return Experiment(
        name=name,
        quantity="latency",
        subject=subject,
        kernels=(kernel,),
        long=run(steps),
        short=run(steps // 2),
        size_bytes=size_bytes,
    )
