# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix instructions of the vendors as LLVM IR kernels, and how their manuals deal matrices out to lanes, with numpy.

The kernel @k hands each lane its registers from buffers in which they lie lane after lane, and stores what it gets.
"""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def mma_a(a: Array) -> Array:
    """PTX: the registers of a lane hold neighbours along k; rows g and g + 8 alternate."""
    each = 4 // a.itemsize
    return np.ascontiguousarray(a.reshape(2, 8, -1, 4, each).transpose(1, 3, 2, 0, 4).reshape(32, -1))


def mma_b(b: Array) -> Array:
    """PTX: the same along k; a column each."""
    each = 4 // b.itemsize
    return np.ascontiguousarray(b.reshape(-1, 4, each, 8).transpose(3, 1, 0, 2).reshape(32, -1))


def mma_c(c: Array) -> Array:
    """PTX: two neighbours of row g, two of row g + 8."""
    return np.ascontiguousarray(c.reshape(2, 8, 4, 2).transpose(1, 2, 0, 3).reshape(32, 4))


def mma_c_back(held: Array) -> Array:
    """The matrix of what the lanes hold."""
    return held.reshape(8, 4, 2, 2).transpose(2, 0, 1, 3).reshape(16, 8)


def mfma_a(a: Array) -> Array:
    """CDNA: 64 / m groups of lanes, one a row, each with neighbours along k."""
    rows, depth = a.shape
    groups = 64 // rows
    return np.ascontiguousarray(a.reshape(rows, groups, depth // groups).transpose(1, 0, 2).reshape(64, -1))


def mfma_b(b: Array) -> Array:
    """CDNA: the same of the columns."""
    return mfma_a(b.T)


def mfma_c(c: Array) -> Array:
    """CDNA: a column each, four rows in a register group."""
    columns = c.shape[1]
    groups = 64 // columns
    return np.ascontiguousarray(c.reshape(-1, groups, 4, columns).transpose(1, 3, 0, 2).reshape(64, -1))


def mfma_c_back(held: Array, rows: int) -> Array:
    """The matrix of what the lanes hold."""
    return held.reshape(64 // rows, rows, -1, 4).transpose(2, 0, 3, 1).reshape(rows, rows)


_HEAD = """
define {kind}_kernel void @k({parameters}) {{
  %thread = call i32 @{thread}()
"""
_THREAD = {"ptx": "llvm.nvvm.read.ptx.sreg.tid.x", "amdgpu": "llvm.amdgcn.workitem.id.x"}


def kernel(vendor: str, operands: list[list[str]], call: str, results: list[str], declared: str = "") -> str:
    """Return a kernel whose arguments are a buffer per list of operands, and one of the results.

    Args:
        vendor: "ptx" or "amdgpu".
        operands: LLVM types of the registers of each buffer.
        call: The call; `{a0}` is register 0 of the first buffer, `{d}` its result.
        results: LLVM types of the registers of the result.
        declared: What else the module declares.
    """
    parameters = ", ".join(f"ptr %p{number}" for number in range(len(operands) + 1))
    text = _HEAD.format(kind=vendor, parameters=parameters, thread=_THREAD[vendor])
    names: dict[str, str] = {"d": "%d"}
    for number, kinds in enumerate(operands):
        for place, kind in enumerate(kinds):
            name = f"{'abcdef'[number]}{place}"
            names[name] = f"{kind} %{name}"
            text += f"  %at.{name} = getelementptr {{ {', '.join(kinds)} }}, ptr %p{number}, i32 %thread, i32 {place}\n"
            text += f"  %{name} = load {kind}, ptr %at.{name}, align 2\n"
    text += f"  {call.format(**names)}\n"
    whole = f"{{ {', '.join(results)} }}"
    for place, kind in enumerate(results):
        value = "%d"
        if len(results) > 1:
            text += f"  %d{place} = extractvalue {whole} %d, {place}\n"
            value = f"%d{place}"
        text += f"  %to{place} = getelementptr {whole}, ptr %p{len(operands)}, i32 %thread, i32 {place}\n"
        text += f"  store {kind} {value}, ptr %to{place}, align 2\n"
    return f"{text}  ret void\n}}\ndeclare i32 @{_THREAD[vendor]}()\n{declared}"
