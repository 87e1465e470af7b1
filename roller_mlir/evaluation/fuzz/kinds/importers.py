# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalisations as importers write them: a mean is kept with extents of 1, collapsed, and broadcast again."""

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, plain, source
from roller_mlir.evaluation.fuzz.kinds.reductions import row_reduction, scaled, with_rows
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.numbers import Whole
from roller_mlir.evaluation.fuzz.program.program import GenericNode, Index, Ref, ReshapeNode, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, apply, constant, x


def imported_norm(b: Builder, element: str) -> list[Ref]:
    """Return a layer norm, a root-mean-square norm or a softmax with its rows kept with extents of 1."""
    rank = b.random.choice((2, 2, 3))
    shape: list[Whole] = [*b.extents(rank, 8192)]
    ref = source(b, shape, element)
    if b.chance(0.3):
        ref = epilogue(b, ref)
        shape, element = [*b.type_of(ref).shape], b.type_of(ref).element
    count, one = b.at(shape[-1]), constant(1, element)
    kind = b.random.choice(("layer", "layer", "rms", "maximum"))
    if kind == "maximum":
        return [_with_kept(b, ref, _kept(b, ref, "max", x(0)), apply("sub", x(0), x(1)))]
    if kind == "layer":
        mean = _on_kept(b, _kept(b, ref, "add", x(0)), scaled(x(0), count, element))
        ref = _with_kept(b, ref, mean, apply("sub", x(0), x(1)))
    squares = _kept(b, ref, "add", apply("mul", x(0), x(0)))
    size = _on_kept(b, squares, apply("rsqrt", apply("add", scaled(x(0), count, element), one)))
    normal = _with_kept(b, ref, size, apply("mul", x(0), x(1)))
    return [epilogue(b, normal)] if b.chance(0.5) else [normal]


def _kept(b: Builder, ref: Ref, op: str, body: Scalar) -> Ref:
    """Return a reduction of the rows with an extent of 1 behind: by a reshape, or by the map of its result."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    if op == "max" or b.chance(0.5):
        return _with_one(b, row_reduction(b, ref, op, body))
    known = b.info[row_reduction(b, ref, op, body)]
    shape = (*kind.shape[:-1], 1)
    start = b.fill(shape, kind.element, 0.0)
    zero = Index((0,) * rank)
    node = GenericNode(
        operands=(ref, start),
        types=(Tensor(shape, kind.element),),
        loops=kind.shape,
        maps=(tuple(plain(b, rank)), (*plain(b, rank)[:-1], zero)),
        body=(apply("add", Scalar("acc"), body),),
    )
    return b.add(node, known)


def _with_one(b: Builder, ref: Ref) -> Ref:
    """Return a value with an extent of 1 behind."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    groups = (*((i,) for i in range(rank - 1)), (rank - 1, rank))
    return b.copy_info(ReshapeNode(operands=(ref,), types=(Tensor((*kind.shape, 1), kind.element),), groups=groups))


def _without_one(b: Builder, ref: Ref) -> Ref:
    """Return a value without its last extent, of 1."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    groups = (*((i,) for i in range(rank - 2)), (rank - 2, rank - 1))
    return b.copy_info(ReshapeNode(operands=(ref,), types=(Tensor(kind.shape[:-1], kind.element),), groups=groups))


def _on_kept(b: Builder, ref: Ref, body: Scalar) -> Ref:
    """Return an element-wise op on rows that were kept; the last index is its loop, or 0."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    indices = plain(b, rank)
    if b.chance(0.5):
        indices[-1] = Index((0,) * rank)
    return b.pointwise(kind.shape, [(ref, indices)], kind.element, body)


def _with_kept(b: Builder, ref: Ref, row: Ref, body: Scalar) -> Ref:
    """Return an op on a value and kept rows: read at 0, collapsed, or broadcast by an op of its own before."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    how = b.random.choice(("zero", "collapsed", "broadcast"))
    if how == "collapsed":
        return with_rows(b, ref, [_without_one(b, row)], body)
    indices = [*plain(b, rank)[:-1], Index((0,) * rank)]
    if how == "broadcast":
        row = b.pointwise(kind.shape, [(row, indices)], kind.element, x(0))
        indices = plain(b, rank)
    return b.pointwise(kind.shape, [(ref, plain(b, rank)), (row, indices)], kind.element, body)
