# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations without a loop nest of their own as linalg ops and views that have one.

    linalg.softmax dimension(d)             max over d; exp(x - max); sum over d; quotient: four linalg.generic
    tensor.concat dim(d) %a, %b             one element-wise linalg.generic: %a and %b padded to the result's shape, and
    tensor.insert_slice %a into %b[...]     selected from by linalg.index; an element is loaded only where it lies
    tensor.concat of more than an op reads  a tree of those
    tensor.insert_slice %a into <a fill>    tensor.pad %a
    tensor.extract_slice, rank-reduced      a slice of the tensor with the dropped dimensions collapsed into others
    linalg.pack, linalg.unpack              see `packing`

A chain of insertions is one element-wise op; what is inserted last is what is read.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf, isnan, prod
from typing import Any

from roller_mlir.dialects.rtile.slots import SLOTS
from roller_mlir.lowering.linalg.generic import empty_like, generic
from roller_mlir.lowering.linalg.pads import pad_tensor
from roller_mlir.lowering.linalg.reader import fill_constant
from roller_mlir.lowering.linalg.rewrite.packing import PACK, UNPACK, pack, unpack
from roller_mlir.lowering.linalg.rewrite.separate import splat_of
from roller_mlir.lowering.linalg.views import INSERT, SLICE, VIEWS, Slice, extract_slice, read_slice
from roller_mlir.support.bindings import arith, ir, linalg, math, tensor
from roller_mlir.support.diagnostics import fail
from roller_mlir.support.values import defining_op, erase_unread, is_static, number_attribute, replace_op

CONCAT = "tensor.concat"
SOFTMAX = "linalg.softmax"
MOST_PARTS = 16
"""Insertions that one op selects from; a chain of more is several ops, each of which reads the one before.

Also how many tensors an op of a tree joins, where one op cannot join them all.
"""


def decompose(function: Any) -> None:
    """Replace the operations of a function that have no loop nest and that the table above knows."""
    for op in reversed(list(function.entry_block.operations)):
        operation = op.operation
        build = _DECOMPOSITIONS.get(operation.name)
        if build is None or not all(map(is_static, (*operation.operands, *operation.results))):
            continue
        if not operation.name.startswith("linalg.") and not any(True for _ in operation.results[0].uses):
            continue  # part of a chain that is done; the final clean-up drops it
        with ir.InsertionPoint(operation), operation.location:
            new = build(operation)
        if new is not None:
            replace_op(operation, new)
    erase_unread(function.entry_block, lambda operation: operation.name == INSERT)


# Softmax ------------------------------------------------------------------------------------------------------------


def _softmax(operation: ir.Operation) -> Any:
    """Write exp(x - max) / sum, each over the op's dimension, as upstream decomposes it."""
    source = operation.operands[0]
    kind = ir.RankedTensorType(source.type)
    if isinstance(kind.element_type, ir.IntegerType):
        fail(operation, f"'{SOFTMAX}' of {kind.element_type}: exponentials are floats; convert the tensor")
    along = ir.IntegerAttr(operation.attributes["dimension"]).value
    rows = [loop for loop in range(kind.rank) if loop != along]
    line = ir.RankedTensorType.get([kind.shape[loop] for loop in rows], kind.element_type)

    def reduced(value: Any, start: float, body: Callable[[Any, Any], Any]) -> Any:
        scalar = arith.constant(kind.element_type, ir.FloatAttr.get(kind.element_type, start))
        return generic([value], linalg.fill(scalar, outs=[empty_like(line)]), [None, rows], body, loops=kind.rank)

    def pointwise(value: Any, row: Any, body: Callable[[Any, Any, Any], Any]) -> Any:
        return generic([value, row], empty_like(kind), [None, rows, None], body, loops=kind.rank)

    most = reduced(source, -inf, lambda x, old: arith.maxnumf(x, old))
    powers = pointwise(source, most, lambda x, m, _: math.exp(arith.subf(x, m)))
    total = reduced(powers, 0.0, lambda x, old: arith.addf(x, old))
    return pointwise(powers, total, lambda x, t, _: arith.divf(x, t))


# Tensors put together from parts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TensorPart:
    """A tensor that makes a box of a larger one.

    Attributes:
        value: The tensor, of the larger one's rank.
        offsets: Where its first element lies.
    """

    value: Any
    offsets: tuple[int, ...]


def _concat(operation: ir.Operation) -> Any:
    along = ir.IntegerAttr(operation.attributes["dim"]).value
    values: list[Any] = list(operation.operands)
    # The op has its output and the variables of its loops as operands, too.
    most = SLOTS - 1 - ir.RankedTensorType(operation.results[0].type).rank
    while len(values) > most:
        runs = -(-len(values) // MOST_PARTS)
        ends = [number * len(values) // runs for number in range(runs + 1)]
        values = [joined(values[first:end], along) for first, end in pairwise(ends)]
    return joined(values, along)


def joined(values: Sequence[Any], along: int) -> Any:
    """Join tensors along a dimension by one op, at the insertion point."""
    parts: list[TensorPart] = []
    start = 0
    for value in values:
        shape = ir.RankedTensorType(value.type).shape
        parts.append(TensorPart(value, tuple(start if d == along else 0 for d in range(len(shape)))))
        start += shape[along]
    first = ir.RankedTensorType(values[0].type)
    whole = [start if d == along else size for d, size in enumerate(first.shape)]
    return _composed(ir.RankedTensorType.get(whole, first.element_type), None, parts)


def _insert(operation: ir.Operation) -> Any:
    kind = ir.RankedTensorType(operation.results[0].type)
    parts: list[TensorPart] = []
    base: Any = operation.results[0]
    while (inserted := defining_op(base, INSERT)) is not None:
        if parts and (len(list(base.uses)) > 1 or len(parts) == MOST_PARTS):
            break
        parts.insert(0, _inserted_part(inserted))
        base = inserted.operands[1]
    scalar = fill_constant(base) or splat_of(base)
    if defining_op(base, "tensor.empty") is not None:
        return _composed(kind, None, parts)
    is_number = scalar is not None and not (isinstance(scalar, ir.FloatAttr) and isnan(scalar.value))
    if is_number and len(parts) == 1:
        return _padded(parts[0], kind, scalar)
    return _composed(kind, base, parts)


def _inserted_part(operation: ir.Operation) -> TensorPart:
    place, value = read_slice(operation), operation.operands[0]
    kind = ir.RankedTensorType(value.type)
    assert all(stride == 1 or size == 1 for stride, size in zip(place.strides, place.sizes, strict=True))
    if kind.rank < len(place.sizes):
        full = ir.RankedTensorType.get(list(place.sizes), kind.element_type)
        value = tensor.expand_shape(full, value, _dropped_groups(place.sizes, kind.shape), [], list(place.sizes))
    return TensorPart(value, place.offsets)


def _padded(part: TensorPart, kind: ir.RankedTensorType, scalar: Any) -> Any:
    """Pad a part to the whole."""
    shape = ir.RankedTensorType(part.value.type).shape
    high = tuple(n - o - size for n, o, size in zip(kind.shape, part.offsets, shape, strict=True))
    if not any(part.offsets) and not any(high):
        return part.value
    return pad_tensor(part.value, part.offsets, high, scalar)


def _composed(kind: ir.RankedTensorType, base: Any, parts: Sequence[TensorPart]) -> Any:
    """Build the element-wise op that reads each element from the last part that has it, else from the base.

    Dimensions of which every part has all go along with the one before them: fewer loops, longer rows.
    """
    groups: list[list[int]] = []
    for d in range(kind.rank):
        whole = all(ir.RankedTensorType(part.value.type).shape[d] == kind.shape[d] for part in parts)
        if groups and whole:
            groups[-1].append(d)
        else:
            groups.append([d])
    tensors = [*(part.value for part in parts), *([] if base is None else [base])]
    is_view = any((source := defining_op(value)) is not None and source.name in VIEWS for value in tensors)
    if is_view or len(groups) == kind.rank:
        return _selected(kind, base, parts)

    def collapsed(value: Any) -> Any:
        shape = ir.RankedTensorType(value.type).shape
        line = ir.RankedTensorType.get([prod(shape[d] for d in group) for group in groups], kind.element_type)
        return tensor.collapse_shape(line, value, groups)

    inner = [prod(kind.shape[d] for d in group[1:]) for group in groups]
    flat = [
        TensorPart(collapsed(p.value), tuple(p.offsets[g[0]] * size for g, size in zip(groups, inner, strict=True)))
        for p in parts
    ]
    sizes = [kind.shape[group[0]] * size for group, size in zip(groups, inner, strict=True)]
    result = _selected(
        ir.RankedTensorType.get(sizes, kind.element_type), None if base is None else collapsed(base), flat
    )
    return tensor.expand_shape(kind, result, groups, [], list(kind.shape))


def _selected(kind: ir.RankedTensorType, base: Any, parts: Sequence[TensorPart]) -> Any:
    zero = number_attribute(kind.element_type, 0)
    inputs = [_padded(part, kind, zero) for part in parts] + ([] if base is None else [base])

    def body(*elements: Any) -> Any:
        first = 1 if base is None else 0
        value = elements[0] if base is None else elements[len(parts)]
        for part, element in zip(parts[first:], elements[first : len(parts)], strict=True):
            inside = is_inside(part, kind)
            value = element if inside is None else arith.select(inside, element, value)
        return value

    return generic(inputs, empty_like(kind), [None] * (len(inputs) + 1), body, loops=kind.rank)


def is_inside(part: TensorPart, kind: ir.RankedTensorType) -> Any:
    """Build the condition that a point lies in a part, None where all do."""
    condition: Any = None
    for d, (low, size) in enumerate(zip(part.offsets, ir.RankedTensorType(part.value.type).shape, strict=True)):
        bounds = [(arith.CmpIPredicate.uge, low)] if low else []
        bounds += [(arith.CmpIPredicate.ult, low + size)] if low + size < kind.shape[d] else []
        for predicate, bound in bounds:
            test = arith.cmpi(predicate, linalg.IndexOp(d).result, arith.constant(ir.IndexType.get(), bound))
            condition = test if condition is None else arith.andi(condition, test)
    return condition


# Slices that drop dimensions ----------------------------------------------------------------------------------------


def _reduced_slice(operation: ir.Operation) -> Any:
    """Collapse each dropped dimension into the next one that is kept, or behind the last one; None if none is."""
    cut = read_slice(operation)
    source: Any = operation.operands[0]
    kind, result = ir.RankedTensorType(source.type), ir.RankedTensorType(operation.results[0].type)
    if result.rank == len(cut.sizes):
        return None
    groups = _dropped_groups(cut.sizes, result.shape) or [list(range(kind.rank))]
    offsets: list[int] = []
    strides: list[int] = []
    for group in groups:
        inner = [prod(kind.shape[d] for d in group[n + 1 :]) for n in range(len(group))]
        offsets.append(sum(cut.offsets[d] * size for d, size in zip(group, inner, strict=True)))
        steps = [cut.strides[d] * size for d, size in zip(group, inner, strict=True) if cut.sizes[d] > 1]
        strides.append(steps[0] if steps else 1)
    sizes = tuple(prod(cut.sizes[d] for d in group) for group in groups)
    line = ir.RankedTensorType.get([prod(kind.shape[d] for d in group) for group in groups], kind.element_type)
    taken = extract_slice(tensor.collapse_shape(line, source, groups), Slice(tuple(offsets), sizes, tuple(strides)))
    return taken if result.rank else tensor.collapse_shape(result, taken, [])


def _dropped_groups(sizes: Sequence[int], kept: Sequence[int]) -> list[list[int]]:
    """Return the dimensions of a slice in groups, one for each that is kept, with those that are dropped beside it.

    >>> _dropped_groups((1, 4, 1, 6, 1), (4, 6))
    [[0, 1], [2, 3, 4]]
    """
    groups: list[list[int]] = []
    pending: list[int] = []
    for d, size in enumerate(sizes):
        pending.append(d)
        if len(groups) < len(kept) and size == kept[len(groups)]:
            groups.append(pending)
            pending = []
    if groups:
        groups[-1] += pending
    return groups


_DECOMPOSITIONS: dict[str, Callable[[ir.Operation], Any]] = {
    SOFTMAX: _softmax,
    CONCAT: _concat,
    INSERT: _insert,
    SLICE: _reduced_slice,
    PACK: pack,
    UNPACK: unpack,
}
