# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What roller-opt does with one operation: prints it, checks that it survives a round trip, runs passes on it."""

import io
from typing import Any

from roller_mlir.support.bindings import ir, passmanager
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, collecting, diagnosed, place_of
from roller_mlir.tools.opt.command_line import Settings


def print_operation(operation: Any, settings: Settings) -> str:
    """Return an operation as text, as the flags say."""
    text = str(
        operation.get_asm(
            large_elements_limit=settings.mlir_elide_elementsattrs_if_larger,
            large_resource_limit=settings.mlir_elide_resource_strings_if_larger,
            print_generic_op_form=settings.mlir_print_op_generic,
            enable_debug_info=settings.mlir_print_debuginfo,
            use_local_scope=settings.mlir_print_local_scope,
            use_name_loc_as_prefix=settings.mlir_use_nameloc_as_prefix,
            assume_verified=settings.verify_each,
        )
    )
    return text.rstrip("\n") + "\n"


def check_roundtrip(operation: Any, context: "ir.Context") -> None:
    """Check that an operation is the same after printing and parsing, in both textual forms and as bytecode.

    Raises:
      DiagnosedError: It cannot be parsed again, or is another one.
    """
    buffer = io.BytesIO()
    operation.write_bytecode(buffer)
    wanted = operation.get_asm(print_generic_op_form=True)
    forms: dict[str, str | bytes] = {
        "custom text": operation.get_asm(),
        "generic text": wanted,
        "bytecode": buffer.getvalue(),
    }
    for name, form in forms.items():
        again, message = None, ""
        with collecting(context) as collector:
            try:
                again = ir.Module.parse(form, context).operation.get_asm(print_generic_op_form=True)
            except ir.MLIRError as error:
                said = "; ".join(one.message for one in diagnosed(collector, error).diagnostics)
                message = f"--verify-roundtrip: the {name} that was printed cannot be parsed: {said}"
        if again is not None and again != wanted:
            message = f"--verify-roundtrip: the module is another one after it was printed as {name} and parsed"
        if again != wanted:
            raise DiagnosedError([Diagnostic("error", message, place_of(operation.location))])


def run_operation(text: str, context: "ir.Context", settings: Settings) -> bytes:
    """Run upstream passes on the only operation of a text, without a module around it, and prints it.

    Raises:
      DiagnosedError: It is not one operation, the pipeline is not for it, or a pass fails.
    """
    with context, collecting(context) as collector:
        try:
            operation = ir.Operation.parse(text, context=context)
            if settings.pass_pipeline is not None:
                manager = passmanager.PassManager.parse(settings.pass_pipeline)
                manager.enable_verifier(settings.verify_each)
                manager.run(operation)
        except ir.MLIRError as error:
            raise diagnosed(collector, error) from None
        except ValueError as error:
            message = f"--no-implicit-module takes a pipeline of upstream passes: {' '.join(str(error).split())}"
            raise DiagnosedError([Diagnostic("error", message)]) from None
        return print_operation(operation, settings).encode()
