# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen dataclasses to plain JSON data and back; reading checks every value against the declared type.

The declarations are the schema: `tuple[X, ...]` is a list, `dict[str, X]` an object, a dataclass an object with exactly
its fields, `Literal` an enumeration, `Annotated[int, Range(1, 8)]` a bounded number, `Annotated[Extent, Range(1)]` the
same, and `Annotated[str, OneOf(...)]` a string of a table. Errors carry the path of the value:
`launches[0].grid[1]: expected an integer of at least 1, but got 0`. Data from strangers is only ever data.
Infinities, which JSON has not, are written as the strings "inf" and "-inf".
"""

import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from roller_mlir.plan.extent import Extent, as_extent
from roller_mlir.plan.records.exact import exact_number

Decoder: TypeAlias = Callable[[Any], Any]
T = TypeVar("T")
JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None

_FAR = 1 << 20
_MOST_PATH = 200
_INFINITIES = ("inf", "-inf", "nan")


@dataclass(frozen=True)
class Range:
    """Bounds of an integer, both included; `most` None means unbounded."""

    least: int = 0
    most: int | None = None

    def holds(self, value: int) -> bool:
        """Return whether a value is in the range."""
        return value >= self.least and (self.most is None or value <= self.most)

    def expected(self, value: int) -> str:
        """Return what a value out of the range should be; bounds that are far off are not spelled."""
        if self.most is None or (value < self.least and self.most >= _FAR):
            return f"an integer of at least {self.least}"
        return (
            f"an integer of at most {self.most}" if self.most >= _FAR else f"an integer in {self.least} to {self.most}"
        )


@dataclass(frozen=True)
class PowerOfTwo(Range):
    """Bounds of an integer that is a power of two."""

    def holds(self, value: int) -> bool:
        """Return whether a value is a power of two in the range."""
        return super().holds(value) and value & (value - 1) == 0

    def expected(self, value: int) -> str:
        """Return what another value should be."""
        return super().expected(value) if not super().holds(value) else "a power of two"


@dataclass(frozen=True)
class OneOf:
    """The strings that a value may be, where a table has them."""

    choices: tuple[str, ...]

    def holds(self, value: str) -> bool:
        """Return whether a value is one of them."""
        return value in self.choices

    def expected(self, _: str) -> str:
        """Return what another value should be."""
        return _or(self.choices)


def seldom(default: T) -> T:
    """Return a field that text for people leaves out where it has its default; JSON spells all."""
    return field(default=default, metadata={"seldom": True})


def is_seldom(declared: Field[Any]) -> bool:
    """Return whether a field was declared so."""
    return "seldom" in declared.metadata


class CodecError(ValueError):
    """Data that does not fit the declared record; the message begins with the path of the value."""


def to_json(value: Any) -> JsonValue:
    """Return `value` (dataclasses, tuples, dicts, scalars) as plain JSON data."""
    if isinstance(value, Extent):
        return value.static
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in cast(Mapping[str, Any], value).items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in cast(Sequence[Any], value)]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise TypeError(f"only dataclasses, sequences, mappings and scalars become JSON, but got {type(value).__name__}")


def to_text(value: Any) -> str:
    """Return a record as compact JSON, a line of text."""
    return json.dumps(to_json(value), separators=(",", ":"), allow_nan=False) + "\n"


def from_json(kind: type[T], data: Any, path: str = "", given: Mapping[str, Any] | None = None) -> T:
    """Rebuild a `kind` from JSON data.

    Args:
        kind: The dataclass to build.
        data: What `read_json` returned, or the same as an attribute holds it.
        path: Prefix of the paths in errors.
        given: Fields of the dataclass that the data has not, with their values.

    Raises:
        CodecError: A key is missing or unknown, or a value has the wrong type or is out of range.
    """
    try:
        return cast(T, _record_decoder(kind, tuple(given))(data, given) if given else _decoder(kind)(data))
    except _FaultError as fault:
        where = f"{path}{fault.path}" if path else fault.path.removeprefix(".")
        if fault.expected is not None and len(where) >= _MOST_PATH:
            where = f"{where[:_MOST_PATH]}..."
        raise CodecError(f"{where or 'top level'}: {fault}") from fault.__cause__


class _FaultError(Exception):
    """A value that does not fit; the containers around it put their part of its path before it.

    Attributes:
        path: Where the value is, from the container that is being read: `.grid[1]`.
        expected: What it should be, None where the message says something else.
    """

    def __init__(self, message: str, *, path: str = "", expected: str | None = None):
        super().__init__(message)
        self.path, self.expected = path, expected


def _unexpected(expected: str, data: object, path: str = "") -> _FaultError:
    shown = repr(data)
    shown = shown if len(shown) < 60 else shown[:57] + "..."
    return _FaultError(f"expected {expected}, but got {shown}", path=path, expected=expected)


def _or(choices: Sequence[Any]) -> str:
    return " or ".join(repr(choice) for choice in choices)


@cache
def _decoder(kind: Any) -> Decoder:
    """Return what reads a value of a declared type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Extent or (origin is Annotated and arguments[0] is Extent):
        size = _decoder(Annotated[int, arguments[1]] if arguments else int)
        return lambda data: as_extent(size(data))
    if origin is Annotated:
        return _bounded(_decoder(arguments[0]), arguments[1])
    if origin in (Union, types.UnionType):
        return _union(arguments)
    if origin is Literal:
        return _literal(arguments)
    if origin is tuple:
        return _sequence(arguments)
    if origin is dict:
        return _mapping(_decoder(arguments[1]))
    if isinstance(kind, type) and is_dataclass(kind):
        return lambda data: _record_decoder(kind)(data, None)  # resolved late: records may hold their own kind
    return _scalar(kind)


def _bounded(inner: Decoder, bound: Range | OneOf) -> Decoder:
    holds: Callable[[Any], bool] = bound.holds

    def decode(data: Any) -> Any:
        value = inner(data)
        if not holds(value):
            raise _unexpected(bound.expected(value), data)
        return value

    return decode


def _union(choices: tuple[Any, ...]) -> Decoder:
    optional = type(None) in choices
    rest = [_decoder(choice) for choice in choices if choice is not type(None)]

    def decode(data: Any) -> Any:
        if data is None and optional:
            return None
        for choice in rest:
            try:
                return choice(data)
            except _FaultError:
                if len(rest) == 1:
                    raise
        raise _unexpected("one of the permitted forms", data)

    return decode


def _literal(choices: tuple[Any, ...]) -> Decoder:
    def decode(data: Any) -> Any:
        if data not in choices:
            raise _unexpected(_or(choices), data)
        return data

    return decode


def _mapping(inner: Decoder) -> Decoder:
    def decode(data: Any) -> Any:
        if not isinstance(data, dict):
            raise _unexpected("an object", data)
        found: dict[str, Any] = {}
        for key, item in cast(dict[str, Any], data).items():
            try:
                found[key] = inner(item)
            except _FaultError as fault:
                fault.path = f".{key}" + fault.path
                raise
        return found

    return decode


def _sequence(arguments: tuple[Any, ...]) -> Decoder:
    repeated = _decoder(arguments[0]) if len(arguments) == 2 and arguments[1] is Ellipsis else None
    kinds = [] if repeated else [_decoder(kind) for kind in arguments]

    def decode(data: Any) -> Any:
        if not isinstance(data, list):
            raise _unexpected("a list", data)
        items = cast(list[Any], data)
        if repeated is None and len(items) != len(kinds):
            raise _unexpected(f"a list of {len(kinds)}", items)
        found: list[Any] = []
        try:
            for number, item in enumerate(items):
                found.append((repeated or kinds[number])(item))
        except _FaultError as fault:
            fault.path = f"[{len(found)}]" + fault.path
            raise
        return tuple(found)

    return decode


@cache
def _record_decoder(kind: type, given: tuple[str, ...] = ()) -> Callable[[Any, Mapping[str, Any] | None], Any]:
    declared = {field.name: field for field in fields(cast(Any, kind)) if field.name not in given}
    hints = get_type_hints(kind, include_extras=True)
    decoders = {name: _decoder(hints[name]) for name in declared}
    needed = {n for n, field in declared.items() if field.default is MISSING and field.default_factory is MISSING}

    def decode(data: Any, values: Mapping[str, Any] | None) -> Any:
        if not isinstance(data, dict):
            raise _unexpected(f"an object ({kind.__name__})", data)
        items = cast(dict[str, Any], data)
        found = dict(values or {})
        if not items.keys() <= decoders.keys():
            key = next(key for key in items if key not in decoders)
            raise _unexpected(f"one of the keys {sorted(decoders)}", key, f".{key}")
        for name, decoder in decoders.items():
            if name in items:
                try:
                    found[name] = decoder(items[name])
                except _FaultError as fault:
                    fault.path = f".{name}{fault.path}"
                    raise
            elif name in needed:
                raise _FaultError("missing", path=f".{name}")
        try:
            return kind(**found)
        except ValueError as error:
            raise _FaultError(str(error)) from error

    return decode


def _scalar(kind: Any) -> Decoder:
    if kind is Any:
        return lambda data: data
    if kind is float:
        return _float
    names = {bool: "true or false", int: "an integer", str: "a string"}
    if kind not in names:
        raise TypeError(f"the codec knows no {kind!r}")

    def decode(data: Any) -> Any:
        if isinstance(data, kind) and (kind is bool or not isinstance(data, bool)):
            return data
        raise _unexpected(names[kind], data)

    return decode


def _float(data: Any) -> float:
    if (isinstance(data, (int, float)) and not isinstance(data, bool)) or data in _INFINITIES:
        return exact_number(float(data) if isinstance(data, str) else data)
    raise _unexpected("a number", data)
