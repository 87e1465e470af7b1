# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random reductions over any axes with any combiner: generics of one or several results, linalg.reduce."""

from roller_mlir.evaluation.fuzz.kinds.elementwise import expression, plain, read_indices, source
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import Index, NamedOpNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, apply, cast, constant, is_float, x

_COMBINERS = ("add", "add", "add", "max", "max", "min", "mul", "maxnum", "minnum")
_WHOLE_COMBINERS = ("add", "add", "max", "min", "and", "or", "xor", "mul")
NEUTRAL = {
    "add": 0.0, "mul": 1.0, "max": float("-inf"), "maxnum": float("-inf"), "min": float("inf"), "minnum": float("inf"),
    "and": -1.0, "or": 0.0, "xor": 0.0,
}  # fmt: skip


def _combiner(b: Builder, element: str) -> str:
    return b.random.choice(_COMBINERS if is_float(element) else _WHOLE_COMBINERS)


def reduction(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a generic that reduces over any of its loops, with one result or several."""
    rank = b.random.choice((1, 1, 2, 2, 2, 3, 3, 4, 5))
    loops: list[Whole] = [*b.extents(rank)]
    reduced = set(b.random.sample(range(rank), b.random.randint(1, rank)))
    kept = [i for i in range(rank) if i not in reduced]
    if b.chance(0.2):
        b.random.shuffle(kept)
    inputs: list[tuple[Ref, list[Index]]] = [(source(b, loops, given), plain(b, rank))]
    if b.chance(0.25):
        indices, shape = read_indices(b, loops, 0.1)
        if b.at(product(shape)) <= 4 * b.most_points:
            inputs.append((b.operand(shape, given), indices))
    leaves = [cast(x(i), element) for i in range(len(inputs))]
    if b.chance(0.05):
        leaves.append(Scalar("index", value=b.random.randrange(rank), element=element))
    results = b.random.choice((2, 2, 3)) if b.chance(0.12) else 1
    ops = [_combiner(b, element) for _ in range(results)]
    body = [expression(b, leaves, element, b.random.choice((0, 0, 1, 2))) for _ in range(results)]
    outputs = [(b.start([loops[i] for i in kept], element, NEUTRAL[op]), kept) for op in ops]
    ref = b.generic(loops, inputs, outputs, body, ops)
    return [(ref[0], result) for result in range(results)]


def extreme_place(b: Builder, element: str) -> list[Ref]:
    """Return the greatest value along an axis and where it stands: two results that depend on each other."""
    rank = b.random.choice((1, 2, 2, 3))
    shape = b.extents(rank, 4096)
    over = b.random.randrange(rank)
    kept = [loop for loop in range(rank) if loop != over]
    index = b.random.choice(("i32", "i32", "i64"))
    value, place = Scalar("acc", value=0), Scalar("acc", value=1)
    here = Scalar("index", value=over, element=index)
    greater = apply("gt", x(0), value)
    body = [apply("select", greater, x(0), value), apply("select", greater, here, place)]
    rows = [shape[loop] for loop in kept]
    outputs = [(b.fill(rows, element, float("-inf")), kept), (b.fill(rows, index, 0.0), kept)]
    ref = b.generic(shape, [(source(b, shape, element), plain(b, rank))], outputs, body)
    return [(ref[0], 0), (ref[0], 1)]


def named_reduction(b: Builder, element: str) -> list[Ref]:
    """Return a linalg.reduce."""
    rank = b.random.choice((1, 2, 2, 3, 4))
    loops = b.extents(rank)
    dimensions = sorted(b.random.sample(range(rank), b.random.randint(1, rank)))
    shape = tuple(n for i, n in enumerate(loops) if i not in dimensions)
    op = _combiner(b, element)
    node = NamedOpNode(
        operands=(source(b, loops, element), b.start(shape, element, NEUTRAL[op])),
        types=(Tensor(shape, element),),
        name="reduce",
        combine=op,
        tail=("dimensions", tuple(dimensions)),
        shows_result=False,
    )
    count = b.at(product([loops[i] for i in dimensions]))

    def point(known: list[Info]) -> Info:
        return known[0]

    return [b.named(node, b.at(product(loops)), count, point, op)]


def row_reduction(b: Builder, ref: Ref, op: str, body: Scalar, axis: int = -1) -> Ref:
    """Return a reduction of a value over one axis."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    over = axis % rank
    kept = [i for i in range(rank) if i != over]
    start = b.fill([kind.shape[i] for i in kept], kind.element, NEUTRAL[op])
    return b.generic(kind.shape, [(ref, plain(b, rank))], [(start, kept)], [body], [op])


def with_rows(b: Builder, ref: Ref, rows: list[Ref], body: Scalar, axis: int = -1) -> Ref:
    """Return an element-wise op on a value (%x0) and values of its rows (%x1, ...)."""
    kind = b.type_of(ref)
    rank = len(kind.shape)
    over = axis % rank
    kept = [b.loop(i, rank) for i in range(rank) if i != over]
    inputs = [(ref, plain(b, rank)), *[(row, kept) for row in rows]]
    return b.pointwise(kind.shape, inputs, kind.element, body)


def scaled(value: Scalar, count: int, element: str) -> Scalar:
    """Return a value divided by a count."""
    return apply("mul", value, constant(1.0 / count, element))
