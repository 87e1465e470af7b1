# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling for the host: what compiled code needs from outside, and the processor that it is compiled for."""

import os
import subprocess
import sys

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.engine.elf_symbols import undefined_symbols
from roller_mlir.sim.engine.fibers import frame_bytes, stack_bytes
from roller_mlir.sim.engine.jit import compile_text, runtime
from roller_mlir.support.diagnostics import DiagnosedError


def test_a_function_that_nobody_has_is_refused():
    text = "declare void @nobody_has_this()\ndefine void @f() {\ncall void @nobody_has_this()\nret void\n}"
    with pytest.raises(DiagnosedError, match="simulated: 'f' needs functions .* does not have: nobody_has_this"):
        compile_text(text, kernels=("f",))


def test_functions_of_the_runtime_are_known():
    runtime()
    text = "declare void @roller_sim_leave(i64)\ndefine void @f() {\ncall void @roller_sim_leave(i64 0)\nret void\n}"
    assert compile_text(text).address("f") != 0


def test_only_elf_is_read():
    with pytest.raises(ValueError, match="must be little-endian 64-bit ELF, but starts with b'MZ'"):
        undefined_symbols(b"MZ")


def test_frames_are_read_from_machine_code():
    """A large frame is found whatever registers the function saves first; a stack holds it with room to spare."""
    reads = "".join(f"%v{n} = load volatile i64, ptr %p\n" for n in range(8))
    writes = "".join(f"store volatile i64 %v{n}, ptr %p\n" for n in range(8))
    text = f"""declare void @roller_sim_leave(i64)
    define void @f(ptr %q) {{
      %p = alloca [5000 x i64]
      {reads}
      %a = ptrtoint ptr %p to i64
      call void @roller_sim_leave(i64 %a)
      {writes}
      ret void
    }}"""
    runtime()
    frame = compile_text(text).frame_bytes("f")
    assert 40000 <= frame < 41000
    assert stack_bytes(frame) > frame + 8192
    assert frame_bytes(b"\x90" * 16) == 0


PROGRAM = """
import ml_dtypes, numpy as np
from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.engine import jit
target, _, _ = jit._host()
jit._host = lambda: (target, "x86-64-v3", "")
text = '''gpu.module @kernels { gpu.func @k(%x: memref<64xf32>, %y: memref<64xbf16>) kernel {
  %i = gpu.thread_id x
  %v = memref.load %x[%i] : memref<64xf32>
  %w = arith.truncf %v : f32 to bf16
  memref.store %w, %y[%i] : memref<64xbf16>
  gpu.return } }'''
x = np.random.default_rng(0).integers(0, 2**32, 64, dtype=np.uint32).view(np.float32)
x[:4] = np.inf, -np.inf, np.nan, 1 + 2**-8
y = np.zeros(64, ml_dtypes.bfloat16)
SimulatedKernels(text).launch("k", 1, 64, 0, [x, y])
with np.errstate(all="ignore"):
    np.testing.assert_array_equal(y.astype(np.float32), x.astype(ml_dtypes.bfloat16).astype(np.float32))
print("equal")
"""


@pytest.mark.full
def test_bf16_on_a_processor_without_it():
    """Processors differ in what LLVM calls out for; in a process of its own, because the runtime is compiled once."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert (found.stdout, found.stderr) == ("equal\n", "")


def nearest_bf16(values):
    """Return f64 values rounded to bf16 once, to the nearest and, of two as near, to the one with an even mantissa.

    By exact arithmetic: frexp gives 0.5 <= |m| < 1, and a bf16 has eight digits behind the point of m, or fewer below
    its least exponent.
    """
    mantissas, exponents = np.frexp(values)
    digits = np.minimum(8, exponents + 133)
    rounded = np.ldexp(np.rint(np.ldexp(mantissas, digits)), exponents - digits)
    return np.where(np.abs(rounded) >= 2.0**128, np.copysign(np.inf, values), rounded)


@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_f64_is_rounded_to_bf16_once(lanes):
    """Values beside a tie, which are on it after a rounding to f32, go to their own side."""
    generator = np.random.default_rng(0)
    ties = (generator.integers(128, 256, 64) + 0.5) / 128
    powers = np.ldexp(1.0, generator.integers(-126, 127, 64))
    beside = [ties * (1 + side * 2.0**-40) * powers for side in (-1, 0, 1)]
    random = np.ldexp(generator.random(64) - 0.5, generator.integers(-145, 130, 64))
    least = 2.0**-133
    special = [0.0, -0.0, np.inf, -np.inf, least / 2, least / 2 * (1 + 2.0**-50), least * 1.5, -least, 1e-300]
    largest = (2 - 2.0**-8) * 2.0**127
    special += [largest, largest * (1 - 2.0**-50), 1e39, -1e308, 1 + 2.0**-8, -(1 + 2.0**-8) - 2.0**-50, np.nan]
    x = np.concatenate([*beside, -beside[2], random, special, np.zeros(48)])
    kind = f"vector<{lanes}xf64>", f"vector<{lanes}xbf16>"
    text = f"""gpu.module @kernels {{ gpu.func @k(%x: memref<{x.size}xf64>, %y: memref<{x.size}xbf16>) kernel {{
      %c = arith.constant {lanes} : index
      %t = gpu.thread_id x
      %i = arith.muli %t, %c : index
      %v = vector.load %x[%i] : memref<{x.size}xf64>, {kind[0]}
      %w = arith.truncf %v : {kind[0]} to {kind[1]}
      vector.store %w, %y[%i] : memref<{x.size}xbf16>, {kind[1]}
      gpu.return }} }}"""
    y = np.zeros(x.size, np.uint16)
    SimulatedKernels(text).launch("k", 1, x.size // lanes, 0, [x, y])
    found = (y.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(found.astype(np.float64), nearest_bf16(x))
    assert np.array_equal(np.signbit(found)[:-49], np.signbit(x)[:-49])


def test_engines_may_go_while_others_stay(matmul_text):
    """Every module has its own engine, and the runtime outlives them all."""
    a, b, c = np.ones((64, 48), np.float32), np.ones((48, 32), np.float32), np.zeros((64, 32), np.float32)
    kept = SimulatedKernels(matmul_text)
    for _ in range(3):
        SimulatedKernels(matmul_text, count=True).launch("matmul", 8, 256, 0, [a, b, c])
    kept.launch("matmul", 8, 256, 0, [a, b, c])
    assert (c == 48).all()
