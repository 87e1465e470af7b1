# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen records that are the keys of much that is remembered: their hash is computed once."""

from dataclasses import fields
from typing import Any, TypeVar

_Record = TypeVar("_Record")


def hashed_once(record: type[_Record]) -> type[_Record]:
    """Have the instances of a frozen dataclass keep their hash; it stands above `dataclass`.

    What is pickled are the fields, without it and what else a record remembers: names hash otherwise in another
    process.

    >>> from dataclasses import dataclass
    >>> @hashed_once
    ... @dataclass(frozen=True)
    ... class Pair:
    ...     a: int
    ...     b: str
    >>> hash(Pair(1, "x")) == hash(Pair(1, "x")), hash(Pair(1, "x")) == hash((1, "x"))
    (True, True)
    """
    dataclass: Any = record
    computed, names = record.__hash__, [field.name for field in fields(dataclass)]

    def kept(self: Any) -> int:
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = computed(self)
            self.__dict__["_hash"] = known
        return known

    def pickled(self: Any) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in names}

    for name, method in (("__hash__", kept), ("__getstate__", pickled)):
        setattr(record, name, method)
    return record
