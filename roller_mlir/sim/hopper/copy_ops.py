# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites bulk copies of tensors and of plain memory, in both directions."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, ClassVar

from roller_mlir.sim.gpu.ops import word
from roller_mlir.sim.hopper.calls import HopperCalls
from roller_mlir.sim.hopper.layout import CopyKind
from roller_mlir.sim.hopper.ops import NO_CLUSTERS
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

BULK_COPY = "nvvm.cp.async.bulk."
"""How the names of operations start that move bytes by the asynchronous proxy."""

_COORDINATES, _OFFSETS = 5, 3


@dataclass(frozen=True)
class BulkCopyOps:
    """Rewrites the bulk copies of one kernel.

    Attributes:
        calls: Emits calls into the kernel.
    """

    takes: ClassVar[tuple[str, ...]] = ("nvvm.cp.async.bulk.",)

    calls: HopperCalls

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is not one of these.

        Raises:
            DiagnosedError: The simulator does not do what it asks for.
        """
        planners: dict[str, Callable[[Any], Callable[[], None]]] = {
            "nvvm.cp.async.bulk.tensor.shared.cluster.global": self._plan_tensor_load,
            "nvvm.cp.async.bulk.tensor.global.shared.cta": self._plan_tensor_store,
            "nvvm.cp.async.bulk.shared.cluster.global": self._plan_load,
            "nvvm.cp.async.bulk.global.shared.cta": self._plan_store,
            "nvvm.cp.async.bulk.commit.group": lambda one: self.calls.plan_numbers(one, "store_commit"),
            "nvvm.cp.async.bulk.wait_group": self._plan_store_wait,
        }
        name = str(operation.name)
        return planners[name](operation) if name in planners else None

    def _segments(self, operation: Any) -> list[list[int]]:
        """Return the places of the operands of each segment."""
        sizes = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
        return [list(range(end - size, end)) for size, end in zip(sizes, accumulate(sizes), strict=True)]

    def _numbers(self, operation: Any, places: list[int], count: int) -> list[Any]:
        values = [self.calls.index(operation, operation.operands[place], signed=True) for place in places]
        return values + [0] * (count - len(values))

    def _require_absent(self, operation: Any, places: list[int], what: str) -> None:
        if places:
            fail(operation, f"'{operation.name}' with {what} is not known to the simulator")

    def _refuse_multicast(self, operation: Any, places: list[int]) -> None:
        if places:
            fail(operation, f"'{operation.name}' with a multicast mask reaches into other blocks: {NO_CLUSTERS}")

    def _plan_tensor_load(self, operation: Any) -> Callable[[], None]:
        target, source, coordinates, mbarrier, offsets, mask, _, predicate = self._segments(operation)
        self._refuse_multicast(operation, mask)
        self._require_absent(operation, predicate, "a predicate")
        mode = word(operation.attributes["mode"])
        if mode not in ("tile", "im2col"):
            fail(operation, f"'{operation.name}' of mode {mode} is not known to the simulator")
        site = self.calls.site(operation)

        def operands() -> list[Any]:
            near, far, barrier = (operation.operands[places[0]] for places in (target, source, mbarrier))
            numbers = self._numbers(operation, coordinates, _COORDINATES)
            numbers += self._numbers(operation, offsets, _OFFSETS)
            return [site, CopyKind.TENSOR_LOAD, near, far, barrier, 0, *numbers]

        return self.calls.plan_call(operation, "load", operands)

    def _plan_load(self, operation: Any) -> Callable[[], None]:
        mask = self._segments(operation)[4]
        self._refuse_multicast(operation, mask)
        site = self.calls.site(operation)

        def operands() -> list[Any]:
            return [site, CopyKind.LOAD, *list(operation.operands)[:4], *[0] * (_COORDINATES + _OFFSETS)]

        return self.calls.plan_call(operation, "load", operands)

    def _plan_tensor_store(self, operation: Any) -> Callable[[], None]:
        target, source, coordinates, _, predicate = self._segments(operation)
        self._require_absent(operation, predicate, "a predicate")
        if word(operation.attributes["mode"]) != "tile":
            fail(operation, f"'{operation.name}' must be of mode tile, but got {operation.attributes['mode']}")
        site = self.calls.site(operation)

        def operands() -> list[Any]:
            far, near = (operation.operands[places[0]] for places in (target, source))
            return [site, CopyKind.TENSOR_STORE, far, near, 0, *self._numbers(operation, coordinates, _COORDINATES)]

        return self.calls.plan_call(operation, "store", operands)

    def _plan_store(self, operation: Any) -> Callable[[], None]:
        self._require_absent(operation, self._segments(operation)[4], "a byte mask")
        site = self.calls.site(operation)

        def operands() -> list[Any]:
            return [site, CopyKind.STORE, *list(operation.operands)[:3], *[0] * _COORDINATES]

        return self.calls.plan_call(operation, "store", operands)

    def _plan_store_wait(self, operation: Any) -> Callable[[], None]:
        groups = int(ir.IntegerAttr(operation.attributes["group"]).value)
        return self.calls.plan_numbers(operation, "store_wait", groups)
