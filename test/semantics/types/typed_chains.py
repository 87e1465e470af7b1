# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of ops whose types change on the way: a matmul with a cast in its epilogue, a softmax that sums in f32."""

from ..programs import tensor
from .typed_programs import FLOATS, Typed

ROWS = "affine_map<(i, j) -> (i, j)>"
ROW = "affine_map<(i, j) -> (i)>"
COLUMN = "affine_map<(i, j) -> (j)>"


def cast_down(t: Typed, to: str, value: str, result: str) -> str:
    """Return the cast of an accumulator to a narrower type, or an operation that leaves it as it is."""
    if to == t.result:
        return f"{result} = arith.max{'numf' if to in FLOATS else 'si'} {value}, {value} : {to}"
    op = "sitofp" if t.result not in FLOATS and to in FLOATS else "truncf" if to in FLOATS else "trunci"
    return f"{result} = arith.{op} {value} : {t.result} to {to}"


def matmul_bias_relu(t: Typed, out: str) -> str:
    """A matmul, its bias and relu in the accumulator's type, and a cast to `out`."""
    a, b, c = tensor((50, 40), t.source), tensor((40, 36), t.source), tensor((50, 36), t.result)
    o, bias = tensor((50, 36), out), tensor((36,), t.result)
    return f"""func.func @f(%a: {a}, %b: {b}, %s: {bias}) -> {o} {{
  %z = arith.constant {t.zero} : {t.result}
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%z : {t.result}) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  %eo = tensor.empty() : {o}
  %g = linalg.generic {{indexing_maps = [{ROWS}, {COLUMN}, {ROWS}], iterator_types = ["parallel", "parallel"]}}
      ins(%r, %s : {c}, {bias}) outs(%eo : {o}) {{
  ^bb0(%x: {t.result}, %y: {t.result}, %u: {out}):
    %k = arith.add{t.suffix} %x, %y : {t.result}
    %m = {t.maximum} %k, %z : {t.result}
    {cast_down(t, out, "%m", "%q")}
    linalg.yield %q : {out}
  }} -> {o}
  return %g : {o}
}}
"""


def softmax(t: Typed, columns: int) -> str:
    """Softmax of rows of the source type, with maximum, sum and quotient in the result type."""
    x, v, acc = tensor((17, columns), t.source), tensor((17,), t.result), t.result
    wide = t.extend("%p", "%w")

    def reduction(maps: str, operands: str, start: str, arguments: str, body: str) -> str:
        return f"""linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "reduction"]}}
      ins({operands}) outs({start} : {v}) {{
  ^bb0(%p: {t.source}, {arguments}%a: {acc}):
    {wide}
    {body}
    linalg.yield %m : {acc}
  }} -> {v}"""

    exponential = f"%s = arith.subf %w, %b : {acc}\n    %x1 = math.exp %s : {acc}"
    largest = reduction(f"{ROWS}, {ROW}", f"%x : {x}", "%i1", "", f"%m = arith.maximumf %a, %w : {acc}")
    total = reduction(
        f"{ROWS}, {ROW}, {ROW}",
        f"%x, %mx : {x}, {v}",
        "%i2",
        f"%b: {acc}, ",
        f"{exponential}\n    %m = arith.addf %a, %x1 : {acc}",
    )
    return f"""func.func @f(%x: {x}) -> {x} {{
  %low = arith.constant {t.lowest} : {acc}
  %zero = arith.constant 0.0 : {acc}
  %e1 = tensor.empty() : {v}
  %i1 = linalg.fill ins(%low : {acc}) outs(%e1 : {v}) -> {v}
  %i2 = linalg.fill ins(%zero : {acc}) outs(%e1 : {v}) -> {v}
  %mx = {largest}
  %sm = {total}
  %eo = tensor.empty() : {x}
  %o = linalg.generic {{indexing_maps = [{ROWS}, {ROW}, {ROW}, {ROWS}], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %mx, %sm : {x}, {v}, {v}) outs(%eo : {x}) {{
  ^bb0(%p: {t.source}, %b: {acc}, %d: {acc}, %u: {t.source}):
    {wide}
    {exponential}
    %q = arith.divf %x1, %d : {acc}
    {cast_down(t, t.source, "%q", "%y")}
    linalg.yield %y : {t.source}
  }} -> {x}
  return %o : {x}
}}
"""
