# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites what kernels make tensor maps with: fields, the copy that publishes them, the fence that acquires them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.lowering.codegen.builder.inline_assembly import find_assembly
from roller_mlir.plan.tensor_maps.fields import ELEMENTS, MapField
from roller_mlir.plan.tensor_maps.tensor_map import MAP_BYTES
from roller_mlir.sim.hopper.accumulators import ASSEMBLY
from roller_mlir.sim.hopper.calls import HopperCalls, require_constraints
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import constant_of


@dataclass(frozen=True)
class MapOps:
    """Rewrites the tensor maps that one kernel makes.

    Attributes:
        calls: Emits calls into the kernel.
    """

    takes: ClassVar[tuple[str, ...]] = ("nvvm.fence.proxy.acquire", ASSEMBLY)

    calls: HopperCalls

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is not one of these.

        Raises:
            DiagnosedError: The simulator does not do what it asks for.
        """
        if str(operation.name) == "nvvm.fence.proxy.acquire":
            if constant_of(operation.operands[1]) != MAP_BYTES:
                fail(operation, f"'{operation.name}' must be of {MAP_BYTES} B, which a tensor map has")
            return self._plan(operation, "map_acquire", operation.operands[0])
        if str(operation.name) != ASSEMBLY:
            return None
        name = find_assembly(str(ir.StringAttr(operation.attributes["asm_string"]).value))
        if name is None or not name.startswith("tensormap_"):
            return None
        require_constraints(operation, name)
        if name == "tensormap_publish":
            self.calls.require_warps(operation)
            return self._plan(operation, "map_publish", *operation.operands)
        field = MapField[name.removeprefix("tensormap_")]
        record, *dimension, value = operation.operands
        axis = constant_of(dimension[0]) if dimension else 0
        if axis is None or not 0 <= axis < ELEMENTS[field]:
            fail(operation, f"'{field.name}' must be of a dimension of 0 to {ELEMENTS[field] - 1}, but got {axis}")
        return self._plan(operation, "map_replace", record, int(field) + axis, value)

    def _plan(self, operation: Any, function: str, *given: Any) -> Callable[[], None]:
        numbers_and_values = [self.calls.site(operation), *given]
        return self.calls.plan_call(operation, function, lambda: numbers_and_values)
