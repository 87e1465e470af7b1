# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tensor copies ask of an operator."""

from dataclasses import replace

from roller_mlir.mapping.checks.tensor_copy_rules import boxes_fit, lines_follow, tensor_copy_multiples
from roller_mlir.plan import Access, LinearIndex, Loop, TensorExpression

LOOPS = (0, 1, 2)


def matmul(m: int = 512, n: int = 512, k: int = 512, kind: str = "f16", *, turned: bool = False) -> TensorExpression:
    """Return a product A[m, k] * B[k, n], or B[n, k]."""
    a = Access("A", (m, k), kind, (LinearIndex((1, 0, 0)), LinearIndex((0, 0, 1))))
    rows, columns = LinearIndex((0, 0, 1)), LinearIndex((0, 1, 0))
    b = Access("B", (n, k) if turned else (k, n), kind, (columns, rows) if turned else (rows, columns))
    c = Access("C", (m, n), "f32", (LinearIndex((1, 0, 0)), LinearIndex((0, 1, 0))))
    loops = (Loop(m), Loop(n), Loop(k, True))
    return TensorExpression(loops, (a, b), c, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)


def test_tiles_are_whole_lines() -> None:
    assert tensor_copy_multiples(matmul(), LOOPS) == ((2, 64), (1, 64))
    assert tensor_copy_multiples(matmul(turned=True), LOOPS) == ((2, 64), (2, 64))
    assert tensor_copy_multiples(matmul(kind="i8", turned=True), LOOPS) == ((2, 128), (2, 128))
    assert tensor_copy_multiples(matmul(kind="f32", turned=True), LOOPS) == ((2, 32), (2, 32))


def test_what_cannot_be_copied_so() -> None:
    assert tensor_copy_multiples(matmul(kind="i8"), LOOPS) is None, "bytes are read along the reduction only"
    assert tensor_copy_multiples(matmul(k=508), LOOPS) is None, "rows of 1016 bytes are no multiples of 16"
    assert tensor_copy_multiples(matmul(k=504), LOOPS) is not None
    assert tensor_copy_multiples(replace(matmul(), prologue_flops=(0, 1)), LOOPS) is None, "elements are changed"
    assert tensor_copy_multiples(replace(matmul(), pad_values=(1.0, 0.0)), LOOPS) is None, "around it lie zeros"
    plain = matmul()
    backwards = replace(plain.inputs[0], indices=(LinearIndex((-1, 0, 0), 511), LinearIndex((0, 0, 1))))
    assert tensor_copy_multiples(replace(plain, inputs=(backwards, plain.inputs[1])), LOOPS) is None
    steps = replace(plain.inputs[0], shape=(9 * 512, 512), indices=(LinearIndex((9, 0, 0)), LinearIndex((0, 0, 1))))
    assert tensor_copy_multiples(replace(plain, inputs=(steps, plain.inputs[1])), LOOPS) is None, "9 elements a step"
    diagonal = replace(plain.inputs[0], indices=(LinearIndex((1, 0, 0)), LinearIndex((1, 0, 1))))
    assert tensor_copy_multiples(replace(plain, inputs=(diagonal, plain.inputs[1])), LOOPS) is None


def test_boxes_reach_256_elements() -> None:
    plain = matmul()
    assert boxes_fit(plain.inputs, (256, 64, 64))
    assert not boxes_fit(plain.inputs, (512, 64, 64))
    assert boxes_fit(plain.inputs, (128, 512, 64)), "the second factor's lines run along the columns"
    steps = replace(plain.inputs[0], shape=(2 * 512, 512), indices=(LinearIndex((2, 0, 0)), LinearIndex((0, 0, 1))))
    assert boxes_fit((steps,), (128, 64, 64))
    assert not boxes_fit((steps,), (192, 64, 64))
    three = replace(steps, shape=(3 * 512, 512), indices=(LinearIndex((3, 0, 0)), LinearIndex((0, 0, 1))))
    assert boxes_fit((three,), (85, 64, 64))
    assert not boxes_fit((three,), (86, 64, 64)), "its last element is the 256th, but the driver wants whole steps"


def test_lines_of_two_loops() -> None:
    """Of an image x[n, h, w, c]: 16 points of a line and 4 lines follow each other, not the other way round."""
    index = [LinearIndex(tuple(int(i == d) for i in range(5))) for d in range(4)]
    x = Access("x", (8, 28, 28, 64), "f16", tuple(index))
    w = Access("w", (64, 64), "f16", (LinearIndex((0, 0, 0, 1, 0)), LinearIndex((0, 0, 0, 0, 1))))
    y = Access("y", (8, 28, 28, 64), "f32", (*index[:3], LinearIndex((0, 0, 0, 0, 1))))
    loops = (Loop(8), Loop(28), Loop(28), Loop(64, True), Loop(64))
    conv = TensorExpression(loops, (x, w), y, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)
    assert lines_follow(conv, 2, 1, 3)
    assert lines_follow(conv, 2, 0, 3)
    assert not lines_follow(conv, 1, 2, 3)
    assert not lines_follow(conv, 2, 2, 3)
