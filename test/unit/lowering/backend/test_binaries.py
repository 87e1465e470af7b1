# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels to binaries, for every device."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import roller_mlir
from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.backend import CompileError, KernelBinary, Toolchain
from roller_mlir.lowering.backend.checks.code_object import kernel_metadata, undefined_symbols
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.support.diagnostics import DiagnosedError

_ABI_VERSION = 8
"""Where the ELF header of a code object names the version of its ABI: 3 for V5, 4 for V6."""


ABSOLUTE = """func.func @f(%x: tensor<64xf32>) -> tensor<64xf32> {
  %e = tensor.empty() : tensor<64xf32>
  %r = linalg.abs ins(%x : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
  return %r : tensor<64xf32>
}"""


def only(binaries: list[KernelBinary]) -> KernelBinary:
    """The only kernel."""
    (binary,) = binaries
    return binary


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["a100-80", "h200"])
def test_matmul_on_nvidia_keeps_its_registers_and_its_loop(parse: Any, kernels: Any, device: str) -> None:
    """The tile of 128 x 128 x 8 fits 128 registers without spills, and 0.88 of its loop multiply and add."""
    binary = only(compile_kernels(parse(kernels.matmul()), device, emit="assembly"))
    assert "ptx" in binary.files
    assert "cubin" in binary.files
    assert binary.files["cubin"][:4] == b"\x7fELF"
    assert f".target {find_device(device).architecture}" in binary.text("ptx")
    assert ".maxntid 256" in binary.text("ptx")
    statistics = binary.statistics
    assert statistics.registers is not None
    assert statistics.registers <= 128
    assert (statistics.spill_bytes, statistics.shared_bytes, statistics.fma_count) == (0, 16640, 1024)
    assert statistics.main_loop["FFMA"] == 512
    assert statistics.main_loop["LDS.128"] == 32
    assert statistics.fma_share is not None
    assert statistics.fma_share >= 0.88
    assert statistics.fma_per_shared_byte == 1.0
    assert set(binary.phases_s) == {"lower_s", "translate_s", "llvm_s", "ptx_s", "ptxas_s", "sass_s"}
    assert statistics.to_dict()["main_loop"]["FFMA"] == 512


def test_code_is_the_same_behind_a_kernel_of_a_cpu(parse: Any, kernels: Any) -> None:
    """LLVM's options are those of its process: what is asked for a CPU's kernel must not reach the next one."""
    first = only(compile_kernels(parse(kernels.matmul()), "a100-80")).text("ptx")
    roller_mlir.compile(ABSOLUTE, "spr", cache=False)
    assert only(compile_kernels(parse(kernels.matmul()), "a100-80")).text("ptx") == first


def test_matmul_on_amd_keeps_its_registers_and_its_loop(parse: Any, kernels: Any, mi300x: Device) -> None:
    """The same tile on CDNA 3: packed multiply-adds, no spills, and a code object for blocks of 256 threads."""
    binary = only(compile_kernels(parse(kernels.matmul()), "mi300x"))
    assert "hsaco" in binary.files
    assert "assembly" in binary.files
    assert "ptx" not in binary.files
    statistics = binary.statistics
    assert statistics.registers is not None
    assert statistics.registers <= 256
    assert (statistics.spill_bytes, statistics.shared_bytes, statistics.fma_count) == (0, 16640, 1024)
    assert statistics.main_loop["v_pk_fma_f32"] == 256
    assert statistics.main_loop["ds_read_b128"] == 32
    assert statistics.fma_per_shared_byte == 1.0
    metadata = kernel_metadata(binary.files["hsaco"])["matmul"]
    assert metadata["reqd_workgroup_size"] == [256, 1, 1]
    assert metadata["max_flat_workgroup_size"] == 256
    assert undefined_symbols(binary.files["hsaco"]) == ()
    assert "flat_load" not in binary.text("assembly")
    assert binary.files["hsaco"][_ABI_VERSION] == 3


@pytest.mark.parametrize("text", ["scale", "math"])
def test_the_version_of_code_objects_is_chosen(parse: Any, kernels: Any, mi300x: Device, text: str) -> None:
    """Also where AMD's library is linked in, whose functions read the version."""
    for version in (5, 6):
        hsaco = only(compile_kernels(parse(getattr(kernels, text)), "mi300x", code_object=version)).files["hsaco"]
        assert hsaco[:4] == b"\x7fELF" and hsaco[_ABI_VERSION] + 2 == version


@pytest.mark.full(every=2)
@pytest.mark.parametrize("device", ["a100-80", "h200", "mi300x"])
def test_dynamic_workgroup_memory_is_external_and_counted(parse: Any, kernels: Any, device: str) -> None:
    """What a launch asks for is part of the workgroup memory, and none of it is static."""
    binary = only(compile_kernels(parse(kernels.maximum), device, emit="assembly"))
    assert (binary.statistics.shared_bytes, binary.statistics.dynamic_shared_bytes) == (1024, 1024)
    if "ptx" in binary.files:
        assert re.search(r"\.extern \.shared \.align 16 \.b8 \S+\[\]", binary.text("ptx"))
        assert "shfl.sync.bfly" in binary.text("ptx")
        assert "max.f32" in binary.text("ptx")
        assert ".maxntid 256" in binary.text("ptx")
    assert not re.search(r"[ (]-inf", binary.text("llvm"))


@pytest.mark.parametrize("device", ["a100-80", "h200", "mi300x"])
def test_mathematical_functions_are_linked(parse: Any, kernels: Any, device: str) -> None:
    """No library call is left."""
    binary = only(compile_kernels(parse(kernels.math), device))
    assert {"cubin", "hsaco"} & set(binary.files)
    assert "call" not in binary.text("ptx")
    assert "s_swappc" not in binary.text("assembly")


@pytest.mark.parametrize(
    ("device", "architecture", "wheel"),
    [("v100", "sm_70", "nvidia-cuda-nvcc-cu12==12.9.86"), ("k80", "sm_37", "nvidia-cuda-nvcc-cu11==11.8.89")],
)
def test_what_the_newest_assembler_gave_up_gets_ptx(
    parse: Any, kernels: Any, toolchain: Toolchain, without: Any, device: str, architecture: str, wheel: str
) -> None:
    """An assembler that does not know the device is passed over, and the note names what helps."""
    newest = [path for path in toolchain.ptxas if "12" not in str(path)][:1]
    assert newest, "this test needs ptxas of CUDA 13"
    binary = only(compile_kernels(parse(kernels.scale), device, toolchain=without(toolchain, ptxas=tuple(newest))))
    assert "cubin" not in binary.files
    assert "ptx" in binary.files
    assert f".target {architecture}" in binary.text("ptx")
    assert binary.statistics.registers is None
    assert "ptxas_s" not in binary.phases_s
    (note,) = binary.notes
    assert str(newest[0]) in note
    assert f"does not know {architecture}" in note
    assert note.endswith(f"install pip's {wheel}")


def test_without_ptxas_the_artifact_holds_ptx(
    parse: Any, kernels: Any, h200: Device, toolchain: Toolchain, without: Any
) -> None:
    """The note says so and names the remedy."""
    binary = only(compile_kernels(parse(kernels.scale), "h200", toolchain=without(toolchain, ptxas=())))
    assert "cubin" not in binary.files
    assert "ptx" in binary.files
    assert binary.notes == (
        "no ptxas was found, the artifact holds PTX, which the driver assembles; "
        "install pip's nvidia-cuda-nvcc, or put ptxas of a CUDA toolkit on PATH",
    )


def test_without_nvdisasm_the_main_loop_is_unknown(
    parse: Any, kernels: Any, h200: Device, toolchain: Toolchain, without: Any
) -> None:
    """Everything else is there."""
    binary = only(
        compile_kernels(parse(kernels.scale), "h200", emit="assembly", toolchain=without(toolchain, nvdisasm=None))
    )
    assert "cubin" in binary.files
    assert binary.statistics.registers is not None
    assert binary.statistics.main_loop == {}
    assert "no nvdisasm was found" in binary.notes[0]


@pytest.mark.parametrize(
    ("device", "missing", "library", "remedy"),
    [("h200", "libdevice", "libdevice.10.bc", "nvidia-nvvm"), ("mi300x", "ocml", "ocml.bc", "iree-base-compiler")],
)
def test_a_missing_library_is_named_with_its_remedy(
    parse: Any, kernels: Any, toolchain: Toolchain, without: Any, device: str, missing: str, library: str, remedy: str
) -> None:
    """The error names the functions, the library, and what to install."""
    with pytest.raises(
        CompileError,
        match=rf"kernel 'math': it needs .*tanh.* of {library}, which was not found; install pip's {remedy}",
    ):
        compile_kernels(parse(kernels.math), device, toolchain=without(toolchain, **{missing: None}))


def test_a_missing_library_does_not_matter_to_kernels_without_it(
    parse: Any, kernels: Any, h200: Device, toolchain: Toolchain, without: Any
) -> None:
    """A fused multiply-add is an instruction, not a call of libdevice."""
    binary = only(
        compile_kernels(parse(kernels.scale), "h200", emit="ptx", toolchain=without(toolchain, libdevice=None))
    )
    assert "ptx" in binary.files
    assert "fma.rn.f32" in binary.text("ptx")
    assert "cubin" not in binary.files


def test_without_a_linker_amd_is_an_error(
    parse: Any, kernels: Any, mi300x: Device, toolchain: Toolchain, without: Any
) -> None:
    """An unlinked object is of no use to anyone."""
    with pytest.raises(CompileError, match=r"kernel 'scale': no iree-lld was found to link its code object"):
        compile_kernels(parse(kernels.scale), "mi300x", toolchain=without(toolchain, lld=None))


def test_kernels_are_compiled_each_by_itself_and_in_order(parse: Any, kernels: Any, h200: Device) -> None:
    """Each binary holds its own kernel only."""
    module = parse(
        f"gpu.module @kernels {{{''.join(kernels.scale_function(name) for name in ('one', 'two', 'three'))}}}"
    )
    binaries = compile_kernels(module, "h200", emit="ptx")
    assert [binary.name for binary in binaries] == ["one", "two", "three"]
    for binary in binaries:
        assert re.findall(r"\.entry (\w+)", binary.text("ptx")) == [binary.name]


def test_llvm_is_the_first_stop(parse: Any, kernels: Any, h200: Device, toolchain: Toolchain, without: Any) -> None:
    """Nothing is run for it."""
    binary = only(compile_kernels(parse(kernels.scale), "h200", emit="llvm", toolchain=Toolchain()))
    assert "define ptx_kernel void @scale" in binary.text("llvm")
    assert "ptx" not in binary.files
    assert set(binary.phases_s) == {"lower_s", "translate_s"}


def test_lowered_kernels_can_be_compiled_too(parse: Any, kernels: Any, context: Any, h200: Device) -> None:
    """The output of the lowering pass is a valid input."""
    from roller_mlir.lowering.backend import lower_to_nvvm

    module = parse(kernels.scale)
    lower_to_nvvm(module, h200)
    assert only(compile_kernels(module, "h200", emit="ptx")).text("ptx") == only(
        compile_kernels(parse(kernels.scale), "h200", emit="ptx")
    ).text("ptx")


def test_a_module_without_kernels_needs_none(parse: Any, h200: Device) -> None:
    """All that is to do may be the host's."""
    assert compile_kernels(parse("module {}"), "h200") == []
    assert compile_kernels(parse("gpu.module @kernels {}"), "h200") == []


def test_an_op_that_is_not_in_a_kernel_yet_is_refused(parse: Any, h200: Device) -> None:
    """Else it would be lost without a word."""
    text = """func.func @early(%a: tensor<4xf32>) -> tensor<4xf32> {
  %c = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}"""
    with pytest.raises(DiagnosedError, match=r"'linalg.add' is not in a kernel yet; run rtile-lower-to-gpu first"):
        compile_kernels(parse(text), "h200")


def test_an_unknown_stop_is_refused(parse: Any, kernels: Any, h200: Device) -> None:
    """With the list of those that exist."""
    with pytest.raises(ValueError, match="emit must be one of llvm, ptx, binary, assembly, but got 'sass'"):
        compile_kernels(parse(kernels.scale), "h200", emit="sass")


def test_a_tool_that_dies_is_a_compile_error(
    tmp_path: Path, parse: Any, kernels: Any, h200: Device, toolchain: Toolchain, without: Any
) -> None:
    """By a signal, because it is no executable, or without an output."""

    def script(name: str, body: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    def compile_with(path: Path) -> None:
        compile_kernels(parse(kernels.scale), "h200", toolchain=without(toolchain, ptxas=(path,)))

    said = r"kernel 'scale': .*nothing ended with exit code 0, but wrote no output: it said nothing"
    with pytest.raises(CompileError, match=said):
        compile_with(script("nothing", "exit 0"))
    with pytest.raises(CompileError, match=r"kernel 'scale': .*dies died with SIGSEGV: it said nothing"):
        compile_with(script("dies", "kill -SEGV $$"))
    broken = script("broken", "")
    broken.write_bytes(b"\x7fELF nonsense")
    with pytest.raises(CompileError, match=r"kernel 'scale': .*broken could not be run"):
        compile_with(broken)
