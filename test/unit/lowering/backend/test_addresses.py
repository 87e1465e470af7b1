# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Accesses of several dimensions become flat ones at 32-bit offsets."""

import re

from roller_mlir.lowering.backend.kernels.addresses import shorten_addresses
from roller_mlir.support.bindings import ir, make_context

KERNEL = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%x: memref<8x16x32xf32>, %y: memref<SIZEx32xf32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>} {
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c8 = arith.constant 8 : i32
      %c3 = arith.constant 3 : index
      %c32 = arith.constant 32 : index
      %a = arith.divui %t, %c32 : index
      %b = arith.remui %t, %c32 : index
      scf.for %i = %c0 to %c8 step %c1 : i32 {
        %s = arith.index_castui %i : i32 to index
        %r = arith.addi %a, %c3 : index
        %v = memref.load %x[%s, %r, %b] : memref<8x16x32xf32>
        memref.store %v, %y[%s, %b] : memref<SIZEx32xf32>
      }
      gpu.return
    }
  }
}
"""


def shortened(size: int) -> str:
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(KERNEL.replace("SIZE", str(size)))
        shorten_addresses(module)
        assert module.operation.verify()
        return str(module)


def test_an_access_is_flat_and_its_offset_narrow() -> None:
    text = shortened(8)
    flat = re.search(r"memref\.load %(\w+)\[%(\w+)\] : memref<4096xf32", text)
    assert flat, text
    assert "arith.muli" in text
    assert re.search(r"arith\.addi %\w+, %c96", text), "3 rows of 32 elements are added last, as a constant"
    assert not re.search(r"arith\.(muli|divui|remui) [^\n]*: index", text), text


TABLES = """
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @k(%table: memref<4x8xi32>, %x: memref<16x32xf32>, %y: memref<16x32xf32>) kernel
        attributes {known_block_size = array<i32: 32, 1, 1>} {
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c8 = arith.constant 8 : i32
      scf.for %i = %c0 to %c8 step %c1 : i32 {
        %s = arith.index_castui %i : i32 to index
        %n = memref.load %table[%b, %s] : memref<4x8xi32>
        %row = arith.index_castui %n : i32 to index
        %v = memref.load %x[%row, %t] : memref<16x32xf32>
        memref.store %v, %y[%row, %t] : memref<16x32xf32>
      }
      gpu.return
    }
  }
}
"""


def test_an_index_from_a_table_of_several_dimensions_is_an_index_like_others() -> None:
    with make_context(), ir.Location.unknown():
        module = ir.Module.parse(TABLES)
        shorten_addresses(module)
        assert module.operation.verify()
        text = str(module)
    table = re.search(r"(%\w+) = memref\.load %\w+\[%\w+\] : memref<32xi32", text)
    assert table, text
    assert re.search(rf"arith\.muli {table[1]}, %c32", text), text


def test_a_buffer_beyond_32_bits_is_left_alone() -> None:
    text = shortened(1 << 27)
    assert "memref<134217728x32xf32>" in text
    assert re.search(r"memref\.store %\w+, %\w+\[%\w+, %\w+\]", text), text
