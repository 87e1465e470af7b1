# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The persistent kernel of a graph: each block walks the records of its vEU, whose bodies are those of single kernels.

    for record in records[block]:
        wait for its events: one thread each polls the counter, then all pass a barrier
        run body number record.body with task record.task
        signal: behind a barrier, one thread makes what the block wrote visible and adds 1 to the counter

Counters are never reset. Each block counts the launches in a cell of its own, which nobody else reads; an event that c
tasks signal has c more signals after each launch, and a wait in launch n (from 0) is for (n + 1) c of them. Differences
are compared, so that counters may wrap around.
Paper: RAMMER, section 4.1.2; the paper's kernel has code for each vEU, this one has tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from roller_mlir.codegen.builder.emitter import Emitter
from roller_mlir.codegen.graph.bodies import Bodies, TaskBody, id_of, root_of
from roller_mlir.codegen.graph.crews import BlockCrew, BodyTask, WholeBlock
from roller_mlir.codegen.graph.events import add_signal, wait_for
from roller_mlir.codegen.graph.role_crews import RoleBlock
from roller_mlir.codegen.graph.roles import Roles
from roller_mlir.codegen.graph.tables import (
    BODY,
    FIRST_WAIT,
    OPERANDS,
    PIECE_BYTES,
    SIGNAL,
    TASK,
    WAITS,
    ZERO,
    Tables,
)
from roller_mlir.codegen.hopper.warp_roles import RoleThread
from roller_mlir.codegen.kernel_function import (
    BUFFER_ALIGNMENT,
    BlockLimits,
    EmittedKernel,
    dynamic_memory,
    gpu_id,
    note_counts,
)
from roller_mlir.dialects import rtile
from roller_mlir.loops.attributes import SITE, TASKS_PER_UNIT, TENSOR_MAP, WORKGROUP_ALIGNMENT
from roller_mlir.loops.loop_nest import parallel_nest
from roller_mlir.mapping.arena_offsets import TILE_ALIGNMENT_BYTES
from roller_mlir.mapping.index import Symbol
from roller_mlir.mapping.tensor_copy import SWIZZLE_BYTES
from roller_mlir.plan.extent import as_extent
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
        roles: What bodies of wgmma share; None where none takes roles.
    """

    name: str
    bodies: Bodies
    tables: Tables
    events: int
    device: VirtualDevice
    roles: Roles | None = None


def emit_graph_kernel(kernel: GraphKernel, module_body: ir.Block, limits: BlockLimits) -> EmittedKernel:
    """Emit the persistent kernel of a graph at the end of a gpu.module.

    It takes the roots of its bodies in their order, then records, lengths, waits and the state (a counter for each
    event, and for each block one of launches), and its tensor maps.
    """
    memory = kernel.device.workgroup_bytes
    dynamic = memory if memory > limits.static_workgroup_bytes else 0
    function = _declare(kernel, module_body, 0 if dynamic else memory)
    entry = function.regions[0].blocks[0]
    with ir.InsertionPoint(entry.operations[0]):
        arguments = list(entry.arguments)
        arena = dynamic_memory() if dynamic else arguments[-1] if memory else None
        emission = _Emission(kernel, limits, arguments, arena)
        emission.run()
    note_counts(function, *emission.counts)
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
    for size in (tables.records.size, tables.lengths.size, tables.waits.size):
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
    """Return the cells of the state: a counter for each event, and for each block one of launches."""
    return kernel.events + kernel.device.execution_units


class _Emission:
    """The emission of one kernel's code."""

    def __init__(
        self, kernel: GraphKernel, limits: BlockLimits, arguments: Sequence[ir.Value], arena: ir.Value | None
    ) -> None:
        self.kernel, self.limits, self.arena = kernel, limits, arena
        roots = kernel.bodies.roots
        self.root = {id_of(root): value for root, value in zip(roots, arguments, strict=False)}
        self.records, self.lengths, self.waits, self.state, *given = arguments[len(roots) :]
        self.maps = given[: len(kernel.roles.maps)] if kernel.roles else []
        self.emitter = Emitter()
        self.counts = (0, 0)
        self.i32 = ir.IntegerType.get_signless(32)
        self.thread, self.block = gpu_id("gpu.thread_id"), gpu_id("gpu.block_id")

    def run(self) -> None:
        """Emit the walk over the records of a block."""
        emit = self.emitter
        launches = emit.op("arith.addi", [emit.constant(self.kernel.events), self.block], emit.index_type)
        before = self._load(self.state, launches, "load launches")
        now = emit.op("arith.addi", [before, self._i32(1)], self.i32)
        if self.kernel.roles is None:
            threads, size = self.kernel.device.threads, self.limits.subgroup_size
            self._walk(WholeBlock(emit, self.thread, threads, size, self.arena), now)
            ir.Operation.create("gpu.barrier")
        else:
            assert self.arena is not None
            own = RoleThread.of(emit)
            block = RoleBlock(emit, self.kernel.roles, self.kernel.device, self.limits, self.arena, self.maps, own)
            block.split(lambda crew: self._walk(crew, now))

        def count() -> list[ir.Value]:
            self._store(now, self.state, launches, "store launches")
            return []

        emit.branch(emit.compare("eq", self.thread, emit.constant(0)), [], count)

    def _walk(self, crew: BlockCrew, now: ir.Value) -> None:
        """Emit the walk of a crew over the records of a block."""
        emit = self.emitter
        length = self._load(self.lengths, self.block, "load length")
        loop = scf.ForOp(self._i32(0), length, self._i32(1), crew.start())
        with emit.scope(loop.body):
            position = emit.op("arith.index_castui", [loop.induction_variable], emit.index_type)
            scf.YieldOp(self._task(crew, position, now, list(loop.inner_iter_args)))
        self.counts = (self.counts[0] + crew.counts[0], self.counts[1] + crew.counts[1])

    def _task(self, crew: BlockCrew, position: ir.Value, now: ir.Value, carried: list[ir.Value]) -> list[ir.Value]:
        emit, roles = self.emitter, self.kernel.roles
        _, most, fields = self.kernel.tables.records.shape
        first = emit.op("arith.muli", [self.block, emit.constant(most)], emit.index_type)
        number = emit.op("arith.addi", [first, position], emit.index_type)
        base = emit.op("arith.muli", [number, emit.constant(fields)], emit.index_type)

        def field(which: int) -> ir.Value:
            at = emit.op("arith.addi", [base, emit.constant(which)], emit.index_type)
            return self._load(self.records, at, "load record")

        def index(which: int) -> ir.Value:
            return emit.op("arith.index_castui", [field(which)], emit.index_type)

        waits, count = index(FIRST_WAIT), index(WAITS)
        flags = None if roles is None else field(fields - 1)
        carried = crew.wait(count, lambda number: self._poll(waits, number, now), flags, carried)
        task, zero = field(TASK), field(ZERO)
        starts = [index(OPERANDS + n) for n in range(fields - OPERANDS - (roles is not None))]
        bodies = self.kernel.bodies.bodies
        cases = ir.DenseI64ArrayAttr.get(list(range(1, len(bodies))))
        switch = ir.Operation.create(
            "scf.index_switch",
            results=[value.type for value in carried],
            operands=[index(BODY)],
            regions=len(bodies),
            attributes={"cases": cases},
        )
        for region, body in zip(switch.regions, bodies, strict=True):  # the first one is the default
            with emit.scope(region.blocks.append()):
                runs = crew.runs(body)
                scf.YieldOp(self._body(crew, body, task, zero, starts, carried) if runs else carried)
        crew.done(flags, lambda: self._signal(field(SIGNAL)))
        return list(switch.results)

    def _body(
        self, crew: BlockCrew, body: TaskBody, task: ir.Value, zero: ir.Value, starts: Sequence[ir.Value],
        carried: list[ir.Value],
    ) -> list[ir.Value]:  # fmt: skip
        emit = self.emitter
        tasks = parallel_nest(body.program.operation).trips.static
        waiting = iter(starts)
        buffers: dict[ir.Value, ir.Value] = {}
        for argument, value in zip(body.program.entry.arguments, body.operands, strict=True):
            buffers[argument] = self._view(argument.type, next(waiting)) if value is None else self._reshaped(value)
        own = emit.op("arith.addi", [emit.op("arith.index_cast", [self.thread], self.i32), zero], self.i32)
        thread = self._bounded(own, crew.threads)
        number = Symbol("task", 0, tasks - 1, 1, self._bounded(task, tasks) if tasks > 1 else None)
        return crew.run(BodyTask(body, number, thread, buffers, starts), carried)

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
        clone = op.clone(ip=ir.InsertionPoint.current)
        clone.operands[0] = self._reshaped(op.operands[0])
        return clone.results[0]

    def _bounded(self, value: ir.Value, extent: int) -> ir.Value:
        """Return an i32 as an index below the next power of two: what a load of it has lost."""
        emit = self.emitter
        mask = self._i32((1 << max(1, (extent - 1).bit_length())) - 1)
        return emit.op("arith.index_castui", [emit.op("arith.andi", [value, mask], self.i32)], emit.index_type)

    def _poll(self, first: ir.Value, number: ir.Value, now: ir.Value) -> None:
        """Poll the counter of an event until it has all signals of this launch."""
        emit = self.emitter
        own = emit.op("arith.addi", [first, number], emit.index_type)
        at = emit.op("arith.muli", [own, emit.constant(2)], emit.index_type)
        event = self._load(self.waits, at, "load wait")
        after = emit.op("arith.addi", [at, emit.constant(1)], emit.index_type)
        signals = self._load(self.waits, after, "load wait")
        target = emit.op("arith.muli", [now, signals], self.i32)
        wait_for(emit, self.state, emit.op("arith.index_castui", [event], emit.index_type), target)

    def _signal(self, event: ir.Value) -> None:
        """Let one thread add 1 to the counter of an event, where there is one."""
        emit = self.emitter
        number = emit.op("arith.index_cast", [event], emit.index_type)
        first = emit.compare("eq", self.thread, emit.constant(0))
        wanted = emit.both(first, emit.compare("sge", number, emit.constant(0)))
        assert wanted is not None

        def signal() -> list[ir.Value]:
            add_signal(emit, self.state, number)
            return []

        emit.branch(wanted, [], signal)

    def _load(self, table: ir.Value, at: ir.Value, site: str) -> ir.Value:
        return self.emitter.op("memref.load", [table, at], self.i32, {SITE: ir.StringAttr.get(site)})

    def _store(self, value: ir.Value, table: ir.Value, at: ir.Value, site: str) -> None:
        attributes: dict[str, ir.Attribute] = {SITE: ir.StringAttr.get(site)}
        ir.Operation.create("memref.store", operands=[value, table, at], attributes=attributes)

    def _i32(self, value: int) -> ir.Value:
        return self.emitter.typed_constant(ir.IntegerAttr.get(self.i32, value))
