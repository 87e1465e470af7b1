# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launch list, read from hand-written host functions, and run in the simulator."""

import numpy as np
import pytest

from roller_mlir.compiler import InternalError
from roller_mlir.compiler.driver import compile_kernel_module
from roller_mlir.compiler.launch_list import LaunchList, read_launch_list
from roller_mlir.compiler.options import CompileOptions
from roller_mlir.compiler.source import Source
from roller_mlir.support.bindings import ir, make_context

KERNEL = """
  memref.global "private" constant @weights : memref<8xf32> = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]>
  memref.global "private" constant @ones : memref<4xi1> = dense<true>
  gpu.module @kernels {
    gpu.func @add(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<2x4xf32>)
        kernel attributes {known_block_size = array<i32: 4, 1, 1>} {
      %c4 = arith.constant 4 : index
      %t = gpu.thread_id x
      %b0 = gpu.block_id x
      %o = arith.muli %b0, %c4 : index
      %i = arith.addi %o, %t : index
      %x = memref.load %a[%i] : memref<8xf32>
      %y = memref.load %b[%i] : memref<8xf32>
      %z = arith.addf %x, %y : f32
      memref.store %z, %c[%b0, %t] : memref<2x4xf32>
      gpu.return
    }
  }
"""
HOST = """
  func.func @main(%x: memref<8xf32> {rtile.role = "input"}, %w: memref<256xi8> {rtile.role = "workspace"},
                  %v: memref<3xf32> {rtile.role = "workspace"}, %low: memref<8xf32> {rtile.role = "output"},
                  %high: memref<2x4xf32> {rtile.role = "output"}) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c128 = arith.constant 128 : index
    %g = memref.get_global @weights : memref<8xf32>
    %h = memref.get_global @ones : memref<4xi1>
    %view = memref.view %w[%c128][] : memref<256xi8> to memref<8xf32>
    %square = memref.expand_shape %view [[0, 1]] output_shape [2, 4] : memref<8xf32> into memref<2x4xf32>
    %flat = memref.collapse_shape %high [[0, 1]] : memref<2x4xf32> into memref<8xf32>
    gpu.launch_func @kernels::@add blocks in (%c2, %c1, %c1) threads in (%c4, %c1, %c1)
      args(%x : memref<8xf32>, %g : memref<8xf32>, %square : memref<2x4xf32>)
    memref.copy %view, %low : memref<8xf32> to memref<8xf32>
    memref.copy %x, %flat : memref<8xf32> to memref<8xf32>
    return
  }
"""


def module(host: str = HOST) -> str:
    return "module attributes {gpu.container_module} {" + KERNEL + host + "}"


def read(host: str) -> LaunchList:
    with make_context():
        return read_launch_list(ir.Module.parse(module(host)))


def test_buffers_views_constants_and_launches() -> None:
    found = read(HOST)
    assert (found.function, found.inputs, found.outputs) == ("main", ("input0",), ("output0", "output1"))
    by_name = {buffer.name: buffer for buffer in found.buffers}
    assert by_name["workspace1"].offset_bytes == 256
    assert found.workspace_bytes == 256 + 12
    assert by_name["ones"].offset_bytes == 256
    assert found.constants[:32] == np.arange(1, 9, dtype=np.float32).tobytes()
    assert found.constants[256:] == b"\x01" * 4
    kernel, low, high = found.launches
    assert (kernel.kernel, kernel.grid, kernel.block) == ("add", (2, 1, 1), (4, 1, 1))
    assert [(v.buffer, v.offset_bytes, v.shape) for v in kernel.arguments] == [
        ("input0", 0, (8,)), ("weights", 0, (8,)), ("workspace0", 128, (2, 4))]  # fmt: skip
    assert (low.kernel, low.arguments[0].buffer, low.arguments[0].offset_bytes) == ("", "workspace0", 128)
    assert [(v.buffer, v.shape) for v in high.arguments] == [("input0", (8,)), ("output1", (8,))]


def test_it_runs_in_the_simulator() -> None:
    artifact = compile_kernel_module(Source("-", module()), "h200", CompileOptions(binaries=False))
    x = np.arange(8, dtype=np.float32)
    low, high = artifact.run(x)
    assert low.tolist() == [*(x + np.arange(1, 9))]
    assert high.tolist() == x.reshape(2, 4).tolist()
    report = artifact.run_reported(x, count=True).launches[0]
    assert report.counts is not None
    assert sum(count.bytes for count in report.counts if count.kind == "load") == 2 * 32


def test_dynamic_workgroup_memory_and_cooperation() -> None:
    host = """func.func @main(%x: memref<8xf32> {rtile.role = "input"}, %y: memref<2x4xf32> {rtile.role = "output"}) {
      %c1 = arith.constant 1 : index
      %n = arith.constant 65536 : i32
      gpu.launch_func @kernels::@add blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) dynamic_shared_memory_size %n
        args(%x : memref<8xf32>, %x : memref<8xf32>, %y : memref<2x4xf32>) {rtile.cooperative}
      return
    }"""
    (launch,) = read(host).launches
    assert launch.dynamic_workgroup_bytes == 65536
    assert launch.cooperative


@pytest.mark.parametrize(
    ("host", "message"),
    [
        ("", "1 host function, but this one has 0"),
        ("func.func @main(%x: memref<8xf32>) { return }", "argument 0 has no rtile.role"),
        (
            'func.func @main(%x: memref<8xf32> {rtile.role = "input"}) {\n'
            "  %c = arith.constant 1 : index\n  %d = memref.dim %x, %c : memref<8xf32>\n  return\n}",
            "cannot express 'memref.dim'",
        ),
        (
            'func.func @main(%x: memref<?xf32> {rtile.role = "input"}) { return }',
            "needs static shapes, but got memref<?xf32>",
        ),
        (
            'func.func @main(%x: memref<8x2xf32, strided<[4, 1]>> {rtile.role = "input"}) { return }',
            "needs dense memrefs",
        ),
        (
            'func.func @main(%x: memref<8xf32> {rtile.role = "input"}) {\n'
            "  %y = memref.alloc() : memref<8xf32>\n  return\n}",
            "cannot express 'memref.alloc'",
        ),
    ],
)
def test_what_cannot_be_expressed_is_our_mistake(host: str, message: str) -> None:
    with pytest.raises(InternalError, match=".*") as caught:
        read(host)
    assert message in str(caught.value)
