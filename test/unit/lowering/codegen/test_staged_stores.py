# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Results through workgroup memory, with plans that are chosen here: exact, clean, and in fewer sectors."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from forced_products import Product, run_product
from kernel_cases import MAXIMUM, MULTIPLY_ADD, Kernel, axis, expand, generic, integers, lower_loops, plan
from test_sanitized_kernels import MATMUL, Case, convolve

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.compiler.driver import lower_until
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.targets.stage import PLANNED
from roller_mlir.plan import Plan, TensorExpression
from roller_mlir.sim import SanitizerError, SimulatedKernels

MMA = Product(store="staged")
MFMA = MMA.but(
    family="mfma",
    device="mi300x",
    shape=(32, 32, 8),
    blocks=(64, 64, 32),
    subgroups=(2, 1),
    stages=2,
    copy="synchronous",
    swizzle=None,
    pad=8,
    fragment=4,
    transposed=(False, True),
)
WMMA = MMA.but(family="wmma", device="v100", shape=(16, 16, 16), stages=2, copy="synchronous", swizzle=None, pad=8)
BY_ELEMENT = MMA.but(swizzle=None, pad=8, vector=(1, 1), copy="synchronous", stages=2)
PRODUCTS = {
    "mma": MMA,
    "mma, one step": MMA.but(extents=(64, 64, 32), stages=1),
    "mma, edges": MMA.but(extents=(81, 72, 64)),
    "mma, odd": BY_ELEMENT.but(extents=(65, 33, 67)),
    "mma, primes": BY_ELEMENT.but(extents=(31, 37, 29), stages=1),
    "mma, one point": BY_ELEMENT.but(extents=(1, 1, 1), stages=1),
    "mma, f16": MMA.but(result="f16", extents=(81, 72, 64)),
    "mma, bf16": MMA.but(factor="bf16", result="bf16", extents=(64, 64, 200)),
    "mma, several passes": MMA.but(blocks=(128, 64, 32), extents=(130, 136, 64), stages=2),
    "mma, i8": MMA.but(
        factor="i8",
        result="i32",
        shape=(16, 8, 32),
        blocks=(32, 32, 64),
        extents=(64, 48, 160),
        vector=(16, 16),
        fragment=16,
        transposed=(False, True),
    ),
    "mfma": MFMA,
    "mfma, edges": MFMA.but(extents=(96, 80, 72)),
    "mfma, bf16": MFMA.but(factor="bf16", result="bf16", extents=(96, 80, 72)),
    "wmma, odd": WMMA.but(extents=(65, 33, 67), vector=(1, 1)),
    "wmma, f16": WMMA.but(result="f16"),
}


@pytest.mark.full(every=6)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products_through_workgroup_memory_are_exact(name: str, tmp_path: Path) -> None:
    got, expected = run_product(PRODUCTS[name], tmp_path)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["mma, odd", "mma, several passes", "mma, f16", "mfma, edges", "wmma, odd"])
def test_products_are_clean_under_the_sanitizer(name: str, tmp_path: Path) -> None:
    run_product(PRODUCTS[name], tmp_path, sanitize=True)


def staged(make: Callable[[TensorExpression], Plan]) -> Callable[[TensorExpression], Plan]:
    return lambda expression: replace(make(expression), store="staged")


WINDOW = "(n, c, y, x, h, w)"
WEIGHTS = "(n, c, y, x, h, w)"
DENSE = "(n, f, y, x, c, h, w)"


def pool(x: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2]
    return np.asarray(windows.max((4, 5)))


def depthwise(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    return np.einsum("ncyxhw,chw->ncyx", windows, w)


def matmul(make: Callable[[TensorExpression], Plan], m: int, n: int, k: int, device: str = "h200") -> Case:
    return Case(MATMUL, "ppr", [(m, k), (k, n)], (m, n), MULTIPLY_ADD, staged(make), np.matmul, device)


def pooled(make: Callable[[TensorExpression], Plan], c: int, y: int, x: int, device: str = "h200") -> Case:
    maps = [f"{WINDOW} -> (n, c, 2 * y + h, 2 * x + w)", f"{WINDOW} -> (h, w)", f"{WINDOW} -> (n, c, y, x)"]
    rows, columns = 2 * y + 1, 2 * x + 1
    body = MAXIMUM
    return Case(maps, "pppprr", [(2, c, rows, columns), (3, 3)], (2, c, y, x), body, make, lambda a, _: pool(a), device)


CHANNELS = plan([axis(1), axis(16, 16), axis(2, 2), axis(8, 1, 8), axis(3), axis(3)], (1, 2), None, (0,))
ROWS_FIRST = plan([axis(16, 4, 4), axis(32, 8, 4), axis(8)], (0, 1), 0, (0, 1))
CASES = {
    "rows on lanes": matmul(ROWS_FIRST, 37, 53, 29),
    "rows on lanes, one point": matmul(ROWS_FIRST, 1, 1, 1),
    "rows on lanes, exact tiles": matmul(ROWS_FIRST, 32, 64, 16),
    "two stages": matmul(plan([axis(64, 16, 4), axis(64, 8, 4), axis(8)], (0, 1), 0, (0, 1), stages=2), 70, 131, 40),
    "parts of sums": matmul(plan([axis(16, 8), axis(16, 4, 4), axis(32, 8, 2)], (1, 0, 2), 1, (0, 1)), 37, 53, 64),
    "waves": matmul(ROWS_FIRST, 37, 53, 29, "mi300x"),
    "a part of a pass": matmul(plan([axis(80, 8), axis(64, 16), axis(8)], (0, 1), None, (0, 1)), 200, 131, 29),
    "a part of a pass along rows": matmul(plan([axis(8, 8), axis(320, 16, 4), axis(4)], (1, 0), 1, (0, 1)), 19, 700, 9),
    "nothing of operands": matmul(plan([axis(16, 16), axis(4, 2, 2), axis(29)], (0, 1), 1, ()), 37, 53, 29),
    "pool": pooled(staged(CHANNELS), 17, 5, 13),
    "pool, one point": pooled(staged(CHANNELS), 1, 1, 1),
    "pool, waves": pooled(staged(CHANNELS), 17, 5, 13, "mi300x"),
    "depthwise": Case(
        [f"{WEIGHTS} -> (n, c, y + h, x + w)", f"{WEIGHTS} -> (c, h, w)", f"{WEIGHTS} -> (n, c, y, x)"],
        "pppprr",
        [(2, 19, 9, 15), (19, 3, 3)],
        (2, 19, 7, 13),
        MULTIPLY_ADD,
        staged(CHANNELS),
        depthwise,
    ),
    "convolution": Case(
        [f"{DENSE} -> (n, c, y + h, x + w)", f"{DENSE} -> (f, c, h, w)", f"{DENSE} -> (n, f, y, x)"],
        "pppprrr",
        [(1, 4, 15, 18), (9, 4, 3, 3)],
        (1, 9, 13, 16),
        MULTIPLY_ADD,
        staged(plan([axis(1), axis(8, 8), axis(4, 4), axis(8, 1, 4), axis(2), axis(3), axis(3)], (1, 2), 3, (0, 1))),
        convolve,
    ),
}


@cache
def kernel_of(name: str) -> Kernel:
    case = CASES[name]
    source = generic(
        case.maps, case.iterators, case.inputs, case.output, case.body, "-1.0e+30" if "pool" in name else "0.0"
    )
    return lower_loops(expand(source, case.make), device=case.device)


def run(name: str, text: str | None = None) -> bool:
    case, kernel = CASES[name], kernel_of(name)
    inputs = integers(case.inputs)
    read = inputs[:1] if "pool" in name else inputs  # a window has a shape alone
    found = kernel._replace(text=text or kernel.text).run(read, case.output, sanitize=True)
    return np.array_equal(found, np.asarray(case.reference(*inputs), np.float32))


ALIKE = ("rows on lanes, one point", "two stages", "a part of a pass along rows", "pool", "pool, one point")
"""Cases whose code others have, too."""


@pytest.mark.parametrize("name", [pytest.param(one, marks=[pytest.mark.full] * (one in ALIKE)) for one in CASES])
def test_results_are_exact_and_clean(name: str) -> None:
    assert "workgroup store results" in kernel_of(name).text
    assert run(name)


@pytest.mark.full(each=["name", "where"])
@pytest.mark.parametrize("name", ["rows on lanes", "pool"])
@pytest.mark.parametrize("where", ["before", "behind"])
def test_a_missing_barrier_is_found(name: str, where: str) -> None:
    """Without the barrier before the writes others still read tiles; without the one behind, results are missed."""
    text = kernel_of(name).text
    first = text.index("workgroup store results")
    cut = text.rindex("gpu.barrier", 0, first) if where == "before" else text.index("gpu.barrier", first)
    with pytest.raises(SanitizerError, match="race|while|same"):
        run(name, text[:cut] + text[cut:].replace("gpu.barrier", "", 1))


def stored(name: str, make: Callable[[TensorExpression], Plan]) -> tuple[int, int]:
    """Return the sectors that a case's stores touch, and the bytes that they write."""
    case = CASES[name]
    source = generic(case.maps, case.iterators, case.inputs, case.output, case.body)
    kernel = lower_loops(expand(source, make), device=case.device)
    output = np.zeros(case.output, np.float32)
    launched = SimulatedKernels(kernel.text, subgroup_size=kernel.subgroup_size, count=True).launch(
        kernel.name, kernel.grid, kernel.block, 0, [*integers(case.inputs)[: 1 if "pool" in name else None], output]
    )
    assert launched.counts is not None
    total = launched.counts.total("global", "store")
    return total.sectors32, total.bytes


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", ["rows on lanes, exact tiles", "pool", "depthwise"])
def test_fewer_sectors_are_touched(name: str) -> None:
    make = CASES[name].make
    (direct, moved), (rows, same) = stored(name, lambda e: replace(make(e), store="synchronous")), stored(name, make)
    assert moved == same
    assert rows < direct / 2 and rows < 2.5 * same / 32


EPILOGUE = """func.func @main(%a: tensor<37x29xf32>, %b: tensor<29x53xf32>, %c: tensor<37xf32>)
    -> (tensor<37x53xf16>, tensor<37x53xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<37x53xf32>
  %h = tensor.empty() : tensor<37x53xf16>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<37x53xf32>) -> tensor<37x53xf32>
  %r = linalg.matmul ins(%a, %b : tensor<37x29xf32>, tensor<29x53xf32>)
    outs(%i : tensor<37x53xf32>) -> tensor<37x53xf32>
  %s:2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>,
      affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
    ins(%r, %c : tensor<37x53xf32>, tensor<37xf32>) outs(%h, %e : tensor<37x53xf16>, tensor<37x53xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f16, %p: f32):
    %w = arith.addf %x, %y : f32
    %t = arith.truncf %w : f32 to f16
    linalg.yield %t, %w : f16, f32
  } -> (tensor<37x53xf16>, tensor<37x53xf32>)
  return %s#0, %s#1 : tensor<37x53xf16>, tensor<37x53xf32>
}"""


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["h100", "mi300x"])
def test_several_results_behind_an_epilogue(device: str, tmp_path: Path) -> None:
    """Results of two types follow each other in the same place, sums with what the epilogue reads."""
    options = CompileOptions(binaries=False, cache=False, split=False, tile_sizes=(32, 32, 8), thread_tile=(4, 4, 8))
    planned = lower_until(Source("-", EPILOGUE), device, options, PLANNED)[0]
    edited = re.sub(r"(stages = \d+ : i64), ", r'\1, store = "staged", ', planned, count=1)
    assert edited != planned
    artifact = roller_mlir.compile(edited, device, options=CompileOptions(binaries=False, cache=False))
    assert artifact.text("kernels").count("workgroup store results") > 2
    a, b, c = integers([(37, 29), (29, 53), (37,)])
    half, whole = artifact.run(a, b, c, on="sim", sanitize=True)
    np.testing.assert_array_equal(whole, a @ b + c[:, None])
    np.testing.assert_array_equal(half, whole.astype(np.float16))


def test_the_parts_of_a_divided_reduction_may_be_staged() -> None:
    """Blocks that join the parts use the same memory behind that."""
    options = CompileOptions(binaries=False, cache=False)
    source = generic(MATMUL, "ppr", [(64, 4096), (4096, 64)], (64, 64), MULTIPLY_ADD)
    planned = lower_until(Source("-", source), "h100", options, PLANNED)[0]
    edited = re.sub(r"(stages = \d+ : i64), ", r'\1, store = "staged", ', planned, count=1)
    assert "part = {" in planned and edited != planned
    artifact = roller_mlir.compile(edited, "h100", options=options)
    assert "workgroup store results" in artifact.text("kernels")
    a, b = integers([(64, 4096), (4096, 64)])
    (c,) = artifact.run(a, b, on="sim", sanitize=True)
    np.testing.assert_array_equal(c, a @ b)
