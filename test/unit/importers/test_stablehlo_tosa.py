# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StableHLO with CHLO and TOSA give in the simulator what numpy gives; errors are at the user's places."""

import importlib
import math
from pathlib import Path

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.importers import stablehlo
from roller_mlir.importers.formats import import_text
from roller_mlir.support import bindings
from roller_mlir.support.diagnostics import DiagnosedError

pytestmark = pytest.mark.usefixtures("preloaded_imports")

STABLEHLO = """module @jit_f {
  func.func public @main(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> tensor<8x16xf32> {
    %0 = call @product(%a, %b) : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    %1 = chlo.erf %0 : tensor<8x16xf32> -> tensor<8x16xf32>
    return %1 : tensor<8x16xf32>
  }
  func.func private @product(%a: tensor<8x32xf32>, %b: tensor<32x16xf32>) -> tensor<8x16xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
      : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
"""
TOSA = """func.func @f(%a: tensor<1x4x8xf32>, %b: tensor<1x8x3xf32>) -> tensor<1x4x3xf32> {
  %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z
    : (tensor<1x4x8xf32>, tensor<1x8x3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x4x3xf32>
  %1 = tosa.tanh %0 : (tensor<1x4x3xf32>) -> tensor<1x4x3xf32>
  return %1 : tensor<1x4x3xf32>
}
"""
OPTIONS = CompileOptions(binaries=False)
A, B = (np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 0.3 for shape in ((8, 32), (32, 16)))


def portable_artifact(text: str) -> bytes:
    """Return a module of StableHLO as portable bytecode of this version, as `jax.export` writes it."""
    library = importlib.import_module(f"{bindings._PACKAGE}._mlir_libs._stablehlo")
    module = bindings.ir.Module.parse(text, bindings.make_import_context())
    return library.serialize_portable_artifact(module, library.get_current_version())


def _erf(array: np.ndarray) -> np.ndarray:
    return np.vectorize(math.erf)(array)


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_stablehlo_text(device: str) -> None:
    (found,) = roller_mlir.compile(STABLEHLO, target=device, options=OPTIONS).run(A, B)
    np.testing.assert_allclose(found, _erf(A @ B), rtol=1e-5, atol=1e-6)


def test_stablehlo_portable_bytecode(tmp_path: Path) -> None:
    (tmp_path / "m.mlirbc").write_bytes(
        portable_artifact(STABLEHLO.replace("chlo.erf %0 : tensor<8x16xf32> ->", "stablehlo.tanh %0 :"))
    )
    (found,) = roller_mlir.compile(tmp_path / "m.mlirbc", options=OPTIONS).run(A, B)
    np.testing.assert_allclose(found, np.tanh(A @ B), rtol=1e-5, atol=1e-6)
    (tmp_path / "m.mlirbc").write_bytes((tmp_path / "m.mlirbc").read_bytes()[:90])
    with pytest.raises(DiagnosedError, match=r"^error: '.*m\.mlirbc' is no MLIR bytecode that can be read"):
        roller_mlir.compile(tmp_path / "m.mlirbc", options=OPTIONS)


def test_what_jax_serializes_holds_portable_bytecode(tmp_path: Path) -> None:
    kind = "tensor<8x16xf32>"
    composite = f'stablehlo.composite "chlo.tanh" %0 {{decomposition = @tanh}} : ({kind}) -> {kind}'
    body = f"func.func private @tanh(%a: {kind}) -> {kind} {{ %0 = stablehlo.tanh %a : {kind} return %0 : {kind} }}"
    composed = STABLEHLO.replace(f"chlo.erf %0 : {kind} -> {kind}", composite)
    composed = f"{composed.rstrip()[:-1]}{body}\n}}\n"
    artifact = portable_artifact(composed)
    part = len(artifact).to_bytes(4, "little") + artifact
    (tmp_path / "m.jax").write_bytes(b"<\0\0\0\xff" + part + b"main\0\xfe")
    (found,) = roller_mlir.compile(tmp_path / "m.jax", options=OPTIONS).run(A, B)
    np.testing.assert_allclose(found, np.tanh(A @ B), rtol=1e-5, atol=1e-6)
    (tmp_path / "m.jax").write_bytes(b"\xff" + part + part)
    with pytest.raises(DiagnosedError, match=r"^error: '.*m\.jax' holds 2 modules; serialize it without vjp_order"):
        roller_mlir.compile(tmp_path / "m.jax", options=OPTIONS)
    (tmp_path / "m.jax").write_bytes(b"\xff" + part[:80])
    with pytest.raises(DiagnosedError, match=r"^error: '.*m\.jax' is no MLIR bytecode that can be read"):
        roller_mlir.compile(tmp_path / "m.jax", options=OPTIONS)


def test_a_record_whose_length_is_nothing_ends() -> None:
    begins = b"ML\xefR\rStableHLO_v"
    assert len(stablehlo.artifacts_inside((bytes(4) + begins) * 2)) == 2


def test_tosa_text() -> None:
    a, b = A[:4, :8][None].copy(), B[:8, :3][None].copy()
    (found,) = roller_mlir.compile(TOSA, options=OPTIONS).run(a, b)
    np.testing.assert_allclose(found, np.tanh(a @ b), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        "{ %0 = stablehlo.add %a, %a : tensor<4xf32> return %0 : tensor<4xf32> }",
        "{ stablehlo.custom_call @nothing() {has_side_effect = true} : () -> () return %a : tensor<4xf32> }",
        '{ %0 = "stablehlo.add"(%a, %a) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> return %0 : tensor<4xf32> }',
        "{\n  %0 =\n    stablehlo.add %a, %a : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}",
    ],
)
def test_functions_of_one_line_are_known(body: str) -> None:
    text = f"func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {body}"
    if "custom_call" in body:
        with pytest.raises(
            DiagnosedError, match=r"^-:1:\d+: error: what StableHLO says here becomes 'stablehlo.custom_"
        ):
            import_text(text, "-")
    else:
        assert import_text(text, "-") is not None


def test_sums_of_truth_values_are_or() -> None:
    text = """func.func @f(%a: tensor<2x4xi1>, %b: tensor<2x4xi1>) -> (tensor<2x4xi1>, tensor<2x4xi1>, tensor<2xi1>) {
      %0 = stablehlo.add %a, %b : tensor<2x4xi1>
      %1 = chlo.broadcast_add %a, %b : (tensor<2x4xi1>, tensor<2x4xi1>) -> tensor<2x4xi1>
      %z = stablehlo.constant dense<false> : tensor<i1>
      %2 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1]
        : (tensor<2x4xi1>, tensor<i1>) -> tensor<2xi1>
      return %0, %1, %2 : tensor<2x4xi1>, tensor<2x4xi1>, tensor<2xi1>
    }"""
    a, b = np.array([[1, 0, 1, 0], [0, 0, 0, 0]], np.bool_), np.array([[1, 1, 0, 0], [1, 0, 0, 0]], np.bool_)
    sums = roller_mlir.compile(text, options=OPTIONS).run(a, b)
    for found, wanted in zip(sums, (a | b, a | b, a.any(axis=1)), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_optimization_barriers_give_what_they_take() -> None:
    text = """func.func @f(%a: tensor<4xf32>, %b: tensor<2xi32>) -> (tensor<2xi32>, tensor<4xf32>) {
      %0:2 = stablehlo.optimization_barrier %a, %b : tensor<4xf32>, tensor<2xi32>
      return %0#1, %0#0 : tensor<2xi32>, tensor<4xf32>
    }"""
    a, b = np.arange(4, dtype=np.float32), np.arange(2, dtype=np.int32)
    for found, wanted in zip(roller_mlir.compile(text, options=OPTIONS).run(a, b), (b, a), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_the_place_of_the_largest_value_is_one_kernel_of_many_threads() -> None:
    """As JAX writes argmax: of equal values the first, and of values that are no numbers, too."""
    text = """func.func @f(%x: tensor<4x1500xf32>) -> tensor<4xi32> {
      %i = stablehlo.iota dim = 1 : tensor<4x1500xi32>
      %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1]
          : (tensor<4x1500xf32>, tensor<4x1500xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
          reducer(%a: tensor<f32>, %b: tensor<f32>) (%m: tensor<i32>, %n: tensor<i32>) {
        %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %3 = stablehlo.or %1, %2 : tensor<i1>
        %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %5 = stablehlo.compare LT, %m, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %6 = stablehlo.and %4, %5 : tensor<i1>
        %7 = stablehlo.or %3, %6 : tensor<i1>
        %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
        %9 = stablehlo.select %7, %m, %n : tensor<i1>, tensor<i32>
        stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
      }
      return %r#1 : tensor<4xi32>
    }"""
    x = np.random.default_rng(0).integers(-9, 10, (4, 1500)).astype(np.float32)
    x[1], x[2, 700:], x[3, [900, 1200]] = -np.inf, np.inf, np.nan
    artifact = roller_mlir.compile(text, target="h200", options=OPTIONS)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.threads >= 32
    np.testing.assert_array_equal(artifact.run(x)[0], x.argmax(axis=1))


@pytest.mark.parametrize("shape", [(4, 3), (1,), ()])
def test_a_reduction_over_no_dimensions_adds_what_it_starts_from(shape: tuple[int, ...]) -> None:
    f, i = ("x".join((*map(str, shape), kind)) for kind in ("f32", "i32"))
    text = f"""func.func @f(%a: tensor<{f}>, %b: tensor<{i}>) -> (tensor<{f}>, tensor<{i}>) {{
      %c = stablehlo.constant dense<1.5> : tensor<f32>
      %d = stablehlo.constant dense<2> : tensor<i32>
      %0:2 = stablehlo.reduce(%a init: %c), (%b init: %d) across dimensions = []
          : (tensor<{f}>, tensor<{i}>, tensor<f32>, tensor<i32>) -> (tensor<{f}>, tensor<{i}>)
          reducer(%x: tensor<f32>, %y: tensor<f32>) (%z: tensor<i32>, %w: tensor<i32>) {{
        %1 = stablehlo.add %x, %y : tensor<f32>
        %2 = stablehlo.multiply %z, %w : tensor<i32>
        stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
      }}
      return %0#0, %0#1 : tensor<{f}>, tensor<{i}>
    }}"""
    a, b = np.full(shape, 2.25, np.float32), np.full(shape, 7, np.int32)
    for found, wanted in zip(roller_mlir.compile(text, options=OPTIONS).run(a, b), (a + 1.5, b * 2), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_large_constants_are_weights() -> None:
    data = np.arange(512, dtype=np.float32).reshape(32, 16)
    text = f"""func.func @f(%a: tensor<32x16xf32>) -> tensor<32x16xf32> {{
      %w = stablehlo.constant dense<"0x{data.tobytes().hex()}"> : tensor<32x16xf32>
      %0 = stablehlo.add %a, %w : tensor<32x16xf32>
      return %0 : tensor<32x16xf32>
    }}"""
    imported = import_text(text, "-")
    assert imported is not None
    (weight,) = imported.weights.values()
    np.testing.assert_array_equal(weight, data)
    assert len(imported.text) < 2000
    np.testing.assert_array_equal(roller_mlir.compile(imported, options=OPTIONS).run(data)[0], 2 * data)


def test_what_passes_make_wrong_is_told_at_the_users_line() -> None:
    text = """func.func @f(%a: tensor<4xf16>) -> tensor<4xbf16> {
  %0 = tosa.cast %a : (tensor<4xf16>) -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}"""
    with pytest.raises(
        DiagnosedError, match=r"^-:2:8: error: what TOSA says here cannot be brought to linalg: its passes"
    ):
        import_text(text, "-")


def test_what_has_no_place_is_told_where_it_is_used() -> None:
    text = """func.func @f(%a: tensor<1x4x4xf32>) -> (tensor<1x4x3xf32>, tensor<1x4x3xf32>) {
  %0, %1 = tosa.rfft2d %a : (tensor<1x4x4xf32>) -> (tensor<1x4x3xf32>, tensor<1x4x3xf32>)
  return %0, %1 : tensor<1x4x3xf32>, tensor<1x4x3xf32>
}"""
    with pytest.raises(DiagnosedError, match=r"^-:2:12: error: what TOSA says here becomes 'index\.constant'"):
        import_text(text, "-")


@pytest.mark.parametrize(
    ("kind", "numbers", "message"),
    [
        ("i4", "[1, -8, 7]", "'arith.constant' operand or result has element type i4; supported"),
        ("f8E4M3FN", "[1.0, -8.0, 7.0]", "'arith.constant' operand or result has element type f8E4M3FN; supported"),
        (
            "complex<f32>",
            "[(1.0, 2.0), (1.0, 3.0), (1.0, 2.0)]",
            "'value' of 'arith.constant' holds elements of a type",
        ),
    ],
)
def test_constants_of_other_types_are_refused(kind: str, numbers: str, message: str) -> None:
    text = f"""func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {{
  %c = stablehlo.constant dense<{numbers}> : tensor<3x{kind}>
  %0 = stablehlo.{"real" if kind[0] == "c" else "convert"} %c : (tensor<3x{kind}>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}}"""
    with pytest.raises(DiagnosedError, match=rf"^-:2:8: error: {message}"):
        roller_mlir.compile(text, options=OPTIONS)


@pytest.mark.parametrize(
    ("operation", "message"),
    [
        ("stablehlo.fft %a, type = FFT, length = [4] : (tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>", "fft"),
        ("stablehlo.frobnicate %a : tensor<4xcomplex<f32>>", "frobnicate"),
    ],
)
def test_refusals_are_at_the_line_of_the_file(operation: str, message: str, tmp_path: Path) -> None:
    kind = "tensor<4xcomplex<f32>>"
    (tmp_path / "m.mlir").write_text(
        f"func.func @f(%a: {kind}) -> {kind} {{\n  %0 = {operation}\n  return %0 : {kind}\n}}\n"
    )
    with pytest.raises(DiagnosedError, match=rf"m\.mlir:2:\d+: error: .*{message}"):
        roller_mlir.compile(tmp_path / "m.mlir", options=OPTIONS)


def test_refusals_of_the_compiler_are_at_the_line_of_the_file(tmp_path: Path) -> None:
    text = """func.func @f(%a: tensor<?xf32>) -> tensor<?xf32> {

  %0 = stablehlo.tanh %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}
"""
    (tmp_path / "m.mlir").write_text(text)
    with pytest.raises(DiagnosedError, match=r"m\.mlir:1:\d+: error: "):
        roller_mlir.compile(tmp_path / "m.mlir", options=OPTIONS)


def test_names_of_dialects_in_comments_are_no_operations() -> None:
    function = "func.func @stablehlo.f(%a: tensor<4xf32>) -> tensor<4xf32> {\n  return %a : tensor<4xf32>\n}\n"
    assert import_text(f"// = stablehlo.add is not meant\n{function}", "-") is None
    attributes = 'module attributes {tosa.description = "{ tosa.add %a", stablehlo.known, b = ["= tosa.add %a"]} {\n'
    assert import_text(f"{attributes}{function}}}\n", "-") is None
    assert import_text(STABLEHLO, "-") is not None
