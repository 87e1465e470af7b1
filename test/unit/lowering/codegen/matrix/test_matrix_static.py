# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the vendors' tools make of kernels with matrix instructions: no spills, and little beside products. No speed."""

import functools
from dataclasses import replace
from pathlib import Path

import pytest
from forced_products import Product, options

import roller_mlir
from roller_mlir.compiler.driver import compile_source
from roller_mlir.compiler.source import Source
from roller_mlir.evaluation.reference.compare import random_inputs
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.evaluation.suites.select import select
from roller_mlir.lowering.backend import find_toolchain
from roller_mlir.runtime import Artifact

LARGE = Product(extents=(4096, 4096, 4096), blocks=(128, 256, 64), subgroups=(2, 4), stages=3)

needs_disassembler = pytest.mark.skipif(
    not find_toolchain().ptxas or find_toolchain().nvdisasm is None, reason="needs ptxas and nvdisasm"
)


def built(product: Product, folder: Path, *, disassemble: bool = True) -> Artifact:
    chosen = replace(options(product, folder), binaries=True, disassemble=disassemble, cache=False)
    return compile_source(Source("-", product.text), product.device, chosen)


@functools.cache
def planned(name: str, device: str) -> Artifact:
    """An operator of the suite with the plan of the construction, of f16."""
    (operator,) = select(find_suite("roller119"), (name,))
    text = function_text(operator, "f16")
    return roller_mlir.compile(text, target=device, options=roller_mlir.CompileOptions(cache=False))


@needs_disassembler
def test_the_loop_of_128x256x64_on_sm_80(tmp_path: Path) -> None:
    """Triton has 268 instructions around the same 128 products."""
    (kernel,) = built(LARGE, tmp_path).kernels
    loop = kernel.statistics.main_loop
    assert loop["HMMA.16816.F32"] == 128
    assert loop["LDSM.16.M88.4"] + loop["LDSM.16.MT88.4"] == 32
    assert loop["LDGSTS.E.BYPASS.128"] == 12
    assert sum(loop.values()) <= 250
    assert not {name for name in loop if name.startswith(("LDL", "STL", "STS"))}
    assert kernel.statistics.spill_bytes == 0
    assert [note for note in kernel.notes if note.startswith("warning: ")] == []


@pytest.mark.full
@needs_disassembler
@pytest.mark.parametrize(
    "product",
    [
        LARGE.but(factor="bf16"),
        LARGE.but(transposed=(False, True), result="f16"),
        LARGE.but(blocks=(128, 128, 64), subgroups=(2, 2), stages=4),
        LARGE.but(blocks=(128, 128, 64), subgroups=(2, 2), stages=4, factor="i8", result="i32", shape=(16, 8, 32),
                  transposed=(False, True), vector=(16, 16), fragment=16),
    ],
)  # fmt: skip
def test_other_types_do_not_spill_either(product: Product, tmp_path: Path) -> None:
    (kernel,) = built(product, tmp_path).kernels
    assert kernel.statistics.spill_bytes == 0
    share = kernel.statistics.more["matrix_share"]
    assert isinstance(share, float) and share >= 0.45
    assert [note for note in kernel.notes if note.startswith("warning: ")] == []


@pytest.mark.full(every=8)
# A divided product; windows and rows that are aligned to nothing, whose copies pass registers.
@pytest.mark.parametrize("name", ["M1", "C0", "C12", "C23"])
@pytest.mark.parametrize("device", ["a100-80", "mi300x"])
def test_kernels_of_the_suite_do_not_spill(name: str, device: str) -> None:
    for kernel in planned(name, device).kernels:
        assert kernel.statistics.spill_bytes in (0, None)
        assert [note for note in kernel.notes if note.startswith("warning: ")] == []


FRAGMENT = 8
MFMA = Product(
    extents=(128, 128, 64), blocks=(128, 128, 32), subgroups=(2, 2), shape=(32, 32, 8), family="mfma", device="mi300x",
    transposed=(False, True), stages=2, fragment=FRAGMENT, copy="synchronous",
)  # fmt: skip


@pytest.mark.full(every=5)
@pytest.mark.parametrize(
    "product",
    [
        MFMA,
        MFMA.but(factor="bf16"),
        MFMA.but(shape=(16, 16, 16)),
        MFMA.but(blocks=(128, 128, 64), extents=(128, 128, 128)),
        MFMA.but(device="mi210"),
    ],
)
def test_workgroup_memory_is_read_and_written_in_as_few_phases_as_possible(product: Product, tmp_path: Path) -> None:
    """A lane reads 16 bytes, of which neighbouring instructions take their parts; rows are permuted, not padded."""
    artifact = compile_source(Source("-", product.text), product.device, options(product, tmp_path))
    manifest = artifact.manifest
    inputs = random_inputs([manifest.buffer(name) for name in manifest.inputs], 0, "integers")
    (report,) = artifact.run_reported(*inputs, on="sim", count=True).launches
    sites = [site for site in report.counts or () if site.space == "workgroup"]
    assert {site.kind for site in sites} == {"load", "store"}
    for site in sites:
        assert site.phases == site.ideal, site


@pytest.mark.full(every=3)
@pytest.mark.parametrize("product", [MFMA, MFMA.but(shape=(16, 16, 16)), MFMA.but(device="mi210")])
def test_amd_reads_16_bytes_at_once(product: Product, tmp_path: Path) -> None:
    (kernel,) = built(product.but(extents=(4096, 4096, 4096)), tmp_path, disassemble=False).kernels
    loop = kernel.statistics.main_loop
    products = sum(count for name, count in loop.items() if name.startswith("v_mfma"))
    m, n, k = product.shape
    assert products == 128 * 128 * 32 // 4 // (m * n * k)
    assert loop["ds_read_b128"] == (64 + 64) * 32 // 64 // 8
    assert not {name for name in loop if name.startswith(("ds_read_u16", "ds_read_b64", "scratch"))}
    assert kernel.statistics.spill_bytes == 0
