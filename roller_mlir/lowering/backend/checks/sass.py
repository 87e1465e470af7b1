# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the machine code of a cubin: the few instructions that a plan says something of, and the loops.

NVIDIA's disassembler takes 0.2 s to start, more than all of a compilation; what is wanted here are operations, access
widths and branch targets. From Volta on an instruction has 128 bits: the operation in the lowest 9, the form of its
operands in the next 3, the width of a memory access in bits 73 to 75, the offset of a branch, in units of 4 B from the
next instruction, in bits 34 to 81, before which Hopper and later have 8 lower bits in bits 16 to 23. NVIDIA does not
document this: it is read off `nvdisasm -hex` for sm_75, 80, 89, 90a, 100a and 120, and a test compares whole kernels.
A load of matrices has their number, of which it is the logarithm, in bits 72 and 73. The predicate stands in bits 12 to
15; `!PT` there is an instruction that no thread executes, of which ptxas writes some beside asynchronous copies.
"""

import struct

from roller_mlir.lowering.backend.checks.assembly import Listing
from roller_mlir.lowering.backend.checks.code_object import section
from roller_mlir.plan.sm_architecture import sm_number

_BYTES = 16
_OLDEST, _TURING, _NEWEST, _LONG_BRANCHES = 70, 75, 129, 90
_OPERATIONS = {
    0x023: "FFMA",
    0x049: "FFMA2",
    0x02B: "DFMA",
    0x031: "HFMA2",
    0x020: "FMUL",
    0x021: "FADD",
    0x028: "DMUL",
    0x029: "DADD",
    0x030: "HADD2",
    0x032: "HMUL2",
    0x147: "BRA",
    0x037: "IMMA",
    0x03C: "HMMA",
    0x03F: "DMMA",
    0x1F0: "HGMMA",
    0x1F1: "IGMMA",
    0x1F3: "QGMMA",
    0x1B4: "UTMALDG",
}
_VOLTA = {0x036: "HMMA"}
_LOAD_MATRIX = 0x03B
_NEVER = 0xF
_ACCESSES = {
    0x181: "LDG",
    0x186: "STG",
    0x184: "LDS",
    0x188: "STS",
    0x183: "LDL",
    0x187: "STL",
    0x1AE: "LDGSTS",
}
_LOADED_MATRICES = ("LDSM.16.M88", "LDSM.16.M88.2", "LDSM.16.M88.4", "LDSM.16.M88.4")
_WIDTHS = ("U8", "S8", "U16", "S16", "", "64", "128")


def knows_sass(architecture: str) -> bool:
    """Return whether the encoding of an architecture is known.

    >>> knows_sass("sm_90a"), knows_sass("sm_37"), knows_sass("gfx942")
    (True, False, False)
    """
    return _OLDEST <= sm_number(architecture) <= _NEWEST


def read_cubin(cubin: bytes, kernel: str, architecture: str) -> Listing:
    """Read a kernel's code; what is no known operation is named by its number, such as "op_0x119".

    Raises:
        ValueError: it is no cubin with that kernel, or of an architecture whose encoding is not known.
    """
    if not knows_sass(architecture):
        raise ValueError(f"the architecture must be sm_{_OLDEST} to sm_{_NEWEST}, but got '{architecture}'")
    code = section(cubin, f".text.{kernel}")
    long = sm_number(architecture) >= _LONG_BRANCHES
    operations = _OPERATIONS | _VOLTA if sm_number(architecture) < _TURING else _OPERATIONS
    names: list[str] = []
    loops: list[tuple[int, int]] = []
    for at, (low, high) in enumerate(struct.iter_unpack("<QQ", code[: len(code) // _BYTES * _BYTES])):
        operation = low & 0x1FF
        if low >> 12 & 0xF == _NEVER:
            names.append("NOP")
            continue
        name = operations.get(operation, f"op_0x{operation:03x}")
        if operation in _ACCESSES:
            width = (high >> 9) & 7
            name = ".".join(filter(None, (_ACCESSES[operation], _WIDTHS[min(width, len(_WIDTHS) - 1)])))
        elif operation == _LOAD_MATRIX:
            name = _LOADED_MATRICES[(high >> 8) & 3]
        elif name == "BRA":
            goal = at + 1 + _offset(low, high, long=long) * 4 // _BYTES
            if 0 <= goal < at:
                loops.append((goal, at))
        names.append(name)
    return Listing(tuple(names), tuple(loops))


def _offset(low: int, high: int, *, long: bool) -> int:
    field = (high << 30 | low >> 34) & ((1 << 48) - 1)
    if field >> 47:
        field -= 1 << 48
    return field << 8 | (low >> 16 & 0xFF) if long else field
