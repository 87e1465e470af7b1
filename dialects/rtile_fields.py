# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dictionary attributes: conversion from and to plain Python data, and checked access to their fields."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from roller_mlir.dialects.rtile_checks import InvalidOpError, require
from roller_mlir.support.bindings import ir


def to_attribute(data: Any) -> Any:
    """Return plain data as a builtin attribute; dictionary entries that are None are left out.

    Raises:
        ValueError: The data holds something else than booleans, numbers, strings, sequences and dictionaries.
    """
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
        return ir.ArrayAttr.get([to_attribute(item) for item in cast(Sequence[Any], data)])
    raise ValueError(f"attributes hold booleans, numbers, strings, sequences and dictionaries, but got {data!r}")


def from_attribute(attribute: Any) -> Any:
    """Return a builtin attribute as plain data (lists and dictionaries).

    Raises:
        ValueError: The attribute is of a kind that `to_attribute` does not make.
    """
    if isinstance(attribute, ir.UnitAttr):
        return True
    if isinstance(attribute, (ir.BoolAttr, ir.IntegerAttr, ir.FloatAttr, ir.StringAttr)):
        return attribute.value
    if isinstance(attribute, ir.DictAttr):
        return {entry.name: from_attribute(entry.attr) for entry in attribute}
    if isinstance(attribute, ir.ArrayAttr):
        return [from_attribute(element) for element in attribute]
    raise ValueError(f"expected a boolean, number, string, array or dictionary attribute, but got {attribute}")


class Fields:
    """Checked access to the entries of a dictionary attribute; faults raise `InvalidOpError` and name the entry.

    Args:
        what: How messages call the dictionary, such as "layout".
        data: Its entries as plain data.
        keys: The keys that may occur.
    """

    def __init__(self, what: str, data: Any, keys: Iterable[str]):
        require(isinstance(data, dict), f"{what} must be a dictionary, but is {data}")
        self.what = what
        self.data = cast(dict[str, Any], data)
        known = tuple(keys)
        for key in self.data:
            require(key in known, f"{what} has unknown key '{key}'; known are {', '.join(known)}")

    @classmethod
    def of(cls, what: str, attribute: Any, keys: Iterable[str]) -> "Fields":
        """Read a dictionary attribute."""
        try:
            return cls(what, from_attribute(attribute), keys)
        except ValueError as error:
            raise InvalidOpError(f"{what} cannot be read: {error}") from error

    def has(self, key: str) -> bool:
        """Return whether the entry is there."""
        return self.data.get(key) is not None

    def _get(self, key: str) -> Any:
        require(self.has(key), f"{self.what} requires key '{key}'")
        return self.data[key]

    def integer(self, key: str, *, at_least: int, default: int | None = None) -> int:
        """Return an integer entry."""
        if default is not None and not self.has(key):
            return default
        return check_integer(self._get(key), f"{self.what} '{key}'", at_least)

    def integers(self, key: str, *, at_least: int = 0) -> tuple[int, ...]:
        """Return an entry that is a list of integers."""
        items = self.items(key)
        return tuple(check_integer(item, f"{self.what} '{key}' element", at_least) for item in items)

    def items(self, key: str) -> list[Any]:
        """Return an entry that is a list."""
        value = self._get(key)
        require(isinstance(value, list), f"{self.what} '{key}' must be a list, but is {value}")
        return cast(list[Any], value)

    def choice(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        """Return a string entry that must be one of `choices` (any non-empty string where there are none)."""
        if default is not None and not self.has(key):
            return default
        value = self._get(key)
        require(
            isinstance(value, str) and value != "", f"{self.what} '{key}' must be a non-empty string, but is {value!r}"
        )
        require(
            not choices or value in choices,
            f"{self.what} '{key}' must be {' or '.join(repr(c) for c in choices)}, but is {value!r}",
        )
        return value


def check_integer(value: Any, what: str, at_least: int) -> int:
    """Return `value` if it is an integer of at least so much."""
    require(isinstance(value, int) and not isinstance(value, bool), f"{what} must be an integer, but is {value!r}")
    require(value >= at_least, f"{what} must be at least {at_least}, but is {value}")
    return value


def check_permutation(values: Sequence[int], count: int, what: str) -> None:
    """Check that `values` holds 0 .. count - 1, each once."""
    require(
        sorted(values) == list(range(count)),
        f"{what} must hold each of {count} dimensions once, but is {list(values)}",
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
        tile % (lanes * chunk) == 0 and threads % lanes == 0 and block % (threads // lanes * tile) == 0,
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
