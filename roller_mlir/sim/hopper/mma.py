# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rewrites the products of warpgroups (`nvvm.wgmma.*`), the waits for them, and what uses their accumulators.

A struct of accumulators becomes a vector. A product stores it, calls, and loads it again: its sums are complete at once
here, and what is checked is that nothing else uses them, or overwrites the operands, before the wait.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from roller_mlir.lowering.codegen.builder.inline_assembly import find_assembly
from roller_mlir.sim.gpu.memory_types import size_bytes
from roller_mlir.sim.gpu.ops import word
from roller_mlir.sim.hopper.accumulators import ASSEMBLY, PRODUCT, Accumulators, tied_wait
from roller_mlir.sim.hopper.calls import HopperCalls, require_constraints
from roller_mlir.sim.hopper.layout import ELEMENT_BYTES, ELEMENTS, K_BYTES, SUMS, ProductField, multiplies
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import replace_op

_TIED_GROUPS = {"wgmma_wait_all": 0}
_GROUPS = {
    "nvvm.wgmma.fence.aligned": "group_fence",
    "nvvm.wgmma.commit.group.sync.aligned": "group_commit",
}
_ALIGNMENT = 16
_M = 64


class WarpgroupOps:
    """Rewrites the products of one kernel."""

    takes: ClassVar[tuple[str, ...]] = (PRODUCT, "nvvm.wgmma.", ASSEMBLY, "llvm.extractvalue", "llvm.insertvalue")

    def __init__(self, calls: HopperCalls, operations: Sequence[Any]) -> None:
        """Find the kernel's accumulators.

        Args:
            calls: Emits calls.
            operations: All operations of the kernel, in program order.
        """
        self._calls = calls
        self.accumulators = Accumulators(operations)
        self._uses = self.accumulators.uses(operations) if self.accumulators.used else []
        self._homes: dict[str, tuple[Any, Any]] = {}

    def host_type(self, kind: Any) -> Any:
        """Return what a type becomes, or the type itself."""
        return self.accumulators.host_type(kind)

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return how `operation` is rewritten; None: it has nothing to do with products.

        Raises:
            DiagnosedError: The product is not known.
        """
        name = str(operation.name)
        calls = self._calls
        if name == PRODUCT:
            return self._plan_product(operation)
        if name in _GROUPS:
            return calls.plan_numbers(operation, _GROUPS[name], calls.site(operation))
        if name == "nvvm.wgmma.wait.group.sync.aligned":
            groups = int(ir.IntegerAttr(operation.attributes["group"]).value)
            return calls.plan_numbers(operation, "group_wait", calls.site(operation), groups)
        if tied_wait(operation):
            return self._plan_tied(operation)
        accesses = name in ("llvm.extractvalue", "llvm.insertvalue")
        if accesses and self.accumulators.is_kind(operation.operands[0].type):
            return lambda: self._access(operation)
        return None

    def checks(self) -> list[Callable[[], None]]:
        """Return what puts a check before each use of accumulators outside of products."""
        calls = self._calls

        def check(operation: Any, site: int, web: int) -> Callable[[], None]:
            return lambda: calls.call(operation, "use", [site, web])

        return [check(operation, calls.site(operation), web) for operation, web in self._uses]

    def _plan_product(self, operation: Any) -> Callable[[], None]:
        calls = self._calls
        form = self._form(operation)
        site = calls.site(operation)
        keeps = int(word(operation.attributes["scaleD"]) == "one")

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), calls.memory.emitter
            given, left, right = operation.operands
            pointer, address = self._home(given.type)
            alignment = {"alignment": ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ALIGNMENT)}
            emitter.create(where, "llvm.store", [given, pointer], [], alignment)
            descriptors = [calls.index(operation, value) for value in (left, right)]
            numbers = [calls.number(one) for one in (site, form, keeps)]
            calls.call(operation, "product", [*numbers, *descriptors, address])
            found = emitter.create(where, "llvm.load", [pointer], [given.type], alignment)[0]
            replace_op(operation, found)

        return rewrite

    def _form(self, operation: Any) -> int:
        """Return the word that describes a product."""
        attributes = operation.attributes
        shape = str(attributes["shape"])
        m, n, k = (int("".join(filter(str.isdigit, part))) for part in shape.split(","))
        a, b, d = (word(attributes[name]) for name in ("typeA", "typeB", "typeD"))
        if not multiplies(a, b, d):
            fail(operation, f"'{PRODUCT}' of {a} and {b} with sums of {d} is not known to the simulator")
        size = ELEMENT_BYTES[ELEMENTS[a]]
        if m != _M or k * size != K_BYTES or n % 8 or not 8 <= n <= 256:
            fail(operation, f"'{PRODUCT}' must have m = 64, n = 8 to 256 and k of {K_BYTES} B, but got {shape}")
        transposed = word(attributes["layoutA"]) == "col", word(attributes["layoutB"]) == "row"
        if any(transposed) and size != 2:
            fail(operation, f"'{PRODUCT}' of {a} must have K as the inner axis of both operands")
        registers = size_bytes(ir.IntegerType.get_signless(32)) // (2 if d == "f16" else 1)
        kind = self.accumulators.host_type(operation.operands[0].type)
        if size_bytes(kind) != n // 2 * registers:
            fail(operation, f"'{PRODUCT}' with n = {n} and sums of {d} does not have accumulators {kind}")
        if "satfinite" in attributes and "satfinite" in str(attributes["satfinite"]):
            fail(operation, f"'{PRODUCT}' that saturates is not known to the simulator")
        negative = (word(attributes["scaleA"]) == "neg") != (word(attributes["scaleB"]) == "neg")
        web = self.accumulators.web(operation.results[0])
        fields = {
            ProductField.N: n,
            ProductField.A: ELEMENTS[a],
            ProductField.B: ELEMENTS[b],
            ProductField.SUM: SUMS[d],
            ProductField.A_TRANSPOSED: transposed[0],
            ProductField.B_TRANSPOSED: transposed[1],
            ProductField.NEGATIVE: negative,
            ProductField.WEB: web or 0,
            ProductField.K: k,
        }
        return sum(int(value) << int(place) for place, value in fields.items())

    def _plan_tied(self, operation: Any) -> Callable[[], None]:
        calls = self._calls
        name = find_assembly(str(ir.StringAttr(operation.attributes["asm_string"]).value))
        if name not in _TIED_GROUPS:
            fail(operation, f"the simulator has no function for inline assembly '{name}'")
        require_constraints(operation, name)
        site, pending = calls.site(operation), _TIED_GROUPS[name]

        def rewrite() -> None:
            where, emitter = ir.InsertionPoint(operation), calls.memory.emitter
            calls.call(operation, "group_wait", [site, pending])
            result = operation.results[0]
            values = list(operation.operands)
            whole = values[0]
            if len(values) > 1:
                whole = emitter.create(where, "vector.from_elements", values, [result.type])[0]
            result.replace_all_uses_with(whole)
            operation.erase()

        return rewrite

    def _access(self, operation: Any) -> None:
        """Turn the access to a struct's element into one to a vector's."""
        where, emitter = ir.InsertionPoint(operation), self._calls.memory.emitter
        places = list(ir.DenseI64ArrayAttr(operation.attributes["position"]))
        position = {"static_position": ir.DenseI64ArrayAttr.get(places)}
        if str(operation.name) == "llvm.extractvalue":
            kind = operation.results[0].type
            value = emitter.create(where, "vector.extract", [operation.operands[0]], [kind], position)[0]
        else:
            container, scalar = operation.operands
            value = emitter.create(where, "vector.insert", [scalar, container], [container.type], position)[0]
        replace_op(operation, value)

    def _home(self, kind: Any) -> tuple[Any, Any]:
        """Return the thread's memory for accumulators of a type: pointer, and address as an index."""
        if str(kind) not in self._homes:
            alignment = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), _ALIGNMENT)
            self._homes[str(kind)] = self._calls.memory.emitter.allocate(kind, alignment)
        return self._homes[str(kind)]
