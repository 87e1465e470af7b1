# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an importer returns: linalg on tensors as text, and beside it the weights, which the text names only.

%w = arith.constant dense_resource<fc1.weight> : tensor<64x32xf32> loc("fc1.weight")
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

from roller_mlir.support.bindings import arith, func, ir
from roller_mlir.support.diagnostics import DiagnosedError, Diagnostic, SourcePlace
from roller_mlir.support.foreign.printable import printable
from roller_mlir.support.values import operations_inside

if TYPE_CHECKING:  # programs without weights are read without numpy
    import numpy as np


WEIGHT_BYTES = 1024
"""Constants of so many bytes are weights."""

_PLAIN_NAME = re.compile(r"(?!weight\d+_)[A-Za-z_][\w.]*", re.ASCII)


@dataclass(frozen=True)
class Imported:
    """A model as linalg on tensors.

    Attributes:
        name: What diagnostics call it: its path, "-" where it came from memory.
        text: The module, with the places of the model as its locations.
        weights: The data of its resources, by name: the elements in row-major order, little-endian.
        given: The text that places with a line point into; "" where the model is no text.
        state: What the buffers that the model changes hold at first, by name: its last arguments, in order.
    """

    name: str
    text: str
    weights: "Mapping[str, np.ndarray[Any, Any]]" = field(default_factory=dict[str, Any])
    given: str = ""
    state: "Mapping[str, np.ndarray[Any, Any]]" = field(default_factory=dict[str, Any])


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
    """Make resources of the large constants of a module, in place, and return their data by the names of these.

    Those of types that cannot be read, such as complex ones, stay: the compiler refuses them at their places.
    """
    from roller_mlir.support.constants.elements import is_readable, read_elements

    found: dict[str, np.ndarray[Any, Any]] = {}
    for operation in operations_inside(module.operation):
        if operation.name != "arith.constant" or not is_readable(_element(operation.results[0].type)):
            continue
        value = operation.attributes["value"]
        if not isinstance(value, ir.DenseElementsAttr) or value.is_splat:
            continue
        elements = read_elements(value)
        if elements.nbytes >= WEIGHT_BYTES:
            name = f"constant{len(found)}"
            found[name] = elements
            operation.attributes["value"] = ir.Attribute.parse(f"dense_resource<{name}> : {value.type}", module.context)
    return found


def _element(kind: "ir.Type") -> str:
    """Return the element type of a tensor; "" of what is none."""
    return str(kind.element_type) if isinstance(kind, ir.RankedTensorType) else ""


def make_weights(
    module: "ir.Module", weights: "Mapping[int, tuple[str, np.ndarray[Any, Any]]]"
) -> "dict[str, np.ndarray[Any, Any]]":
    """Make constants that name resources of arguments of the only function, and return their data by these names.

    Args:
        module: The model, lowered with its weights as arguments.
        weights: Name and data of each weight, by the number of its argument; equal names are one weight.
    """
    (function,) = (one for one in module.body.operations if isinstance(one, func.FuncOp))
    block = function.entry_block
    names = dict.fromkeys(name for name, _ in weights.values())
    resources = {name: name_resource(name, number) for number, name in enumerate(names)}
    with module.context:
        for index, (name, _) in sorted(weights.items(), reverse=True):
            argument, resource = block.arguments[index], resources[name]
            value = ir.Attribute.parse(f"dense_resource<{resource}> : {argument.type}")
            place = ir.Location.name(name)
            at = ir.InsertionPoint.at_block_begin(block)
            constant_op: Any = arith.ConstantOp  # the stub takes numbers alone
            constant = constant_op(argument.type, value, loc=place, ip=at)
            argument.replace_all_uses_with(constant.result)
            block.erase_argument(index)
        kept = ir.FunctionType.get([one.type for one in block.arguments], function.type.results)
        function.attributes["function_type"] = ir.TypeAttr.get(kept)
    return {resources[name]: data for name, data in weights.values()}


def name_resource(name: str, number: int) -> str:
    """Return a name that MLIR takes: the weight's own, or one with its number, which no other weight has."""
    plain = re.sub(r"[^\w.]", "_", name, flags=re.ASCII)
    return name if _PLAIN_NAME.fullmatch(name) else f"weight{number}_{plain}"


def text_with_places(module: "ir.Module") -> str:
    """Return a module as text with its locations, and without the data of its resources."""
    return module.operation.get_asm(enable_debug_info=True, large_resource_limit=0)
