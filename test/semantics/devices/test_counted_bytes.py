# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes that the simulator counts against those that the plan predicts, where one element is reached in several ways.

A thread reads what several of its points share once, and nothing for points that no thread needs.
"""

import pytest

import roller_mlir
from roller_mlir import CompileOptions
from roller_mlir.evaluation.reference import random_inputs
from roller_mlir.model.search.alignment import RULES
from roller_mlir.tools.commands.run.counts import count_rows

from ..programs import PRODUCT, SUM, generic, tensor
from .test_each_device import run_and_compare


def windowed(image: tuple[int, ...], map_of_image: str, other: str, loops: tuple[int, ...], kept: str) -> str:
    """Return the sum, but for the loops that are kept, of an image at indices of d0, d1, ... times a tensor.

    >>> windowed((5, 8), "d1, d0 + d1", "1", (4, 5), "0").count("tensor<5x8xf32>")
    3
    """
    sizes = [loops[int(d)] for d in other], [loops[int(d)] for d in kept]
    x, w, out = tensor(image), *map(tensor, sizes)
    space = ", ".join(f"d{i}" for i in range(len(loops)))
    maps = (map_of_image, *(", ".join(f"d{d}" for d in each) for each in (other, kept)))
    kinds = ", ".join('"parallel"' if str(i) in kept else '"reduction"' for i in range(len(loops)))
    return f"""func.func @f(%x: {x}, %w: {w}) -> {out} {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : {out}
  %i = linalg.fill ins(%zero : f32) outs(%e : {out}) -> {out}
  %r = linalg.generic {{indexing_maps = [{", ".join(f"affine_map<({space}) -> ({m})>" for m in maps)}],
      iterator_types = [{kinds}]}} ins(%x, %w : {x}, {w}) outs(%i : {out}) {{
  ^bb0(%x0: f32, %x1: f32, %acc: f32):
    {PRODUCT}
    linalg.yield %r : f32
  }} -> {out}
  return %r : {out}
}}
"""


# Program, device, block, points of a thread; where these are empty the construction chooses.
CASES = {
    "a diagonal": (generic((32, 11, 4), ("cbc", "bac", "a"), PRODUCT), "h200", (32, 11, 4), (1, 11, 4)),
    "a window next to its own loop": (
        windowed((5, 12, 8), "d2, d1 + d2, d0", "2", (8, 8, 5), "01"),
        "h200",
        (8, 8, 5),
        (1, 2, 5),
    ),
    "a window read directly": (windowed((30,), "d1 * 2 + d2 * 2", "021", (5, 11, 5), "0"), "mi50", (), ()),
    "points beyond a loop, inside the tensor": (
        windowed((24, 32), "d0 * 2 + 1, d1", "0", (5, 32), "01"),
        "h200",
        (8, 32),
        (8, 1),
    ),
    "vectors beyond a loop": (
        windowed((64, 7), "d0, d1 + d2", "2", (64, 5, 3), "01"),
        "mi300x",
        (64, 8, 3),
        (1, 8, 3),
    ),
    "joined results beyond a loop": (generic((7, 3, 1024), ("acb", "ab"), SUM), "mi50", (8, 4, 512), (8, 4, 1)),
}


@pytest.mark.full(every=3)
@pytest.mark.parametrize("name", CASES)
def test_counted_bytes_are_predicted(name: str) -> None:
    text, device, tile, points = CASES[name]
    options = CompileOptions(binaries=False, tile_sizes=tile, thread_tile=points)
    artifact = roller_mlir.compile(text, target=device, options=options)
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison
    _assert_bytes_as_planned(artifact)


def _assert_bytes_as_planned(artifact: roller_mlir.Artifact) -> None:
    inputs = [artifact.manifest.buffer(one) for one in artifact.manifest.inputs]
    for launch in artifact.run_reported(*random_inputs(inputs, 0, "integers"), count=True).launches:
        for row in count_rows(artifact, launch):
            assert "bytes" not in row.quantity or row.counted == row.planned, row


def test_copies_behind_the_last_step_are_counted() -> None:
    """Asynchronous copies run ahead by up to three steps; beyond the reduction they write zeros."""
    text = """func.func @f(%a: tensor<64x80xf16>, %b: tensor<80x64xf16>, %c: tensor<64x64xf16>) -> tensor<64x64xf16> {
  %r = linalg.matmul ins(%a, %b : tensor<64x80xf16>, tensor<80x64xf16>) outs(%c : tensor<64x64xf16>)
    -> tensor<64x64xf16>
  return %r : tensor<64x64xf16>
}
"""
    artifact = roller_mlir.compile(text, target="a100", options=CompileOptions(binaries=False))
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.stages > 2
    assert all(operand.copy == "asynchronous" for operand in kernel.plan.operands)
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison
    _assert_bytes_as_planned(artifact)


@pytest.mark.full(every=4)
@pytest.mark.parametrize("join", [False, True])
@pytest.mark.parametrize("rules", [("execution-unit",), RULES])
def test_a_divided_reduction_without_whole_subgroups(rules: tuple[str, ...], join: bool) -> None:
    """A rule that is left out holds for neither stage; k80 then gets parts of 24 threads."""
    text = generic((257, 32, 9, 2), ("ac", "abcd", "bd"), PRODUCT)
    options = CompileOptions(binaries=False, disabled_rules=rules, join=join)
    artifact = roller_mlir.compile(text, target="k80", options=options)
    assert len(artifact.kernels) == (1 if join else 2)
    for comparison in run_and_compare(artifact):
        assert comparison.equal, comparison
