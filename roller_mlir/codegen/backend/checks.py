# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold for generated code before it is trusted: two ways in which LLVM goes wrong without a word.

- An intrinsic that LLVM does not know becomes a call of an unknown function.
- Undefined behaviour removes what depends on it: one wrong thread count removed the main loop of a matmul, and no
  tool complained. So multiply-adds and matrix instructions are counted.
"""

from __future__ import annotations

import re

from roller_mlir.codegen.backend.accesses import read_ptx
from roller_mlir.codegen.backend.assembly import fma_count, read_gcn
from roller_mlir.codegen.backend.code_object import undefined_symbols
from roller_mlir.codegen.backend.errors import CompileError
from roller_mlir.codegen.backend.matrix_instructions import matrix_count

_PTX_FMA = re.compile(r"^\s+(?:@!?%p\d+\s+)?fma\.\w+(?:\.\w+)*?\.(f\d+|bf\d+)(x2)?\b", re.MULTILINE)
_PTX_DECLARED = re.compile(r"\.extern\s+\.func\s+(?:\(.*?\)\s*)?([\w.$]+)", re.DOTALL)
_PTX_CALLED = re.compile(r"\bcall(?:\.uni)?\s+(?:\(.*?\)\s*,\s*)?([\w.$]+)", re.DOTALL)
_PTX_DEFINED = re.compile(r"^(?!\s*\.extern)[^\n/]*\.func\s+(?:\([^)]*\)\s*)?([\w.$]+)", re.MULTILINE)

_FMAS, _MATRICES = "fused multiply-adds", "matrix instructions"


def ptx_fma_count(ptx: str) -> int:
    """Counts the fused multiply-adds in PTX; a packed one is two."""
    return sum(2 if found[2] else 1 for found in _PTX_FMA.finditer(ptx))


def ptx_foreign_calls(ptx: str) -> tuple[str, ...]:
    """Gives the functions that PTX calls or declares, but does not define."""
    defined = set(_PTX_DEFINED.findall(ptx))
    named = {*_PTX_DECLARED.findall(ptx), *_PTX_CALLED.findall(ptx)}
    return tuple(sorted(name for name in named - defined if not re.fullmatch(r"%rd?\d+", name)))


def check_ptx(kernel: str, ptx: str, promised_fmas: int, promised_matrices: int = 0) -> None:
    """Raises a CompileError where PTX calls foreign functions, or has too few multiply-adds or matrix instructions."""
    _check_calls(kernel, "PTX", ptx_foreign_calls(ptx))
    _check_count(kernel, "PTX", _FMAS, ptx_fma_count(ptx), promised_fmas)
    if promised_matrices:
        _check_count(kernel, "PTX", _MATRICES, matrix_count(read_ptx(ptx).instructions), promised_matrices)


def check_code_object(kernel: str, data: bytes, assembly: str, promised_fmas: int, promised_matrices: int = 0) -> None:
    """Raises a CompileError where an AMD object needs foreign functions, or its assembly has too few multiply-adds.

    Matrix instructions count by themselves.
    """
    _check_calls(kernel, "AMDGPU object", undefined_symbols(data))
    instructions = read_gcn(assembly, kernel).instructions
    _check_count(kernel, "AMDGPU assembly", _FMAS, fma_count(instructions), promised_fmas)
    _check_count(kernel, "AMDGPU assembly", _MATRICES, matrix_count(instructions), promised_matrices)


def _check_calls(kernel: str, what: str, names: tuple[str, ...]) -> None:
    if names:
        raise CompileError(
            kernel,
            f"the {what} calls {', '.join(names)}, which nothing defines; "
            f"this version of LLVM does not know it as an intrinsic, or no library has it",
        )


def _check_count(kernel: str, what: str, counted: str, have: int, promised: int) -> None:
    if have < promised:
        raise CompileError(
            kernel,
            f"the {what} has {have} {counted}, the kernel's IR promises {promised}; "
            f"LLVM removed the others, which points to undefined behaviour in the kernel "
            f"(a wrong block size, or memory that is read before it is written)",
        )
