# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dictionary attributes: conversion from and to plain Python data and records, and what their entries share."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, cast

from roller_mlir.dialects.rtile.checks import InvalidOpError, require
from roller_mlir.plan.extent import Extent
from roller_mlir.plan.records.codec import CodecError, from_json, is_seldom
from roller_mlir.support.bindings import ir

T = TypeVar("T")

_SCALARS = {ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr, ir.StringAttr}

_records: dict[tuple[Any, ...], Any] = {}
"""Records by what they were read from; they are frozen, so that one can be handed out many times."""

_MOST_RECORDS = 4096


def to_attribute(data: Any) -> Any:
    """Return plain data or a record as a builtin attribute.

    What is None is left out of dictionaries, and out of records whose field may be absent; elsewhere it is `unit`.

    Raises:
        ValueError: The data holds something else than booleans, numbers, strings, sequences, dictionaries and records.
    """
    if data is None:
        return ir.UnitAttr.get()
    if isinstance(data, Extent):
        return to_attribute(data.static)
    if isinstance(data, bool):
        return ir.BoolAttr.get(data)
    if isinstance(data, int):
        return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), data)
    if isinstance(data, float):
        return ir.FloatAttr.get(ir.F64Type.get(), data)
    if isinstance(data, str):
        return ir.StringAttr.get(data)
    if isinstance(data, Mapping):
        items = cast(Mapping[str, Any], data).items()
        return ir.DictAttr.get({key: to_attribute(item) for key, item in items if item is not None})
    if isinstance(data, Sequence):
        elements = cast(Sequence[Any], data)
        return ir.ArrayAttr.get([to_attribute(element) for element in elements])
    if is_dataclass(data):
        return ir.DictAttr.get({name: to_attribute(value) for name, value in spelled(data).items()})
    raise ValueError(f"attributes hold booleans, numbers, strings, sequences and dictionaries, but got {data!r}")


def spelled(record: Any) -> dict[str, Any]:
    """Return the fields of a record that its attribute has, with their values."""
    return {field.name: getattr(record, field.name) for field in fields(record) if not _is_left_out(record, field)}


def _is_left_out(record: Any, field: Field[Any]) -> bool:
    """Return whether a record's field is not spelled."""
    value = getattr(record, field.name)
    return field.default is not MISSING and (value is None or (is_seldom(field) and value == field.default))


def from_attribute(attribute: Any) -> Any:
    """Return a builtin attribute as plain data (lists and dictionaries).

    Raises:
        ValueError: The attribute is of a kind that `to_attribute` does not make.
    """
    kind: Any = type(attribute)
    if kind in _SCALARS:
        return attribute.value
    if kind is ir.DictAttr:
        return {entry.name: from_attribute(entry.attr) for entry in attribute}
    if kind is ir.ArrayAttr:
        return [from_attribute(element) for element in attribute]
    if kind is ir.UnitAttr:
        return None
    raise ValueError(f"expected a boolean, number, string, array or dictionary attribute, but got {attribute}")


def read_record(kind: type[T], attribute: Any, what: str, given: Mapping[str, Any] | None = None) -> T:
    """Read a dictionary attribute as a record; its declaration says which entries there may be, and what they hold.

    Args:
        kind: The record.
        attribute: The dictionary attribute.
        what: How messages call it, such as "layout".
        given: Fields that the attribute has not, with their values.

    Raises:
        InvalidOpError: An entry does not fit; the message names it, as in `plan.axes[0].block`.
    """
    # Equal attributes are many, in the programs of a whole model; printing one is quicker than reading it.
    key = (kind, what, str(attribute), tuple(given.items()) if given else ())
    known = _records.get(key)
    if known is not None:
        return known
    try:
        data = from_attribute(attribute.maybe_downcast())
    except ValueError as error:
        raise InvalidOpError(f"{what} cannot be read: {error}") from error
    try:
        record = from_json(kind, data, what, given)
    except CodecError as error:
        raise InvalidOpError(str(error)) from error
    if len(_records) >= _MOST_RECORDS:
        _records.clear()
    _records[key] = record
    return record


def check_permutation(values: Sequence[int], count: int, what: str) -> None:
    """Check that `values` holds 0 .. count - 1, each once."""
    require(
        sorted(values) == list(range(count)), f"{what} must hold each of {count} dimensions once, but is {list(values)}"
    )


def check_axis(what: str, block: int, threads: int, chunk: int) -> None:
    """Check that threads of chunks cover a block evenly."""
    require(
        block % (threads * chunk) == 0,
        f"{what}: box of {block} must be a multiple of {threads} threads x {chunk} elements = {threads * chunk}",
    )


def check_tile(what: str, block: int, threads: int, chunk: int, lanes: int, tile: int) -> None:
    """Check that the tile of a matrix instruction holds whole chunks of its lanes, and the block whole tiles."""
    require(
        tile > 0 and tile % (lanes * chunk) == 0 and threads % lanes == 0 and block % (threads // lanes * tile) == 0,
        f"{what}: tile of {tile} must be a multiple of {lanes} lanes x {chunk} elements, {threads} threads one of the "
        f"lanes, and box of {block} one of the subgroups' tiles",
    )


def check_thread_order(order: Sequence[int], threads: Sequence[int], what: str) -> None:
    """Check that `order` names the loops with more than one thread, each once."""
    wanted = [loop for loop, count in enumerate(threads) if count > 1]
    require(
        sorted(order) == wanted,
        f"{what} must name the loops with more than 1 thread once each, {wanted}, but is {list(order)}",
    )
