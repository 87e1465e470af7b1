# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The accumulators of a kernel's products: which values are the same registers, and who else uses them.

On the device the values that one product passes to the next are one set of registers, a web, whatever loops and
conditions they pass through. Anything but a product or a wait that uses a web must come behind the wait for its last
product; each such use gets a check.
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.lowering.codegen.builder.inline_assembly import BY_NAME, find_assembly
from roller_mlir.sim.hopper.layout import MOST_WEBS
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail

PRODUCT = "nvvm.wgmma.mma_async"
ASSEMBLY = "llvm.inline_asm"
_FRESH = {"llvm.mlir.zero", "llvm.mlir.undef", "llvm.mlir.poison", "llvm.mlir.constant"}
_PASSES_ON = {"scf.for", "scf.if", "scf.while", "scf.yield", "scf.condition", "cf.br", "cf.cond_br", "arith.select"}


def tied_wait(operation: Any) -> bool:
    """Return whether an operation is assembly through which accumulators pass."""
    if str(operation.name) != ASSEMBLY:
        return False
    name = find_assembly(str(ir.StringAttr(operation.attributes["asm_string"]).value))
    return name is not None and BY_NAME[name].tied


def elements_of(kind: Any) -> tuple[int, str] | None:
    """Return number and type of the elements of a struct of equal elements; None: it is something else."""
    text = str(kind)
    if not text.startswith("!llvm.struct<(") or not text.endswith(")>"):
        return None
    parts = [part.strip() for part in text[len("!llvm.struct<(") : -2].split(",")]
    return (len(parts), parts[0]) if len(set(parts)) == 1 and parts[0] else None


def _origin(value: Any) -> Any:
    """Return the struct that a value is an element of; None: it is none's."""
    if isinstance(value, ir.BlockArgument) or str(value.owner.operation.name) != "llvm.extractvalue":
        return None
    return value.owner.operation.operands[0]


class Accumulators:
    """The accumulators of one kernel.

    Attributes:
        kinds: Types of accumulators, spelled, and the vector type that stands for each on this machine.
        used: Whether there are any.
    """

    def __init__(self, operations: Sequence[Any]) -> None:
        """Find the webs, before anything is rewritten.

        Raises:
            DiagnosedError: There are more than the simulator keeps apart.
        """
        self.kinds: dict[str, Any] = {}
        self._parents: dict[Any, Any] = {}
        self._numbers: dict[Any, int] = {}
        products = [operation for operation in operations if str(operation.name) == PRODUCT]
        self.used = bool(products)
        for operation in [*products, *(one for one in operations if tied_wait(one))]:
            for result in operation.results:
                found = elements_of(result.type)
                if found is not None:
                    self.kinds[str(result.type)] = ir.VectorType.get([found[0]], ir.Type.parse(found[1]))
        for operation in operations:
            self._join_all(operation)
        for operation in products:
            root = self._root(operation.results[0])
            if self._numbers.setdefault(root, len(self._numbers)) >= MOST_WEBS:
                fail(operation, f"the simulator keeps at most {MOST_WEBS} sets of accumulators of a kernel apart")

    def web(self, value: Any) -> int | None:
        """Return the number of a value's web; None: no product makes it."""
        return self._numbers.get(self._root(value))

    def host_type(self, kind: Any) -> Any:
        """Return what a type becomes, or the type itself."""
        return self.kinds.get(str(kind), kind)

    def is_kind(self, kind: Any) -> bool:
        """Return whether a type is one of accumulators, before the rewrite or after it."""
        return str(kind) in self.kinds or any(kind == vector for vector in self.kinds.values())

    def uses(self, operations: Sequence[Any]) -> list[tuple[Any, int]]:
        """Return the operations that use accumulators outside of products, each with the web.

        Of neighbours in a block that use one web only the first one counts, up to the next product or region.
        """
        found: list[tuple[Any, int]] = []
        seen: dict[Any, set[int]] = {}
        for operation in operations:
            name = str(operation.name)
            block = operation.block
            webs = seen.setdefault(block, set())
            if name == PRODUCT or len(operation.regions):
                webs.clear()
                if name == PRODUCT:
                    for other in seen.values():
                        other.clear()
                continue
            if name == "llvm.extractvalue" or name in _PASSES_ON or tied_wait(operation):
                continue
            for operand in operation.operands:
                web = self._used_web(operand)
                if web is not None and web not in webs:
                    webs.add(web)
                    found.append((operation, web))
        return found

    def _used_web(self, value: Any) -> int | None:
        if str(value.type) in self.kinds:
            return self.web(value)
        source = _origin(value)
        return None if source is None else self._used_web(source)

    def _root(self, value: Any) -> Any:
        while value in self._parents:
            value = self._parents[value]
        return value

    def _join(self, left: Any, right: Any) -> None:
        for value in (left, right):
            if str(value.type) not in self.kinds:
                return
            if not isinstance(value, ir.BlockArgument) and str(value.owner.operation.name) in _FRESH:
                return
        first, second = self._root(left), self._root(right)
        if first != second:
            self._parents[first] = second

    def _join_each(self, left: Sequence[Any], right: Sequence[Any]) -> None:
        for one, other in zip(left, right, strict=False):
            self._join(one, other)

    def _join_all(self, operation: Any) -> None:
        name = str(operation.name)
        if name == PRODUCT or name == "llvm.insertvalue":
            self._join(operation.results[0], operation.operands[0])
        elif tied_wait(operation):
            for source in {origin for origin in map(_origin, operation.operands) if origin is not None}:
                self._join(operation.results[0], source)
        elif name == "arith.select":
            for operand in list(operation.operands)[1:]:
                self._join(operation.results[0], operand)
        elif name == "scf.for":
            body = operation.regions[0].blocks[0]
            last = list(body.operations)[-1].operation
            inside = list(body.arguments)[1:]
            for values in (list(operation.operands)[3:], list(last.operands), list(operation.results)):
                self._join_each(inside, values)
        elif name == "scf.if":
            for region in operation.regions:
                for block in region.blocks:
                    self._join_each(list(operation.results), list(list(block.operations)[-1].operation.operands))
        elif name == "scf.while":
            before, after = (region.blocks[0] for region in operation.regions)
            condition, last = (list(block.operations)[-1].operation for block in (before, after))
            self._join_each(list(before.arguments), list(operation.operands))
            self._join_each(list(before.arguments), list(last.operands))
            for values in (list(after.arguments), list(operation.results)):
                self._join_each(values, list(condition.operands)[1:])
        elif name == "cf.br":
            self._join_each(list(operation.successors[0].arguments), list(operation.operands))
        elif name == "cf.cond_br":
            values = list(operation.operands)[1:]
            for successor in operation.successors:
                count = len(successor.arguments)
                self._join_each(list(successor.arguments), values[:count])
                values = values[count:]
