# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One micro-benchmark as a kernel and two lengths of its run, whose difference has no fixed costs."""

from dataclasses import dataclass, field

from microbenchmarks.kernel_text import CalibrationKernel, module_text
from roller_mlir.evaluation.measure.records import Probe

BASE = "base"
"""Last word of the name of a shorter run."""


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of an experiment.

    Attributes:
        work: What it does, in the quantity's unit.
        fill: How inputs are made, see `Probe.fill`.
        expect: What outputs must hold, see `Probe.expect`.
    """

    work: float
    fill: tuple[str, ...]
    expect: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One micro-benchmark.

    Attributes:
        name: "read/64MiB".
        quantity: See `Probe.quantity`.
        subject: Layer or instruction as the device's description names it.
        kernels: What the longer run starts; the same binary does the shorter run unless `base_kernels` are given.
        long: The run that counts.
        short: What is subtracted.
        base_kernels: Of the shorter run.
        size_bytes: The working set.
    """

    name: str
    quantity: str
    subject: str
    kernels: tuple[CalibrationKernel, ...]
    long: Run
    short: Run
    base_kernels: tuple[CalibrationKernel, ...] = field(default=())
    size_bytes: int = 0

    def probes(self) -> tuple[Probe, Probe]:
        """Return the shorter and the longer run."""
        short = f"{self.name}/{BASE}"
        return (
            self._probe(short, short if self.base_kernels else self.name, self.short, ""),
            self._probe(self.name, self.name, self.long, short),
        )

    def _probe(self, name: str, artifact: str, run: Run, baseline: str) -> Probe:
        return Probe(
            name=name,
            quantity=self.quantity,
            subject=self.subject,
            artifact=f"probes/{artifact}",
            work=run.work,
            size_bytes=self.size_bytes,
            baseline=baseline,
            fill=run.fill,
            expect=run.expect,
        )

    def sources(self) -> dict[str, str]:
        """Return the modules by the artifact's name."""
        function = self.name.replace("/", "_").replace(".", "_").replace("-", "_")
        found = {f"probes/{self.name}": module_text(function, self.kernels)}
        if self.base_kernels:
            found[f"probes/{self.name}/{BASE}"] = module_text(f"{function}_base", self.base_kernels)
        return found


def values(*numbers: float) -> str:
    """Return the fill that writes these numbers one after another."""
    return " ".join(["values", *(repr(n) for n in numbers)])


def control(steps: int, stride: int = 0) -> str:
    """Return the fill of the array `control`."""
    return values(steps, stride, 0, 0)
