# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models as linalg, with inputs and what numpy gives for them."""

from typing import Any, TypeAlias

import numpy as np

Array: TypeAlias = "np.ndarray[Any, Any]"
Model: TypeAlias = tuple[str, list[Array], list[Array], float]
"""Text, inputs, results, and how far f32 may be off; 0 where all numbers are small integers."""

ZERO = "  %zero = arith.constant 0.0 : f32"


def matmul(result: str, a: str, b: str, m: int, k: int, n: int) -> str:
    """Return a product of two named values that starts from zeros."""
    return f"""
  %e_{result} = tensor.empty() : tensor<{m}x{n}xf32>
  %f_{result} = linalg.fill ins(%zero : f32) outs(%e_{result} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %{result} = linalg.matmul ins(%{a}, %{b} : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
    outs(%f_{result} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>"""


def pointwise(result: str, names: list[str], m: int, n: int, body: str) -> str:
    """Return an element-wise op on named matrices, whose body makes %y of %x0, %x1 and so on."""
    kind = f"tensor<{m}x{n}xf32>"
    maps = ", ".join(["affine_map<(d0, d1) -> (d0, d1)>"] * (len(names) + 1))
    values, kinds = ", ".join(f"%{name}" for name in names), ", ".join([kind] * len(names))
    arguments = ", ".join([*(f"%x{i}: f32" for i in range(len(names))), "%o: f32"])
    return f"""
  %e_{result} = tensor.empty() : {kind}
  %{result} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
    ins({values} : {kinds}) outs(%e_{result} : {kind}) {{
  ^bb0({arguments}):
    {body}
    linalg.yield %y : f32
  }} -> {kind}"""


def mlp() -> Model:
    """Return two layers, one product each."""
    sizes = ((64, 96), (96, 128), (128, 80))
    arguments = ", ".join(f"%{name}: tensor<{m}x{n}xf32>" for name, (m, n) in zip("xwv", sizes, strict=True))
    body = ZERO + matmul("h", "x", "w", 64, 96, 128) + matmul("y", "h", "v", 64, 128, 80)
    text = f"func.func @mlp({arguments}) -> tensor<64x80xf32> {{\n{body}\n  return %y : tensor<64x80xf32>\n}}"
    rng = np.random.default_rng(1)
    x, w, v = inputs = [rng.integers(-4, 5, shape).astype(np.float32) for shape in sizes]
    return text, inputs, [x @ w @ v], 0.0


def branches() -> Model:
    """Return four branches of two products each, of different widths, and their sum."""
    widths = (16, 32, 48, 80)
    arguments, body = ["%x: tensor<32x48xf32>"], ZERO
    for i, k in enumerate(widths):
        arguments += [f"%w{i}: tensor<48x{k}xf32>", f"%v{i}: tensor<{k}x40xf32>"]
        body += matmul(f"h{i}", "x", f"w{i}", 32, 48, k) + matmul(f"p{i}", f"h{i}", f"v{i}", 32, k, 40)
    sums = "%a = arith.addf %x0, %x1 : f32\n %b = arith.addf %a, %x2 : f32\n %y = arith.addf %b, %x3 : f32"
    body += pointwise("y", ["p0", "p1", "p2", "p3"], 32, 40, sums)
    text = f"func.func @f({', '.join(arguments)}) -> tensor<32x40xf32> {{\n{body}\n  return %y : tensor<32x40xf32>\n}}"
    rng = np.random.default_rng(2)
    x = rng.integers(-2, 3, (32, 48)).astype(np.float32)
    weights = [rng.integers(-2, 3, shape).astype(np.float32) for k in widths for shape in ((48, k), (k, 40))]
    return text, [x, *weights], [sum(x @ weights[2 * i] @ weights[2 * i + 1] for i in range(4))], 0.0


def lstm(steps: int = 4, layers: int = 3, hidden: int = 32) -> Model:
    """Return an LSTM of so many cells, whose layers share their weights over the steps."""
    rng = np.random.default_rng(3)
    batch, gates = 2, 4 * hidden
    arguments = [f"%x: tensor<{steps}x{batch}x{hidden}xf32>"]
    inputs = [(rng.standard_normal((steps, batch, hidden)) * 0.5).astype(np.float32)]
    for layer in range(layers):
        arguments += [f"%w{layer}: tensor<{hidden}x{gates}xf32>", f"%u{layer}: tensor<{hidden}x{gates}xf32>"]
        arguments += [f"%h_{layer}: tensor<{batch}x{hidden}xf32>", f"%c_{layer}: tensor<{batch}x{hidden}xf32>"]
        inputs += [(rng.standard_normal((hidden, gates)) * 0.2).astype(np.float32) for _ in range(2)]
        inputs += [(rng.standard_normal((batch, hidden)) * 0.2).astype(np.float32) for _ in range(2)]
    body = ZERO + "\n  %one = arith.constant 1.0 : f32"
    h, c = [f"h_{layer}" for layer in range(layers)], [f"c_{layer}" for layer in range(layers)]

    def sigmoid(value: str, name: str) -> str:
        return (
            f"%n{name} = arith.negf {value} : f32\n %e{name} = math.exp %n{name} : f32\n"
            f" %d{name} = arith.addf %e{name}, %one : f32\n %s{name} = arith.divf %one, %d{name} : f32\n"
        )

    for step in range(steps):
        below = f"x_{step}"
        body += f"""
  %{below} = tensor.extract_slice %x[{step}, 0, 0] [1, {batch}, {hidden}] [1, 1, 1]
    : tensor<{steps}x{batch}x{hidden}xf32> to tensor<{batch}x{hidden}xf32>"""
        for layer in range(layers):
            at = f"{step}_{layer}"
            body += matmul(f"p{at}", below, f"w{layer}", batch, hidden, gates)
            body += matmul(f"q{at}", h[layer], f"u{layer}", batch, hidden, gates)
            body += pointwise(f"g{at}", [f"p{at}", f"q{at}"], batch, gates, "%y = arith.addf %x0, %x1 : f32")
            for k in range(4):
                body += f"""
  %g{k}{at} = tensor.extract_slice %g{at}[0, {k * hidden}] [{batch}, {hidden}] [1, 1]
    : tensor<{batch}x{gates}xf32> to tensor<{batch}x{hidden}xf32>"""
            cell = (
                sigmoid("%x0", "i") + sigmoid("%x1", "f") + "%t = math.tanh %x2 : f32\n"
                "%k = arith.mulf %sf, %x3 : f32\n %m = arith.mulf %si, %t : f32\n %y = arith.addf %k, %m : f32"
            )
            body += pointwise(f"c{at}", [f"g{k}{at}" for k in range(3)] + [c[layer]], batch, hidden, cell)
            c[layer] = f"c{at}"
            out = sigmoid("%x0", "o") + "%t = math.tanh %x1 : f32\n %y = arith.mulf %so, %t : f32"
            body += pointwise(f"h{at}", [f"g3{at}", c[layer]], batch, hidden, out)
            h[layer] = below = f"h{at}"
    kind = f"tensor<{batch}x{hidden}xf32>"
    text = (
        f"func.func @f({', '.join(arguments)}) -> ({kind}, {kind}) {{\n{body}\n"
        f"  return %{h[-1]}, %{c[-1]} : {kind}, {kind}\n}}"
    )
    x, *rest = (one.astype(np.float64) for one in inputs)
    w, u, hs, cs = rest[0::4], rest[1::4], rest[2::4], rest[3::4]
    for step in range(steps):
        low = x[step]
        for layer in range(layers):
            i, f, g, o = np.split(low @ w[layer] + hs[layer] @ u[layer], 4, axis=1)
            cs[layer] = cs[layer] / (1 + np.exp(-f)) + np.tanh(g) / (1 + np.exp(-i))
            hs[layer] = low = np.tanh(cs[layer]) / (1 + np.exp(-o))
    return text, inputs, [hs[-1], cs[-1]], 1e-4


def residual() -> Model:
    """Return two convolutions with a rectified linear unit between them, added to the input."""
    image, weights, padded = "tensor<1x8x8x16xf32>", "tensor<3x3x16x16xf32>", "tensor<1x10x10x16xf32>"
    layout = "{strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}"
    identity = "affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>"
    body = ZERO
    source = "x"
    for n in range(2):
        body += f"""
  %q{n} = tensor.pad %{source} low[0, 1, 1, 0] high[0, 1, 1, 0] {{
  ^bb0(%i: index, %j: index, %k: index, %l: index):
    tensor.yield %zero : f32
  }} : {image} to {padded}
  %e{n} = tensor.empty() : {image}
  %f{n} = linalg.fill ins(%zero : f32) outs(%e{n} : {image}) -> {image}
  %c{n} = linalg.conv_2d_nhwc_hwcf {layout} ins(%q{n}, %w{n} : {padded}, {weights}) outs(%f{n} : {image}) -> {image}
  %o{n} = tensor.empty() : {image}"""
        if n == 0:
            body += f"""
  %r = linalg.generic {{indexing_maps = [{identity}, {identity}], iterator_types = ["parallel", "parallel",
    "parallel", "parallel"]}} ins(%c0 : {image}) outs(%o0 : {image}) {{
  ^bb0(%a: f32, %o: f32):
    %y = arith.maximumf %a, %zero : f32
    linalg.yield %y : f32
  }} -> {image}"""
            source = "r"
    body += f"\n  %y = linalg.add ins(%c1, %x : {image}, {image}) outs(%o1 : {image}) -> {image}"
    text = f"func.func @f(%x: {image}, %w0: {weights}, %w1: {weights}) -> {image} {{\n{body}\n  return %y : {image}\n}}"
    rng = np.random.default_rng(4)
    x = rng.integers(-2, 3, (1, 8, 8, 16)).astype(np.float32)
    filters = [rng.integers(-1, 2, (3, 3, 16, 16)).astype(np.float32) for _ in range(2)]

    def convolved(value: Array, weight: Array) -> Array:
        wide = np.pad(value, ((0, 0), (1, 1), (1, 1), (0, 0)))
        return sum(wide[:, i : i + 8, j : j + 8] @ weight[i, j] for i in range(3) for j in range(3))

    expected = convolved(np.maximum(convolved(x, filters[0]), 0), filters[1]) + x
    return text, [x, *filters], [expected], 0.0


def attention() -> Model:
    """Return one head of attention: three products of the input, a softmax of their scores, and the output product."""
    n, width = 24, 32
    arguments = [f"%x: tensor<{n}x{width}xf32>"] + [f"%w{i}: tensor<{width}x{width}xf32>" for i in range(4)]
    body = ZERO + "".join(matmul(name, "x", f"w{i}", n, width, width) for i, name in enumerate("qkv"))
    scores, probabilities = f"tensor<{n}x{n}xf32>", f"tensor<{n}x{n}xf32>"
    body += f"""
  %et = tensor.empty() : tensor<{width}x{n}xf32>
  %kt = linalg.transpose ins(%k : tensor<{n}x{width}xf32>) outs(%et : tensor<{width}x{n}xf32>) permutation = [1, 0]"""
    body += matmul("s", "q", "kt", n, width, n)
    body += f"""
  %ep = tensor.empty() : {probabilities}
  %p = linalg.softmax dimension(1) ins(%s : {scores}) outs(%ep : {probabilities}) -> {probabilities}"""
    body += matmul("a", "p", "v", n, n, width) + matmul("y", "a", "w3", n, width, width)
    kind = f"tensor<{n}x{width}xf32>"
    text = f"func.func @f({', '.join(arguments)}) -> {kind} {{\n{body}\n  return %y : {kind}\n}}"
    rng = np.random.default_rng(5)
    x = rng.standard_normal((n, width)).astype(np.float32)
    weights = [(rng.standard_normal((width, width)) / 6).astype(np.float32) for _ in range(4)]
    q, k, v = (x.astype(np.float64) @ weight for weight in weights[:3])
    scored = q @ k.T
    exponents = np.exp(scored - scored.max(axis=1, keepdims=True))
    expected = (exponents / exponents.sum(axis=1, keepdims=True)) @ v @ weights[3]
    return text, [x, *weights], [expected], 1e-4


MODELS = {"mlp": mlp, "branches": branches, "lstm": lstm, "residual": residual, "attention": attention}
"""Each with an independent result in numpy."""
