# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Frozen records that are the keys of much that is remembered: their hash is computed once."""

from typing import Any, TypeVar

_Record = TypeVar("_Record")


def hashed_once(record: type[_Record]) -> type[_Record]:
    """Have the instances of a frozen dataclass keep their hash; it stands above `dataclass`.

    What is pickled is without it: names hash otherwise in another process.

    >>> from dataclasses import dataclass
    >>> @hashed_once
    ... @dataclass(frozen=True)
    ... class Pair:
    ...     a: int
    ...     b: str
    >>> hash(Pair(1, "x")) == hash(Pair(1, "x")), hash(Pair(1, "x")) == hash((1, "x"))
    (True, True)
    """
    computed = record.__hash__

    def kept(self: Any) -> int:
        known: int | None = self.__dict__.get("_hash")
        if known is None:
            known = computed(self)
            self.__dict__["_hash"] = known
        return known

    def pickled(self: Any) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_hash"}

    for name, method in (("__hash__", kept), ("__getstate__", pickled)):
        setattr(record, name, method)
    return record
