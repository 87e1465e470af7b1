# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random element-wise ops: expressions, how operands are read, chains and trees with several uses and results."""

from collections.abc import Sequence

from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info, judge
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import Index, NamedOpNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, apply, cast, constant, is_float, x

_PICKS = ("add", "add", "sub", "mul", "mul", "max", "min", "relu", "neg", "abs", "select", "scale", "fma")
_FUNCTIONS = ("exp", "tanh", "erf", "sqrt", "rsqrt", "log", "sigmoid", "gelu", "divide", "sin", "scale", "exp2", "atan")
_MIXED_TYPES = ("f32", "f16", "bf16", "f64", "i8", "i16", "i32", "i64")
_WHOLE = ("add", "sub", "mul", "max", "min", "abs", "select", "and", "or", "xor", "maxu", "neg", "fma", "relu")


def expression(b: Builder, leaves: Sequence[Scalar], element: str, size: int) -> Scalar:
    """Return a random expression of a type that reads every leaf, with about `size` operations beside."""
    terms = list(leaves)
    b.random.shuffle(terms)
    functions = is_float(element) and b.chance(0.35)
    for _ in range(size):
        if not functions or b.chance(0.6):
            op = b.random.choice(_PICKS if is_float(element) else _WHOLE)
        else:
            op = b.random.choice(_FUNCTIONS)
        first = terms.pop(b.random.randrange(len(terms)))
        second = b.random.choice(terms) if terms and b.chance(0.6) else first
        terms.append(_apply(b, op, first, second, element))
    while len(terms) > 1:
        terms.append(apply(b.random.choice(("add", "sub", "max", "min")), terms.pop(0), terms.pop(0)))
    return terms[0]


def _apply(b: Builder, op: str, first: Scalar, second: Scalar, element: str) -> Scalar:
    one = constant(1, element)
    if op == "relu":
        return apply("max", first, constant(0, element))
    if op == "select":
        return apply("select", apply(b.random.choice(("gt", "lt", "ge", "eq")), first, second), second, first)
    if op == "scale":
        return apply("mul", first, constant(b.random.choice((0.5, 2.0, -1.0, 0.25, 3.0)), element))
    if op == "fma":
        return apply("fma", first, second, constant(b.random.choice((1.0, -2.0)), element))
    if op in ("neg", "abs"):
        return apply(op, first)
    if op in ("exp", "exp2"):
        return apply(op, apply("min", first, constant(2, element)))
    if op in ("tanh", "erf", "sin", "atan"):
        return apply(op, first)
    if op in ("sqrt", "rsqrt", "log"):
        return apply(op, apply("add", apply("abs", first), one))
    if op == "sigmoid":
        return apply(
            "div", one, apply("add", one, apply("exp", apply("min", apply("neg", first), constant(4, element))))
        )
    if op == "gelu":
        return gelu(first, element)
    if op == "divide":
        return apply("div", first, apply("add", apply("abs", second), one))
    return apply(op, first, second)


def gelu(value: Scalar, element: str) -> Scalar:
    """Return x/2 (1 + erf(x / sqrt 2))."""
    inner = apply("erf", apply("mul", value, constant(0.70710678, element)))
    return apply("mul", apply("mul", value, constant(0.5, element)), apply("add", inner, constant(1, element)))


def plain(b: Builder, loops: int) -> list[Index]:
    """Return the indices of all loops in order."""
    return [b.loop(i, loops) for i in range(loops)]


def read_indices(b: Builder, loops: Sequence[Whole], odd: float) -> tuple[list[Index], list[Whole]]:
    """Draw how an operand is read: loops in any order, some left out; with chance `odd` strided, shifted, backwards.

    Returns:
        The indices, and the shape of such an operand.
    """
    count = len(loops)
    chosen = [i for i in range(count) if b.chance(0.75)]
    if b.chance(0.3):
        b.random.shuffle(chosen)
    indices: list[Index] = []
    shape: list[Whole] = []
    for loop in chosen:
        extent = loops[loop]
        if not b.chance(odd):
            indices.append(b.loop(loop, count))
            shape.append(extent)
            continue
        kind = b.random.choice(("stride", "shift", "back", "constant", "sum", "diagonal"))
        if kind == "stride":
            stride = b.knob(b.random.choice((2, 3, 4)))
            indices.append(b.loop(loop, count, stride))
            shape.append((extent - 1) * stride + 1 + b.knob(b.random.choice((0, 1)), 0))
        elif kind == "shift":
            by = b.knob(b.random.choice((1, 2, 5)), 0)
            indices.append(Index(b.loop(loop, count).coefficients, by))
            shape.append(extent + by)
        elif kind == "back":
            indices.append(Index(b.loop(loop, count, -1).coefficients, extent - 1))
            shape.append(extent)
        elif kind == "constant":
            size = b.knob(b.random.choice((1, 2, 3)))
            indices.append(Index((0,) * count, size - 1))
            shape.append(size)
        elif kind == "diagonal":
            indices += [b.loop(loop, count)] * 2
            shape += [extent] * 2
        else:
            other = b.random.choice([i for i in range(count) if i != loop] or [loop])
            if other == loop:
                indices.append(b.loop(loop, count))
                shape.append(extent)
            else:
                stride = b.knob(b.random.choice((1, 1, 2)))
                coefficients: list[Whole] = [0] * count
                coefficients[loop], coefficients[other] = stride, 1
                indices.append(Index(tuple(coefficients)))
                shape.append((extent - 1) * stride + loops[other])
    return indices, shape


def element_wise(b: Builder, element: str) -> list[Ref]:
    """Return the results of an op of any rank that combines 1 to 4 operands, broadcast, transposed, strided."""
    rank = b.random.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6))
    loops = b.extents(rank, min(b.most_points, 16384))
    odd = 0.15 if b.chance(0.3) else 0.0
    mixed = b.chance(0.15)

    def drawn() -> str:
        return b.random.choice((*_MIXED_TYPES, "i1")) if mixed else element

    inputs: list[tuple[Ref, list[Index]]] = [(source(b, loops, drawn()), plain(b, rank))] if b.chance(0.8) else []
    while len(inputs) < b.random.choice((1, 2, 2, 3, 4)):
        indices, shape = read_indices(b, loops, odd)
        if b.at(product(shape)) <= 4 * b.most_points:
            inputs.append((b.operand(shape, drawn()), indices))
    leaves = [cast(x(i), element) for i in range(len(inputs))]
    if rank and b.chance(0.08):
        leaves.append(Scalar("index", value=b.random.randrange(rank), element=element))
    results = 2 if b.chance(0.1) else 1
    order = b.order(rank, 0.2)
    body = [expression(b, leaves, element, b.random.randint(1, 5)) for _ in range(results)]
    target = b.random.choice(_MIXED_TYPES) if mixed and b.chance(0.5) else element
    body = [cast(scalar, target) for scalar in body]
    if results == 1 and b.chance(0.05):
        body = [apply("add", body[0], Scalar("acc"))]
        out = b.argument([loops[i] for i in order], target)
    else:
        out = b.fill([loops[i] for i in order], target)
    ref = b.generic(loops, inputs, [(out, order)] * results, body)
    return [(ref[0], result) for result in range(results)]


def source(b: Builder, shape: Sequence[Whole], element: str) -> Ref:
    """Return something of a shape to read: an argument, a constant, or what an element-wise op makes of arguments."""
    rank = len(shape)
    if not b.chance(b.made_inputs) or element == "i1" or b.at(product(shape)) > b.most_points:
        return b.operand(shape, element)
    given = b.random.choice(("f16", "f32")) if is_float(element) and b.chance(0.1) else element
    order = b.order(rank, 0.2)
    inputs = [(b.operand([shape[i] for i in order], given), [b.loop(i, rank) for i in order])]
    if b.chance(0.35):
        indices, other = read_indices(b, shape, 0.0)
        inputs.append((b.operand(other, element), indices))
    leaves = [cast(x(0), element), *[x(i) for i in range(1, len(inputs))]]
    body = expression(b, leaves, element, b.random.randint(1, 2))
    return b.pointwise(shape, inputs, element, body)


def epilogue(b: Builder, ref: Ref) -> Ref:
    """Return a value after one element-wise op: bias, activation, residual, another type, a transposition."""
    kind = b.type_of(ref)
    shape, element, rank = kind.shape, kind.element, len(kind.shape)
    inputs = [(ref, plain(b, rank))]
    if b.chance(0.6):
        if b.chance(0.5):
            inputs.append((b.operand(shape, element), plain(b, rank)))
        else:
            indices, other = read_indices(b, shape, 0.0)
            inputs.append((b.operand(other, element), indices))
    leaves = [x(i) for i in range(len(inputs))]
    body = expression(b, leaves, element, b.random.randint(1, 3))
    target = element
    if is_float(element) and b.chance(0.15):
        target = b.random.choice(("f16", "bf16", "f32"))
        body = cast(body, target)
    order = b.order(rank, 0.1)
    out = b.fill([shape[i] for i in order], target)
    return b.generic(shape, inputs, [(out, order)], [body])


def tree(b: Builder, element: str) -> list[Ref]:
    """Return results of several element-wise ops that use each other's values more than once."""
    rank = b.random.choice((1, 2, 2, 3))
    shape = b.extents(rank, min(b.most_points, 4096))
    values = [b.operand(shape, element) for _ in range(b.random.randint(1, 3))]
    for _ in range(b.random.randint(2, 5)):
        chosen = [b.random.choice(values) for _ in range(b.random.randint(1, 2))]
        if b.chance(0.4) and len(chosen) == 2:
            values.append(_named_binary(b, chosen, element))
            continue
        body = expression(b, [x(i) for i in range(len(chosen))], element, b.random.randint(1, 2))
        values.append(b.pointwise(shape, [(ref, plain(b, rank)) for ref in chosen], element, body))
    made = [ref for ref in values if b.nodes[ref[0]].operands]
    count = b.random.choice((1, 1, 2, 3))
    return list(dict.fromkeys([made[-1], *b.random.sample(made, min(len(made), count))]))[:count]


def _named_binary(b: Builder, chosen: Sequence[Ref], element: str) -> Ref:
    op = b.random.choice(("add", "sub", "mul", "max"))
    kind = b.type_of(chosen[0])
    how = b.random.choice(("map", "named", "elementwise"))
    out = b.fill(kind.shape, element)
    operands = (*chosen, out)
    if how == "map":
        node = NamedOpNode(operands=operands, types=(kind,), name="map", combine=op, shows_result=False)
    elif how == "named":
        node = NamedOpNode(operands=operands, types=(kind,), name=op)
    else:
        spelled = {"max": "max_signed"}.get(op, op)
        node = NamedOpNode(
            operands=operands, types=(kind,), name="elementwise", extra=f"kind=#linalg.elementwise_kind<{spelled}>"
        )
    body = apply(op, x(0), x(1))

    def point(known: list[Info]) -> Info:
        return judge(body, known, [], ([element, element], []), 1)

    return b.named(node, b.at(product(kind.shape)), 1, point, "")


def layout_op(b: Builder, ref: Ref) -> Ref:
    """Return a value transposed or broadcast by a named op."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    if rank and b.chance(0.6):
        order = b.order(rank)
        shape = tuple(kind.shape[i] for i in order)
        node_type = Tensor(shape, kind.element)
        tail = ("permutation", tuple(order))
        name = "transpose"
    else:
        at = b.random.randint(0, rank)
        shape = (*kind.shape[:at], b.extent(8), *kind.shape[at:])
        node_type, tail, name = Tensor(shape, kind.element), ("dimensions", (at,)), "broadcast"
    b.count(shape)
    out = b.fill(shape, kind.element)
    return b.copy_info(NamedOpNode(operands=(ref, out), types=(node_type,), name=name, tail=tail, shows_result=False))
