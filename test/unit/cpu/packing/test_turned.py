# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lanes along a loop whose points are no neighbours in memory: factors packed turned, results stored by rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from cpu_programs import compiled, differences, targets

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.measure.tune.dispatches import dispatches_of
from roller_mlir.hal import find_device
from roller_mlir.model.options import ConstructOptions
from roller_mlir.model.vectors.construct import construct_vectors
from roller_mlir.plan import Plan
from roller_mlir.plan.records.codec import to_json
from roller_mlir.runtime import Artifact


def _product(rows: int, columns: int, depth: int, element: str = "f32", weights: np.ndarray | None = None) -> str:
    """Return C[m, n] += A[m, k] B[n, k], where B may be a constant."""
    a, b, c = (f"tensor<{m}x{n}x{element}>" for m, n in ((rows, depth), (columns, depth), (rows, columns)))
    kind = "i" if element[0] == "i" else "f"
    given = "" if weights is not None else f", %b: {b}"
    held = "" if weights is None else f"  %b = arith.constant dense<{weights.tolist()}> : {b}\n"
    return f"""func.func @f(%a: {a}{given}) -> {c} {{
  %zero = arith.constant {0 if kind == "i" else 0.0} : {element}
{held}  %e = tensor.empty() : {c}
  %i = linalg.fill ins(%zero : {element}) outs(%e : {c}) -> {c}
  %r = linalg.generic {{
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]}} ins(%a, %b : {a}, {b}) outs(%i : {c}) {{
  ^bb0(%x: {element}, %y: {element}, %s: {element}):
    %p = arith.mul{kind} %x, %y : {element}
    %t = arith.add{kind} %s, %p : {element}
    linalg.yield %t : {element}
  }} -> {c}
  return %r : {c}
}}"""


def _convolution(filters: int, channels: int = 5, weights: np.ndarray | None = None) -> str:
    """Return a padded convolution with channels first and a relu behind it, whose weights may be a constant."""
    w, y = f"tensor<{filters}x{channels}x3x3xf32>", f"tensor<1x{filters}x7x7xf32>"
    given = "" if weights is not None else f", %w: {w}"
    held = "" if weights is None else f"  %w = arith.constant dense<{weights.tolist()}> : {w}\n"
    same = "affine_map<(a, b, c, d) -> (a, b, c, d)>"
    return f"""func.func @f(%x: tensor<1x{channels}x7x7xf32>{given}) -> {y} {{
  %zero = arith.constant 0.0 : f32
{held}  %p = tensor.pad %x low[0, 0, 1, 1] high[0, 0, 1, 1] {{
  ^bb0(%i0: index, %i1: index, %i2: index, %i3: index):
    tensor.yield %zero : f32
  }} : tensor<1x{channels}x7x7xf32> to tensor<1x{channels}x9x9xf32>
  %e = tensor.empty() : {y}
  %i = linalg.fill ins(%zero : f32) outs(%e : {y}) -> {y}
  %r = linalg.conv_2d_nchw_fchw ins(%p, %w : tensor<1x{channels}x9x9xf32>, {w}) outs(%i : {y}) -> {y}
  %q = linalg.generic {{indexing_maps = [{same}, {same}],
    iterator_types = ["parallel", "parallel", "parallel", "parallel"]}} ins(%r : {y}) outs(%e : {y}) {{
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %v, %zero : f32
    linalg.yield %m : f32
  }} -> {y}
  return %q : {y}
}}"""


def _plans(text: str, target: str, constants: tuple[int, ...] = ()) -> tuple[str, list[Plan]]:
    """Return the program's name, and plans in which lanes find neighbours in turned tiles alone."""
    (dispatch,) = dispatches_of(Source("-", text), target, CompileOptions())
    asked = ConstructOptions(top_k=400, max_units=1, constants=constants, finite=constants)
    plans, _ = construct_vectors(dispatch.expression, find_device(target), asked)
    return dispatch.name, [one for one in plans if _turned(one)]


def _turned(plan: Plan) -> list[int]:
    return [
        number
        for number, operand in enumerate(plan.operands)
        if operand.layer != "register" and operand.order[-1] != len(operand.order) - 1
    ]


def _forced(text: str, target: str, name: str, plan: Plan, folder: Path) -> Artifact:
    file = folder / "plan.json"
    file.write_text(json.dumps({name: to_json(plan)}))
    return compiled(text, target, plan_file=file)


SOME = 2
"""Plans of each kind that are run."""


@pytest.mark.full(each=["target"])
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize(
    "element", ["f32", *(pytest.param(one, marks=pytest.mark.full) for one in ("f64", "bf16", "i32"))]
)
@pytest.mark.parametrize(
    "sizes",
    [
        (19, 48, 50),  # squares, and the last elements of rows once more
        (33, 70, 37),  # panels reach beyond the last row
        (33, 64, 7),  # rows too short for vectors
    ],
)
def test_products_by_a_turned_factor_equal_numpy(
    sizes: tuple[int, int, int], element: str, target: str, tmp_path: Path
) -> None:
    text = _product(*sizes, element)
    name, plans = _plans(text, target)
    some = [plan for operand in (0, 1) for plan in [one for one in plans if operand in _turned(one)][:SOME]]
    assert some
    rows = [plan for plan in plans if plan.axes[0].block == 1]  # such a tile has no loop of rows
    for plan in [*some, *rows[:SOME]]:
        assert differences(text, _forced(text, target, name, plan, tmp_path)) == []


@pytest.mark.full(every=4)
@pytest.mark.parametrize("target", targets())
@pytest.mark.parametrize("filters", [20, 32])
def test_convolutions_with_channels_first_and_lanes_along_filters_equal_numpy(
    filters: int, target: str, tmp_path: Path
) -> None:
    weights = np.random.default_rng(0).integers(-3, 4, (filters, 5, 3, 3)).astype(float)
    for constants, text in (((), _convolution(filters)), ((1,), _convolution(filters, 5, weights))):
        name, plans = _plans(text, target, constants)
        layer = "constant" if constants else "workgroup"
        some = [one for one in plans if one.operands[1].layer == layer][:SOME]
        assert some and all(one.operands[1].order == (1, 2, 3, 0) for one in some)
        for plan in some:
            artifact = _forced(text, target, name, plan, tmp_path)
            assert artifact.kernels[0].plan.operands[1].layer == layer
            assert differences(text, artifact) == []


@pytest.mark.full
def test_a_turned_constant_takes_no_more_room_than_its_tiles(tmp_path: Path) -> None:
    """Its last dimension of 3 is not filled up to a vector, as it is where vectors are copied along it."""
    weights = np.ones((64, 5, 3, 3))
    text = _convolution(64, 5, weights)
    name, plans = _plans(text, "spr", (1,))
    plan = next(one for one in plans if one.operands[1].layer == "constant" and 64 % one.axes[1].block == 0)
    artifact = _forced(text, "spr", name, plan, tmp_path)
    (packed,) = [one for one in artifact.manifest.buffers if one.role == "constant"]
    assert packed.size_bytes == weights.size * 4


def test_models_choose_turned_factors() -> None:
    """A linear layer (weights of filters x inputs), and a convolution with channels first."""
    spr = find_device("spr")
    for text, loop in ((_product(256, 256, 256), 1), (_convolution(64, 64), 1)):
        (dispatch,) = dispatches_of(Source("-", text), "spr", CompileOptions())
        asked = ConstructOptions(max_units=1, constants=(1,), finite=(1,))
        plan = construct_vectors(dispatch.expression, spr, asked)[0][0]
        assert plan.lane == loop and _turned(plan) == [1] and plan.operands[1].layer == "constant"


def test_points_of_channels_are_unrolled_and_not_those_of_a_window_over_rows() -> None:
    """LLVM would keep what neighbouring rows of a tile read of a window, more than there are registers."""
    (dispatch,) = dispatches_of(Source("-", _convolution(64, 8)), "spr", CompileOptions())
    plans, _ = construct_vectors(dispatch.expression, find_device("spr"), ConstructOptions(top_k=50, max_units=1))
    turned = [one for one in plans if one.lane == 1 and one.axes[3].block > 1]
    assert turned
    assert {tuple(axis.chunk for axis in one.axes[4:]) for one in turned} == {(4, 1, 1)}


def test_sums_stay_in_registers_whichever_loop_the_lanes_are_along(tmp_path: Path) -> None:
    """Else each element that all lanes read is kept until the row's next vector."""
    text = _product(64, 28, 64)
    name, plans = _plans(text, "spr")
    plan = next(one for one in plans if one.lane == 0 and [axis.block for axis in one.axes[:2]] == [32, 14])
    artifact = _forced(text, "spr", name, plan, tmp_path)
    lines = artifact.text("assembly").splitlines()
    products = [number for number, line in enumerate(lines) if "vfmadd" in line and "zmm" in line]
    assert len(products) >= 4 * 28
    inside = lines[products[0] : products[-1]]
    assert sum("zmm" in line and "(%rsp)" in line for line in inside) == 0
