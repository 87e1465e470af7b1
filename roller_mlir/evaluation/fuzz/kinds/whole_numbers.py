# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random element-wise ops on integers of every width: divisions, remainders, shifts, bits, with and without signs.

Divisors are never 0 nor -1 and shifts stay below the width, whatever the inputs: nothing is undefined.
"""

from roller_mlir.evaluation.fuzz.kinds.elementwise import plain, read_indices
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.program import Index, Ref
from roller_mlir.evaluation.fuzz.program.scalars import WIDTHS, Scalar, apply, cast, constant, x

_TYPES = ("i8", "i16", "i32", "i64")
_SIGNED_DIVISIONS = ("divs", "rems", "floordivs", "ceildivs")
_UNSIGNED_DIVISIONS = ("divu", "remu", "ceildivu")
_SHIFTS = ("shl", "shrs", "shru")
_COUNTS = ("ctpop", "ctlz", "cttz", "abs", "neg")
_SIMPLE = ("add", "sub", "mul", "max", "min", "maxu", "minu", "and", "or", "xor")


def whole_numbers(b: Builder) -> list[Ref]:
    """Return the result of an op on 1 to 3 integer operands, each cast to one type."""
    element = b.random.choice(_TYPES)
    rank = b.random.choice((0, 1, 1, 2, 2, 3))
    loops = b.extents(rank, min(b.most_points, 4096))
    inputs: list[tuple[Ref, list[Index]]] = [(b.operand(loops, _drawn(b, element)), plain(b, rank))]
    while len(inputs) < b.random.choice((1, 2, 3)):
        indices, shape = read_indices(b, loops, 0.0)
        inputs.append((b.operand(shape, _drawn(b, element)), indices))
    terms = [cast(x(i), element) for i in range(len(inputs))]
    for _ in range(b.random.randint(2, 7)):
        first, second = b.random.choice(terms), b.random.choice(terms)
        terms.append(_operation(b, first, second, element))
    body = terms[-1]
    for unread in terms[: len(inputs)]:
        body = apply("xor", body, unread)
    target = b.random.choice((element, element, *_TYPES, "i1"))
    return [(b.pointwise(loops, inputs, target, cast(body, target))[0], 0)]


def _drawn(b: Builder, element: str) -> str:
    return b.random.choice((*_TYPES, "i1")) if b.chance(0.3) else element


def _operation(b: Builder, first: Scalar, second: Scalar, element: str) -> Scalar:
    choice = b.random.random()
    if choice < 0.2:
        # 2 to 9, or -9 to -2
        divisor = apply("add", apply("and", second, constant(7, element)), constant(2, element))
        divisor = apply("neg", divisor) if b.chance(0.5) else divisor
        return apply(b.random.choice(_SIGNED_DIVISIONS), first, divisor)
    if choice < 0.35:
        return apply(b.random.choice(_UNSIGNED_DIVISIONS), first, apply("or", second, constant(1, element)))
    if choice < 0.5:
        return apply(b.random.choice(_SHIFTS), first, apply("and", second, constant(WIDTHS[element] - 1, element)))
    if choice < 0.6:
        return apply(b.random.choice(_COUNTS), first)
    if choice < 0.7:
        return cast(cast(first, b.random.choice((*_TYPES, "i1"))), element)
    if choice < 0.78:
        condition = apply(b.random.choice(("gt", "lt", "ge", "eq")), first, second)
        return apply("select", condition, second, first)
    return apply(b.random.choice(_SIMPLE), first, second)
