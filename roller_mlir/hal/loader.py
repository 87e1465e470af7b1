# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a device description: one TOML file, whose keys are the fields of `spec`, into a checked `Device`.

    name = "h200"                        # the fields of Device
    clock_hz = 1.98e9
    [layers.workgroup]                   # one table for each MemoryLayer, from the registers outwards
    latency_cycles = 29
    [[instructions]]                     # one table for each Instruction

Where a source states cycles, the file may say so, and the loader turns them into seconds with the device's `clock_hz`:
`latency_cycles` for `latency_s`, `bandwidth_bytes_per_cycle_per_instance` for `bandwidth_bytes_per_s`.
A layer without `instances` has one; `instances = "units"` gives it one per unit.
Whatever is wrong is one `DeviceError` with the file and the key. The file is data: nothing in it is executed.
"""

from __future__ import annotations

import dataclasses
import difflib
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path

from roller_mlir.hal.checks import check_clock, require_positive
from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.spec import Device, Instruction, MemoryLayer

Table = Mapping[str, object]

_UNITS = ("_bytes_per_s", "_bytes", "_hz", "_s", "_cycles", "_bytes_per_cycle_per_instance", "_per_cycle_per_unit")
_INTEGER_LIMIT = 2**63
_IN_CYCLES = {"latency_cycles": "latency_s", "bandwidth_bytes_per_cycle_per_instance": "bandwidth_bytes_per_s"}


def load_device(path: Path) -> Device:
    """Reads the device that a TOML file describes.

    Raises:
        DeviceError: the file cannot be read, or what it says is incomplete or impossible.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise DeviceError(f"cannot read the device description: {reason}", file=str(path)) from error
    return parse_device(text, file=str(path))


def parse_device(text: str, *, file: str) -> Device:
    """Reads the device that the text of a TOML file describes; `file` is for errors."""
    try:
        return _device(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise DeviceError(f"is not TOML: {error}", file=file) from error
    except RecursionError as error:
        raise DeviceError("is nested too deeply for a device description", file=file) from error
    except DeviceError as error:
        raise error.in_file(file) from error


def _device(table: Table) -> Device:
    scalars = {key: value for key, value in table.items() if key not in ("layers", "instructions")}
    fields = _fields(Device, scalars, computed=("layers", "instructions"))
    clock_hz, units = fields["clock_hz"], fields["units"]
    assert isinstance(clock_hz, float) and isinstance(units, int)
    check_clock(clock_hz)  # the layers are computed with these two
    require_positive({"units": units})
    layers: list[MemoryLayer] = []
    for name, layer in _table(table, "layers").items():
        try:
            layers.append(_layer(name, layer, clock_hz, units))
        except DeviceError as error:
            raise error.within(f"layers.{name}") from error
    entries = table.get("instructions")
    if not isinstance(entries, list):
        raise DeviceError("must be given, as [[instructions]] tables", key="instructions")
    instructions: list[Instruction] = []
    for position, entry in enumerate(typing.cast("list[object]", entries)):
        try:
            values = typing.cast("dict[str, typing.Any]", _fields(Instruction, _as_table(entry)))
            instructions.append(Instruction(**values))
        except DeviceError as error:
            raise error.within(f"instructions[{position}]") from error
    made = {**fields, "layers": tuple(layers), "instructions": tuple(instructions)}
    return Device(**typing.cast("dict[str, typing.Any]", made))


def _layer(name: str, value: object, clock_hz: float, units: int) -> MemoryLayer:
    table = dict(_as_table(value))
    given = table.get("instances", 1)
    instances = units if given == "units" else typing.cast("int", _value("instances", given, int))
    table["instances"] = instances
    factors = {"latency_cycles": 1 / clock_hz, "bandwidth_bytes_per_cycle_per_instance": clock_hz * instances}
    spelled: dict[str, str] = {}
    for cycles, seconds in _IN_CYCLES.items():
        if cycles in table:
            if seconds in table:
                raise DeviceError(f"must not be given beside '{seconds}', which it becomes", key=cycles)
            table[seconds] = _number(cycles, table.pop(cycles)) * factors[cycles]
            spelled[seconds] = cycles
    try:
        fields = _fields(MemoryLayer, table, computed=("name",))
        return MemoryLayer(**typing.cast("dict[str, typing.Any]", {**fields, "name": name}))
    except DeviceError as error:
        raise DeviceError(error.reason, key=spelled.get(error.key or "", error.key)) from error


def _table(parent: Table, key: str) -> Table:
    if key not in parent:
        raise DeviceError(f"must be given, as [{key}.NAME] tables", key=key)
    try:
        return _as_table(parent[key])
    except DeviceError as error:
        raise error.within(key) from error


def _as_table(value: object) -> Table:
    if not isinstance(value, dict):
        raise DeviceError(f"must be a table, but got {_kind(value)}")
    return typing.cast("dict[str, object]", value)


def _fields(record: type, table: Table, computed: tuple[str, ...] = ()) -> dict[str, object]:
    """Gives a record's fields from a table: its keys are those of the record, its values have the fields' types."""
    hints = typing.get_type_hints(record)
    known = {field.name: field for field in dataclasses.fields(record) if field.name not in computed}
    for key in table:
        if key not in known:
            raise DeviceError(_unknown_key(key, [*known, *(_IN_CYCLES if record is MemoryLayer else ())]), key=key)
    values: dict[str, object] = {}
    for name, field in known.items():
        if name in table:
            values[name] = _value(name, table[name], hints[name])
        elif field.default is dataclasses.MISSING:
            raise DeviceError("must be given", key=name)
    return values


def _unknown_key(key: str, known: Iterable[str]) -> str:
    known = list(known)
    for name in known:
        if name != key and any(name == key + unit for unit in _UNITS):
            return f"has no unit: write '{name}'"
    close = difflib.get_close_matches(key, known, n=1)
    return "is not a key of a device description" + (f"; did you mean '{close[0]}'?" if close else "")


def _value(key: str, value: object, hint: object) -> object:
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(one for one in typing.get_args(hint) if one is not types.NoneType)
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list):
            raise DeviceError(f"must be a list, but got {_kind(value)}", key=key)
        return tuple(_value(key, one, typing.get_args(hint)[0]) for one in typing.cast("list[object]", value))
    if hint is float:
        return _number(key, value)
    if isinstance(value, bool) or not isinstance(value, typing.cast("type", hint)):
        wanted = {int: "an integer", str: "a string"}[typing.cast("type", hint)]
        raise DeviceError(f"must be {wanted}, but got {_kind(value)}", key=key)
    if isinstance(value, int) and abs(value) >= _INTEGER_LIMIT:
        raise DeviceError("must fit into 64 bits", key=key)
    return value


def _number(key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise DeviceError(f"must be a number, but got {_kind(value)}", key=key)
    if isinstance(value, int) and abs(value) >= _INTEGER_LIMIT:
        raise DeviceError("must fit into 64 bits", key=key)
    return float(value)


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "a list"
    return f"'{value}'" if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
