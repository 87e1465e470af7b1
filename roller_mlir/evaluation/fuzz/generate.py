# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The case of a seed and a number: always the same program, target, inputs and forced options."""

import random
from collections.abc import Callable, Sequence
from fnmatch import fnmatch
from typing import TypeVar

from roller_mlir.evaluation.fuzz.case import Case
from roller_mlir.evaluation.fuzz.forced import draw_forced, draw_matrix_forced
from roller_mlir.evaluation.fuzz.kinds.chains import (
    attention,
    fused,
    normalisation,
    perceptron,
    reduced_product,
    softmax,
)
from roller_mlir.evaluation.fuzz.kinds.contractions import contraction, named_contraction
from roller_mlir.evaluation.fuzz.kinds.elementwise import element_wise, epilogue, tree
from roller_mlir.evaluation.fuzz.kinds.gathers import curved, gathered
from roller_mlir.evaluation.fuzz.kinds.importers import imported_norm
from roller_mlir.evaluation.fuzz.kinds.matrix import MOST_POINTS as MATRIX_POINTS
from roller_mlir.evaluation.fuzz.kinds.matrix import (
    TF32,
    check_tf32,
    matrix_askew,
    matrix_chain,
    matrix_contraction,
    matrix_convolution,
    matrix_product,
)
from roller_mlir.evaluation.fuzz.kinds.matrix import TYPES as MATRIX_TYPES
from roller_mlir.evaluation.fuzz.kinds.moving import moving_slice, scalars, spread_out
from roller_mlir.evaluation.fuzz.kinds.packs import packed
from roller_mlir.evaluation.fuzz.kinds.reductions import extreme_place, named_reduction, reduction
from roller_mlir.evaluation.fuzz.kinds.repeated import equal_operators, loop
from roller_mlir.evaluation.fuzz.kinds.rows import joined, rows_in_common
from roller_mlir.evaluation.fuzz.kinds.views import view_op, views
from roller_mlir.evaluation.fuzz.kinds.whole_numbers import whole_numbers
from roller_mlir.evaluation.fuzz.kinds.windows import generic_convolution, named_convolution, pooling
from roller_mlir.evaluation.fuzz.program.builder import Builder
from roller_mlir.evaluation.fuzz.program.known import RejectedError
from roller_mlir.evaluation.fuzz.program.program import FillNode, Node, Ref, without_unused
from roller_mlir.evaluation.fuzz.program.scalars import is_float
from roller_mlir.evaluation.fuzz.program.write import InvalidProgramError, write_program

MOST_POINTS = 1 << 15
_ATTEMPTS = 200

# Types of inputs and of what is computed, and how often.
TYPES = (
    (("f32", "f32"), 55), (("f16", "f32"), 8), (("f16", "f16"), 7), (("bf16", "f32"), 6), (("bf16", "bf16"), 5),
    (("f64", "f64"), 6), (("i8", "i32"), 7), (("i32", "i32"), 6),
)  # fmt: skip
# Kinds of programs, and how often; 0: where nothing else is asked for.
KINDS = {
    "contraction": 14, "named contraction": 6, "convolution": 9, "named convolution": 7, "pooling": 6,
    "reduction": 12, "named reduction": 3, "element-wise": 10, "tree": 4, "views": 7, "softmax": 3,
    "normalisation": 3, "attention": 2, "perceptron": 2, "fused": 8, "reduced product": 2, "greatest and its place": 2,
    "rows in common": 10, "joined contraction": 7, "joined convolution": 5, "joined reduction": 3,
    "matrix product": 4, "matrix contraction": 3, "matrix convolution": 2, "matrix chain": 4,
    "matrix askew": 2, "gather": 4, "curved": 3, "pack": 3, "moving slice": 3, "spread out": 2, "scalars": 3, "loop": 2,
    "equal operators": 3, "imported norm": 3, "whole numbers": 0,
}  # fmt: skip
MATRIX_KINDS = tuple(kind for kind in KINDS if kind.startswith("matrix "))
_T = TypeVar("_T")


def make_case(
    seed: int, number: int, targets: tuple[str, ...], most_points: int = MOST_POINTS, only: tuple[str, ...] = ()
) -> Case:
    """Return a case.

    Args:
        seed: Of the run.
        number: Of the case.
        targets: Devices, in turn.
        most_points: Points of a loop nest at most, but for products of matrices.
        only: Patterns of the kinds to draw from; () for all.

    Raises:
        RuntimeError: The generator rejects whatever it draws; a mistake in it.
    """
    kinds = tuple((kind, weight) for kind, weight in KINDS.items() if not only or any(fnmatch(kind, p) for p in only))
    if not any(weight for _, weight in kinds):
        kinds = tuple((kind, 1) for kind, _ in kinds)
    for attempt in range(_ATTEMPTS):
        generator = random.Random(f"{seed}:{number}:{attempt}")
        values = "integers" if generator.random() < 0.75 else "normal"
        share = generator.choice((1, 4, 16, 64))
        b = Builder(generator, values, max(64, most_points // share))
        kind = _pick(generator, kinds)
        given, element = _pick(generator, MATRIX_TYPES if kind in MATRIX_KINDS else TYPES)
        allow_tf32 = given == TF32
        if kind in MATRIX_KINDS:
            b.most_points = MATRIX_POINTS
            b.values = "signs" if values == "integers" and b.chance(0.4) else values
        try:
            refs = _draw(b, kind, "f32" if allow_tf32 else given, element)
            if allow_tf32:
                check_tf32(b)
            program = without_unused(b.program(refs))
            write_program(program)
        except (RejectedError, InvalidProgramError):
            continue
        matrix = kind in MATRIX_KINDS
        forced = draw_matrix_forced(generator, allow_tf32=allow_tf32) if matrix else draw_forced(generator)
        exact = tuple(b.info[ref].same for ref in refs)
        target = targets[number % len(targets)]
        return Case(seed, number, kind, program, target, b.values, exact, forced, only=only)
    raise RuntimeError(f"case {number} of seed {seed}: {_ATTEMPTS} programs in a row were rejected")


def _pick(generator: random.Random, weighted: Sequence[tuple[_T, int]]) -> _T:
    return generator.choices([one for one, _ in weighted], [weight for _, weight in weighted])[0]


def _draw(b: Builder, kind: str, given: str, element: str) -> list[Ref]:
    floats = element if is_float(element) else "f32"
    makers: dict[str, Callable[[], list[Ref]]] = {
        "contraction": lambda: contraction(b, given, element),
        "named contraction": lambda: named_contraction(b, given, element),
        "convolution": lambda: generic_convolution(b, given, element),
        "named convolution": lambda: named_convolution(b, given, element),
        "pooling": lambda: pooling(b, element),
        "reduction": lambda: reduction(b, given, element),
        "named reduction": lambda: named_reduction(b, element),
        "element-wise": lambda: element_wise(b, element),
        "tree": lambda: tree(b, element),
        "views": lambda: views(b, element),
        "softmax": lambda: softmax(b, floats),
        "normalisation": lambda: normalisation(b, floats),
        "attention": lambda: attention(b, floats),
        "perceptron": lambda: perceptron(b, element),
        "fused": lambda: fused(b, given, element),
        "reduced product": lambda: reduced_product(b, given, element),
        "greatest and its place": lambda: extreme_place(b, element),
        "rows in common": lambda: rows_in_common(b, given, element),
        "joined contraction": lambda: joined(b, given, element, b.random.choice((contraction, named_contraction))),
        "joined convolution": lambda: joined(
            b, given, element, b.random.choice((generic_convolution, named_convolution))
        ),
        "joined reduction": lambda: joined(b, given, element, reduction),
        "whole numbers": lambda: whole_numbers(b),
        "gather": lambda: gathered(b, given, element),
        "curved": lambda: curved(b, given, element),
        "pack": lambda: packed(b, element),
        "moving slice": lambda: moving_slice(b, element),
        "spread out": lambda: spread_out(b, element),
        "scalars": lambda: scalars(b, element),
        "loop": lambda: loop(b, element),
        "equal operators": lambda: equal_operators(b, element),
        "imported norm": lambda: imported_norm(b, floats),
        "matrix product": lambda: matrix_product(b, given, element),
        "matrix contraction": lambda: matrix_contraction(b, given, element),
        "matrix convolution": lambda: matrix_convolution(b, given, element),
        "matrix chain": lambda: matrix_chain(b, given, element),
        "matrix askew": lambda: matrix_askew(b, given, element),
    }
    refs = makers[kind]()
    moves = not b.type_of(refs[0]).scalar
    if moves and b.chance(0.12):
        refs = [epilogue(b, refs[0]), *refs[1:]]
    if moves and b.chance(0.06):
        refs = [view_op(b, refs[0]), *refs[1:]]
    if b.chance(0.03):
        refs.append(b.random.choice([(n, 0) for n, node in enumerate(b.nodes) if not _is_empty(node)]))
    return refs


def _is_empty(node: Node) -> bool:
    return isinstance(node, FillNode) and node.value is None
