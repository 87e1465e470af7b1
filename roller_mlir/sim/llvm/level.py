# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second level of the simulator: executes the LLVM IR that goes to the vendors' code generators.

Before: `define ptx_kernel void @k(ptr %0)` with `llvm.nvvm.*` or `llvm.amdgcn.*`, workgroup variables, library calls.
After:  `define void @kernel_0(ptr %n.0, ptr (each workgroup variable), ptr and i64 (dynamic workgroup memory), i64 (the
        block's record), i64 (thread x y z, block x y z, block size x y z, grid x y z))` for the host, which `lowering`
        gives for kernels of the gpu dialect, too: scheduler, workgroup memory and launches are the same.
Refused, naming kernel and line: unknown intrinsics, functions and inline assembly, indirect calls.
Not modelled: flushed denormals, approximate functions (the host's are exact), weak memory.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from roller_mlir.plan.tensor_maps.tensor_map import TensorMap
from roller_mlir.sim.engine.layout import Block, LaunchRecord
from roller_mlir.sim.engine.sites import SiteTable
from roller_mlir.sim.gpu.kernel_ir import Entry, KernelParameter, complete
from roller_mlir.sim.hopper.tensor_maps import ATTRIBUTE, MapSpec
from roller_mlir.sim.llvm.body import Rewriter
from roller_mlir.sim.llvm.calls.math import host_declarations
from roller_mlir.sim.llvm.constants import expand_workgroup_constants
from roller_mlir.sim.llvm.context import Context
from roller_mlir.sim.llvm.helpers import helper_text
from roller_mlir.sim.llvm.memory import AddressRange, Roots
from roller_mlir.sim.llvm.text.module import WORKGROUP, KernelText, read_kernel
from roller_mlir.sim.llvm.text.types import MLIR_NAMES, restore, size_bytes
from roller_mlir.sim.lowering import LoweredKernels
from roller_mlir.sim.memory.buffers import UNTYPED

_PLACES = [f"{group}.{axis}" for group in ("thread", "block", "size", "grid") for axis in "xyz"]
_ARENA_ALIGNMENT_BYTES = 128


@dataclass(frozen=True)
class LlvmKernel(LoweredKernels):
    """One kernel of the LLVM level, ready for `SimulatedKernels`.

    Attributes:
        limits: What the kernel says of the size of its blocks, by the attribute that says it.
    """

    limits: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    def refusal(self, block: tuple[int, int, int]) -> str:
        """Return why the device would not launch blocks of this size, "" where it would."""
        threads = block[0] * block[1] * block[2]
        spelled = "x".join(map(str, block))
        for name, sizes in self.limits.items():
            if name in ("nvvm.reqntid", "reqd_work_group_size"):
                fits = (*sizes, 1, 1)[:3] == block
            elif name == "nvvm.maxntid":
                most = 1
                for size in sizes:
                    most *= size
                fits = threads <= most
            else:
                fits = sizes[0] <= threads <= sizes[-1]
            if not fits:
                return f"a block of {spelled} threads does not fit {name} = {','.join(map(str, sizes))}"
        return ""


def lower_llvm(
    name: str,
    text: str,
    *,
    subgroup_size: int,
    file: str = "",
    tensor_maps: Sequence[TensorMap] = (),
    made_maps: Sequence[TensorMap] = (),
) -> LlvmKernel:
    """Make a kernel of the vendors' LLVM IR one that the simulator runs.

    Args:
        name: The kernel.
        text: A module with it and what it calls, as the artifact holds it.
        subgroup_size: Lanes of a subgroup.
        file: What places are called after; the kernel's name where it is empty.
        tensor_maps: What the grid constants of the kernel describe, in order.
        made_maps: The tensor maps that each block makes where the last parameter points.

    Raises:
        DiagnosedError: The text is not valid, or holds what the simulator does not know.
    """
    kernel = read_kernel(name, text, file or f"{name}.ll")
    table = SiteTable()
    memory = _WorkgroupVariables.of(kernel)
    hoisted = expand_workgroup_constants(kernel, memory.names)
    ranges = {**memory.ranges, **_argument_ranges(kernel)}
    context = Context(kernel, table, Roots(kernel, hoisted, ranges), subgroup_size)
    rewriter = Rewriter(kernel, context)
    checks = rewriter.check_arguments()
    body = rewriter.body([*_first_lines(kernel, subgroup_size), *memory.lines, *hoisted, *checks])
    body[1:1] = [f"  {line}" for line in context.own_lines()]
    symbol = "kernel_0"
    parameters = _parameters(kernel, tensor_maps)
    if made_maps:
        specs = tuple(MapSpec(plain=one) for one in made_maps)
        parameters = (*parameters[:-1], replace(parameters[-1], made_maps=specs))
    entry = Entry(symbol, parameters, memory.offsets, memory.static_bytes)
    # Without what the kernel promises of them: a check of a promise that LLVM knows of would be left out.
    signature = [f"{one.kind} {one.name}" for one in kernel.parameters]
    signature += [f"ptr %roller.arena{number}" for number in range(len(memory.offsets))]
    signature += ["ptr %roller.dynamic", "i64 %roller.dynamic.bytes", "i64 %roller.block"]
    signature += [f"i64 %roller.{place}" for place in _PLACES]
    variables = [one.line for one in kernel.variables if one.space != WORKGROUP]
    definitions = "".join(context.definitions.values())
    head = f"define void @{symbol}({', '.join(signature)}) {{"
    translated = "\n".join([*kernel.types, *variables, head, *body, "}", ""])
    translated += host_declarations(definitions) + definitions + helper_text()
    return LlvmKernel(
        text=complete(restore(translated), [entry]),
        entries={name: entry},
        table=table,
        needs=context.needs,
        limits=kernel.limits,
    )


def _parameters(kernel: KernelText, tensor_maps: Sequence[TensorMap]) -> tuple[KernelParameter, ...]:
    maps = iter(tensor_maps)
    found: list[KernelParameter] = []
    for one in kernel.parameters:
        spec = next(maps, None) if one.by_value else None
        if one.by_value and spec is None:
            kernel.refuse(0, f"its parameter {len(found)} is a grid constant, but no tensor map is given for it")
        found.append(
            _parameter(kernel, one.kind)
            if spec is None
            else KernelParameter("ptr", None, ATTRIBUTE, MapSpec(plain=spec))
        )
    if next(maps, None) is not None:
        kernel.refuse(0, f"{len(tensor_maps)} tensor maps are given, but it has fewer grid constants")
    return tuple(found)


def _parameter(kernel: KernelText, kind: str) -> KernelParameter:
    if kind.startswith("ptr"):
        return KernelParameter(restore(kind), (), UNTYPED)
    spelled = MLIR_NAMES.get(kind, kind)
    if spelled == kind and not re.fullmatch(r"i(1|8|16|32|64)", kind):
        kernel.refuse(0, f"a parameter of type {kind} cannot be passed in the simulator")
    return KernelParameter(kind, None, spelled)


def _argument_ranges(kernel: KernelText) -> dict[str, AddressRange]:
    return {
        one.name: AddressRange(
            first=f"%roller.arg{number}.first", last=f"%roller.arg{number}.last", label=f"argument {number}"
        )
        for number, one in enumerate(kernel.parameters)
        if one.kind.startswith("ptr") and not one.by_value
    }


def _first_lines(kernel: KernelText, subgroup_size: int) -> list[str]:
    """Compute what expansions use, and load the ranges of the arguments."""
    lines = [
        "%roller.column = mul i64 %roller.thread.z, %roller.size.y",
        "%roller.row = add i64 %roller.column, %roller.thread.y",
        "%roller.before = mul i64 %roller.row, %roller.size.x",
        "%roller.linear = add i64 %roller.before, %roller.thread.x",
        f"%roller.lane = urem i64 %roller.linear, {subgroup_size}",
        "%roller.record = inttoptr i64 %roller.block to ptr",
        f"%roller.launch.at = getelementptr i64, ptr %roller.record, i64 {int(Block.LAUNCH)}",
        "%roller.launch.address = load i64, ptr %roller.launch.at",
        "%roller.launch = inttoptr i64 %roller.launch.address to ptr",
        f"%roller.ranges.at = getelementptr i64, ptr %roller.launch, i64 {int(LaunchRecord.RANGES)}",
        "%roller.ranges.address = load i64, ptr %roller.ranges.at",
        "%roller.ranges = inttoptr i64 %roller.ranges.address to ptr",
    ]
    slot = 0
    for number, one in enumerate(kernel.parameters):
        if one.kind.startswith("ptr") and not one.by_value:
            for word in ("first", "last"):
                name = f"%roller.arg{number}.{word}"
                lines.append(f"{name}.at = getelementptr i64, ptr %roller.ranges, i64 {slot}")
                lines.append(f"{name} = load i64, ptr {name}.at")
                slot += 1
    return lines


@dataclass(frozen=True)
class _WorkgroupVariables:
    """Workgroup variables: their values, places in the arena, and lines that compute them."""

    names: dict[str, str]
    ranges: dict[str, AddressRange]
    offsets: tuple[int, ...]
    static_bytes: int
    lines: list[str]

    @classmethod
    def of(cls, kernel: KernelText) -> "_WorkgroupVariables":
        names, ranges, offsets, lines = dict[str, str](), dict[str, AddressRange](), list[int](), list[str]()
        end = 0
        for number, one in enumerate(kernel.variables):
            size = size_bytes(one.kind)
            if one.space != WORKGROUP:
                if one.external:
                    kernel.refuse(0, f"its variable '{one.name}' is defined nowhere")
                if size is not None:
                    lines += [
                        f"%roller.v{number}.first = ptrtoint {_pointer(one.space)} {one.name} to i64",
                        f"%roller.v{number}.last = add i64 %roller.v{number}.first, {size}",
                    ]
                    ranges[one.name] = _range(f"%roller.v{number}", one.name)
                continue
            if size is None:
                kernel.refuse(0, f"workgroup variable '{one.name}' has a type that cannot be simulated: {one.kind}")
            value = f"%roller.w{number}"
            names[one.name], ranges[value] = value, _range(value, f"workgroup memory '{one.name}'")
            dynamic = one.external or size == 0
            if dynamic:
                source, length = "%roller.dynamic", "%roller.dynamic.bytes"
            else:
                alignment = max(_ARENA_ALIGNMENT_BYTES, one.alignment)
                start = -(-end // alignment) * alignment
                source, length = f"%roller.arena{len(offsets)}", str(size)
                offsets.append(start)
                end = start + size
            lines += [
                f"{value} = addrspacecast ptr {source} to {_pointer(WORKGROUP)}",
                f"{value}.first = ptrtoint ptr {source} to i64",
                f"{value}.last = add i64 {value}.first, {length}",
            ]
        static_bytes = -(-end // _ARENA_ALIGNMENT_BYTES) * _ARENA_ALIGNMENT_BYTES
        return cls(names, ranges, tuple(offsets), static_bytes, lines)


def _range(value: str, label: str) -> AddressRange:
    return AddressRange(first=f"{value}.first", last=f"{value}.last", label=label)


def _pointer(space: int) -> str:
    return f"ptr addrspace<{space}>" if space else "ptr"
