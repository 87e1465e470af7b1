# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold for generated code before it is trusted: two ways in which LLVM goes wrong without a word.

- An intrinsic that LLVM does not know becomes a call of an unknown function.
- Undefined behaviour removes what depends on it: one wrong thread count removed the main loop of a matmul, and no
  tool complained.
"""

from __future__ import annotations

import re

from roller_mlir.codegen.backend.assembly import fma_count, read_gcn
from roller_mlir.codegen.backend.code_object import undefined_symbols
from roller_mlir.codegen.backend.errors import CompileError

_PTX_FMA = re.compile(r"^\s+(?:@!?%p\d+\s+)?fma\.\w+(?:\.\w+)*?\.(f\d+|bf\d+)(x2)?\b", re.MULTILINE)
_PTX_DECLARED = re.compile(r"\.extern\s+\.func\s+(?:\(.*?\)\s*)?([\w.$]+)", re.DOTALL)
_PTX_CALLED = re.compile(r"\bcall(?:\.uni)?\s+(?:\(.*?\)\s*,\s*)?([\w.$]+)", re.DOTALL)
_PTX_DEFINED = re.compile(r"^(?!\s*\.extern)[^\n/]*\.func\s+(?:\([^)]*\)\s*)?([\w.$]+)", re.MULTILINE)


def ptx_fma_count(ptx: str) -> int:
    """Counts the fused multiply-adds in PTX; a packed one is two."""
    return sum(2 if found[2] else 1 for found in _PTX_FMA.finditer(ptx))


def ptx_foreign_calls(ptx: str) -> tuple[str, ...]:
    """Gives the functions that PTX calls or declares, but does not define."""
    defined = set(_PTX_DEFINED.findall(ptx))
    named = {*_PTX_DECLARED.findall(ptx), *_PTX_CALLED.findall(ptx)}
    return tuple(sorted(name for name in named - defined if not re.fullmatch(r"%rd?\d+", name)))


def check_ptx(kernel: str, ptx: str, promised_fmas: int) -> None:
    """Raises a CompileError where PTX calls foreign functions or has too few multiply-adds."""
    _check_calls(kernel, "PTX", ptx_foreign_calls(ptx))
    _check_fmas(kernel, "PTX", ptx_fma_count(ptx), promised_fmas)


def check_code_object(kernel: str, data: bytes, assembly: str, promised_fmas: int) -> None:
    """Raises a CompileError where an AMD object needs foreign functions or its assembly has too few multiply-adds."""
    _check_calls(kernel, "AMDGPU object", undefined_symbols(data))
    _check_fmas(kernel, "AMDGPU assembly", fma_count(read_gcn(assembly, kernel).instructions), promised_fmas)


def _check_calls(kernel: str, what: str, names: tuple[str, ...]) -> None:
    if names:
        raise CompileError(
            kernel,
            f"the {what} calls {', '.join(names)}, which nothing defines; "
            f"this version of LLVM does not know it as an intrinsic, or no library has it",
        )


def _check_fmas(kernel: str, what: str, have: int, promised: int) -> None:
    if have < promised:
        raise CompileError(
            kernel,
            f"the {what} has {have} fused multiply-adds, the kernel's IR promises {promised}; "
            f"LLVM removed the others, which points to undefined behaviour in the kernel "
            f"(a wrong block size, or memory that is read before it is written)",
        )
