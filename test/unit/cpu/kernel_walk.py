# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a kernel does to one of its arguments, in the order in which it does it: its index arithmetic, walked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from roller_mlir.support.bindings import ir

_BINARY: dict[str, Callable[[int, int], int]] = {
    "arith.addi": lambda x, y: x + y,
    "arith.subi": lambda x, y: x - y,
    "arith.muli": lambda x, y: x * y,
    "arith.divui": lambda x, y: x // y,
    "arith.remui": lambda x, y: x % y,
    "arith.minsi": min,
    "arith.minui": min,
    "arith.maxsi": max,
}
_COMPARED: tuple[Callable[[int, int], bool], ...] = (
    lambda x, y: x == y,
    lambda x, y: x != y,
    lambda x, y: x < y,
    lambda x, y: x <= y,
    lambda x, y: x > y,
    lambda x, y: x >= y,
)
_SAME = ("arith.index_cast", "arith.index_castui", "arith.extui", "arith.extsi", "llvm.inttoptr")
_TILE_ROWS = 16


@dataclass
class KernelWalk:
    """The hints and reads of one argument of a kernel, as bytes from its start.

    Attributes:
        module: A module with one kernel and its launch.
        argument: Number of the kernel's argument.
        events: ("hint" or "read", first byte, bytes), in order.
    """

    module: ir.Module
    argument: int
    events: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])

    def walk(self) -> "KernelWalk":
        """Execute what is known of the kernel: whole numbers; of a choice on others both branches."""
        (kernel,) = _inside(self.module.operation, "gpu.func")
        (launch,) = _inside(self.module.operation, "gpu.launch_func")
        entry = kernel.regions[0].blocks[0]
        self._known: dict[Any, int] = {}
        self._bases = {entry.arguments[self.argument]}
        blocks: Any = launch.operands[0].owner
        for block in range(ir.IntegerAttr(blocks.attributes["value"]).value):
            self._block = block
            self._run(entry.operations)
        return self

    def _run(self, operations: Any) -> list[int | None]:
        for one in operations:
            operation, name = one.operation, one.operation.name
            values = [self._known.get(value) for value in operation.operands]
            if name in ("scf.yield", "gpu.return"):
                return values
            if name == "scf.for":
                self._loop(operation, values)
            elif name == "scf.if":
                self._choose(operation, values[0])
            elif name == "arith.constant" and isinstance(operation.attributes["value"], ir.IntegerAttr):
                self._known[operation.results[0]] = ir.IntegerAttr(operation.attributes["value"]).value
            elif name in ("gpu.block_id", "llvm.mlir.constant"):
                value = operation.attributes.get("value")
                self._known[operation.results[0]] = self._block if value is None else ir.IntegerAttr(value).value
            else:
                self._scalar(operation, name, values)
                self._access(operation, name, values)
        return []

    def _loop(self, operation: Any, values: list[int | None]) -> None:
        low, high, step = values[:3]
        assert low is not None and high is not None and step is not None, operation
        body = operation.regions[0].blocks[0]
        carried = values[3:]
        for at in range(low, high, step):
            self._bind(body.arguments, [at, *carried])
            carried = self._run(body.operations)
        self._bind(operation.results, carried)

    def _choose(self, operation: Any, condition: int | None) -> None:
        regions = [one for one in operation.regions if len(one.blocks)]
        if condition is not None:
            regions = regions[:1] if condition else regions[1:]
        found: list[int | None] = []
        for region in regions:
            found = self._run(region.blocks[0].operations)
        self._bind(operation.results, found if len(regions) == 1 else [None] * len(found))

    def _bind(self, targets: Any, values: Sequence[int | None]) -> None:
        for target, value in zip(targets, values, strict=False):
            self._known.pop(target, None)
            if value is not None:
                self._known[target] = value

    def _scalar(self, operation: Any, name: str, values: list[int | None]) -> None:
        found: int | None = None
        if name in _BINARY and None not in values:
            found = _BINARY[name](*values)  # pyrefly: ignore
        elif name == "arith.andi":
            found = 0 if 0 in values else values[0] if values[0] == values[1] else None
        elif name == "arith.cmpi" and None not in values:
            predicate = ir.IntegerAttr(operation.attributes["predicate"]).value
            found = int(_COMPARED[predicate if predicate < len(_COMPARED) else predicate - 4](*values))  # pyrefly: ignore
        elif name == "arith.select":
            found = values[1] if values[0] else values[2] if values[0] is not None else None
        elif name in _SAME:
            found = values[0]
        elif name == "memref.extract_aligned_pointer_as_index" and operation.operands[0] in self._bases:
            found = 0
        elif name == "memref.expand_shape" and operation.operands[0] in self._bases:
            self._bases.add(operation.results[0])
        self._bind(operation.results[:1], [found])

    def _access(self, operation: Any, name: str, values: list[int | None]) -> None:
        if name == "llvm.call_intrinsic" and "tileload" in str(operation.attributes["intrin"]):
            _, first, pitch = values
            if first is not None and pitch is not None:
                self.events += [("read", first + row * pitch, _TILE_ROWS * 4) for row in range(_TILE_ROWS)]
            return
        if not operation.operands or operation.operands[0] not in self._bases or name == "memref.expand_shape":
            return
        if name == "memref.extract_aligned_pointer_as_index":
            return
        kind = ir.MemRefType(operation.operands[0].type)
        size = ir.ShapedType(kind).element_type.width // 8
        indices = values[1 : 1 + kind.rank]
        assert None not in indices, f"{operation} reads at a place that is not known"
        at = sum(index * prod(kind.shape[place + 1 :]) for place, index in enumerate(indices)) * size  # pyrefly: ignore
        count = ir.VectorType(operation.results[0].type).shape[0] if len(operation.results) else 1
        self.events.append(("hint" if name == "memref.prefetch" else "read", at, count * size))


def _inside(operation: Any, name: str) -> Iterator[Any]:
    for region in operation.regions:
        for block in region.blocks:
            for one in block.operations:
                if one.operation.name == name:
                    yield one.operation
                yield from _inside(one.operation, name)
