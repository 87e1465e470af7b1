# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that several tests of the simulator use; the tests may import what other files the folders here hold."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import simulated_drivers

sys.path[:0] = [str(Path(__file__).parent / name) for name in ("driver", "hopper", "llvm", "llvm/matrix", "matrix")]

_MATMUL = """
gpu.module @kernels {
  gpu.func @matmul(%a: memref<64x48xf32>, %b: memref<48x32xf32>, %c: memref<64x32xf32>)
      workgroup(%sa: memref<16x16xf32, #gpu.address_space<workgroup>>,
                %sb: memref<16x16xf32, #gpu.address_space<workgroup>>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c16 = arith.constant 16 : index
    %c48 = arith.constant 48 : index
    %zero = arith.constant 0.0 : f32
    %thread = gpu.thread_id x
    %block = gpu.block_id x
    %ty = arith.divui %thread, %c16 : index
    %tx = arith.remui %thread, %c16 : index
    %by = arith.divui %block, %c2 : index
    %bx = arith.remui %block, %c2 : index
    %row0 = arith.muli %by, %c16 : index
    %row = arith.addi %row0, %ty : index
    %column0 = arith.muli %bx, %c16 : index
    %column = arith.addi %column0, %tx : index
    %sum = scf.for %k = %c0 to %c48 step %c16 iter_args(%outer = %zero) -> (f32) {
      %ka = arith.addi %k, %tx : index
      %kb = arith.addi %k, %ty : index
      %va = memref.load %a[%row, %ka] {rtile.site = "load A"} : memref<64x48xf32>
      %vb = memref.load %b[%kb, %column] {rtile.site = "load B"} : memref<48x32xf32>
      memref.store %va, %sa[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
      memref.store %vb, %sb[%ty, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
      gpu.barrier  // written
      %inner = scf.for %kk = %c0 to %c16 step %c1 iter_args(%acc = %outer) -> (f32) {
        %x = memref.load %sa[%ty, %kk] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %y = memref.load %sb[%kk, %tx] : memref<16x16xf32, #gpu.address_space<workgroup>>
        %m = arith.mulf %x, %y : f32
        %s = arith.addf %acc, %m : f32
        scf.yield %s : f32
      }
      gpu.barrier  // read
      scf.yield %inner : f32
    }
    memref.store %sum, %c[%row, %column] {rtile.site = "store C"} : memref<64x32xf32>
    gpu.return
  }
}
"""

_PERSISTENT = """
gpu.module @kernels {
  gpu.func @two_ops(%x: memref<1024xf32>, %y: memref<1024xf32>, %z: memref<1024xf32>, %flag: memref<1xi32>) kernel {
    %c0 = arith.constant 0 : index
    %c1023 = arith.constant 1023 : index
    %c1024 = arith.constant 1024 : index
    %one = arith.constant 1.0 : f32
    %two = arith.constant 2.0 : f32
    %i1 = arith.constant 1 : i32
    %i0 = arith.constant 0 : i32
    %thread = gpu.thread_id x
    %threads = gpu.block_dim x
    %blocks = gpu.grid_dim x
    %blocks32 = arith.index_cast %blocks : index to i32
    %stride = arith.muli %threads, %blocks : index
    %first = gpu.global_id x
    scf.for %i = %first to %c1024 step %stride {
      %v = memref.load %x[%i] : memref<1024xf32>
      %m = arith.mulf %v, %two : f32
      %r = arith.addf %m, %one : f32
      memref.store %r, %y[%i] : memref<1024xf32>
    }
    gpu.barrier
    %leader = arith.cmpi eq, %thread, %c0 : index
    scf.if %leader {
      llvm.fence release
      %old = memref.atomic_rmw addi %i1, %flag[%c0] : (i32, memref<1xi32>) -> i32
      scf.while : () -> () {
        %now = memref.atomic_rmw addi %i0, %flag[%c0] : (i32, memref<1xi32>) -> i32
        %more = arith.cmpi slt, %now, %blocks32 : i32
        scf.condition(%more)
      } do {
        scf.yield
      }
      llvm.fence acquire
    }
    gpu.barrier
    scf.for %i = %first to %c1024 step %stride {
      %j = arith.subi %c1023, %i : index
      %v = memref.load %y[%i] : memref<1024xf32>
      %w = memref.load %y[%j] : memref<1024xf32>
      %s = arith.addf %v, %w : f32
      memref.store %s, %z[%i] : memref<1024xf32>
    }
    gpu.return
  }
}
"""


@pytest.fixture(scope="module")
def forked_servers() -> Iterator[None]:
    """As of `simulated_drivers`."""
    with simulated_drivers.forked_servers():
        yield


@pytest.fixture
def forked_servers_of_a_test() -> Iterator[None]:
    """Likewise for one test of a module whose others are of the server's own end."""
    with simulated_drivers.forked_servers():
        yield


@pytest.fixture
def matmul_text() -> str:
    """64x32x48 matmul: 8 blocks of 256 threads, tiles of 16x16 staged in workgroup memory, two barriers."""
    return _MATMUL


@pytest.fixture
def persistent_text() -> str:
    """y = 2 x + 1, a grid barrier, z = y + reversed y."""
    return _PERSISTENT
