# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold for generated code before it is trusted: two ways in which LLVM goes wrong without a word.

- An intrinsic that LLVM does not know becomes a call of an unknown function.
- Undefined behaviour removes what depends on it: one wrong thread count removed the main loop of a matmul, and no
  tool complained. So multiply-adds, also those of two instructions, and matrix instructions are counted.
"""

import re

from roller_mlir.lowering.backend.checks.assembly import multiply_add_count, read_gcn, read_ptx
from roller_mlir.lowering.backend.checks.code_object import undefined_symbols
from roller_mlir.lowering.backend.checks.matrix_instructions import matrix_count
from roller_mlir.lowering.backend.errors import CompileError
from roller_mlir.lowering.backend.sources import KernelSource

_PTX_DECLARED = re.compile(r"\.extern\s+\.func\s+(?:\(.*?\)\s*)?([\w.$]+)", re.DOTALL)
_PTX_CALLED = re.compile(r"\bcall(?:\.uni)?\s+(?:\(.*?\)\s*,\s*)?([\w.$]+)", re.DOTALL)
_PTX_DEFINED = re.compile(r"^(?!\s*\.extern)[^\n/]*\.func\s+(?:\([^)]*\)\s*)?([\w.$]+)", re.MULTILINE)

_FMAS, _MATRICES = "multiply-adds", "matrix instructions"


def ptx_foreign_calls(ptx: str) -> tuple[str, ...]:
    """Return the functions that PTX calls or declares, but does not define."""
    defined = set(_PTX_DEFINED.findall(ptx))
    named = {*_PTX_DECLARED.findall(ptx), *_PTX_CALLED.findall(ptx)}
    return tuple(sorted(name for name in named - defined if not re.fullmatch(r"%rd?\d+", name)))


def check_ptx(source: KernelSource, ptx: str, *, counted: bool = True) -> None:
    """Raise a CompileError where PTX calls foreign functions, or has too few multiply-adds or matrix instructions.

    Args:
        source: what it was made of.
        ptx: the text.
        counted: whether instructions are counted.
    """
    _check_calls(source.name, "PTX", ptx_foreign_calls(ptx))
    if counted and (source.fma_count or source.matrix_count):
        _check_counts(source, "PTX", read_ptx(ptx).instructions)


def check_code_object(source: KernelSource, data: bytes, assembly: str, *, counted: bool = True) -> None:
    """Raise a CompileError where an AMD object needs foreign functions, or its assembly has too few multiply-adds.

    Matrix instructions count by themselves. Arguments as of `check_ptx`.
    """
    _check_calls(source.name, "AMDGPU object", undefined_symbols(data))
    if counted:
        _check_counts(source, "AMDGPU assembly", read_gcn(assembly, source.name).instructions)


def _check_counts(source: KernelSource, what: str, instructions: tuple[str, ...]) -> None:
    have = multiply_add_count(instructions, source.other_products, source.other_sums)
    _check_count(source.name, what, _FMAS, have, source.fma_count)
    _check_count(source.name, what, _MATRICES, matrix_count(instructions), source.matrix_count)


def _check_calls(kernel: str, what: str, names: tuple[str, ...]) -> None:
    if names:
        raise CompileError(
            kernel,
            f"the {what} calls {', '.join(names)}, which nothing defines; "
            f"this version of LLVM does not know it as an intrinsic, or no library has it",
        )


def _check_count(kernel: str, what: str, counted: str, have: int, expected: int) -> None:
    if have < expected:
        raise CompileError(
            kernel,
            f"the {what} has {have} {counted}, the kernel's IR expects {expected}; "
            f"LLVM removed the others, which points to undefined behaviour in the kernel "
            f"(a wrong block size, or memory that is read before it is written)",
        )
