# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dimensions of one element say nothing of where elements lie: who reads through a reshape reads what is before it.

    %m = tensor.expand_shape %s [[0], [1, 2]] : tensor<2x16xf32> into tensor<2x16x1xf32>
    ... linalg.generic reads %m at (d0, d1, 0)
    // is
    ... reads %s at (d0, d1)

Importers keep the mean of a row as a dimension of one element, drop it and broadcast it again. Read through, the ops of
such a layer norm are seen to walk common loops. Products and windows with a name keep it, and their operands.

Constants and arguments have no such dimensions behind others, which lie side by side then: a factor of each channel,
tensor<1x64x1x1xf32> read at (0, d1, 0, 0), is tensor<1x64xf32>, read at (0, d1).
"""

from collections.abc import Sequence
from typing import Any

from roller_mlir.lowering.linalg.body import gathered_arguments
from roller_mlir.lowering.linalg.constants import constant_behind
from roller_mlir.lowering.linalg.generic import bodiless_generic, iterators_of
from roller_mlir.lowering.linalg.reader import fill_constant, is_structured
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op, indexing_maps, replace_op

COLLAPSE, EXPAND = "tensor.collapse_shape", "tensor.expand_shape"


def read_through_unit_extents(block: ir.Block) -> None:
    """Let the loop nests of a block read tensors without reshapes that add or drop dimensions of one element."""
    for op in list(block.operations):
        operation = op.operation
        if not is_structured(operation) or not operation.results:
            continue
        if len(operation.results) == 1 and fill_constant(operation.results[0]) is not None:
            continue
        tables = gathered_arguments(operation)
        inputs = enumerate(_inputs(operation))
        if any(n not in tables and (_before(value) is not None or _trailing(value)) for n, value in inputs):
            _rewrite(operation, tables)


def _inputs(operation: ir.Operation) -> list[ir.Value]:
    return list(operation.operands)[: len(operation.operands) - len(operation.results)]


def _rewrite(operation: ir.Operation, tables: frozenset[int]) -> None:
    maps = indexing_maps(operation)
    kinds = iterators_of(operation, maps)
    if operation.name not in ("linalg.generic", "linalg.reduce") and "reduction" in kinds:
        return
    inputs = _inputs(operation)
    changed = False
    for number in sorted(set(range(len(inputs))) - tables):
        value, indices = inputs[number], list[Any](maps[number].results)
        while (inner := _before(value)) is not None:
            indices = _indices(inner, indices)
            value = inner.operands[0]
        through = ir.AffineMap.get(maps[number].n_dims, 0, indices)
        if value != inputs[number] and has_extents([*maps[:number], through, *maps[number + 1 :]]):
            inputs[number], maps[number] = value, through
            changed = True
        if behind := _trailing(inputs[number]):
            rank = len(maps[number].results) - behind
            less = ir.AffineMap.get(maps[number].n_dims, 0, list(maps[number].results)[:rank])
            if has_extents([*maps[:number], less, *maps[number + 1 :]]):
                with ir.InsertionPoint(operation), operation.location:
                    inputs[number], maps[number] = _without(inputs[number], behind), less
                changed = True
    if not changed:
        return
    with ir.InsertionPoint(operation), operation.location:
        outputs = list(operation.operands)[len(inputs) :]
        generic = bodiless_generic(inputs, outputs, maps, kinds)
        operation.regions[0].blocks[0].append_to(generic.regions[0])
    replace_op(operation, *generic.results)


def _before(value: ir.Value) -> ir.Operation | None:
    """Return the reshape that gives a value where it only adds or drops dimensions of one element."""
    operation = defining_op(value)
    if operation is None or operation.name not in (COLLAPSE, EXPAND):
        return None
    kinds = [ir.RankedTensorType(each.type) for each in (operation.operands[0], operation.results[0])]
    if not all(kind.has_static_shape for kind in kinds):
        return None
    wide = kinds[operation.name == EXPAND].shape
    return operation if all(sum(wide[d] > 1 for d in group) <= 1 for group in _groups(operation)) else None


def _trailing(value: ir.Value) -> int:
    """Return how many dimensions of one element a constant or an argument has behind one of more."""
    is_argument = isinstance(value.owner, ir.Block)
    if not isinstance(value.type, ir.RankedTensorType) or not (is_argument or constant_behind(value) is not None):
        return 0
    shape = list(ir.RankedTensorType(value.type).shape)
    last = max((d for d, extent in enumerate(shape) if extent != 1), default=len(shape) - 1)
    return len(shape) - 1 - last


def _without(value: ir.Value, behind: int) -> ir.Value:
    """Return a tensor without its last dimensions, which are of one element."""
    kind = ir.RankedTensorType(value.type)
    left = kind.rank - behind
    groups = [[d] for d in range(left - 1)] + [list(range(left - 1, kind.rank))]
    return tensor.collapse_shape(ir.RankedTensorType.get(list(kind.shape)[:left], kind.element_type), value, groups)


def _groups(reshape: ir.Operation) -> list[list[int]]:
    """Return which dimensions of the larger tensor are one dimension of the other; none where that is a scalar."""
    groups: Any = reshape.attributes["reassociation"]
    return [[ir.IntegerAttr(dimension).value for dimension in group] for group in groups]


def _indices(reshape: ir.Operation, indices: Sequence[Any]) -> list[Any]:
    """Return where a read of a reshape's result reads its operand."""
    zero = ir.AffineConstantExpr.get(0)
    larger = ir.RankedTensorType((reshape.results if reshape.name == EXPAND else reshape.operands)[0].type)
    found: list[Any] = [zero] * (len(_groups(reshape)) if reshape.name == EXPAND else larger.rank)
    for number, group in enumerate(_groups(reshape)):
        (lead,) = [d for d in group if larger.shape[d] > 1] or group[:1]
        if reshape.name == EXPAND:
            found[number] = indices[lead]
        else:
            found[lead] = indices[number]
    return found


def has_extents(maps: Sequence[ir.AffineMap]) -> bool:
    """Return whether each loop has an operand that it indexes alone, which gives it its extent."""
    alone = {result.position for each in maps for result in each.results if isinstance(result, ir.AffineDimExpr)}
    return alone == set(range(maps[0].n_dims))
