# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Verification of modules that hold many equal programs, as an unrolled network does.

The checks of our dialect, which are in Python, look at one of the programs that are equal but for their names; those of
MLIR look at all of them.
"""

from roller_mlir.dialects.rtile_checks import checked
from roller_mlir.linalg.rewrite.equal_programs import program_text
from roller_mlir.loops.program import programs_of
from roller_mlir.support.bindings import ir


def verify_module(module: ir.Module) -> None:
    """Verify a module.

    Raises:
        MLIRError: It is not valid.
    """
    programs = programs_of(module)
    distinct = {program_text(program): program for program in reversed(programs)}
    if len(distinct) == len(programs):
        module.operation.verify()
        return
    for program in distinct.values():
        program.operation.verify()
    with checked(module.context):
        module.operation.verify()
