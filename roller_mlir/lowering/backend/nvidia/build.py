# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR -> PTX -> cubin, and SASS to look at.

A kernel that spills is assembled again by options that spill less; where one of them does, a note says which.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from roller_mlir.lowering.backend.checks.assembly import read_sass
from roller_mlir.lowering.backend.checks.resources import check_ptx
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics, from_ptxas
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.job import BackendJob, KernelBinary, generate, timed
from roller_mlir.lowering.backend.nvidia.parameters import with_parameters
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.lowering.backend.vendor_tools.run import ToolResult, run_tool
from roller_mlir.lowering.backend.vendor_tools.toolchain import NVDISASM_REMEDY, PTXAS_REMEDY
from roller_mlir.plan.tensor_maps.fields import PTX_VERSION

# The last wheel that has an assembler for what later toolkits gave up: CUDA 12 and CUDA 13.
_LAST_WHEEL = {
    **dict.fromkeys(("sm_35", "sm_37"), "nvidia-cuda-nvcc-cu11==11.8.89"),
    **dict.fromkeys(
        ("sm_50", "sm_52", "sm_53", "sm_60", "sm_61", "sm_62", "sm_70", "sm_72"), "nvidia-cuda-nvcc-cu12==12.9.86"
    ),
}

_DEFAULT_LEVEL = 5
_REGISTER_USAGE_LEVELS = (0, 10, _DEFAULT_LEVEL)
"""Levels of ptxas's option that a kernel which spills is tried with."""

_ALLOTTED = 8
"""Registers per thread are allotted in multiples of this."""

_Assembled = tuple[ToolResult, tuple[str, ...]]
"""A result of ptxas, and notes."""

_LOSS = re.compile(r"^.*?(\(C\d+\) Potential Performance Loss: .*)$", re.MULTILINE)
"""What ptxas says where products of wgmma wait for each other, or registers do not change hands."""

_BOUND = re.compile(r"^\.(minnctapersm|maxnreg) (\d+)\n", re.MULTILINE)


def build_nvidia(source: KernelSource, start: KernelBinary, job: BackendJob) -> KernelBinary:
    """Compile a kernel for an NVIDIA device, as far as `job.request.emit` says."""
    if source.made_maps:
        job = replace(job, target=job.target.with_ptx(PTX_VERSION))
    target, said = with_parameters(job.target, source)
    job, start = replace(job, target=target), replace(start, notes=(*start.notes, *said))
    # A step of matrix instructions is large enough by itself.
    answer = generate(source, job, with_object=False, unroll=not source.matrix_count)
    given = job.request.given(source.name, "ptx")
    ptx = (answer.blobs["assembly"] if given is None else given.content).decode()
    check_ptx(source, ptx, counted=job.request.counted)
    phases = {
        **start.phases_s,
        "llvm_s": answer.fields["seconds"]["llvm_s"],
        "ptx_s": answer.fields["seconds"]["codegen_s"],
    }
    binary = replace(start, files={**start.files, "ptx": ptx.encode()}, phases_s=phases)
    if job.request.emit == "ptx":
        return binary
    result = _assemble(source, ptx, job, phases)
    if isinstance(result, str):
        return replace(binary, notes=(*binary.notes, result))
    result, notes = result
    notes = (*binary.notes, *notes)
    notes += tuple(f"ptxas: kernel '{source.name}': {found[1]}" for found in _LOSS.finditer(result.log))
    files = {**binary.files, "cubin": result.output}
    binary = replace(binary, files=files, statistics=_known(source, result), notes=notes)
    return _disassemble(binary, job) if job.request.emit == "assembly" else binary


def _assemble(source: KernelSource, ptx: str, job: BackendJob, phases: dict[str, float]) -> _Assembled | str:
    """Run the first ptxas that knows the architecture; where there is none, gives a note that says so."""
    architecture = job.target.architecture
    ignorant: list[str] = []
    options = ("-v", "-O3", f"-arch={architecture}", "-o", "output")
    for ptxas in job.toolchain.ptxas:

        def run(text: str, *more: str, ptxas: Path = ptxas) -> ToolResult:
            arguments = (*options, *more)
            return run_tool(
                source.name, ptxas, arguments, text.encode(), suffix=".ptx", timeout_s=job.request.timeout_s
            )

        result = timed(phases, "ptxas_s", partial(run, ptx))
        if result.code == 0:
            return _careful(source, ptx, result, run, phases)
        if f"'{architecture}' is not defined" not in result.log:
            raise CompileError(source.name, f"{ptxas} refused its PTX: {result.complaint}")
        ignorant.append(str(ptxas))
    phases.pop("ptxas_s", None)
    if not ignorant:
        return f"no ptxas was found, the artifact holds PTX, which the driver assembles; {PTXAS_REMEDY}"
    wheel = _LAST_WHEEL.get(architecture)
    remedy = "install a newer one" if wheel is None else f"install pip's {wheel}"
    who = f"{', '.join(ignorant)} {'does' if len(ignorant) == 1 else 'do'} not know {architecture}"
    return f"{who}, the artifact holds PTX, which the driver assembles; {remedy}"


def _known(source: KernelSource, result: ToolResult) -> KernelStatistics:
    return from_ptxas(result.log, source.name, source.dynamic_shared_bytes)


def _careful(
    source: KernelSource, ptx: str, result: ToolResult, run: Callable[..., ToolResult], phases: dict[str, float]
) -> _Assembled:
    """Run ptxas again where a kernel spills; return the result with the fewest spilled bytes, the first of equal ones.

    By default ptxas schedules loads early, which a kernel that needs nearly all of its registers pays for in spills;
    and told how many blocks are to fit on an SM it now and then spills in as many registers as it needs without being
    told. No result takes more registers than the first one, rounded up to what is allotted, unless all blocks of
    the launch run at once with them as well. Where they must, none takes more than lets them; the bound is an estimate
    there: one a little higher is tried first, then none.
    """
    first = found = _known(source, result)
    best, chosen, spent = result, "", phases["ptxas_s"]
    limit = -(-(first.registers or 0) // _ALLOTTED) * _ALLOTTED
    bound, texts = _BOUND.search(ptx), {ptx: ""}
    if bound is not None:
        texts[_BOUND.sub("", ptx)] = f" and without .{bound[1]}"
    trials = [(text, level) for text in texts for level in _REGISTER_USAGE_LEVELS]
    resident = source.residency
    if resident is not None and resident.required:
        trials.reverse()
        if bound is not None and bound[1] == "maxnreg":
            higher = f".maxnreg {int(bound[2]) + _ALLOTTED}"
            text = _BOUND.sub(f"{higher}\n", ptx)
            texts[text] = f" and {higher}"
            trials.insert(0, (text, _DEFAULT_LEVEL))
    for text, level in trials:
        if not found.spill_bytes:
            break
        if text == ptx and level == _DEFAULT_LEVEL:
            continue  # that is the first result
        again = timed(phases, "ptxas_s", partial(run, text, f"--register-usage-level={level}"))
        spent = phases["ptxas_s"] = spent + phases["ptxas_s"]
        known = _known(source, again) if again.code == 0 else first
        allowed = resident is not None and resident.held(known) >= resident.blocks
        if resident is None or not resident.required:
            allowed = allowed or (known.registers or 0) <= limit
        if allowed and (known.spill_bytes or 0) < (found.spill_bytes or 0):
            best, found = again, known
            chosen = f"--register-usage-level={level}{texts[text]}"
    if not chosen:
        return best, ()
    spills = f"{first.spill_bytes} B of spills per thread, of which {found.spill_bytes} B are left"
    return best, (f"kernel '{source.name}' was assembled with {chosen}: ptxas's defaults give {spills}",)


def _disassemble(binary: KernelBinary, job: BackendJob) -> KernelBinary:
    nvdisasm = job.toolchain.nvdisasm
    if nvdisasm is None:
        return replace(
            binary, notes=(*binary.notes, f"no nvdisasm was found, the main loop is not known; {NVDISASM_REMEDY}")
        )
    cubin, phases = binary.files["cubin"], dict(binary.phases_s)
    result = timed(
        phases,
        "sass_s",
        lambda: run_tool(binary.name, nvdisasm, ("-c",), cubin, suffix=".cubin", timeout_s=job.request.timeout_s),
    )
    if result.code != 0:
        note = f"{nvdisasm} cannot read the cubin, the main loop is not known: {result.complaint}; {NVDISASM_REMEDY}"
        return replace(binary, phases_s=phases, notes=(*binary.notes, note))
    statistics = binary.statistics.with_listing(read_sass(result.text))
    files = {**binary.files, "assembly": result.text.encode()}
    return replace(binary, files=files, statistics=statistics, phases_s=phases)
