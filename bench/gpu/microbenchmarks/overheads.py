# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clock, launches, barriers of a whole grid, and atomic additions."""

from collections.abc import Iterator
from dataclasses import replace

from microbenchmarks.experiment import Experiment, Run, control, values
from microbenchmarks.kernel_text import Array, CalibrationKernel, output
from microbenchmarks.scale import Scale
from roller_mlir.lowering.loops.attributes import DEVICE_SCOPE

_DELAY_STEPS = 2_500_000
"""Ten million cycles at four a link: time enough for a slow host to queue all launches behind it."""

_LAUNCHES = 257
_CLOCK_CYCLES = 20_000_000
_BARRIERS = 1024
_BARRIER_THREADS = 256
_ATOMIC_THREADS = 256


def clock(scale: Scale) -> Experiment:
    """Return the experiment of the clock: a wait for so many cycles of the unit's own counter."""
    kernel = CalibrationKernel(
        name="clock", values={}, arrays=(output("waited", "i32", 1),), blocks=1, threads=scale.device.subgroup_size
    )

    def run(cycles: int) -> Run:
        return Run(work=float(cycles), fill=(control(cycles),), expect=(f"constant {cycles}",))

    cycles = scale.steps(_CLOCK_CYCLES)
    return Experiment(
        name="clock", quantity="clock", subject="clock", kernels=(kernel,), long=run(cycles), short=run(cycles // 2)
    )


def launches(scale: Scale) -> Iterator[Experiment]:
    """Yield the experiments of launches one behind another: plain, and of kernels whose blocks run at the same time."""
    for cooperative in (False, True) if scale.has_grid_barrier else (False,):
        yield _launches(scale, cooperative=cooperative)


def _launches(scale: Scale, *, cooperative: bool) -> Experiment:
    lanes, steps = scale.device.subgroup_size, scale.steps(_DELAY_STEPS)
    factors = Array(name="factors", element="f32", shape=(2,))
    delay = CalibrationKernel(
        name="delay", values={}, arrays=(factors, output("count", "f32", 1)), blocks=1, threads=lanes
    )
    most = 5 if scale.small else _LAUNCHES

    def after(count: int) -> tuple[CalibrationKernel, ...]:
        kernel = CalibrationKernel(
            name="nothing", values={}, arrays=(output("done", "i32", 1),), blocks=1, threads=lanes
        )
        return (delay, replace(kernel, cooperative=cooperative, launches=count))

    def run(count: int) -> Run:
        fill = (control(steps), values(1.0, 1.0))
        return Run(work=float(count), fill=fill, expect=(f"constant {float(steps)}", "constant 1"))

    subject = "cooperative launch" if cooperative else "launch"
    return Experiment(
        name=subject.replace(" ", "-"),
        quantity="launch",
        subject=subject,
        kernels=after(most),
        long=run(most),
        base_kernels=after(1),
        short=run(1),
    )


def barriers(scale: Scale) -> Iterator[Experiment]:
    """Yield the experiment of barriers of a grid of one block a unit, where the device can wait so."""
    if not scale.has_grid_barrier:
        return
    blocks = scale.units
    threads = 2 * scale.device.subgroup_size if scale.small else _BARRIER_THREADS
    kernel = CalibrationKernel(
        name="barrier",
        values={"scope": DEVICE_SCOPE},
        arrays=(
            Array(name="counter", element="i32", shape=(1,), written=True),
            output("neighbours", "i32", blocks),
            Array(name="marks", element="i32", shape=(blocks,), role="workspace", written=True),
        ),
        blocks=blocks,
        threads=threads,
        cooperative=True,
    )

    def run(count: int) -> Run:
        return Run(work=float(count), fill=(control(count), "zero"), expect=(f"neighbours {blocks}",))

    steps = scale.steps(_BARRIERS)
    yield Experiment(
        name="barrier",
        quantity="barrier",
        subject="grid barrier",
        kernels=(kernel,),
        long=run(steps),
        short=run(steps // 2),
    )


def atomics(scale: Scale) -> Iterator[Experiment]:
    """Yield the experiments of atomic additions to addresses of all threads, and to one."""
    for element, operation in (("f32", "fadd"), ("i32", "add")):
        yield _atomics(scale, element, operation, one=False)
        yield _atomics(scale, element, operation, one=True)


def _atomics(scale: Scale, element: str, operation: str, *, one: bool) -> Experiment:
    threads = 2 * scale.device.subgroup_size if scale.small else _ATOMIC_THREADS
    blocks = scale.units * (1 if one else 4)
    every = blocks * threads
    places, stride = (4, 0) if one else (2 * every, 1)
    steps = scale.steps(32 if one else 2048, multiple=4)
    numbers: dict[str, int | str] = {
        "type": element,
        "places": places,
        "operation": operation,
        "scope": DEVICE_SCOPE,
        "addend": "1.0" if element == "f32" else 1,
        "none": "0.0" if element == "f32" else 0,
    }
    totals = output("totals", element, places)
    kernels = tuple(
        CalibrationKernel(name=name, values=numbers, arrays=(totals,), blocks=blocks, threads=threads)
        for name in ("clear", "atomics")
    )

    def run(count: int) -> Run:
        expect = f"first {count * every}" if one else f"constant {count // 2}"
        return Run(work=float(count * every), fill=(control(count, stride),), expect=(expect,))

    where = "one address" if one else "own addresses"
    return Experiment(
        name=f"atomics/{element}/{where.replace(' ', '-')}",
        quantity="atomics",
        subject=f"{element} {where}",
        kernels=kernels,
        long=run(steps),
        short=run(steps // 2),
        size_bytes=places * 4,
    )
