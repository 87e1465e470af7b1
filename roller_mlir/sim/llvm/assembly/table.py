# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The statements and strings of inline assembly that the LLVM level knows; what is in no table is refused."""

import re

from roller_mlir.sim.llvm.assembly import hopper, statements
from roller_mlir.sim.llvm.assembly.statement import Rewrite
from roller_mlir.sim.llvm.calls import copies, matrix, matrix_memory, wgmma

STATEMENTS: dict[str, Rewrite] = {
    **statements.STATEMENTS,
    **copies.STATEMENTS,
    **matrix.STATEMENTS,
    **matrix_memory.STATEMENTS,
    **hopper.STATEMENTS,
    **wgmma.STATEMENTS,
}
"""By patterns of opcodes."""

STRINGS: dict[str, Rewrite] = hopper.STRINGS
"""By patterns of whole strings, on one line and without comments: those with labels."""

_STATEMENTS = {re.compile(pattern): rewrite for pattern, rewrite in STATEMENTS.items()}
_STRINGS = {re.compile(pattern): rewrite for pattern, rewrite in STRINGS.items()}


def find_statement(opcode: str) -> Rewrite | None:
    """Return what rewrites a statement, None where it is not known."""
    return next((rewrite for pattern, rewrite in _STATEMENTS.items() if pattern.fullmatch(opcode)), None)


def find_string(text: str) -> Rewrite | None:
    """Return what rewrites a whole string, None where it is not known."""
    return next((rewrite for pattern, rewrite in _STRINGS.items() if pattern.fullmatch(text)), None)
