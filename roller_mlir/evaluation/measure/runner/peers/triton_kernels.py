# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ruff: noqa: N803 - Triton's kernels name compile-time arguments in capitals
"""Kernels in Triton, to be compared with ours. Arrays are dense; offsets of rows are 64 bits wide.

This module is imported where Triton is, by `triton_peer` only. Triton reads the text of its functions.
"""

import triton
import triton.language as tl

NOTHING, GELU, RELU = 0, 1, 2
"""What follows a matrix product: nothing; a bias and gelu (with erf); a bias and relu."""


@triton.jit
def matmul(
    A, B, C, BIAS, rows, columns, depth,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, BAND: tl.constexpr,
    WHOLE: tl.constexpr, ENDING: tl.constexpr, INTEGER: tl.constexpr,
):  # fmt: skip
    """C = ending(A B): f32 factors multiply as f32 (no tf32), sums are in f32, of integers in i32.

    BAND rows of tiles are walked column by column, so that tasks which run together read the same tiles. Rows and
    columns beyond the end are read again from the beginning and never stored; WHOLE: BK divides the depth.
    """
    task = tl.program_id(0)
    down, across = tl.cdiv(rows, BM), tl.cdiv(columns, BN)
    band = task // (BAND * across) * BAND
    height = min(down - band, BAND)
    within = task % (BAND * across)
    row = (band + within % height) * BM + tl.arange(0, BM)
    column = within // height * BN + tl.arange(0, BN)
    step = tl.arange(0, BK)
    a = A + (row % rows).to(tl.int64)[:, None] * depth + step[None, :]
    b = B + step.to(tl.int64)[:, None] * columns + (column % columns)[None, :]
    total = tl.zeros((BM, BN), tl.int32 if INTEGER else tl.float32)
    for k in range(0, depth, BK):
        if WHOLE:
            left, right = tl.load(a), tl.load(b)
        else:
            left = tl.load(a, mask=(step < depth - k)[None, :], other=0)
            right = tl.load(b, mask=(step < depth - k)[:, None], other=0)
        if INTEGER:
            total = tl.dot(left, right, total, out_dtype=tl.int32)
        else:
            total = tl.dot(left, right, total, input_precision="ieee")
        a += BK
        b += tl.full((), BK, tl.int64) * columns  # an extent of 1 is no tensor that could be widened
    if ENDING != 0:
        total += tl.load(BIAS + column % columns).to(tl.float32)[None, :]
    if ENDING == 1:
        total = 0.5 * total * (1 + tl.math.erf(total * 0.7071067811865476))
    if ENDING == 2:
        total = tl.maximum(total, 0.0)
    c = C + row.to(tl.int64)[:, None] * columns + column[None, :]
    tl.store(c, total.to(C.dtype.element_ty), mask=(row < rows)[:, None] & (column < columns)[None, :])


@triton.jit
def softmax(X, Y, width, BLOCK: tl.constexpr):
    """A row a task, held in registers from the maximum to the quotient."""
    at = tl.arange(0, BLOCK)
    start = tl.program_id(0).to(tl.int64) * width
    x = tl.load(X + start + at, mask=at < width, other=-float("inf")).to(tl.float32)
    power = tl.exp(x - tl.max(x, 0))
    tl.store(Y + start + at, (power / tl.sum(power, 0)).to(Y.dtype.element_ty), mask=at < width)


@triton.jit
def layer_norm(X, GAMMA, BETA, Y, width, epsilon, BLOCK: tl.constexpr):
    """A row a task: mean, variance about it, scale and shift."""
    at = tl.arange(0, BLOCK)
    inside = at < width
    start = tl.program_id(0).to(tl.int64) * width
    x = tl.load(X + start + at, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, x - tl.sum(x, 0) / width, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / width + epsilon)
    gamma = tl.load(GAMMA + at, mask=inside, other=0.0).to(tl.float32)
    beta = tl.load(BETA + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(Y + start + at, (centred * scale * gamma + beta).to(Y.dtype.element_ty), mask=inside)


@triton.jit
def row_sum(X, Y, rows, width, ROWS: tl.constexpr, BLOCK: tl.constexpr, INTEGER: tl.constexpr):
    """Sum over the last dimension, ROWS of them a task."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    x = X + row.to(tl.int64)[:, None] * width + at[None, :]
    total = tl.zeros((ROWS, BLOCK), tl.int32 if INTEGER else tl.float32)
    for start in range(0, width, BLOCK):
        inside = (row < rows)[:, None] & (at < width - start)[None, :]
        total += tl.load(x + start, mask=inside, other=0).to(total.dtype)
    tl.store(Y + row, tl.sum(total, 1).to(Y.dtype.element_ty), mask=row < rows)


@triton.jit
def middle_sum(X, Y, depth, width, DEEP: tl.constexpr, BLOCK: tl.constexpr, INTEGER: tl.constexpr):
    """Sum over the middle one of three dimensions: BLOCK neighbours of the last one a task."""
    outer = tl.program_id(0).to(tl.int64)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    step = tl.arange(0, DEEP)
    x = X + (outer * depth + step.to(tl.int64)[:, None]) * width + column[None, :]
    total = tl.zeros((DEEP, BLOCK), tl.int32 if INTEGER else tl.float32)
    for start in range(0, depth, DEEP):
        inside = (step < depth - start)[:, None] & (column < width)[None, :]
        total += tl.load(x, mask=inside, other=0).to(total.dtype)
        x += tl.full((), DEEP, tl.int64) * width
    tl.store(Y + outer * width + column, tl.sum(total, 0).to(Y.dtype.element_ty), mask=column < width)
