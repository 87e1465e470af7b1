# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rtile-lower-to-gpu`: task bodies become kernels, programs become launches.

Precondition: programs on memrefs whose regions are loops (`rtile-assign-buffers`). Postcondition: no rtile op is left;
the module holds `gpu.module @kernels`, and each program is a `gpu.launch_func`. Programs that are equal but for their
names and tensors launch one `gpu.func`, which is called after the function and the first of them. One that reads some
rows of a buffer gets these rows, so that steps that read others are equal (`lowering.codegen.buffers.row_parts`); not
with `dependent-launch`, nor for launchers that pass whole tensors (`tensor-maps=device`).

    "rtile.program"(%A, %B, %C) ({ scf.for ... }) {sym_name = "matmul_0"} : (memref, memref, memref) -> ()
    // becomes
    gpu.launch_func @kernels::@mlp_matmul_0 blocks in (%c64, %c1, %c1) threads in (%c256, %c1, %c1) args(%A, %B, %C)

With `dependent-launch` kernels may start before the launches that they need have ended, and wait for them themselves,
behind the loads of what no program writes; their launches carry `rtile.dependent`.

A program that is `joined` gets no kernel and no launch: the program in front of it does, whose blocks run both. The
function gets an argument of the role "state" for it, of one counter a tile, 0 at first.

With `tensor-maps=device` a kernel of tensor copies makes its tensor maps itself: it takes no maps, but one more buffer,
128 bytes a map and block, for which the function gets an argument of the role "workspace".

Refused: loops that no kernel can follow (with what is wrong with them), what the device cannot hold, functions whose
buffers take more than its memory, and devices that no code is generated for, or that have no dependent launches.
Paper: ROLLER section 3.2; RAMMER section 4 for the task body as a function of the task number.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from roller_mlir.dialects import rtile
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.buffers.device_memory import check_device_memory
from roller_mlir.lowering.codegen.buffers.order import add_buffer, place_of, size_of
from roller_mlir.lowering.codegen.buffers.row_parts import read_from_first_row
from roller_mlir.lowering.codegen.early.operands import ProgramUses, early_operands
from roller_mlir.lowering.codegen.kernel import BlockLimits, EmittedKernel, KernelRequest, emit_kernel
from roller_mlir.lowering.codegen.last_block import LastBlock
from roller_mlir.lowering.linalg.rewrite.equal_programs import said_by
from roller_mlir.lowering.loops.attributes import DEPENDENT
from roller_mlir.lowering.loops.program import check_no_loose_ops, programs_of
from roller_mlir.model.machine import machine_of
from roller_mlir.model.options import DeviceOptions, LaunchOptions, MapOptions
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import free_symbol

KERNELS = "kernels"
HOST = "host"
"""Who makes tensor maps, and passes what kernels get."""


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
        if not self.dependent_launch and self.tensor_maps == HOST:
            joined = [one or next_one for one, next_one in pairwise([*(each.joined for each in programs), False])]
            read_from_first_row([one for one, is_joined in zip(programs, joined, strict=True) if not is_joined])
        stages = _stages_of(programs, limits)
        groups: dict[Hashable, _Equal] = {}
        members = [groups.setdefault(one.said(), _Equal()) for one in stages]
        for one, group in zip(stages, members, strict=True):
            group.stages.append(one)
        if self.dependent_launch:
            equal = list(dict.fromkeys(members))
            uses = [uses_of for group in equal for uses_of in _uses(group.stages)]
            early = iter(early_operands(uses))
            for group in equal:
                group.early = next(early)
                if group.stages[0].last is not None:
                    next(early)
        for one, group in zip(stages, members, strict=True):
            program, last = one.program, one.last
            if group.kernel is None:
                group.kernel = emit_kernel(KernelRequest(program, body, limits, self.tensor_maps, group.early, last))
            kernel, function = group.kernel, program.operation.parent
            operands = list(program.operands)
            if last is not None:
                operands += [*last.more_operands(program), add_buffer(function, last.counters, "state")]
            if kernel.map_bytes:
                kind = ir.MemRefType.get([kernel.map_bytes], ir.IntegerType.get_signless(8))
                operands.append(add_buffer(function, kind, "workspace"))
            with ir.InsertionPoint(program), program.location:
                launch(operands, name, kernel)
            if last is not None:
                last.program.operation.erase()
            program.operation.erase()


@dataclass(frozen=True, eq=False)
class _Stages:
    """A program, and the second stage that the same kernel runs; None where there is none."""

    program: rtile.ProgramOp
    last: LastBlock | None

    def said(self) -> Hashable:
        """Return what both say, without their names and without what their operands are called outside."""
        if self.last is None:
            return said_by(self.program)
        return said_by(self.program), said_by(self.last.program), self.last.operands


def _stages_of(programs: Sequence[rtile.ProgramOp], limits: BlockLimits) -> list[_Stages]:
    """Return the kernels that there will be: each program, with the one behind it where that is joined."""
    found: list[_Stages] = []
    for number, program in enumerate(programs):
        if program.joined:
            if (
                not number
                or programs[number - 1].joined
                or programs[number - 1].operation.parent != program.operation.parent
            ):
                fail(
                    program, f"'rtile.program' '{program.program_name}' is joined, but no program stands in front of it"
                )
            first = found.pop().program
            last = LastBlock.of(first, program, fence_covers_block=limits.fence_covers_block)
            _check_apart(first, last)
            found.append(_Stages(first, last))
        else:
            found.append(_Stages(program, None))
    return found


def _check_apart(first: rtile.ProgramOp, last: LastBlock) -> None:
    """Refuse a second stage that writes what blocks of the first may still read."""
    sizes: dict[ir.Type, int] = {}
    operands = [*first.operands, *last.more_operands(first)]
    places = [(place_of(one), size_of(one.type, sizes)) for one in operands]
    for written in sorted(last.accesses()[1]):
        (memory, start), size = places[written]
        for number, ((other, begin), length) in enumerate(places):
            if number != written and memory == other and start < begin + length and begin < start + size:
                fail(
                    last.program,
                    f"'rtile.program' '{last.program.program_name}' is joined, but writes what blocks of the program "
                    "before it may still read; give it a buffer of its own",
                )


@dataclass(eq=False)
class _Equal:
    """Programs that are equal, the operands that all may access early, and the kernel that they share."""

    stages: list[_Stages] = field(default_factory=list[_Stages])
    early: tuple[int, ...] | None = None
    kernel: EmittedKernel | None = None


def _uses(stages: Sequence[_Stages]) -> list[ProgramUses]:
    """Return what equal programs use, and behind it what their second stages do."""
    found = [ProgramUses.of([stages[0].program], (one.program.operands for one in stages))]
    seconds = [one.last.program for one in stages if one.last is not None]
    return [*found, ProgramUses.of(seconds[:1], (one.operands for one in seconds))] if seconds else found


def _check_dependent_launch(module: ir.Module, device: Device) -> None:
    if "dependent_launch" not in device.features:
        fail(module.operation, f"dependent-launch: {device.name} has no programmatic dependent launches; leave it out")


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


_KEPT_SHARE = 0.25
"""Of a core's second cache, for what it reads of a constant in each pass over what that is multiplied by."""


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
        access_bytes=machine_of(device).vector_bytes,
        masked=device.vector_bytes is not None,
        mask_registers=device.has_mask_registers,
        kept_bytes=int(_KEPT_SHARE * device.second_cache_bytes(device.units)) if device.vector_bytes else 0,
        fence_covers_block=device.fence_covers_block,
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
