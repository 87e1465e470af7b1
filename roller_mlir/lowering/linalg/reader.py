# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A linalg structured op as a tensor expression: loops and accesses from its indexing maps, arithmetic from its body.

No operator name is looked at; `linalg.matmul` and the `linalg.generic` that says the same give equal expressions. An
input that a tensor.pad or a tensor.extract_slice gives is an access to the tensor inside it, see `views`.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

from roller_mlir.lowering.linalg.accepted_input import RESHAPES
from roller_mlir.lowering.linalg.affine import NotLinearError, map_indices
from roller_mlir.lowering.linalg.body import (
    Body,
    BodyArgument,
    BodyConstant,
    Local,
    Reference,
    UnknownValueError,
    read_body,
)
from roller_mlir.lowering.linalg.views import VIEWS, View, view_of
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op, erase_unread, indexing_maps


@dataclass(frozen=True)
class StructuredOp:
    """A linalg structured op, read.

    Attributes:
        operation: The op.
        expression: Its tensor expression; scalar constants and unused inputs are left out.
        inputs: Numbers of the op's operands that the expression's inputs stand for.
        sources: The tensors that those are read from: the operands, or what they are views of.
        body: Its body, arguments numbered as the op's operands.
        accumulated: Numbers of the operands that its outputs go on from; fills are none.
    """

    operation: ir.Operation
    expression: TensorExpression
    inputs: tuple[int, ...]
    sources: tuple[ir.Value, ...]
    body: Body
    accumulated: tuple[int, ...]

    @cached_property
    def starts(self) -> tuple[tuple[int, ir.Value, Access], ...]:
        """Numbers of its outputs, the tensors that these start from, and how it walks them; fills are none."""
        numbers = [operand - self.body.inputs for operand in self.accumulated]
        values = [self.operation.operands[operand] for operand in self.accumulated]
        return tuple(
            (number, value, self.expression.outputs[number]) for number, value in zip(numbers, values, strict=True)
        )


def is_structured(operation: ir.Operation) -> bool:
    """Return whether an operation is a linalg structured op (has indexing maps and a body)."""
    return operation.name.startswith("linalg.") and operation.name not in ("linalg.yield", "linalg.index")


def fill_constant(value: ir.Value) -> Any:
    """Return the scalar that every element of a value is, where a structured op fills it with a constant; else None."""
    operation = defining_op(value)
    if operation is None or not is_structured(operation) or len(operation.results) != 1:
        return None
    if any(isinstance(operand.type, ir.RankedTensorType) for operand in list(operation.operands)[:-1]):
        return None
    try:
        body = read_body(operation.regions[0].blocks[0], len(operation.operands) - 1)
    except UnknownValueError:
        return None
    (yielded,) = body.yielded
    if isinstance(yielded, BodyConstant):
        return yielded.attribute
    if isinstance(yielded, BodyArgument) and yielded.number < body.inputs:
        constant = defining_op(operation.operands[yielded.number], "arith.constant")
        return None if constant is None else constant.attributes["value"]
    return None


def erase_unused(block: ir.Block) -> None:
    """Erase structured ops, views, reshapes, empty tensors and constants of a block whose results nobody uses."""
    erase_unread(block, lambda operation: is_structured(operation) or is_plain(operation))


def is_plain(operation: ir.Operation) -> bool:
    """Return whether an operation is a view, a reshape, an empty tensor or a constant."""
    return operation.name in ("arith.constant", "tensor.empty", *VIEWS, *RESHAPES)


def read_structured(operation: ir.Operation) -> StructuredOp:
    """Read a linalg structured op on static tensors; what cannot be expressed is a located error."""
    return StructuredReader().read(operation)


class StructuredReader:
    """Reads linalg structured ops; the expression of those that are equal but for their tensors is made once.

    Args:
        unchanged: Whether the ops stay as they are for as long as it reads: what fills a tensor is looked at once then.
    """

    def __init__(self, *, unchanged: bool = False) -> None:
        self._known: dict[Hashable, TensorExpression] = {}
        self._filled: dict[ir.Value, bool] | None = {} if unchanged else None

    def read(self, operation: ir.Operation) -> StructuredOp:
        """Read an op as `read_structured` does."""
        maps = indexing_maps(operation)
        inputs = len(maps) - len(operation.results)
        try:
            body = read_body(operation.regions[0].blocks[0], inputs)
        except UnknownValueError as error:
            fail(operation, f"'{operation.name}': {error}")
        used = tuple(i for i in range(inputs) if body.reads(i) and _is_tensor(operation, i))
        gathered = body.gathered()
        views = {i: None if i in gathered else view_of(operation.operands[i]) for i in used}
        sources = tuple(operation.operands[i] if view is None else view.source for i, view in views.items())
        for below in map(defining_op, sources):
            if below is not None and below.name in VIEWS:
                fail(below, f"'{below.name}' is padded, which needs a copy of it; run rtile-normalize first")
        accumulated = tuple(
            i for i in range(inputs, len(maps)) if body.reads(i) and not self._is_filled(operation.operands[i])
        )
        kinds = operation.attributes.get("iterator_types")
        shown = tuple(None if view is None else (view.without_source, view.source.type) for view in views.values())
        types = tuple(value.type for value in operation.operands)
        key = (tuple(maps), kinds, types, inputs, body.said, used, shown, bool(accumulated))
        if key not in self._known:
            self._known[key] = _expression(operation, maps, body, views, bool(accumulated))
        return StructuredOp(operation, self._known[key], used, sources, body, accumulated)

    def _is_filled(self, value: ir.Value) -> bool:
        """Return whether a tensor is a fill, whose value needs no memory."""
        if self._filled is None:
            return fill_constant(value) is not None
        if value not in self._filled:
            self._filled[value] = fill_constant(value) is not None
        return self._filled[value]


def _expression(
    operation: ir.Operation, maps: list[Any], body: Body, views: Mapping[int, View | None], accumulates: bool
) -> TensorExpression:
    """Return the expression of an op, of which some inputs are read, maybe through views."""
    inputs = body.inputs
    try:
        indices = [map_indices(m) for m in maps]
    except NotLinearError as error:
        fail(operation, f"'{operation.name}': {error}")
    loops = _loops(operation, maps, indices, inputs)
    gathered = body.gathered()
    sources = [operation.operands[i] if view is None else view.source for i, view in views.items()]
    combiners = body.combiners() if any(loop.reduction for loop in loops) else None
    pad = body.pad_value() if combiners else None
    outputs = [_access(operation, i, operation.operands[i], indices[i]) for i in range(inputs, len(maps))]
    return TensorExpression(
        loops=loops,
        inputs=tuple(
            _table(operation, i)
            if i in gathered
            else _access(operation, i, source, indices[i] if view is None else view.moved(indices[i]))
            for (i, view), source in zip(views.items(), sources, strict=True)
        ),
        output=outputs[0],
        combiner=combiners[0] if combiners else None,
        flops_per_point=max(1, body.operations),
        pad_values=tuple(pad if view is None or view.padding is None else view.value for view in views.values()),
        accumulates=accumulates,
        fused_multiply_add=body.product() is not None and combiners is not None,
        widens_only=body.product() is None or body.widens_only(),
        more_outputs=tuple(outputs[1:]),
        point_cycles=body.cycles_beyond,
        input_flops=() if body.product() is None or body.widens_only() else _input_flops(body, indices, list(views)),
    )


def _input_flops(body: Body, indices: list[tuple[LinearIndex, ...]], read: list[int]) -> tuple[int, ...]:
    """Return the operations of a body on the elements of each input that is read; see `TensorExpression`."""
    along = [frozenset(loop for index in each for loop in index.terms()) for each in indices]
    asked: list[frozenset[int]] = []
    found = dict.fromkeys(read, 0)

    def of(reference: Reference) -> frozenset[int]:
        if isinstance(reference, BodyArgument):
            return frozenset({reference.number})
        return asked[reference.operation] if isinstance(reference, Local) else frozenset()

    for op in body.ops:
        asked.append(frozenset().union(*map(of, op.operands)))
        loops = frozenset().union(*(along[number] for number in asked[-1]))
        owner = next((number for number in sorted(asked[-1]) if number in found and along[number] == loops), None)
        if owner is not None:
            found[owner] += 1
    return tuple(found.values()) if any(found.values()) else ()


def with_sources(root: StructuredOp) -> StructuredOp:
    """Return an op that was read before some of its operands were replaced by others that say the same."""
    gathered = root.body.gathered()
    operands = {number: root.operation.operands[number] for number in root.inputs}
    views = {number: view_of(value) for number, value in operands.items() if number not in gathered}
    sources = (value if (view := views.get(number)) is None else view.source for number, value in operands.items())
    return replace(root, sources=tuple(sources))


_LOOP_REMEDIES = {
    True: "its results would be of one step each: make it parallel, or leave it out of the map",
    False: "nothing says which of its steps writes last: make it a reduction, or index the output by it",
}
"""By whether the output's map has the loop."""


def _loops(
    operation: ir.Operation, maps: list[Any], indices: list[tuple[LinearIndex, ...]], inputs: int
) -> tuple[Loop, ...]:
    count: int = maps[0].n_dims
    for output, affine_map in zip(indices[inputs:], maps[inputs:], strict=True):
        written = {loop for index in output for loop in index.terms()}
        if any(index.constant or sorted(index.terms().values()) not in ([], [1]) for index in output):
            fail(
                operation,
                f"'{operation.name}' writes at {affine_map}; outputs are written at loops, or at sums that reach each "
                "element once and whose factors divide each other",
            )
        if len(written) != sum(len(index.terms()) for index in output):
            fail(operation, f"'{operation.name}' writes at {affine_map}; each loop may index the output once")
        if "iterator_types" in operation.attributes:
            for loop, kind in enumerate(operation.attributes["iterator_types"]):
                if ("parallel" in str(kind)) != (loop in written):
                    fail(
                        operation,
                        f"'{operation.name}': loop d{loop} is {kind} but the output map is {affine_map}; "
                        + _LOOP_REMEDIES[loop in written],
                    )
    written = {loop for index in indices[-1] for loop in index.terms()}
    extents: dict[int, int] = {}
    for number, each in enumerate(indices):
        shape = _shape(operation, number)
        for index, extent in zip(each, shape, strict=True):
            terms = index.terms()
            if list(terms.values()) == [1] and index.constant == 0:
                extents.setdefault(next(iter(terms)), extent)
    for loop in range(count):
        if loop not in extents:
            fail(operation, f"'{operation.name}': loop d{loop} has no extent: no operand is indexed by it alone")
    return tuple(Loop(extents[loop], loop not in written) for loop in range(count))


def _is_tensor(operation: ir.Operation, number: int) -> bool:
    value = operation.operands[number]
    if isinstance(value.type, ir.RankedTensorType):
        return True
    if defining_op(value, "arith.constant") is None:
        fail(operation, f"'{operation.name}' operand {number} is a scalar that is no constant; pass it as a tensor")
    return False


def _shape(operation: ir.Operation, number: int, value: ir.Value | None = None) -> tuple[int, ...]:
    value_type = (operation.operands[number] if value is None else value).type
    if not isinstance(value_type, ir.RankedTensorType):
        return ()
    tensor = ir.RankedTensorType(value_type)
    if not tensor.has_static_shape:
        fail(operation, f"'{operation.name}' operand {number} has type {tensor}; shapes must be static")
    return tuple(tensor.shape)


def _table(operation: ir.Operation, number: int) -> Access:
    """Return the access of an operand whose elements are read at positions that the body computes."""
    kind = ir.RankedTensorType(operation.operands[number].type)
    return Access(f"arg{number}", (), str(kind.element_type), (), gathered=prod(_shape(operation, number)))


def _access(operation: ir.Operation, number: int, source: ir.Value, indices: tuple[LinearIndex, ...]) -> Access:
    element = (
        ir.RankedTensorType(source.type).element_type if isinstance(source.type, ir.RankedTensorType) else source.type
    )
    return Access(f"arg{number}", _shape(operation, number, source), str(element), indices)
