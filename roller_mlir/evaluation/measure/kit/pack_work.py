# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a worker process does for a kit: finds the ways to compile a function, and goes one of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.evaluation.measure.kit.contents import PackRequest
from roller_mlir.evaluation.measure.kit.families import family_of
from roller_mlir.evaluation.measure.kit.writer import stripped
from roller_mlir.evaluation.measure.tune.candidates import candidates_of, compile_candidate, whole_dispatch
from roller_mlir.evaluation.measure.tune.dispatches import Dispatch, dispatches_of
from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.stages.compile import predicted_seconds
from roller_mlir.model import ConstructionError
from roller_mlir.plan.plan import Plan
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError

ENTRY = "roller_mlir.evaluation.measure.kit.pack_work:work"
_REFUSALS = (ConstructionError, DiagnosedError, SuiteError)


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One way to compile a function.

    Attributes:
        options: How.
        dispatch: The function as a dispatch with a plan; None where the compiler decides.
        plans: The plan, by the name of the dispatch's program.
        way: Its name, where the request names ways.
        graph: Whether its launches are queued as one graph.
        in_line: Whether each launch of that graph waits for the one before it, and not for what it needs alone.
    """

    options: CompileOptions
    dispatch: Dispatch | None = None
    plans: Mapping[str, Plan] | None = None
    way: str = ""
    graph: bool = False
    in_line: bool = False


@dataclass(frozen=True, kw_only=True)
class PackJob:
    """What is to be done.

    Attributes:
        request: The function.
        target: A device's name, or the path of its description.
        simulator: Whether the kit is for dry runs: kernels' IR instead of binaries.
        binaries: Whether such a kit has the binaries too.
        variant: None asks for the ways.
    """

    request: PackRequest
    target: str
    simulator: bool = False
    binaries: bool = False
    variant: Variant | None = None


@dataclass(frozen=True, kw_only=True)
class Variants:
    """How a function can be compiled.

    Attributes:
        key: Of the tuning data base; "" for several programs.
        flops: Arithmetic operations; 0 where the compiled variants say it.
        variants: Best first.
    """

    key: str
    flops: int
    variants: tuple[Variant, ...]


@dataclass(frozen=True, kw_only=True)
class CompiledVariant:
    """What a way gave.

    Attributes:
        artifact: Without what a device needs not.
        predicted_s: The sum over its kernels; None where one has no prediction.
        saturated: What limits each kernel, parted by " + ".
        plans: As a plan file holds them.
        family: Of its kernels.
        flops: Arithmetic operations, as far as its plans say them.
    """

    artifact: Artifact
    predicted_s: float | None
    saturated: str
    plans: dict[str, Plan]
    family: str
    flops: int = 0


@dataclass(frozen=True)
class Refused:
    """Why a job could not be done, in a line."""

    reason: str


Answer: TypeAlias = Variants | CompiledVariant | Refused


def on_failure(how: str, message: str) -> Refused:
    """Return the answer for a job whose process died ("crash") or did not end ("hang")."""
    return Refused(f"{how}: {message}")


def work(job: PackJob) -> Answer:
    """Do a job; what the compiler refuses is an answer."""
    try:
        return _variants(job) if job.variant is None else _compiled(job, job.variant)
    except _REFUSALS as error:
        return Refused(" ".join(str(error).split()))


def _variants(job: PackJob) -> Variants:
    request = job.request
    options = _options(job, request.options)
    if request.ways:
        ways = (
            Variant(options=_options(job, one.options), way=one.name, graph=one.graph, in_line=one.in_line)
            for one in request.ways
        )
        return Variants(key="", flops=0, variants=tuple(ways))
    dispatches = dispatches_of(request.source, job.target, options)
    flops = sum(dispatch.expression.flops * len(dispatch.names) for dispatch in dispatches)
    variants = [Variant(options=options)]
    own = whole_dispatch(dispatches, request.text)
    if own is not None:
        ranked = candidates_of(own, job.target, options, request.top_k)
        variants = [Variant(options=options, dispatch=own, plans=plans) for plans in ranked]
    unfused = False
    if request.unfused and options.fusion:
        parted = replace(options, fusion=False)
        unfused = {dispatch.key for dispatch in dispatches_of(request.source, job.target, parted)} != {
            dispatch.key for dispatch in dispatches
        }
        variants += [Variant(options=parted)] * unfused
    key = own.key if own is not None and not unfused else ""
    return Variants(key=key, flops=flops, variants=tuple(variants))


def _options(job: PackJob, options: CompileOptions) -> CompileOptions:
    return replace(options, binaries=job.binaries, gate=False) if job.simulator else options


def _compiled(job: PackJob, variant: Variant) -> CompiledVariant:
    if variant.dispatch is not None and variant.plans is not None:
        artifact = compile_candidate(variant.dispatch, job.target, variant.options, variant.plans)
        plans = dict(variant.plans)
        family = family_of(artifact, variant.dispatch.expression, next(iter(plans.values()), None))
    else:
        artifact = compile_source(job.request.source, job.target, variant.options)
        plans = {name: plan for kernel in artifact.kernels for name, plan in kernel.plans().items()}
        family = family_of(artifact)
    predictions = {kernel.name: kernel.plan.prediction for kernel in artifact.kernels if kernel.plan is not None}
    launched = [predictions.get(launch.kernel) for launch in artifact.manifest.launches]
    return CompiledVariant(
        artifact=stripped(artifact, simulator=job.simulator),
        predicted_s=predicted_seconds(artifact),
        saturated=" + ".join(one.saturated for one in predictions.values() if one is not None),
        plans=plans,
        family=", ".join(word for word in (family, job.request.family) if word),
        flops=sum(one.flops for one in launched if one is not None),
    )
