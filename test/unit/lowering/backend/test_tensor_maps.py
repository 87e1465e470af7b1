# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensor maps from the kernel's arguments to PTX and the manifest, and what ptxas says of a loss."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roller_mlir.compiler.launch_list import read_launch_list
from roller_mlir.hal import Device
from roller_mlir.lowering.backend import Toolchain
from roller_mlir.lowering.backend.kernels.tensor_maps import tensor_maps_of
from roller_mlir.lowering.backend.translate import mark_convergent
from roller_mlir.lowering.targets import compile_kernels
from roller_mlir.plan.records.codec import CodecError, from_json, to_json
from roller_mlir.plan.tensor_maps.tensor_map import TensorMap

MAP = TensorMap(argument=0, element="f16", extents=(64, 128), strides=(256,), box=(8, 64), steps=(1, 1))

TEXT = """
module attributes {gpu.container_module} {
gpu.module @kernels {
  gpu.func @copy(%x: memref<64x128xf16> {llvm.noalias},
      %map: !llvm.ptr {rtile.tensor_map = {argument = 0 : i64, element = "f16", extents = [64, 128], strides = [256],
                                           box = [8, 64], steps = [1, 1], swizzle = 128 : i64, fill = 0 : i64}})
      kernel attributes {known_block_size = array<i32: 32, 1, 1>, rtile.workgroup_alignment = 1024 : i64} {
    %arena = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
    %i = memref.extract_aligned_pointer_as_index %arena : memref<?xi8, #gpu.address_space<workgroup>> -> index
    %a = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %a : i64 to !llvm.ptr<3>
    %q = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr<7>
    %c0 = arith.constant 0 : i32
    nvvm.prefetch tensormap, %map : !llvm.ptr
    nvvm.cp.async.bulk.tensor.shared.cluster.global %q, %map, %p, box[%c0, %c0] : !llvm.ptr<7>, !llvm.ptr
    gpu.return
  }
}
func.func @main(%x: memref<64x128xf16> {rtile.role = "input"}) {
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %bytes = arith.constant 2048 : i32
  %map = llvm.mlir.zero : !llvm.ptr
  gpu.launch_func @kernels::@copy blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1)
    dynamic_shared_memory_size %bytes args(%x : memref<64x128xf16>, %map : !llvm.ptr)
  return
}
}
"""

LOSS = "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to a branch"

PTXAS = f"""#!/bin/sh
echo "ptxas info    : Compiling entry function 'copy' for 'sm_90a'
ptxas info    : {LOSS}
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 30 registers" >&2
echo > output
"""


def test_a_tensor_map_is_a_constant_of_the_grid(parse: Any, h200: Device) -> None:
    (binary,) = compile_kernels(parse(TEXT), "h200", emit="ptx")
    assert "ptx" in binary.files
    assert ".param .align 64 .b8 copy_param_1[128]" in binary.text("ptx")
    assert "cvta.param" in binary.text("ptx")
    assert ".local" not in binary.text("ptx")
    assert ".extern .shared .align 1024 .b8" in binary.text("ptx")


def test_the_launch_list_names_the_maps_of_a_kernel(parse: Any) -> None:
    module = parse(TEXT)
    assert tensor_maps_of(module) == {"copy": (MAP,)}
    found = read_launch_list(module)
    assert found.tensor_maps == {"copy": (MAP,)}
    assert [view.buffer for view in found.launches[0].arguments] == ["input0"]


def test_maps_survive_the_manifest() -> None:
    assert from_json(TensorMap, to_json(MAP)) == MAP
    with pytest.raises(CodecError, match="element"):
        from_json(TensorMap, {**MAP.__dict__, "element": "f64", "extents": [64, 128]})
    with pytest.raises(ValueError, match="a tensor map needs 1 to 5 extents, and as many strides"):
        replace(MAP, strides=())


def test_losses_are_told(parse: Any, h200: Device, toolchain: Toolchain, tmp_path: Path) -> None:
    ptxas = tmp_path / "ptxas"
    ptxas.write_text(PTXAS)
    ptxas.chmod(0o755)
    (binary,) = compile_kernels(parse(TEXT), "h200", toolchain=replace(toolchain, ptxas=(ptxas,)))
    assert binary.notes == (f"ptxas: kernel 'copy': {LOSS}",)


def test_only_aligned_assembly_is_convergent() -> None:
    text = 'define void @k() #0 {\n  call void asm sideeffect "wgmma.wait_group.sync.aligned 0;", "~{memory}"()\n'
    text += '  call void asm sideeffect "nanosleep.u32 1;", ""()\n  ret void\n}\nattributes #0 = { nounwind }\n'
    lines = mark_convergent(text).splitlines()
    assert lines[1].endswith("() #1")
    assert lines[2].endswith("()")
    assert lines[-1] == "attributes #1 = { convergent nounwind }"
    assert mark_convergent("attributes #0 = { nounwind }\n") == "attributes #0 = { nounwind }\n"
