# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threads that hold several partial results pass halves of them, and write each to workgroup memory once.

Sums that one op reads are joined in one exchange, and subgroups that all need them read them together.
"""

import re
from functools import cache

import numpy as np
import pytest
from kernel_cases import MULTIPLY_ADD, Kernel, MakePlan, axis, expand, generic, integers, lower_loops, plan

from roller_mlir.compiler import CompileOptions
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.hal import find_device
from roller_mlir.mapping.layout.combine import combination
from roller_mlir.model.cost.performance import context_of
from roller_mlir.model.cost.traffic.operands import combine_traffic
from roller_mlir.model.machine import machine_of
from roller_mlir.plan import AxisPlan, Plan, TensorExpression
from roller_mlir.runtime import Artifact
from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.counting import Counts
from roller_mlir.sim.diagnosis.findings import SanitizerError

WARP = axis(32, 32)
# Tiles along rows, columns and the reduction, and the order of threads: the fastest first.
CASES: dict[str, tuple[tuple[AxisPlan, AxisPlan, AxisPlan], tuple[int, ...]]] = {
    "one value": ((axis(1), axis(1), WARP), (2,)),
    "two values": ((axis(1), axis(2), WARP), (2,)),
    "three values": ((axis(3), axis(1), WARP), (2,)),
    "a vector": ((axis(1), axis(4, 1, 4), WARP), (2,)),
    "six values": ((axis(3), axis(2, 1, 2), WARP), (2,)),
    "vectors": ((axis(4), axis(4, 1, 4), WARP), (2,)),
    "more values than threads": ((axis(8), axis(8, 1, 4), WARP), (2,)),
    "several subgroups": ((axis(1), axis(1), axis(128, 128)), (2,)),
    "a vector, several subgroups": ((axis(1), axis(4, 1, 4), axis(256, 256)), (2,)),
    "vectors, several subgroups": ((axis(4), axis(4, 1, 4), axis(128, 128)), (2,)),
    "many values, several subgroups": ((axis(16), axis(4, 1, 4), axis(128, 128)), (2,)),
    "odd values, several subgroups": ((axis(3), axis(5), axis(64, 64)), (2,)),
    "columns within": ((axis(2), axis(32, 8, 4), axis(32, 32)), (1, 2)),
    "columns around": ((axis(2), axis(16, 4, 4), axis(64, 64)), (2, 1)),
    "columns on lanes": ((axis(2), axis(128, 32, 4), axis(4, 4)), (1, 2)),
    "no power of two": ((axis(2), axis(4, 1, 4), axis(24, 24)), (2,)),
    "rows between": ((axis(6, 3), axis(8, 2, 4), axis(16, 16)), (1, 0, 2)),
}
SIZES = (6, 40, 300)
PHASES = {"columns within": 1.0}
"""How many more phases writes may take than planned: neighbouring values of a thread lie as far apart as slots."""


def made(name: str) -> MakePlan:
    axes, order = CASES[name]
    lane = 1 if axes[1].chunk > 1 else None
    return plan(axes, order, lane, ())


SOURCE = generic(
    ["(i, j, k) -> (i, k)", "(i, j, k) -> (k, j)", "(i, j, k) -> (i, j)"],
    "ppr",
    [(SIZES[0], SIZES[2]), (SIZES[2], SIZES[1])],
    SIZES[:2],
    MULTIPLY_ADD,
)


@cache
def planned(name: str) -> tuple[str, TensorExpression, Plan]:
    """Return the loops of a case, its expression and its plan."""
    found: list[tuple[TensorExpression, Plan]] = []

    def keep(expression: TensorExpression) -> Plan:
        found.append((expression, made(name)(expression)))
        return found[-1][1]

    loops = expand(SOURCE, keep)
    return loops, *found[0]


@cache
def kernel_of(name: str, device: str) -> Kernel:
    return lower_loops(planned(name)[0], device=device)


def run(kernel: Kernel, *, sanitize: bool = False) -> tuple[bool, Counts | None]:
    a, b = integers([(SIZES[0], SIZES[2]), (SIZES[2], SIZES[1])])
    output = np.full(SIZES[:2], np.nan, np.float32)
    kernels = SimulatedKernels(kernel.text, subgroup_size=kernel.subgroup_size, sanitize=sanitize, count=not sanitize)
    launched = kernels.launch(kernel.name, kernel.grid, kernel.block, 0, [a, b, output])
    return np.array_equal(output, a @ b), launched.counts


@pytest.mark.full(every=3)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("name", CASES)
def test_results_are_exact_and_clean(name: str, device: str) -> None:
    assert run(kernel_of(name, device), sanitize=True)[0]


@pytest.mark.full(every=8)
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("name", CASES)
def test_as_much_is_passed_and_written_as_planned(name: str, device: str) -> None:
    _, expression, plan = planned(name)
    target = find_device(device)
    values = min(plan.axes[0].registers, SIZES[0]) * plan.axes[1].registers  # rows that there are
    joining = combination(expression.loops, plan.axes, plan.thread_order, target.subgroup_size)
    kernel = kernel_of(name, device)
    assert kernel.text.count("gpu.shuffle") == joining.passing(values).shuffles
    right, counts = run(kernel)
    assert right and counts is not None
    expected = combine_traffic(context_of(expression, machine_of(target), plan), plan)
    for kind in ("load", "store"):
        (site,) = [one for one in counts.sites if one.site == f"workgroup {kind} partial results"] or [None]
        assert (site is not None) == bool(joining.across)
        if site is not None:
            assert site.bytes == getattr(expected, f"shared_{kind}_bytes")
            assert site.phases == pytest.approx(getattr(expected, f"shared_{kind}_phases"), rel=PHASES.get(name, 0))


@pytest.mark.parametrize("name", ["a vector, several subgroups", "odd values, several subgroups", "no power of two"])
def test_a_missing_barrier_is_found(name: str) -> None:
    kernel = kernel_of(name, "h200")
    assert kernel.text.count("gpu.barrier") == 1
    with pytest.raises(SanitizerError, match="race"):
        run(kernel._replace(text=kernel.text.replace("gpu.barrier", "", 1)), sanitize=True)


def test_who_keeps_the_wrong_half_is_found() -> None:
    kernel = kernel_of("vectors", "h200")
    place = kernel.text.index("arith.select")
    left, right = re.findall(r"arith.select %\w+, (%\w+), (%\w+)", kernel.text[place:])[0]
    swapped = kernel.text[:place] + kernel.text[place:].replace(f"{left}, {right}", f"{right}, {left}", 1)
    assert not run(kernel._replace(text=swapped))[0]


def gates(count: int, k: int, n: int, kind: str, rows: int) -> str:
    """Return so many products of one factor, and their sum, in which each counts differently: one program."""
    x, w, r = f"tensor<{rows}x{k}x{kind}>", f"tensor<{k}x{n}x{kind}>", f"tensor<{rows}x{n}x{kind}>"
    numbers = range(count)
    products = "".join(f"\n  %p{i} = linalg.matmul ins(%x, %w{i} : {x}, {w}) outs(%z : {r}) -> {r}" for i in numbers)
    scaled = "".join(
        f"""
    %c{i} = arith.constant {2 * i + 1}.0 : {kind}
    %q{i} = arith.mulf %a{i}, %c{i} : {kind}
    %s{i + 1} = arith.addf %s{i}, %q{i} : {kind}"""
        for i in numbers
    )
    return f"""func.func @gates(%x: {x}, {", ".join(f"%w{i}: {w}" for i in numbers)}) -> {r} {{
  %zero = arith.constant 0.0 : {kind}
  %e = tensor.empty() : {r}
  %z = linalg.fill ins(%zero : {kind}) outs(%e : {r}) -> {r}{products}
  %y = linalg.generic {{indexing_maps = [{", ".join(["affine_map<(i, j) -> (i, j)>"] * (count + 1))}],
      iterator_types = ["parallel", "parallel"]}} ins({", ".join(f"%p{i}" for i in numbers)} : {", ".join([r] * count)})
      outs(%e : {r}) {{
  ^bb0({", ".join(f"%a{i}: {kind}" for i in numbers)}, %o: {kind}):
    %s0 = arith.constant 0.0 : {kind}{scaled}
    linalg.yield %s{count} : {kind}
  }} -> {r}
  return %y : {r}
}}"""


GATES = {
    "a vector of each": (4, 256, 64, "f32", 1),
    "odd": (3, 300, 37, "f32", 1),
    "long": (2, 256, 40, "f64", 1),
    "short": (4, 256, 64, "f16", 1),
    "one subgroup": (8, 64, 8, "f32", 1),
}


@cache
def compiled(name: str, device: str) -> Artifact:
    return compile_source(Source("-", gates(*GATES[name])), device, CompileOptions(binaries=False))


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", ["h200", "mi300x"])
@pytest.mark.parametrize("name", GATES)
def test_sums_that_one_op_reads_are_joined_together(name: str, device: str) -> None:
    count, k, n, kind, rows = GATES[name]
    artifact = compiled(name, device)
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.prediction is not None
    record = artifact.manifest.file("kernels")
    assert record is not None
    text = artifact.files[record.name].decode()
    exchanges = len(re.findall(r"gpu.barrier(?=[^}]*load partial)", text))
    assert (f"memref<{kernel.plan.prediction.shared_bytes}xi8" in text) == (exchanges > 0)
    assert exchanges <= 1
    rng = np.random.default_rng(1)
    element = {"f16": np.float16, "f32": np.float32, "f64": np.float64}[kind]
    x, *w = (rng.integers(-1, 2, shape).astype(element) for shape in [(rows, k), *[(k, n)] * count])
    (y,) = artifact.run(x, *w, on="sim", sanitize=True)
    expected = sum((2 * i + 1) * (x.astype(float) @ one.astype(float)) for i, one in enumerate(w))
    assert np.array_equal(y.astype(float), expected)
