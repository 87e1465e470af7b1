# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One compilation: source to linalg to plans to loops to kernels to binaries to artifact, from whichever it begins."""

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from roller_mlir.compiler.assemble import assemble
from roller_mlir.compiler.cache.cache import CompileCache, artifact_slot, binaries_slot, open_cache
from roller_mlir.compiler.errors import InternalError
from roller_mlir.compiler.launch_list import read_launch_list
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.reached_stage import open_entry, reached_stage
from roller_mlir.compiler.source import Source, parse_names
from roller_mlir.compiler.stage_files import StageFiles
from roller_mlir.compiler.stages import Stages, run_stages
from roller_mlir.hal import Device, find_device
from roller_mlir.importers.weights import used_weights
from roller_mlir.lowering.backend.job import BuildRequest, Emit, KernelBinary
from roller_mlir.lowering.backend.kernels.plans import kernel_plans
from roller_mlir.lowering.loops.program import programs_of
from roller_mlir.lowering.targets.kernels import compile_kernels
from roller_mlir.lowering.targets.stage import BUFFERS, KERNELS, Stage
from roller_mlir.plan import Plan
from roller_mlir.runtime import Artifact
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import fail

if TYPE_CHECKING:
    from roller_mlir.importers.weights import Weights

_SHOWN_ELEMENTS = 256
"""Constants of more elements are not part of the text of kernels."""


def compile_source(source: Source, target: str, options: CompileOptions, *, read_s: float = 0.0) -> Artifact:
    """Compile a source for a target; see `roller_mlir.compile`."""
    started = time.perf_counter() - read_s
    device = find_device(target)
    device.require_compiles()
    cache = open_cache(options)
    with make_context() as context, ir.Location.unknown():
        module, reached = _open(source, device, options, context)
        weights = used_weights(module, source.weights)
        text = str(module)
        phases = {"read": time.perf_counter() - started}
        begun = time.perf_counter()
        slot = artifact_slot(cache, text, weights, "" if reached is None else reached.name, target, options)
        kept = slot.read()
        if slot.exists:
            phases["cache: missed" if kept is None else "cache: artifact"] = time.perf_counter() - begun
        if kept is not None:
            phases["total"] = time.perf_counter() - started
            return replace(kept, manifest=replace(kept.manifest, phases_s=phases))
        files = StageFiles(options, device)
        stages = run_stages(module, target, options, reached=reached, on_pass=files.on_pass, weights=weights)
        stages.phases_s = {**phases, **stages.phases_s}
        if reached in (BUFFERS, KERNELS) or options.override_stages:
            _check_launches(module)
        artifact = _finish(module, target, options, text, weights, stages, started, cache, files)
        files.check_done()
        if not slot.exists:
            return artifact
        begun = time.perf_counter()
        slot.keep(artifact)
        now = time.perf_counter()
        phases = {**artifact.manifest.phases_s, "cache: writing": now - begun}
        phases["total"] = phases.pop("total") + now - begun
        return replace(artifact, manifest=replace(artifact.manifest, phases_s=phases))


def compile_kernel_module(source: Source, target: str, options: CompileOptions | None = None) -> Artifact:
    """Compile a module that is at the last stage already: a gpu.module of kernels, and a host function of launches.

    Kernels written by hand become artifacts this way; they have no numpy reference.
    """
    started = time.perf_counter()
    device = find_device(target)
    device.require_compiles()
    options = options or CompileOptions()
    with make_context() as context, ir.Location.unknown():
        module = parse_names(source, context)
        weights = used_weights(module, source.weights)
        files = StageFiles(options, device)
        return _finish(module, target, options, str(module), weights, Stages(), started, open_cache(options), files)


def _finish(
    module: ir.Module,
    target: str,
    options: CompileOptions,
    text: str,
    weights: "Weights",
    stages: Stages,
    started: float,
    cache: CompileCache | None,
    files: StageFiles,
) -> Artifact:
    device, kernels_ir = find_device(target), _kernels_text(module)
    launch_list, plans = read_launch_list(module, weights), kernel_plans(module, device)
    phases = dict(stages.phases_s)
    binaries: Sequence[KernelBinary] = ()
    if (options.binaries or options.llvm) and any(launch.kernel for launch in launch_list.launches):
        begun = time.perf_counter()
        emit: Emit = "llvm" if not options.binaries else "assembly" if options.disassemble else "binary"
        slot = binaries_slot(cache, kernels_ir, device, emit, options.gate, options.code_object)
        kept = slot.read()
        binaries = kept or ()
        if kept is None:
            expected = {name: one.expected_code(device) for name, one in plans.items()} if options.gate else None
            request = BuildRequest(
                emit=emit,
                expected_code=expected,
                code_object=options.code_object,
                timeout_s=options.tool_timeout_s,
                counted=options.gate,
                replaced=files.replacements(dict.fromkeys(one.kernel for one in launch_list.launches if one.kernel)),
            )
            binaries = compile_kernels(module, target, request, on_pass=files.on_pass)
            files.write(binaries)
        phases["binaries" if kept is None else "cache: binaries"] = time.perf_counter() - begun
        binaries = slot.keep(binaries) if kept is None else kept
    phases["total"] = time.perf_counter() - started
    return assemble(
        device=device,
        launch_list=launch_list,
        plans=plans,
        notes=stages.notes,
        binaries=binaries,
        source=text,
        kernels_ir=kernels_ir,
        phases_s=phases,
    )


def _kernels_text(module: ir.Module) -> str:
    """Return the module as text without the data of large constants, which lies in the constants file."""
    return module.operation.get_asm(
        large_elements_limit=_SHOWN_ELEMENTS, large_resource_limit=_SHOWN_ELEMENTS, assume_verified=True
    )


def lower_until(source: Source, target: str, options: CompileOptions, until: Stage) -> tuple[str, dict[str, Plan]]:
    """Run the passes up to a stage, one of `lowering.targets.stage.COMMON`.

    Returns:
        The module as text, and the plans of its programs and kernels, by name.
    """
    device = find_device(target)
    with make_context() as context, ir.Location.unknown():
        module, reached = _open(source, device, options, context)
        files = StageFiles(options, device)
        run_stages(module, target, options, until=until, reached=reached, on_pass=files.on_pass, weights=source.weights)
        files.check_done()
        plans = {one.program_name: one.plan.read() for one in programs_of(module) if one.plan is not None}
        return str(module), plans | {name: one.plan for name, one in kernel_plans(module, device).items()}


def _open(
    source: Source, device: Device, options: CompileOptions, context: ir.Context
) -> tuple[ir.Module, Stage | None]:
    module = parse_names(source, context)
    reached = reached_stage(module)
    open_entry(module, reached, device, options)
    return module, reached


def _check_launches(module: ir.Module) -> None:
    """Refuse a host function that no launch list can express; it was given, so this is no bug of ours."""
    try:
        read_launch_list(module)
    except InternalError as error:
        fail(module.operation, f"the function cannot be launched: {error}")
