# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs for matrix units: products and convolutions whose extents lie around the instructions' shapes.

Rows, columns and depth are mixed at random of extents that are 1, one off a multiple of 8 or 16, and several tiles
long. Factors are f16, bf16, i8 or f32, results f32 (i32) or the factors' type. `matrix_chain` makes factors and what
the sum starts from by other ops, and reads the product by one op behind or two.
"""

from collections.abc import Mapping, Sequence

from roller_mlir.evaluation.fuzz.kinds.contractions import multiply
from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, gelu, plain, source
from roller_mlir.evaluation.fuzz.kinds.windows import CONVOLUTIONS, generic_convolution, named_convolution
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import EXACT, RejectedError
from roller_mlir.evaluation.fuzz.program.numbers import Number, Whole, product
from roller_mlir.evaluation.fuzz.program.program import GenericNode, Index, NamedOpNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import apply, cast, constant, is_float, x

EXTENTS = (1, 7, 8, 15, 16, 17, 63, 64, 65, 129, 200)
DEEP = (256, 509, 1024, 2048)
"""Depths of products with few results, whose reduction is divided over tasks."""
MOST_POINTS = 1 << 23
TF32 = "tf32"
# Types of the factors and of what is accumulated, and how often; "tf32" stands for f32 that may be rounded to it.
TYPES = (
    (("f16", "f32"), 22), (("bf16", "f32"), 18), (("f16", "f16"), 16), (("bf16", "bf16"), 12), (("i8", "i32"), 16),
    (("f32", "f32"), 8), ((TF32, "f32"), 8),
)  # fmt: skip
_MAPS = ("mk kn", "mk nk", "km kn", "km nk")
_BATCHED = ("bmk bkn bmn", "bmk bnk bmn", "bkm bnk bmn", "mbk kbn mbn", "bmk kn bmn", "bmk bkn mbn")
# Letters of rows, columns and depths beside m, n and k.
_WIDE = (
    "bhmd bhdn bhmn",
    "pmk kqn pmqn",
    "mpk knp mn",
    "pmqk qkn pmn",
    "bpmk bqkn bpmqn",
    "mpk pkn nm",
    "bmpq nqpb nmb",
)
_CONVOLUTIONS = tuple(name for name in CONVOLUTIONS if not name.startswith("depthwise"))


def matrix_product(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a product of two matrices, each possibly transposed, as a generic or as linalg.matmul."""
    sizes = {letter: _extent(b) for letter in "mnk"}
    if b.at(sizes["m"]) * b.at(sizes["n"]) <= 1024 and b.chance(0.4):
        sizes["k"] = b.knob(b.random.choice(DEEP))
    if b.chance(0.3):
        return [_matmul(b, sizes, given, element)]
    operands = [*b.random.choice(_MAPS).split(), "mn" if b.chance(0.85) else "nm"]
    return [_product(b, operands, sizes, given, element)]


def matrix_contraction(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a product with a batch, or of tensors with several rows, columns and depths, the loops in any order."""
    operands = b.random.choice((*_BATCHED, *_WIDE)).split()
    letters = sorted(set("".join(operands)))
    sizes: dict[str, Whole] = {}
    for letter in letters:
        few = letter not in "mnkd"
        sizes[letter] = b.knob(b.random.choice((1, 2, 3, 5))) if few else _extent(b)
    return [_product(b, operands, sizes, given, element)]


def matrix_convolution(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a convolution with channels that a matrix unit takes, of any layout, stride, dilation and padding."""
    b.channels = EXTENTS
    if b.chance(0.5):
        return named_convolution(b, given, element, _CONVOLUTIONS)
    return generic_convolution(b, given, element)


def matrix_askew(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a product one of whose factors is read askew: x[m + k, k], x[m, m + k], backwards, along a diagonal."""
    m, n, k = (_extent(b) for _ in range(3))
    loops = [m, n, k]
    bent = b.random.randrange(2)
    factors: list[tuple[Ref, list[Index]]] = []
    for free in (0, 1):
        index: list[Index] = [b.loop(free, 3), b.loop(2, 3)]
        shape: list[Whole] = [loops[free], k]
        askew = b.random.choice(("sum", "sum", "backwards", "diagonal")) if free == bent else "plain"
        if askew == "sum":  # x[m + k, k], or x[m, m + k]
            at = b.random.randrange(2)
            index[at] = Index(tuple(int(i in (free, 2)) for i in range(3)))
            shape[at] = loops[free] + k - 1
        elif askew == "backwards":
            at = b.random.randrange(2)
            index[at] = Index(tuple(0 if step == 0 else -1 for step in index[at].coefficients), shape[at] - 1)
        elif askew == "diagonal":  # x[m, k, k]
            index.append(b.loop(2, 3))
            shape.append(k)
        if b.chance(0.5):
            index.reverse()
            shape.reverse()
        if b.at(product(shape)) > 1 << 17:
            raise RejectedError("a large factor")
        factors.append((source(b, shape, given), index))
    point = apply("mul", cast(x(0), element), cast(x(1), element))
    return [b.generic(loops, factors, [(b.start([m, n], element, 0.0), [0, 1])], [point], ["add"])]


def matrix_chain(b: Builder, given: str, element: str) -> list[Ref]:
    """Return what one to three ops make of a product, whose factors and start ops may make too."""
    b.made_inputs, b.made_starts = 0.5, 0.15
    make = b.random.choice((matrix_product, matrix_product, matrix_contraction, matrix_convolution))
    (ref,) = make(b, given, element)
    b.made_inputs, b.made_starts = 0.12, 0.03
    made = [ref, _behind(b, ref, given)]
    if b.chance(0.25):  # a second op that reads the product
        return [made[-1], _behind(b, ref, given)]
    for _ in range(b.random.choice((0, 0, 1, 2))):
        made.append(_behind(b, made[-1], given))
    return [made[-1], made[b.random.randrange(len(made) - 1)]] if b.chance(0.2) else [made[-1]]


def check_tf32(b: Builder) -> None:
    """Reject a program whose factors tf32 does not hold, though results are said to be exact.

    Raises:
        RejectedError: It is such a program.
    """
    for node in b.nodes:
        if isinstance(node, NamedOpNode) or (isinstance(node, GenericNode) and node.reductions()):
            known = [b.info[ref] for ref in node.operands[:-1]]
            if any(info.same and info.bound > EXACT[TF32] for info in known):
                raise RejectedError("whole numbers beyond those of tf32")


def _behind(b: Builder, ref: Ref, given: str) -> Ref:
    """Return a value after an op as networks have it: bias, activation, residual, scale, the factors' type."""
    kind = b.type_of(ref)
    shape, element, rank = kind.shape, kind.element, len(kind.shape)
    chosen = b.random.choice(("any", "any", "bias", "relu", "gelu", "cast", "residual", "scale"))
    if not is_float(element) or not rank:
        chosen = "any" if chosen in ("gelu", "scale") or not rank else chosen
    if chosen == "any":
        return epilogue(b, ref)
    inputs = [(ref, plain(b, rank))]
    body = x(0)
    if chosen == "bias":
        axis = b.random.choice((0, rank - 1, rank - 1))
        inputs.append((b.operand([shape[axis]], element), [b.loop(axis, rank)]))
        body = apply("add", x(0), x(1))
    elif chosen == "residual":
        of = given if is_float(given) == is_float(element) else element
        inputs.append((b.operand(shape, of), plain(b, rank)))
        body = apply("add", x(0), cast(x(1), element))
    elif chosen == "scale":
        body = apply("mul", x(0), constant(b.random.choice((0.5, 0.125, 2.0)), element))
    elif chosen == "gelu":
        body = gelu(x(0), element)
    if chosen == "relu" or b.chance(0.25):
        body = apply("max", body, constant(0, element))
    target = given if is_float(given) and (chosen == "cast" or b.chance(0.25)) else element
    return b.pointwise(list(shape), inputs, target, cast(body, target))


def _extent(b: Builder) -> Number:
    return b.knob(b.random.choice(EXTENTS))


def _matmul(b: Builder, sizes: Mapping[str, Number], given: str, element: str) -> Ref:
    m, n, k = (sizes[letter] for letter in "mnk")
    inputs = [source(b, shape, given) for shape in ([m, k], [k, n])]
    kind = Tensor((m, n), element)
    node = NamedOpNode(operands=(*inputs, b.start([m, n], element, 0.0)), types=(kind,), name="matmul")
    return multiply(b, node, [m, n, k], given, element)


def _product(b: Builder, operands: Sequence[str], sizes: Mapping[str, Whole], given: str, element: str) -> Ref:
    """Add a generic that multiplies two operands, each told by the letters of its dimensions."""
    letters = sorted(set("".join(operands)))
    if b.chance(0.4):
        b.random.shuffle(letters)
    else:  # as people write them: reductions last
        letters.sort(key=lambda letter: letter not in operands[2])
    loops = [sizes[letter] for letter in letters]
    places = [[letters.index(letter) for letter in operand] for operand in operands]
    inputs = [
        (source(b, [loops[i] for i in place], given), [b.loop(i, len(loops)) for i in place]) for place in places[:2]
    ]
    start = b.start([loops[i] for i in places[2]], element, 0.0)
    point = apply("mul", cast(x(0), element), cast(x(1), element))
    return b.generic(loops, inputs, [(start, places[2])], [point], ["add"])
