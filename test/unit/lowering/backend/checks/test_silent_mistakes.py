# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What LLVM does wrong without a word is found."""

from __future__ import annotations

from typing import Any

import pytest

import roller_mlir
from roller_mlir.hal import Device
from roller_mlir.lowering.backend import CompileError
from roller_mlir.lowering.backend.checks.assembly import multiply_add_count, read_ptx
from roller_mlir.lowering.backend.checks.resources import ptx_foreign_calls
from roller_mlir.lowering.targets import compile_kernels

UNKNOWN_INTRINSIC = """
gpu.module @kernels {
  llvm.func @llvm.nvvm.of.the.future(f32) -> f32
  llvm.func @modern(%a: !llvm.ptr) attributes {MARK} {
    %x = llvm.load %a : !llvm.ptr -> f32
    %y = llvm.call @llvm.nvvm.of.the.future(%x) : (f32) -> f32
    llvm.store %y, %a : f32, !llvm.ptr
    llvm.return
  }
}
"""


@pytest.mark.parametrize(
    ("device", "mark", "what"), [("h200", "nvvm.kernel", "PTX"), ("mi300x", "rocdl.kernel", "AMDGPU object")]
)
def test_an_unknown_intrinsic_is_an_error(parse: Any, device: str, mark: str, what: str) -> None:
    """LLVM makes a call of it, and is content."""
    with pytest.raises(
        CompileError, match=f"kernel 'modern': the {what} calls llvm.nvvm.of.the.future, which nothing defines"
    ):
        compile_kernels(parse(UNKNOWN_INTRINSIC.replace("MARK", mark)), device)


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_a_deleted_loop_is_an_error(parse: Any, kernels: Any, device: str) -> None:
    """A matmul that reads workgroup memory before anyone wrote it: LLVM deletes the loop with all its multiply-adds."""
    lines = kernels.matmul().splitlines()
    unwritten = "\n".join(
        line for line in lines if not (line.startswith(("memref.store", "vector.store")) and "workgroup" in line)
    )
    with pytest.raises(
        CompileError,
        match=r"kernel 'matmul': the .* has 0 multiply-adds, the kernel's IR expects 1024; .* undefined",
    ):
        compile_kernels(parse(unwritten), device, emit="ptx")


@pytest.mark.parametrize("device", ["h200", "mi300x"])
def test_one_multiply_add_too_few_is_an_error(parse: Any, kernels: Any, device: str) -> None:
    """The count is exact, not an order of magnitude."""
    with pytest.raises(CompileError, match=r"has 1024 multiply-adds, the kernel's IR expects 1025"):
        compile_kernels(parse(kernels.matmul(fma_count=1025)), device, emit="ptx")


def test_errors_stand_at_the_kernel(parse: Any, kernels: Any, h200: Device) -> None:
    """Whoever reads the error finds the kernel."""
    with pytest.raises(CompileError) as caught:
        compile_kernels(parse("\n\n" + kernels.matmul(fma_count=1025)), "h200", emit="ptx")
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.line == 4
    assert caught.value.kernel == "matmul"


def test_ptx_multiply_adds_are_counted_by_form() -> None:
    """Plain, predicated, packed, flushed to zero; nothing that only looks alike."""
    ptx = """
    fma.rn.f32 	%r1, %r2, %r3, %r4;
    @%p1 fma.rn.ftz.f32 	%r1, %r2, %r3, %r4;
    fma.rn.f32x2 	%rd1, %rd2, %rd3, %rd4;
    fma.rn.f16x2 	%r1, %r2, %r3, %r4;
    fma.rn.f64 	%fd1, %fd2, %fd3, %fd4;
    mul.rn.f32 	%r1, %r2, %r3;
    // fma.rn.f32 in a comment
"""
    assert multiply_add_count(read_ptx(ptx).instructions) == 1 + 1 + 2 + 2 + 1


MASKED_TAPS = """
func.func @f(%x: tensor<2x6x7xf32>, %w: tensor<6x4xf32>, %y: tensor<2x6x3xf32>) -> tensor<2x6x3xf32> {
  %r = linalg.depthwise_conv_1d_ncw_cw ins(%x, %w : tensor<2x6x7xf32>, tensor<6x4xf32>)
      outs(%y : tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  return %r : tensor<2x6x3xf32>
}
"""


@pytest.mark.parametrize("device", ["h200", "v100", "mi300x"])
def test_products_that_llvm_moved_under_a_mask_are_counted(device: str) -> None:
    """A masked tap's product is 0 outside of the mask: LLVM multiplies inside and adds outside, which is right."""
    artifact = roller_mlir.compile(MASKED_TAPS, target=device)
    assert len(artifact.kernels) == 1


def test_other_arithmetic_does_not_stand_for_products() -> None:
    """Multiplications and additions that the IR has beside its multiply-adds cover no loop that is missing."""
    names = ["mul.f32"] * 5 + ["add.rn.f32"] * 6
    assert multiply_add_count(names) == 5
    assert multiply_add_count(names, products=3) == 2
    assert multiply_add_count(names, products=5, sums=6) == 0


def test_counting_can_be_left_out(parse: Any, kernels: Any, h200: Device) -> None:
    """What `--no-gate` asks for."""
    compile_kernels(parse(kernels.matmul(fma_count=1025)), "h200", emit="ptx", counted=False)


def test_ptx_calls_are_told_from_definitions() -> None:
    """A function of the module itself is no foreign one."""
    ptx = """
.func  (.param .b32 func_retval0) own
(
	.param .b32 own_param_0
)
{ ret; }
.extern .func  (.param .b32 func_retval0) foreign
(
	.param .b32 foreign_param_0
)
;
.visible .entry k( ) {
	call.uni (retval0),
	own,
	(param0);
	call.uni (retval0), foreign, (param0);
}
"""
    assert ptx_foreign_calls(ptx) == ("foreign",)
    assert ptx_foreign_calls(ptx.replace("call.uni (retval0),\n\town", "call.uni (retval0),\n\tother")) == (
        "foreign",
        "other",
    )
