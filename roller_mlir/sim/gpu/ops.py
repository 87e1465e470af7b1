# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the gpu operations of a kernel, and its loops: places, barriers, shuffles, spins, the watchdog's ticks."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from roller_mlir.lowering.backend.checks.operands import shuffle_problem
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.emit import KernelEmitter
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.sim.gpu.memory_types import size_bytes
from roller_mlir.sim.gpu.pointers import atomicity, fence_order
from roller_mlir.sim.gpu.polls import find_poll, note_poll
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of, replace_op

GROUPS = ("thread_id", "block_id", "block_dim", "grid_dim")
_PLACES = ("global_id", "lane_id", "subgroup_id", "subgroup_size", "num_subgroups")
AXES = {"x": 0, "y": 1, "z": 2}
_ATOMICS = {"memref.atomic_rmw", "memref.generic_atomic_rmw", "llvm.atomicrmw", "llvm.cmpxchg"}
_CLOCK = "llvm.readsteadycounter"
_SHORT_LOOP = 64
"""Loops of at most so many iterations do not tick: what is around them does."""


def word(attribute: Any) -> str:
    """Return the enumerator of an attribute: `#gpu<dim x>`, `#gpu.barrier_scope<workgroup>`, `#nvvm<shfl_kind idx>`."""
    return str(attribute).rstrip(">").replace("<", " ").split()[-1]


@dataclass
class GpuOps:
    """Rewrites the gpu operations of one kernel.

    Attributes:
        emitter: Emits into the kernel.
        subgroup_size: Lanes of a subgroup.
        geometry: x, y, z of each group of `GROUPS`.
        dynamic: The dynamic workgroup memory, as memref<1xi8>.
        dynamic_bytes: Its size.
    """

    takes: ClassVar[tuple[str, ...]] = (
        *("gpu.", "amdgpu.lds_barrier", "memref.memory_space_cast", "scf.", "cf."),
        *("llvm.fence", "llvm.call_intrinsic"),
    )

    emitter: KernelEmitter
    subgroup_size: int
    geometry: dict[str, list[Any]]
    dynamic: Any
    dynamic_bytes: Any

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it stays, or is unknown here."""
        name = str(operation.name)
        prefix, _, rest = name.partition(".")
        if name == "gpu.return":
            return lambda: self._return(operation)
        if name in ("gpu.barrier", "amdgpu.lds_barrier"):
            return self._plan_barrier(operation)
        if name == "gpu.shuffle":
            return self._plan_shuffle(operation)
        if name == "gpu.dynamic_shared_memory":
            return lambda: self._dynamic_memory(operation)
        if name == "memref.memory_space_cast":
            return lambda: replace_op(operation, operation.operands[0])
        if name == "scf.while":
            return self._plan_while(operation)
        if name == "scf.for":
            return self._plan_for(operation)
        if name == "llvm.fence":
            order = self.emitter.constant(int(fence_order(operation)))
            return lambda: self.emitter.call(ir.InsertionPoint(operation), PREFIX + "fence", [order])
        if name == "llvm.call_intrinsic" and ir.StringAttr(operation.attributes["intrin"]).value == _CLOCK:
            return lambda: self._read_clock(operation)
        if prefix == "cf" and operation.successors:
            return self._plan_branch(operation)
        if prefix == "gpu" and rest in (*GROUPS, *_PLACES):
            return lambda: replace_op(operation, self.place(operation, rest))
        return None

    def _read_clock(self, operation: Any) -> None:
        where = ir.InsertionPoint(operation)
        (now,) = self.emitter.call(where, PREFIX + "now", [], [ir.IndexType.get()])
        kind = operation.results[0].type
        replace_op(operation, self.emitter.create(where, "arith.index_cast", [now], [kind])[0])

    def _return(self, operation: Any) -> None:
        ir.Operation.create("func.return", [], [], loc=operation.location, ip=ir.InsertionPoint(operation))
        operation.erase()

    def place(self, operation: Any, what: str) -> Any:
        """Emit before `operation` the value of an operation that says where the thread is, such as "lane_id"."""
        where = ir.InsertionPoint(operation)

        def binary(name: str, left: Any, right: Any) -> Any:
            return self.emitter.binary(where, f"arith.{name}", left, right)

        if "dimension" in operation.attributes:
            axis = AXES[word(operation.attributes["dimension"])]
            if what != "global_id":
                return self.geometry[what][axis]
            start = binary("muli", self.geometry["block_id"][axis], self.geometry["block_dim"][axis])
            return binary("addi", start, self.geometry["thread_id"][axis])
        size = self.emitter.constant(self.subgroup_size)
        if what == "subgroup_size":
            return size
        (x, y, z), (width, height, depth) = self.geometry["thread_id"], self.geometry["block_dim"]
        if what == "num_subgroups":
            return binary("ceildivui", binary("muli", binary("muli", width, height), depth), size)
        row = binary("addi", binary("muli", z, height), y)
        thread = binary("addi", binary("muli", row, width), x)
        return binary({"lane_id": "remui", "subgroup_id": "divui"}[what], thread, size)

    def _plan_barrier(self, operation: Any) -> Callable[[], None]:
        scope = word(operation.attributes["scope"]) if "scope" in operation.attributes else "workgroup"
        function = {"workgroup": "barrier", "subgroup": "sync"}.get(scope)
        if function is None or operation.operands:
            fail(operation, f"'gpu.barrier' must have scope workgroup or subgroup and no name, but got {operation}")
        site, called = self.emitter.site(operation), PREFIX + function

        def rewrite() -> None:
            self.emitter.call(ir.InsertionPoint(operation), called, [site.number])
            operation.erase()

        return rewrite

    def _plan_shuffle(self, operation: Any) -> Callable[[], None]:
        mode = word(operation.attributes["mode"])
        site = self.emitter.site(operation)
        kind: Any = operation.operands[0].type
        width = 8 * size_bytes(kind)
        if width not in (8, 16, 32, 64) or str(kind) == "i1":
            fail(operation, f"'gpu.shuffle' must pass 8, 16, 32 or 64 bits, but got {kind}")
        lanes = constant_of(operation.operands[2])
        problem = "" if lanes is None else shuffle_problem(lanes, self.subgroup_size)
        if problem:
            fail(operation, f"'gpu.shuffle' {problem}")
        narrow, wide, index = ir.IntegerType.get_signless(width), ir.IntegerType.get_signless(64), ir.IndexType.get()
        boolean = ir.IntegerType.get_signless(1)

        def rewrite() -> None:
            where = ir.InsertionPoint(operation)

            def convert(name: str, value: Any, to: Any) -> Any:
                return value if value.type == to else self.emitter.create(where, f"arith.{name}", [value], [to])[0]

            bits = convert("extui", convert("bitcast", operation.operands[0], narrow), wide)
            operands = [convert("index_cast", bits, index)]
            operands += [convert("index_castui", value, index) for value in list(operation.operands)[1:]]
            found = self.emitter.call(where, f"{PREFIX}shuffle_{mode}", [site.number, *operands], [index, index])
            value = convert("trunci", convert("index_cast", found[0], wide), narrow)
            operation.results[0].replace_all_uses_with(convert("bitcast", value, kind))
            operation.results[1].replace_all_uses_with(convert("index_cast", found[1], boolean))
            operation.erase()

        return rewrite

    def _dynamic_memory(self, operation: Any) -> None:
        where = ir.InsertionPoint(operation)
        attributes = {
            "static_offsets": ir.DenseI64ArrayAttr.get([0]),
            "static_sizes": ir.DenseI64ArrayAttr.get([ir.ShapedType.get_dynamic_size()]),
            "static_strides": ir.DenseI64ArrayAttr.get([1]),
            "operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 0, 1, 0]),
        }
        kind = operation.results[0].type
        strided = ir.MemRefType.get(kind.shape, kind.element_type, layout=ir.StridedLayoutAttr.get(0, [1]))
        view = self.emitter.create(
            where, "memref.reinterpret_cast", [self.dynamic, self.dynamic_bytes], [strided], attributes
        )
        replace_op(operation, self.emitter.create(where, "memref.cast", [view[0]], [kind])[0])

    def _plan_while(self, operation: Any) -> Callable[[], None]:
        site = self.emitter.site(operation)

        def rewrite() -> None:
            before = operation.regions[0].blocks[0]
            last = ir.InsertionPoint.at_block_terminator(before)
            terminator = list(before.operations)[-1].operation
            self._note_poll(terminator, terminator.operands[0], site.number, negated=False)
            self.emitter.call(last, PREFIX + "spin", [site.number])
            self.emitter.call(ir.InsertionPoint.after(operation), PREFIX + "leave", [])

        return rewrite

    def _plan_for(self, operation: Any) -> Callable[[], None] | None:
        if _trip_count(operation) <= _SHORT_LOOP:
            return None
        site = self.emitter.site(operation)
        return lambda: self._tick(ir.InsertionPoint.at_block_begin(operation.regions[0].blocks[0]), site.number)

    def _plan_branch(self, operation: Any) -> Callable[[], None] | None:
        """Plan the tick of a loop, which has a branch to its own or an earlier block of the region."""
        blocks = list(operation.block.region.blocks)
        own = blocks.index(operation.block)
        targets = [blocks.index(successor) for successor in operation.successors]
        if min(targets) > own:
            return None
        site = self.emitter.site(operation)
        if any(_polls(inner.operation) for block in blocks[min(targets) : own + 1] for inner in block.operations):
            number = self.emitter.constant(site.number)
            inside = blocks[min(targets) : own + 1]

            def rewrite() -> None:
                for block in inside:
                    self._note_exit(list(block.operations)[-1].operation, inside, site.number)
                self.emitter.call(ir.InsertionPoint(operation), PREFIX + "spin", [number])

            return rewrite
        return lambda: self._tick(ir.InsertionPoint(operation), site.number)

    def _note_exit(self, branch: Any, inside: list[Any], site: int) -> None:
        """Note what a branch that may leave a loop looks at."""
        stays = [successor in inside for successor in branch.successors]
        if str(branch.name) == "cf.cond_br" and len(set(stays)) == 2:
            self._note_poll(branch, branch.operands[0], site, negated=stays[1])

    def _note_poll(self, operation: Any, condition: Any, site: int, *, negated: bool) -> None:
        poll = find_poll(condition, negated=negated)
        if poll is not None:
            self.emitter.needs.polls = True
            note_poll(self.emitter, operation, site, poll)

    def _tick(self, where: Any, site: int) -> None:
        self.emitter.call(where, INLINE + "tick", [site])


def _polls(operation: Any) -> bool:
    """Return whether a loop around the operation may wait for another thread: it is atomic or volatile."""
    return str(operation.name) in _ATOMICS or bool(atomicity(operation))


def _trip_count(loop: Any) -> float:
    """Return the iterations of an scf.for; infinity where they are not known here."""
    values: list[int] = []
    for bound in list(loop.operands)[:3]:
        if isinstance(bound, ir.BlockArgument) or str(bound.owner.operation.name) != "arith.constant":
            return inf
        values.append(int(ir.IntegerAttr(bound.owner.operation.attributes["value"]).value))
    lower, upper, step = values
    return inf if step <= 0 else (upper - lower) / step
