# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NVIDIA's wmma at the LLVM level: 16x16 matrices in memory of any layout, against numpy."""

import itertools
from typing import Any

import numpy as np
import pytest
from llvm_kernels import launch

from roller_mlir.sim import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

HALVES, PAIRS, FLOATS = (
    f"{{ {', '.join([kind] * count)} }}" for kind, count in (("<2 x half>", 8), ("<2 x half>", 4), ("float", 8))
)


def parts(name: str, whole: str) -> tuple[str, str]:
    """Instructions that take a structure apart, and its parts as operands."""
    kinds = [kind.strip() for kind in whole.strip("{ }").split(",")]
    lines = [f"  %{name}.{number} = extractvalue {whole} %{name}, {number}\n" for number in range(len(kinds))]
    return "".join(lines), ", ".join(f"{kind} %{name}.{number}" for number, kind in enumerate(kinds))


def kernel(a: str, b: str, c: str, total: str, strided: bool) -> str:
    """D = A B + C, all of them in global memory, by each of two subgroups; `a`, `b`, `c`: row or col."""
    sums = FLOATS if total == "f32" else PAIRS
    stride = ".stride" * strided
    name = "llvm.nvvm.wmma.m16n16k16"
    calls = [
        ("a", HALVES, f"load.a.{a}{stride}.f16.p0", "ptr %pa", ", i32 24"),
        ("b", HALVES, f"load.b.{b}{stride}.f16.p0", "ptr %pb", ", i32 32"),
        ("c", sums, f"load.c.{c}{stride}.{total}.p0", "ptr %pc", ", i32 %n"),
    ]
    text = """define ptx_kernel void @k(ptr %x, ptr %y, ptr %z, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %t, 5
  %lane = and i32 %t, 1
  %pa = getelementptr [1024 x i8], ptr %x, i32 %warp
  %pb = getelementptr [1024 x i8], ptr %y, i32 %warp
  %pc = getelementptr [2048 x i8], ptr %z, i32 %warp
"""
    declared = "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
    operands: list[str] = []
    for value, whole, callee, pointer, rest in calls:
        lines, spelled = parts(value, whole)
        text += f"  %{value} = call {whole} @{name}.{callee}({pointer}{rest * strided})\n{lines}"
        declared += f"declare {whole} @{name}.{callee}(ptr{', i32' * strided})\n"
        operands.append(spelled)
    lines, spelled = parts("d", sums)
    kinds = ", ".join(["<2 x half>"] * 16 + sums.strip("{ }").split(", "))
    text += f"  %d = call {sums} @{name}.mma.{a}.{b}.{total}.{total}({', '.join(operands)})\n{lines}"
    declared += f"declare {sums} @{name}.mma.{a}.{b}.{total}.{total}({kinds})\n"
    text += f"  call void @{name}.store.d.{c}{stride}.{total}.p0(ptr %pc, {spelled}{', i32 %n' * strided})\n"
    declared += f"declare void @{name}.store.d.{c}{stride}.{total}.p0(ptr, {sums.strip('{ }')}{', i32' * strided})\n"
    return f"{text}  ret void\n}}\n{declared}"


LAYOUTS = list(itertools.product(("row", "col"), ("row", "col"), ("row", "col")))


@pytest.mark.full(every=2)
@pytest.mark.parametrize(("a", "b", "c"), LAYOUTS)
def test_layouts(a: str, b: str, c: str) -> None:
    generator = np.random.default_rng(1)
    total, strided = ("f32", "f16")[a == c], b == "row"
    dtype = np.dtype(np.float32 if total == "f32" else np.float16)
    pitches = (24, 32, 24) if strided else (16, 16, 16)
    sizes = ((1024, np.dtype("f2")), (1024, np.dtype("f2")), (2048, dtype))
    memory = [generator.integers(-4, 5, (2, size // kind.itemsize)).astype(kind) for size, kind in sizes]

    def matrix(which: int, warp: int, of: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        whole = of[which][warp][: 16 * pitches[which]].reshape(16, pitches[which])[:, :16]
        return whole.T if (a, b, c)[which] == "col" else whole

    expected = [one.copy() for one in memory]
    for warp in range(2):
        x, y, z = (matrix(which, warp, memory).astype(np.int64) for which in range(3))
        matrix(2, warp, expected)[:] = x @ y + z
    launch(kernel(a, b, c, total, strided), [*memory, pitches[2]], 64, seed=2)
    np.testing.assert_array_equal(memory[2], expected[2])


def arrays() -> list[np.ndarray[Any, Any]]:
    return [np.zeros((2, 512), np.float16), np.zeros((2, 512), np.float16), np.zeros((2, 512), np.float32)]


def test_faults() -> None:
    text = kernel("row", "row", "row", "f32", True)
    launch(text, [*arrays(), 24], 64)
    with pytest.raises(SimulationError) as caught:
        launch(text, [*arrays(), 36], 64)
    assert caught.value.kind == "out-of-bounds"
    assert "of argument 2" in str(caught.value)
    with pytest.raises(SimulationError) as caught:
        launch(text, [*arrays(), 18], 64)
    assert caught.value.kind == "misaligned"
    assert "llvm.nvvm.wmma.m16n16k16.load.c.row.stride.f32.p0 at k.ll:" in str(caught.value)
    with pytest.raises(SimulationError) as caught:
        launch(text.replace("[1024 x i8], ptr %y, i32 %warp", "[16 x i8], ptr %y, i32 %warp"), [*arrays(), 24], 64)
    assert caught.value.kind == "misaligned"
    with pytest.raises(SimulationError) as caught:
        launch(text.replace("[2048 x i8], ptr %z, i32 %warp", "[32 x i8], ptr %z, i32 %lane"), [*arrays(), 24], 32)
    assert "has operands of its own at llvm.nvvm.wmma.m16n16k16.load.c" in str(caught.value)


def test_what_is_not_known_is_refused() -> None:
    text = kernel("row", "row", "row", "f32", True)
    with pytest.raises(DiagnosedError, match="'llvm.nvvm.wmma.m16n16k16.load.a.row.stride.f16.p0' in subgroups of 64"):
        lower_llvm("k", text, subgroup_size=64)
    for other in ("m32n8k16", "m8n32k16"):
        with pytest.raises(DiagnosedError, match=f"'llvm.nvvm.wmma.{other}.load.a.row.stride.f16.p0' is not known"):
            lower_llvm("k", text.replace("m16n16k16", other), subgroup_size=32)
