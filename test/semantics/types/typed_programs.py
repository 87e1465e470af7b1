# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every operator class in every element type, as text: odd sizes, several blocks, masks, halos and residues."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..programs import DIMS, tensor

FLOATS = ("f32", "f16", "bf16", "f64")
INTEGERS = ("i8", "i32")
BITS = {"f64": 64, "f32": 32, "f16": 16, "bf16": 16, "i8": 8, "i32": 32}


def _nothing(names: Sequence[str]) -> str:
    return ""


@dataclass(frozen=True)
class Typed:
    """The operations of an accumulator type, for inputs of another.

    Attributes:
        source: Element type of the inputs.
        result: Element type of the accumulator and the output.
    """

    source: str
    result: str

    def __str__(self) -> str:
        return self.source if self.source == self.result else f"{self.source}-{self.result}"

    @property
    def suffix(self) -> str:
        """The letter of arith's float and integer operations."""
        return "f" if self.result in FLOATS else "i"

    @property
    def zero(self) -> str:
        return "0.0" if self.result in FLOATS else "0"

    @property
    def one(self) -> str:
        return "1.0" if self.result in FLOATS else "1"

    @property
    def lowest(self) -> str:
        """The neutral element of a maximum."""
        if self.result not in FLOATS:
            return str(-(1 << (BITS[self.result] - 1)))
        return {"f64": "0xFFF0000000000000", "f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}[self.result]

    @property
    def maximum(self) -> str:
        return "arith.maximumf" if self.result in FLOATS else "arith.maxsi"

    def extend(self, name: str, to: str) -> str:
        """Return an operation that gives an input in the accumulator's type."""
        if self.source == self.result:
            zero = f"{to}z = arith.constant {self.zero} : {self.result}"
            op = "arith.addf" if self.result in FLOATS else "arith.addi"
            return f"{zero}\n    {to} = {op} {name}, {to}z : {self.result}"
        op = "extf" if self.source in FLOATS else "sitofp" if self.result in FLOATS else "extsi"
        return f"{to} = arith.{op} {name} : {self.source} to {self.result}"

    def product(self) -> str:
        """Return the body of a sum of products of %x0 and %x1."""
        return self._with_extended(2, self._multiplied, f"arith.add{self.suffix}", "%p")

    def sum(self) -> str:
        return self._with_extended(1, _nothing, f"arith.add{self.suffix}", None)

    def max_product(self) -> str:
        """Return the body of a maximum of products of %x0 and %x1."""
        return self._with_extended(2, self._multiplied, self.maximum, "%p")

    def max(self) -> str:
        return self._with_extended(1, _nothing, self.maximum, None)

    def _multiplied(self, names: Sequence[str]) -> str:
        return f"%p = arith.mul{self.suffix} {', '.join(names)} : {self.result}"

    def _with_extended(
        self, count: int, middle: Callable[[Sequence[str]], str], combiner: str, value: str | None
    ) -> str:
        names = [f"%x{i}" for i in range(count)]
        lines: list[str] = []
        if self.source != self.result:
            lines += [self.extend(name, f"%w{i}") for i, name in enumerate(names)]
            names = [f"%w{i}" for i in range(count)]
        lines.append(middle(names))
        lines.append(f"%r = {combiner} %acc, {value or names[0]} : {self.result}")
        return "\n    ".join(line for line in lines if line)


def generic(
    extents: Sequence[int],
    maps: Sequence[str],
    body: str,
    types: Sequence[str],
    start: str | None,
    shapes: Sequence[Sequence[int]] | None = None,
) -> str:
    """Return a function @f of one linalg.generic.

    Args:
        extents: Of the loops a, b, c, ...
        maps: Index functions of each operand ("a, 2 * b + c"), the output's last.
        body: Text of the region over %x0, %x1, ... and %acc; it defines %r.
        types: Element type of each operand, the output's last.
        start: What the output is filled with; None leaves it empty.
        shapes: Shapes of the operands; by the extents where maps are loops only.
    """
    loops = DIMS[: len(extents)]
    if shapes is None:
        shapes = [[extents[loops.index(d)] for d in m.replace(",", "").replace(" ", "")] for m in maps]
    *ins, out = [tensor(shape, kind) for shape, kind in zip(shapes, types, strict=True)]
    affine = ", ".join(f"affine_map<({','.join(loops)}) -> ({m})>" for m in maps)
    outer = [d for d in loops if d in maps[-1]]
    kinds = ", ".join('"parallel"' if d in outer else '"reduction"' for d in loops)
    names = [f"%in{i}" for i in range(len(ins))]
    fill = (
        f"%s = arith.constant {start} : {types[-1]}\n  %i = linalg.fill ins(%s : {types[-1]}) outs(%e : {out}) -> {out}"
        if start is not None
        else ""
    )
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, ins, strict=True))
    block = ", ".join([*(f"%x{i}: {t}" for i, t in enumerate(types[:-1])), f"%acc: {types[-1]}"])
    return f"""func.func @f({arguments}) -> {out} {{
  %e = tensor.empty() : {out}
  {fill}
  %g = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      ins({", ".join(names)} : {", ".join(ins)}) outs({"%i" if start is not None else "%e"} : {out}) {{
  ^bb0({block}):
    {body}
    linalg.yield %r : {types[-1]}
  }} -> {out}
  return %g : {out}
}}
"""


def matmul(t: Typed, m: int, n: int, k: int) -> str:
    return generic((m, n, k), ("a, c", "c, b", "a, b"), t.product(), (t.source, t.source, t.result), t.zero)


def largest_product(t: Typed, m: int, n: int, k: int) -> str:
    """A matmul whose sum is a maximum."""
    return generic((m, n, k), ("a, c", "c, b", "a, b"), t.max_product(), (t.source, t.source, t.result), t.lowest)


def named_matmul(t: Typed, m: int, n: int, k: int) -> str:
    a, b, c = tensor((m, k), t.source), tensor((k, n), t.source), tensor((m, n), t.result)
    return f"""func.func @f(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant {t.zero} : {t.result}
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : {t.result}) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %r : {c}
}}
"""


def batch_matmul(t: Typed) -> str:
    maps = ("a, b, d", "a, d, c", "a, b, c")
    return generic((3, 21, 35, 18), maps, t.product(), (t.source, t.source, t.result), t.zero)


def conv_nhwc(t: Typed, stride: int = 2) -> str:
    """N1 H9 W11 C5 -> 6 features, a window of 3x3."""
    n, oh, ow, f, kh, kw, c = 1, 9, 7, 12, 3, 3, 5
    maps = (f"a, {stride} * b + e, {stride} * c + f, g", "e, f, g, d", "a, b, c, d")
    shapes = [
        (n, stride * (oh - 1) + kh, stride * (ow - 1) + kw, c),
        (kh, kw, c, f),
        (n, oh, ow, f),
    ]
    return generic((n, oh, ow, f, kh, kw, c), maps, t.product(), (t.source, t.source, t.result), t.zero, shapes=shapes)


def max_pool(t: Typed) -> str:
    maps = ("a, 2 * b + d, c", "d", "a, b, c")
    shapes = [(3, 2 * 17 + 1, 13), (3,), (3, 17, 13)]
    return generic((3, 17, 13, 3), maps, t.max(), (t.source, "f32", t.result), t.lowest, shapes=shapes)


def padded_max_pool(t: Typed) -> str:
    """A window of 3 and a stride of 2 over a row that is padded with the lowest number."""
    x, p, r = tensor((5, 27), t.source), tensor((5, 29), t.source), tensor((5, 14), t.result)
    low = Typed(t.source, t.source).lowest
    return f"""func.func @f(%x: {x}, %w: tensor<3xf32>) -> {r} {{
  %low = arith.constant {low} : {t.source}
  %p = tensor.pad %x low[0, 1] high[0, 1] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %low : {t.source}
  }} : {x} to {p}
  %s = arith.constant {t.lowest} : {t.result}
  %e = tensor.empty() : {r}
  %i = linalg.fill ins(%s : {t.result}) outs(%e : {r}) -> {r}
  %g = linalg.generic {{indexing_maps = [affine_map<(a, b, c) -> (a, 2 * b + c)>, affine_map<(a, b, c) -> (c)>,
      affine_map<(a, b, c) -> (a, b)>], iterator_types = ["parallel", "parallel", "reduction"]}}
      ins(%p, %w : {p}, tensor<3xf32>) outs(%i : {r}) {{
  ^bb0(%x0: {t.source}, %x1: f32, %acc: {t.result}):
    {t.max()}
    linalg.yield %r : {t.result}
  }} -> {r}
  return %g : {r}
}}
"""


def pad(t: Typed) -> str:
    """A padding that is a program of its own."""
    x, p = tensor((7, 13), t.source), tensor((9, 20), t.source)
    return f"""func.func @f(%x: {x}) -> {p} {{
  %v = arith.constant {Typed(t.source, t.source).one} : {t.source}
  %p = tensor.pad %x low[1, 3] high[1, 4] {{
  ^bb0(%i: index, %j: index):
    tensor.yield %v : {t.source}
  }} : {x} to {p}
  return %p : {p}
}}
"""


def element_wise(t: Typed) -> str:
    """A row and a column broadcast over a matrix."""
    kind = t.result
    op = t.suffix
    body = f"%p = arith.mul{op} %x0, %x1 : {kind}\n    %r = arith.add{op} %p, %x2 : {kind}"
    return generic((19, 70), ("a, b", "b", "a", "a, b"), body, (kind,) * 4, None)


def transpose(t: Typed) -> str:
    a, b = tensor((37, 66), t.source), tensor((66, 37), t.source)
    return f"""func.func @f(%x: {a}) -> {b} {{
  %e = tensor.empty() : {b}
  %t = linalg.transpose ins(%x : {a}) outs(%e : {b}) permutation = [1, 0]
  return %t : {b}
}}
"""


def reduction(t: Typed, extents: Sequence[int], kept: str, kind: str = "sum") -> str:
    loops = ", ".join(DIMS[: len(extents)])
    body, start = (t.sum(), t.zero) if kind == "sum" else (t.max(), t.lowest)
    return generic(extents, (loops, ", ".join(kept)), body, (t.source, t.result), start)


def programs(t: Typed) -> dict[str, str]:
    """Return the operator classes in a type."""
    return {
        "matmul": matmul(t, 37, 53, 70),
        "aligned matmul": named_matmul(t, 64, 64, 64),
        "batch matmul": batch_matmul(t),
        "strided convolution": conv_nhwc(t),
        "max pooling": max_pool(t),
        "padded max pooling": padded_max_pool(t),
        "row sum": reduction(t, (19, 300), "a"),
        "row maximum": reduction(t, (7, 1000), "a", "max"),
        "column sum": reduction(t, (300, 20), "b"),
        "sum of all": reduction(t, (3, 5, 67), ""),
        "maximum of all": reduction(t, (129, 31), "", "max"),
        "element-wise": element_wise(t),
        "transpose": transpose(t),
        "padding": pad(t),
    }
