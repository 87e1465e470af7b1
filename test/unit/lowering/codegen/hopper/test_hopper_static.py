# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ptxas makes of kernels of wgmma: no spills, no warnings, and little in the loop but products. No speed."""

import re

import pytest
from hopper_cases import Matmul

from roller_mlir import compiler
from roller_mlir.lowering.backend import find_toolchain
from roller_mlir.lowering.backend.checks.assembly import read_sass

LARGE = Matmul(extents=(4096, 4096, 4096), block=(128, 256, 64), columns=256, groups=(2, 1), stages=4, persistent=True)

pytestmark = pytest.mark.skipif(
    not find_toolchain().ptxas or find_toolchain().nvdisasm is None, reason="needs ptxas and nvdisasm"
)


def build(case):
    artifact = case.compile(binaries=True, disassemble=True, gate=False)
    (kernel,) = artifact.kernels
    assert kernel.statistics.spill_bytes == 0
    assert not kernel.notes
    listing = read_sass(artifact.text("assembly"))
    return artifact, kernel, listing


def products(names):
    return sum(name.startswith(("HGMMA", "IGMMA")) for name in names)


def product_loop(listing):
    """The smallest loop that holds products."""
    bodies = [listing.instructions[first : last + 1] for first, last in listing.loops]
    return min((body for body in bodies if products(body)), key=len)


def test_the_loop_of_128x256x64():
    artifact, kernel, listing = build(LARGE)
    loop = product_loop(listing)
    assert products(loop) == 4
    assert sum(name == "HGMMA.64x256x16.F32" for name in loop) == 4
    assert len(loop) - 4 <= 4 * 10
    # Accumulators stay where they are: nothing moves a vector register, nothing goes to memory.
    assert not [name for name in loop if name.startswith(("MOV", "STG", "LDL", "STL", "LDS", "STS"))]
    assert any(name.startswith("UTMALDG") for name in listing.instructions)
    assert sum(name.startswith("USETMAXREG") for name in listing.instructions) == 2
    assert kernel.statistics.registers == 168
    assert kernel.statistics.shared_bytes == 4 * 49152 + 64
    # The tensor maps are grid constants; a copy of one would be local memory.
    ptx = artifact.text("ptx")
    assert len(re.findall(r"\.param \.align 64 \.b8 \w+\[128\]", ptx)) == 2
    assert kernel.statistics.more.get("stack_bytes") == 0
    assert [one.argument for one in kernel.tensor_maps] == [0, 1]
    assert kernel.tensor_maps[0].box == (128, 64) and kernel.tensor_maps[1].box == (64, 64)


@pytest.mark.full
@pytest.mark.parametrize(
    "case",
    [
        LARGE.but(block=(256, 192, 64), columns=192, stages=3),
        LARGE.but(transposed=(True, True), epilogue=True),
        LARGE.but(block=(192, 128, 64), columns=128, groups=(3, 1), extents=(1000, 1000, 1000)),
        LARGE.but(block=(64, 128, 64), columns=128, groups=(1, 1), tasks_per_unit=2),
        LARGE.but(result="f16", store="tensor"),
        LARGE.but(factor="i8", result="i32", block=(128, 256, 128), transposed=(False, True)),
    ],
    ids=["192 accumulators", "transposed, epilogue", "three warpgroups", "two blocks a unit", "stores by copies", "i8"],
)
def test_no_spills_and_no_warnings(case):
    _, _, listing = build(case)
    loop = product_loop(listing)
    assert len(loop) - products(loop) <= 10 * products(loop)
    assert not [name for name in loop if name.startswith(("LDL", "STL"))]


@pytest.mark.full
def test_stores_by_copies_use_no_others():
    _, kernel, listing = build(LARGE.but(result="f16", store="tensor"))
    names = [name.split(".")[0] for name in listing.instructions]
    assert "STG" not in names
    assert names.count("STSM") == 16 and names.count("UTMASTG") == 4
    assert kernel.statistics.shared_bytes == 4 * 49152 + 64 + 32768


def test_products_are_convergent():
    artifact = LARGE.compile(llvm=True)
    lines = [line for line in artifact.text("llvm").splitlines() if " asm " in line and ".aligned" in line]
    assert len(lines) == 9  # four of the first step, four of the loop, and the last wait
    (group,) = {line.rsplit("#", 1)[1] for line in lines}
    assert f"attributes #{group} = {{ convergent nounwind }}" in artifact.text("llvm")


def test_the_plan_reaches_the_kernel():
    text = """
    func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
      %z = arith.constant 0.0 : f16
      %e = tensor.empty() : tensor<4096x4096xf16>
      %f = linalg.fill ins(%z : f16) outs(%e : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
      %r = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>)
        outs(%f : tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
      return %r : tensor<4096x4096xf16>
    }
    """
    artifact = compiler.compile(text, "h200")
    (kernel,) = artifact.kernels
    assert kernel.plan is not None and kernel.plan.persistent and kernel.plan.store == "tensor"
    (launch,) = artifact.manifest.launches
    assert launch.grid == (132, 1, 1) and launch.block == (kernel.plan.threads + 128, 1, 1)
    assert [one.argument for one in kernel.tensor_maps] == [0, 1, 2]
    assert kernel.statistics.spill_bytes == 0
    assert not kernel.notes
