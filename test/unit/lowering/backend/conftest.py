# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels, written by hand, that the backend's tests compile."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from roller_mlir.hal import Device, find_device
from roller_mlir.lowering.backend import Toolchain, find_toolchain
from roller_mlir.lowering.backend.child.pool import WorkerPool
from roller_mlir.support.bindings import ir, make_context

sys.path.insert(0, str(Path(__file__).with_name("math")))  # the tests there import what they share

WORKGROUP = "#gpu.address_space<workgroup>"


class _Text:
    """Collects lines of a kernel and gives each value a name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.count = 0

    def op(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"%v{self.count} = {text}")
        return f"%v{self.count}"

    def index(self, kind: str, left: str, right: int | str) -> str:
        other = self.op(f"arith.constant {right} : index") if isinstance(right, int) else right
        return self.op(f"arith.{kind} {left}, {other} : index")


def matmul_text(size: int = 1024, *, fma_count: int = 1024, block: int = 256) -> str:
    """A matmul of size x size with tiles of 128 x 128 x 8.

    256 threads of 8 x 8, two buffers in one arena, A transposed with a pad of 4. The loop's body stands twice, in the
    loop and after it, so the kernel has 2 x 8 x 64 multiply-adds. The other arguments let a test lie.
    """
    t = _Text()
    a_type, b_type = f"memref<2x8x132xf32, {WORKGROUP}>", f"memref<2x8x128xf32, {WORKGROUP}>"
    g_type, v4 = f"memref<{size}x{size}xf32>", "vector<4xf32>"
    arena = f"memref<16640xi8, {WORKGROUP}>"
    tid, number = t.op("gpu.thread_id x"), t.op("gpu.block_id x")
    across = size // 128
    row0 = t.index("muli", t.index("divui", number, across), 128)
    col0 = t.index("muli", t.index("remui", number, across), 128)
    zero, one = t.op("arith.constant 0 : index"), t.op("arith.constant 1 : index")
    a_at = t.op(f"memref.view %arena[{zero}][] : {arena} to {a_type}")
    b_at = t.op(f"memref.view %arena[{t.op('arith.constant 8448 : index')}][] : {arena} to {b_type}")
    a_row, a_col = t.index("divui", tid, 2), t.index("muli", t.index("remui", tid, 2), 4)
    b_row, b_col = t.index("divui", tid, 32), t.index("muli", t.index("remui", tid, 32), 4)
    m = t.index("muli", t.index("divui", tid, 16), 4)
    n = t.index("muli", t.index("remui", tid, 16), 4)

    def fetch(k: str) -> tuple[str, str]:
        at_a = f"{t.index('addi', row0, a_row)}, {t.index('addi', k, a_col)}"
        at_b = f"{t.index('addi', k, b_row)}, {t.index('addi', col0, b_col)}"
        a = t.op(f"vector.load %A[{at_a}] {{alignment = 16 : i64}} : {g_type}, {v4}")
        b = t.op(f"vector.load %B[{at_b}] {{alignment = 16 : i64}} : {g_type}, {v4}")
        return a, b

    def stage(values: tuple[str, str], buffer: str) -> None:
        for i in range(4):
            x = t.op(f"vector.extract {values[0]}[{i}] : f32 from {v4}")
            t.lines.append(f"memref.store {x}, {a_at}[{buffer}, {t.index('addi', a_col, i)}, {a_row}] : {a_type}")
        t.lines.append(
            f"vector.store {values[1]}, {b_at}[{buffer}, {b_row}, {b_col}] {{alignment = 16 : i64}} : {b_type}, {v4}"
        )
        t.lines.append("gpu.barrier")

    def multiply(accumulators: list[str], buffer: str) -> list[str]:
        result = list(accumulators)
        for k in range(8):
            step = t.op(f"arith.constant {k} : index")

            def load(view: str, kind: str, at: str, step: str = step) -> str:
                return t.op(f"vector.load {view}[{buffer}, {step}, {at}] {{alignment = 16 : i64}} : {kind}, {v4}")

            a = [load(a_at, a_type, m), load(a_at, a_type, t.index("addi", m, 64))]
            b = [load(b_at, b_type, n), load(b_at, b_type, t.index("addi", n, 64))]
            for i in range(8):
                x = t.op(f"vector.extract {a[i // 4]}[{i % 4}] : f32 from {v4}")
                wide = t.op(f"vector.broadcast {x} : f32 to {v4}")
                for j in range(2):
                    result[2 * i + j] = t.op(f"vector.fma {wide}, {b[j]}, {result[2 * i + j]} : {v4}")
        return result

    stage(fetch(zero), zero)
    start = t.op(f"arith.constant dense<0.0> : {v4}")
    step, last = t.op("arith.constant 8 : index"), t.op(f"arith.constant {size - 8} : index")
    carried = ", ".join([f"%c{i} = {start}" for i in range(16)] + [f"%buffer = {zero}"])
    types = ", ".join([v4] * 16 + ["index"])
    t.lines.append(f"%r:17 = scf.for %k = {zero} to {last} step {step} iter_args({carried}) -> ({types}) {{")
    fetched = fetch(t.index("addi", "%k", step))
    sums = multiply([f"%c{i}" for i in range(16)], "%buffer")
    other = t.index("subi", one, "%buffer")
    stage(fetched, other)
    t.lines.append(f"scf.yield {', '.join([*sums, other])} : {types}")
    t.lines.append("}")
    sums = multiply([f"%r#{i}" for i in range(16)], "%r#16")
    for i in range(16):
        r = t.index("addi", t.index("addi", row0, m), i // 2 % 4 + 64 * (i // 8))
        c = t.index("addi", t.index("addi", col0, n), 64 * (i % 2))
        t.lines.append(f"vector.store {sums[i]}, %C[{r}, {c}] {{alignment = 16 : i64}} : {g_type}, {v4}")
    arguments = ", ".join(f"%{name}: {g_type} {{llvm.noalias, llvm.align = 16 : i64}}" for name in "ABC")
    return f"""gpu.module @kernels {{
gpu.func @matmul({arguments}) workgroup(%arena: {arena}) kernel
    attributes {{known_block_size = array<i32: {block}, 1, 1>, rtile.fma_count = {fma_count} : i64}} {{
{chr(10).join(t.lines)}
gpu.return }} }}"""


MAXIMUM = f"""
module attributes {{gpu.container_module}} {{
func.func @host(%a: memref<64x256xf32>, %o: memref<64xf32>) {{
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c256 = arith.constant 256 : index
  %bytes = arith.constant 1024 : i32
  gpu.launch_func @kernels::@maximum blocks in (%c64, %c1, %c1) threads in (%c256, %c1, %c1)
    dynamic_shared_memory_size %bytes args(%a : memref<64x256xf32>, %o : memref<64xf32>)
  return
}}
gpu.module @kernels {{
gpu.func @maximum(%a: memref<64x256xf32>, %o: memref<64xf32>) kernel {{
  %low = arith.constant 0xFF800000 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c8 = arith.constant 8 : index
  %t = gpu.thread_id x
  %b = gpu.block_id x
  %x = memref.load %a[%b, %t] : memref<64x256xf32>
  %width = arith.constant 32 : i32
  %s16 = arith.constant 16 : i32
  %y16, %p16 = gpu.shuffle xor %x, %s16, %width : f32
  %m16 = arith.maxnumf %x, %y16 : f32
  %s8 = arith.constant 8 : i32
  %y8, %p8 = gpu.shuffle xor %m16, %s8, %width : f32
  %m8 = arith.maxnumf %m16, %y8 : f32
  %dynamic = gpu.dynamic_shared_memory : memref<?xi8, {WORKGROUP}>
  %part = memref.view %dynamic[%c0][] : memref<?xi8, {WORKGROUP}> to memref<256xf32, {WORKGROUP}>
  memref.store %m8, %part[%t] : memref<256xf32, {WORKGROUP}>
  gpu.barrier
  %n = arith.constant 256 : index
  %top = scf.for %i = %c0 to %n step %c1 iter_args(%z = %low) -> (f32) {{
    %v = memref.load %part[%i] : memref<256xf32, {WORKGROUP}>
    %w = arith.maxnumf %z, %v : f32
    scf.yield %w : f32
  }}
  %first = arith.cmpi eq, %t, %c0 : index
  scf.if %first {{
    memref.store %top, %o[%b] : memref<64xf32>
  }}
  gpu.return
}}
}}
}}
"""
"""A maximum of rows with shuffles, dynamic workgroup memory, and minus infinity as the start."""

MATH = """
gpu.module @kernels {
gpu.func @math(%a: memref<256xf32>, %o: memref<256xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<256xf32>
  %0 = math.exp %x : f32
  %1 = math.tanh %0 : f32
  %2 = math.erf %1 : f32
  %3 = math.rsqrt %2 : f32
  %4 = math.log %3 : f32
  %5 = math.exp2 %4 : f32
  %6 = math.sin %5 : f32
  %7 = math.sqrt %6 : f32
  %8 = math.powf %7, %x : f32
  %v = vector.broadcast %8 : f32 to vector<4xf32>
  %e = math.exp %v : vector<4xf32>
  %9 = vector.extract %e[2] : f32 from vector<4xf32>
  memref.store %9, %o[%t] : memref<256xf32>
  gpu.return
}
}
"""


def scale_text(name: str) -> str:
    """A kernel that multiplies and adds once per thread."""
    return f"""
gpu.func @{name}(%a: memref<256xf32>) kernel
    attributes {{known_block_size = array<i32: 256, 1, 1>, rtile.fma_count = 1 : i64}} {{
  %t = gpu.thread_id x
  %x = memref.load %a[%t] : memref<256xf32>
  %y = math.fma %x, %x, %x : f32
  memref.store %y, %a[%t] : memref<256xf32>
  gpu.return
}}"""


SCALE = f"gpu.module @kernels {{{scale_text('scale')}}}"


@pytest.fixture(scope="session")
def kernels() -> Any:
    """The texts of this file: pytest's import mode allows no import of it."""
    return SimpleNamespace(matmul=matmul_text, maximum=MAXIMUM, math=MATH, scale=SCALE, scale_function=scale_text)


@pytest.fixture
def context() -> Iterator[ir.Context]:
    """A context with our dialects, entered."""
    with make_context() as context, ir.Location.unknown():
        yield context


@pytest.fixture
def parse(context: ir.Context) -> Any:
    """Parses a module."""
    return lambda text: ir.Module.parse(text, context)


@pytest.fixture
def pool() -> Iterator[WorkerPool]:
    """A pool of its own."""
    pool = WorkerPool()
    yield pool
    pool.abort()


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    """The tools of this machine."""
    return find_toolchain()


@pytest.fixture(scope="session")
def h200() -> Device:
    """A Hopper GPU."""
    return find_device("h200")


@pytest.fixture(scope="session")
def mi300x() -> Device:
    """A CDNA 3 GPU."""
    return find_device("mi300x")


@pytest.fixture(scope="session")
def without() -> Any:
    """Hides tools: `without(toolchain, ptxas=())`."""
    return replace
