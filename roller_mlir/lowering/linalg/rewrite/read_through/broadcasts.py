# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a broadcast repeats, and a reshape puts together with another dimension, readers have as a loop of its own.

    %r = linalg.generic {(h, n, k) of (h, g, n, k)} ins(%keys : tensor<3x1024x64xf32>) -> tensor<3x3x1024x64xf32>
    %c = tensor.collapse_shape %r [[0, 1], [2], [3]] : tensor<3x3x1024x64xf32> into tensor<9x1024x64xf32>
    %s = linalg.batch_matmul ins(%q, %t) -> tensor<9x1x1024xf32>                    // %t is %c transposed
    // becomes
    %e = tensor.expand_shape %q [[0, 1], [2], [3]] : tensor<9x1x64xf32> into tensor<3x3x1x64xf32>
    %s = linalg.generic  h < 3, g < 3, m < 1, n < 1024, k < 64  ins(%e at (h, g, m, k), %r at (h, g, n, k))
    %c = tensor.collapse_shape %s [[0, 1], [2], [3]]

So heads of queries that share a head of keys read it where it lies: the broadcast is composed into its reader, where
before each head had its copy. What reads the result has these loops, too, as far as ops run along them; dimensions
that lie innermost, as the columns of an image that is made larger, stay whole. A copy that is left, as one that puts
rows and columns of keys in the order of a product, repeats nothing: `narrow_copies`.

Reductions are divided likewise along what blocks scale, as the 32 weights of a column that have one scale in common:

    %w = linalg.generic {(b, k, n), (b, n)} ins(%numbers, %scales) -> tensor<64x32x512xf32> { arith.mulf }
    %c = tensor.collapse_shape %w [[0, 1], [2]] : tensor<64x32x512xf32> into tensor<2048x512xf32>
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from roller_mlir.lowering.linalg.affine import loops_in
from roller_mlir.lowering.linalg.body import gathered_arguments
from roller_mlir.lowering.linalg.generic import bodiless_generic, empty_like, generic, iterators_of
from roller_mlir.lowering.linalg.reader import is_structured
from roller_mlir.lowering.linalg.rewrite.read_through.unit_extents import has_extents
from roller_mlir.support.bindings import ir, tensor
from roller_mlir.support.values import defining_op, indexing_maps, operations_inside, replace_op

COLLAPSE = "tensor.collapse_shape"


def read_through_broadcasts(block: ir.Block) -> int:
    """Let the loop nests of a block read broadcasts before they are reshaped; return how many were changed."""
    divided: set[Any] = set()
    count = 0
    operations = [op.operation for op in block.operations]  # reshapes are replaced on the way
    for operation in [one for one in operations if is_structured(one) and len(one.results) == 1]:
        for number in range(len(operation.operands) - 1):
            split = _split_of(operation, number, divided)
            if split is not None:
                divided.add(_rewrite(operation, split))
                count += 1
                break
    return count


@dataclass(frozen=True)
class _Split:
    """A loop of an op that becomes several.

    Attributes:
        loop: It.
        extents: Of the loops in its place.
    """

    loop: int
    extents: tuple[int, ...]


def _split_of(operation: ir.Operation, number: int, divided: set[Any]) -> _Split | None:
    """Return the loop that reads along a broadcast dimension and another of an input, if it can be divided."""
    reshape = defining_op(operation.operands[number], COLLAPSE)
    if reshape is None:
        return None
    source = ir.RankedTensorType(reshape.operands[0].type)
    maps = indexing_maps(operation)
    for place, group in enumerate(_groups(reshape)):
        extents = tuple(source.shape[d] for d in group if source.shape[d] > 1)
        result = maps[number].results[place]
        if len(extents) < 2 or not isinstance(result, ir.AffineDimExpr):
            continue
        reduced = iterators_of(operation, maps)[result.position] == "reduction"
        if reduced and not _scales_blocks(reshape.operands[0], group):
            continue
        if not reduced and reshape.operands[0] not in divided and not _repeats(reshape.operands[0], group):
            continue
        if _may_be_divided(operation, maps, result.position, along_last=reduced):
            return _Split(result.position, extents)
    return None


def _groups(reshape: ir.Operation) -> list[list[int]]:
    groups: Any = reshape.attributes["reassociation"]
    return [[ir.IntegerAttr(dimension).value for dimension in group] for group in groups]


def _repeats(value: ir.Value, dimensions: Sequence[int]) -> bool:
    """Return whether a value is a copy that repeats its elements along one of some dimensions, not along all."""
    copy = _copy_of(value)
    if copy is None:
        return False
    shape = ir.RankedTensorType(value.type).shape
    loops = [copy.written[d] for d in dimensions if shape[d] > 1]
    return any(loop not in copy.read for loop in loops) and any(loop in copy.read for loop in loops)


def _scales_blocks(value: ir.Value, dimensions: Sequence[int]) -> bool:
    """Return whether an element-wise op gives a value that reads one number for what lies along one of some dimensions.

    It reads another operand along all of them.
    """
    operation = defining_op(value)
    if operation is None or not is_structured(operation) or len(operation.results) != 1:
        return False
    *read, written = indexing_maps(operation)
    if not written.is_permutation or list(operation.regions[0].blocks[0].arguments[len(read)].uses):
        return False
    shape = ir.RankedTensorType(value.type).shape
    loops = {ir.AffineDimExpr(written.results[d]).position for d in dimensions if shape[d] > 1}
    along = [loops & {loop for result in each.results for loop in loops_in(result)} for each in read]
    return any(one and one != loops for one in along) and loops in along


@dataclass(frozen=True)
class _Copy:
    """An op that moves elements, and computes none.

    Attributes:
        operation: It.
        read: The loop of each dimension of its operand.
        written: The loop of each dimension of its result.
    """

    operation: ir.Operation
    read: tuple[int, ...]
    written: tuple[int, ...]


def _copy_of(value: ir.Value) -> _Copy | None:
    """Return the op that gives a value where it is a copy by loops alone."""
    operation = defining_op(value)
    if operation is None or not is_structured(operation) or len(operation.operands) != 2:
        return None
    block, maps = operation.regions[0].blocks[0], indexing_maps(operation)
    operations = [op.operation for op in block.operations]
    if len(operations) != 1 or list(operations[0].operands) != [block.arguments[0]]:
        return None
    read, written = (tuple(one.position for one in each.results if isinstance(one, ir.AffineDimExpr)) for each in maps)
    is_plain = [len(read), len(written)] == [len(each.results) for each in maps]
    return _Copy(operation, read, written) if is_plain and len(set(read)) == len(read) else None


def narrow_copies(block: ir.Block) -> int:
    """Let readers of copies that repeat elements read such that do not; return how many operands were changed."""
    count = 0
    for op in list(block.operations):
        operation = op.operation
        if not is_structured(operation) or not operation.results or gathered_arguments(operation):
            continue
        maps = indexing_maps(operation)
        for number in range(len(operation.operands) - len(operation.results)):
            copy = _copy_of(operation.operands[number])
            if copy is None:
                continue
            shape = ir.RankedTensorType(operation.operands[number].type).shape
            if all(loop in copy.read or extent == 1 for loop, extent in zip(copy.written, shape, strict=True)):
                continue
            kept = [place for place, loop in enumerate(copy.written) if loop in copy.read]
            through = ir.AffineMap.get(maps[number].n_dims, 0, [maps[number].results[place] for place in kept])
            if has_extents([*maps[:number], through, *maps[number + 1 :]]):
                maps[number] = through
                operation.operands[number] = _narrow(copy, kept)
                operation = _with_maps(operation, maps)
                count += 1
    return count


def _narrow(copy: _Copy, kept: Sequence[int]) -> ir.Value:
    """Return what a copy reads, in the order of those dimensions of its result that it does not repeat."""
    source = copy.operation.operands[0]
    loops = [copy.written[place] for place in kept]
    if loops == list(copy.read):
        return source
    given = ir.RankedTensorType(source.type)
    shape = [given.shape[copy.read.index(loop)] for loop in loops]
    with ir.InsertionPoint(copy.operation), copy.operation.location:
        start = empty_like(ir.RankedTensorType.get(shape, given.element_type))
        return generic([source], start, [[loops.index(loop) for loop in copy.read], None], _first, loops=len(loops))


def _first(element: ir.Value, _: ir.Value) -> ir.Value:
    return element


def _with_maps(operation: ir.Operation, maps: Sequence[ir.AffineMap]) -> ir.Operation:
    """Replace an op by a generic one that reads at other maps, and return that."""
    inputs = len(operation.operands) - len(operation.results)
    operands = list(operation.operands)
    with ir.InsertionPoint(operation), operation.location:
        new = bodiless_generic(
            operands[:inputs], operands[inputs:], maps, iterators_of(operation, indexing_maps(operation))
        )
        operation.regions[0].blocks[0].append_to(new.regions[0])
    replace_op(operation, *new.results)
    return new


def _may_be_divided(operation: ir.Operation, maps: Sequence[ir.AffineMap], loop: int, *, along_last: bool) -> bool:
    """Return whether every operand is indexed by a loop alone, and, unless it may, none along its last dimension."""
    if gathered_arguments(operation):
        return False
    if any(inner.name == "linalg.index" for inner in operations_inside(operation)):
        return False
    for each in maps:
        for place, result in enumerate(each.results):
            if isinstance(result, ir.AffineDimExpr):
                if result.position == loop and place == len(each.results) - 1 and not along_last:
                    return False
            elif not isinstance(result, ir.AffineConstantExpr) and f"d{loop}" in _names(result):
                return False
    return True


def _names(expression: ir.AffineExpr) -> set[str]:
    return set(str(expression).replace("(", " ").replace(")", " ").split())


def _rewrite(operation: ir.Operation, split: _Split) -> ir.Value:
    """Divide a loop of an op; return the result that has its parts as dimensions."""
    maps = indexing_maps(operation)
    kinds = list(iterators_of(operation, maps))
    more = len(split.extents) - 1
    loops = maps[0].n_dims + more
    dims = [ir.AffineDimExpr.get(loop + (more if loop > split.loop else 0)) for loop in range(maps[0].n_dims)]
    parts = [ir.AffineDimExpr.get(split.loop + part) for part in range(more + 1)]
    kinds[split.loop : split.loop + 1] = [kinds[split.loop]] * (more + 1)
    old = operation.results[0]
    with ir.InsertionPoint(operation), operation.location:
        operands: list[ir.Value] = []
        new_maps: list[ir.AffineMap] = []
        for value, each in zip(operation.operands, maps, strict=True):
            results: list[Any] = []
            for one in each.results:
                is_divided = isinstance(one, ir.AffineDimExpr) and one.position == split.loop
                results += parts if is_divided else [one.compose(ir.AffineMap.get(loops, 0, dims))]
            operands.append(_expanded(value, each, split))
            new_maps.append(ir.AffineMap.get(loops, 0, results))
        new = bodiless_generic(operands[:-1], operands[-1:], new_maps, kinds)
        operation.regions[0].blocks[0].append_to(new.regions[0])
        found = new.results[0]
        groups, _ = _dimensions(old, maps[-1], split)
        whole = tensor.collapse_shape(old.type, found, groups) if found.type != old.type else found
    old.replace_all_uses_with(whole)
    operation.erase()
    for user in [use.owner.operation for use in whole.uses]:
        if user.name == COLLAPSE and found.type != whole.type:
            with ir.InsertionPoint(user), user.location:
                joined = [[d for one in group for d in groups[one]] for group in _groups(user)]
                replace_op(user, tensor.collapse_shape(user.results[0].type, found, joined))
    return found


def _dimensions(value: ir.Value, read: ir.AffineMap, split: _Split) -> tuple[list[list[int]], list[int]]:
    """Return which dimensions of a tensor with the loop divided are one of it, and their extents."""
    groups: list[list[int]] = []
    shape: list[int] = []
    for extent, one in zip(ir.RankedTensorType(value.type).shape, read.results, strict=True):
        is_divided = isinstance(one, ir.AffineDimExpr) and one.position == split.loop
        extents = split.extents if is_divided else (extent,)
        groups.append(list(range(len(shape), len(shape) + len(extents))))
        shape += extents
    return groups, shape


def _expanded(value: ir.Value, read: ir.AffineMap, split: _Split) -> ir.Value:
    """Return an operand with the dimension that the loop runs along divided."""
    if not isinstance(value.type, ir.RankedTensorType):
        return value
    groups, shape = _dimensions(value, read, split)
    if len(shape) == len(groups):
        return value
    kind = ir.RankedTensorType.get(shape, ir.RankedTensorType(value.type).element_type)
    return tensor.expand_shape(kind, value, groups, [], shape)
