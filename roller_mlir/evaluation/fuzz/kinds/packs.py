# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random packed layouts: tensors packed, changed in that layout, unpacked again, partial tiles among them."""

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, source
from roller_mlir.evaluation.fuzz.kinds.reductions import row_reduction
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.numbers import Whole
from roller_mlir.evaluation.fuzz.program.program import PackNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import x


def packed(b: Builder, element: str) -> list[Ref]:
    """Return a tensor that is packed, unpacked, or both, with element-wise ops between some."""
    rank = b.random.choice((1, 2, 2, 3))
    shape: list[Whole] = [*b.extents(rank, 2048)]
    dimensions = tuple(b.random.sample(range(rank), b.random.randint(1, rank)))
    tiles = tuple(b.knob(b.random.choice((1, 2, 3, 4, 8, 16))) for _ in dimensions)
    order = b.order(rank, 0.5)
    outer = list(shape)
    for dimension, tile in zip(dimensions, tiles, strict=True):
        outer[dimension] = (shape[dimension] - 1) // tile + 1
    layout = Tensor((*(outer[d] for d in order), *tiles), element)
    b.count(layout.shape)

    def pack(ref: Ref, kind: Tensor) -> Ref:
        value = b.random.choice((0.0, 0.0, 1.0, -3.0))
        node = PackNode(
            operands=(ref,), types=(kind,), tiles=tiles, dimensions=dimensions, order=tuple(order), value=value
        )
        return b.copy_info(node)

    how = b.random.choice(("pack", "pack", "unpack", "unpack", "both", "both", "both"))
    ref = source(b, layout.shape, element) if how == "unpack" else pack(source(b, shape, element), layout)
    if b.chance(0.6):
        ref = epilogue(b, ref)
    kind = b.type_of(ref)
    if how == "pack" or kind.shape != layout.shape:
        return [row_reduction(b, ref, "add", x(0))] if b.chance(0.3) and kind.element == element else [ref]
    ref = pack(ref, Tensor(tuple(shape), kind.element))
    return [epilogue(b, ref)] if b.chance(0.5) else [ref]
