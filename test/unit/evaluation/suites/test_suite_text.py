# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The linalg text of every operator parses, has the shapes and the arithmetic that the table says, and is right."""

from math import prod
from pathlib import Path
from types import MappingProxyType

import pytest

from roller_mlir.evaluation.suites import Operator, SuiteError, find_suite, function_text, suite_names
from roller_mlir.evaluation.suites.element_types import DTYPES
from roller_mlir.evaluation.suites.kinds import KINDS, Given
from roller_mlir.evaluation.suites.programs.expression import read_operator
from roller_mlir.evaluation.suites.select import points
from roller_mlir.evaluation.suites.stages.run import run_operator
from roller_mlir.plan.accuracy.accumulation import SUMS
from roller_mlir.support.bindings import ir, make_context
from roller_mlir.support.diagnostics import parse_module

PUBLISHED = [name for name in suite_names() if name != "shapes60"]


def result_shape(operator: Operator) -> list[int]:
    s = operator.sizes
    if operator.kind == "matmul":
        return [s["M"], s["N"]]
    if operator.shape:
        return [extent for axis, extent in enumerate(operator.shape) if axis not in operator.axes]
    return [s["N"], s["F"] if operator.kind == "conv2d" else s["C"], s["OH"], s["OW"]]


@pytest.mark.full(each=["suite", "dtype"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("suite", PUBLISHED)
def test_every_operator_parses_and_has_its_shape(suite: str, dtype: str) -> None:
    with make_context() as context:
        for one in find_suite(suite):
            if dtype not in (KINDS[one.kind].dtypes or DTYPES):
                with pytest.raises(SuiteError, match=f"avg_pool2d takes f32, f16, bf16, f64, but got {dtype}"):
                    function_text(one, dtype)
                continue
            module = parse_module(function_text(one, dtype), context)
            (function,) = module.body.operations
            signature = ir.FunctionType(function.attributes["function_type"].value)
            (result,) = map(ir.RankedTensorType, signature.results)
            assert list(result.shape) == result_shape(one), one.id
            assert {str(ir.RankedTensorType(kind).element_type) for kind in signature.inputs} == {dtype}
            assert str(result.element_type) == (dtype if one.kind == "relu" else SUMS[dtype])


@pytest.mark.parametrize("suite", PUBLISHED)
def test_every_operator_reads_as_the_arithmetic_of_its_table(suite: str) -> None:
    """Two operations a point of products and averages, one of sums and maxima; windows of one point do not add."""
    with make_context() as context:
        for one in find_suite(suite):
            expression = read_operator(one, context)
            single = one.kind == "avg_pool2d" and one.sizes["KH"] == one.sizes["KW"] == 1
            per_point = 1 if single or one.kind in ("relu", "reduce_sum") else 2
            assert expression.points == points(one), one.id
            assert expression.flops == per_point * expression.points, one.id
            assert prod(expression.output.static_shape) == prod(result_shape(one)), one.id


def made(kind: str, **numbers: int) -> Operator:
    sizes = KINDS[kind].sizes(Given(numbers, (), (), ""))
    return Operator("x", kind, "f32", MappingProxyType(sizes))


def flat(kind: str, shape: tuple[int, ...], axes: tuple[int, ...] = ()) -> Operator:
    return Operator("x", kind, "f32", KINDS[kind].sizes(Given({}, shape, axes, "")), shape=shape, axes=axes)


def generic(indices: str, extents: str, combiner: str = "") -> Operator:
    sizes = KINDS["generic"].sizes(Given({}, (), (), "", indices, extents, combiner))
    return Operator("x", "generic", "f32", sizes, indices=indices, combiner=combiner)


SMALL = [
    made("matmul", M=5, N=7, K=11),
    made("conv2d", N=2, C=3, H=5, W=6, F=4, KH=3, KW=2, stride=1, dilation=2, pad_h=3, pad_w=1),
    made("conv2d", N=1, C=2, H=7, W=6, F=3, KH=3, KW=3, stride=2, pad_h=2, pad_w=1),
    made("depthwise_conv2d", N=2, C=3, H=6, W=6, KH=5, KW=5, stride=2, pad_h=3, pad_w=3),
    made("avg_pool2d", N=2, C=3, H=6, W=6, KH=2, KW=2, stride=2, pad_h=1, pad_w=1),
    made("avg_pool2d", N=1, C=2, H=5, W=7, KH=1, KW=1, stride=2),
    flat("relu", (3, 5, 7)),
    flat("reduce_sum", (3, 5, 4, 2), (1, 3)),
    generic("c(2h+3r+1) rc -> hc", "h=4 c=6 r=3"),
    generic("ab a -> b", "a=5 b=7", "max"),
    generic("aab -> ba", "a=4 b=3"),
]


@pytest.mark.full(every=4)
@pytest.mark.parametrize("operator", SMALL, ids=[f"{one.kind}-{number}" for number, one in enumerate(SMALL)])
def test_small_operators_run_as_numpy_says(operator: Operator) -> None:
    """Windows with odd padding, strides, dilation; divisions by 4 are exact."""
    record = run_operator(operator, "h200", most=100_000)
    assert record["matches"] and record["equal"] and not record["shrunk"]


def test_odd_padding_lies_on_the_high_side() -> None:
    text = function_text(made("avg_pool2d", N=1, C=1, H=42, W=42, KH=3, KW=3, stride=2, pad_h=1, pad_w=3))
    assert "low[0, 0, 0, 1] high[0, 0, 1, 2]" in text


def test_an_operator_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.mlir").write_text(function_text(made("matmul", M=8, N=8, K=8)))
    two = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %y = math.exp %x : tensor<4xf32>\n"
    transposed = (
        "%e = tensor.empty() : tensor<4xf32>\n  %z = linalg.copy ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>)"
    )
    (tmp_path / "b.mlir").write_text(f"{two}  {transposed} -> tensor<4xf32>\n  return %z : tensor<4xf32>\n}}\n")
    (tmp_path / "operators.csv").write_text("id,class,file\na,file,a.mlir\nb,file,b.mlir\nc,file,missing.mlir\n")
    a, b, c = find_suite(str(tmp_path))
    with make_context() as context:
        assert read_operator(a, context).points == 512
        with pytest.raises(SuiteError, match=r"operators.csv:3: 'b' is 2 linalg operators"):
            read_operator(b, context)
        with pytest.raises(SuiteError, match=r"operators.csv:4: 'c': cannot read .*missing.mlir"):
            read_operator(c, context)
        with pytest.raises(SuiteError, match="element type stands in it"):
            read_operator(a, context, "f16")
