# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model asserts of its inputs, which no kernel checks."""

from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import place_of
from roller_mlir.support.values import operations_inside


def erase_asserts(module: ir.Module) -> list[str]:
    """Erase the asserts of a module, in place; return a note for each, with its place."""
    notes: list[str] = []
    for one in operations_inside(module.operation):
        if one.name == "cf.assert":
            place = place_of(one.location)
            notes.append(f"an assert is left out{f' at {place.name or place}' if place else ''}")
            one.erase()
    return notes
