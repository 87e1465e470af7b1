# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementary functions on whole vectors: how far from the exact values, at infinities, NaN, zeros, denormal numbers."""

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from cpu_programs import compiled, targets

from roller_mlir.evaluation.reference.bounds.body import UNITS
from roller_mlir.lowering.backend.math.elementary import FUNCTIONS
from roller_mlir.runtime import Artifact

COUNT = 1 << 16
NAMES = sorted(name.removeprefix("math.") for name in FUNCTIONS)
TYPES = {"f32": np.float32, "f64": np.float64}
SPECIAL = (
    0.0,
    1.0,
    0.625,
    1.25,
    10.0,
    88.73,
    103.98,
    104.1,
    709.79,
    745.14,
    746.5,
    1024.5,
    1074.6,
    2.0**-126,
    1e30,
    np.inf,
)
LIMITS = {"exp": 1.2, "exp2": 1.3, "expm1": 2.0, "log": 1.0, "log1p": 1.0, "tanh": 1.5, "erf": 2.0}
"""Units in the last place; docs/reference/math.md states these."""


def _text(name: str, kind: str, count: int = COUNT) -> str:
    tensor = f"tensor<{count}x{kind}>"
    same = "affine_map<(i) -> (i)>"
    return f"""func.func @function(%a: {tensor}) -> {tensor} {{
  %e = tensor.empty() : {tensor}
  %r = linalg.generic {{indexing_maps = [{same}, {same}], iterator_types = ["parallel"]}}
    ins(%a : {tensor}) outs(%e : {tensor}) {{
  ^bb0(%x: {kind}, %y: {kind}):
    %t = math.{name} %x : {kind}
    linalg.yield %t : {kind}
  }} -> {tensor}
  return %r : {tensor}
}}"""


@cache
def _artifact(name: str, kind: str, target: str) -> Artifact:
    return compiled(_text(name, kind), target)


def _exact(name: str, values: np.ndarray) -> np.ndarray:
    """Return the function in numpy's widest type; erf, which numpy lacks, in f64."""
    if name == "erf":
        with np.errstate(invalid="ignore"):
            return np.vectorize(math.erf, otypes=[np.longdouble])(values.astype(np.float64))
    with np.errstate(all="ignore"):
        return getattr(np, name)(values.astype(np.longdouble))


def _values(kind: str) -> np.ndarray:
    """Return numbers of every exponent, many near 1, special ones, their neighbours, and their negatives."""
    numbers = np.random.default_rng(18)
    dtype: Any = TYPES[kind]
    bits = numbers.integers(0, 1 << 63, COUNT // 4, dtype=np.uint64)
    any_at_all = bits.view(np.float64) if kind == "f64" else (bits >> 31).astype(np.uint32).view(np.float32)
    with np.errstate(over="ignore"):
        special = np.array(SPECIAL, dtype)
    special = np.concatenate([special, np.nextafter(special, dtype(0)), np.nextafter(special, dtype(np.inf))])
    tiny = np.arange(1, 40, dtype=dtype) * np.finfo(dtype).smallest_subnormal
    near = np.concatenate([numbers.normal(0, 1, COUNT // 8), numbers.uniform(0, 110, COUNT // 16)]).astype(dtype)
    found = np.concatenate([special, tiny, near, any_at_all, np.array([np.nan], dtype)])
    return np.resize(np.concatenate([found, -found]), COUNT)


@pytest.mark.full(every=9)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_results_are_near_the_exact_values(name: str, kind: str, target: str) -> None:
    values = _values(kind)
    (found,) = _artifact(name, kind, target).run(values, on="cpu")
    exact = _exact(name, values)
    with np.errstate(all="ignore"):
        rounded = exact.astype(TYPES[kind])
        unit = np.maximum(np.spacing(np.abs(rounded)), np.finfo(TYPES[kind]).smallest_subnormal)
        off = np.abs(found.astype(np.longdouble) - exact) / unit
    finite = np.isfinite(rounded)
    assert np.array_equal(found[~finite], rounded[~finite], equal_nan=True)
    assert np.array_equal(np.signbit(found[finite]), np.signbit(rounded[finite]))
    worst = int(np.argmax(np.where(finite, off, 0)))
    own = 1.0 if name == "erf" and kind == "f64" else 0.0  # of the C library's
    assert off[worst] <= LIMITS[name] + own, f"{name}({values[worst]!r}) is off by {off[worst]} units"


def test_limits_are_within_what_results_are_compared_with() -> None:
    assert set(LIMITS) == set(NAMES)
    assert all(limit <= UNITS[f"math.{name}"] for name, limit in LIMITS.items())


@pytest.mark.full(each=["target"])
@pytest.mark.parametrize("target", ["spr", "haswell", "neoverse-v1"])
def test_no_library_is_called_and_multiply_adds_are_promised(target: str) -> None:
    artifact = compiled(_text("exp", "f32"), target)
    (kernel,) = artifact.kernels
    assert "exp" not in artifact.text("assembly").replace("function", "")
    assert not any("fma" in note for note in kernel.notes)


def test_scalars_and_short_vectors_give_the_same() -> None:
    values = np.linspace(-3, 3, 5, dtype=np.float32)
    (few,) = compiled(_text("tanh", "f32", 5)).run(values, on="cpu")
    (many,) = _artifact("tanh", "f32", "host").run(np.resize(values, COUNT), on="cpu")
    assert np.array_equal(few, many[:5])
