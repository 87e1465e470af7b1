# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models as linalg: many operators that do not fill a device, for kernels of whole graphs."""

from collections.abc import Sequence

ZERO = "  %zero = arith.constant 0.0 : f32"


def matmul(result: str, a: str, b: str, m: int, k: int, n: int) -> str:
    """Return a product of two named values that starts from zeros."""
    return f"""
  %e_{result} = tensor.empty() : tensor<{m}x{n}xf32>
  %f_{result} = linalg.fill ins(%zero : f32) outs(%e_{result} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %{result} = linalg.matmul ins(%{a}, %{b} : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
    outs(%f_{result} : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>"""


def pointwise(result: str, names: Sequence[str], m: int, n: int, body: str) -> str:
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


def branches(rows: int, inner: int, widths: Sequence[int], columns: int) -> str:
    """Return branches of two products each, of different widths, and their sum.

    Args:
        rows: Of the input `x`, the first argument; the weights of each branch follow.
        inner: Columns of the input.
        widths: Columns of each branch's first product.
        columns: Of the output.
    """
    arguments, body = [f"%x: tensor<{rows}x{inner}xf32>"], ZERO
    for i, k in enumerate(widths):
        arguments += [f"%w{i}: tensor<{inner}x{k}xf32>", f"%v{i}: tensor<{k}x{columns}xf32>"]
        body += matmul(f"h{i}", "x", f"w{i}", rows, inner, k) + matmul(f"p{i}", f"h{i}", f"v{i}", rows, k, columns)
    last = len(widths) - 1
    names = ["%x0", *(f"%a{i}" for i in range(1, last)), "%y"]
    sums = "\n ".join(f"{names[i]} = arith.addf {names[i - 1]}, %x{i} : f32" for i in range(1, last + 1))
    body += pointwise("y", [f"p{i}" for i in range(len(widths))], rows, columns, sums)
    kind = f"tensor<{rows}x{columns}xf32>"
    return f"func.func @f({', '.join(arguments)}) -> {kind} {{\n{body}\n  return %y : {kind}\n}}"


def lstm(steps: int, layers: int, batch: int, hidden: int) -> str:
    """Return an LSTM, whose layers share their weights over the steps; it gives the last layer's result and its cell.

    Args:
        steps: Of the input `x`, its first extent.
        layers: How many; each has the arguments `w`, `u` (weights of input and result), `h` and `c` (at first).
        batch: Rows.
        hidden: Width of input and results.
    """
    gates = 4 * hidden
    arguments = [f"%x: tensor<{steps}x{batch}x{hidden}xf32>"]
    for layer in range(layers):
        arguments += [f"%w{layer}: tensor<{hidden}x{gates}xf32>", f"%u{layer}: tensor<{hidden}x{gates}xf32>"]
        arguments += [f"%h_{layer}: tensor<{batch}x{hidden}xf32>", f"%c_{layer}: tensor<{batch}x{hidden}xf32>"]
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
    return (
        f"func.func @f({', '.join(arguments)}) -> ({kind}, {kind}) {{\n{body}\n"
        f"  return %{h[-1]}, %{c[-1]} : {kind}, {kind}\n}}"
    )


def attention(n: int, width: int) -> str:
    """Return one head of attention: three products of the input, a softmax of their scores, and the output product.

    Args:
        n: Tokens.
        width: Of the model.
    """
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
    return f"func.func @f({', '.join(arguments)}) -> {kind} {{\n{body}\n  return %y : {kind}\n}}"
