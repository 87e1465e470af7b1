# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options that users give: fields of frozen dataclasses, each declared once with its names, default, rule and help.

Options of passes (`support.passes`), flags of commands (`tools.console.arguments`) and keyword arguments follow from
that:

@dataclass(frozen=True, kw_only=True)
class TileOptions(Options):
    tile_sizes: tuple[int, ...] = option((), least=1, help="block per loop")

is `tile_sizes=(64, 64)` in Python, `tile-sizes=64,64` of a pass, and `--tile-sizes 64,64` of a command. A flag that may
be given again, for another word of a list, is the singular: `--instruction` of `instructions`.
"""

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

_T = TypeVar("_T")
_LONGEST_INTEGER = 12


class OptionError(ValueError):
    """An option is unknown, or its value is not of its type or breaks its rule."""


def option(
    default: _T,
    *,
    help: str,  # noqa: A002 - reads as argparse does
    name: str = "",
    value: str = "",
    least: float | None = None,
    most: float | None = None,
    choices: Sequence[object] = (),
) -> _T:
    """Declare an option: a dataclass field with a default, a sentence for the manual, and what `Option` documents."""
    metadata = {"help": help, "name": name, "value": value, "least": least, "most": most, "choices": tuple(choices)}
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Option:
    """An option as users see it.

    Attributes:
      field: Name of the dataclass field, and of the keyword argument.
      type: Type of the field: str, int, float, bool, Path, a tuple of these, a Literal, or a union, as whose first type
        texts are read.
      default: Value when it is not given.
      help: A sentence.
      name: Spelling in a pipeline, with dashes; by default the field's.
      flag: Spelling of a command, such as "--tile-sizes": the name's, in the singular where words of a list add up.
      value: Word for the value in the help of a command; by default N for a number, and the type's otherwise.
      least: The value, or each of a list, must be at least that; None for no rule.
      most: Likewise at most.
      choices: The value, or each of a list, must be one of these; () for no rule.
    """

    field: str
    type: Any
    default: Any
    help: str
    name: str
    flag: str
    value: str
    least: float | None
    most: float | None
    choices: tuple[object, ...]

    @property
    def type_name(self) -> str:
        """The type as shown to users, such as "list of int"."""
        inner = _first_type(self.type)
        if typing.get_origin(inner) is tuple:
            return f"list of {typing.get_args(inner)[0].__name__}"
        if typing.get_origin(inner) is typing.Literal:
            return " | ".join(str(choice) for choice in typing.get_args(inner))
        name: str = inner.__name__
        return {"str": "string", "Path": "path"}.get(name, name)

    def parse(self, text: str | None) -> Any:
        """Parse the text of this option; a bare boolean option means true.

        Raises:
          OptionError: The text is not of the option's type, or breaks its rule; the message begins with "must".
        """
        if text is None:
            if _first_type(self.type) is bool:
                return True
            raise OptionError(f"needs a value: {self.name}=<{self.type_name}>")
        try:
            value = _parse(_first_type(self.type), text)
        except ValueError:
            raise OptionError(f"must be {_article(self.type_name)}, but got '{text}'") from None
        self.check(value)
        return value

    def check(self, value: Any) -> None:
        """Refuse a value that breaks the option's rule.

        Raises:
          OptionError: It does; the message begins with "must".
        """
        listed = isinstance(value, tuple)
        for one in typing.cast("tuple[Any, ...]", value) if listed else () if value is None else (value,):
            each = " each" if listed else ""
            if self.least is not None and not one >= self.least:
                raise OptionError(f"must be at least {self.least}{each}, but got {self.spell(value)}")
            if self.most is not None and not one <= self.most:
                raise OptionError(f"must be at most {self.most}{each}, but got {self.spell(value)}")
            if self.choices and one not in self.choices:
                known, got = ", ".join(map(str, self.choices)), f"'{one}'" if isinstance(one, str) else one
                raise OptionError(f"must be {'some' if listed else 'one'} of {known}, but got {got}")

    def text(self, value: Any) -> str:
        """Write a value so that `parse` reads it back."""
        if isinstance(value, tuple):
            return ",".join(self.text(v) for v in typing.cast("tuple[Any, ...]", value))
        if isinstance(value, bool):
            return "true" if value else "false"
        return "" if value is None else str(value).removesuffix(".0") if isinstance(value, float) else str(value)

    def spell(self, value: Any) -> str:
        """Write a value as a pipeline has it, in quotes where it needs them."""
        if isinstance(value, tuple):
            return ",".join(self.spell(v) for v in typing.cast("tuple[Any, ...]", value))
        text = self.text(value)
        return f'"{text}"' if text == "" or re.search(r"[\s{}()\"',]", text) else text

    def flags(self, value: Any) -> list[str]:
        """Write a value as arguments of a command: ["--no-split"], or ["--stages", "2"]."""
        if isinstance(value, bool):
            return [self.flag if value else f"--no-{self.flag.removeprefix('--')}"]
        return [self.flag, self.text(value)]


@dataclass(frozen=True, kw_only=True)
class Options:
    """A record whose fields made by `option` are options; each is checked when the record is made.

    Raises:
      ValueError: A value breaks its option's rule.
    """

    def __post_init__(self) -> None:
        for one in self.options():
            try:
                one.check(getattr(self, one.field))
            except OptionError as error:
                raise ValueError(f"{one.field} {error}") from None

    @classmethod
    def options(cls) -> tuple[Option, ...]:
        """Return the options in the order of the fields."""
        return _options_of(cls)

    @classmethod
    def values_of(cls, holder: object) -> dict[str, Any]:
        """Return the values of these options in another record, or the arguments of a command, those that it has."""
        return {one.field: getattr(holder, one.field) for one in cls.options() if hasattr(holder, one.field)}

    @classmethod
    def given_in(cls, holder: object) -> list[tuple[Option, Any]]:
        """Return the options, with their values, that differ from their defaults there."""
        values = cls.values_of(holder)
        return [(one, values[one.field]) for one in cls.options() if values.get(one.field, one.default) != one.default]


@functools.cache
def _options_of(kind: type[Options]) -> tuple[Option, ...]:
    hints = typing.get_type_hints(kind)
    found: list[Option] = []
    for field in dataclasses.fields(kind):
        if field.metadata:
            said: dict[str, Any] = dict(field.metadata)
            name: str = said["name"] or field.name.replace("_", "-")
            number = re.search(r"\b(int|float)\b", str(hints[field.name]))
            adds_up = bool(said["choices"]) and isinstance(field.default, tuple)
            said |= {"name": name, "flag": f"--{name.removesuffix('s') if adds_up else name}"}
            said["value"] = said["value"] or ("N" if number else "TEXT")
            found.append(Option(field=field.name, type=hints[field.name], default=field.default, **said))
    return tuple(found)


def _first_type(hint: Any) -> Any:
    return typing.get_args(hint)[0] if typing.get_origin(hint) in (typing.Union, types.UnionType) else hint


def _article(type_name: str) -> str:
    return type_name if "|" in type_name else f"{'an' if type_name[0] in 'aeiou' else 'a'} {type_name}"


def _parse(kind: Any, text: str) -> Any:
    if typing.get_origin(kind) is tuple:
        element = typing.get_args(kind)[0]
        return tuple(_parse(element, part.strip()) for part in text.split(",")) if text.strip() else ()
    if typing.get_origin(kind) is typing.Literal:
        for choice in typing.get_args(kind):
            if str(choice) == text:
                return choice
        raise ValueError(text)
    if kind is bool:
        words = {"true": True, "1": True, "false": False, "0": False}
        if text.lower() not in words:
            raise ValueError(text)
        return words[text.lower()]
    if kind not in (str, int, float, Path):
        raise TypeError(f"an option must be str, int, float, bool, Path, a tuple or Literal, but got {kind}")
    if (kind is int and len(text) > _LONGEST_INTEGER) or (kind is float and not math.isfinite(float(text))):
        raise ValueError(text)
    return kind(text)
