# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plan says how wide the tensors of an epilogue are read, and the loops read them so."""

import re
from dataclasses import replace

import numpy as np
import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.hal import find_device
from roller_mlir.lowering.backend.kernels.plans import KernelPlan, kernel_plans
from roller_mlir.lowering.targets.stage import KERNELS, PLANNED
from roller_mlir.mapping.checks.plan import plan_problem
from roller_mlir.plan.plan import Plan
from roller_mlir.plan.records.codec import from_json, to_json
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import DiagnosedError, parse_module

OPTIONS = CompileOptions(binaries=False, cache=False)
FORCED = replace(OPTIONS, split=False, tile_sizes=(32, 16, 8), thread_tile=(4, 4, 8))
SHAPES = ((32, 24), (24, 32), (32,))
BIAS = """func.func @f(%a: tensor<32x24xf32>, %b: tensor<24x32xf32>, %c: tensor<32xf32>) -> tensor<32x32xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x32xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<32x32xf32>) -> tensor<32x32xf32>
  %r = linalg.matmul ins(%a, %b : tensor<32x24xf32>, tensor<24x32xf32>)
    outs(%i : tensor<32x32xf32>) -> tensor<32x32xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
      affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%r, %c : tensor<32x32xf32>, tensor<32xf32>) outs(%e : tensor<32x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %w = arith.addf %x, %y : f32
    linalg.yield %w : f32
  } -> tensor<32x32xf32>
  return %s : tensor<32x32xf32>
}
"""


@pytest.fixture(scope="module")
def planned() -> str:
    return lower_until(Source("-", BIAS), "h200", FORCED, PLANNED)[0]


@pytest.fixture(scope="module")
def made() -> KernelPlan:
    text = lower_until(Source("-", BIAS), "h200", FORCED, KERNELS)[0]
    with make_context() as context:
        (found,) = kernel_plans(parse_module(text, context), find_device("h200")).values()
    return found


def test_what_a_plan_does_not_say_is_derived(made: KernelPlan) -> None:
    assert made.expression is not None and [one.shape for one in made.expression.beside] == [(32,)]
    assert made.plan.epilogue_vectors == (4,)
    data = to_json(made.plan)
    assert isinstance(data, dict)
    older = from_json(Plan, {key: value for key, value in data.items() if key != "epilogue_vectors"})
    assert older.epilogue_vectors == () and plan_problem(made.expression, older) == ""


@pytest.mark.full(every=2)
@pytest.mark.parametrize("width", [1, 2, 4])
def test_the_epilogue_is_read_as_the_plan_says(planned: str, width: int) -> None:
    edited = planned.replace("epilogue_vectors = [4]", f"epilogue_vectors = [{width}]")
    assert edited.count("epilogue_vectors") == 1
    artifact = roller_mlir.compile(edited, "h200", options=OPTIONS)
    reads = [line for line in artifact.text("kernels").splitlines() if "global load arg2" in line]
    found = [re.search(r"vector<(\d)xf32>", line) for line in reads]
    assert reads and {int(one[1]) if one else 1 for one in found} == {width}, reads
    a, b, c = (np.arange(np.prod(shape), dtype=np.float32).reshape(shape) % 7 for shape in SHAPES)
    (result,) = artifact.run(a, b, c)
    assert np.array_equal(result, a @ b + c)


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ("[8]", r"epilogue_vectors\[0\] is 8, but a thread has 4 neighbours in aligned rows"),
        ("[4, 4]", r"epilogue_vectors must be 1, one a tensor, but are 2"),
        ("[3]", r"plan.epilogue_vectors\[0\]: expected a power of two, but got 3"),
    ],
)
def test_what_no_thread_can_read_is_refused(planned: str, vectors: str, message: str) -> None:
    edited = planned.replace("epilogue_vectors = [4]", f"epilogue_vectors = {vectors}")
    with pytest.raises(DiagnosedError, match=message):
        roller_mlir.compile(edited, "h200", options=OPTIONS)
