# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Typed values out of TOML tables: the keys are the fields of a record, the values have the fields' types.

Whatever is wrong is one `DeviceError` with the key.
"""

import dataclasses
import difflib
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path

from roller_mlir.hal.errors import DeviceError
from roller_mlir.support.foreign.bounded import MOST_TOML_BYTES, BoundsError, decode, read_bytes
from roller_mlir.support.foreign.bounded import read_toml as read_bounded

Table = Mapping[str, object]

IN_CYCLES = {"latency_cycles": "latency_s", "bandwidth_bytes_per_cycle_per_instance": "bandwidth_bytes_per_s"}
"""How a memory layer's fields may be spelled in cycles, which the device's clock turns into seconds."""

_UNITS = (
    "_bytes_per_s",
    "_bytes",
    "_hz",
    "_s",
    "_cycles",
    "_bytes_per_cycle_per_instance",
    "_per_cycle_per_unit",
    "_share",
)

_INTEGER_LIMIT = 2**63


def read_text(path: Path, what: str) -> str:
    """Return the text of a file, or raises a DeviceError that says that `what` cannot be read."""
    try:
        return decode(read_bytes(path, MOST_TOML_BYTES))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        reason = "it is not UTF-8 text" if "not UTF-8" in str(reason) else reason
        raise DeviceError(f"cannot read {what}: {reason}", file=str(path)) from error


def read_toml(text: str, what: str) -> dict[str, object]:
    """Return the table that the text is, or raises a DeviceError."""
    try:
        return read_bounded(text)
    except BoundsError as error:
        message = str(error)
        if message.startswith("nested"):
            message = f"is nested too deeply for {what}"
        raise DeviceError(message.replace("not TOML", "is not TOML", 1)) from error


def sub_table(parent: Table, key: str) -> Table:
    """Return the table of tables at a key, which must be there."""
    if key not in parent:
        raise DeviceError(f"must be given, as [{key}.NAME] tables", key=key)
    try:
        return as_table(parent[key])
    except DeviceError as error:
        raise error.within(key) from error


def as_table(value: object) -> Table:
    """Return a value that must be a table."""
    if not isinstance(value, dict):
        raise DeviceError(f"must be a table, but got {kind_of(value)}")
    return typing.cast("dict[str, object]", value)


def fields_of(record: type, table: Table, computed: Iterable[str] = ()) -> dict[str, object]:
    """Return a record's fields from a table: its keys are those of the record, its values have the fields' types.

    Args:
        record: The dataclass.
        table: From the file.
        computed: Fields that no file states.
    """
    hints = typing.get_type_hints(record)
    known = {field.name: field for field in dataclasses.fields(record) if field.name not in set(computed)}
    for key in table:
        if key not in known:
            raise unknown_key(key, known)
    values: dict[str, object] = {}
    for name, field in known.items():
        if name in table:
            values[name] = typed(name, table[name], hints[name])
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise DeviceError("must be given", key=name)
    return values


def unknown_key(key: str, known: Iterable[str], what: str = "a device description") -> DeviceError:
    """Return the error of a key that is none of the known, with the nearest of them."""
    known = [*known]
    if "latency_s" in known:
        known += IN_CYCLES
    for name in known:
        if name != key and any(name == key + unit for unit in _UNITS):
            return DeviceError(f"has no unit: write '{name}'", key=key)
    close = difflib.get_close_matches(key, known, n=1)
    nearest = f"; did you mean '{close[0]}'?" if close else ""
    return DeviceError(f"is not a key of {what}{nearest}", key=key)


def typed(key: str, value: object, hint: object) -> object:
    """Return a value as the type of its field, or raises a DeviceError."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(one for one in typing.get_args(hint) if one is not types.NoneType)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise DeviceError(f"must be a list, but got {kind_of(value)}", key=key)
        return tuple(typed(key, one, typing.get_args(hint)[0]) for one in typing.cast("list[object]", value))
    if hint is float:
        return number(key, value)
    if isinstance(value, bool) or not isinstance(value, typing.cast("type", hint)):
        wanted = {int: "an integer", str: "a string"}[typing.cast("type", hint)]
        raise DeviceError(f"must be {wanted}, but got {kind_of(value)}", key=key)
    if isinstance(value, int) and abs(value) >= _INTEGER_LIMIT:
        raise DeviceError("must fit into 64 bits", key=key)
    return value


def number(key: str, value: object) -> float:
    """Return a value that must be a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DeviceError(f"must be a number, but got {kind_of(value)}", key=key)
    if isinstance(value, int) and abs(value) >= _INTEGER_LIMIT:
        raise DeviceError("must fit into 64 bits", key=key)
    return float(value)


def kind_of(value: object) -> str:
    """Return a value's name in a message: "a table", "a list", or itself."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return f"'{value}'" if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
