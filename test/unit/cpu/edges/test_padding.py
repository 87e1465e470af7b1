# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Points on padding that are left out: results, machine code that has fewer, and what must stay."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cpu_programs import compiled, differences

from roller_mlir.hal import find_device
from roller_mlir.plan import AxisPlan, OperandPlan, Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact
from roller_mlir.support.diagnostics import DiagnosedError
from roller_mlir.tools.roller import main

LANES = 16


def convolution(
    image: tuple[int, int],
    window: tuple[int, int],
    low: tuple[int, int],
    high: tuple[int, int],
    *,
    stride: int = 1,
    dilation: int = 1,
    channels: int = 12,
    filters: int = 16,
    weights: np.ndarray | None = None,
    pad: float = 0.0,
) -> str:
    """Return a convolution of a padded image with a constant filter."""
    if weights is None:
        weights = np.random.default_rng(0).integers(-3, 4, (*window, channels, filters)).astype(np.float32)
    padded = [n + a + b for n, a, b in zip(image, low, high, strict=True)]
    output = [(n - dilation * (k - 1) - 1) // stride + 1 for n, k in zip(padded, window, strict=True)]
    x, p, y = (
        f"tensor<1x{h}x{w}x{c}xf32>"
        for (h, w), c in zip((image, padded, output), (channels, channels, filters), strict=True)
    )
    f = f"tensor<{window[0]}x{window[1]}x{channels}x{filters}xf32>"
    data = (64).to_bytes(4, "little").hex() + np.ascontiguousarray(weights, np.float32).tobytes().hex()
    return f"""func.func @convolution(%x: {x}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %pad = arith.constant {pad:.1f} : f32
      %w = arith.constant dense_resource<w> : {f}
      %p = tensor.pad %x low[0, {low[0]}, {low[1]}, 0] high[0, {high[0]}, {high[1]}, 0] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %pad : f32
      }} : {x} to {p}
      %e = tensor.empty() : {y}
      %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.conv_2d_nhwc_hwcf {{dilations = dense<{dilation}> : tensor<2xi64>,
          strides = dense<{stride}> : tensor<2xi64>}} ins(%p, %w : {p}, {f}) outs(%i : {y}) -> {y}
      return %r : {y}
    }}
    {{-# dialect_resources: {{ builtin: {{ w: "0x{data}" }} }} #-}}
    """


def products(body: str, weight: float = 1.0) -> str:
    """Return sums over the windows of a padded image of what a body makes, in %p, of %x, a constant's %w and 1."""
    x, p, f, y = "tensor<1x7x7x4xf32>", "tensor<1x9x9x4xf32>", "tensor<3x3x4x16xf32>", "tensor<1x7x7x16xf32>"
    return f"""func.func @products(%x: {x}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %one = arith.constant 1.0 : f32
      %w = arith.constant dense<{weight}> : {f}
      %p = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : f32
      }} : {x} to {p}
      %e = tensor.empty() : {y}
      %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.generic {{indexing_maps = [affine_map<(b, y, x, f, i, j, c) -> (b, y + i, x + j, c)>,
                                            affine_map<(b, y, x, f, i, j, c) -> (i, j, c, f)>,
                                            affine_map<(b, y, x, f, i, j, c) -> (b, y, x, f)>],
          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}}
          ins(%p, %w : {p}, {f}) outs(%i : {y}) {{
      ^bb0(%x0: f32, %w0: f32, %o: f32):
        {body}
        %s = arith.addf %o, %p0 : f32
        linalg.yield %s : f32
      }} -> {y}
      return %r : {y}
    }}"""


def _plan(text: str) -> Plan:
    (kernel,) = compiled(text).kernels
    assert kernel.plan is not None
    return kernel.plan


def _adopted(text: str, plan: Plan, folder: Path) -> Artifact:
    file = folder / "plan.json"
    file.write_text(json.dumps({compiled(text).kernels[0].program: to_json(plan)}))
    return compiled(text, plan_file=file)


def _skipping(plan: Plan, rows: int, columns: int, *, packed: bool, unrolled: Sequence[int] = ()) -> Plan:
    """Return a plan of tiles of so many rows and columns of the image, which is packed or read where it lies."""
    blocks = [1, rows, columns, LANES, *(axis.block for axis in plan.axes[4:])]
    axes = [
        AxisPlan(block=block, chunk=LANES if loop == 3 else block if loop in unrolled else 1)
        for loop, block in enumerate(blocks)
    ]
    image, weights = plan.operands
    image = OperandPlan(layer="workgroup" if packed else "register", order=image.order, pad_value=0.0)
    weights = OperandPlan(layer="register", order=weights.order, pad_value=0.0)
    inner = (1, 2) if packed else ()
    made = replace(plan, axes=tuple(axes), lane=3, operands=(image, weights), unit_order=(0, 3, 1, 2))
    unroll = 1
    for loop in unrolled:
        unroll *= blocks[loop]
    return replace(made, inner_order=inner, unroll=unroll, skips=(0,), pipeline="", prediction=None)


SHAPES = {
    "rows": ((7, 7), (3, 3), (1, 1), (1, 1), {}),
    "far": ((3, 5), (2, 3), (4, 3), (5, 2), {}),  # windows that lie on padding alone
    "strides": ((9, 8), (5, 4), (2, 1), (3, 2), {"stride": 2}),
    "dilated": ((8, 6), (3, 3), (3, 2), (2, 4), {"dilation": 2}),
    "both": ((11, 10), (3, 4), (4, 3), (5, 1), {"stride": 3, "dilation": 2}),
    "channels": ((13, 13), (3, 3), (1, 1), (1, 1), {"channels": 40}),
    "far channels": ((3, 5), (2, 3), (4, 3), (5, 2), {"channels": 40}),
    "channels, strides": ((9, 15), (5, 4), (2, 3), (3, 5), {"channels": 33, "stride": 2}),
    "channels, both": ((11, 25), (3, 4), (4, 3), (5, 1), {"channels": 32, "stride": 3, "dilation": 2}),
    "long window": ((4, 9), (2, 9), (0, 4), (1, 4), {"channels": 32}),  # more taps than stand in the code
}


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "where it lies"])
@pytest.mark.parametrize("tile", [(1, 3), (2, 2), (3, 1), (4, 4)])
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.full(each=["packed"])
def test_results_without_padding_equal_numpy(shape: str, tile: tuple[int, int], packed: bool, tmp_path: Path) -> None:
    image, window, low, high, more = SHAPES[shape]
    text = convolution(image, window, low, high, **more)
    for unrolled in ((), (5,)):
        artifact = _adopted(text, _skipping(_plan(text), *tile, packed=packed, unrolled=unrolled), tmp_path)
        (kernel,) = artifact.kernels
        assert kernel.plan is not None and kernel.plan.skips == (0,)
        assert differences(text, artifact) == []


def test_whole_columns_stand_in_fewer_multiply_adds(tmp_path: Path) -> None:
    """Of seven columns under three taps the outer two have one tap less, where taps stand in the code."""
    text = convolution((7, 7), (3, 3), (1, 1), (1, 1))
    counts: list[int] = []
    for skips in ((0,), ()):
        plan = replace(_skipping(_plan(text), 1, 7, packed=True, unrolled=(5,)), skips=skips)
        artifact = _adopted(text, plan, tmp_path)
        assert differences(text, artifact) == []
        counts.append(artifact.files["convolution_conv_2d_nhwc_hwcf_0.s"].count(b"vfmadd"))
    with_less, whole = counts  # as many times 19 and 21 as 16 filters are vectors of this machine
    assert with_less * 21 == whole * 19 > 0


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.full(every=15)
def test_random_windows_equal_numpy(seed: int, tmp_path: Path) -> None:
    random = np.random.default_rng(seed)

    def pair(low: int, high: int) -> tuple[int, int]:
        return int(random.integers(low, high)), int(random.integers(low, high))

    window, image, stride, dilation = pair(2, 8), pair(1, 24), int(random.integers(1, 4)), int(random.integers(1, 3))
    reach = [dilation * (taps - 1) + 1 for taps in window]
    low = pair(0, 5)
    high = tuple(max(0, reach[i] - low[i] - image[i]) + int(random.integers(0, 5)) for i in range(2))
    channels, filters = int(random.choice([5, 16, 32, 37])), int(random.choice([16, 24, 40]))
    shape = {"stride": stride, "dilation": dilation, "channels": channels, "filters": filters}
    text = convolution(image, window, low, (high[0], high[1]), **shape)
    for target in ("host", "haswell"):
        assert differences(text, compiled(text, target)) == []
    plan = _plan(text)
    if len(plan.axes) != 7 or plan.skips != (0,):
        return  # a dimension of one place, or no padding
    forced = _skipping(plan, *pair(1, 8), packed=bool(seed % 2), unrolled=((), (5,))[seed // 2 % 2])
    assert differences(text, _adopted(text, forced, tmp_path)) == []


@pytest.mark.parametrize(("columns", "multiplies"), [(3, 13), (5, 27), (13, 37), (1, 1)])
def test_tiles_at_the_ends_of_a_row_stand_by_themselves(columns: int, multiplies: int, tmp_path: Path) -> None:
    """Of 13 columns in tiles of 3 the first has 8 pairs of a column and a tap, the last 2, those between 3 a tap."""
    text = convolution((13, 13), (3, 3), (1, 1), (1, 1), channels=40)
    plan = _skipping(_plan(text), 1, columns, packed=False)
    artifact = _adopted(text, plan, tmp_path)
    assert differences(text, artifact) == []
    vectors = LANES * 4 // (find_device("host").vector_bytes or 4)
    code = artifact.files["convolution_conv_2d_nhwc_hwcf_0.s"]
    assert len(re.findall(rb"vfmadd|fmla", code)) == multiplies * vectors


def test_the_planner_leaves_padding_out_of_products_with_finite_constants_alone() -> None:
    weights = np.ones((3, 3, 12, 16), np.float32)
    usual = convolution((7, 7), (3, 3), (1, 1), (1, 1), weights=weights)
    assert _plan(usual).skips == (0,)
    assert differences(usual, compiled(usual)) == []
    assert _plan(convolution((7, 7), (3, 3), (0, 0), (0, 0), weights=weights)).skips == ()
    assert _plan(convolution((7, 7), (3, 3), (1, 1), (1, 1), weights=weights, pad=1.0)).skips == ()
    weights[0, 1, 2, 3] = np.inf  # times padding that is no number
    infinite = convolution((7, 7), (3, 3), (1, 1), (1, 1), weights=weights)
    assert _plan(infinite).skips == ()
    artifact = compiled(infinite)
    found = artifact.run(np.ones((1, 7, 7, 12), np.float32), on="cpu")[0]
    assert np.isnan(found[0, 0, :, 3]).all() and not np.isnan(found[0, 1:, :, :3]).any()


COUNTED = {
    "one more": ("%a = arith.addf %x0, %one : f32\n %p0 = arith.mulf %a, %w0 : f32", 1.0),
    "exponential": ("%a = math.exp %x0 : f32\n %p0 = arith.mulf %a, %w0 : f32", 1.0),
    "reciprocal": ("%a = arith.divf %one, %w0 : f32\n %p0 = arith.mulf %x0, %a : f32", 0.0),  # infinite, times 0
}


@pytest.mark.full(every=2)
@pytest.mark.parametrize("case", COUNTED)
def test_padding_counts_in_products_of_other_factors_than_inputs(case: str, tmp_path: Path) -> None:
    text = products(*COUNTED[case])
    artifact = compiled(text)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.skips == ()
    assert differences(text, artifact) == []
    assert np.isnan(artifact.run(np.ones((1, 7, 7, 4), np.float32), on="cpu")[0]).any() == (case == "reciprocal")
    with pytest.raises(DiagnosedError, match=r"skips \[0\] is for products of two inputs as they are or widened"):
        _adopted(text, replace(kernel.plan, skips=(0,), prediction=None), tmp_path)


def test_padding_of_a_changed_image_is_left_out_and_counts_times_a_changed_constant(tmp_path: Path) -> None:
    """Padding lies around what an op in front of it makes; a filter is no longer the constant that was looked at."""
    usual = convolution((7, 7), (3, 3), (1, 1), (1, 1), weights=np.zeros((3, 3, 12, 16), np.float32))
    of = "indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>, affine_map<(i, j, k, l) -> (i, j, k, l)>]"
    kinds = 'iterator_types = ["parallel", "parallel", "parallel", "parallel"]'

    def after(name: str, body: str, kind: str) -> str:
        return f"""%{name}e = tensor.empty() : {kind}
          %{name}1 = linalg.generic {{{of}, {kinds}}} ins(%{name} : {kind}) outs(%{name}e : {kind}) {{
          ^bb0(%a: f32, %o: f32):
            %b = {body} : f32
            linalg.yield %b : f32
          }} -> {kind}
          """

    pad = "%p = tensor.pad %x low"
    less = "%one = arith.constant 1.0 : f32\n" + after("x", "arith.subf %one, %a", "tensor<1x7x7x12xf32>")
    image = usual.replace(pad, less + pad.replace("%x", "%x1"))
    assert _plan(image).skips == (0,)
    assert differences(image, compiled(image)) == []
    logarithm = after("w", "math.log %a", "tensor<3x3x12x16xf32>")
    filters = usual.replace(pad, logarithm + pad).replace("ins(%p, %w", "ins(%p, %w1")
    plan = _plan(filters)
    assert plan.skips == ()
    assert differences(filters, compiled(filters)) == []
    with pytest.raises(DiagnosedError, match=r"skips \[0\] is multiplied by what is computed from input 1"):
        _adopted(filters, replace(plan, skips=(0,), prediction=None), tmp_path)


@pytest.mark.parametrize("size", [7, 9])
def test_lanes_along_the_image_equal_numpy(size: int) -> None:
    """Channels first: no point of a vector is left out by itself, and short loops over a window keep their bounds."""
    weights = np.random.default_rng(1).integers(-3, 4, (24, 6, 3, 3)).astype(float).tolist()
    x, p, y = (f"tensor<1x{c}x{n}x{n}xf32>" for c, n in ((6, size), (6, size + 2), (24, size)))
    text = f"""func.func @convolution(%x: {x}) -> {y} {{
      %zero = arith.constant 0.0 : f32
      %w = arith.constant dense<{weights}> : tensor<24x6x3x3xf32>
      %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {{
      ^bb0(%i: index, %j: index, %k: index, %l: index):
        tensor.yield %zero : f32
      }} : {x} to {p}
      %e = tensor.empty() : {y}
      %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
      %r = linalg.conv_2d_nchw_fchw ins(%p, %w : {p}, tensor<24x6x3x3xf32>) outs(%i : {y}) -> {y}
      return %r : {y}
    }}"""
    artifact = compiled(text)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.skips == (0,)
    assert differences(text, artifact) == []


@pytest.mark.parametrize("pad", [(1 << 53) + 1, (1 << 63) - 1])
def test_padding_of_i64_is_the_integer_that_it_is(pad: int, tmp_path: Path) -> None:
    """No float has these numbers."""
    text = f"""func.func @padded(%x: tensor<5x7xi64>) -> tensor<7x9xi64> {{
      %pad = arith.constant {pad} : i64
      %p = tensor.pad %x low[1, 1] high[1, 1] {{
      ^bb0(%i: index, %j: index):
        tensor.yield %pad : i64
      }} : tensor<5x7xi64> to tensor<7x9xi64>
      return %p : tensor<7x9xi64>
    }}"""
    image = np.arange(35).reshape(5, 7)
    plan, wanted = _plan(text), np.pad(image, 1, constant_values=pad)
    for artifact in (compiled(text), _adopted(text, plan, tmp_path)):
        assert np.array_equal(artifact.run(image, on="cpu")[0], wanted)
    rounded = replace(plan.operands[0], pad_value=float(pad))
    with pytest.raises(DiagnosedError, match=f"read outside of its tensor, where it is {pad}"):
        _adopted(text, replace(plan, operands=(rounded,), prediction=None), tmp_path)


def test_explain_says_what_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "padded.mlir"
    file.write_text(convolution((7, 7), (3, 3), (1, 1), (1, 1)))
    assert main(["explain", str(file), "--target", "spr"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Points that read padding of arg0 alone are left out." in said


@pytest.mark.parametrize(
    ("skips", "pad", "message"),
    [
        ((1,), 0.0, r"skips \[1\] leave out products with input 0, which is no constant of finite numbers"),
        ((2,), 0.0, r"skips \[2\] must be one of two factors, but there are 2 inputs"),
        ((0,), 1.0, r"skips \[0\] is an input that reads as 1.0 outside of its tensor, not as 0"),
    ],
)
def test_a_plan_that_leaves_out_what_counts_is_refused(
    skips: tuple[int, ...], pad: float, message: str, tmp_path: Path
) -> None:
    text = convolution((7, 7), (3, 3), (1, 1), (1, 1), pad=pad)
    with pytest.raises(DiagnosedError, match=message):
        _adopted(text, replace(_plan(text), skips=skips, prediction=None), tmp_path)


def test_infinite_constants_of_a_forced_plan_are_refused(tmp_path: Path) -> None:
    weights = np.full((3, 3, 12, 16), np.nan, np.float32)
    text = convolution((7, 7), (3, 3), (1, 1), (1, 1), weights=weights)
    with pytest.raises(DiagnosedError, match="with input 1, which is no constant of finite numbers"):
        _adopted(text, replace(_plan(text), skips=(0,), prediction=None), tmp_path)
