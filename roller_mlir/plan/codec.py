# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen dataclasses to plain JSON data and back; reading checks every value against the declared type.

The declarations are the schema: `tuple[X, ...]` is a list, `dict[str, X]` an object, a dataclass an object with exactly
its fields, `Literal` an enumeration, and `Annotated[int, Range(1, 8)]` a bounded number. Errors carry the path of the
value: `launches[0].grid[1]: expected an integer of at least 1, but got 0`. Data from strangers is only ever data.
Infinities, which JSON has not, are written as the strings "inf" and "-inf".
"""

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, cast, get_args, get_origin, get_type_hints

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

    def refusal(self, value: int) -> str:
        """Return what a value out of the range should be; bounds that are far off are not spelled."""
        if self.most is None or (value < self.least and self.most >= _FAR):
            return f"of at least {self.least}"
        return f"of at most {self.most}" if self.most >= _FAR else f"in {self.least} to {self.most}"


class CodecError(ValueError):
    """Data that does not fit the declared record; the message begins with the path of the value."""


def to_json(value: Any) -> JsonValue:
    """Return `value` (dataclasses, tuples, dicts, scalars) as plain JSON data."""
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


def from_json(kind: type[T], data: JsonValue, path: str = "") -> T:
    """Rebuild a `kind` from JSON data.

    Args:
        kind: The dataclass to build.
        data: What `read_json` returned.
        path: Prefix of the paths in errors.

    Raises:
        CodecError: A key is missing or unknown, or a value has the wrong type or is out of range.
    """
    return cast(T, _decode(kind, data, path))


def _fail(path: str, expected: str, data: object) -> CodecError:
    shown = repr(data)
    path = path if len(path) < _MOST_PATH else f"{path[:_MOST_PATH]}..."
    return CodecError(
        f"{path or 'top level'}: expected {expected}, but got {shown if len(shown) < 60 else shown[:57] + '...'}"
    )


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)


def _decode(kind: Any, data: Any, path: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Annotated:
        value = _decode(arguments[0], data, path)
        bounds: Range = arguments[1]
        if value < bounds.least or (bounds.most is not None and value > bounds.most):
            raise _fail(path, f"an integer {bounds.refusal(value)}", data)
        return value
    if origin in (Union, types.UnionType):
        return _union(arguments, data, path)
    if origin is Literal:
        if data not in arguments:
            raise _fail(path, " or ".join(repr(choice) for choice in arguments), data)
        return data
    if origin is tuple:
        return _sequence(arguments, data, path)
    if origin is dict:
        if not isinstance(data, dict):
            raise _fail(path, "an object", data)
        items = cast(dict[str, Any], data)
        return {key: _decode(arguments[1], item, f"{path}.{key}" if path else key) for key, item in items.items()}
    if isinstance(kind, type) and is_dataclass(kind):
        return _record(kind, data, path)
    return _scalar(kind, data, path)


def _union(choices: tuple[Any, ...], data: Any, path: str) -> Any:
    if data is None and type(None) in choices:
        return None
    rest = [choice for choice in choices if choice is not type(None)]
    errors: list[CodecError] = []
    for choice in rest:
        try:
            return _decode(choice, data, path)
        except CodecError as error:
            errors.append(error)
    raise errors[0] if len(errors) == 1 else _fail(path, "one of the permitted forms", data)


def _sequence(arguments: tuple[Any, ...], data: Any, path: str) -> tuple[Any, ...]:
    if not isinstance(data, list):
        raise _fail(path, "a list", data)
    items = cast(list[Any], data)
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return tuple(_decode(arguments[0], item, f"{path}[{i}]") for i, item in enumerate(items))
    if len(items) != len(arguments):
        raise _fail(path, f"a list of {len(arguments)}", items)
    return tuple(
        _decode(kind, item, f"{path}[{i}]") for i, (kind, item) in enumerate(zip(arguments, items, strict=True))
    )


def _record(kind: type, data: Any, path: str) -> Any:
    if not isinstance(data, dict):
        raise _fail(path, f"an object ({kind.__name__})", data)
    items = cast(dict[str, Any], data)
    declared = {field.name: field for field in fields(cast(Any, kind))}
    for key in items:
        if key not in declared:
            raise _fail(f"{path}.{key}" if path else key, f"one of the keys {sorted(declared)}", key)
    values: dict[str, Any] = {}
    for name, field in declared.items():
        here = f"{path}.{name}" if path else name
        if name in items:
            values[name] = _decode(_hints(kind)[name], items[name], here)
        elif field.default is MISSING and field.default_factory is MISSING:
            raise CodecError(f"{here}: missing")
    try:
        return kind(**values)
    except ValueError as error:
        raise CodecError(f"{path or 'top level'}: {error}") from error


def _scalar(kind: Any, data: Any, path: str) -> Any:
    if kind is Any:
        return data
    if kind is bool and isinstance(data, bool):
        return data
    if kind is int and isinstance(data, int) and not isinstance(data, bool):
        return data
    if kind is float and isinstance(data, (int, float)) and not isinstance(data, bool):
        return float(data)
    if kind is float and data in _INFINITIES:
        return float(data)
    if kind is str and isinstance(data, str):
        return data
    names = {bool: "true or false", int: "an integer", float: "a number", str: "a string"}
    if kind not in names:
        raise TypeError(f"the codec knows no {kind!r}")
    raise _fail(path, names[kind], data)
