# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules as importers write them: several functions, globals, assertions, allocations."""

from typing import Any

import numpy as np
import pytest

import roller_mlir
from roller_mlir.support.diagnostics import DiagnosedError

from ..agreement import SIMULATED
from ..foreign import assert_gives

X = np.array([1, -2, 3, 0, 5, 6, -7, 8], np.float32)
T = "tensor<8xf32>"


def mapped(operation: str, *names: str, result: str = "r") -> str:
    """Return an element-wise op on tensors of the function."""
    inputs = ", ".join(f"%{name}" for name in names)
    return f"""%e_{result} = tensor.empty() : {T}
      %{result} = linalg.map {{ {operation} }} ins({inputs} : {", ".join([T] * len(names))}) outs(%e_{result} : {T})"""


CALLS = f"""
    func.func private @twice(%a: {T}) -> {T} {{
      {mapped("arith.addf", "a", "a")}
      return %r : {T}
    }}
    func.func private @both(%a: {T}, %b: {T}) -> ({T}, {T}) {{
      %t = call @twice(%a) : ({T}) -> {T}
      {mapped("arith.mulf", "t", "b")}
      return %r, %t : {T}, {T}
    }}
    func.func private @unused(%a: memref<?xf32>) {{
      return
    }}
    func.func @main(%a: {T}) -> ({T}, {T}) {{
      %p:2 = call @both(%a, %a) : ({T}, {T}) -> ({T}, {T})
      %q = call @twice(%p#0) : ({T}) -> {T}
      return %q, %p#1 : {T}, {T}
    }}"""


def test_calls() -> None:
    assert_gives(CALLS, [X], [4 * X * X, 2 * X], "v100")


def globals_of(declaration: str, load: str = "global_load_const", more: str = "") -> str:
    return f"""ml_program.global private {declaration}
    ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
    func.func @f(%a: {T}) -> {T} {{
      %w = ml_program.{load} @w : {T}
      {mapped("arith.addf", "a", "w")}
      {more}
      return %r : {T}
    }}"""


@pytest.mark.parametrize(
    "text", ["@w(dense<2.0> : T) : T", "mutable @w(dense<[2., 2., 2., 2., 2., 2., 2., 2.]> : T) : T"]
)
def test_globals_that_nothing_changes_are_constants(text: str) -> None:
    load = "global_load" if "mutable" in text else "global_load_const"
    assert_gives(globals_of(text.replace("T", T), load), [X], [X + 2])


@pytest.mark.parametrize("place", ["body", "function"])
def test_assertions_are_left_out_with_a_remark(place: str) -> None:
    inside = """%c = arith.cmpf one, %x, %z : f32
        cf.assert %c, "unimplemented: zero element" """
    outside = """%t = arith.constant true
      cf.assert %t, "unimplemented: zero element" """
    text = f"""func.func @f(%a: {T}) -> {T} {{
      %z = arith.constant 0.0 : f32
      {outside if place == "function" else ""}
      %e = tensor.empty() : {T}
      %r = linalg.map ins(%a : {T}) outs(%e : {T}) (%x: f32, %y: f32) {{
        {inside if place == "body" else ""}
        %0 = arith.mulf %x, %x : f32
        linalg.yield %0 : f32
      }}
      return %r : {T}
    }}"""
    assert_gives(text, [X], [X * X])
    (note,) = roller_mlir.compile(text, options=SIMULATED).manifest.notes
    assert note == "remark: 'cf.assert' is left out, kernels do not check it: unimplemented: zero element"


def test_an_op_that_only_asserts_is_nothing() -> None:
    text = f"""func.func @f(%a: {T}) -> {T} {{
      %z = arith.constant 0.0 : f32
      linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}} ins(%a : {T}) {{
      ^bb0(%x: f32):
        %c = arith.cmpf one, %x, %z : f32
        cf.assert %c, "zero"
        linalg.yield
      }}
      return %a : {T}
    }}"""
    assert_gives(text, [X], [X])


RECURSIVE = f"""
    func.func @f(%a: {T}) -> {T} {{
      %r = call @f(%a) : ({T}) -> {T}
      return %r : {T}
    }}"""
DECLARED = f"""
    func.func private @g({T}) -> {T}
    func.func @f(%a: {T}) -> {T} {{
      %r = call @g(%a) : ({T}) -> {T}
      return %r : {T}
    }}"""
STORED = globals_of(f"mutable @w(dense<2.0> : {T}) : {T}", "global_load", f"ml_program.global_store @w = %r : {T}")
EXTERN = globals_of(f"@w(#ml_program.extern<{T}>) : {T}")
UNKNOWN = 'func.func @a() { "foo.x"() : () -> () return }\n func.func @b() { return }'
COMPLEX = "func.func @a() { %c = arith.constant dense<(1.0, 2.0)> : tensor<4xcomplex<f32>> return }"
NAMELESS = 'func.func @"\\FF"() { return }'
BUFFERS = """func.func @f(%a: memref<8xf32>, %o: memref<8xf32>) {
      linalg.exp ins(%a : memref<8xf32>) outs(%o : memref<8xf32>)
      return
    }"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (RECURSIVE, "-:3:12: error: 'func.call' of 'f' cannot be inlined, as in a function that calls itself"),
        (DECLARED, "-:4:12: error: 'func.call' calls 'g', which has no body in the module; add its definition"),
        (STORED, "-:7:7: error: 'ml_program.global_store' changes 'w'; a kernel keeps nothing between calls"),
        (EXTERN, "-:4:12: error: 'ml_program.global_load_const' loads 'w', whose value is not in the module"),
        (
            COMPLEX,
            "-:1:23: error: 'value' of 'arith.constant' holds elements of a type that cannot be compiled; supported",
        ),
        (NAMELESS, "-:1:1: error: the name of a 'func.func' is no UTF-8; give it another"),
        (UNKNOWN, "-:1:18: error: 'foo.x' is not known: no dialect 'foo' here has it; lower to linalg on tensors"),
        (BUFFERS, "-:1:1: error: argument 0 of 'f' is a buffer (memref<8xf32>); linalg on tensors can be compiled"),
        (CALLS.replace("private ", ""), "has 4 public functions ('twice', 'both', 'unused', 'main'); name the one"),
    ],
    ids=["recursion", "declaration", "store", "extern", "complex", "nameless", "unknown", "buffers", "several"],
)
def test_refused(text: str, message: str) -> None:
    with pytest.raises(DiagnosedError) as error:
        roller_mlir.compile(text, options=SIMULATED)
    assert message in str(error.value)


def test_the_only_function_may_be_private() -> None:
    text = """func.func private @f(%a: tensor<8xf32>) -> tensor<8xf32> {
      %r = arith.addf %a, %a : tensor<8xf32>
      return %r : tensor<8xf32>
    }"""
    assert_gives(text, [np.arange(8, dtype=np.float32)], [np.arange(0, 16, 2, dtype=np.float32)])


def test_one_of_several_public_functions_is_named() -> None:
    artifact = roller_mlir.compile(CALLS.replace("private ", ""), entry="both", binaries=False)
    np.testing.assert_array_equal(artifact.run(X, X)[0], 2 * X * X)


def test_allocations_are_tensors() -> None:
    text = f"""func.func @f(%a: {T}) -> ({T}, {T}) {{
      %e = bufferization.alloc_tensor() : {T}
      %r = linalg.map {{ arith.addf }} ins(%a, %a : {T}, {T}) outs(%e : {T})
      %c = bufferization.alloc_tensor() copy(%r) : {T}
      %n = linalg.map {{ arith.negf }} ins(%c : {T}) outs(%c : {T})
      %m = bufferization.materialize_in_destination %n in %e : ({T}, {T}) -> {T}
      bufferization.dealloc_tensor %c : {T}
      return %m, %r : {T}, {T}
    }}"""
    assert_gives(text, [X], [-2 * X, 2 * X])


def test_casts_that_forget_and_learn_shapes() -> None:
    text = f"""func.func @f(%a: {T}) -> {T} {{
      %c = tensor.cast %a : {T} to tensor<?xf32>
      %d = tensor.cast %c : tensor<?xf32> to {T}
      {mapped("math.absf", "d")}
      return %r : {T}
    }}"""
    assert_gives(text, [X], [np.abs(X)])


@pytest.mark.full(each=["kind", "form"])
@pytest.mark.parametrize("form", ["body", "tensors"])
@pytest.mark.parametrize(("kind", "dtype"), [("f32", np.float32), ("f16", np.float16), ("f64", np.float64)])
def test_normal_numbers(kind: str, dtype: Any, form: str) -> None:
    smallest = np.finfo(dtype).smallest_normal
    numbers = np.array([0, smallest / 2, smallest, -smallest, 1, np.inf, np.nan, -np.finfo(dtype).max], dtype)
    made = f"""%e = tensor.empty() : tensor<8xi1>
      %r = linalg.map {{ math.isnormal }} ins(%a : tensor<8x{kind}>) outs(%e : tensor<8xi1>)"""
    text = f"""func.func @f(%a: tensor<8x{kind}>) -> tensor<8xi1> {{
      {made if form == "body" else f"%r = math.isnormal %a : tensor<8x{kind}>"}
      return %r : tensor<8xi1>
    }}"""
    assert_gives(text, [numbers], [np.array([0, 0, 1, 1, 1, 0, 0, 1], bool)])


def test_attributes_of_other_compilers_are_ignored() -> None:
    text = f"""module attributes {{iree.fixed = #iree.some<thing>}} {{
      func.func @f(%a: {T} {{iree.abi = #iree.abi}}) -> {T} {{
        %e = tensor.empty() : {T}
        %r = linalg.abs {{lowering_config = #iree_gpu.lowering_config<{{workgroup = [8]}}>}}
            ins(%a : {T}) outs(%e : {T}) -> {T}
        return %r : {T}
      }}
    }}"""
    assert_gives(text, [X], [np.abs(X)])


def test_arithmetic_on_tensors() -> None:
    text = f"""func.func @f(%a: {T}) -> {T} {{
      %c = arith.constant dense<2.0> : {T}
      %s = arith.mulf %a, %c : {T}
      %r = math.absf %s : {T}
      return %r : {T}
    }}"""
    assert_gives(text, [X], [np.abs(2 * X)])
