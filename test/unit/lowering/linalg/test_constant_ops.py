# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise ops of constants give the constants that numpy gives, to the last bit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir.compiler.source import Source, parse_source
from roller_mlir.passes.rtile.normalize import RTileNormalize
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.constants.elements import knowing_weights, read_elements
from roller_mlir.support.values import operations_inside

VALUES = [0.0, -0.0, 1.0, -1.0, 3.0, 1e-38, 1e-45, 3e38, float("inf"), 0.1, 7.3, 2.0**-126]
ONE: dict[str, Callable[[Any], Any]] = {
    "arith.negf": np.negative,
    "math.sqrt": np.sqrt,
}
TWO: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
}


def text_of(body: str, element: str, one: str, other: str, count: int) -> str:
    """Return a function that returns what a body gives of two constants."""
    kind = f"tensor<{count}x{element}>"
    return f"""func.func @f() -> {kind} {{
      %a = arith.constant {one} : {kind}
      %b = arith.constant {other} : {kind}
      %e = tensor.empty() : {kind}
      %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}} ins(%a, %b : {kind}, {kind}) outs(%e : {kind}) {{
      ^bb0(%x: {element}, %y: {element}, %o: {element}):
        {body}
        linalg.yield %v : {element}
      }} -> {kind}
      return %r : {kind}
    }}"""


def folded(text: str, weights: dict[str, Any] | None = None) -> list[Any]:
    """Return the constants of a function that is normalized, where no op with a body of arithmetic is left."""
    with make_context() as context, ir.Location.unknown():
        module = parse_source(Source("-", text), context)
        with knowing_weights(weights or {}):
            RTileNormalize().run(module)
        found = [op for op in operations_inside(module.operation) if op.name == "arith.constant"]
        names = {op.name for op in operations_inside(module.operation)}
        if names & {*ONE, *TWO, "math.rsqrt"}:
            return []
        return [
            read_elements(op.attributes["value"]) for op in found if isinstance(op.results[0].type, ir.RankedTensorType)
        ]


def dense(values: Any) -> str:
    """Return numbers as their bits."""
    array = np.ascontiguousarray(values)
    return f'dense<"0x{array.tobytes().hex().upper()}">' if len(array) > 1 else f"dense<{float(array[0])!r}>"


@pytest.mark.parametrize(("element", "dtype"), [("f32", np.float32), ("f64", np.float64)])
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_what_is_exact_by_ieee_is_exact(name: str, element: str, dtype: Any) -> None:
    rng = np.random.default_rng(3)
    some = np.concatenate([np.array(VALUES, dtype), rng.standard_normal(300).astype(dtype)])
    a, b = some, np.roll(some, 7)
    operands = "%x" if name in ONE else "%x, %y"
    (found,) = folded(text_of(f"%v = {name} {operands} : {element}", element, dense(a), dense(b), len(a)))
    with np.errstate(all="ignore"):
        expected = ONE[name](a) if name in ONE else TWO[name](a, b)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, expected)
    assert (np.signbit(found) == np.signbit(expected))[~np.isnan(expected)].all()


def test_each_operation_is_rounded_and_types_change() -> None:
    a, b = (np.random.default_rng(seed).uniform(0.1, 9, 100).astype(np.float32) for seed in (1, 2))
    body = """%k = arith.constant 1.0e-5 : f32
        %s = arith.addf %x, %k : f32
        %q = math.rsqrt %s : f32
        %w = arith.extf %y : f32 to f64
        %p = arith.mulf %w, %w : f64
        %t = arith.truncf %p : f64 to f32
        %v = arith.mulf %q, %t : f32"""
    (found,) = folded(text_of(body, "f32", dense(a), dense(b), 100))
    sums = (a + np.float32(1.0e-5)).astype(np.float64)
    squares = (b.astype(np.float64) * b.astype(np.float64)).astype(np.float32)
    np.testing.assert_array_equal(found, (1 / np.sqrt(sums)).astype(np.float32) * squares)


def test_weights_that_are_named_only_are_read_where_they_are_known() -> None:
    values = np.arange(1, 401, dtype=np.float32)
    text = text_of("%v = arith.addf %x, %y : f32", "f32", "dense_resource<weight>", dense(values), 400)
    (found,) = folded(text, {"weight": 2 * values})
    np.testing.assert_array_equal(found, 3 * values)
    assert folded(text) == []


def test_a_function_may_give_nothing_but_constants() -> None:
    text = text_of("%v = arith.mulf %x, %y : f32", "f32", "dense<3.0>", "dense<[1.0, 2.0, 4.0]>", 3)
    (result,) = roller_mlir.compile(text, "h200", binaries=False).run_reported(on="sim").outputs
    np.testing.assert_array_equal(result, np.array([3, 6, 12], np.float32))
