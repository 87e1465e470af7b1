# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators for tests of plans for devices of vectors, and the plan that is chosen for one."""

from roller_mlir.hal import find_device
from roller_mlir.model import ConstructOptions, construct
from roller_mlir.plan import Access, LinearIndex, Loop, Plan, TensorExpression

SPR = find_device("spr")


def product(rows: int, columns: int, depth: int) -> TensorExpression:
    a, b, c = ((1, 0, 0), (0, 0, 1)), ((0, 0, 1), (0, 1, 0)), ((1, 0, 0), (0, 1, 0))

    def access(name: str, shape: tuple[int, int], indices: tuple[tuple[int, ...], ...]) -> Access:
        return Access(name, shape, "f32", tuple(LinearIndex(index) for index in indices))

    return TensorExpression(
        (Loop(rows), Loop(columns), Loop(depth, True)),
        (access("a", (rows, depth), a), access("b", (depth, columns), b)),
        access("c", (rows, columns), c),
        "arith.addf",
        2,
        (0.0, 0.0),
        fused_multiply_add=True,
    )


def best(expression: TensorExpression, device: object = SPR, **options: object) -> Plan:
    return construct(expression, device, ConstructOptions(top_k=1, **options))[0]  # pyrefly: ignore


def depthwise(size: int, channels: int, window: int, stride: int = 1) -> TensorExpression:
    """A depthwise convolution with channels last, which keeps an image's size but for a stride; loops h, w, c, r, q."""
    out = -(-size // stride)

    def index(*loops: int, factor: int = 1, constant: int = 0) -> LinearIndex:
        return LinearIndex(tuple([factor, 1][at != loops[0]] if at in loops else 0 for at in range(5)), constant)

    low = -(window // 2)
    image = (index(0, 3, factor=stride, constant=low), index(1, 4, factor=stride, constant=low), index(2))
    return TensorExpression(
        (Loop(out), Loop(out), Loop(channels), Loop(window, True), Loop(window, True)),
        (
            Access("x", (size, size, channels), "f32", image),
            Access("w", (window, window, channels), "f32", (index(3), index(4), index(2))),
        ),
        Access("y", (out, out, channels), "f32", (index(0), index(1), index(2))),
        "arith.addf",
        2,
        (0.0, 0.0),
        fused_multiply_add=True,
    )


def layer(size: int, channels: int, filters: int, window: int = 3) -> TensorExpression:
    """A convolution with channels last of one image that keeps its size; loops h, w, f, r, q, c."""

    def index(constant: int, *loops: int) -> LinearIndex:
        return LinearIndex(tuple(int(loop in loops) for loop in range(6)), constant)

    low = -(window // 2)
    x = Access("x", (size, size, channels), "f32", (index(low, 0, 3), index(low, 1, 4), index(0, 5)))
    w = Access("w", (window, window, channels, filters), "f32", tuple(index(0, loop) for loop in (3, 4, 5, 2)))
    y = Access("y", (size, size, filters), "f32", tuple(index(0, loop) for loop in range(3)))
    loops = (Loop(size), Loop(size), Loop(filters), *(Loop(n, True) for n in (window, window, channels)))
    return TensorExpression(loops, (x, w), y, "arith.addf", 2, (0.0, 0.0), fused_multiply_add=True)
