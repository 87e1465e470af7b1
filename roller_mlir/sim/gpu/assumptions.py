# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What kernels promise to LLVM is checked and forgotten, and divisions that mean nothing are found.

    llvm.intr.assume %c : i1                      a fault where %c is false
    %1 = memref.assume_alignment %0, 16 : ...     a fault where the address is no multiple of 16 B
    memref.prefetch %m[%i], read, ...             nothing: a hint, which need not be of an element
    %r = arith.divsi %a, %b : i32                 in sanitized launches a fault where %b is 0, or %a / %b overflows

Nothing is left of the first three: LLVM would leave out whatever a broken promise makes unreachable, such as the end of
the kernel. Divisions that remain are made such that they cannot trap (`hardened`).
"""

from collections.abc import Callable
from itertools import product
from typing import Any, ClassVar

from roller_mlir.sim.gpu.accesses import Instrumenter
from roller_mlir.sim.gpu.kernel_ir import INLINE
from roller_mlir.support.bindings import ir

_SIGNED = frozenset({
    "arith.ceildivsi", "arith.divsi", "arith.floordivsi", "arith.remsi",
    "index.ceildivs", "index.divs", "index.floordivs", "index.rems",
})  # fmt: skip
_UNSIGNED = frozenset({
    "arith.ceildivui", "arith.divui", "arith.remui", "index.ceildivu", "index.divu", "index.remu",
})  # fmt: skip
_INDEX_BITS = 64


class Assumptions:
    """Plans the checks of one kernel."""

    takes: ClassVar[tuple[str, ...]] = (
        *("llvm.intr.assume", "memref.assume_alignment", "memref.prefetch"),
        *(*_SIGNED, *_UNSIGNED),
    )

    def __init__(self, memory: Instrumenter) -> None:
        """Take what numbers and emits."""
        self._memory, self._emitter = memory, memory.emitter

    def plan(self, operation: Any) -> Callable[[], None] | None:
        """Return what checks an operation, None where it promises nothing."""
        name = str(operation.name)
        if name == "llvm.intr.assume":
            return self._plan_assume(operation)
        if name == "memref.assume_alignment":
            return self._plan_alignment(operation)
        if name == "memref.prefetch":
            return operation.erase
        if (name in _SIGNED or name in _UNSIGNED) and self._memory.sanitize:
            return self._plan_division(operation, signed=name in _SIGNED)
        return None

    def _number(self, operation: Any) -> Any:
        return self._emitter.constant(self._emitter.site(operation).number)

    def _plan_assume(self, operation: Any) -> Callable[[], None]:
        number = self._number(operation)

        def check() -> None:
            where = ir.InsertionPoint(operation)
            holds = self._emitter.index(where, operation.operands[0])
            self._emitter.call(where, f"{INLINE}promise", [number, holds])
            operation.erase()

        return check

    def _plan_alignment(self, operation: Any) -> Callable[[], None]:
        number = self._number(operation)
        mask = self._emitter.constant(int(ir.IntegerAttr(operation.attributes["alignment"]).value) - 1)

        def check() -> None:
            memref = operation.operands[0]
            base = self._emitter.describe(memref).base
            self._emitter.call(ir.InsertionPoint(operation), f"{INLINE}aligned", [number, base, mask])
            for result in operation.results:
                result.replace_all_uses_with(memref)
            operation.erase()

        return check

    def _plan_division(self, operation: Any, *, signed: bool) -> Callable[[], None]:
        number = self._number(operation)

        def check() -> None:
            where = ir.InsertionPoint(operation)
            kind: Any = operation.operands[0].type
            element: Any = kind.element_type if isinstance(kind, ir.VectorType) else kind
            width = _INDEX_BITS if isinstance(element, ir.IndexType) else int(element.width)
            if width > _INDEX_BITS:
                return
            for pair in self._lanes(where, operation):
                values = [self._emitter.index(where, value, signed=signed) for value in pair]
                if signed:
                    values.append(self._emitter.constant(-(1 << width - 1)))
                self._emitter.call(where, f"{INLINE}divide{'_signed' * signed}", [number, *values])

        return check

    def _lanes(self, where: Any, operation: Any) -> list[tuple[Any, Any]]:
        """Return the pairs of scalars that are divided."""
        above, below = operation.operands
        if not isinstance(above.type, ir.VectorType):
            return [(above, below)]
        pairs: list[tuple[Any, Any]] = []
        for position in product(*map(range, above.type.shape)):
            attributes: dict[str, Any] = {"static_position": ir.DenseI64ArrayAttr.get(position)}
            element = above.type.element_type
            first, second = (
                self._emitter.create(where, "vector.extract", [value], [element], attributes)[0]
                for value in (above, below)
            )
            pairs.append((first, second))
        return pairs
