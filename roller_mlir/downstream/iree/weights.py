# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weights on their way through IREE's compiler: in archives of parameters, which programs name, and never in text.

    %w = arith.constant dense_resource<fc1.weight> : tensor<64x32xf32>

is, in the program that IREE's compiler is given with an archive,

    util.global private @weight = #flow.parameter.named<"roller"::"weight"> : tensor<64x32xf32>
    %w = util.global.load @weight : tensor<64x32xf32>

and a constant again once the compiler has read the archive, which is before it evaluates constants. What it makes of
them leaves it as bytecode, and is parted again: into an archive, and a program that names it, which we take our share
of. IREE reads no archive at that phase; so the program becomes bytecode with the constants in it before it goes on.

IREE imports no parameters whose elements are packed (i1, i4) or complex. Constants of such stay in the text.
"""

from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from roller_mlir.downstream.iree.tools import IreeError
from roller_mlir.importers.imported import WEIGHT_BYTES
from roller_mlir.importers.irpa import read_archive, write_archive
from roller_mlir.importers.weights import attach_weights
from roller_mlir.support.bindings import ir
from roller_mlir.support.constants.elements import ElementsError, read_elements
from roller_mlir.support.constants.resources import resource_name
from roller_mlir.support.values import free_symbols, operations_inside

SCOPE = "model"
"""Of the parameters of a module whose weights are beside it."""
LEAST_BYTES = 256
"""Smaller constants stay in the module."""
_GIVEN_SCOPE = "roller"
_EVERY_SIZE = 1 << 62
_IMPORTED = frozenset(("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8"))
_GLOBAL, _LOAD = "util.global", "util.global.load"
_OUTLINED = "__constant_"


def take_weights(module: ir.Module, weights: Mapping[str, np.ndarray[Any, Any]], path: Path) -> tuple[str, ...]:
    """Put the large constants of a program into an archive.

    Args:
        module: As a front end gives it, in a context that allows dialects it does not know; its constants become loads
            of globals, in place.
        weights: Data of resources that it only names.
        path: The archive; it is not written where there is no such constant.

    Returns:
        Flags by which `iree-compile` makes constants of them again.
    """
    symbols = free_symbols(module, "weight")
    found: dict[str, np.ndarray[Any, Any]] = {}
    known: dict[str, str] = {}
    for operation in [one for one in operations_inside(module.operation) if one.name == "arith.constant"]:
        kind = operation.results[0].type
        if not isinstance(kind, ir.RankedTensorType) or not _is_large(kind):
            continue
        value: Any = operation.attributes["value"]
        if isinstance(value, ir.DenseElementsAttr) and value.is_splat:
            continue
        resource = resource_name(value)
        if resource is None or resource not in known:
            try:
                elements = read_elements(value, weights)
            except ElementsError:  # IREE says what is wrong with it
                continue
            symbol = next(symbols)
            found[symbol] = elements
            known |= {} if resource is None else {resource: symbol}
            attribute = f'#flow.parameter.named<"{_GIVEN_SCOPE}"::"{symbol}"> : {kind}'
            _insert(
                ir.InsertionPoint.at_block_begin(module.body),
                f'"{_GLOBAL}"() <{{initial_value = {attribute}, sym_name = "{symbol}", sym_visibility = "private", '
                f"type = {kind}}}> : () -> ()",
            )
        symbol = next(reversed(found)) if resource is None else known[resource]
        load = _insert(
            ir.InsertionPoint(operation), f'%0 = "{_LOAD}"() <{{global = @{symbol}, is_immutable}}> : () -> {kind}'
        )
        load.location = operation.location
        operation.results[0].replace_all_uses_with(load.results[0])
        operation.erase()
    attach_weights(module, weights)  # what is left: of elements that IREE does not import
    if not found:
        return ()
    write_archive(path, found)
    return (f"--iree-parameter-import={_GIVEN_SCOPE}={path}", f"--iree-parameter-import-maximum-size={_EVERY_SIZE}")


def export_pipeline(path: Path, *, outline: bool) -> str:
    """Return the pipeline that parts a program from its constants.

    Args:
        path: The archive, in the folder where the pipeline runs, as the name of a folder may mean something else in
            an option; it is not written where there is no constant of `LEAST_BYTES` and more.
        outline: Whether the constants are in functions yet, and not globals.
    """
    passes = ["iree-flow-outline-constants"] if outline else []
    passes.append(f"iree-io-export-parameters{{path={SCOPE}={path.name} minimum-size={LEAST_BYTES}}}")
    return f"builtin.module({','.join(passes)})"


def import_pipeline(path: Path) -> str:
    """Return the pipeline that brings the constants of an archive into a program that names them.

    Args:
        path: The archive, in the folder where the pipeline runs.
    """
    return f"builtin.module(iree-io-import-parameters{{paths={SCOPE}={path.name} maximum-size={_EVERY_SIZE}}})"


def restore_small(module: ir.Module) -> None:
    """Make constants again, in place, of what the pipeline of `export_pipeline` has made globals and not exported."""
    small: dict[str, ir.Operation] = {}
    for one, _ in _globals(module):
        name = ir.StringAttr(one.attributes["sym_name"]).value
        if name.startswith(_OUTLINED) and isinstance(one.attributes["initial_value"], ir.DenseElementsAttr):
            small[name] = one
    for load in [one for one in operations_inside(module.operation) if one.name == _LOAD]:
        name = ir.FlatSymbolRefAttr(load.attributes["global"]).value
        if name in small:
            result = load.results[0]
            value = {"value": small[name].attributes["initial_value"]}
            made = ir.Operation.create(
                "arith.constant", results=[result.type], attributes=value, loc=load.location, ip=ir.InsertionPoint(load)
            )
            result.replace_all_uses_with(made.result)
            load.erase()
    for one in small.values():
        one.erase()


def restore_packed(module: ir.Module, path: Path) -> None:
    """Bring constants that IREE does not import from an archive into a program as text, in place.

    Raises:
        IreeError: The elements of one are of a type of which it is not known how they lie in archives.
    """
    head = f'#flow.parameter.named<"{SCOPE}"::"'
    values = [(one, kind, str(one.attributes["initial_value"])) for one, kind in _globals(module)]
    values = [one for one in values if one[2].startswith(head) and not _is_imported(one[1])]
    labels = [value.removeprefix(head).partition('">')[0] for _, _, value in values]
    archive = read_archive(path, frozenset(labels))
    for (one, kind, value), label in zip(values, labels, strict=True):
        data = _dense_bytes(archive[label], str(kind.element_type))
        # The bindings have no attribute for all of these: the operation is made again of its text.
        text = one.get_asm(print_generic_op_form=True).replace(value, f'dense<"0x{data.hex()}"> : {kind}')
        _insert(ir.InsertionPoint(one), text)
        one.erase()


def _globals(module: ir.Module) -> list[tuple[ir.Operation, ir.RankedTensorType]]:
    """Return the globals of a program that are tensors and begin with a value."""
    found = [op.operation for op in module.body.operations if op.operation.name == _GLOBAL]
    kinds = [(one, ir.TypeAttr(one.attributes["type"]).value) for one in found if "initial_value" in one.attributes]
    return [(one, kind) for one, kind in kinds if isinstance(kind, ir.RankedTensorType)]


def _dense_bytes(stored: np.ndarray[Any, Any], element: str) -> bytes:
    """Return elements as MLIR's text has them: a byte each of i4, of which archives have two in a byte."""
    if element == "i4":
        return np.stack((stored & 15, stored >> 4), axis=-1).tobytes()
    if element == "i1" or element.startswith("complex<"):
        return stored.tobytes()
    raise IreeError(f"IREE cannot keep a constant of {element} in the module between its phases; use --weights")


def _is_imported(kind: ir.RankedTensorType) -> bool:
    element = str(kind.element_type)
    return element in _IMPORTED or element.startswith("f8")


def _is_large(kind: ir.RankedTensorType) -> bool:
    """Return whether a constant of a type is a weight that IREE imports."""
    element = str(kind.element_type)
    if element not in _IMPORTED:
        return False
    return prod(kind.shape) * int(element.lstrip("bfi")) // 8 >= WEIGHT_BYTES


def _insert(point: ir.InsertionPoint, text: str) -> ir.Operation:
    """Insert an operation that is given as text of its own."""
    holder = ir.Module.parse(text)
    (made,) = holder.body.operations
    return made.operation.clone(point).operation
