# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-lower-to-gpu`: task bodies become kernels, programs become launches.

Precondition: programs on memrefs whose regions are loops (`rtile-assign-buffers`). Postcondition: no rtile op is left;
the module holds `gpu.module @kernels`, and each program is a `gpu.launch_func`. Programs that are equal but for their
names and tensors launch one `gpu.func`, which is called after the function and the first of them.

    "rtile.program"(%A, %B, %C) ({ scf.for ... }) {sym_name = "matmul_0"} : (memref, memref, memref) -> ()
    // becomes
    gpu.launch_func @kernels::@mlp_matmul_0 blocks in (%c64, %c1, %c1) threads in (%c256, %c1, %c1) args(%A, %B, %C)

With `dependent-launch` kernels may start before the launches that they need have ended, and wait for them themselves,
behind the loads of what no program writes; their launches carry `rtile.dependent`.

With `tensor-maps=device` a kernel of tensor copies makes its tensor maps itself: it takes no maps, but one more buffer,
128 bytes a map and block, for which the function gets an argument of the role "workspace".

Refused: loops that no kernel can follow (with what is wrong with them), what the device cannot hold, functions whose
buffers take more than its memory, and devices that no code is generated for, or that have no dependent launches.
Paper: ROLLER section 3.2; RAMMER section 4 for the task body as a function of the task number.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from roller_mlir.backend.nvidia.dependent_launch import has_dependent_launch
from roller_mlir.codegen.buffer_order import add_buffer
from roller_mlir.codegen.device_memory import check_device_memory
from roller_mlir.codegen.early_operands import ProgramUses, early_operands
from roller_mlir.codegen.kernel import BlockLimits, EmittedKernel, emit_kernel
from roller_mlir.dialects import rtile
from roller_mlir.hal import Device, find_device
from roller_mlir.linalg.rewrite.equal_programs import EqualPrograms
from roller_mlir.loops.attributes import DEPENDENT
from roller_mlir.loops.program import check_no_loose_ops, programs_of
from roller_mlir.model.options import DeviceOptions, LaunchOptions, MapOptions
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import free_symbol

KERNELS = "kernels"


@register
@dataclass(frozen=True, kw_only=True)
class RTileLowerToGpu(DeviceOptions, MapOptions, LaunchOptions, Pass):
    """Emits a kernel for each program from its loops, and a launch in its place."""

    name: ClassVar[str] = "rtile-lower-to-gpu"
    summary: ClassVar[str] = "turn programs into GPU kernels and launches"
    requires: ClassVar[frozenset[str]] = frozenset({"buffers"})
    establishes: ClassVar[frozenset[str]] = frozenset({"kernels"})

    def __post_init__(self) -> None:
        super().__post_init__()
        find_device(self.device).require_compiles()

    def run(self, module: ir.Module) -> None:
        """Lower every program of the module."""
        device = find_device(self.device)
        limits = block_limits(device)
        check_no_loose_ops(module)
        programs = programs_of(module)
        if not programs:
            return
        if self.dependent_launch:
            _check_dependent_launch(module, device)
        check_device_memory(module, device)
        name, body = kernels_module(module)
        for program in programs:
            if any(not isinstance(operand.type, ir.MemRefType) for operand in program.operands):
                fail(program, "'rtile.program' works on tensors; run rtile-assign-buffers first")
        groups = EqualPrograms[_Equal](lambda first: _Equal())
        members = [groups.of(program)[0] for program in programs]
        for program, group in zip(programs, members, strict=True):
            group.programs.append(program)
        if self.dependent_launch:
            equal = list(dict.fromkeys(members))
            uses = [ProgramUses.of(one.programs[:1], (program.operands for program in one.programs)) for one in equal]
            for group, early in zip(equal, early_operands(uses), strict=True):
                group.early = early
        for program, group in zip(programs, members, strict=True):
            if group.kernel is None:
                group.kernel = emit_kernel(program, body, limits, self.tensor_maps, group.early)
            kernel = group.kernel
            operands = list(program.operands)
            if kernel.map_bytes:
                kind = ir.MemRefType.get([kernel.map_bytes], ir.IntegerType.get_signless(8))
                operands.append(add_buffer(program.operation.parent, kind, "workspace"))
            with ir.InsertionPoint(program), program.location:
                launch(operands, name, kernel)
            program.operation.erase()


@dataclass(eq=False)
class _Equal:
    """Programs that are equal, the operands that all may access early, and the kernel that they share."""

    programs: list[rtile.ProgramOp] = field(default_factory=list[rtile.ProgramOp])
    early: tuple[int, ...] | None = None
    kernel: EmittedKernel | None = None


def _check_dependent_launch(module: ir.Module, device: Device) -> None:
    if not has_dependent_launch(device):
        fail(
            module.operation,
            f"dependent-launch: {device.name} has no programmatic dependent launches, which NVIDIA's devices have from "
            "sm_90 on; leave it out",
        )


def kernels_module(module: ir.Module) -> tuple[str, ir.Block]:
    """Begin a gpu.module of kernels, and return its symbol and its body."""
    name = free_symbol(module, KERNELS)
    kernels = ir.Operation.create(
        "gpu.module",
        attributes={"sym_name": ir.StringAttr.get(name)},
        regions=1,
        loc=module.operation.location,
        ip=ir.InsertionPoint(next(iter(module.body.operations))),
    )
    module.operation.attributes["gpu.container_module"] = ir.UnitAttr.get()
    return name, kernels.regions[0].blocks.append()


def block_limits(device: Device) -> BlockLimits:
    """Return what a device allows a block."""
    return BlockLimits(
        device=device.name,
        subgroup_size=device.subgroup_size,
        max_threads=device.max_threads_per_block,
        workgroup_bytes=device.max_workgroup_bytes_per_block,
        static_workgroup_bytes=device.static_workgroup_bytes,
        units=device.units,
        registers_per_unit=device.registers_per_unit,
        masked=device.vector_bytes is not None,
    )


def launch(buffers: Sequence[ir.Value], module: str, kernel: EmittedKernel) -> ir.Operation:
    """Emit the launch of a kernel on buffers."""
    index = ir.IndexType.get()
    one = arith.constant(index, 1)
    grid, block = arith.constant(index, kernel.grid.static), arith.constant(index, kernel.block)
    dynamic: list[ir.Value] = []
    if kernel.dynamic_workgroup_bytes:
        dynamic = [arith.constant(ir.IntegerType.get_signless(32), kernel.dynamic_workgroup_bytes)]
    pointer = ir.Type.parse("!llvm.ptr")
    # The launcher makes tensor maps of what the kernel's arguments say; the host code has nothing to give.
    maps = [ir.Operation.create("llvm.mlir.zero", results=[pointer]).results[0] for _ in range(kernel.maps)]
    operands = [*buffers, *maps]
    segments = [0, 1, 1, 1, 1, 1, 1, 0, 0, 0, len(dynamic), len(operands), 0]
    attributes: dict[str, ir.Attribute] = {
        "kernel": ir.SymbolRefAttr.get([module, kernel.name]),
        "operandSegmentSizes": ir.DenseI32ArrayAttr.get(segments),
    }
    if kernel.dependent:
        attributes[DEPENDENT] = ir.UnitAttr.get()
    sizes = [grid, one, one, block, one, one]
    return ir.Operation.create("gpu.launch_func", operands=[*sizes, *dynamic, *operands], attributes=attributes)
