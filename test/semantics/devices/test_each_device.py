# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile for each device, execute in the simulator, compare with numpy.

Inputs are whole numbers, so that sums and products are exact in f32 and results must be equal.
"""

from functools import cache

import pytest

import roller_mlir
from roller_mlir import Artifact, CompileOptions
from roller_mlir.evaluation.reference import Comparison, compare_all, evaluate_function, random_inputs
from roller_mlir.plan.accuracy.accumulation import Accumulation, accumulation_of
from roller_mlir.support.bindings import make_context
from roller_mlir.support.diagnostics import parse_module

from ..programs import PRODUCT, PROGRAMS, SUM, generic, matmul, tensor

SIMULATED = CompileOptions(binaries=False)
DEVICES = ("sm_80", "h200", "mi300x")


@cache
def compiled(text: str, device: str, options: CompileOptions = SIMULATED) -> Artifact:
    return roller_mlir.compile(text, target=device, options=options)


def run_and_compare(
    artifact: Artifact, values: str = "integers", seed: int = 0, accumulation: Accumulation | None = None
) -> list[Comparison]:
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], seed, values)
    before = [array.copy() for array in inputs]
    outputs = artifact.run(*inputs, seed=seed)
    assert all((a == b).all() for a, b in zip(before, inputs, strict=True)), "a run must not change its inputs"
    with make_context() as context:
        module = parse_module(artifact.text("input"), context)
        expected = evaluate_function(module, manifest.function, inputs, accumulation or accumulation_of(manifest))
    return compare_all(outputs, expected)


@pytest.mark.full(every=18)
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_equal_to_numpy(name: str, device: str) -> None:
    for comparison in run_and_compare(compiled(PROGRAMS[name], device)):
        assert comparison.equal, comparison


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_any_order_of_threads_gives_the_same(seed: int) -> None:
    for comparison in run_and_compare(compiled(matmul(127, 131, 61), "h200"), seed=seed):
        assert comparison.equal, comparison


@pytest.mark.full(every=3)
@pytest.mark.parametrize("device", DEVICES)
def test_real_numbers_are_within_their_bounds(device: str) -> None:
    softmax_like = generic((30, 200), ("ab", "a"), "%v = math.exp %x0 : f32\n    %r = arith.addf %acc, %v : f32")
    for text in (matmul(127, 131, 61), softmax_like):
        for comparison in run_and_compare(compiled(text, device), values="normal"):
            assert comparison.matches, comparison


@pytest.mark.full(each=["name", "device"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["matmul 37x211x53", "sum of all axes", "two-layer perceptron", "element-wise chain"])
def test_binaries_are_made(name: str, device: str) -> None:
    artifact = compiled(PROGRAMS[name], device, CompileOptions())
    for kernel in artifact.kernels:
        if artifact.manifest.device.vendor == "amd":
            assert artifact.files[kernel.files["hsaco"]].startswith(b"\x7fELF")
        else:
            assert f".entry {kernel.name}(" in artifact.files[kernel.files["ptx"]].decode()
            assert "cubin" in kernel.files or kernel.notes, "without ptxas the artifact says so"
        assert kernel.statistics.registers is None or kernel.statistics.registers > 0


WHOLE = CompileOptions(binaries=False, split=False)


@pytest.mark.full(each=["extent"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("extent", [128, 256])
def test_transactions_of_aligned_matmuls_equal_the_plan(extent: int, device: str) -> None:
    artifact = compiled(matmul(extent, extent, extent), device, WHOLE)
    buffers = [artifact.manifest.buffer(name) for name in artifact.manifest.inputs]
    (report,) = artifact.run_reported(*random_inputs(buffers, 0), count=True).launches
    (kernel,) = artifact.kernels
    assert report.counts is not None and kernel.plan is not None and kernel.plan.prediction is not None
    predicted = kernel.plan.prediction

    def total(kind: str, space: str, figure: str) -> int:
        return sum(getattr(c, figure) for c in report.counts or () if (c.kind, c.space) == (kind, space))

    assert total("load", "global", "bytes") == predicted.global_load_bytes
    assert total("store", "global", "bytes") == predicted.global_store_bytes
    assert total("load", "global", "sectors") == predicted.global_load_sectors
    assert total("store", "global", "sectors") == predicted.global_store_sectors
    assert total("load", "workgroup", "bytes") == predicted.shared_load_bytes
    assert total("store", "workgroup", "bytes") == predicted.shared_store_bytes
    assert total("load", "workgroup", "phases") == predicted.shared_load_phases
    assert total("store", "workgroup", "phases") == predicted.shared_store_phases


EDGES: dict[str, str] = {
    "matmul 129x132x36": matmul(129, 132, 36),
    "aligned matrix times vector": generic((96, 256), ("ab", "b", "a"), PRODUCT),
    "matrix times vector": generic((97, 130), ("ab", "b", "a"), PRODUCT),
    "row sum in one subgroup": generic((20, 300), ("ab", "a"), SUM),
    "row sum across subgroups": generic((4, 5000), ("ab", "a"), SUM),
}


@pytest.mark.full(each=["device"])
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", EDGES)
def test_bytes_equal_the_plan_at_edges_too(name: str, device: str) -> None:
    """Sectors are a mean there; bytes are exact, also of partial tiles and of joined partial results."""
    artifact = compiled(EDGES[name], device, WHOLE)
    buffers = [artifact.manifest.buffer(name) for name in artifact.manifest.inputs]
    (report,) = artifact.run_reported(*random_inputs(buffers, 0), count=True).launches
    plan = artifact.kernels[0].plan
    assert report.counts is not None and plan is not None and plan.prediction is not None
    predicted = plan.prediction
    counted = {
        (kind, space): sum(c.bytes for c in report.counts if (c.kind, c.space) == (kind, space))
        for kind in ("load", "store")
        for space in ("global", "workgroup")
    }
    assert counted == {
        ("load", "global"): predicted.global_load_bytes,
        ("store", "global"): predicted.global_store_bytes,
        ("load", "workgroup"): predicted.shared_load_bytes,
        ("store", "workgroup"): predicted.shared_store_bytes,
    }
    if name.startswith("row sum"):
        assert plan.axes[1].threads > 1, "the reduction is split"
        assert (counted["load", "workgroup"] > 0) == ("across" in name)


@pytest.mark.full(every=3)
@pytest.mark.parametrize(
    "forced",
    [
        CompileOptions(tile_sizes=(64, 64, 8), thread_tile=(4, 4, 8), binaries=False),
        CompileOptions(tile_sizes=(32, 128, 16), thread_tile=(4, 8, 16), stages=1, binaries=False),
        CompileOptions(tile_sizes=(128, 32, 4), stages=2, binaries=False),
    ],
)
def test_forced_plans_are_realised(forced: CompileOptions) -> None:
    artifact = compiled(matmul(100, 132, 36), "h200", forced)
    plan = artifact.kernels[0].plan
    assert plan is not None
    assert tuple(axis.block for axis in plan.axes) == forced.tile_sizes
    if forced.thread_tile:
        assert tuple(axis.registers for axis in plan.axes) == forced.thread_tile
    if forced.stages:
        assert plan.stages == forced.stages
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison


def test_accumulation_into_a_given_output() -> None:
    a, b, c = tensor((20, 30)), tensor((30, 10)), tensor((20, 10))
    text = f"""func.func @f(%a: {a}, %b: {b}, %c: {c}) -> {c} {{
      %r = linalg.matmul ins(%a, %b : {a}, {b}) outs(%c : {c}) -> {c}
      return %r : {c}
    }}"""
    for comparison in run_and_compare(compiled(text, "h200")):
        assert comparison.equal, comparison
