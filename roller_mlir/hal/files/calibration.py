# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measured constants in place of a device's own: a TOML file whose keys are those of the device's description.

    device = "h200"                                      # the device that was measured
    launch_latency_s = { value = 2.1e-6, source = "J. Doe, launches.py on node 3, 2026-11-20" }
    [layers.global]
    sustained_bandwidth_bytes_per_s = { value = 4.1e12, source = "J. Doe, gpu-stream on node 3, 2026-11-20" }
    [[instructions]]                                     # found by its name and types
    name = "fma"
    operand_type = "f32"
    result_type = "f32"
    flops_per_cycle_per_unit = { value = 250, source = "..." }
    [model]                                              # and [vectors], of a device without threads
    stall_share = { value = 0.25, source = "..." }

Each value has its source, or the file is refused. What a description states in cycles follows a calibrated `clock_hz`,
and where a layer's peak does, so does what is sustained of it.
What the device is (its name, vendor, instruction set, kinds of layers) cannot be calibrated.
"""

import dataclasses
import typing
from collections.abc import Collection, Iterable
from pathlib import Path

from roller_mlir.hal.checks import check_clock
from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.files.loader import CONSTANTS
from roller_mlir.hal.files.tables import (
    IN_CYCLES,
    Table,
    as_table,
    kind_of,
    number,
    read_text,
    read_toml,
    typed,
    unknown_key,
)
from roller_mlir.hal.spec import Device, Instruction, MemoryLayer, ModelConstants, Override, VectorConstants

_WHAT = "a calibration"
_TABLES = ("layers", "instructions", *CONSTANTS)
INSTRUCTION_NAMES = ("name", "operand_type", "result_type")
"""What tells one instruction of a device from another."""


class _Found(typing.NamedTuple):
    value: typing.Any
    source: str


def calibrated(device: Device, path: Path) -> Device:
    """Return the device with the constants that a calibration file replaces.

    Args:
        device: As described, or calibrated already.
        path: The calibration file.

    Raises:
        DeviceError: The file cannot be read, is of another device, has a value without a source, or one that the device
            cannot have.
    """
    return parse_calibration(device, read_text(path, "the calibration"), file=str(path))


def parse_calibration(device: Device, text: str, *, file: str) -> Device:
    """Return the device with the constants that the text of a calibration file replaces; `file` is for errors."""
    try:
        return _Calibration(device, file).apply(read_toml(text, _WHAT))
    except DeviceError as error:
        raise error.in_file(file) from error


class _Calibration:
    def __init__(self, device: Device, file: str) -> None:
        self.device, self.file = device, file
        self.overrides: list[Override] = []

    def apply(self, table: Table) -> Device:
        self._check_device(table.get("device"))
        own = {key: value for key, value in table.items() if key not in ("device", *_TABLES)}
        found = _found(Device, own, skipped=(*_TABLES, "overrides"))
        self._note("", found, vars(self.device))
        values = {key: one.value for key, one in found.items()}
        clock_hz = values.get("clock_hz", self.device.clock_hz)
        check_clock(clock_hz)
        values["layers"] = self._layers(table, clock_hz)
        values["instructions"] = self._instructions(table)
        values |= {key: self._constants(table, key, record) for key, record in CONSTANTS.items()}
        if not self.overrides:
            raise DeviceError("must calibrate something, but has no value")
        return dataclasses.replace(self.device, **values, overrides=(*self.device.overrides, *self.overrides))

    def _check_device(self, given: object) -> None:
        if given is None:
            raise DeviceError("must be given: the device that was measured", key="device")
        name = typed("device", given, str)
        if name not in (self.device.name, *self.device.aliases):
            raise DeviceError(f"is a calibration of '{name}', but the device is '{self.device.name}'", key="device")

    def _layers(self, table: Table, clock_hz: float) -> tuple[MemoryLayer, ...]:
        given = _table_at(table, "layers")
        names = [layer.name for layer in self.device.layers]
        for name in given:
            if name not in names:
                rule = f"is not a layer of '{self.device.name}', which has {', '.join(names)}"
                raise DeviceError(rule, key=f"layers.{name}")
        return tuple(self._layer(layer, given.get(layer.name, {}), clock_hz) for layer in self.device.layers)

    def _layer(self, layer: MemoryLayer, given: object, clock_hz: float) -> MemoryLayer:
        prefix = f"layers.{layer.name}"
        spelled: dict[str, str] = {}
        try:
            found = _found(MemoryLayer, as_table(given), skipped=("clocked",), more=IN_CYCLES)
            values: dict[str, typing.Any] = self._following(layer, clock_hz / self.device.clock_hz)
            clocked = set(layer.clocked)
            self._note(f"{prefix}.", found, vars(layer) | self._in_cycles(layer))
            factors = {
                "latency_cycles": 1 / clock_hz,
                "bandwidth_bytes_per_cycle_per_instance": clock_hz * layer.instances,
            }
            for key, one in found.items():
                name = IN_CYCLES.get(key, key)
                if name in spelled:
                    raise DeviceError(f"must not be given beside '{name}', which it becomes", key=key)
                spelled[name] = key
                values[name] = one.value * factors[key] if key in IN_CYCLES else one.value
                clocked = clocked | {name} if key in IN_CYCLES else clocked - {name}
            return dataclasses.replace(layer, **values, clocked=tuple(sorted(clocked)))
        except DeviceError as error:
            raise DeviceError(error.reason, key=spelled.get(error.key or "", error.key)).within(prefix) from error

    def _in_cycles(self, layer: MemoryLayer) -> dict[str, typing.Any]:
        """Return what a layer has, in cycles of the device's own clock."""
        latency, rate, clock_hz = layer.latency_s, layer.bandwidth_bytes_per_s, self.device.clock_hz
        return {
            "latency_cycles": None if latency is None else latency * clock_hz,
            "bandwidth_bytes_per_cycle_per_instance": None if rate is None else rate / clock_hz / layer.instances,
        }

    @staticmethod
    def _following(layer: MemoryLayer, faster: float) -> dict[str, typing.Any]:
        """Return at another clock what is stated in cycles: a latency shortens as it rises, a bandwidth grows."""
        values: dict[str, typing.Any] = {}
        for name in layer.clocked if faster != 1 else ():
            value: float = getattr(layer, name)
            values[name] = value / faster if name == "latency_s" else value * faster
            if name == "bandwidth_bytes_per_s" and layer.sustained_bandwidth_bytes_per_s is not None:
                values["sustained_bandwidth_bytes_per_s"] = layer.sustained_bandwidth_bytes_per_s * faster
        return values

    def _instructions(self, table: Table) -> tuple[Instruction, ...]:
        entries = table.get("instructions", [])
        if not isinstance(entries, list):
            raise DeviceError("must be [[instructions]] tables", key="instructions")
        instructions = list(self.device.instructions)
        for position, entry in enumerate(typing.cast("list[object]", entries)):
            try:
                given = as_table(entry)
                names = {key: typed(key, given[key], str) for key in INSTRUCTION_NAMES if key in given}
                for key in INSTRUCTION_NAMES:
                    if key not in names:
                        raise DeviceError("must be given", key=key)
                wanted = self.device.instruction(*(typing.cast("str", names[key]) for key in INSTRUCTION_NAMES))
                found = _found(
                    Instruction, {key: given[key] for key in given if key not in names}, skipped=INSTRUCTION_NAMES
                )
                place = self.device.instructions.index(wanted)
                self._note(f"instructions.{wanted.name}.{wanted.operand_type}.", found, vars(instructions[place]))
                values = {key: one.value for key, one in found.items()}
                instructions[place] = dataclasses.replace(instructions[place], **values)
            except DeviceError as error:
                raise error.within(f"instructions[{position}]") from error
        return tuple(instructions)

    def _constants(
        self, table: Table, name: str, record: type[ModelConstants] | type[VectorConstants]
    ) -> ModelConstants | VectorConstants:
        known: ModelConstants | VectorConstants = getattr(self.device, name)
        try:
            found = _found(record, _table_at(table, name))
            self._note(f"{name}.", found, vars(known))
            return dataclasses.replace(known, **{key: one.value for key, one in found.items()})
        except DeviceError as error:
            raise (error if (error.key or "").startswith(name) else error.within(name)) from error

    def _note(self, prefix: str, found: dict[str, _Found], before: dict[str, typing.Any]) -> None:
        for key, one in found.items():
            was = before.get(key)
            self.overrides.append(
                Override(key=prefix + key, value=one.value, was=was, source=one.source, file=self.file)
            )


def _table_at(table: Table, key: str) -> Table:
    try:
        return as_table(table.get(key, {}))
    except DeviceError as error:
        raise error.within(key) from error


def _found(record: type, table: Table, *, skipped: Collection[str] = (), more: Iterable[str] = ()) -> dict[str, _Found]:
    """Return the value and the source of each key of a table, whose keys are fields of a record that hold numbers."""
    hints = typing.get_type_hints(record)
    known = {field.name: hints[field.name] for field in dataclasses.fields(record) if field.name not in set(skipped)}
    known.update(dict.fromkeys(more, float))
    found: dict[str, _Found] = {}
    for key, entry in table.items():
        if key not in known:
            raise unknown_key(key, [name for name in known if _measurable(name, known[name])], _WHAT)
        if not _measurable(key, known[key]):
            raise DeviceError("cannot be calibrated: it is what the device is, not what it reaches", key=key)
        found[key] = _entry(key, entry, known[key])
    return found


def _measurable(key: str, hint: object) -> bool:
    held = {one for one in typing.get_args(hint) or (hint,) if one is not type(None)}
    return held <= {int, float} and key != "instances"


def _entry(key: str, entry: object, hint: object) -> _Found:
    shape = f'{key} = {{ value = ..., source = "who measured it, with what command, when" }}'
    if not isinstance(entry, dict):
        raise DeviceError(f"has no source: write {shape}, but got {kind_of(entry)}", key=key)
    table = typing.cast("dict[str, object]", entry)
    for name in table:
        if name not in ("value", "source"):
            raise DeviceError(f"must be written {shape}, but has a key '{name}'", key=key)
    for name, problem in (("value", "has no value"), ("source", "has no source")):
        if name not in table:
            raise DeviceError(f"{problem}: write {shape}", key=key)
    source = typing.cast("str", typed(f"{key}.source", table["source"], str)).strip()
    if not source:
        raise DeviceError("must say who measured it, with what command, and when, but is empty", key=f"{key}.source")
    value = number(key, table["value"]) if hint is float else typed(key, table["value"], hint)
    return _Found(value, source)
