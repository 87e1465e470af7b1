# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the LLVM level refuses, with the kernel and the line; and functions that it puts into the kernel."""

import numpy as np
import pytest
from llvm_kernels import HELPER, NVIDIA, launch

from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

REFUSED = {
    "inline assembly": (
        '%r = call i32 asm sideeffect "mov.u32 $0, %smid;", "=r"()',
        "inline assembly cannot be simulated: 'mov.u32' reads '%smid', which has no value",
    ),
    "an intrinsic of NVPTX": (
        "%r = call i32 @llvm.nvvm.activemask()",
        "intrinsic 'llvm.nvvm.activemask' is not known to the simulator",
    ),
    "an intrinsic of LLVM": ("%r = call i32 @llvm.vscale.i32()", "intrinsic 'llvm.vscale.i32' is not known"),
    "a function": ("%r = call i32 @vprintf(ptr %0, ptr %1)", "function 'vprintf' is not known to the simulator"),
    "an indirect call": ("%r = call i32 %0(i32 1)", "an indirect call cannot be simulated"),
    "a control of DPP": (
        "%r = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %6, i32 304, i32 15, i32 15, i1 true)",
        "with the control 0x130",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_not_known_is_refused(what: str) -> None:
    body, message = REFUSED[what]
    text = NVIDIA.format(body=body)
    if what == "a function":
        text += "declare i32 @vprintf(ptr, ptr)\n"
    with pytest.raises(DiagnosedError) as caught:
        lower_llvm("k", text, subgroup_size=32)
    assert message in str(caught.value)
    assert "k.ll:" in str(caught.value)
    assert "kernel 'k'" in str(caught.value)


def test_text_that_is_not_llvm_ir_and_kernels_that_are_not_there() -> None:
    with pytest.raises(DiagnosedError, match="k.ll:1:1: error: kernel 'k': its LLVM IR is not valid"):
        lower_llvm("k", "define void @k(", subgroup_size=32)
    with pytest.raises(DiagnosedError, match="its LLVM IR defines k, not the kernel"):
        lower_llvm("other", NVIDIA.format(body="%r = add i32 %6, 0"), subgroup_size=32)


def test_functions_of_the_module_are_put_into_the_kernel() -> None:
    x = np.arange(64, dtype=np.float32)
    launch(HELPER, [x])
    np.testing.assert_array_equal(x, 2 * np.arange(64))
    recursive = HELPER.replace("%2 = fmul float %0, 2.0", "%2 = call float @twice(float %0)")
    with pytest.raises(DiagnosedError, match="its function 'twice' cannot be put into it; recursion"):
        lower_llvm("k", recursive, subgroup_size=32)


MODULES = {
    "a variable that nothing defines": ("@x = external addrspace(1) global i32\n", "", "'@x' is defined nowhere"),
    "a workgroup variable of a structure": (
        "@x = internal addrspace(3) global { i32, i8 } undef\n",
        "",
        "workgroup variable '@x' has a type that cannot be simulated: { i32, i8 }",
    ),
    "an alias": ("@x = alias i32, ptr @y\n@y = global i32 0\n", "", "is no variable that can be simulated"),
    "an access of a structure": (
        "",
        "%p = load { i32, i8 }, ptr %0, align 4\n%r = extractvalue { i32, i8 } %p, 0",
        "an access of type { i32, i8 } cannot be simulated",
    ),
    "private memory of any size": (
        "",
        "%p = alloca i32, i32 %6, align 4\n%r = load i32, ptr %p, align 4",
        "an alloca of a size that is not constant cannot be simulated",
    ),
    "a lane that is not constant": (
        "",
        "%r = call i32 @llvm.amdgcn.mov.dpp.i32(i32 %6, i32 %6, i32 15, i32 15, i1 true)",
        "its LLVM IR is not valid",
    ),
}


@pytest.mark.parametrize("what", MODULES)
def test_modules_that_are_refused(what: str) -> None:
    head, body, message = MODULES[what]
    with pytest.raises(DiagnosedError, match=r"error: kernel 'k': ") as caught:
        lower_llvm("k", head + NVIDIA.format(body=body or "%r = add i32 %6, 0"), subgroup_size=32)
    assert message in str(caught.value)


def test_parameters_that_are_refused() -> None:
    text = "define ptx_kernel void @k(<2 x i32> %0) {\n  ret void\n}\n"
    with pytest.raises(DiagnosedError, match="a parameter of type <2 x i32> cannot be passed"):
        lower_llvm("k", text, subgroup_size=32)


def test_what_is_lowered_already_is_neither_counted_nor_sanitized() -> None:
    with pytest.raises(ValueError, match="neither counted nor sanitized"):
        SimulatedKernels(lower_llvm("k", HELPER, subgroup_size=32), count=True)
