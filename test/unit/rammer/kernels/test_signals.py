# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a block has written is there before its signal is, in machine code: whichever of its threads wrote it."""

import re

import pytest
from graph_models import MODELS
from graph_runs import GraphRun

import roller_mlir
from roller_mlir import CompileOptions

LEFT, RIGHT, SUM = "tensor<512x4096xf16>", "tensor<4096x512xf16>", "tensor<512x512xf32>"
PARTS = f"""
func.func @f(%a: {LEFT}, %b: {RIGHT}, %c: {SUM}) -> {SUM} {{
  %r = linalg.matmul ins(%a, %b : {LEFT}, {RIGHT}) outs(%c : {SUM}) -> {SUM}
  return %r : {SUM}
}}
"""
ROWS, WEIGHTS = "tensor<64x256xf32>", "tensor<256x256xf32>"
LAYERS = f"""
func.func @f(%x: {ROWS}, %w: {WEIGHTS}, %v: {WEIGHTS}) -> {ROWS} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {ROWS}
  %i = linalg.fill ins(%z : f32) outs(%e : {ROWS}) -> {ROWS}
  %h = linalg.matmul ins(%x, %w : {ROWS}, {WEIGHTS}) outs(%i : {ROWS}) -> {ROWS}
  %r = linalg.matmul ins(%h, %v : {ROWS}, {WEIGHTS}) outs(%i : {ROWS}) -> {ROWS}
  return %r : {ROWS}
}}
"""

WAITS = re.compile(r"\ts_waitcnt\b.*\bvmcnt\(0\)")
STORES = re.compile(r"\t(?:global|buffer|flat)_store")


def assembly(source: str, options: CompileOptions) -> list[str]:
    """Return the lines of AMD's assembly of a kernel."""
    artifact = roller_mlir.compile(source, target="mi300x", options=options)
    (text,) = (file.decode() for name, file in artifact.files.items() if name.endswith(".s"))
    return text.splitlines()


def last_before(lines: list[str], end: int, *what: re.Pattern[str]) -> int:
    """Return where the last line before a place is that has one of the patterns."""
    return max(at for at, line in enumerate(lines[:end]) if any(one.match(line) for one in what))


@pytest.mark.parametrize(
    ("source", "options"),
    [
        pytest.param(LAYERS, CompileOptions(persistent=True), id="persistent"),
        pytest.param(PARTS, CompileOptions(), id="joined"),
    ],
)
def test_all_subgroups_wait_for_their_stores_in_front_of_the_barrier(source: str, options: CompileOptions) -> None:
    """An s_barrier waits for no stores, nor does the fence of the subgroup that signals for those of others."""
    lines = assembly(source, options)
    signals = [at for at, line in enumerate(lines) if line.startswith("\tglobal_atomic_add")]
    assert signals
    for signal in signals:
        barrier = last_before(lines, signal, re.compile(r"\ts_barrier"))
        assert WAITS.match(lines[last_before(lines, barrier, WAITS, STORES)])


@pytest.mark.parametrize(("device", "each"), [("mi300x", True), ("a100", False)])
def test_each_thread_fences_only_where_one_fence_covers_no_block(device: str, each: bool) -> None:
    """On NVIDIA's devices the fence of the thread that signals covers what it knows of, which a barrier tells it."""
    graph = GraphRun(MODELS["mlp"]()[0], device, **{"block-threads": "128", "instructions": "fma"})
    fences = re.findall(r'llvm\.fence syncscope\("device"\) release(\s*gpu\.barrier)?', graph.text)
    assert len([one for one in fences if one]) == each and len([one for one in fences if not one]) == 1
