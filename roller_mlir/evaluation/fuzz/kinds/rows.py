# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What may become one program: random chains over the same rows, and products with much before and behind them."""

from collections.abc import Callable, Sequence

from roller_mlir.evaluation.fuzz.kinds.elementwise import epilogue, expression, plain, read_indices, source
from roller_mlir.evaluation.fuzz.kinds.reductions import NEUTRAL
from roller_mlir.evaluation.fuzz.kinds.views import view_op
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.numbers import Whole, product
from roller_mlir.evaluation.fuzz.program.program import Index, PadNode, Ref, Tensor
from roller_mlir.evaluation.fuzz.program.scalars import Scalar, cast, x

_COMBINERS = ("add", "add", "add", "max", "max", "min")
_NARROWER = {"f64": "f32", "f32": "f16"}
_Read = tuple[Ref, list[Index]]


class Chain:
    """Values of all loops and values of the rows alone; later ops read any of them.

    Attributes:
        axes: The loops over which rows are reduced.
        full: Values of all loops, in order.
        rows: Values that lack the reduced loops.
    """

    def __init__(self, b: Builder, ref: Ref, axes: Sequence[int], element: str) -> None:
        """Start with a value of all loops.

        Args:
            b: The program.
            ref: The value.
            axes: The loops over which rows are reduced.
            element: The type that is computed in.
        """
        self._b, self._element = b, element
        self.axes = tuple(axes)
        self._shape = list(b.type_of(ref).shape)
        self._kept = [i for i in range(len(self._shape)) if i not in axes]
        self.full: list[Ref] = [ref]
        self.rows: list[Ref] = []

    def draw(self) -> None:
        """Add an op."""
        choices = [self.reduce, self.reduce, self.walk, self.walk, self.walk]
        if self.rows:
            choices += [self.row, self.walk]
        self._b.random.choice(choices)()

    def reduce(self) -> None:
        """Reduce one or two values over the rows, to one result or two."""
        b, loops = self._b, len(self._shape)
        inputs: list[_Read] = [(b.random.choice(self.full[-2:]), plain(b, loops))]
        if b.chance(0.2):
            inputs.append((b.random.choice(self.full), self._turned()))
        if self.rows and b.chance(0.25):
            inputs.append((b.random.choice(self.rows), self._of_rows()))
        if b.chance(0.15):
            inputs.append(self._operand())
        combiners = [b.random.choice(_COMBINERS) for _ in range(2 if b.chance(0.2) else 1)]
        leaves = [cast(x(i), self._element) for i in range(len(inputs))]
        body = [expression(b, leaves, self._element, b.random.choice((0, 0, 1))) for _ in combiners]
        shape = [self._shape[i] for i in self._kept]
        outputs = [(b.start(shape, self._element, NEUTRAL[op]), self._kept) for op in combiners]
        ref = b.generic(self._shape, inputs, outputs, body, combiners)
        self.rows += [(ref[0], result) for result in range(len(combiners))]

    def walk(self) -> None:
        """Compute a value of all loops from others, from rows, and from operands that are broadcast or transposed."""
        b = self._b
        inputs: list[_Read] = [(b.random.choice(self.full[-2:]), plain(b, len(self._shape)))]
        if self.rows and b.chance(0.85):
            inputs.append((b.random.choice(self.rows[-3:]), self._of_rows()))
        if b.chance(0.25):
            inputs.append((b.random.choice(self.full), self._turned()))
        if b.chance(0.25):
            inputs.append(self._operand())
        results = 2 if b.chance(0.08) else 1
        self.full += self._compute(self._shape, inputs, b.random.randint(0, 2), results)

    def row(self) -> None:
        """Compute a value of the rows from others."""
        b, rank = self._b, len(self._kept)
        shape = [self._shape[i] for i in self._kept]
        inputs: list[_Read] = [(ref, plain(b, rank)) for ref in b.random.sample(self.rows, min(2, len(self.rows)))]
        if b.chance(0.3):
            inputs.append((b.operand(shape, self._element), plain(b, rank)))
        self.rows += self._compute(shape, inputs, 1, 1)

    def _of_rows(self) -> list[Index]:
        return [self._b.loop(i, len(self._shape)) for i in self._kept]

    def _turned(self) -> list[Index]:
        """Return the indices of all loops, of which two with the same extent change places now and then."""
        order = list(range(len(self._shape)))
        alike = [(i, j) for i in order for j in order if i < j and self._shape[i] is self._shape[j]]
        if alike and self._b.chance(0.7):
            i, j = self._b.random.choice(alike)
            order[i], order[j] = j, i
        return [self._b.loop(i, len(order)) for i in order]

    def _operand(self) -> _Read:
        indices, shape = read_indices(self._b, self._shape, 0.05)
        return self._b.operand(shape, self._element), indices

    def _compute(self, shape: Sequence[Whole], inputs: Sequence[_Read], size: int, results: int) -> list[Ref]:
        b = self._b
        leaves = [cast(x(i), self._element) for i in range(len(inputs))]
        if shape and b.chance(0.05):
            leaves.append(Scalar("index", value=b.random.randrange(len(shape)), element=self._element))
        target = _NARROWER.get(self._element, self._element) if b.chance(0.08) else self._element
        body = [cast(expression(b, leaves, self._element, size), target) for _ in range(results)]
        order = list(range(len(shape)))
        ref = b.generic(shape, inputs, [(b.fill(shape, target), order)] * results, body)
        return [(ref[0], result) for result in range(results)]


def rows_in_common(b: Builder, given: str, element: str) -> list[Ref]:
    """Return what a chain of reductions and element-wise ops makes, over any axes; sometimes over a padded value."""
    rank = b.random.choice((1, 2, 2, 2, 3, 3, 4))
    shape: list[Whole] = [*b.extents(rank, 8192)]
    if rank > 1 and b.chance(0.2):
        side = b.extent(64)
        i, j = b.random.sample(range(rank), 2)
        shape[i] = shape[j] = side
    ref = source(b, shape, given)
    chain = Chain(b, ref, _axes(b, rank), element)
    if b.chance(0.1):
        chain = _padded(b, chain, element)
    for _ in range(b.random.randint(2, 6)):
        chain.draw()
    return _results(b, chain)


def _axes(b: Builder, rank: int) -> list[int]:
    return b.random.sample(range(rank), b.random.choice([n for n in (1, 1, 1, 2, 3) if n <= rank]))


def _padded(b: Builder, chain: Chain, element: str) -> Chain:
    """Return a chain over the start of another one, padded; now and then with two values."""
    (ref,) = chain.full
    kind = b.type_of(ref)
    low, high = (tuple(b.knob(b.random.choice((0, 1, 3)), 0) for _ in kind.shape) for _ in range(2))
    shape = tuple(a + n + c for n, a, c in zip(kind.shape, low, high, strict=True))
    types = (Tensor(shape, kind.element),)
    pads = [
        b.copy_info(PadNode(operands=(ref,), types=types, low=low, high=high, value=value))
        for value in b.random.sample((0.0, 1.0, -3.0, 2.0), b.random.choice((1, 2)))
    ]
    padded = Chain(b, pads[0], chain.axes, element)
    padded.full += pads[1:]
    return padded


def _results(b: Builder, chain: Chain) -> list[Ref]:
    made = [ref for ref in (*chain.full, *chain.rows) if b.nodes[ref[0]].operands]
    last = max(made)
    others = b.random.sample(made, min(len(made), b.random.choice((0, 0, 0, 1, 2))))
    return list(dict.fromkeys([last, *others]))


def joined(b: Builder, given: str, element: str, make: Callable[[Builder, str, str], list[Ref]]) -> list[Ref]:
    """Return a product (of any sort) whose inputs and start are mostly made by ops, with several ops behind it.

    Args:
        b: The program.
        given: Element type of the inputs.
        element: Type that is computed in.
        make: What makes the product.
    """
    b.made_inputs, b.made_starts = 0.7, 0.35
    ref, *_ = make(b, given, element)
    b.made_inputs, b.made_starts = 0.12, 0.03
    if b.chance(0.12):
        ref = view_op(b, ref)
    kind = b.type_of(ref)
    if kind.shape and b.at(product(kind.shape)) <= 8192 and b.chance(0.4):
        chain = Chain(b, ref, _axes(b, len(kind.shape)), element)
        for _ in range(b.random.randint(1, 4)):
            chain.draw()
        return _results(b, chain)
    made = [ref]
    for _ in range(b.random.randint(0, 3)):
        made.append(epilogue(b, made[-1]))
    return [made[-1], made[b.random.randrange(len(made) - 1)]] if len(made) > 1 and b.chance(0.2) else [made[-1]]
