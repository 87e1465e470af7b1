# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites Hopper's NVVM operations of a kernel: mbarriers, bulk copies, barriers, registers; products: `hopper_mma`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roller_mlir.codegen.inline_assembly import BY_NAME, find_assembly
from roller_mlir.sim.accesses import Instrumenter
from roller_mlir.sim.gpu_ops import GpuOps
from roller_mlir.sim.hopper_accumulators import ASSEMBLY, tied_wait
from roller_mlir.sim.hopper_base_ir import ASYNC
from roller_mlir.sim.hopper_layout import WARP, CopyKind
from roller_mlir.sim.runtime_ir import PREFIX
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_COORDINATES, _OFFSETS = 5, 3
_NOTHING = {
    "nvvm.prefetch", "nvvm.fence.mbarrier.init", "nvvm.fence.sc.cluster", "nvvm.nanosleep",
    "nvvm.cp.async.bulk.tensor.prefetch", "nvvm.cp.async.bulk.prefetch", "nvvm.griddepcontrol",
}  # fmt: skip
"""What orders or hurries nothing here: memory is in order, and nothing has a latency."""

_PLACES = {"tid": "thread_id", "ntid": "block_dim", "ctaid": "block_id", "nctaid": "grid_dim"}
_CLUSTER_OF_ONE = {
    "clusterid": "block_id",
    "nclusterid": "grid_dim",
    "cluster.ctaid": 0,
    "cluster.nctaid": 1,
    "cluster.ctarank": 0,
    "cluster.nctarank": 1,
}
_AXES = {"x": 0, "y": 1, "z": 2}
_SHUFFLES = {"idx": "idx", "bfly": "xor", "down": "down", "up": "up"}
_ALL_LANES = -1


def constant_of(value: Any) -> int | None:
    """Return the number that a value is; None: it is not known here."""
    if isinstance(value, ir.BlockArgument):
        return None
    operation = value.owner.operation
    if str(operation.name) not in ("arith.constant", "llvm.mlir.constant"):
        return None
    return int(ir.IntegerAttr(operation.attributes["value"]).value)


def word(attribute: Any) -> str:
    """The enumerator in an attribute such as `#nvvm<shfl_kind idx>`."""
    return str(attribute).rstrip(">").replace("<", " ").split()[-1]


@dataclass
class HopperOps:
    """Rewrites the Hopper operations of one kernel.

    Attributes:
        memory: Emits into the kernel, numbers its operations.
        places: Knows the thread's place.
        used: Whether there are any, noted here.
    """

    memory: Instrumenter
    places: GpuOps
    used: bool = False

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is not one of these.

        Raises:
            DiagnosedError: The simulator does not do what it asks for.
        """
        name = str(operation.name)
        if name == ASSEMBLY:
            return None if tied_wait(operation) else self._plan_assembly(operation)
        if not name.startswith("nvvm."):
            return None
        if name in _NOTHING:
            return operation.erase
        if name.startswith("nvvm.read.ptx.sreg."):
            return self._plan_register(operation, name.removeprefix("nvvm.read.ptx.sreg."))
        planners: dict[str, Callable[[Any], Callable[[], None]]] = {
            "nvvm.fence.proxy": self._plan_proxy_fence,
            "nvvm.barrier": self._plan_barrier,
            "nvvm.barrier.arrive": self._plan_barrier,
            "nvvm.bar.warp.sync": self._plan_warp_barrier,
            "nvvm.elect.sync": self._plan_elect,
            "nvvm.shfl.sync": self._plan_shuffle,
            "nvvm.setmaxregister": self._plan_registers,
            "nvvm.stmatrix": self._plan_matrix_store,
            "nvvm.cluster.arrive": lambda one: self._plan_plain(one, "cluster_arrive"),
            "nvvm.cluster.arrive.relaxed": lambda one: self._plan_plain(one, "cluster_arrive"),
            "nvvm.cluster.wait": lambda one: self._plan_plain(one, "cluster_wait"),
            "nvvm.cp.async.bulk.tensor.shared.cluster.global": self._plan_tensor_load,
            "nvvm.cp.async.bulk.tensor.global.shared.cta": self._plan_tensor_store,
            "nvvm.cp.async.bulk.shared.cluster.global": self._plan_load,
            "nvvm.cp.async.bulk.global.shared.cta": self._plan_store,
            "nvvm.cp.async.bulk.commit.group": lambda one: self._plan_call(one, "store_commit", list),
            "nvvm.cp.async.bulk.wait_group": self._plan_store_wait,
        }
        if name.startswith("nvvm.mbarrier."):
            return self._plan_mbarrier(operation, name.removeprefix("nvvm.mbarrier."))
        return planners[name](operation) if name in planners else None

    # Values ---------------------------------------------------------------------------------------------------------

    def index(self, operation: Any, value: Any, *, signed: bool = False) -> Any:
        """Emit a pointer or an integer as an index."""
        where, emitter = ir.InsertionPoint(operation), self.memory.emitter
        kind = ir.IndexType.get()
        if value.type == kind:
            return value
        if str(value.type).startswith("!llvm.ptr"):
            i64 = ir.IntegerType.get_signless(64)
            value = emitter.create(where, "llvm.ptrtoint", [value], [i64])[0]
        cast = "arith.index_cast" if signed else "arith.index_castui"
        return emitter.create(where, cast, [value], [kind])[0]

    def number(self, value: int) -> Any:
        """Emit a constant index."""
        return self.memory.emitter.constant(value)

    def site(self, operation: Any) -> Any:
        """Number an operation; return the number as a constant's maker needs it."""
        self.used = True
        return self.memory.table.add(self.memory.kernel, operation).number

    def call(self, operation: Any, function: str, operands: list[Any], results: int = 0) -> Any:
        """Emit a call of one of our functions, and return what it gives."""
        kinds = [ir.IndexType.get()] * results
        return self.memory.emitter.call(ir.InsertionPoint(operation), ASYNC + function, operands, kinds)

    def replace(self, operation: Any, value: Any) -> None:
        """Replace an operation by an index, converted to the type of its result."""
        where = ir.InsertionPoint(operation)
        for result in operation.results:
            kind = result.type
            if str(kind) == "i1":
                given = self.memory.emitter.create(
                    where, "arith.index_cast", [value], [ir.IntegerType.get_signless(64)]
                )
                value = self.memory.emitter.create(where, "arith.trunci", [given[0]], [kind])[0]
            elif kind != value.type:
                value = self.memory.emitter.create(where, "arith.index_cast", [value], [kind])[0]
            result.replace_all_uses_with(value)
        operation.erase()

    def _plan_call(self, operation: Any, function: str, operands: Callable[[], list[Any]]) -> Callable[[], None]:
        self.used = True

        def rewrite() -> None:
            self.call(operation, function, operands())
            operation.erase()

        return rewrite

    def _plan_plain(self, operation: Any, function: str) -> Callable[[], None]:
        site = self.site(operation)
        return self._plan_call(operation, function, lambda: [self.number(site)])

    # Places and lanes -----------------------------------------------------------------------------------------------

    def _plan_register(self, operation: Any, register: str) -> Callable[[], None]:
        name, _, axis = register.rpartition(".")
        found: Any = _PLACES.get(name, _CLUSTER_OF_ONE.get(name))
        if register in ("laneid", "warpsize") or register in _CLUSTER_OF_ONE:
            found = _CLUSTER_OF_ONE.get(register, register)
        if found is None:
            fail(operation, f"'{operation.name}' is not known to the simulator")

        def rewrite() -> None:
            if isinstance(found, int):
                value = self.number(found)
            elif found == "laneid":
                value = self.places.place(operation, "lane_id")
            elif found == "warpsize":
                value = self.number(self.places.subgroup_size)
            else:
                value = self.places.geometry[found][_AXES[axis]]
            self.replace(operation, value)

        return rewrite

    def _require_all_lanes(self, operation: Any, mask: Any) -> None:
        if constant_of(mask) not in (_ALL_LANES, 0xFFFFFFFF):
            fail(operation, f"'{operation.name}' must be for all lanes, with the constant mask -1")

    def _require_warps(self, operation: Any) -> None:
        if self.places.subgroup_size != WARP:
            fail(operation, f"'{operation.name}' needs subgroups of {WARP} lanes")

    def _plan_warp_barrier(self, operation: Any) -> Callable[[], None]:
        self._require_all_lanes(operation, operation.operands[0])
        site = self.memory.table.add(self.memory.kernel, operation).number

        def rewrite() -> None:
            self.memory.emitter.call(ir.InsertionPoint(operation), PREFIX + "sync", [self.number(site)])
            operation.erase()

        return rewrite

    def _plan_elect(self, operation: Any) -> Callable[[], None]:
        self._require_warps(operation)
        if len(operation.operands):
            self._require_all_lanes(operation, operation.operands[0])
        site = self.memory.table.add(self.memory.kernel, operation).number

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.memory.emitter
            emitter.call(where, PREFIX + "sync", [self.number(site)])
            lane = self.places.place(operation, "lane_id")
            equal = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)}
            kinds = [ir.IntegerType.get_signless(1)]
            leads = emitter.create(where, "arith.cmpi", [lane, self.number(0)], kinds, equal)[0]
            operation.results[0].replace_all_uses_with(leads)
            operation.erase()

        return rewrite

    def _plan_shuffle(self, operation: Any) -> Callable[[], None]:
        self._require_warps(operation)
        mask, value, _, clamp = operation.operands
        self._require_all_lanes(operation, mask)
        mode = word(operation.attributes["kind"])
        kind: Any = value.type
        if (
            constant_of(clamp) != (0 if mode == "up" else WARP - 1)
            or "return_value_and_is_valid" in operation.attributes
        ):
            fail(operation, f"'{operation.name}' must be for whole warps and return the value alone")
        if str(kind) not in ("i32", "f32"):
            fail(operation, f"'{operation.name}' must pass i32 or f32, but got {kind}")
        site = self.memory.table.add(self.memory.kernel, operation).number

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.memory.emitter
            i32, boolean, index = ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(1), ir.IndexType.get()
            bits = operation.operands[1]
            if kind != i32:
                bits = emitter.create(where, "arith.bitcast", [bits], [i32])[0]
            own = self.index(operation, bits)
            offset = self.index(operation, operation.operands[2])
            if mode in ("idx", "bfly"):
                offset = emitter.binary(where, "arith.andi", offset, self.number(WARP - 1))
            operands = [self.number(site), own, offset, self.number(WARP)]
            found, valid = emitter.call(where, f"{PREFIX}shuffle_{_SHUFFLES[mode]}", operands, [index, index])
            differs = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)}
            holds = emitter.create(where, "arith.cmpi", [valid, self.number(0)], [boolean], differs)[0]
            chosen = emitter.create(where, "arith.select", [holds, found, own], [index])[0]
            result = emitter.create(where, "arith.index_cast", [chosen], [i32])[0]
            if kind != i32:
                result = emitter.create(where, "arith.bitcast", [result], [kind])[0]
            operation.results[0].replace_all_uses_with(result)
            operation.erase()

        return rewrite

    # Barriers -------------------------------------------------------------------------------------------------------

    def _plan_barrier(self, operation: Any) -> Callable[[], None]:
        arrives = str(operation.name) == "nvvm.barrier.arrive"
        operands = list(operation.operands)
        named, counted = bool(operands), True
        if not arrives:
            named, counted = (bool(one) for one in ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
        if not named and not counted:
            site = self.memory.table.add(self.memory.kernel, operation).number

            def whole() -> None:
                self.memory.emitter.call(ir.InsertionPoint(operation), PREFIX + "barrier", [self.number(site)])
                operation.erase()

            return whole
        if arrives:
            operands = operands[::-1] if len(operands) == 2 else [None, *operands]
            named = operands[0] is not None
            operands = [one for one in operands if one is not None]
        site = self.site(operation)

        def rewrite() -> None:
            values = [self.index(operation, value) for value in list(operation.operands)]
            if arrives:
                values = values[::-1]  # the count comes first
            number = values[0] if named else self.number(0)
            count = values[-1] if counted else self.number(-1)
            self.call(operation, "named", [self.number(site), number, count, self.number(0 if arrives else 1)])
            operation.erase()

        return rewrite

    def _plan_mbarrier(self, operation: Any, what: str) -> Callable[[], None] | None:
        known = {
            "init", "inval", "arrive", "arrive.nocomplete", "arrive.expect_tx", "expect_tx", "complete_tx",
            "try_wait.parity", "try_wait", "test.wait",
        }  # fmt: skip
        if what not in known:
            return None
        site = self.site(operation)
        relaxed = "relaxed" in operation.attributes and bool(ir.BoolAttr(operation.attributes["relaxed"]).value)

        def rewrite() -> None:
            number = self.number
            values = [self.index(operation, value) for value in operation.operands]
            head = [number(site), values[0]]
            if what == "init":
                self.call(operation, "mbarrier_init", [*head, values[1]])
            elif what == "inval":
                self.call(operation, "mbarrier_inval", head)
            elif what in ("expect_tx", "complete_tx"):
                amount = values[1]
                if what == "complete_tx":
                    amount = self.memory.emitter.binary(ir.InsertionPoint(operation), "arith.subi", number(0), amount)
                self.call(operation, "transactions", [*head, amount])
            elif what == "try_wait.parity":
                self.call(operation, "wait", [*head, values[1]])
            elif what == "try_wait":
                self.call(operation, "wait", [*head, values[1]])
                self.replace(operation, number(1))
                return
            elif what == "test.wait":
                self.replace(operation, self.call(operation, "test", [*head, values[1]], 1)[0])
                return
            else:
                bytes_ = values[1] if what == "arrive.expect_tx" else number(0)
                count = values[1] if what != "arrive.expect_tx" and len(values) > 1 else number(1)
                flags = [number(int(what != "arrive.nocomplete")), number(int(not relaxed))]
                self.replace(operation, self.call(operation, "arrive", [*head, count, bytes_, *flags], 1)[0])
                return
            operation.erase()

        return rewrite

    def _plan_assembly(self, operation: Any) -> Callable[[], None]:
        template = str(ir.StringAttr(operation.attributes["asm_string"]).value)
        name = find_assembly(template)
        if name is None:
            fail(operation, f"inline assembly must be in the table of `inline_assembly`, but got {template!r}")
        self.require_constraints(operation, name)
        if name != "mbarrier_try_wait_parity":
            fail(operation, f"the simulator has no function for inline assembly '{name}'")
        site = self.site(operation)

        def rewrite() -> None:
            values = [self.index(operation, value) for value in operation.operands]
            self.call(operation, "wait", [self.number(site), *values])
            operation.erase()

        return rewrite

    @staticmethod
    def require_constraints(operation: Any, name: str) -> None:
        """Refuse assembly that has other constraints than its entry in the table."""
        entry = BY_NAME[name]
        given = str(ir.StringAttr(operation.attributes["constraints"]).value)
        needed = entry.constraints_of([str(value.type) for value in operation.operands])
        if given != needed or entry.side_effects != ("has_side_effects" in operation.attributes):
            fail(
                operation,
                f"inline assembly '{name}' must have the constraints {needed!r} of the table, but got {given!r}",
            )

    def _plan_proxy_fence(self, operation: Any) -> Callable[[], None]:
        if not word(operation.attributes["kind"]).startswith("async"):
            return operation.erase
        return self._plan_call(operation, "proxy_fence", list)

    # Bulk copies ----------------------------------------------------------------------------------------------------

    def _segments(self, operation: Any) -> list[list[int]]:
        """The places of the operands of each segment."""
        found: list[list[int]] = []
        at = 0
        for size in ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]):
            found.append(list(range(at, at + size)))
            at += size
        return found

    def _numbers(self, operation: Any, places: list[int], count: int) -> list[Any]:
        values = [self.index(operation, operation.operands[place], signed=True) for place in places]
        return values + [self.number(0)] * (count - len(values))

    def _require_absent(self, operation: Any, places: list[int], what: str) -> None:
        if places:
            fail(operation, f"'{operation.name}' with {what} is not known to the simulator")

    def _plan_tensor_load(self, operation: Any) -> Callable[[], None]:
        target, source, coordinates, mbarrier, offsets, mask, _, predicate = self._segments(operation)
        self._require_absent(operation, mask, "a multicast mask")
        self._require_absent(operation, predicate, "a predicate")
        mode = word(operation.attributes["mode"])
        if mode not in ("tile", "im2col"):
            fail(operation, f"'{operation.name}' of mode {mode} is not known to the simulator")
        site = self.site(operation)

        def operands() -> list[Any]:
            near, far, barrier = (
                self.index(operation, operation.operands[places[0]]) for places in (target, source, mbarrier)
            )
            kind = self.number(CopyKind.TENSOR_LOAD)
            numbers = self._numbers(operation, coordinates, _COORDINATES)
            numbers += self._numbers(operation, offsets, _OFFSETS)
            return [self.number(site), kind, near, far, barrier, self.number(0), *numbers]

        return self._plan_call(operation, "load", operands)

    def _plan_load(self, operation: Any) -> Callable[[], None]:
        mask = self._segments(operation)[4]
        self._require_absent(operation, mask, "a multicast mask")
        site = self.site(operation)

        def operands() -> list[Any]:
            near, far, barrier, size = (self.index(operation, value) for value in list(operation.operands)[:4])
            rest = [self.number(0)] * (_COORDINATES + _OFFSETS)
            return [self.number(site), self.number(CopyKind.LOAD), near, far, barrier, size, *rest]

        return self._plan_call(operation, "load", operands)

    def _plan_tensor_store(self, operation: Any) -> Callable[[], None]:
        target, source, coordinates, _, predicate = self._segments(operation)
        self._require_absent(operation, predicate, "a predicate")
        if word(operation.attributes["mode"]) != "tile":
            fail(operation, f"'{operation.name}' must be of mode tile, but got {operation.attributes['mode']}")
        site = self.site(operation)

        def operands() -> list[Any]:
            far, near = (self.index(operation, operation.operands[places[0]]) for places in (target, source))
            numbers = self._numbers(operation, coordinates, _COORDINATES)
            return [self.number(site), self.number(CopyKind.TENSOR_STORE), far, near, self.number(0), *numbers]

        return self._plan_call(operation, "store", operands)

    def _plan_store(self, operation: Any) -> Callable[[], None]:
        self._require_absent(operation, self._segments(operation)[4], "a byte mask")
        site = self.site(operation)

        def operands() -> list[Any]:
            far, near, size = (self.index(operation, value) for value in list(operation.operands)[:3])
            rest = [self.number(0)] * _COORDINATES
            return [self.number(site), self.number(CopyKind.STORE), far, near, size, *rest]

        return self._plan_call(operation, "store", operands)

    def _plan_store_wait(self, operation: Any) -> Callable[[], None]:
        groups = int(ir.IntegerAttr(operation.attributes["group"]).value)
        return self._plan_call(operation, "store_wait", lambda: [self.number(groups)])

    # The rest -------------------------------------------------------------------------------------------------------

    def _plan_registers(self, operation: Any) -> Callable[[], None]:
        site = self.site(operation)
        count = int(ir.IntegerAttr(operation.attributes["regCount"]).value)
        increases = int(word(operation.attributes["action"]) == "increase")
        return self._plan_call(operation, "registers", lambda: [self.number(one) for one in (site, count, increases)])

    def _plan_matrix_store(self, operation: Any) -> Callable[[], None]:
        self._require_warps(operation)
        shape, element = (str(operation.attributes[name]) for name in ("shape", "eltType"))
        registers = len(operation.operands) - 1
        if "m = 8, n = 8" not in shape or "b16" not in element or registers not in (1, 2, 4):
            fail(operation, f"'{operation.name}' must store 1, 2 or 4 matrices of 8 x 8 x 16 bits, but got {operation}")
        transposed = int(word(operation.attributes["layout"]) == "col")
        site = self.site(operation)
        self.memory.widths.add(2)

        def operands() -> list[Any]:
            address, *values = (self.index(operation, value) for value in operation.operands)
            values += [self.number(0)] * (4 - registers)
            return [self.number(site), address, self.number(registers), self.number(transposed), *values]

        return self._plan_call(operation, "stmatrix", operands)
