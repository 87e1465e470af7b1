# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the rewrites of Hopper's operations share: calls of the runtime's functions, values as indices, sites."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.codegen.builder.inline_assembly import BY_NAME
from roller_mlir.sim.gpu.accesses import Instrumenter
from roller_mlir.sim.gpu.ops import GpuOps
from roller_mlir.sim.hopper.layout import WARP
from roller_mlir.sim.hopper.runtime.base_ir import ASYNC
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail


def require_constraints(operation: Any, name: str) -> None:
    """Refuse assembly that has other constraints than its entry in the table."""
    entry = BY_NAME[name]
    given = str(ir.StringAttr(operation.attributes["constraints"]).value)
    needed = entry.constraints_of([str(value.type) for value in operation.operands])
    if given != needed or entry.side_effects != ("has_side_effects" in operation.attributes):
        fail(
            operation, f"inline assembly '{name}' must have the constraints {needed!r} of the table, but got {given!r}"
        )


@dataclass
class HopperCalls:
    """Emits calls into one kernel.

    Attributes:
        memory: Emits into the kernel, numbers its operations.
        places: Knows the thread's place.
    """

    memory: Instrumenter
    places: GpuOps

    def index(self, operation: Any, value: Any, *, signed: bool = False) -> Any:
        """Emit a pointer or an integer as an index."""
        return self.memory.emitter.index(ir.InsertionPoint(operation), value, signed=signed)

    def number(self, value: int) -> Any:
        """Emit a constant index."""
        return self.memory.emitter.constant(value)

    def site(self, operation: Any) -> Any:
        """Number an operation; return the number as a constant's maker needs it."""
        self.memory.emitter.needs.machine = True
        return self.memory.emitter.site(operation).number

    def call(self, operation: Any, function: str, operands: list[Any], results: int = 0) -> Any:
        """Emit a call of one of our functions with numbers, pointers and integers, and return what it gives."""
        kinds = [ir.IndexType.get()] * results
        values = [one if isinstance(one, int) else self.index(operation, one) for one in operands]
        return self.memory.emitter.call(ir.InsertionPoint(operation), ASYNC + function, values, kinds)

    def replace(self, operation: Any, value: Any) -> None:
        """Replace an operation by an index, converted to the type of its result."""
        where = ir.InsertionPoint(operation)
        for result in operation.results:
            kind = result.type
            if str(kind) == "i1":
                wide = ir.IntegerType.get_signless(64)
                given = self.memory.emitter.create(where, "arith.index_cast", [value], [wide])
                value = self.memory.emitter.create(where, "arith.trunci", [given[0]], [kind])[0]
            elif kind != value.type:
                value = self.memory.emitter.create(where, "arith.index_cast", [value], [kind])[0]
            result.replace_all_uses_with(value)
        operation.erase()

    def plan_call(self, operation: Any, function: str, operands: Callable[[], list[Any]]) -> Callable[[], None]:
        """Return what replaces an operation by a call.

        Args:
            operation: An operation without results.
            function: The function.
            operands: Emits what it takes.
        """
        self.memory.emitter.needs.machine = True

        def rewrite() -> None:
            self.call(operation, function, operands())
            operation.erase()

        return rewrite

    def plan_numbers(self, operation: Any, function: str, *numbers: int) -> Callable[[], None]:
        """Return what replaces an operation without results by a call of a function of constants."""
        return self.plan_call(operation, function, lambda: list(numbers))

    def require_warps(self, operation: Any) -> None:
        """Refuse subgroups that are no warps."""
        if self.places.subgroup_size != WARP:
            fail(operation, f"'{operation.name}' needs subgroups of {WARP} lanes")
