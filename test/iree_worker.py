# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a worker process does that compiles programs with IREE for this processor and calls them."""

from collections.abc import Sequence

from roller_mlir.evaluation.fuzz.oracle.iree_cpu import FunctionCall, compile_program, run_program
from roller_mlir.evaluation.reference.values import Array


def compile_and_run(work: tuple[str, Sequence[FunctionCall]]) -> list[list[Array]]:
    """Compile MLIR text and call functions of it: both in one job.

    Raises:
        RefusedError: IREE refuses the program.
    """
    text, calls = work
    return run_program(compile_program(text), calls)
