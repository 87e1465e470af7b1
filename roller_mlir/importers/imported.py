# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an importer returns: linalg on tensors as text, and beside it the weights, which the text names only.

%w = arith.constant dense_resource<fc1.weight> : tensor<64x32xf32> loc("fc1.weight")
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from roller_mlir.foreign.printable import printable
from roller_mlir.support.bindings import ir
from roller_mlir.support.diagnostics import (
    DiagnosedError,
    Diagnostic,
    SourcePlace,
)
from roller_mlir.support.values import operations_inside

if TYPE_CHECKING:  # programs without weights are read without numpy
    import numpy as np


WEIGHT_BYTES = 1024
"""Constants of so many bytes are weights."""


@dataclass(frozen=True)
class Imported:
    """A model as linalg on tensors.

    Attributes:
        name: What diagnostics call it: its path, "-" where it came from memory.
        text: The module, with the places of the model as its locations.
        weights: The data of its resources, by name: the elements in row-major order, little-endian.
        given: The text that places with a line point into; "" where the model is no text.
    """

    name: str
    text: str
    weights: "Mapping[str, np.ndarray[Any, Any]]" = field(default_factory=dict[str, Any])
    given: str = ""


def refuse(name: str, message: str, where: str = "") -> NoReturn:
    """End an import with an error that names the file.

    Args:
        name: What diagnostics call the file.
        message: What is wrong; without `where` it goes on behind the file's name.
        where: What in the model is wrong, such as "input 'x'".

    Raises:
        DiagnosedError: Always.
    """
    if where:
        raise DiagnosedError([Diagnostic("error", message, SourcePlace(name, 0, 0, printable(where)))])
    raise DiagnosedError([Diagnostic("error", f"{repr(name) if name != '-' else 'the model'} {message}")])


def take_constants(module: "ir.Module") -> "dict[str, np.ndarray[Any, Any]]":
    """Make resources of the large constants of a module, in place, and return their data by the names of these."""
    from roller_mlir.support.elements import read_elements

    found: dict[str, np.ndarray[Any, Any]] = {}
    for operation in operations_inside(module.operation):
        value = operation.attributes["value"] if operation.name == "arith.constant" else None
        if not isinstance(value, ir.DenseElementsAttr) or value.is_splat:
            continue
        elements = read_elements(value)
        if elements.nbytes >= WEIGHT_BYTES:
            name = f"constant{len(found)}"
            found[name] = elements
            operation.attributes["value"] = ir.Attribute.parse(f"dense_resource<{name}> : {value.type}", module.context)
    return found


def text_with_places(module: "ir.Module") -> str:
    """Return a module as text with its locations, and without the data of its resources."""
    return module.operation.get_asm(enable_debug_info=True, large_resource_limit=0)
