# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that would end the process are refused or stopped with a fault, and divisions do what the GPU's do."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.diagnosis.errors import SimulationError
from roller_mlir.sim.diagnosis.findings import SanitizerError
from roller_mlir.sim.llvm.hardened import harden
from roller_mlir.support.diagnostics import DiagnosedError

X = "%x: memref<64xi32>"


def kernel(body: str, arguments: str = X, before: str = "") -> str:
    return f"""gpu.module @kernels {{ {before} gpu.func @k({arguments}) kernel {{
      %t = gpu.thread_id x
      %c0 = arith.constant 0 : index
      {body}
      gpu.return }} }}"""


REFUSED = {
    "'cf.assert' is not known": kernel('%no = arith.constant false\ncf.assert %no, "no"'),
    "'memref.alloca' must have a static shape": kernel("%p = memref.alloca(%t) : memref<?xf32>"),
    "'memref.alloca' must be in the first block": kernel(
        """%c1 = arith.constant 1 : index
        scf.for %i = %c0 to %t step %c1 { %p = memref.alloca() : memref<4xf32> }"""
    ),
    "threads need 4000000 B of memory of their own": kernel("%p = memref.alloca() : memref<1000000xf32>"),
    "has 100000 elements, which is above the limit of 1024": kernel(
        "%z = arith.constant dense<0> : vector<100000xi32>"
    ),
    "i100000 is above the limit of 128 bits": kernel("%z = arith.constant 0 : i100000"),
    "'affine.for' is not known": kernel("affine.for %i = 0 to 9223372036854775807 { }"),
    "'ub.unreachable' is not known": kernel("cf.br ^end\n^end:\nub.unreachable\n^other:"),
    "'memref.alloc' touches memory": kernel("%p = memref.alloc() : memref<4xf32>"),
    "'memref.dealloc' touches memory": kernel("memref.dealloc %x : memref<64xi32>"),
    "'memref.reinterpret_cast' touches memory": kernel(
        "%p = memref.reinterpret_cast %x to offset: [0], sizes: [6400], strides: [1] "
        ": memref<64xi32> to memref<6400xi32, strided<[1]>>"
    ),
    "'environ' is defined nowhere": kernel(
        "%p = memref.get_global @environ : memref<8xi64>", before="memref.global @environ : memref<8xi64>"
    ),
    "cannot be called 'roller_rt_run'": kernel("", before="memref.global @roller_rt_run : memref<8xi64> = dense<0>"),
    "workgroup attributions of 4000000 B are above the limit": kernel("").replace(
        "kernel {", "workgroup(%w: memref<1000000xf32, #gpu.address_space<workgroup>>) kernel {"
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_could_end_the_process_is_refused(message: str) -> None:
    with pytest.raises(DiagnosedError) as caught:
        SimulatedKernels(REFUSED[message])
    assert message in str(caught.value)
    assert "-:" in str(caught.value)


FAULTS = {
    "what the kernel promises to LLVM does not hold": "%no = arith.constant false\nllvm.intr.assume %no : i1",
    "is not a multiple of 4096 B as promised": (
        "%p = memref.subview %x[1][8][1] : memref<64xi32> to memref<8xi32, strided<[1], offset: 1>>\n"
        "%q = memref.assume_alignment %p, 4096 : memref<8xi32, strided<[1], offset: 1>>"
    ),
    # Without the flag's promise the index is far below 0.
    "is outside the memref's shape": (
        "%v = memref.load %x[%t] : memref<64xi32>\n%i = arith.index_cast %v : i32 to index\n"
        "%c63 = arith.constant 63 : index\n%j = arith.subi %c63, %i overflow<nuw> : index\n"
        "memref.store %v, %x[%j] : memref<64xi32>"
    ),
    # (size - 1) * stride wraps around to 0.
    "is outside the 64 that are there": (
        "%s = arith.constant 4294967297 : index\n%d = arith.constant 4294967296 : index\n"
        "%p = memref.subview %x[0][%s][%d] : memref<64xi32> to memref<?xi32, strided<[?]>>\n"
        "%c1 = arith.constant 1 : index\n%v = memref.load %p[%c1] : memref<?xi32, strided<[?]>>"
    ),
}


@pytest.mark.parametrize("message", FAULTS)
def test_what_no_check_may_believe(message: str) -> None:
    with pytest.raises(SimulationError, match=r" at .*-:\d+:\d+") as caught:
        SimulatedKernels(kernel(FAULTS[message])).launch("k", 1, 1, 0, [np.full(64, 100000, np.int32)])
    assert message in str(caught.value)


LEAST = -(2**31)
PAIRS = {(7, 0): (-1, 7), (LEAST, -1): (LEAST, 0), (-7, 2): (-3, -1), (LEAST, 3): (-715827882, -2), (5, -1): (-5, 0)}
DIVIDE = """%a = memref.load %x[%t] : memref<64xi32>
    %b = memref.load %y[%t] : memref<64xi32>
    %q = arith.divsi %a, %b : i32
    %v = vector.broadcast %a : i32 to vector<2xi32>
    %w = vector.broadcast %b : i32 to vector<2xi32>
    %rs = arith.remsi %v, %w : vector<2xi32>
    %r = vector.extract %rs[1] : i32 from vector<2xi32>
    memref.store %q, %x[%t] : memref<64xi32>
    memref.store %r, %y[%t] : memref<64xi32>"""


@pytest.mark.parametrize("pair", PAIRS)
def test_divisions_never_trap(pair: tuple[int, int]) -> None:
    text = kernel(DIVIDE, f"{X}, %y: memref<64xi32>")
    x, y = (np.full(64, one, np.int32) for one in pair)
    SimulatedKernels(text).launch("k", 1, 64, 0, [x, y])
    assert (x[0], y[0]) == PAIRS[pair]
    x, y = (np.full(64, one, np.int32) for one in pair)
    sanitized = SimulatedKernels(text, sanitize=True)
    if pair[1] == 0 or pair == (LEAST, -1):
        with pytest.raises(
            SanitizerError, match="an integer is divided by 0, 7 / 0|-2147483648 / -1 overflows"
        ) as caught:
            sanitized.launch("k", 1, 64, 0, [x, y])
        assert "arith.divsi at -:" in str(caught.value)
    else:
        sanitized.launch("k", 1, 64, 0, [x, y])


def test_divisions_that_only_lowering_makes_do_not_trap_either() -> None:
    body = """%v = memref.load %x[%c0] : memref<64xi32>
    %i = arith.index_cast %v : i32 to index
    %j = affine.apply affine_map<(d0)[s0] -> (d0 floordiv s0)>(%t)[%i]
    %u = index.divu %t, %i"""
    SimulatedKernels(kernel(body)).launch("k", 1, 1, 0, [np.zeros(64, np.int32)])


def test_constant_divisors_stay() -> None:
    text = "  %3 = sdiv i32 %1, 7\n  %4 = urem <2 x i64> %2, splat (i64 3)\n  %5 = udiv <2 x i8> %2, <i8 3, i8 5>\n"
    assert harden(text) == text
    assert "select" in harden("  %3 = sdiv i32 %1, -1\n") and "select" in harden(
        "  %3 = udiv <2 x i8> %1, <i8 0, i8 1>\n"
    )
    assert harden("  %3 = add nuw nsw i32 %1, poison\n") == "  %3 = add i32 %1, zeroinitializer\n"


def test_launches_that_no_device_makes() -> None:
    simulated = SimulatedKernels(kernel(""))
    for grid, block, dynamic, message in (
        (1 << 40, 1, 0, "grid must have at most"),
        (1, 1, 1 << 40, "workgroup memory must be at most"),
    ):
        with pytest.raises(ValueError, match=message):
            simulated.launch("k", grid, block, dynamic, [np.zeros(64, np.int32)])
    with pytest.raises(ValueError, match="threads run at the same time"):
        simulated.launch("k", 1 << 20, 1024, 0, [np.zeros(64, np.int32)], resident_blocks=None)


CHILD = """
import os, signal, sys
from roller_mlir.support import stage
from roller_mlir.tools.console.child import in_child
def work(ready):
    ready()
    print("begins", flush=True)
    {work}
    return 5
sys.exit(in_child("roller", work))
"""


@pytest.mark.parametrize(
    ("work", "code", "said"),
    [
        (
            "os.kill(os.getpid(), signal.SIGSEGV)",
            1,
            "roller: error: the process was ended by SIGSEGV",
        ),
        ("os.abort()", 1, "roller: error: the process was ended by SIGABRT"),
        (
            "stage.note('the parser'); os.kill(os.getpid(), signal.SIGBUS)",
            1,
            "roller: error: the process was ended by SIGBUS in the parser: what it was given cannot be read",
        ),
        ("os.kill(os.getpid(), signal.SIGKILL)", 1, "roller: error: the process was ended by SIGKILL\n"),
        ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM, ""),
        ("pass", 5, ""),
        ("sys.exit(70)", 70, ""),
        ("os.kill(os.getppid(), signal.SIGTERM); signal.pause()", -signal.SIGTERM, ""),
    ],
)
def test_a_process_that_dies(work: str, code: int, said: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CHILD.format(work=work)], capture_output=True, text=True, timeout=600, env={**os.environ}
    )
    assert (done.returncode, done.stdout) == (code, "begins\n")
    assert done.stderr.startswith(said) and done.stderr.count("\n") == bool(said)
