# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The persistent kernel of a graph: each block walks the records of its vEU, whose bodies are those of single kernels.

Counters are never reset. Each block counts the launches in a cell of its own, which nobody else reads; an event that c
tasks signal has c more signals after each launch, and a wait in launch n (from 0) is for (n + 1) c of them. Differences
are compared, so that counters may wrap around.
Paper: RAMMER, section 4.1.2; the paper's kernel has code for each vEU, this one has tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from roller_mlir.dialects import rammer, rtile
from roller_mlir.lowering.codegen.builder.emitter import Emitter
from roller_mlir.lowering.codegen.builder.task_context import Slot, memref_view
from roller_mlir.lowering.codegen.graph.bodies import Bodies, BodyOperand, TaskBody, id_of, root_of
from roller_mlir.lowering.codegen.graph.crews import BodyTask, WalkingCrew, WholeBlock
from roller_mlir.lowering.codegen.graph.role_crews import RoleBlock
from roller_mlir.lowering.codegen.graph.roles import Roles
from roller_mlir.lowering.codegen.graph.tables import OPERANDS, PIECE_BYTES, Tables, ring_bytes
from roller_mlir.lowering.codegen.graph.walk import Body, RecordWalk, WalkedTask
from roller_mlir.lowering.codegen.hopper.warp_roles import RoleThread
from roller_mlir.lowering.codegen.kernel_function import (
    BUFFER_ALIGNMENT,
    BlockLimits,
    EmittedKernel,
    dynamic_memory,
    gpu_id,
    note_counts,
)
from roller_mlir.lowering.loops.attributes import REGISTERS, TASKS_PER_UNIT, TENSOR_MAP, WORKGROUP_ALIGNMENT
from roller_mlir.lowering.loops.nest import parallel_nest
from roller_mlir.lowering.loops.resident_loads import ResidentLoad, resident_loads
from roller_mlir.mapping.alignment import TILE_ALIGNMENT_BYTES
from roller_mlir.mapping.index import Linear, Symbol
from roller_mlir.mapping.tensor_copy import SWIZZLE_BYTES
from roller_mlir.plan.extent import as_extent
from roller_mlir.plan.persistent.stuck_report import REPORT_CELLS
from roller_mlir.plan.persistent.task_times import TIME_CELLS
from roller_mlir.rammer.resident.slots import SLOT_BYTES
from roller_mlir.rammer.schedule import VirtualDevice
from roller_mlir.support.bindings import ir, scf
from roller_mlir.support.values import defining_op


@dataclass(frozen=True, eq=False)
class GraphKernel:
    """What a persistent kernel is made of.

    Attributes:
        name: Its symbol.
        bodies: Its bodies, and the memory that they work on.
        tables: Its schedule.
        events: How many events there are.
        device: How many blocks there are, and what each may use.
        registers: Registers that a thread is expected to need; None where roles give and take them.
        roles: What bodies of wgmma share; None where none takes roles.
        wait_limit: Polls after which a wait is given up and reported; None: it never is.
        record_times: Whether start and end of each task are recorded.
    """

    name: str
    bodies: Bodies
    tables: Tables
    events: int
    device: VirtualDevice
    registers: int | None
    roles: Roles | None = None
    wait_limit: int | None = None
    record_times: bool = False


def emit_graph_kernel(kernel: GraphKernel, module_body: ir.Block, limits: BlockLimits) -> EmittedKernel:
    """Emit the persistent kernel of a graph at the end of a gpu.module.

    It takes the roots of its bodies in their order, then records, spans, waits and the state (a counter for each
    event, and for each block one of launches), and its tensor maps.
    """
    memory = kernel.device.workgroup_bytes
    dynamic = memory if memory > limits.static_workgroup_bytes else 0
    function = _declare(kernel, module_body, 0 if dynamic else memory)
    entry = function.regions[0].blocks[0]
    with ir.InsertionPoint(entry.operations[0]):
        arguments = list(entry.arguments)
        arena = dynamic_memory() if dynamic else arguments[-1]
        emission = _Emission(kernel, limits, arguments, arena)
        emission.run()
    # LLVM merges equal ends of bodies: what none of them may lose is what the largest has.
    note_counts(function, *map(max, zip(*emission.counts, strict=True)))
    return EmittedKernel(
        name=kernel.name,
        grid=as_extent(kernel.device.execution_units),
        block=kernel.device.threads,
        dynamic_workgroup_bytes=dynamic,
        workgroup_bytes=memory,
        maps=len(kernel.roles.maps) if kernel.roles else 0,
    )


def _declare(kernel: GraphKernel, module_body: ir.Block, static_bytes: int) -> ir.Operation:
    """Declare the kernel: only what no task writes is said to overlap with nothing."""
    i32, i64 = (ir.IntegerType.get_signless(width) for width in (32, 64))
    written = {id_of(root) for root in kernel.bodies.written}
    facts: list[ir.Attribute] = []
    inputs: list[ir.Type] = []
    aligned: dict[str, ir.Attribute] = {"llvm.align": ir.IntegerAttr.get(i64, BUFFER_ALIGNMENT)}
    constant: dict[str, ir.Attribute] = {
        **aligned,
        "llvm.noalias": ir.UnitAttr.get(),
        "llvm.readonly": ir.UnitAttr.get(),
    }
    for root in kernel.bodies.roots:
        inputs.append(root.type)
        facts.append(ir.DictAttr.get(aligned if id_of(root) in written else constant))
    tables = kernel.tables
    for size in (tables.records.size, tables.spans.size, tables.waits.size):
        inputs.append(ir.MemRefType.get([size], i32))
        facts.append(ir.DictAttr.get(constant))
    inputs.append(ir.MemRefType.get([state_size(kernel)], i32))
    facts.append(ir.DictAttr.get(aligned))
    for one in kernel.roles.maps if kernel.roles else ():
        inputs.append(ir.Type.parse("!llvm.ptr"))
        facts.append(ir.DictAttr.get({TENSOR_MAP: rtile.to_attribute(one)}))
    needed = TILE_ALIGNMENT_BYTES if kernel.roles is None else SWIZZLE_BYTES
    attributes: dict[str, ir.Attribute] = {
        "sym_name": ir.StringAttr.get(kernel.name),
        "function_type": ir.TypeAttr.get(ir.FunctionType.get(inputs, [])),
        "arg_attrs": ir.ArrayAttr.get(facts),
        "gpu.kernel": ir.UnitAttr.get(),
        "known_block_size": ir.DenseI32ArrayAttr.get([kernel.device.threads, 1, 1]),
        TASKS_PER_UNIT: ir.IntegerAttr.get(i64, kernel.device.per_unit),
    }
    if kernel.registers is not None:
        attributes[REGISTERS] = ir.IntegerAttr.get(i64, kernel.registers)
    types = list(inputs)
    if static_bytes:
        types.append(ir.Type.parse(f"memref<{static_bytes}xi8, #gpu.address_space<workgroup>>"))
        attributes["workgroup_attributions"] = ir.IntegerAttr.get(i64, 1)
        alignment: dict[str, ir.Attribute] = {"llvm.align": ir.IntegerAttr.get(i64, needed)}
        attributes["workgroup_attrib_attrs"] = ir.ArrayAttr.get([ir.DictAttr.get(alignment)])
    elif kernel.roles is not None:
        attributes[WORKGROUP_ALIGNMENT] = ir.IntegerAttr.get(i64, needed)
    function = ir.Operation.create("gpu.func", attributes=attributes, regions=1, ip=ir.InsertionPoint(module_body))
    block = function.regions[0].blocks.append(*types, arg_locs=[function.location] * len(types))
    ir.Operation.create("gpu.return", ip=ir.InsertionPoint(block))
    return function


def state_size(kernel: GraphKernel) -> int:
    """Return the cells of the state: a counter for each event, for each block one of launches, report and times."""
    positions = kernel.device.execution_units * kernel.tables.tasks
    return times_cell(kernel) + (TIME_CELLS * positions if kernel.record_times else 0)


def report_cell(kernel: GraphKernel) -> int:
    """Return the first cell of the report of a wait that was given up."""
    return kernel.events + kernel.device.execution_units


def times_cell(kernel: GraphKernel) -> int:
    """Return the first cell of the times of tasks, behind the report."""
    return report_cell(kernel) + (0 if kernel.wait_limit is None else len(REPORT_CELLS))


class _Emission:
    """The emission of one kernel's code."""

    def __init__(
        self, kernel: GraphKernel, limits: BlockLimits, arguments: Sequence[ir.Value], arena: ir.Value
    ) -> None:
        self.kernel, self.limits, self.arena = kernel, limits, arena
        roots = kernel.bodies.roots
        self.root = {id_of(root): value for root, value in zip(roots, arguments, strict=False)}
        self.records, self.spans, self.waits, self.state, *given = arguments[len(roots) :]
        self.maps = given[: len(kernel.roles.maps)] if kernel.roles else []
        self.emitter = Emitter()
        self.counts: list[tuple[int, int]] = []
        self.i32 = ir.IntegerType.get_signless(32)
        self.thread, self.block = gpu_id("gpu.thread_id"), gpu_id("gpu.block_id")

    def run(self) -> None:
        """Emit the walk over the records of a block."""
        emit, kernel, tables = self.emitter, self.kernel, self.kernel.tables
        walk = RecordWalk(
            emit=emit,
            thread=self.thread,
            subgroup_size=self.limits.subgroup_size,
            block=self.block,
            records=self.records,
            tasks=tables.tasks,
            fields=tables.fields,
            flagged=kernel.roles is not None,
            spans=self.spans,
            waits=self.waits,
            ring=self._ring(1),
            state=self.state,
            in_front=tables.in_front,
            events=kernel.events,
            limit=None if kernel.wait_limit is None else (kernel.wait_limit, report_cell(kernel)),
            times=times_cell(kernel) if kernel.record_times else None,
        )
        now = walk.launches()
        if kernel.roles is None:
            crew = WholeBlock(emit, self.thread, kernel.device.threads, self.limits, self.arena)
            walk.together(crew, self._bodies(crew), now)
        else:
            own = RoleThread.of(emit)
            block = RoleBlock(emit, kernel.roles, kernel.device, self.limits, self.arena, self.maps, own)
            block.split(
                lambda crew: replace(walk, thread=crew.thread, ring=self._ring(2), times=None).together(
                    crew, self._bodies(crew), now
                ),
                lambda crew: walk.together(crew, self._bodies(crew), now),
            )
        walk.count_launch()

    def _ring(self, number: int) -> ir.Value:
        """Return the ring of a crew, from the end of workgroup memory."""
        fields, total = self.kernel.tables.fields, self.kernel.device.workgroup_bytes
        offset = total - number * ring_bytes(fields - OPERANDS)
        return memref_view(self.emitter, self.arena, offset, [2 * fields + 2], self.i32)

    def _bodies(self, crew: WalkingCrew) -> list[Body]:
        """Return what emits each body for whoever walks."""
        bodies = zip(self.kernel.bodies.bodies, self.kernel.tables.in_body, strict=True)
        return [partial(self._body, crew, body, waits_here) for body, waits_here in bodies]

    def _body(
        self, crew: WalkingCrew, body: TaskBody, waits_here: bool, task: WalkedTask, carried: list[ir.Value]
    ) -> list[ir.Value]:
        if not crew.runs(body):
            return task.wait(carried, waits_here)
        emit = self.emitter
        tasks = parallel_nest(body.program.operation).trips.static
        waiting = iter(task.starts)
        buffers: dict[ir.Value, ir.Value] = {}
        for argument, operand in zip(body.program.entry.arguments, body.operands, strict=True):
            buffers[argument] = self._operand(argument.type, operand, next(waiting) if operand.recorded else None)
        own = emit.op("arith.addi", [emit.op("arith.index_cast", [self.thread], self.i32), task.zero], self.i32)
        thread = self._bounded(own, crew.threads)
        number = Symbol("task", 0, tasks - 1, 1, self._bounded(task.number, tasks) if tasks > 1 else None)
        indices: dict[ir.Value, Linear] = {}
        for value, (low, high, divisor) in zip(rammer.start_values(body.program), body.ranges, strict=True):
            indices[value] = Linear.of(Symbol("start", low, high, divisor, next(waiting)))

        def wait(carried: list[ir.Value]) -> list[ir.Value]:
            return task.wait(carried, waits_here)

        slots = {
            body.program.entry.arguments[operand]: self._slot(load, next(waiting))
            for operand, load in resident_loads(body.program, body.resident).items()
        }
        arguments = body.program.entry.arguments
        early = [
            slots[arguments[one]].view if arguments[one] in slots else buffers[arguments[one]] for one in body.early
        ]
        found, counts = crew.run(
            BodyTask(body, number, thread, buffers, task.starts, indices, slots, wait, early), carried
        )
        self.counts.append(counts)
        return found

    def _slot(self, load: ResidentLoad, word: ir.Value) -> Slot:
        """Return the slot that a word of the record says."""
        emit, index = self.emitter, self.emitter.index_type
        number = emit.op("arith.shrui", [word, emit.constant(1)], index)
        start = emit.op("arith.muli", [number, emit.constant(SLOT_BYTES)], index)
        brought = emit.op("arith.andi", [word, emit.constant(1)], index)
        element = ir.MemRefType(load.load.source.type).element_type
        return Slot(
            view=memref_view(emit, self.arena, start, load.extents, element),
            buffer=memref_view(emit, self.arena, start, (1, *load.extents), element),
            filled=emit.compare("ne", brought, emit.constant(0)),
            access_bytes=self.limits.access_bytes,
        )

    def _operand(self, kind: ir.Type, operand: BodyOperand, word: ir.Value | None) -> ir.Value:
        """Return an operand: its argument, or what a word of the record says."""
        emit, count = self.emitter, len(operand.arguments)
        if word is None:
            return self._reshaped(operand.arguments[0])
        if not count:
            return self._view(kind, word)
        cases = count if operand.in_workspace else count - 1
        switch = ir.Operation.create(
            "scf.index_switch",
            results=[kind],
            operands=[word],
            regions=1 + cases,
            attributes={"cases": ir.DenseI64ArrayAttr.get(list(range(cases)))},
        )
        for number, region in enumerate(switch.regions, -1):
            with emit.scope(region.blocks.append()):
                if number < 0 and operand.in_workspace:
                    start = emit.op("arith.subi", [word, emit.constant(count)], emit.index_type)
                    scf.YieldOp([self._view(kind, start)])
                else:
                    scf.YieldOp([self._reshaped(operand.arguments[number])])  # the default is the last one
        return switch.results[0]

    def _view(self, kind: ir.Type, start: ir.Value) -> ir.Value:
        """Return an operand in the workspace, which starts at so many pieces."""
        emit = self.emitter
        shift = emit.op("arith.muli", [start, emit.constant(PIECE_BYTES)], emit.index_type)
        workspace = self.kernel.bodies.workspace
        assert workspace is not None
        return ir.Operation.create(
            "memref.view", results=[kind], operands=[self.root[id_of(workspace)], shift]
        ).results[0]

    def _reshaped(self, value: ir.Value) -> ir.Value:
        """Return the kernel's value of an operand of the function, through the same reshapes."""
        root = root_of(value)
        if value == root:
            return self.root[id_of(root)]
        op = defining_op(value)
        source = self._reshaped(op.operands[0])
        clone = op.clone(ip=ir.InsertionPoint.current)
        clone.operands[0] = source
        return clone.results[0]

    def _bounded(self, value: ir.Value, extent: int) -> ir.Value:
        """Return an i32 as an index below the next power of two: what a load of it has lost."""
        emit = self.emitter
        mask = self._i32((1 << max(1, (extent - 1).bit_length())) - 1)
        return emit.op("arith.index_castui", [emit.op("arith.andi", [value, mask], self.i32)], emit.index_type)

    def _i32(self, value: int) -> ir.Value:
        return self.emitter.typed_constant(ir.IntegerAttr.get(self.i32, value))
