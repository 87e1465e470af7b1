# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of ops as networks have them: softmax, normalisations, variance, attention, perceptrons, residuals."""

from roller_mlir.evaluation.fuzz.kinds.contractions import contraction
from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, gelu, plain, source
from roller_mlir.evaluation.fuzz.kinds.reductions import row_reduction, scaled, with_rows
from roller_mlir.evaluation.fuzz.kinds.windows import generic_convolution, named_convolution
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info
from roller_mlir.evaluation.fuzz.program.numbers import Number
from roller_mlir.evaluation.fuzz.program.program import NamedOpNode, Ref
from roller_mlir.evaluation.fuzz.program.scalars import apply, constant, x


def softmax_of(b: Builder, ref: Ref, axis: int = -1) -> Ref:
    """Return exp(x - max) / sum of it, over one axis."""
    greatest = row_reduction(b, ref, "max", x(0), axis)
    element = b.type_of(ref).element
    shifted = apply("max", apply("sub", x(0), x(1)), constant(-10, element))
    powers = with_rows(b, ref, [greatest], apply("exp", apply("min", shifted, constant(0, element))), axis)
    total = row_reduction(b, powers, "add", x(0), axis)
    return with_rows(b, powers, [total], apply("div", x(0), apply("max", x(1), constant(0.5, element))), axis)


def softmax(b: Builder, element: str) -> list[Ref]:
    """Return a softmax over any axis of an argument."""
    rank = b.random.choice((1, 2, 2, 3))
    ref = source(b, b.extents(rank, 8192), element)
    if b.chance(0.3):
        kind = b.type_of(ref)
        text = f"dimension({b.random.randrange(rank)})"
        node = NamedOpNode(operands=(ref, b.fill(kind.shape, element)), types=(kind,), name="softmax", extra=text)
        return [b.add(node, Info(1.0, False, False))]
    return [softmax_of(b, ref, b.random.randrange(rank) if b.chance(0.3) else -1)]


def normalisation(b: Builder, element: str) -> list[Ref]:
    """Return a layer norm, a root-mean-square norm, or mean and variance."""
    rank = b.random.choice((2, 2, 3))
    shape = b.extents(rank, 8192)
    ref = source(b, shape, element)
    count = b.at(shape[-1])
    one = constant(1, element)
    kind = b.random.choice(("layer", "rms", "variance"))
    if kind == "rms":
        squares = row_reduction(b, ref, "add", apply("mul", x(0), x(0)))
        size = apply("rsqrt", apply("add", scaled(x(1), count, element), one))
        return [with_rows(b, ref, [squares], apply("mul", x(0), size))]
    total = row_reduction(b, ref, "add", x(0))
    centred = with_rows(b, ref, [total], apply("sub", x(0), scaled(x(1), count, element)))
    squares = row_reduction(b, centred, "add", apply("mul", x(0), x(0)))
    if kind == "variance":
        return [total, squares]
    size = apply("rsqrt", apply("add", scaled(x(1), count, element), one))
    normal = with_rows(b, centred, [squares], apply("mul", x(0), size))
    return [_affine(b, normal, element)] if b.chance(0.7) else [normal]


def _affine(b: Builder, ref: Ref, element: str) -> Ref:
    shape = b.type_of(ref).shape
    rank = len(shape)
    last = [b.loop(rank - 1, rank)]
    inputs = [(ref, plain(b, rank)), (b.operand(shape[-1:], element), last), (b.operand(shape[-1:], element), last)]
    body = apply("add", apply("mul", x(0), x(1)), x(2))
    return b.pointwise(shape, inputs, element, body)


def _product(b: Builder, left: Ref, right: Ref, sizes: tuple[Number, Number, Number], transposed: bool) -> Ref:
    """Return left x right (m x k, then k x n, or n x k where transposed)."""
    m, n, k = sizes
    element = b.type_of(left).element
    at = [b.loop(i, 3) for i in range(3)]
    second = [at[1], at[2]] if transposed else [at[2], at[1]]
    start = b.fill([m, n], element, 0.0)
    body = apply("mul", x(0), x(1))
    return b.generic([m, n, k], [(left, [at[0], at[2]]), (right, second)], [(start, [0, 1])], [body], ["add"])


def attention(b: Builder, element: str) -> list[Ref]:
    """Return softmax(Q K^T / s) V of one head."""
    rows, keys, depth, width = (b.knob(b.random.choice((1, 4, 7, 16, 17, 32))) for _ in range(4))
    query, key = b.argument([rows, depth], element), b.argument([keys, depth], element)
    scores = _product(b, query, key, (rows, keys, depth), transposed=True)
    small = constant(0.125, element)
    kind = [(scores, plain(b, 2))]
    out = (b.fill([rows, keys], element), [0, 1])
    scores = b.generic([rows, keys], kind, [out], [apply("mul", x(0), small)])
    weights = softmax_of(b, scores)
    return [_product(b, weights, b.argument([keys, width], element), (rows, width, keys), transposed=False)]


def perceptron(b: Builder, element: str) -> list[Ref]:
    """Return matmul, bias, activation, matmul; with a residual where the widths agree."""
    rows, width, hidden = (b.knob(b.random.choice((1, 5, 8, 16, 19, 33))) for _ in range(3))
    given = b.argument([rows, width], element)
    first = _product(b, given, b.argument([width, hidden], element), (rows, hidden, width), transposed=False)
    bias = (b.argument([hidden], element), [b.loop(1, 2)])
    total = apply("add", x(0), x(1))
    zero = constant(0, element)
    active = gelu(total, element) if b.chance(0.4) and element == "f32" else apply("max", total, zero)
    out = (b.fill([rows, hidden], element), [0, 1])
    inner = b.generic([rows, hidden], [(first, plain(b, 2)), bias], [out], [active])
    second = _product(b, inner, b.argument([hidden, width], element), (rows, width, hidden), transposed=False)
    if b.chance(0.5):
        out = (b.fill([rows, width], element), [0, 1])
        inputs = [(second, plain(b, 2)), (given, plain(b, 2))]
        second = b.generic([rows, width], inputs, [out], [apply("add", x(0), x(1))])
    return [second] if b.chance(0.8) else [second, inner]


def fused(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a contraction or convolution with one to three element-wise ops behind, some read twice."""
    make = b.random.choice((contraction, contraction, generic_convolution, named_convolution))
    (ref,) = make(b, given, element)
    made = [ref]
    for _ in range(b.random.randint(1, 3)):
        made.append(epilogue(b, made[-1]))
    return [made[-1], made[b.random.randrange(len(made) - 1)]] if b.chance(0.15) else [made[-1]]


def reduced_product(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a contraction whose result is reduced along its last axis."""
    (ref,) = contraction(b, given, element)
    if not b.type_of(ref).shape:
        return [epilogue(b, ref)]
    return [row_reduction(b, ref, b.random.choice(("add", "max")), x(0))]
