# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products by matrix instructions, with plans that are chosen here: each instruction, layout, copy and edge."""

import re
from pathlib import Path

import numpy as np
import pytest
from forced_products import Product, options, run_product

from roller_mlir.compiler.driver import compile_source, lower_until
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.lowering.targets.stage import KERNELS, LOOPS
from roller_mlir.support.diagnostics import DiagnosedError

MMA = Product()
PADDED = MMA.but(swizzle=None, pad=8)
BY_ELEMENT = PADDED.but(vector=(1, 1), copy="synchronous", stages=2)
TF32 = MMA.but(factor="f32", shape=(16, 8, 8), vector=(4, 4), fragment=4)
INTEGER = MMA.but(
    factor="i8",
    result="i32",
    shape=(16, 8, 32),
    blocks=(32, 32, 64),
    extents=(64, 64, 160),
    vector=(16, 16),
    fragment=16,
    transposed=(False, True),
)
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
WMMA = MMA.but(
    family="wmma",
    device="v100",
    shape=(16, 16, 16),
    stages=2,
    copy="synchronous",
    swizzle=None,
    pad=8,
)

CASES = {
    "plain": MMA,
    "first transposed": MMA.but(transposed=(True, False)),
    "second transposed": MMA.but(transposed=(False, True)),
    "both transposed": MMA.but(transposed=(True, True)),
    "padded rows": PADDED,
    "padded rows, transposed": PADDED.but(transposed=(True, True)),
    "two buffers": MMA.but(stages=2),
    "four buffers": MMA.but(stages=4, extents=(32, 32, 320)),
    "more buffers than steps": MMA.but(stages=4, extents=(32, 32, 64)),
    "one step": MMA.but(extents=(64, 64, 32), stages=1),
    "short step": MMA.but(extents=(64, 64, 8), stages=1),
    "residue of the reduction": MMA.but(extents=(64, 64, 200)),
    "edges": MMA.but(extents=(81, 72, 64)),
    "odd everything": BY_ELEMENT.but(extents=(65, 33, 67)),
    "odd everything, transposed": BY_ELEMENT.but(extents=(65, 33, 67), transposed=(True, True)),
    "narrow copies": PADDED.but(extents=(50, 36, 44), vector=(4, 4)),
    "two-element copies": PADDED.but(extents=(50, 34, 46), vector=(2, 2)),
    "long rows": MMA.but(blocks=(32, 128, 32), extents=(64, 128, 64), subgroups=(1, 4)),
    "rows of 128 bytes": MMA.but(blocks=(32, 64, 64), extents=(64, 128, 192)),
    "an odd number of column tiles": MMA.but(blocks=(32, 48, 32), extents=(32, 96, 64), subgroups=(2, 2), pad=8).but(
        swizzle=None
    ),
    "starts from 3": MMA.but(start=3),
    "half results": MMA.but(result="f16"),
    "bf16": MMA.but(factor="bf16"),
    "bf16 results": MMA.but(factor="bf16", result="bf16", extents=(64, 64, 200)),
    "tf32": TF32,
    "tf32, second transposed": TF32.but(transposed=(False, True)),
    "tf32, both transposed": TF32.but(transposed=(True, True)),
    "i8": INTEGER,
    "i8, odd": INTEGER.but(extents=(33, 17, 80)),
    "mfma": MFMA,
    "mfma, edges": MFMA.but(extents=(96, 80, 72)),
    "mfma, small shape": MFMA.but(shape=(16, 16, 16), subgroups=(2, 2), extents=(96, 80, 72)),
    "mfma, rows along columns": MFMA.but(transposed=(False, False), fragment=1, extents=(96, 80, 72)),
    "mfma, turned in registers": MFMA.but(transposed=(False, False), extents=(96, 80, 72), turned=(0, 4)),
    "mfma, both turned": MFMA.but(transposed=(True, False), extents=(96, 80, 72), turned=(8, 4), vector=(8, 4)),
    "mma, turned, odd": BY_ELEMENT.but(extents=(65, 33, 67), turned=(0, 8)),
    "mma, turned, one element": BY_ELEMENT.but(extents=(65, 33, 67), turned=(0, 1)),
    "mfma, bf16 results": MFMA.but(factor="bf16", result="bf16"),
    "mfma, f32": MFMA.but(factor="f32", shape=(32, 32, 2), fragment=1, vector=(4, 4), pad=4),
    "wmma": WMMA,
    "wmma, transposed": WMMA.but(transposed=(True, True)),
    "wmma, odd": WMMA.but(extents=(65, 33, 67), vector=(1, 1)),
    "wmma, half results": WMMA.but(result="f16"),
    "wmma, starts from 3": WMMA.but(start=3),
}


@pytest.mark.full(every=12)
@pytest.mark.parametrize("name", CASES)
def test_products_of_integers_are_exact(name: str, tmp_path: Path) -> None:
    got, expected = run_product(CASES[name], tmp_path)
    np.testing.assert_array_equal(got, expected)


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", ["plain", "odd everything", "bf16 results", "mfma, edges", "wmma, odd"])
def test_products_of_random_numbers(name: str, tmp_path: Path) -> None:
    run_product(CASES[name], tmp_path, values="normal")


@pytest.mark.full(every=2)
@pytest.mark.parametrize("name", ["plain", "four buffers", "odd everything", "mfma, edges", "wmma"])
def test_no_races_and_nothing_uninitialised(name: str, tmp_path: Path) -> None:
    run_product(CASES[name], tmp_path, sanitize=True)


def kernel_text(product: Product, folder: Path) -> str:
    text, _ = lower_until(Source("-", product.text), product.device, options(product, folder), KERNELS)
    return text


@pytest.mark.parametrize(
    ("product", "instructions", "loads"),
    [(MMA, "nvgpu.mma.sync", "nvgpu.ldmatrix"), (WMMA, "gpu.subgroup_mma_compute", "gpu.subgroup_mma_load_matrix")],
)
def test_what_is_emitted(product: Product, instructions: str, loads: str, tmp_path: Path) -> None:
    """A warp holds 16 x 16 results, a step two stretches of 16: 4 mma of 8 columns, or 2 wmma of 16."""
    text = kernel_text(product, tmp_path)
    assert text.count(instructions + "(" if product is MMA else instructions) == (4 if product is MMA else 2)
    assert text.count(loads + " ") == 4
    assert bool(re.search(r"nvgpu\.device_async_copy", text)) == (product is MMA)


def test_a_sum_of_something_else_is_refused(tmp_path: Path) -> None:
    text = MMA.text.replace("%p = arith.mulf %xw, %yw", "%p = arith.divf %xw, %yw")
    assert text != MMA.text
    with pytest.raises(DiagnosedError):
        compile_source(Source("-", text), MMA.device, options(MMA, tmp_path))


@pytest.mark.parametrize(
    ("product", "message"),
    [
        (WMMA.but(swizzle="xor", pad=0), "has swizzle 'xor'; 'wmma' reads rows that are not permuted"),
        (WMMA.but(pad=4, fragment=4, vector=(4, 4)), "its rows lie 72 B apart"),
    ],
)
def test_matrices_that_cannot_be_read_whole(product: Product, message: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosedError, match=re.escape(message)):
        compile_source(Source("-", product.text), product.device, options(product, tmp_path))


def test_rows_backwards_are_refused_in_the_plan(tmp_path: Path) -> None:
    """A plan that asks for whole matrices of rows that are read backwards is refused before anything is emitted."""
    text = WMMA.text.replace("(m, k)", "(-m + 63, k)", 1)
    assert text != WMMA.text
    with pytest.raises(DiagnosedError, match="its rows lie -80 B apart"):
        compile_source(Source("-", text), WMMA.device, options(WMMA, tmp_path))


def test_rows_backwards_are_refused_in_edited_loops(tmp_path: Path) -> None:
    loops, _ = lower_until(Source("-", WMMA.text), WMMA.device, options(WMMA, tmp_path), LOOPS)
    edited = loops.replace("(d0, d1, d2) -> (d0, d2)>", "(d0, d1, d2) -> (-d0 + 31, d2)>")
    assert edited != loops
    with pytest.raises(DiagnosedError, match="a wmma instruction cannot read the tile: its rows lie -80 B apart"):
        lower_until(Source("-", edited), WMMA.device, CompileOptions(binaries=False), KERNELS)


def test_asynchronous_copies_stand_among_the_matrix_instructions(tmp_path: Path) -> None:
    """Half of a step's copies are started before each of its two stretches; no branch parts the arithmetic."""
    text = kernel_text(MMA.but(blocks=(64, 64, 32), extents=(128, 128, 128)), tmp_path)
    loop = text[text.index("scf.for") : text.rindex("scf.yield")]
    order = re.findall(r"nvgpu\.(mma\.sync|device_async_copy)|(scf\.if)", loop)
    names = [first or second for first, second in order]
    assert "scf.if" not in names
    starts = [place for place, name in enumerate(names) if name == "device_async_copy"]
    products = [place for place, name in enumerate(names) if name == "mma.sync"]
    assert len(starts) == 4
    assert starts[1] < products[0] < starts[2]
    assert starts[-1] < products[-1]
