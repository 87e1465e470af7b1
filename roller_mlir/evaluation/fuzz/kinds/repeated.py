# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that say one thing several times: loops around ops, and equal operators on other operands."""

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, expression, plain, source
from roller_mlir.evaluation.fuzz.kinds.reductions import row_reduction, with_rows
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info, judge
from roller_mlir.evaluation.fuzz.program.numbers import Whole
from roller_mlir.evaluation.fuzz.program.program import Index, LoopNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import apply, constant, x


def loop(b: Builder, element: str) -> list[Ref]:
    """Return what a loop makes of the rows of a tensor, one a step: folded into a value, or each on its own."""
    rank = b.random.choice((0, 1, 1, 2))
    row: list[Whole] = [*b.extents(rank, 512)]
    trips = b.knob(b.random.choice((1, 2, 3, 5)))
    rows = source(b, [trips, *row], element)
    carries = b.chance(0.6)
    inputs = 2 if carries else 1
    body = expression(b, [x(i) for i in range(inputs)], element, b.random.randint(1, 2))
    start = source(b, row, element)
    known, one = b.info[start], b.info[rows]
    count = b.at(trips)
    b.count([*row, count])
    for _ in range(count if carries else 1):
        operands = [known, one] if carries else [one]
        known: Info = judge(body, operands, [], ([element] * inputs, [element]), 1)
    shape = tuple(row) if carries else (trips, *row)
    operands = (start, rows) if carries else (rows,)
    ref = b.add(LoopNode(operands=operands, types=(Tensor(shape, element),), trips=trips, body=body), known)
    return [epilogue(b, ref)] if b.chance(0.5) else [ref]


def equal_operators(b: Builder, element: str) -> list[Ref]:
    """Return results of two to four equal operators: one behind the other, beside each other, or joined by an op."""
    width, depth = (b.knob(b.random.choice((1, 3, 4, 8, 16, 17))) for _ in range(2))
    how = b.random.choice(("stack", "beside", "joined"))
    count = b.random.choice((2, 2, 3, 4))
    make = b.random.choice((_layer, _layer, _rows))
    body = expression(b, [x(0), x(1)], element, b.random.randint(1, 2))
    ref = source(b, [depth, width], element)
    made: list[Ref] = []
    for _ in range(count):
        given = made[-1] if made and how == "stack" else ref if b.chance(0.5) else b.argument([depth, width], element)
        if make is _layer:
            made.append(_layer(b, given))
            continue
        out = [(b.fill([depth, width], element), [0, 1])]
        other = (b.argument([width], element), [b.loop(1, 2)])
        made.append(b.generic([depth, width], [(given, plain(b, 2)), other], out, [body]))
        if b.chance(0.5):
            made[-1] = _rows(b, made[-1])
    if how == "joined":
        total = apply("add", x(0), x(1))
        out = [(b.fill([depth, width], element), [0, 1])]
        return [b.generic([depth, width], [(made[0], plain(b, 2)), (made[-1], plain(b, 2))], out, [total])]
    return made if how == "beside" else [made[-1]]


def _layer(b: Builder, ref: Ref) -> Ref:
    """Return relu(x W + c) with a square W."""
    depth, width = b.type_of(ref).shape
    element = b.type_of(ref).element
    at = [b.loop(i, 3) for i in range(3)]
    inputs: list[tuple[Ref, list[Index]]] = [(ref, [at[0], at[2]])]
    inputs.append((b.argument([width, width], element), [at[2], at[1]]))
    start = (b.fill([depth, width], element, 0.0), [0, 1])
    product = b.generic([depth, width, width], inputs, [start], [apply("mul", x(0), x(1))], ["add"])
    body = apply("max", apply("add", x(0), x(1)), constant(0, element))
    out = [(b.fill([depth, width], element), [0, 1])]
    bias = (b.argument([width], element), [b.loop(1, 2)])
    return b.generic([depth, width], [(product, plain(b, 2)), bias], out, [body])


def _rows(b: Builder, ref: Ref) -> Ref:
    """Return a value less the maximum of its row."""
    greatest = row_reduction(b, ref, "max", x(0))
    return with_rows(b, ref, [greatest], apply("sub", x(0), x(1)))
