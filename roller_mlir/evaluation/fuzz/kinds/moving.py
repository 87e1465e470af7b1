# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs on positions and scalars that are data: moving slices, scalar arguments; insertions with strides."""

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, expression, plain, source
from roller_mlir.evaluation.fuzz.kinds.reductions import row_reduction
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.numbers import Whole
from roller_mlir.evaluation.fuzz.program.program import Index, MovingSlice, Ref, SliceNode, SplatNode, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import cast, x


def moving_slice(b: Builder, element: str) -> list[Ref]:
    """Return a slice, or a tensor with one in it, at positions that are data, between element-wise ops."""
    rank = b.random.choice((1, 2, 2, 3))
    part: list[Whole] = [*b.extents(rank, 1024)]
    steps = tuple(b.knob(b.random.choice((1, 1, 1, 2))) for _ in part)
    room = tuple(b.knob(b.random.choice((0, 1, 2, 5)), 0) for _ in part)
    whole = tuple((n - 1) * step + 1 + more for n, step, more in zip(part, steps, room, strict=True))
    moving = tuple(sorted(b.random.sample(range(rank), b.random.randint(1, rank))))
    offsets = tuple(0 if d in moving else b.knob(b.random.randint(0, b.at(room[d])), 0) for d in range(rank))
    at = [
        b.scalar(b.random.choice(("i32", "i64", "index"))) if b.chance(0.5) else b.argument([], b.random.choice(_WHOLE))
        for _ in moving
    ]
    if b.chance(0.5):
        operands, shape = (source(b, whole, element),), tuple(part)
    else:
        base = b.operand(whole, element) if b.chance(0.6) else b.fill(whole, element, 0.0)
        operands, shape = (source(b, part, element), base), whole
    b.count(shape)
    ref = b.copy_info(
        MovingSlice(
            operands=(*operands, *at), types=(Tensor(shape, element),), offsets=offsets, strides=steps, moving=moving
        )
    )
    return [_behind(b, ref)]


def spread_out(b: Builder, element: str) -> list[Ref]:
    """Return a tensor with a slice that has elements between its elements, between element-wise ops."""
    rank = b.random.choice((1, 2, 2, 3))
    part: list[Whole] = [*b.extents(rank, 1024)]
    ref = source(b, part, element)
    if b.chance(0.7):
        ref = epilogue(b, ref)
    kind = b.type_of(ref)
    steps = tuple(b.knob(b.random.choice((1, 2, 2, 3))) for _ in kind.shape)
    offsets = tuple(b.knob(b.random.choice((0, 0, 1)), 0) for _ in kind.shape)
    whole = tuple(
        offset + (n - 1) * step + 1 + b.knob(b.random.choice((0, 1, 3)), 0)
        for n, step, offset in zip(kind.shape, steps, offsets, strict=True)
    )
    b.count(whole)
    target = source(b, whole, kind.element) if b.chance(0.5) else b.fill(whole, kind.element, b.random.choice((0.0, 2)))
    node = SliceNode(operands=(ref, target), types=(Tensor(whole, kind.element),), offsets=offsets, strides=steps)
    return [_behind(b, b.copy_info(node))]


def scalars(b: Builder, element: str) -> list[Ref]:
    """Return an op on scalar arguments: captured as operands, or all over a tensor; now and then a scalar itself."""
    rank = b.random.choice((0, 1, 2, 2, 3))
    loops: list[Whole] = [*b.extents(rank, 2048)]
    inputs: list[tuple[Ref, list[Index]]] = [(source(b, loops, element), plain(b, rank))]
    made: list[Ref] = []
    for _ in range(b.random.choice((1, 1, 2))):
        scalar = b.scalar(b.random.choice((element, element, element, "i32")))
        if b.chance(0.5):
            inputs.append((scalar, []))
            continue
        kind = Tensor(tuple(loops), b.type_of(scalar).element)
        how = b.random.choice(("splat", "generate", "fill"))
        made.append(b.copy_info(SplatNode(operands=(scalar,), types=(kind,), how=how)))
        inputs.append((made[-1], plain(b, rank)))
    leaves = [cast(x(i), element) for i in range(len(inputs))]
    body = expression(b, leaves, element, b.random.randint(0, 3))
    ref = b.pointwise(loops, inputs, element, body)
    results = [_behind(b, ref)]
    if b.chance(0.1) and made:
        results.append(made[0])
    if b.chance(0.1):
        results.append(b.scalar(element))
    return results


def _behind(b: Builder, ref: Ref) -> Ref:
    """Return a value after an element-wise op, a sum, or nothing."""
    drawn = b.random.random()
    if drawn < 0.5:
        return epilogue(b, ref)
    if drawn < 0.65 and b.type_of(ref).shape:
        return row_reduction(b, ref, "add", x(0))
    return ref


_WHOLE = ("i32", "i64")
