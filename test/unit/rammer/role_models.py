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
