# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads files of strangers within bounds: the one place where JSON and TOML are parsed.

Bounded are bytes, nesting, values, digits of a number, and the dots of a line of TOML, each before it can cost much.
Numbers are finite; a key stands in an object once. Whatever is wrong is one `BoundsError` that says where.
"""

import json
import math
import os
import stat
import tomllib
import typing

MOST_DEPTH = 64
MOST_VALUES = 1_000_000
MOST_DIGITS = 40
MOST_TOML_BYTES = 256 << 10
MOST_TOML_DOTS = 64
"""Dots in a line of TOML: what a key with many of them costs grows with their square."""

_MOST_INTEGER = 10**MOST_DIGITS
_NESTED = "nested too deeply"
_PART_BYTES = 1 << 20


class BoundsError(ValueError):
    """Data that is above a bound, or no JSON or TOML.

    Attributes:
        column: Where in the line it is, from 1; 0 where that is not known.
    """

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


def read_bytes(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """Read a file that may be anything, never more than one byte beyond a bound.

    Raises:
        OSError: It cannot be read.
        BoundsError: It has more bytes.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        size = status.st_size if stat.S_ISREG(status.st_mode) else 0
        content = b"" if size > most_bytes else stream.read(most_bytes + 1)
    if size > most_bytes or len(content) > most_bytes:
        known = f"{size} B" if size else f"more than {most_bytes} B"
        raise BoundsError(f"has {known}, which is above the limit of {most_bytes} B")
    return content


def decode(content: bytes | bytearray) -> str:
    """Return the text that bytes are.

    Raises:
        BoundsError: They are not UTF-8.
    """
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BoundsError(f"not UTF-8 at byte {error.start}", error.start + 1) from None


def read_json(content: str | bytes | bytearray, *, most_values: int = MOST_VALUES) -> typing.Any:
    """Return the data that JSON text holds.

    Args:
        content: The text; its bytes are the caller's to bound, as files differ.
        most_values: Objects, lists and their entries.

    Raises:
        BoundsError: It is no JSON, or above a bound.
    """
    text = content if isinstance(content, str) else decode(content)
    values = text.count(",") + text.count("[") + text.count("{")
    if values > most_values:
        raise BoundsError(f"has about {values} values, which is above the limit of {most_values}")
    try:
        data = json.loads(text, parse_int=_integer, parse_constant=_no_number, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise BoundsError(f"not JSON: {error}", error.colno if error.lineno == 1 else 0) from None
    except RecursionError:
        raise BoundsError(_NESTED) from None
    _check(data, _is_wrong)
    return data


def read_toml(text: str) -> dict[str, typing.Any]:
    """Return the table that TOML text is; its numbers are the caller's to check, who knows their keys.

    Raises:
        BoundsError: It is no TOML, or above a bound.
    """
    if len(text) > MOST_TOML_BYTES:
        raise BoundsError(f"has {len(text)} characters, which is above the limit of {MOST_TOML_BYTES}")
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_TOML_DOTS:
            raise BoundsError(f"line {number} has {line.count('.')} dots, which is above the limit of {MOST_TOML_DOTS}")
    try:
        data = tomllib.loads(text)
    except RecursionError:
        raise BoundsError(_NESTED) from None
    except ValueError as error:  # TOMLDecodeError; Python's own limit on the digits of an integer
        raise BoundsError(f"not TOML: {error}") from None
    _check(data, lambda value: False)
    return data


def _is_wrong(value: typing.Any) -> bool:
    """Return whether a value is a number that JSON should not hold."""
    if isinstance(value, float):
        return not math.isfinite(value)
    return isinstance(value, int) and abs(value) >= _MOST_INTEGER


def _check(data: typing.Any, is_wrong: typing.Callable[[typing.Any], bool]) -> None:
    """Check nesting and numbers, without recursion."""
    level: list[typing.Any] = [data]
    for _ in range(MOST_DEPTH):
        below: list[typing.Any] = []
        for value in level:
            if isinstance(value, dict):
                below += typing.cast("dict[str, typing.Any]", value).values()
            elif isinstance(value, list):
                below += typing.cast("list[typing.Any]", value)
            elif is_wrong(value):
                path = next(_paths_of_wrong(data, is_wrong))
                raise BoundsError(f"{path or 'top level'}: the number {str(value)[:20]} is too large")
        if not below:
            return
        level = below
    raise BoundsError(f"{_NESTED}: the limit is {MOST_DEPTH}")


def _paths_of_wrong(
    data: typing.Any, is_wrong: typing.Callable[[typing.Any], bool], path: str = ""
) -> typing.Iterator[str]:
    if isinstance(data, dict):
        for key, value in typing.cast("dict[str, typing.Any]", data).items():
            yield from _paths_of_wrong(value, is_wrong, f"{path}.{key}" if path else key)
    elif isinstance(data, list):
        for at, value in enumerate(typing.cast("list[typing.Any]", data)):
            yield from _paths_of_wrong(value, is_wrong, f"{path}[{at}]")
    elif is_wrong(data):
        yield path


def _integer(digits: str) -> int:
    """Return an integer; of one with too many digits the first, which are too large, too."""
    return int(digits[: MOST_DIGITS + 2])


def _no_number(word: str) -> typing.NoReturn:
    raise BoundsError(f"{word} is no number of JSON")


def _object(pairs: list[tuple[str, typing.Any]]) -> dict[str, typing.Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))
        raise BoundsError(
            f"an object has {len(pairs)} keys, of which {len(pairs) - len(found)} stand there twice, such as {twice!r}"
        )
    return found
