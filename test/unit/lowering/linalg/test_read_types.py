# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the reader says of bodies in other types than f32: planned like any other, casts for free."""

import pytest

import roller_mlir.passes  # noqa: F401 - makes rtile-normalize known
from roller_mlir.lowering.linalg.reader import StructuredReader, is_structured, read_structured
from roller_mlir.plan import TensorExpression
from roller_mlir.support.bindings import func, ir, make_context
from roller_mlir.support.passes.pipeline import run_pipeline


def read(text: str) -> TensorExpression:
    """The expression of a function's last op, normalized."""
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse(text, context)
        run_pipeline(module, "rtile-normalize")
        (function,) = [op for op in module.body.operations if isinstance(op, func.FuncOp)]
        ops = [op.operation for op in function.entry_block.operations if is_structured(op.operation)]
        return read_structured(ops[-1]).expression


def matmul(factor: str, result: str, zero: str = "0.0") -> str:
    a, b, c = f"tensor<32x64x{factor}>", f"tensor<64x16x{factor}>", f"tensor<32x16x{result}>"
    return f"""func.func @f(%a: {a}, %b: {b}) -> {c} {{
  %zero = arith.constant {zero} : {result}
  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : {result}) outs(%e : {c}) -> {c}
  %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%i : {c}) -> {c}
  return %r : {c}
}}"""


def reduction(source: str, result: str, body: str, start: str) -> str:
    x, r = f"tensor<32x64x{source}>", f"tensor<32x{result}>"
    return f"""func.func @f(%x: {x}) -> {r} {{
  %s = arith.constant {start} : {result}
  %e = tensor.empty() : {r}
  %i = linalg.fill ins(%s : {result}) outs(%e : {r}) -> {r}
  %g = linalg.generic {{indexing_maps = [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i)>],
      iterator_types = ["parallel", "reduction"]}} ins(%x : {x}) outs(%i : {r}) {{
  ^bb0(%v: {source}, %acc: {result}):
    {body}
    linalg.yield %n : {result}
  }} -> {r}
  return %g : {r}
}}"""


@pytest.mark.parametrize(
    ("factor", "result", "zero", "combiner"),
    [
        ("f16", "f16", "0.0", "arith.addf"),
        ("f16", "f32", "0.0", "arith.addf"),
        ("bf16", "f32", "0.0", "arith.addf"),
        ("f64", "f64", "0.0", "arith.addf"),
        ("i8", "i32", "0", "arith.addi"),
        ("i32", "i32", "0", "arith.addi"),
    ],
)
def test_contractions(factor: str, result: str, zero: str, combiner: str) -> None:
    expression = read(matmul(factor, result, zero))
    assert [access.element_type for access in (*expression.inputs, expression.output)] == [factor, factor, result]
    assert expression.fused_multiply_add
    assert expression.flops_per_point == 2
    assert expression.combiner == combiner
    assert expression.pad_values == (0.0, 0.0)
    assert not expression.accumulates


@pytest.mark.parametrize(
    ("source", "result", "body", "start", "flops", "pad"),
    [
        ("f16", "f32", "%w = arith.extf %v : f16 to f32\n %n = arith.maximumf %acc, %w : f32", "0xFF800000", 1, "-inf"),
        ("i32", "i32", "%n = arith.maxsi %acc, %v : i32", "-2147483648", 1, "-2147483648"),
        ("i32", "i32", "%n = arith.minsi %acc, %v : i32", "2147483647", 1, "2147483647"),
        ("i8", "i32", "%w = arith.extsi %v : i8 to i32\n %n = arith.maxsi %acc, %w : i32", "-128", 1, None),
        ("i8", "f32", "%w = arith.sitofp %v : i8 to f32\n %n = arith.maximumf %acc, %w : f32", "0.0", 1, None),
        ("i8", "f32", "%w = arith.sitofp %v : i8 to f32\n %n = arith.mulf %acc, %w : f32", "1.0", 1, "1"),
        ("i8", "f32", "%w = arith.sitofp %v : i8 to f32\n %n = arith.addf %acc, %w : f32", "0.0", 1, "0"),
        (
            "bf16",
            "f32",
            "%w = arith.extf %v : bf16 to f32\n %m = arith.mulf %w, %w : f32\n %n = arith.addf %acc, %m : f32",
            "0.0",
            2,
            "0",
        ),
    ],
)
def test_reductions(source: str, result: str, body: str, start: str, flops: int, pad: str | None) -> None:
    expression = read(reduction(source, result, body, start))
    assert expression.flops_per_point == flops
    assert expression.pad_values == (None if pad is None else float(pad),)


def test_a_product_that_is_rounded_before_the_sum_is_no_multiply_add() -> None:
    body = "%m = arith.mulf %v, %v : f16\n %w = arith.extf %m : f16 to f32\n %n = arith.addf %acc, %w : f32"
    expression = read(reduction("f16", "f32", body, "0.0"))
    assert not expression.fused_multiply_add
    assert expression.flops_per_point == 2


def test_paddings_of_half_precision() -> None:
    text = """func.func @f(%x: tensor<8x16xf16>) -> tensor<8x20xf16> {
  %value = arith.constant 0xFC00 : f16
  %p = tensor.pad %x low[0, 3] high[0, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %value : f16
  } : tensor<8x16xf16> to tensor<8x20xf16>
  return %p : tensor<8x20xf16>
}"""
    expression = read(text)
    assert expression.pad_values == (float("-inf"),)
    assert [index.constant for index in expression.inputs[0].indices] == [0, -3]
    assert expression.inputs[0].shape == (8, 16)


def test_ops_that_are_equal_but_for_their_tensors_share_their_expression_and_no_others_do() -> None:
    kind = "tensor<8x16xf32>"

    def op(number: int, source: str, start: str, value: str) -> str:
        return f"""%r{number} = linalg.generic {{indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]}}
      ins(%{source} : {kind}) outs(%{start} : {kind}) {{
    ^bb0(%v: f32, %o: f32):
      %n = {value} : f32
      linalg.yield %n : f32
    }} -> {kind}"""

    ops = [
        ("a", "e", "arith.negf %v"),
        ("b", "e", "arith.negf %v"),
        ("b", "e", "math.exp %v"),
        ("a", "e", "arith.addf %v, %o"),
        ("a", "s", "arith.addf %v, %o"),
        ("c", "e", "arith.negf %v"),
        ("d", "e", "arith.negf %v"),
        ("d", "e", "arith.negf %v"),
    ]
    lines = "\n".join(op(number, *each) for number, each in enumerate(ops))
    text = f"""#m = affine_map<(i, j) -> (i, j)>
func.func @f(%a: {kind}, %b: {kind}, %w: tensor<32x16xf32>) -> {kind} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {kind}
  %s = linalg.fill ins(%zero : f32) outs(%e : {kind}) -> {kind}
  %c = tensor.extract_slice %w[4, 0] [8, 16] [1, 1] : tensor<32x16xf32> to {kind}
  %d = tensor.extract_slice %w[5, 0] [8, 16] [1, 1] : tensor<32x16xf32> to {kind}
  {lines}
  return %r0 : {kind}
}}"""
    reader = StructuredReader()
    with make_context() as context, ir.Location.unknown():
        module = ir.Module.parse(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        found = [op.operation for op in block.operations if op.operation.name == "linalg.generic"]
        roots = [reader.read(operation) for operation in found]
        assert [root.expression for root in roots] == [read_structured(operation).expression for operation in found]
        assert [root.sources[0] == operation.operands[0] for root, operation in zip(roots, found, strict=True)] == (
            [True] * 5 + [False] * 3
        )
    first = [min(m for m, other in enumerate(roots) if other.expression is one.expression) for one in roots]
    assert first == [0, 0, 2, 3, 4, 5, 6, 6]
