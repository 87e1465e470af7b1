# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that a task walks in steps, pass by pass: in workgroup memory, or read again by each pass."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from kernel_cases import lower_loops

import roller_mlir
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.fuzz.plans.ranked import dispatches
from roller_mlir.hal import find_device
from roller_mlir.lowering.targets.stage import LOOPS, PLANNED
from roller_mlir.model import ConstructionError, ConstructOptions, construct
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.plan.plan import WORKGROUP
from roller_mlir.plan.records.codec import to_json
from roller_mlir.sim import SanitizerError
from roller_mlir.support.diagnostics import DiagnosedError

Array = np.ndarray


def softmax_text(rows: int, points: int, kind: str = "f32", dimension: int = 1) -> str:
    tensor = f"tensor<{rows}x{points}x{kind}>"
    return f"""func.func @main(%x: {tensor}) -> {tensor} {{
  %e = tensor.empty() : {tensor}
  %s = linalg.softmax dimension({dimension}) ins(%x : {tensor}) outs(%e : {tensor}) -> {tensor}
  return %s : {tensor}
}}"""


def softmax(x: Array, axis: int = 1) -> Array:
    wide = x.astype(np.float64)
    exponentials = np.exp(wide - wide.max(axis, keepdims=True))
    return exponentials / exponentials.sum(axis, keepdims=True)


def layer_norm_text(rows: int, points: int) -> str:
    all_, row, column = f"tensor<{rows}x{points}xf32>", f"tensor<{rows}xf32>", f"tensor<{points}xf32>"
    return f"""
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>
#one = affine_map<(i) -> (i)>
func.func @main(%x: {all_}, %gamma: {column}, %beta: {column}) -> {all_} {{
  %zero = arith.constant 0.0 : f32
  %n = arith.constant {points}.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %e1 = tensor.empty() : {row}
  %e2 = tensor.empty() : {all_}
  %z = linalg.fill ins(%zero : f32) outs(%e1 : {row}) -> {row}
  %sum = linalg.reduce {{ arith.addf }} ins(%x : {all_}) outs(%z : {row}) dimensions = [1]
  %centred = linalg.generic {{indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %sum : {all_}, {row}) outs(%e2 : {all_}) {{
    ^bb0(%a: f32, %s: f32, %old: f32):
      %mean = arith.divf %s, %n : f32
      %d = arith.subf %a, %mean : f32
      linalg.yield %d : f32
  }} -> {all_}
  %squares = linalg.generic {{indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%centred : {all_}) outs(%z : {row}) {{
    ^bb0(%d: f32, %s: f32):
      %m = arith.mulf %d, %d : f32
      %t = arith.addf %s, %m : f32
      linalg.yield %t : f32
  }} -> {row}
  %scale = linalg.generic {{indexing_maps = [#one, #one], iterator_types = ["parallel"]}}
      ins(%squares : {row}) outs(%e1 : {row}) {{
    ^bb0(%s: f32, %old: f32):
      %variance = arith.divf %s, %n : f32
      %t = arith.addf %variance, %epsilon : f32
      %r = math.rsqrt %t : f32
      linalg.yield %r : f32
  }} -> {row}
  %y = linalg.generic {{indexing_maps = [#all, #row, #column, #column, #all],
      iterator_types = ["parallel", "parallel"]}}
      ins(%centred, %scale, %gamma, %beta : {all_}, {row}, {column}, {column}) outs(%e2 : {all_}) {{
    ^bb0(%d: f32, %r: f32, %g: f32, %b: f32, %old: f32):
      %s = arith.mulf %d, %r : f32
      %t = arith.mulf %s, %g : f32
      %u = arith.addf %t, %b : f32
      linalg.yield %u : f32
  }} -> {all_}
  return %y : {all_}
}}"""


def layer_norm(x: Array, gamma: Array, beta: Array) -> Array:
    wide = x.astype(np.float64)
    centred = wide - wide.mean(1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * gamma + beta


def moments_text(rows: int, points: int) -> str:
    """Sum, sum of squares, and each element with both: two sums in one pass, and three results."""
    all_, row = f"tensor<{rows}x{points}xf32>", f"tensor<{rows}xf32>"
    return f"""
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: {all_}, %start: {row}) -> ({all_}, {row}, {row}) {{
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : {row}
  %e2 = tensor.empty() : {all_}
  %z = linalg.fill ins(%zero : f32) outs(%e1 : {row}) -> {row}
  %a, %b = linalg.generic {{indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}}
      ins(%x : {all_}) outs(%start, %z : {row}, {row}) {{
    ^bb0(%v: f32, %s: f32, %q: f32):
      %t = arith.addf %s, %v : f32
      %m = arith.mulf %v, %v : f32
      %u = arith.addf %q, %m : f32
      linalg.yield %t, %u : f32, f32
  }} -> ({row}, {row})
  %y = linalg.generic {{indexing_maps = [#all, #row, #row, #all], iterator_types = ["parallel", "parallel"]}}
      ins(%x, %a, %b : {all_}, {row}, {row}) outs(%e2 : {all_}) {{
    ^bb0(%v: f32, %s: f32, %q: f32, %old: f32):
      %t = arith.mulf %v, %s : f32
      %u = arith.subf %t, %q : f32
      linalg.yield %u : f32
  }} -> {all_}
  return %y, %a, %b : {all_}, {row}, {row}
}}"""


def moments(x: Array, start: Array) -> tuple[Array, Array, Array]:
    sums, squares = x.sum(1) + start, (x * x).sum(1)
    return x * sums[:, None] - squares[:, None], sums, squares


@dataclass(frozen=True)
class Case:
    """A program of one kernel.

    Attributes:
        text: Its linalg.
        sizes: Points of each loop in a step.
        inputs: Makes its inputs.
        reference: What they give.
        tolerance: Of the results, absolute.
        device: What it is for.
    """

    text: str
    sizes: tuple[int, ...]
    inputs: Callable[[np.random.Generator], list[Array]]
    reference: Callable[..., Array | tuple[Array, ...]]
    tolerance: float = 1e-5
    device: str = "h200"


def drawn(*shapes: tuple[int, ...], kind: type = np.float32) -> Callable[[np.random.Generator], list[Array]]:
    return lambda generator: [generator.normal(size=shape).astype(kind) for shape in shapes]


def whole_numbers(*shapes: tuple[int, ...]) -> Callable[[np.random.Generator], list[Array]]:
    return lambda generator: [generator.integers(-3, 4, shape).astype(np.float32) for shape in shapes]


CASES = {
    "softmax": Case(softmax_text(5, 512), (1, 128), drawn((5, 512)), softmax),
    "softmax, the last step is not full": Case(softmax_text(3, 460), (1, 128), drawn((3, 460)), softmax),
    "softmax of a prime": Case(softmax_text(2, 211), (1, 64), drawn((2, 211)), softmax),
    "softmax, several rows": Case(softmax_text(7, 160), (2, 64), drawn((7, 160)), softmax),
    "softmax along the first dimension": Case(
        softmax_text(200, 33, dimension=0), (32, 16), drawn((200, 33)), lambda x: softmax(x, 0)
    ),
    "softmax along the first dimension, beside which tiles are not full": Case(
        softmax_text(96, 37, dimension=0), (32, 64), drawn((96, 37)), lambda x: softmax(x, 0)
    ),
    "softmax of f16": Case(
        softmax_text(3, 600, "f16"), (1, 256), drawn((3, 600), kind=np.float16), softmax, tolerance=2e-3
    ),
    "softmax on wavefronts": Case(softmax_text(3, 700), (1, 128), drawn((3, 700)), softmax, device="mi300x"),
    "softmax without asynchronous copies": Case(
        softmax_text(3, 700), (1, 128), drawn((3, 700)), softmax, device="v100"
    ),
    "layer norm": Case(layer_norm_text(4, 500), (1, 128), drawn((4, 500), (500,), (500,)), layer_norm),
    "layer norm on wavefronts": Case(
        layer_norm_text(4, 300), (1, 64), drawn((4, 300), (300,), (300,)), layer_norm, device="mi300x"
    ),
    "two sums in a pass": Case(moments_text(4, 330), (1, 96), whole_numbers((4, 330), (4,)), moments, tolerance=0),
}


def expression_of(case: Case) -> tuple[str, TensorExpression]:
    ((name, (expression, _)),) = dispatches(Source("case.mlir", case.text), case.device).items()
    return name, expression


def plans_of(case: Case) -> dict[bool, tuple[str, Plan]]:
    """Return a plan that keeps rows in workgroup memory, and one that reads them again."""
    name, expression = expression_of(case)
    options = ConstructOptions(tile_sizes=case.sizes, top_k=64)
    found: dict[bool, tuple[str, Plan]] = {}
    for plan in construct(expression, find_device(case.device), options):
        found.setdefault(any(operand.layer == WORKGROUP for operand in plan.operands), (name, plan))
    return found


def options_of(case: Case, tmp_path: Path, *, kept: bool) -> CompileOptions:
    name, plan = plans_of(case)[kept]
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(to_json({name: plan})))
    return CompileOptions(plan_file=path, binaries=False)


@pytest.mark.full(every=5)
@pytest.mark.parametrize("kept", [False, True], ids=["read again", "kept"])
@pytest.mark.parametrize("name", CASES)
def test_rows_in_steps_give_what_numpy_gives(name: str, kept: bool, tmp_path: Path) -> None:
    case = CASES[name]
    source = Source("case.mlir", case.text)
    artifact = roller_mlir.compiler.driver.compile_source(source, case.device, options_of(case, tmp_path, kept=kept))
    (kernel,) = artifact.kernels
    assert kernel.plan is not None
    assert any(
        axis.block < extent for axis, extent in zip(kernel.plan.axes, expression_of(case)[1].bounds, strict=True)
    )
    inputs = case.inputs(np.random.default_rng(5))
    expected = case.reference(*inputs)
    outputs = artifact.run(*inputs, sanitize=True)
    for found, wanted in zip(outputs, expected if isinstance(expected, tuple) else (expected,), strict=True):
        np.testing.assert_allclose(found.astype(np.float64), wanted, atol=case.tolerance, rtol=case.tolerance)


@pytest.mark.full(each=["name", "kept"])
@pytest.mark.parametrize("name", ["softmax, the last step is not full", "layer norm"])
@pytest.mark.parametrize("kept", [False, True], ids=["read again", "kept"])
def test_as_much_is_moved_as_planned(name: str, kept: bool, tmp_path: Path) -> None:
    case = CASES[name]
    source = Source("case.mlir", case.text)
    artifact = roller_mlir.compiler.driver.compile_source(source, case.device, options_of(case, tmp_path, kept=kept))
    _, plan = plans_of(case)[kept]
    (launch,) = artifact.run_reported(*case.inputs(np.random.default_rng(5)), count=True).launches
    assert plan.prediction is not None and launch.counts is not None

    def moved(kind: str, what: str) -> int:
        return sum(one.bytes for one in launch.counts or () if one.kind == kind and what in one.site)

    sites = {one.site for one in launch.counts}
    copies = sum(one.bytes for one in launch.counts if one.space == "global" and one.kind != "store")
    assert copies == plan.prediction.global_load_bytes, sites
    assert moved("store", "global") == plan.prediction.global_store_bytes
    assert moved("load", "workgroup load arg") == plan.prediction.shared_load_bytes, sites


def loops_of(case: Case, tmp_path: Path, *, kept: bool) -> str:
    text, _ = lower_until(Source("case.mlir", case.text), case.device, options_of(case, tmp_path, kept=kept), LOOPS)
    return text


@pytest.mark.parametrize(("name", "passes"), [("softmax", 3), ("layer norm", 3), ("two sums in a pass", 2)])
def test_passes(name: str, passes: int, tmp_path: Path) -> None:
    loops = loops_of(CASES[name], tmp_path, kept=True)
    assert loops.count('rtile.mapping = "row"') == passes
    loads = [line for line in loops.splitlines() if '"rtile.load"' in line]
    assert sum('"workgroup"' in line for line in loads) == 1, "rows are brought once"
    assert sum(line.count("(%") > 0 and '"register"' in line for line in loads) >= passes - 1


def run_softmax(loops: str, *, sanitize: bool = True) -> tuple[Array, Array]:
    (x,) = CASES["softmax"].inputs(np.random.default_rng(5))
    return lower_loops(loops).run([x], x.shape, sanitize=sanitize), softmax(x)


def test_a_part_from_elsewhere_is_found(tmp_path: Path) -> None:
    loops = loops_of(CASES["softmax"], tmp_path, kept=True)
    found, expected = run_softmax(loops)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    origins = re.findall(r"#map\d* = affine_map<\(d0\) -> \(0, d0 \* 128\)>", loops)
    assert origins, loops
    planted = loops.replace(origins[0], origins[0].replace("d0 * 128", "d0 * 64"))
    found, _ = run_softmax(planted)
    assert not np.allclose(found, expected, atol=1e-3)


def test_rows_read_before_all_threads_have_brought_them_are_found(tmp_path: Path) -> None:
    case = Case(softmax_text(7, 600), (2, 128), drawn((7, 600)), softmax)
    name, expression = expression_of(case)
    options = ConstructOptions(tile_sizes=case.sizes, top_k=64)
    plan = next(
        one
        for one in construct(expression, find_device("h200"), options)
        if one.threads >= 64 and one.operands[0].layer == WORKGROUP
    )
    (tmp_path / "plan.json").write_text(json.dumps(to_json({name: plan})))
    asked = CompileOptions(plan_file=tmp_path / "plan.json", binaries=False)
    loops, _ = lower_until(Source("case.mlir", case.text), "h200", asked, LOOPS)
    kernel, (x,) = lower_loops(loops), case.inputs(np.random.default_rng(5))
    np.testing.assert_allclose(kernel.run([x], x.shape, sanitize=True), softmax(x), atol=1e-6)
    planted = kernel._replace(text=kernel.text.replace("gpu.barrier", "", 1))
    with pytest.raises(SanitizerError, match="race"):
        planted.run([x], x.shape, sanitize=True)


@pytest.mark.full(every=9)
@pytest.mark.parametrize("device", ["h200", "a100", "mi300x"])
@pytest.mark.parametrize("points", [32768, 65536, 262144])
def test_long_rows_are_one_kernel(device: str, points: int) -> None:
    for text in (softmax_text(1024, points, "f16"), layer_norm_text(1024, points)):
        _, plans = lower_until(Source("case.mlir", text), device, CompileOptions(), PLANNED)
        (plan,) = plans.values()
        assert plan.prediction is not None
        assert plan.prediction.tasks_per_unit >= 1
        assert plan.prediction.shared_bytes <= find_device(device).max_workgroup_bytes_per_block


def test_rows_that_fit_stay_in_workgroup_memory() -> None:
    _, plans = lower_until(Source("case.mlir", softmax_text(1024, 65536, "f16")), "h200", CompileOptions(), PLANNED)
    (plan,) = plans.values()
    assert [operand.layer for operand in plan.operands] == [WORKGROUP]
    assert [operand.copy for operand in plan.operands] == ["asynchronous"]


def test_loops_of_passes_stay_loops() -> None:
    artifact = roller_mlir.compile(softmax_text(256, 65536), target="h200", binaries=False, llvm=True)
    text = next(data.decode() for name, data in artifact.files.items() if name.endswith(".ll"))
    assert text.count("!llvm.loop !") == 3
    assert "llvm.loop.unroll.disable" in text


def test_rows_that_cannot_be_walked_are_held() -> None:
    _, expression = expression_of(CASES["softmax"])
    held = replace(expression, row_passes=())
    with pytest.raises(ConstructionError, match="cuts loop 1 of 512 points, which belong into one task"):
        construct(held, find_device("h200"), ConstructOptions(tile_sizes=(1, 128)))
    long = replace(expression_of(replace(CASES["softmax"], text=softmax_text(1024, 262144)))[1], row_passes=())
    with pytest.raises(ConstructionError, match="needs rows of 262144 points in one task"):
        construct(long, find_device("h200"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pad": 4}, "takes no pad and no swizzle"),
        ({"order": [1, 0]}, "lies there as in its tensor"),
    ],
)
def test_kept_rows_lie_as_in_their_tensor(change: dict[str, object], message: str, tmp_path: Path) -> None:
    case = CASES["softmax"]
    options = options_of(case, tmp_path, kept=True)
    assert options.plan_file is not None
    (tmp_path / "plan.json").write_text(
        json.dumps(
            {
                name: {**plan, "operands": [{**one, **change} for one in plan["operands"]]}
                for name, plan in json.loads((tmp_path / "plan.json").read_text()).items()
            }
        )
    )
    with pytest.raises(DiagnosedError, match=message):
        lower_until(Source("case.mlir", case.text), case.device, options, LOOPS)
