# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites mbarrier operations and the inline assembly that waits for one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.lowering.codegen.builder.inline_assembly import find_assembly
from roller_mlir.sim.hopper.accumulators import ASSEMBLY, tied_wait
from roller_mlir.sim.hopper.calls import HopperCalls, require_constraints
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_CALLED = {"init": "mbarrier_init", "inval": "mbarrier_inval", "expect_tx": "transactions", "try_wait.parity": "wait"}
"""Operations that are calls of a function with their first operands."""

_KNOWN = {*_CALLED, "arrive", "arrive.nocomplete", "arrive.expect_tx", "complete_tx", "try_wait", "test.wait"}


@dataclass(frozen=True)
class MbarrierOps:
    """Rewrites the mbarriers of one kernel.

    Attributes:
        calls: Emits calls into the kernel.
    """

    takes: ClassVar[tuple[str, ...]] = ("nvvm.mbarrier.", ASSEMBLY)

    calls: HopperCalls

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it is not one of these.

        Raises:
            DiagnosedError: The simulator does not do what it asks for.
        """
        name = str(operation.name)
        if name == ASSEMBLY:
            return None if tied_wait(operation) else self._plan_assembly(operation)
        if name.startswith("nvvm.mbarrier."):
            return self._plan_mbarrier(operation, name.removeprefix("nvvm.mbarrier."))
        return None

    def _plan_mbarrier(self, operation: Any, what: str) -> Callable[[], None] | None:
        if what not in _KNOWN:
            return None
        site = self.calls.site(operation)
        relaxed = "relaxed" in operation.attributes and bool(ir.BoolAttr(operation.attributes["relaxed"]).value)

        def rewrite() -> None:
            values = list(operation.operands)
            if what in _CALLED:
                self.calls.call(operation, _CALLED[what], [site, *values[:2]])
                operation.erase()
            elif what == "complete_tx":
                amount = self.calls.index(operation, values[1])
                less = self.calls.memory.emitter.binary(ir.InsertionPoint(operation), "arith.subi", 0, amount)
                self.calls.call(operation, "transactions", [site, values[0], less])
                operation.erase()
            elif what == "try_wait":
                self.calls.call(operation, "wait", [site, *values[:2]])
                self.calls.replace(operation, self.calls.number(1))
            elif what == "test.wait":
                self.calls.replace(operation, self.calls.call(operation, "test", [site, *values[:2]], 1)[0])
            else:
                expects = what == "arrive.expect_tx"
                count = values[1] if len(values) > 1 and not expects else 1
                given = [site, values[0], count, values[1] if expects else 0, what != "arrive.nocomplete", not relaxed]
                self.calls.replace(operation, self.calls.call(operation, "arrive", given, 1)[0])

        return rewrite

    def _plan_assembly(self, operation: Any) -> Callable[[], None]:
        template = str(ir.StringAttr(operation.attributes["asm_string"]).value)
        name = find_assembly(template)
        if name is None:
            fail(operation, f"inline assembly must be in the table of `inline_assembly`, but got {template!r}")
        require_constraints(operation, name)
        if name != "mbarrier_try_wait_parity":
            fail(operation, f"the simulator has no function for inline assembly '{name}'")
        site = self.calls.site(operation)

        def rewrite() -> None:
            self.calls.call(operation, "wait", [site, *operation.operands])
            operation.erase()

        return rewrite
