# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Brings the text of a module to linalg on tensors in a child process, because passes of other projects may crash.

Run as a module it is the child: its arguments are what the text is, and the passes; the text is on the standard input,
and on the standard output comes the lowered text, or, with exit code 3, what is wrong, as JSON.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from signal import Signals
from typing import Any

from roller_mlir.importers.imported import refuse
from roller_mlir.importers.stablehlo_operations import replace_operations
from roller_mlir.importers.tm_tensor import replace_tm_tensor
from roller_mlir.importers.tosa_extremes import erase_marks, mark_given, start_at_infinities
from roller_mlir.support.bindings import ir, make_import_context, passmanager
from roller_mlir.support.diagnostics import (
    DiagnosedError,
    Diagnostic,
    SourcePlace,
    collecting,
    diagnosed,
    in_file,
    parse_module,
    place_of,
)
from roller_mlir.support.foreign.bounded import read_json
from roller_mlir.support.values import operations_inside

# What stands among pipelines and is no pass.
_REWRITINGS = {
    "replace operations": replace_operations,
    "replace tm_tensor": replace_tm_tensor,
    "mark what is given": mark_given,
    "start at infinities": start_at_infinities,
    "erase marks": erase_marks,
}

_TIMEOUT_S = 600.0
_REFUSED = 3

# What may be left of a model; what the compiler does not take of these dialects it refuses itself.
_KNOWN = frozenset(
    ("affine", "arith", "builtin", "cf", "complex", "func", "linalg", "math", "ml_program", "scf", "tensor", "ub")
)


def lower(text: str, name: str, what: str, pipelines: Sequence[str], explain: Callable[[str], str]) -> str:
    """Bring a module to linalg on tensors.

    Args:
        text: The module, with locations where it has any that matter.
        name: What diagnostics call it.
        what: What the module holds, such as "ONNX".
        pipelines: The passes, in parts, and names of rewritings between them; behind the first part no operator of ONNX
            may be left.
        explain: Makes the message of a pass that refuses an operation one for the user.

    Returns:
        The lowered module, with its locations.

    Raises:
        DiagnosedError: The text is not valid; a pass refuses an operation, or leaves one that is no linalg; or a pass
            crashes. Of several errors of a pass the first is told, as the others follow from it.
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", __name__, what, *pipelines],
            input=text.encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired:
        refuse(name, f"was not brought from {what} to linalg in {_TIMEOUT_S:g} s")
    if child.returncode < 0:
        refuse(name, f"cannot be imported: {Signals(-child.returncode).name} ended the passes that lower {what}")
    if not child.returncode:
        return child.stdout.decode()
    if child.returncode != _REFUSED:
        raise RuntimeError(f"the import of {what} failed: {child.stderr.decode(errors='replace').strip()}")
    answer = read_json(child.stdout)
    found = [in_file(_diagnostic(one), name) for one in answer["diagnostics"]]
    if answer["is_pass"]:
        found = [Diagnostic("error", explain(found[0].message), found[0].place)]
    raise DiagnosedError(found)


def _diagnostic(record: dict[str, Any]) -> Diagnostic:
    place = record["place"] and SourcePlace(**record["place"])
    return Diagnostic(record["severity"], record["message"], place, tuple(map(_diagnostic, record["notes"])))


def _placed(error: Diagnostic, module: "ir.Module") -> Diagnostic:
    """Return an error with a place: of a constant, which has none, that of the first operation that is left with it."""
    if error.place is not None or "'torch.constant." not in error.message:
        return error
    for operation in operations_inside(module.operation):
        place = place_of(operation.location)
        if operation.name.startswith("torch.aten.") and place is not None:
            return Diagnostic("error", f"failed to legalize operation '{operation.name}'", place)
    return error


def _place_of_use(operation: Any) -> SourcePlace | None:
    """Return the place of an operation; of what passes made and moved without one, that of its first use with one."""
    place = place_of(operation.location)
    if place is not None:
        return place
    places = (place_of(use.owner.location) for result in operation.results for use in result.uses)
    return next((one for one in places if one is not None), None)


def _answer(text: str, what: str, *pipelines: str) -> str | dict[str, Any]:
    context = make_import_context()
    try:
        module = parse_module(text, context)
    except DiagnosedError as error:
        return {"is_pass": False, "diagnostics": [asdict(one) for one in error.diagnostics]}
    with context, collecting(context) as collector:
        for pipeline in pipelines:
            if pipeline in _REWRITINGS:
                try:
                    _REWRITINGS[pipeline](module)
                except DiagnosedError as error:
                    return {"is_pass": False, "diagnostics": [asdict(one) for one in error.diagnostics]}
                continue
            try:
                passmanager.PassManager.parse(pipeline).run(module.operation)
            except ir.MLIRError as error:
                found = [one for one in diagnosed(collector, error).diagnostics if one.severity == "error"]
                return {"is_pass": True, "diagnostics": [asdict(_placed(found[0], module))]}
            for operation in operations_inside(module.operation):
                if operation.name == "torch.operator":  # else later passes complain about its operands
                    message = f"failed to legalize operation 'torch.operator': {operation.attributes['name']}"
                    left = Diagnostic("error", message, place_of(operation.location))
                    return {"is_pass": True, "diagnostics": [asdict(left)]}
    for operation in operations_inside(module.operation):
        if operation.name.split(".")[0] not in _KNOWN:
            message = f"what {what} says here becomes '{operation.name}', which is no linalg on tensors"
            unknown = Diagnostic("error", message, _place_of_use(operation))
            return {"is_pass": False, "diagnostics": [asdict(unknown)]}
    return module.operation.get_asm(enable_debug_info=True)


def _main() -> int:
    answer = _answer(sys.stdin.buffer.read().decode(), *sys.argv[1:])
    sys.stdout.buffer.write((answer if isinstance(answer, str) else json.dumps(answer)).encode())
    return 0 if isinstance(answer, str) else _REFUSED


if __name__ == "__main__":
    sys.exit(_main())
