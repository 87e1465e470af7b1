# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The elements of a constant tensor as a numpy array: of every element type, `dense` and `dense_resource` alike."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

from roller_mlir.support.bindings import arith, func, ir, passmanager
from roller_mlir.support.constants.array_bytes import stored_bytes
from roller_mlir.support.constants.resources import ResourceError, read_resource, resource_name

# bf16, which numpy has not, is its 16 bits.
_TYPES = {"f64": "f8", "f32": "f4", "f16": "f2", "bf16": "u2", "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1"}


_known: ContextVar[Mapping[str, np.ndarray[Any, Any]]] = ContextVar("known", default={})  # noqa: B039 - never changed


@contextmanager
def knowing_weights(weights: Mapping[str, np.ndarray[Any, Any]]) -> Generator[None]:
    """Let constants of weights be read inside, whose data the module names only."""
    before = _known.set(weights)
    try:
        yield
    finally:
        _known.reset(before)


def is_known_weight(name: str) -> bool:
    """Return whether `knowing_weights` has a weight."""
    return name in _known.get()


class ElementsError(Exception):
    """A constant cannot be read; the text is the part of a sentence behind "constant"."""


def read_elements(attribute: Any, weights: Mapping[str, np.ndarray[Any, Any]] | None = None) -> np.ndarray[Any, Any]:
    """Return the elements of a constant in its shape; bf16 as its 16 bits (uint16), i1 as bool.

    Args:
        attribute: The constant.
        weights: The data of resources that the module only names; it is not copied. None: those of `knowing_weights`.

    Raises:
        ElementsError: The attribute is neither dense nor a resource of the type's size.
    """
    shape, element = tuple(attribute.type.shape), str(attribute.type.element_type)
    if not is_readable(element):
        raise ElementsError(f"has element type {element}, which cannot be read")
    name = resource_name(attribute)
    if name is not None:
        return _read_resource(attribute, name, element, _known.get() if weights is None else weights).reshape(shape)
    if not isinstance(attribute, ir.DenseElementsAttr):
        raise ElementsError("is neither dense nor dense_resource")
    if attribute.is_splat:
        return np.broadcast_to(_read_dense(_first(attribute), element), shape)
    return _read_dense(attribute, element).reshape(shape)


def is_readable(element: str) -> bool:
    """Return whether constants of an element type, as MLIR spells it, can be read."""
    return element == "i1" or element in _TYPES


def is_finite(attribute: Any) -> bool:
    """Return whether all elements of a constant of f32 or f64 are known and finite; of other types it is not asked."""
    if str(attribute.type.element_type) not in ("f32", "f64"):
        return False
    try:
        return bool(np.isfinite(read_elements(attribute)).all())
    except ElementsError:
        return False


def _first(attribute: Any) -> Any:
    """Return a splat of one element."""
    with attribute.context, ir.Location.unknown():
        kind = ir.RankedTensorType.get([], attribute.type.element_type)
        return ir.DenseElementsAttr.get_splat(kind, attribute.get_splat_value())


def _read_dense(attribute: Any, element: str) -> np.ndarray[Any, Any]:
    return np.array(_bits(attribute)).view(np.uint16) if element == "bf16" else np.array(attribute)


def _bits(attribute: Any) -> Any:
    """Return a constant of bf16, whose elements the bindings cannot read, as one of i16: upstream folds the cast."""
    kind = attribute.type
    with attribute.context, ir.Location.unknown():
        result = ir.RankedTensorType.get(kind.shape, ir.IntegerType.get_signless(16))
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            function = func.FuncOp("constant", ([], [result]))
        with ir.InsertionPoint(function.add_entry_block()):
            func.ReturnOp([arith.bitcast(result, arith.constant(kind, attribute))])
        passmanager.PassManager.parse("builtin.module(canonicalize)").run(module.operation)
        return function.entry_block.operations[0].attributes["value"]


def _read_resource(
    attribute: Any, name: str, element: str, weights: Mapping[str, np.ndarray[Any, Any]]
) -> np.ndarray[Any, Any]:
    try:
        data = stored_bytes(weights[name]) if name in weights else np.frombuffer(read_resource(attribute), np.uint8)
    except ResourceError as error:
        raise ElementsError(f"'dense_resource<{name}>' {error}") from None
    count = int(np.prod(attribute.type.shape, dtype=np.int64))
    elements = stored_elements(data, element, count)
    if elements is None:
        needed = count * (1 if element == "i1" else np.dtype(_TYPES[element]).itemsize)
        raise ElementsError(
            f"'dense_resource<{name}>' has {len(data)} B of data, but {attribute.type} needs {needed} B"
        )
    return elements


def stored_elements(data: np.ndarray[Any, Any], element: str, count: int) -> np.ndarray[Any, Any] | None:
    """Return elements that are stored in bytes, of i1 one byte each, or one bit each as torch packs them.

    Returns:
        They in a row, without a copy but of i1; None where the bytes are not those of so many.
    """
    if element == "i1" and len(data) == count:
        return data != 0
    if element == "i1" and len(data) == -(-count // 8):
        return np.unpackbits(data, count=count, bitorder="little").astype(np.bool_)
    if element == "i1" or len(data) != count * np.dtype(_TYPES[element]).itemsize:
        return None
    return np.frombuffer(data, np.dtype("<" + _TYPES[element]))
