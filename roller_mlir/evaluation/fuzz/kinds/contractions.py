# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random contractions: any number of batch, row, column and depth loops with permuted maps, and the named ops."""

from collections.abc import Sequence

from roller_mlir.evaluation.fuzz.kinds.elementwise import source
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import Info, judge
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import Index, NamedOpNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, apply, cast, x

# Loops of the operands of named ops.
NAMED = {
    "matmul": ("mk", "kn", "mn"),
    "batch_matmul": ("bmk", "bkn", "bmn"),
    "matvec": ("mk", "k", "m"),
    "vecmat": ("k", "kn", "n"),
    "batch_matvec": ("bmk", "bk", "bm"),
    "batch_vecmat": ("bk", "bkn", "bn"),
    "dot": ("k", "k", ""),
    "batch_reduce_matmul": ("bmk", "bkn", "mn"),
    "mmt4d": ("mkac", "nkdc", "mnad"),
}
# The same with the indexing maps spelled out, as transposed operands are written.
MAPPED = {"matmul": (("km", "kn"), ("mk", "nk"), ("km", "nk")), "batch_matmul": (("bkm", "bkn"), ("bmk", "bnk"))}


def contraction(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a contraction as a generic.

    Args:
        b: The program.
        given: Element type of the inputs.
        element: Type that is computed in and accumulated.
    """
    counts = [b.random.choice(choices) for choices in ((0, 0, 0, 1, 1, 2), (0, 1, 1, 1, 2), (0, 1, 1, 1, 2))]
    counts.append(b.random.choice((1, 1, 1, 2, 3)))
    while sum(counts) > 6:
        counts[b.random.randrange(4)] = 1
    letters = [letter for letter, count in zip("bmnk", counts, strict=True) for _ in range(count)]
    b.random.shuffle(letters)
    loops = b.extents(len(letters))
    space = list(range(len(loops)))

    def pick(of: str) -> list[int]:
        chosen = [i for i in space if letters[i] in of]
        if b.chance(0.4):
            b.random.shuffle(chosen)
        return chosen

    operands = [pick("bmk"), pick("bnk")]
    if b.chance(0.08):  # a depth loop that one of two operands does not have
        depth = [i for i in space if letters[i] == "k"]
        operands[1] = [i for i in operands[1] if i != depth[0]]
    if b.chance(0.08):
        operands.append(pick("k"))
    inputs = [(source(b, [loops[i] for i in order], given), _at(b, order, len(loops))) for order in operands]
    out = pick("bmn")
    op, neutral = ("add", 0.0) if b.chance(0.93) else b.random.choice((("max", float("-inf")), ("min", float("inf"))))
    factors = [cast(x(i), element) for i in range(len(inputs))]
    point = factors[0]
    for factor in factors[1:]:
        point = apply("mul" if op == "add" else "add", *((point, factor) if b.chance(0.8) else (factor, point)))
    start = b.start([loops[i] for i in out], element, neutral)
    return [b.generic(loops, inputs, [(start, out)], [point], [op])]


def _at(b: Builder, order: Sequence[int], loops: int) -> list[Index]:
    return [b.loop(i, loops) for i in order]


def named_contraction(b: Builder, given: str, element: str) -> list[Ref]:
    """Return a contraction as a named op."""
    name = b.random.choice(list(NAMED))
    letters = sorted(set("".join(NAMED[name])))
    extents = dict(zip(letters, b.extents(len(letters)), strict=True))
    if b.chance(0.25) and name in ("matmul", "batch_matmul"):
        extents[b.random.choice(letters)] = b.knob(1)
    operands = [*NAMED[name]]
    extra = ""
    if name in MAPPED and b.chance(0.3):
        operands[:2] = b.random.choice(MAPPED[name])
        loops = "bmnk" if name == "batch_matmul" else "mnk"
        maps = [f"affine_map<({', '.join(loops)}) -> ({', '.join(operand)})>" for operand in operands]
        extra = f"indexing_maps = [{', '.join(maps)}]"
    shapes = [[extents[letter] for letter in operand] for operand in operands]
    inputs = [source(b, shape, given) for shape in shapes[:2]]
    start = b.start(shapes[2], element, 0.0)
    node = NamedOpNode(operands=(*inputs, start), types=(Tensor(tuple(shapes[2]), element),), name=name, extra=extra)
    return [multiply(b, node, list(extents.values()), given, element)]


def multiply(b: Builder, node: NamedOpNode, loops: Sequence[Whole], given: str, element: str) -> Ref:
    """Add a named op that sums products of two inputs."""
    body: Scalar = apply("mul", cast(x(0), element), cast(x(1), element))
    points = b.at(product(loops))
    results = b.at(product(node.types[0].shape))

    def per_point(known: list[Info]) -> Info:
        return judge(body, known, [], ([given, given], []), points)

    return b.named(node, points, max(1, points // max(1, results)), per_point, "add")
