# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random ops whose bodies take elements of a tensor at computed positions: look-ups, takes along an axis, windows.

Positions come of loops, of whole numbers that are read (of -4 to 4, clamped by the program or by what `tensor.extract`
means), and of both.
"""

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, expression, plain, read_indices, source
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import RejectedError
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import Index, Ref
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, apply, cast, constant, x

_INDICES = ("i32", "i32", "i64", "i8")


def gathered(b: Builder, given: str, element: str) -> list[Ref]:
    """Return what an op makes of elements at computed positions, element-wise or summed."""
    rank = b.random.choice((1, 1, 2, 2, 3))
    loops: list[Whole] = [*b.extents(rank, min(b.most_points, 4096))]
    over = b.random.randrange(rank) if b.chance(0.3) else None
    inputs: list[tuple[Ref, list[Index]]] = []
    for _ in range(b.random.choice((1, 1, 2))):
        indices, shape = read_indices(b, loops, 0.05)
        if b.at(product(shape)) > 4 * b.most_points:
            raise RejectedError("a large operand")
        inputs.append((b.argument(shape, b.random.choice(_INDICES)), indices))
    data = len(inputs)
    if over is not None or b.chance(0.4):
        inputs.append((b.operand(loops, given), plain(b, rank)))
    tables: list[Ref] = []
    leaves = [cast(x(i), element) for i in range(data, len(inputs))]
    for _ in range(b.random.choice((1, 1, 1, 2))):
        dimensions = b.random.choice((1, 1, 2, 2, 3))
        extents: list[Whole] = [b.knob(b.random.choice((1, 2, 3, 5, 8, 9))) for _ in range(dimensions)]
        if b.chance(0.3):  # as an embedding: a row of the length of a loop
            extents[-1] = b.random.choice(loops)
        tables.append(source(b, extents, given))
        at = [_position(b, loops, data, extents[d]) for d in range(dimensions)]
        if extents[-1] in loops and b.chance(0.7):
            at[-1] = Scalar("index", value=loops.index(extents[-1]), element="index")
        leaves.append(cast(Scalar("extract", tuple(at), len(tables) - 1, given), element))
    body = expression(b, leaves, element, b.random.randint(0, 3))
    order = [loop for loop in range(rank) if loop != over]
    if over is None:
        ref = b.generic(loops, inputs, [(b.fill(loops, element), order)], [body], tables=tables)
    else:
        start = b.start([loops[i] for i in order], element, 0.0)
        ref = b.generic(loops, inputs, [(start, order)], [body], ["add"], tables)
    return [epilogue(b, ref)] if b.chance(0.4) else [ref]


def _position(b: Builder, loops: list[Whole], data: int, extent: Whole) -> Scalar:
    """Return where a table is read along a dimension."""
    loop = Scalar("index", value=b.random.randrange(len(loops)), element="index")
    read = cast(x(b.random.randrange(data)), "index")
    found = b.random.choice((loop, read, read, apply("add", loop, read), apply("mul", loop, read)))
    if b.chance(0.3):
        scale = constant(b.random.choice((-1, 2, 3)), "index")
        found = apply("add", apply("mul", found, scale), constant(b.random.choice((0, 1, 4)), "index"))
    drawn = b.random.random()
    last = b.at(extent) - 1
    if drawn < 0.2:
        found = apply(b.random.choice(("remu", "remu", "floordivs", "ceildivs")), found, constant(last + 1, "index"))
    if drawn < 0.75:
        found = apply("min", apply("max", found, constant(0, "index")), constant(last, "index"))
    return found


def curved(b: Builder, given: str, element: str) -> list[Ref]:
    """Return an op that reads at divisions and remainders of sums of loops: nearest neighbours, cyclic shifts."""
    rank = b.random.choice((1, 2, 2, 3))
    loops: list[Whole] = [*b.extents(rank, min(b.most_points, 4096))]
    over = b.random.randrange(rank) if b.chance(0.4) else None
    inputs: list[tuple[Ref, list[Index]]] = []
    if over is not None or b.chance(0.5):
        inputs.append((source(b, loops, given), plain(b, rank)))
    for _ in range(b.random.choice((1, 1, 2))):
        indices: list[Index] = []
        shape: list[Whole] = []
        for loop in b.random.sample(range(rank), b.random.randint(1, rank)):
            index, extent = _curve(b, loops, loop)
            indices.append(index)
            shape.append(extent)
        if b.at(product(shape)) > 4 * b.most_points:
            raise RejectedError("a large operand")
        inputs.append((source(b, shape, given), indices))
    indices, shape = read_indices(b, loops, 0.1)
    if b.chance(0.2) and b.at(product(shape)) <= 4 * b.most_points:
        inputs.append((b.operand(shape, given), indices))
    body = expression(b, [cast(x(i), element) for i in range(len(inputs))], element, b.random.randint(0, 2))
    order = [loop for loop in range(rank) if loop != over]
    if over is None:
        ref = b.generic(loops, inputs, [(b.fill(loops, element), order)], [body])
    else:
        ref = b.generic(loops, inputs, [(b.start([loops[i] for i in order], element, 0.0), order)], [body], ["add"])
    return [epilogue(b, ref)] if b.chance(0.4) else [ref]


def _curve(b: Builder, loops: list[Whole], loop: int) -> tuple[Index, Whole]:
    """Return how a dimension is read, and its extent."""
    plainly = b.loop(loop, len(loops))
    divisor = b.knob(b.random.choice((2, 2, 3, 4)))
    how = b.random.choice(("nearest", "nearest", "up", "cyclic", "cyclic", "both", "plain"))
    if how == "plain":
        return plainly, loops[loop]
    if how == "up":
        return Index(plainly.coefficients, 0, divisor, 0, True), (loops[loop] + (2 * divisor - 2)) // divisor
    offset = b.knob(b.random.choice((0, 0, 1, 3)), 0)
    if how == "nearest":
        return Index(plainly.coefficients, offset, divisor), (loops[loop] - 1 + offset) // divisor + 1
    modulus = b.knob(b.random.choice((2, 3, 4, 7)))
    return Index(plainly.coefficients, offset, divisor if how == "both" else 1, modulus), modulus
