# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`rammer-outline-kernel`: a scheduled `rammer.program` becomes one persistent kernel and its launch.

Precondition: a `rammer.program` with a schedule (`rammer-schedule`) that rammer-verify accepts. Postcondition: no op of
`rammer` is left; the module holds `gpu.module @kernels` with one kernel a program, whose bodies are those of its
programs; the function takes one more argument, the state: zero at first, and kept between launches. A remark says how
many bodies, and how many bytes; another, which of them have plans that were measured.

    "rammer.program"() ({ ... }) {sym_name = "mlp", device = ..., schedule = ...}
    // becomes
    %r = memref.get_global @mlp_records : memref<1456xi32>
    gpu.launch_func @kernels::@mlp blocks in (%c128, %c1, %c1) threads in (%c32, %c1, %c1)
        args(%x, %w1, %h, ..., %r, %spans, %waits, %state) {rtile.cooperative}

Where programs compute by wgmma, a thread of each block copies for the others, and walks the same records ahead of them.

With `wait-limit` the state ends with a report (`plan.persistent.stuck_report`), and the kernel gives up a wait after
so many polls: it writes who waited for what, waits for nothing any more, and ends.

With `record-times` it ends with start and end of each task (`plan.persistent.task_times`), which a thread of each
block writes.

Refused: tensor maps made by the device, resident operands where threads copy for others, tasks of different numbers of
threads, blocks too small, pages or tensor maps that a block cannot hold, copies of results ahead of their waits,
programs without a schedule, functions whose buffers take more than the device's memory.
Paper: RAMMER, section 4.1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from roller_mlir.dialects import rammer, rtile
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.codegen.buffers.device_memory import check_device_memory
from roller_mlir.lowering.codegen.buffers.order import add_buffer
from roller_mlir.lowering.codegen.graph.bodies import Bodies, bodies_of
from roller_mlir.lowering.codegen.graph.kernel import (
    GraphKernel,
    emit_graph_kernel,
    report_cell,
    state_size,
    times_cell,
)
from roller_mlir.lowering.codegen.graph.roles import role_layout, roles_of, takes_roles
from roller_mlir.lowering.codegen.graph.schedules import graphs_of, schedule_of
from roller_mlir.lowering.codegen.graph.tables import WORD_BYTES, tables_of
from roller_mlir.lowering.codegen.graph.task_graph import ApplicationGraph, read_graph
from roller_mlir.lowering.codegen.graph.virtual_device import check_block, expected_registers, threads_of
from roller_mlir.lowering.loops.attributes import COOPERATIVE, REPORT, TIMES, TUNED
from roller_mlir.mapping.tensor_copy import PRODUCER_THREADS
from roller_mlir.model.options import DeviceOptions, MapOptions
from roller_mlir.passes.rtile.lower_to_gpu import block_limits, kernels_module, launch
from roller_mlir.plan.persistent.task_times import TaskTimes
from roller_mlir.rammer.options import WalkOptions
from roller_mlir.rammer.parts import Ints
from roller_mlir.support.bindings import func, ir
from roller_mlir.support.diagnostics import fail, remark
from roller_mlir.support.passes.passes import Pass, register
from roller_mlir.support.values import free_symbol

_MOST_NAMES = 5


@register
@dataclass(frozen=True, kw_only=True)
class RammerOutlineKernel(DeviceOptions, WalkOptions, MapOptions, Pass):
    """Emits one persistent kernel for each program, and its launch."""

    name: ClassVar[str] = "rammer-outline-kernel"
    summary: ClassVar[str] = "turn a scheduled graph into one persistent kernel"
    requires: ClassVar[frozenset[str]] = frozenset({"schedule"})
    establishes: ClassVar[frozenset[str]] = frozenset({"kernels"})

    def __post_init__(self) -> None:
        super().__post_init__()
        find_device(self.device).require_compiles()

    def run(self, module: ir.Module) -> None:
        """Outline every program of the module."""
        device = find_device(self.device)
        programs = list(graphs_of(module))
        if not programs:
            return
        check_device_memory(module, device)
        name, body = kernels_module(module)
        for program in programs:
            _check_tasks(program)
            check_block(program, schedule_of(program)[0], device)
            _outline(program, module, body, name, device, self, self.tensor_maps)
        for op in list(module.body.operations):
            if isinstance(op, rammer.OperatorOp):
                op.operation.erase()


def _check_tasks(program: rammer.GraphOp) -> None:
    device, _ = schedule_of(program)
    roles = any(map(takes_roles, program.programs))
    of_them = " that compute" if roles else ""
    computing = device.threads - (PRODUCER_THREADS if roles else 0)
    wrong = {inner.program_name: threads_of(inner) for inner in program.programs if threads_of(inner) != computing}
    for application in program.applications if wrong else ():
        name = application.program.program_name
        if name in wrong:
            what = f"'rammer.program' '{program.program_name}' cannot hold '{name}'"
            fail(application, f"{what}, whose tasks have {wrong[name]} threads: its blocks have {computing}{of_them}")


def _outline(
    program: rammer.GraphOp, module: ir.Module, body: ir.Block, kernels: str, device: Device,
    walk: WalkOptions, tensor_maps: str,
) -> None:  # fmt: skip
    virtual, schedule = schedule_of(program)
    function = program.operation.parent.opview
    assert isinstance(function, func.FuncOp)
    bodies = bodies_of(function, program)
    programs, limits = program.programs, block_limits(device)
    threads, size = max(map(threads_of, programs)), limits.subgroup_size
    layout = role_layout(program, threads, size, limits.workgroup_bytes)
    if layout is not None and tensor_maps == "device":
        fail(
            program,
            f"'rammer.program' '{program.program_name}' has tensor copies, and the tensor maps of a persistent kernel "
            "are made by its launcher, not by the device; leave tensor-maps=device out, or leave out wgmma "
            "(instructions=...)",
        )
    if layout is not None and (keeping := next((one for one in program.applications if one.callee.resident), None)):
        fail(
            keeping,
            f"'rammer.program' '{program.program_name}' has threads that copy for others, and keeps no slices of "
            "operands in workgroup memory; take them out of resident",
        )
    copied = None if layout is None else [takes_roles(bodies.bodies[number].program) for number in bodies.of]
    applications = read_graph(program, device, ordered=copied is not None)  # records of roles say who hands over
    graph = applications.tasks
    if copied is not None:
        _check_copied(applications, copied)
    sinks = [body.sinks for body in bodies.bodies]
    tables = tables_of(graph, schedule, bodies.of, bodies.starts, virtual.threads, sinks, copied)
    roles = registers = None
    if layout is None:
        registers = expected_registers([one.program for one in bodies.bodies], virtual.registers)
    else:
        roles = roles_of(program, bodies, layout, threads, limits.registers_per_unit)
    events = len(schedule.counts)
    kernel = GraphKernel(
        program.program_name, bodies, tables, events, virtual, registers, roles, walk.wait_limit, walk.record_times
    )
    with program.location:
        emitted = emit_graph_kernel(kernel, body, limits)
        constants = [
            _constant(module, function, f"{program.program_name}_{what}", values)
            for what, values in (("records", tables.records), ("spans", tables.spans), ("waits", tables.waits))
        ]
        cells = ir.MemRefType.get([state_size(kernel)], ir.IntegerType.get_signless(32))
        state = add_buffer(function.operation, cells, "state")
        with ir.InsertionPoint(program):
            loads = [_global(name, kind) for name, kind in constants]
            launched = launch([*bodies.roots, *loads, state], kernels, emitted)
        launched.attributes[COOPERATIVE] = ir.UnitAttr.get()
        if walk.wait_limit is not None:
            begin = WORD_BYTES * report_cell(kernel)
            launched.attributes[REPORT] = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), begin)
        if walk.record_times:
            times = TaskTimes(
                offset_bytes=WORD_BYTES * times_cell(kernel),
                tick_ns=device.tick_ns,
                positions=tables.tasks,
                operators=tuple(one.name for one in graph.operators),
                tasks=tuple(one.tasks for one in graph.operators),
                programs=tuple(tuple(one.tolist()) for one in schedule.programs),
            )
            launched.attributes[TIMES] = rtile.to_attribute(times)
    workspace = 0 if bodies.workspace is None else ir.MemRefType(bodies.workspace.type).shape[0]
    remark(
        program,
        f"'rammer.program' '{program.program_name}': {len(program.applications)} operators by {len(bodies.bodies)} "
        f"bodies, blocks of {virtual.threads} threads; {workspace} B of workspace, {4 * state_size(kernel)} B of state",
    )
    _remark_measured(program, bodies)
    program.operation.erase()


def _remark_measured(program: rammer.GraphOp, bodies: Bodies) -> None:
    """Say which bodies have plans that were measured."""
    found = [
        (one.program.program_name, one.program.attributes[TUNED].value)
        for one in bodies.bodies
        if TUNED in one.program.attributes
    ]
    if found:
        shown = "; ".join(f"{name}: {said}" for name, said in found[:_MOST_NAMES])
        others = " and others" if len(found) > _MOST_NAMES else ""
        count = f"{len(found)} of {len(bodies.bodies)} bodies have measured plans"
        remark(program, f"'rammer.program' '{program.program_name}': {count}: {shown}{others}")


def _check_copied(graph: ApplicationGraph, copied: Sequence[bool]) -> None:
    """Refuse copies that run ahead of the tasks of their own block, of what a task writes, before any wait is over."""
    tasks = graph.tasks
    for task in tasks.early_dependences.consumers.tolist():
        operator = int(tasks.operator_of[task])
        if copied[operator]:
            application = graph.applications[operator]
            fail(
                application,
                f"'rammer.apply' of @{application.attributes['callee'].value} copies before its waits are over, ahead "
                "of the tasks of its block, what another task writes; take the operand out of early",
            )


def _constant(module: ir.Module, function: func.FuncOp, name: str, values: Ints) -> tuple[str, ir.Type]:
    """Write a table as a constant before the function; return its symbol and type."""
    flat = np.ascontiguousarray(values).reshape(-1)
    symbol = free_symbol(module, name)
    kind = ir.MemRefType.get([flat.size], ir.IntegerType.get_signless(32))
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(symbol),
        "sym_visibility": ir.StringAttr.get("private"),
        "type": ir.TypeAttr.get(kind),
        "initial_value": ir.DenseElementsAttr.get(flat),  # pyrefly: ignore[no-matching-overload] - the stub lacks arrays
        "constant": ir.UnitAttr.get(),
    }
    ir.Operation.create("memref.global", attributes=attributes, ip=ir.InsertionPoint(function))
    return symbol, kind


def _global(name: str, kind: ir.Type) -> ir.Value:
    symbol: dict[str, ir.Attribute] = {"name": ir.FlatSymbolRefAttr.get(name)}
    return ir.Operation.create("memref.get_global", results=[kind], attributes=symbol).results[0]
