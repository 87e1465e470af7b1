# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernel functions: what a device allows them, what they take, and how they are launched."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.dialects import rtile
from roller_mlir.lowering.codegen.last_block import LastBlock
from roller_mlir.lowering.loops.attributes import (
    EXPRESSION,
    FMA_COUNT,
    JOIN_PLAN,
    MADE_MAPS,
    MATRIX_COUNT,
    PLAN,
    PROGRAM,
    TASKS_PER_UNIT,
    TENSOR_MAP,
    TUNED,
    WORKGROUP_ALIGNMENT,
)
from roller_mlir.lowering.loops.program import accessed_operands
from roller_mlir.mapping.alignment import TILE_ALIGNMENT_BYTES
from roller_mlir.plan.extent import Extent
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES, TensorMap
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

# What every buffer of a kernel is aligned to, in bytes: the widest access.
BUFFER_ALIGNMENT = 16
_MOST_LETTERS = 80
"""Of a function's name in those of its kernels, and of their files."""


@dataclass(frozen=True, kw_only=True)
class BlockLimits:
    """What a device allows one block.

    Attributes:
        device: Its name, for messages.
        subgroup_size: Lanes of a subgroup.
        max_threads: Threads of a block.
        workgroup_bytes: Workgroup memory of a block, in bytes.
        static_workgroup_bytes: How much of it can be declared in the kernel, in bytes.
        units: Units that run blocks at the same time.
        registers_per_unit: 32-bit registers that the blocks of a unit share.
        access_bytes: Bytes of the widest access of one thread that code is generated for.
        masked: Whether vectors are accessed at any place, under masks; see `TaskContext`.
        mask_registers: Whether masks have registers of their own; see `TaskContext`.
        kept_bytes: Of a constant, by a core's caches; see `TaskContext`.
        fence_covers_block: See `Device`.
    """

    device: str
    subgroup_size: int
    max_threads: int
    workgroup_bytes: int
    static_workgroup_bytes: int
    units: int
    registers_per_unit: int
    access_bytes: int
    masked: bool = False
    mask_registers: bool = False
    kept_bytes: int = 0
    fence_covers_block: bool = False


@dataclass(frozen=True)
class KernelRequest:
    """What is to become a kernel.

    Attributes:
        program: An rtile.program on memrefs whose region is parallel loops.
        module_body: Block of the gpu.module, at whose end the kernel is emitted.
        limits: What the device allows.
        tensor_maps: Who makes its tensor maps; see `MapOptions`.
        early: Of a kernel that waits for the launches that it needs itself (`dependent_launch`), the operands that it
            may access before, since nothing writes them; None of one that is launched when they have ended.
        last: The second stage of a divided reduction, where the last block of a tile runs it.
    """

    program: rtile.ProgramOp
    module_body: ir.Block
    limits: BlockLimits
    tensor_maps: str = "host"
    early: Sequence[int] | None = None
    last: LastBlock | None = None


@dataclass(frozen=True, kw_only=True)
class EmittedKernel:
    """An emitted kernel and how it is launched.

    Attributes:
        name: Symbol in the gpu.module.
        grid: Blocks.
        block: Threads of a block.
        dynamic_workgroup_bytes: Workgroup memory given at launch, in bytes; 0 when it is declared in the kernel.
        workgroup_bytes: Workgroup memory in use, in bytes.
        maps: Tensor maps that it takes after its buffers.
        map_bytes: Size of the buffer that it takes last, where it makes its tensor maps itself.
        dependent: Whether it waits for the launches that it needs itself.
    """

    name: str
    grid: Extent
    block: int
    dynamic_workgroup_bytes: int
    workgroup_bytes: int
    maps: int = 0
    map_bytes: int = 0
    dependent: bool = False


def gpu_id(name: str) -> ir.Value:
    """Return the number of the thread in its block, or of the block in the grid."""
    dimension = {"dimension": ir.Attribute.parse("#gpu<dim x>")}
    return ir.Operation.create(name, results=[ir.IndexType.get()], attributes=dimension).results[0]


def resident_blocks(program: rtile.ProgramOp, limits: BlockLimits) -> int | None:
    """Return the blocks of a persistent program: what its units hold at a time; None of one that is not persistent.

    Args:
        program: The program.
        limits: What the device allows.
    """
    units = min(limits.units, program.max_units or limits.units)
    return units * (program.tasks_per_unit or 1) if program.persistent else None


def dynamic_bytes(program: rtile.ProgramOp, total: int, limits: BlockLimits) -> int:
    """Return the workgroup memory to be given at launch, 0 where the kernel declares it; refuse what is too much.

    Args:
        program: The program.
        total: Workgroup memory of a block, in bytes.
        limits: What the device allows.
    """
    if total > limits.workgroup_bytes:
        fail(
            program,
            f"'rtile.program' '{program.program_name}' needs {total} B of workgroup memory, {limits.device} has "
            f"{limits.workgroup_bytes} B; lower the tiles or rtile.stages",
        )
    return total if total > limits.static_workgroup_bytes else 0


def dynamic_memory() -> ir.Value:
    """Emit and return the workgroup memory that is given at launch, a memref of i8."""
    kind = ir.Type.parse("memref<?xi8, #gpu.address_space<workgroup>>")
    return ir.Operation.create("gpu.dynamic_shared_memory", results=[kind]).results[0]


def note_counts(function: ir.Operation, multiply_adds: int, matrices: int) -> None:
    """Note in a kernel how many multiply-adds and matrix instructions were emitted for it."""
    i64 = ir.IntegerType.get_signless(64)
    function.attributes[FMA_COUNT] = ir.IntegerAttr.get(i64, multiply_adds)
    if matrices:
        function.attributes[MATRIX_COUNT] = ir.IntegerAttr.get(i64, matrices)


def kernel_name(program: rtile.ProgramOp) -> str:
    """Return what a program's kernel is called: after its function, spelled for every tool, and itself.

    Kernels of two functions differ so, wherever they come together: `mlp_matmul_0`, and `matmul_0` of `matmul`.
    """
    function = ir.StringAttr(program.operation.parent.attributes["sym_name"]).value
    spelled = re.sub(r"\W", "_", re.sub(r"^(?=\d)", "_", function[:_MOST_LETTERS]), flags=re.ASCII)
    name = program.program_name
    return name if name.startswith(f"{spelled}_") else f"{spelled}_{name}"


def declare_kernel(
    program: rtile.ProgramOp,
    module_body: ir.Block,
    threads: int,
    static_bytes: int,
    *,
    alignment: int = TILE_ALIGNMENT_BYTES,
    maps: Sequence[TensorMap] = (),
    map_bytes: int = 0,
    early: Sequence[int] | None = None,
    last: LastBlock | None = None,
) -> ir.Operation:
    """Declare the kernel function: bare memrefs that do not overlap, tensor maps, and the arena; it carries the plan.

    What a block writes and another reads, through a second stage in the same kernel, is not said to overlap with
    nothing: no read of it may move in front of the counting. Its counters follow the buffers.

    Args:
        program: The program.
        module_body: Block of the gpu.module.
        threads: Threads of a block.
        static_bytes: Workgroup memory that is declared in the kernel, in bytes.
        alignment: What workgroup memory is aligned to, in bytes.
        maps: The tensor maps that the kernel takes after its buffers.
        map_bytes: Size of the buffer that it takes in their place, where it makes them itself; 0 where it takes them.
        early: Of a kernel that waits for launches itself, the buffers that nothing writes: only they are said to
            overlap with nothing.
        last: The second stage, where the last block of a tile runs it.
    """
    read, written = accessed_operands(program)

    def i64(value: int) -> ir.Attribute:
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)

    buffers = [argument.type for argument in program.entry.arguments]
    if last is not None:
        buffers += [*[value.type for value in last.more_operands(program)], last.counters]
        more_read, more_written = last.accesses()
        read |= {*more_read, len(buffers) - 1}
        written |= {*more_written, len(buffers) - 1}
    facts: list[ir.Attribute] = []
    for number in range(len(buffers)):
        known: dict[str, ir.Attribute] = {"llvm.align": i64(BUFFER_ALIGNMENT)}
        if (early is None or number in early) and not (last is not None and number in written):
            known["llvm.noalias"] = ir.UnitAttr.get()
        if number not in written:
            known["llvm.readonly"] = ir.UnitAttr.get()
        elif number not in read:
            known["llvm.writeonly"] = ir.UnitAttr.get()
        facts.append(ir.DictAttr.get(known))
    described = [rtile.to_attribute(one) for one in maps]
    if map_bytes:
        inputs = [*buffers, ir.MemRefType.get([map_bytes], ir.IntegerType.get_signless(8))]
        facts.append(ir.DictAttr.get({MADE_MAPS: ir.ArrayAttr.get(described), "llvm.align": i64(MAP_BYTES)}))
    else:
        inputs = [*buffers, *[ir.Type.parse("!llvm.ptr")] * len(maps)]
        facts += [ir.DictAttr.get({TENSOR_MAP: one}) for one in described]
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(kernel_name(program)),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, [])),
        "arg_attrs": ir.ArrayAttr.get(facts),
        "gpu.kernel": ir.UnitAttr.get(),
        "known_block_size": ir.DenseI32ArrayAttr.get([threads, 1, 1]),
    }
    if program.plan is not None:
        attributes |= {PLAN: program.plan, PROGRAM: ir.StringAttr.get(program.program_name)}
    if last is not None and last.program.plan is not None:
        attributes[JOIN_PLAN] = last.program.plan
    attributes |= {name: program.attributes[name] for name in (EXPRESSION, TUNED) if name in program.attributes}
    if program.tasks_per_unit is not None:
        attributes[TASKS_PER_UNIT] = i64(program.tasks_per_unit)
    arena: list[ir.Type] = []
    if static_bytes:
        arena.append(ir.Type.parse(f"memref<{static_bytes}xi8, #gpu.address_space<workgroup>>"))
        attributes["workgroup_attributions"] = i64(1)
        attributes["workgroup_attrib_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get({"llvm.align": i64(alignment)})])
    elif alignment > TILE_ALIGNMENT_BYTES:
        attributes[WORKGROUP_ALIGNMENT] = i64(alignment)
    with program.location:
        function = ir.Operation.create("gpu.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module_body))
        types = [*inputs, *arena]
        block = function.regions[0].blocks.append(*types, arg_locs=[program.location] * len(types))
        ir.Operation.create("gpu.return", ip=ir.InsertionPoint(block))
    return function
