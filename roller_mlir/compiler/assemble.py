# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launch list, plans and binaries put together as an artifact."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from roller_mlir.compiler.cache.versions import package_versions
from roller_mlir.compiler.errors import InternalError
from roller_mlir.compiler.launch_list import LaunchList
from roller_mlir.hal import Device
from roller_mlir.lowering.backend import KernelBinary
from roller_mlir.lowering.backend.kernels.plans import KernelPlan
from roller_mlir.lowering.targets import family_of
from roller_mlir.plan.manifest import DeviceRecord, File, Kernel, Manifest, Statistics
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.store import sha256


def assemble(
    *,
    device: Device,
    launch_list: LaunchList,
    plans: Mapping[str, KernelPlan],
    notes: tuple[str, ...],
    binaries: Sequence[KernelBinary],
    source: str,
    kernels_ir: str,
    phases_s: dict[str, float],
) -> Artifact:
    """Build the artifact.

    Args:
        device: What was compiled for.
        launch_list: From the host function.
        plans: Of the kernels, by name, where they carry one.
        notes: Of the passes.
        binaries: From the code generator; empty where none was asked for.
        source: The input as text.
        kernels_ir: The module of kernels and launches as text, which the simulator executes.
        phases_s: Seconds per phase.
    """
    contents = {"input.mlir": ("input", source.encode()), "kernels.mlir": ("kernels", kernels_ir.encode())}
    if launch_list.constants:
        contents["constants.bin"] = ("constants", launch_list.constants)
    by_name = {binary.name: binary for binary in binaries}
    names = list(dict.fromkeys(launch.kernel for launch in launch_list.launches if launch.kernel))
    kernels: list[Kernel] = []
    for name in names:
        binary = by_name.get(name)
        if binaries and binary is None:
            raise InternalError(f"kernel '{name}' is launched but was not compiled")
        files = _files(binary, device) if binary else {}
        planned = plans.get(name)
        tuned = (f"kernel '{name}': {planned.tuned}",) if planned is not None and planned.tuned else ()
        contents |= {file_name: (role, data) for role, (file_name, data) in files.items()}
        kernels.append(
            Kernel(
                name=name,
                program="" if planned is None else planned.program,
                files={role: file_name for role, (file_name, _) in files.items()},
                plan=None if planned is None else planned.plan,
                join=None if planned is None else planned.join,
                tensor_maps=launch_list.tensor_maps.get(name, ()),
                made_maps=launch_list.made_maps.get(name, ()),
                statistics=_statistics(binary) if binary else Statistics(),
                phases_s=dict(binary.phases_s) if binary else {},
                notes=(*tuned, *(_notes(binary) if binary else ())),
            )
        )
    manifest = Manifest(
        function=launch_list.function,
        device=_device_record(device),
        inputs=launch_list.inputs,
        outputs=launch_list.outputs,
        buffers=launch_list.buffers,
        workspace_bytes=launch_list.workspace_bytes,
        state_bytes=launch_list.state_bytes,
        launches=launch_list.launches,
        kernels=tuple(kernels),
        files=_records(contents),
        phases_s=phases_s,
        versions=package_versions(),
        notes=notes,
    )
    package = family_of(device).package
    if package is not None and binaries:
        contents |= package(manifest, device, binaries)
        manifest = replace(manifest, files=_records(contents))
    return Artifact(manifest, {name: data for name, (_, data) in contents.items()})


def _records(contents: Mapping[str, tuple[str, bytes]]) -> tuple[File, ...]:
    return tuple(
        File(name=name, role=role, size_bytes=len(data), sha256=sha256(data)) for name, (role, data) in contents.items()
    )


def _device_record(device: Device) -> DeviceRecord:
    workgroup = next((layer for layer in device.layers if layer.name == "workgroup"), None)
    if workgroup is None:
        return DeviceRecord(
            name=device.name,
            vendor=device.vendor,
            architecture=device.architecture,
            subgroup_size=device.subgroup_size,
        )
    return DeviceRecord(
        name=device.name,
        vendor=device.vendor,
        architecture=device.architecture,
        subgroup_size=device.subgroup_size,
        workgroup_banks=workgroup.banks or 32,
        workgroup_bank_bytes=workgroup.bank_bytes or 4,
        workgroup_wide_load_lanes=workgroup.wide_load_lanes,
    )


def _notes(binary: KernelBinary) -> tuple[str, ...]:
    """Return what the user should know of a kernel, what it does not keep of its plan's expected code as warnings."""
    name = binary.name
    return (*binary.notes, *(f"warning: kernel '{name}': {one.kind}: {one.message}" for one in binary.mismatches))


def _files(binary: KernelBinary, device: Device) -> dict[str, tuple[str, bytes]]:
    suffixes = {stage.role: stage.suffix for stage in family_of(device).files}
    return {role: (f"{binary.name}{suffixes[role]}", data) for role, data in binary.files.items()}


def _statistics(binary: KernelBinary) -> Statistics:
    known: dict[str, Any] = binary.statistics.to_dict()
    own = {"registers", "spill_bytes", "shared_bytes", "main_loop", "instructions"}
    more = {key: value for key, value in known.items() if key not in own and value is not None}
    return Statistics(
        registers=binary.statistics.registers,
        spill_bytes=binary.statistics.spill_bytes,
        shared_bytes=binary.statistics.shared_bytes,
        main_loop=dict(binary.statistics.main_loop),
        instructions=dict(binary.statistics.instructions),
        more=more,
    )
