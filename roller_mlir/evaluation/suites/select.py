# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Choosing operators of a suite by id, pattern, class or group, and making them small enough to be simulated."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from math import prod
from types import MappingProxyType

from roller_mlir.evaluation.suites.errors import SuiteError
from roller_mlir.evaluation.suites.kinds import KINDS, Given, SizeError
from roller_mlir.evaluation.suites.operator import Operator


def select(operators: Iterable[Operator], patterns: Sequence[str]) -> tuple[Operator, ...]:
    """Return the operators that one of the patterns names, in the table's order.

    Args:
        operators: Of a suite.
        patterns: Each an id, a class, a group, or a pattern of ids with * and ?; none selects all.

    Raises:
        SuiteError: A pattern names no operator.
    """
    given = tuple(operators)
    if not patterns:
        return given
    chosen: set[str] = set()
    for pattern in patterns:
        found = {o.id for o in given if pattern in (o.kind, o.group) or fnmatchcase(o.id, pattern)}
        if not found:
            kinds = ", ".join(dict.fromkeys(o.kind for o in given))
            raise SuiteError(f"no operator is '{pattern}'; give ids, patterns such as M*, groups, or classes ({kinds})")
        chosen |= found
    return tuple(o for o in given if o.id in chosen)


def points(operator: Operator) -> int | None:
    """Return the points of an operator's loop nest; None of the class "file", whose sizes stand in its text."""
    s = operator.sizes
    if operator.kind in ("matmul", "relu", "reduce_sum", "generic"):
        return prod(s.values())
    if operator.kind == "file":
        return None
    window = s["N"] * s["C"] * s["OH"] * s["OW"] * s["KH"] * s["KW"]
    return window * s["F"] if operator.kind == "conv2d" else window


def shrink(operator: Operator, most: int) -> Operator:
    """Return the operator with its extents halved, the largest first, until it has few points.

    Windows, strides and padding stay. What was published of the operator does not hold for the result and is left out.

    Args:
        operator: Of any class but "file" and "generic".
        most: Points that the loop nest may have.

    Raises:
        SuiteError: The operator is of such a class, or cannot be made that small.

    >>> shrink(Operator("M1", "matmul", "f32", {"M": 128, "N": 1000, "K": 4032}), 40000).sizes
    mappingproxy({'M': 32, 'N': 32, 'K': 32})
    """
    file, line = operator.place
    if operator.kind in ("file", "generic"):
        what = "a file of its own" if operator.kind == "file" else "of the class generic"
        raise SuiteError(f"'{operator.id}' is {what} and is not shrunk", file=file, line=line)
    current = replace(operator, tiles=MappingProxyType({}), times=MappingProxyType({}), duplicate_of=None)
    while (points(current) or 0) > most:
        smaller = next((one for one in (_halved(current, name) for name in _extents(current)) if one), None)
        if smaller is None:
            raise SuiteError(f"'{operator.id}' cannot have fewer than {points(current)} points", file=file, line=line)
        current = smaller
    return current


def _extents(operator: Operator) -> list[str]:
    """Return what can be halved, largest first: names of sizes, or numbers of dimensions."""
    if operator.shape:
        ordered = sorted(range(len(operator.shape)), key=lambda i: -operator.shape[i])
        return [str(i) for i in ordered if operator.shape[i] > 1]
    names = [name for name in ("M", "N", "K", "C", "H", "W", "F") if operator.sizes.get(name, 1) > 1]
    if operator.kind == "depthwise_conv2d":
        names.remove("F")
    return sorted(names, key=lambda name: -operator.sizes[name])


def _halved(operator: Operator, name: str) -> Operator | None:
    """Return the operator with one extent halved, rounded up; None where its window no longer fits."""
    kind = KINDS[operator.kind]
    if operator.shape:
        shape = tuple(-(-e // 2) if str(i) == name else e for i, e in enumerate(operator.shape))
        given = Given({}, shape, operator.axes, "")
    else:
        kept = {key: value for key, value in operator.sizes.items() if key not in ("OH", "OW")}
        kept[name] = -(-kept[name] // 2)
        if operator.kind == "depthwise_conv2d":
            kept["F"] = kept["C"]
        given = Given(kept, (), (), "")
    try:
        sizes = kind.sizes(given)
    except SizeError:
        return None
    return replace(operator, sizes=MappingProxyType(sizes), shape=given.shape)
