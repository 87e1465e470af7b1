# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products and convolutions for matrix units, as text: odd extents, depths, maps, slices, and ops around them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..programs import tensor

WIDEN = {"f": "arith.extf", "b": "arith.extf", "i": "arith.extsi"}


@dataclass(frozen=True)
class Types:
    """Element types of a product.

    Attributes:
        factor: Of the factors.
        result: Of the sums and the result.
    """

    factor: str
    result: str

    @property
    def suffix(self) -> str:
        """The last letter of operations on results."""
        return "i" if self.result.startswith("i") else "f"

    @property
    def zero(self) -> str:
        """The literal of 0 in results."""
        return "0" if self.suffix == "i" else "0.0"


F16, BF16, I8 = Types("f16", "f32"), Types("bf16", "f32"), Types("i8", "i32")


def product(
    t: Types,
    sizes: Mapping[str, int],
    maps: Sequence[str],
    *,
    start: str | None = "0",
    shapes: Sequence[Sequence[int]] = (),
    before: str = "",
    behind: str = "",
    more: Sequence[str] = (),
    results: Sequence[str] = (),
) -> str:
    """Return a function of a product of %a and %b, with text before and behind.

    Args:
        t: Types.
        sizes: Extents of the loops by letter, in loop order; reductions are what the result's map lacks.
        maps: Of the factors and the result: "mk", "k n+2r" and the like, dimensions of several letters in brackets:
            "[y+r]c".
        start: What sums start from: a number, or None for an argument %c.
        shapes: Of the arguments %a and %b, where `before` makes factors of them that are called %x and %y.
        before: Ops that make %x and %y of %a and %b.
        behind: Ops that make the results of %p.
        more: Further arguments, "%bias: tensor<8xf32>".
        results: Names and types of the results, "%r: tensor<8xf32>"; the product by default.
    """
    loops = list(sizes)
    dims = [_dimensions(one) for one in maps]
    own = [[_extent(dim, sizes) for dim in one] for one in dims]
    factors = [tensor(shape, t.factor) for shape in own[:2]]
    out = tensor(own[2], t.result)
    given = [tensor(shape, t.factor) for shape in shapes] or factors
    names = ("%x", "%y") if before else ("%a", "%b")
    affine = ", ".join(f"affine_map<({', '.join(loops)}) -> ({', '.join(one)})>" for one in dims)
    kinds = ", ".join('"parallel"' if letter in maps[2] else '"reduction"' for letter in loops)
    arguments = [f"%a: {given[0]}", f"%b: {given[1]}", *([] if start is not None else [f"%c: {out}"]), *more]
    results = results or [f"%p: {out}"]
    kind, op = t.result, t.suffix
    begin = "" if start is None else f"%z = arith.constant {start}{'.0' if op == 'f' else ''} : {kind}"
    fill = "" if start is None else f"%e = tensor.empty() : {out}\n  %s = linalg.fill ins(%z : {kind}) outs(%e : {out})"
    wide = ["%u", "%v"] if t.factor == kind else ["%uw", "%vw"]
    casts = [f"{w} = {WIDEN[t.factor[0]]} {n} : {t.factor} to {kind}" for w, n in zip(wide, ("%u", "%v"), strict=True)]
    body = "\n    ".join([] if t.factor == kind else casts)
    values = [one.split(": ", 1) for one in results]
    return f"""func.func @f({", ".join(arguments)}) -> ({", ".join(kind for _, kind in values)}) {{
  {begin}
  {fill}{f" -> {out}" if fill else ""}
  {before}
  %p = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      ins({", ".join(names)} : {", ".join(factors)}) outs({"%c" if start is None else "%s"} : {out}) {{
  ^bb0(%u: {t.factor}, %v: {t.factor}, %acc: {kind}):
    {body}
    %q = arith.mul{op} {wide[0]}, {wide[1]} : {kind}
    %sum = arith.add{op} %acc, %q : {kind}
    linalg.yield %sum : {kind}
  }} -> {out}
  {behind}
  return {", ".join(name for name, _ in values)} : {", ".join(kind for _, kind in values)}
}}
"""


def element_wise(name: str, inputs: Sequence[tuple[str, str, str]], out: tuple[str, str], body: str) -> str:
    """Return an element-wise op over rows and columns.

    Args:
        name: Of its result.
        inputs: Per operand its name, type and map ("mn", "n").
        out: Type of the result, and its element type.
        body: Text over %u0, %u1, ...; it defines %w.
    """
    kinds = [kind.removesuffix(">").rsplit("x", 1)[1] for _, kind, _ in inputs]
    maps = ", ".join(f"affine_map<(m, n) -> ({', '.join(one)})>" for one in (*[m for _, _, m in inputs], "mn"))
    arguments = ", ".join(f"%u{i}: {kind}" for i, kind in enumerate(kinds))
    return f"""%{name}_e = tensor.empty() : {out[0]}
  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
      ins({", ".join(n for n, _, _ in inputs)} : {", ".join(kind for _, kind, _ in inputs)})
      outs(%{name}_e : {out[0]}) {{
  ^bb0({arguments}, %o: {out[1]}):
    {body}
    linalg.yield %w : {out[1]}
  }} -> {out[0]}"""


def _dimensions(text: str) -> list[str]:
    found: list[str] = []
    while text:
        if text.startswith("["):
            inside, text = text[1:].split("]", 1)
            found.append(inside.replace("+", " + "))
        else:
            found.append(text[0])
            text = text[1:]
    return found


def _extent(dimension: str, sizes: Mapping[str, int]) -> int:
    """Return the extent of a dimension that is indexed by `2 * y + r` and the like."""
    extent = 1
    for part in dimension.split(" + "):
        factor, _, letter = part.rpartition("*")
        extent += (int(factor) if factor else 1) * (sizes[letter.strip()] - 1)
    return extent


def plain_programs(t: Types) -> dict[str, str]:
    """Return products alone: extents, maps, batches, windows, starts."""
    square = {"m": 64, "n": 48, "k": 80}
    window = {"b": 2, "y": 9, "x": 11, "f": 20, "r": 3, "s": 3, "c": 24}
    return {
        "odd everything": product(t, {"m": 65, "n": 33, "k": 67}, ("mk", "kn", "mn")),
        "depth 1": product(t, {"m": 64, "n": 48, "k": 1}, ("mk", "kn", "mn")),
        "depth 7": product(t, {"m": 17, "n": 129, "k": 7}, ("mk", "kn", "mn")),
        "depth 200": product(t, {"m": 63, "n": 15, "k": 200}, ("mk", "kn", "mn")),
        "one row": product(t, {"m": 1, "n": 200, "k": 129}, ("mk", "kn", "mn")),
        "first transposed": product(t, square, ("km", "kn", "mn")),
        "second transposed": product(t, square, ("mk", "nk", "mn")),
        "both transposed, odd": product(t, {"m": 37, "n": 41, "k": 39}, ("km", "nk", "mn")),
        "result transposed": product(t, square, ("mk", "kn", "nm")),
        "batch": product(t, {"b": 3, "m": 33, "n": 31, "k": 40}, ("bmk", "bkn", "bmn")),
        "five dimensions": product(t, {"p": 3, "m": 17, "q": 2, "n": 24, "k": 32}, ("pmk", "kqn", "pmqn")),
        "two depths": product(t, {"m": 40, "n": 24, "k": 20, "l": 8}, ("kml", "lkn", "mn")),
        "divided over tasks": product(t, {"m": 16, "n": 24, "k": 4096}, ("mk", "kn", "mn")),
        "onto an argument": product(t, square, ("mk", "kn", "mn"), start=None),
        "from 3": product(t, square, ("mk", "kn", "mn"), start="3"),
        "convolution": product(t, window, ("b[y+r][x+s]c", "rscf", "byxf")),
        "strides, channels first": product(t, window, ("bc[2*y+r][2*x+s]", "fcrs", "bfyx")),
        "dilation": product(t, window | {"r": 2, "s": 2}, ("b[y+2*r][x+2*s]c", "rscf", "byxf")),
        "unaligned rows": product(
            t, {"m": 40, "n": 32, "k": 48}, ("mk", "kn", "mn"), shapes=((41, 51), (48, 35)),
            before=f"%x = tensor.extract_slice %a[1, 3] [40, 48] [1, 1] : {tensor((41, 51), t.factor)} to "
            f"{tensor((40, 48), t.factor)}\n  %y = tensor.extract_slice %b[0, 2] [48, 32] [1, 1] : "
            f"{tensor((48, 35), t.factor)} to {tensor((48, 32), t.factor)}",
        ),
        "depth within longer rows": product(
            t, {"m": 40, "n": 32, "k": 20}, ("mk", "nk", "mn"), shapes=((40, 64), (32, 64)),
            before=f"%x = tensor.extract_slice %a[0, 8] [40, 20] [1, 1] : {tensor((40, 64), t.factor)} to "
            f"{tensor((40, 20), t.factor)}\n  %y = tensor.extract_slice %b[0, 0] [32, 20] [1, 1] : "
            f"{tensor((32, 64), t.factor)} to {tensor((32, 20), t.factor)}",
        ),
        "padded by 2": product(
            t, {"m": 32, "n": 24, "k": 40}, ("mk", "kn", "mn"), shapes=((32, 37), (40, 24)),
            before=f"%two = arith.constant 2{'.0' if t.suffix == 'f' else ''} : {t.factor}\n"
            "  %x = tensor.pad %a low[0, 1] high[0, 2] {\n  ^bb0(%i: index, %j: index):\n"
            f"    tensor.yield %two : {t.factor}\n  }} : {tensor((32, 37), t.factor)} to {tensor((32, 40), t.factor)}\n"
            f"  %y = tensor.cast %b : {tensor((40, 24), t.factor)} to {tensor((40, 24), t.factor)}",
        ),
    }  # fmt: skip


def joined_programs(t: Types) -> dict[str, str]:
    """Return products with ops before and behind them."""
    m, n, k = 48, 72, 96
    sizes, maps = {"m": m, "n": n, "k": k}, ("mk", "kn", "mn")
    out, narrow, wide = tensor((m, n), t.result), tensor((m, n), t.factor), t.result
    bias, op, factor = tensor((n,), wide), t.suffix, t.factor
    zero = f"%zero = arith.constant {t.zero} : {wide}"
    relu = f"{zero}\n    %w = arith.max{'si' if op == 'i' else 'imumf'} %v1, %zero : {wide}"
    biased = [("%p", out, "mn"), ("%bias", bias, "n")]
    plus = f"%v1 = arith.add{op} %u0, %u1 : {wide}"
    to_factor = f"arith.trunc{op} %v1 : {wide} to {factor}"
    widened = f"{WIDEN[factor[0]]} %u1 : {factor} to {wide}"
    residual = f"%r1 = {widened}\n    %w = arith.add{op} %u0, %r1 : {wide}"
    found = {
        "bias and relu": product(
            t, sizes, maps, more=[f"%bias: {bias}"],
            behind=element_wise("r", biased, (out, wide), f"{plus}\n    {relu}"),
            results=[f"%r: {out}"],
        ),
        "bias, in the factors' type": product(
            t, sizes, maps, more=[f"%bias: {bias}"],
            behind=element_wise("r", biased, (narrow, factor), f"{plus}\n    %w = {to_factor}"),
            results=[f"%r: {narrow}"],
        ),
        "residual of the factors' type": product(
            t, sizes, maps, more=[f"%old: {narrow}"],
            behind=element_wise("r", [("%p", out, "mn"), ("%old", narrow, "mn")], (out, wide), residual),
            results=[f"%r: {out}"],
        ),
        "two readers": product(
            t, sizes, maps, more=[f"%bias: {bias}"],
            behind=element_wise("r", biased, (out, wide), f"{plus}\n    {relu}") + "\n  "
            + element_wise("t", [("%p", out, "mn")], (out, wide), f"%w = arith.mul{op} %u0, %u0 : {wide}"),
            results=[f"%r: {out}", f"%t: {out}"],
        ),
        "relu before": product(
            t, sizes, maps, shapes=((m, k), (k, n)),
            before=element_wise(
                "x", [("%a", tensor((m, k), factor), "mn")], (tensor((m, k), factor), factor),
                f"%zero = arith.constant {t.zero} : {factor}\n    %w = arith.max{'si' if op == 'i' else 'imumf'} %u0, "
                f"%zero : {factor}",
            ) + f"\n  %y = tensor.cast %b : {tensor((k, n), factor)} to {tensor((k, n), factor)}",
        ),
    }  # fmt: skip
    if op == "f":
        gelu = (
            "%h = arith.constant 0.5 : f32\n    %s2 = arith.constant 0.70710678 : f32\n    %one = arith.constant 1.0 : "
            "f32\n    %x2 = arith.mulf %u0, %s2 : f32\n    %er = math.erf %x2 : f32\n    %g1 = arith.addf %er, %one : "
            "f32\n    %g2 = arith.mulf %u0, %h : f32\n    %w = arith.mulf %g1, %g2 : f32"
        )
        found["gelu"] = product(
            t, sizes, maps, behind=element_wise("r", [("%p", out, "mn")], (out, wide), gelu), results=[f"%r: {out}"]
        )
    return found
