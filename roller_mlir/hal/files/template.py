# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A device description to start from: every key with its type, unit and meaning, made from the records themselves.

The values are those of an example device, so the text is a description that loads; whoever fills it in replaces them.
"""

import dataclasses
import inspect
import re
import textwrap
import types
import typing
from collections.abc import Iterable

from roller_mlir.hal.atoms import FAMILIES
from roller_mlir.hal.files.loader import COMPUTED, CONSTANTS
from roller_mlir.hal.files.tables import IN_CYCLES
from roller_mlir.hal.layers import LAYER_KINDS
from roller_mlir.hal.spec import FEATURES, Device, Instruction, MemoryLayer
from roller_mlir.hal.vendors import vendors

_WIDTH = 118
_CHOICES = {
    "vendor": vendors(),
    "features": FEATURES,
    "kind": LAYER_KINDS,
    "family": FAMILIES,
}
_UNITS = (
    ("_bytes_per_s", "bytes per second"),
    ("_bytes_per_block", "bytes"),
    ("_bytes_per_unit", "bytes"),
    ("_bytes", "bytes"),
    ("_hz", "hertz"),
    ("_s", "seconds"),
    ("_cycles", "cycles"),
    ("_share", "0 to 1"),
)
_ABOUT = {
    "model": "constants of the performance model; leave out what is not known",
    "vectors": "constants of the model of vectors, for a device with vector_bytes; leave out what is not known",
}
_INTRO = """A device for roller: fill in the numbers of yours, then try it:

    roller devices --device-file mine.toml
    roller compile matmul.mlir --device-file mine.toml

The values below are an example's. Write the source of each number above it: document and page, or how it was measured.
Keys that say "optional" may be left out; leave an unknown out, never write it as 0. A key's unit is its last word.
A layer's latency may also be given as latency_cycles, its bandwidth as bandwidth_bytes_per_cycle_per_instance: the
device's clock_hz turns both into seconds. Nothing in this file is executed."""


def template(example: Device, name: str = "mine") -> str:
    """Return the text of a description with every key explained, and the values of an example device.

    Args:
        example: Whose values to write.
        name: The name that it is given.
    """
    description = "Maker, product, form, memory"
    shown = dataclasses.replace(example, name=name, description=description, aliases=(), default_for=(), overrides=())
    parts = [_comment(_INTRO)]
    parts += [_documented(Device, key, getattr(shown, key)) for key in _keys(Device, COMPUTED)]
    names = attribute_docs(MemoryLayer)["name"].rstrip(".")
    parts.append(
        _keys_of(
            "a memory layer",
            MemoryLayer,
            ("name", "clocked"),
            f"[layers.NAME] each, from the registers outwards; NAME is {names}",
        )
    )
    parts += [f"[layers.{layer.name}]\n{_layer(layer, example)}" for layer in shown.layers]
    parts.append(_keys_of("an instruction", Instruction, (), "[[instructions]] each"))
    parts += [f"[[instructions]]\n{_values(one, Instruction)}" for one in shown.instructions]
    for table, record in CONSTANTS.items():
        parts.append(_keys_of(f"[{table}]", record, (), _ABOUT[table]))
        assumed = vars(record())
        lines = [
            f"{'# ' if value == assumed[key] else ''}{key} = {_toml(value)}"
            for key, value in vars(getattr(shown, table)).items()
        ]
        parts.append("\n".join((f"[{table}]", *lines)))
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def attribute_docs(record: type) -> dict[str, str]:
    """Return what the docstring of a record says of each of its attributes, on one line each."""
    text = inspect.cleandoc(record.__doc__ or "").partition("Attributes:\n")[2]
    found = re.findall(r"^    (\w+): (.+(?:\n {8,}.+)*)", text, re.MULTILINE)
    return {name: " ".join(words.split()) for name, words in found}


def _keys(record: type, computed: Iterable[str]) -> list[str]:
    return [field.name for field in dataclasses.fields(record) if field.name not in set(computed)]


def _documented(record: type, key: str, value: object) -> str:
    """Return a key's lines: an explaining comment, and the example's value, commented out where it says nothing."""
    given = value is not None and value != ()
    line = f"{key} = {_toml(value if given else _placeholder(record, key))}"
    return f"{_comment(_explained(record, key))}\n{line if given else f'# {line}'}"


def _explained(record: type, key: str) -> str:
    says = [_unit(record, key), "optional" if _is_optional(record, key) else "required"]
    if key in _CHOICES:
        says.append(f"of {', '.join(_CHOICES[key])}")
    return f"{attribute_docs(record).get(key, '')} ({'; '.join(says)})"


def _keys_of(what: str, record: type, computed: Iterable[str], where: str) -> str:
    lines = [*textwrap.wrap(f"Keys of {what}: {where}.", _WIDTH - 2), ""]
    for key in _keys(record, computed):
        explained = textwrap.wrap(_explained(record, key), _WIDTH - 6 - len(key), subsequent_indent="    ")
        lines += [f"  {key}: {explained[0]}", *(f"    {line}" for line in explained[1:])]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _unit(record: type, key: str) -> str:
    hint = typing.get_type_hints(record)[key]
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        hint = next(one for one in typing.get_args(hint) if one is not types.NoneType)
    kind = {int: "integer", float: "number", str: "text"}.get(hint, "list")
    return next((f"{kind}, {unit}" for suffix, unit in _UNITS if key.endswith(suffix)), kind)


def _is_optional(record: type, key: str) -> bool:
    field = next(one for one in dataclasses.fields(record) if one.name == key)
    return key == "instances" or field.default is not dataclasses.MISSING


def _placeholder(record: type, key: str) -> object:
    """Return a value of the field's type, for a line that is commented out."""
    kind = _unit(record, key).split(",")[0]
    return {"integer": 1, "number": 1.0, "text": "...", "list": ()}[kind]


def _layer(layer: MemoryLayer, device: Device) -> str:
    """Return the lines of a layer's values; those that its description states in cycles are in cycles."""
    lines: list[str] = []
    cycles = {seconds: name for name, seconds in IN_CYCLES.items()}
    for key in _keys(MemoryLayer, ("name", "clocked")):
        value = getattr(layer, key)
        if key == "instances":
            lines.append('instances = "units"' if value == device.units else f"instances = {value}")
        elif key in layer.clocked:
            count = value * device.clock_hz if key == "latency_s" else value / device.clock_hz / layer.instances
            lines.append(f"{cycles[key]} = {_toml(round(count, 3))}")
        elif value is not None and value != ():
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines)


def _values(record: object, kind: type) -> str:
    """Return the lines of a record's values, without those that are as good as not given."""
    fields = [(field, getattr(record, field.name)) for field in dataclasses.fields(kind)]
    shown = [(one.name, value) for one, value in fields if value not in (None, one.default)]
    shape = dict(shown).get("shape")
    return "\n".join(f"{key} = {_toml(value)}" for key, value in shown if key != "max_shape" or value != shape)


def _comment(text: str) -> str:
    lines = [line for part in text.split("\n") for line in (textwrap.wrap(part, _WIDTH) or [""])]
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _toml(value: object) -> str:
    """Write a value as TOML."""
    if isinstance(value, tuple):
        return "[" + ", ".join(_toml(one) for one in typing.cast("tuple[object, ...]", value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, int):
        return f"{value:_}"
    text = f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return re.sub(r"e([+-])0?", lambda found: "e" + found[1].strip("+"), text)
