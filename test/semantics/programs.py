# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of linalg ops as text: the shapes and forms on which every device must agree with numpy."""

from collections.abc import Sequence

DIMS = "abcdefgh"


def tensor(shape: Sequence[int], element: str = "f32") -> str:
    """Return a tensor type.

    >>> tensor((2, 3))
    'tensor<2x3xf32>'
    """
    return f"tensor<{''.join(f'{extent}x' for extent in shape)}{element}>"


def generic(
    extents: Sequence[int], maps: Sequence[str], body: str, *, start: str | None = "0.0", name: str = "f"
) -> str:
    """Return a function of one linalg.generic; the last map is the output's.

    Args:
        extents: Of the loops a, b, c, ...
        maps: Loops of each operand ("ab"), the output's last.
        body: Text of the region over %x0, %x1, ... and %acc; it defines %r.
        start: What the output is filled with; None leaves it empty.
        name: Of the function.
    """
    loops = DIMS[: len(extents)]
    shapes = [tuple(extents[loops.index(d)] for d in m) for m in maps]
    *ins, out = [tensor(shape) for shape in shapes]
    affine = ", ".join(f"affine_map<({','.join(loops)}) -> ({','.join(m)})>" for m in maps)
    kinds = ", ".join('"parallel"' if d in maps[-1] else '"reduction"' for d in loops)
    names = [f"%in{i}" for i in range(len(ins))]
    fill = (
        f"%s = arith.constant {start} : f32\n  %i = linalg.fill ins(%s : f32) outs(%e : {out}) -> {out}"
        if start is not None
        else ""
    )
    return f"""func.func @{name}({", ".join(f"{n}: {t}" for n, t in zip(names, ins, strict=True))}) -> {out} {{
  %e = tensor.empty() : {out}
  {fill}
  %g = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{kinds}]}}
      ins({", ".join(names)} : {", ".join(ins)}) outs({"%i" if start is not None else "%e"} : {out}) {{
  ^bb0({", ".join(f"%x{i}: f32" for i in range(len(ins)))}, %acc: f32):
    {body}
    linalg.yield %r : f32
  }} -> {out}
  return %g : {out}
}}
"""


PRODUCT = "%p = arith.mulf %x0, %x1 : f32\n    %r = arith.addf %acc, %p : f32"
SUM = "%r = arith.addf %acc, %x0 : f32"
MAX = "%r = arith.maximumf %acc, %x0 : f32"


def matmul(m: int, n: int, k: int) -> str:
    """Return linalg.matmul of m x k and k x n."""
    a, b, c = tensor((m, k)), tensor((k, n)), tensor((m, n))
    return f"""func.func @matmul(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : f32) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %r : {c}
}}
"""


def mean(extents: Sequence[int], kept: str) -> str:
    """Return a mean over all loops but `kept`: a sum, then a multiplication by a power of two or its like."""
    loops = DIMS[: len(extents)]
    count = 1
    for d, extent in zip(loops, extents, strict=True):
        count *= 1 if d in kept else extent
    whole, out = tensor(extents), tensor([extents[loops.index(d)] for d in kept])
    space = f"({','.join(loops)})"
    outer = f"({','.join(kept)})"
    kinds = ", ".join('"parallel"' if d in kept else '"reduction"' for d in loops)
    return f"""func.func @mean(%x: {whole}) -> {out} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {out}
  %i = linalg.fill ins(%zero : f32) outs(%e : {out}) -> {out}
  %s = linalg.generic {{indexing_maps = [affine_map<{space} -> {space}>, affine_map<{space} -> {outer}>],
      iterator_types = [{kinds}]}} ins(%x : {whole}) outs(%i : {out}) {{
  ^bb0(%v: f32, %acc: f32):
    %r = arith.addf %acc, %v : f32
    linalg.yield %r : f32
  }} -> {out}
  %m = linalg.generic {{indexing_maps = [affine_map<{outer} -> {outer}>, affine_map<{outer} -> {outer}>],
      iterator_types = [{", ".join('"parallel"' for _ in kept)}]}} ins(%s : {out}) outs(%e : {out}) {{
  ^bb0(%v: f32, %o: f32):
    %n = arith.constant {1.0 / count:e} : f32
    %r = arith.mulf %v, %n : f32
    linalg.yield %r : f32
  }} -> {out}
  return %m : {out}
}}
"""


MLP = """
#mk = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @mlp(%x: tensor<19x40xf32>, %w1: tensor<40x33xf32>, %b1: tensor<33xf32>, %w2: tensor<33x10xf32>,
               %b2: tensor<10xf32>) -> (tensor<19x10xf32>, tensor<19x33xf32>) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<19x33xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<19x33xf32>) -> tensor<19x33xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<19x40xf32>, tensor<40x33xf32>)
      outs(%i1 : tensor<19x33xf32>) -> tensor<19x33xf32>
  %r = linalg.generic {indexing_maps = [#mk, #row, #mk], iterator_types = ["parallel", "parallel"]}
      ins(%h, %b1 : tensor<19x33xf32>, tensor<33xf32>) outs(%e1 : tensor<19x33xf32>) {
  ^bb0(%v: f32, %b: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %s = arith.addf %v, %b : f32
    %m = arith.maximumf %s, %z : f32
    linalg.yield %m : f32
  } -> tensor<19x33xf32>
  %e2 = tensor.empty() : tensor<19x10xf32>
  %wide = linalg.broadcast ins(%b2 : tensor<10xf32>) outs(%e2 : tensor<19x10xf32>) dimensions = [0]
  %y = linalg.matmul ins(%r, %w2 : tensor<19x33xf32>, tensor<33x10xf32>)
      outs(%wide : tensor<19x10xf32>) -> tensor<19x10xf32>
  return %y, %r : tensor<19x10xf32>, tensor<19x33xf32>
}
"""

CHAIN = """
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
#j = affine_map<(i, j) -> (j)>
func.func @chain(%x: tensor<18x35xf32>, %scale: tensor<35xf32>, %shift: tensor<18xf32>) -> tensor<35x18xf32> {
  %e = tensor.empty() : tensor<18x35xf32>
  %s = linalg.generic {indexing_maps = [#ij, #j, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %scale, %shift : tensor<18x35xf32>, tensor<35xf32>, tensor<18xf32>) outs(%e : tensor<18x35xf32>) {
  ^bb0(%v: f32, %a: f32, %b: f32, %o: f32):
    %p = arith.mulf %v, %a : f32
    %q = arith.addf %p, %b : f32
    linalg.yield %q : f32
  } -> tensor<18x35xf32>
  %t0 = tensor.empty() : tensor<35x18xf32>
  %t = linalg.transpose ins(%s : tensor<18x35xf32>) outs(%t0 : tensor<35x18xf32>) permutation = [1, 0]
  %y = linalg.map { arith.subf } ins(%t, %t : tensor<35x18xf32>, tensor<35x18xf32>) outs(%t0 : tensor<35x18xf32>)
  %z = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%t, %y : tensor<35x18xf32>, tensor<35x18xf32>) outs(%t0 : tensor<35x18xf32>) {
  ^bb0(%v: f32, %w: f32, %o: f32):
    %c = arith.cmpf ogt, %v, %w : f32
    %n = arith.negf %v : f32
    %r = arith.select %c, %v, %n : f32
    linalg.yield %r : f32
  } -> tensor<35x18xf32>
  return %z : tensor<35x18xf32>
}
"""

VIEWS = """
func.func @views(%x: tensor<6x20xf32>, %w: tensor<4x5x3xf32>) -> (tensor<2x9xf32>, tensor<6x20xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %flat = tensor.collapse_shape %w [[0, 1], [2]] : tensor<4x5x3xf32> into tensor<20x3xf32>
  %e = tensor.empty() : tensor<6x3xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<6x3xf32>) -> tensor<6x3xf32>
  %r = linalg.matmul ins(%x, %flat : tensor<6x20xf32>, tensor<20x3xf32>) outs(%i : tensor<6x3xf32>) -> tensor<6x3xf32>
  %split = tensor.expand_shape %r [[0, 1], [2]] output_shape [2, 3, 3] : tensor<6x3xf32> into tensor<2x3x3xf32>
  %y = tensor.collapse_shape %split [[0], [1, 2]] : tensor<2x3x3xf32> into tensor<2x9xf32>
  %weights = arith.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %d = linalg.map { arith.mulf } ins(%weights, %weights : tensor<3xf32>, tensor<3xf32>) outs(%e3 : tensor<3xf32>)
  return %y, %x, %d : tensor<2x9xf32>, tensor<6x20xf32>, tensor<3xf32>
}
"""

PROGRAMS: dict[str, str] = {
    "matmul 1x1x1": matmul(1, 1, 1),
    "matmul 1x512x129": matmul(1, 512, 129),
    "matmul 7x7x7": matmul(7, 7, 7),
    "matmul 37x211x53": matmul(37, 211, 53),
    "matmul 127x131x61": matmul(127, 131, 61),
    "matmul 256x256x256": matmul(256, 256, 256),
    "transposed A": generic((33, 40, 29), ("ca", "cb", "ab"), PRODUCT),
    "transposed B": generic((33, 40, 29), ("ac", "bc", "ab"), PRODUCT),
    "transposed A and B": generic((64, 32, 48), ("ca", "bc", "ab"), PRODUCT),
    "transposed result": generic((33, 40, 29), ("ac", "cb", "ba"), PRODUCT),
    "batch": generic((5, 20, 17, 31), ("abd", "adc", "abc"), PRODUCT),
    "batch innermost": generic((5, 20, 17, 31), ("bda", "dca", "bca"), PRODUCT),
    "two ragged reductions without a neutral pad": generic(
        (7, 48),
        ("ba", ""),
        "%one = arith.constant 1.0 : f32\n    %p = arith.addf %x0, %one : f32\n    %r = arith.addf %acc, %p : f32",
    ),
    "maximum whose pad would be no number": generic(
        (7, 7), ("ab", "b"), "%z = arith.constant 0.0 : f32\n    %p = arith.mulf %x0, %z : f32\n"
        "    %q = arith.maximumf %x0, %p : f32\n    %r = arith.maximumf %q, %acc : f32", start="0xFF800000"
    ),
    "trace of each matrix": generic((3, 5, 9), ("abcc", "ab"), SUM),
    "diagonal of each matrix": generic((3, 5, 9), ("abcc", "abc"), "%r = arith.negf %x0 : f32", start=None),
    "output that no input depends on": generic((4, 6), ("a", "b"), SUM),
    "six dimensions": generic((3, 5, 6, 4, 2, 7), ("aedb", "cfeb", "adfc"), PRODUCT),
    "matrix times vector": generic((97, 130), ("ab", "b", "a"), PRODUCT),
    "vector times matrix": generic((97, 130), ("b", "ba", "a"), PRODUCT),
    "outer product": generic((50, 33), ("a", "b", "ab"), PRODUCT),
    "inner product": generic((1000,), ("a", "a", ""), PRODUCT),
    "three factors": generic(
        (12, 13, 14), ("ac", "c", "cb", "ab"),
        "%p = arith.mulf %x0, %x1 : f32\n    %q = arith.mulf %p, %x2 : f32\n    %r = arith.addf %acc, %q : f32",
    ),
    "sum of the last axis": generic((20, 300), ("ab", "a"), SUM),
    "sum of the middle axis": generic((6, 70, 19), ("abc", "ac"), SUM),
    "sum of the first axis": generic((130, 37), ("ab", "b"), SUM),
    "sum of all axes": generic((7, 30, 11), ("abc", ""), SUM),
    "maximum of the last axis": generic((20, 301), ("ab", "a"), MAX, start="0xFF800000"),
    "maximum of the middle axis": generic((6, 70, 19), ("abc", "ac"), MAX, start="0xFF800000"),
    "maximum of all axes": generic((7, 30, 11), ("abc", ""), MAX, start="0xFF800000"),
    "sum of absolute values": generic(
        (20, 65), ("ab", "a"), "%v = math.absf %x0 : f32\n    %r = arith.addf %acc, %v : f32"
    ),
    "mean of the last axis": mean((10, 64), "a"),
    "mean of the middle axis": mean((6, 32, 9), "ac"),
    "mean of the first two axes": mean((8, 16, 9), "c"),
    "transpose": generic((45, 70), ("ba", "ab"), "%r = arith.addf %x0, %x0 : f32", start=None),
    "scalar broadcast": generic((45, 7), ("ab", "", "ab"), "%r = arith.mulf %x0, %x1 : f32", start=None),
    "element-wise chain": CHAIN,
    "two-layer perceptron": MLP,
    "views and constants": VIEWS,
}  # fmt: skip
