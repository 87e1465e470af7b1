# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Casts to shorter floats round once, beside the reference, which does so by integer arithmetic."""

import numpy as np
import pytest
from cpu_programs import compiled, targets

from roller_mlir.evaluation.reference.values import Array, round_to, to_caller

DIGITS = {"bf16": 8, "f16": 11, "f32": 24, "f64": 53}


def _cast(name: str, source: str, kind: str, count: int) -> str:
    x, y = f"tensor<{count}x{source}>", f"tensor<{count}x{kind}>"
    same = "affine_map<(i) -> (i)>"
    return f"""func.func @cast(%a: {x}) -> {y} {{
  %e = tensor.empty() : {y}
  %r = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel"]}}
    ins(%a : {x}) outs(%e : {y}) {{
  ^bb0(%x: {source}, %y: {kind}):
    %t = arith.{name} %x : {source} to {kind}
    linalg.yield %t : {kind}
  }} -> {y}
  return %r : {y}
}}"""


def _near_ties(bits: int) -> list[int]:
    """Return integers of so many bits beside the middles between two neighbours of each float type, and on them."""
    found = [0, 1, -1, 16842753, -(1 << (bits - 1)), (1 << (bits - 1)) - 1]
    for power in range(7, bits - 1):
        for digits in DIGITS.values():
            for odd in (1, 3):
                middle = (1 << power) + (odd << max(0, power - digits))
                found += [sign * (middle + beside) for sign in (1, -1) for beside in (-1, 0, 1)]
    least, most = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return [value for value in dict.fromkeys(found) if least <= value <= most]


def _found(name: str, source: str, kind: str, values: Array, target: str) -> Array:
    return compiled(_cast(name, source, kind, len(values)), target).run(values, on="cpu")[0]


@pytest.mark.full(each=["name", "kind", "target"])
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("kind", DIGITS)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("name", ["sitofp", "uitofp"])
def test_integers_are_rounded_once(name: str, bits: int, kind: str, target: str) -> None:
    """i32 and i64 went to bf16 through f32."""
    values = np.array(_near_ties(bits), f"int{bits}")
    read = values.view(f"uint{bits}") if name == "uitofp" else values
    for count in (len(values), 5):  # in vectors and one by one
        found = _found(name, f"i{bits}", kind, values[:count], target)
        np.testing.assert_array_equal(found, to_caller(round_to(read[:count], kind), kind))


@pytest.mark.full(each=["kind", "target"])
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("kind", ["bf16", "f16"])
def test_doubles_are_rounded_once(kind: str, target: str) -> None:
    generator = np.random.default_rng(3)
    middles = (generator.integers(1 << 11, 1 << 12, 300) // 2 * 2 + 1) / 2 ** generator.integers(8, 40, 300)
    wide = (generator.integers(128, 256, 300) + 0.5) * 2.0 ** generator.integers(-140, 110, 300)
    ties = np.concatenate([middles, -middles, wide])
    values = np.concatenate([ties, np.nextafter(ties, np.inf), np.nextafter(ties, -np.inf), [65519.99, 65520.0, 1e300]])
    for count in (len(values), 5):
        found = _found("truncf", "f64", kind, values[:count], target)
        np.testing.assert_array_equal(found, to_caller(round_to(values[:count], kind), kind))
