# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites mbarrier operations and the inline assembly that waits for one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from roller_mlir.codegen.builder.inline_assembly import find_assembly
from roller_mlir.sim.hopper.accumulators import ASSEMBLY, tied_wait
from roller_mlir.sim.hopper.calls import HopperCalls, require_constraints
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

_KNOWN = {
    "init", "inval", "arrive", "arrive.nocomplete", "arrive.expect_tx", "expect_tx", "complete_tx", "try_wait.parity",
    "try_wait", "test.wait",
}  # fmt: skip


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
            number, emitter = self.calls.number, self.calls.memory.emitter
            values = [self.calls.index(operation, value) for value in operation.operands]
            head = [number(site), values[0]]
            if what == "init":
                self.calls.call(operation, "mbarrier_init", [*head, values[1]])
            elif what == "inval":
                self.calls.call(operation, "mbarrier_inval", head)
            elif what in ("expect_tx", "complete_tx"):
                amount = values[1]
                if what == "complete_tx":
                    amount = emitter.binary(ir.InsertionPoint(operation), "arith.subi", number(0), amount)
                self.calls.call(operation, "transactions", [*head, amount])
            elif what == "try_wait.parity":
                self.calls.call(operation, "wait", [*head, values[1]])
            elif what == "try_wait":
                self.calls.call(operation, "wait", [*head, values[1]])
                self.calls.replace(operation, number(1))
                return
            elif what == "test.wait":
                self.calls.replace(operation, self.calls.call(operation, "test", [*head, values[1]], 1)[0])
                return
            else:
                bytes_ = values[1] if what == "arrive.expect_tx" else number(0)
                count = values[1] if what != "arrive.expect_tx" and len(values) > 1 else number(1)
                flags = [number(int(what != "arrive.nocomplete")), number(int(not relaxed))]
                self.calls.replace(
                    operation, self.calls.call(operation, "arrive", [*head, count, bytes_, *flags], 1)[0]
                )
                return
            operation.erase()

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
            values = [self.calls.index(operation, value) for value in operation.operands]
            self.calls.call(operation, "wait", [self.calls.number(site), *values])
            operation.erase()

        return rewrite
