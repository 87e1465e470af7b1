# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowers the kernels of a `gpu.module` to LLVM IR for the host: one function a kernel, run once per thread.

Before: `gpu.func @k(%a: memref<8xf32>) workgroup(%w: ...)` with `gpu.thread_id`, `gpu.barrier`, `gpu.shuffle`, memory.
After:  `@kernel_0(a, w, dynamic workgroup memory, its size, block's record, thread x y z, block x y z, block size
x y z, grid x y z)`; what threads do together and every check are calls of the runtime (`runtime_ir`, `kernel_ir`).
Refused, with a location: operations that the simulator does not know, dynamic argument shapes, function calls.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from math import prod
from typing import Any, ClassVar, Protocol

from roller_mlir.lowering.backend.math.operations import prepare_math
from roller_mlir.lowering.backend.translate import to_llvm_22
from roller_mlir.sim.engine.sites import SiteTable
from roller_mlir.sim.gpu.accesses import Instrumenter
from roller_mlir.sim.gpu.assumptions import Assumptions
from roller_mlir.sim.gpu.async_copies import TOKEN, AsyncCopies
from roller_mlir.sim.gpu.emit import KernelEmitter
from roller_mlir.sim.gpu.kernel_ir import Entry, KernelParameter, LaunchNeeds, complete
from roller_mlir.sim.gpu.lds_copies import LdsCopies
from roller_mlir.sim.gpu.memory_types import as_memref, scalar_llvm_type, size_bytes, without_space
from roller_mlir.sim.gpu.near_zero import expand_near_zero
from roller_mlir.sim.gpu.ops import GROUPS, GpuOps
from roller_mlir.sim.gpu.polls import plan_watch
from roller_mlir.sim.hopper.calls import HopperCalls
from roller_mlir.sim.hopper.copy_ops import BulkCopyOps
from roller_mlir.sim.hopper.map_ops import MapOps
from roller_mlir.sim.hopper.mbarrier_ops import MbarrierOps
from roller_mlir.sim.hopper.mma import WarpgroupOps
from roller_mlir.sim.hopper.ops import HopperOps, refuse_clusters
from roller_mlir.sim.hopper.tensor_maps import ATTRIBUTE, read_made_maps, read_map
from roller_mlir.sim.kernel_limits import MOST_WORKGROUP_BYTES, KernelLimits, check_global, is_plain
from roller_mlir.sim.llvm.hardened import harden
from roller_mlir.sim.matrix.fragments import KernelFragments
from roller_mlir.sim.matrix.ops import MatrixOps
from roller_mlir.sim.matrix.wmma import WmmaOps, host_fragment
from roller_mlir.support.bindings import ir, llvm, passmanager
from roller_mlir.support.diagnostics import collecting, diagnosed, fail
from roller_mlir.support.values import operations_inside, replace_op

_PIPELINE = """builtin.module(
  expand-strided-metadata, lower-affine, convert-vector-to-scf, convert-scf-to-cf,
  convert-math-to-llvm, convert-math-to-libm, convert-vector-to-llvm, finalize-memref-to-llvm,
  convert-func-to-llvm{use-bare-ptr-memref-call-conv=1}, convert-arith-to-llvm, convert-cf-to-llvm,
  convert-index-to-llvm, convert-ub-to-llvm, reconcile-unrealized-casts, canonicalize, cse)"""

_ANY_COMBINER = "memref.generic_atomic_rmw"
_COUNTER = "llvm.readcyclecounter"
"""The one intrinsic that is called by its name: the host counts cycles, too."""
_ARENA_ALIGNMENT_BYTES = 128


@dataclass(frozen=True)
class LoweredKernels:
    """Kernels as LLVM IR.

    Attributes:
        text: LLVM IR that llvmlite reads.
        entries: By the kernel's name.
        table: The sites of all kernels.
        needs: What their launches need.
    """

    text: str
    entries: dict[str, Entry]
    table: SiteTable
    needs: LaunchNeeds


def _expand_combiner(operation: Any) -> None:
    """Turn memref.generic_atomic_rmw into a load, its body and a store: no other thread runs in between."""
    target, *indices = operation.operands
    body = operation.regions[0].blocks[0]
    where = ir.InsertionPoint(operation)
    kind = target.type.element_type
    nowhere = ir.Location.unknown()
    old = ir.Operation.create("memref.load", [kind], [target, *indices], loc=nowhere, ip=where).results[0]
    body.arguments[0].replace_all_uses_with(old)
    *inside, last = [inner.operation for inner in body.operations]
    for inner in inside:
        inner.move_before(operation)
    ir.Operation.create("memref.store", [], [last.operands[0], target, *indices], loc=nowhere, ip=where)
    replace_op(operation, old)


def _counts(operation: Any) -> bool:
    """Return whether an operation reads the counter of cycles."""
    named = str(operation.name) == "llvm.call_intrinsic"
    return named and ir.StringAttr(operation.attributes["intrin"]).value == _COUNTER


def _host_type(kind: Any) -> Any:
    """Return a type without what only a GPU has: memory spaces, tokens, matrices of subgroups."""
    if isinstance(kind, ir.MemRefType):
        return without_space(kind)
    return ir.IntegerType.get_signless(32) if str(kind) == TOKEN else host_fragment(kind) or kind


def _parameter(function: Any, number: int, kind: Any) -> KernelParameter:
    tensor_map = read_map(function, number)
    if tensor_map is not None:
        return KernelParameter("ptr", None, ATTRIBUTE, tensor_map)
    memref = as_memref(kind)
    if memref is None:
        spelled = scalar_llvm_type(kind)
        if spelled is None:
            fail(function, f"argument {number} must be a memref or a scalar, but got {kind}")
        return KernelParameter(spelled, None, str(kind))
    strides, offset = memref.get_strides_and_offset()
    identity = [prod(memref.shape[axis + 1 :]) for axis in range(memref.rank)]
    if not memref.has_static_shape or list(strides) != identity or offset != 0:
        fail(function, f"argument {number} must be a memref of static shape and identity layout, but got {kind}")
    made = read_made_maps(function, number)
    return KernelParameter("ptr", tuple(memref.shape), str(memref.element_type), made_maps=made)


@dataclass(frozen=True, kw_only=True)
class LoweringOptions:
    """How kernels are lowered.

    Attributes:
        subgroup_size: Lanes of a subgroup.
        check: Whether accesses are checked against their memrefs.
        log: Whether accesses are logged.
        sanitize: Whether the sanitizer sees accesses.
        file: What reports call text that has no name.
    """

    subgroup_size: int
    check: bool
    log: bool
    sanitize: bool
    file: str


class _Planner(Protocol):
    """Knows some operations and how they are rewritten.

    Attributes:
        takes: How the names of its operations begin; it is asked for no other.
    """

    takes: ClassVar[tuple[str, ...]]

    def plan(self, operation: Any) -> Callable[[], None] | None: ...


class _KernelLowering:
    """Lowers one gpu.func into the given module."""

    def __init__(
        self, function: Any, number: int, table: SiteTable, needs: LaunchNeeds, options: LoweringOptions
    ) -> None:
        self.function = function
        self.name = str(ir.StringAttr(function.attributes["sym_name"]).value)
        self.symbol = f"kernel_{number}"
        self.entry_block = function.regions[0].blocks[0]
        self._table, self._needs, self._options = table, needs, options

    def run(self, target: Any) -> tuple[Entry, dict[str, Any]]:
        """Move the kernel into `target`; return its entry and the functions that it calls."""
        block = self.entry_block
        signature = ir.FunctionType(ir.TypeAttr(self.function.attributes["function_type"]).value)
        given = len(signature.inputs)
        shared = 0
        if "workgroup_attributions" in self.function.attributes:
            shared = int(ir.IntegerAttr(self.function.attributes["workgroup_attributions"]).value)
        parameters = tuple(_parameter(self.function, n, kind) for n, kind in enumerate(signature.inputs))
        offsets, static_bytes = self._place([a.type for a in list(block.arguments)[given : given + shared]])
        self._allocate_private(given + shared)
        index = ir.IndexType.get()
        nowhere = ir.Location.unknown()
        dynamic = block.add_argument(ir.MemRefType.get([1], ir.IntegerType.get_signless(8)), nowhere)
        dynamic_bytes = block.add_argument(index, nowhere)
        emitter = KernelEmitter(block, block.add_argument(index, nowhere), self._table, self.name, self._needs)
        geometry = {group: [block.add_argument(index, nowhere) for _ in range(3)] for group in GROUPS}
        options = self._options
        memory = Instrumenter(emitter, options.check, options.log, options.sanitize)
        gpu_ops = GpuOps(emitter, options.subgroup_size, geometry, dynamic, dynamic_bytes)
        copies = (AsyncCopies(memory), LdsCopies(memory, gpu_ops))
        fragments = KernelFragments(emitter)
        matrices = (MatrixOps(memory, gpu_ops, fragments), WmmaOps(memory, gpu_ops, fragments))
        refuse_clusters(self.function)
        calls = HopperCalls(memory, gpu_ops)
        groups = WarpgroupOps(calls, operations_inside(self.function)[1:])
        hopper = (MapOps(calls), MbarrierOps(calls), BulkCopyOps(calls), HopperOps(calls), groups)
        planners = (*copies, *matrices, *hopper, Assumptions(memory), memory, gpu_ops)
        self._rewrite(emitter, memory, planners, groups)
        described = [spec for one in parameters for spec in (one.tensor_map, *one.made_maps) if spec is not None]
        self._needs.widths |= {spec.element_bytes for spec in described}
        with ir.InsertionPoint(target.body), nowhere:
            kind = ir.FunctionType.get([a.type for a in block.arguments], [])
            created = ir.Operation.create(
                "func.func",
                regions=1,
                attributes={"sym_name": ir.StringAttr.get(self.symbol), "function_type": ir.TypeAttr.get(kind)},
            )
        for moved in list(self.function.regions[0].blocks):
            moved.append_to(created.regions[0])
        return Entry(self.symbol, parameters, offsets, static_bytes), emitter.declared

    def _rewrite(
        self, emitter: KernelEmitter, memory: Instrumenter, planners: Sequence[_Planner], groups: WarpgroupOps
    ) -> None:
        emitter.constant(0)
        todo: list[Callable[[], None]] = []
        operations = operations_inside(self.function)[1:]
        limits = KernelLimits(self.function)
        asked: dict[str, list[_Planner]] = {}
        for operation in operations:
            name = str(operation.name)
            if name not in asked:
                asked[name] = [planner for planner in planners if name.startswith(planner.takes)]
            limits.check(operation)
            watch = plan_watch(emitter, operation)
            if watch is not None:
                todo.insert(0, watch)
            actions = (planner.plan(operation) for planner in asked[name])
            action = next((one for one in actions if one is not None), None)
            if action is not None:
                todo.append(action)
                if name == _ANY_COMBINER:
                    todo.append(partial(_expand_combiner, operation))
            elif not (is_plain(name) or memory.knows(name) or _counts(operation)):
                fail(operation, f"'{name}' is not known to the simulator")
        todo[:0] = groups.checks()
        host_type = cache(lambda kind: groups.host_type(_host_type(kind)))
        for operation in operations:
            for result in operation.results:
                result.set_type(host_type(result.type))
        for operation in (self.function, *operations):
            for region in operation.regions:
                for block in region.blocks:
                    for argument in block.arguments:
                        argument.set_type(host_type(argument.type))
        for action in todo:
            action()

    def _place(self, kinds: list[Any]) -> tuple[tuple[int, ...], int]:
        """Lay the workgroup attributions out in the arena."""
        offsets: list[int] = []
        end = 0
        for kind in kinds:
            if not kind.has_static_shape:
                fail(self.function, f"a workgroup attribution must have a static shape, but got {kind}")
            offsets.append(end)
            size = int(prod(kind.shape)) * size_bytes(kind.element_type)
            if end + size > MOST_WORKGROUP_BYTES:
                need = f"workgroup attributions of {end + size} B are above the limit of {MOST_WORKGROUP_BYTES} B"
                fail(self.function, f"{need}; allocate less")
            end = -(-(end + size) // _ARENA_ALIGNMENT_BYTES) * _ARENA_ALIGNMENT_BYTES
        return tuple(offsets), end

    def _allocate_private(self, first: int) -> None:
        """Turn private attributions into allocas."""
        block = self.entry_block
        for argument in reversed(list(block.arguments)[first:]):
            where = ir.InsertionPoint.at_block_begin(block)
            sizes: dict[str, Any] = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0])}
            created = ir.Operation.create(
                "memref.alloca", [argument.type], [], sizes, loc=self.function.location, ip=where
            )
            argument.replace_all_uses_with(created.results[0])
            block.erase_argument(argument.arg_number)


def lower(module: Any, options: LoweringOptions) -> LoweredKernels:
    """Lower every kernel of every gpu.module inside `module`, which is consumed.

    Args:
        module: A module or gpu.module; pass a clone to keep it.
        options: How.

    Raises:
        DiagnosedError: A kernel holds what the simulator does not know.
    """
    table = SiteTable(options.file)
    entries: dict[str, Entry] = {}
    needs = LaunchNeeds()
    with module.context, ir.Location.unknown():
        target = ir.Module.create()
        declared: dict[str, Any] = {}
        top = [one for one in operations_inside(module) if one.name == "gpu.module"]
        for inside in [o for gpu_module in top for o in list(gpu_module.regions[0].blocks[0].operations)]:
            operation = inside.operation
            if operation.name == "memref.global":
                check_global(operation)
                operation.attributes["type"] = ir.TypeAttr.get(
                    without_space(ir.TypeAttr(operation.attributes["type"]).value)
                )
                operation.detach_from_parent()
                target.body.append(operation)
            elif operation.name == "gpu.func":
                lowering = _KernelLowering(operation, len(entries), table, needs, options)
                if lowering.name in entries:
                    fail(operation, f"kernel names must be unique, but got two '{lowering.name}'")
                entries[lowering.name], calls = lowering.run(target)
                declared |= calls
        with ir.InsertionPoint.at_block_begin(target.body):
            for name, kind in declared.items():
                attributes: dict[str, Any] = {
                    "sym_name": ir.StringAttr.get(name),
                    "function_type": ir.TypeAttr.get(kind),
                    "sym_visibility": ir.StringAttr.get("private"),
                }
                ir.Operation.create("func.func", regions=1, attributes=attributes)
        prepare_math(target.operation)
        expand_near_zero(target.operation)
        with collecting(module.context) as collector:
            try:
                passmanager.PassManager.parse(_PIPELINE).run(target.operation)
            except ir.MLIRError as error:
                raise diagnosed(collector, error) from None
        for operation in operations_inside(target.operation)[1:]:
            if not operation.name.startswith("llvm."):  # the translation crashes on anything else
                fail(operation, f"'{operation.name}' has no lowering to LLVM in the simulator")
        translate: Any = llvm.translate_module_to_llvmir  # pyrefly: ignore[missing-attribute] - the stub lacks it
        text = to_llvm_22(translate(target.operation))
    return LoweredKernels(complete(harden(text), list(entries.values())), entries, table, needs)
