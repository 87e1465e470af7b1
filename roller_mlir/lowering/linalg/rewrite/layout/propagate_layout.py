# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole networks whose channels lie last: windows over images, and the element-wise ops between them, are rewritten.

    %y = linalg.conv_2d_nchw_fchw ins(%x, %w) outs(%z) -> tensor<1x64x14x14xf32>
    %r = linalg.generic { maximumf } ins(%y) -> tensor<1x64x14x14xf32>
    // is
    %a = linalg.generic reads %x at (n, c, h, w) and writes at (n, h, w, c)      // only where no op here makes %x
    %b = linalg.generic { the body } ins(%a, %w) outs(zero) -> tensor<1x14x14x64xf32>
    %s = linalg.generic { maximumf } ins(%b) -> tensor<1x14x14x64xf32>
    %r = linalg.generic reads %s at (n, h, w, c) and writes at (n, c, h, w)      // only for who else reads it

Vectors along channels are whole whatever the image's width, and read neighbours. A filter stays as it is: it is packed
for the tile that reads it. Nothing is copied between the ops, so that all of them are weighed together. Images that are
put together along their channels (`joined_channels`) are so where these lie last.

Paper: none; libraries keep such layouts from operator to operator (oneDNN's `any`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, Protocol

from roller_mlir.lowering.linalg.constants import Constants
from roller_mlir.lowering.linalg.generic import bodiless_generic, copy_body, empty_like, filled, iterators_of
from roller_mlir.lowering.linalg.group.dispatches import NO_CONSTANTS, ConstantInputs, constant_inputs
from roller_mlir.lowering.linalg.group.group import group_of_roots
from roller_mlir.lowering.linalg.pads import PAD, pad_tensor, padding_of
from roller_mlir.lowering.linalg.reader import StructuredOp, StructuredReader, fill_constant, is_structured
from roller_mlir.lowering.linalg.rewrite.decompose import joined
from roller_mlir.lowering.linalg.rewrite.layout.channels_last import Order, copy_of, moved, reordered, transposed
from roller_mlir.lowering.linalg.rewrite.layout.joined_channels import COLLAPSE, JoinedChannels, joined_channels
from roller_mlir.plan import Access, LinearIndex, TensorExpression
from roller_mlir.support.bindings import ir
from roller_mlir.support.values import defining_op, indexing_maps, operations_inside

WORTH = 0.98
"""Of the time of all windows as they are: layouts that save less stay."""

_ORDER, _BACK = (0, 2, 3, 1), (0, 3, 1, 2)
"""Of each dimension of a tensor with channels last, or first, which one of the other it is."""

Weighed = tuple[TensorExpression, ConstantInputs]
"""An expression, and which of its inputs are constants."""


class Weigh(Protocol):
    """How expressions are weighed."""

    def least(self, expression: TensorExpression) -> float:
        """Return seconds that no plan of an expression comes below."""

    def seconds(self, expression: TensorExpression, constants: ConstantInputs) -> float | None:
        """Return what an expression is predicted to take, some of whose inputs are constants; None without a plan."""


@dataclass(frozen=True)
class LayoutChange:
    """Windows that were rewritten.

    Attributes:
        windows: How many.
        before_s: What they were predicted to take.
        after_s: What they are predicted to take now, with the copies at the ends.
    """

    windows: int
    before_s: float
    after_s: float


def put_all_channels_last(block: ir.Block, weigh: Weigh) -> LayoutChange | None:
    """Rewrite the windows over images of a block, and what is between them, where that saves time.

    Args:
        block: Of a function; ops on static tensors.
        weigh: How expressions are weighed.

    Returns:
        What was rewritten; None where nothing was.
    """
    network = _Network(block)
    change = network.weighed(weigh)
    if change is not None:
        network.rewrite()
    return change


class _Network:
    """The ops of a block that may be rewritten.

    Attributes:
        windows: Those with windows, as they are read.
        between: Element-wise ones that read what these make.
        joins: Those that put channels of what these make together.
    """

    def __init__(self, block: ir.Block) -> None:
        self.windows: dict[ir.Operation, StructuredOp] = {}
        self.between: set[ir.Operation] = set()
        self.joins: dict[ir.Operation, JoinedChannels] = {}
        self._order: list[ir.Operation] = []
        self._made: set[Any] = set()
        reader = StructuredReader()
        for operation in [op.operation for op in block.operations if is_structured(op.operation)]:
            if _is_window(operation):
                self.windows[operation] = reader.read(operation)
            elif any(_source(value) in self._made for value in _moving(operation)):
                self.between.add(operation)
            elif (join := joined_channels(operation)) and any(part in self._made for part in join.parts):
                self.joins[operation] = join
            else:
                continue
            self._order.append(operation)
            self._made.add(self._result(operation))
        self._twins: dict[Any, Any] = {}

    def weighed(self, weigh: Weigh) -> LayoutChange | None:
        """Return what rewriting all of them changes; None where that saves too little, or one cannot be planned."""
        if not self.windows:
            return None
        before, after = list[Weighed](), list[Weighed]()
        known, given = Constants(), dict[Any, None]()
        for operation, read in self.windows.items():
            expression = read.expression
            constants = constant_inputs(group_of_roots([read], list(operation.results)), known)
            image, result = moved(expression.inputs[0], _ORDER), moved(expression.output, _ORDER)
            last = replace(expression, inputs=(image, *expression.inputs[1:]), output=result)
            before.append((expression, constants))
            after.append((_with_loops(last, _loop_order(read)), constants))
            given[_source(operation.operands[0])] = None
        for join in self.joins.values():
            given.update(dict.fromkeys(join.parts))
        copied = [value for value in given if value not in self._made]
        copied += [made for made in map(self._result, self._order) if any(True for _ in self._others(made))]
        copies = [copy_of(_whole(value), _ORDER) for value in copied]
        after += [(copy, NO_CONSTANTS) for copy in copies if copy is not None]
        before_s = _sum(before, weigh)
        limit_s = WORTH * before_s
        after_s = _sum(after, weigh, limit_s) if before_s < inf else inf
        return LayoutChange(len(self.windows), before_s, after_s) if after_s < limit_s else None

    def _result(self, operation: ir.Operation) -> Any:
        """Return the image that one of the ops makes."""
        return self.joins[operation].result if operation in self.joins else operation.results[0]

    def _others(self, value: Any) -> Iterator[ir.Operation]:
        """Yield who reads an image, and is not rewritten with it; who sums it up reads it as it lies."""
        for use in value.uses:
            user = use.owner.operation
            if user.name == PAD or (user.name == COLLAPSE and self._is_joined(user)):
                yield from self._others(user.results[0])
            elif not (user in self.windows or user in self.between or user in self.joins or _sums_up(user)):
                yield user

    def _is_joined(self, collapsed: ir.Operation) -> bool:
        """Return whether only ops that put channels together read what a reshape gives."""
        readers = [use.owner.operation for use in collapsed.results[0].uses]
        return all(
            one.name == PAD and all(use.owner.operation in self.joins for use in one.results[0].uses) for one in readers
        )

    def rewrite(self) -> None:
        """Rewrite all of them."""
        for operation in self._order:
            with ir.InsertionPoint(operation), operation.location:
                build = self._window if operation in self.windows else self._element_wise
                build = self._joined if operation in self.joins else build
                self._twins[self._result(operation)] = build(operation)
        for operation in reversed(self._order):
            result = self._result(operation)
            if any(True for _ in result.uses):
                with ir.InsertionPoint(operation), operation.location:
                    result.replace_all_uses_with(transposed(self._twins[result], _BACK))
            if operation in self.joins:
                self.joins[operation].erase()
                continue
            image = operation.operands[0] if operation in self.windows else None
            operation.erase()
            pad = None if image is None else defining_op(image, PAD)
            if pad is not None and not any(True for _ in pad.results[0].uses):
                pad.erase()

    def _window(self, operation: ir.Operation) -> Any:
        image, *others, start = operation.operands
        *maps, written = indexing_maps(operation)
        scalar = fill_constant(start)
        begun = self._twin(start) if scalar is None else filled(reordered(start.type, _ORDER), scalar)
        order = _loop_order(self.windows[operation])
        places = [ir.AffineDimExpr.get(order.index(loop)) for loop in range(len(order))]
        maps = [
            ir.AffineMap.get(
                len(order), 0, [one.compose(ir.AffineMap.get(len(order), 0, places)) for one in each.results]
            )
            for each in (_permuted(maps[0]), *maps[1:], _permuted(written))
        ]
        kinds = iterators_of(operation, indexing_maps(operation))
        new = bodiless_generic([self._twin(image), *others], [begun], maps, [kinds[loop] for loop in order])
        copy_body(operation, new)
        return new.results[0]

    def _joined(self, operation: ir.Operation) -> Any:
        return joined([self._twin(part) for part in self.joins[operation].parts], 3)

    def _element_wise(self, operation: ir.Operation) -> Any:
        *inputs, start = operation.operands
        *maps, _ = indexing_maps(operation)
        loops = [ir.AffineDimExpr.get(_BACK[d]) for d in range(4)]  # where each of the old ones stands now
        identity = ir.AffineMap.get_identity(4)
        values, reads = list[Any](), list[ir.AffineMap]()
        for value, read in zip(inputs, maps, strict=True):
            results = [loops[one.position] if isinstance(one, ir.AffineDimExpr) else one for one in read.results]
            if _source(value) in self._twins:  # which may be broadcast
                results, value = [results[d] for d in _ORDER], self._twin(value)
            values.append(value)
            reads.append(ir.AffineMap.get(4, 0, results))
        new = bodiless_generic(
            values, [empty_like(reordered(start.type, _ORDER))], [*reads, identity], ["parallel"] * 4
        )
        copy_body(operation, new)
        for op in (one for one in operations_inside(new) if one.name == "linalg.index"):
            loop = ir.IntegerAttr(op.attributes["dim"])
            op.attributes["dim"] = ir.IntegerAttr.get(loop.type, _BACK[loop.value])
        return new.results[0]

    def _twin(self, value: Any) -> Any:
        """Return a tensor with channels last: what is made so, or a copy, in what lies around it."""
        if (padding := padding_of(value)) is not None:
            low, high = ([each[d] for d in _ORDER] for each in (padding.low, padding.high))
            return pad_tensor(self._twin(padding.source), low, high, padding.scalar)
        if value not in self._twins:
            self._twins[value] = transposed(value, _ORDER)
        return self._twins[value]


def _sum(expressions: Sequence[Weighed], weigh: Weigh, limit_s: float = inf) -> float:
    """Return what all of them take; infinity where one has no plan, or where that is not below a limit.

    One is planned only while what those before it take, and the least of the others, is below the limit.
    """
    least = [weigh.least(expression) for expression, _ in expressions]
    found = list[float]()
    for expression, constants in expressions:
        one = weigh.seconds(expression, constants) if sum(found) + sum(least[len(found) :]) < limit_s else None
        if one is None:
            return inf
        found.append(one)
    return sum(found) if sum(found) < limit_s else inf


def _inputs(operation: ir.Operation) -> list[Any]:
    return list(operation.operands)[:-1]


def _whole(value: Any) -> Access:
    """Return an access to an image, point by point."""
    kind = ir.RankedTensorType(value.type)
    loops = [LinearIndex(tuple([int(loop == d) for loop in range(kind.rank)])) for d in range(kind.rank)]
    return Access("image", kind.shape, str(kind.element_type), tuple(loops))


def _source(value: Any) -> Any:
    """Return the tensor inside of paddings."""
    while (padding := padding_of(value)) is not None:
        value = padding.source
    return value


def _is_window(operation: ir.Operation) -> bool:
    """Return whether an op moves windows over images (n, c, h, w) and makes others, as convolutions and poolings do."""
    if len(operation.results) != 1 or len(operation.operands) < 3 or _has_indices(operation):
        return False
    image, *_, written = ([_terms(one) for one in each.results] for each in indexing_maps(operation))
    if len(image) != 4 or len(written) != 4 or any(len(one) != 1 for one in (*image[:2], *written)):
        return False
    if any(not isinstance(value.type, ir.RankedTensorType) for value in operation.operands):
        return False
    windows = zip(image[2:], written[2:], strict=True)
    return image[0] == written[0] and all(len(one) == 2 and own <= one for one, own in windows)


def _moving(operation: ir.Operation) -> list[Any]:
    """Return the inputs of an element-wise op that has the loops of an image, those that it reads as it writes."""
    if len(operation.results) != 1:
        return []
    *maps, written = indexing_maps(operation)
    block, identity = operation.regions[0].blocks[0], ir.AffineMap.get_identity(4)
    simple = (ir.AffineDimExpr, ir.AffineConstantExpr)
    if written != identity or any(True for _ in block.arguments[len(operation.operands) - 1].uses):
        return []
    if any(not isinstance(one, simple) for each in maps for one in each.results):
        return []
    return [value for value, read in zip(_inputs(operation), maps, strict=True) if read == identity]


def _sums_up(operation: ir.Operation) -> bool:
    return is_structured(operation) and "reduction" in iterators_of(operation, indexing_maps(operation))


def _has_indices(operation: ir.Operation) -> bool:
    return any(op.name == "linalg.index" for op in operations_inside(operation))


def _terms(expression: Any) -> set[int]:
    """Return the loops of an index."""
    if isinstance(expression, ir.AffineDimExpr):
        return {expression.position}
    if isinstance(expression, (ir.AffineAddExpr, ir.AffineMulExpr)):
        return _terms(expression.lhs) | _terms(expression.rhs)
    return set()


def _loop_order(read: StructuredOp) -> Order:
    """Return the loops of a window whose channels lie last: of what it makes, of the window, of channels."""
    image, *_, written = indexing_maps(read.operation)
    (parallel, along) = ([_terms(each.results[d]) for d in _ORDER] for each in (written, image))
    first = [loop for each in parallel for loop in each]
    reductions = read.expression.reductions()
    if not read.expression.ordered:
        windows = [loop for each in along[1:3] for loop in each if loop in reductions]
        reductions = (*windows, *(loop for loop in reductions if loop not in windows))
    return (*first, *reductions)


def _with_loops(expression: TensorExpression, order: Order) -> TensorExpression:
    """Return an op's expression with its loops in another order."""

    def one(access: Access) -> Access:
        indices = [
            LinearIndex(tuple([index.coefficients[i] for i in order]), index.constant) for index in access.indices
        ]
        return replace(access, indices=tuple(indices))

    inputs = tuple([one(access) for access in expression.inputs])
    loops = tuple([expression.loops[i] for i in order])
    return replace(expression, loops=loops, inputs=inputs, output=one(expression.output))


def _permuted(map_: ir.AffineMap) -> ir.AffineMap:
    return ir.AffineMap.get(map_.n_dims, 0, [map_.results[d] for d in _ORDER])


def named(changes: Sequence[LayoutChange]) -> str:
    """Return what was changed, for people."""
    windows = sum(one.windows for one in changes)
    before_s, after_s = (sum(each) for each in zip(*((one.before_s, one.after_s) for one in changes), strict=True))
    figures = f"predicted {after_s * 1e6:.1f} us, {before_s * 1e6:.1f} us as it is"
    return f"{windows} windows over images, and what is between them, have their channels last: {figures}"
