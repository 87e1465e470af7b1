# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows a reduction is spread over the threads that split it: each computes a point, where it held a vector.

Partial results pass workgroup memory, where each thread finds those of its own points.
"""

import re
from dataclasses import replace
from functools import cache
from unittest.mock import patch

import numpy as np
import pytest
from kernel_cases import axis, plan

import roller_mlir
from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.backend.kernels.plans import kernel_plans
from roller_mlir.lowering.targets.stage import KERNELS, LOOPS, PLANNED
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.mapping.layout.combine import combination
from roller_mlir.mapping.layout.spread import may_spread, with_tail_vectors
from roller_mlir.model import ConstructOptions
from roller_mlir.model.candidate import Candidate
from roller_mlir.model.cost.task.tail import exchange_work, spread_candidate
from roller_mlir.model.machine import machine_of
from roller_mlir.model.problem_context import ProblemContext
from roller_mlir.model.search.best_plan import best_plan
from roller_mlir.plan import AxisPlan, Plan, TensorExpression
from roller_mlir.runtime import Artifact
from roller_mlir.runtime.findings import SanitizedRunError
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

OPTIONS = CompileOptions(binaries=False, cache=False)
COLUMNS = 40
# Tiles along rows, columns and the reduction, and the order of threads: the fastest first. All have a lane of columns.
CASES: dict[str, tuple[tuple[AxisPlan, AxisPlan, AxisPlan], tuple[int, ...]]] = {
    "a vector": ((axis(1), axis(4, 1, 4), axis(256, 256)), (2,)),
    "a pair": ((axis(1), axis(2, 1, 2), axis(128, 128)), (2,)),
    "rows of vectors": ((axis(4), axis(4, 1, 4), axis(128, 128)), (2,)),
    "vectors apart": ((axis(2), axis(16, 1, 4), axis(128, 128)), (2,)),
    "columns first": ((axis(2), axis(32, 8, 4), axis(32, 32)), (1, 2)),
    "columns last": ((axis(2), axis(16, 4, 4), axis(128, 128)), (2, 1)),
    "columns last, apart": ((axis(1), axis(16, 2, 4), axis(128, 128)), (2, 1)),
    "as many as columns": ((axis(2), axis(128, 32, 4), axis(4, 4)), (1, 2)),
    "rows between": ((axis(6, 3), axis(8, 2, 4), axis(16, 16)), (1, 0, 2)),
    "rows first": ((axis(6, 3), axis(8, 2, 4), axis(16, 16)), (0, 2, 1)),
    "no power of two": ((axis(2), axis(3, 1, 3), axis(96, 96)), (2,)),
    "several points": ((axis(2), axis(4, 1, 4), axis(256, 128, 2)), (2,)),
}
DEVICES = ("v100", "h200", "mi300x")


def source(rows: int, depth: int, kind: str = "f32", accumulator: str = "f32", columns: int = COLUMNS) -> str:
    """Return two products of one factor and what is made of them: the first product, and two results behind both.

    The second starts from what its tensor holds. Of several rows the first product is a program by itself.
    """
    x, w = f"tensor<{rows}x{depth}x{kind}>", f"tensor<{depth}x{columns}x{kind}>"
    r, b = f"tensor<{rows}x{columns}x{accumulator}>", f"tensor<{columns}x{accumulator}>"
    point, column = "affine_map<(i, j) -> (i, j)>", "affine_map<(i, j) -> (j)>"
    loops = 'iterator_types = ["parallel", "parallel"]'
    return f"""func.func @main(%x: {x}, %v: {w}, %w: {w}, %b: {b}, %old: {r}) -> ({r}, {r}, {r}) {{
  %zero = arith.constant 0.0 : {accumulator}
  %e = tensor.empty() : {r}
  %z = linalg.fill ins(%zero : {accumulator}) outs(%e : {r}) -> {r}
  %p = linalg.matmul ins(%x, %v : {x}, {w}) outs(%z : {r}) -> {r}
  %q = linalg.matmul ins(%x, %w : {x}, {w}) outs(%old : {r}) -> {r}
  %s = linalg.generic {{indexing_maps = [{point}, {point}, {column}, {point}], {loops}}}
    ins(%p, %q, %b : {r}, {r}, {b}) outs(%e : {r}) {{
  ^bb0(%x0: {accumulator}, %x1: {accumulator}, %x2: {accumulator}, %o: {accumulator}):
    %two = arith.constant 2.0 : {accumulator}
    %d = arith.mulf %x1, %two : {accumulator}
    %u = arith.subf %x0, %d : {accumulator}
    %y = arith.addf %u, %x2 : {accumulator}
    linalg.yield %y : {accumulator}
  }} -> {r}
  %t = linalg.generic {{indexing_maps = [{point}, {point}, {column}, {point}], {loops}}}
    ins(%s, %q, %b : {r}, {r}, {b}) outs(%e : {r}) {{
  ^bb0(%x0: {accumulator}, %x1: {accumulator}, %x2: {accumulator}, %o: {accumulator}):
    %m = arith.maximumf %x0, %x1 : {accumulator}
    %y = arith.addf %m, %x2 : {accumulator}
    linalg.yield %y : {accumulator}
  }} -> {r}
  return %p, %s, %t : {r}, {r}, {r}
}}"""


def tail_spread(expression: TensorExpression, made: Plan, spread: bool) -> Plan:
    return with_tail_vectors(expression, replace(made, spread=spread), 16)


@cache
def loops_of(
    name: str, device: str, rows: int, depth: int, kinds: tuple[str, str] = ("f32", "f32")
) -> tuple[str, tuple[bool, ...]]:
    """Return the loops by a case's plan, and which of the programs are spread."""
    axes, order = CASES[name]
    if rows == 1:
        axes, order = (axis(1), *axes[1:]), tuple(loop for loop in order if loop)
    size = find_device(device).subgroup_size
    spread: list[bool] = []

    def make(expression: TensorExpression, *_: object) -> Plan:
        made = replace(plan(axes, order, 1, ())(expression), device=device)
        spread.append(may_spread(expression, made, size))
        return tail_spread(expression, made, spread[-1])

    with patch("roller_mlir.passes.rtile.planning.best_plan", make):
        return lower_until(Source("-", source(rows, depth, *kinds)), device, OPTIONS, LOOPS)[0], tuple(spread)


def check(
    loops: str, device: str, rows: int, depth: int, kinds: tuple[str, str] = ("f32", "f32"), columns: int = COLUMNS
) -> Artifact:
    element, wide = (np.dtype({"f16": np.float16, "f32": np.float32}[kind]) for kind in kinds)
    rng = np.random.default_rng(1)
    shapes = ((rows, depth), (depth, columns), (depth, columns), (columns,), (rows, columns))
    x, v, w, b, old = (rng.integers(-1, 2, shape).astype(wide) for shape in shapes)
    p, q = x @ v, old + x @ w
    s = p - 2 * q + b
    artifact = roller_mlir.compile(loops, device, options=OPTIONS)
    found = artifact.run(*(one.astype(element) for one in (x, v, w)), b, old, on="sim", sanitize=True)
    for one, expected in zip(found, (p, s, np.maximum(s, q) + b), strict=True):
        assert np.array_equal(one, expected)
    return artifact


@pytest.mark.full(each=["device", "name"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_a_product_and_its_tail_are_exact_and_clean(name: str, device: str) -> None:
    loops, spread = loops_of(name, device, 6, 250)
    assert spread == (False, True)
    check(loops, device, 6, 250)


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", CASES)
def test_two_sums_and_their_tail_are_exact_and_clean(name: str, device: str) -> None:
    depth = CASES[name][0][2].block - 1
    loops, spread = loops_of(name, device, 1, depth)
    subgroup_size = find_device(device).subgroup_size
    _, columns, deep = CASES[name][0]
    assert spread == (columns.threads * deep.threads > subgroup_size,)
    check(loops, device, 1, depth)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("kinds", [("f16", "f32"), ("f16", "f16")])
@pytest.mark.parametrize("rows", [1, 6])
def test_halves_are_exact_and_clean(rows: int, kinds: tuple[str, str]) -> None:
    loops, spread = loops_of("a vector", "h200", rows, 250, kinds)
    assert spread[-1]
    check(loops, "h200", rows, 250, kinds)


def kernels_of(loops: str) -> str:
    return lower_until(Source("-", loops), "h200", OPTIONS, KERNELS)[0]


def test_each_thread_has_one_point() -> None:
    kernels = kernels_of(loops_of("a vector", "h200", 1, 250)[0])
    assert len(re.findall(r"arith.maximumf %\S+, %\S+ : f32", kernels)) == 1
    assert len(re.findall(r"memref.load[^\n]*load partial results", kernels)) == 8  # 4 of 8 slots, for both products


def test_a_missing_barrier_is_found() -> None:
    kernels = kernels_of(loops_of("a vector", "h200", 1, 250)[0])
    assert kernels.count("gpu.barrier") == 1
    artifact = roller_mlir.compile(kernels.replace("gpu.barrier", "", 1), "h200", options=OPTIONS)
    values = [
        np.ones(shape, np.float32) for shape in ((1, 250), (250, COLUMNS), (250, COLUMNS), (COLUMNS,), (1, COLUMNS))
    ]
    with pytest.raises(SanitizedRunError, match="race"):
        artifact.run(*values, on="sim", sanitize=True)


def test_a_plan_of_one_subgroup_cannot_be_spread() -> None:
    device, (axes, order) = "h200", ((axis(1), axis(4, 1, 4), axis(32, 32)), (2,))

    def make(expression: TensorExpression, *_: object) -> Plan:
        made = plan(axes, order, 1, ())(expression)
        assert not may_spread(expression, made, 32)
        return tail_spread(expression, made, True)

    with patch("roller_mlir.passes.rtile.planning.best_plan", make):
        loops = lower_until(Source("-", source(1, 31)), device, OPTIONS, LOOPS)[0]
    with pytest.raises(
        DiagnosedError, match=r"are joined inside of subgroups, but the rtile.compute that reads them is"
    ):
        kernels_of(loops)


PRODUCT = """func.func @f(%x: tensor<1x256xf32>, %w: tensor<256x64xf32>) -> tensor<1x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<1x64xf32>) -> tensor<1x64xf32>
  %p = linalg.matmul ins(%x, %w : tensor<1x256xf32>, tensor<256x64xf32>) outs(%z : tensor<1x64xf32>) -> tensor<1x64xf32>
  return %p : tensor<1x64xf32>
}"""


def test_where_nothing_follows_a_spread_plan_is_refused() -> None:
    planned = lower_until(Source("-", PRODUCT), "h200", replace(OPTIONS, tile_sizes=(1, 4, 256)), PLANNED)[0]
    edited = planned.replace("stages = 1 : i64", "spread = true, stages = 1 : i64")
    assert edited != planned
    with pytest.raises(DiagnosedError, match="has a plan that is spread, but nothing follows its reduction"):
        roller_mlir.compile(edited, "h200", options=OPTIONS)


@pytest.mark.full(every=3)
@pytest.mark.parametrize("device", DEVICES)
def test_a_cell_is_spread_by_itself(device: str) -> None:
    artifact = check(source(1, 256, columns=256), device, 1, 256, columns=256)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.spread


def test_a_plan_says_how_wide_a_tail_reads() -> None:
    """The bias and what a product starts from: a spread tail has single points, else each thread has vectors of 4."""
    kernels = lower_until(Source("-", source(1, 256, columns=256)), "h200", OPTIONS, KERNELS)[0]
    with make_context() as context:
        (made,) = kernel_plans(parse_module(kernels, context), find_device("h200")).values()
    expression, found = made.expression, made.plan
    assert expression is not None and found.spread and len(expression.starts) == len(expression.tail_inputs) == 1
    assert ([operand.vector for operand in found.operands], found.epilogue_vectors) == ([1, 4, 4, 1], (1,))
    wide = tail_spread(expression, found, False)
    assert ([operand.vector for operand in wide.operands], wide.epilogue_vectors) == ([1, 4, 4, 4], (4,))
    assert "operand 3 has vector 4, but a thread that" in plan_problem(expression, replace(wide, spread=True))
    assert "epilogue_vectors[0] is 4" in plan_problem(expression, replace(found, epilogue_vectors=(4,)))
    assert plan_problem(expression, found) == plan_problem(expression, wide) == ""


R = "tensor<1x40xf32>"
POINT = "affine_map<(i, j) -> (i, j)>"
SUM = "^bb0(%p0: f32, %p1: f32, %o: f32):\n %s = arith.addf %p0, %p1 : f32\n linalg.yield %s : f32"


def product(start: str) -> str:
    return f"%p = linalg.matmul ins(%x, %w : tensor<1x250xf32>, tensor<250x40xf32>) outs({start} : {R}) -> {R}"


def added(result: str, left: str, right: str) -> str:
    return (
        f'{result} = linalg.generic {{indexing_maps = [{POINT}, {POINT}, {POINT}], iterator_types = ["parallel", '
        f'"parallel"]}} ins({left}, {right} : {R}, {R}) outs(%e : {R}) {{ {SUM} }} -> {R}'
    )


# What follows reads what the sum starts from; what an op in front of the sum makes; or the sum starts from that.
NOT_SPREAD = {
    "the start": (product("%a"), added("%c", "%a", "%b"), added("%y", "%p", "%a")),
    "an op before": (added("%c", "%a", "%b"), product("%z"), added("%y", "%p", "%c")),
    "a start that is made": (added("%c", "%a", "%b"), product("%c"), added("%y", "%p", "%p")),
}


@pytest.mark.parametrize("name", NOT_SPREAD)
def test_what_others_hold_is_not_spread(name: str) -> None:
    text = f"""func.func @main(%x: tensor<1x250xf32>, %w: tensor<250x40xf32>, %a: {R}, %b: {R}) -> ({R}, {R}) {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {R}
  %z = linalg.fill ins(%zero : f32) outs(%e : {R}) -> {R}
  {
        '''
  '''.join(NOT_SPREAD[name])
    }
  return %y, %c : {R}, {R}
}}"""
    made: list[bool] = []

    def make(expression: TensorExpression, device: Device, options: ConstructOptions) -> Plan:
        if not expression.reductions():  # an op by itself
            return best_plan(expression, device, options)
        axes, order = (axis(1), axis(4, 1, 4), axis(256, 256)), (2,)
        found = plan(axes, order, 1, ())(expression)
        made.append(may_spread(expression, found, 32))
        return tail_spread(expression, found, made[-1])

    with patch("roller_mlir.passes.rtile.planning.best_plan", make):
        loops = lower_until(Source("-", text), "h200", OPTIONS, LOOPS)[0]
    assert made == [False]
    rng = np.random.default_rng(1)
    x, w, a, b = (rng.integers(-1, 2, shape).astype(np.float32) for shape in ((1, 250), (250, 40), (1, 40), (1, 40)))
    p = x @ w + {"the start": a, "an op before": 0, "a start that is made": a + b}[name]
    expected = p + {"the start": a, "an op before": a + b, "a start that is made": p}[name]
    y, c = roller_mlir.compile(loops, "h200", options=OPTIONS).run(x, w, a, b, on="sim", sanitize=True)
    assert np.array_equal(y, expected) and np.array_equal(c, a + b)


def test_what_passes_workgroup_memory_is_not_spread() -> None:
    made: list[bool] = []

    def make(expression: TensorExpression, *_: object) -> Plan:
        axes, order = (axis(1), axis(4, 1, 4), axis(256, 256)), (2,)
        for staged in ((), (3,)):  # the second: the bias, by vectors that a thread has no more
            found = plan(axes, order, 1, staged)(expression)
            made.append(may_spread(expression, found, 32))
        return tail_spread(expression, found, made[-1])

    with patch("roller_mlir.passes.rtile.planning.best_plan", make):
        loops = lower_until(Source("-", source(1, 250)), "h200", OPTIONS, LOOPS)[0]
    assert made == [True, False]
    check(loops, "h200", 1, 250)


def test_rows_that_a_task_walks_are_not_spread() -> None:
    loops, spread = loops_of("a vector", "h200", 1, 300)
    assert spread == (False,)
    check(loops, "h200", 1, 300)


COLUMN_SUMS = """func.func @main(%x: tensor<256x40xf32>) -> tensor<40xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<40xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<40xf32>) -> tensor<40xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(j, k) -> (k, j)>, affine_map<(j, k) -> (j)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : tensor<256x40xf32>) outs(%z : tensor<40xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %b = arith.addf %acc, %a : f32
    linalg.yield %b : f32
  } -> tensor<40xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(j, k) -> (k, j)>, affine_map<(j, k) -> (j)>,
      affine_map<(j, k) -> (j)>], iterator_types = ["parallel", "reduction"]}
      ins(%x, %s : tensor<256x40xf32>, tensor<40xf32>) outs(%z : tensor<40xf32>) {
  ^bb0(%a: f32, %m: f32, %acc: f32):
    %d = arith.maximumf %a, %m : f32
    %b = arith.addf %acc, %d : f32
    linalg.yield %b : f32
  } -> tensor<40xf32>
  return %t : tensor<40xf32>
}"""


def test_a_sum_behind_a_sum_is_not_spread() -> None:
    made: list[bool] = []

    def make(expression: TensorExpression, *_: object) -> Plan:
        found = plan((axis(4, 1, 4), axis(256, 256)), (1,), 0, ())(expression)
        made.append(may_spread(expression, found, 32))
        return tail_spread(expression, found, made[-1])

    with patch("roller_mlir.passes.rtile.planning.best_plan", make):
        loops = lower_until(Source("-", COLUMN_SUMS), "h200", OPTIONS, LOOPS)[0]
    assert made == [False]
    x = np.random.default_rng(1).integers(-1, 2, (256, 40)).astype(np.float32)
    (found,) = roller_mlir.compile(loops, "h200", options=OPTIONS).run(x, on="sim", sanitize=True)
    assert np.array_equal(found, np.maximum(x, x.sum(axis=0)).sum(axis=0))


@pytest.mark.full(every=5)
@pytest.mark.parametrize("rows", [1, 6])
@pytest.mark.parametrize("name", CASES)
def test_the_model_counts_the_exchanges_of_the_code(name: str, rows: int) -> None:
    """Words through workgroup memory, and shuffles and what is computed between them."""
    depth = CASES[name][0][2].block - (1 if rows == 1 else 0)
    loops, spread = loops_of(name, "h200", rows, depth)
    kernels = kernels_of(loops)
    with make_context() as context:
        made = list(kernel_plans(parse_module(kernels, context), find_device("h200")).values())
    bodies = kernels.split("gpu.func")[1:]
    for one, body, is_spread in zip(made, bodies, spread, strict=True):
        if not is_spread or one.expression is None:
            continue
        facts = ProblemContext(one.expression, machine_of(find_device("h200")))
        program = Candidate.of_plan(one.plan)
        joining = combination(one.expression.loops, one.plan.axes, one.plan.thread_order, 32)
        work = exchange_work(facts, program, joining, spread_candidate(facts, program, joining))
        lines = [line for line in body.splitlines() if "partial results" in line]
        words = sum(int(found[1]) if (found := re.search(r"vector<(\d+)xf32>", line)) else 1 for line in lines)
        assert work.phases == words * -(-one.plan.threads // 32)
        shuffles, selects = body.count("gpu.shuffle"), body.count("arith.select")
        assert shuffles + selects < work.issue < shuffles + selects + body.count("arith.addf")
        assert body.count("gpu.barrier") == 1
