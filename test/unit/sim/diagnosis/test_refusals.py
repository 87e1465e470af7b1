# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the simulator does not run: every refusal names its subject."""

import numpy as np
import pytest

from roller_mlir.sim import SimulatedKernels
from roller_mlir.sim.engine import fibers, sites
from roller_mlir.sim.memory.records import Records
from roller_mlir.support.diagnostics import DiagnosedError

WORKGROUP = "#gpu.address_space<workgroup>"


def kernel(body, arguments="", attributions=""):
    return f"gpu.module @kernels {{ gpu.func @k({arguments}) {attributions} kernel {{\n{body}\ngpu.return }} }}"


REFUSED = {
    "'gpu.printf' is not known": kernel('gpu.printf "hello"'),
    "'memref.copy' touches memory": kernel("memref.copy %x, %x : memref<4xf32> to memref<4xf32>", "%x: memref<4xf32>"),
    "must move a vector of rank 1": kernel(
        """%c0 = arith.constant 0 : index
        %v = vector.load %x[%c0, %c0] : memref<4x4xf32>, vector<2x2xf32>""",
        "%x: memref<4x4xf32>",
    ),
    "'vector.transfer_read' touches memory": kernel(
        """%c0 = arith.constant 0 : index
        %z = arith.constant 0.0 : f32
        %v = vector.transfer_read %x[%c0], %z : memref<4xf32>, vector<4xf32>""",
        "%x: memref<4xf32>",
    ),
    "argument 0 must be a memref of static shape and identity layout": kernel("", "%x: memref<?xf32>"),
    "argument 1 must be a memref of static shape": kernel(
        "", "%x: memref<4xf32>, %y: memref<4x4xf32, strided<[1, 4]>>"
    ),
    "argument 0 must be a memref or a scalar": kernel("", "%x: vector<4xf32>"),
    "must have scope workgroup or subgroup": kernel("gpu.barrier scope <cluster>"),
    "must not claim a static extent": kernel(
        f"""%arena = gpu.dynamic_shared_memory : memref<?xi8, {WORKGROUP}>
        %c = memref.cast %arena : memref<?xi8, {WORKGROUP}> to memref<64xi8, {WORKGROUP}>"""
    ),
    "must access global, workgroup or private memory": kernel(
        """%c0 = arith.constant 0 : index
        %v = memref.load %x[%c0] : memref<4xf32, 9>""",
        "%x: memref<4xf32, 9>",
    ),
    "must pass 8, 16, 32 or 64 bits": kernel(
        """%v = arith.constant dense<0.0> : vector<4xf32>
        %o = arith.constant 1 : i32
        %s, %valid = gpu.shuffle xor %v, %o, %o : vector<4xf32>"""
    ),
    "has width 33, which must be a power of two up to the 32 of a subgroup": kernel(
        """%v = arith.constant 1.0 : f32
        %o = arith.constant 1 : i32
        %w = arith.constant 33 : i32
        %s, %valid = gpu.shuffle xor %v, %o, %w : f32"""
    ),
    "must pass 8, 16, 32 or 64 bits, but got i1": kernel(
        """%v = arith.constant true
        %o = arith.constant 1 : i32
        %s, %valid = gpu.shuffle xor %v, %o, %o : i1"""
    ),
    "'vector.print' is not known": kernel('vector.print str "hello"'),
    "a workgroup attribution must have a static shape": kernel(
        "", attributions=f"workgroup(%w: memref<?xf32, {WORKGROUP}>)"
    ),
    "kernel names must be unique": """
      module { gpu.module @a { gpu.func @k() kernel { gpu.return } }
               gpu.module @b { gpu.func @k() kernel { gpu.return } } }""",
    "custom op 'gpu.nonsense' is unknown": kernel("gpu.nonsense"),
}


@pytest.mark.parametrize("message", REFUSED)
def test_kernels_that_cannot_be_simulated(message):
    with pytest.raises(DiagnosedError, match="error: ") as caught:
        SimulatedKernels(REFUSED[message])
    assert message in str(caught.value)


def test_options(matmul_text):
    with pytest.raises(ValueError, match="subgroup_size must be 1 to 64, but got 65"):
        SimulatedKernels(matmul_text, 65)


def arrays():
    return [np.zeros((64, 48), np.float32), np.zeros((48, 32), np.float32), np.zeros((64, 32), np.float32)]


def read_only():
    values = arrays()
    values[0].flags.writeable = False
    return values


def overlapping():
    memory = np.zeros(64 * 48 + 16, np.float32)
    values = arrays()
    return [memory[: 64 * 48].reshape(64, 48), values[1], memory[-64 * 32 :].reshape(64, 32)]


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("name must be one of matmul, but got 'other'", {"name": "other"}),
        ("grid must be 1 to 3 extents of at least 1, but got 0", {"grid": 0}),
        ("block must be 1 to 3 extents of at least 1, but got (1, 2, 3, 4)", {"block": (1, 2, 3, 4)}),
        ("block must have at most 1024 threads, but got 2048", {"block": (1024, 2)}),
        ("dynamic_workgroup_bytes must be at least 0 and timeout_s above 0, but got -1 and 60.0", {"dynamic": -1}),
        ("but got 0 and 0", {"timeout_s": 0}),
        ("resident_blocks must be at least 1, but got 0", {"resident_blocks": 0}),
        ("kernel 'matmul' takes 3 arguments, but got 2", {"args": arrays()[:2]}),
        ("argument 1 of kernel 'matmul' must be a numpy array, but got int", {"args": [arrays()[0], 1, arrays()[2]]}),
        (
            "argument 0 of kernel 'matmul' must have dtype float32, but got float64",
            {"args": [arrays()[0].astype(np.float64), *arrays()[1:]]},
        ),
        (
            "argument 0 of kernel 'matmul' must have shape (64, 48), but got (48, 64)",
            {"args": [arrays()[0].T.copy(), *arrays()[1:]]},
        ),
        (
            "argument 0 of kernel 'matmul' must be C-contiguous, but got strides (384, 8)",
            {"args": [np.zeros((64, 96), np.float32)[:, ::2], *arrays()[1:]]},
        ),
        ("argument 0 of kernel 'matmul' must be writeable, but got a read-only array", {"args": read_only()}),
        ("argument 2 of kernel 'matmul' must share all of its memory", {"args": overlapping()}),
    ],
)
def test_launches_that_do_not_fit(matmul_text, message, changes):
    options = dict(changes)
    name, grid, block = options.pop("name", "matmul"), options.pop("grid", 8), options.pop("block", 256)
    dynamic, args = options.pop("dynamic", 0), options.pop("args", arrays())
    with pytest.raises(ValueError, match=r"must|takes") as caught:
        SimulatedKernels(matmul_text).launch(name, grid, block, dynamic, args, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize(("kind", "value", "named"), [("f32", "x", "str"), ("index", None, "NoneType")])
def test_scalars(kind, value, named):
    kernels = SimulatedKernels(kernel("", f"%x: {kind}"))
    with pytest.raises(ValueError, match=f"argument 0 of kernel 'k' must be a scalar {kind}, but got {named}"):
        kernels.launch("k", 1, 1, 0, [value])


def test_element_types_without_arrays():
    kernels = SimulatedKernels(kernel("", "%x: memref<4xf8E4M3FN>"))
    with pytest.raises(ValueError, match="must have an element type of f64, .*, index, but has f8E4M3FN"):
        kernels.launch("k", 1, 1, 0, [np.zeros(4, np.uint8)])


def test_operations_have_numbers_of_16_bits(monkeypatch, matmul_text):
    monkeypatch.setattr(sites, "_MOST_SITES", 3)
    with pytest.raises(DiagnosedError, match="numbers at most 3 operations of a module; unroll less"):
        SimulatedKernels(matmul_text)


def test_operations_without_a_lowering_do_not_reach_llvm(monkeypatch):
    """LLVM's translation crashes on what the pipeline left over."""
    monkeypatch.setattr("roller_mlir.sim.lowering._PIPELINE", "builtin.module(cse)")
    with pytest.raises(DiagnosedError, match=r"'func.func' has no lowering to LLVM in the simulator"):
        SimulatedKernels(kernel(""))


def test_hosts(monkeypatch):
    monkeypatch.setattr(fibers.platform, "machine", lambda: "aarch64")
    with pytest.raises(RuntimeError, match="the simulator runs on Linux x86-64, but this is Linux aarch64"):
        fibers.check_host()


def test_a_stack_that_overflowed_is_reported(monkeypatch, matmul_text):
    release = Records.release
    monkeypatch.setattr(Records, "release", lambda self: release(self) and False)
    with pytest.raises(RuntimeError, match="kernel 'matmul' used more than its 12288 B of stack"):
        SimulatedKernels(matmul_text).launch("matmul", 8, 256, 0, arrays())
