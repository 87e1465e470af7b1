# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a worker process does for a kit: finds the ways to compile a function, and goes one of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.measure.kit.contents import Wanted
from roller_mlir.measure.kit.families import family_of
from roller_mlir.measure.kit.writer import DEVICE_ROLES, SIMULATOR_ROLES, stripped
from roller_mlir.measure.tune.candidates import candidates_of, compile_candidate, whole_unit
from roller_mlir.measure.tune.units import Unit, units_of
from roller_mlir.model import ConstructionError
from roller_mlir.plan.plan import Plan
from roller_mlir.runtime import Artifact
from roller_mlir.suites.errors import SuiteError
from roller_mlir.suites.stages.compile_stage import predicted_seconds
from roller_mlir.support.diagnostics import DiagnosedError

ENTRY = "roller_mlir.measure.kit.pack_work:work"
_REFUSALS = (ConstructionError, DiagnosedError, SuiteError)


@dataclass(frozen=True, kw_only=True)
class Way:
    """One way to compile a function.

    Attributes:
        options: How.
        unit: The function as a unit with a plan; None where the compiler decides.
        plans: The plan, by the name of the unit's program.
    """

    options: CompileOptions
    unit: Unit | None = None
    plans: Mapping[str, Plan] | None = None


@dataclass(frozen=True, kw_only=True)
class Job:
    """What is to be done.

    Attributes:
        wanted: The function.
        target: A device's name, or the path of its description.
        simulator: Whether the kit is for dry runs: kernels' IR instead of binaries.
        binaries: Whether such a kit has the binaries too.
        way: None asks for the ways.
    """

    wanted: Wanted
    target: str
    simulator: bool = False
    binaries: bool = False
    way: Way | None = None


@dataclass(frozen=True, kw_only=True)
class Ways:
    """How a function can be compiled.

    Attributes:
        key: Of the tuning data base; "" for several programs.
        flops: Arithmetic operations.
        ways: Best first.
    """

    key: str
    flops: int
    ways: tuple[Way, ...]


@dataclass(frozen=True, kw_only=True)
class Compiled:
    """What a way gave.

    Attributes:
        artifact: Without what a device needs not.
        predicted_s: The sum over its kernels; None where one has no prediction.
        saturated: What limits each kernel, parted by " + ".
        plans: As a plan file holds them.
        family: Of its kernels.
    """

    artifact: Artifact
    predicted_s: float | None
    saturated: str
    plans: dict[str, Plan]
    family: str


@dataclass(frozen=True)
class Refused:
    """Why a job could not be done, in a line."""

    reason: str


Answer: TypeAlias = Ways | Compiled | Refused


def lost(how: str, message: str) -> Refused:
    """Return the answer for a job whose process died ("crash") or did not end ("hang")."""
    return Refused(f"{how}: {message}")


def work(job: Job) -> Answer:
    """Do a job; what the compiler refuses is an answer."""
    try:
        return _ways(job) if job.way is None else _compiled(job, job.way)
    except _REFUSALS as error:
        return Refused(" ".join(str(error).split()))


def _ways(job: Job) -> Ways:
    wanted = job.wanted
    options = replace(wanted.options, binaries=job.binaries, gate=False) if job.simulator else wanted.options
    units = units_of(wanted.source, job.target, options)
    ways = [Way(options=options)]
    own = whole_unit(units, wanted.text)
    if own is not None:
        ranked = candidates_of(own, job.target, options, wanted.top_k)
        ways = [Way(options=options, unit=own, plans=plans) for plans in ranked]
    unfused = False
    if wanted.unfused and options.fusion:
        parted = replace(options, fusion=False)
        unfused = {unit.key for unit in units_of(wanted.source, job.target, parted)} != {unit.key for unit in units}
        ways += [Way(options=parted)] * unfused
    key = own.key if own is not None and not unfused else ""
    flops = sum(unit.expression.flops * len(unit.names) for unit in units)
    return Ways(key=key, flops=flops, ways=tuple(ways))


def _compiled(job: Job, way: Way) -> Compiled:
    if way.unit is not None and way.plans is not None:
        artifact = compile_candidate(way.unit, job.target, way.options, way.plans)
        plans = dict(way.plans)
        family = family_of(artifact, way.unit.expression, next(iter(plans.values()), None))
    else:
        artifact = compile_source(job.wanted.source, job.target, way.options)
        plans = {kernel.name: kernel.plan for kernel in artifact.kernels if kernel.plan is not None}
        family = family_of(artifact)
    predictions = [kernel.plan.prediction for kernel in artifact.kernels if kernel.plan is not None]
    return Compiled(
        artifact=stripped(artifact, SIMULATOR_ROLES if job.simulator else DEVICE_ROLES),
        predicted_s=predicted_seconds(artifact),
        saturated=" + ".join(one.saturated for one in predictions if one is not None),
        plans=plans,
        family=family,
    )
