# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models in f16 whose products are computed by wgmma, with inputs and what numpy gives for them: small integers all."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from graph_models import Array


@np.errstate(over="ignore")  # of extents that are compiled and not run
def layers(
    rows: int, widths: Sequence[int], *, lowered: Sequence[int] = (), shared: bool = False
) -> tuple[str, list[Array], Array]:
    """Return products one behind the other, as linalg, with inputs and the result.

    Args:
        rows: Of the input.
        widths: Of the input, and of each layer.
        lowered: Layers before which the largest number of each row is taken from it, by two operators without products.
        shared: Whether all layers have the weights of the first.
    """
    arguments, body = [f"%x: tensor<{rows}x{widths[0]}xf16>"], "  %zero = arith.constant 0.0 : f16"
    rng = np.random.default_rng(1)
    inputs = [rng.integers(-1, 2, (rows, widths[0])).astype(np.float16)]
    last, value = "x", inputs[0].astype(np.float32)
    for i, (k, n) in enumerate(pairwise(widths)):
        result, weights = f"tensor<{rows}x{n}xf16>", f"tensor<{k}x{n}xf16>"
        if i in lowered:
            kind, row = f"tensor<{rows}x{k}xf16>", f"tensor<{rows}xf16>"
            body += f"""
  %d{i} = tensor.empty() : {row}
  %q{i} = linalg.fill ins(%zero : f16) outs(%d{i} : {row}) -> {row}
  %s{i} = linalg.reduce ins(%{last} : {kind}) outs(%q{i} : {row}) dimensions = [1] (%a: f16, %b: f16) {{
    %c = arith.maximumf %a, %b : f16
    linalg.yield %c : f16
  }}
  %p{i} = tensor.empty() : {kind}
  %g{i} = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
    affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
    ins(%{last}, %s{i} : {kind}, {row}) outs(%p{i} : {kind}) {{
  ^bb0(%a: f16, %b: f16, %o: f16):
    %c = arith.subf %a, %b : f16
    linalg.yield %c : f16
  }} -> {kind}"""
            last = f"g{i}"
            value = (value - np.maximum(value.max(1), 0)[:, None]).astype(np.float16).astype(np.float32)
        own = 0 if shared else i
        if own == i:
            arguments.append(f"%w{i}: {weights}")
            inputs.append(((rng.integers(0, 8, (k, n)) == 0) * (0.125 if shared or i else 1.0)).astype(np.float16))
        body += f"""
  %e{i} = tensor.empty() : {result}
  %f{i} = linalg.fill ins(%zero : f16) outs(%e{i} : {result}) -> {result}
  %h{i} = linalg.matmul ins(%{last}, %w{own} : tensor<{rows}x{k}xf16>, {weights}) outs(%f{i} : {result}) -> {result}"""
        last = f"h{i}"
        value = (value @ inputs[own + 1].astype(np.float32)).astype(np.float16).astype(np.float32)
    text = f"func.func @f({', '.join(arguments)}) -> {result} {{\n{body}\n  return %{last} : {result}\n}}"
    return text, inputs, value.astype(np.float16)


def joined(count: int, shape: tuple[int, int], *, product: bool) -> tuple[str, list[Array], Array]:
    """Return the largest of `count` results, which one operator reads, as linalg, with inputs and the result.

    Args:
        count: How many there are: x added to itself once and more often.
        shape: Of each.
        product: Whether it is multiplied by weights then, that leave it as it is.
    """
    kind, weights = f"tensor<{shape[0]}x{shape[1]}xf16>", f"tensor<{shape[1]}x{shape[1]}xf16>"
    names, points = [f"%a{i}" for i in range(count)], [f"%p{i}" for i in range(count)]
    body = f"  %zero = arith.constant 0.0 : f16\n  %e = tensor.empty() : {kind}\n"
    for last, name in pairwise(["%x", *names]):
        body += f"  {name} = linalg.add ins(%x, {last} : {kind}, {kind}) outs(%e : {kind}) -> {kind}\n"
    maps = ", ".join(["affine_map<(i, j) -> (i, j)>"] * (count + 1))
    body += f"""  %s = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel"]}}
    ins({", ".join(names)} : {", ".join([kind] * count)}) outs(%e : {kind}) {{
  ^bb0({", ".join(f"{point}: f16" for point in points)}, %o: f16):
"""
    for i, (last, point) in enumerate(zip([points[0], *(f"%m{i}" for i in range(count))], points[1:], strict=False)):
        body += f"    %m{i} = arith.maximumf {last}, {point} : f16\n"
    body += f"    linalg.yield %m{count - 2} : f16\n  }} -> {kind}\n"
    if product:
        body += f"""  %f = linalg.fill ins(%zero : f16) outs(%e : {kind}) -> {kind}
  %h = linalg.matmul ins(%s, %w : {kind}, {weights}) outs(%f : {kind}) -> {kind}
"""
    x = np.random.default_rng(1).integers(-1, 2, shape).astype(np.float16)
    text = f"func.func @f(%x: {kind}{f', %w: {weights}' if product else ''}) -> {kind} {{\n{body}"
    text += f"  return {'%h' if product else '%s'} : {kind}\n}}"
    inputs: list[Array] = [x, np.eye(shape[1], dtype=np.float16)] if product else [x]
    return text, inputs, np.maximum(2 * x, (count + 1) * x)


def squared(size: int) -> tuple[str, list[Array], Array]:
    """Return (x w) (x v), as linalg, with inputs and the result: its tasks want results of two operators."""
    x, w, kind = f"tensor<{size}x64xf16>", f"tensor<64x{size}xf16>", f"tensor<{size}x{size}xf16>"
    text = f"""func.func @f(%x: {x}, %w: {w}, %v: {w}) -> {kind} {{
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : {kind}
  %f = linalg.fill ins(%z : f16) outs(%e : {kind}) -> {kind}
  %a = linalg.matmul ins(%x, %w : {x}, {w}) outs(%f : {kind}) -> {kind}
  %b = linalg.matmul ins(%x, %v : {x}, {w}) outs(%f : {kind}) -> {kind}
  %c = linalg.matmul ins(%a, %b : {kind}, {kind}) outs(%f : {kind}) -> {kind}
  return %c : {kind}
}}"""
    weights = np.eye(64, size).astype(np.float16)
    inputs: list[Array] = [np.random.default_rng(1).integers(-1, 2, (size, 64)).astype(np.float16), weights, -weights]
    product = inputs[0].astype(np.float32) @ weights
    return text, inputs, (product @ -product).astype(np.float16)
