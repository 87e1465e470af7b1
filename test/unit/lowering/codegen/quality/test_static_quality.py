# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the vendor's assembler makes of a kernel: registers, spills and the mix of the main loop. No speed."""

import re
from collections import Counter

import pytest

import roller_mlir
from roller_mlir.evaluation.suites import find_suite, function_text
from roller_mlir.evaluation.suites.select import select
from roller_mlir.lowering.backend.checks.accesses import accesses_of
from roller_mlir.lowering.backend.checks.assembly import read_sass
from roller_mlir.runtime import Artifact


def matmul(m: int, n: int, k: int) -> str:
    return f"""func.func @matmul(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  %r = linalg.matmul ins(%a, %b : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
                     outs(%i : tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
  return %r : tensor<{m}x{n}xf32>
}}"""


def compiled(m: int, n: int, k: int, target: str) -> Artifact:
    options = roller_mlir.CompileOptions(
        tile_sizes=(128, 128, 8), thread_tile=(8, 8, 8), instructions=("fma", "packed_fma"), disassemble=True
    )
    return roller_mlir.compile(matmul(m, n, k), target=target, options=options)


@pytest.mark.full(every=7)
@pytest.mark.parametrize(
    ("size", "least_share"),
    [
        ((4096, 4096, 4096), 0.88),
        ((1024, 1024, 1024), 0.88),
        ((4000, 4000, 4020), 0.88),
        ((4095, 4095, 4095), 0.87),
        ((1021, 1019, 1023), 0.87),
        ((1000, 1001, 999), 0.87),
        ((513, 512, 511), 0.87),
    ],
    ids=str,
)
def test_matmul_128x128x8_on_sm_90a(size: tuple[int, int, int], least_share: float) -> None:
    (kernel,) = compiled(*size, "h200").manifest.kernels
    statistics = kernel.statistics
    loop = statistics.main_loop
    share = loop["FFMA"] / sum(loop.values())
    assert share >= least_share, loop
    assert statistics.spill_bytes == 0
    assert statistics.registers <= 128
    assert loop["FFMA"] == 512
    shared_bytes = 16 * loop.get("LDS.128", 0) + 8 * loop.get("LDS.64", 0) + 4 * loop.get("LDS", 0)
    assert loop["FFMA"] / shared_bytes >= 1.0
    wide = loop.get("LDG.E.128.CONSTANT", 0)
    assert wide == int(size[2] % 4 == 0) + int(size[1] % 4 == 0)
    plan = kernel.plan
    assert plan is not None and plan.prediction is not None
    assert statistics.shared_bytes == plan.prediction.shared_bytes == 16640


def test_packed_multiply_adds_on_gfx942() -> None:
    (kernel,) = compiled(1024, 1024, 1024, "mi300x").manifest.kernels
    assert kernel.statistics.spill_bytes == 0
    assert 2 * kernel.statistics.main_loop["v_pk_fma_f32"] == 512


def test_a_pooling_waits_once_for_its_tile_on_sm_90a() -> None:
    """P11 of the suite: 90 words of a thread's share are on their way together, and none of them passes a register."""
    (operator,) = select(find_suite("roller119"), ("P11",))
    forced = {"tile_sizes": (64, 7, 8, 3, 3), "thread_tile": (1, 7, 8, 3, 3), "staged_stores": False}
    options = roller_mlir.CompileOptions(**forced, disassemble=True)  # type: ignore[arg-type]
    artifact = roller_mlir.compile(function_text(operator), target="h100", options=options)
    (kernel,) = artifact.manifest.kernels
    listing = read_sass(artifact.text("assembly"))
    kinds = Counter(one.kind for one in accesses_of(listing.instructions))
    assert kinds["asynchronous copy"] > 0
    assert kinds["global load"] == kinds["workgroup store"] == 0
    assert sum(name.startswith("DEPBAR") for name in listing.instructions) == 1
    assert kernel.statistics.spill_bytes == 0
    assert kernel.plan is not None and kernel.plan.prediction is not None
    assert kernel.statistics.registers <= kernel.plan.prediction.registers
    assert re.search(r"cp\.async\.ca\.shared\.global\s+\[[^]]+\],\s*\[[^]]+\],\s*4,\s*%r", artifact.text("ptx"))


@pytest.mark.full(every=4)
@pytest.mark.parametrize("name", ["P2", "P11", "D10", "D14"])
def test_copies_through_registers_fit_as_many_as_wait(name: str) -> None:
    """16 loads a trip of the copy loop, on a device without asynchronous copies that has 64 registers a thread."""
    (operator,) = select(find_suite("roller119"), (name,))
    (kernel,) = roller_mlir.compile(function_text(operator), target="t4").manifest.kernels
    assert kernel.statistics.spill_bytes == 0
    assert [note for note in kernel.notes if note.startswith("warning: ")] == []
