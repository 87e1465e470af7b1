# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images that are put together along their channels, as `decompose` writes them: flattened with their pixels.

    %a = tensor.pad (tensor.collapse_shape %x [[0], [1, 2, 3]]) low[0, 0] high[0, 300]          // 1x4x5x5, 100 points
    %b = tensor.pad (tensor.collapse_shape %y [[0], [1, 2, 3]]) low[0, 100] high[0, 0]          // 1x12x5x5
    %f = linalg.generic ins(%a, %b) { index of the second loop >= 100 ? %b : %a } -> tensor<1x400xf32>
    %r = tensor.expand_shape %f [[0], [1, 2, 3]] : tensor<1x400xf32> into tensor<1x16x5x5xf32>
    // is x and y, r's channels 0 to 3 and 4 to 15

Paper: none.
"""

from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.linalg.generic import iterators_of
from roller_mlir.lowering.linalg.pads import PAD, padding_of
from roller_mlir.support.bindings import arith, ir
from roller_mlir.support.values import defining_op, indexing_maps

COLLAPSE, EXPAND = "tensor.collapse_shape", "tensor.expand_shape"
_FLAT = [[0], [1, 2, 3]]


@dataclass(frozen=True)
class JoinedChannels:
    """Images (n, c, h, w) that are one with all their channels.

    Attributes:
        operation: The op that puts them together.
        result: The image that they are.
        parts: They, in the order of their channels.
    """

    operation: ir.Operation
    result: Any
    parts: tuple[Any, ...]

    def erase(self) -> None:
        """Erase the op and what it alone reads; nobody reads its result."""
        pads = [defining_op(value, PAD) for value in list(self.operation.operands)[:-1]]
        self.result.owner.erase()
        self.operation.erase()
        for pad in pads:
            assert pad is not None, "it was read"
            collapsed = defining_op(pad.operands[0], COLLAPSE)
            for one in (pad, collapsed):
                if one is not None and not any(True for _ in one.results[0].uses):
                    one.erase()


def joined_channels(operation: ir.Operation) -> JoinedChannels | None:
    """Return what an op puts together; None where it is another one."""
    if operation.name != "linalg.generic" or len(operation.results) != 1:
        return None
    maps, uses = indexing_maps(operation), list(operation.results[0].uses)
    if set(maps) != {ir.AffineMap.get_identity(2)} or set(iterators_of(operation, maps)) != {"parallel"}:
        return None
    expanded = uses[0].owner.operation if len(uses) == 1 else None
    if expanded is None or expanded.name != EXPAND or _groups(expanded) != _FLAT:
        return None
    parts, ends = list[Any](), list[tuple[int, int]]()
    for value in list(operation.operands)[:-1]:
        padding = padding_of(value)
        collapsed = None if padding is None else defining_op(padding.source, COLLAPSE)
        if padding is None or collapsed is None or _groups(collapsed) != _FLAT or padding.low[0] or padding.high[0]:
            return None
        parts.append(collapsed.operands[0])
        ends.append((padding.low[1], padding.low[1] + ir.RankedTensorType(padding.source.type).shape[1]))
    image = ir.RankedTensorType(expanded.results[0].type).shape
    starts = [0, *(end for _, end in ends)]
    whole = [start for start, _ in ends] + [ir.RankedTensorType(operation.results[0].type).shape[1]]
    alike = all(ir.RankedTensorType(one.type).shape[2:] == image[2:] for one in parts)
    if len(parts) < 2 or starts != whole or not alike or not _selects(operation, ends):
        return None
    return JoinedChannels(operation, expanded.results[0], tuple(parts))


def _groups(operation: ir.Operation) -> list[list[int]]:
    return [[ir.IntegerAttr(one).value for one in group] for group in operation.attributes["reassociation"]]


def _selects(operation: ir.Operation, ends: list[tuple[int, int]]) -> bool:
    """Return whether the body gives each point of a part that part's element.

    It compares the point's place with constants, so that it is enough to look around these and at the ends of parts.
    """
    places = {place for low, high in ends for place in (low, high - 1)}
    for op in operation.regions[0].blocks[0].operations:
        if op.operation.name == "arith.cmpi":
            number = _number(op.operation.operands[1])
            if number is None:
                return False
            places |= {number - 1, number, number + 1}
    wanted = {place: part for part, (low, high) in enumerate(ends) for place in places if low <= place < high}
    return all(_given(operation, place) == part for place, part in wanted.items())


def _given(operation: ir.Operation, place: int) -> int | None:
    """Return which of its inputs a body gives at a place along the second loop; None where it computes otherwise."""
    block = operation.regions[0].blocks[0]
    known: dict[Any, Any] = {}
    arguments = {value: number for number, value in enumerate(block.arguments)}
    compared = {arith.CmpIPredicate.uge: int.__ge__, arith.CmpIPredicate.ult: int.__lt__}
    for op in (one.operation for one in block.operations):
        if op.name == "linalg.yield":
            return arguments.get(known.get(op.operands[0], op.operands[0]))
        if op.name == "linalg.index" and ir.IntegerAttr(op.attributes["dim"]).value == 1:
            known[op.results[0]] = place
        elif op.name == "arith.cmpi":
            compare = compared.get(arith.CmpIPredicate(ir.IntegerAttr(op.attributes["predicate"]).value))
            at, number = known.get(op.operands[0]), _number(op.operands[1])
            if compare is None or at is None or number is None:
                return None
            known[op.results[0]] = compare(at, number)
        elif op.name == "arith.andi" and all(one in known for one in op.operands):
            known[op.results[0]] = all(known[one] for one in op.operands)
        elif op.name == "arith.select" and op.operands[0] in known:
            taken = op.operands[1 if known[op.operands[0]] else 2]
            known[op.results[0]] = known.get(taken, taken)
        elif op.name != "arith.constant":
            return None
    return None


def _number(value: Any) -> int | None:
    constant = defining_op(value, "arith.constant")
    attribute = None if constant is None else constant.attributes["value"]
    return attribute.value if isinstance(attribute, ir.IntegerAttr) else None
