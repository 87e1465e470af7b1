# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ldmatrix and stmatrix at the LLVM level, as intrinsics and as inline assembly, against the PTX manual's tables."""

from typing import Any

import numpy as np
import pytest
from llvm_kernels import launch

from roller_mlir.sim import SimulationError
from roller_mlir.sim.llvm.level import lower_llvm
from roller_mlir.support.diagnostics import DiagnosedError

ROWS, PITCH = 64, 48
"""Rows of workgroup memory: 16 bytes of content, then others."""

_TEXT = """
@w = internal addrspace(3) global [3072 x i8] undef, align 16
define ptx_kernel void @k(ptr %x, ptr %rows, ptr %out) {{
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %from = getelementptr [48 x i8], ptr %x, i32 %t
  %to = getelementptr [48 x i8], ptr addrspace(3) @w, i32 %t
  %low = load <4 x i32>, ptr %from, align 16
  store <4 x i32> %low, ptr addrspace(3) %to, align 16
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %row.at = getelementptr i32, ptr %rows, i32 %t
  %row = load i32, ptr %row.at, align 4
  %p = getelementptr [48 x i8], ptr addrspace(3) @w, i32 %row
  %own = getelementptr <4 x i32>, ptr %out, i32 %t
{body}
  ret void
}}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
"""


def whole(count: int) -> str:
    return f"{{ {', '.join(['i32'] * count)} }}" if count > 1 else "i32"


def load_text(count: int, transposed: bool, assembly: bool) -> str:
    trans = ".trans" * transposed
    callee = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{count}{trans}.b16.p3"
    if assembly:
        registers = ", ".join(f"${number}" for number in range(count))
        called = (
            f'asm sideeffect "ldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{ {registers} }}, [${count}];"'
        )
        called += f', "{"=r," * count}r"(ptr addrspace(3) %p)'
    else:
        called = f"@{callee}(ptr addrspace(3) %p)"
    body = f"  %d = call {whole(count)} {called}\n"
    for number in range(count):
        value = "%d"
        if count > 1:
            body += f"  %d{number} = extractvalue {whole(count)} %d, {number}\n"
            value = f"%d{number}"
        body += f"  %o{number} = getelementptr i32, ptr %own, i32 {number}\n  store i32 {value}, ptr %o{number}\n"
    text = _TEXT.format(body=body)
    if not assembly:
        text += f"declare {whole(count)} @{callee}(ptr addrspace(3))\n"
    return text


def tables(count: int, transposed: bool, rows: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """What the 32 lanes get, of the 32 rows that they name."""
    found = np.zeros((32, 2 * count), np.int16)
    for lane in range(32):
        for tile in range(count):
            for half in range(2):
                row, column = lane // 4, 2 * (lane % 4) + half
                if transposed:
                    row, column = column, row
                found[lane, 2 * tile + half] = rows[8 * tile + row, column]
    return found


def content() -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Rows, and which row each lane of two warps names: 16 bytes each, in no order."""
    x = np.arange(ROWS * PITCH // 2, dtype=np.int16).reshape(ROWS, PITCH // 2)
    return x, np.random.default_rng(5).permutation(ROWS).astype(np.int32)


@pytest.mark.full(every=2)
@pytest.mark.parametrize("assembly", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_ldmatrix(count: int, transposed: bool, assembly: bool) -> None:
    x, rows = content()
    out = np.full((64, 8), -1, np.int16)
    launch(load_text(count, transposed, assembly), [x, rows, out], 64, seed=3)
    for warp in range(2):
        named = x[rows[32 * warp : 32 * warp + 32], :8]
        np.testing.assert_array_equal(out[32 * warp :][:32, : 2 * count], tables(count, transposed, named))


def store_text(count: int, transposed: bool, assembly: bool) -> str:
    trans = ".trans" * transposed
    callee = f"llvm.nvvm.stmatrix.sync.aligned.m8n8.x{count}{trans}.b16.p3"
    body = "".join(
        f"  %i{number} = getelementptr i32, ptr %own, i32 {number}\n  %r{number} = load i32, ptr %i{number}\n"
        for number in range(count)
    )
    values = ", ".join(f"i32 %r{number}" for number in range(count))
    if assembly:
        registers = ", ".join(f"${number + 1}" for number in range(count))
        body += f'  call void asm sideeffect "stmatrix.sync.aligned.m8n8.x{count}{trans}.shared::cta.b16 [$0], '
        body += f'{{ {registers} }};", "r{",r" * count}"(ptr addrspace(3) %p, {values})\n'
    else:
        body += f"  call void @{callee}(ptr addrspace(3) %p, {values})\n"
    body += """  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %back = load <4 x i32>, ptr addrspace(3) %to, align 16
  store <4 x i32> %back, ptr %from, align 16"""
    text = _TEXT.format(body=body)
    if not assembly:
        kinds = ", ".join(["ptr addrspace(3)", *["i32"] * count])
        text += f"declare void @{callee}({kinds})\n"
    return text


@pytest.mark.full(every=2)
@pytest.mark.parametrize("assembly", [False, True])
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_stmatrix(count: int, transposed: bool, assembly: bool) -> None:
    x, rows = content()
    wanted, given = x.copy(), np.zeros((64, 8), np.int16)
    for warp in range(2):
        named = rows[32 * warp :][: 8 * count]
        wanted[named, :8] += 5000
        given[32 * warp : 32 * warp + 32, : 2 * count] = tables(count, transposed, wanted[named, :8])
    launch(store_text(count, transposed, assembly), [x, rows, given], 64, seed=3)
    np.testing.assert_array_equal(x, wanted)


def test_rows_outside_and_rows_that_are_not_aligned() -> None:
    x, rows = content()
    out = np.zeros((64, 8), np.int16)
    rows[40] = 64
    with pytest.raises(SimulationError) as caught:
        launch(load_text(4, False, False), [x, rows, out], 64)
    assert caught.value.kind == "out-of-bounds"
    assert "16 B from byte 3072 on are outside the 3072 B of workgroup memory '@w'" in str(caught.value)
    launch(load_text(1, False, False), [x, rows, out], 64)  # its lanes 8 to 31 give no address
    rows[40] = 0
    odd = load_text(4, False, False).replace(
        "[48 x i8], ptr addrspace(3) @w, i32 %row", "[8 x i8], ptr addrspace(3) @w, i32 %row"
    )
    with pytest.raises(SimulationError) as caught:
        launch(odd, [x, rows, out], 64)
    assert caught.value.kind == "misaligned"


def test_what_is_not_known_is_refused() -> None:
    text = load_text(2, False, True).replace("m8n8.x2", "m16n16.x2")
    with pytest.raises(DiagnosedError, match=r"'ldmatrix.sync.aligned.m16n16.x2.shared.b16' is not known"):
        lower_llvm("k", text, subgroup_size=32)
    with pytest.raises(DiagnosedError, match="with 2 registers"):
        lower_llvm("k", load_text(2, False, True).replace("m8n8.x2", "m8n8.x4"), subgroup_size=32)
    with pytest.raises(DiagnosedError, match="a matrix load or store in subgroups of 64 lanes"):
        lower_llvm("k", load_text(2, False, False), subgroup_size=64)
