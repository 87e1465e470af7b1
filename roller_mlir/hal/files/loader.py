# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a device description: one TOML file, whose keys are the fields of `spec`, into a checked `Device`.

    name = "h200"                        # the fields of Device
    clock_hz = 1.98e9
    [layers.workgroup]                   # one table for each MemoryLayer, from the registers outwards
    latency_cycles = 29
    [[instructions]]                     # one table for each Instruction
    [model]                              # ModelConstants, where they are known
    [vectors]                            # VectorConstants of a device without threads, where they are known

Where a source states cycles, the file may say so, and the loader turns them into seconds with the device's `clock_hz`:
`latency_cycles` for `latency_s`, `bandwidth_bytes_per_cycle_per_instance` for `bandwidth_bytes_per_s`.
A layer without `instances` has one; `instances = "units"` gives it one per unit.
A device of vectors (`vector_bytes`) leaves out what is said of threads and workgroup memory, of which it has none.
Whatever is wrong is one `DeviceError` with the file and the key. The file is data: nothing in it is executed.
"""

import typing
from pathlib import Path

from roller_mlir.hal.checks import check_clock, require_positive
from roller_mlir.hal.errors import DeviceError
from roller_mlir.hal.files.tables import (
    IN_CYCLES,
    Table,
    as_table,
    fields_of,
    number,
    read_text,
    read_toml,
    sub_table,
    typed,
)
from roller_mlir.hal.model_constants import ModelConstants
from roller_mlir.hal.spec import REGISTER_BYTES, Device, Instruction, MemoryLayer
from roller_mlir.hal.vector_constants import VectorConstants

COMPUTED = ("layers", "instructions", "model", "vectors", "overrides")
"""Fields of a device that are records of their own, or that no file states."""
CONSTANTS: dict[str, type[ModelConstants] | type[VectorConstants]] = {
    "model": ModelConstants,
    "vectors": VectorConstants,
}
"""Those of them that are constants of a model, each a table."""


_MOST_PACKED = 1 << 26
"""Bytes that one task may pack: memory like any other, of which caches hold what they can."""
_MOST_TASKS = (1 << 31) - 1
"""Of one program: tasks are counted in 32 bits."""


def load_device(path: Path) -> Device:
    """Read the device that a TOML file describes.

    Raises:
        DeviceError: the file cannot be read, or what it says is incomplete or impossible.
    """
    return parse_device(read_text(path, "the device description"), file=str(path))


def parse_device(text: str, *, file: str) -> Device:
    """Read the device that the text of a TOML file describes; `file` is for errors."""
    try:
        return _device(read_toml(text, "a device description"))
    except DeviceError as error:
        raise error.in_file(file) from error


def _device(table: Table) -> Device:
    scalars = {key: value for key, value in table.items() if key not in COMPUTED[:-1]}
    scalars = _vectors_only(scalars) | scalars
    fields = fields_of(Device, scalars, computed=COMPUTED)
    clock_hz, units = fields["clock_hz"], fields["units"]
    assert isinstance(clock_hz, float) and isinstance(units, int)
    check_clock(clock_hz)  # the layers are computed with these two
    require_positive({"units": units})
    layers: list[MemoryLayer] = []
    for name, layer in sub_table(table, "layers").items():
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
            values = typing.cast("dict[str, typing.Any]", fields_of(Instruction, as_table(entry)))
            instructions.append(Instruction(**values))
        except DeviceError as error:
            raise error.within(f"instructions[{position}]") from error
    made = {**fields, "layers": tuple(layers), "instructions": tuple(instructions), **_constants(table)}
    return Device(**typing.cast("dict[str, typing.Any]", made))


def _vectors_only(table: Table) -> dict[str, object]:
    """Return what a device of vectors need not say."""
    if "vector_bytes" not in table:
        return {}
    size, count = (typed(key, table.get(key, 1), int) for key in ("vector_bytes", "vector_registers"))
    assert isinstance(size, int) and isinstance(count, int)
    return {**without_threads(size, count), "max_access_bytes": size}


def without_threads(vector_bytes: int, vector_registers: int) -> dict[str, int]:
    """Return the limits of blocks that have one thread, whose registers are vectors, and memory to pack into."""
    one = ("max_threads_per_block", "max_threads_per_unit", "max_blocks_per_unit", "subgroup_size")
    words = max(1, vector_bytes * vector_registers // REGISTER_BYTES)
    return {
        **dict.fromkeys((*one, "schedulers_per_unit", "register_allocation_per_subgroup"), 1),
        **dict.fromkeys(("max_workgroup_bytes_per_block", "max_workgroup_bytes_per_unit"), _MOST_PACKED),
        "static_workgroup_bytes": 0,
        **dict.fromkeys(("registers_per_unit", "max_registers_per_thread"), words),
        "max_grid_blocks": _MOST_TASKS,
    }


def _constants(table: Table) -> dict[str, ModelConstants | VectorConstants]:
    found: dict[str, ModelConstants | VectorConstants] = {}
    for key, record in CONSTANTS.items():
        try:
            values = fields_of(record, as_table(table.get(key, {})))
            found[key] = record(**typing.cast("dict[str, typing.Any]", values))
        except DeviceError as error:
            raise error.within(key) from error
    return found


def _layer(name: str, value: object, clock_hz: float, units: int) -> MemoryLayer:
    table = dict(as_table(value))
    given = table.get("instances", 1)
    instances = units if given == "units" else typing.cast("int", typed("instances", given, int))
    table["instances"] = instances
    factors = {"latency_cycles": 1 / clock_hz, "bandwidth_bytes_per_cycle_per_instance": clock_hz * instances}
    spelled: dict[str, str] = {}
    for cycles, seconds in IN_CYCLES.items():
        if cycles in table:
            if seconds in table:
                raise DeviceError(f"must not be given beside '{seconds}', which it becomes", key=cycles)
            table[seconds] = number(cycles, table.pop(cycles)) * factors[cycles]
            spelled[seconds] = cycles
    try:
        fields = fields_of(MemoryLayer, table, computed=("name", "clocked"))
        fields.update(name=name, clocked=tuple(sorted(spelled)))
        return MemoryLayer(**typing.cast("dict[str, typing.Any]", fields))
    except DeviceError as error:
        raise DeviceError(error.reason, key=spelled.get(error.key or "", error.key)) from error
