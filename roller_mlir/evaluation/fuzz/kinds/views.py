# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ops that move elements: paddings, reshapes, concatenations, slices, transpositions, broadcasts."""

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, layout_op, source
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import ConcatNode, PadNode, Ref, ReshapeNode, SliceNode, Tensor


def view_op(b: Builder, ref: Ref) -> Ref:
    """Return a value moved by one random op."""
    kind = b.type_of(ref)
    choices = [_pad, _concat, _slice, _expand, _insert, layout_op, layout_op]
    if len(kind.shape) > 1:
        choices += [_collapse, _collapse]
    if not kind.shape:
        choices = [_expand, layout_op]
    return b.random.choice(choices)(b, ref)


def views(b: Builder, element: str) -> list[Ref]:
    """Return what one to three such ops make of an argument, with element-wise ops between some."""
    rank = b.random.choice((0, 1, 2, 2, 3, 3, 4))
    ref = source(b, b.extents(rank, 2048), element)
    for _ in range(b.random.randint(1, 3)):
        ref = view_op(b, ref)
        if b.chance(0.4):
            ref = epilogue(b, ref)
    return [ref]


def _pad(b: Builder, ref: Ref) -> Ref:
    kind = b.type_of(ref)
    low, high = (tuple(b.knob(b.random.choice((0, 0, 1, 2, 3)), 0) for _ in kind.shape) for _ in range(2))
    shape = tuple(n + a + c for n, a, c in zip(kind.shape, low, high, strict=True))
    value = b.random.choice((0.0, 0.0, 0.0, 1.0, -3.0))
    return b.copy_info(PadNode(operands=(ref,), types=(Tensor(shape, kind.element),), low=low, high=high, value=value))


def _concat(b: Builder, ref: Ref) -> Ref:
    kind = b.type_of(ref)
    at = b.random.randrange(len(kind.shape))
    parts = [ref]
    for _ in range(b.random.choice((1, 1, 2))):
        own = b.extent(9)
        shape = [*kind.shape[:at], own, *kind.shape[at + 1 :]]
        parts.append(ref if b.chance(0.1) else source(b, shape, kind.element))
    b.random.shuffle(parts)
    total: Whole = 0
    for part in parts:
        total = b.type_of(part).shape[at] + total
    shape = [*kind.shape[:at], total, *kind.shape[at + 1 :]]
    return b.copy_info(ConcatNode(operands=tuple(parts), types=(Tensor(tuple(shape), kind.element),), dimension=at))


def _slice(b: Builder, ref: Ref) -> Ref:
    kind = b.type_of(ref)
    offsets: list[Whole] = []
    steps: list[Whole] = []
    shape: list[Whole] = []
    for extent in kind.shape:
        most = b.at(extent)
        offset, step = (b.random.randint(0, most // 3), b.random.choice((1, 1, 1, 2, 3))) if b.chance(0.6) else (0, 1)
        whole = offset == 0 and step == 1 and b.chance(0.5)
        offsets.append(b.knob(offset, 0))
        steps.append(b.knob(step))
        left = (most - offset - 1) // step + 1
        shape.append(
            (extent - offsets[-1] - 1) // steps[-1] + 1 if whole or left < 2 else b.knob(b.random.randint(1, left))
        )
    node_type = Tensor(tuple(shape), kind.element)
    return b.copy_info(SliceNode(operands=(ref,), types=(node_type,), offsets=tuple(offsets), strides=tuple(steps)))


def _insert(b: Builder, ref: Ref) -> Ref:
    """Return a tensor with the value written into a part of it."""
    kind = b.type_of(ref)
    offsets = tuple(b.knob(b.random.choice((0, 0, 1, 3)), 0) for _ in kind.shape)
    steps = tuple(b.knob(b.random.choice((1, 1, 1, 1, 2))) for _ in kind.shape)
    shape = tuple(
        offset + (extent - 1) * step + 1 + b.knob(b.random.choice((0, 0, 2)), 0)
        for extent, offset, step in zip(kind.shape, offsets, steps, strict=True)
    )
    target = b.operand(shape, kind.element) if b.chance(0.6) else b.fill(shape, kind.element, 0.0)
    node_type = Tensor(shape, kind.element)
    return b.copy_info(SliceNode(operands=(ref, target), types=(node_type,), offsets=offsets, strides=steps))


def _collapse(b: Builder, ref: Ref) -> Ref:
    kind = b.type_of(ref)
    rank = len(kind.shape)
    at = b.random.randrange(rank - 1)
    behind = b.random.randint(at + 2, rank)
    groups = [(i,) for i in range(at)] + [tuple(range(at, behind))] + [(i,) for i in range(behind, rank)]
    shape = tuple(product([kind.shape[i] for i in group]) for group in groups)
    return b.copy_info(ReshapeNode(operands=(ref,), types=(Tensor(shape, kind.element),), groups=tuple(groups)))


def _expand(b: Builder, ref: Ref) -> Ref:
    kind = b.type_of(ref)
    if not kind.shape:
        return b.copy_info(ReshapeNode(operands=(ref,), types=(Tensor((1,), kind.element),), groups=()))
    at = b.random.randrange(len(kind.shape))
    extent = b.at(kind.shape[at])
    divisors = [n for n in range(1, min(extent, 64) + 1) if extent % n == 0]
    inner = b.random.choice(divisors)
    parts: tuple[Whole, ...] = (kind.shape[at] // inner, inner)
    groups = [(i,) for i in range(at)] + [(at, at + 1)] + [(i + 1,) for i in range(at + 1, len(kind.shape))]
    shape = (*kind.shape[:at], *parts, *kind.shape[at + 1 :])
    return b.copy_info(ReshapeNode(operands=(ref,), types=(Tensor(shape, kind.element),), groups=tuple(groups)))
