# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR -> AMDGPU object -> HSACO.

The plan bounds the registers: so many tasks are to fit on a unit (`amdgpu-waves-per-eu`). LLVM keeps to it, and spills
where it cannot; memory traffic of every thread is worse than fewer tasks, so the bound is then loosened: by one
subgroup of a scheduler, and if that does not help, to none. A note of the kernel says so; what it has in the end is in
its statistics, and `quality` compares it with the plan.
"""

import re
from dataclasses import replace

from roller_mlir.lowering.backend.checks.resources import check_code_object
from roller_mlir.lowering.backend.checks.statistics import KernelStatistics, from_code_object
from roller_mlir.lowering.backend.child.frames import Message
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.job import BackendJob, KernelBinary, generate, timed
from roller_mlir.lowering.backend.sources import KernelSource
from roller_mlir.lowering.backend.vendor_tools.run import run_tool
from roller_mlir.lowering.backend.vendor_tools.toolchain import LLD_REMEDY

_METADATA = re.compile(r"^!(\d+) = ", re.MULTILINE)
_BOUND = re.compile(r'"amdgpu-waves-per-eu"="(\d+)"')


def build_amd(source: KernelSource, start: KernelBinary, job: BackendJob) -> KernelBinary:
    """Compile a kernel for an AMD device, as far as `job.request.emit` says."""
    phases = dict(start.phases_s)
    source = replace(source, llvm_ir=_flagged(source.llvm_ir, job.request.code_object))
    answer, statistics = _generate(source, job, phases)
    bound, first = _bound(source), statistics
    for looser in (max(1, bound - 1), 1):
        if statistics.spill_bytes and _bound(source) > looser:
            source = replace(source, llvm_ir=_BOUND.sub(f'"amdgpu-waves-per-eu"="{looser}"', source.llvm_ir))
            answer, statistics = _generate(source, job, phases)
    assembly, code_object = answer.blobs["assembly"].decode(), answer.blobs["object"]
    check_code_object(source, code_object, assembly, counted=job.request.counted)
    files = {"llvm": source.llvm_ir.encode(), "assembly": assembly.encode()}
    binary = replace(start, files=files, statistics=statistics, phases_s=phases)
    if _bound(source) < bound:
        spills = f"{first.spill_bytes} B of spills per thread, of which {statistics.spill_bytes} B are left"
        note = f"kernel '{source.name}' was compiled for {_bound(source)} instead of {bound} subgroups on a scheduler"
        binary = replace(binary, notes=(*binary.notes, f"{note}, which gave {spills}"))
    if job.request.emit == "ptx":
        return binary
    lld = job.toolchain.lld
    if lld is None:
        raise CompileError(source.name, f"no iree-lld was found to link its code object; {LLD_REMEDY}")
    options = ("-flavor", "gnu", "-shared", "--no-undefined", "-o", "output")
    result = timed(
        phases,
        "lld_s",
        lambda: run_tool(source.name, lld, options, code_object, suffix=".o", timeout_s=job.request.timeout_s),
    )
    if result.code != 0:
        raise CompileError(source.name, f"{lld} refused its code object: {result.complaint}")
    return replace(binary, files={**files, "hsaco": result.output}, phases_s=phases)


def _generate(source: KernelSource, job: BackendJob, phases: dict[str, float]) -> tuple[Message, KernelStatistics]:
    # Unrolling also peels the last step off a loop of steps, whose arithmetic then stands twice in the kernel.
    answer = generate(source, job, with_object=True, unroll=False)
    seconds = answer.fields["seconds"]
    phases["llvm_s"] = phases.get("llvm_s", 0.0) + seconds["llvm_s"]
    phases["object_s"] = phases.get("object_s", 0.0) + seconds["codegen_s"]
    assembly = answer.blobs["assembly"].decode()
    return answer, from_code_object(answer.blobs["object"], assembly, source.name, source.dynamic_shared_bytes)


def _flagged(llvm_ir: str, code_object: int) -> str:
    """Add the module flag that chooses the version of the code object; LLVM's own choice needs the newest loaders."""
    number = max(map(int, _METADATA.findall(llvm_ir)), default=-1) + 1
    flag = f'!{number} = !{{i32 1, !"amdhsa_code_object_version", i32 {100 * code_object}}}'
    return f"{llvm_ir}\n!llvm.module.flags = !{{!{number}}}\n{flag}\n"


def _bound(source: KernelSource) -> int:
    """Return how many subgroups are to fit on a scheduler; 1 where none is asked for, of which there is always room."""
    found = _BOUND.search(source.llvm_ir)
    return 1 if found is None else int(found[1])
