# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loops are the program: whoever edits them gets the kernel that they wrote."""

import re

import numpy as np
import pytest
from kernel_cases import MULTIPLY_ADD, axis, expand, generic, integers, plan, run_loops

from roller_mlir.lowering.codegen.kernel import KERNELS
from roller_mlir.lowering.codegen.task.strategies import STRATEGIES
from roller_mlir.plan.plan import PIPELINES
from roller_mlir.support.diagnostics import DiagnosedError

SHAPES = [(100, 40), (40, 72)]
MAPS = ["(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)", "(m, n, k) -> (m, n)"]
MAKE = plan([axis(32, 8, 4), axis(32, 8, 4), axis(8)], (1, 0), 1, (0, 1), stages=2)


@pytest.fixture(scope="module")
def loops() -> str:
    return expand(generic(MAPS, "ppr", SHAPES, (100, 72), MULTIPLY_ADD), MAKE)


def expect_product(text: str) -> None:
    a, b = integers(SHAPES)
    np.testing.assert_array_equal(run_loops(text, [a, b], (100, 72)), a @ b)


def replaced(text: str, *pairs: tuple[str, str]) -> str:
    for old, new in pairs:
        assert old in text, f"{old} is not in the loops:\n{text}"
        text = text.replace(old, new)
    return text


def test_each_pipeline_has_a_kernel_and_a_strategy() -> None:
    assert list(KERNELS) == list(PIPELINES)
    assert list(STRATEGIES) == [name for name, one in PIPELINES.items() if not one.specialised]


def test_unedited(loops: str) -> None:
    expect_product(loops)


def test_other_loop_order(loops: str) -> None:
    """Rows and columns of tasks exchanged: other blocks work on other tiles, the result is the same."""
    rows, columns = re.findall(r"scf\.for (%\w+) = %c0 to (%\w+) ", loops)[:2]
    assert rows[1] != columns[1]
    edited = loops.replace(f"{rows[0]} = %c0 to {rows[1]} ", "@outer@").replace(
        f"{columns[0]} = %c0 to {columns[1]} ", f"{rows[0]} = %c0 to {rows[1]} "
    )
    edited = edited.replace("@outer@", f"{columns[0]} = %c0 to {columns[1]} ")
    assert edited != loops
    expect_product(edited)


def test_other_reduction_step(loops: str) -> None:
    """Steps of 20 instead of 8 points: the tiles, the box, the origins and the trip count change together."""
    edited = replaced(
        loops,
        ("tensor<32x8xf32>", "tensor<32x20xf32>"),
        ("tensor<8x32xf32>", "tensor<20x32xf32>"),
        ("#rtile.tile<[32, 8]", "#rtile.tile<[32, 20]"),
        ("#rtile.tile<[8, 32]", "#rtile.tile<[20, 32]"),
        ("box = array<i64: 32, 32, 8>", "box = array<i64: 32, 32, 20>"),
        (" * 8", " * 20"),
        ("arith.constant 5 : index", "arith.constant 2 : index"),
    )
    expect_product(edited)


def test_loop_that_counts_elements(loops: str) -> None:
    """The reduction loop counts points instead of steps."""
    edited = replaced(
        loops,
        (" * 8", ""),
        ("%c5 = arith.constant 5 : index", "%c5 = arith.constant 40 : index\n      %step = arith.constant 8 : index"),
    )
    edited = re.sub(r"(to %c5 step) %c1", r"\1 %step", edited)
    expect_product(edited)


def test_one_buffer_and_another_padding(loops: str) -> None:
    edited = re.sub(r"rtile\.stages = 2", "rtile.stages = 1", loops)
    edited = re.sub(r"pad = \d+ : i64", "pad = 12 : i64", edited)
    assert edited != loops
    expect_product(edited)


def test_three_buffers(loops: str) -> None:
    """Two steps travel while one is computed, which only another pipeline does."""
    edited = replaced(loops, ("rtile.stages = 2", "rtile.stages = 3"))
    expect_product(replaced(edited, ("register-prefetch", "deep-asynchronous")))
    expect_product(replaced(edited, ('pipeline = "register-prefetch", ', "")))


@pytest.mark.parametrize("stages", [1, 2])
def test_another_pipeline(loops: str, stages: int) -> None:
    """Copies through registers run ahead by a whole step, where there is a second buffer."""
    edited = replaced(loops, ("register-prefetch", "deep-asynchronous"), ("stages = 2", f"stages = {stages}"))
    if stages == 2:
        expect_product(edited)
        return
    with pytest.raises(DiagnosedError, match="pipeline 'deep-asynchronous' for 1 stage of synchronous copies, which"):
        expect_product(edited)


def test_other_thread_map(loops: str) -> None:
    edited = replaced(loops, ("axes = [[8, 4], [8, 4], [1, 1]]", "axes = [[4, 2], [16, 2], [1, 1]]"))
    expect_product(edited.replace("fragment_vector = 4", "fragment_vector = 2"))
    with pytest.raises(DiagnosedError, match="read by vectors of 4, but threads read it at multiples of 2"):
        expect_product(edited)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r"pad = \d+ : i64", "pad = 3 : i64", "misaligns vectors of 4"),
        (r"origin = #map\b", "origin = affine_map<(d0, d1) -> (d0 * 32, d1 * 8 + 1)>", "aligned to 1 elements"),
        (
            r"rtile\.stages = 2",
            "rtile.stages = 3",
            "'register-prefetch' for 3 stages of synchronous copies, which take 'de",
        ),
        ("register-prefetch", "direct", "pipeline 'direct' for 2 stages of synchronous copies, which take 'register-p"),
        ("register-prefetch", "warp-specialised", "pipeline 'warp-specialised' without an instruction that reads"),
        ("register-prefetch", "fast", "pipeline must be one of direct, register-prefetch, deep-asynchronous, warp-sp"),
    ],
)
def test_refused_edits(loops: str, old: str, new: str, message: str) -> None:
    edited = re.sub(old, new, loops)
    assert edited != loops
    with pytest.raises(DiagnosedError, match=message):
        expect_product(edited)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (r"fragment_vector = 4 : i64", "fragment_vector = 8 : i64", "accesses 32 B at once"),
        (r"\{rtile\.stages = 2 : i64\}", "{rtile.stages = 1 : i64}", None),
    ],
)
def test_widths_are_never_lowered_in_silence(loops: str, old: str, new: str, message: str | None) -> None:
    edited = re.sub(old, new, loops)
    assert edited != loops
    if message is None:
        expect_product(edited)
        return
    with pytest.raises(DiagnosedError, match=message):
        expect_product(edited)


def test_a_table_that_is_loaded_in_part_is_refused() -> None:
    """What is read at computed positions is a whole tensor."""
    load = '"rtile.load"(%t) {tile = #rtile.tile<[50], "register", [1]>, origin = affine_map<() -> (0)>}'
    text = f"""func.func @f(%a: tensor<50xf32>) -> tensor<8xf32> {{
      %r = "rtile.program"(%a) ({{
      ^bb0(%t: tensor<50xf32>):
        %c0 = arith.constant 0 : index
        %e = tensor.empty() : tensor<8xf32>
        %z = tensor.empty() : tensor<8xf32>
        %w = {load} : (tensor<50xf32>) -> tensor<50xf32>
        %s = "rtile.compute"(%w, %z) ({{
        ^bb0(%x: f32, %o: f32):
          %i = "rtile.index"() {{dim = 0 : i64}} : () -> index
          %n = arith.muli %i, %i : index
          %v = "rtile.gather"(%x, %n) : (f32, index) -> f32
          "rtile.yield"(%v) : (f32) -> ()
        }}) {{operandSegmentSizes = array<i32: 1, 1, 0>,
            indexing_maps = [affine_map<(d0) -> (0)>, affine_map<(d0) -> (d0)>],
            iterator_types = [#linalg.iterator_type<parallel>], box = array<i64: 8>, bounds = array<i64: 8>,
            origin = affine_map<() -> (0)>, threads = #rtile.threads<{{axes = [[8, 1]], order = [0], unroll = 1}}>}}
            : (tensor<50xf32>, tensor<8xf32>) -> tensor<8xf32>
        %d = "rtile.store"(%s, %e) {{origin = affine_map<() -> (0)>, steps = array<i64: 1>}}
            : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
        "rtile.yield"(%d) : (tensor<8xf32>) -> ()
      }}) {{sym_name = "gathers"}} : (tensor<50xf32>) -> tensor<8xf32>
      return %r : tensor<8xf32>
    }}"""
    table = np.arange(50, dtype=np.float32)
    np.testing.assert_array_equal(run_loops(text, [table], (8,)), np.arange(8) ** 2)
    part = load.replace("[50]", "[40]")
    edited = replaced(
        text,
        (load, part),
        (f"{part} : (tensor<50xf32>) -> tensor<50xf32>", f"{part} : (tensor<50xf32>) -> tensor<40xf32>"),
        (": (tensor<50xf32>, tensor<8xf32>) -> tensor<8xf32>", ": (tensor<40xf32>, tensor<8xf32>) -> tensor<8xf32>"),
    )
    with pytest.raises(DiagnosedError, match="reads input 0 at computed positions; load it as one register tile"):
        run_loops(edited, [table], (8,))
