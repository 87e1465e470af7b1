# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of dequantized factors multiply integers where that is the same, and else stay."""

import numpy as np
import pytest

from roller_mlir.evaluation.reference import evaluate_function
from roller_mlir.lowering.linalg.rewrite.quantized.integer_products import multiply_integers
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

KINDS = {("i8", "i32")}


def dequantized(
    name: str, source: str, shape: str, body: str, *, also: str = "", maps: str = "", result: str = "f32"
) -> str:
    """Return text that makes floats of a tensor of i8, element by element.

    Args:
        name: Of the result.
        source: Of the integers.
        shape: Of both.
        body: From `%q` to `%r`.
        also: More inputs, as ", %name : type".
        maps: Their maps, each behind a comma.
        result: Element type of the result.
    """
    loops = ", ".join(f"d{number}" for number in range(shape.count("x") + 1))
    same, kinds = f"affine_map<({loops}) -> ({loops})>", ", ".join(['"parallel"'] * (shape.count("x") + 1))
    names, _, types = also.partition(" : ")
    argument = f", %p: {types.rpartition('<')[2].rstrip('>').rpartition('x')[2]}" if also else ""
    return f"""
      %{name}_empty = tensor.empty() : tensor<{shape}x{result}>
      %{name} = linalg.generic {{indexing_maps = [{same}{maps}, {same}], iterator_types = [{kinds}]}}
          ins({source}{names} : tensor<{shape}xi8>{", " + types if types else ""})
          outs(%{name}_empty : tensor<{shape}x{result}>) {{
      ^bb0(%q: i8{argument}, %old: {result}):
        {body}
        linalg.yield %r : {result}
      }} -> tensor<{shape}x{result}>"""


SCALED = "%f = arith.sitofp %d : i32 to f32 %r = arith.mulf %f, %s : f32"
UNSIGNED = f"%w = arith.extui %q : i8 to i32 %d = arith.subi %w, %z : i32 {SCALED}"
SIGNED = "%f = arith.sitofp %q : i8 to f32 %r = arith.mulf %f, %s : f32"
BY_CHANNEL = "%f = arith.sitofp %q : i8 to f32 %r = arith.mulf %p, %f : f32"


def product(
    first: str = UNSIGNED,
    second: str = SIGNED,
    *,
    zero: int = 131,
    depth: int = 7,
    channel: str = "",
    start: str = "%zeros",
    weights: str = "constant",
) -> str:
    """Return a product of 3 x depth by depth x 5, of factors that are dequantized.

    Args:
        first: Body of what makes the first one.
        second: Of the second one.
        zero: What `%z` is.
        depth: The reduction.
        channel: The map of scales of the second factor, "" where there are none.
        start: What the sums begin at.
        weights: "constant", or "argument".
    """
    values = np.random.default_rng(1).integers(-128, 127, (depth, 5), np.int8, endpoint=True)
    given = f"arith.constant dense<{values.tolist()}> : tensor<{depth}x5xi8>"
    points = depth if channel.endswith("(d0)>") else 5
    scales = f"arith.constant dense<{[2.0**-n for n in range(points)]}> : tensor<{points}xf32>"
    many = {"also": f", %scales : tensor<{points}xf32>", "maps": f", {channel}"} if channel else {}
    argument = f", %weights: tensor<{depth}x5xi8>" if weights == "argument" else ""
    return f"""func.func @product(%x: tensor<3x{depth}xi8>, %begin: tensor<3x5xf32>{argument}) -> tensor<3x5xf32> {{
      %z = arith.constant {zero} : i32
      %s = arith.constant 0.25 : f32
      {"" if argument else f"%weights = {given}"}
      {f"%scales = {scales}" if channel else ""}
      {dequantized("a", "%x", f"3x{depth}", first)}
      {dequantized("b", "%weights", f"{depth}x5", second, **many)}
      %none = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<3x5xf32>
      %zeros = linalg.fill ins(%none : f32) outs(%e : tensor<3x5xf32>) -> tensor<3x5xf32>
      %c = linalg.matmul ins(%a, %b : tensor<3x{depth}xf32>, tensor<{depth}x5xf32>) outs({start} : tensor<3x5xf32>)
        -> tensor<3x5xf32>
      return %c : tensor<3x5xf32>
    }}"""


def rewritten(text: str, *, pays: bool = True) -> int:
    """Rewrite a module; return how many products changed. It gives what it gave: all numbers here are exact."""
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        function = module.body.operations[0]
        block = function.regions[0].blocks[0]
        count = len(multiply_integers(block, KINDS, lambda *_: pays))
        assert module.operation.verify()
        assert ("arith.muli" in module.operation.get_asm(print_generic_op_form=True)) >= (count > 0)
        random = np.random.default_rng(2)
        inputs = [
            random.integers(-128, 127, [*one.type.shape], np.int8, endpoint=True)
            if "i8" in str(one.type)
            else random.integers(-9, 9, [*one.type.shape]).astype(np.float32)
            for one in block.arguments
        ]
        name = function.attributes["sym_name"].value
        (one,), (other,) = (evaluate_function(each, name, inputs).outputs for each in (before, module))
        np.testing.assert_array_equal(one, other)
        return count


def test_what_is_read_backwards_is_not_taken_for_the_other_way() -> None:
    """A dequantized weight, the op of which turns its columns around."""
    text = product()
    same = "affine_map<(d0, d1) -> (d0, d1)>"
    begin = text.index("%b = linalg.generic")
    turned = text[begin:].replace(f"[{same}, {same}]", f"[affine_map<(d0, d1) -> (d0, 4 - d1)>, {same}]", 1)
    assert turned != text[begin:] and rewritten(text[:begin] + turned) == 0
    transposed = product(depth=5)
    begin = transposed.index("%b = linalg.generic")
    turned = transposed[begin:].replace(f"[{same}, {same}]", f"[affine_map<(d0, d1) -> (d1, d0)>, {same}]", 1)
    assert turned != transposed[begin:] and rewritten(transposed[:begin] + turned) == 1


@pytest.mark.parametrize("body", ["uitofp %p : i8 to f32", "sitofp %wide : i32 to f32"])
def test_zero_points_at_run_time_keep_their_sign(body: str) -> None:
    """200 without sign, from 8 bits to a float, or by way of 32 bits."""
    wide = "%wide = arith.extui %p : i8 to i32" if "wide" in body else ""
    first = f"%w = arith.uitofp %q : i8 to f32 {wide} %v = arith.{body} %d = arith.subf %w, %v : f32 "
    text = product(first + "%r = arith.mulf %d, %s : f32")
    plain = dequantized("a", "%x", "3x7", first + "%r = arith.mulf %d, %s : f32")
    point = {"also": ", %point : tensor<i8>", "maps": ", affine_map<(d0, d1) -> ()>"}
    at_run_time = dequantized("a", "%x", "3x7", first + "%r = arith.mulf %d, %s : f32", **point)
    at_run_time = at_run_time.replace("%p: i8", "%p: i8")
    made = text.replace(plain, at_run_time).replace(
        "%begin: tensor<3x5xf32>", "%begin: tensor<3x5xf32>, %point: tensor<i8>"
    )
    assert made != text and rewritten(made) == 1


def test_what_is_repeated_along_the_reduction_stays() -> None:
    """A weight of one row, seven times: its sums are not those of the row."""
    text = product()
    begin, end = text.index("%b_empty = "), text.index("%none = ")
    turned = (
        dequantized("row", "%weights", "5", SIGNED)
        + """
      %b_empty = tensor.empty() : tensor<7x5xf32>
      %b = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>],
          iterator_types = ["parallel", "parallel"]} ins(%row : tensor<5xf32>) outs(%b_empty : tensor<7x5xf32>) {
      ^bb0(%in: f32, %old: f32):
        linalg.yield %in : f32
      } -> tensor<7x5xf32>
      """
    )
    constant = text.index("%weights = arith.constant")
    rest = text[text.index("\n", constant) : begin]
    weights = "%weights = arith.constant dense<[3, -9, 127, -128, 5]> : tensor<5xi8>"
    assert rewritten(text[:constant] + weights + rest + turned + text[end:]) == 0


COLUMNS, ROWS = "affine_map<(d0, d1) -> (d1)>", "affine_map<(d0, d1) -> (d0)>"


@pytest.mark.parametrize("zero", [-300, 0, 1, 128, 131, 255, 300])
@pytest.mark.parametrize("start", ["%zeros", "%begin"])
@pytest.mark.parametrize("weights", ["constant", "argument"])
def test_zero_points_are_taken_off_the_sums(zero: int, start: str, weights: str) -> None:
    assert rewritten(product(zero=zero, start=start, weights=weights)) == 1


@pytest.mark.parametrize("weights", ["constant", "argument"])
def test_both_factors_may_have_zero_points(weights: str) -> None:
    assert rewritten(product(UNSIGNED, UNSIGNED, zero=77, weights=weights)) == 1


def test_signs_may_be_changed_on_the_way() -> None:
    """-128 added to numbers without sign, which are read with one: of 128 more, as quantized products of linalg are."""
    flipped = UNSIGNED.replace(
        "%w = arith.extui %q", "%n = arith.constant -128 : i8 %g = arith.addi %q, %n : i8 %w = arith.extsi %g"
    )
    assert rewritten(product(flipped, zero=-3)) == 1
    assert rewritten(product(flipped.replace("arith.addi", "arith.xori").replace("extsi", "extui"), zero=3)) == 1


def test_columns_may_have_scales_of_their_own() -> None:
    assert rewritten(product(second=BY_CHANNEL, channel=COLUMNS)) == 1


@pytest.mark.parametrize(("zeros", "count"), [([3, 3, 3, 3, 3], 1), ([3, 3, 4, 3, 3], 0)])
def test_zero_points_of_columns_are_one_number(zeros: list[int], count: int) -> None:
    body = "%w = arith.extsi %q : i8 to i32 %v = arith.extsi %p : i8 to i32 %d = arith.subi %w, %v : i32 " + SCALED
    text = product(second=body, channel=COLUMNS)
    begin = text.index("%scales = arith.constant")
    text = text[:begin] + f"%scales = arith.constant dense<{zeros}> : tensor<5xi8>" + text[text.index("\n", begin) :]
    assert rewritten(text.replace("tensor<5xf32>", "tensor<5xi8>").replace("%p: f32", "%p: i8")) == count


@pytest.mark.parametrize("scale", ["1.0e-20", "1.0e+20", "1.0e-40"])
def test_scales_whose_product_f32_does_not_hold_stay(scale: str) -> None:
    """The floats are large or small enough by themselves: of 0 the product is 0, not 0 times infinity."""
    with make_context() as context:
        module = parse_module(product().replace("arith.constant 0.25", f"arith.constant {scale}"), context)
        block = module.body.operations[0].regions[0].blocks[0]
        assert not multiply_integers(block, KINDS, lambda *_: True)


def test_scales_along_the_reduction_stay() -> None:
    assert rewritten(product(second=BY_CHANNEL, channel=ROWS)) == 0


def test_what_does_not_pay_stays() -> None:
    assert rewritten(product(), pays=False) == 0


@pytest.mark.parametrize("zero", [0, 131, 300])
def test_sums_that_may_pass_32_bits_stay(zero: int) -> None:
    """Integers without sign are at most so far from their zero point, numbers with one at most 128 from 0."""
    most = (2**31 - 1) // (max(zero, 255 - zero) * 128)
    for depth, count in ((most, 1), (most + 1, 0)):
        with make_context() as context:
            module = parse_module(product(zero=zero, weights="argument", depth=depth), context)
            block = module.body.operations[0].regions[0].blocks[0]
            assert len(multiply_integers(block, KINDS, lambda *_: True)) == count


@pytest.mark.parametrize(
    "body",
    [
        UNSIGNED.replace("arith.sitofp %d", "arith.uitofp %d"),  # a difference below 0 is a large number then
        UNSIGNED.replace("arith.mulf %f, %s", "arith.addf %f, %s"),
        UNSIGNED.replace("arith.subi %w, %z", "arith.subi %z, %w"),
        UNSIGNED.replace("%r = arith.mulf", "%m = arith.mulf").replace("%s : f32", "%s : f32 %r = math.exp %m : f32"),
        UNSIGNED.replace("arith.subi", "arith.addi"),
        SIGNED.replace("arith.mulf %f, %s", "arith.mulf %f, %f"),
    ],
)
def test_other_bodies_stay(body: str) -> None:
    with make_context() as context:
        module = parse_module(product(body), context)
        block = module.body.operations[0].regions[0].blocks[0]
        assert not multiply_integers(block, KINDS, lambda *_: True)


def convolution(zero: int, padding: str = "0.0") -> str:
    """Return a convolution of 3 x 3 over padded images, channels first."""
    values = np.random.default_rng(1).integers(-128, 127, (4, 2, 3, 3), np.int8, endpoint=True)
    return f"""func.func @convolution(%x: tensor<1x2x5x6xi8>) -> tensor<1x4x5x6xf32> {{
      %z = arith.constant {zero} : i32
      %s = arith.constant 0.25 : f32
      %weights = arith.constant dense<{values.tolist()}> : tensor<4x2x3x3xi8>
      {dequantized("a", "%x", "1x2x5x6", UNSIGNED)}
      {dequantized("b", "%weights", "4x2x3x3", SIGNED)}
      %around = arith.constant {padding} : f32
      %p = tensor.pad %a low[0, 0, 1, 1] high[0, 0, 1, 1] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %around : f32
      }} : tensor<1x2x5x6xf32> to tensor<1x2x7x8xf32>
      %none = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<1x4x5x6xf32>
      %zeros = linalg.fill ins(%none : f32) outs(%e : tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32>
      %c = linalg.conv_2d_nchw_fchw ins(%p, %b : tensor<1x2x7x8xf32>, tensor<4x2x3x3xf32>)
        outs(%zeros : tensor<1x4x5x6xf32>) -> tensor<1x4x5x6xf32>
      return %c : tensor<1x4x5x6xf32>
    }}"""


@pytest.mark.parametrize("zero", [0, 5, 128, 255])
def test_padding_reads_as_the_zero_point(zero: int) -> None:
    assert rewritten(convolution(zero)) == 1


def test_padding_by_a_zero_point_that_is_not_known_stays() -> None:
    first = "%w = arith.extui %q : i8 to i32 %v = arith.extui %p : i8 to i32 %d = arith.subi %w, %v : i32 " + SCALED
    point = {"also": ", %point : tensor<i8>", "maps": ", affine_map<(d0, d1, d2, d3) -> ()>"}
    text = convolution(3).replace("%x: tensor<1x2x5x6xi8>", "%x: tensor<1x2x5x6xi8>, %point: tensor<i8>")
    plain = dequantized("a", "%x", "1x2x5x6", UNSIGNED)
    assert plain in text and rewritten(text.replace(plain, dequantized("a", "%x", "1x2x5x6", first, **point))) == 0


def test_padding_that_no_integer_of_8_bits_is_stays() -> None:
    assert rewritten(convolution(-1)) == 0
    assert rewritten(convolution(256 - 1, "1.0")) == 0


def test_integers_that_others_read_are_stored_once() -> None:
    """A quantizer's result, which a product and a sum read, gets signs, and the sum reads these."""
    text = """func.func @both(%x: tensor<4x8xf32>, %w: tensor<8x8xi8>) -> (tensor<4x8xi32>, tensor<4x8xi32>) {
      %e8 = tensor.empty() : tensor<4x8xi8>
      %e = tensor.empty() : tensor<4x8xi32>
      %q = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
          ins(%x : tensor<4x8xf32>) outs(%e8 : tensor<4x8xi8>) {
      ^bb0(%in: f32, %old: i8):
        %r = arith.fptoui %in : f32 to i8
        linalg.yield %r : i8
      } -> tensor<4x8xi8>
      %wide = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]}
          ins(%q : tensor<4x8xi8>) outs(%e : tensor<4x8xi32>) {
      ^bb0(%in: i8, %old: i32):
        %r = arith.extui %in : i8 to i32
        linalg.yield %r : i32
      } -> tensor<4x8xi32>
      %zero = arith.constant 0 : i32
      %f = linalg.fill ins(%zero : i32) outs(%e : tensor<4x8xi32>) -> tensor<4x8xi32>
      %c = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
          affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%q, %w : tensor<4x8xi8>, tensor<8x8xi8>) outs(%f : tensor<4x8xi32>) {
      ^bb0(%a: i8, %b: i8, %old: i32):
        %p = arith.extui %a : i8 to i32
        %n = arith.extsi %b : i8 to i32
        %m = arith.muli %p, %n : i32
        %r = arith.addi %old, %m : i32
        linalg.yield %r : i32
      } -> tensor<4x8xi32>
      return %wide, %c : tensor<4x8xi32>, tensor<4x8xi32>
    }""".replace("#same", "affine_map<(i, j) -> (i, j)>")
    with make_context() as context:
        module, before = parse_module(text, context), parse_module(text, context)
        block = module.body.operations[0].regions[0].blocks[0]
        assert len(multiply_integers(block, KINDS, lambda *_: True)) == 1
        x = np.random.default_rng(0).integers(0, 256, (4, 8)).astype(np.float32)
        w = np.random.default_rng(1).integers(-128, 128, (8, 8)).astype(np.int8)
        given = [evaluate_function(each, "both", [x, w]).outputs for each in (before, module)]
        for one, other in zip(*given, strict=True):
            np.testing.assert_array_equal(one, other)
        quantized = next(op.operation.results[0] for op in block.operations if "arith.fptoui" in str(op))
        assert len(list(quantized.uses)) == 1
