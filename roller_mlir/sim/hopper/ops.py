# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites Hopper's NVVM operations of a kernel: places, lanes, barriers, registers, fences."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.sim.engine.layout import ShadowAccess
from roller_mlir.sim.engine.runtime_ir import PREFIX
from roller_mlir.sim.gpu.ops import AXES, word
from roller_mlir.sim.hopper.calls import HopperCalls
from roller_mlir.sim.hopper.layout import WARP, ProxySpace
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of, replace_op

_NOTHING = {
    "nvvm.prefetch", "nvvm.fence.mbarrier.init", "nvvm.nanosleep",
    "nvvm.cp.async.bulk.tensor.prefetch", "nvvm.cp.async.bulk.prefetch",
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
_WIDE_SCOPES = ("gpu", "sys")
NO_CLUSTERS = "the simulator runs clusters of one block only"
_CLUSTER_SIZES = ("known_cluster_size", "gpu.known_cluster_size", "nvvm.cluster_dim")
_PROXY_SPACES = {
    "async": ProxySpace.WORKGROUP | ProxySpace.GLOBAL,
    "async.global": ProxySpace.GLOBAL,
    "async.shared": ProxySpace.WORKGROUP,
}
"""By the kind of a fence between the generic and the asynchronous proxy."""

_SHUFFLES = {"idx": "idx", "bfly": "xor", "down": "down", "up": "up"}
_ALL_LANES = -1


def refuse_clusters(function: Any) -> None:
    """Refuse a kernel that is for clusters of several blocks."""
    for name in _CLUSTER_SIZES:
        if name in function.attributes:
            sizes = re.findall(r"\d+", str(function.attributes[name]).partition(":")[2])
            if any(size != "1" for size in sizes):
                fail(function, f"the kernel has {name} = {', '.join(sizes)}: {NO_CLUSTERS}")


@dataclass(frozen=True)
class HopperOps:
    """Rewrites the Hopper operations that are no mbarriers, copies or products of one kernel.

    Attributes:
        calls: Emits calls into the kernel.
    """

    takes: ClassVar[tuple[str, ...]] = ("nvvm.",)

    calls: HopperCalls

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is not one of these.

        Raises:
            DiagnosedError: The simulator does not do what it asks for.
        """
        name, calls = str(operation.name), self.calls
        if name in _NOTHING:
            return operation.erase
        if name.startswith("nvvm.read.ptx.sreg."):
            return self._plan_register(operation, name.removeprefix("nvvm.read.ptx.sreg."))
        if name == "nvvm.mapa":
            fail(operation, f"'{name}' reaches into other blocks of a cluster: {NO_CLUSTERS}")
        planners: dict[str, Callable[[Any], Callable[[], None]]] = {
            "nvvm.fence.proxy": self._plan_proxy_fence,
            "nvvm.memory.barrier": self._plan_memory_fence,
            "nvvm.griddepcontrol": self._plan_launches,
            "nvvm.fence.sc.cluster": self._plan_memory_fence,
            "nvvm.barrier": self._plan_barrier,
            "nvvm.barrier.arrive": self._plan_barrier,
            "nvvm.bar.warp.sync": self._plan_warp_barrier,
            "nvvm.elect.sync": self._plan_elect,
            "nvvm.shfl.sync": self._plan_shuffle,
            "nvvm.setmaxregister": self._plan_registers,
            "nvvm.cluster.arrive": lambda one: calls.plan_numbers(one, "cluster_arrive", calls.site(one), 1),
            "nvvm.cluster.arrive.relaxed": lambda one: calls.plan_numbers(one, "cluster_arrive", calls.site(one), 0),
            "nvvm.cluster.wait": lambda one: calls.plan_numbers(one, "cluster_wait", calls.site(one)),
        }
        return planners[name](operation) if name in planners else None

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
                value = self.calls.number(found)
            elif found == "laneid":
                value = self.calls.places.place(operation, "lane_id")
            elif found == "warpsize":
                value = self.calls.number(self.calls.places.subgroup_size)
            else:
                value = self.calls.places.geometry[found][AXES[axis]]
            self.calls.replace(operation, value)

        return rewrite

    def _require_all_lanes(self, operation: Any, mask: Any) -> None:
        if constant_of(mask) not in (_ALL_LANES, 0xFFFFFFFF):
            fail(operation, f"'{operation.name}' must be for all lanes, with the constant mask -1")

    def _plan_warp_barrier(self, operation: Any) -> Callable[[], None]:
        self._require_all_lanes(operation, operation.operands[0])
        site = self.calls.memory.emitter.site(operation).number

        def rewrite() -> None:
            self.calls.memory.emitter.call(ir.InsertionPoint(operation), PREFIX + "sync", [site])
            operation.erase()

        return rewrite

    def _plan_elect(self, operation: Any) -> Callable[[], None]:
        self.calls.require_warps(operation)
        if len(operation.operands):
            self._require_all_lanes(operation, operation.operands[0])
        site = self.calls.memory.emitter.site(operation).number

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.calls.memory.emitter
            emitter.call(where, PREFIX + "sync", [site])
            lane = self.calls.places.place(operation, "lane_id")
            equal = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 0)}
            kinds = [ir.IntegerType.get_signless(1)]
            leads = emitter.create(where, "arith.cmpi", [lane, 0], kinds, equal)[0]
            replace_op(operation, leads)

        return rewrite

    def _plan_shuffle(self, operation: Any) -> Callable[[], None]:
        self.calls.require_warps(operation)
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
        site = self.calls.memory.emitter.site(operation).number

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), self.calls.memory.emitter
            i32, boolean, index = ir.IntegerType.get_signless(32), ir.IntegerType.get_signless(1), ir.IndexType.get()
            bits = operation.operands[1]
            if kind != i32:
                bits = emitter.create(where, "arith.bitcast", [bits], [i32])[0]
            own = self.calls.index(operation, bits)
            offset = self.calls.index(operation, operation.operands[2])
            if mode in ("idx", "bfly"):
                offset = emitter.binary(where, "arith.andi", offset, WARP - 1)
            operands = [self.calls.number(site), own, offset, self.calls.number(WARP)]
            found, valid = emitter.call(where, f"{PREFIX}shuffle_{_SHUFFLES[mode]}", operands, [index, index])
            differs = {"predicate": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), 1)}
            holds = emitter.create(where, "arith.cmpi", [valid, 0], [boolean], differs)[0]
            chosen = emitter.create(where, "arith.select", [holds, found, own], [index])[0]
            result = emitter.create(where, "arith.index_cast", [chosen], [i32])[0]
            if kind != i32:
                result = emitter.create(where, "arith.bitcast", [result], [kind])[0]
            replace_op(operation, result)

        return rewrite

    # Barriers -------------------------------------------------------------------------------------------------------

    def _plan_barrier(self, operation: Any) -> Callable[[], None]:
        arrives = str(operation.name) == "nvvm.barrier.arrive"
        named, counted = len(operation.operands) == 2, True
        if not arrives:
            named, counted = (bool(one) for one in ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
        if not named and not counted:
            site = self.calls.memory.emitter.site(operation).number

            def whole() -> None:
                self.calls.memory.emitter.call(ir.InsertionPoint(operation), PREFIX + "barrier", [site])
                operation.erase()

            return whole
        site = self.calls.site(operation)

        def rewrite() -> None:
            values = list(operation.operands)
            number, count = values[0] if named else 0, values[-1] if counted else -1
            self.calls.call(operation, "named", [site, number, count, 0 if arrives else 1])
            operation.erase()

        return rewrite

    def _plan_proxy_fence(self, operation: Any) -> Callable[[], None]:
        spaces = _PROXY_SPACES.get(word(operation.attributes["kind"]))
        if spaces is None:
            return operation.erase
        return self.calls.plan_numbers(operation, "proxy_fence", int(spaces))

    def _plan_memory_fence(self, operation: Any) -> Callable[[], None]:
        order = ShadowAccess.ACQUIRE | ShadowAccess.RELEASE
        scope = word(operation.attributes["scope"]) if "scope" in operation.attributes else "cluster"
        if scope not in _WIDE_SCOPES:
            order |= ShadowAccess.BLOCK_SCOPE

        def rewrite() -> None:
            self.calls.memory.emitter.call(ir.InsertionPoint(operation), PREFIX + "fence", [order])
            operation.erase()

        return rewrite

    def _plan_launches(self, operation: Any) -> Callable[[], None]:
        """Tell the sanitizer that a thread waits; launches run one after the other, and those before have ended."""
        if word(operation.attributes["kind"]) != "wait":
            return operation.erase

        def rewrite() -> None:
            self.calls.memory.emitter.call(ir.InsertionPoint(operation), PREFIX + "launches_wait", [])
            operation.erase()

        return rewrite

    # The rest -------------------------------------------------------------------------------------------------------

    def _plan_registers(self, operation: Any) -> Callable[[], None]:
        site = self.calls.site(operation)
        count = int(ir.IntegerAttr(operation.attributes["regCount"]).value)
        increases = int(word(operation.attributes["action"]) == "increase")
        return self.calls.plan_numbers(operation, "registers", site, count, increases)
