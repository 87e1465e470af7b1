# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The numpy reference: every way of evaluating a body against numpy's own word, and what it refuses."""

from typing import Any

import numpy as np
import pytest

from roller_mlir.evaluation.reference import compare, evaluate_function, random_inputs, structured
from roller_mlir.evaluation.reference.bounds.nests import Bounded
from roller_mlir.evaluation.reference.contract import sum_of_products
from roller_mlir.evaluation.reference.values import from_caller, to_caller
from roller_mlir.plan.manifest import Buffer
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

RNG = np.random.default_rng(7)


def whole(*shape: int) -> np.ndarray[Any, Any]:
    return RNG.integers(-4, 5, shape).astype(np.float32)


def evaluate(text: str, *inputs: np.ndarray[Any, Any], name: str = "f") -> tuple[np.ndarray[Any, Any], ...]:
    with make_context() as context:
        return evaluate_function(parse_module(text, context), name, inputs).outputs


def reduction(body: str, *, ins: str, maps: str, kinds: str, out: str, start: str = "0.0") -> str:
    """A function of one generic op with a filled output; `ins` lists tensor types."""
    types = ins.split(" ")
    arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(types))
    element = out[:-1].split("x")[-1].removeprefix("tensor<")
    block = ", ".join(f"%x{i}: {kind[:-1].split('x')[-1].removeprefix('tensor<')}" for i, kind in enumerate(types))
    return f"""func.func @f({arguments}) -> {out} {{
      %s = arith.constant {start} : {element}
      %e = tensor.empty() : {out}
      %i = linalg.fill ins(%s : {element}) outs(%e : {out}) -> {out}
      %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
          ins({", ".join(f"%a{i}" for i in range(len(types)))} : {", ".join(types)}) outs(%i : {out}) {{
      ^bb0({block}, %acc: {element}):
        {body}
      }} -> {out}
      return %r : {out}
    }}"""


MATMUL = """func.func @f(%a: tensor<5x7xf32>, %b: tensor<7x3xf32>, %c: tensor<5x3xf32>) -> tensor<5x3xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x3xf32>) outs(%c : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %r : tensor<5x3xf32>
}"""


def test_matmul_accumulates_into_its_output() -> None:
    a, b, c = whole(5, 7), whole(7, 3), whole(5, 3)
    (r,) = evaluate(MATMUL, a, b, c)
    assert r.dtype == np.float32
    np.testing.assert_array_equal(r, c + a @ b)


def test_contraction_of_six_dimensions() -> None:
    text = reduction(
        "%m = arith.mulf %x0, %x1 : f32\n %n = arith.addf %acc, %m : f32\n linalg.yield %n : f32",
        ins="tensor<2x3x4x5x2xf32> tensor<2x2x5x6x4xf32>",
        maps=", ".join(f"affine_map<(a,b,c,d,e,f)->{out}>" for out in ("(a,b,d,e,f)", "(f,a,e,c,d)", "(b,c,a)")),
        kinds='"parallel", "parallel", "parallel", "reduction", "reduction", "reduction"',
        out="tensor<3x6x2xf32>",
    )
    a, b = whole(2, 3, 4, 5, 2), whole(2, 2, 5, 6, 4)
    np.testing.assert_array_equal(evaluate(text, a, b)[0], np.einsum("abdef,faecd->bca", a, b))


@pytest.mark.parametrize(
    ("combine", "start", "expected"),
    [
        ("arith.addf", "0.0", np.add.reduce),
        ("arith.mulf", "1.0", np.multiply.reduce),
        ("arith.maximumf", "0xFF800000", np.maximum.reduce),
        ("arith.minnumf", "0x7F800000", np.minimum.reduce),
    ],
)
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("chunk", [1 << 24, 16])
def test_reductions_over_each_axis(
    combine: str, start: str, expected: Any, axis: int, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(structured, "_CHUNK_POINTS", chunk)
    kept = [i for i in range(3) if i != axis]
    shape = (3, 4, 5)
    text = reduction(
        f"%n = {combine} %acc, %x0 : f32\n linalg.yield %n : f32",
        ins="tensor<3x4x5xf32>",
        maps=f"affine_map<(a,b,c)->(a,b,c)>, affine_map<(a,b,c)->({','.join('abc'[i] for i in kept)})>",
        kinds=", ".join('"reduction"' if i == axis else '"parallel"' for i in range(3)),
        out=f"tensor<{shape[kept[0]]}x{shape[kept[1]]}xf32>",
        start=start,
    )
    x = whole(*shape)
    np.testing.assert_array_equal(evaluate(text, x)[0], expected(x, axis=axis))


def test_all_axes_to_a_scalar_tensor_and_an_unused_window() -> None:
    text = reduction(
        "%n = arith.addf %acc, %x0 : f32\n linalg.yield %n : f32",
        ins="tensor<8xf32> tensor<3xf32>",
        maps="affine_map<(a,b)->(2 * a + b)>, affine_map<(a,b)->(b)>, affine_map<(a,b)->(a)>",
        kinds='"parallel", "reduction"',
        out="tensor<3xf32>",
    )
    x = whole(8)
    np.testing.assert_array_equal(evaluate(text, x, whole(3))[0], [x[2 * i : 2 * i + 3].sum() for i in range(3)])
    scalar = reduction(
        "%n = arith.addf %acc, %x0 : f32\n linalg.yield %n : f32",
        ins="tensor<4x3xf32>",
        maps="affine_map<(a,b)->(a,b)>, affine_map<(a,b)->()>",
        kinds='"reduction", "reduction"',
        out="tensor<f32>",
    )
    y = whole(4, 3)
    (r,) = evaluate(scalar, y)
    assert r.shape == () and r == y.sum()


ARGMAX = """func.func @f(%a: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %z = arith.constant -1.0e30 : f32
  %zi = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4xi32>
  %i2 = linalg.fill ins(%zi : i32) outs(%e2 : tensor<4xi32>) -> tensor<4xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i,j)->(i,j)>, affine_map<(i,j)->(i)>, affine_map<(i,j)->(i)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x8xf32>) outs(%i, %i2 : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%x: f32, %m: f32, %n: i32):
    %index = linalg.index 1 : index
    %ii = arith.index_cast %index : index to i32
    %c = arith.cmpf ogt, %x, %m : f32
    %s = arith.select %c, %x, %m : f32
    %t = arith.select %c, %ii, %n : i32
    linalg.yield %s, %t : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}"""


def test_bodies_without_a_combiner_go_point_by_point() -> None:
    a = RNG.standard_normal((4, 8)).astype(np.float32)
    values, places = evaluate(ARGMAX, a)
    np.testing.assert_array_equal(values, a.max(1))
    np.testing.assert_array_equal(places, a.argmax(1))
    assert places.dtype == np.int32


CHAIN = """func.func @f(%x: tensor<3x4xf32>, %bias: tensor<4xf32>)
    -> (tensor<4x3xf32>, tensor<12xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<3x4xf32>
  %wide = linalg.broadcast ins(%bias : tensor<4xf32>) outs(%e : tensor<3x4xf32>) dimensions = [0]
  %sum = linalg.map { arith.addf } ins(%x, %wide : tensor<3x4xf32>, tensor<3x4xf32>) outs(%e : tensor<3x4xf32>)
  %e2 = tensor.empty() : tensor<4x3xf32>
  %t = linalg.transpose ins(%sum : tensor<3x4xf32>) outs(%e2 : tensor<4x3xf32>) permutation = [1, 0]
  %flat = tensor.collapse_shape %sum [[0, 1]] : tensor<3x4xf32> into tensor<12xf32>
  %two = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %part = tensor.extract_slice %x[1, 0] [2, 2] [1, 2] : tensor<3x4xf32> to tensor<2x2xf32>
  %e3 = tensor.empty() : tensor<2x2xf32>
  %p = linalg.mul ins(%two, %part : tensor<2x2xf32>, tensor<2x2xf32>) outs(%e3 : tensor<2x2xf32>) -> tensor<2x2xf32>
  %q = tensor.insert_slice %part into %p[0, 0] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<2x2xf32>
  return %t, %flat, %p : tensor<4x3xf32>, tensor<12xf32>, tensor<2x2xf32>
}"""


def test_chain_of_named_ops_views_and_constants() -> None:
    x, bias = whole(3, 4), whole(4)
    transposed, flat, product = evaluate(CHAIN, x, bias)
    np.testing.assert_array_equal(transposed, (x + bias).T)
    np.testing.assert_array_equal(flat, (x + bias).reshape(-1))
    np.testing.assert_array_equal(product, np.array([[1, 2], [3, 4]]) * x[1:, ::2])


@pytest.mark.parametrize(
    ("body", "function"),
    [
        ("%r = math.exp %x : f32", np.exp),
        ("%r = math.rsqrt %x : f32", lambda x: 1 / np.sqrt(x)),
        ("%r = math.erf %x : f32", lambda x: np.vectorize(__import__("math").erf)(x)),
        ("%r = math.tanh %x : f32", np.tanh),
        ("%r = arith.negf %x : f32", np.negative),
        ("%c = arith.constant 2.0 : f32\n %r = arith.divf %x, %c : f32", lambda x: x / 2),
        ("%h = arith.truncf %x : f32 to f16\n %r = arith.extf %h : f16 to f32", lambda x: x.astype(np.float16)),
        ("%i = arith.fptosi %x : f32 to i32\n %r = arith.sitofp %i : i32 to f32", np.trunc),
        (
            "%c = arith.constant 1.0 : f32\n %b = arith.cmpf ult, %x, %c : f32\n %r = arith.uitofp %b : i1 to f32",
            lambda x: x < 1,
        ),
    ],
)
def test_scalar_operations(body: str, function: Any) -> None:
    text = f"""func.func @f(%a: tensor<9xf32>) -> tensor<9xf32> {{
      %e = tensor.empty() : tensor<9xf32>
      %r = linalg.generic {{indexing_maps = [affine_map<(i)->(i)>, affine_map<(i)->(i)>],
          iterator_types = ["parallel"]}}
          ins(%a : tensor<9xf32>) outs(%e : tensor<9xf32>) {{
      ^bb0(%x: f32, %o: f32):
        {body}
        linalg.yield %r : f32
      }} -> tensor<9xf32>
      return %r : tensor<9xf32>
    }}"""
    x = RNG.uniform(0.1, 3, 9).astype(np.float32)
    np.testing.assert_allclose(evaluate(text, x)[0], np.asarray(function(x.astype(np.float64)), np.float32), rtol=1e-7)


def test_element_wise_operations_on_whole_tensors() -> None:
    text = """func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
      %p = arith.mulf %a, %b : tensor<4xf32>
      %c = arith.cmpf ogt, %p, %a : tensor<4xf32>
      %e = math.exp %b : tensor<4xf32>
      %r = arith.select %c, %p, %e : tensor<4xi1>, tensor<4xf32>
      return %r : tensor<4xf32>
    }"""
    a, b = whole(4), whole(4)
    np.testing.assert_array_equal(
        evaluate(text, a, b)[0], np.where(a * b > a, a * b, np.exp(b.astype(np.float64)).astype(np.float32))
    )


def test_integers_wrap_and_compare_unsigned() -> None:
    text = """func.func @f(%a: tensor<4xi8>, %b: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
      %e = tensor.empty() : tensor<4xi8>
      %m = linalg.map { arith.muli } ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>)
      %u = linalg.map { arith.maxui } ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>)
      return %m, %u : tensor<4xi8>, tensor<4xi8>
    }"""
    a, b = np.array([100, -1, 5, -128], np.int8), np.array([3, 2, 7, 2], np.int8)
    product, largest = evaluate(text, a, b)
    assert product.tolist() == [44, -2, 35, 0]
    assert largest.tolist() == [100, -1, 7, -128]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("func.func @g() { return }", "has no function 'f'"),
        (
            "func.func @f(%a: tensor<4xf32>) -> tensor<5xf32> {\n"
            "  %c = tensor.cast %a : tensor<4xf32> to tensor<?xf32>\n"
            "  %r = tensor.cast %c : tensor<?xf32> to tensor<5xf32>\n  return %r : tensor<5xf32>\n}",
            "'tensor.cast' makes tensor<5xf32> of a tensor of shape [4]",
        ),
        (
            "func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {\n"
            "  %r = math.ipowi %a, %a : tensor<4xi32>\n  return %r : tensor<4xi32>\n}",
            "'math.ipowi' is not supported",
        ),
        (
            "func.func @f(%a: tensor<4xi32>) -> tensor<4xi32> {\n  %e = tensor.empty() : tensor<4xi32>\n"
            "  %r = linalg.map { math.ipowi } ins(%a, %a : tensor<4xi32>, tensor<4xi32>) outs(%e : tensor<4xi32>)\n"
            "  return %r : tensor<4xi32>\n}",
            "'math.ipowi' is not supported in a body",
        ),
    ],
)
def test_refusals_are_located(text: str, message: str) -> None:
    with pytest.raises(DiagnosedError) as caught:
        evaluate(text, whole(4))
    assert message in caught.value.message
    assert caught.value.diagnostics[0].place is not None


def test_uninitialised_memory_shows_as_nan() -> None:
    text = "func.func @f() -> tensor<2xf32> {\n  %e = tensor.empty() : tensor<2xf32>\n  return %e : tensor<2xf32>\n}"
    assert np.isnan(evaluate(text)[0]).all()


def test_bf16_travels_as_bits() -> None:
    bits = to_caller(np.array([1.0, -2.5, np.nan, 3.0e38, 1.0 + 2.0**-8]), "bf16")
    assert bits.dtype == np.uint16
    values = from_caller(bits, "bf16")
    assert values[:2].tolist() == [1.0, -2.5] and np.isnan(values[2]) and values[4] == 1.0


def within(values: np.ndarray, error: float) -> Bounded:
    """Return a reference whose elements may be off by so much."""
    held = values.astype(np.float64) if values.dtype.kind == "f" else values
    return Bounded(held, np.full(values.shape, error) if error else None)


def test_comparison_reports_the_worst_element() -> None:
    expected = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
    exact = compare(expected.copy(), within(expected, 0.0), "f32")
    assert exact.equal and exact.matches and exact.mismatches == 0
    got = expected.copy()
    got[1, 0] = 3.5
    found = compare(got, within(expected, 0.25), "f32")
    assert not found.matches and found.index == (1, 0) and (found.expected, found.got) == (3.0, 3.5)
    assert (found.mismatches, found.permitted, found.max_error) == (1, 0.25, 2.0)
    assert str(found) == ("1 of 4 elements differ; at [1, 0]: expected 3.0, got 3.5, permitted is an error of 0.25")
    got[1, 0] = np.nan
    assert compare(got, within(expected, 0.25), "f32").max_error == np.inf
    near = expected * np.float32(1 + 1e-6)
    close = compare(near, within(expected, 1e-5), "f32")
    assert close.matches and not close.equal
    assert not compare(near, within(expected, 0.0), "f32").matches
    nothing = compare(np.zeros((0, 2), np.float32), within(np.zeros((0, 2)), 0.0), "f32")
    assert nothing.matches
    nan = np.array([np.nan, 1], np.float32)
    assert compare(nan, within(nan, 0.0), "f32").equal
    with pytest.raises(ValueError, match="compared with references of their shape"):
        compare(expected, within(expected[0], 0.0), "f32")


def test_whole_numbers_are_printed_as_such() -> None:
    expected = np.array([1, 2**62 + 1], np.int64)
    found = compare(expected + np.array([0, 1]), within(expected, 0.0), "i64")
    assert not found.matches and (found.expected, found.got) == (2**62 + 1, 2**62 + 2)
    assert "expected 4611686018427387905, got 4611686018427387906" in str(found)


def test_a_bound_that_says_nothing_is_told() -> None:
    expected = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
    error = np.array([0.0, 1e-3, np.inf, 5.0])
    found = compare(expected + np.float32([0, 0, 100, 4]), Bounded(expected.astype(np.float64), error), "f32")
    assert found.matches and found.unsaid == 2
    assert str(found).endswith("nothing is said of 2 of 4 elements")


def test_random_inputs() -> None:
    buffers = [
        Buffer(name="a", role="input", element_type="f32", shape=(50,)),
        Buffer(name="b", role="input", element_type="i1", shape=(50,)),
        Buffer(name="c", role="input", element_type="bf16", shape=()),
    ]
    first, again, other = (random_inputs(buffers, seed) for seed in (1, 1, 2))
    assert all((x == y).all() for x, y in zip(first, again, strict=True))
    assert (first[0] != other[0]).any()
    assert set(np.unique(first[0])) <= set(range(-4, 5))
    assert [array.dtype for array in first] == [np.float32, np.bool_, np.uint16]
    assert not (random_inputs(buffers, 1, "normal")[0] % 1 == 0).any()
    with pytest.raises(ValueError, match="'signs' or 'normal', but got 'ones'"):
        random_inputs(buffers, 1, "ones")


def test_infinities_are_not_reassociated() -> None:
    """The sum of x * s over x holds 0 * inf = NaN at one point, whatever the sum of x is."""
    x, s = np.array([[0.0, 1.0]]), np.array(np.inf)
    with np.errstate(invalid="ignore"):
        for factors, loops in (([x, s], [(0, 1), ()]), ([x, s, np.ones(2)], [(0, 1), (), (1,)])):
            assert np.isnan(sum_of_products(factors, loops, (0,))).all()
