# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function of linalg ops, compiled by IREE for this processor and run: arrays in, arrays out.

IREE shares no code with the reference, and with the compiler only upstream's MLIR. It may die of a program: call it in
a process that may.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import iree.compiler.api as compiler
import iree.runtime as runtime
import ml_dtypes
import numpy as np

from roller_mlir.evaluation.reference.values import Array
from roller_mlir.support.passes.upstream import captured_stderr

# Sums stay in their order, and types as they are. A sum of f16 may be one of f32 that is rounded at the end.
FLAGS = (
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=generic",
    "--iree-llvmcpu-reassociate-fp-reductions=false",
    "--iree-llvmcpu-skip-intermediate-roundings=true",
    "--iree-input-demote-f64-to-f32=false",
    "--iree-input-demote-i64-to-i32=false",
)


@dataclass(frozen=True)
class FunctionCall:
    """A function and what it is called with.

    Attributes:
        function: Its name.
        inputs: One array an argument, bf16 as its bits.
        types: Element types of the arguments, as MLIR spells them.
    """

    function: str
    inputs: tuple[Array, ...]
    types: tuple[str, ...]


class RefusedError(Exception):
    """IREE does not compile the program; the text is its first error."""


def compile_program(text: str) -> bytes:
    """Compile MLIR text to a module of IREE's virtual machine.

    Raises:
        RefusedError: IREE refuses it.
    """
    with compiler.Session() as session:
        session.set_flags(*FLAGS)
        # What __enter__ of these returns is typed wrongly.
        invocation, source = session.invocation(), compiler.Source.wrap_buffer(session, text.encode() + b"\0")
        with captured_stderr() as errors, invocation, source:
            invocation.enable_console_diagnostics()
            if invocation.parse_source(source) and invocation.execute():
                output = compiler.Output.open_membuffer()
                with output:
                    invocation.output_vm_bytecode(output)
                    return bytes(output.map_memory())
    lines = [line for line in "".join(errors).splitlines() if "error:" in line]
    raise RefusedError(lines[0].split("error:")[1].strip() if lines else "it gives no reason")


def run_program(program: bytes, calls: Sequence[FunctionCall]) -> list[list[Array]]:
    """Call functions of a compiled program.

    Returns:
        For each call one array a result, bf16 as its bits.
    """
    context = runtime.SystemContext(config=runtime.Config("local-sync"))
    context.add_vm_module(runtime.VmModule.copy_buffer(context.instance, program))
    functions: Any = context.modules.module
    return [_results(functions[call.function](*map(_given, call.inputs, call.types))) for call in calls]


def _given(array: Array, element_type: str) -> Array:
    return array.view(ml_dtypes.bfloat16) if element_type == "bf16" else array


def _results(returned: Any) -> list[Array]:
    results = returned if isinstance(returned, list | tuple) else [returned]
    return [_as_bits(np.array(result.to_host())) for result in results]


def _as_bits(array: Array) -> Array:
    return array.view(np.uint16) if array.dtype == ml_dtypes.bfloat16 else array
