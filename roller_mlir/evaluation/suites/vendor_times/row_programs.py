# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators that memory limits as linalg text: 16-bit elements are computed with in f32."""

from collections.abc import Sequence

from roller_mlir.evaluation.suites.element_types import tensor
from roller_mlir.evaluation.suites.vendor_times.linalg_text import (
    WidenedArguments,
    converted,
    function,
    loops,
    maps,
    summed,
    zeros,
)
from roller_mlir.plan.accuracy.accumulation import SUMS

POINTWISE = {
    "scale": (1, "  %y = arith.mulf {0}, %three : f32"),
    "add": (2, "  %y = arith.addf {0}, {1} : f32"),
    "squared relu": (1, "  %r = arith.maximumf {0}, %zero : f32\n  %y = arith.mulf %r, %r : f32"),
}
"""Element-wise operators: how many inputs they have, and the body that makes %y of them."""


def pointwise(kind: str, shape: Sequence[int], dtype: str) -> str:
    """Return an operator of `POINTWISE`, whose inputs and result have a type."""
    count, text = POINTWISE[kind]
    body, space = WidenedArguments(), ", ".join(f"d{i}" for i in range(len(shape)))
    values = [body.wide(f"%x{i}", dtype) for i in range(count)]
    value = tensor(shape, dtype)
    rounded = "%y" if SUMS[dtype] == dtype else "%z"
    names = [f"%in{i}" for i in range(count)]
    arguments = ", ".join([*(f"%x{i}: {dtype}" for i in range(count)), f"%old: {dtype}"])
    lines = [
        "%zero = arith.constant 0.0 : f32",
        "%three = arith.constant 3.0 : f32",
        f"%empty = tensor.empty() : {value}",
        f"%result = linalg.generic {{indexing_maps = {maps(len(shape), [f'({space})'] * (count + 1))},",
        f"    iterator_types = {loops('p' * len(shape))}}}",
        f"    ins({', '.join(names)} : {', '.join([value] * count)}) outs(%empty : {value}) {{",
        f"^bb0({arguments}):",
        *body.lines,
        text.format(*values),
        *([] if rounded == "%y" else [f"  %z = arith.truncf %y : f32 to {dtype}"]),
        f"  linalg.yield {rounded} : {dtype}",
        f"}} -> {value}",
    ]
    return function([(name, shape, dtype) for name in names], lines, "%result", shape, dtype, dtype)


def total(elements: int, dtype: str) -> str:
    """Return the sum of all elements."""
    lines = [*zeros((), dtype), *summed("%result", "%a", (elements,), 0, dtype)]
    return function([("%a", (elements,), dtype)], lines, "%result", (), dtype, dtype)


def softmax(rows: int, columns: int, dtype: str) -> str:
    """Return the softmax of each row."""
    shape, wide = (rows, columns), SUMS[dtype]
    value = tensor(shape, wide)
    lines, x = converted("%a", "%wide", shape, dtype, wide)
    lines += [
        f"%empty = tensor.empty() : {value}",
        f"%soft = linalg.softmax dimension(1) ins({x} : {value}) outs(%empty : {value}) -> {value}",
    ]
    return function([("%a", shape, dtype)], lines, "%soft", shape, wide, dtype)


def layer_norm(rows: int, columns: int, dtype: str) -> str:
    """Return the layer norm of each row, with a scale and a shift for each column."""
    shape, wide = (rows, columns), SUMS[dtype]
    value, vector = tensor(shape, wide), tensor((rows,), wide)
    lines, x = converted("%a", "%wide", shape, dtype, wide)
    lines += [
        f"%n = arith.constant {float(columns)} : {wide}",
        f"%epsilon = arith.constant 1.0e-5 : {wide}",
        *zeros((rows,), wide),
        f"%empty = tensor.empty() : {value}",
        f"%some = tensor.empty() : {vector}",
        *summed("%rowsum", x, shape, 1, wide),
        f"%centred = linalg.generic {{indexing_maps = {maps(2, ['(d0, d1)', '(d0)', '(d0, d1)'])},",
        f"    iterator_types = {loops('pp')}}} ins({x}, %rowsum : {value}, {vector}) outs(%empty : {value}) {{",
        f"^bb0(%x: {wide}, %s: {wide}, %old: {wide}):",
        f"  %mean = arith.divf %s, %n : {wide}",
        f"  %d = arith.subf %x, %mean : {wide}",
        f"  linalg.yield %d : {wide}",
        f"}} -> {value}",
        f"%squares = linalg.generic {{indexing_maps = {maps(2, ['(d0, d1)', '(d0)'])},",
        f"    iterator_types = {loops('pr')}}} ins(%centred : {value}) outs(%init : {vector}) {{",
        f"^bb0(%d: {wide}, %s: {wide}):",
        f"  %m = arith.mulf %d, %d : {wide}",
        f"  %t = arith.addf %s, %m : {wide}",
        f"  linalg.yield %t : {wide}",
        f"}} -> {vector}",
        f"%scale = linalg.generic {{indexing_maps = {maps(1, ['(d0)', '(d0)'])}, iterator_types = {loops('p')}}}",
        f"    ins(%squares : {vector}) outs(%some : {vector}) {{",
        f"^bb0(%s: {wide}, %old: {wide}):",
        f"  %variance = arith.divf %s, %n : {wide}",
        f"  %t = arith.addf %variance, %epsilon : {wide}",
        f"  %r = math.rsqrt %t : {wide}",
        f"  linalg.yield %r : {wide}",
        f"}} -> {vector}",
        f"%normed = linalg.generic {{indexing_maps = {maps(2, ['(d0, d1)', '(d0)', '(d1)', '(d1)', '(d0, d1)'])},",
        f"    iterator_types = {loops('pp')}}}",
        f"    ins(%centred, %scale, %gamma, %beta : {value}, {vector}, {', '.join([tensor((columns,), wide)] * 2)})",
        f"    outs(%empty : {value}) {{",
        f"^bb0(%d: {wide}, %r: {wide}, %g: {wide}, %b: {wide}, %old: {wide}):",
        f"  %s = arith.mulf %d, %r : {wide}",
        f"  %t = arith.mulf %s, %g : {wide}",
        f"  %u = arith.addf %t, %b : {wide}",
        f"  linalg.yield %u : {wide}",
        f"}} -> {value}",
    ]
    given = [("%a", shape, dtype), ("%gamma", (columns,), wide), ("%beta", (columns,), wide)]
    return function(given, lines, "%normed", shape, wide, dtype)
